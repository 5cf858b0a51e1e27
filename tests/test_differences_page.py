"""docs/why-numbers-differ.md has what rankwise, and the other tools where they are, give."""

from pathlib import Path

import pytest
from differences_page.cases import CASES, Case, Row
from differences_page.tools import TOOLS, is_installed
from make_differences_page import by_rankwise, by_the_tool, page

PAGE = Path(__file__).parents[1] / "docs" / "why-numbers-differ.md"
OF_TOOLS = [(case, row) for case in CASES for row in case.rows if row.tool in TOOLS]


def test_the_settings_give_the_numbers_on_the_page() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(by_rankwise), "run `make differences`"


@pytest.mark.parametrize(
    ("case", "row"), OF_TOOLS, ids=[f"{row.tool} {row.measure}" for _, row in OF_TOOLS]
)
def test_the_tools_still_give_these_numbers(case: Case, row: Row) -> None:
    if not is_installed(row.tool):
        pytest.skip(f"{row.tool} is not installed")
    given = by_the_tool(row, case)  # raises where the tool gives another number
    assert f"{given:.4f}" in PAGE.read_text(encoding="utf-8")


def test_on_every_example_two_numbers_differ() -> None:
    for case in CASES:
        assert len({f"{by_rankwise(row, case):.4f}" for row in case.rows}) > 1, case.title
        assert all(row.tool in TOOLS or row.tool == "rankwise" for row in case.rows)
