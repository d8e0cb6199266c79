"""Where a breakpoint stands, as the protocol has it."""

import pytest

from dap_adapter.terminal.breakpoints import Breakpoint, Kind, address


@pytest.mark.parametrize(
    ("kind", "key", "wanted"),
    [
        (Kind.LINE, "45", {"line": 45}),
        (Kind.LINE, "45:9", {"line": 45, "column": 9}),
        (Kind.NAME, "confirm", {"name": "confirm"}),
        (Kind.SLOT, "slot:time", {"dataId": "slot:time"}),
    ],
)
def test_an_address(kind: Kind, key: str, wanted: dict[str, object]) -> None:
    found = Breakpoint(
        number=1, kind=kind, key=key, label=key, extras={}, is_temporary=False, answer={}
    )
    assert address(found) == wanted
