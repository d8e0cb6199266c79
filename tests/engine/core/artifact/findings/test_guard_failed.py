import pytest
from support.records import guard


@pytest.mark.parametrize("error", ["boom", {"kind": "KeyError"}], ids=str)
def test_an_error(found, start, error) -> None:
    (finding,) = found([*start, guard("a:0", verdict=None, error=error)])
    assert finding["at"] == 1
    assert finding["events"] == ["bus:2"]
    assert finding["visits"] == ["a#1"]
    assert finding["severity"] == "error"
    assert finding["detail"] == {"edge_id": "a:0"}


@pytest.mark.parametrize("error", [None, ""])
def test_none(found, start, error) -> None:
    assert found([*start, guard("a:0", verdict=False, error=error)]) == []
