"""A Whisker file and its flow as one run, with what was mapped from what."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from engine.core.contract.canonical import sha256_of
from engine.core.contract.errors import FlowInvalid
from engine.core.flow import FlowDocument, parse_flow
from engine.importers.frame import Imported, ImportOptions
from engine.importers.pipecat_whisk.mapping import mapping_rows, notes_of
from engine.importers.pipecat_whisk.nodes import Nodes
from engine.importers.pipecat_whisk.rows import Rows
from engine.importers.pipecat_whisk.speech import Speech
from engine.importers.pipecat_whisk.whisk_file import WhiskFile, read_whisk
from engine.importers.sources import source_bytes, source_error
from engine.recording import RecordedFlow

FLOW_BYTES_MAX = 64 << 20
_FLOW_ENDINGS = frozenset({".yaml", ".yml", ".json"})


def import_call(sources: Sequence[Path], options: ImportOptions) -> Imported:
    """Return the run. Raises: SessionInvalid, FlowInvalid."""
    path, *further = sources
    flow_path = _flow_path(further, options)
    whisk = read_whisk(path)
    flow, document = _flow(flow_path)
    records = Rows(file=path.name, zero=whisk.started_at)
    speech, nodes = Speech.of(whisk, records), Nodes.of(document, records)
    for frame in whisk.frames:
        if frame.offset in whisk.distinct:
            nodes.take_first(frame)
            speech.take_first(frame)
        speech.take_any(frame)
    reason = "the file has no end of the call" if whisk.flaw is None else whisk.flaw
    ended = _ended(whisk)
    return Imported(
        session_id=f"pipecat:{sha256_of(source_bytes(path))[7:23]}",
        call_start_epoch=int(whisk.started_at * 1000),
        records=records.records,
        flow=flow,
        mapping=mapping_rows(whisk, records, nodes, document, flow_path),
        ended=ended,
        slot_classes=options.slot_classes,
        unavailable={} if ended is not None else {"ended": reason},
        notes=notes_of(whisk, nodes, document),
        about={"versions": whisk.versions},
    )


def _ended(whisk: WhiskFile) -> Literal["completed", "aborted"] | None:
    kinds = {frame.kind for frame in whisk.frames if frame.offset in whisk.distinct}
    if whisk.flaw is not None:
        return None
    if "EndFrame" in kinds:
        return "completed"
    return "aborted" if "CancelFrame" in kinds else None


def _flow_path(further: Sequence[Path], options: ImportOptions) -> Path | None:
    if options.flow is not None:
        return options.flow
    for path in further:
        if path.suffix not in _FLOW_ENDINGS:
            what = "is not used with a Whisker file: only a flow file is. Leave it out."
            raise source_error(path, what, "NOT_USED")
    return further[0] if further else None


def _flow(path: Path | None) -> tuple[RecordedFlow | None, FlowDocument | None]:
    if path is None:
        return None, None
    data = source_bytes(path, limit=FLOW_BYTES_MAX)
    try:
        document = parse_flow(data, path=path.name)
    except FlowInvalid as error:
        raise FlowInvalid(f"{path.name}: {error.message}", error.detail) from error
    return RecordedFlow(data=data, file_name=path.name, source_path=path.name), document
