"""A bot on a declared flow, as its author would write it, with a scripted caller."""

import asyncio
import sys
from pathlib import Path

from parts import Line
from pipecat.flows import TRANSITION_IN_YAML, Flow, FlowConfig, FlowManager
from pipecat.workers.runner import WorkerRunner

FLOW = Path(__file__).with_name("flow.yaml")
SCRIPT = [
    {"text": "Hello, Lotus Garden. For how many people is the table?"},
    {"call": ("record_party_size", {"n": 4})},
    {
        "text": "Four people, great. "
        "And for what time would you like the table this evening, please?"
    },
    {"call": ("get_opening_hours", {})},
    {"text": "We are open from five to eleven. What time suits you?"},
    {"call": ("check_availability", {"time": "19:00"})},
    {"text": "Seven is full. I can offer six, or half past eight."},
    {"call": ("check_availability", {"time": "18:00"})},
    {"text": "So that is four people at six. Is that right?"},
    {"call": ("complete_booking", {})},
    {"text": "Thank you, goodbye."},
]


async def record_party_size(flow_manager, n: int):
    """Record how many people.

    Args:
        n: Number of people.
    """
    flow_manager.state["party_size"] = n
    return {"status": "ok" if n <= 12 else "too_large"}, TRANSITION_IN_YAML


async def check_availability(flow_manager, time: str):
    """Check a time.

    Args:
        time: Time asked for.
    """
    flow_manager.state["time"] = time
    is_free = time != "19:00"
    if not is_free:
        flow_manager.state["alternatives"] = ["18:00", "20:30"]
    return {"available": is_free}, TRANSITION_IN_YAML


async def get_opening_hours(flow_manager):
    """Opening hours."""
    return {"hours": "17:00-23:00"}, TRANSITION_IN_YAML


def make_call():
    line = Line(SCRIPT)
    flow = Flow(
        FlowConfig.from_file(FLOW),
        handlers={
            "record_party_size": record_party_size,
            "check_availability": check_availability,
            "get_opening_hours": get_opening_hours,
        },
    )
    manager = FlowManager(
        worker=line.worker,
        llm=line.model,
        context_aggregator=line.pair,
        transport=line.transport,
        global_functions=flow.global_functions,
    )
    return line, flow, manager


async def racy(line, flow, manager):
    """Cut the agent in its second sentence, and go on before that turn is committed."""
    await line.ready.wait()
    await manager.initialize(flow.initial_node)
    await line.say("Four of us.")
    await line.say("When are you open?", after="sentence")
    await line.say("Seven o'clock.", after=None)
    await line.say("Then six.")
    await line.say("Yes.")
    await line.say("Yes, please.")


async def short(line, flow, manager):
    """Hang up in the middle of the agent's second sentence."""
    await line.ready.wait()
    await manager.initialize(flow.initial_node)
    await line.say("Four of us.")
    await line.listen("start")
    await asyncio.sleep(0.2)
    await line.worker.cancel(reason="hung up")


async def crash(line, flow, manager):
    """Die without a word while the agent speaks."""
    import os

    await line.ready.wait()
    await manager.initialize(flow.initial_node)
    await line.say("Four of us.")
    await line.listen("start")
    await asyncio.sleep(0.2)
    os._exit(9)


async def main():
    mode = sys.argv[1]
    runner = WorkerRunner(handle_sigint=False)
    calls = [make_call() for _ in range(10 if mode == "ten" else 1)]
    left = len(calls)
    driver = {"racy": racy, "crash": crash}.get(mode, short)
    tasks = []
    for line, flow, manager in calls:

        @line.worker.event_handler("on_pipeline_finished")
        async def _(_worker, _frame):
            nonlocal left
            left -= 1
            if not left:
                await asyncio.sleep(0.1)
                await runner.cancel()

        tasks.append(asyncio.create_task(driver(line, flow, manager)))
    await runner.add_workers(*[line.worker for line, _, _ in calls])
    await asyncio.wait_for(runner.run(), 40)
    for task in tasks:
        if task.done() and not task.cancelled() and task.exception():
            raise task.exception()


if __name__ == "__main__":
    asyncio.run(main())
