"""Patches of the dialogue stack: RFC 6902, whole or not at all."""

import contextlib
import copy
import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.importers.rasa.stack_patches import FRAMES_MAX, PatchRefused, patched

STACK = [{"flow_id": "a", "step_id": "START"}, {"flow_id": "b", "tags": [1, 2]}]


@pytest.mark.parametrize(
    ("patch", "result"),
    [
        ([{"op": "add", "path": "/0", "value": 1}], [1, *STACK]),
        ([{"op": "add", "path": "/-", "value": 1}], [*STACK, 1]),
        ([{"op": "replace", "path": "/0/step_id", "value": "x"}],
         [{"flow_id": "a", "step_id": "x"}, STACK[1]]),
        ([{"op": "remove", "path": "/0"}], [STACK[1]]),
        ([{"op": "move", "from": "/1", "path": "/0"}], [STACK[1], STACK[0]]),
        ([{"op": "copy", "from": "/1/tags/0", "path": "/0/n"}], [{**STACK[0], "n": 1}, STACK[1]]),
        ([{"op": "test", "path": "/1/tags", "value": [1, 2]}], STACK),
        ([{"op": "replace", "path": "", "value": []}], []),
        ([{"op": "add", "path": "/0/a~1b~0", "value": 1}], [{**STACK[0], "a/b~": 1}, STACK[1]]),
        ([], STACK),
    ],
)  # fmt: skip
def test_the_operations(patch: list, result: list) -> None:
    before = copy.deepcopy(STACK)
    assert patched(STACK, patch) == result
    assert patched(STACK, json.dumps(patch)) == result
    assert before == STACK, "the stack that was given is not changed"


@pytest.mark.parametrize(
    "patch",
    [
        {}, "{", None, 3, [1],
        [{"op": "add", "path": "/5", "value": 1}],
        [{"op": "add", "path": "/00", "value": 1}],
        [{"op": "add", "path": "/x", "value": 1}],
        [{"op": "add", "path": "0", "value": 1}],
        [{"op": "add", "path": "/0"}],
        [{"op": "remove", "path": "/0/nothing"}],
        [{"op": "replace", "path": "/1/tags/2", "value": 1}],
        [{"op": "remove", "path": ""}],
        [{"op": "move", "from": "/1", "path": "/1/tags/0"}],
        [{"op": "copy", "path": "/0"}],
        [{"op": "test", "path": "/1/tags/0", "value": True}],
        [{"op": "shout", "path": "/0"}],
        [{"op": "replace", "path": "", "value": {}}],
        [{"op": "replace", "path": "", "value": [1] * (FRAMES_MAX + 1)}],
        [{"op": "test", "path": "", "value": 1}] * 10_001,
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_whole(patch: object) -> None:
    before = copy.deepcopy(STACK)
    with pytest.raises(PatchRefused):
        patched(STACK, patch)
    with pytest.raises(PatchRefused):
        patched(STACK, [{"op": "remove", "path": "/0"}, {"op": "remove", "path": "/7"}])
    assert before == STACK


def test_the_library_for_patches_gives_the_same() -> None:
    """Where it is installed; see decision 19."""
    jsonpatch = pytest.importorskip("jsonpatch")
    paths = ("", "/0", "/1", "/2", "/-", "/0/a", "/0/b/0", "/00", "/a")
    values = (None, 1, {"a": 1}, [True])
    stack = [{"a": 1, "b": [1]}, 2]
    agreed = 0
    for op, path, origin, value in itertools.product(
        ("add", "remove", "replace", "move", "copy", "test"), paths, paths, values
    ):
        patch = [{"op": op, "path": path, "from": origin, "value": value}]
        try:
            expected = jsonpatch.apply_patch(stack, patch)
        except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException):
            expected = None
        if not isinstance(expected, list) and expected is not None:
            continue  # the stack would be something else than a list: refused here
        try:
            found = patched(stack, patch)
        except PatchRefused:
            found = None
        assert found == expected, patch
        agreed += 1
    assert agreed > 1000


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)
OPERATIONS = st.fixed_dictionaries(
    {"op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test"])},
    optional={
        "path": st.sampled_from(["", "/0", "/1", "/-", "/0/a", "/0/0", "/a"]),
        "from": st.sampled_from(["", "/0", "/1", "/0/a"]),
        "value": JSON,
    },
)


@given(st.lists(JSON, max_size=3), st.lists(OPERATIONS, max_size=5) | JSON)
def test_any_patch_gives_a_stack_or_is_refused(stack: list, patch: object) -> None:
    before = copy.deepcopy(stack)
    with contextlib.suppress(PatchRefused):
        assert isinstance(patched(stack, patch), list)
    assert stack == before
