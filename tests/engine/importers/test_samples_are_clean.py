"""The samples of other engines hold nobody's addresses, hosts or paths, packed or not.

Numbers are not looked for here: clocks and ids of other engines look like telephone numbers.
"""

import gzip
import re
from pathlib import Path

import pytest
from support.import_samples import OURS

SOMEBODYS = re.compile(
    r"[\w.+-]+@[\w-]+\.[a-z]{2,}|/(?:home|users|root)/\w+|\b[\w-]+\.(?:local|internal|lan)\b"
    r"|https?://[\w.-]+",
    re.IGNORECASE | re.ASCII,
)
PLACEHOLDERS = ("example.com", "example.org", "example.net")


def files() -> list[Path]:
    return [
        path
        for path in sorted(OURS.rglob("*"))
        if path.is_file() and path.suffix not in {".md", ".py"} and "__pycache__" not in path.parts
    ]


@pytest.mark.parametrize("path", files(), ids=lambda path: path.relative_to(OURS).as_posix())
def test_nobody_is_in_it(path: Path) -> None:
    data = path.read_bytes()
    if data.startswith(b"\x1f\x8b"):
        data = gzip.decompress(data)
    text = data.decode(errors="replace")
    found = [hit[0] for hit in SOMEBODYS.finditer(text)]
    assert not [hit for hit in found if not any(name in hit for name in PLACEHOLDERS)]


def test_every_folder_says_where_it_comes_from() -> None:
    for folder in OURS.iterdir():
        text = (folder / "README.md").read_text(encoding="utf-8")
        assert "licen" in text.lower(), folder
