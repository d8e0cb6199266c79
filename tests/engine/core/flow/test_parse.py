import json
import subprocess
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.core.contract.canonical import canonical_bytes
from engine.core.contract.errors import FlowInvalid
from engine.core.flow import FaultKind, FlowDocument, flow_metadata, parse_flow

RIFF = b"schema: riff.flow/v1\nflow_id: f\nentry: a\nstates: {a: {}}\n"
PIPECAT = b"initial_node: a\nnodes: {a: {task_messages: []}}\n"


def refusal(source, path="f.yaml"):
    with pytest.raises(FlowInvalid) as caught:
        parse_flow(source, path=path)
    error = caught.value
    assert error.code == "FLOW_INVALID"
    assert error.detail["file"] == path
    return error.detail["kind"], error.detail["line"], error.detail["column"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (b"", ("WRONG_TYPE", 1, 1)),
        (b"[]", ("WRONG_TYPE", 1, 1)),
        (b"just a text", ("WRONG_TYPE", 1, 1)),
        (b"{}", ("UNKNOWN_FORMAT", 1, 1)),
        (b"flows: {a: 1}\n", ("UNKNOWN_FORMAT", 1, 1)),
        (b"a: 1\nschema: riff.flow/v2\nstates: {}\n", ("UNKNOWN_FORMAT", 2, 9)),
        (b"schema: [riff.flow/v1]\n", ("UNKNOWN_FORMAT", 1, 9)),
        (b"a: 1\nb: \xf0\x9f\x98\x80\xff\n", ("NOT_UTF8", 2, 6)),
        (b"\xef\xbb\xbfa\xff", ("NOT_UTF8", 1, 2)),
        (b"\xed\xa0\x80", ("NOT_UTF8", 1, 1)),
        ("a: 1\n".encode("utf-16"), ("NOT_UTF8", 1, 1)),
        (b"a: \xc3", ("NOT_UTF8", 1, 4)),
    ],
)
def test_what_is_no_flow_is_refused_at_its_place(source, expected):
    assert refusal(source) == expected


def test_the_schema_may_be_left_out_where_states_are_declared():
    source = RIFF.split(b"\n", 1)[1]
    assert parse_flow(source, path="f.yaml").states == parse_flow(source, path="g.vflow").states


@pytest.mark.parametrize(
    ("path", "stem"),
    [
        ("booking.yaml", "booking"),
        ("flow/booking.flow.yaml", "booking.flow"),
        ("C:\\flows\\booking.yml", "booking"),
        ("booking", "booking"),
        (".yaml", ".yaml"),
    ],
)
def test_a_pipecat_flow_is_named_after_its_file(path, stem):
    assert parse_flow(PIPECAT, path=path).flow_id == stem


@pytest.mark.parametrize("path", ["f.json", "f.JSON", "f.vflow", "flow"])
def test_json_is_read_as_json(path):
    source = b'\xef\xbb\xbf {"flow_id": "\\ud83d\\ude00", "entry": "a", "states": {"a": null}}'
    assert parse_flow(source, path=path).flow_id == "😀"


def test_the_name_decides_the_syntax():
    flow_mapping = b"{flow_id: f, entry: a, states: {a: }}"
    assert parse_flow(flow_mapping, path="f.yaml").flow_id == "f"
    assert refusal(flow_mapping, "f.json") == ("SYNTAX", 1, 2)
    assert refusal(flow_mapping, "f.vflow") == ("SYNTAX", 1, 2)


def test_the_yaml_parser_is_imported_when_a_file_needs_it():
    code = (
        "import sys; from engine.core.flow import parse_flow; print('yaml' in sys.modules);"
        f"parse_flow({RIFF!r}, path='f.yaml'); print('yaml' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def parsed_or_refused(source, path) -> FlowDocument | FlowInvalid:
    try:
        return parse_flow(source, path=path)
    except FlowInvalid as refused:
        return refused


def check_total(source, path):
    """Any bytes give a document whose metadata has bytes, or one typed refusal."""
    document = parsed_or_refused(source, path)
    if isinstance(document, FlowInvalid):
        assert list(document.detail) == ["file", "line", "column", "kind", "code"]
        assert document.detail["kind"] in list(FaultKind)
        return
    metadata = flow_metadata(document, path=path, source_path=None)
    assert canonical_bytes(metadata)
    assert json.loads(canonical_bytes(metadata)) == metadata
    for state in document.states:
        assert [edge.declaration_index for edge in state.edges] == list(range(len(state.edges)))


PATHS = st.sampled_from(["f.yaml", "f.json", "f.vflow"])


@given(st.binary(max_size=60), PATHS)
@example(b"\x00", "f.yaml")
@example(b"\xef\xbb\xbf", "f.yaml")
@example(b"\xef\xbb\xbf\xef\xbb\xbfa: 1", "f.yaml")
@example(b"{", "f.json")
def test_any_bytes_give_a_document_or_a_refusal(source, path):
    check_total(source, path)


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6)
NAMES = st.sampled_from(
    [
        *(
            "schema",
            "flow_id",
            "entry",
            "states",
            "slots",
            "transitions",
            "to",
            "when",
            "sets",
            "clears",
        ),
        *(
            "initial_node",
            "nodes",
            "functions",
            "name",
            "transition_to",
            "field",
            "cases",
            "default",
        ),
        *("prompt", "tool", "args", "values", "class", "locked_choice", "slot", "task_messages"),
        *("content", "global_functions", "required_slots", "pre_actions", "type", "text", "reason"),
    ]
)
SHAPES = st.recursive(
    LEAVES | st.sampled_from(["riff.flow/v1", "a", "always", "tts_say", "{{slots.a}}", "{{ a }}"]),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(NAMES, parts, max_size=5),
    max_leaves=25,
)
FLOWS = st.fixed_dictionaries(
    {"flow_id": st.just("f"), "entry": st.just("a"), "states": st.dictionaries(NAMES, SHAPES)},
    optional={"slots": st.dictionaries(NAMES, SHAPES)},
) | st.fixed_dictionaries(
    {"initial_node": st.just("a"), "nodes": st.dictionaries(NAMES, SHAPES)},
    optional={"global_functions": st.lists(SHAPES, max_size=3)},
)


@given(FLOWS | SHAPES, PATHS)
def test_any_shape_gives_a_document_or_a_refusal(shape, path):
    check_total(json.dumps(shape, ensure_ascii=path == "f.json").encode("utf-8", "replace"), path)


@given(st.data(), st.sampled_from([RIFF, PIPECAT]), PATHS)
def test_a_damaged_flow_gives_a_document_or_a_refusal(data, source, path):
    at = data.draw(st.integers(0, len(source)))
    cut = data.draw(st.integers(0, 4))
    check_total(source[:at] + data.draw(st.binary(max_size=3)) + source[at + cut :], path)
