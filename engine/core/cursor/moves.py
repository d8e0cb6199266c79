"""Actions that move the cursor: `step`, `reverse`, `continue_until`, `seek`.

An action takes the view, the cursor and a command whose keys are those of the action, and gives an
`Answer` or raises an `EngineError`. Source: design section 10, contract.
"""

from collections.abc import Callable

from engine.core.artifact import ArtifactView
from engine.core.contract.errors import BoundaryOverrun, EventUnavailable, InvalidCommand
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.contract.labels import Direction, Unit
from engine.core.cursor.conditions import scan_until
from engine.core.cursor.reading import choice_of, finding_named, places, visit_named
from engine.core.cursor.response import Answer
from engine.core.cursor.scan import finish
from engine.core.cursor.stops import step


def _step(view: ArtifactView, cursor: int, command: JsonObject, direction: Direction) -> Answer:
    unit = choice_of(command, "unit", Unit, Unit.EVENT)
    stop = step(view, cursor, unit=unit, direction=direction)
    if stop.edge is not None:
        raise BoundaryOverrun(
            f"The cursor stands at the {stop.edge} of the recording already.",
            {"edge": stop.edge, "cursor": cursor},
        )
    return Answer(cursor=stop.cursor)


def step_forward(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    """Answer `step`: one unit forwards."""
    return _step(view, cursor, command, Direction.FORWARD)


def step_reverse(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    """Answer `reverse`: one unit backwards."""
    return _step(view, cursor, command, Direction.REVERSE)


def continue_until(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    """Answer `continue_until`: the next place where a condition holds, else the edge."""
    direction = choice_of(command, "direction", Direction, Direction.FORWARD)
    until = command.get("until")
    if not isinstance(until, list) or not until:
        raise InvalidCommand("`until` is a list of one or more conditions.")
    stop = finish(scan_until(view, cursor, until=until, direction=direction))
    matched = stop.matched[0] if stop.matched else None
    return Answer(cursor=stop.cursor, result={"matched": matched, "edge": stop.edge})


def seek(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:  # noqa: ARG001
    """Answer `seek`: one named place."""
    targets = [key for key in command if key in SEEKS]
    if len(targets) != 1:
        raise InvalidCommand(
            f"`seek` takes exactly one of {', '.join(SEEKS)}.", {"given": [*targets]}
        )
    key = targets[0]
    return Answer(cursor=SEEKS[key](view, command[key]))


def _seek_index(view: ArtifactView, value: JsonValue) -> int:
    if type(value) is not int:
        raise InvalidCommand("`event_index` is an integer.", {"event_index": value})
    if not -1 <= value < view.event_count:
        raise EventUnavailable(
            f"`event_index` must be {places(view)}.",
            {"event_index": value, "event_count": view.event_count},
        )
    return value


def _seek_event(view: ArtifactView, value: JsonValue) -> int:
    name = _text_of("event_id", value)
    index = view.index_of(name)
    if index is None:
        raise EventUnavailable(f"No event has the id {name!r}.", {"event_id": name})
    return index


def _text_of(key: str, value: JsonValue) -> str:
    """Return the name of a place in the recording."""
    if not isinstance(value, str):
        raise EventUnavailable(f"`{key}` is a text.", {key: value})
    return value


def _seek_visit(view: ArtifactView, value: JsonValue) -> int:
    name = _text_of("visit_id", value)
    ordinal = visit_named(view, name)
    return view.visits[ordinal].entered_index


def _seek_clock(view: ArtifactView, value: JsonValue) -> int:
    if type(value) is not int:
        raise InvalidCommand("`clock_ms` is whole milliseconds.", {"clock_ms": value})
    return view.index_at_clock(value)


def _seek_finding(view: ArtifactView, value: JsonValue) -> int:
    name = _text_of("finding", value)
    at = finding_named(view, name)["at"]
    assert type(at) is int
    return at


def _seek_edge(view: ArtifactView, value: JsonValue) -> int:
    if value == "start":
        return -1
    if value == "end":
        return view.event_count - 1
    raise InvalidCommand("`edge` is `start` or `end`.", {"edge": value})


SEEKS: dict[str, Callable[[ArtifactView, JsonValue], int]] = {
    "event_index": _seek_index,
    "event_id": _seek_event,
    "visit_id": _seek_visit,
    "clock_ms": _seek_clock,
    "finding": _seek_finding,
    "edge": _seek_edge,
}
