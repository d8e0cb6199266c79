"""House rules that no linter holds, as checks on the syntax tree.

Every check is a function from one module's text to findings, so that each is shown below to find a
bad snippet and to pass a good one. A rule of the core applies in `engine/core`, a rule of the house
in all product code. `dap_adapter/protocol.py` is generated and only has to be importable.
"""

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
GENERATED = frozenset({"dap_adapter/protocol.py"})

FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 60
LONG_FUNCTIONS: frozenset[str] = frozenset()
"""`path::function` of what is better in one piece. Say why beside each entry."""

BANNED_CALLS = frozenset(
    [
        "open",
        "hash",
        "id",
        "input",
        "eval",
        "exec",
        "print",
        "compile",
        "breakpoint",
        "globals",
        "locals",
        "vars",
        "__import__",
    ]
)
CONTAINERS = frozenset(
    ["list", "set", "bytearray", "defaultdict", "deque", "Counter", "OrderedDict"]
)
MUTATORS = frozenset(
    [
        "add",
        "append",
        "clear",
        "discard",
        "extend",
        "insert",
        "pop",
        "popitem",
        "remove",
        "reverse",
        "setdefault",
        "sort",
        "update",
    ]
)
DAP_WORDS = frozenset(
    ["threadId", "frameId", "variablesReference", "sourceReference", "breakpointId"]
)
CAMEL = re.compile(r"_*[a-z][a-z0-9]*[A-Z]")
CONSTANT = re.compile(r"_*[A-Z][A-Z0-9_]*\Z")
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")

Finding = tuple[int, str]


# --- rules of the core: values in, values out -----------------------------------------------------


def banned_builtins(source: str) -> Iterator[Finding]:
    """Builtins that read, print, run text, or differ from one process to the next."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and node.id in BANNED_CALLS:
            yield node.lineno, f"`{node.id}` in the core"


def asynchronous(source: str) -> Iterator[Finding]:
    """Anything asynchronous."""
    kinds = (ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith, ast.Await)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, kinds) or (isinstance(node, ast.comprehension) and node.is_async):
            yield getattr(node, "lineno", 0), "async in the core"


def module_state(source: str) -> Iterator[Finding]:
    """State that outlives a call: `global`, containers at module level, unbounded caches.

    A module-level dict is fine as a table: named in capitals, not empty, and never changed.
    """
    tree = ast.parse(source)
    tables = set[str]()
    for node in tree.body:
        for name, value in bindings(node):
            if name == "__all__":
                continue
            if is_table(value) and CONSTANT.match(name):
                tables.add(name)
            elif is_mutable(value):
                yield node.lineno, f"mutable module state `{name}`"
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield node.lineno, "`global`"
        elif changed_name(node) in tables:
            yield getattr(node, "lineno", 0), "a table is changed"
        elif isinstance(node, ast.FunctionDef) and any(
            map(is_unbounded_cache, node.decorator_list)
        ):
            yield node.lineno, "an unbounded cache"


def bindings(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that a module-level statement binds, each with its value."""
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((name.id, value) for name in targets if isinstance(name, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value
        case _:
            return


def is_table(value: ast.expr) -> bool:
    """Return whether `value` builds a dict that is not empty."""
    return isinstance(value, ast.DictComp) or (isinstance(value, ast.Dict) and bool(value.keys))


def is_mutable(value: ast.expr) -> bool:
    """Return whether `value` builds a container that can be changed."""
    if isinstance(value, ast.Call):
        name = value.func.value if isinstance(value.func, ast.Subscript) else value.func
        called = name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")
        return called in CONTAINERS or called == "dict"
    return isinstance(value, (ast.List, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp))


def changed_name(node: ast.AST) -> str | None:
    """Return the name of the container that `node` changes, if it changes one by name."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
            return name
        case ast.AugAssign(target=ast.Name(id=name)):
            return name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)):
            return name if method in MUTATORS else None
        case _:
            return None


def is_unbounded_cache(decorator: ast.expr) -> bool:
    """Return whether a decorator is `functools.cache` or `lru_cache(None)`."""
    match decorator:
        case ast.Name(id="cache") | ast.Attribute(attr="cache"):
            return True
        case ast.Call(func=ast.Name(id="lru_cache") | ast.Attribute(attr="lru_cache")):
            sizes = [*decorator.args, *(keyword.value for keyword in decorator.keywords)]
            return any(isinstance(size, ast.Constant) and size.value is None for size in sizes)
        case _:
            return False


def unsorted_sets(source: str) -> Iterator[Finding]:
    """Loops over a set written in place: its order differs between processes."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, (ast.For, ast.comprehension)):
            continue
        match node.iter:
            case ast.Set() | ast.SetComp() | ast.Call(func=ast.Name(id="set" | "frozenset")):
                yield node.iter.lineno, "a loop over an unsorted set"
            case _:
                pass


def adapter_words(source: str) -> Iterator[Finding]:
    """Words of the Debug Adapter Protocol, as names or as text."""
    for node in ast.walk(ast.parse(source)):
        words: set[object] = {getattr(node, key, None) for key in ("id", "attr", "arg", "name")} | (
            {node.value} if isinstance(node, ast.Constant) else set[object]()
        )
        if words & DAP_WORDS:
            yield getattr(node, "lineno", 0), "a word of the adapter's protocol"


# --- rules of the house: all product code ---------------------------------------------------------


def loose_types(source: str) -> Iterator[Finding]:
    """`Any`, which switches the type checker off, and `**kwargs`, which hides a signature."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Name(id="Any") | ast.Attribute(attr="Any") | ast.alias(name="Any"):
                yield node.lineno, "`Any`"
            case ast.arguments(kwarg=ast.arg() as kwarg):
                yield kwarg.lineno, f"`**{kwarg.arg}`"
            case _:
                pass


def relative_imports(source: str) -> Iterator[Finding]:
    """Imports that depend on where the module lies."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level > 0:
            yield node.lineno, "a relative import"


def camel_case(source: str) -> Iterator[Finding]:
    """Names bound in camelCase: only the generated message types have them."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                pass
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                pass
            case ast.Attribute(attr=name, ctx=ast.Store()):
                pass
            case _:
                continue
        if CAMEL.match(name):
            yield node.lineno, f"camelCase `{name}`"


def stubs(source: str) -> Iterator[Finding]:
    """Code that stands where code is still to come.

    A Protocol's `...` is none, nor is a function named `no_...` that is there to do nothing.
    """
    tree = ast.parse(source)
    declarations = {
        member
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and any("Protocol" in ast.unparse(base) for base in node.bases)
        for member in node.body
    }
    for node in ast.walk(tree):
        match node:
            case ast.Assert(test=ast.Constant(value=value)) if not value:
                yield node.lineno, "`assert False`"
            case ast.Raise(exc=ast.expr() as raised) if "NotImplementedError" in ast.unparse(
                raised
            ):
                yield node.lineno, "`NotImplementedError`"
            case ast.FunctionDef() if node not in declarations and is_empty(node):
                yield node.lineno, f"`{node.name}` does nothing"
            case _:
                pass


def is_empty(function: ast.FunctionDef) -> bool:
    """Return whether a function has no body beside a docstring, and should have one."""
    if function.name.startswith("no_") and ast.get_docstring(function):
        return False
    marks = ("overload", "abstractmethod", "click.group")
    if any(ast.unparse(mark).split("(")[0].endswith(marks) for mark in function.decorator_list):
        return False
    return all(
        isinstance(node, ast.Pass)
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in function.body
    )


def unfinished_comments(source: str) -> Iterator[Finding]:
    """Comments that promise work: an issue is the place for that."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and UNFINISHED.search(token.string):
            yield token.start[0], "a comment promises work"


def long_files(source: str) -> Iterator[Finding]:
    """Files of more than `FILE_LINES_MAX` lines."""
    count = len(source.splitlines())
    if count > FILE_LINES_MAX:
        yield count, f"{count} lines, {FILE_LINES_MAX} at most"


def long_functions(source: str) -> Iterator[tuple[str, int, int]]:
    """Yield `(name, line, length)` of functions of more than `FUNCTION_LINES_MAX` lines."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > FUNCTION_LINES_MAX:
                yield node.name, node.lineno, length


Rule = Callable[[str], Iterator[Finding]]
CORE_RULES: tuple[Rule, ...] = (
    banned_builtins,
    asynchronous,
    module_state,
    unsorted_sets,
    adapter_words,
)
HOUSE_RULES: tuple[Rule, ...] = (
    loose_types,
    relative_imports,
    camel_case,
    stubs,
    unfinished_comments,
    long_files,
)


def modules(*folders: str) -> list[Path]:
    """The modules in `folders` that people write, sorted."""
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return sorted(path for path in paths if str(path.relative_to(ROOT)) not in GENERATED)


def broken(rule: Rule, paths: list[Path]) -> list[str]:
    """The findings of `rule` in `paths`, each as `file:line: text`."""
    return [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in paths
        for line, text in rule(path.read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize("rule", CORE_RULES)
def test_the_core_keeps(rule: Rule) -> None:
    paths = modules("engine/core")
    assert paths
    assert not broken(rule, paths)


@pytest.mark.parametrize("rule", HOUSE_RULES)
def test_the_house_keeps(rule: Rule) -> None:
    paths = modules("engine", "dap_adapter")
    assert paths
    assert not broken(rule, paths)


def test_functions_fit_on_a_screen() -> None:
    found = {
        f"{path.relative_to(ROOT)}::{name}": length
        for path in modules("engine", "dap_adapter")
        for name, _, length in long_functions(path.read_text(encoding="utf-8"))
    }
    assert found.keys() - LONG_FUNCTIONS == set(), f"longer than {FUNCTION_LINES_MAX}: {found}"
    assert LONG_FUNCTIONS - found.keys() == set(), "no longer long: take it off the list"


@pytest.mark.parametrize(
    ("rule", "bad", "good"),
    [
        (banned_builtins, "text = open(path)", "text = stream.open(path)"),
        (banned_builtins, "keys = map(hash, names)", "key = sha256_of(name)"),
        (asynchronous, "async def f(): pass", "def f(): pass"),
        (module_state, "def f():\n    global n\n    n = 1", "def f():\n    n = 1"),
        (module_state, "CACHE = {}", "RANK = {'a': 1}"),
        (module_state, "rank: dict[str, int] = {'a': 1}", "RANK: dict[str, int] = {'a': 1}"),
        (module_state, "NAMES = ['a']", "NAMES = ('a',)"),
        (module_state, "SEEN = set()", "SEEN = frozenset({'a'})"),
        (module_state, "SEEN = defaultdict[str, int](int)", "__all__ = ['a']"),
        (
            module_state,
            "T = {1: 2}\ndef f():\n    T[3] = 4",
            "T = {1: 2}\ndef f():\n    return T[1]",
        ),
        (
            module_state,
            "T = {1: 2}\ndef f():\n    T.update(a)",
            "T = {1: 2}\ndef f():\n    T.get(1)",
        ),
        (module_state, "@cache\ndef f(): ...", "@lru_cache(maxsize=64)\ndef f(): ..."),
        (module_state, "@lru_cache(maxsize=None)\ndef f(): ...", "@lru_cache(8)\ndef f(): ..."),
        (unsorted_sets, "for x in {1, 2}: f(x)", "for x in sorted({1, 2}): f(x)"),
        (unsorted_sets, "a = [x for x in set(names)]", "a = [x for x in names]"),
        (adapter_words, "row['variablesReference'] = 1", "row['reference'] = 1"),
        (adapter_words, "def f(threadId): pass", "def f(thread): pass"),
        (loose_types, "from typing import Any", "from typing import Never"),
        (loose_types, "def f(x: typing.Any): pass", "def f(x: object): pass"),
        (loose_types, "def f(**options): pass", "def f(*, option): pass"),
        (relative_imports, "from . import a", "from engine import a"),
        (camel_case, "threadId = 1", "thread_id = arguments.threadId"),
        (camel_case, "def setBreakpoints(): return 1", "def set_breakpoints(): return 1"),
        (camel_case, "def f(frameId): return 1", "class Frame: width = 1"),
        (stubs, "assert False", "assert_never(x)"),
        (stubs, "def f():\n    raise NotImplementedError", "def f():\n    raise ValueError"),
        (stubs, "def f():\n    '''Later.'''\n    ...", "class P(Protocol):\n    def f(self): ..."),
        (stubs, "def no_log(text):\n    ...", "def no_log(text):\n    '''Log nothing.'''"),
        (unfinished_comments, "x = 1  # TODO: more", "x = 'TODO'  # the word itself"),
        (long_files, "\n" * 401, "\n" * 400),
    ],
)
def test_each_rule_can_fail(rule: Rule, bad: str, good: str) -> None:
    assert list(rule(bad))
    assert not list(rule(good))


def test_a_long_function_is_found() -> None:
    body = "    x = 1\n"
    assert [name for name, _, _ in long_functions("def f():\n" + body * 60)] == ["f"]
    assert not list(long_functions("def f():\n" + body * 59))


def test_the_locks_hold_only_pins_and_hashes() -> None:
    """No address, folder or option of the machine that made a lock stands in it."""
    for name in ("requirements.lock", "requirements-dev.lock"):
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        code = [line for line in lines if line and not line.lstrip().startswith("#")]
        strange = [
            line
            for line in code
            if not re.fullmatch(
                r"[a-z0-9-]+==[\w.!]+ \\|    --hash=sha256:[0-9a-f]{64}( \\)?", line
            )
        ]
        assert not strange
        assert "://" not in "".join(lines)


def test_the_runtime_lock_is_part_of_the_other() -> None:
    def pins(name: str) -> set[str]:
        return set(
            re.findall(r"^\S+==\S+", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        )

    assert pins("requirements.lock") < pins("requirements-dev.lock")
