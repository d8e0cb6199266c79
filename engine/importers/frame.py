"""The frame of all importers: what a format takes and what it gives.

Rules: an importer reads and never executes; it keeps the source's order and puts the source's own
pointer, `source_record`, on every record; what the source does not say is left out and listed as
`absent`, with a reason. Who writes, makes values safe and names the files is `write_session`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Literal

from engine.core.contract.json_types import JsonObject
from engine.core.contract.labels import SlotClass
from engine.recording import RecordedFlow

SURE = 100
"""The score of a format whose own marks are in the file."""


class Faith(StrEnum):
    """How far a concept of ours is in a source."""

    FAITHFUL = "faithful"
    """It is recorded there, and taken over as it is."""
    DERIVED = "derived"
    """A stated rule finds it in what is recorded; no record of the source says it."""
    SNAPSHOT = "snapshot"
    """Only values at certain moments are recorded; what lies between them is their difference."""
    ABSENT = "absent"
    """It is not there: unavailable, with a reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingRow:
    """One concept of ours: what it was made from, and how far that can be trusted.

    Attributes:
        concept: such as `visits`, `slot writes`, `guard verdicts`.
        origin: what of the source it was made from; null where there is nothing.
        count: how many records of ours there are of it; null where that says nothing.
        reason: the rule of what is derived, or why something is absent; null where all is said.
    """

    concept: str
    faith: Faith
    origin: str | None
    count: int | None = None
    reason: str | None = None

    def as_json(self) -> JsonObject:
        """Return the row as the manifest and `--json` have it."""
        return {
            "concept": self.concept,
            "faith": self.faith.value,
            "origin": self.origin,
            "count": self.count,
            "reason": self.reason,
        }


def absent_rows(reasons: Mapping[str, str]) -> list[MappingRow]:
    """Return the rows of what a source does not tell, from concepts and why."""
    return [
        MappingRow(concept=concept, faith=Faith.ABSENT, origin=None, reason=why)
        for concept, why in reasons.items()
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineageRow:
    """One of the runs that a source holds: a thread, a fork, a conversation."""

    lineage_id: str
    about: str
    is_default: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AudioFile:
    """An audio file to be copied into the session; `reference` is its row of `audio_refs.json`."""

    path: Path
    reference: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """What the user says about a source.

    Attributes:
        flow: the flow file that ran, if it is not among the sources.
        slot_classes: classes of slots; a slot of which nobody says one is personal.
        lineage: which run of the source; None: the importer's default.
    """

    flow: Path | None = None
    slot_classes: Mapping[str, SlotClass] = field(default_factory=dict[str, SlotClass])
    lineage: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A run as our records, in their order, before anything is written.

    Attributes:
        session_id: as the contract has it, from the source alone, so that it repeats.
        call_start_epoch: milliseconds since 1970 at the call clock's zero.
        records: without `seq`; each with a unique `event_id` and a `source_record`. Values are raw:
            a `slot_write` has `slot`, `kind`, `writer` and `new` (`old` is the ledger's), a
            `session_slots_seeded` has `values`, a list of `{writer, slots: {name: value}}`.
        flow: None where no flow is known.
        unavailable: what the manifest lists, by field, with the reason.
        notes: sentences for the user, such as what does not fit together.
        about: further facts of the source for the manifest's `import` member.
    """

    session_id: str
    call_start_epoch: int
    records: Sequence[JsonObject]
    flow: RecordedFlow | None
    mapping: Sequence[MappingRow]
    ended: Literal["completed", "aborted"] | None = None
    slot_classes: Mapping[str, SlotClass] = field(default_factory=dict[str, SlotClass])
    unavailable: Mapping[str, str] = field(default_factory=dict[str, str])
    notes: Sequence[str] = ()
    audio: Sequence[AudioFile] = ()
    about: JsonObject = field(default_factory=JsonObject)


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What a format may look at before it is chosen.

    Attributes:
        head: the file's first 64 KiB; of a gzip file, those of its content.
        is_whole: whether `head` is all of it.
    """

    path: Path
    head: bytes
    is_whole: bool
    is_gzip: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Importer:
    """One format.

    Attributes:
        name: the word of `spd import NAME`.
        title: what it reads, for people: `LangGraph checkpoints (SqliteSaver database)`.
        sniff: how sure it is that a file is its: 0 no, `SURE` its own marks are there.
        companions: files beside the source that belong to it, for opening directly.
        lineages: the runs that a source holds.
        import_recording: the sources (the recording first) and options -> the run.
            Raises: SessionInvalid, FlowInvalid.
    """

    name: str
    title: str
    sniff: Callable[[Probe], int]
    import_recording: Callable[[Sequence[Path], ImportOptions], Imported]
    companions: Callable[[Path], Sequence[Path]] = lambda _path: ()
    lineages: Callable[[Sequence[Path], ImportOptions], Sequence[LineageRow]] = (
        lambda _sources, _options: ()
    )
