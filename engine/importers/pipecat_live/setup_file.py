"""The file that `PIPECAT_SETUP_FILES` names; Pipecat loads it and calls it for every worker.

Nothing here may raise: a bot runs on without a recording.
"""

from engine.importers.pipecat_live.attach import attach, prepare

prepare()


async def setup_worker_runner(runner: object) -> None:
    """Take note of nothing: the hooks into the flow stand since this file was loaded."""
    del runner


async def setup_pipeline_worker(worker: object) -> None:
    """Record the call that `worker` runs. It never raises."""
    attach(worker)
