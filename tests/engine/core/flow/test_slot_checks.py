import pytest

from engine.core.flow import diagnose

FLOW = """\
flow_id: f
entry: a
slots:
  day: {{type: string, values: [today, "2", 2.5, true, 7]}}
  size: {{type: integer}}
states:
  a: {}
"""


def found(body):
    items = diagnose(FLOW.format(body).encode(), path="f.yaml")
    return [(item.code.removeprefix("FLOW_"), item.span.column, item.message) for item in items]


def short(body):
    return [(code, column) for code, column, _ in found(body)]


@pytest.mark.parametrize(
    ("body", "column"),
    [
        ("{required_slots: [size, dya]}", 30),
        ("{must_include: [dya]}", 22),
        ("{clears: [dya]}", None),
        ("{locked_choice: {slot: dya, choices: {a: 1}}}", 29),
        ("{entry_line: 'So {{slots.dya}}'}", 31),
        ("{prompt: 'So {{ slots.dya.part }} {{slots.day}}'}", 28),
        ("{tool: {name: t, args: [day, dya]}}", 35),
        ("{tool: {name: t, args: {x: '{{slots.dya}}', y: dya}}}", 42),
        ("{tool: {name: t, args: {dya: '{{slots.dya}}'}}}", 44),
        ("{tool: {name: t, result_slots: [dya]}}", 38),
        ("{required_slots: ['']}", 24),
        ("{transitions: [{to: a, when: 'slot_set:dya'}]}", 45),
        ("{transitions: [{to: a, when: 'any(slot_set:day, not(slot_unset:dya))'}]}", 69),
        ("{transitions: [{to: a, when: 'custom:dya'}]}", None),
        ("{transitions: [{to: a, sets: {'dya': 1}}]}", 37),
        ("{transitions: [{to: a, clears: [dya]}]}", 38),
    ],
)
def test_a_slot_is_undeclared_wherever_it_is_named(body, column):
    expected = [] if column is None else [("UNDECLARED_SLOT", column)]
    assert short(body) == expected


def test_the_nearest_slot_is_offered():
    ((_, _, message),) = found("{required_slots: [dya]}")
    assert message.endswith("Did you mean 'day'?")


def test_a_flow_without_declarations_is_not_told():
    text = "flow_id: f\nentry: a\nstates: {a: {required_slots: [x]}}\n"
    assert diagnose(text.encode(), path="f.yaml") == ()
    assert diagnose(text.replace("states", "slots: {}\nstates").encode(), path="f.yaml") == ()
    pipecat = "initial_node: a\nnodes: {a: {role_message: 'Hi {{ x }}'}}\n"
    assert diagnose(pipecat.encode(), path="f.yaml") == ()


@pytest.mark.parametrize("value", ["today", "'2'", "2.5", "true", "7", "7.0", "0x7", "~"])
def test_declared_values_may_be_set(value):
    assert short(f"{{transitions: [{{to: a, sets: {{day: {value}}}}}]}}") == []


@pytest.mark.parametrize("value", ["never", "2", "'7'", "'true'", "1", "false", "[today]", "{}"])
def test_other_values_are_told(value):
    ((code, column),) = short(f"{{transitions: [{{to: a, sets: {{day: {value}}}}}]}}")
    assert (code, column >= 36) == ("VALUE_NOT_DECLARED", True)


@pytest.mark.parametrize(
    ("guard", "columns"),
    [
        ("slot_equals:day:today", []),
        ("slot_equals:day:2", []),
        ("slot_equals:day:2.5", []),
        ("slot_equals:day:true", []),
        ("slot_equals:day:7", []),
        ("slot_equals:day:tody", [52]),
        ("slot_in:day:today,2,never", [56]),
        ("slot_equals:size:anything", []),
        ("all(slot_equals:day:today, not(slot_equals:day:x))", [83]),
    ],
)
def test_values_that_guards_ask_for(guard, columns):
    body = f"{{transitions: [{{to: a, when: '{guard}'}}]}}"
    found_columns = [column for code, column in short(body) if code == "VALUE_NOT_DECLARED"]
    assert len(found_columns) == len(columns) == len(short(body))


def test_the_nearest_value_is_offered():
    ((_, _, message),) = found("{transitions: [{to: a, sets: {day: tody}}]}")
    assert message.endswith("Did you mean 'today'?")


def test_a_wrong_class_is_said_with_the_classes():
    text = FLOW.format("{}").replace("type: integer", "class: rooting")
    (item,) = diagnose(text.encode(), path="f.yaml")
    assert (item.code, item.nearest) == ("FLOW_UNKNOWN_SLOT_CLASS", ("routing",))
    assert "personal, routing, plain" in item.message


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("{locked_choice: {slot: day, choices: x}}", [("WRONG_TYPE", 43)]),
        ("{locked_choice: {slot: day, choices: [x]}}", []),
        ("{locked_choice: x}", [("WRONG_TYPE", 22)]),
        ("{tool: {name: 7}}", [("WRONG_TYPE", 20)]),
        ("{tool: {result_slots: day}}", [("WRONG_TYPE", 28)]),
        ("{tool: {result_slots: [7]}}", [("WRONG_TYPE", 29)]),
        ("{tool: x}", [("WRONG_TYPE", 13)]),
    ],
)
def test_keys_that_only_the_checks_read(body, expected):
    from engine.core.flow import parse_flow

    assert short(body) == expected
    if "tool: x" not in body and "locked_choice: x" not in body:
        assert parse_flow(FLOW.format(body).encode(), path="f.yaml"), "the flow stays readable"
