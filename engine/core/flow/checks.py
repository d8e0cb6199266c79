"""All checks on what a flow says: its parts against each other.

Rules: a check reads what could be read and guesses nothing about the rest; where a refused part may
hold what a check looks for, the check is left out. One mistake in the file gives one remark.
"""

from collections.abc import Iterator

from engine.core.flow.document import FlowContent, FlowFormat
from engine.core.flow.faults import FaultLog
from engine.core.flow.graph_checks import graph_remarks
from engine.core.flow.guards import GUARD_FORMS, UnknownGuard, guard_leaves
from engine.core.flow.nearest import NearestNames, did_you_mean
from engine.core.flow.parse import Reading
from engine.core.flow.remark import Remark, narrowed
from engine.core.flow.slot_checks import slot_remarks
from engine.core.flow.source_text import SourceText
from engine.core.flow.tree_reader import TreeReader

_FORM_NAMES = tuple(form.partition(":")[0].partition("(")[0] for form in GUARD_FORMS)


def remarks(reading: Reading) -> tuple[Remark, ...]:
    """Return what the checks find, in the file's order; none where nothing could be read."""
    content, root, source = reading.content, reading.root, reading.source
    if content is None or root is None:
        return ()
    nearest = NearestNames()
    found = [*graph_remarks(content, root, nearest), *_unknown_guards(content, source, nearest)]
    if content.format is FlowFormat.RIFF:
        log = FaultLog()
        found += slot_remarks(content, root, TreeReader(source, log), nearest)
        found += (
            Remark(
                code=fault.code,
                span=source.span(fault.start, fault.end),
                message=fault.message,
            )
            for fault in log.in_order()
        )
    return tuple(sorted(found, key=lambda item: (item.span.line, item.span.column, item.code)))


def _unknown_guards(
    content: FlowContent, source: SourceText, nearest: NearestNames
) -> Iterator[Remark]:
    for state in content.states:
        for edge in state.edges:
            if edge.guard is None or edge.when is None:
                continue
            for leaf in guard_leaves(edge.guard):
                if not isinstance(leaf, UnknownGuard):
                    continue
                name = leaf.text.partition(":")[0].partition("(")[0].strip()
                like = () if name in _FORM_NAMES else nearest.of(name, _FORM_NAMES, kind="guard")
                yield Remark(
                    code="FLOW_UNKNOWN_GUARD",
                    span=narrowed(source, edge.when.span, leaf.text),
                    message=f"{leaf.text!r} is no guard: {leaf.fault}. Write one of "
                    f"{', '.join(GUARD_FORMS)}.{did_you_mean(like)}",
                    nearest=like,
                )
