"""Flow drift: whether the flow in a workspace is still the one that ran."""

from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Literal

from engine.core.artifact import ArtifactView
from engine.core.contract.canonical import sha256_of
from engine.core.contract.json_types import text

CHANGES_MAX = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowDrift:
    """How a workspace file compares with the flow that ran.

    `changed_lines` are 1-based lines of the workspace file that the recorded text does not have, or
    before which it has others; at most `CHANGES_MAX`.
    """

    status: Literal["same", "differs", "missing", "unavailable"]
    path: Path | None
    changed_lines: tuple[int, ...] = ()


def flow_drift(view: ArtifactView, flow_root: Path) -> FlowDrift:
    """Return how the flow file below `flow_root` compares with the recorded text.

    `unavailable`: the recording does not say where its flow came from.
    Cost: of one diff, only where the bytes differ.
    """
    source_path = text(view.flow, "source_path")
    if source_path is None:
        return FlowDrift(status="unavailable", path=None)
    path = flow_root / source_path
    try:
        data = path.read_bytes()
    except (OSError, ValueError):
        return FlowDrift(status="missing", path=path)
    if sha256_of(data) == text(view.flow, "revision"):
        return FlowDrift(status="same", path=path)
    recorded = (text(view.flow, "text") or "").splitlines()
    now = data.decode("utf-8", "replace").splitlines()
    return FlowDrift(status="differs", path=path, changed_lines=_changed_lines(recorded, now))


def _changed_lines(recorded: list[str], now: list[str]) -> tuple[int, ...]:
    changed: list[int] = []
    matcher = SequenceMatcher(None, recorded, now, autojunk=False)
    for tag, _, _, start, stop in matcher.get_opcodes():
        if tag != "equal":
            changed += range(start + 1, max(stop, start + 1) + 1)
    return tuple(dict.fromkeys(changed))[:CHANGES_MAX]
