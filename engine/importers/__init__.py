"""Recordings of other engines: one module a format, each to the records that a recorder writes.

The package root is what faces may import. Everything but `open_any` is loaded when it is asked for:
an IDE starts with a recording of ours mostly, and waits for nothing of this.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from engine.importers.open import open_any

if TYPE_CHECKING:
    from engine.importers.formats import (
        format_of,
        format_rows,
        importer_named,
        importers,
        unknown_format,
    )
    from engine.importers.frame import (
        AudioFile,
        Faith,
        Imported,
        Importer,
        ImportOptions,
        LineageRow,
        MappingRow,
    )
    from engine.importers.limits import Limit, Verdict
    from engine.importers.named_sources import import_sources
    from engine.importers.pipecat_live import SETUP_FILE
    from engine.importers.recordable import limits_of_bot
    from engine.importers.write import write_session

__all__ = [
    "SETUP_FILE",
    "AudioFile",
    "Faith",
    "ImportOptions",
    "Imported",
    "Importer",
    "Limit",
    "LineageRow",
    "MappingRow",
    "Verdict",
    "format_of",
    "format_rows",
    "import_sources",
    "importer_named",
    "importers",
    "limits_of_bot",
    "open_any",
    "unknown_format",
    "write_session",
]

_HOMES = {
    **dict.fromkeys(
        ("format_of", "format_rows", "importer_named", "importers", "unknown_format"), "formats"
    ),
    **dict.fromkeys(
        ("AudioFile", "Faith", "Imported", "Importer", "ImportOptions", "LineageRow", "MappingRow"),
        "frame",
    ),
    "import_sources": "named_sources",
    "SETUP_FILE": "pipecat_live",
    **dict.fromkeys(("Limit", "Verdict"), "limits"),
    "limits_of_bot": "recordable",
    "write_session": "write",
}


def __getattr__(name: str) -> object:
    """Return a name of the root, loaded from the module that it is at home in."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
