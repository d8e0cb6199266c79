"""Every page is rendered and reached: one link and summary each, one start, no dead link."""

import posixpath
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from support.documents import DOCS, HTML, PAGES, ROOT, TEXTS, links, name_of, read, rendered

from docs import render

FIRST = "guide/state-program-debugger.html"
ENTRY = re.compile(r'<dt><a href="([^"]+)">([^<]+)</a></dt><dd>([^<]+)</dd>')
START = re.compile(r'<p class="start"><a href="([^"]+)">([^<]+)</a><br>([^<]+)</p>')


def entries(index: str) -> list[tuple[str, str, str]]:
    """The links of an index with title and summary, the place to start first."""
    return START.findall(index) + ENTRY.findall(index)


def index_faults(index: str, pages: set[str]) -> list[str]:
    """What is wrong with an index of these pages."""
    found = entries(index)
    hrefs = [href for href, _, _ in found]
    faults = [f"{page} has no link" for page in sorted(pages - set(hrefs))]
    faults += [f"{href} is no page" for href in sorted(set(hrefs) - pages)]
    faults += [f"{href} has {hrefs.count(href)} links" for href in hrefs if hrefs.count(href) > 1]
    faults += [f"{href} lacks a title or summary" for href, *texts in found if not all(texts)]
    starts = START.findall(index)
    if len(starts) != 1 or starts[0][0] != FIRST:
        faults.append("there is not exactly one place to start, the debugger's")
    if len(re.findall("<a ", index)) != len(found) + 1:
        faults.append("a link stands outside of the list")
    return faults


def test_every_page_has_one_link_and_a_summary() -> None:
    pages = {path.relative_to(DOCS).with_suffix(".html").as_posix() for path in PAGES}
    assert not index_faults(rendered()["index.html"], pages)


def test_the_guide_and_the_design_are_among_them() -> None:
    hrefs = {href for href, _, _ in entries(rendered()["index.html"])}
    for folder in ("guide", "design"):
        sources = {f"{folder}/{path.stem}.html" for path in (DOCS / folder).glob("*.md")}
        assert len(sources) >= 2
        assert sources <= hrefs


def test_every_page_has_a_file() -> None:
    for path in PAGES:
        assert (HTML / path.relative_to(DOCS)).with_suffix(".html").is_file(), path


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_every_page_has_a_title_and_a_sentence_as_summary(path: Path) -> None:
    assert re.match(r"# [^\n]+\n\n", read(path))
    summary = render.summary_of(read(path))
    assert summary.endswith((".", "?", "!"))
    assert len(summary) <= 250


def test_the_summary_is_the_first_sentence_without_marks() -> None:
    start = "# T\n\n```\ncode\n```\n\n*One* [link](a.md) with `code`,\nv1.2"
    long = ", and more to say than sixty characters can hold."
    assert render.summary_of(f"{start}{long} Two.\n\nThree.\n") == f"One link with code, v1.2{long}"
    assert render.summary_of(f"{start}. Two.\n\nThree.\n") == "One link with code, v1.2. Two."


# --- links ----------------------------------------------------------------------------------------


def markdown_faults(path: Path, text: str) -> list[str]:
    """The links of a document that lead nowhere."""
    faults: list[str] = []
    for target in links(text):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        page = (path.parent / name).resolve() if name else path
        is_dead = bool(name) and not (page.exists() and page.is_relative_to(ROOT))
        if is_dead or (anchor and anchor not in anchors(read(page) if name else text)):
            faults.append(target)
    return faults


def anchors(text: str) -> set[str]:
    """The anchors of a Markdown text, as its page has them."""
    return set(re.findall(r'<h\d id="([^"]+)"', render.page("a.md", text)))


@pytest.mark.parametrize("path", TEXTS, ids=name_of)
def test_no_link_of_the_text_is_dead(path: Path) -> None:
    assert not markdown_faults(path, read(path))


def page_faults(name: str, pages: Mapping[str, str]) -> list[str]:
    """The links of a rendered page that lead nowhere, from where it stands below `docs/html`."""
    faults: list[str] = []
    for target in re.findall(r'(?:href|src)="([^"]+)"', pages[name]):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        place = posixpath.normpath(posixpath.join(posixpath.dirname(name), file)) if file else name
        is_dead = not (HTML / place).exists() if place.startswith("../") else place not in pages
        if is_dead or (anchor and f'id="{anchor}"' not in pages.get(place, "")):
            faults.append(target)
    return faults


@pytest.mark.parametrize("name", sorted(name for name in rendered() if name.endswith(".html")))
def test_no_link_of_a_page_is_dead(name: str) -> None:
    assert not page_faults(name, rendered())


def test_pages_need_nothing_from_elsewhere() -> None:
    """No script, no font, no picture that a reader's browser would have to fetch."""
    for name, page in rendered().items():
        assert "<script" not in page, name
        assert not re.findall(r"(?:src=|@import|url\()", page), name


# --- the checks can fail --------------------------------------------------------------------------


def test_a_wrong_index_is_found() -> None:
    start = f'<p class="start"><a href="{FIRST}">Start</a><br>What it is.</p>'
    row = '<dt><a href="guide/a.html">A</a></dt><dd>What a is.</dd>'
    head = '<a href="index.html">Debugger</a>'
    pages = {FIRST, "guide/a.html"}
    assert not index_faults(head + start + row, pages)
    assert index_faults(head + start, pages) == ["guide/a.html has no link"]
    assert index_faults(head + start + row, {FIRST}) == ["guide/a.html is no page"]
    assert "guide/a.html has 2 links" in index_faults(head + start + row + row, pages)
    for wrong in (head + row, head + start + start + row, head + start.replace(FIRST, "x") + row):
        assert any("place to start" in fault for fault in index_faults(wrong, pages))
    stray = head + start + row + '<a href="guide/a.html">here</a>'
    assert index_faults(stray, pages) == ["a link stands outside of the list"]


def test_a_dead_link_is_found() -> None:
    page = DOCS / "guide" / "a.md"
    assert markdown_faults(page, "[a](no.md) [b](errors.md#NO) [c](#no) [d](../../../x)") == [
        "no.md",
        "errors.md#NO",
        "#no",
        "../../../x",
    ]
    assert not markdown_faults(page, "# Me\n\n[a](errors.md#flow_invalid) [b](#me) `[c](d)`")
    pages = {"a/b.html": '<a href="c.html"><a href="#x"><a href="../style.css"><h2 id="y">'}
    assert page_faults("a/b.html", pages | {"style.css": ""}) == ["c.html", "#x"]
