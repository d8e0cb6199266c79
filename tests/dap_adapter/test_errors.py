"""Errors: one stable number a code, sentences that survive braces, the place of an engine error."""

import inspect

from dap_adapter import errors
from engine.core.contract import errors as engine_errors
from engine.core.contract.errors import ArtifactInvalid, EngineError


def test_every_code_of_the_engine_has_its_own_number() -> None:
    codes = {
        kind.code
        for _, kind in inspect.getmembers(engine_errors, inspect.isclass)
        if issubclass(kind, EngineError) and kind is not EngineError
    }
    assert codes == set(errors.ENGINE_NUMBERS)
    ours = [value for key, value in vars(errors.ErrorNumber).items() if key.isupper()]
    numbers = [*errors.ENGINE_NUMBERS.values(), errors.ENGINE_OTHER, *ours]
    assert len(numbers) == len(set(numbers))


def test_an_engine_error_shows_its_code_and_its_place() -> None:
    error = errors.of_engine(ArtifactInvalid("Not JSON.", {"file": "a.json", "line": 3}))
    assert error.number == errors.ENGINE_NUMBERS["ARTIFACT_INVALID"]
    assert error.text == "ARTIFACT_INVALID: Not JSON. (a.json:3)"
    assert error.show_user


def test_a_code_that_is_newer_than_the_table_still_has_a_number() -> None:
    assert errors.of_engine(EngineError("x")).number == errors.ENGINE_OTHER


def test_braces_travel_as_a_variable() -> None:
    plain, braced = errors.as_format("a file"), errors.as_format("a {file}")
    assert (plain.format, plain.variables) == ("a file", None)
    assert (braced.format, braced.variables) == ("{text}", {"text": "a {file}"})
