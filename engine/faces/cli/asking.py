"""What the readable commands share: opening a call, reading a place, printing an answer.

A command asks the core one question and prints what comes back; no rule and no join is here. The
text is for 80 columns and has colour only on a terminal. `--json` prints exactly one object.
"""

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import click

from engine.core.contract.errors import EngineError, InvalidCommand
from engine.core.contract.json_types import JsonObject, JsonValue, mapping, rows, text
from engine.faces.cli.output import print_error, print_object, progress_on_terminal

if TYPE_CHECKING:
    from engine.core.artifact import ArtifactView
    from engine.faces.cli.sheet import Sheet

ANSWER_SCHEMA = "riff.answer/v1"
_CLOCK = re.compile(r"(?:(?:(\d+):)?(\d+):)?(\d+)(?:\.(\d{1,3}))?")
_INDEX = re.compile(r"#(-?\d{1,15})")
_FINDING = re.compile(r"[A-Z_]+#\d+")

_Command = TypeVar("_Command", bound=Callable[..., None])


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What every readable command takes."""

    recording: Path
    at: str
    as_json: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """An opened recording and the cursor that a question is asked at."""

    view: "ArtifactView"
    recording: Path
    cursor: int

    def ask(self, command: JsonObject) -> JsonObject:
        """Return the core's response to a query at the cursor.

        Raises: Refused with the core's error.
        """
        return ask_at(self.view, self.cursor, command)

    def cursor_of(self, place: str) -> int:
        """Return the cursor that a place means."""
        return _cursor(ask_at(self.view, -1, {"action": "seek", **place_of(self.view, place)}))

    def visit_of(self, place: str | None) -> JsonObject:
        """Return the keys that name a visit: its id, or the cursor of a place in it."""
        if place is None:
            return {}
        if self.view.ordinal_of(place) is not None:
            return {"visit_id": place}
        found = place_of(self.view, place)
        if "visit_id" in found:
            return found
        return {"cursor": self.cursor_of(place)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The core's response to a question, how to show it, and what to ask next."""

    response: JsonObject
    show: "Show"
    following: Sequence[str]
    """The next useful command, as its arguments after the recording; the verb first."""


Show: TypeAlias = "Callable[[Sheet, JsonObject], None]"


class Refused(Exception):
    """The core answered with a typed error."""

    def __init__(self, error: JsonObject) -> None:
        super().__init__(text(error, "message"))
        self.error = error


def ask_at(view: "ArtifactView", cursor: int, command: JsonObject) -> JsonObject:
    """Return the response to a command at a cursor, unless it names its own."""
    from engine.core.cursor import apply_command, open_debugger  # noqa: PLC0415  keep --help fast

    _, response = apply_command(open_debugger(view), {"cursor": cursor, **command})
    if response["error"] is not None:
        raise Refused(mapping(response, "error"))
    return response


def _cursor(response: JsonObject) -> int:
    cursor = response["new_cursor"]
    assert isinstance(cursor, int)
    return cursor


def asks(command: _Command) -> _Command:
    """Give a command the argument RECORDING and the options --at and --json."""
    for add in (
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
        click.option(
            "--at",
            default="end",
            metavar="PLACE",
            help="Where in the call: #EVENT, seconds, M:S, a visit, event or finding id.",
        ),
        click.argument("recording", type=click.Path(path_type=Path)),
    ):
        command = add(command)
    return command


def answer(verb: str, asked: Asked, reply: Callable[[Call], Reply]) -> None:
    """Open the recording, ask, and print; exits with 1 after a typed error."""
    try:
        call = _open(asked)
        found = reply(call)
    except (EngineError, Refused) as error:
        _refuse(verb, asked, error)
        raise click.exceptions.Exit(1) from error
    result = mapping(found.response, "result")
    following = _spelled(asked.recording, found.following)
    if asked.as_json:
        print_object(_object(verb, found.response, result, following))
        return
    from engine.faces.cli.sheet import Sheet  # noqa: PLC0415  keep --help fast

    sheet = Sheet.on(sys.stdout)
    found.show(sheet, result)
    sheet.gap()
    sheet.line(f"Unknowns: {unknowns_of(result)}", style="dim")
    sheet.unbroken(f"Next: {following}")


def _open(asked: Asked) -> Call:
    from engine.importers import open_any  # noqa: PLC0415  keep --help fast

    with progress_on_terminal() as progress:
        view = open_any(asked.recording, progress=progress).view
    call = Call(view=view, recording=asked.recording, cursor=-1)
    return Call(view=view, recording=asked.recording, cursor=call.cursor_of(asked.at))


def _refuse(verb: str, asked: Asked, error: EngineError | Refused) -> None:
    said = error.as_json() if isinstance(error, EngineError) else error.error
    if isinstance(error, EngineError):
        print_error(error)
    else:
        click.echo(f"spd: {said['code']}: {said['message']}", err=True)
    if asked.as_json:
        print_object(_object(verb, {"error": said}, None, None))


def _object(
    verb: str, response: JsonObject, result: JsonObject | None, following: str | None
) -> JsonObject:
    """Return the one object of --json; its `result` is the core's, word by word."""
    return {
        "schema": ANSWER_SCHEMA,
        "verb": verb,
        "artifact_hash": response.get("artifact_hash"),
        "cursor": response.get("new_cursor"),
        "determinism_hash": response.get("determinism_hash"),
        "result": result,
        "evidence_refs": response.get("evidence_refs", []),
        "next": following,
        "error": response.get("error"),
    }


def _spelled(recording: Path, following: Sequence[str]) -> str:
    verb, *arguments = following
    return " ".join(["spd", verb, quote(str(recording)), *map(_word, arguments)])


def _word(argument: str) -> str:
    """Return an argument as one types it; a `#` inside a word needs no quotes."""
    plain = re.fullmatch(r"[\w@%+=:,./-][\w@%+=:,./#-]*", argument, re.ASCII)
    return argument if plain else quote(argument)


def place_of(view: "ArtifactView", place: str) -> JsonObject:
    """Return the key of `seek` that a place means.

    `start`, `end`; `#812` (event index); seconds `16.7`, `1:42.3`, `1:02:03`; a visit id, a finding
    id, an event id. Raises: InvalidCommand for an empty place.
    """
    if not place:
        raise InvalidCommand("A place is #EVENT, seconds, M:S, a visit, event or finding id.")
    if place in {"start", "end"}:
        return {"edge": place}
    index, clock = _INDEX.fullmatch(place), _CLOCK.fullmatch(place)
    if index is not None:
        return {"event_index": int(index.group(1))}
    if clock is not None:
        return {"clock_ms": milliseconds(place)}
    if view.ordinal_of(place) is None and _FINDING.fullmatch(place):
        return {"finding": place}
    return {"visit_id": place} if "#" in place else {"event_id": place}


def milliseconds(place: str) -> int:
    """Return the milliseconds of `16.7`, `1:42.3` or `1:02:03`.

    Raises: InvalidCommand where it is none of them.
    """
    clock = _CLOCK.fullmatch(place)
    if clock is None or len(place) > 16:
        raise InvalidCommand(f"{place!r} is no time. Write seconds (16.7) or M:S (1:42.3).")
    hours, minutes, seconds, part = clock.groups(default="0")
    whole = (int(hours) * 60 + int(minutes)) * 60 + int(seconds)
    return whole * 1000 + int(part.ljust(3, "0"))


def unknowns_of(result: JsonObject) -> str:
    """Return in words what the recording does not hold for the question."""
    missing = [f"{row['what']} ({said(row['reason'])})" for row in rows(result, "unknowns")]
    return "; ".join(missing) if missing else "none"


def said(value: JsonValue) -> str:
    """Return a code word as words: `not_recorded` as `not recorded`."""
    return str(value).replace("_", " ")


def seconds(value: JsonValue) -> str:
    """Return milliseconds as seconds, `16.588`; `-` where there is no time."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return "-"
    return f"{value / 1000:.3f}"


def valued(value: JsonValue, label: JsonValue = "recorded", reason: JsonValue = None) -> str:
    """Return a value as JSON, or its label and reason where it is not recorded."""
    from engine.core.contract.canonical import canonical_bytes, printable  # noqa: PLC0415

    if label == "unavailable":
        return f"unavailable ({said(reason)})" if reason else "unavailable"
    shown = canonical_bytes(printable(value)).decode()
    return f"{shown} (redacted)" if label == "redacted" else shown


def placed(row: JsonObject) -> str:
    """Return where an event stands: `#135`."""
    return f"#{row['event_index']}" if row.get("event_index") is not None else "-"


def counted(result: JsonObject, noun: str) -> str:
    """Return `3 of 12 visits`."""
    return f"{len(rows(result, 'items'))} of {result['total']} {noun}"
