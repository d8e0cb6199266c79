"""What of a bot's source cannot be recorded, as far as its text shows; nothing is executed.

Rules: a row says what was seen, at which line; what a text cannot tell is not guessed. Names are
followed through imports of the same file only.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from engine.importers.limits import Limit, Verdict
from engine.importers.sources import source_bytes, source_error

BOT_BYTES_MAX = 16 << 20
_CHANGES = frozenset({"append", "extend", "insert", "update", "pop", "remove", "clear", "add"})
_IN_MEMORY = frozenset({"InMemorySaver", "MemorySaver"})


def limits_of_bot(path: Path) -> list[Limit]:
    """Return what the text of a Python file shows. Raises: SessionInvalid: no Python, too large."""
    data = source_bytes(path, limit=BOT_BYTES_MAX)
    try:
        tree = ast.parse(data, filename=path.name)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = error.lineno if isinstance(error, SyntaxError) else None
        place = f" (line {line})" if line else ""
        what = f"cannot be read as Python{place}. Name the bot's main file."
        raise source_error(path, what, "NOT_PYTHON") from error
    modules = dict(_modules(tree))
    used = {name.split(".")[0] for name in modules}
    rows: list[Limit] = []
    if "pipecat" in used or "pipecat_flows" in used:
        rows += _pipecat(tree, modules)
    if "langgraph" in used:
        rows += _langgraph(tree)
    if not rows:
        reason = (
            "this file imports neither pipecat nor langgraph. Name the file that builds the bot"
        )
        rows.append(Limit(what="framework", verdict=Verdict.UNAVAILABLE, reason=reason))
    return rows


def _modules(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield the modules that are imported, last mention first wins, with their line."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from ((alias.name, node.lineno) for alias in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module, node.lineno
            case _:
                pass


def _calls(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """Yield each call with the last part of what is called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            yield str(name), node


def _pipecat(tree: ast.Module, modules: dict[str, int]) -> Iterator[Limit]:
    calls = list(_calls(tree))
    named = {name: node.lineno for name, node in reversed(calls)}
    if "pipecat_flows" in modules:
        yield Limit(
            what="flow",
            verdict=Verdict.UNAVAILABLE,
            reason="pipecat_flows is the old package; visits are recorded for pipecat.flows "
            "(pipecat-ai 1.5 and later). Import from pipecat.flows",
            line=modules["pipecat_flows"],
        )
    elif flows := [line for name, line in modules.items() if name.startswith("pipecat.flows")]:
        yield from _flow(tree, min(flows))
    else:
        reason = "this file uses nothing of pipecat.flows: without a flow there are no visits"
        yield Limit(what="flow", verdict=Verdict.UNAVAILABLE, reason=reason)
    yield from _state_changes(tree)
    yield from _speech(named)


def _flow(tree: ast.Module, line: int) -> Iterator[Limit]:
    functions = [*_node_functions(tree)]
    if functions:
        yield Limit(
            what="flow",
            verdict=Verdict.LIMITED,
            reason="nodes are made by Python functions: the flow is what was visited; an edge that "
            "was never taken is not known",
            line=min(functions),
        )
    else:
        reason = "pipecat.flows is used; a flow that is data is recorded as it is"
        yield Limit(what="flow", verdict=Verdict.RECORDED, reason=reason, line=line)


def _node_functions(tree: ast.Module) -> Iterator[int]:
    """Yield the lines of functions that say that they return a node."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
            said = {item.id for item in ast.walk(node.returns) if isinstance(item, ast.Name)}
            texts = {i.value for i in ast.walk(node.returns) if isinstance(i, ast.Constant)}
            if "NodeConfig" in said or any("NodeConfig" in str(text) for text in texts):
                yield node.lineno


def _state_changes(tree: ast.Module) -> Iterator[Limit]:
    lines = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.expr | ast.stmt) and _changes_inside_state(node)
    ]
    if lines:
        yield Limit(
            what="slot writes",
            verdict=Verdict.LIMITED,
            reason="a value in the state is changed in place: such a change is found by comparison "
            f"when the handler ends, not when it happens ({len(lines)} places)",
            line=min(lines),
        )


def _changes_inside_state(node: ast.AST) -> bool:
    match node:
        case ast.Subscript(value=ast.Subscript() as inner, ctx=ast.Store() | ast.Del()):
            return _is_state(inner.value)
        case ast.Call(func=ast.Attribute(value=ast.Subscript() as inner, attr=method)):
            return method in _CHANGES and _is_state(inner.value)
        case ast.AugAssign(target=ast.Subscript(value=ast.Subscript() as inner)):
            return _is_state(inner.value)
        case _:
            return False


def _is_state(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "state"


def _speech(named: dict[str, int]) -> Iterator[Limit]:
    services = sorted(name for name in named if name.endswith("TTSService"))
    for service in services:
        yield Limit(
            what="text heard",
            verdict=Verdict.LIMITED,
            reason=f"whether {service} times its words is not seen here; without word times, what "
            "was heard of a sentence that was cut is not known",
            line=named[service],
        )
    if "AudioBufferProcessor" not in named:
        reason = "no AudioBufferProcessor in this file: the bot itself keeps no audio of the call"
        yield Limit(what="audio", verdict=Verdict.LIMITED, reason=reason)


def _langgraph(tree: ast.Module) -> Iterator[Limit]:
    calls = list(_calls(tree))
    compiled = [node for name, node in calls if name == "compile" and _is_method(node)]
    bare = [node.lineno for node in compiled if not _has(node, "checkpointer")]
    memory = [node.lineno for name, node in calls if name in _IN_MEMORY]
    if bare:
        reason = (
            "the graph is compiled without a checkpointer: nothing is stored that could be read"
        )
        yield Limit(what="run", verdict=Verdict.UNAVAILABLE, reason=reason, line=min(bare))
    if memory:
        yield Limit(
            what="run",
            verdict=Verdict.UNAVAILABLE,
            reason="checkpoints in memory go with the process. Use SqliteSaver, or save the state "
            "history as JSON",
            line=min(memory),
        )
    if compiled and not bare and not memory:
        reason = "the graph is compiled with a checkpointer"
        yield Limit(what="run", verdict=Verdict.RECORDED, reason=reason, line=compiled[0].lineno)
    yield Limit(
        what="clock",
        verdict=Verdict.LIMITED,
        reason="checkpoints have the time of a step, not of the tasks in it",
    )


def _is_method(call: ast.Call) -> bool:
    """Return whether something's `compile` is called, not `re.compile` or the builtin."""
    match call.func:
        case ast.Attribute(value=ast.Name(id="re")):
            return False
        case ast.Attribute():
            return True
        case _:
            return False


def _has(call: ast.Call, keyword: str) -> bool:
    return any(item.arg in {keyword, None} for item in call.keywords)
