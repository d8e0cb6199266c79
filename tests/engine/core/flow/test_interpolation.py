import pytest

from engine.core.flow.interpolation import pipecat_slots, riff_slots


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("", []),
        ("So {{slots.party_size}} at {{ slots.time }}?", ["party_size", "time"]),
        ("{{slots.a}}{{slots.a}}", ["a", "a"]),
        (
            "{{slots.order.size}} {{slots.first-name}} {{slots._route}}",
            ["order", "first-name", "_route"],
        ),
        ("{{{{slots.a}}}}", ["a"]),
        ("{{\n slots.a\n}}", ["a"]),
        ("{{time}} {slots.a} {{slots.}} {{slots.a b}} {{slots.a}", []),
        ("{{slots.größe}}", ["größe"]),
    ],
)
def test_riff_prompts_name_slots(text, slots):
    assert riff_slots(text) == slots


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("", []),
        ("{{ party_size }} at {{time}}", ["party_size", "time"]),
        ("{{ order.size }} {{ order.a.b }}", ["order", "order"]),
        (r"\{{ time }} and {{ size }}", ["size"]),
        ("{{ }} {{ a b }} {{ a. }} {{ a.b. }} { a }", []),
    ],
)
def test_pipecat_prompts_name_slots(text, slots):
    assert pipecat_slots(text) == slots


@pytest.mark.parametrize("read", [riff_slots, pipecat_slots])
@pytest.mark.parametrize(
    "text",
    [
        "{" * 200_000,
        "{{ " * 100_000,
        "{{" + " " * 200_000,
        "{{slots." + "a" * 200_000,
        "{{slots." + "a." * 100_000,
        "{{slots.a" + " " * 200_000 + "}",
        "{{slots." * 50_000,
        "\\{{" * 100_000,
    ],
)
def test_long_texts_are_read_in_one_pass(read, text):
    assert read(text) == []
