import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.contract.labels import SlotClass
from engine.recording import SessionContext, safe_arguments, safe_arguments_fingerprint
from engine.recording.safe_values import content_fingerprint, redact_strings, redact_text

CLASSES = {"time": SlotClass.PLAIN, "route": SlotClass.ROUTING}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


def context() -> SessionContext:
    return SessionContext("v3:x", slot_classes=CLASSES)


def test_only_members_named_like_a_visible_slot_are_shown() -> None:
    given_arguments = {
        "time": {"h": 18},
        "route": "repairs",
        "name": "Alex",
        "more": {"time": "18:00"},
        "many": ["a", "b"],
        "none": None,
        "count": 4,
    }
    assert safe_arguments(context(), given_arguments) == {
        "time": {"h": 18},
        "route": "repairs",
        "name": "<str len=4>",
        "more": "<dict keys=1>",
        "many": "<list len=2>",
        "none": None,
        "count": "<int>",
    }
    assert safe_arguments(context(), ["Alex"]) == "<list len=1>"
    assert safe_arguments(context(), "Alex") == "<str len=4>"
    assert safe_arguments(context(), None) is None


@given(VALUES)
def test_what_is_safe_stays_as_it_is(value) -> None:
    safe = safe_arguments(context(), value)
    assert safe_arguments(context(), safe) == safe


@pytest.mark.parametrize(
    ("arguments", "has_one"),
    [
        ({"name": "Alex Doe"}, True),
        ({"name": "Alex Doe", "pin": 4821}, True),
        ({"list": ["a"]}, True),
        ("a whole text", True),
        ({"pin": 4821}, False),
        ({"pin": "4821", "sure": True, "state": "NY"}, False),
        ({"time": "18:00", "route": "a long visible value"}, False),
        ({"name": None}, False),
        ({}, False),
        (None, False),
    ],
)
def test_which_arguments_have_a_fingerprint(arguments, has_one) -> None:
    found = safe_arguments_fingerprint(context(), "book", arguments)
    assert (found is not None) == has_one


def test_equal_arguments_have_equal_fingerprints_in_one_call_of_one_tool() -> None:
    ctx = context()
    one = safe_arguments_fingerprint(ctx, "book", {"a": "Alex Doe", "b": 1})
    assert one == safe_arguments_fingerprint(ctx, "book", {"b": 1, "a": "Alex Doe"})
    assert one != safe_arguments_fingerprint(ctx, "look", {"a": "Alex Doe", "b": 1})
    assert one != safe_arguments_fingerprint(ctx, "book", {"a": "Alex Doe", "b": "1"})
    assert one != safe_arguments_fingerprint(context(), "book", {"a": "Alex Doe", "b": 1})


def test_content_has_its_kind_by_its_type() -> None:
    ctx = context()
    said = content_fingerprint(ctx, "hello")
    assert said == content_fingerprint(ctx, b"hello", kind="text")
    assert said != content_fingerprint(ctx, b"hello")


def test_the_redactor_sees_every_text_and_no_name_of_a_member() -> None:
    value = {"Alex": ["Alex", {"x": "Alex"}, 1, None]}
    found = redact_strings(value, lambda said: said.lower())
    assert found == {"Alex": ["alex", {"x": "alex"}, 1, None]}


def test_a_safe_form_is_no_free_text_and_a_failing_redactor_passes_nothing() -> None:
    def fails(said: str) -> str:
        raise RuntimeError(said)

    assert redact_text("<str len=4>", fails) == "<str len=4>"
    assert redact_text("Alex", fails) == "<str len=4>"
