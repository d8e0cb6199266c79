"""What a stock IDE asks and keeps: the breakpoints it has set, the frame that is selected.

Rules: only requests that the protocol has; a request is sent only where the adapter announced it or
the protocol needs no announcement. While a move runs, an interrupt becomes a `pause`.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from dap_adapter.client import DapClient, RequestFailed
from dap_adapter.terminal.breakpoints import Breakpoint, Kind, address
from engine.core.contract.json_types import JsonObject, JsonValue, integer, mapping, rows, text

THREAD: JsonObject = {"threadId": 1}
ANNOUNCED: JsonObject = {
    "adapterID": "state-program",
    "clientID": "spd-debug",
    "linesStartAt1": True,
    "columnsStartAt1": True,
    "supportsVariableType": True,
    "supportsVariablePaging": True,
    "supportsProgressReporting": True,
}


PAGE = 500
"""How many rows are asked for at once."""


class Refusal(Exception):
    """What was asked for cannot be done; the text says why, to a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """The answer to an expression, and the stop that it led to where it moved."""

    answer: JsonObject
    stop: JsonObject | None


class IdeClient:
    """One debug session with an adapter, seen from the side of an IDE."""

    def __init__(self, client: DapClient) -> None:
        self._client = client
        self._news_from = 0
        self._asked = 0
        self._breakpoints: list[Breakpoint] = []
        self._last_number = 0
        self._selected: int | None = None
        self.ticked: tuple[str, ...] = ()
        """The exception filters that are on."""
        self.capabilities: JsonObject = {}

    def start(self, launch: JsonObject) -> JsonObject:
        """Open a recording and return the first stop. Raises: RequestFailed, ClientError."""
        self.capabilities = self._client.request("initialize", ANNOUNCED)
        self._client.request("launch", launch)
        self._client.event("initialized")
        self._client.request("configurationDone")
        return self._client.event("stopped")

    def can(self, capability: str) -> bool:
        """Return whether the adapter announced a capability."""
        return self.capabilities.get(capability) is True

    # -- moving ------------------------------------------------------------------------------------

    @property
    def is_asking(self) -> bool:
        """Whether an answer is on its way that no interrupt may cut off."""
        return self._asked > 0

    def move(self, command: str, arguments: JsonObject = THREAD) -> JsonObject:
        """Send a resume request and return the stop that ends it. Raises: RequestFailed."""
        self._selected = None
        with self._asking():
            self._answer(command, arguments)
            return self._stop()

    def evaluate(self, expression: str, context: str) -> Evaluated:
        """Evaluate at the selected frame; what the adapter does then may be a move."""
        arguments: JsonObject = {"expression": expression, "context": context}
        arguments["frameId"] = self.frame()["id"]
        since = len(self._client.messages)
        with self._asking():
            answer = self._answer("evaluate", arguments)
            self._client.response(self._client.send("threads"))
            moved = any(
                message.get("event") in ("continued", "stopped")
                for message in self._client.messages[since:]
            )
            stop = self._stop() if moved else None
        if stop is not None:
            self._selected = None
        return Evaluated(answer=answer, stop=stop)

    @contextmanager
    def _asking(self, by: int = 1) -> Generator[None]:
        self._asked += by
        try:
            yield
        finally:
            self._asked -= by

    def _request(self, command: str, arguments: JsonObject | None = None) -> JsonObject:
        """Return the answer to a request that is not interrupted. Raises: RequestFailed."""
        with self._asking():
            return self._client.request(command, arguments)

    def _answer(self, command: str, arguments: JsonObject) -> JsonObject:
        """Return the answer to a request that an interrupt may end early."""
        seq = self._client.send(command, arguments)
        response = self._interruptible(lambda: self._client.response(seq))
        if response["success"] is not True:
            raise RequestFailed(response)
        return mapping(response, "body")

    def _stop(self) -> JsonObject:
        return self._interruptible(lambda: self._client.event("stopped"))

    def _interruptible(self, wait: Callable[[], JsonObject]) -> JsonObject:
        """Return what `wait` gives; on an interrupt ask for a pause and wait once more."""
        try:
            with self._asking(-self._asked):
                return wait()
        except KeyboardInterrupt:
            self._client.response(self._client.send("pause", THREAD))
            return wait()

    def output(self) -> list[str]:
        """Return the lines that the adapter printed since the last call.

        What it prints follows its answers, so something is asked first: then all of it is here.
        """
        self._request("threads")
        messages = self._client.messages[self._news_from :]
        self._news_from = len(self._client.messages)
        printed = ""
        for message in messages:
            body = mapping(message, "body")
            if message.get("event") == "output" and body.get("category") != "telemetry":
                printed += text(body, "output") or ""
            elif message.get("event") == "breakpoint":
                self._note_change(mapping(body, "breakpoint"))
        return printed.splitlines()

    # -- what is shown -----------------------------------------------------------------------------

    def call_name(self) -> str:
        """Return the name of the one thread."""
        return text(rows(self._request("threads"), "threads")[0], "name") or ""

    def frames(self, *, levels: int = 0, start: int = 0) -> tuple[list[JsonObject], int]:
        """Return rows of the stack, innermost visit first, and how many there are; 0 means all."""
        wanted: JsonObject = {**THREAD, "startFrame": start, "levels": levels}
        answer = self._request("stackTrace", wanted)
        found = rows(answer, "stackFrames")
        return found, integer(answer, "totalFrames") or len(found)

    def frame(self) -> JsonObject:
        """Return the selected row of the stack, the innermost one by default."""
        return self.frames(start=self._selected or 0, levels=1)[0][0]

    def select(self, place: int) -> JsonObject:
        """Select a row of the stack by its place from 0. Raises: Refusal."""
        found, total = self.frames(start=place, levels=1)
        if place < 0 or not found:
            raise Refusal(f"There is no frame {place}: the frames are 0 to {total - 1}.")
        if found[0].get("presentationHint") == "label":
            raise Refusal(f"Row {place} is a heading: 'bt' shows the frames.")
        self._selected = place
        return found[0]

    def scopes(self, frame: JsonObject | None = None) -> list[JsonObject]:
        """Return the scopes of a frame, of the selected one by default."""
        chosen = self.frame() if frame is None else frame
        return rows(self._request("scopes", {"frameId": chosen["id"]}), "scopes")

    def scope(self, name: str, frame: JsonObject | None = None) -> list[JsonObject]:
        """Return the rows of the scope with this name. Raises: Refusal."""
        for scope in self.scopes(frame):
            if text(scope, "name") == name:
                return self.children(scope)
        raise Refusal(f"This adapter shows no {name}.")

    def children(
        self, container: JsonObject, *, start: int = 0, count: int = 0
    ) -> list[JsonObject]:
        """Return the rows behind a scope or variable, a page of them where `count` is not 0."""
        if not container.get("variablesReference"):
            return []
        wanted: JsonObject = {"variablesReference": container["variablesReference"]}
        if count:
            wanted |= {"start": start, "count": count}
        return rows(self._request("variables", wanted), "variables")

    def all_children(self, container: JsonObject) -> list[JsonObject]:
        """Return every row behind a scope or variable, asked for page by page."""
        found: list[JsonObject] = []
        while page := self.children(container, start=len(found), count=PAGE):
            found += page
            if len(page) < PAGE:
                break
        return found

    def count_of(self, container: JsonObject, *, near: int) -> int:
        """Return how many rows stand behind a container that does not say; about `near`, perhaps.

        Cost: two requests for each doubling of the distance from `near`.
        """
        said = integer(container, "indexedVariables")
        if said is not None:
            return said

        def has(place: int) -> bool:
            return bool(self.children(container, start=place, count=1))

        low, high, width = -1, near, 1  # a row stands at `low`, none at `high`, once both are found
        if has(near):
            low = near
            while has(low + width):
                low, width = low + width, 2 * width
            high = low + width
        else:
            while high - width >= 0 and not has(high - width):
                high, width = high - width, 2 * width
            low = max(-1, high - width)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if has(middle) else (low, middle)
        return high

    def source_lines(self, frame: JsonObject) -> list[str]:
        """Return the text of a frame's source: from the file or, without one, by reference."""
        source = mapping(frame, "source")
        path = text(source, "path")
        if path is not None:
            try:
                return Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
            except OSError as error:
                raise Refusal(f"The flow cannot be read: {error.strerror}.") from None
        reference = source.get("sourceReference")
        if not reference:
            return []
        answer = self._request("source", {"sourceReference": reference, "source": source})
        return (text(answer, "content") or "").splitlines()

    def completions(self, line: str, column: int) -> list[str]:
        """Return what may stand at `column` (from 1) of a line; empty where it is not offered."""
        if not self.can("supportsCompletionsRequest"):
            return []
        wanted: JsonObject = {"text": line, "column": column, "frameId": self.frame()["id"]}
        answer = self._request("completions", wanted)
        return [text(row, "text") or text(row, "label") or "" for row in rows(answer, "targets")]

    # -- breakpoints -------------------------------------------------------------------------------

    @property
    def breakpoints(self) -> Sequence[Breakpoint]:
        """Every breakpoint that is set, in the order in which they were."""
        return tuple(self._breakpoints)

    def break_on_line(self, key: str, extras: JsonObject, *, is_temporary: bool) -> Breakpoint:
        """Set a breakpoint on a line of the flow, `12` or `12:5`, and return it as answered."""
        return self._set(Kind.LINE, key, f"line {key}", extras, is_temporary=is_temporary)

    def break_on_name(self, name: str, extras: JsonObject, *, is_temporary: bool) -> Breakpoint:
        """Set a breakpoint on what has a name. Raises: Refusal where that is not offered."""
        if not self.can("supportsFunctionBreakpoints"):
            raise Refusal("Breakpoints by name are not offered: give a line of the flow.")
        return self._set(Kind.NAME, name, name, extras, is_temporary=is_temporary)

    def watch(self, slot: str, extras: JsonObject) -> tuple[Breakpoint, str]:
        """Set a breakpoint on a slot; return it and the adapter's description. Raises: Refusal."""
        info = self._request("dataBreakpointInfo", {"name": slot})
        described = text(info, "description") or ""
        key = text(info, "dataId")
        if key is None:
            raise Refusal(described)
        found = self._set(Kind.SLOT, key, slot, extras, is_temporary=False)
        return found, described

    def delete(self, wanted: Callable[[Breakpoint], bool]) -> list[Breakpoint]:
        """Take away every breakpoint that is wanted away, and return those."""
        gone = [item for item in self._breakpoints if wanted(item)]
        self._breakpoints = [item for item in self._breakpoints if not wanted(item)]
        self._send_all(gone)
        return gone

    def hit_by(self, stop: JsonObject) -> list[Breakpoint]:
        """Return the breakpoints that a stop is at."""
        hit = stop.get("hitBreakpointIds")
        ids = hit if isinstance(hit, list) else []
        return [item for item in self._breakpoints if item.answer.get("id") in ids]

    def drop_temporary(self, stop: JsonObject) -> None:
        """Take away the breakpoints that were for one hit, where a stop is at them."""
        hit = {item.number for item in self.hit_by(stop) if item.is_temporary}
        if hit:
            self.delete(lambda item: item.number in hit)

    def filters(self) -> list[JsonObject]:
        """Return the exception filters that the adapter announced."""
        return rows(self.capabilities, "exceptionBreakpointFilters")

    def exception_card(self) -> JsonObject:
        """Return what the adapter tells of the finding that was stopped at."""
        return self._request("exceptionInfo", THREAD)

    def tick(self, filters: Sequence[str]) -> list[JsonObject]:
        """Have exactly these exception filters on, and return the answers."""
        self.ticked = tuple(filters)
        wanted: JsonObject = {"filters": list[JsonValue](self.ticked)}
        return rows(self._request("setExceptionBreakpoints", wanted), "breakpoints")

    def _set(
        self, kind: Kind, key: str, label: str, extras: JsonObject, *, is_temporary: bool
    ) -> Breakpoint:
        before = self._breakpoints
        self._last_number += 1
        number = self._last_number
        # A place is asked for once: setting it again replaces what was there.
        self._breakpoints = [item for item in before if (item.kind, item.key) != (kind, key)]
        self._breakpoints.append(
            Breakpoint(
                number=number,
                kind=kind,
                key=key,
                label=label,
                extras=extras,
                is_temporary=is_temporary,
                answer={},
            )
        )
        try:
            self._send(kind)
        except RequestFailed:
            self._breakpoints = before
            raise
        return next(item for item in self._breakpoints if item.number == number)

    def _note_change(self, answer: JsonObject) -> None:
        """Keep what the adapter says later of a breakpoint: how often it is hit, say."""
        self._breakpoints = [
            replace(item, answer={**item.answer, **answer})
            if item.answer.get("id") == answer.get("id")
            else item
            for item in self._breakpoints
        ]

    def _send_all(self, changed: Sequence[Breakpoint]) -> None:
        for kind in sorted({item.kind for item in changed}):
            self._send(kind)

    def _send(self, kind: Kind) -> None:
        """Send all breakpoints of a kind, as the protocol has it, and keep the answers."""
        of_kind = [item for item in self._breakpoints if item.kind is kind]
        wanted: list[JsonValue] = [{**address(item), **item.extras} for item in of_kind]
        match kind:
            case Kind.LINE:
                source = self.frames(levels=1)[0][0]["source"]
                answer = self._request("setBreakpoints", {"source": source, "breakpoints": wanted})
            case Kind.NAME:
                answer = self._request("setFunctionBreakpoints", {"breakpoints": wanted})
            case Kind.SLOT:
                answer = self._request("setDataBreakpoints", {"breakpoints": wanted})
        answered = dict(
            zip([item.number for item in of_kind], rows(answer, "breakpoints"), strict=False)
        )
        self._breakpoints = [
            replace(item, answer=answered.get(item.number, item.answer))
            for item in self._breakpoints
        ]
