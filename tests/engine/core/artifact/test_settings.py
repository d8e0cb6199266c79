import re

from support.records import build

from engine.core.artifact.settings import finding_settings


def test_the_parameters_of_the_findings_table() -> None:
    assert set(map(str, finding_settings().values())) == {
        "5",
        "20",
        "700",
        "2000",
        "4000",
        "5000",
        "30000",
    }
    assert finding_settings()["duplicate_gap_max_ms"] == 2000


def test_every_artifact_holds_them_and_none_shares_them() -> None:
    assert build()["settings"] == finding_settings()
    assert finding_settings() is not finding_settings()


def test_names_are_snake_case_and_say_their_unit() -> None:
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", name) for name in finding_settings())
    assert all(name.endswith(("_ms", "_count", "_visits")) for name in finding_settings())
