import re

import pytest

from engine.core.contract.labels import Stream
from engine.core.contract.problems import PROBLEM_CODES, Problem


def test_codes_stand_in_order_and_have_a_meaning() -> None:
    assert list(PROBLEM_CODES) == sorted(PROBLEM_CODES)
    assert all(re.fullmatch(r"[A-Z]+(_[A-Z]+)*", code) for code in PROBLEM_CODES)
    assert all(meaning.endswith(".") for meaning in PROBLEM_CODES.values())


def test_the_codes_that_the_documents_name() -> None:
    assert set(PROBLEM_CODES) >= {
        "SEQUENCE_BROKEN",
        "CLOCK_NOT_INTEGER",
        "EVENT_ID_REPEATED",
        "FIELD_MISSING",
        "NUMBER_KEPT_AS_TEXT",
        "RAW_PERSONAL_VALUE",
        "VISIT_ID_DIFFERS",
    }


def test_an_unknown_code_is_our_bug() -> None:
    with pytest.raises(AssertionError):
        Problem(code="NOT_A_CODE")


def test_as_json() -> None:
    assert Problem(code="SEQUENCE_GAP").as_json() == {
        "code": "SEQUENCE_GAP",
        "stream": None,
        "line": None,
        "event_id": None,
        "detail": {},
    }
    full = Problem(
        code="SEQUENCE_GAP", stream=Stream.BUS, line=3, event_id="e1", detail={"missing": 2}
    )
    assert full.as_json() == {
        "code": "SEQUENCE_GAP",
        "stream": "bus",
        "line": 3,
        "event_id": "e1",
        "detail": {"missing": 2},
    }


def test_order_is_stream_rank_then_line_then_code() -> None:
    in_order = [
        Problem(code="SEQUENCE_GAP"),
        Problem(code="FILE_MISSING", stream=Stream.TRACE),
        Problem(code="SEQUENCE_GAP", stream=Stream.TRACE, line=2),
        Problem(code="UNKNOWN_TYPE", stream=Stream.TRACE, line=2),
        Problem(code="FIELD_MISSING", stream=Stream.TRACE, line=10),
        Problem(code="FIELD_MISSING", stream=Stream.BUS, line=1),
        Problem(code="FIELD_MISSING", stream=Stream.TRANSCRIPT, line=1),
    ]
    others_first = [*in_order[3:], *in_order[:3]]
    assert sorted(others_first, key=lambda p: p.sort_key) == in_order


def test_place() -> None:
    assert Problem(code="SEQUENCE_GAP").place is None
    assert Problem(code="FILE_MISSING", stream=Stream.BUS).place is None
    assert Problem(code="SEQUENCE_GAP", stream=Stream.BUS, line=3).place == (Stream.BUS, 3)
