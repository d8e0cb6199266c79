import re

import pytest

from engine.core.contract import errors
from engine.core.contract.errors import EngineError


def all_errors() -> list[type[EngineError]]:
    found = [EngineError]
    for parent in found:
        found.extend(parent.__subclasses__())
    return [error for error in found if error.__module__ == errors.__name__]


def test_every_code_is_stable_in_form_and_used_once() -> None:
    codes = [error.code for error in all_errors()]
    assert len(codes) == len(set(codes))
    assert all(re.fullmatch(r"[A-Z]+(_[A-Z]+)*", code) for code in codes)


def test_the_documented_codes_are_there() -> None:
    codes = {error.code for error in all_errors()}
    assert codes >= {
        "UNKNOWN_ACTION",
        "STALE_HASH",
        "EVENT_UNAVAILABLE",
        "BOUNDARY_OVERRUN",
        "INVALID_COMMAND",
        "SIMULATION_NOT_SUPPORTED",
        "ARTIFACT_INVALID",
        "SESSION_INVALID",
    }


@pytest.mark.parametrize("error", all_errors())
def test_as_json_is_the_error_object_of_every_face(error: type[EngineError]) -> None:
    raised = error("What is wrong.", {"kind": "K"})
    assert raised.as_json() == {
        "code": error.code,
        "message": "What is wrong.",
        "detail": {"kind": "K"},
    }
    assert str(raised) == "What is wrong."


def test_detail_is_an_object_of_its_own_where_none_was_given() -> None:
    one, two = EngineError("a"), EngineError("b")
    assert one.detail == {}
    assert one.detail is not two.detail
