"""Sentences with and without something personal in them, made from a seed: ours, nobody's words.

Each sentence of a kind holds one value; near misses hold none. Recall and false alarms a kind:

    PYTHONPATH=.:tests python -m support.redaction_corpus
"""

import random
from collections.abc import Callable, Iterator

_DIGITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = ["ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen"]
_TEENS += ["sixteen", "seventeen", "eighteen", "nineteen"]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_FRAMES = [
    "{}",
    "Yes, it's {}.",
    "Sure. {}, thanks.",
    "uh let me see, {} I think",
    "That would be {}, and I need it by seven.",
    "We are four people, {} is how you find me.",
    "My husband says {}. Is that right?",
]
_NAMES = [
    "Ana Lopez",
    "Jos\u00e9 \u00c1lvarez",
    "Mei Chen",
    "O'Brien",
    "Zo\u00eb",
    "Anne-Marie Duval",
]
_HOSTS = ["example", "sample", "mail dot example", "lotus garden"]
COUNT = 300


def _spoken(rng: random.Random, digits: str) -> str:
    """Return digits as people say them: one by one, repeated, in pairs, with pauses."""
    style = rng.choice(["single", "single", "repeats", "pairs"])
    words: list[str] = []
    at = 0
    while at < len(digits):
        pair = digits[at : at + 2]
        if style == "repeats" and len(set(digits[at : at + 3])) == 1 and at + 3 <= len(digits):
            words += ["triple", _DIGITS[int(digits[at])]]
            at += 3
        elif style == "repeats" and len(pair) == 2 and pair[0] == pair[1]:
            words += ["double", _DIGITS[int(pair[0])]]
            at += 2
        elif style == "pairs" and len(pair) == 2 and pair[0] != "0":
            words += _pair(int(pair))
            at += 2
        else:
            words.append(
                rng.choice(["oh", "zero"]) if digits[at] == "0" else _DIGITS[int(digits[at])]
            )
            at += 1
    mark = rng.choice([" ", " ", " ", ", ", "-", "... "])
    said = "".join(w + (mark if rng.random() < 0.3 else " ") for w in words).strip(" ,-.")
    return said.replace(" and ", " ") if rng.random() < 0.9 else said.replace(" ", " uh ", 1)


def _pair(value: int) -> list[str]:
    if value < 20:
        return [_TEENS[value - 10]]
    return [_TENS[value // 10 - 2], *([_DIGITS[value % 10]] if value % 10 else [])]


def _row(rng: random.Random, length: int) -> str:
    return "".join(rng.choice("0123456789") for _ in range(length))


def _phone(rng: random.Random) -> str:
    return rng.choice(["415", "212", "646", "303"]) + "555" + f"01{rng.randrange(100):02}"


def _card(rng: random.Random) -> str:
    body = "4" + _row(rng, 14)
    total = sum(
        sum(divmod(int(digit) * (2 if place % 2 == 0 else 1), 10))
        for place, digit in enumerate(body)
    )
    return body + str(-total % 10)


def _written_phone(rng: random.Random) -> str:
    p = _phone(rng)
    shapes = ["({}) {}-{}", "{}-{}-{}", "{}.{}.{}", "+1 {} {} {}", "phone {}{}{}"]
    return rng.choice(shapes).format(p[:3], p[3:6], p[6:])


def _email(rng: random.Random) -> str:
    user = rng.choice(["ana.lopez", "j.smith+table", "mei_chen88", "booking-7", "x"])
    return f"{user}@{rng.choice(['example.com', 'mail.example.org', 'example.co.uk'])}"


def _spoken_email(rng: random.Random) -> str:
    user = rng.choice(["ana dot lopez", "j o e", "mei underscore chen", "smith 8 8", "marta"])
    host = rng.choice(_HOSTS).replace("lotus garden", "lotusgarden")
    return f"{user} at {host} dot {rng.choice(['com', 'org', 'net'])}"


def _name(rng: random.Random) -> str:
    name = rng.choice(_NAMES)
    return rng.choice([str, str.upper, str.lower, lambda n: n + "'s"])(name)


_KINDS: dict[str, Callable[[random.Random], str]] = {
    "spoken digits": lambda rng: _spoken(rng, _row(rng, rng.randrange(6, 13))),
    "spoken phone": lambda rng: _spoken(rng, _phone(rng)),
    "written phone": _written_phone,
    "written card": lambda rng: " ".join(_fours(_card(rng))),
    "spoken card": lambda rng: _spoken(rng, _card(rng)),
    "e-mail": _email,
    "spoken e-mail": _spoken_email,
    "name": _name,
}


def _fours(digits: str) -> list[str]:
    return [digits[at : at + 4] for at in range(0, len(digits), 4)]


def kinds() -> list[str]:
    """Return the kinds of value that the corpus has."""
    return [*_KINDS]


def personal_values() -> list[str]:
    """Return the values of the personal slots of every call of the corpus."""
    return _NAMES


def sentences(kind: str) -> Iterator[tuple[str, str]]:
    """Yield (sentence, the value in it), `COUNT` of them."""
    rng = random.Random(f"redaction/{kind}")
    for _ in range(COUNT):
        value = _KINDS[kind](rng)
        yield rng.choice(_FRAMES).format(value), value


def near_misses() -> Iterator[str]:
    """Yield sentences that hold nothing personal, `COUNT` of them."""
    rng = random.Random("redaction/near misses")
    times = ["seven", "half past eight", "six forty five", "19:30", "quarter to nine", "noon"]
    for _ in range(COUNT):
        yield rng.choice(
            [
                f"A table for {rng.choice(_DIGITS[2:])} at {rng.choice(times)}, please.",
                f"Your ticket {_row(rng, 10)} is open.",
                f"Latencies were {rng.randrange(100, 999)} {rng.randrange(100, 999)} 1000.",
                f"It costs {rng.choice(_DIGITS[1:])} hundred and {rng.choice(_TENS)} dollars.",
                f"We moved here in nineteen {rng.choice(_TENS)} {rng.choice(_DIGITS[1:])}.",
                f"Press {rng.choice(_DIGITS)} for lunch, {rng.choice(_DIGITS)} for dinner.",
                f"Order {_row(rng, 9)} shipped on 2026-12-{rng.randrange(10, 29)}.",
                f"Look at the menu dot board near gate {rng.randrange(1, 90)}.",
                f"Two thousand {rng.choice(_DIGITS[1:])} hundred guests, {rng.randrange(9)} pm.",
                "One, two, three. Oh no, wait.",
            ]
        )


def main() -> None:
    """Print recall a kind, and false alarms."""
    from engine.recording.redaction import TextRedactor

    for kind in kinds():
        hidden = sum(value_is_hidden(said, value) for said, value in sentences(kind))
        print(f"{kind:<16} recall {hidden / COUNT:7.1%} of {COUNT}")
    alarms = [
        said for said in near_misses() if TextRedactor(personal=personal_values)(said) != said
    ]
    print(f"{'near misses':<16} false  {len(alarms) / COUNT:7.1%} of {COUNT}")
    for said in alarms[:5]:
        print("   ", said)


def value_is_hidden(said: str, value: str) -> bool:
    """Return whether redaction covers the whole value in a sentence."""
    from engine.recording.redaction import TextRedactor

    start = said.index(value)
    place, end = start, start + len(value.removesuffix("'s"))
    if value.startswith("phone "):
        place += len("phone ")
    for first, last in TextRedactor(personal=personal_values).spans(said):
        if first <= place < last:
            place = last
    return place >= end


if __name__ == "__main__":
    main()
