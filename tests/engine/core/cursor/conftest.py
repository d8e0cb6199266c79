"""Generated recordings for the cursor's tests; skipped where their generator is not at hand."""

import pytest
from support.generated import generated_session

from engine.core.contract.json_types import JsonObject
from engine.recording import build_session


@pytest.fixture(scope="session", params=["session", "per_stream"])
def generated(request: pytest.FixtureRequest) -> JsonObject:
    """The artifact of a generated call of 600 events, one of each sequence kind."""
    call = generated_session(events=600, seed=11, sequence=str(request.param))
    return build_session(call.directory)
