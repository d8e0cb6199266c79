import pytest

from engine.core.flow import diagnose

FLOW = "flow_id: f\nentry: a\nstates:\n"


def messages(text, path="f.yaml"):
    return [(item.code, item.message) for item in diagnose(text.encode(), path=path)]


def codes(text):
    return [code for code, _ in messages(text)]


def test_an_unknown_target_offers_the_nearest_states():
    text = FLOW + "  a: {transitions: [{to: mneu}, {to: menu}, {to: xx}]}\n  menu: {}\n"
    first, second = diagnose(text.encode(), path="f.yaml")
    assert (first.nearest, second.nearest) == (("menu",), ())
    assert first.message.endswith("Did you mean 'menu'?")
    assert second.message.endswith("a state that is there.")


def test_an_entry_names_its_key_in_each_format():
    (riff,) = messages("flow_id: f\nentry: b\nstates: {a: }\n")
    (pipecat,) = messages("initial_node: b\nnodes: {a: {task_messages: []}}\n")
    assert "`entry`" in riff[1]
    assert "`initial_node`" in pipecat[1]
    (empty,) = messages("flow_id: f\nentry: b\nstates: {}\n")
    assert empty[1].endswith("The flow has no states yet.")


@pytest.mark.parametrize(
    ("edges", "unreached"),
    [
        ({"a": "b", "b": "c", "c": "a"}, []),
        ({"a": "a", "b": "c", "c": "b"}, ["b", "c"]),
        ({"a": "b", "b": "b", "c": "a"}, ["c"]),
    ],
)
def test_what_no_path_leads_to(edges, unreached):
    states = (f"  {name}: {{transitions: [{{to: {to}}}]}}\n" for name, to in edges.items())
    found = messages(FLOW + "".join(states))
    assert [message.split("'")[3] for _, message in found] == unreached


def test_a_long_chain_needs_no_recursion():
    states = "".join(f"  s{n}: {{transitions: [{{to: s{n + 1}}}]}}\n" for n in range(3_000))
    text = f"flow_id: f\nentry: s0\nstates:\n{states}  s3000: \n"
    assert messages(text) == []


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ("{to: a}, {to: a}", ["FLOW_DUPLICATE_TRANSITION"]),
        ("{to: a}, {to: a, when: always}", []),
        ("{to: a, when: dtmf:1}, {to: a, when: dtmf:2}", []),
        (
            "{to: a, when: 'not( dtmf:1)'}, {to: a, when: 'not(dtmf:1 )', sets: {x: 1}}",
            ["FLOW_DUPLICATE_TRANSITION"],
        ),
        ("{to: a}, {to: a}, {to: a}", ["FLOW_DUPLICATE_TRANSITION"] * 2),
    ],
)
def test_two_edges_of_one_target_and_guard(edges, expected):
    assert codes(FLOW + f"  a: {{transitions: [{edges}]}}\n") == expected


def test_a_global_function_is_said_once():
    text = (
        "initial_node: a\nnodes: {a: {task_messages: []}, b: {task_messages: []}}\n"
        "global_functions: [{name: f, transition_to: bb}, {name: g, transition_to: b}]\n"
    )
    assert codes(text) == ["FLOW_UNKNOWN_TARGET"]


def test_a_branch_has_its_targets_checked():
    text = (
        "initial_node: a\nnodes:\n  a:\n    functions:\n"
        "      - {name: f, transition_to: {field: x, cases: {1: a, 2: bb}, default: b}}\n"
    )
    assert [(d.span.line, d.span.column) for d in diagnose(text.encode(), path="f.yaml")] == [
        (5, 62),
        (5, 76),
    ]
