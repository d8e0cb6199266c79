import json
import random
import re
import runpy

import pytest

from engine.core.contract.errors import FlowInvalid
from engine.core.flow import FlowFormat, UnknownGuard, flow_metadata, parse_flow

FLOW = """\
schema: riff.flow/v1
flow_id: front_desk
entry: menu
slots:
  _route: {type: enum, class: routing, values: [existing_request, yes, 2]}
  caller_name:
    type: string
  opened: {class: plain, values: ~}
  odd: {class: privat}
  bare:
states:
  announce:
    entry_line: "Hello {{slots.caller_name}} 😀"
  menu:
    prompt: |
      What for, {{slots.caller_name}}?
      {{slots.caller_name}} {{slots.topic}}
    required_slots: [caller_name]
    must_include: [topic]
    locked_choice: {slot: _route, choices: {existing_request: '1'}}
    tool:
      name: open_ticket
      args: {who: "{{slots.caller_name}}", kind: fixed, n: 3, at: "{{slots.a}} {{slots.b}}"}
      result_slots: {id: ticket}
    transitions:
      - to: announce
        when: always
      - {to: list, when: "slot_equals:_route:existing_request", reason: "caller chose existing_request"}
      - to: list
        when: all(slot_set:caller_name, not(slot_in:size:s,m), custom:office_open)
        sets: {_route: yes, "😀": {deep: [1, ~]}, n: 7}
        clears: [topic, caller_name]
      - {to: nowhere, when: "custom:office_open"}
      - {to: menu, when: "nonsense here"}
      - {to: menu}
  list: {}
  end:
"""  # noqa: E501


@pytest.fixture(scope="module")
def document():
    return parse_flow(FLOW.encode(), path="flows/front_desk.yaml")


@pytest.fixture(scope="module")
def metadata(document):
    return flow_metadata(document, path="flow/front_desk.yaml", source_path=None)


def test_the_top_level(document, metadata):
    assert document.format is FlowFormat.RIFF
    assert (metadata["flow_id"], metadata["entry"]) == ("front_desk", "menu")
    assert list(metadata["states"]) == ["announce", "menu", "list", "end"]


def test_slots_are_declared_in_order_with_type_class_and_values(metadata):
    rows = {
        name: (row["type"], row["class"], row["values"]) for name, row in metadata["slots"].items()
    }
    assert rows == {
        "_route": ("enum", "routing", ["existing_request", "yes", 2]),
        "caller_name": ("string", None, None),
        "opened": (None, "plain", None),
        "odd": (None, "personal", None),
        "bare": (None, None, None),
    }
    assert list(rows) == ["_route", "caller_name", "opened", "odd", "bare"]


def test_a_class_that_does_not_exist_is_personal_and_kept_as_written(document):
    odd = document.slots[3]
    assert odd.class_text.text == "privat"


def test_edges_keep_their_order_and_two_to_one_target_stay_distinct(metadata):
    edges = metadata["states"]["menu"]["edges"]
    assert [(edge["edge_id"], edge["declaration_index"], edge["to"]) for edge in edges] == [
        ("menu:0", 0, "announce"),
        ("menu:1", 1, "list"),
        ("menu:2", 2, "list"),
        ("menu:3", 3, "nowhere"),
        ("menu:4", 4, "menu"),
        ("menu:5", 5, "menu"),
    ]


def test_guards_and_reasons_are_as_written(document, metadata):
    edges = metadata["states"]["menu"]["edges"]
    assert edges[1]["when"] == "slot_equals:_route:existing_request"
    assert edges[1]["reason"] == "caller chose existing_request"
    assert [edge["reason"] for edge in edges[2:]] == [None] * 4
    assert (edges[4]["when"], edges[5]["when"]) == ("nonsense here", None)
    guards = [edge.guard for edge in document.states[1].edges]
    assert isinstance(guards[4], UnknownGuard)
    assert guards[5] is None


def test_sets_and_clears_keep_order_and_values(metadata):
    edge = metadata["states"]["menu"]["edges"][2]
    assert edge["sets"] == [
        {"slot": "_route", "value": "yes"},
        {"slot": "😀", "value": {"deep": [1, None]}},
        {"slot": "n", "value": 7},
    ]
    assert edge["clears"] == ["topic", "caller_name"]


def test_an_edge_row_has_the_keys_of_the_contract(metadata):
    for edge in metadata["states"]["menu"]["edges"]:
        assert list(edge) == [
            *("edge_id", "declaration_index", "to", "when", "reason", "sets", "clears", "spans")
        ]


def test_static_references_in_their_documented_order(metadata):
    rows = metadata["states"]["menu"]["static_slot_references"]
    assert [(row["slot"], row["source"], row["detail"]) for row in rows] == [
        ("caller_name", "required_slot", None),
        ("topic", "must_include", None),
        ("_route", "locked_choice_slot", None),
        ("caller_name", "prompt_interpolation", "prompt"),
        ("topic", "prompt_interpolation", "prompt"),
        ("caller_name", "required_tool_arg", "who"),
        ("a", "required_tool_arg", "at"),
        ("b", "required_tool_arg", "at"),
        ("_route", "edge_guard", "menu:1"),
        ("caller_name", "edge_guard", "menu:2"),
        ("size", "edge_guard", "menu:2"),
        (None, "custom_guard", "office_open"),
        ("_route", "edge_set", "menu:2"),
        ("😀", "edge_set", "menu:2"),
        ("n", "edge_set", "menu:2"),
        ("topic", "edge_clear", "menu:2"),
        ("caller_name", "edge_clear", "menu:2"),
    ]
    assert all(list(row) == ["slot", "source", "detail"] for row in rows)
    assert metadata["states"]["announce"]["static_slot_references"] == [
        {"slot": "caller_name", "source": "prompt_interpolation", "detail": "entry_line"}
    ]


def test_a_custom_guard_has_a_row_and_no_guessed_slot():
    flow = "flow_id: f\nentry: a\nstates: {a: {transitions: [{to: a, when: 'custom:slot_set:x'}]}}"
    document = parse_flow(flow.encode(), path="f.yaml")
    metadata = flow_metadata(document, path="f.yaml", source_path=None)
    assert metadata["states"]["a"]["static_slot_references"] == [
        {"slot": None, "source": "custom_guard", "detail": "slot_set:x"}
    ]


def test_a_list_of_tool_arguments_names_slots():
    flow = "flow_id: f\nentry: a\nstates: {a: {tool: {name: t, args: [x, y]}}}"
    (state,) = parse_flow(flow.encode(), path="f.yaml").states
    rows = [(row.slot, row.source.value, row.detail) for row in state.references]
    assert rows == [("x", "required_tool_arg", "x"), ("y", "required_tool_arg", "y")]


@pytest.mark.parametrize("state_id", ["list", "end"])
def test_a_state_without_transitions_is_an_end(metadata, state_id):
    state = metadata["states"][state_id]
    assert (state["edges"], state["prompt"], state["static_slot_references"]) == ([], None, [])


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_every_part_has_its_span(line_break, mark, cover):
    text = mark + FLOW.replace("\n", line_break)
    document = parse_flow(text.encode(), path="f.yaml")
    metadata = flow_metadata(document, path="f.yaml", source_path=None)
    menu, announce = metadata["states"]["menu"], metadata["states"]["announce"]

    assert cover(text, menu["spans"]["key"]) == "menu"
    assert cover(text, menu["span"]).startswith("menu:\n    prompt: |")
    assert cover(text, menu["span"]).endswith("- {to: menu}")
    assert cover(text, menu["spans"]["prompt"]).startswith("|\n      What for")
    assert cover(text, menu["spans"]["prompt"]).endswith("{{slots.topic}}")
    assert menu["spans"]["entry_line"] is None
    assert cover(text, announce["spans"]["entry_line"]) == '"Hello {{slots.caller_name}} 😀"'
    assert cover(text, metadata["states"]["end"]["span"]) == "end"

    edges = menu["edges"]
    assert [cover(text, edge["spans"]["edge"])[:9] for edge in edges[:2]] == [
        "to: annou",
        "{to: list",
    ]
    whens = [edge["spans"]["when"] for edge in edges]
    assert [when and cover(text, when) for when in whens] == [
        "always",
        '"slot_equals:_route:existing_request"',
        "all(slot_set:caller_name, not(slot_in:size:s,m), custom:office_open)",
        '"custom:office_open"',
        '"nonsense here"',
        None,
    ]
    sets, clears = edges[2]["spans"]["sets"], edges[2]["spans"]["clears"]
    assert [cover(text, span) for span in sets] == ["_route: yes", '"😀": {deep: [1, ~]}', "n: 7"]
    assert [cover(text, span) for span in clears] == ["topic", "caller_name"]

    slots = metadata["slots"]
    assert cover(text, slots["caller_name"]["span"]) == "caller_name:\n    type: string"
    assert cover(text, slots["bare"]["span"]) == "bare"
    assert cover(text, slots["odd"]["span"]) == "odd: {class: privat}"


def test_columns_count_utf16_units():
    flow = "flow_id: f\nentry: a\nstates: {'😀😀': {transitions: [{to: a}]}, a: {}}\n"
    document = parse_flow(flow.encode(), path="f.yaml")
    assert (document.states[0].key_span.column, document.states[0].key_span.end_column) == (10, 16)
    assert document.states[0].edges[0].span.column == 33


def test_a_reference_has_the_place_that_names_it(document, cover, metadata):
    spans = [reference.span for reference in document.states[1].references]
    texts = [FLOW.splitlines()[span.line - 1][span.column - 1 :] for span in spans]
    assert texts[0].startswith("caller_name]")
    assert texts[2].startswith("_route,")
    assert texts[6].startswith('who: "{{')


def as_json(text, **style):
    """The same flow in JSON."""
    from engine.core.flow.faults import FaultLog
    from engine.core.flow.source_text import SourceText
    from engine.core.flow.tree import json_value
    from engine.core.flow.yaml_tree import read_yaml

    return json.dumps(
        json_value(read_yaml(SourceText.of(text, path="f.yaml"), FaultLog())), **style
    )


@pytest.mark.parametrize("style", [{}, {"indent": 2, "ensure_ascii": False}])
def test_the_json_spelling_gives_an_equal_document(metadata, style, placeless, cover):
    text = as_json(FLOW, **style)
    document = parse_flow(text.encode(), path="front_desk.json")
    found = flow_metadata(document, path="flow/front_desk.yaml", source_path=None)
    assert placeless(found) == placeless(metadata)
    menu = found["states"]["menu"]
    assert cover(text, menu["spans"]["key"]) == '"menu"'
    assert [json.loads(cover(text, edge["spans"]["edge"]))["to"] for edge in menu["edges"]] == [
        edge["to"] for edge in menu["edges"]
    ]
    assert json.loads("{" + cover(text, menu["edges"][2]["spans"]["sets"][2]) + "}") == {"n": 7}


@pytest.mark.parametrize(
    ("flow", "expected"),
    [
        ("schema: riff.flow/v1\n", ("MISSING_KEY", 1, 1)),
        ("flow_id: f\nstates: {}\n", ("MISSING_KEY", 1, 1)),
        ("flow_id: f\nentry: ~\nstates: {}\n", ("MISSING_KEY", 1, 1)),
        ("schema: riff.flow/v1\nflow_id: f\nentry: a\n", ("MISSING_KEY", 1, 1)),
        ("flow_id: 2024\nentry: a\nstates: {}\n", ("WRONG_TYPE", 1, 10)),
        ("flow_id: f\nentry: a\nstates: [a]\n", ("WRONG_TYPE", 3, 9)),
        ("flow_id: f\nentry: a\nstates: {a: text}\n", ("WRONG_TYPE", 3, 13)),
        ("flow_id: f\nentry: a\nstates: {a: {prompt: [x]}}\n", ("WRONG_TYPE", 3, 22)),
        ("flow_id: f\nentry: a\nstates: {a: {transitions: {to: a}}}\n", ("WRONG_TYPE", 3, 27)),
        ("flow_id: f\nentry: a\nstates: {a: {transitions: [a]}}\n", ("WRONG_TYPE", 3, 28)),
        ("flow_id: f\nentry: a\nstates: {a: {transitions: [{when: x}]}}\n", ("MISSING_KEY", 3, 28)),
        ("flow_id: f\nentry: a\nstates: {a: {transitions: [{to: true}]}}\n", ("WRONG_TYPE", 3, 33)),
        ("flow_id: f\nentry: a\nstates: {a: {required_slots: x}}\n", ("WRONG_TYPE", 3, 30)),
        ("flow_id: f\nentry: a\nstates: {a: {required_slots: [1]}}\n", ("WRONG_TYPE", 3, 31)),
        ("flow_id: f\nentry: a\nslots: [x]\nstates: {}\n", ("WRONG_TYPE", 3, 8)),
        ("flow_id: f\nentry: a\nslots: {x: string}\nstates: {}\n", ("WRONG_TYPE", 3, 12)),
        ("flow_id: f\nentry: a\nslots: {x: {values: [[]]}}\nstates: {}\n", ("WRONG_TYPE", 3, 22)),
    ],
)
def test_what_the_structure_needs_is_refused_at_its_place(flow, expected):
    with pytest.raises(FlowInvalid) as caught:
        parse_flow(flow.encode(), path="f.yaml")
    detail = caught.value.detail
    assert (detail["kind"], detail["line"], detail["column"]) == expected
    assert caught.value.message.startswith(f"f.yaml:{expected[1]}:{expected[2]}: ")


def test_a_value_that_needs_quotes_is_shown_in_quotes():
    with pytest.raises(FlowInvalid, match=r'Write it in quotes: "2024"'):
        parse_flow(b"flow_id: 2024\nentry: a\nstates: {}\n", path="f.yaml")


@pytest.mark.parametrize("seed", range(4))
def test_the_generated_flow_gives_the_generators_edges(shared, seed, cover):
    generator = runpy.run_path(str(shared / "tools" / "make_session.py"))
    text = generator["flow_text"](12, 10, random.Random(seed))
    document = parse_flow(text.encode(), path="generated.flow.yaml")
    metadata = flow_metadata(document, path="flow/generated.flow.yaml", source_path=None)
    found = {
        state_id: [(edge["to"], edge["when"]) for edge in state["edges"]]
        for state_id, state in metadata["states"].items()
    }
    assert found == generator["edges_of"](text)
    assert len(metadata["slots"]) == 21
    for state_id, state in metadata["states"].items():
        assert cover(text, state["spans"]["key"]) == state_id
        for edge in state["edges"]:
            assert re.fullmatch(r"\{to: .*\}", cover(text, edge["spans"]["edge"]))
