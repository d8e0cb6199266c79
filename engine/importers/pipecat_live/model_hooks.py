"""The model's side: its runs with their input as it was at that moment, and its tool calls."""

from typing import TYPE_CHECKING, cast

from engine.core.contract.json_types import JsonObject, JsonValue
from engine.importers.pipecat_live.live_call import (
    Generation,
    Hook,
    LiveCall,
    Reason,
    ToolCall,
    turn_id,
)
from engine.importers.pipecat_live.seen import (
    attribute,
    items_of,
    message_rows,
    number_of,
    plain,
    text_of,
)
from engine.importers.pipecat_live.wiring import Parts, listen

if TYPE_CHECKING:
    from collections.abc import Callable


class ModelHooks:
    """Writes model runs and tool calls."""

    def __init__(self, call: LiveCall) -> None:
        self._call = call

    def install(self, parts: Parts) -> None:
        """Listen to the model services."""
        call = self._call
        words = dict.fromkeys(
            ("LLMFullResponseStartFrame", "LLMTextFrame", "LLMFullResponseEndFrame"), self._says
        )
        for model in parts.model:
            listen(
                model,
                "on_before_process_frame",
                Hook(call, "model", {"LLMContextFrame": self._begins}),
            )
            listen(
                model,
                "on_before_push_frame",
                Hook(
                    call,
                    "model",
                    {
                        **words,
                        "FunctionCallsStartedFrame": self._calls,
                        "FunctionCallInProgressFrame": self._runs,
                        "FunctionCallResultFrame": self._answered,
                        "FunctionCallCancelFrame": self._cancelled,
                    },
                ),
            )
            listen(
                model,
                "on_after_process_frame",
                Hook(
                    call,
                    "model",
                    {"LLMContextFrame": self._ends, "InterruptionFrame": self._is_cut},
                ),
            )

    def _begins(self, frame: object) -> None:
        call = self._call
        reason = call.reasons.get(number_of(frame, "id") or -1) or Reason()
        generation_id = f"g{len(call.generations) + 1:02d}"
        context = attribute(frame, "context")
        messages = message_rows(_messages(context))
        listed: list[JsonValue] = [*messages]
        tools = items_of(attribute(attribute(context, "tools"), "standard_tools"))
        names: list[JsonValue] = [*sorted({text_of(tool, "name") or "" for tool in tools})]
        call.note_ids(generation_id, call.node)
        event_id = call.write(
            {
                "type": "llm_requested",
                "generation_id": generation_id,
                "turn_id": turn_id(reason.turn),
                "trigger": reason.trigger,
                "tool_call_id": reason.tool_call_id,
                "caused_by": reason.caused_by,
                "node": call.node,
                "context_size": len(messages),
                "messages": listed,
                "tools": names,
            }
        )
        call.generation.put(generation_id)
        call.generations[generation_id] = Generation(
            generation_id=generation_id, turn=reason.turn, node=call.node, event_id=event_id
        )

    def _says(self, frame: object) -> None:
        call = self._call
        run = call.generation_now()
        if run is not None:
            call.generation_of[number_of(frame, "id") or -1] = run.generation_id
            run.words.append(text_of(frame, "text") or "")

    def _calls(self, frame: object) -> None:
        call = self._call
        run = call.generation_now()
        if not call.is_new(frame):
            return
        for item in items_of(attribute(frame, "function_calls")):
            tool, call_id = text_of(item, "function_name"), text_of(item, "tool_call_id")
            if tool is None or call_id is None:
                continue
            call.note_ids(call_id, tool)
            turn = run.turn if run else None
            event_id = call.write(
                {
                    "type": "tool_called",
                    "tool": tool,
                    "tool_call_id": call_id,
                    "args_safe": plain(attribute(item, "arguments")),
                    "turn_id": turn_id(turn),
                    "generation_id": run.generation_id if run else None,
                    "caused_by": run.event_id if run else None,
                }
            )
            call.seen[number_of(frame, "id") or -1] = event_id
            if run:
                run.calls.append(call_id)
            call.tool_calls[call_id] = ToolCall(
                tool_call_id=call_id,
                tool=tool,
                turn=turn,
                generation_id=run.generation_id if run else None,
                event_id=event_id,
            )

    def _runs(self, frame: object) -> None:
        """The call's own task pushes this frame, then runs the handler."""
        called = self._step(frame)
        if called is None:
            return
        blocking = attribute(frame, "cancel_on_interruption")
        self._call.tool_call.put(called.tool_call_id)
        self._call.note_ids(text_of(frame, "group_id"))
        self._record(
            frame,
            called,
            {
                "type": "tool.function_call_in_progress",
                "function_name": called.tool,
                "group_id": text_of(frame, "group_id"),
                "blocking": blocking if isinstance(blocking, bool) else None,
            },
        )
        called.is_open = called.is_running = True

    def _answered(self, frame: object) -> None:
        called = self._step(frame)
        if called is None:
            return
        error = attribute(frame, "error")
        row: JsonObject = {"type": "tool_result", "tool": called.tool, "ok": error is None}
        row["error"] = None if error is None else str(error)
        if error is None:
            row["result_safe"] = plain(attribute(frame, "result"))
        self._record(frame, called, row)
        called.is_open = called.is_running = False

    def _cancelled(self, frame: object) -> None:
        called = self._step(frame)
        if called is not None:
            row: JsonObject = {"type": "tool_result", "tool": called.tool}
            self._record(frame, called, {**row, "ok": False, "cancelled": True})
            called.is_open = called.is_running = False

    def _step(self, frame: object) -> ToolCall | None:
        """Return the tool call of a frame that is new; what its handler changed comes first."""
        call = self._call
        called = call.tool_calls.get(text_of(frame, "tool_call_id") or "")
        if called is None or not call.is_new(frame):
            return None
        call.guarded("slots", call.on_handlers_change)
        return called

    def _record(self, frame: object, called: ToolCall, row: JsonObject) -> None:
        common: JsonObject = {
            "tool_call_id": called.tool_call_id,
            "turn_id": turn_id(called.turn),
            "generation_id": called.generation_id,
            "caused_by": called.event_id,
        }
        called.event_id = self._call.write_once(frame, {**row, **common})

    def _ends(self, _frame: object) -> None:
        run = self._call.generation_now()
        if run is not None and run.is_open:
            self._over(run, interrupted=False, cause=run.event_id)

    def _is_cut(self, frame: object) -> None:
        for run in [run for run in self._call.generations.values() if run.is_open]:
            self._over(run, interrupted=True, cause=self._call.was_seen(frame))

    def _over(self, run: Generation, *, interrupted: bool, cause: str | None) -> None:
        run.is_open = False
        calls: list[JsonValue] = [*run.calls]
        self._call.write(
            {
                "type": "llm_responded",
                "generation_id": run.generation_id,
                "turn_id": turn_id(run.turn),
                "interrupted": interrupted,
                "text": "".join(run.words).strip() or None,
                "tool_calls": calls or None,
                "caused_by": cause,
            }
        )


def _messages(context: object) -> object:
    get = attribute(context, "get_messages")
    return cast("Callable[[], object]", get)() if callable(get) else None
