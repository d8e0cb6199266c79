"""Names that resemble a wrong one, for messages that ask "did you mean".

Rules: resembling names come best first, and what it costs is bounded for a whole file, because a
file may hold thousands of wrong names and thousands of right ones.
"""

from collections.abc import Sequence

COMPARISONS_MAX = 20_000
"""Most comparisons of two names for one file; behind it no names are offered."""
LENGTH_MAX = 64
"""Longer names are not compared."""
OFFERED_MAX = 3


class NearestNames:
    """Finds the nearest names of one file's wrong ones; lives only while it is checked."""

    __slots__ = ("_comparisons_left", "_known")

    def __init__(self) -> None:
        self._comparisons_left = COMPARISONS_MAX
        self._known: dict[tuple[str, str], tuple[str, ...]] = {}

    def of(self, name: str, names: Sequence[str], *, kind: str) -> tuple[str, ...]:
        """Return up to `OFFERED_MAX` of `names` that resemble `name`, best first; may be empty.

        `kind` tells the sets of names apart: with one `kind`, `names` is always the same.
        Cost: O(names) for the first question about a name.
        """
        key = (kind, name)
        if key not in self._known:
            self._known[key] = self._found(name, names)
        return self._known[key]

    def _found(self, name: str, names: Sequence[str]) -> tuple[str, ...]:
        if len(name) > LENGTH_MAX or len(names) > self._comparisons_left:
            return ()
        from difflib import get_close_matches  # noqa: PLC0415 - only where a name is wrong

        self._comparisons_left -= len(names)
        lowered = name.lower()
        alike = [other for other in names if other.lower() == lowered and other != name]
        short = [other for other in names if len(other) <= LENGTH_MAX and other not in alike]
        return (*alike, *get_close_matches(name, short, n=OFFERED_MAX, cutoff=0.6))[:OFFERED_MAX]


def did_you_mean(names: Sequence[str]) -> str:
    """Return the question that offers `names`, led by a space; empty for none.

    >>> did_you_mean(("menu", "main"))
    " Did you mean 'menu' or 'main'?"
    """
    return f" Did you mean {' or '.join(map(repr, names))}?" if names else ""
