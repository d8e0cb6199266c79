from hypothesis import given
from hypothesis import strategies as st
from support.records import build_in_order, entered, rows_of


def states(text: str):
    return [entered(name) for name in text]


def test_the_fifth_entry(found) -> None:
    (finding,) = found(states("abababacad"))
    assert finding["at"] == 8
    assert finding["events"] == ["bus:9", "bus:1", "bus:3", "bus:5", "bus:7"]
    assert finding["visits"] == ["a#1", "a#2", "a#3", "a#4", "a#5"]
    assert finding["detail"] == {"state_id": "a", "entry_count": 5, "window_visits": 20}


def found_at(found, text: str) -> list[int]:
    return sorted(row["at"] for row in found(states(text)) if row["detail"]["state_id"] == "a")


def test_the_window(found) -> None:
    others = "bcdefghijklmnopqrstuvwxyz"
    assert found_at(found, "aaaa" + others[:15] + "a") == [19]
    assert found_at(found, "aaaa" + others[:16] + "a") == []
    assert found_at(found, "aaaa") == []


def test_again_only_after_it_was_below(found) -> None:
    others = "bcdefghijklmnopqrstuvwxyz"
    assert found_at(found, "a" * 30) == [4]
    assert found_at(found, "aaaaa" + others[:16] + "aaaa") == [4]
    assert found_at(found, "aaaaa" + others[:16] + "aaaaa") == [4, 25]
    assert found_at(found, "aaaaa" + others[:20] + "aaaaa") == [4, 29]


def naive(text: str) -> list[int]:
    counts = [text[max(0, i - 19) : i + 1].count("a") for i in range(len(text))]
    return [i for i, n in enumerate(counts) if n >= 5 and (i == 0 or counts[i - 1] < 5)]


@given(st.text("aaab", max_size=60))
def test_against_counting(text: str) -> None:
    artifact = build_in_order(states(text))
    rows = [row for row in rows_of(artifact, "findings") if row["code"] == "STATE_LOOP"]
    assert [row["at"] for row in rows if row["detail"]["state_id"] == "a"] == naive(text)


def test_one_falls_out_where_one_comes_in(found) -> None:
    others = "bcdefghijklmnop"
    assert found_at(found, "a" + others + "aaaa" + "a") == [19]
