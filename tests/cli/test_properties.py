"""`rankwise metrics properties`."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rankwise import metrics, properties
from rankwise.metrics import REGISTRY

OWN = '''
from dataclasses import dataclass
import numpy as np
from rankwise import WeightedPrecision, register
from rankwise.metrics.parameters import between

@register()
class Upside(WeightedPrecision):
    """Weights that rise with the rank, to 1."""
    p: float = between(0, 1, default=0.5)
    def weight(self, rank):
        return 1 - np.power(self.p, rank)

@register()
class Needy(WeightedPrecision):
    """Cannot do without its parameter."""
    p: float = between(0, 1)
    def weight(self, rank):
        return np.power(self.p, rank)

@register()
class Broken(WeightedPrecision):
    """Raises."""
    p: float = between(0, 1)
    def weight(self, rank):
        raise KeyError("nothing here")
'''


def verdicts(out: str) -> dict[str, str]:
    """The letters of the first table, by metric."""
    lines = out.split("\n\n")[0].splitlines()[1:]
    return {line.split()[0]: "".join(cell[0] for cell in line.split()[1:]) for line in lines}


def test_without_a_metric_it_is_table_2(rankwise: Any) -> None:
    done = rankwise("metrics", "properties", "--depth", "6", "--notes")
    assert done.code == 0
    found = verdicts(done.out)
    assert len(found) == 13
    assert found["RBP@k"] == "YYYYYYNY"
    assert found["SN-DCG@k"] == "YNNYYNYY"
    assert max(len(line) for line in done.out.splitlines()) <= 80
    assert "note: ᵉ the maximum is reached only if k ≤ R" in done.err
    assert "5 metrics are monotonic and convergent, and 0 of these are also realizable" in done.err
    assert "all rankings of up to 6 documents with R and N at most 7" in done.err


def test_with_a_metric_it_says_why(rankwise: Any) -> None:
    done = rankwise("metrics", "properties", "-m", "nDCG@10", "-m", "nDCG", "--depth", "5")
    assert verdicts(done.out) == {"nDCG@k": "YNYYNNYY"}  # any cutoff is k: once
    lines = done.out.split("\n\n")[1].splitlines()
    assert lines[2].split(maxsplit=3) == [
        *["nDCG@k", "monotonic", "N"],
        "1 → 10 (R=2 N=1): 1.0000 → 0.6131",
    ]
    none = "no counterexample in 41,024 cases to depth 5, of grades 0–3 to 2"
    assert lines[4].split(maxsplit=3)[2:] == ["Y", none]
    assert "for nDCG@k, the search for counterexamples also used" in done.err
    short = rankwise("metrics", "properties", "-m", "nDCG", "--depth", "5", "--no-counterexamples")
    assert short.out == done.out.split("\n\n")[0] + "\n"


def test_grades_are_an_option(rankwise: Any) -> None:
    """Q is top-weighted and has SWAP on 0 and 1 only."""
    arguments = ["metrics", "properties", "-m", "Q", "--depth", "6"]
    assert verdicts(rankwise(*arguments).out) == {"Q@k": "YYYNNNNN"}
    binary = rankwise(*arguments, "--grades", "0,1")
    assert verdicts(binary.out) == {"Q@k": "YYYYNNNY"} and "grades" not in binary.err
    three = rankwise(*arguments, "--grades", "0,1,5", "--format", "json")
    found = next(row for row in json.loads(three.out)["rows"] if row["property"] == "SWAP")
    assert (found["grades"], found["holds"]) == ("0,1,5", False)
    assert (found["first_ranking"], found["second_ranking"]) == ("051", "150")
    assert found["first_judged"] == found["second_judged"] == "510"
    assert (found["first_score"], found["second_score"]) == pytest.approx((59 / 72, 2 / 3))


def test_json_has_everything(rankwise: Any) -> None:
    done = rankwise("metrics", "properties", "-m", "P@5", "--depth", "4", "--format", "json")
    rows = {row["property"]: row for row in json.loads(done.out)["rows"]}
    assert len(rows) == 8
    found = rows["realizable"]
    assert (found["name"], found["holds"], found["depth"]) == ("P@k", False, 4)
    first, second = (
        [found[f"{place}_{what}"] for what in ("ranking", "R", "N", "score")]
        for place in ("first", "second")
    )
    assert (first, second) == (["10", 1, 1, 0.5], ["1", 1, 0, 1.0])
    assert found["remark"] == "the maximum is reached only if k ≤ R"
    assert rows["bounded"]["remark"] == "from 0 to 1"


def test_latex_is_the_table_of_the_paper(rankwise: Any) -> None:
    done = rankwise("metrics", "properties", "--depth", "5", "--format", "latex")
    needs, *lines = done.out.splitlines()
    assert needs == r"% needs \usepackage{booktabs}"
    assert lines[:2] == [r"\begin{tabular}{lcccccccc}", r"\toprule"]
    assert lines[2].startswith("Metric & Bounded & Monoton. & Converg. & Top-wgt.")
    assert (
        r"RR@$k$ & Yes & Yes & No$^{b}$ & No$^{b}$ & Yes$^{c}$ & Yes$^{c}$ & Yes & No \\" in lines
    )
    text = r"$^{e}$ the maximum is reached only if $k$ $\leq$ $R$"
    note = rf"\multicolumn{{9}}{{l}}{{\footnotesize {text}}} \\"
    assert note in lines
    assert lines[-1] == r"\end{tabular}"
    both = rankwise(
        "metrics", "properties", "--depth", "5", "--format", "latex", "--counterexamples"
    )
    assert both.out.count(r"\begin{tabular}") == 2
    assert done.out.isascii()


@pytest.mark.slow
def test_all_is_the_catalogue(rankwise: Any) -> None:
    done = rankwise("metrics", "properties", "--all", "--depth", "2")
    assert set(verdicts(done.out)) >= {"AP@k", "infAP", "IPrec@0.5", "RBP(p=0.8)@k", "P@k"}
    assert len(verdicts(done.out)) == len(REGISTRY)
    assert max(len(line) for line in done.out.splitlines()) <= 80
    assert "ᵃ" not in done.out + done.err  # the notes are those of Table 2


def test_files(rankwise: Any, tmp_path: Path) -> None:
    assert (
        rankwise("metrics", "properties", "-m", "AP", "--depth", "4", "-o", "ap.parquet").code == 0
    )
    assert pl.read_parquet(tmp_path / "ap.parquet").height == 8
    assert rankwise("metrics", "properties", "-m", "AP", "--depth", "4", "-o", "ap.md").out == ""
    page = (tmp_path / "ap.md").read_text(encoding="utf-8")
    assert "| AP@k | Y | Y | Y | Y | N | N | N | Y |" in page
    assert "| AP@k | localized | N | 1 (R=1 N=0 → R=2 N=0): 1.0000 → 0.5000 |" in page


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-m", "ngcd"], "Did you mean nDCG"),
        (["--depth", "30"], "between 2 and 12"),
        (["--grades", "0,some"], "not a list of whole numbers. Write it as 0,1,2,3"),
        (["--grades", "1,2"], "grade 0 (not relevant) is missing"),
        (["--metrics-from", "none.py"], "no such file"),
        (["-o", "no/folder.csv"], "there is no folder"),
    ],
)
def test_what_is_wrong_is_one_line(rankwise: Any, arguments: list[str], said: str) -> None:
    done = rankwise("metrics", "properties", *arguments)
    assert (done.code, done.out) == (2, "")
    assert said in done.err and len(done.err.splitlines()) == 1


def test_metrics_of_ones_own(console: Any, tmp_path: Path) -> None:
    """In processes of their own: they would stay in the registry of this one."""
    (tmp_path / "mine.py").write_text(OWN)
    mine = ["metrics", "properties", "--metrics-from", "mine.py", "--depth", "4"]
    done = console(*mine)
    found = verdicts(done.out)
    assert len(found) == 14
    assert found["Upside"] == "NYYNYYNN"
    assert (
        "metrics that need parameters are excluded; name them with their parameters: Broken, Needy"
        in done.err
    )
    done = console(*mine, "-m", "Needy(p=0.5)")
    assert verdicts(done.out) == {"Needy(p=0.5)": "YYYYYYNY"}
    done = console(*mine, "-m", "Broken(p=0.5)")
    assert done.code == 2 and "Broken" in done.err and len(done.err.splitlines()) == 1


@pytest.mark.parametrize("metrics", [(), ("nDCG", "P@5")])
def test_the_result_shows_what_the_command_prints(rankwise: Any, metrics: tuple[str, ...]) -> None:
    named = [word for metric in metrics for word in ("-m", metric)]
    done = rankwise("metrics", "properties", *named, "--depth", "4")
    found = properties(metrics or None, depth=4)
    shown, printed = repr(found), done.err.splitlines()
    assert done.out in shown + "\n"
    notes = [line for line in shown.splitlines() if line.startswith("note: ")]
    assert len(notes) == 2 and notes == printed[-3:-1]
    assert printed[:-3] == [f"note: {footnote}" for footnote in found.table().notes]


def test_a_class_is_the_metric_with_its_defaults_and_any_cutoff() -> None:
    classes = properties([metrics.P, metrics.nDCG, metrics.nDCG @ 3], depth=3)
    assert classes.frame.equals(properties(["P@1", "nDCG"], depth=3).frame)
