import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.flow.guards import (
    GUARD_DEPTH_MAX,
    All,
    Always,
    AnyOf,
    AudioEnded,
    AudioOutcome,
    CustomGuard,
    DtmfKey,
    Not,
    RetryAtLeast,
    SlotEquals,
    SlotIn,
    SlotSet,
    SlotUnset,
    ToolChoice,
    UnknownGuard,
    guard_leaves,
    leaf_slot,
    parse_guard,
)

FORMS = [
    ("always", Always()),
    ("  always ", Always()),
    ("slot_set:time", SlotSet(slot="time")),
    ("slot_unset:_route", SlotUnset(slot="_route")),
    ("slot_equals:_route:existing_request", SlotEquals(slot="_route", value="existing_request")),
    ("slot_equals:time:7:30", SlotEquals(slot="time", value="7:30")),
    ("slot_equals:name:Doe, Jane (Ms)", SlotEquals(slot="name", value="Doe, Jane (Ms)")),
    ("slot_equals:name:", SlotEquals(slot="name", value="")),
    ("slot_in:size:s,m, l", SlotIn(slot="size", values=("s", "m", "l"))),
    ("dtmf:1", DtmfKey(key="1")),
    ("dtmf:#", DtmfKey(key="#")),
    ("audio:completed", AudioEnded(outcome=AudioOutcome.COMPLETED)),
    ("audio:interrupted", AudioEnded(outcome=AudioOutcome.INTERRUPTED)),
    ("audio:failed", AudioEnded(outcome=AudioOutcome.FAILED)),
    ("retry_at_least:3", RetryAtLeast(count=3)),
    ("custom:office_open", CustomGuard(name="office_open")),
    ("custom:f(a, b)", CustomGuard(name="f(a, b)")),
    ("tool:give_up", ToolChoice(function="give_up", field=None, case=None)),
    ("tool:check:free=true", ToolChoice(function="check", field="free", case="true")),
    ("tool:check:free=a=b:c", ToolChoice(function="check", field="free", case="a=b:c")),
    ("not(always)", Not(guard=Always())),
    ("all(slot_set:a)", All(guards=(SlotSet(slot="a"),))),
    ("any( slot_set:a , dtmf:1 )", AnyOf(guards=(SlotSet(slot="a"), DtmfKey(key="1")))),
    (
        "all(slot_in:s:a,b, not(any(slot_unset:t,always)))",
        All(
            guards=(
                SlotIn(slot="s", values=("a", "b")),
                Not(guard=AnyOf(guards=(SlotUnset(slot="t"), Always()))),
            )
        ),
    ),
    (
        "any(slot_equals:n:Doe, Jane,tool:f:x=(1,2),custom:g(h))",
        AnyOf(
            guards=(
                SlotEquals(slot="n", value="Doe, Jane"),
                ToolChoice(function="f", field="x", case="(1,2)"),
                CustomGuard(name="g(h)"),
            )
        ),
    ),
    ("all(slot_in:s:a,always_late)", All(guards=(SlotIn(slot="s", values=("a", "always_late")),))),
]
UNKNOWN = [
    *("", "never", "alway", "always:", "Always", "slot_set", "slot_set:", "slot_set:a:b"),
    *("slot_set:a b", "slot_equals:a", "slot_equals::v", "slot_in:a", "dtmf:", "dtmf:12"),
    *("audio:started", "retry_at_least:", "retry_at_least:-1", "retry_at_least:1e3", "custom:"),
    *("retry_at_least:" + "9" * 5000, "tool:", "tool::a=b", "tool:f:", "tool:f:a", "tool:f:=b"),
    *("not()", "not", "not(", "all(", "all(always", "all(always))", "all(always) x", "(always)"),
    *("not(always, always)", "all(slot_set:a)(always)", "not(not(always)", "always or always"),
]


@pytest.mark.parametrize(("text", "guard"), FORMS)
def test_a_form_is_read(text, guard):
    assert parse_guard(text) == guard


@pytest.mark.parametrize("text", UNKNOWN)
def test_what_is_no_form_is_kept_as_written_with_a_reason(text):
    guard = parse_guard(text)
    leaves = list(guard_leaves(guard))
    assert any(isinstance(leaf, UnknownGuard) and leaf.fault for leaf in leaves)
    assert [leaf_slot(leaf) for leaf in leaves] == [None]


def test_an_unknown_part_leaves_its_siblings_readable():
    guard = parse_guard("all(slot_set:a, bogus(x, y), slot_equals:b:1)")
    assert [leaf_slot(leaf) for leaf in guard_leaves(guard)] == ["a", None, "b"]


def test_an_unknown_word_behind_a_comma_is_a_part_unless_a_value_stands_before_it():
    assert list(guard_leaves(parse_guard("any(dtmf:1, bogus)"))) == [
        DtmfKey(key="1"),
        UnknownGuard(text="bogus", fault="no guard has this form"),
    ]
    assert list(guard_leaves(parse_guard("any(custom:f, bogus)"))) == [CustomGuard(name="f, bogus")]


def test_nesting_is_read_up_to_the_limit():
    fits = "not(" * GUARD_DEPTH_MAX + "slot_set:a" + ")" * GUARD_DEPTH_MAX
    assert [leaf_slot(leaf) for leaf in guard_leaves(parse_guard(fits))] == ["a"]
    assert isinstance(parse_guard(f"not({fits})"), UnknownGuard)


@pytest.mark.parametrize(
    "text",
    [
        "not(" * 100_000,
        "all(" + "slot_set:a," * 50_000,
        "all(x" + "," * 100_000 + ")",
        "all(x" + ", " * 100_000 + ")",
        "all(x," + " " * 200_000 + "y)",
        "all(custom:" + "(" * 100_000,
        "any(" + "all " * 50_000,
        "all(" + " " * 200_000 + "always" + " " * 200_000,
        "all(dtmf:1,all" + " " * 100_000 + ")" * 100_000,
    ],
)
def test_long_texts_are_read_in_one_pass(text):
    assert list(guard_leaves(parse_guard(text)))


WORDS = st.sampled_from(
    [
        "all(",
        "any(",
        "not(",
        ")",
        ",",
        " ",
        ":",
        "=",
        "a",
        "slot_set:",
        "slot_in:s:",
        "always",
        "tool:",
    ]
)


@given(st.lists(WORDS, max_size=14).map("".join) | st.text(max_size=30))
def test_every_text_is_a_guard_of_some_kind(text):
    assert list(guard_leaves(parse_guard(text)))
