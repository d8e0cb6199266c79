"""A client that may have asked several things at once, and why a request failed.

Rules: a pause is asked for while a move is not answered yet, so answers come in any order.
"""

import time
from collections.abc import Callable, Sequence

from dap_adapter.client import DapClient, RequestFailed
from engine.core.contract.json_types import JsonObject, JsonValue, integer, mapping, text


def reason_of(failed: RequestFailed) -> str:
    """Return why a request failed, in the adapter's sentence for a person."""
    error = mapping(mapping(failed.response, "body"), "error")
    sentence = text(error, "format") or str(failed)
    for name, value in mapping(error, "variables").items():
        sentence = sentence.replace(f"{{{name}}}", str(value))
    return sentence


class PatientClient(DapClient):
    """A client that may have asked several things: answers are kept until they are waited for.

    `show_progress` gets a line while something lasts, and an empty one when it is over.
    """

    def __init__(
        self, command: Sequence[str], *, timeout_s: float, show_progress: Callable[[str], None]
    ) -> None:
        super().__init__(command, timeout_s=timeout_s)
        self._early: dict[JsonValue, JsonObject] = {}
        self._show_progress = show_progress
        self._title = ""

    def response(self, seq: int) -> JsonObject:
        """Return the answer to request `seq`, in whatever order answers come."""
        deadline = time.monotonic() + self._timeout_s
        while seq not in self._early:
            message = self._next(deadline)
            if message["type"] == "event":
                self.events.append(message)
            else:
                self._early[message.get("request_seq")] = message
        return self._early.pop(seq)

    def _next(self, deadline: float) -> JsonObject:
        message = super()._next(deadline)
        body = mapping(message, "body")
        match message.get("event"):
            case "progressStart" | "progressUpdate":
                self._title = text(body, "title") or self._title
                percentage = integer(body, "percentage")
                done = "…" if percentage is None else f": {percentage} %"
                self._show_progress(f"{self._title}{done}")
            case "progressEnd":
                self._show_progress("")
            case _:
                pass
        return message
