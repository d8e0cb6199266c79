"""The prompt of a terminal: line editing, history, completion.

Rules: only this module knows prompt_toolkit, which is imported where there is a terminal. What is
completed comes from the table of verbs and from the adapter.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory

from dap_adapter.client import ClientError, RequestFailed
from dap_adapter.convert import safe_text
from dap_adapter.terminal.debugger import Debugger
from dap_adapter.terminal.verbs import VERBS

if TYPE_CHECKING:
    from pathlib import Path

MESSAGE = "(spd) "

APPLICATION = "state-program-debugger"

PLACE_VERBS = frozenset(["b", "break", "tb", "tbreak"])
"""Verbs that take a place of the flow, of which the adapter's console knows nothing."""


class Prompt:
    """Reads lines of a person at a terminal."""

    def __init__(self, debugger: Debugger) -> None:
        self._session: PromptSession[str] = PromptSession(
            history=_history(),
            completer=LineCompleter(debugger),
            complete_while_typing=False,
        )

    def read(self) -> str:
        """Return the next line. Raises: EOFError at the end, KeyboardInterrupt."""
        return self._session.prompt(MESSAGE)


class LineCompleter(Completer):
    """Completes verbs, and what stands behind one."""

    def __init__(self, debugger: Debugger) -> None:
        self._debugger = debugger

    def get_completions(
        self,
        document: Document,
        complete_event: CompleteEvent,  # noqa: ARG002 - the base class names it
    ) -> Iterator[Completion]:
        """Yield what may stand in place of the word before the cursor."""
        before = document.text_before_cursor.lstrip()
        word = before.rpartition(" ")[2]
        verbs = [] if " " in before else [name for verb in VERBS for name in verb.names]
        for item in dict.fromkeys([*verbs, *self._asked(before)]):
            if item.startswith(word) and item.isprintable():
                yield Completion(item, start_position=-len(word), display=safe_text(item))

    def _asked(self, before: str) -> list[str]:
        """Return what the adapter's console offers; nothing behind verbs that it does not know."""
        if before.partition(" ")[0] in PLACE_VERBS:
            return []
        try:
            return self._debugger.ide.completions(before, len(before) + 1)
        except (ClientError, RequestFailed):
            return []


def _history() -> History:
    """Return the lines of earlier sessions; only this one's where the file cannot be kept."""
    from platformdirs import user_state_path  # noqa: PLC0415 - start-up

    path: Path = user_state_path(APPLICATION) / "debug_history"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.read_bytes()
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(path))
