"""Measure the engine at 1,000, 10,000 and 100,000 events; prints a table and one JSON line.

Each figure is the best of several rounds, in microseconds an operation, and beside it the ratio to
a floor measured in the same run: what the least possible machinery for that work costs here. Ratios
compare between machines, microseconds do not. Flatness is the figure at the most events over that
at the fewest: 1 means that the length of the call does not matter. Nothing is judged.

`build` goes from a session directory to its artifact's file; `open` reads that file without a
cache, `open again` with what the cache holds of it.

Floors: `decode` is a fast JSON decoder over the same bytes; `bisect` is one look-up in an array of
as many sorted integers as there are events; `hash` is the canonical encoding and SHA-256 of a
projection of 40 slots; `dumps, write` is `json.dumps` of a record and one system call.

    python tests/bench/run.py [EVENTS ...]
"""

import argparse
import gc
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from engine.core.artifact import ArtifactView
from engine.core.contract.canonical import canonical_bytes, sha256_of
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.contract.labels import Direction, Unit
from engine.core.cursor import (
    DebuggerState,
    apply_command,
    determinism_hash,
    finish,
    project,
    resolve,
    run,
    scan_until,
    slot_history,
    slot_of,
    slot_value,
    step,
)
from engine.recording import (
    Identity,
    Recorder,
    open_recording,
    stream_session,
    write_artifact,
)

ROOT = Path(__file__).resolve().parents[2]
GENERATOR = ROOT.parent / "shared" / "tools" / "make_session.py"
FIXTURES = ("booking_racy", "booking_clean")
EVENTS = (1_000, 10_000, 100_000)
PAGE_ROWS = 100
ROUNDS = 7
CURSORS = 200
APPENDED = 2_000
"""Records of each stream that are recorded again, at most."""
STREAM_FILES = ("bus_events.jsonl", "trace_events.jsonl", "transcript.jsonl")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured operation: its name, best time and floor, both in microseconds."""

    name: str
    floor: str
    best_us: float
    floor_us: float

    @property
    def ratio(self) -> float:
        """How many times the floor the operation costs."""
        return self.best_us / self.floor_us


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A session directory, and how the table calls it."""

    name: str
    directory: Path


def best_us(operation: Callable[[], object], *, operations: int = 1, rounds: int = ROUNDS) -> float:
    """Return the least time of `rounds` calls, in microseconds an operation."""
    times: list[int] = []
    for _ in range(rounds):
        start = time.perf_counter_ns()
        operation()
        times.append(time.perf_counter_ns() - start)
    return min(times) / operations / 1_000


def each(
    function: Callable[[int], object], cursors: Sequence[int], *, rounds: int = ROUNDS
) -> float:
    """Return the best time of `function` at one cursor, over all of `cursors`."""

    def operation() -> None:
        for cursor in cursors:
            function(cursor)

    return best_us(operation, operations=len(cursors), rounds=rounds)


def forty_slots() -> JsonObject:
    """Return a projection of 40 slots, as large as a call of 40 slots shows."""
    event_id = "e0000100"
    variables: list[JsonObject] = [
        {
            "slot": f"slot_{n:02d}",
            "class": "plain",
            "entry": "before",
            "entry_label": "recorded",
            "current": "now",
            "label": "recorded",
            "reason": None,
            "recorded_exit": None,
            "exit_label": "unavailable",
            "writer": "resolver",
            "write_event_id": event_id,
            "changed": False,
        }
        for n in range(40)
    ]
    return {"variables": [*variables], "variables_total": 40, "event": {"event_id": event_id}}


def measure(directory: Path, folder: Path) -> list[Figure]:
    """Return all figures of one session directory; `folder` takes artifact and cache."""
    out = folder / "artifact.json"
    figures = [*_whole(directory, out, folder / "cache")]
    view = open_recording(out).view
    gc.collect()
    gc.freeze()
    figures += [*_look_ups(view), *_projections(view), *_scans(view)]
    figures += [*_appends(directory, folder)]
    gc.unfreeze()
    return figures


def _whole(directory: Path, out: Path, cache: Path) -> Iterable[Figure]:
    """Yield what reads a whole call: building its artifact, opening it without and with a cache."""
    decode = msgspec.json.Decoder().decode
    files = [file.read_bytes() for file in sorted(directory.glob("*.jsonl"))]
    lines = [line for data in files for line in data.split(b"\n") if line]
    rounds = ROUNDS if len(lines) < 50_000 else 3

    def build() -> None:
        write_artifact(stream_session(directory), out, session_directory=directory)

    def figure(name: str, operation: Callable[[], object], floor_us: float) -> Figure:
        best = best_us(operation, rounds=rounds)
        return Figure(name=name, floor="decode", best_us=best, floor_us=floor_us)

    records = best_us(lambda: [decode(line) for line in lines], rounds=rounds)
    yield figure("build", build, records)
    data = out.read_bytes()
    whole = best_us(lambda: decode(data), rounds=rounds)
    os.environ["SPD_CACHE"] = "off"
    yield figure("open", lambda: open_recording(out), whole)
    os.environ["SPD_CACHE"] = str(cache)
    open_recording(out)
    yield figure("open again", lambda: open_recording(out), whole)
    open_recording(directory)
    yield figure("open its session again", lambda: open_recording(directory), whole)


def _look_ups(view: ArtifactView) -> Iterable[Figure]:
    """Yield what only moves the cursor."""
    chosen = random.Random(7)
    last = view.event_count - 1
    cursors = [chosen.randrange(last) for _ in range(CURSORS)]
    posting = array("q", range(view.event_count))
    floor = each(lambda cursor: bisect_right(posting, cursor), cursors)
    clocks = {cursor: view.clock_ms(cursor) or 0 for cursor in cursors}
    condition: JsonObject = {"event_type": "state_entered"}
    slot = str(max(view.slots, key=lambda row: str(row["write_count"]).zfill(9))["slot"])
    page = len(slot_history(view, slot, offset=0, limit=PAGE_ROWS))

    def stepped(unit: Unit, direction: Direction) -> Callable[[int], object]:
        return lambda cursor: step(view, cursor, unit=unit, direction=direction)

    def ran(direction: Direction) -> Callable[[int], object]:
        return lambda cursor: run(
            view, cursor, stops=[resolve(condition, view)], direction=direction
        )

    operations: list[tuple[str, Callable[[int], object]]] = [
        ("seek a clock", lambda cursor: view.index_at_clock(clocks[cursor])),
        ("step event", stepped(Unit.EVENT, Direction.FORWARD)),
        ("step beat", stepped(Unit.BEAT, Direction.FORWARD)),
        ("step visit", stepped(Unit.VISIT, Direction.FORWARD)),
        ("reverse event", stepped(Unit.EVENT, Direction.REVERSE)),
        ("reverse beat", stepped(Unit.BEAT, Direction.REVERSE)),
        ("reverse visit", stepped(Unit.VISIT, Direction.REVERSE)),
        ("continue_until forward", ran(Direction.FORWARD)),
        ("continue_until reverse", ran(Direction.REVERSE)),
    ]
    for name, operation in operations:
        yield Figure(name=name, floor="bisect", best_us=each(operation, cursors), floor_us=floor)
    row = slot_of(view, slot)
    assert row is not None
    writer = each(lambda cursor: slot_value(view, row, cursor), cursors)
    yield Figure(name="last writer of a slot", floor="bisect", best_us=writer, floor_us=floor)
    history = each(
        lambda _: slot_history(view, slot, offset=0, limit=PAGE_ROWS), range(CURSORS // 10)
    )
    name = f"slot history, a row of {PAGE_ROWS}"
    yield Figure(name=name, floor="bisect", best_us=history / page, floor_us=floor)


def _projections(view: ArtifactView) -> Iterable[Figure]:
    """Yield what shows a cursor."""
    chosen = random.Random(11)
    cursors = [chosen.randrange(view.event_count - 1) for _ in range(CURSORS // 10)]
    shown = forty_slots()
    rounds = 3 * ROUNDS
    floor = each(lambda _: sha256_of(canonical_bytes(shown)), cursors, rounds=rounds)

    def command(action: JsonObject) -> Callable[[int], object]:
        return lambda cursor: apply_command(DebuggerState(view=view, cursor=cursor), action)

    until: JsonObject = {"action": "continue_until", "until": [{"event_type": "state_entered"}]}
    operations: list[tuple[str, Callable[[int], object]]] = [
        ("projection", lambda cursor: project(view, cursor)),
        (
            "projection and hash",
            lambda cursor: determinism_hash(view, cursor, project(view, cursor)),
        ),
        ("command seek", command({"action": "seek", "event_index": view.event_count // 2})),
        ("command step", command({"action": "step"})),
        ("command reverse", command({"action": "reverse"})),
        ("command continue_until", command(until)),
    ]
    for name, operation in operations:
        best = each(operation, cursors, rounds=rounds)
        yield Figure(name=name, floor="hash", best_us=best, floor_us=floor)


def _scans(view: ArtifactView) -> Iterable[Figure]:
    """Yield CEL conditions that never hold, an event each, and one run to the next that does.

    Every run has a literal of its own, so that nothing is remembered from the run before.
    """
    numbers = count()
    records = [canonical_bytes(view.payload(i)) for i in range(view.event_count)]
    decode = msgspec.json.Decoder().decode
    floor = best_us(
        lambda: [decode(line) for line in records], operations=view.event_count, rounds=3
    )

    def never(condition: str) -> float:
        def operation() -> None:
            until: JsonObject = {"expr": f'{condition} == "never {next(numbers)}"'}
            stop = finish(scan_until(view, -1, until=[until], direction=Direction.FORWARD))
            assert stop.edge == "end"

        return best_us(operation, operations=view.event_count, rounds=3)

    for name, condition in (
        ("CEL, any event, no hit", "event.new"),
        ("CEL, one type, no hit", 'event.type == "slot_write" && event.new'),
    ):
        yield Figure(name=name, floor="decode one", best_us=never(condition), floor_us=floor)
    hit: list[JsonValue] = [{"expr": 'event.type == "slot_write" && event.new != null'}]
    chosen = random.Random(13)
    cursors = [chosen.randrange(view.event_count // 2) for _ in range(CURSORS // 10)]
    nearest = each(
        lambda cursor: finish(scan_until(view, cursor, until=hit, direction=Direction.FORWARD)),
        cursors,
    )
    yield Figure(name="CEL, to the next hit", floor="decode one", best_us=nearest, floor_us=floor)


def _appends(directory: Path, folder: Path) -> Iterable[Figure]:
    """Yield what one record costs a call that is being recorded, the call's own records."""
    decode = msgspec.json.Decoder().decode
    records: list[JsonObject] = []
    for name in STREAM_FILES:
        with (directory / name).open("rb") as file:
            records += [decode(line) for line in islice(file, APPENDED)]
    for record in records:
        for given in ("seq", "event_id"):
            record.pop(given, None)

    def floor() -> None:
        with (folder / "floor").open("wb", buffering=0) as file:
            descriptor = file.fileno()
            for record in records:
                os.write(descriptor, json.dumps(record).encode() + b"\n")

    def append() -> None:
        with tempfile.TemporaryDirectory(dir=folder) as name, recorded(Path(name)) as recorder:
            start = time.perf_counter_ns()
            for record in records:
                recorder.append(record)
            times.append(time.perf_counter_ns() - start)

    times: list[int] = []
    floor_us = best_us(floor, operations=len(records))
    for _ in range(ROUNDS):
        append()
    best = min(times) / len(records) / 1_000
    yield Figure(name="append a record", floor="dumps, write", best_us=best, floor_us=floor_us)


def recorded(directory: Path) -> Recorder:
    """Return a recorder of a call whose flow is not known."""
    return Recorder.open(
        directory,
        session_id="bench:append",
        flow=None,
        identity=Identity(),
        call_start_epoch=0,
    )


def generated_calls(sizes: Sequence[int], folder: Path) -> Iterable[Call]:
    """Yield a generated call of each size."""
    folder.mkdir()
    for events in sizes:
        out = folder / str(events)
        options = ["--plain", "--slots", "20", "--seed", "1"]
        subprocess.run(
            [sys.executable, str(GENERATOR), str(events), str(out), *options],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        yield Call(name=f"{events:,} events", directory=out)


def table_of(results: dict[str, list[Figure]]) -> Table:
    """Return the figures as a table: a row an operation, a pair of columns a call."""
    table = Table(title="best of several rounds: microseconds (times the floor)")
    table.add_column("operation")
    table.add_column("floor")
    for name in results:
        table.add_column(name, justify="right")
    table.add_column("flatness", justify="right")
    for row in zip(*results.values(), strict=True):
        cells = [f"{figure.best_us:,.2f} ({figure.ratio:,.1f}x)" for figure in row]
        flatness = row[-1].best_us / row[0].best_us
        table.add_row(row[0].name, row[0].floor, *cells, f"{flatness:,.2f}")
    return table


def line_of(results: dict[str, list[Figure]]) -> str:
    """Return the figures as one JSON line, for a script that keeps them."""
    calls = {
        name: {
            figure.name: {
                "us": round(figure.best_us, 3),
                "floor": figure.floor,
                "floor_us": round(figure.floor_us, 3),
                "ratio": round(figure.ratio, 2),
            }
            for figure in figures
        }
        for name, figures in results.items()
    }
    first, last = next(iter(results.values())), [*results.values()][-1]
    flatness = {
        few.name: round(many.best_us / few.best_us, 2)
        for few, many in zip(first, last, strict=True)
    }
    return json.dumps({"python": platform.python_version(), "calls": calls, "flatness": flatness})


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure the engine; judges nothing.")
    parser.add_argument("events", nargs="*", type=int, default=EVENTS)
    sizes: Sequence[int] = parser.parse_args().events
    console = Console(width=None if sys.stdout.isatty() else 140)
    results: dict[str, list[Figure]] = {}
    with tempfile.TemporaryDirectory(prefix="spd-bench-") as name:
        folder = Path(name)
        calls: Iterable[Call] = [Call(name=n, directory=ROOT / "fixtures" / n) for n in FIXTURES]
        if GENERATOR.is_file():
            calls = generated_calls(sizes, folder / "calls")
        else:
            console.print("No session generator beside the checkout: the fixtures are measured.")
        for call in calls:
            results[call.name] = measure(call.directory, folder)
    console.print(table_of(results))
    sys.stdout.write(line_of(results) + "\n")


if __name__ == "__main__":
    main()
