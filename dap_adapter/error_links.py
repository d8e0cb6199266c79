"""The next step that a client offers beside the error of a launch.

Rules: the client says what it can do, as two links of the launch key `errorLinks`: `place` where an
error names a file, `otherwise` for the rest. `{error}` in a link's `url` becomes the error as a
percent-encoded JSON list of one object: `recording`, and `file`, `line`, `column` where they are
known. A link that is not readable is none: an error must be told whatever came with the launch.
"""

from typing import Final

import msgspec

from dap_adapter.errors import DapError

HOLE: Final = "{error}"


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """What a client writes on a button, and what the button opens."""

    label: str
    url: str


class ErrorLinks(msgspec.Struct, frozen=True, kw_only=True):
    """The links of a launch."""

    place: Link | None = None
    otherwise: Link | None = None


class _Launch(msgspec.Struct, frozen=True):
    recording: str | None = None
    links: ErrorLinks = msgspec.field(name="errorLinks", default=ErrorLinks())


def next_step(arguments: bytes, error: DapError) -> Link | None:
    """Return what the raw arguments of a launch offer for its error; None where they do not."""
    try:
        launch = msgspec.json.decode(arguments, type=_Launch)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    link = (launch.links.place if error.place.get("file") else None) or launch.links.otherwise
    if link is None or not error.show_user:
        return None
    import json  # noqa: PLC0415 - start-up
    from urllib.parse import quote  # noqa: PLC0415 - start-up

    told = json.dumps([{"recording": launch.recording, **error.place}])
    return Link(label=link.label, url=link.url.replace(HOLE, quote(told, safe="")))
