import hashlib

from engine.core.contract.canonical import canonical_bytes
from engine.core.flow import ReferenceSource, flow_metadata, parse_flow

FLOW = (
    "\ufeffflow_id: f\r\nentry: a\r\nslots: {x: {values: [.nan, 1e999, 2]}}\r\nstates: {a: {}}\r\n"
)


def metadata(source):
    return flow_metadata(
        parse_flow(source, path="f.yaml"), path="flow/f.yaml", source_path="x/f.yaml"
    )


def test_the_keys_and_their_order_are_the_contracts():
    found = metadata(FLOW.encode())
    assert list(found) == [
        *("path", "source_path", "revision", "text", "flow_id", "entry", "states", "slots")
    ]
    assert (found["path"], found["source_path"]) == ("flow/f.yaml", "x/f.yaml")
    state = found["states"]["a"]
    assert list(state) == ["edges", "prompt", "static_slot_references", "span", "spans"]
    assert list(state["spans"]) == ["key", "prompt", "entry_line"]
    assert list(state["span"]) == ["line", "column", "end_line", "end_column"]
    assert list(found["slots"]["x"]) == ["type", "class", "values", "span"]


def test_the_sources_of_references_are_the_published_ones():
    assert sorted(ReferenceSource) == sorted(
        [
            *("required_slot", "must_include", "locked_choice_slot", "prompt_interpolation"),
            *("required_tool_arg", "edge_guard", "edge_set", "edge_clear", "custom_guard"),
        ]
    )


def test_the_text_is_exact_and_the_revision_is_its_hash():
    found = metadata(FLOW.encode())
    assert found["text"] == FLOW
    assert found["revision"] == "sha256:" + hashlib.sha256(FLOW.encode()).hexdigest()
    assert found["states"]["a"]["span"]["column"] == 10


def test_numbers_that_json_lacks_stay_text_so_that_the_value_has_bytes():
    found = metadata(FLOW.encode())
    assert found["slots"]["x"]["values"] == [".nan", "1e999", 2]
    assert canonical_bytes(found) == canonical_bytes(metadata(FLOW.encode()))
