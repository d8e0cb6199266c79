"""A program that records the scripted call into its argument and prints each acknowledged id."""

import os
import sys
from pathlib import Path

from support.recorded import play, recorder_in


def main(directory: Path) -> None:
    """Record; an id goes out with one system call as soon as it is acknowledged."""
    with recorder_in(directory) as recorder:
        play(recorder, lambda event_id: os.write(1, f"{event_id}\n".encode()))
        recorder.add_audio({"audio_id": "caller"})
    os.write(1, b"closed\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
