"""The documents as tests read them: Markdown, its code and links, and what they render to."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from docs import render

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
GUIDE = DOCS / "guide"
HTML = DOCS / "html"
PAGES = sorted(path for path in DOCS.rglob("*.md") if HTML not in path.parents)
FIXTURE_PAGES = sorted((ROOT / "fixtures").rglob("README.md"))
TEXTS = (ROOT / "README.md", ROOT / "CHANGELOG.md", *PAGES, *FIXTURE_PAGES)


def read(path: Path) -> str:
    """The text of a document."""
    return path.read_text(encoding="utf-8")


def name_of(path: Path) -> str:
    """A document's name in a test's id."""
    return path.relative_to(ROOT).as_posix()


def guide() -> str:
    """All pages of the guide in one text."""
    return "\n".join(read(path) for path in sorted(GUIDE.glob("*.md")))


@cache
def rendered() -> dict[str, str]:
    """What the documents render to now, by name below `docs/html`."""
    return render.pages()


def sections(text: str) -> dict[str, str]:
    """The second-level sections of a page, by heading."""
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block of code; `language` is what stands behind the fence."""

    language: str
    text: str


_FENCE = re.compile(r"^```([\w-]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a document."""
    return [Block(language=language, text=body) for language, body in _FENCE.findall(text)]


def code_spans(text: str) -> list[str]:
    """What stands between backticks in the running text, the fenced blocks left out."""
    return re.findall(r"`([^`\n]+)`", _FENCE.sub("", text))


def links(text: str) -> list[str]:
    """The targets of a document's links, outside of code."""
    prose = re.sub(r"`[^`\n]+`", "`code`", _FENCE.sub("", text))
    return re.findall(r"\]\(([^)\s]+)\)", prose)
