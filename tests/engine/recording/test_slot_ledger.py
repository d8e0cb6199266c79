import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.contract.errors import RecordInvalid
from engine.core.contract.labels import SlotClass
from engine.recording import (
    LEGACY_WRITER,
    PHONE_SOURCES,
    SessionContext,
    legacy_initial_slots,
    locked_choice_events,
    seed_session_slots,
    slot_write_event,
    snapshot_fingerprint,
)

PLAIN = {"route": SlotClass.ROUTING, "time": SlotClass.PLAIN}


def context() -> SessionContext:
    return SessionContext("v3:example", slot_classes=PLAIN)


def test_seeding_has_the_fields_of_the_contract() -> None:
    ctx = context()
    event = seed_session_slots(ctx, [("replicant_identify", {"caller_name": "Riley"})])
    (row,) = event["slots"]
    assert event["type"] == "session_slots_seeded"
    assert event["session_id"] == "v3:example"
    assert event["fingerprint_scheme"] == "session-hmac-sha256/v1"
    assert event["snapshot_fingerprint"] == snapshot_fingerprint(ctx)
    assert row.pop("value_fingerprint").startswith("hmac-sha256:")
    assert row == {
        "slot": "caller_name",
        "safe_value": "<str len=5>",
        "availability": "redacted",
        "writer": "replicant_identify",
    }
    assert ctx.slots == {"caller_name": "Riley"}


def test_the_five_sources_of_a_phone_call_are_kept_apart_and_the_later_one_wins() -> None:
    ctx = context()
    sources = [(name, {"route": name, f"only_{name}": n}) for n, name in enumerate(PHONE_SOURCES)]
    event = seed_session_slots(ctx, sources)
    rows = {row["slot"]: row for row in event["slots"]}
    assert rows["route"]["writer"] == "flow_default"
    assert rows["route"]["safe_value"] == "flow_default"
    assert [row["writer"] for row in rows["route"]["overridden"]] == [*PHONE_SOURCES[:-1]]
    for name in PHONE_SOURCES:
        assert rows[f"only_{name}"]["writer"] == name
        assert "overridden" not in rows[f"only_{name}"]


def test_the_old_constructor_argument_has_a_writer_of_its_own() -> None:
    event = seed_session_slots(context(), legacy_initial_slots({"time": "18:00"}))
    assert event["slots"][0]["writer"] == LEGACY_WRITER == "legacy_initial_slots"


def test_a_write_has_old_and_new_with_fingerprints_under_one_key() -> None:
    ctx = context()
    seed = seed_session_slots(ctx, [("caller_identity", {"caller_name": "Riley"})])
    event = slot_write_event(
        ctx, slot="caller_name", old="Riley", new="Robin", kind="set", writer="resolver"
    )
    assert event is not None
    assert event["old_fingerprint"] == seed["slots"][0]["value_fingerprint"]
    assert event["new_fingerprint"] != event["old_fingerprint"]
    assert (event["old"], event["new"]) == ("<str len=5>", "<str len=5>")
    assert event["availability"] == "redacted"
    assert (event["kind"], event["writer"]) == ("set", "resolver")
    assert ctx.slots["caller_name"] == "Robin"


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ({"street": "x", "flat": "4B"}, "<dict keys=2>"),
        (["a", "b", "c"], "<list len=3>"),
        ({}, "<dict keys=0>"),
        ("text", "<str len=4>"),
        (123456, "<int>"),
        (1.5, "<float>"),
        (True, "<bool>"),
    ],
)
def test_a_personal_value_is_a_safe_form_and_never_skipped(value, form) -> None:
    event = slot_write_event(context(), slot="s", old=None, new=value, kind="set", writer="w")
    assert event is not None
    assert event["new"] == form


@pytest.mark.parametrize("value", [{"a": 1}, ["a"], "text", 12345])
def test_a_value_that_is_not_found_by_trying_has_a_fingerprint(value) -> None:
    event = slot_write_event(context(), slot="s", old=None, new=value, kind="set", writer="w")
    assert event is not None
    assert str(event["new_fingerprint"]).startswith("hmac-sha256:")


def test_visible_values_stand_as_they_are() -> None:
    event = slot_write_event(
        context(), slot="time", old=None, new={"h": 18}, kind="set", writer="w"
    )
    assert event is not None
    assert (event["new"], event["availability"]) == ({"h": 18}, "recorded")


def test_a_write_of_the_same_value_is_a_write() -> None:
    ctx = context()
    seed_session_slots(ctx, [("transport", {"time": "18:00"})])
    event = slot_write_event(
        ctx, slot="time", old="18:00", new="18:00", kind="set", writer="resolver"
    )
    assert event is not None


def test_nothing_to_clear_is_no_write() -> None:
    ctx = context()
    assert slot_write_event(ctx, slot="x", old=None, new=None, kind="clear", writer="w") is None
    assert dict(ctx.slots) == {}


def test_a_change_behind_the_ledger_is_refused_and_changes_nothing() -> None:
    ctx = context()
    seed_session_slots(ctx, [("transport", {"time": "18:00"})])
    with pytest.raises(RecordInvalid) as refused:
        slot_write_event(ctx, slot="time", old="17:00", new="19:00", kind="set", writer="w")
    assert refused.value.detail == {"slot": "time", "kind": "OLD_DIFFERS"}
    assert ctx.slots["time"] == "18:00"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800", {1: 2}, {"a": {1}}, b"x"])
def test_what_json_does_not_have_is_refused_and_changes_nothing(value) -> None:
    ctx = context()
    with pytest.raises(RecordInvalid):
        slot_write_event(ctx, slot="s", old=None, new=value, kind="set", writer="w")
    with pytest.raises(RecordInvalid):
        seed_session_slots(ctx, [("w", {"good": 1, "bad": value})])
    assert dict(ctx.slots) == {}


def test_a_locked_choice_writes_key_by_key() -> None:
    ctx = context()
    chosen = {"route": "repairs", "detail": {"flat": "4B"}, "unset": None}
    events = locked_choice_events(ctx, chosen, writer="locked_choice")
    assert [(event["slot"], event["kind"]) for event in events] == [
        ("route", "locked_choice"),
        ("detail", "locked_choice"),
    ]
    assert [event["new"] for event in events] == ["repairs", "<dict keys=1>"]
    assert ctx.slots == {"route": "repairs", "detail": {"flat": "4B"}}


def test_a_value_that_was_handed_over_is_the_ledgers_own() -> None:
    ctx, mine = context(), {"flat": ["4B"]}
    slot_write_event(ctx, slot="s", old=None, new=mine, kind="set", writer="w")
    mine["flat"].append("5C")
    shown = ctx.slots["s"]
    assert shown == {"flat": ["4B"]}
    shown["flat"].clear()
    assert ctx.slots["s"] == {"flat": ["4B"]}


def test_the_snapshot_is_the_hash_of_the_sorted_fingerprints() -> None:
    ctx = context()
    seed = seed_session_slots(ctx, [("w", {"b": "long value", "a": None, "c": True})])
    prints = {row["slot"]: row["value_fingerprint"] for row in seed["slots"]}
    assert prints["c"] is None
    spelt = json.dumps(prints, sort_keys=True, separators=(",", ":")).encode()
    assert snapshot_fingerprint(ctx) == "sha256:" + hashlib.sha256(spelt).hexdigest()


SLOTS = st.sampled_from(["route", "time", "caller_name", "other"])
VALUES = st.one_of(
    st.none(), st.text(max_size=8), st.integers(), st.booleans(), st.lists(st.text(max_size=3))
)


@given(st.lists(st.tuples(SLOTS, VALUES), max_size=12))
def test_the_ledger_folds_to_the_last_value_of_each_slot(writes) -> None:
    ctx, model = context(), {}
    for slot, value in writes:
        old = ctx.slots.get(slot)
        event = slot_write_event(ctx, slot=slot, old=old, new=value, kind="set", writer="w")
        assert (event is None) == (old is None and value is None)
        if event is not None:
            model[slot] = value
    assert dict(ctx.slots) == model
    again = context()
    assert again.key is not ctx.key


@given(st.dictionaries(SLOTS, st.text(min_size=3, max_size=20).filter(lambda t: not t.isdecimal())))
def test_equal_values_are_equal_in_one_session_and_unequal_in_another(values) -> None:
    one, other = context(), context()
    first = seed_session_slots(one, [("w", values)])
    again = seed_session_slots(one, [("w", values)])
    second = seed_session_slots(other, [("w", values)])
    for a, b, c in zip(first["slots"], again["slots"], second["slots"], strict=True):
        assert a["value_fingerprint"] == b["value_fingerprint"] != c["value_fingerprint"]
