"""The file of a declared flow: found by its content, never by its name alone.

Pipecat keeps the config it has read, not the file. A file is the one that ran if reading it gives
an equal config. Looked at: `SPD_FLOW`, else the YAML and JSON files in the folders of the bot and
below its working folder, a few hundred at most.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import cast

from engine.core.contract.errors import EngineError
from engine.core.flow import parse_flow
from engine.importers.pipecat_live.seen import attribute, text_of
from engine.recording import RecordedFlow

FILES_MAX = 300
SIZE_MAX = 1 << 20
_ENDINGS = frozenset({".yaml", ".yml", ".json"})
_SKIPPED = frozenset({"node_modules", "site-packages", "__pycache__", "recordings"})


def recorded_flow(config: object, *, named: Path | None, folders: Iterable[Path]) -> RecordedFlow:
    """Return the flow that ran: the file's exact bytes, or the config as JSON where none is found.

    A file that includes others is not the whole flow; then, too, the config is written as JSON.
    """
    candidates = [named] if named is not None else list(islice(_files(folders), FILES_MAX))
    for path in candidates:
        data = _bytes(path)
        if data is not None and _is_config(path, config) and _is_readable(data, path):
            return RecordedFlow(data=data, file_name=path.name, source_path=shown_path(path))
    dump = attribute(config, "model_dump_json")
    assert callable(dump), "a config is a pydantic model"
    text = cast("Callable[..., str]", dump)(indent=2, exclude_none=True, exclude_defaults=True)
    return RecordedFlow(data=text.encode() + b"\n", file_name="flow.json", source_path=None)


def _files(folders: Iterable[Path]) -> Iterator[Path]:
    seen = set[Path]()
    for folder in folders:
        for pattern in ("*", "*/*", "*/*/*"):
            try:
                found = sorted(folder.glob(pattern))
            except OSError:
                continue
            for path in found:
                if path.suffix in _ENDINGS and path not in seen and not _SKIPPED & {*path.parts}:
                    seen.add(path)
                    yield path


def _bytes(path: Path) -> bytes | None:
    try:
        data = path.read_bytes() if path.stat().st_size <= SIZE_MAX else None
    except OSError:
        return None
    return data if data is not None and b"nodes" in data and b"initial_node" in data else None


def _is_config(path: Path, config: object) -> bool:
    """Return whether Pipecat reads this file as an equal config."""
    read = attribute(type(config), "from_file")
    if not callable(read):
        return False
    try:
        return cast("Callable[[Path], object]", read)(path) == config
    except Exception:  # noqa: BLE001  any file may lie there
        return False


def _is_readable(data: bytes, path: Path) -> bool:
    try:
        parse_flow(data, path=path.name)
    except EngineError:
        return False
    return True


def shown_path(path: Path) -> str:
    """Return a path as a recording names it: from the working folder, or the started file's."""
    path = path.absolute()
    main = text_of(sys.modules.get("__main__"), "__file__")
    roots = [Path.cwd(), *([Path(main).absolute().parent] if main else [])]
    root = next((root for root in roots if path.is_relative_to(root)), None)
    return (path if root is None else path.relative_to(root)).as_posix()
