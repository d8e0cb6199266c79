"""What is personal never leaves the recorder: not in files, logs, errors; nor does its key."""

import base64
import io
import json
import logging
import tempfile
import traceback
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.recorded import play, recorder_in

from engine.core.contract.errors import EngineError
from engine.core.contract.json_types import JsonValue
from engine.recording import SessionKey, build_session

MARK = "Zq"


def planted(number: int, body: str) -> str:
    """A personal value that occurs nowhere else; with characters that JSON escapes."""
    return f'{MARK}{number}"{body}\u00e9'


def holding(secret: str) -> st.SearchStrategy[JsonValue]:
    """Values of every shape that hold a secret somewhere."""
    return st.recursive(
        st.just(secret),
        lambda inner: st.one_of(
            st.lists(inner, min_size=1, max_size=2),
            st.dictionaries(st.sampled_from(["a", secret]), inner, min_size=1, max_size=2),
        ),
        max_leaves=4,
    )


@st.composite
def secrets_in_shapes(draw: st.DrawFn) -> list[JsonValue]:
    bodies = st.text("abcdef 0123456789", min_size=6, max_size=12)
    return [draw(holding(planted(n, draw(bodies)))) for n in range(8)]


def attempts(recorder, values):
    """Every way in for a structured personal value; the bad ones raise."""
    seeded, overridden, written, again, argument, result, raw, late = values
    yield lambda: recorder.seed(
        [("prior_call", {"caller_name": overridden}), ("caller_identity", {"caller_name": seeded})],
        clock_ms=1,
    )
    for new in (written, again, None):
        yield lambda new=new: recorder.write_slot(
            slot="address", new=new, kind="set", writer="w", clock_ms=2
        )
    yield lambda: recorder.append(
        {"type": "tool_called", "tool": "t", "tool_call_id": "k", "args_safe": {"q": argument}}
    )
    yield lambda: recorder.append(
        {"type": "tool_called", "tool": "t", "tool_call_id": "k", "args_safe": [argument]}
    )
    yield lambda: recorder.append(
        {"type": "tool_result", "tool_call_id": "k", "ok": True, "result_safe": {"rows": result}}
    )
    for kind in ("slot_write", "slot_filled"):
        yield lambda kind=kind: recorder.append(
            {"type": kind, "slot": "caller_name", "old": raw, "new": raw, "value": raw}
        )
    yield lambda: recorder.append(
        {"type": "session_slots_seeded", "slots": [{"slot": "undeclared", "safe_value": raw}]}
    )
    yield lambda: recorder.append(
        {
            "type": "session_slots_seeded",
            "slots": [{"slot": "undeclared", "overridden": [{"safe_value": raw}]}],
        }
    )
    yield lambda: recorder.write_slot(
        slot="address", new={"a": late, "b": float("nan")}, kind="set", writer="w", clock_ms=3
    )
    yield lambda: recorder.append({"type": "tool_called", "tool": "t", "args_safe": late})
    yield lambda: recorder.append(
        {"type": "slot_write", "slot": "caller_name", "availability": str(late)}
    )
    yield lambda: recorder.append(
        {"type": "slot_write", "slot": "caller_name", "new_fingerprint": str(late)}
    )
    yield lambda: recorder.append({"type": str(late), "seq": 1, "clock_ms": late})


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(secrets_in_shapes())
def test_planted_values_are_in_no_byte_written_logged_or_raised(caplog, values) -> None:
    told = io.StringIO()
    caplog.set_level(logging.DEBUG)
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder) / "call"
        with recorder_in(directory) as recorder:
            for attempt in attempts(recorder, values):
                try:
                    attempt()
                except EngineError as error:
                    told.write("".join(traceback.format_exception(error)))
                    told.write(json.dumps(error.as_json()) + repr(error))
            told.write(repr(recorder) + repr(recorder.context) + repr(recorder.context.slots))
        for path in directory.rglob("*"):
            if path.is_file():
                assert MARK.encode() not in path.read_bytes(), path.name
        artifact = build_session(directory)
    assert artifact["problems"] == []
    assert MARK not in json.dumps(artifact)
    assert MARK not in told.getvalue()
    assert MARK not in caplog.text


def test_the_key_is_in_no_byte_written_logged_or_raised(tmp_path, caplog) -> None:
    caplog.set_level(logging.DEBUG)
    secret = bytes(range(101, 133))
    told = ""
    with recorder_in(tmp_path / "call", key=SessionKey(secret)) as recorder:
        play(recorder, lambda _: None)
        told += repr(recorder) + repr(recorder.context) + repr(recorder.context.key)
        try:
            recorder.append({"type": "state_entered"})
        except EngineError as error:
            told += "".join(traceback.format_exception(error))
    try:
        recorder.append({"type": "slot_filled", "slot": "x"})
    except EngineError as error:
        told += "".join(traceback.format_exception(error))
    spellings = [
        secret,
        secret.hex().encode(),
        secret.hex().upper().encode(),
        base64.b64encode(secret).rstrip(b"="),
        base64.urlsafe_b64encode(secret).rstrip(b"="),
        base64.b32encode(secret).rstrip(b"="),
        repr(secret)[2:-1].encode(),
        str(list(secret))[1:-1].encode(),
    ]
    shown = [path.read_bytes() for path in (tmp_path / "call").rglob("*") if path.is_file()]
    shown += [told.encode(), caplog.text.encode()]
    for spelling in spellings:
        assert all(spelling not in text for text in shown), spelling


def fingerprints(directory: Path) -> set[str]:
    text = "".join(path.read_text() for path in directory.glob("*.jsonl"))
    return {part[:76] for part in text.split('"') if part.startswith("hmac-sha256:")}


def test_two_sessions_share_no_fingerprint(tmp_path) -> None:
    seen = set[str]()
    for number in range(20):
        with recorder_in(tmp_path / str(number)) as recorder:
            play(recorder, lambda _: None)
        found = fingerprints(tmp_path / str(number))
        assert len(found) >= 5
        assert not seen & found
        seen |= found


def test_a_short_code_leaves_nothing_to_try_against(tmp_path) -> None:
    with recorder_in(tmp_path / "call") as recorder:
        for value in ("4821", 4821, True, "no"):
            recorder.write_slot(slot="secret", new=value, kind="set", writer="w", clock_ms=1)
        recorder.write_slot(slot="pin_kind", new="short", kind="set", writer="w", clock_ms=2)
        recorder.append(
            {"type": "tool_called", "tool": "t", "tool_call_id": "k", "args_safe": {"pin": "4821"}}
        )
    rows = [
        json.loads(line)
        for line in (tmp_path / "call" / "bus_events.jsonl").read_text().splitlines()
    ]
    assert [row.get("new_fingerprint") for row in rows] == [None] * 6
    assert rows[-1]["args_fingerprint"] is None


@pytest.mark.parametrize("fails", [False, True])
def test_free_text_goes_through_the_redactor(tmp_path, fails) -> None:
    def redactor(said: str) -> str:
        if fails:
            raise ValueError(said)
        return said.replace("Alex", "<NAME_1>")

    with recorder_in(tmp_path / "call", redactor=redactor) as recorder:
        recorder.append(
            {
                "type": "transcript_segment",
                "speaker": "caller",
                "source": "Alex",
                "text": "I am Alex",
            }
        )
        recorder.append(
            {"type": "audio_requested", "playback_id": "p1", "planned": "Hi Alex", "heard": None}
        )
        recorder.append(
            {
                "type": "llm_requested",
                "generation_id": "g",
                "messages": [{"role": "user", "text": "Alex here", "parts": ["Alex"]}],
            }
        )
        recorder.append(
            {
                "type": "tool_called",
                "tool": "Alex",
                "tool_call_id": "k",
                "args_safe": {"time": "for Alex", "who": "Alex"},
            }
        )
        recorder.append({"type": "tool_result", "tool_call_id": "k", "error": {"why": "Alex?"}})
        recorder.append({"type": "own_note", "said": ["Alex"], "visit_id": "Alex#1"})
        recorder.append({"type": "slot_filled", "slot": "Alex", "comment": "Alex"})
        recorder.write_slot(slot="time", new="Alex", kind="set", writer="w", clock_ms=1)
    name = "<str len=4>" if fails else "<NAME_1>"
    segment = json.loads((tmp_path / "call" / "transcript.jsonl").read_text())
    assert segment["text"] == ("<str len=9>" if fails else "I am <NAME_1>")
    assert segment["source"] == "Alex"
    lines = (tmp_path / "call" / "bus_events.jsonl").read_text().splitlines()
    requested, model, called, result, note, filled, written = map(json.loads, lines)
    assert requested["planned"] == ("<str len=7>" if fails else "Hi <NAME_1>")
    assert requested["heard"] is None
    message = model["messages"][0]
    assert (message["role"], message["parts"]) == ("user", [name])
    assert message["content_hash"].startswith("hmac-sha256:")
    assert called["tool"] == "Alex"
    assert called["args_safe"]["time"] == ("<str len=8>" if fails else "for <NAME_1>")
    assert called["args_safe"]["who"] == "<str len=4>"
    assert result["error"]["why"] == ("<str len=5>" if fails else "<NAME_1>?")
    assert (note["said"], note["visit_id"]) == ([name], "Alex#1")
    assert (filled["slot"], filled["comment"]) == ("Alex", name)
    assert written["new"] == "Alex"
