"""What a conversation of Rasa was mapped from, and what it cannot tell."""

from collections import Counter
from collections.abc import Sequence

from engine.core.contract.json_types import text
from engine.importers.frame import Faith, MappingRow, absent_rows
from engine.importers.rasa.conversation import ToldConversation

_ABSENT = {
    "guard verdicts": "A tracker does not log what a condition came to.",
    "tool arguments and results": "An action is logged by name when it has run.",
    "old values of slots": "A slot event has the new value only; old ones are replayed.",
    "model runs": "A tracker has the commands, not the model's input.",
    "playback": "A tracker holds no audio; texts are as sent, not as heard.",
}


def mapping_rows(run: ToldConversation) -> Sequence[MappingRow]:
    """Return the rows of the mapping table, with counts."""
    kinds = Counter(text(record, "type") for record in run.records)
    neighbours = sum(record.get("provenance") == "neighbour" for record in run.records)
    return [
        _flow_row(run),
        _visits_row(run, kinds["state_entered"]),
        _transitions_row(kinds["transition_taken"]),
        MappingRow(
            concept="conditions",
            faith=Faith.DERIVED,
            origin="`if` of the flow, on the slots of that moment",
            count=kinds["branch_recomputed"],
            reason="recomputed: `branch_recomputed`, because no evaluation was recorded.",
        ),
        MappingRow(
            concept="slot writes",
            faith=Faith.FAITHFUL,
            origin="`slot` events",
            count=kinds["slot_write"],
            reason="replayed: what rewind, undo, restart and reset_slots change is told as writes.",
        ),
        MappingRow(
            concept="writers of slots",
            faith=Faith.DERIVED,
            origin="the action or message before",
            count=neighbours,
            reason="neighbour: only where the event before leaves one reading; else unavailable.",
        ),
        MappingRow(
            concept="tool calls",
            faith=Faith.FAITHFUL,
            origin="`action` events of custom actions",
            count=kinds["tool_called"],
        ),
        MappingRow(
            concept="transcript",
            faith=Faith.FAITHFUL,
            origin="`user` and `bot` events",
            count=kinds["transcript_segment"],
        ),
        MappingRow(
            concept="intents and commands",
            faith=Faith.FAITHFUL,
            origin="`parse_data`",
            count=kinds["rasa.intent"] + kinds["rasa.command"],
        ),
        *_baseline_rows(kinds["session_slots_seeded"]),
        *absent_rows(_ABSENT),
    ]


def _baseline_rows(count: int) -> list[MappingRow]:
    if not count:
        return []
    return [
        MappingRow(
            concept="slots at the start",
            faith=Faith.DERIVED,
            origin="`initial_value` of the domain",
            count=count,
            reason="domain: the file that was named; which one ran is not in a tracker.",
        )
    ]


def _flow_row(run: ToldConversation) -> MappingRow:
    if run.has_flows:
        return MappingRow(
            concept="flow",
            faith=Faith.FAITHFUL,
            origin="the assistant's flow files",
            reason="Rasa's own patterns are grown from the log.",
        )
    return MappingRow(
        concept="flow",
        faith=Faith.DERIVED,
        origin="the steps and actions of the log",
        reason="Grown: a way that was not taken is not there. Name the flow files.",
    )


def _transitions_row(count: int) -> MappingRow:
    if not count:
        why = "Which action follows which is the policies' choice."
        return MappingRow(concept="transitions", faith=Faith.ABSENT, origin=None, reason=why)
    return MappingRow(
        concept="transitions",
        faith=Faith.DERIVED,
        origin="a frame's change of step",
        count=count,
        reason="edge_basis: the edge is the flow's one way between the two steps.",
    )


def _visits_row(run: ToldConversation, count: int) -> MappingRow:
    if run.shape == "calm":
        return MappingRow(
            concept="visits", faith=Faith.FAITHFUL, origin="`stack` patches", count=count
        )
    return MappingRow(
        concept="visits",
        faith=Faith.DERIVED,
        origin="`action` and `active_loop` events",
        count=count,
        reason="executed_action: a visit is an executed action, within its form; when it ended is "
        "not logged.",
    )


def notes_of(run: ToldConversation) -> Sequence[str]:
    """Return what the user should know about this conversation."""
    found: list[str] = []
    if run.unmatched:
        shown = ", ".join(run.unmatched[:5])
        found.append(
            f"{len(run.unmatched)} steps of the log are not in the flow files ({shown}): these "
            "are perhaps not the files that ran."
        )
    if run.has_flow_hashes and run.has_flows:
        found.append(
            "The log has fingerprints of the flows that ran (slot `flow_hashes`); they were not "
            "compared, because how Rasa makes them is not published."
        )
    if run.refused:
        index, why = run.refused[0]
        found.append(
            f"{len(run.refused)} stack patches do not fit the stack, the first at event {index} "
            f"({why}): visits behind it may be wrong."
        )
    if run.differing:
        found.append(
            "At the end the tracker's own summary has other values than its events for "
            f"{', '.join(run.differing[:5])}; the events are shown."
        )
    return found
