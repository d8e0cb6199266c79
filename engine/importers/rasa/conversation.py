"""From a tracker to the records and the flow of one session."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor
from pathlib import Path

from engine.core.contract.json_types import JsonObject, mapping, text
from engine.importers.rasa.conversation_flow import ConversationFlow
from engine.importers.rasa.conversation_records import ConversationTeller
from engine.importers.rasa.events import Tracker
from engine.importers.rasa.flow_files import RasaFlow
from engine.importers.rasa.replayed_slots import ReplayedSlots


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """Initial values of slots, and the domain file that gives them."""

    file: str
    slots: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldConversation:
    """A conversation, told.

    Attributes:
        shape: `calm`, `classic` or `legacy`.
        unmatched: states of the log that its flow file, though given, does not have.
        refused: stack patches that did not fit, as (event index, why).
        differing: slots whose replayed value at the end is not the tracker's.
        has_flow_hashes: the log has fingerprints of the flows that ran.
    """

    shape: str
    records: Sequence[JsonObject]
    flow: bytes
    has_flows: bool
    start_ms: int | None
    unmatched: Sequence[str]
    refused: Sequence[tuple[int, str]]
    differing: Sequence[str]
    has_flow_hashes: bool


def told(
    tracker: Tracker,
    *,
    path: Path,
    flows: Sequence[RasaFlow],
    baselines: Sequence[Baseline] = (),
) -> ToldConversation:
    """Return a conversation as records and a flow. Cost: O(size of the tracker)."""
    stamps = [event.stamp for event in tracker.events if event.stamp is not None]
    start = min(stamps, default=None)
    known = ConversationFlow(flows=flows)
    initial = {name: value for given in baselines for name, value in given.slots.items()}
    slots = ReplayedSlots(initial=initial, values={**initial})
    teller = ConversationTeller(
        file=path.name, flow=known, start=start or 0.0, has_stack=tracker.has_stack, slots=slots
    )
    teller.tell(tracker)
    first = next((r for r in teller.records if r["type"] == "state_entered"), None)
    shape = "legacy" if tracker.is_legacy else "calm" if tracker.has_stack else "classic"
    return ToldConversation(
        shape=shape,
        records=[*_seeds(baselines), *teller.records],
        flow=known.as_bytes(
            flow_id="rasa", entry=text(first, "state_id") if first is not None else None
        ),
        has_flows=bool(flows),
        start_ms=None if start is None else floor(start * 1000),
        unmatched=sorted(known.unmatched),
        refused=teller.refused,
        differing=_differing(tracker, slots),
        has_flow_hashes=any(
            event.kind == "slot" and text(event.fields, "name") == "flow_hashes"
            for event in tracker.events
        ),
    )


def _seeds(baselines: Sequence[Baseline]) -> list[JsonObject]:
    return [
        {
            "event_id": f"domain-{index}",
            "type": "session_slots_seeded",
            "values": [{"writer": "domain", "slots": given.slots}],
            "provenance": "domain",
            "source_record": {"file": given.file, "id": "slots"},
        }
        for index, given in enumerate(baselines)
    ]


def _differing(tracker: Tracker, slots: ReplayedSlots) -> list[str]:
    """Return the written slots whose value at the end is another in the tracker's own summary."""
    if tracker.slots is None:
        return []
    said = mapping({"slots": tracker.slots}, "slots")
    return sorted(
        name for name, value in slots.values.items() if name in said and said[name] != value
    )
