r"""The slots that a prompt names between double braces.

Rules: patterns are possessive, so reading is linear in the text's length. Two spellings exist:
`{{slots.<name>}}` in `riff.flow/v1`, and `{{ key }}` or `{{ key.part }}` in Pipecat's prompts,
where `\{{` stands for the braces themselves.
"""

import re
from collections.abc import Callable

_NAME = r"[\w-]++"
_PATH = r"(?:\.[\w-]++)*+\s*+\}\}"
_RIFF = re.compile(rf"\{{\{{\s*+slots\.({_NAME}){_PATH}")
_PIPECAT = re.compile(rf"(?<!\\)\{{\{{\s*+({_NAME}){_PATH}")


def riff_slots(text: str) -> list[str]:
    """Return the slots of `{{slots.<name>}}` in order, repeats included. Cost: O(length).

    >>> riff_slots("So {{slots.party_size}} at {{ slots.order.time }}, {{time}}?")
    ['party_size', 'order']
    """
    return _RIFF.findall(text)


def pipecat_slots(text: str) -> list[str]:
    r"""Return the first path part of each `{{ key }}` in order, repeats included. Cost: O(length).

    >>> pipecat_slots(r"{{ party_size }} at {{order.time}}, \{{ literal }}")
    ['party_size', 'order']
    """
    return _PIPECAT.findall(text)


def fill_riff(text: str, value_of: Callable[[str], str]) -> tuple[str, tuple[str, ...]]:
    """Return the text with the slots' values in it, and the slots that it named, each once.

    >>> fill_riff("For {{slots.n}}, {{slots.n}}?", lambda slot: "4")
    ('For 4, 4?', ('n',))
    """
    read: dict[str, None] = {}

    def filled(found: re.Match[str]) -> str:
        read.setdefault(found[1])
        return value_of(found[1])

    return _RIFF.sub(filled, text), tuple(read)
