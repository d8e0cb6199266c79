from engine.core.contract import labels


def values(enum: type[labels.StrEnum]) -> list[str]:
    return [member.value for member in enum]


def test_the_vocabularies_are_those_of_the_contract() -> None:
    assert values(labels.Label) == ["recorded", "unavailable", "redacted", "simulated"]
    assert values(labels.Beat) == [
        "entry",
        "agent_output",
        "caller_input",
        "work",
        "guards",
        "exit",
    ]
    assert values(labels.SlotClass) == ["personal", "routing", "plain"]
    assert values(labels.Unowned) == [
        "before_entry",
        "between_visits",
        "after_exit",
        "unknown_visit",
        "no_correlation",
    ]
    assert values(labels.Direction) == ["forward", "reverse"]
    assert values(labels.Unit) == ["event", "beat", "visit"]


def test_ties_go_trace_bus_transcript() -> None:
    assert labels.STREAM_RANK == {"trace": 0, "bus": 1, "transcript": 2}
    assert values(labels.Stream) == sorted(labels.STREAM_RANK, key=labels.STREAM_RANK.__getitem__)
