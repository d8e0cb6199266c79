"""Checks on the graph of a flow: its entry, its targets, what is reached, edges that repeat."""

from collections.abc import Iterator, Sequence

from engine.core.flow.document import FlowContent, FlowFormat
from engine.core.flow.nearest import NearestNames, did_you_mean
from engine.core.flow.remark import Remark
from engine.core.flow.tree import MapNode, holds_refused, is_null


def graph_remarks(content: FlowContent, root: MapNode, nearest: NearestNames) -> Iterator[Remark]:
    """Yield the remarks about entry, targets, reachability and repeated edges.

    Cost: O(states + edges), with the search for nearest names.
    """
    section = "states" if content.format is FlowFormat.RIFF else "nodes"
    if _has_all_names(root, section):
        yield from _unknown_names(content, nearest)
        if not content.has_open_exits and not _hides_edges(root, section):
            yield from _unreachable_states(content)
    yield from _repeated_edges(content)


def _unknown_names(content: FlowContent, nearest: NearestNames) -> Iterator[Remark]:
    states = tuple(dict.fromkeys(state.state_id for state in content.states))
    known = frozenset(states)
    entry_key = "entry" if content.format is FlowFormat.RIFF else "initial_node"
    if content.entry is not None and content.entry.text not in known:
        name = content.entry.text
        like = nearest.of(name, states, kind="state")
        yield Remark(
            code="FLOW_UNKNOWN_ENTRY",
            span=content.entry.span,
            message=f"the flow starts at {name!r}, which is no state of it. Write a state's name "
            f"as `{entry_key}`.{_advice(like, states)}",
            nearest=like,
        )
    for state in content.states:
        for edge in state.edges:
            if edge.to.text in known:
                continue
            like = nearest.of(edge.to.text, states, kind="state")
            yield Remark(
                code="FLOW_UNKNOWN_TARGET",
                span=edge.to.span,
                message=f"{edge.to.text!r} is no state of this flow. Declare it, or lead the "
                f"transition to a state that is there.{_advice(like, states)}",
                nearest=like,
            )


def _advice(like: Sequence[str], states: Sequence[str]) -> str:
    if like or states:
        return did_you_mean(like)
    return " The flow has no states yet."


def _unreachable_states(content: FlowContent) -> Iterator[Remark]:
    """Yield the states that no path leads to; none where it is not known where the flow starts."""
    targets: dict[str, list[str]] = {}
    for state in content.states:
        targets.setdefault(state.state_id, []).extend(edge.to.text for edge in state.edges)
    if content.entry is None or content.entry.text not in targets:
        return
    entry = content.entry.text
    reached = {entry}
    waiting = [entry]
    while waiting:
        for target in targets.get(waiting.pop(), []):
            if target not in reached:
                reached.add(target)
                waiting.append(target)
    for state in content.states:
        if state.state_id in reached:
            continue
        reached.add(state.state_id)  # said once, also of a state that is declared twice
        yield Remark(
            code="FLOW_UNREACHABLE_STATE",
            span=state.key_span,
            message=f"no path leads from the entry {entry!r} to state {state.state_id!r}. Lead a "
            "transition to it, or remove it.",
        )


def _repeated_edges(content: FlowContent) -> Iterator[Remark]:
    for state in content.states:
        first: dict[tuple[str, object], str] = {}
        for edge in state.edges:
            earlier = first.setdefault((edge.to.text, edge.guard), edge.edge_id)
            if earlier != edge.edge_id:
                yield Remark(
                    code="FLOW_DUPLICATE_TRANSITION",
                    span=edge.span,
                    message=f"this transition has the target and the guard of {earlier!r}, which "
                    "stands before it. Remove one, or change its guard.",
                )


def _has_all_names(root: MapNode, section: str) -> bool:
    """Return whether every state's name was read: the section is a mapping, nothing merged in."""
    found = root.by_name().get(section)
    if found is None:
        return False
    node = found.value
    if not isinstance(node, MapNode):
        return is_null(node)
    return not any(entry.name == "<<" and holds_refused(entry.value) for entry in node.entries)


def _hides_edges(root: MapNode, section: str) -> bool:
    """Return whether a part was refused that may hold edges. Cost: O(size)."""
    return any(
        entry.name in (section, "global_functions") and holds_refused(entry.value)
        for entry in root.entries
    )
