"""Measure round trips of the adapter beside a null adapter and debugpy, pinned and interleaved.

Every round runs every adapter once on one core, so a noisy minute hits all of them; a figure is the
median over rounds, and its ratio is to the null adapter, which answers without doing anything.
debugpy runs a live program, so it is no equal: it shows what people are used to. The measuring
tools lie beside the checkout; without them this is skipped, and says so. Nothing is judged.

    python tests/bench/dap.py [--events N] [--rounds N]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT.parent / "shared" / "tools"
ROUND_TRIPS = (
    {"op": "next", "repeat": 400, "warmup": 200, "refresh": True},
    {
        "op": "alternate",
        "repeat": 150,
        "ops": [{"op": "stepBack"}, {"op": "next", "label": "next after stepBack"}],
    },
    {
        "op": "alternate",
        "repeat": 150,
        "ops": [
            {"op": "continue", "expect_reason": "data breakpoint"},
            {"op": "reverseContinue"},
        ],
    },
    {
        "op": "request",
        "command": "evaluate",
        "arguments": {"expression": "${slot}", "frameId": "$frame"},
        "repeat": 200,
    },
    {
        "op": "request",
        "command": "evaluate",
        "arguments": {"expression": 'slots["${slot}"] != "x"', "frameId": "$frame"},
        "label": "evaluate CEL",
        "repeat": 200,
    },
)


def main() -> int:
    """Print the table; return the exit status of the measuring tool, 0 where there is none."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    tool = TOOLS / "perf" / "dap_side_by_side.py"
    if not tool.exists():
        print(f"Round trips of the adapter: skipped, {tool} is not there.")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        session = generated(Path(folder), options.events)
        slot = slot_of(session)
        scenario = Path(folder) / "spd-dap.json"
        scenario.write_text(json.dumps(ours(session, slot)), encoding="utf-8")
        peers = [TOOLS / "perf" / "scenarios" / f"{name}.json" for name in PEERS]
        variables = {
            "python": sys.executable,
            "lib": str(TOOLS / "perf"),
            "mode": "sync",
            "codec": "orjson" if has_orjson() else "json",
            "program": str(TOOLS / "perf" / "peers" / "loop.py"),
            "slot": slot,
        }
        command = [sys.executable, str(tool), str(peers[0]), str(scenario), str(peers[1])]
        command += ["--rounds", str(options.rounds), "--cpu", "0"]
        for name, value in variables.items():
            command += ["--var", f"{name}={value}"]
        print(f"Round trips on one core, {options.events} events, {options.rounds} rounds:\n")
        sys.stdout.flush()
        environment = {**os.environ, "XDG_CACHE_HOME": str(Path(folder) / "cache")}
        environment["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "compiled")
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        warm(session, environment)
        return subprocess.run(command, env=environment, check=False).returncode


PEERS = ("null", "debugpy_nodelay")


def warm(session: Path, environment: dict[str, str]) -> None:
    """Fill the caches of code and recordings, so that a first stop is that of a second day."""
    script = (
        "import sys, pathlib, dap_adapter.main, engine.recording;"
        " engine.recording.open_recording(pathlib.Path(sys.argv[1]))"
    )
    subprocess.run([sys.executable, "-c", script, str(session)], env=environment, check=True)


def generated(folder: Path, events: int) -> Path:
    """Return a new session directory of so many events."""
    out = folder / "session"
    command = [sys.executable, str(TOOLS / "make_session.py"), str(events), str(out)]
    subprocess.run(
        [*command, "--seed", "1", "--slots", "40"], check=True, stdout=subprocess.DEVNULL
    )
    return out


def slot_of(session: Path) -> str:
    """Return the slot that is written most often."""
    counts: dict[str, int] = {}
    for line in (session / "bus_events.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["type"] == "slot_write":
            counts[record["slot"]] = counts.get(record["slot"], 0) + 1
    return max(counts, key=lambda slot: counts[slot])


def ours(session: Path, slot: str) -> dict[str, object]:
    """Return the adapter's scenario."""
    watch = {"breakpoints": [{"dataId": f"slot:{slot}"}]}
    return {
        "name": "spd-dap",
        "command": [sys.executable, "-m", "dap_adapter.main"],
        "adapterID": "state-program",
        "arguments": {"recording": str(session)},
        "configure": [{"command": "setDataBreakpoints", "arguments": watch}],
        "steps": [*ROUND_TRIPS],
    }


def has_orjson() -> bool:
    """Return whether the null adapter can use its fastest codec here."""
    import importlib.util

    return importlib.util.find_spec("orjson") is not None


if __name__ == "__main__":
    sys.exit(main())
