"""The parser of conditions: the library's tree where it has one, and bounds that hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.contract.errors import InvalidCommand
from engine.core.cursor.cel_syntax import (
    LENGTH_MAX,
    Call,
    Index,
    Items,
    Literal,
    Name,
    Node,
    Operation,
    Select,
    children,
    parse_expression,
)


def shown(node: Node) -> str:
    """A tree as text, every operation in brackets."""
    match node:
        case Literal(value=value):
            return repr(value)
        case Name(name=name):
            return name
        case Select(operand=operand, name=name):
            return f"{shown(operand)}.{name}"
        case Index(operand=operand, key=key):
            return f"{shown(operand)}[{shown(key)}]"
        case Call(function=function, target=target, arguments=arguments):
            listed = ", ".join(map(shown, arguments))
            return f"{shown(target) + '.' if target else ''}{function}({listed})"
        case Items(items=items, is_map=is_map):
            return f"{'map' if is_map else 'list'}<{', '.join(map(shown, items))}>"
        case Operation(operator=operator, operands=operands):
            return f"({operator} {' '.join(map(shown, operands))})"


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a.b == 'x' && c || !d", "(|| (&& (== a.b 'x') c) (! d))"),
        ("a && b && c", "(&& a b c)"),
        ("a && (b && c)", "(&& a (&& b c))"),
        ("1 + 2 * 3 - -4", "(- (+ 1 (* 2 3)) (- 4))"),
        ("1 < 2 == true", "(== (< 1 2) True)"),
        ("a ? b : c ? d : e", "(?: a b (?: c d e))"),
        ('a["x"].b[0]', "a['x'].b[0]"),
        ("a.f(1, x).g()", "a.f(1, x).g()"),
        ("size([1, 2,])", "size(list<1, 2>)"),
        ('{"k": 1}.k', "map<'k', 1>.k"),
        ("x in [null, 1.5e3, 0x1F]", "(in x list<None, 1500.0, 31>)"),
        ("// why\n a // so", "a"),
        ('r"\\d" == """a"b"""', "(== '\\\\d' 'a\"b')"),
        ("(((a)))", "a"),
    ],
)
def test_reads_as_the_language_says(text: str, tree: str) -> None:
    assert shown(parse_expression(text)) == tree


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("a ==", 5),
        ("a b", 3),
        ("'open", 1),
        ("a.?b", 3),
        ("a{b: 1}", 2),
        ("1u", 1),
        ('b"x"', 2),
        ("a.true", 3),
        ("while", 1),
        ("[1 2]", 4),
        ("{a: 1}", 2),
        ("a = b", 3),
        (".a", 1),
        ("", None),
        ("  ", None),
        ("é", 1),
        ("a ? b", 6),
    ],
)
def test_says_where_a_mistake_is(text: str, column: int | None) -> None:
    with pytest.raises(InvalidCommand) as caught:
        parse_expression(text)
    assert caught.value.detail.get("column") == column


def test_a_text_with_escapes_is_not_taken_for_its_characters() -> None:
    node = parse_expression('"a\\n"')
    assert isinstance(node, Literal)
    assert not node.is_known


@pytest.mark.parametrize(
    "text",
    [
        "(" * 500 + "1" + ")" * 499,
        "[" * 400,
        "!" * 900 + "true",
        "-" * 900 + "1",
        "a" + ".b" * 400,
        "1" + "+1" * 400,
        "a ? b : " * 100 + "c",
        "a[" * 300,
        "f(" * 300,
        "[" + "1," * 400 + "]",
        "x" * (LENGTH_MAX + 1),
    ],
)
def test_what_is_too_large_is_refused(text: str) -> None:
    with pytest.raises(InvalidCommand):
        parse_expression(text)


def test_many_alternatives_are_not_too_large() -> None:
    assert parse_expression(" || ".join(["a"] * 200))


_ALPHABET = "ab1.\"'\\[](){}!=<>&|?:+-*/%, \n#\u00e9"


@given(st.text(alphabet=_ALPHABET, max_size=60) | st.text(max_size=40))
def test_any_text_is_a_tree_inside_of_itself_or_a_typed_error(text: str) -> None:
    try:
        root = parse_expression(text)
    except InvalidCommand:
        return

    def check(node: Node) -> None:
        for child in children(node):
            assert node.start <= child.start <= child.end <= node.end
            check(child)

    assert 0 <= root.start < root.end <= len(text)
    check(root)
