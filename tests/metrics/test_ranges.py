"""Ranges of one parameter: what is read, and what is refused with a reason."""

from typing import Any

import pytest

from rankwise import parse
from rankwise.errors import WrongParameter
from rankwise.metrics import vary
from rankwise.metrics.ranges import MOST, Range


@pytest.mark.parametrize(
    ("over", "values"),
    [
        ("cutoff=5:20:5", (5, 10, 15, 20)),
        (" p = 0.1 : 0.3 : 0.1 ", (0.1, 0.2, 0.3)),
        ("p=0:1", (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)),
        ("cutoff=1:10", (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)),
        ("cutoff=1:4", (1, 2, 3, 4)),  # never less than 1 between whole numbers
        ("p=0.5,0.8", (0.5, 0.8)),
        ({"p": [0.5, 0.8]}, (0.5, 0.8)),
        (f"cutoff=0:{MOST}:1", tuple(range(MOST + 1))),
    ],
)
def test_values_of_a_range(over: Any, values: tuple[float, ...]) -> None:
    assert Range.parse(over).values == values


@pytest.mark.parametrize(
    ("over", "said"),
    [
        *[(text, "is not a range. Write it as") for text in ("p", "p=", "=1:2", "p=a:b", "p=1,x")],
        *[(text, "is not a range") for text in ("p=1:2:3:4", "p=0:inf", "p=nan,1")],
        ("p=0.9:0.5", "the end 0.5 is not above the start 0.9"),
        ("p=0.5:0.5", "is not above the start"),
        ("p=0:1:0", "the step 0 is not above 0"),
        ("p=0:1:-0.1", "the step -0.1 is not above 0"),
        (f"cutoff=0:{MOST + 1}:1", "more than 1,000 values"),
        ({"p": [0.5], "rel": [1]}, "has 2 parameters: p, rel"),
        ({"p": []}, "`over` has no value for p"),
    ],
)
def test_what_is_no_range_says_why(over: Any, said: str) -> None:
    with pytest.raises(WrongParameter, match=said):
        Range.parse(over)


def test_a_metric_is_varied_by_name_and_as_an_object() -> None:
    expected = [parse("RBP(p=0.5,rel=2)"), parse("RBP(p=0.9,rel=2)")]
    assert vary("RBP(rel=2)", "p=0.5,0.9") == vary(parse("RBP(rel=2)"), "p=0.5,0.9") == expected
    with pytest.raises(WrongParameter, match="has a value for p, and a range of p is also given"):
        vary("RBP(p=0.8)", "p=0.5,0.9")
    with pytest.raises(WrongParameter, match="has a value for cutoff"):
        vary("nDCG@10", "cutoff=5,10")
    for metric in ("AP", parse("AP")):
        with pytest.raises(
            WrongParameter, match=r"AP has no parameter 'p'\. Its parameters: norm, rel"
        ):
            vary(metric, "p=0.5,0.9")
