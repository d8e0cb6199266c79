import json

import pytest

from engine.core.flow import FlowFormat, diagnose, flow_metadata, parse_flow

IN_PLACE = """\
initial_node: hello
nodes:
  hello:
    role_message: You take orders.
    task_messages:
      - {role: developer, content: "Ask {{ how }} many 😀."}
      - {role: developer, content: Then wait.}
    functions:
      - name: count
        description: The caller says how many.
        properties: {number: {type: integer}}
        required: [number]
        handler: count
        transition_to: done
      - {name: ask_again, handler: ask_again}
      - {name: nothing, transition_to: ~}
  done:
    role_messages: [{role: system, content: Say goodbye.}]
global_functions:
  - {name: help, description: Help., transition_to: hello}
"""

WRAPPED = """\
{"initial_node": "start",
 "nodes": {
  "end": {"messages": [{"role": "system", "content": "Bye 😀"}], "functions": []},
  "start": {
   "messages": [{"role": "system", "content": "One."}, {"role": "system", "content": "Two."}],
   "functions": [
    {"type": "function", "function": {"name": "look_up", "handler": "look_up", "parameters": {}}},
    {"type": "function", "function": {"name": "finish", "description": "All done.",
      "parameters": {"type": "object", "properties": {}}, "transition_to": "end"}}
   ]}}}
"""


def metadata_of(text, path):
    document = parse_flow(text.encode(), path=path)
    assert document.format is FlowFormat.PIPECAT_STATIC
    return flow_metadata(document, path=path, source_path=None)


def edges_of(metadata):
    return {
        edge["edge_id"]: (edge["to"], edge["when"], edge["reason"])
        for state in metadata["states"].values()
        for edge in state["edges"]
    }


def test_functions_described_in_place(cover):
    metadata = metadata_of(IN_PLACE, "orders.yaml")
    assert (metadata["flow_id"], metadata["entry"], metadata["slots"]) == ("orders", "hello", {})
    assert edges_of(metadata) == {
        "hello:0": ("done", "tool:count", "The caller says how many."),
        "hello:1": ("hello", "tool:help", "Help."),
        "done:0": ("hello", "tool:help", "Help."),
    }
    hello = metadata["states"]["hello"]
    assert hello["prompt"] == "Ask {{ how }} many 😀.\nThen wait."
    assert cover(IN_PLACE, hello["spans"]["key"]) == "hello"
    assert cover(IN_PLACE, hello["spans"]["prompt"]).endswith("Then wait.")
    assert cover(IN_PLACE, hello["edges"][0]["spans"]["edge"]).startswith("name: count")
    assert cover(IN_PLACE, hello["edges"][0]["spans"]["when"]) == "count"
    assert metadata["states"]["done"]["prompt"] == "Say goodbye."
    assert hello["static_slot_references"] == []
    assert diagnose(IN_PLACE.encode(), path="orders.yaml") == ()


def test_functions_wrapped_as_tools(cover):
    metadata = metadata_of(WRAPPED, "help.json")
    assert (metadata["flow_id"], metadata["entry"]) == ("help", "start")
    assert list(metadata["states"]) == ["end", "start"]
    assert edges_of(metadata) == {"start:0": ("end", "tool:finish", "All done.")}
    start = metadata["states"]["start"]
    assert start["prompt"] == "One.\nTwo."
    assert cover(WRAPPED, start["edges"][0]["spans"]["when"]) == '"finish"'
    assert cover(WRAPPED, start["edges"][0]["spans"]["edge"]).endswith('"transition_to": "end"}}')
    assert diagnose(WRAPPED.encode(), path="help.json") == ()


def test_a_callback_is_no_edge_and_leaves_open_what_is_reached():
    flow = json.loads(WRAPPED)
    finish = flow["nodes"]["start"]["functions"][1]["function"]
    finish["transition_callback"] = finish.pop("transition_to")
    source = json.dumps(flow)
    assert edges_of(metadata_of(source, "f.json")) == {}
    assert diagnose(source.encode(), path="f.json") == ()
    finish["transition_callback"] = None
    found = diagnose(json.dumps(flow).encode(), path="f.json")
    assert [item.code for item in found] == ["FLOW_UNREACHABLE_STATE"]


@pytest.mark.parametrize(
    ("flow", "expected"),
    [
        ("nodes: {a: {messages: x}}\n", ("FLOW_WRONG_TYPE", 2, 23)),
        ("nodes: {a: {functions: [{function: {handler: h}}]}}\n", ("FLOW_MISSING_KEY", 2, 36)),
        ("nodes: {a: {functions: [{function: f}]}}\n", ("FLOW_WRONG_TYPE", 2, 36)),
        (
            "nodes: {a: {functions: [{name: f, handler: h, transition_to: b}]}}\n",
            ("FLOW_UNKNOWN_TARGET", 2, 62),
        ),
    ],
)
def test_what_is_wrong_is_said_at_its_place(flow, expected):
    (found,) = diagnose(f"initial_node: a\n{flow}".encode(), path="f.yaml")
    assert (found.code, found.span.line, found.span.column) == expected


def test_a_published_flow_with_functions_in_place(shared, cover):
    path = "flow_food_ordering_static.json"
    text = (shared / "samples" / "pipecat" / path).read_text(encoding="utf-8")
    metadata = metadata_of(text, path)
    assert {edge: row[:2] for edge, row in edges_of(metadata).items()} == {
        "initial:0": ("choose_pizza", "tool:choose_pizza"),
        "initial:1": ("choose_sushi", "tool:choose_sushi"),
        "choose_pizza:0": ("confirm", "tool:select_pizza_order"),
        "choose_sushi:0": ("confirm", "tool:select_sushi_order"),
        "confirm:0": ("end", "tool:complete_order"),
        "confirm:1": ("initial", "tool:revise_order"),
    }
    for state_id, state in metadata["states"].items():
        assert cover(text, state["spans"]["key"]) == f'"{state_id}"'
        assert state["prompt"]
    assert diagnose(text.encode(), path=path) == ()


def test_a_published_flow_of_the_older_editor(shared):
    path = "flow_helpdesk_legacy_editor.json"
    text = (shared / "samples" / "pipecat" / path).read_text(encoding="utf-8")
    metadata = metadata_of(text, path)
    assert {edge: row[:2] for edge, row in edges_of(metadata).items()} == {
        "choose_technical_question:0": ("confirm", "tool:confirm_conversation"),
        "start:0": ("choose_technical_question", "tool:choose_technical_question"),
        "start:1": ("choose_pricing_question", "tool:choose_pricing_question"),
        "choose_pricing_question:0": ("confirm", "tool:confirm_conversation"),
        "confirm:0": ("end", "tool:complete_conversation"),
    }
    assert all(state["prompt"] for state in metadata["states"].values())
    assert diagnose(text.encode(), path=path) == ()
