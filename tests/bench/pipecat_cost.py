"""What the live recorder costs a Pipecat bot: processor time with it against without it.

    PYTHONPATH=.:tests .venv-frameworks/bin/python tests/bench/pipecat_cost.py [RUNS]

The same unmodified bot runs the same call, with and without the recorder in turns. Prints medians
of the whole process's processor time, start-up included; judges nothing.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from engine.importers import SETUP_FILE

BOT = Path(__file__).parents[1] / "engine/importers/pipecat_live/bots/booking_bot.py"


def processor_ms(folder: Path, *, recorded: bool) -> float:
    """Run the call once and return the process's processor time."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("SPD_")}
    extra = {"PIPECAT_SETUP_FILES": str(SETUP_FILE), "SPD_RECORDINGS": str(folder / "recordings")}
    process = subprocess.Popen(
        [sys.executable, str(BOT), "racy"],
        cwd=BOT.parent,
        env={**kept, **(extra if recorded else {})},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, process.returncode
    return (usage.ru_utime + usage.ru_stime) * 1000


def main() -> None:
    """Measure and print."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    times: dict[bool, list[float]] = {False: [], True: []}
    for _ in range(runs):
        for recorded in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                times[recorded].append(processor_ms(Path(folder), recorded=recorded))
    without, with_it = (statistics.median(times[recorded]) for recorded in (False, True))
    print(f"without {without:,.0f} ms   recorded {with_it:,.0f} ms   {with_it / without:.2f}x")
    print(f"a call costs {with_it - without:,.0f} ms more, start-up included")


if __name__ == "__main__":
    main()
