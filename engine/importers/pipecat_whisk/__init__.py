"""Pipecat's Whisker file (`.whisk`), with the flow file if there is one -> a session of ours."""

from collections.abc import Sequence
from pathlib import Path

from engine.importers.frame import SURE, Imported, Importer, ImportOptions, Probe

_MARKS = (b"\xa4type\xa8snapshot", b"\xa8protocol")
_FLOW_NAMES = ("flow.yaml", "flow.yml", "flow.json")


def sniff(found: Probe) -> int:
    """Return how sure it is that a file is a Whisker file: its first record is a snapshot."""
    head = found.head
    if head[:1] and (0x80 <= head[0] <= 0x8F or head[0] in {0xDE, 0xDF}):
        if all(mark in head[:4096] for mark in _MARKS):
            return SURE
        if b"\xa4type" in head[:64] and b"whisk" in found.path.name.encode("utf-8", "replace"):
            return SURE // 2
    return 1 if ".whisk" in found.path.name else 0


def companions(path: Path) -> Sequence[Path]:
    """Return the flow file beside a Whisker file: `<name>.flow.yaml`, else `flow.yaml`, `.json`."""
    stem = path.name.split(".whisk")[0]
    named = [f"{stem}.{name}" for name in _FLOW_NAMES] + [*_FLOW_NAMES]
    found = [path.parent / name for name in named if (path.parent / name).is_file()]
    return found[:1]


def import_recording(sources: Sequence[Path], options: ImportOptions) -> Imported:
    """Return the run that a Whisker file holds. Raises: SessionInvalid, FlowInvalid."""
    from engine.importers.pipecat_whisk.call import import_call  # noqa: PLC0415  only when asked

    return import_call(sources, options)


PIPECAT_WHISK = Importer(
    name="pipecat",
    title="Pipecat's Whisker file (.whisk, also gzip), with the flow file if there is one",
    sniff=sniff,
    import_recording=import_recording,
    companions=companions,
)
