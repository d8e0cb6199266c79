"""Launch arguments: what is read, what is ignored, and what a wrong value is told."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_adapter.errors import DapError
from dap_adapter.launch_config import SourcePolicy, launch_config, stop_position
from engine.core.contract.labels import Direction, Unit


def config(**keys: object):
    return launch_config(json.dumps(keys).encode())


def test_defaults_and_unknown_keys() -> None:
    got = config(recording="a", type="state-program", request="launch", __sessionId="1", x=[None])
    assert got.recording == Path("a")
    assert got.stop_at == {"edge": "start"}
    assert (got.step_unit, got.direction) == (Unit.EVENT, Direction.FORWARD)
    assert got.source_policy is SourcePolicy.WORKSPACE
    assert got.session is None
    assert got.flow_root is None


def test_every_key(tmp_path: Path) -> None:
    got = config(
        recording="~/a",
        session=str(tmp_path),
        flowRoot=str(tmp_path),
        stopAt="end",
        stepUnit="visit",
        direction="reverse",
        sourcePolicy="recorded",
    )
    assert got.recording == Path.home() / "a"
    assert got.session == got.flow_root == tmp_path
    assert got.stop_at == {"edge": "end"}
    assert (got.step_unit, got.direction) == (Unit.VISIT, Direction.REVERSE)
    assert got.source_policy is SourcePolicy.RECORDED


@pytest.mark.parametrize(
    ("text", "seek"),
    [
        ("start", {"edge": "start"}),
        ("end", {"edge": "end"}),
        ("#812", {"event_index": 812}),
        ("#-1", {"event_index": -1}),
        ("01:42.300", {"clock_ms": 102_300}),
        ("1:02:03", {"clock_ms": 3_723_000}),
        ("0:05.3", {"clock_ms": 5_300}),
        ("menu#2", {"visit_id": "menu#2"}),
        ("#x", {"visit_id": "#x"}),
    ],
)
def test_stop_at(text: str, seek: dict) -> None:
    assert stop_position(text) == seek


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({}, "'recording'"),
        ({"recording": None}, "'recording'"),
        ({"recording": ""}, "'recording'"),
        ({"recording": 5}, "'recording' must be a text"),
        ({"recording": "a\0b"}, "'recording' must be a text"),
        ({"recording": "a", "session": "/no/such"}, "'session'"),
        ({"recording": "a", "flowRoot": "/no/such"}, "'flowRoot'"),
        ({"recording": "a", "stopAt": 3}, "'stopAt' must be a text"),
        ({"recording": "a", "stepUnit": "line"}, "event, beat, visit"),
        ({"recording": "a", "direction": "back"}, "forward, reverse"),
        ({"recording": "a", "sourcePolicy": "x"}, "workspace, recorded"),
    ],
)
def test_a_wrong_value_says_what_to_do(keys: dict, words: str) -> None:
    with pytest.raises(DapError) as caught:
        config(**keys)
    assert words in caught.value.text
    assert caught.value.show_user


@given(
    st.binary(max_size=60) | st.recursive(st.none() | st.text(), st.lists).map(repr).map(str.encode)
)
def test_any_arguments_give_a_config_or_a_typed_error(raw: bytes) -> None:
    with pytest.raises(DapError):
        launch_config(raw)
