import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.contract.errors import FlowInvalid
from engine.core.flow import json_tree
from engine.core.flow.faults import FaultLog, flow_invalid
from engine.core.flow.source_text import SourceText
from engine.core.flow.tree import DEPTH_MAX, MapNode, json_value


def read_json(source):
    """The tree of a source without faults; the first fault is raised."""
    log = FaultLog()
    root = json_tree.read_json(source, log)
    for fault in log.in_order():
        raise flow_invalid(fault, source=source)
    return root


def read(text):
    return read_json(SourceText.of(text, path="flow.json"))


def refusal(text):
    with pytest.raises(FlowInvalid) as caught:
        read(text)
    detail = caught.value.detail
    return detail["kind"], detail["line"], detail["column"]


def written(text, node):
    units = text.removeprefix("\ufeff").encode("utf-16-le")
    return units[2 * node.start : 2 * node.end].decode("utf-16-le")


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_node_covers_what_was_written(mark):
    text = mark + '{"😀": [1, -0.5e1, "é\\n"],\r\n "b" : {"c": null, "d": {}}, "": true}'
    root = read(text)
    assert isinstance(root, MapNode)
    assert [(written(text, e.key), written(text, e.value)) for e in root.entries] == [
        ('"😀"', '[1, -0.5e1, "é\\n"]'),
        ('"b"', '{"c": null, "d": {}}'),
        ('""', "true"),
    ]
    assert json_value(root) == {"😀": [1, -5, "é\n"], "b": {"c": None, "d": {}}, "": True}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ("SYNTAX", 1, 1)),
        ("{'a': 1}", ("SYNTAX", 1, 2)),
        ('{"a": 1} {}', ("SYNTAX", 1, 10)),
        ('{"😀": 01}', ("SYNTAX", 1, 9)),
        ('{"a": .5}', ("SYNTAX", 1, 7)),
        ('{"a": 0x1F}', ("SYNTAX", 1, 8)),
        ('{"a": 1 /* no */}', ("SYNTAX", 1, 9)),
        ('{"a":\n "b\tc"}', ("SYNTAX", 2, 4)),
        ('{"a": "never', ("SYNTAX", 1, 7)),
        ('{"a": NaN}', ("SYNTAX", 1, 7)),
        ('{"😀": -Infinity}', ("SYNTAX", 1, 8)),
        ('{"a": 1, "b": 2,\n "a": 3}', ("DUPLICATE_KEY", 2, 2)),
        ('{"a": 1, "\\u0061": 3}', ("DUPLICATE_KEY", 1, 10)),
        ('{"a": "\\ud83d"}', ("LONE_SURROGATE", 1, 7)),
        ('{"\\ude00": 1}', ("LONE_SURROGATE", 1, 2)),
    ],
)
def test_what_is_refused_is_refused_at_its_place(text, expected):
    assert refusal(text) == expected


def test_a_comma_before_the_end_is_refused():
    assert refusal('{"a": 1,}')[0] == "SYNTAX"


def test_words_inside_texts_are_texts():
    assert json_value(read('{"NaN": "Infinity [[[ \\" }", "a": "\\\\"}')) == {
        "NaN": 'Infinity [[[ " }',
        "a": "\\",
    }


def test_nesting_is_read_up_to_the_limit():
    assert read("[" * DEPTH_MAX + "]" * DEPTH_MAX)
    assert refusal("[" * 200_000) == ("TOO_DEEP", 1, DEPTH_MAX + 1)
    assert refusal('{"a":' * 200_000)[0] == "TOO_DEEP"


def test_long_and_inexact_numbers_stay_text():
    long = "9" * 10_000
    text = f"[{long}, 9007199254740993, 1e400, 1e2, 1E+2, 0.25e-0]"
    assert json_value(read(text)) == [long, "9007199254740993", "1e400", 100, 100, 0.25]


@pytest.mark.parametrize("text", ['"\\' * 100_000, '"\\"' * 100_000, '"' * 200_001])
def test_unclosed_texts_are_read_in_one_pass(text):
    assert refusal(text)[0] == "SYNTAX"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=8),
    lambda parts: (
        st.lists(parts, max_size=4) | st.dictionaries(st.text(max_size=4), parts, max_size=4)
    ),
    max_leaves=12,
)


@given(VALUES, st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_every_json_value_is_read_back(value, escape, indent):
    text = json.dumps(value, ensure_ascii=escape, indent=indent)
    assert json_value(read(text)) == value


JSON_PARTS = st.sampled_from(
    ["{", "}", "[", "]", ",", ":", '"', '"a"', "1", "-", "e5", ".", "true", "null", "NaN", "\\",
     "\\u", "d800", " ", "\n", "\r", "/", "//", "😀", "\x00", "\x7f", "\u2028", "\x0b",
     "\xa0", "\ufeff"]
)  # fmt: skip


@given(st.lists(JSON_PARTS, max_size=20).map("".join))
def test_any_text_is_a_tree_or_a_refusal(text):
    try:
        found = json_value(read(text))
    except FlowInvalid:
        return
    assert found == json.loads(text.removeprefix("\ufeff")) or "e5" in text
