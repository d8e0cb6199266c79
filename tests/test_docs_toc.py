"""Headings: the anchors of a page and its list of sections are those of the Markdown."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from support.documents import DOCS, PAGES, name_of, read, rendered

from docs import render

CODE = re.compile(r"^(```).*?^\1", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^(#{1,6}) (.+)$", re.MULTILINE)


def expected_headings(text: str) -> list[tuple[int, str]]:
    """Level and anchor of each heading, read from the Markdown without its parser."""
    seen: dict[str, int] = {}
    found: list[tuple[int, str]] = []
    for marks, words in HEADING.findall(CODE.sub("", text)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", words)
        slug = "".join(c for c in plain.lower() if c.isalnum() or c in "-_ ").replace(" ", "-")
        seen[slug] = seen.get(slug, -1) + 1
        found.append((len(marks), f"{slug}-{seen[slug]}" if seen[slug] else slug))
    return found


def headings(page: str) -> list[tuple[int, str]]:
    """Level and anchor of each heading of a rendered page."""
    return [(int(level), anchor) for level, anchor in re.findall(r'<h(\d) id="([^"]+)"', page)]


def contents(page: str) -> list[str]:
    """The anchors that the page's list of sections leads to."""
    lists = re.findall(r'<nav aria-label="On this page">(.*?)</nav>', page, re.DOTALL)
    assert len(lists) <= 1
    return re.findall(r'<li><a href="#([^"]+)">[^<]+</a></li>', "".join(lists))


def toc_faults(text: str, page: str) -> list[str]:
    """What differs between a Markdown text and its page."""
    expected = expected_headings(text)
    faults: list[str] = []
    if headings(page) != expected:
        faults.append("headings")
    if len({anchor for _, anchor in headings(page)}) != len(headings(page)):
        faults.append("an anchor stands twice")
    in_order = [anchor for level, anchor in expected if level == 2]
    if contents(page) != (in_order if len(in_order) >= 3 else []):
        faults.append("list of sections")
    itself = re.findall(r'<h\d id="([^"]+)">.*? <a class="here" href="#([^"]+)"', page)
    if itself != [(anchor, anchor) for level, anchor in expected if level > 1]:
        faults.append("links of headings to themselves")
    return faults


def page_of(path: Path) -> str:
    """The rendered page of a Markdown file."""
    return rendered()[path.relative_to(DOCS).with_suffix(".html").as_posix()]


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_headings_anchors_and_sections_are_those_of_the_text(path: Path) -> None:
    assert not toc_faults(read(path), page_of(path))


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_a_page_has_one_title_and_skips_no_level(path: Path) -> None:
    levels = [level for level, _ in expected_headings(read(path))]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_long_pages_have_a_list_of_sections() -> None:
    assert len(contents(page_of(DOCS / "guide" / "errors.md"))) >= 11
    assert not contents(rendered()["index.html"])


# --- the check can fail ---------------------------------------------------------------------------

TEXT = "# T `a`\n\nx.\n\n## A b\n\n```\n## no\n```\n\n### A b\n\n## C-d [E](f.md)!\n\n## G\n"


def test_a_right_page_is_right() -> None:
    page = render.page("a.md", TEXT)
    assert headings(page) == [(1, "t-a"), (2, "a-b"), (3, "a-b-1"), (2, "c-d-e"), (2, "g")]
    assert contents(page) == ["a-b", "c-d-e", "g"]
    assert not toc_faults(TEXT, page)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('id="a-b"', 'id="a-c"', "headings"),
        ('<h3 id="a-b-1"', '<h3 id="a-b"', "an anchor stands twice"),
        ('<li><a href="#g">G</a></li>\n', "", "list of sections"),
        ('class="here" href="#g"', 'class="here" href="#a-b"', "links of headings to themselves"),
        ("<h2 id=", "<h4 id=", "headings"),
    ],
)
def test_a_wrong_page_is_found(old: str, new: str, fault: str) -> None:
    page = render.page("a.md", TEXT)
    assert old in page
    assert fault in toc_faults(TEXT, page.replace(old, new))


def test_a_heading_that_is_new_in_the_text_is_found() -> None:
    page = render.page("a.md", TEXT)
    assert "headings" in toc_faults(TEXT + "\n## New\n", page)
