"""What may be written of a value: the value itself where its class allows it, else its safe form.

A value is visible if its slot is `routing` or `plain`; what no slot declares is personal. Free text
goes through the redactor, if there is one. Source: design section 8.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from engine.core.artifact import SlotClasses, safe_form
from engine.core.contract.json_types import JsonValue
from engine.core.contract.labels import SlotClass
from engine.recording.fingerprints import (
    arguments_fingerprint,
    audio_fingerprint,
    has_few_possibilities,
    value_fingerprint,
)
from engine.recording.session_context import SessionContext

Redactor = Callable[[str], str]
"""Free text -> the same text with what is personal in it replaced."""


@runtime_checkable
class SpanRedactor(Protocol):
    """A redactor that also says where it redacts, so that audio can be muted word by word."""

    def spans(self, said: str, /) -> list[tuple[int, int]]:
        """Return the parts of the text that are replaced, as offsets, end exclusive."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SafeValue:
    """What may be written of a slot's value."""

    shown: JsonValue
    availability: str
    fingerprint: str | None


def safe_slot_value(context: SessionContext, slot: str, value: JsonValue) -> SafeValue:
    """Return what may be written of a slot's value.

    A redacted value that is easily found by trying has no fingerprint.
    Raises: RecordInvalid: no value that JSON has; RecordingFailed: the session is closed.
    """
    is_visible = value is None or is_shown(context.classes, slot)
    few = slot in context.few_valued or has_few_possibilities(value)
    fingerprint = value_fingerprint(context.key, slot, value)
    return SafeValue(
        shown=value if is_visible else safe_form(value),
        availability="recorded" if is_visible else "redacted",
        fingerprint=fingerprint if is_visible or not few else None,
    )


def is_shown(classes: SlotClasses, name: str) -> bool:
    """Return whether the value of a slot, or of an argument of that name, may be written."""
    return classes.of_slot(name) is not SlotClass.PERSONAL


def safe_arguments(context: SessionContext, arguments: JsonValue) -> JsonValue:
    """Return arguments or a result of a tool as they may be written.

    A member named like a `routing` or `plain` slot is shown, any other is a safe form; so is
    anything that is no object. The names of an object's members are shown.
    """
    if not isinstance(arguments, dict):
        return safe_form(arguments)
    return {
        name: value if is_shown(context.classes, name) else safe_form(value)
        for name, value in arguments.items()
    }


def safe_arguments_fingerprint(
    context: SessionContext, tool: str, arguments: JsonValue
) -> str | None:
    """Return the fingerprint of a tool's arguments, so that equal calls are seen.

    None where nothing is hidden, and where all that is hidden is easily found by trying.
    """
    hidden = [
        (name, value)
        for name, value in (arguments.items() if isinstance(arguments, dict) else [("", arguments)])
        if value is not None and not is_shown(context.classes, name)
    ]
    if all(name in context.few_valued or has_few_possibilities(value) for name, value in hidden):
        return None
    return arguments_fingerprint(context.key, tool, arguments)


def redact_strings(value: JsonValue, redactor: Redactor) -> JsonValue:
    """Return a value with the redactor applied to every text in it, the names of members aside.

    Where the redactor fails, the text's safe form stands: nothing passes unread.
    """
    match value:
        case str():
            return redact_text(value, redactor)
        case list():
            return [redact_strings(item, redactor) for item in value]
        case dict():
            return {name: redact_strings(item, redactor) for name, item in value.items()}
        case _:
            return value


def redact_text(said: str, redactor: Redactor) -> str:
    """Return a text as the redactor leaves it; its safe form where the redactor fails."""
    if said == safe_form(said):
        return said
    try:
        return redactor(said)
    except Exception:  # noqa: BLE001  someone else's code; its error may quote the text
        return f"<str len={len(said)}>"


def content_fingerprint(
    context: SessionContext, content: bytes | str, *, kind: str | None = None
) -> str:
    """Return the fingerprint of what a playback plays.

    `kind` is `text` for words and `audio` for sound; without it the content's type decides.
    Raises: RecordingFailed if the session is closed.
    """
    data = content.encode() if isinstance(content, str) else content
    told = kind or ("text" if isinstance(content, str) else "audio")
    return audio_fingerprint(context.key, told, data)
