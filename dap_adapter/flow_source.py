"""Where the client is shown the flow, and whether a client's source is that flow.

Rules: frames name a real file where there is one, because not every client asks for text by
reference; a path from a recording is followed only below the folder it is joined to; the reference
is derived from the flow's revision, so it repeats in the next session.
"""

import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import msgspec

from dap_adapter.flow_lines import FlowRow
from dap_adapter.launch_config import LaunchConfig, SourcePolicy
from dap_adapter.protocol import Source
from engine.core.contract.canonical import sha256_of

_DRIVE = re.compile("/?[A-Za-z]:")


class FlowSource(msgspec.Struct, frozen=True, kw_only=True):
    """The flow as the client sees it.

    Attributes:
        name: file name for display.
        path: the file that frames name; None when only the recorded text exists.
        reference: number of the recorded text, never 0.
        text: the flow as it ran.
        suffix: the path that the recorder saw; a client's path with this end is the flow.
        known_paths: real paths of every file that is this flow.
        drifted: whether the file at `path` differs from the flow that ran.
    """

    name: str
    path: Path | None
    reference: int
    text: str
    suffix: str
    known_paths: frozenset[str]
    drifted: bool

    def shown(self, *, as_uri: bool) -> Source:
        """Return the source that frames carry."""
        if self.path is None:
            return self.as_it_ran()
        return Source(name=self.name, path=self.path.as_uri() if as_uri else str(self.path))

    def as_it_ran(self) -> Source:
        """Return the recorded text as a source."""
        return Source(name=self.name, source_reference=self.reference, origin="as recorded")

    def is_meant_by(self, source: Source) -> bool:
        """Return whether a client's source is this flow, however it spells the path."""
        if source.source_reference:
            return source.source_reference == self.reference
        if source.path is None:
            return False
        path = local_path(source.path)
        if real_path(path) in self.known_paths:
            return True
        return bool(self.suffix) and _ends_with(path, self.suffix)


def existing_file(config: LaunchConfig, recorded: str) -> Path | None:
    """Return the file that is at the path the recorder saw: below the flow root, or mapped."""
    return _below(config.flow_root, recorded) or _mapped(config, recorded)


def is_path_of(client_path: str, recorded: str, existing: Path | None) -> bool:
    """Return whether a client's path is the file recorded as `recorded`, here `existing`."""
    path = local_path(client_path)
    if existing is not None and real_path(path) == real_path(str(existing)):
        return True
    return _ends_with(path, recorded)


def recorded_file_name(recorded: str) -> str:
    """Return the last part of a recorded path, for display."""
    return PurePosixPath(recorded.replace("\\", "/")).name


def flow_source(
    flow: FlowRow, *, session_directory: Path | None, config: LaunchConfig
) -> FlowSource:
    """Return where the flow of a recording is shown, following the launch's source policy.

    A workspace file may differ from the flow that ran; the session directory's file is shown only
    if it does not.
    """
    workspace = _below(config.flow_root, flow.source_path) or _mapped(config, flow.source_path)
    recorded = _below(config.session or session_directory, flow.path)
    follows = config.source_policy is SourcePolicy.WORKSPACE
    as_it_ran = recorded if recorded is not None and _revision(recorded) == flow.revision else None
    path = (workspace if follows else None) or as_it_ran
    name_from = flow.source_path or flow.path or "flow"
    return FlowSource(
        name=PurePosixPath(name_from.replace("\\", "/")).name or "flow",
        path=path,
        reference=source_reference(flow.revision),
        text=flow.text,
        suffix=flow.source_path or flow.path or "",
        known_paths=frozenset(_real_paths(workspace, recorded)),
        drifted=path is not None and _revision(path) != flow.revision,
    )


def source_reference(revision: str) -> int:
    """Return the number of a flow revision: positive, 31 bits, the same in every session."""
    return int(sha256_of(revision.encode())[7:14], 16) + 1


def local_path(path: str) -> str:
    """Return the file path in a client's path, which may be a URI."""
    scheme, colon, _ = path.partition("://")
    if not colon or not scheme.replace("-", "").replace("+", "").isalnum():
        return path
    from urllib.parse import unquote, urlsplit  # noqa: PLC0415 - start-up

    return unquote(urlsplit(path).path)


def real_path(path: str) -> str:
    """Return an absolute path without links, in the case that the system compares."""
    try:
        return os.path.normcase(os.path.realpath(path)) if os.path.isabs(path) else path  # noqa: PTH117
    except (OSError, ValueError):
        return path


def comparable_parts(path: str) -> tuple[str, ...]:
    """Return a path's parts in one spelling: one separator, composed, Windows case-blind."""
    text = unicodedata.normalize("NFC", path.replace("\\", "/"))
    if _is_windows(path):
        text = text.casefold()
    return tuple(part for part in text.split("/") if part not in ("", "."))


def _is_windows(path: str) -> bool:
    return "\\" in path or _DRIVE.match(path) is not None


def _ends_with(path: str, suffix: str) -> bool:
    """Return whether the last parts of `path` are those of `suffix`."""
    parts, end = comparable_parts(path), comparable_parts(suffix)
    if _is_windows(path) or _is_windows(suffix):
        end = tuple(part.casefold() for part in end)
        parts = tuple(part.casefold() for part in parts)
    return parts[-len(end) :] == end


def _mapped(config: LaunchConfig, recorded: str | None) -> Path | None:
    """Return the file that a path mapping names for the path that the recorder saw, if it exists.

    The remote root is matched by whole parts, in any spelling of separators.
    """
    if recorded is None:
        return None
    parts = comparable_parts(recorded)
    for mapping in config.path_mappings:
        root = comparable_parts(mapping.remote_root)
        if parts[: len(root)] == root:
            kept = [
                part for part in recorded.replace("\\", "/").split("/") if part not in ("", ".")
            ]
            path = _below(mapping.local_root, "/".join(kept[len(root) :]))
            if path is not None:
                return path
    return None


def _below(root: Path | None, relative: str | None) -> Path | None:
    """Return the existing file at `relative` below `root`; None when it is not there."""
    if root is None or not relative:
        return None
    path = (root / relative.replace("\\", "/")).absolute()
    try:
        inside = path.resolve().is_relative_to(root.resolve())
        return path if inside and path.is_file() else None
    except (OSError, ValueError):
        return None


def _real_paths(*paths: Path | None) -> Iterator[str]:
    for path in paths:
        if path is not None:
            yield real_path(str(path))


def _revision(path: Path) -> str | None:
    try:
        return sha256_of(path.read_bytes())
    except OSError:
        return None
