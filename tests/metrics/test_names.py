"""The grammar of metric names: aliases, trec_eval's names, and errors that help."""

import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import MISSING, fields
from pathlib import Path

import pytest

import rankwise
import rankwise.metrics
from rankwise import parse
from rankwise.errors import CallError, RankwiseError, UnknownMetric, WrongParameter
from rankwise.metrics import ALIASES, REGISTRY, parse_all
from rankwise.metrics.grammar import read_metric
from rankwise.metrics.registry import families, homes


@pytest.mark.parametrize(
    ("alias", "stands_for"),
    [
        *[("MAP", "AP"), ("map", "AP"), ("map_cut_100", "AP@100"), ("MRR", "RR")],
        *[("ndcg", "nDCG"), ("NDCG@10", "nDCG@10"), ("ndcg_cut_10", "nDCG@10")],
        *[
            ("P_5", "P@5"),
            ("Precision@5", "P@5"),
            ("recall_100", "Recall@100"),
            ("R@7", "Recall@7"),
        ],
        *[("recip_rank", "RR"), ("bpref", "Bpref"), ("BPref", "Bpref"), ("RPrec", "Rprec")],
        *[("success_5", "Success@5"), ("HIT@5", "Success@5"), ("num_rel_ret", "NumRelRet")],
        *[("rbp", "ScaledRBP(p=0.9)"), ("MAP(rel=2)@5", "AP(rel=2,cutoff=5)")],
        *[(" nDCG ( dcg = 'exp-log2' ) @ 20 ", "nDCG(dcg=exp-log2)@20")],
        *[("DCG(gains=3:2:1)", "DCG(gains={1:1,2:2,3:3})"), ("RBP(p=.5)", "RBP(p=0.5)")],
    ],
)
def test_an_alias_is_the_metric_it_stands_for(alias: str, stands_for: str) -> None:
    assert parse(alias) == parse(stands_for)


def test_every_alias_stands_for_something() -> None:
    for alias in ALIASES:
        name = alias.replace("#", "1")
        try:
            parse(name)
        except WrongParameter as error:
            assert "needs" in str(error)  # P and Success want a cutoff


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("ngcd@10", "unknown metric 'ngcd' (in 'ngcd@10'). Did you mean nDCG"),
        (
            "nothing_like_it",
            "Use `rankwise.metrics.load_metrics(FILE)` to add your own.",
        ),
        ("P", "P needs the parameter cutoff (a whole number, 1 or more). Write for example P@10."),
        ("P@0", "P: cutoff='0' is not allowed. It must be a whole number, 1 or more."),
        ("P@ten", "cutoff='ten' is not allowed"),
        (
            "RBP(p=1)",
            "RBP: p=1 is not allowed. It must be a number from 0 (included) to 1 (excluded).",
        ),
        ("RBP(p=-0.1)", "must be a number from 0 (included) to 1 (excluded)."),
        (
            "RBP(q=0.5)",
            "RBP has no parameter 'q'. Its parameters: p, rel, gains, cutoff, judged_only, ties.",
        ),
        ("RBP(gains=3:2:1)", "the gains of RBP must be between 0 and 1"),
        ("Bpref@10", "Bpref has no cutoff. Write Bpref, not Bpref@10."),
        ("nDCG(dcg=ln)", "It must be one of log2, exp-log2."),
        ("nDCG(10)", "'10' is not a parameter with a value. Write nDCG@10."),
        ("RBP(0.8)", "'0.8' is not a parameter with a value. Write RBP(p=0.8)."),
        ("nDCG(exp-log2)@5", "Write nDCG(dcg=exp-log2)."),
        ("P(0.5)", "'0.5' is not a parameter with a value."),
        ("Bpref(=2)", "'=2' is not a parameter with a value."),
        ("AP(rel=0)", "It must be a number above 0"),
        ("AP(rel=-0.5)", "It must be a number above 0"),
        ("AP(judged_only=maybe)", "It must be True or False."),
        ("DCG(gains=a:b)", "'a' is not a number"),
        ("DCG(gains={1:-1})", "Gains must be 0 or more"),
        ("nDCG@10@5", "cutoff='10@5' is not allowed"),
        ("nDCG@", "'nDCG@' is not the name of a metric"),
        ("nDCG@10(dcg=exp-log2)", "is not the name of a metric. Write Name(param=value)@cutoff."),
        ("AP(rel=2)x", "'AP(rel=2)x' is not the name of a metric"),
        ("AP,nDCG@10", "names 2 metrics. Give exactly one metric."),
        ("AP nDCG@10", "names 2 metrics. Give exactly one metric."),
        ("AP(rel=2,rel=3)", "'AP(rel=2,rel=3)': rel is given twice."),
        ("P(cutoff=5)@10", "'P(cutoff=5)@10': cutoff is given twice (5 and 10)."),
        ("ndcg_cut_10@5", "'ndcg_cut_10@5' has two cutoffs, 10 and 5."),
        ("nDCG(rel=2,gains={1:2})", "rel and gains cannot be combined"),
        ("P@9223372036854775808", "is not allowed. It must be at most 10,000,000."),
        ("P@" + "9" * 500, "is not allowed. It must be at most 10,000,000."),
        ("AP(rel=1e300)", "is not allowed. It must be at most 1,000,000,000,000."),
        ("Utility(a=-1e300)", "is not allowed. It must be at least -1,000,000,000,000."),
        ("RBP(p=1e300)", "is not allowed. It must be a number from 0 (included) to 1 (excluded)."),
        (
            "IPrec",
            "IPrec needs the parameter recall (a number from 0 to 1). Write for example IPrec@0.5.",
        ),
        ("INST(T=1e308)", "T=1e+308 is not allowed. It must be at most 1,000,000,000,000."),
        ("INST(T=inf)", "T='inf' is not allowed. It must be a number, 0.5 or more."),
        ("DCG(b=nan)", "b='nan' is not allowed. It must be a number greater than 1."),
        ("RBP(p=--1)", "RBP: p='--1' is not allowed"),
        ("RBP(p=1-0.5)", "RBP: p='1-0.5' is not allowed"),
        ("IPrecMean(points=1000000)", "It must be at most 1,001."),
        ("nDCG(", "is not the name of a metric"),
        ("", "a metric is empty"),
    ],
)
def test_what_cannot_be_parsed_says_why(given: str, said: str) -> None:
    with pytest.raises((UnknownMetric, WrongParameter)) as error:
        parse(given)
    assert said in str(error.value)


def test_nothing_is_evaluated() -> None:
    with pytest.raises(WrongParameter):
        parse("RBP(p=__import__('os').getpid())")


def test_a_metric_is_listed_once() -> None:
    assert len(parse_all(["AP", "map", "MAP"])) == 1


def test_a_metric_parses_as_itself() -> None:
    for name, metric in REGISTRY.items():
        needs = any(field.default is MISSING for field in fields(metric))
        parsed = parse(f"{name}@{1 if metric.at == 'recall' else 5}" if needs else name)
        assert type(parsed) is metric
        assert parse(parsed) is parsed


@pytest.mark.parametrize(
    "given",
    [
        *["AP,nDCG@10", "AP nDCG@10", " AP ,\tnDCG @ 10 ", "AP\nnDCG@10", ["AP nDCG@10", "map"]],
        *["AP, nDCG @10", ("AP", "nDCG@10,AP")],
    ],
)
def test_several_metrics_stand_in_one_text(given: str | list[str]) -> None:
    assert parse_all(given) == [parse("AP"), parse("nDCG@10")]


def test_commas_and_spaces_in_brackets_do_not_part_metrics() -> None:
    given = "RBP (p = .5, rel=2) nDCG( gains={1:1, 2:3}, dcg='exp-log2' ) @ 5, P@5"
    assert parse_all(given) == [
        parse("RBP(p=0.5,rel=2)"),
        parse("nDCG(dcg=exp-log2,gains={1:1,2:3})@5"),
        parse("P@5"),
    ]


@pytest.mark.parametrize("given", ["AP,,P@5", "AP,", ","])
def test_nothing_between_commas_is_no_metric(given: str) -> None:
    with pytest.raises(UnknownMetric, match="a metric is empty"):
        parse_all(given)


def test_white_space_does_not_count() -> None:
    assert parse(f"P{' ' * 1000}@{' ' * 1000}5") == parse("P@5")


@pytest.mark.parametrize(
    "given",
    [
        *[f"RBP(p={'-' * 100_000}1)", f"RBP(p={'1+' * 50_000}1)", "P" * 100_000],
        *[
            "AP(" * 30_000,
            f"AP({'rel=2,' * 50_000}rel=2)",
            f"nDCG(gains={'{' * 100_000}",
            "@" * 10**5,
        ],
        *[f"P@{'1' * 100_000}", f"AP{'(' * 50_000}{')' * 50_000}", f"P({chr(39) * 99_999})"],
    ],
    ids=range(10),
)
def test_a_text_that_is_too_long_is_refused_at_once(given: str) -> None:
    before = time.process_time()
    with pytest.raises(UnknownMetric, match=r"…. has [\d,]+ characters. .* at most 1,000") as error:
        parse(given)
    assert len(str(error.value)) < 200
    assert time.process_time() - before < 2  # a tenth of a second, on a slow machine


@pytest.mark.parametrize("given", [f"P{'(' * 900}", f"RBP(p={'-' * 900}1)", f"AP({'{' * 900})"])
def test_a_long_text_is_no_traceback(given: str) -> None:
    with pytest.raises((UnknownMetric, WrongParameter)):
        parse(given)


def test_the_index_has_what_the_families_register() -> None:
    registered = {
        name: metric.__module__.rpartition(".")[2]
        for name, metric in REGISTRY.items()
        if metric.__module__.startswith("rankwise.metrics.")
    }
    assert registered == homes()
    # An alias with brackets is looked for where only the family of its name is loaded.
    for alias, target in ALIASES.items():
        name, bracket, _ = alias.partition("(")
        if bracket:
            assert homes()[name] == homes()[read_metric(target).name]


def test_type_checkers_find_every_family() -> None:
    """`from rankwise.metrics import nDCG` is known to them by a line for each family."""
    text = Path(rankwise.metrics.__file__).read_text(encoding="utf-8")
    listed = re.findall(r"^    from rankwise\.metrics\.(\w+) import \*$", text, re.MULTILINE)
    assert listed == families()
    assert set(homes()) < set(rankwise.metrics.__all__)  # type: ignore[attr-defined]


def test_a_decorated_class_is_enough_to_be_found(tmp_path: Path) -> None:
    """A copy of the package with one more file: its metric is imported and parsed by its name."""
    source = Path(rankwise.__file__).parent
    shutil.copytree(source, tmp_path / "rankwise", ignore=shutil.ignore_patterns("__pycache__"))
    own = "from rankwise.metrics.precision import P\n"
    own += "from rankwise.metrics.registry import register\n\n\n"
    own += "@register(\n    {'halved': 'Half'},\n)\nclass Half(P):\n    pass\n"
    (tmp_path / "rankwise" / "metrics" / "halves.py").write_text(own)
    script = "import rankwise; from rankwise.metrics import Half, REGISTRY, parse; print(rankwise)"
    script += "; print(parse('Half@5'), parse('halved@5'), 'Half' in REGISTRY, Half @ 5)"
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", script]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env=environment, cwd=tmp_path
    )
    assert str(tmp_path) in done.stdout and done.stdout.endswith("Half@5 Half@5 True Half@5\n")


def test_only_the_families_asked_for_are_loaded() -> None:
    script = (
        "import sys\nfrom rankwise.metrics import parse_all\n"
        "parse_all(['AP', 'nDCG@10'])\n"
        "print(*(m for m in sys.modules if m.startswith('rankwise.metrics.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    loaded = {name.rpartition(".")[2] for name in done.stdout.split()}
    assert loaded & set(families()) == {"average_precision", "dcg"}


def test_rel_is_that_of_metrics_that_are_written_without() -> None:
    written = ["AP", "P(rel=3)@5", "nDCG@10", "nDCG(rel=1)", "RR", "ERR", "NumRel"]
    found = [str(metric) for metric in parse_all(written, rel=2.0)]
    assert found == [
        *["AP(rel=2)", "P(rel=3)@5", "nDCG@10", "nDCG(rel=1)", "RR(rel=2)", "ERR"],
        "NumRel(rel=2)",
    ]
    assert parse_all(written, rel=1) == parse_all(written)
    for wrong in (0, -1, float("nan"), float("inf")):
        with pytest.raises(CallError, match="must be above 0"):
            parse_all(written, rel=wrong)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("RBP0.8", "Did you mean RBP(p=0.8)?"),
        ("RBP-.95", "Did you mean RBP(p=0.95)?"),
        ("RBP@0.8", "a cutoff must be a whole number, 1 or more. Write RBP(p=0.8)."),
        ("ndcg10", "Did you mean nDCG@10?"),
        ("P10", "Did you mean P@10?"),
    ],
)
def test_a_number_right_after_a_name_is_understood(given: str, meant: str) -> None:
    with pytest.raises(RankwiseError, match=re.escape(meant)):
        parse(given)
