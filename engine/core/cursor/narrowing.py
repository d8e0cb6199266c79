"""Which events an expression can be true at, where postings can tell.

Rule: an event that is left out gives false, surely and without a failure. So only equalities with
constant texts count, joined by `&&` and `||`: a conjunction is false where one side is, whatever
the other says. A field that any record may carry beside its type's own has no posting of its own;
together with the type it has.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from heapq import merge
from typing import TypeAlias

from engine.core.artifact import ArtifactView, Posting
from engine.core.contract.session_records import AUDIO_TYPES
from engine.core.cursor.cel_syntax import Index, Items, Literal, Name, Node, Operation, Select
from engine.core.cursor.leaves import Leaf
from engine.core.cursor.names import leaf_of

_TYPE = Leaf(root="event", name="type")
_STATE = Leaf(root="visit", name="state_id")
_VISIT = Leaf(root="visit", name="visit_id")
_FIELD_POSTINGS: dict[tuple[str, str], tuple[str, ...]] = {
    ("slot_write", "slot"): ("slot_write",),
    ("slot_write", "writer"): ("writer",),
    ("transition_taken", "edge_id"): ("edge_taken",),
    ("guard_evaluated", "edge_id"): ("guard_true", "guard_false", "guard_null"),
    **{(kind, "playback_id"): ("playback",) for kind in AUDIO_TYPES},
}
"""By type and field: the posting kinds that hold the events of that type with a given value."""

_Lookup: TypeAlias = Callable[[str], Posting]


def candidates(view: ArtifactView, root: Node) -> Posting:
    """Return sorted event indices outside of which the expression is false.

    All events where nothing narrows them. Cost: O(postings looked at, events of visits named).
    """
    narrowed = _narrowed(view, root)
    return range(view.event_count) if narrowed is None else narrowed


def _narrowed(view: ArtifactView, node: Node) -> Posting | None:
    match node:
        case Operation(operator="&&", operands=operands):
            found = [n for operand in operands if (n := _narrowed(view, operand)) is not None]
            found += _typed(view, operands)
            return _intersection(found) if found else None
        case Operation(operator="||", operands=operands):
            parts = [_narrowed(view, operand) for operand in operands]
            known = [part for part in parts if part is not None]
            return union(known) if len(known) == len(parts) else None
        case _:
            return _looked_up(view, node)


def _looked_up(view: ArtifactView, node: Node) -> Posting | None:
    """Return where `leaf == text` or `leaf in [texts]` can hold, if a posting knows."""
    equality = _equality(node)
    if equality is None:
        return None
    leaf, texts = equality
    if leaf == _TYPE:
        return union([view.postings("type", text) for text in texts])
    if leaf == _STATE:
        entered = [index for text in texts for index in view.postings("state_enter", text)]
        return _during(view, {bisect_left(view.columns.entered, index) for index in entered})
    if leaf == _VISIT:
        ordinals = {ordinal for text in texts if (ordinal := view.ordinal_of(text)) is not None}
        return _during(view, ordinals)
    return None


def _typed(view: ArtifactView, operands: Sequence[Node]) -> list[Posting]:
    """Return what a type together with one of its fields narrows a conjunction to."""
    equalities = [found for operand in operands if (found := _equality(operand)) is not None]
    kinds = [texts[0] for leaf, texts in equalities if leaf == _TYPE and len(texts) == 1]
    return [
        _with_unfit(view, kind, union([view.postings(name, t) for name in names for t in texts]))
        for kind in kinds
        for leaf, texts in equalities
        if leaf.root == "event"
        and (names := _FIELD_POSTINGS.get((kind, leaf.name or ""))) is not None
    ]


def _with_unfit(view: ArtifactView, kind: str, positions: Posting) -> Posting:
    """Add the events of a type that do not fit it: they have fields, but stand in no posting."""
    unfit = [index for index in view.postings("type", kind) if view.effective_type(index) != kind]
    return union([positions, unfit]) if unfit else positions


def _during(view: ArtifactView, ordinals: set[int]) -> Posting:
    """Return the events at which one of these visits is the shown one. Cost: O(their events)."""
    shown, entered = view.columns.visit_at, view.columns.entered
    found: list[int] = []
    for ordinal in sorted(ordinals):
        closed = view.visits[ordinal].closed_index
        following = len(entered) if closed is None else bisect_right(entered, closed)
        stop = entered[following] if following < len(entered) else view.event_count
        found += [i for i in range(entered[ordinal], stop) if shown[i] == ordinal]
    return sorted(found)


def _equality(node: Node) -> tuple[Leaf, tuple[str, ...]] | None:
    """Return the leaf and the texts that it must equal one of, if that is what `node` says."""
    match node:
        case Operation(operator="==", operands=(left, right)):
            if isinstance(left, Literal):
                left, right = right, left
            texts = _texts((right,))
        case Operation(operator="in", operands=(left, Items(items=items, is_map=False))):
            texts = _texts(items)
        case Name() | Select() | Index() | _:
            return None
    leaf = leaf_of(left)
    return (leaf, texts) if leaf is not None and texts is not None else None


def _texts(nodes: Sequence[Node]) -> tuple[str, ...] | None:
    """Return the constant texts that `nodes` are, or None where one is anything else."""
    texts = [
        node.value
        for node in nodes
        if isinstance(node, Literal) and isinstance(node.value, str) and node.is_known
    ]
    return tuple(texts) if len(texts) == len(nodes) else None


def union(parts: Sequence[Posting]) -> Posting:
    """Return the sorted members of any of `parts`, each once."""
    if len(parts) == 1:
        return parts[0]
    return list(dict.fromkeys(merge(*parts)))


def _intersection(parts: Sequence[Posting]) -> Posting:
    """Return the sorted members of all of `parts`."""
    shortest, *others = sorted(parts, key=len)
    for other in others:
        members = set(other)
        shortest = [index for index in shortest if index in members]
    return shortest
