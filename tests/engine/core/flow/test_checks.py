import pytest

from engine.core.flow import diagnose
from engine.core.flow.guards import GUARD_FORMS, UnknownGuard, guard_leaves, parse_guard


def found(guard):
    text = f"flow_id: f\nentry: a\nstates:\n  a: {{transitions: [{{to: a, when: '{guard}'}}]}}\n"
    return diagnose(text.encode(), path="f.yaml")


@pytest.mark.parametrize(
    ("guard", "parts"),
    [
        ("slot_is_set:x", ["slot_is_set:x"]),
        ("all(bogus, slot_set:x, dtmf:77)", ["bogus", "dtmf:77"]),
        ("not(retry_at_least:many)", ["retry_at_least:many"]),
        ("all(always", ["all(always"]),
        ("", [""]),
        ("custom:anything at all", []),
    ],
)
def test_each_part_that_is_no_guard_is_said(guard, parts):
    items = found(guard)
    assert [item.code for item in items] == ["FLOW_UNKNOWN_GUARD"] * len(parts)
    for item, part in zip(items, parts, strict=True):
        assert item.message.startswith(f"{part!r} is no guard: ")
        if part:
            assert item.span.column == 36 + guard.index(part)


def test_the_nearest_form_is_offered():
    (item,) = found("slot_equal:day:x")
    assert item.nearest[0] == "slot_equals"
    assert found("dtmf:77")[0].nearest == ()


def test_the_forms_that_are_listed_are_read():
    for form in GUARD_FORMS:
        text = form.replace("<guard>", "always").replace("<count>", "3").replace("<key>", "1")
        text = text.split("|")[0].replace("<", "").replace(">", "")
        assert not any(isinstance(leaf, UnknownGuard) for leaf in guard_leaves(parse_guard(text)))


def test_a_pipecat_choice_is_always_a_guard():
    text = "initial_node: a\nnodes: {a: {functions: [{name: 'x:y=', transition_to: a}]}}\n"
    assert diagnose(text.encode(), path="f.yaml") == ()
