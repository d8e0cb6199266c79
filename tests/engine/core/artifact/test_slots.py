"""Slots: safe forms, classes, redaction, the slot table."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.records import (
    ANY_VALUES,
    FLOW,
    SLOTS,
    build,
    build_in_order,
    file_of,
    manifest_of,
    noise,
    problem_codes,
    record,
    record_of,
    rows_of,
    seed,
    seeded,
    write,
)

from engine.core.artifact import SlotClasses, safe_form
from engine.core.artifact.slots import redact, written_slots
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.contract.labels import SlotClass

NOTHING_DECLARED = SlotClasses(declared={}, by_manifest={})


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (None, None),
        (True, "<bool>"),
        (False, "<bool>"),
        (0, "<int>"),
        (-(2**70), "<int>"),
        (0.5, "<float>"),
        (1e300, "<float>"),
        ("", "<str len=0>"),
        ("Alex!", "<str len=5>"),
        ("\u00e9\U0001f600", "<str len=2>"),
        ([], "<list len=0>"),
        ([1, [2, 3]], "<list len=2>"),
        ({}, "<dict keys=0>"),
        ({"a": 1, "b": {"c": 2}, "d": 3}, "<dict keys=3>"),
    ],
)
def test_safe_form(value: JsonValue, form: JsonValue) -> None:
    assert safe_form(value) == form


SAFE = [
    "<bool>",
    "<int>",
    "<float>",
    "<str len=0>",
    "<str len=12>",
    "<list len=3>",
    "<dict keys=3>",
]


@pytest.mark.parametrize("form", SAFE)
def test_a_safe_form_is_its_own(form: str) -> None:
    assert safe_form(form) == form


@pytest.mark.parametrize(
    "text",
    [
        "<str>",
        "<str len=>",
        "<str len=-1>",
        "<str len=5> ",
        " <int>",
        "<int>\n",
        "<str len=5>\n",
        "<Int>",
        "<bool>x",
        "<str len=5><int>",
        "<dict len=3>",
        "<list keys=3>",
        "<str len=\u0663>",
        "<str len=\uff15>",
        "<null>",
        "<number>",
    ],
)
def test_what_only_looks_like_a_safe_form_is_raw(text: str) -> None:
    assert safe_form(text) == f"<str len={len(text)}>"


@given(ANY_VALUES)
def test_a_safe_form_needs_no_second_look(value: JsonValue) -> None:
    assert safe_form(safe_form(value)) == safe_form(value)


# -- classes ---------------------------------------------------------------------------------------


def test_the_class_is_the_flows_else_the_manifests_else_personal() -> None:
    slot_classes: JsonValue = {
        "route": "personal",
        "note": "routing",
        "name": "plain",
        "nick": "routing",
        "other": "plain",
    }
    classes = SlotClasses.of(FLOW, manifest_of(slot_classes=slot_classes))
    assert classes.of_slot("route") is SlotClass.ROUTING
    assert classes.of_slot("note") is SlotClass.PLAIN
    assert classes.of_slot("name") is SlotClass.PERSONAL
    assert classes.of_slot("nick") is SlotClass.ROUTING, "the flow names no class for it"
    assert classes.of_slot("other") is SlotClass.PLAIN
    assert classes.of_slot("unheard_of") is SlotClass.PERSONAL
    assert classes.of_slot(None) is SlotClass.PERSONAL


def test_without_a_manifests_word_a_slot_is_personal() -> None:
    classes = SlotClasses.of(FLOW, manifest_of())
    assert classes.of_slot("nick") is SlotClass.PERSONAL
    assert classes.of_slot("other") is SlotClass.PERSONAL


def test_the_table_says_which_class_holds() -> None:
    artifact = build(manifest=manifest_of(slot_classes={"nick": "plain", "name": "plain"}))
    classes = {row["slot"]: row["class"] for row in rows_of(artifact, "slots")}
    assert classes == {"route": "routing", "note": "plain", "name": "personal", "nick": "plain"}


# -- raw values in personal slots ------------------------------------------------------------------


def test_a_raw_write_becomes_its_safe_form() -> None:
    artifact = build_in_order([write("name", "Alex", old=["a", "b"])])
    shown = record_of(artifact, 0)
    assert (shown["old"], shown["new"]) == ("<list len=2>", "<str len=4>")
    (problem,) = rows_of(artifact, "problems")
    assert problem == {
        "code": "RAW_PERSONAL_VALUE",
        "stream": "bus",
        "line": 1,
        "event_id": "bus:1",
        "detail": {"slot": "name"},
    }


@pytest.mark.parametrize(
    ("value", "form"),
    [(2**60, "<int>"), (-(2**53), "<int>"), (1e300, "<float>"), (0.5, "<float>"), (7, "<int>")],
)
def test_the_safe_form_is_of_the_value_that_was_written(value: JsonValue, form: str) -> None:
    artifact = build_in_order([write("name", value)])
    assert record_of(artifact, 0)["new"] == form
    assert problem_codes(artifact) == ["RAW_PERSONAL_VALUE"]


def test_a_safe_write_is_left_alone() -> None:
    artifact = build_in_order([write("name", "<str len=4>", old=None), write("name", None)])
    assert problem_codes(artifact) == []
    assert record_of(artifact, 0)["new"] == "<str len=4>"
    assert record_of(artifact, 1)["new"] is None


@pytest.mark.parametrize("slot", ["route", "note"])
def test_routing_and_plain_values_are_visible(slot: str) -> None:
    artifact = build_in_order([write(slot, "x", old={"a": 1}), seeded(seed(slot, [1]))])
    assert record_of(artifact, 0)["new"] == "x"
    assert record_of(artifact, 0)["old"] == {"a": 1}
    assert record_of(artifact, 1)["slots"] == [seed(slot, [1])]
    assert problem_codes(artifact) == []


def test_a_raw_seed_becomes_its_safe_form_row_by_row() -> None:
    rows = [seed("name", "Alex"), seed("note", "Alex"), seed("nick", "<int>"), seed("other", 5)]
    artifact = build_in_order([seeded(*rows)])
    assert record_of(artifact, 0)["slots"] == [
        seed("name", "<str len=4>"),
        seed("note", "Alex"),
        seed("nick", "<int>"),
        seed("other", "<int>"),
    ]
    details = [row["detail"] for row in rows_of(artifact, "problems")]
    assert details == [{"slot": "name"}, {"slot": "other"}]


def test_a_slot_filled_shows_no_raw_value_either() -> None:
    artifact = build_in_order([record("slot_filled", slot="name", value="Alex")])
    assert record_of(artifact, 0)["value"] == "<str len=4>"


def test_other_records_are_not_touched() -> None:
    raw: JsonObject = {"type": "network_jitter", "slot": "name", "new": "Alex"}
    shown, slots = redact(raw, NOTHING_DECLARED)
    assert shown is raw
    assert slots == []


@pytest.mark.parametrize(
    "raw",
    [
        write("name", "SECRET"),
        write("name", None, old={"deep": ["SECRET"]}),
        {"type": "slot_write", "new": "SECRET"},
        {"type": "slot_write", "slot": 5, "new": "SECRET"},
        {"type": "slot_write", "slot": "name", "new": "x", "value": "SECRET"},
        seeded(seed("name", "SECRET")),
        seeded({"safe_value": "SECRET"}),
        seeded({"slot": "name", "value": "SECRET"}),
        {"type": "session_slots_seeded", "slots": {"name": "SECRET"}},
        {"type": "session_slots_seeded", "slots": "SECRET"},
        {"type": "session_slots_seeded", "slots": ["SECRET", ["SECRET"]]},
        record("slot_filled", slot="name", value="SECRET"),
        write("name", "SECRET", availability="no such word"),
    ],
    ids=str,
)
def test_even_a_broken_record_leaks_nothing(raw: JsonObject) -> None:
    artifact = build_in_order([raw])
    assert b"SECRET" not in file_of(artifact)
    assert "RAW_PERSONAL_VALUE" in problem_codes(artifact)


PLANTED = "Zq7planted"


def planted() -> st.SearchStrategy[JsonValue]:
    """Values that hold the planted text somewhere."""
    return st.sampled_from(
        [
            PLANTED,
            f"<str len=5>{PLANTED}",
            [PLANTED],
            {"a": {"b": [PLANTED, 1]}},
            {PLANTED: None},
            [[[PLANTED]]],
        ]
    )


PERSONAL = st.sampled_from(["name", "nick", "other", ""])


@given(
    st.lists(
        st.builds(write, PERSONAL, planted() | ANY_VALUES, old=planted() | ANY_VALUES)
        | st.builds(seeded, st.builds(seed, PERSONAL, planted()))
        | st.builds(
            seeded, st.builds(seed, PERSONAL, planted()), st.builds(seed, PERSONAL, planted())
        ),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from(["session", "per_stream"]),
)
def test_no_raw_value_of_a_personal_slot_is_in_the_artifacts_bytes(
    records: list[JsonObject], kind: str
) -> None:
    manifest = manifest_of(sequence=kind, slot_classes={"name": "plain"})
    artifact = build(bus=records, manifest=manifest)
    assert PLANTED.encode() not in file_of(artifact)


@given(ANY_VALUES, ANY_VALUES)
@example("<int>", None)
def test_raw_personal_value_is_reported_exactly_where_something_was_replaced(
    old: JsonValue, new: JsonValue
) -> None:
    artifact = build_in_order([write("name", new, old=old)])
    raw = any(value != safe_form(value) for value in (old, new))
    assert ("RAW_PERSONAL_VALUE" in problem_codes(artifact)) is raw


# -- the slot table --------------------------------------------------------------------------------


def test_declared_slots_in_flow_order_then_the_others_by_first_seeding_or_write() -> None:
    artifact = build_in_order(
        [
            write("zz", "<int>"),
            seeded(seed("nick", None), seed("yy", None), seed("zz", None)),
            write("name", "<int>"),
            write("name", "<int>", old="<int>"),
            seeded(seed("yy", None)),
            write("xx", None),
        ]
    )

    def row(slot: str, class_: str, declared: bool, seed_id: str | None, count: int) -> JsonObject:
        return {
            "slot": slot,
            "class": class_,
            "declared": declared,
            "seed_event_id": seed_id,
            "write_count": count,
        }

    assert rows_of(artifact, "slots") == [
        row("route", "routing", True, None, 0),
        row("note", "plain", True, None, 0),
        row("name", "personal", True, None, 2),
        row("nick", "personal", True, "bus:2", 1),
        row("zz", "personal", False, "bus:2", 2),
        row("yy", "personal", False, "bus:2", 2),
        row("xx", "personal", False, None, 1),
    ]


def test_a_broken_write_and_a_slot_filled_write_nothing() -> None:
    artifact = build_in_order(
        [record("slot_write", new=None), record("slot_filled", slot="name"), noise(slot="name")]
    )
    assert [row["write_count"] for row in rows_of(artifact, "slots")] == [0, 0, 0, 0]


def test_a_write_in_any_stream_counts_from_its_place_in_the_call() -> None:
    artifact = build(
        trace=[{**write("two", None), "seq": 2}],
        bus=[{**write("three", None), "seq": 3}],
        transcript=[{**write("one", None), "seq": 1}],
    )
    assert [r["slot"] for r in rows_of(artifact, "slots")][4:] == ["one", "two", "three"]


def test_written_slots() -> None:
    assert written_slots(write("a", 1)) == ["a"]
    assert written_slots(seeded(seed("a", 1), seed("b", 1), seed("a", 2))) == ["a", "b"]
    assert written_slots({"type": "slot_write"}) == []


@given(st.lists(st.sampled_from(SLOTS), max_size=12))
def test_write_counts(slots: list[str]) -> None:
    artifact = build_in_order([write(slot, None) for slot in slots])
    counts = {str(r["slot"]): r["write_count"] for r in rows_of(artifact, "slots")}
    assert {k: v for k, v in counts.items() if v} == {s: slots.count(s) for s in set(slots)}
