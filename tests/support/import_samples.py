"""The sources that every importer is tried on: ours, and those beside the checkout if present."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from engine.importers import ImportOptions

ROOT = Path(__file__).parents[2]
OURS = ROOT / "fixtures" / "imports"
SHARED = ROOT.parent / "shared" / "samples"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One source: `problems` are the codes that its session has, UNKNOWN_TYPE aside."""

    name: str
    format: str
    sources: tuple[Path, ...]
    options: ImportOptions = field(default_factory=ImportOptions)
    problems: frozenset[str] = frozenset()


def _pipecat(name: str, *, flow: bool) -> Sample:
    folder = OURS / "pipecat"
    return Sample(
        name=f"pipecat {name}{'' if flow else ' without its flow'}",
        format="pipecat",
        sources=(folder / f"{name}.whisk.gz",),
        options=ImportOptions(flow=folder / "flow.yaml" if flow else None),
    )


def _in(folder: str, name: str, *files: str, lineage: str | None = None) -> Sample:
    return Sample(
        name=f"{folder} {name}",
        format=folder,
        sources=tuple(OURS / folder / file for file in files),
        options=ImportOptions(lineage=lineage),
    )


SAMPLES = [
    _in("langgraph", "database", "checkpoints.sqlite", "graph.json"),
    _in("langgraph", "other lineage", "checkpoints.sqlite", lineage="311ad02a69e6"),
    _in("langgraph", "parallel", "parallel.sqlite", "make_samples.py"),
    _in("langgraph", "history", "state_history.json", "graph.json"),
    _in("langgraph", "debug stream", "stream_debug.json", "graph.json"),
    _in("rasa", "calm", "tracker_calm.synthetic.json", "flows_calm.yml"),
    _in("rasa", "calm without its flows", "tracker_calm.synthetic.json"),
    _in("rasa", "classic", "tracker_moodbot.json"),
    _in("rasa", "legacy", "dialogue_formbot_legacy.json"),
    _pipecat("booking_clean", flow=True),
    _pipecat("booking_racy", flow=True),
    _pipecat("booking_racy", flow=False),
]
"""A new importer adds its sources here."""


def every_sample() -> list[object]:
    """Return the samples as parameters; one whose files are not here is skipped."""
    return [
        pytest.param(
            sample,
            id=sample.name,
            marks=pytest.mark.skipif(
                not all(path.exists() for path in sample.sources), reason="not beside the checkout"
            ),
        )
        for sample in SAMPLES
    ]
