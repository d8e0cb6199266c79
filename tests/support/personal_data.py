"""A scan for personal data: numbers, addresses, hosts and paths that could be somebody's.

What the project's own files hold by design (digests, ids, call starts) is taken out first. Names
cannot be found by a pattern: tests that know what may be said check for those.
"""

import re
from pathlib import Path

KNOWN_NUMBERS = re.compile(
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"  # playback and group ids
    r"|[0-9a-f]{64}"
    r'|"p\d{6}(?:\.\d+)?"'  # playback ids of the ledger
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3}\+00:00|Z)"
    r'|"call_start_epoch": ?\d{13}\b'
    r'|"zero":\d{10}\.\d+'
    r'|"bytes":\d{7}\b'
)
PERSONAL = {
    "phone or card number": re.compile(r"(?<!\d)(?:\d[ ()./-]{0,2}){7,}"),
    "e-mail": re.compile(r"[\w.+-]+@[\w-]+"),
    "address": re.compile(r"(?<![\d.])(?!127\.)\d{1,3}(?:\.\d{1,3}){3}(?![\d.])"),
    "address, six": re.compile(r"(?i)(?<![\w:])(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{1,4}(?![\w:])"),
    "path": re.compile(r"(?i)/(?:home|users|root|tmp|work|mnt|var|opt)\b|[a-z]:\\|file:"),
    "host": re.compile(
        r"(?i)https?:|\blocalhost\b|\b[\w-]+\.(?:com|net|org|io|dev|app|local|internal|lan|cloud)\b"
    ),
}


def personal(text: str) -> list[str]:
    """Return what in `text` looks like somebody's, as `<kind>: <hit>`."""
    rest = KNOWN_NUMBERS.sub(" ", text)
    return [f"{kind}: {hit[0]}" for kind, rule in PERSONAL.items() for hit in rule.finditer(rest)]


def text_files(folder: Path) -> list[Path]:
    """Return all files below `folder` that are text, sorted."""
    found = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return [path for path in found if path.suffix != ".wav" and "__pycache__" not in path.parts]


def text_of(path: Path) -> str:
    """Return a file's text; bytes that are no UTF-8 (a fixture may hold some) are replaced."""
    return path.read_bytes().decode(errors="replace")
