"""Documents that a topic has twice are found, wherever they are."""

import polars as pl
from hypothesis import given, strategies as st

from rankwise.rankings.run import Rows

pairs = st.lists(st.tuples(st.sampled_from("123"), st.sampled_from(["a", "b", "c", "ab", "é"])))


@given(pairs)
def test_repeats_are_found_with_the_first_row_of_each(rows: list[tuple[str, str]]) -> None:
    frame = pl.DataFrame(rows, schema={"topic": pl.String, "document": pl.String}, orient="row")
    first = {pair: rows.index(pair) for pair in rows}
    expected = [(at, first[pair]) for at, pair in enumerate(rows) if first[pair] < at]
    assert Rows(frame).repeats().rows() == expected
