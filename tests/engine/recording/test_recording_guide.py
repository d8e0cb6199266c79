import pytest
from support.documents import GUIDE, blocks, read

from engine.recording import build_session, open_recording


@pytest.fixture
def example() -> str:
    (block,) = [
        block for block in blocks(read(GUIDE / "recording.md")) if block.language == "python"
    ]
    return block.text


def test_the_guides_example_runs_and_opens(example, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "recording.md", "exec"), {})
    artifact = build_session(tmp_path / "calls" / "first")
    assert artifact["problems"] == []
    assert [visit["visit_id"] for visit in artifact["visits"]] == ["menu#1"]
    assert open_recording(tmp_path / "calls" / "first").view.event_count == 5
    for path in (tmp_path / "calls").rglob("*"):
        assert not path.is_file() or b"0182" not in path.read_bytes()


def test_the_example_is_short(example) -> None:
    body = example[example.index("flow = ") :]
    assert len(body.splitlines()) <= 30
