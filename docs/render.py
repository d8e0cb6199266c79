"""Render docs/**/*.md to docs/html: one page a file, an index, the same bytes every time.

The Markdown is the text to read and change; the pages are committed, and a test compares them with
what this module renders.
"""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

DOCS = Path(__file__).resolve().parent
FIRST = "guide/state-program-debugger.md"
SECTIONS = (
    ("guide", "Guide"),
    ("design", "The contract"),
    (".", "How it is built"),
    ("decisions", "Decisions"),
)
SUMMARY_MIN = 60
"""A summary of fewer characters takes in the next sentence."""
CONTENTS_MIN = 3
"""A page with fewer sections has no list of them."""
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="{up}style.css">
<header><a href="{up}index.html">State Program Debugger</a></header>
{contents}<main>
{body}</main>
</html>
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading of a page; `text` is plain, `anchor` is what a link behind `#` names."""

    level: int
    text: str
    anchor: str


def pages(docs: Path = DOCS) -> dict[str, str]:
    """Return every file of the rendered tree, by its path below `docs/html`."""
    sources = {
        path.relative_to(docs).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(docs.rglob("*.md"))
        if "html" not in path.relative_to(docs).parts
    }
    rendered = {html_name(name): page(name, text) for name, text in sources.items()}
    rendered["index.html"] = index(sources)
    rendered["style.css"] = (docs / "style.css").read_text(encoding="utf-8")
    return rendered


def page(name: str, text: str) -> str:
    """Return the page of the Markdown file `name`."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("table_open", _table_open)
    parser.add_render_rule("table_close", _table_close)
    parser.add_render_rule("heading_close", _heading_close)
    tokens = parser.parse(text)
    found = name_headings(tokens)
    label_cells(tokens)
    for token in tokens:
        for link in token.children or []:
            if link.type == "link_open":
                link.attrSet("href", html_link(name, str(link.attrGet("href"))))
    return PAGE.format(
        title=escape(title_of(text)),
        up="../" * name.count("/"),
        contents=contents(found),
        body=parser.renderer.render(tokens, parser.options, {}),
    )


def _table_open(*_: object) -> str:
    """A wide table scrolls by itself, also with the keyboard; the page does not."""
    return '<div class="table" tabindex="0"><table>\n'


def _table_close(*_: object) -> str:
    return "</table></div>\n"


def _heading_close(_: object, tokens: list[Token], at: int, *__: object) -> str:
    """A section's heading ends with a link to itself."""
    closing, anchor = tokens[at], tokens[at - 2].attrGet("id")
    link = f' <a class="here" href="#{anchor}" aria-label="Link to this section">#</a>'
    return f"{link if closing.tag != 'h1' else ''}</{closing.tag}>\n"


def name_headings(tokens: list[Token]) -> list[Heading]:
    """Give every heading the anchor that it has on a code host, and return all of them.

    A repeated anchor gets a number.
    """
    seen: dict[str, int] = {}
    found: list[Heading] = []
    for opening, content in pairwise(tokens):
        if opening.type == "heading_open":
            text = "".join(part.content for part in content.children or [])
            slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            count = seen[slug] = seen.get(slug, -1) + 1
            anchor = f"{slug}-{count}" if count else slug
            opening.attrSet("id", anchor)
            found.append(Heading(level=int(opening.tag[1:]), text=text, anchor=anchor))
    return found


def label_cells(tokens: list[Token]) -> None:
    """Give every cell of a table its column's heading: a narrow screen shows cells in a column."""
    labels: list[str] = []
    column = 0
    for opening, content in pairwise(tokens):
        if opening.type == "thead_open":
            labels = []
        elif opening.type == "tr_open":
            column = 0
        elif opening.type == "th_open":
            labels.append("".join(part.content for part in content.children or []))
        elif opening.type == "td_open":
            opening.attrSet("data-label", labels[column])
            column += 1


def contents(found: list[Heading]) -> str:
    """Return the list of a page's sections; nothing for a short page."""
    sections = [heading for heading in found if heading.level == 2]
    if len(sections) < CONTENTS_MIN:
        return ""
    rows = "".join(
        f'<li><a href="#{heading.anchor}">{escape(heading.text)}</a></li>\n' for heading in sections
    )
    return f'<nav aria-label="On this page">\n<ul>\n{rows}</ul>\n</nav>\n'


def index(sources: dict[str, str]) -> str:
    """Return the first page: where to start, then every page with its first sentence."""
    title, summary = escape(title_of(sources[FIRST])), escape(summary_of(sources[FIRST]))
    rows = [
        "<h1>State Program Debugger</h1>\n",
        f'<p class="start"><a href="{html_name(FIRST)}">Start here: {title}</a><br>{summary}</p>\n',
    ]
    for folder, heading in SECTIONS:
        rows += _section_rows(folder, heading, sources)
    return PAGE.format(title="State Program Debugger", up="", contents="", body="".join(rows))


def _section_rows(folder: str, heading: str, sources: dict[str, str]) -> Iterator[str]:
    names = [name for name in sources if Path(name).parent.as_posix() == folder and name != FIRST]
    if not names:
        return
    yield f"<h2>{heading}</h2>\n<dl>\n"
    for name in names:
        title, summary = escape(title_of(sources[name])), escape(summary_of(sources[name]))
        yield f'<dt><a href="{html_name(name)}">{title}</a></dt><dd>{summary}</dd>\n'
    yield "</dl>\n"


def title_of(text: str) -> str:
    """Return the first heading as plain text."""
    return text.split("\n", 1)[0].removeprefix("# ").replace("`", "")


def summary_of(text: str) -> str:
    """Return the beginning of the first paragraph as plain text: a sentence, or some short ones."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    paragraphs = (after for opening, after in pairwise(tokens) if opening.type == "paragraph_open")
    parts = next(paragraphs).children or []
    plain = "".join(" " if part.type == "softbreak" else part.content for part in parts)
    first, *more = re.split(r"(?<=[.?!]) (?=[A-Z])", plain)
    while more and len(first) < SUMMARY_MIN:
        first = f"{first} {more.pop(0)}"
    return first


def html_link(name: str, target: str) -> str:
    """Return where a link of the page `name` leads from its rendered page.

    A page of the docs becomes its rendered page; any other file of the checkout stays where it is,
    one folder further away.
    """
    path, hash_, anchor = target.partition("#")
    if "://" in target or not path:
        return target
    within = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
    if path.endswith(".md") and not within.startswith("../"):
        return html_name(path) + hash_ + anchor
    return f"../{target}"


def html_name(name: str) -> str:
    """Return the rendered name of a Markdown file."""
    return name.removesuffix(".md") + ".html"


def main() -> None:
    """Write the rendered tree and remove pages whose source is gone."""
    html = DOCS / "html"
    rendered = pages()
    for name, text in rendered.items():
        path = html / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8"))
    for path in html.rglob("*.html"):
        if path.relative_to(html).as_posix() not in rendered:
            path.unlink()


if __name__ == "__main__":
    main()
