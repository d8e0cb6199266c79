"""Pipecat's older static flows in the node tree to the content of a flow document.

Before `FlowConfig`, flows were mappings of `initial_node` and `nodes` too, with two shapes of
function: described in place (`name`, `properties`, `required`, `handler`, `transition_to`), or
wrapped as a tool of the model's interface (`type: function`, `function: {name, parameters, ...}`),
which the format's editor wrote. Both are read here, mixed or not.

Rules: edges are those of `FlowConfig`: one a function with a `transition_to`. A
`transition_callback` chooses its target in code, so it is no edge, and what can be reached is not
seen. A prompt is the node's `task_messages` (`messages` in the editor's shape); a node without any
has its `role_messages`. The format fills in no placeholders, so states name no slots.
"""

from engine.core.flow.document import FlowContent, FlowFormat, SpannedText, State
from engine.core.flow.pipecat_flow import Choice, choices, contents, joined, numbered, read_graph
from engine.core.flow.tree import Entry, ListNode, MapNode, Node, is_null
from engine.core.flow.tree_reader import Fields, TreeReader

_FUNCTION_SIGNS = frozenset(
    {"function", "handler", "parameters", "properties", "required", "transition_callback"}
)
_NODE_SIGNS = frozenset({"messages", "role_messages"})
_MESSAGES = ("task_messages", "messages", "role_messages")


def is_pipecat_static(fields: Fields) -> bool:
    """Return whether the top-level `fields` hold a key that only the older format has.

    Cost: O(nodes + functions).
    """
    nodes = [entry.value for entry in _entries(fields.get("nodes"))]
    lists = [fields.get("global_functions")]
    for node in nodes:
        names = node.by_name() if isinstance(node, MapNode) else {}
        if _NODE_SIGNS & names.keys():
            return True
        lists.append(names.get("functions"))
    return any(
        _FUNCTION_SIGNS & function.by_name().keys()
        for functions in lists
        for function in _functions(functions)
    )


def read_pipecat_static(root: MapNode, reader: TreeReader, *, flow_id: str) -> FlowContent:
    """Return the content of a static flow; the format has no id, so the caller names one.

    What is not as the format needs it is a fault in the reader's log (`WRONG_TYPE`, `MISSING_KEY`,
    `TOO_LARGE`) and left out. Cost: O(size + states x global choices).
    """
    graph = read_graph(root, reader, _described)
    return FlowContent(
        format=FlowFormat.PIPECAT_STATIC,
        flow_id=flow_id,
        entry=graph.entry,
        states=tuple(_state(node, graph.everywhere, reader) for node in graph.nodes),
        slots=(),
        has_open_exits=graph.is_cut or _has_callback(root.by_name()),
    )


def _state(entry: Entry, everywhere: tuple[Choice, ...], reader: TreeReader) -> State:
    what = f"node {entry.name!r}"
    fields = reader.fields(entry.value, what)
    here = choices(fields, "functions", what, reader, _described)
    return State(
        state_id=entry.name,
        span=reader.span(entry),
        key_span=reader.span(entry.key),
        entry_line=None,
        prompt=_prompt(fields, what, reader),
        edges=numbered((*here, *everywhere), entry.name),
        references=(),
    )


def _prompt(fields: Fields, what: str, reader: TreeReader) -> SpannedText | None:
    """Return the messages of the first list that has any; the others are checked all the same."""
    prompts = [joined(tuple(contents(fields, name, what, reader))) for name in _MESSAGES]
    return next((prompt for prompt in prompts if prompt is not None), None)


def _described(node: Node) -> Node:
    """Return the mapping that describes a function: the item itself, or what it wraps."""
    if isinstance(node, MapNode):
        wrapped = node.by_name().get("function")
        if wrapped is not None and not is_null(wrapped.value):
            return wrapped.value
    return node


def _entries(entry: Entry | None) -> tuple[Entry, ...]:
    match entry.value if entry is not None else None:
        case MapNode(entries=entries):
            return entries
        case _:
            return ()


def _functions(entry: Entry | None) -> list[MapNode]:
    match entry.value if entry is not None else None:
        case ListNode(items=items):
            return [item for item in items if isinstance(item, MapNode)]
        case _:
            return []


def _has_callback(fields: Fields) -> bool:
    nodes = [entry.value for entry in _entries(fields.get("nodes"))]
    lists = [
        fields.get("global_functions"),
        *(node.by_name().get("functions") for node in nodes if isinstance(node, MapNode)),
    ]
    for functions in lists:
        for function in _functions(functions):
            described = _described(function)
            names = described.by_name() if isinstance(described, MapNode) else {}
            callback = names.get("transition_callback")
            if callback is not None and not is_null(callback.value):
                return True
    return False
