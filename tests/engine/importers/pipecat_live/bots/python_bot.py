"""A bot whose nodes are Python functions, with a scripted caller."""

import asyncio

from parts import Line
from pipecat.flows import FlowManager, NodeConfig
from pipecat.workers.runner import WorkerRunner

SCRIPT = [
    {"text": "Hello. What would you like?"},
    {"call": ("choose_dish", {"dish": "soup"})},
    {"text": "Soup it is. Anything else?"},
    {"call": ("add_extra", {"extra": "bread"})},
    {"text": "With bread. Is that all?"},
    {"call": ("finish", {})},
    {"text": "Thank you, goodbye."},
]


async def choose_dish(flow_manager, dish: str):
    """Choose a dish.

    Args:
        dish: The dish.
    """
    flow_manager.state["order"] = {"dish": dish, "extras": []}
    return {"status": "ok"}, create_extras_node()


async def add_extra(flow_manager, extra: str):
    """Add something.

    Args:
        extra: What to add.
    """
    flow_manager.state["order"]["extras"].append(extra)
    return {"status": "ok"}, None


async def finish(flow_manager):
    """The caller wants nothing more."""
    return None, create_end_node()


def create_menu_node() -> NodeConfig:
    return NodeConfig(
        name="menu",
        role_message="You take orders.",
        task_messages=[{"role": "developer", "content": "Ask for a dish."}],
        functions=[choose_dish],
    )


def create_extras_node() -> NodeConfig:
    return {
        "name": "extras",
        "task_messages": [{"role": "developer", "content": "Ask for extras."}],
        "functions": [add_extra, finish],
    }


def create_end_node() -> NodeConfig:
    return {
        "name": "goodbye",
        "task_messages": [{"role": "developer", "content": "Say goodbye."}],
        "post_actions": [{"type": "end_conversation"}],
    }


async def main():
    line = Line(SCRIPT)
    manager = FlowManager(
        worker=line.worker,
        llm=line.model,
        context_aggregator=line.pair,
        transport=line.transport,
    )
    manager.state["table"] = 7
    runner = WorkerRunner(handle_sigint=False)

    @line.worker.event_handler("on_pipeline_finished")
    async def _(_worker, _frame):
        await asyncio.sleep(0.1)
        await runner.cancel()

    async def drive():
        await line.ready.wait()
        await manager.initialize(create_menu_node())
        await line.say("Soup, please.")
        await line.say("And bread.")
        await line.say("That is all.")

    driving = asyncio.create_task(drive())
    await runner.add_workers(line.worker)
    await asyncio.wait_for(runner.run(), 30)
    await driving


if __name__ == "__main__":
    asyncio.run(main())
