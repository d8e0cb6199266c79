"""What a Whisker file gave of each of our concepts, and why the rest is not there."""

from collections.abc import Iterator
from pathlib import Path

from engine.core.flow import FlowDocument
from engine.importers.frame import Faith, MappingRow, absent_rows
from engine.importers.pipecat_whisk.nodes import Nodes
from engine.importers.pipecat_whisk.rows import Rows
from engine.importers.pipecat_whisk.whisk_file import WhiskFile

_NO_FLOW = "no flow file was given: frames do not name nodes; give it with --flow"
_WITHOUT_FLOW: dict[str, str] = dict.fromkeys(
    ("visits", "transitions", "branch outcomes", "slot values"), _NO_FLOW
)
_ABSENT = {
    "model input": "contexts in the file have grown after the call: they show the future",
    "slot writes": "Pipecat has no event for a change of its state",
    "guard evaluations": "not in the file",
    "causes": "frames do not name what they follow from; results name their call",
    "turn of a tool call or model run": "not in the file",
    "audio": "the file holds none, and nothing ties a WAV file to its clock",
}


def mapping_rows(
    whisk: WhiskFile,
    records: Rows,
    nodes: Nodes,
    flow: FlowDocument | None,
    flow_path: Path | None,
) -> list[MappingRow]:
    """Return the rows of the table, in the order in which people ask."""
    return [
        _flow_row(flow_path),
        *(_state_rows(records, nodes) if flow is not None else absent_rows(_WITHOUT_FLOW)),
        _row(
            "tool calls",
            "FunctionCallsStartedFrame, FunctionCallResultFrame",
            records,
            "tool_called",
        ),
        *_speech_rows(whisk, records),
        *absent_rows(_ABSENT),
    ]


def _flow_row(path: Path | None) -> MappingRow:
    if path is None:
        return MappingRow(concept="flow", faith=Faith.ABSENT, origin=None, reason=_NO_FLOW)
    return MappingRow(
        concept="flow",
        faith=Faith.FAITHFUL,
        origin=f"{path.name}, as given",
        count=1,
        reason="a Whisker file does not say which flow ran: whether this one did is not recorded",
    )


def _state_rows(records: Rows, nodes: Nodes) -> Iterator[MappingRow]:
    writes = [row for row in records.records if row["type"] == "slot_write"]
    yield MappingRow(
        concept="visits",
        faith=Faith.DERIVED,
        origin="LLMMessagesAppendFrame, LLMMessagesUpdateFrame",
        count=records.count("state_entered"),
        reason="the messages end with exactly one node's prompt, its placeholders filled",
    )
    yield MappingRow(
        concept="transitions",
        faith=Faith.DERIVED,
        origin="FunctionCallResultFrame and the flow",
        count=records.count("transition_taken"),
        reason="the edge is the one that a tool's result leads to by the flow, if the next prompt "
        "agrees; else the edge is unavailable",
    )
    yield MappingRow(
        concept="branch outcomes",
        faith=Faith.DERIVED,
        origin="FunctionCallResultFrame and the flow",
        count=records.count("branch_recomputed"),
        reason="computed from the result's field, or the only target; no evaluation was recorded, "
        "so exits say not_evaluated",
    )
    for provenance, origin, reason in (
        (
            "tool_argument",
            "arguments of finished tool calls",
            "an argument named like a slot of the flow; that the tool stored it is not recorded",
        ),
        (
            "rendered_prompt",
            "filled placeholders of a node's prompt",
            "the text at the node's entry; when and by whom it was written is not recorded",
        ),
    ):
        yield MappingRow(
            concept=f"slot values ({provenance})",
            faith=Faith.DERIVED,
            origin=origin,
            count=sum(row.get("provenance") == provenance for row in writes),
            reason=reason,
        )
    if nodes.unread_values:
        yield MappingRow(
            concept="slot values in ambiguous prompts",
            faith=Faith.ABSENT,
            origin=None,
            count=nodes.unread_values,
            reason="the filled prompt can be read in more than one way",
        )


def _speech_rows(whisk: WhiskFile, records: Rows) -> Iterator[MappingRow]:
    caller = sum(
        row["type"] == "transcript_segment" and row.get("speaker") == "caller"
        for row in records.records
    )
    yield MappingRow(
        concept="caller's words", faith=Faith.FAITHFUL, origin="TranscriptionFrame", count=caller
    )
    yield _row("committed turns", "LLMContextUserTurnFrame", records, "input_selected")
    yield MappingRow(
        concept="segments of a turn",
        faith=Faith.DERIVED,
        origin="TranscriptionFrame, LLMContextUserTurnFrame",
        count=sum("segment_event_ids" in row for row in records.records),
        reason="the next segments that together are the turn's text",
    )
    yield _row("playback: planned", "AggregatedTextFrame", records, "audio_requested")
    yield _row("playback: started", "TTSStartedFrame leaving the output", records, "audio_started")
    yield _row(
        "playback: completed", "TTSStoppedFrame leaving the output", records, "audio_completed"
    )
    yield MappingRow(
        concept="playback: interrupted",
        faith=Faith.DERIVED,
        origin="InterruptionFrame at the output",
        count=records.count("audio_interrupted"),
        reason="a started playback that the output never lets out to its end",
    )
    yield _row("text heard", "TTSTextFrame leaving the output", records, "playback_text")
    yield _row("model runs", "LLMFullResponseStartFrame", records, "llm_requested")
    yield MappingRow(
        concept="clock",
        faith=Faith.FAITHFUL,
        origin="timestamp (unix seconds) of each record",
        count=whisk.records,
        reason="when the observer saw the frame, some milliseconds after it was made",
    )


def _row(concept: str, origin: str, records: Rows, kind: str) -> MappingRow:
    return MappingRow(
        concept=concept, faith=Faith.FAITHFUL, origin=origin, count=records.count(kind)
    )


def notes_of(whisk: WhiskFile, nodes: Nodes, flow: FlowDocument | None) -> list[str]:
    """Return what the user should know: what does not fit together."""
    notes: list[str] = []
    if whisk.flaw is not None:
        notes.append(f"{whisk.flaw}: what comes before it was imported.")
    if flow is None:
        return notes
    if nodes.unmatched:
        notes.append(
            f"{nodes.unmatched} prompts belong to no node of the flow: it may not be the flow that "
            "ran, or the bot adds messages of its own."
        )
    if nodes.ambiguous:
        notes.append(f"{nodes.ambiguous} prompts fit more than one node: no visit was made.")
    if nodes.unexplained:
        notes.append(
            f"{nodes.unexplained} transitions follow from no tool result by the flow: their edge "
            "is unavailable."
        )
    silent = [state.state_id for state in flow.states if state.prompt is None]
    if silent:
        notes.append(f"Nodes without a prompt cannot be seen: {', '.join(silent[:5])}.")
    return notes
