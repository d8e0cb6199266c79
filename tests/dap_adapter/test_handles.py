"""Numbers: one key, one number, for ever."""

from hypothesis import given
from hypothesis import strategies as st

from dap_adapter.handles import Handles


@given(st.lists(st.text(max_size=2)))
def test_same_key_same_number_and_no_number_twice(keys: list[str]) -> None:
    handles: Handles[str] = Handles()
    numbers = {}
    for key in keys:
        number = handles.number_of(key)
        assert numbers.setdefault(key, number) == number
        assert handles.key_of(number) == key
        assert number > 0
    assert len(set(numbers.values())) == len(numbers)


def test_unknown_numbers_have_no_key() -> None:
    handles: Handles[str] = Handles()
    handles.number_of("a")
    assert [handles.key_of(number) for number in (-1, 0, 2)] == [None, None, None]
