"""Prompts: a filled template is read back only where there is one way to read it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.flow import parse_flow
from engine.importers.pipecat_whisk.prompts import Template, nodes_of, slots_of, templates


def template(*literals: str) -> Template:
    slots = tuple(f"s{number}" for number in range(len(literals) - 1))
    return Template(state_id="here", literals=literals, slots=slots)


@pytest.mark.parametrize(
    ("literals", "said", "values"),
    [
        (("Hello.",), "Hello.", {}),
        (("For ", " at ", "."), "For 4 at 18:00.", {"s0": "4", "s1": "18:00"}),
        (("", " people"), "4 people", {"s0": "4"}),
        (("For ", " at ", "."), "For 4 at six at night.", {}),  # two readings: no value
        (("", "", ""), "ab", {"s0": "a", "s1": "b"}),
        (("", "", ""), "abc", {}),
    ],
)
def test_what_is_read(literals: tuple[str, ...], said: str, values: dict[str, str]) -> None:
    match = template(*literals).matches(said)
    assert match is not None
    assert match.values == values


@pytest.mark.parametrize(
    ("literals", "said"),
    [
        (("Hello.",), "Hello!"),
        (("For ", "."), "For ."),
        (("For ", " at ", "."), "For 4."),
        (("a", "a"), "a"),
        (("", ""), ""),
    ],
)
def test_what_does_not_fit(literals: tuple[str, ...], said: str) -> None:
    assert template(*literals).matches(said) is None


def test_one_slot_twice_has_one_value() -> None:
    twice = Template(state_id="here", literals=("", " or ", "?"), slots=("time", "time"))
    assert twice.matches("six or six?") is not None
    assert twice.matches("six or seven?") is None


literal = st.text(alphabet="ab ", max_size=3)
value = st.text(alphabet="abx ", min_size=1, max_size=4)


@given(st.lists(st.tuples(literal, value), max_size=4), literal)
def test_a_filled_template_fits_and_no_value_is_wrong(
    pieces: list[tuple[str, str]], end: str
) -> None:
    """Law: what was filled in always fits; a value that is told is the one filled in."""
    item = template(*(before for before, _ in pieces), end)
    said = "".join(before + inside for before, inside in pieces) + end
    match = item.matches(said)
    assert match is not None
    told = {f"s{number}": inside for number, (_, inside) in enumerate(pieces)}
    assert match.values.items() <= told.items()


FLOW = b"""
initial_node: a
nodes:
  a: {task_messages: [{role: developer, content: "Ask {{ order.time }}."}]}
  b: {task_messages: [{role: developer, content: one}, {role: developer, content: two}]}
  c: {task_messages: [{role: developer, content: two}]}
  d: {}
"""


def test_prompts_of_a_flow() -> None:
    flow = parse_flow(FLOW, path="flow.yaml")
    prompts = templates(flow)
    assert [item.state_id for item in prompts] == ["a", "b", "c"]
    assert "order" in slots_of(flow)
    assert [item.state_id for item in nodes_of(["role", "one", "two"], prompts)] == ["b"]
    assert [item.state_id for item in nodes_of(["two"], prompts)] == ["c"]
    found = nodes_of(["Ask six."], prompts)
    assert [(item.state_id, item.values) for item in found] == [("a", {})]
    assert nodes_of([], prompts) == []
