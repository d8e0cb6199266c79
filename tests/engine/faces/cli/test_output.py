"""What commands print: canonical JSON on stdout, words on stderr."""

import pytest

from engine.core.contract.errors import SessionInvalid
from engine.faces.cli.output import print_error, print_object


def test_an_object_is_one_canonical_line_of_utf_8(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    print_object({"b": 1, "a": "počet 🐎", "c": [None, 1.0]})
    captured = capfdbinary.readouterr()
    assert captured.out == '{"a":"počet 🐎","b":1,"c":[null,1]}\n'.encode()
    assert captured.err == b""


def test_an_error_is_said_on_stderr_with_its_code(capfd: pytest.CaptureFixture[str]) -> None:
    print_error(SessionInvalid("There is no recording at gone.", {"path": "gone"}))
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err == "spd: SESSION_INVALID: There is no recording at gone.\n"
