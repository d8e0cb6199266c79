import pytest


def asked(*messages, **members):
    listed = [{"role": role, "text": text} for role, text in messages]
    return {"type": "llm_requested", "generation_id": "g2", "messages": listed, **members}


def cut(play, heard: str | None = "Four people, great."):
    records = play("p1", 0, 500, how="audio_interrupted")
    return [*records[:3], {**records[3], "heard": heard}]


def test_what_was_heard_is_not_in_the_next_model_input(found, play, start) -> None:
    (finding,) = found([*start, *cut(play), asked(("user", "Seven."))])
    assert finding["at"] == 5
    assert finding["events"] == ["bus:6", "bus:5"]
    assert finding["visits"] == ["a#1"]
    assert finding["detail"] == {"playback_id": "p1", "generation_id": "g2"}


@pytest.mark.parametrize(
    "messages",
    [
        [("assistant", "Four people, great.")],
        [("assistant", "Well: FOUR people great! And when?")],
        [("assistant", "Four people,"), ("assistant", "great.")],
        [("assistant", "Four people,"), ("user", "Hello?"), ("assistant", "great.")],
        [("tool", "four"), ("other", "people great")],
    ],
    ids=str,
)
def test_kept(found, play, start, messages) -> None:
    assert found([*start, *cut(play), asked(*messages)]) == []


@pytest.mark.parametrize("kept", ["Four people.", "people, great", "Forty four people, greatest"])
def test_kept_in_part(found, play, start, kept: str) -> None:
    assert len(found([*start, *cut(play), asked(("assistant", kept))])) == 1


@pytest.mark.parametrize(
    "unknown",
    [
        {"type": "llm_requested", "generation_id": "g2"},
        {"type": "llm_requested", "generation_id": "g2", "messages": None},
        asked(("assistant", "<str len=4>")),
        asked(("assistant", None)),
        asked(("user", "Seven."), context_size=17),
    ],
    ids=str,
)
def test_where_it_cannot_be_told(found, play, start, unknown) -> None:
    calls = [*start, *cut(play), unknown]
    assert found(calls) == []
    (finding,) = found([*calls, asked(("user", "Seven."), context_size=1)])
    assert finding["at"] == 6


@pytest.mark.parametrize("heard", [None, "", "...", "<str len=19>"])
def test_without_a_heard_text(found, play, start, heard) -> None:
    assert found([*start, *cut(play, heard), asked(("user", "Seven."))]) == []


def test_only_the_next_model_input_counts(found, play, start) -> None:
    before = asked(("user", "Seven."))
    kept = asked(("assistant", "Four people, great."))
    assert found([*start, before, *cut(play), kept, before]) == []
    assert found([*start, *cut(play)]) == []
