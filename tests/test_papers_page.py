"""docs/papers.md is what docs/make_papers_page.py makes, and the script sees every difference."""

import re
from pathlib import Path

import pytest
from papers_page.contents import PAPERS, whole_page
from papers_page.data import Data
from papers_page.figures import Found, PageError, Row, equal, shown
from papers_page.page import Paper, Part, table

PAGE = (Path(__file__).parents[1] / "docs" / "papers.md").read_text(encoding="utf-8")
PARTS = [(paper, part) for paper in PAPERS for part in paper.parts]
BOTH_DATA = pytest.mark.usefixtures("trec8")


def named(value: object) -> str:
    return value.title if isinstance(value, Paper | Part) else ""


@pytest.fixture(scope="module")
def sources() -> Data:
    return Data()


@pytest.mark.parametrize("paper", PAPERS, ids=named)
def test_every_paper_says_how_many_figures_differ(paper: Paper) -> None:
    section = PAGE.split(f"\n## {paper.title}\n")[1].split("\n## ")[0]
    total, same, explained = (
        int(found)
        for found in re.findall(r"\*\*(\d+) figures, (\d+) equal as printed, (\d+) ex", section)[0]
    )
    rows = re.findall(r"^\| .* \|$", section, re.MULTILINE)
    bold = sum(len(re.findall(r"\*\*[^*]+\*\*", row)) for row in rows)
    assert (explained, same) == (bold, total - bold)
    heading = paper.title.lower().replace(",", "").replace(" ", "-")
    assert f"| [{paper.title}](#{heading}) | {total} | {same} | {explained} |" in PAGE


@pytest.mark.parametrize(
    "paper", [p for p in PAPERS if not any(part.needs for part in p.parts)], ids=named
)
def test_the_papers_that_need_no_data_are_on_the_page_whole(paper: Paper, sources: Data) -> None:
    assert paper.section(sources).text in PAGE


@pytest.mark.parametrize(("paper", "part"), [o for o in PARTS if not o[1].needs], ids=named)
def test_parts_that_need_no_data(paper: Paper, part: Part, sources: Data) -> None:
    assert f"\n## {paper.title}\n" in PAGE
    assert table(part, part.rows(sources)) in PAGE


@BOTH_DATA
@pytest.mark.parametrize(
    ("paper", "part"), [o for o in PARTS if o[1].needs and not o[1].slow], ids=named
)
def test_parts_on_trec_5_and_trec_8(paper: Paper, part: Part, sources: Data) -> None:
    assert f"\n## {paper.title}\n" in PAGE
    assert table(part, part.rows(sources)) in PAGE


def test_without_the_data_there_is_no_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("RANKWISE_DATA", raising=False)
    with pytest.raises(SystemExit, match="RANKWISE_DATA is not set"):
        whole_page()
    monkeypatch.setenv("RANKWISE_DATA", str(tmp_path))
    with pytest.raises(SystemExit, match="there is no folder trec5 in"):
        whole_page()


@pytest.mark.parametrize(
    ("printed", "found", "same"),
    [
        ("0.0313", 0.03125, True),  # a half goes up
        ("0.75", 0.75, True),
        ("0.6315", 0.631551, False),
        ("0.6316", 0.631551, True),
        ("0.7", 0.1 + 0.6 - 1e-16, True),
        ("1,001", 1902, False),
        ("1,902", 1902, True),
        ("roughly 60", 59.87, True),
        ("< 0.23", 0.2262, True),
        ("< 0.23", 0.23, False),
        ("> 1.63", 1.63, False),
        ("≤ 0.5", 0.5, True),
        ("≥ 0.5", 0.4, False),
        ("2/3", 2 / 3, True),
        ("2/3", 0.667, False),
        ("Yes", "Yes", True),
        ("Yes", "No", False),
    ],
)
def test_equal_as_printed(printed: str, found: Found, same: bool) -> None:
    assert equal(printed, found) is same


def test_what_is_found_stands_with_two_digits_more() -> None:
    assert shown(0.631551, "0.6316") == "0.631551"
    assert [shown(1902, "1,001"), shown(1902, "1001"), shown(78.0, "48")] == ["1,902", "1902", "78"]
    assert [shown(57.52, "58"), shown(1 / 3, "1/3"), shown("No", "Yes")] == [
        "57.52",
        "0.3333",
        "No",
    ]


def test_a_difference_needs_a_remark_and_a_remark_a_difference() -> None:
    assert Row("x", "1 2", [1, 2]).line == "| x | 1 2 | 1 2 |  |"
    assert Row("x", "1 2", [1, 3], "why").line == "| x | 1 2 | 1 **3** | why |"
    with pytest.raises(PageError, match=r"x: printed 1 2, found \[1, 3\]: is not explained"):
        Row("x", "1 2", [1, 3]).line  # noqa: B018
    with pytest.raises(PageError, match="is explained, but nothing differs"):
        Row("x", "1", 1, "why").line  # noqa: B018
    with pytest.raises(ValueError, match="shorter"):
        Row("x", "1 2", [1]).line  # noqa: B018


def test_a_figure_that_depends_on_the_order_of_ties_never_counts_as_equal() -> None:
    row = Row("tau", "0.839", 0.83914, "0.831 to 0.843", depends=True)
    assert row.differing == 1
    assert row.line == "| tau | 0.839 | **0.83914** | 0.831 to 0.843 |"
    with pytest.raises(PageError, match="is not explained"):
        Row("tau", "0.839", 0.83914, depends=True).line  # noqa: B018


def test_counts_on_other_pages_are_those_of_the_papers_page() -> None:
    total, same, _ = re.findall(r"^\| all \| (\d+) \| (\d+) \| (\d+) \|$", PAGE, re.MULTILINE)[0]
    root = Path(__file__).parents[1]
    assert f"[{total} figures of five papers]" in (root / "README.md").read_text(encoding="utf-8")
    reproducing = (root / "docs" / "reproducing.md").read_text(encoding="utf-8")
    assert f"all {total} that can be checked: {same} are equal as printed" in reproducing
