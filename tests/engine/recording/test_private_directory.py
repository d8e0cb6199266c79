import os

import pytest

from engine.core.contract.errors import OutputRejected
from engine.recording.private_directory import PrivateDirectory


@pytest.fixture
def directory(tmp_path):
    made = PrivateDirectory(tmp_path / "call")
    yield made
    made.close()


def names(directory):
    return sorted(path.name for path in directory.path.iterdir())


def test_a_file_is_replaced_in_one_step_also_in_a_folder(directory) -> None:
    directory.make_folder("flow")
    for data in (b"one", b"two"):
        directory.put("flow/a.yaml", data, sync=True)
        directory.put("top.json", data, sync=True)
        assert (directory.path / "flow" / "a.yaml").read_bytes() == data
        assert (directory.path / "top.json").read_bytes() == data
    assert names(directory) == ["flow", "top.json"]
    directory.remove("flow/a.yaml")
    assert list((directory.path / "flow").iterdir()) == []


@pytest.mark.parametrize("failing", ["write", "fsync", "rename"])
def test_a_file_that_cannot_be_put_leaves_the_old_one(directory, monkeypatch, failing) -> None:
    directory.put("a.json", b"old", sync=True)

    def refuse(*_, **__):
        raise OSError(28, "no room")

    monkeypatch.setattr(os, failing, refuse)
    with pytest.raises(OSError, match="no room"):
        directory.put("a.json", b"new", sync=True)
    monkeypatch.undo()
    assert (directory.path / "a.json").read_bytes() == b"old"
    assert names(directory) == ["a.json"]


def test_what_is_brought_to_the_device(directory, monkeypatch) -> None:
    directory.make_folder("flow")
    directory.put("flow/a.yaml", b"one", sync=False)
    synced = []
    monkeypatch.setattr(os, "fsync", lambda fd: synced.append(os.fstat(fd).st_ino))
    directory.put("b.json", b"two", sync=False)
    assert synced == []
    directory.sync("flow/a.yaml")
    flow = directory.path / "flow"
    expected = [flow / "a.yaml", flow, directory.path]
    assert synced == [path.stat().st_ino for path in expected]


def test_a_part_that_a_killed_writer_left_is_in_nobodys_way(directory) -> None:
    (directory.path / "a.json.part").write_bytes(b"half")
    directory.put("a.json", b"whole", sync=True)
    assert names(directory) == ["a.json"]


def test_a_link_in_the_place_of_a_part_is_not_followed(directory, tmp_path) -> None:
    (tmp_path / "other").write_text("kept")
    (directory.path / "a.json.part").symlink_to(tmp_path / "other")
    directory.put("a.json", b"new", sync=True)
    assert (tmp_path / "other").read_text() == "kept"


def test_a_directory_that_moves_meanwhile_is_still_the_same(directory, tmp_path) -> None:
    directory.path.rename(tmp_path / "moved")
    (tmp_path / "call").mkdir()
    directory.put("a.json", b"x", sync=True)
    assert (tmp_path / "moved" / "a.json").exists()
    assert list((tmp_path / "call").iterdir()) == []


def test_what_was_made_is_discarded(tmp_path) -> None:
    for was_there in (False, True):
        made = PrivateDirectory(tmp_path / "call")
        made.make_folder("flow")
        made.put("flow/a", b"x", sync=True)
        made.put("b", b"x", sync=True)
        made.discard()
        assert (tmp_path / "call").exists() == was_there
        (tmp_path / "call").mkdir(exist_ok=True)
        assert list((tmp_path / "call").iterdir()) == []


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_one_of_many_gets_the_directory(tmp_path) -> None:
    children = []
    for _ in range(8):
        child = os.fork()
        if child == 0:
            try:
                made = PrivateDirectory(tmp_path / "call")
            except OutputRejected:
                os._exit(1)
            made.put("mine", b"x", sync=True)
            os._exit(0)
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert sorted(codes) == [0, *[1] * 7]
