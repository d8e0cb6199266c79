"""Small builders and Hypothesis strategies for records, manifests, artifacts, session directories.

A builder gives the smallest valid thing; keyword arguments add or replace members. Nothing here
expects anything: what must come out stands in the tests.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from hypothesis import strategies as st

from engine.core.artifact import artifact_bytes, build_state_program_artifact
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.flow import flow_metadata, parse_flow

FLOW_TEXT = """\
flow_id: small
entry: a
slots:
  route: {type: enum, class: routing, values: [x, y]}
  note: {type: string, class: plain}
  name: {type: string, class: personal}
  nick: {type: string}
states:
  a:
    prompt: "Hello {{slots.name}}."
    transitions:
      - {to: b, when: "slot_set:name"}
      - {to: a, when: always}
  b:
    transitions:
      - {to: c, when: always}
  c:
    prompt: Bye.
"""
"""A flow of three states: edges a:0 -> b, a:1 -> a, b:0 -> c; slot `nick` names no class."""

STREAM_FILES = {
    "trace": "trace_events.jsonl",
    "bus": "bus_events.jsonl",
    "transcript": "transcript.jsonl",
}


def flow_of(text: str = FLOW_TEXT) -> JsonObject:
    """Return a flow's metadata as an artifact holds it."""
    document = parse_flow(text.encode(), path="flow/flow.yaml")
    return flow_metadata(document, path="flow/flow.yaml", source_path=None)


FLOW = flow_of()


def manifest_of(**members: JsonValue) -> JsonObject:
    """Return a manifest of a session-wide sequence."""
    base: JsonObject = {
        "schema": "riff.session/v1",
        "session_id": "v3:small",
        "call_start_epoch": 1_767_225_600_000,
        "sequence": "session",
        "ended": "completed",
        "flow": {"path": "flow/flow.yaml", "source_path": None},
    }
    return {**base, **members}


def record(type_: str, **members: JsonValue) -> JsonObject:
    """Return a record; a member that is None is left out."""
    return {"type": type_, **{k: v for k, v in members.items() if v is not None}}


def entered(state: str, **members: JsonValue) -> JsonObject:
    """Return a `state_entered`."""
    return record("state_entered", state_id=state, **members)


def exited(state: str, **members: JsonValue) -> JsonObject:
    """Return a `state_exited`."""
    return record("state_exited", state_id=state, **members)


def taken(edge: str | None, to: str = "b", **members: JsonValue) -> JsonObject:
    """Return a `transition_taken`."""
    return record("transition_taken", edge_id=edge, to=to, **members)


def guard(edge: str, *, verdict: bool | None = True, **members: JsonValue) -> JsonObject:
    """Return a `guard_evaluated`."""
    return record("guard_evaluated", edge_id=edge, verdict=verdict, **members)


def write(slot: str, new: JsonValue, *, old: JsonValue = None, **members: JsonValue) -> JsonObject:
    """Return a `slot_write`; `old` and `new` are always there."""
    return {**record("slot_write", slot=slot, writer="w", **members), "old": old, "new": new}


def seeded(*rows: JsonObject, **members: JsonValue) -> JsonObject:
    """Return a `session_slots_seeded` of these rows."""
    return record("session_slots_seeded", slots=[*rows], **members)


def seed(slot: str, value: JsonValue, **members: JsonValue) -> JsonObject:
    """Return a row of a `session_slots_seeded`."""
    return {"slot": slot, "safe_value": value, **members}


def noise(**members: JsonValue) -> JsonObject:
    """Return a record of a type that nobody knows."""
    return record("network_jitter", **members)


def numbered(records: Sequence[JsonObject], *, first: int = 0) -> list[JsonObject]:
    """Return the records with `seq` counted on from `first`."""
    return [{**item, "seq": seq} for seq, item in enumerate(records, start=first)]


def build(
    *,
    trace: Sequence[JsonObject] = (),
    bus: Sequence[JsonObject] = (),
    transcript: Sequence[JsonObject] = (),
    manifest: JsonObject | None = None,
    flow: JsonObject | None = None,
    audio: Sequence[JsonObject] = (),
) -> JsonObject:
    """Return the artifact of these records."""
    return build_state_program_artifact(
        manifest=manifest_of() if manifest is None else manifest,
        bus_events=[*bus],
        trace_events=[*trace],
        flow_metadata=FLOW if flow is None else flow,
        transcript_events=[*transcript],
        audio_refs=[*audio],
    )


def build_in_order(
    records: Sequence[JsonObject], *, manifest: JsonObject | None = None
) -> JsonObject:
    """Return the artifact of records that stand in one stream and in call order: event i = i."""
    return build(bus=numbered(records), manifest=manifest)


def file_of(artifact: JsonObject) -> bytes:
    """Return an artifact's file."""
    return b"".join(artifact_bytes(artifact))


def problem_codes(artifact: JsonObject) -> list[str]:
    """Return the codes of an artifact's problems, in its order."""
    return [row["code"] for row in rows_of(artifact, "problems") if isinstance(row["code"], str)]


def rows_of(artifact: JsonObject, key: str) -> list[JsonObject]:
    """Return a list member of an artifact, each row asserted to be an object."""
    listed = artifact[key]
    assert isinstance(listed, list)
    out: list[JsonObject] = []
    for row in listed:
        assert isinstance(row, dict)
        out.append(row)
    return out


def record_of(artifact: JsonObject, index: int) -> JsonObject:
    """Return the record of event `index`."""
    found = rows_of(artifact, "events")[index]["record"]
    assert isinstance(found, dict)
    return found


def line_of(item: JsonObject) -> bytes:
    """Return a record's line, without its line feed."""
    return json.dumps(item, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def write_session(
    directory: Path,
    *,
    trace: Sequence[JsonObject] = (),
    bus: Sequence[JsonObject] = (),
    transcript: Sequence[JsonObject] = (),
    manifest: JsonObject | None = None,
    flow: str = FLOW_TEXT,
    audio: JsonValue = None,
) -> Path:
    """Write a session directory and return it; its parents are made, too."""
    (directory / "flow").mkdir(parents=True)
    (directory / "flow" / "flow.yaml").write_bytes(flow.encode())
    held = manifest_of() if manifest is None else manifest
    (directory / "manifest.json").write_bytes(line_of(held) + b"\n")
    (directory / "audio_refs.json").write_text(json.dumps([] if audio is None else audio) + "\n")
    for stream, records in (("trace", trace), ("bus", bus), ("transcript", transcript)):
        lines = b"".join(line_of(item) + b"\n" for item in records)
        (directory / STREAM_FILES[stream]).write_bytes(lines)
    return directory


# -- strategies ------------------------------------------------------------------------------------

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=8) | st.sampled_from(
    [
        "",
        "\u00e9",
        "e\u0301",
        "\U0001f600",
        "\uffff",
        "\ue000",
        "\u2028",
        "\x00\x1f\x7f",
        '"\\/',
        "a" * 40,
    ]
)
INTEGERS = st.integers(-(2**53) + 1, 2**53 - 1)
BIG_INTEGERS = st.integers(2**53, 2**80) | st.integers(-(2**80), -(2**53))
FLOATS = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [0.0, -0.0, 1.0, 5e-324, 1e-7, 1e21, 1e300, 2.0**53, 0.1]
)


def json_values(numbers: st.SearchStrategy[JsonValue]) -> st.SearchStrategy[JsonValue]:
    """Return JSON values whose numbers come from `numbers`."""
    leaves: st.SearchStrategy[JsonValue] = st.none() | st.booleans() | TEXTS | numbers
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
        max_leaves=12,
    )


EXACT_VALUES = json_values(INTEGERS | FLOATS.filter(lambda number: abs(number) < 2**53))
ANY_VALUES = json_values(INTEGERS | BIG_INTEGERS | FLOATS)

_ODD_OBJECTS: list[JsonValue] = [{"b": 2**70, "a": [1]}, {"\uffff": 1, "\U0001f600": 2}]
_ODD_LISTS: list[JsonValue] = [["<int>"], [0.5, None], _ODD_OBJECTS]
_ODD_TEXTS: list[JsonValue] = ["", "x", "\U0001f600"]
_ODD_NUMBERS: list[JsonValue] = [True, 0, -3, 0.5, -0.0, 1e300, 2**60]
ODD_VALUES = st.sampled_from([*_ODD_NUMBERS, *_ODD_TEXTS, *_ODD_LISTS, *_ODD_OBJECTS])
"""A few values of every JSON type, quick to draw."""

SLOTS = ("route", "note", "name", "nick", "other")


@st.composite
def loose_records(draw: st.DrawFn) -> JsonObject:
    """Return a record of any known or unknown type, right or wrong, with odd common members."""
    state = st.sampled_from(["a", "b", "z"])
    edge = st.sampled_from(["a:0", "a:1", "b:0", "z:9"])
    visit = st.sampled_from(["a#1", "a#2", "b#1", "alias"])
    playback = st.sampled_from(["p1", "p2"])
    base = draw(
        st.one_of(
            st.builds(entered, state, parent_visit_id=st.none() | visit),
            st.builds(exited, state, edge_id=st.none() | edge),
            st.builds(taken, st.none() | edge),
            st.builds(guard, edge, verdict=st.none() | st.booleans()),
            st.builds(write, st.sampled_from(SLOTS), ODD_VALUES, old=ODD_VALUES),
            st.builds(seeded, st.builds(seed, st.sampled_from(SLOTS), ODD_VALUES)),
            st.builds(
                record,
                st.sampled_from(["audio_requested", "audio_started", "audio_completed"]),
                playback_id=playback,
            ),
            st.builds(record, st.sampled_from(["tool_called", "transcript_segment", "odd", ""])),
            st.builds(noise, extra=ODD_VALUES),
        )
    )
    common: JsonObject = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "visit_id": visit | ODD_VALUES,
                "event_id": st.sampled_from(["e1", "e2", "e3", "bus:1"]) | ODD_VALUES,
                "clock_ms": st.integers(-5, 50) | FLOATS | ODD_VALUES,
                "seq": st.integers(-2, 12) | ODD_VALUES,
            },
        )
    )
    return {**base, **common}


def calls() -> st.SearchStrategy[tuple[JsonObject, JsonObject]]:
    """Return (manifest, {trace, bus, transcript}) of small calls of both sequence kinds."""
    manifests = st.builds(
        manifest_of,
        sequence=st.sampled_from(["session", "per_stream"]),
        ended=st.sampled_from(["completed", "aborted", None]),
        slot_classes=st.sampled_from([None, {"other": "plain"}, {"nick": "routing"}]),
    )
    values: st.SearchStrategy[JsonValue] = loose_records()
    some, few = st.lists(values, max_size=6), st.lists(values, max_size=3)
    return st.tuples(manifests, st.builds(streams_of, some, some, few))


def streams_of(
    trace: list[JsonValue], bus: list[JsonValue], transcript: list[JsonValue]
) -> JsonObject:
    """Return the streams of a drawn call."""
    return {"trace": trace, "bus": bus, "transcript": transcript}


def build_call(manifest: JsonObject, streams: JsonObject) -> JsonObject:
    """Return the artifact of a drawn call."""
    return build(
        manifest=manifest,
        trace=rows_of(streams, "trace"),
        bus=rows_of(streams, "bus"),
        transcript=rows_of(streams, "transcript"),
    )
