"""Any call of records that fit the contract opens without a problem, and in its order."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from support.recorded import ids_of, recorder_in

from engine.recording import build_session

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
).filter(lambda value: "inf" not in repr(value))
NAMES = st.sampled_from(["caller_name", "route", "time", "site", "other", "pin_kind"])


def fixed(kind: str, /, **fields: st.SearchStrategy) -> st.SearchStrategy:
    common = {"clock_ms": st.integers(0, 2**40), "turn_id": st.none() | st.text(max_size=3)}
    return st.fixed_dictionaries({"type": st.just(kind), **fields}, optional=common)


TEXT = st.text(max_size=6)
RECORDS = st.one_of(
    fixed("slot_filled", slot=NAMES, value=VALUES),
    fixed("slot_write", slot=NAMES, old=VALUES, new=VALUES, kind=TEXT, writer=TEXT),
    fixed("tool_called", tool=TEXT, tool_call_id=TEXT, args_safe=VALUES),
    fixed("tool_result", tool_call_id=TEXT, ok=st.booleans(), result_safe=VALUES, error=VALUES),
    fixed("transcript_segment", speaker=TEXT, text=TEXT, extra=VALUES),
    fixed("guard_evaluated", edge_id=TEXT, verdict=st.none() | st.booleans()),
    fixed("llm_requested", generation_id=TEXT, messages=st.lists(st.just({"text": "hello"}))),
)
STEPS = st.one_of(
    RECORDS.map(lambda record: ("append", record)),
    st.tuples(NAMES, VALUES).map(lambda pair: ("write", pair)),
    st.dictionaries(NAMES, VALUES, max_size=3).map(lambda values: ("seed", values)),
)


@settings(deadline=None)
@given(st.lists(STEPS, max_size=8))
def test_what_fits_opens_without_a_problem(steps) -> None:
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder) / "call"
        acknowledged = []
        with recorder_in(directory) as recorder:
            for how, what in steps:
                match how:
                    case "append":
                        acknowledged.append(recorder.append(what))
                    case "write":
                        slot, new = what
                        event_id = recorder.write_slot(
                            slot=slot, new=new, kind="set", writer="w", clock_ms=1
                        )
                        acknowledged += [] if event_id is None else [event_id]
                    case _:
                        acknowledged.append(recorder.seed([("w", what)], clock_ms=0))
        artifact = build_session(directory)
    assert artifact["problems"] == []
    assert ids_of(artifact) == acknowledged
