"""The next step beside a launch error: the client's own links, with the place filled in."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from dap_adapter.error_links import next_step
from dap_adapter.errors import DapError
from engine.core.contract.errors import SessionInvalid

LINKS = {
    "place": {"label": "Open", "url": "command:open?{error}"},
    "otherwise": {"label": "Choose", "url": "command:choose?{error}"},
}
PLACED = DapError(3001, "x", show_user=True, place={"file": "a b.json", "line": 3})
PLACELESS = DapError(2001, "x", show_user=True)


def launch(links: object, recording: object = "/calls/é") -> bytes:
    return json.dumps({"recording": recording, "errorLinks": links}).encode()


def told(url: str) -> object:
    return json.loads(unquote(url.split("?", 1)[1]))


def test_an_error_with_a_place_has_the_link_of_places() -> None:
    link = next_step(launch(LINKS), PLACED)
    assert link is not None
    assert link.label == "Open"
    assert told(link.url) == [{"recording": "/calls/é", "file": "a b.json", "line": 3}]
    assert link.url.isascii()
    assert " " not in link.url


def test_an_error_without_one_has_the_other() -> None:
    link = next_step(launch(LINKS), PLACELESS)
    assert link is not None
    assert (link.label, told(link.url)) == ("Choose", [{"recording": "/calls/é"}])
    only = next_step(launch({"otherwise": LINKS["otherwise"]}), PLACED)
    assert only is not None
    assert only.label == "Choose"


def test_what_cannot_be_read_is_no_link() -> None:
    for links in (None, {}, [], {"place": {"label": 1}}, {"otherwise": "x"}):
        assert next_step(launch(links), PLACED) is None
    assert next_step(b"[", PLACED) is None
    assert next_step(launch(LINKS, recording=5), PLACED) is None
    assert next_step(launch(LINKS), DapError(1005, "not for users")) is None


def test_the_error_of_a_launch_carries_it(new_driver: Callable[..., Any]) -> None:
    driver = new_driver()
    driver.request("initialize", adapterID="state-program")
    sent = driver.send("launch", {"recording": "x", "stepUnit": "mile", "errorLinks": LINKS})
    error = sent[-1]["body"]["error"]
    assert (error["urlLabel"], error["showUser"]) == ("Choose", True)
    assert told(error["url"]) == [{"recording": "x"}]
    sent = driver.send("launch", {"recording": "x", "stepUnit": "mile"})
    assert "url" not in sent[-1]["body"]["error"]


def test_an_engine_error_keeps_its_place() -> None:
    from dap_adapter import errors

    found = errors.of_engine(SessionInvalid("x", {"file": "manifest.json", "line": 2, "kind": "K"}))
    assert found.place == {"file": "manifest.json", "line": 2}
