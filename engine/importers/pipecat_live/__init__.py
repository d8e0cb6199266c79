"""The live recorder for Pipecat: writes each call of an unmodified bot into a session directory.

Attached by one environment line, `PIPECAT_SETUP_FILES=<SETUP_FILE>`. Rules: only what a hook saw is
written, with the cause that the task, frame, tool call or playback carried; nothing is matched by
time; no failure of the recorder reaches the bot. Pipecat is not imported here: its objects are told
by the names of their classes, so that this package can be read and checked without it.
"""

from pathlib import Path

SETUP_FILE = Path(__file__).with_name("setup_file.py")
"""The file to name in `PIPECAT_SETUP_FILES`."""

__all__ = ["SETUP_FILE"]
