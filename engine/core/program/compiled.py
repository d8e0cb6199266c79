"""A flow document, made ready to run: texts, choices, tools and edges by state.

Only `riff.flow/v1` runs. What the flow leaves open runs as little as possible: an edge without a
guard is `always`, a target that is no state ends the call there.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from engine.core.contract.errors import FlowInvalid
from engine.core.contract.json_types import JsonObject, JsonValue, mapping, text
from engine.core.flow import Edge, FlowDocument, FlowFormat, Guard, State, guard_leaves
from engine.core.flow.guards import Always, AudioEnded, DtmfKey, RetryAtLeast, UnknownGuard
from engine.core.flow.tree import json_value


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One answer of a locked choice: what is said or pressed for it, and what it writes."""

    value: JsonValue
    said: tuple[str, ...]
    sets: tuple[tuple[str, JsonValue], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedChoice:
    """A choice of a state: only these answers count."""

    slot: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """The tool of a state: argument by slot or text, and which slots its result fills.

    `result_slots` has (slot, member of the result).
    """

    name: str
    args: tuple[tuple[str, JsonValue], ...]
    result_slots: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnableEdge:
    """An edge, its guard, and which rounds it takes part in."""

    edge_id: str
    to: str
    guard: Guard
    sets: tuple[tuple[str, JsonValue], ...]
    clears: tuple[str, ...]
    is_nested: bool
    asks_audio: bool
    asks_retries: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnableState:
    """A state; `listens`: it waits for the caller before it is left."""

    state_id: str
    entry_line: str | None
    prompt: str | None
    locked_choice: LockedChoice | None
    tool: Tool | None
    edges: tuple[RunnableEdge, ...]
    listens: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A flow that runs. `revision`: of the flow's bytes."""

    flow_id: str
    revision: str
    entry: str
    states: Mapping[str, RunnableState] = field(repr=False)


def compile_program(document: FlowDocument) -> Program:
    """Return the program of a flow.

    Raises:
        FlowInvalid: kind `NOT_RUNNABLE`: another format than `riff.flow/v1`, a guard that is none,
            or an entry that is no state.
    """
    if document.format is not FlowFormat.RIFF:
        raise _not_runnable(
            f"The flow is a {document.format.value}; only riff.flow/v1 runs here. Record it with "
            "its own framework."
        )
    bodies = mapping(mapping({"flow": json_value(document.root)}, "flow"), "states")
    states = {
        state.state_id: _state(state, mapping(bodies, state.state_id)) for state in document.states
    }
    if document.entry.text not in states:
        raise _not_runnable(f"The flow's entry {document.entry.text!r} is none of its states.")
    return Program(
        flow_id=document.flow_id,
        revision=document.revision,
        entry=document.entry.text,
        states=states,
    )


def _state(declared: State, body: JsonObject) -> RunnableState:
    transitions = body.get("transitions")
    bodies = transitions if isinstance(transitions, list) else []
    edges = tuple(
        _edge(edge, mapping({"edge": bodies[edge.declaration_index]}, "edge"))
        for edge in declared.edges
    )
    choice = _locked_choice(mapping(body, "locked_choice"))
    leaves = [leaf for edge in edges for leaf in guard_leaves(edge.guard)]
    return RunnableState(
        state_id=declared.state_id,
        entry_line=declared.entry_line.text if declared.entry_line else None,
        prompt=declared.prompt.text if declared.prompt else None,
        locked_choice=choice,
        tool=_tool(mapping(body, "tool")),
        edges=edges,
        listens=bool(edges)
        and (
            choice is not None
            or bool(body.get("required_slots"))
            or any(isinstance(leaf, (DtmfKey, RetryAtLeast)) for leaf in leaves)
        ),
    )


def _edge(edge: Edge, body: JsonObject) -> RunnableEdge:
    guard = Always() if edge.guard is None else edge.guard
    leaves = [*guard_leaves(guard)]
    for leaf in leaves:
        if isinstance(leaf, UnknownGuard):
            raise _not_runnable(
                f"The guard of edge {edge.edge_id} cannot run: {leaf.fault}. `spd check` lists "
                "what a guard may say."
            )
    return RunnableEdge(
        edge_id=edge.edge_id,
        to=edge.to.text,
        guard=guard,
        sets=tuple((item.slot, item.value) for item in edge.sets),
        clears=tuple(item.text for item in edge.clears),
        is_nested=body.get("nested") is True,
        asks_audio=any(isinstance(leaf, AudioEnded) for leaf in leaves),
        asks_retries=any(isinstance(leaf, RetryAtLeast) for leaf in leaves),
    )


def _locked_choice(body: JsonObject) -> LockedChoice | None:
    slot = text(body, "slot")
    if slot is None:
        return None
    listed = body.get("choices")
    if isinstance(listed, dict):
        choices = tuple(_choice(value, answer) for value, answer in listed.items())
    else:
        plain = listed if isinstance(listed, list) else []
        choices = tuple(_choice(str(value), None) for value in plain)
    return LockedChoice(slot=slot, choices=choices)


def _choice(value: str, answer: JsonValue) -> Choice:
    """Return a choice; its answer is a text, a list of texts, or `{say: ..., sets: {slot: value}}`.

    Without one it is the value's own words.
    """
    own = mapping({"answer": answer}, "answer")
    said = own.get("say") if own else answer
    texts = said if isinstance(said, list) else [said]
    words = tuple(_words(str(item)) for item in texts if item is not None)
    return Choice(
        value=value,
        said=words or (_words(value),),
        sets=tuple(mapping(own, "sets").items()),
    )


def _words(said: str) -> str:
    return " ".join("".join(c if c.isalnum() else " " for c in said.casefold()).split())


def choose(locked: LockedChoice, said: str) -> Choice | None:
    """Return the choice that a text or key makes: the only one whose words stand in it, else none.

    Words count, not letters; words that are a part of another choice's words do not.
    """
    heard = f" {_words(said)} "
    found = [
        (words, choice)
        for choice in locked.choices
        for words in choice.said
        if words and f" {words} " in heard
    ]
    whole = [
        choice
        for words, choice in found
        if not any(words != other and f" {words} " in f" {other} " for other, _ in found)
    ]
    first = whole[0] if whole else None
    return first if all(choice is first for choice in whole) else None


def _tool(body: JsonObject) -> Tool | None:
    name = text(body, "name")
    if name is None:
        return None
    return Tool(
        name=name,
        args=tuple(_arguments(body.get("args"))),
        result_slots=tuple(_pairs(body.get("result_slots"))),
    )


def _arguments(listed: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    if isinstance(listed, dict):
        yield from listed.items()
    for slot in listed if isinstance(listed, list) else ():
        yield str(slot), f"{{{{slots.{slot}}}}}"


def _pairs(listed: JsonValue) -> Iterator[tuple[str, str]]:
    if isinstance(listed, dict):
        yield from ((slot, str(member)) for slot, member in listed.items())
    for slot in listed if isinstance(listed, list) else ():
        yield str(slot), str(slot)


def _not_runnable(what: str) -> FlowInvalid:
    return FlowInvalid(what, {"kind": "NOT_RUNNABLE"})
