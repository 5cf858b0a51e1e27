"""Tables for papers: compact, the best in bold, marks, decimal points below each other."""

import re
from typing import Any

import pytest
from calls import call

import rankwise
from rankwise.errors import CallError
from rankwise.results.paper import PaperColumn, PaperTable

MADE = rankwise.simulate(topics=25, systems=5, seed=4)
METRICS = ["AP", "nDCG@10", "SearchLength"]


def compared(**how: Any) -> Any:
    return call(rankwise.compare, MADE.qrels, MADE.runs, METRICS, bounds=False, **how)


def rows_of(latex: str) -> list[list[str]]:
    body = latex.partition("\\midrule\n")[2].partition("\\bottomrule")[0]
    return [line.removesuffix(r" \\").split(" & ") for line in body.splitlines()]


def test_the_best_is_bold_and_the_second_underlined_by_what_is_printed() -> None:
    column = PaperColumn("AP", [0.123, 0.1234, None, 0.1], ["", "", "", "↓"])
    table = PaperTable(list("abcd"), [column], "", digits=2, second=True)
    assert [row[1:] for row in rows_of(table.to_latex())] == [
        [r"\textbf{0}", r"\textbf{.12}"],
        [r"\textbf{0}", r"\textbf{.12}"],
        ["--", ""],
        [r"\underline{0}", r"\underline{.10}$^{\downarrow}$"],
    ]
    shown = [line.split(" | ")[1].removesuffix(" |") for line in table.to_markdown().splitlines()]
    assert shown[2:] == ["**0.12**", "**0.12**", "–", "<u>0.10</u>↓"]


def test_the_least_is_best_where_less_is_better_and_nothing_of_a_count() -> None:
    less = PaperColumn("ESL", [3.0, 1.0], ["", ""], sign=-1)
    count = PaperColumn("NumRet", [3.0, 1.0], ["", ""], sign=0, is_count=True)
    [first, second] = rows_of(PaperTable(["a", "b"], [less, count], "", digits=1).to_latex())
    assert first == ["a", "3", ".0", "3", ""]
    assert second == ["b", r"\textbf{1}", r"\textbf{.0}", "1", ""]


def test_equal_numbers_are_none_of_them_the_best() -> None:
    column = PaperColumn("AP", [0.5, 0.5], ["", ""])
    assert "textbf" not in PaperTable(["a", "b"], [column], "").to_latex()


def test_arrows_and_daggers_follow_the_tests() -> None:
    found = compared(baseline="system2")
    signs = {str(metric): metric.sign for metric in found.tested}
    arrows, daggers = found.to_latex(), found.to_latex(marks="daggers")
    marked = 0
    for row in found.frame.iter_rows(named=True):
        place = 2 * METRICS.index(row["metric"]) + 2
        cell, dagger = (
            next(one for one in rows_of(text) if one[0] == row["a"])[place]
            for text in (arrows, daggers)
        )
        mark = re.search(r"\$\^\{(.*)\}\$", cell)
        up = signs[row["metric"]] * row["difference"] > 0
        assert (mark and mark[1]) == (
            None if not row["significant"] else r"\uparrow" if up else r"\downarrow"
        )
        strong = row["corrected_p"] <= 0.01
        assert ("ddagger" in dagger, "dagger" in dagger) == (strong, row["significant"])
        marked += row["significant"]
    assert 0 < marked < found.frame.height


def written_out(letters: str) -> str:
    """b--e as bcde."""
    return re.sub(
        r"(\w)--(\w)",
        lambda ends: "".join(map(chr, range(ord(ends[1]), ord(ends[2]) + 1))),
        letters,
    )


def test_letters_name_the_runs_that_are_beaten() -> None:
    found = compared()
    lines = rows_of(found.to_latex(marks="letters"))
    run_of = {line[0].removeprefix("\\textit{")[0]: line[1] for line in lines}
    beaten = {
        (line[1], run_of[letter])
        for line in lines
        for letter in written_out((re.search(r"superscript\{(.+)\}", line[3]) or ["", ""])[1])
    }
    of_ap = found.frame.filter(metric="AP").filter("significant").iter_rows(named=True)
    expected = {
        (row["a"], row["b"]) if row["difference"] > 0 else (row["b"], row["a"]) for row in of_ap
    }
    assert beaten == expected and len(expected) > 2


def test_rows_are_in_the_order_asked_for() -> None:
    found = compared(baseline="system4")
    names = [row[0].removesuffix(" (baseline)") for row in rows_of(found.to_latex(sort="given"))]
    assert names == list(found.scores.runs)
    by_metric = [row[0] for row in rows_of(found.scores.to_latex(sort="SearchLength"))]
    means = found.scores["SearchLength"].to_dict()
    assert by_metric == sorted(means, key=lambda run: means[run]["SearchLength"])
    first, *others = rows_of(found.to_markdown(sort="baseline") and found.to_latex(sort="baseline"))
    assert first[0] == "system4 (baseline)"
    best = [row[0] for row in rows_of(found.to_latex(sort="AP"))]
    assert [row[0] for row in others] == [run for run in best if run != first[0]]


def test_captions_and_labels_are_those_given() -> None:
    found = compared(baseline="system4")
    text = found.to_latex(caption="Ours & theirs", label="tab:ours")
    assert "\\caption{Ours \\& theirs AP, nDCG@10" in text and "}\n\\label{tab:ours}\n" in text
    assert found.to_latex(caption="").startswith("% needs \\usepackage{booktabs}\n\\begin{tabular}")
    assert (
        "marks a score that is significantly better (worse) than that of system4"
        in found.to_latex()
    )
    assert "Lower is better: SearchLength." in found.to_latex()


def test_arrows_of_two_runs_name_the_run_they_are_compared_with() -> None:
    made = rankwise.simulate(topics=25, systems=4, seed=1)
    for place in (0, 3):
        old, new = made.runs[place], made.runs[3 - place]
        found = rankwise.compare(made.qrels, [old, new], "AP")
        text = found.to_latex()
        better, marked = (new.name, "↑") if found.frame["difference"][0] > 0 else (new.name, "↓")
        arrow = {"↑": "uparrow", "↓": "downarrow"}[marked]
        assert f"(worse) than that of {old.name}" in text
        (row,) = (line for line in text.splitlines() if line.startswith(f"{better} & "))
        assert arrow in row


@pytest.mark.parametrize(
    ("how", "asked", "message"),
    [
        ({}, {"marks": "arrows"}, "shows differences from a baseline"),
        ({}, {"sort": "baseline"}, "needs a baseline"),
        ({}, {"sort": "RR"}, "no metric 'RR'"),
    ],
)
def test_what_cannot_be_shown_is_refused(
    how: dict[str, Any], asked: dict[str, Any], message: str
) -> None:
    with pytest.raises(CallError, match=message):
        compared(**how).to_latex(**asked)


def test_more_runs_than_letters_are_listed_by_rank() -> None:
    scores = rankwise.score({"1": {"a": 1}, "2": {"a": 1}}, {
        f"run{place:02}": {t: {"a": 1.0} if place % 2 else {"b": 1.0} for t in "12"}
        for place in range(27)
    }, "RR")  # fmt: skip
    found = rankwise.compare(scores)
    assert "n.s. ranks" in found.to_latex()
    with pytest.raises(CallError, match="there are 27 runs, and letters can mark at most 26"):
        found.to_latex(marks="letters")
    with pytest.raises(CallError, match="by rank"):
        found.to_latex(second=True)


def test_two_runs_show_their_difference_its_interval_and_p() -> None:
    made = rankwise.simulate(topics=20, systems=2, seed=1)
    runs = {"old|one": made.runs[1], "new-one": made.runs[0]}
    found = rankwise.compare(made.qrels, runs, ["AP", "PPlus", "NumRet"], effort=0)
    head, rule, *lines = found.to_markdown().split("\n\n")[-1].splitlines()
    assert head == "| metric | diff. | 95 % CI | p |"
    assert "Diff.: new-one − old|one.\n" in found.to_markdown()
    assert rule == "| --- | ---: | ---: | ---: |"
    rows = found.tested_rows.rows(named=True)
    assert len(rows) == len(lines) == 2  # what is not tested has no difference to speak of
    for row, name, line in zip(rows, ["AP", "P⁺"], lines, strict=True):
        ends = f"{row['conf_low']:.4f} to {row['conf_high']:.4f}"
        p = "<0.0001" if row["p"] < 0.0001 else f"{row['p']:.4f}"
        assert line == f"| {name} | {row['difference']:+.4f} | {ends} | {p} |"
    below = found.to_latex().split("\\medskip")[1].splitlines()
    assert below[1:4] == [
        r"\begin{tabular}{@{}lrrr@{}}",
        r"\toprule",
        r"metric & diff. & 95 \% CI & p \\",
    ]
    assert "medskip" not in found.to_latex(caption="")


def test_a_baseline_shows_each_difference_while_they_are_few() -> None:
    few = compared(baseline="system4")
    count = few.tested_rows.height
    block = few.to_markdown(sort="given").split("\n\n")[-1].splitlines()
    assert block[0] == "| run | metric | diff. | 95 % simultaneous CI | p |"
    assert "Diff.: run − system4; p: corrected.\n" in few.to_markdown()
    assert len(block) == 2 + count and 3 < count <= 12
    assert [line.split(" | ")[0] for line in block[2:]] == [
        f"| {name}" for name in few.scores.runs if name != "system4" for _ in few.tested
    ]
    made = rankwise.simulate(topics=10, systems=14, depth=20, seed=1)
    many = rankwise.compare(made.qrels, made.runs, "P@5", baseline="system01", effort=0)
    assert many.to_markdown().count("\n\n") == 1  # the caption and one table
