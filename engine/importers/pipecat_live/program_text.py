"""Where a node stands in the bot's Python files, by reading their syntax trees; nothing is run.

A node's place is the innermost function that writes its name down (`"name": "greet"` in a node's
dict, or `name="greet"` in a call); a node named in several functions, or in none, has no place.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from engine.importers.pipecat_live.flow_file import shown_path
from engine.importers.pipecat_live.graphs import Place
from engine.importers.pipecat_live.seen import attribute, named_of, text_of

SIZE_MAX = 2 << 20
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class ProgramText:
    """The files of a bot that may hold its nodes, each read once."""

    def __init__(self) -> None:
        self._read = set[Path]()
        self._places: dict[str, list[Place]] = {}

    def add_main(self) -> None:
        """Take the file that was started."""
        main = text_of(sys.modules.get("__main__"), "__file__")
        if main is not None:
            self.add(Path(main))

    def add_function(self, function: object) -> None:
        """Take the file in which a function is written."""
        name = text_of(attribute(function, "__code__"), "co_filename")
        if name is not None:
            self.add(Path(name))

    def add(self, path: Path) -> None:
        """Take a file; what cannot be read as Python has no nodes."""
        path = path.absolute()
        if path in self._read or "site-packages" in path.parts or path.suffix != ".py":
            return
        self._read.add(path)
        try:
            if path.stat().st_size > SIZE_MAX:
                return
            tree = ast.parse(path.read_bytes())
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            return
        shown = shown_path(path)
        for name, function in _named(tree, None):
            place = Place(
                path=shown,
                line=function.lineno,
                end_line=function.end_lineno or function.lineno,
            )
            known = self._places.setdefault(name, [])
            if place not in known:
                known.append(place)

    def folders_of(self, namespaces: list[object]) -> list[Path]:
        """Return the folders of the started file and of functions kept in modules or mappings."""
        files = [text_of(sys.modules.get("__main__"), "__file__")]
        for namespace in namespaces:
            files.append(text_of(namespace, "__file__"))
            codes = (attribute(item, "__code__") for item in named_of(namespace).values())
            files += [text_of(code, "co_filename") for code in codes]
        return list(dict.fromkeys(Path(file).absolute().parent for file in files if file))

    def place_of(self, node: str) -> Place | None:
        """Return where a node is written; None where that is nowhere, or not one place."""
        found = self._places.get(node, [])
        return found[0] if len(found) == 1 else None


def _named(node: ast.AST, inside: _Function | None) -> Iterator[tuple[str, _Function]]:
    """Yield each name of a node with the innermost function that writes it down."""
    for child in ast.iter_child_nodes(node):
        function = child if isinstance(child, _Function) else inside
        if function is not None:
            for name in _names(child):
                yield name, function
        yield from _named(child, function)


def _names(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                match key, value:
                    case ast.Constant(value="name"), ast.Constant(value=str() as name):
                        yield name
                    case _:
                        pass
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), keywords=keywords):
            if called == "NodeConfig":
                for keyword in keywords:
                    if keyword.arg == "name" and isinstance(keyword.value, ast.Constant):
                        yield str(keyword.value.value)
        case _:
            pass
