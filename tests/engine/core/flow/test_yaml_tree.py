import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.contract.errors import FlowInvalid
from engine.core.flow import yaml_tree
from engine.core.flow.faults import FaultLog, flow_invalid
from engine.core.flow.source_text import SourceText
from engine.core.flow.tree import DEPTH_MAX, ListNode, MapNode, ScalarNode, json_value


def read_yaml(source):
    """The tree of a source without faults; the first fault is raised."""
    log = FaultLog()
    root = yaml_tree.read_yaml(source, log)
    for fault in log.in_order():
        raise flow_invalid(fault, source=source)
    return root


def read(text):
    return read_yaml(SourceText.of(text, path="flow.yaml"))


def written(text, node):
    """The part of `text` that `node` covers."""
    units = text.removeprefix("\ufeff").encode("utf-16-le")
    return units[2 * node.start : 2 * node.end].decode("utf-16-le")


def refusal(text):
    with pytest.raises(FlowInvalid) as caught:
        read(text)
    detail = caught.value.detail
    assert list(detail) == ["file", "line", "column", "kind", "code"]
    assert detail["file"] == "flow.yaml"
    return detail["kind"], detail["line"], detail["column"]


def test_only_plain_scalars_are_typed():
    assert json_value(read("[yes, 7, '7', \"true\", ~, '', 1.5]")) == [
        "yes",
        7,
        "7",
        "true",
        None,
        "",
        1.5,
    ]
    assert json_value(read("a: |\n  7\nb: >\n  true\nc:\nd: ''\n")) == {
        "a": "7\n",
        "b": "true\n",
        "c": None,
        "d": "",
    }


def test_names_are_the_text_as_written():
    assert list(json_value(read("{true: 1, 0x1F: 2, yes: 3, ~: 4, 'q': 5}"))) == [
        "true",
        "0x1F",
        "yes",
        "~",
        "q",
    ]


@pytest.mark.parametrize("text", ["", "# only a comment\n", "---\n", "--- ~\n...\n"])
def test_an_empty_file_is_null(text):
    assert json_value(read(text)) is None


NODES = """\
😀 key: plain text   # comment
"q😀": "a😀b"   # comment
multi: one
  two

block: |
  line one

  line two

# a comment between

folded: >-
  some
  words
flow: {a: [1, 2], b: {c: d}}
list:
- x
- - y
  - "z"

empty:
last:
  deep:
    deeper: end
# trailing comment
"""
COVERED = [
    "plain text",
    '"a😀b"',
    "one\n  two",
    "|\n  line one\n\n  line two",
    ">-\n  some\n  words",
    "{a: [1, 2], b: {c: d}}",
    '- x\n- - y\n  - "z"',
    "",
    "deep:\n    deeper: end",
]


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_node_covers_what_was_written_and_no_more(line_break, mark):
    text = mark + NODES.replace("\n", line_break)
    root = read(text)
    assert isinstance(root, MapNode)
    covered = [written(text, entry.value).replace(line_break, "\n") for entry in root.entries]
    assert covered == COVERED
    assert written(text, root.entries[0].key) == "😀 key"
    assert written(text, root).replace(line_break, "\n").endswith("deeper: end")


def test_an_entry_without_a_value_covers_its_name():
    text = "{a , b}"
    root = read(text)
    assert [written(text, entry) for entry in root.entries] == ["a", "b"]


@pytest.mark.parametrize("character", ["\x85", "\u2028", "\u2029"])
def test_only_editor_line_breaks_break_lines(character):
    text = (
        f"a: one{character}two # c{character}x: 1\n"
        f"'b{character}': \"q{character}\\x85\"\n"
        f"c: |\n  u{character}v\n"
    )
    root = read(text)
    assert json_value(root) == {
        "a": f"one{character}two",
        f"b{character}": f"q{character}\x85",
        "c": f"u{character}v\n",
    }
    assert [written(text, entry.key) for entry in root.entries] == ["a", f"'b{character}'", "c"]


def test_a_stand_in_is_never_taken_from_the_text():
    text = '{a: "\ue000\\uE001\\ue002 \u2028"}'
    assert json_value(read(text)) == {"a": "\ue000\ue001\ue002 \u2028"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nb: 2\na: 3\n", ("DUPLICATE_KEY", 3, 1)),
        ("a: 1\n'a': 3\n", ("DUPLICATE_KEY", 2, 1)),
        ("x: {😀: 1, 😀: 2}", ("DUPLICATE_KEY", 1, 12)),
        ("a: &x 1\nb: *x\n", ("ALIAS", 2, 4)),
        ("a: &x {b: 1}\n<<: *x\n", ("ALIAS", 2, 5)),
        ("a: &x [*x]\n", ("ALIAS", 1, 8)),
        ("a: !include other.yaml\n", ("TAG", 1, 4)),
        ("a: !!str 7\n", ("TAG", 1, 4)),
        ("a: ! 7\n", ("TAG", 1, 4)),
        ("a: !!python/object/apply:os.system ['x']\n", ("TAG", 1, 4)),
        ("!!map {a: 1}\n", ("TAG", 1, 1)),
        ("a: 1\n---\nb: 1\n", ("MULTIPLE_DOCUMENTS", 2, 1)),
        ("---\n---\n", ("MULTIPLE_DOCUMENTS", 2, 1)),
        ("? [a]\n: 1\n", ("WRONG_TYPE", 1, 3)),
        ("{a: 1}: 2\n", ("WRONG_TYPE", 1, 1)),
        ("a: [1, 2\nb: 1\n", ("SYNTAX", 2, 2)),
        ("a: b: c\n", ("SYNTAX", 1, 5)),
        ("a:\n\t- b\n", ("SYNTAX", 2, 1)),
        ('a: "😀\\ud800"\n', ("SYNTAX", 1, 9)),
        ("😀: a\x07b\n", ("SYNTAX", 1, 6)),
        ("a: b\x00", ("SYNTAX", 1, 5)),
        ("a: 'never closed\n", ("SYNTAX", 2, 1)),
        ("a: @b\n", ("SYNTAX", 1, 4)),
        ("%YAML 3.0\n---\na: 1\n", ("SYNTAX", 1, 1)),
    ],
)
def test_what_is_refused_is_refused_at_its_place(text, expected):
    assert refusal(text) == expected


def test_nesting_is_read_up_to_the_limit():
    assert read("[" * DEPTH_MAX + "]" * DEPTH_MAX)
    assert refusal("[" * (DEPTH_MAX + 1)) == ("TOO_DEEP", 1, DEPTH_MAX + 1)
    assert refusal("[" * 200_000)[0] == "TOO_DEEP"
    assert refusal("- " * 200_000)[0] == "TOO_DEEP"
    assert refusal("? " * 200_000)[0] in ("WRONG_TYPE", "TOO_DEEP")
    assert refusal("{a: " * 200_000)[0] == "TOO_DEEP"


YAML_PARTS = st.sampled_from(
    [
        *("a", "b: ", "- ", "\n", "\n  ", "\r\n", "\r", "'", '"', "|", ">", "#", " ", "\t", "😀"),
        *(
            "{",
            "}",
            "[",
            "]",
            ",",
            ": ",
            "? ",
            "&x ",
            "*x",
            "!t ",
            "---\n",
            "...\n",
            "%",
            "\x85",
            "\u2028",
        ),
        *("\ufeff", "\\", "\x00", "\ud7ff", "\ue000", "@", "<<: "),
    ]
)


@given(st.lists(YAML_PARTS, max_size=25).map("".join))
def test_any_text_is_a_tree_or_a_refusal_with_a_place_inside_the_text(text):
    source = SourceText.of(text, path="flow.yaml")
    size = len(source.text.encode("utf-16-le")) // 2
    try:
        root = read_yaml(source)
    except FlowInvalid as error:
        line, column = error.detail["line"], error.detail["column"]
        assert 1 <= line <= len(source.line_starts)
        assert source.line_starts[line - 1] + column - 1 <= size
        return
    check_nesting(root, 0, size)


def check_nesting(node, start, end):
    """Every child stands inside its parent, in order."""
    assert start <= node.start <= node.end <= end
    children = ()
    match node:
        case MapNode():
            children = [part for entry in node.entries for part in (entry.key, entry.value)]
        case ListNode():
            children = node.items
        case ScalarNode():
            pass
    at = node.start
    for child in children:
        if child.start == child.end:
            continue  # nothing is written there
        check_nesting(child, at, node.end)
        at = child.end


@given(
    st.lists(
        st.tuples(
            st.text("ab😀é\x85\u2028", min_size=1, max_size=4),
            st.text("xyz😀é\x85\u2029", min_size=1, max_size=6),
            st.sampled_from(["\n", "\r\n", "\r", "\n\n", "  # 😀\u2028 note\n"]),
        ),
        max_size=8,
        unique_by=lambda row: row[0],
    )
)
def test_every_plain_word_stands_where_it_was_written(rows):
    text = "".join(f"{key}: {value}{end}" for key, value, end in rows)
    root = read(text)
    entries = root.entries if isinstance(root, MapNode) else ()
    assert [(written(text, e.key), written(text, e.value)) for e in entries] == [
        row[:2] for row in rows
    ]
