"""What the tests of the flow room share: reading a span as an editor does."""

import re

import pytest


def covered_text(text, span):
    """The text that `span` (an object of the metadata) covers in an editor, breaks as newlines."""
    lines = re.split(r"\r\n|\n|\r", text.removeprefix("\ufeff"))
    first, last = span["line"] - 1, span["end_line"] - 1
    units = [line.encode("utf-16-le") for line in lines[first : last + 1]]
    units[-1] = units[-1][: 2 * (span["end_column"] - 1)]
    units[0] = units[0][2 * (span["column"] - 1) :]
    return "\n".join(unit.decode("utf-16-le") for unit in units)


def without_places(value):
    """The metadata without what may differ between two spellings of one flow."""
    if isinstance(value, list):
        return [without_places(item) for item in value]
    if isinstance(value, dict):
        places = ("span", "spans", "text", "revision")
        return {key: without_places(item) for key, item in value.items() if key not in places}
    return value


@pytest.fixture(scope="session")
def cover():
    return covered_text


@pytest.fixture(scope="session")
def placeless():
    return without_places
