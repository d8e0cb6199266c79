"""What every adapter test shares: recordings, a driver without a process, the schemas as judges."""

import functools
import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import msgspec
import pytest

from dap_adapter.messages import Unreadable, decoded, encoded
from dap_adapter.session import Session
from engine.core.artifact import ArtifactView, build_state_program_artifact
from engine.core.flow import flow_metadata, parse_flow
from engine.recording import Recording, open_recording

CHECKOUT = Path(__file__).parents[2]
SHARED = CHECKOUT.parent / "shared"
GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden transcripts")


# -- the schemas -----------------------------------------------------------------------------------


def debugpy_schema_path() -> Path:
    spec = importlib.util.find_spec("debugpy")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    root = Path(spec.submodule_search_locations[0])
    return root / "_vendored/pydevd/_pydevd_bundle/_debug_adapter/debugProtocol.json"


class SchemaJudge:
    """Validates a message of either side against one published schema."""

    def __init__(self, path: Path) -> None:
        self.definitions = json.loads(path.read_text(encoding="utf-8"))["definitions"]
        self._names: dict[tuple[str, str], str] = {}
        for name, definition in self.definitions.items():
            for kind, suffix in (("command", "Request"), ("event", "Event")):
                if name.endswith(suffix) and (word := _constant(definition, kind)):
                    self._names[kind, word] = name

    def definition_of(self, message: dict) -> str:
        if message["type"] == "event":
            return self._names["event", message["event"]]
        request = self._names.get(("command", message["command"]), "Request")
        if message["type"] == "request":
            return request
        return request[: -len("Request")] + "Response" if message["success"] else "ErrorResponse"

    def check(self, message: dict) -> None:
        name = self.definition_of(message)
        errors = [
            f"{'/'.join(map(str, error.absolute_path))}: {error.message}"
            for error in self._validator(name).iter_errors(message)
        ]
        assert not errors, (name, errors, message)

    @functools.cache  # noqa: B019 - one judge a run
    def _validator(self, name: str) -> jsonschema.Draft4Validator:
        return jsonschema.Draft4Validator(
            {"$ref": f"#/definitions/{name}", "definitions": self.definitions}
        )


def _constant(definition: dict, key: str) -> str | None:
    for part in definition.get("allOf", [definition]):
        values = part.get("properties", {}).get(key, {}).get("enum")
        if values:
            return values[0]
    return None


@functools.cache
def _judges() -> tuple[SchemaJudge, ...]:
    newest = SHARED / "dap/debugAdapterProtocol.json"
    paths = [debugpy_schema_path(), *([newest] if newest.exists() else [])]
    return tuple(SchemaJudge(path) for path in paths)


_shapes_seen: set[str] = set()


def check_message(message: dict) -> None:
    """Judge a message; one of the same shape as an earlier one is judged by that."""
    shape = json.dumps(_shape(message), sort_keys=True)
    if shape not in _shapes_seen:
        for judge in _judges():
            judge.check(message)
        _shapes_seen.add(shape)


def _shape(value: object) -> object:
    """What a schema can see of a value: keys, types, signs; texts that can be constants."""
    if isinstance(value, dict):
        return {key: _shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return sorted({json.dumps(_shape(item), sort_keys=True) for item in value})
    if isinstance(value, str):
        return value if len(value) < 24 and value.isascii() and value.isalpha() else "text"
    if isinstance(value, int) and not isinstance(value, bool):
        return "negative" if value < 0 else "zero" if value == 0 else "positive"
    return type(value).__name__ if not isinstance(value, bool) else "bool"


# -- the driver ------------------------------------------------------------------------------------


class Failed(Exception):
    """A request was answered with a failure."""

    def __init__(self, response: dict) -> None:
        super().__init__(response["message"])
        self.response = response


class Driver:
    """Drives a session in this process and judges every message it sends.

    It holds the laws that every conversation must keep: one answer to each request, the answer
    first, `seq` counting up, no response or event that nobody caused.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.log: list[dict] = []
        self.seq = 0
        self.out_seq = 0

    def raw(self, body: bytes) -> list[dict]:
        """Give the session a message body; return all that comes back, jobs included."""
        message = decoded(body)
        out = self.session.receive(message)
        while self.session.busy:
            out += self.session.run(1)
        sent = [json.loads(encoded(item)) for item in out]
        for item in sent:
            self.out_seq += 1
            assert item["seq"] == self.out_seq
            kate_counts_from_0 = item.get("request_seq") == 0
            check_message({**item, "request_seq": 1} if kate_counts_from_0 else item)
        expected = 0 if isinstance(message, Unreadable) and message.seq is None else 1
        answers = [item for item in sent if item["type"] == "response"]
        assert len(answers) == expected, sent
        if expected:
            assert sent[0] is answers[0], "the response comes first"
            assert answers[0]["request_seq"] == message.seq
        self.log += sent
        return sent

    def send(self, command: str, arguments: object = None) -> list[dict]:
        self.seq += 1
        request = {"seq": self.seq, "type": "request", "command": command}
        if arguments is not None:
            request["arguments"] = arguments
        self.log.append(request)
        return self.raw(msgspec.json.encode(request))

    def request(self, command: str, **arguments: object) -> dict:
        """Send a request and return its body. Raises: Failed."""
        response = self.send(command, arguments)[0]
        if not response["success"]:
            raise Failed(response)
        return response.get("body", {})

    def move(self, command: str, **arguments: object) -> dict:
        """Send a resume request and return the one `stopped` body behind its answer."""
        sent = self.send(command, {"threadId": 1, **arguments})
        assert sent[0]["success"], sent
        [event] = sent[1:]
        assert event["event"] == "stopped"
        return event["body"]

    def start(self, recording: Path | str = "memory", **launch: object) -> dict:
        """Initialize, launch, configure; return the first `stopped` body."""
        self.request("initialize", adapterID="state-program")
        self.request("launch", recording=str(recording), **launch)
        [event] = self.send("configurationDone")[1:]
        assert event["event"] == "stopped"
        return event["body"]

    # -- reading -----------------------------------------------------------------------------------

    def stack(self, **page: int) -> dict:
        return self.request("stackTrace", threadId=1, **page)

    def scope(self, name: str, frame_id: int | None = None) -> list[dict]:
        """The rows of a scope of a frame, of the top one by default."""
        frame = frame_id if frame_id is not None else self.stack(levels=1)["stackFrames"][0]["id"]
        found = self.request("scopes", frameId=frame)["scopes"]
        [reference] = [row["variablesReference"] for row in found if row["name"] == name]
        return self.children(reference)

    def children(self, reference: int, **page: object) -> list[dict]:
        return self.request("variables", variablesReference=reference, **page)["variables"]

    def values(self, name: str, frame_id: int | None = None) -> dict[str, str]:
        return {row["name"]: row["value"] for row in self.scope(name, frame_id)}

    @property
    def cursor(self) -> int:
        return int(self.values("Position")["event_index"])

    def shown(self) -> object:
        """Everything shown at the cursor, ids aside: stack, scopes, variables three levels deep."""
        frames = self.stack()["stackFrames"]
        return [
            {**self._without_ids(frame), "scopes": self._scopes(frame["id"])} for frame in frames
        ]

    def _scopes(self, frame_id: int) -> object:
        rows = self.request("scopes", frameId=frame_id)["scopes"]
        return [
            {**self._without_ids(row), "rows": self._tree(row["variablesReference"], 3)}
            for row in rows
            if row["name"] not in ("Position", "Call")
        ]

    def _tree(self, reference: int, depth: int) -> object:
        if not reference or not depth:
            return None
        return [
            {**self._without_ids(row), "rows": self._tree(row["variablesReference"], depth - 1)}
            for row in self.children(reference)
        ]

    @staticmethod
    def _without_ids(row: dict) -> dict:
        return {key: value for key, value in row.items() if key not in ("id", "variablesReference")}


@pytest.fixture(scope="session")
def new_driver() -> Callable[..., Driver]:
    """Make a driver; with a `Recording`, every launch opens that one whatever path it names."""

    def make(recording: Recording | None = None) -> Driver:
        def load(path: Path) -> Iterator[None]:
            yield
            return open_recording(path) if recording is None else recording

        return Driver(Session(load=load))

    return make


# -- recordings in memory --------------------------------------------------------------------------

TINY_FLOW = """\
schema: riff.flow/v1
flow_id: tiny
entry: a
slots:
  open_slot: {type: string, class: plain}
  hidden_slot: {type: string, class: personal}
states:
  a:
    prompt: "Ask for {{slots.open_slot}}"
    transitions:
      - to: b
        when: slot_set:open_slot
        reason: told
        sets:
          open_slot: x
        clears:
          - hidden_slot
      - {to: a, when: always, reason: again}
  b:
    entry_line: "Hello"

    transitions:
      - {to: a, when: always, reason: back}
"""


@dataclass(frozen=True, kw_only=True)
class InMemory:
    """What the adapter uses of a `Recording`."""

    view: ArtifactView
    session_directory: Path | None = None


def recording_of(
    *,
    trace: Sequence[dict] = (),
    bus: Sequence[dict] = (),
    flow: str = TINY_FLOW,
    sequence: str = "session",
    source_path: str | None = "flows/tiny.flow.yaml",
) -> InMemory:
    """Build a recording from records, in memory."""
    document = parse_flow(flow.encode(), path="flow/tiny.flow.yaml")
    artifact = build_state_program_artifact(
        manifest={
            "schema": "riff.session/v1",
            "session_id": "test:tiny",
            "call_start_epoch": 0,
            "sequence": sequence,
            "ended": "completed",
            "flow": {"path": "flow/tiny.flow.yaml", "source_path": source_path},
            "flow_revision": document.revision,
            "engine_revision": None,
            "runtime_lock": None,
            "unavailable": {},
            "slot_classes": {},
            "fingerprint_scheme": None,
        },
        bus_events=list(bus),
        trace_events=list(trace),
        flow_metadata=flow_metadata(document, path="flow/tiny.flow.yaml", source_path=source_path),
        transcript_events=[],
        audio_refs=[],
    )
    return InMemory(view=ArtifactView.of(artifact))


class Script:
    """Writes the records of a small call one after the other, with ids and nesting that hold."""

    def __init__(self) -> None:
        self.trace: list[dict] = []
        self.bus: list[dict] = []
        self.seq = 0
        self.entered: dict[str, int] = {}
        self.open: list[str] = []

    def add(self, stream: str, type_: str, **fields: object) -> None:
        record = {"type": type_, "seq": self.seq, "clock_ms": 100 * self.seq, **fields}
        (self.trace if stream == "trace" else self.bus).append(record)
        self.seq += 1

    def enter(self, state: str, *, nested: bool = False) -> None:
        parent = self.open[-1] if nested and self.open else None
        self.entered[state] = self.entered.get(state, 0) + 1
        self.open = [*(self.open if parent else []), f"{state}#{self.entered[state]}"]
        self.add("trace", "state_entered", state_id=state, via_edge=None, parent_visit_id=parent)

    def leave(self) -> None:
        if self.open:
            state = self.open.pop().partition("#")[0]
            self.add("trace", "state_exited", state_id=state, edge_id=f"{state}:0")

    def write(self, slot: str, value: object, writer: str = "tool:t") -> None:
        self.add(
            "bus",
            "slot_write",
            slot=slot,
            kind="tool_result",
            writer=writer,
            old=None,
            new=value,
            availability="recorded",
            old_fingerprint=None,
            new_fingerprint=None,
        )

    def do(self, action: str) -> None:  # noqa: C901 - one case an action
        match action.split():
            case ["enter", state]:
                self.enter(state)
            case ["nest", state]:
                self.enter(state, nested=True)
            case ["leave"]:
                self.leave()
            case ["write", slot, value]:
                self.write(slot, value)
            case ["edge_set"]:
                self.write("open_slot", "x", writer="edge:a:0")
            case ["edge_clear"]:
                self.write("hidden_slot", None, writer="edge:a:0")
            case ["prompt"]:
                self.add("bus", "prompt_resolved", state_id="a", slots_read=["open_slot"])
            case ["guard"]:
                fields = {"edge_id": "a:1", "verdict": True, "slots_read": [], "error": None}
                self.add("trace", "guard_evaluated", **fields)
            case ["request"]:
                fields = {"request_id": f"r{self.seq}", "edge_id": "a:0", "to": "b"}
                self.add("trace", "transition_requested", **fields, waits_for="playback")
            case ["take"]:
                self.add("trace", "transition_taken", edge_id="a:0", to="b")
            case _:
                self.add("bus", "noise")

    def recording(self, **options: object) -> InMemory:
        return recording_of(trace=self.trace, bus=self.bus, **options)


def scripted(actions: Sequence[str], **options: object) -> InMemory:
    script = Script()
    for action in actions:
        script.do(action)
    return script.recording(**options)


@pytest.fixture(scope="session")
def script_call() -> Callable[..., InMemory]:
    return scripted


@pytest.fixture(scope="session")
def tiny_recording() -> Callable[..., InMemory]:
    return recording_of


# -- recordings ------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def racy() -> Path:
    return CHECKOUT / "fixtures/booking_racy"


@pytest.fixture(scope="session")
def racy_recording(racy: Path) -> Recording:
    return open_recording(racy)


@pytest.fixture
def at_start(new_driver: Callable[..., Driver], racy_recording: Recording) -> Driver:
    """A driver that stands at the start of `booking_racy`."""
    driver = new_driver(racy_recording)
    driver.start()
    return driver


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Recording]:
    """Open a session of the session generator; skips where that is not at hand."""
    tool = SHARED / "tools/make_session.py"

    @functools.cache
    def make(seed: int, sequence: str = "session", events: int = 120) -> Recording:
        if not tool.exists():
            pytest.skip("the session generator is not beside this checkout")
        out = tmp_path_factory.mktemp("generated") / "session"
        command = [sys.executable, str(tool), str(events), str(out), "--seed", str(seed)]
        command += ["--states", "5", "--slots", "3", "--sequence", sequence]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return open_recording(out)

    return make


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with a golden file; a missing one fails, `--update-golden` writes."""

    def check(name: str, text: str) -> None:
        path = GOLDEN / f"{name}.txt"
        if request.config.getoption("update_golden", default=False):
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"{path} is missing: run pytest tests/dap_adapter --update-golden"
        assert text == path.read_text(encoding="utf-8")

    return check


@pytest.fixture(scope="session")
def debugpy_definitions() -> dict:
    return _judges()[0].definitions


@pytest.fixture(scope="session")
def check_messages() -> Callable[[Sequence[dict]], None]:
    """Judge a whole conversation of a real process."""

    def check(messages: Sequence[dict]) -> None:
        for message in messages:
            if message["type"] != "request" or message["command"] != "nonsense":
                check_message(message)

    return check
