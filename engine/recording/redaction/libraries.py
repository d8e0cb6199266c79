"""The checks that other people keep: phone numbers by `phonenumbers`, check digits by `stdnum`.

Both come with the extra `redaction`; nothing else of the product needs them.
"""

from collections.abc import Iterator

from engine.core.contract.errors import ExtraMissing

try:
    import phonenumbers
    from stdnum import iban, luhn
    from stdnum.us import ssn
except ImportError as missing:
    raise ExtraMissing(
        "Redaction needs two packages that are not installed. Run: "
        'pip install "state-program-debugger[redaction]"',
        {"extra": "redaction", "module": missing.name},
    ) from missing

_SEPARATORS = frozenset("-.()/+")


def is_card(digits: str) -> bool:
    """Return whether the check digit is that of a payment card."""
    return luhn.is_valid(digits) and len(set(digits)) > 1


def is_iban(text: str) -> bool:
    """Return whether length and check digits are those of an IBAN."""
    return iban.is_valid(text)


def is_ssn(text: str) -> bool:
    """Return whether the text may be a social security number of the United States."""
    return ssn.is_valid(text.replace(" ", "-"))


def phone_spans(said: str, region: str) -> Iterator[tuple[int, int, str, bool]]:
    """Yield (start, end, digits, whether it is written like a phone number).

    A number in bare digits, or with spaces only, may be anything: the caller asks the words around.
    """
    matcher = phonenumbers.PhoneNumberMatcher(said, region, leniency=phonenumbers.Leniency.POSSIBLE)
    for match in matcher:
        digits = str(match.number.country_code) + phonenumbers.national_significant_number(
            match.number
        )
        yield match.start, match.end, digits, bool(_SEPARATORS.intersection(match.raw_string))
