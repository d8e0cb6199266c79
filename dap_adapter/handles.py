"""Reference numbers for frames and containers.

Rules: the same key has the same number for a whole session and a number is never given to another
key, so a reference that a client kept from an earlier stop still means what it meant.
"""

from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


class Handles(Generic[Key]):
    """A two-way table of keys and the numbers 1, 2, 3, ... in the order of first use."""

    def __init__(self) -> None:
        self._numbers: dict[Key, int] = {}
        self._keys: list[Key] = []

    def number_of(self, key: Key) -> int:
        """Return the number of `key`, a new one at its first use."""
        number = self._numbers.get(key)
        if number is None:
            self._keys.append(key)
            number = self._numbers[key] = len(self._keys)
        return number

    def key_of(self, number: int) -> Key | None:
        """Return the key that `number` was given to, or None."""
        return self._keys[number - 1] if 0 < number <= len(self._keys) else None
