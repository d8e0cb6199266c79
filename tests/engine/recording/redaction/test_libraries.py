"""Without the extra, redaction refuses and says what to install."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["phonenumbers", "stdnum"])
def test_a_missing_package_is_a_typed_error(module: str) -> None:
    program = (
        f"import sys; sys.modules[{module!r}] = None\n"
        "from engine.core.contract.errors import ExtraMissing\n"
        "try:\n    import engine.recording.redaction\n"
        "except ExtraMissing as error:\n    print(error.code, error.message, error.detail)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("EXTRA_MISSING Redaction needs")
    assert 'pip install "state-program-debugger[redaction]"' in done.stdout
