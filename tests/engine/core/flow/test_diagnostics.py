"""Diagnostics of whole files: every code, its place, all of them in one run, and any bytes."""

import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.core.contract.canonical import canonical_bytes
from engine.core.contract.errors import FlowInvalid
from engine.core.flow import (
    FLOW_DIAGNOSTIC_CODES,
    FaultKind,
    FlowFormat,
    Severity,
    check_flow,
    diagnose,
    parse_flow,
    unreadable_file,
)
from engine.core.flow.diagnostics import WARNINGS

CODE_WITHOUT_FILE = "FLOW_FILE_UNREADABLE"


def found(text, path="f.yaml"):
    """Each diagnostic as `(code, line, column)`."""
    source = text if isinstance(text, bytes) else text.encode()
    return [(item.code, item.span.line, item.span.column) for item in diagnose(source, path=path)]


# --- the fixtures and the page --------------------------------------------------------------------


@pytest.fixture(scope="module")
def fixtures(root):
    folder = root / "fixtures" / "flows"
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".md"}


@pytest.fixture(scope="module")
def sections(root):
    text = (root / "docs" / "guide" / "flow-diagnostics.md").read_text(encoding="utf-8")
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_fixture_has_the_one_fault_of_its_name(fixtures):
    for name, source in fixtures.items():
        expected = [] if name == "valid.yaml" else [f"FLOW_{name.split('.')[0].upper()}"]
        assert [item.code for item in diagnose(source, path=name)] == expected, name


def test_every_code_has_a_fixture(fixtures):
    codes = {f"FLOW_{name.split('.')[0].upper()}" for name in fixtures} - {"FLOW_VALID"}
    assert codes == set(FLOW_DIAGNOSTIC_CODES) - {CODE_WITHOUT_FILE}


def test_every_code_has_a_section_and_every_section_a_code(sections):
    assert list(sections) == sorted(FLOW_DIAGNOSTIC_CODES)
    for code, text in sections.items():
        for part in ("**Meaning.**", "**Example.**", "**Fix.**"):
            assert part in text, f"{code} lacks {part}"
        assert ("A warning:" in text) == (code in WARNINGS)


def test_the_examples_of_the_page_show_their_code(sections):
    tried = 0
    for code, text in sections.items():
        for language, flow in re.findall(r"```(yaml|json)\n(.*?)```", text, re.DOTALL):
            items = diagnose(flow.encode(), path=f"f.{language}")
            assert {item.code for item in items} == {code}
            tried += 1
    assert tried >= 19


def test_the_codes_are_sorted_sentences():
    assert list(FLOW_DIAGNOSTIC_CODES) == sorted(FLOW_DIAGNOSTIC_CODES)
    assert all(text.endswith(".") for text in FLOW_DIAGNOSTIC_CODES.values())
    assert set(FLOW_DIAGNOSTIC_CODES) > WARNINGS
    assert {f"FLOW_{kind}" for kind in FaultKind} <= set(FLOW_DIAGNOSTIC_CODES)


# --- all in one run -------------------------------------------------------------------------------

EVERYTHING = """\
schema: riff.flow/v1
flow_id: f
entry: strat
slots:
  day: {type: string, class: plane, values: [today, tomorrow]}
  day: {type: string}
  size: {type: integer}
states:
  start:
    prompt: &p "Hi {{slots.nmae}}"
    transitions:
      - {to: mneu, when: "all(slot_set:szie, bogus)", sets: {day: never, dya: 1}}
      - {to: menu, when: "slot_in:day:today,sunday"}
      - {to: menu, when: "slot_in:day:today,sunday"}
      - {when: always}
  menu:
    prompt: *p
    entry_line: !!str hello
    required_slots: size
    required_slots: [size]
    tool: {name: [x], args: [szie], result_slots: [size, rseult]}
    transitions: [{to: 5}, {to: start, clears: [gone]}]
  menu: {must_include: [nope]}
  menu: {locked_choice: {slot: chioce, choices: 3}}
  island: {}
"""


def test_nothing_hides_anything_else():
    text = EVERYTHING.replace("strat", "start")
    lines = text.splitlines()
    shown = [
        (code, span.line, span.column, lines[span.line - 1][span.column - 1 : span.end_column - 1])
        for code, span in ((item.code, item.span) for item in diagnose(text.encode(), path="f"))
    ]
    assert shown == [
        ("FLOW_DUPLICATE_KEY", 6, 3, "day"),
        ("FLOW_MISSING_KEY", 15, 9, "{when"),
        ("FLOW_ALIAS", 17, 13, "*p"),
        ("FLOW_TAG", 18, 17, ""),
        ("FLOW_WRONG_TYPE", 19, 21, "size"),
        ("FLOW_DUPLICATE_KEY", 20, 5, "required_slots"),
        ("FLOW_WRONG_TYPE", 22, 24, "5"),
        ("FLOW_DUPLICATE_STATE", 23, 3, "menu"),
        ("FLOW_DUPLICATE_STATE", 24, 3, "menu"),
        ("FLOW_UNKNOWN_SLOT_CLASS", 5, 30, "plane"),
        ("FLOW_UNDECLARED_SLOT", 10, 28, "nmae"),
        ("FLOW_UNKNOWN_TARGET", 12, 14, "mneu"),
        ("FLOW_UNDECLARED_SLOT", 12, 40, "szie"),
        ("FLOW_UNKNOWN_GUARD", 12, 46, "bogus"),
        ("FLOW_VALUE_NOT_DECLARED", 12, 67, "never"),
        ("FLOW_UNDECLARED_SLOT", 12, 74, "dya"),
        ("FLOW_VALUE_NOT_DECLARED", 13, 45, "sunday"),
        ("FLOW_DUPLICATE_TRANSITION", 14, 9, '{to: menu, when: "slot_in:day:today,sunday"}'),
        ("FLOW_VALUE_NOT_DECLARED", 14, 45, "sunday"),
        ("FLOW_UNDECLARED_SLOT", 17, 13, "*p"),
        ("FLOW_WRONG_TYPE", 21, 18, "[x]"),
        ("FLOW_UNDECLARED_SLOT", 21, 30, "szie"),
        ("FLOW_UNDECLARED_SLOT", 21, 58, "rseult"),
        ("FLOW_UNDECLARED_SLOT", 22, 49, "gone"),
        ("FLOW_UNDECLARED_SLOT", 23, 25, "nope"),
        ("FLOW_UNDECLARED_SLOT", 24, 32, "chioce"),
        ("FLOW_WRONG_TYPE", 24, 49, "3"),
        ("FLOW_UNREACHABLE_STATE", 25, 3, "island"),
    ]


def test_an_unknown_entry_says_where_it_starts_and_not_what_is_unreached():
    codes = [code for code, *_ in found(EVERYTHING)]
    assert "FLOW_UNKNOWN_ENTRY" in codes
    assert "FLOW_UNREACHABLE_STATE" not in codes


def test_what_stands_before_broken_syntax_is_said_too():
    text = "entry: a\nstates:\n  a: !x 1\n  a: *y\n  b: 'open\n"
    assert [code for code, *_ in found(text)] == [
        *("FLOW_TAG", "FLOW_DUPLICATE_STATE", "FLOW_ALIAS", "FLOW_SYNTAX")
    ]


def test_json_has_the_same_diagnostics():
    text = (
        '{"flow_id": "f", "entry": "a",\n "states": {\n'
        '  "a": {"prompt": "\\ud83d", "prompt": "x", "transitions": [{"to": "b"}, {"to": NaN}]},\n'
        '  "a": null, "c": {}}}\n'
    )
    assert found(text, "f.json") == [
        ("FLOW_LONE_SURROGATE", 3, 19),
        ("FLOW_DUPLICATE_KEY", 3, 29),
        ("FLOW_SYNTAX", 3, 80),
        ("FLOW_DUPLICATE_STATE", 4, 3),
        ("FLOW_UNKNOWN_TARGET", 3, 67),
    ]


def test_columns_are_utf16_and_a_byte_order_mark_counts_for_nothing():
    flow = "\ufeffflow_id: f\r\nentry: a\r\nstates: {a: {transitions: [{reason: 😀, to: bé}]}}\r\n"
    (item,) = diagnose(flow.encode(), path="f.yaml")
    assert (item.span.line, item.span.column, item.span.end_column) == (3, 45, 47)


# --- what may be hidden is not guessed ------------------------------------------------------------

MERGED = """\
flow_id: f
entry: a
states:
  a: &a {transitions: [{to: b}]}
  b: {%s}
  c: {}
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<<: *a", ["FLOW_ALIAS"]),
        ("transitions: *a", ["FLOW_ALIAS"]),
        ("transitions: [*a]", ["FLOW_ALIAS"]),
        ("transitions: [{<<: *a}]", ["FLOW_ALIAS"]),
        ("transitions: [{to: !ref c}]", ["FLOW_TAG"]),
        ("transitions: [{to: !!str c}]", ["FLOW_TAG"]),
        ("transitions: [{to: b, ? [x] : y}]", ["FLOW_WRONG_TYPE", "FLOW_UNREACHABLE_STATE"]),
        ("transitions: {to: c}", ["FLOW_WRONG_TYPE", "FLOW_UNREACHABLE_STATE"]),
        ("prompt: [x]", ["FLOW_WRONG_TYPE", "FLOW_UNREACHABLE_STATE"]),
        ("", ["FLOW_UNREACHABLE_STATE"]),
    ],
)
def test_a_refused_part_may_hold_edges(body, expected):
    assert [code for code, *_ in found(MERGED % body)] == expected


def test_a_refused_part_may_hold_states_and_slots():
    text = (
        "x: &x {}\nflow_id: f\nentry: gone\nslots: {<<: *x, a: }\n"
        "states: {<<: *x, b: {required_slots: [c], transitions: [{to: d}]}}\n"
    )
    assert found(text) == [("FLOW_ALIAS", 4, 13), ("FLOW_ALIAS", 5, 14)]


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ("", ["FLOW_UNKNOWN_ENTRY"]),
        ("{}", ["FLOW_UNKNOWN_ENTRY"]),
        ("[a]", ["FLOW_WRONG_TYPE"]),
        ("!x a", ["FLOW_TAG"]),
    ],
)
def test_a_flow_without_states(states, expected):
    text = f"flow_id: f\nentry: a\nstates: {states}\n"
    assert [code for code, *_ in found(text)] == expected


# --- severity, strictness, shape ------------------------------------------------------------------


def test_severity_and_strictness(fixtures):
    for name in ("unknown_target.yaml", "value_not_declared.yaml", "not_utf8.yaml"):
        checked = check_flow(fixtures[name], path=name)
        (item,) = checked.diagnostics
        expected = Severity.WARNING if item.code in WARNINGS else Severity.ERROR
        assert item.severity is expected
        assert (checked.count(Severity.ERROR), checked.strict().count(Severity.ERROR)) == (
            int(expected is Severity.ERROR),
            1,
        )


def test_a_check_says_what_the_file_is(fixtures, root):
    checked = check_flow(fixtures["valid.yaml"], path="valid.yaml")
    assert checked.as_json() == {
        "path": "valid.yaml",
        "format": "riff.flow/v1",
        "revision": parse_flow(fixtures["valid.yaml"], path="valid.yaml").revision,
        "state_count": 2,
        "edge_count": 2,
        "diagnostics": [],
    }
    flow = (root / "fixtures" / "booking_racy" / "flow" / "flow.yaml").read_bytes()
    pipecat = check_flow(flow, path="flow.yaml")
    assert (pipecat.format, pipecat.diagnostics) == (FlowFormat.PIPECAT, ())
    broken = check_flow(b"\xff", path="f.yaml")
    assert (broken.format, broken.state_count, broken.edge_count) == (None, None, None)
    assert broken.revision is not None


def test_a_file_that_cannot_be_read_has_the_same_shape(fixtures):
    (row,) = unreadable_file("gone\udcff.yaml", "it is gone.").as_json()["diagnostics"]
    (other,) = check_flow(fixtures["tag.yaml"], path="tag.yaml").as_json()["diagnostics"]
    assert list(row) == list(other)
    assert (row["code"], row["line"], row["column"]) == ("FLOW_FILE_UNREADABLE", 1, 1)
    assert canonical_bytes(row)


# --- any bytes ------------------------------------------------------------------------------------


def check_total(source, path):
    """Any bytes give diagnostics with places inside the file, and agree with `parse_flow`."""
    checked = check_flow(source, path=path)
    assert checked == check_flow(source, path=path)
    assert canonical_bytes(checked.as_json())
    lines = re.split(r"\r\n|\n|\r", source.decode("utf-8", "replace").removeprefix("\ufeff"))
    for item in checked.diagnostics:
        span = item.span
        assert 1 <= span.line <= span.end_line <= len(lines)
        assert (span.line, span.column) <= (span.end_line, span.end_column)
        assert span.column - 1 <= len(lines[span.line - 1].encode("utf-16-le")) // 2
    assert len(set(checked.diagnostics)) == len(checked.diagnostics)
    errors = [item for item in checked.diagnostics if item.severity is Severity.ERROR]
    try:
        document = parse_flow(source, path=path)
    except FlowInvalid as refused:
        first, detail = errors[0], refused.detail
        assert (detail["code"], detail["line"], detail["column"]) == (
            *(first.code, first.span.line, first.span.column),
        )
        return
    assert checked.format is document.format
    kinds = {f"FLOW_{kind}" for kind in FaultKind} - {"FLOW_WRONG_TYPE"}
    assert not kinds & {item.code for item in errors}


PATHS = st.sampled_from(["f.yaml", "f.json", "f.vflow"])


@given(st.binary(max_size=80), PATHS)
@example(b"", "f.yaml")
@example(b"\x00", "f.yaml")
@example(b"\xef\xbb\xbf\xff", "f.json")
@example(b"? *a\n: *a\n*a : &a [*a]\n", "f.yaml")
@example(b'{"\\ud800": 1, "\\ud800": 2, "nodes": {}}', "f.json")
def test_any_bytes_give_diagnostics(source, path):
    check_total(source, path)


PARTS = st.sampled_from(
    [
        *("*p", "&p ", "!x ", "!!str ", "<<: *p", "? [a]\n: b\n", "---\n", "\ud7ff", "😀", "\r"),
        *("{", "}", "[", "]", ", ", ": ", "\n", "\n  ", '"', "'", "|", "menu", "start", "size"),
        *("states:", "slots:", "nodes:", "entry: ", "initial_node: a\n", "messages: ", "to: "),
        *("{{slots.x}}", "not(", "slot_set:x", "all(slot_equals:day:x, slot_in:day:x)", "#"),
    ]
)


@given(st.data(), st.booleans())
def test_a_mutated_flow_gives_diagnostics(data, is_json):
    text = EVERYTHING
    if is_json:
        text = json.dumps(
            {
                "flow_id": "f",
                "entry": "a",
                "slots": {"s": {"values": [1, True]}},
                "states": {
                    "a": {"transitions": [{"to": "b", "when": "slot_equals:s:2"}], "prompt": "😀"},
                    "b": {"tool": {"name": "t", "args": ["s"], "result_slots": ["x"]}},
                },
            },
            indent=1,
            ensure_ascii=False,
        )
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 6))
        text = text[:at] + data.draw(PARTS | st.just("")) + text[at + cut :]
    check_total(text.encode("utf-8"), "f.json" if is_json else "f.yaml")
