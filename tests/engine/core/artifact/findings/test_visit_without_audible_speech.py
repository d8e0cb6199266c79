import pytest
from support.records import entered, exited, flow_of, noise, record, taken

FLOW = flow_of("""\
flow_id: spoken
entry: ask
states:
  ask:
    prompt: "Is that right?"
    transitions:
      - {to: end, when: "slot_set:x"}
      - {to: end, when: always}
      - {to: end, when: "audio:completed"}
  end: {}
""")


def call(*inside, edge: str | None = "ask:0", caused_by: str | None = None):
    return [
        entered("ask", event_id="in"),
        *inside,
        taken(edge, "end", caused_by=caused_by, event_id="go"),
        exited("ask", edge_id=edge),
        entered("end"),
        record("audio_generated", playback_id="other"),
    ]


def chosen(**members):
    return record("input_selected", event_id="chosen", **members)


def codes(found, *inside, **options) -> int:
    return len(found(call(*inside, **options), flow=FLOW))


def test_left_by_the_caller_before_the_question_was_heard(found) -> None:
    (finding,) = found(call(chosen()), flow=FLOW)
    assert finding["at"] == 3
    assert finding["events"] == ["in", "bus:4"]
    assert finding["visits"] == ["ask#1"]
    assert finding["detail"] == {"audible_ms": 0, "exit_edge": "ask:0"}


def test_what_was_heard(found, play) -> None:
    heard = play("p", 0, 1)
    assert codes(found, *heard, chosen()) == 0
    assert codes(found, *play("p", 5, 5), chosen()) == 1
    assert codes(found, *heard[:2], chosen()) == 1
    assert codes(found, *heard[:3], chosen()) == 0  # for an unknown time
    assert codes(found, *play("p", 5, 5, how="audio_interrupted"), chosen()) == 1


def test_of_whom_a_playback_is(found, play) -> None:
    one, rest = play("p", 0, 9, state_id="ask"), call(chosen())
    early = [*one[:3], *rest[:2], one[3], *rest[2:]]
    assert found(early, flow=FLOW) == []
    others = play("p", 0, 9, state_id="end")
    assert len(found([*others[:3], *rest[:2], others[3], *rest[2:]], flow=FLOW)) == 1
    nobody = play("p", 0, 9)
    assert found([*nobody[:3], *rest[:2], nobody[3], *rest[2:]], flow=FLOW) == []
    assert len(found([*one, *rest], flow=FLOW)) == 1  # over before the entry
    late = play("p", 0, 9, visit_id="ask#1")
    asked_inside = [*rest[:2], *late[:2], *rest[2:], *late[2:]]
    assert len(found(asked_inside, flow=FLOW)) == 1  # heard only after the exit


@pytest.mark.parametrize(
    ("edge", "count"), [("ask:0", 1), ("ask:1", 0), ("ask:2", 0), ("ask:9", 1), (None, 1)]
)
def test_an_edge_that_may_be_the_caller_s(found, edge, count) -> None:
    assert codes(found, chosen(), edge=edge) == count


def test_no_caller_input(found) -> None:
    assert codes(found, noise()) == 0
    assert codes(found, record("dtmf_received", digit="1")) == 1
    said = record("transcript_segment", speaker="caller", text="hm", event_id="said")
    assert codes(found, said) == 0


def test_a_chain_of_causes_decides(found) -> None:
    said = record("transcript_segment", speaker="caller", text="hm", event_id="said")
    assert codes(found, said, caused_by="said", edge="ask:1") == 1
    step = noise(event_id="step", caused_by="said")
    assert codes(found, said, step, caused_by="step") == 1
    assert codes(found, chosen(), caused_by="in") == 0
    agent = {**said, "speaker": "agent", "caused_by": "in"}
    assert codes(found, chosen(), agent, caused_by="said") == 0
    assert codes(found, chosen(), caused_by="elsewhere") == 1


def test_still_open_at_the_end(found, play) -> None:
    asked = play("p", 0, 1)[:1]
    (finding,) = found([entered("ask"), *asked, noise()], flow=FLOW)
    assert (finding["at"], finding["events"]) == (2, ["bus:1"])
    assert found([entered("end"), *asked], flow=FLOW) == []


def test_superseded_is_neither_left_nor_open(found, play) -> None:
    calls = [entered("ask"), chosen(), entered("end"), *play("p", 0, 1)]
    assert found(calls, flow=FLOW) == []


def test_a_recording_without_playback_events_tells_nothing(found) -> None:
    assert found(call(chosen())[:-1], flow=FLOW) == []
    assert found([entered("ask")], flow=FLOW) == []
