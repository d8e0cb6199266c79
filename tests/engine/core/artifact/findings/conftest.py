"""What the tests of the rules share: a call of a few records, and what is found in it."""

from collections.abc import Callable, Sequence

import pytest
from support.records import build, build_in_order, entered, numbered, record, rows_of

from engine.core.contract.json_types import JsonObject, JsonValue


def in_artifact(artifact: JsonObject, code: str) -> list[JsonObject]:
    return [row for row in rows_of(artifact, "findings") if row["code"] == code]


@pytest.fixture
def found(request: pytest.FixtureRequest) -> Callable[..., list[JsonObject]]:
    """Findings of the tested module's code in records that stand in call order: event i = i."""
    code = request.path.stem.removeprefix("test_").upper()

    def find(records: Sequence[JsonObject], **options: JsonObject) -> list[JsonObject]:
        if options:
            return in_artifact(build(bus=numbered(records), **options), code)
        return in_artifact(build_in_order(records), code)

    return find


@pytest.fixture
def play() -> Callable[..., list[JsonObject]]:
    """The four records of a playback: requested, generated, started, ended."""

    def of(
        name: str,
        start: int | None,
        end: int | None,
        *,
        how: str = "audio_completed",
        ack: bool = True,
        kind: str | None = "static_asset",
        content: str | None = "f1",
        request: str | None = None,
        **members: JsonValue,
    ) -> list[JsonObject]:
        common: JsonObject = {
            "playback_id": name,
            "source_kind": kind,
            "content_fingerprint": content,
            **members,
        }
        asked = request or f"ask-{name}"
        client: JsonObject = {"client_event_id": f"c-{name}"}
        return [
            record("audio_requested", event_id=f"ask-{name}", clock_ms=start, **common),
            record("audio_generated", clock_ms=start, **common),
            record(
                "audio_started",
                clock_ms=start,
                request_event_id=asked,
                client_ack=client if ack else None,
                **common,
            ),
            record(how, clock_ms=end, request_event_id=asked, **common),
        ]

    return of


@pytest.fixture
def start() -> list[JsonObject]:
    """The entry of state `a`, which has a prompt."""
    return [entered("a", clock_ms=0)]
