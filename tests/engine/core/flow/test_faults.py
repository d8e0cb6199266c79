from engine.core.flow.faults import FaultKind, FaultLog, flow_invalid
from engine.core.flow.source_text import SourceText


def test_faults_stand_by_place_and_then_as_found():
    log = FaultLog()
    log.add(FaultKind.TAG, "second.", start=7, end=9)
    log.add(FaultKind.ALIAS, "first.", start=2)
    log.add(FaultKind.WRONG_TYPE, "third.", start=7)
    assert [fault.message for fault in log.in_order()] == ["first.", "second.", "third."]
    assert [(fault.start, fault.end) for fault in log.in_order()] == [(2, 2), (7, 9), (7, 7)]
    assert [fault.code for fault in log.in_order()] == [
        *("FLOW_ALIAS", "FLOW_TAG", "FLOW_WRONG_TYPE")
    ]


def test_a_repeated_name_is_a_state_where_states_are_declared():
    log = FaultLog()
    log.add_repeat("a", is_state=True, start=0, end=1, first_line=3)
    log.add_repeat("b", is_state=False, start=1, end=2, first_line=4)
    state, key = log.in_order()
    assert (state.kind, state.code) == (FaultKind.DUPLICATE_KEY, "FLOW_DUPLICATE_STATE")
    assert (key.kind, key.code) == (FaultKind.DUPLICATE_KEY, "FLOW_DUPLICATE_KEY")
    assert state.message == "state 'a' stands here again, first on line 3. Remove or rename one."


def test_the_error_carries_kind_code_and_place():
    log = FaultLog()
    log.add(FaultKind.MISSING_KEY, "add it.", start=6, code="FLOW_MISSING_ENTRY")
    error = flow_invalid(log.in_order()[0], source=SourceText.of("a: 1\nb: 2", path="f.yaml"))
    assert error.message == "f.yaml:2:2: add it."
    assert error.detail == {
        "file": "f.yaml",
        "line": 2,
        "column": 2,
        "kind": "MISSING_KEY",
        "code": "FLOW_MISSING_ENTRY",
    }
