"""What every test module shares: Hypothesis profiles and the paths of the checkout.

Profiles: `dev` (quick), `ci` (the same, derandomised; chosen where CI is set), `nightly` (long,
random). `HYPOTHESIS_PROFILE` chooses another. No profile has a deadline: no test asserts a time.
Tests never touch the user's cache: each process has a cache folder of its own.
"""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

_CACHE = tempfile.TemporaryDirectory(prefix="spd-cache-")
os.environ["SPD_CACHE"] = _CACHE.name

settings.register_profile("dev", deadline=None, max_examples=50)
settings.register_profile(
    "ci", settings.get_profile("dev"), derandomize=True, database=None, print_blob=True
)
settings.register_profile(
    "nightly", deadline=None, max_examples=2_000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference material beside the checkout; skips the test where there is none."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("no reference material beside the checkout")
    return folder
