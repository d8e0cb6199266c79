"""Render docs/**/*.md to docs/html: one page a file, an index, the same bytes every time.

The Markdown is the text to read and change; the pages are committed, and a test compares them with
what this module renders.
"""

import re
from html import escape
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

DOCS = Path(__file__).resolve().parent
FIRST = "guide/state-program-debugger.md"
SECTIONS = (("guide", "Guide"), (".", "How it is built"), ("decisions", "Decisions"))
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="{up}style.css">
<nav><a href="{up}index.html">State Program Debugger</a></nav>
<main>
{body}</main>
</html>
"""


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
    tokens = parser.parse(text)
    name_headings(tokens)
    for token in tokens:
        for link in token.children or []:
            if link.type == "link_open":
                link.attrSet("href", html_link(str(link.attrGet("href"))))
    body = parser.renderer.render(tokens, parser.options, {})
    return PAGE.format(title=escape(title_of(text)), up="../" * name.count("/"), body=body)


def name_headings(tokens: list[Token]) -> None:
    """Give every heading the anchor that its text has on a code host; a repeated one a number."""
    seen: dict[str, int] = {}
    for opening, content in pairwise(tokens):
        if opening.type == "heading_open":
            slug = re.sub(r"[^\w\- ]", "", content.content.lower()).replace(" ", "-")
            count = seen[slug] = seen.get(slug, -1) + 1
            opening.attrSet("id", f"{slug}-{count}" if count else slug)


def index(sources: dict[str, str]) -> str:
    """Return the first page: every other one with its title and first sentences."""
    rows = ["<h1>State Program Debugger</h1>\n"]
    for folder, heading in SECTIONS:
        names = [name for name in sources if Path(name).parent.as_posix() == folder]
        rows.append(f"<h2>{heading}</h2>\n<dl>\n")
        for name in sorted(names, key=lambda name: (name != FIRST, name)):
            title, summary = escape(title_of(sources[name])), escape(summary_of(sources[name]))
            rows.append(f'<dt><a href="{html_name(name)}">{title}</a></dt><dd>{summary}</dd>\n')
        rows.append("</dl>\n")
    return PAGE.format(title="State Program Debugger", up="", body="".join(rows))


def title_of(text: str) -> str:
    """Return the first heading as plain text."""
    return text.split("\n", 1)[0].removeprefix("# ").replace("`", "")


def summary_of(text: str) -> str:
    """Return the first paragraph as plain text."""
    paragraph = text.split("\n\n", 2)[1].replace("\n", " ")
    return re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", paragraph)


def html_link(target: str) -> str:
    """Return where a link leads in the rendered tree; links that leave the docs stay."""
    return re.sub(r"\.md(?=#|$)", ".html", target) if "://" not in target else target


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
