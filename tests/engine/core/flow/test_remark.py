import pytest

from engine.core.flow.remark import NARROWED_LENGTH_MAX, narrowed
from engine.core.flow.source_text import SourceText


def place(text, name, *, within=None, behind="", after=""):
    """What the narrowed span covers, and its column; the span is the first line's `within`."""
    source = SourceText.of(text, path="f.yaml")
    start = text.index(within) if within else 0
    end = start + len(within) if within else len(text)
    span = source.span(source.offset_of(start), source.offset_of(end))
    found = narrowed(source, span, name, behind=behind, after=after)
    first, last = source.range_of(found)
    return text[first:last], found.column


@pytest.mark.parametrize(
    ("text", "name", "keys", "expected"),
    [
        ("😀 {{slots.day}}", "day", {"behind": "slots."}, ("day", 12)),
        ("{{slots.days}} {{slots.day}}", "day", {"behind": "slots."}, ("day", 24)),
        ("slot_set:day-x, slot_set:day", "day", {"behind": ":"}, ("day", 26)),
        ("day: day", "day", {"after": "day"}, ("day", 6)),
        ("sunday day", "day", {}, ("day", 8)),
        ("day", "day", {"within": "day"}, ("day", 1)),
        ("d\\x61y", "day", {}, ("d\\x61y", 1)),
        ("today", "day", {"after": "week"}, ("today", 1)),
        ("today", "", {}, ("today", 1)),
        ("a day, a day", "day", {"within": ", a day"}, ("day", 10)),
    ],
)
def test_a_name_is_found_in_its_text(text, name, keys, expected):
    assert place(text, name, **keys) == expected


def test_a_long_text_is_not_searched():
    text = "x" * NARROWED_LENGTH_MAX + " day"
    assert place(text, "day")[1] == 1
