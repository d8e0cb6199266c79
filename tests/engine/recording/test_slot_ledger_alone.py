"""No slot changes outside the slot ledger: a scan of the whole engine, shown to find and pass."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.recording import SessionContext

ROOT = Path(__file__).resolve().parents[3]
LEDGER = {
    "engine/recording/slot_ledger.py",
    "engine/recording/session_context.py",
}
HELD = {"held", "prints", "shown_slots"}
SLOTS = HELD | {"slots"}
MUTATORS = {"update", "setdefault", "pop", "popitem", "clear"}


def changes(source: str) -> Iterator[tuple[int, str]]:
    """Yield each place that reaches for the ledger's own values, or changes a `.slots`."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(attr="held", value=value) if named(value) != "self":
                yield node.lineno, "reaches for the ledger's values"
            case ast.Subscript(value=ast.Attribute(attr=name), ctx=ast.Store() | ast.Del()) if (
                name in SLOTS
            ):
                yield node.lineno, f"changes an item of .{name}"
            case ast.Call(func=ast.Attribute(attr=method, value=ast.Attribute(attr=name))) if (
                name in SLOTS and method in MUTATORS
            ):
                yield node.lineno, f"calls .{name}.{method}"
            case ast.AugAssign(target=ast.Attribute(attr=name)) if name in SLOTS:
                yield node.lineno, f"changes .{name}"
            case ast.Call(func=ast.Name(id="setattr"), args=[_, ast.Constant(value=name), *_]) if (
                name in SLOTS
            ):
                yield node.lineno, f"sets .{name}"
            case _:
                pass


def named(value: ast.expr) -> str:
    return value.id if isinstance(value, ast.Name) else ""


def test_no_slot_changes_outside_the_ledger() -> None:
    paths = sorted((ROOT / "engine").rglob("*.py"))
    assert {path.relative_to(ROOT).as_posix() for path in paths} >= LEDGER
    found = [
        f"{path.relative_to(ROOT)}:{line}: {what}"
        for path in paths
        if path.relative_to(ROOT).as_posix() not in LEDGER
        for line, what in changes(path.read_text(encoding="utf-8"))
    ]
    assert not found


@pytest.mark.parametrize(
    "bad",
    [
        "ctx.slots['a'] = 1",
        "del ctx.slots['a']",
        "ctx.slots['a'] += 1",
        "self.context.slots.update(a=1)",
        "ctx.slots.pop('a')",
        "ctx.slots |= {}",
        "ctx.held['a'] = 1",
        "values = ctx.held",
        "setattr(ctx, 'slots', {})",
        "recorder.context.prints['a'] = None",
    ],
)
def test_the_scan_finds(bad) -> None:
    assert list(changes(bad))


@pytest.mark.parametrize("good", ["ctx.slots['a']", "ctx.slots.get('a')", "slots['a'] = 1"])
def test_the_scan_passes(good) -> None:
    assert not list(changes(good))


def test_the_mapping_outside_is_read_only() -> None:
    slots = SessionContext("v3:x").slots
    for change in ("slots['a'] = 1", "del slots['a']", "slots.update(a=1)", "slots |= {'a': 1}"):
        with pytest.raises((TypeError, AttributeError)):
            exec(change, {"slots": slots})
