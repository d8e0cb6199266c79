"""What stands for a redacted value in free text, `<PHONE_1>`, and what it may stand for."""

import re
from enum import StrEnum


class Kind(StrEnum):
    """What a span holds; the word in the placeholder. Where spans meet, the first kind leads."""

    CODE = "CODE"
    """A card's security code, a PIN or a one-time code: not numbered, so that none is compared."""
    CARD = "CARD"
    IBAN = "IBAN"
    SSN = "SSN"
    EMAIL = "EMAIL"
    PHONE = "PHONE"
    NAME = "NAME"
    """A text that equals the value of a personal slot."""
    NUMBER = "NUMBER"
    """Any other row of digits that may identify somebody."""


PLACEHOLDER = re.compile(r"<(?:" + "|".join(Kind) + r")(?:_[0-9]+)?>")
