"""The call timeline in the real workbench: it moves the debugger, and goes where that goes."""

from pathlib import Path

import pytest
from support.workbench import Workbench

pytestmark = pytest.mark.ide


def test_the_timeline_and_the_debugger_go_together(workbench: Workbench, workspace: Path) -> None:
    told = workbench.tell("timeline_story.mjs", workspace)
    assert "the timeline of the next session" in told
