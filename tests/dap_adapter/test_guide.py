"""The guide says what the adapter claims, and every setting and verb that it has."""

import re
from pathlib import Path

from dap_adapter.capabilities import CAPABILITIES
from dap_adapter.messages import encoded
from dap_adapter.protocol import Capabilities
from dap_adapter.requests.console import VERBS

GUIDE = (Path(__file__).parents[2] / "docs/guide/ide.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    return GUIDE.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


def test_every_claim_stands_in_the_guide_and_no_other() -> None:
    import json

    from dap_adapter.messages import Response

    response = Response(seq=1, request_seq=1, success=True, command="x", body=CAPABILITIES)
    claimed = set(json.loads(encoded(response))["body"])
    rows = re.findall(r"^\| `(\w+)` \|", section("What the adapter claims"), re.MULTILINE)
    assert set(rows) == claimed
    assert len(rows) == len(claimed)
    assert isinstance(CAPABILITIES, Capabilities)


def test_every_verb_stands_in_the_guide() -> None:
    words = set(re.findall(r"`(\w+)[^`]*`", section("Watch, hover and console")))
    assert set(VERBS) <= words


def test_every_launch_key_stands_in_the_guide() -> None:
    from dap_adapter import launch_config

    source = Path(launch_config.__file__).read_text(encoding="utf-8")
    read = set(re.findall(r'keys(?:, |\.get\()"(\w+)"', source))
    assert read <= set(re.findall(r"`(\w+)`", section("Launch settings")))
    assert {"recording", "stopAt", "noDebug", "pathMappings"} <= read
