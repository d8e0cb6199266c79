"""What the environment says about recording: where, which slots may be shown, which flow file."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.core.contract.labels import SlotClass

RECORDINGS = "SPD_RECORDINGS"
"""Where the session directories go; `./recordings` without it."""
SLOT_CLASSES = "SPD_SLOT_CLASSES"
"""`name=plain,other=routing`; a slot that is not named is personal."""
FLOW = "SPD_FLOW"
"""The flow file, where it is not found beside the bot."""
LOCK = "SPD_RUNTIME_LOCK"
"""The lock file of the bot's dependencies."""
REDACT = "SPD_REDACT"
"""`off`: what was said is written as it was said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The recorder's settings."""

    recordings: Path
    slot_classes: Mapping[str, SlotClass]
    flow: Path | None
    lock: Path | None
    redacts: bool
    remarks: tuple[str, ...]
    """What in the environment could not be understood."""


def read_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings; a wrong word is left out and remarked on."""
    classes: dict[str, SlotClass] = {}
    remarks: list[str] = []
    known = {item.value: item for item in SlotClass}
    for part in environment.get(SLOT_CLASSES, "").split(","):
        name, equals, word = (piece.strip() for piece in part.partition("="))
        if not part.strip():
            continue
        if not equals or not name or word not in known:
            choices = ", ".join(known)
            remarks.append(f"{SLOT_CLASSES}: {part.strip()!r} is not name=class ({choices})")
        else:
            classes[name] = known[word]
    flow, lock = environment.get(FLOW), environment.get(LOCK)
    return Settings(
        recordings=Path(environment.get(RECORDINGS) or "recordings").absolute(),
        slot_classes=classes,
        flow=Path(flow).absolute() if flow else None,
        lock=Path(lock).absolute() if lock else None,
        redacts=environment.get(REDACT, "on") != "off",
        remarks=tuple(remarks),
    )
