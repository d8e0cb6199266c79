"""Where a graph's nodes stand in the program's Python source, found by reading its syntax tree.

Rules: the source is parsed, never executed. A node's place is the function that `add_node` names
for it; where the call names none that is defined here, a function or class of the node's name;
else the line that adds it. A node that none of this finds has no place.
"""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from engine.core.contract.json_types import JsonObject
from engine.importers.sources import source_error as refused

SIZE_MAX = 4 << 20
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def node_places(path: Path, *, shown_path: str) -> dict[str, JsonObject]:
    """Return by node its `{path, line, end_line}` in a Python file; lines are 1-based, inclusive.

    Raises:
        SessionInvalid: too large, or not Python.
    """
    try:
        data = path.read_bytes() if path.stat().st_size <= SIZE_MAX else None
        if data is None:
            raise refused(path, f"is larger than {SIZE_MAX:,} bytes.", "TOO_LARGE")
        tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise refused(path, "is not Python that can be read: name the file that builds the graph.",
                      "NOT_PYTHON") from error  # fmt: skip
    except OSError as error:
        raise refused(path, f"cannot be read: {error.strerror}.", "UNREADABLE_FILE") from error
    defined = {node.name: node for node in ast.walk(tree) if isinstance(node, _Definition)}
    found: dict[str, JsonObject] = {}
    for name, place in _named(tree, defined):
        found.setdefault(name, _row(shown_path, place))
    for name, place in defined.items():
        found.setdefault(name, _row(shown_path, place))
    for name, place in _added(tree):
        found.setdefault(name, _row(shown_path, place))
    return found


def _named(
    tree: ast.AST, defined: Mapping[str, _Definition]
) -> Iterator[tuple[str, ast.stmt | ast.expr]]:
    """Yield nodes that a call or a pair `("name", function)` ties to a function defined here."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="add_node"),
                args=[ast.Constant(value=str() as name), ast.Name(id=function), *_],
            ) if function in defined:
                yield name, defined[function]
            case ast.Tuple(elts=[ast.Constant(value=str() as name), ast.Name(id=function)]) if (
                function in defined
            ):
                yield name, defined[function]
            case _:
                pass


def _added(tree: ast.AST) -> Iterator[tuple[str, ast.stmt | ast.expr]]:
    """Yield nodes whose name stands in a call of `add_node` or in a pair, with that place."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="add_node"), args=[ast.Constant(value=str() as name), *_]
            ):
                yield name, node
            case ast.Tuple(elts=[ast.Constant(value=str() as name), ast.Call()]):
                yield name, node
            case _:
                pass


def _row(path: str, node: ast.stmt | ast.expr) -> JsonObject:
    return {"path": path, "line": node.lineno, "end_line": node.end_lineno or node.lineno}
