"""How much of what is planted in a corpus the redactor finds, and what it finds in vain."""

import pytest
from support import redaction_corpus
from support.redaction_corpus import COUNT

from engine.recording.redaction import TextRedactor


@pytest.mark.parametrize("kind", redaction_corpus.kinds())
def test_at_least_95_in_100_values_are_hidden(kind: str) -> None:
    hidden = sum(
        redaction_corpus.value_is_hidden(said, value)
        for said, value in redaction_corpus.sentences(kind)
    )
    assert hidden >= 0.95 * COUNT


def test_at_most_2_in_100_harmless_sentences_are_touched() -> None:
    redactor = TextRedactor(personal=redaction_corpus.personal_values)
    touched = [said for said in redaction_corpus.near_misses() if redactor(said) != said]
    assert len(touched) <= 0.02 * COUNT, touched[:10]


def test_the_corpus_shows_what_is_missed() -> None:
    assert redaction_corpus.value_is_hidden("call 415-555-0182", "415-555-0182")
    assert not redaction_corpus.value_is_hidden("it is seven", "seven")
