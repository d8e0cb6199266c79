import json

import pytest

from engine.core.contract.errors import FlowInvalid
from engine.core.flow import FlowFormat, flow_metadata, parse_flow
from engine.core.flow.pipecat_flow import case_text
from engine.core.flow.tree import ScalarNode

FLOW = """\
initial_node: hello
nodes:
  hello:
    role_message: "You are {{ persona }}."
    task_messages:
      - role: developer
        content: "😀 Ask {{ caller.name }} how many, \\\\{{ not_me }}."
      - {role: developer, content: "Then {{ size }} again."}
    pre_actions:
      - {type: tts_say, text: "Hi {{ caller.name }}"}
      - {type: note, text: "{{ unsaid }}"}
      - type: function
    functions:
      - name: choose
        transition_to:
          field: kind
          cases: {true: yes_node, False: hello, 3: hello, 1.5: hello, "text": gone}
          default: hello
      - name: stay
      - {name: nothing, transition_to: ~}
      - name: leave
        transition_only: true
        description: The caller is done.
        transition_to: yes_node
  yes_node:
    task_messages: []
    post_actions:
      - type: end_conversation
global_functions:
  - {name: help, transition_to: hello, description: The caller needs help.}
  - name: hours
"""


BRANCH = "initial_node: a\nglobal_functions: [{name: f, transition_to: {field: x, cases: "


@pytest.fixture(scope="module")
def metadata():
    document = parse_flow(FLOW.encode(), path="flows/table_booking.yaml")
    assert document.format is FlowFormat.PIPECAT
    return flow_metadata(document, path="flow/table_booking.yaml", source_path=None)


def test_the_top_level(metadata):
    assert (metadata["flow_id"], metadata["entry"]) == ("table_booking", "hello")
    assert list(metadata["states"]) == ["hello", "yes_node"]
    assert metadata["slots"] == {}


def test_edges_are_numbered_over_the_nodes_functions_then_the_global_ones(metadata):
    edges = metadata["states"]["hello"]["edges"]
    assert [(edge["edge_id"], edge["to"], edge["when"], edge["reason"]) for edge in edges] == [
        ("hello:0", "yes_node", "tool:choose:kind=true", None),
        ("hello:1", "hello", "tool:choose:kind=false", None),
        ("hello:2", "hello", "tool:choose:kind=3", None),
        ("hello:3", "hello", "tool:choose:kind=1.5", None),
        ("hello:4", "gone", "tool:choose:kind=text", None),
        ("hello:5", "hello", "tool:choose:kind=default", None),
        ("hello:6", "yes_node", "tool:leave", "The caller is done."),
        ("hello:7", "hello", "tool:help", "The caller needs help."),
    ]
    assert [edge["edge_id"] for edge in metadata["states"]["yes_node"]["edges"]] == ["yes_node:0"]
    assert all(edge["sets"] == edge["clears"] == [] for edge in edges)


def test_the_prompt_is_the_messages_joined(metadata):
    assert metadata["states"]["hello"]["prompt"] == (
        "😀 Ask {{ caller.name }} how many, \\{{ not_me }}.\nThen {{ size }} again."
    )
    assert metadata["states"]["yes_node"]["prompt"] is None


def test_placeholders_name_slots_in_their_documented_order(metadata):
    rows = metadata["states"]["hello"]["static_slot_references"]
    assert [(row["slot"], row["detail"]) for row in rows] == [
        ("persona", "role_message"),
        ("caller", "task_messages"),
        ("size", "task_messages"),
        ("caller", "tts_say"),
    ]
    assert {row["source"] for row in rows} == {"prompt_interpolation"}


def test_every_part_has_its_span(metadata, cover):
    hello = metadata["states"]["hello"]
    assert cover(FLOW, hello["spans"]["key"]) == "hello"
    assert cover(FLOW, hello["span"]).endswith("transition_to: yes_node")
    prompt = cover(FLOW, hello["spans"]["prompt"])
    assert prompt.startswith('"😀 Ask')
    assert prompt.endswith('"Then {{ size }} again."')
    edges = hello["edges"]
    assert [cover(FLOW, edge["spans"]["edge"]).split("\n")[0] for edge in edges] == [
        "true: yes_node",
        "False: hello",
        "3: hello",
        "1.5: hello",
        '"text": gone',
        "default: hello",
        "name: leave",
        "{name: help, transition_to: hello, description: The caller needs help.}",
    ]
    assert [cover(FLOW, edge["spans"]["when"]) for edge in edges] == [
        *("true", "False", "3", "1.5", '"text"', "default", "leave", "help")
    ]


def test_the_json_spelling_gives_an_equal_document(metadata, placeless):
    from engine.core.flow.faults import FaultLog
    from engine.core.flow.source_text import SourceText
    from engine.core.flow.tree import json_value
    from engine.core.flow.yaml_tree import read_yaml

    value = json_value(read_yaml(SourceText.of(FLOW, path="f.yaml"), FaultLog()))
    cases = value["nodes"]["hello"]["functions"][0]["transition_to"]["cases"]
    cases["false"] = "hello"
    order = ["true", "false", "3", "1.5", "text"]
    value["nodes"]["hello"]["functions"][0]["transition_to"]["cases"] = {k: cases[k] for k in order}
    document = parse_flow(json.dumps(value, indent=2).encode(), path="table_booking.json")
    found = flow_metadata(document, path="flow/table_booking.yaml", source_path=None)
    assert placeless(found) == placeless(metadata)


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "true"), (False, "false"), (None, "null"), (31, "31"), (0.5, "0.5"), ("True", "True")],
)
def test_a_case_matches_by_the_text_of_its_value(value, text):
    assert case_text(ScalarNode(value, "as written", 0, 0)) == text


@pytest.mark.parametrize(
    ("flow", "expected"),
    [
        ("initial_node: a\n", ("MISSING_KEY", 1, 1)),
        ("nodes: {}\n", ("MISSING_KEY", 1, 1)),
        ("initial_node: a\nnodes: [a]\n", ("WRONG_TYPE", 2, 8)),
        ("initial_node: a\nnodes: {a: {functions: {}}}\n", ("WRONG_TYPE", 2, 24)),
        (
            "initial_node: a\nnodes: {a: {functions: [{transition_to: a}]}}\n",
            ("MISSING_KEY", 2, 25),
        ),
        (
            "initial_node: a\nnodes: {a: {functions: [{name: f, transition_to: [a]}]}}\n",
            ("WRONG_TYPE", 2, 50),
        ),
        (
            "initial_node: a\nnodes: {a: {functions: [{name: f, transition_to: {cases: {}}}]}}\n",
            ("MISSING_KEY", 2, 50),
        ),
        (BRANCH + "{true: a, 'true': b}}}]\nnodes: {}\n", ("DUPLICATE_KEY", 2, 73)),
        (BRANCH + "{true: a, True: b}}}]\nnodes: {}\n", ("DUPLICATE_KEY", 2, 73)),
        (BRANCH + "[a]}}]\nnodes: {}\n", ("WRONG_TYPE", 2, 63)),
        ("initial_node: a\nnodes: {a: {role_message: [x]}}\n", ("WRONG_TYPE", 2, 27)),
        ("initial_node: a\nnodes: {a: {task_messages: [x]}}\n", ("WRONG_TYPE", 2, 29)),
    ],
)
def test_what_the_structure_needs_is_refused_at_its_place(flow, expected):
    with pytest.raises(FlowInvalid) as caught:
        parse_flow(flow.encode(), path="f.yaml")
    detail = caught.value.detail
    assert (detail["kind"], detail["line"], detail["column"]) == expected


def test_a_small_file_cannot_ask_for_a_great_many_edges():
    nodes = ", ".join(f"n{number}: " for number in range(1_001))
    functions = ", ".join(f"{{name: f{number}, transition_to: n1}}" for number in range(100))
    flow = f"initial_node: n1\nnodes: {{{nodes}}}\nglobal_functions: [{functions}]\n"
    with pytest.raises(FlowInvalid) as caught:
        parse_flow(flow.encode(), path="f.yaml")
    assert (caught.value.detail["kind"], caught.value.detail["line"]) == ("TOO_LARGE", 3)


def test_the_recorded_sample(shared, cover):
    source = (shared / "samples" / "pipecat" / "flow.yaml").read_bytes()
    text = source.decode()
    metadata = flow_metadata(parse_flow(source, path="flow.yaml"), path="f", source_path=None)
    assert (metadata["flow_id"], metadata["entry"]) == ("flow", "greet")
    edges = {
        edge["edge_id"]: (edge["to"], edge["when"])
        for state in metadata["states"].values()
        for edge in state["edges"]
    }
    assert edges == {
        "greet:0": ("get_time", "tool:record_party_size:status=ok"),
        "greet:1": ("offer_callback", "tool:record_party_size:status=too_large"),
        "greet:2": ("greet", "tool:record_party_size:status=default"),
        "get_time:0": ("confirm", "tool:check_availability:available=true"),
        "get_time:1": ("no_table", "tool:check_availability:available=false"),
        "no_table:0": ("confirm", "tool:check_availability:available=true"),
        "no_table:1": ("no_table", "tool:check_availability:available=false"),
        "no_table:2": ("end", "tool:give_up"),
        "offer_callback:0": ("end", "tool:give_up"),
        "confirm:0": ("end", "tool:complete_booking"),
        "confirm:1": ("get_time", "tool:change_time"),
    }
    lines = text.splitlines()
    for state_id, state in metadata["states"].items():
        assert lines[state["span"]["line"] - 1] == f"  {state_id}:"
    rows = metadata["states"]["confirm"]["static_slot_references"]
    assert [row["slot"] for row in rows] == ["party_size", "time"]
