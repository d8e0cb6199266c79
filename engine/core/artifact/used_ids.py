"""Which event ids are taken, in little memory where ids count upwards.

Ids with the same text before their last digits, whose digits rise, are all different; ids with
other texts before them differ anyway. So one number a prefix is enough until an id comes out of
order; then all earlier ids are held.
"""

from collections.abc import Callable, Iterable

_DIGITS = "0123456789"


class UsedIds:
    """Takes ids one by one and says of each whether it was free."""

    def __init__(self, earlier: Callable[[], Iterable[str]]) -> None:
        """`earlier` gives all ids taken so far; it is asked at most once."""
        self._earlier = earlier
        self._highest: dict[str, tuple[int, str]] = {}
        self._all: set[str] | None = None

    def take(self, event_id: str) -> bool:
        """Take an id and return True, or return False where it is taken."""
        if self._all is None:
            prefix = event_id.rstrip(_DIGITS)
            number = (len(event_id) - len(prefix), event_id[len(prefix) :])
            highest = self._highest.get(prefix)
            if highest is None or number > highest:
                self._highest[prefix] = number
                return True
            self._all = set(self._earlier())
        if event_id in self._all:
            return False
        self._all.add(event_id)
        return True
