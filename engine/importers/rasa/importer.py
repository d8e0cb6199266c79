"""The importer of Rasa: which files are its, and what a conversation is worth.

Sources: a tracker in JSON, then in any order the assistant's flow files (`flows.yml`) and its
domain, whose initial values are the slots' baseline.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.contract.canonical import sha256_of
from engine.importers.frame import SURE, Imported, Importer, ImportOptions, Probe
from engine.importers.sources import (
    JSON_BYTES_MAX,
    path_in_session,
    source_bytes,
    source_error,
    source_json,
)

if TYPE_CHECKING:
    from engine.importers.rasa.conversation import Baseline
    from engine.importers.rasa.flow_files import RasaFlow

_LEGACY = b'"py/object"'
_EVENTS = b'"events"'
_MARKS = (
    b'"sender_id"', b'"latest_message"', b'"latest_action_name"', b'"active_loop"',
    b'"latest_event_time"', b'"latest_input_channel"', b'"parse_data"',
)  # fmt: skip


def sniff(found: Probe) -> int:
    """Return how sure it is that a file is a tracker. Raises: nothing."""
    head = found.head
    if not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") or _EVENTS not in head:
        return 0
    if _LEGACY in head and b'"rasa' in head:
        return SURE
    marks = sum(mark in head for mark in _MARKS)
    return SURE if marks >= 3 else 0 if marks < 2 else 60


def companions(path: Path) -> Sequence[Path]:
    """Return the assistant's flows beside a tracker, under their usual names."""
    beside = (path.with_name(name) for name in ("flows.yml", "flows.yaml"))
    return [item for item in beside if item.is_file()]


def import_recording(sources: Sequence[Path], options: ImportOptions) -> Imported:
    """Return the conversation of a tracker. Raises: SessionInvalid."""
    from engine.importers.rasa.conversation import told  # noqa: PLC0415 - start-up
    from engine.importers.rasa.events import read_tracker  # noqa: PLC0415 - start-up
    from engine.importers.rasa.mapping import mapping_rows, notes_of  # noqa: PLC0415 - start-up
    from engine.recording import RecordedFlow  # noqa: PLC0415 - start-up

    if not sources:
        raise source_error(Path("nothing"), "was named. Name a tracker.", "NOT_FOUND")
    path, *others = sources
    if options.flow is not None:
        others.append(options.flow)
    data = source_bytes(path, limit=JSON_BYTES_MAX)
    tracker = read_tracker(source_json(path), path)
    flows = _flows(others)
    run = told(tracker, path=path, flows=flows, baselines=_baselines(others))
    is_over = any(event.kind == "session_ended" for event in tracker.events)
    return Imported(
        session_id=f"rasa:{sha256_of(data)[7:39]}",
        call_start_epoch=run.start_ms or 0,
        records=run.records,
        flow=RecordedFlow(
            data=run.flow,
            file_name="conversation.flow.json",
            source_path=None,
        ),
        mapping=mapping_rows(run),
        ended="completed" if is_over else None,
        slot_classes=options.slot_classes,
        unavailable=_unavailable(has_start=run.start_ms is not None),
        notes=notes_of(run),
        about={"shape": run.shape},
    )


def _flows(paths: Sequence[Path]) -> "list[RasaFlow]":
    from engine.importers.rasa.flow_files import read_flow_file  # noqa: PLC0415 - start-up

    return [
        flow for path in paths for flow in read_flow_file(path, shown_path=path_in_session(path))
    ]


def _baselines(paths: Sequence[Path]) -> "list[Baseline]":
    from engine.importers.rasa.conversation import Baseline  # noqa: PLC0415 - start-up
    from engine.importers.rasa.domain_slots import initial_values  # noqa: PLC0415 - start-up

    found = ((path.name, initial_values(path)) for path in paths)
    return [Baseline(file=name, slots=slots) for name, slots in found if slots]


def _unavailable(*, has_start: bool) -> dict[str, str]:
    reasons = {
        "engine_revision": "A tracker names the model, not the code that ran.",
        "runtime_lock": "A tracker does not say which packages ran.",
        "audio_refs": "A tracker holds no audio.",
    }
    if not has_start:
        reasons["call_start_epoch"] = "No event of the tracker has a time."
    return reasons


RASA = Importer(
    name="rasa",
    title="Rasa trackers (JSON, classic or CALM; with the assistant's flows if given)",
    sniff=sniff,
    import_recording=import_recording,
    companions=companions,
)
