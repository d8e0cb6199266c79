"""Generated sessions over the wire against the truth that their generator wrote beside them."""

from collections.abc import Callable
from typing import Any

import pytest
from support.generated import GeneratedSession, generated_session

Make = Callable[..., Any]


@pytest.fixture(scope="module", params=[(5, "session"), (6, "session"), (7, "per_stream")])
def call(request: pytest.FixtureRequest) -> GeneratedSession:
    seed, sequence = request.param
    return generated_session(events=150, seed=seed, sequence=sequence)


def events_of(driver: Any, command: str) -> list[str]:
    """The events of every stop of a run in one direction, by id."""
    found = []
    while "hitBreakpointIds" in (body := driver.move(command)):
        found.append(driver.values("Position")["event_id"])
        if "End of recording" in body.get("text", ""):
            break
    return found


def both_ways(new_driver: Make, call: GeneratedSession, setting: Callable) -> list[str]:
    """The stops from the start, which are those from the end in reverse."""
    forward, backward = new_driver(), new_driver()
    forward.start(call.directory)
    backward.start(call.directory, stopAt="end")
    setting(forward)
    setting(backward)
    ahead, back = events_of(forward, "continue"), events_of(backward, "reverseContinue")
    last = call.truth["order"][-1]
    assert [event for event in ahead if event != last] == back[::-1]
    return ahead


def test_data_breakpoints_stop_at_the_true_writes(new_driver: Make, call: GeneratedSession) -> None:
    writes = call.truth["slot_writes"]
    for slot in sorted({write["slot"] for write in writes})[:4]:
        seen = both_ways(
            new_driver,
            call,
            lambda driver, slot=slot: driver.request(
                "setDataBreakpoints",
                breakpoints=[{"dataId": f"slot:{slot}", "condition": 'event.type == "slot_write"'}],
            ),
        )
        assert seen == [write["event_id"] for write in writes if write["slot"] == slot]


def test_states_and_edges_stop_at_the_true_visits(new_driver: Make, call: GeneratedSession) -> None:
    visits = call.truth["visits"]
    names = [{"name": "state:*"}]
    entered = both_ways(
        new_driver,
        call,
        lambda driver: driver.request("setFunctionBreakpoints", breakpoints=names),
    )
    assert entered == [visit["entered"] for visit in visits]
    driver = new_driver()
    driver.start(call.directory)
    edges = sorted({visit["edge"] for visit in visits if visit["edge"]})
    got = driver.request(
        "setFunctionBreakpoints", breakpoints=[{"name": f"edge:{edge}"} for edge in edges]
    )["breakpoints"]
    for edge, answer in zip(edges, got, strict=True):
        count = sum(visit["edge"] == edge for visit in visits)
        assert answer["message"].startswith("hit once" if count == 1 else f"hit {count} times")


def test_findings_stop_at_the_true_places(new_driver: Make, call: GeneratedSession) -> None:
    driver = new_driver()
    driver.start(call.directory)
    truth = call.truth
    codes = {
        "DUPLICATE_AGENT_PLAYBACK": len(truth["duplicates"]),
        "TRANSITION_DROPPED": len(truth["dropped_transitions"]),
        "EDGE_TRUE_NOT_TAKEN": len(truth["true_not_taken"]),
    }
    found = [row["name"].partition("#")[0] for row in driver.scope("Findings")]
    for code, count in codes.items():
        assert found.count(code) == count
    got = driver.request("setExceptionBreakpoints", filters=list(codes))["breakpoints"]
    reached = ["never reached" not in answer["message"] for answer in got]
    assert reached == [count > 0 for count in codes.values()]


def test_every_playback_is_in_the_call(new_driver: Make, call: GeneratedSession) -> None:
    driver = new_driver()
    driver.start(call.directory, stopAt="end")
    [playback] = [row for row in driver.scope("Call") if row["name"] == "playback"]
    rows = driver.children(playback["variablesReference"])
    assert [row["name"] for row in rows] == [row["playback_id"] for row in call.truth["playbacks"]]
