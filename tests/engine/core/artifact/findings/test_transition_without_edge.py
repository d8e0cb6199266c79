import pytest
from support.records import taken


@pytest.mark.parametrize("edge", [None, "a:2", "z:0"])
def test_no_edge_of_the_flow(found, start, edge) -> None:
    (finding,) = found([*start, taken(edge, "b")])
    assert finding["at"] == 1
    assert finding["events"] == ["bus:2"]
    assert finding["detail"] == {"edge_id": edge, "to": "b"}


def test_an_edge_of_the_flow(found, start) -> None:
    assert found([*start, taken("a:0", "b")]) == []
    assert found([*start, taken("b:0", "c")]) == []
