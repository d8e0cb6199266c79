import subprocess
import sys

PROGRAM = """
import os, resource
from engine.recording import keep_memory_private
assert keep_memory_private()
assert resource.getrlimit(resource.RLIMIT_CORE) == (0, 0)
print(os.stat("/proc/self/maps").st_uid if os.path.exists("/proc/self/maps") else 0)
"""


def test_a_process_leaves_no_core() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "0", "the system keeps the process's files from its own user"
