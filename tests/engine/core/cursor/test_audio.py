"""`fetch_audio_range`: the clock's laws, what is there, and why there is nothing."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.small_calls import bus, flow, trace

from engine.core.artifact import build_state_program_artifact
from engine.core.contract.canonical import INTEGER_MAX, canonical_bytes
from engine.core.contract.json_types import JsonObject, JsonValue, mapping, rows
from engine.core.cursor import apply_command, open_debugger
from engine.core.cursor.audio import frame_at, media_ms_of

RATES = st.integers(4_000, 192_000)


def audio_row(audio_id: str = "agent_played", **members: JsonValue) -> JsonObject:
    """A measured row: 800 frames of 8 kHz from 1,000 ms on."""
    return {
        "audio_id": audio_id,
        "role": audio_id,
        "path": f"{audio_id}.wav",
        "availability": "recorded",
        "media_start_offset_ms": 1_000,
        "sample_rate": 8_000,
        "channel_map": ["agent" if audio_id == "agent_played" else "caller"],
        "duration_ms": 100,
        "frames": 800,
        "header_frames": 800,
        "measured_duration_ms": 100,
        "measured_sample_rate": 8_000,
        "measured_channels": 1,
        "data_offset": 44,
        "frame_bytes": 2,
        **members,
    }


CALL = [
    bus("weather"),
    trace("state_entered", state_id="menu", clock_ms=1_010),
    bus("audio_started", playback_id="p1", clock_ms=1_020),
    bus("audio_started", playback_id="p2", clock_ms=1_030),
    bus("audio_completed", playback_id="p1", clock_ms=1_040),
    bus("audio_completed", playback_id="p2", clock_ms=1_050),
    trace("state_exited", state_id="menu", clock_ms=1_060),
    trace("state_entered", state_id="ask", clock_ms=1_070),
    bus("audio_started", playback_id="p3", clock_ms=1_080),
]


def ask(
    *audio: JsonObject,
    records: list[tuple[str, JsonObject]] | None = None,
    **members: JsonValue,
) -> JsonObject:
    """The response to the command with these members, in a call with this audio."""
    streams: dict[str, list[JsonObject]] = {"trace": [], "bus": [], "transcript": []}
    for seq, (stream, record) in enumerate(CALL if records is None else records):
        streams[stream].append({"event_id": f"e{seq}", **record, "seq": seq})
    artifact = build_state_program_artifact(
        manifest={
            "schema": "riff.session/v1",
            "session_id": "v3:small",
            "sequence": "session",
            "flow": {"path": "flow/flow.yaml"},
        },
        bus_events=streams["bus"],
        trace_events=streams["trace"],
        flow_metadata=flow(),
        transcript_events=[],
        audio_refs=[*audio],
    )
    state = open_debugger(artifact)
    after, response = apply_command(state, {"action": "fetch_audio_range", **members})
    assert response["new_cursor"] == response["old_cursor"] == after.cursor
    assert canonical_bytes(response)
    return response


def items(response: JsonObject) -> list[JsonObject]:
    assert response["error"] is None
    return rows(mapping(response, "result"), "items")


def error(response: JsonObject) -> JsonObject:
    assert response["result"] is None
    return mapping(response, "error")


def span(item: JsonObject) -> tuple[JsonValue, ...]:
    return tuple(item[key] for key in ("start_ms", "end_ms", "start_frame", "end_frame"))


# -- the clock's laws ------------------------------------------------------------------------------


@given(st.integers(0, 10**10), RATES)
def test_the_frame_at_a_millisecond_sounds_then(ms: int, rate: int) -> None:
    frame = frame_at(ms, rate)
    assert Fraction(frame * 1000, rate) <= ms < Fraction((frame + 1) * 1000, rate)


@given(st.integers(0, 10**10), RATES)
def test_from_a_millisecond_to_its_frame_and_back(ms: int, rate: int) -> None:
    back = media_ms_of(frame_at(ms, rate), rate)
    assert back in {ms - 1, ms}
    if rate % 1000 == 0:
        assert back == ms


@given(st.integers(0, 10**10), RATES)
def test_from_a_frame_to_its_millisecond_and_back(frame: int, rate: int) -> None:
    ms = media_ms_of(frame, rate)
    assert ms <= Fraction(frame * 1000, rate) < ms + 1
    assert frame_at(ms, rate) <= frame <= frame_at(ms + 1, rate)


@given(
    st.lists(st.integers(900, 1_300), min_size=2, max_size=8, unique=True).map(sorted),
    RATES,
    st.integers(1, 20_000),
)
def test_spans_that_meet_in_time_meet_in_the_file(cuts: list[int], rate: int, frames: int) -> None:
    row = audio_row(frames=frames, measured_sample_rate=rate)
    end = 1_000 + -(-frames * 1000 // rate)
    cuts = [899, *cuts, max(end, 1_300) + 1]
    found: list[int] = []
    for start_ms, end_ms in pairwise(cuts):
        response = ask(row, start_ms=start_ms, end_ms=end_ms)
        if response["error"] is not None:
            continue
        item = items(response)[0]
        _, _, first, last = span(item)
        assert type(first) is int
        assert type(last) is int
        assert start_ms <= int(str(item["start_ms"])) < int(str(item["end_ms"])) <= end_ms
        assert item["byte_offset"] == 44 + 2 * first
        assert item["byte_length"] == 2 * (last - first)
        found += [first, last]
    assert found[0] == 0
    assert found[-1] == frames, "the last frame can be reached"
    assert found[1:-1:2] == found[2::2], "no frame twice, none left out"


# -- ranges that are given -------------------------------------------------------------------------


def test_an_item_has_all_there_is_to_know() -> None:
    response = ask(audio_row(), start_ms=1_010, end_ms=1_020)
    assert items(response) == [
        {
            "audio_id": "agent_played",
            "role": "agent_played",
            "path": "agent_played.wav",
            "channel_index": None,
            "availability": "recorded",
            "code": None,
            "reason": None,
            "start_ms": 1_010,
            "end_ms": 1_020,
            "start_frame": 80,
            "end_frame": 160,
            "sample_rate": 8_000,
            "measured": True,
            "byte_offset": 204,
            "byte_length": 160,
        }
    ]
    assert response["evidence_refs"] == []


@pytest.mark.parametrize(
    ("start_ms", "end_ms", "expected"),
    [
        (0, 1_001, (1_000, 1_001, 0, 8)),
        (1_099, 9_999, (1_099, 1_100, 792, 800)),
        (-INTEGER_MAX, INTEGER_MAX, (1_000, 1_100, 0, 800)),
        (1_000, 1_100, (1_000, 1_100, 0, 800)),
    ],
)
def test_a_range_is_cut_to_what_is_there(
    start_ms: int, end_ms: int, expected: tuple[int, ...]
) -> None:
    assert span(items(ask(audio_row(), start_ms=start_ms, end_ms=end_ms))[0]) == expected


def test_media_may_begin_before_the_call() -> None:
    row = audio_row(media_start_offset_ms=-50)
    assert span(items(ask(row, start_ms=0, end_ms=10))[0]) == (0, 10, 400, 480)


@pytest.mark.parametrize(("start_ms", "end_ms"), [(0, 1_000), (1_100, 1_200), (-10, -5)])
def test_a_range_outside(start_ms: int, end_ms: int) -> None:
    found = error(ask(audio_row(), start_ms=start_ms, end_ms=end_ms))
    assert found["code"] == "AUDIO_RANGE_UNAVAILABLE"
    assert mapping(found, "detail") == {
        "start_ms": start_ms,
        "end_ms": end_ms,
        "audio": [
            {
                "audio_id": "agent_played",
                "availability": "unavailable",
                "code": "AUDIO_RANGE_UNAVAILABLE",
                "reason": "The file holds 1000 to 1100 ms of the call.",
            }
        ],
    }


def test_files_that_have_nothing_stand_beside_those_that_have() -> None:
    response = ask(
        audio_row(),
        audio_row("caller", availability="unavailable", code="C", reason="Off."),
        audio_row("late", media_start_offset_ms=5_000),
        audio_row("empty", availability="empty_capture", frames=0, reason="No frame."),
        audio_row("nowhere", media_start_offset_ms=None),
        start_ms=1_000,
        end_ms=1_010,
    )
    assert [(row["availability"], row["code"], row["start_frame"]) for row in items(response)] == [
        ("recorded", None, 0),
        ("unavailable", "C", None),
        ("unavailable", "AUDIO_RANGE_UNAVAILABLE", None),
        ("empty_capture", None, None),
        ("unavailable", "AUDIO_RANGE_UNAVAILABLE", None),
    ]
    assert all(row["reason"] for row in items(response)[1:])
    assert len({tuple(row) for row in items(response)}) <= 2, "all rows have the same keys"
    assert {frozenset(row) for row in items(response)} == {frozenset(items(response)[0])}


def test_audio_that_was_not_measured_is_as_declared() -> None:
    bare = {key: value for key, value in audio_row().items() if key in BARE}
    item = items(ask(bare, start_ms=1_050, end_ms=9_999))[0]
    assert span(item) == (1_050, 1_100, 400, 800)
    assert (item["measured"], item["byte_offset"], item["byte_length"]) == (False, None, None)


BARE = ("audio_id", "availability", "media_start_offset_ms", "sample_rate", "duration_ms")


@pytest.mark.parametrize(
    "members",
    [
        {"sample_rate": None},
        {"duration_ms": None},
        {"sample_rate": 0},
        {"sample_rate": -8_000},
        {"duration_ms": INTEGER_MAX, "sample_rate": INTEGER_MAX},
    ],
)
def test_audio_whose_length_is_not_known(members: JsonObject) -> None:
    bare = {key: value for key, value in audio_row(**members).items() if key in BARE}
    found = error(ask(bare, start_ms=0, end_ms=9_999))
    assert found["code"] == "AUDIO_RANGE_UNAVAILABLE"


def test_no_audio_at_all() -> None:
    found = error(ask(start_ms=0, end_ms=1))
    assert (found["code"], mapping(found, "detail")["audio"]) == ("AUDIO_RANGE_UNAVAILABLE", [])


CRAFTED = st.fixed_dictionaries(
    {
        "audio_id": st.sampled_from(["", "a", "b"]),
        "availability": st.sampled_from(["recorded", "recorded", "unavailable", "empty_capture"]),
    },
    optional={
        **dict.fromkeys(
            (
                "media_start_offset_ms",
                "sample_rate",
                "duration_ms",
                "frames",
                "measured_sample_rate",
                "measured_channels",
                "data_offset",
                "frame_bytes",
            ),
            st.integers(-3, 20_000) | st.sampled_from([INTEGER_MAX, -INTEGER_MAX, None]),
        ),
        "channel_map": st.lists(st.sampled_from(["agent", "caller"]), max_size=3),
    },
)


@given(st.lists(CRAFTED, max_size=3), st.none() | st.integers(-3, 3_000), st.booleans())
def test_any_audio_is_answered(
    audio: list[JsonObject], start_ms: int | None, by_channel: bool
) -> None:
    members: JsonObject = {"cursor": 1}
    if start_ms is not None:
        members |= {"start_ms": start_ms, "end_ms": INTEGER_MAX}
    if by_channel:
        members["channel"] = "agent"
    response = ask(*audio, **members)
    if response["error"] is not None:
        assert error(response)["code"] in {"AUDIO_RANGE_UNAVAILABLE", "INVALID_COMMAND"}
        return
    for item in items(response):
        first, last = item["start_frame"], item["end_frame"]
        assert (first is None) == (item["availability"] != "recorded") == (last is None)
        assert first is None or 0 <= int(str(first)) < int(str(last)) <= INTEGER_MAX


# -- which audio -----------------------------------------------------------------------------------

BOTH = (
    audio_row(),
    audio_row("caller"),
    audio_row("mixed", channel_map=["caller", "agent"], measured_channels=2, frame_bytes=4),
    audio_row("wrong", channel_map=["x", "agent"]),
)


def chosen(**members: JsonValue) -> list[tuple[JsonValue, JsonValue]]:
    found = items(ask(*BOTH, start_ms=1_000, end_ms=1_010, **members))
    return [(row["audio_id"], row["channel_index"]) for row in found]


def test_by_id_by_channel_or_all() -> None:
    assert [name for name, _ in chosen()] == ["agent_played", "caller", "mixed", "wrong"]
    assert chosen(audio_id="mixed") == [("mixed", None)]
    assert chosen(channel="caller") == [("caller", 0), ("mixed", 0)]
    assert chosen(channel="agent") == [("agent_played", 0), ("mixed", 1), ("wrong", None)]
    assert [name for name, _ in chosen(offset=1, limit=2)] == ["caller", "mixed"]


def test_pages_know_the_whole() -> None:
    result = mapping(ask(*BOTH, start_ms=1_000, end_ms=1_010, offset=3, limit=1), "result")
    assert (result["total"], result["offset"], len(rows(result, "items"))) == (4, 3, 1)


@pytest.mark.parametrize(
    "members",
    [
        {"audio_id": "agent_playd"},
        {"audio_id": 5},
        {"channel": "agnt"},
        {"channel": ["agent"]},
        {"audio_id": "caller", "channel": "caller"},
        {"start_ms": 5},
        {"end_ms": 5},
        {"start_ms": 5, "end_ms": 5},
        {"start_ms": 6, "end_ms": 5},
        {"start_ms": "5", "end_ms": 6},
        {"start_ms": True, "end_ms": 6},
        {"start_ms": 5.0, "end_ms": 6},
        {"start_ms": 0, "end_ms": 2**53},
        {"limit": 0},
        {"playback_id": "p1"},
    ],
)
def test_commands_that_are_wrong(members: JsonObject) -> None:
    assert error(ask(*BOTH, **members))["code"] == "INVALID_COMMAND"


def test_a_name_that_is_nearly_right() -> None:
    detail = mapping(error(ask(*BOTH, audio_id="agent_playd")), "detail")
    assert detail == {"audio_id": "agent_playd", "nearest": ["agent_played"]}


# -- ranges from the cursor ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cursor", "start_ms", "end_ms", "evidence"),
    [
        (1, 1_010, 1_060, ["e1", "e6"]),
        (2, 1_020, 1_040, ["e2", "e4"]),
        (3, 1_020, 1_040, ["e3", "e2", "e4"]),
        (4, 1_030, 1_050, ["e4", "e3", "e5"]),
        (5, 1_010, 1_060, ["e5", "e1", "e6"]),
        (6, 1_010, 1_060, ["e6", "e1"]),
        (7, 1_070, 1_100, ["e7"]),
        (8, 1_080, 1_100, ["e8"]),
    ],
)
def test_the_playback_or_visit_at_the_cursor(
    cursor: int, start_ms: int, end_ms: int, evidence: list[str]
) -> None:
    response = ask(audio_row(), cursor=cursor)
    item = items(response)[0]
    assert (item["start_ms"], item["end_ms"]) == (start_ms, end_ms)
    assert response["evidence_refs"] == evidence


@pytest.mark.parametrize("cursor", [-1, 0])
def test_before_the_first_visit(cursor: int) -> None:
    found = error(ask(audio_row(), cursor=cursor))
    assert found["code"] == "AUDIO_RANGE_UNAVAILABLE"
    assert mapping(found, "detail") == {"cursor": cursor}


@pytest.mark.parametrize(
    "records",
    [
        [trace("state_entered", state_id="menu")],
        [
            trace("state_entered", state_id="menu", clock_ms=1_010),
            trace("state_exited", state_id="menu"),
        ],
        [
            trace("state_entered", state_id="menu", clock_ms=1_010),
            trace("state_exited", state_id="menu", clock_ms=1_010),
        ],
        [
            trace("state_entered", state_id="menu", clock_ms=1_050),
            trace("state_exited", state_id="menu", clock_ms=1_020),
        ],
        [
            trace("state_entered", state_id="menu", clock_ms=1_010),
            bus("audio_started", playback_id="p1"),
        ],
    ],
)
def test_without_a_clock_or_length_there_is_no_range(records: list[tuple[str, JsonObject]]) -> None:
    found = error(ask(audio_row(), records=records, cursor=len(records) - 1))
    assert found["code"] == "AUDIO_RANGE_UNAVAILABLE"
