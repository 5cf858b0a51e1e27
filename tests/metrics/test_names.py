"""The grammar of metric names: aliases, trec_eval's names, and errors that help."""

from dataclasses import MISSING, fields

import pytest

from rankwise import parse
from rankwise.errors import UnknownMetric, WrongParameter
from rankwise.metrics import parse_all
from rankwise.metrics.registry import ALIASES, REGISTRY


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
        ("ngcd@10", "no metric is called 'ngcd' (in 'ngcd@10'). Did you mean nDCG"),
        ("nothing_like_it", "lists them all; `rankwise.metrics.load_metrics(FILE)` adds your own."),
        ("P", "P needs cutoff: write P@10; cutoff is a whole number, 1 or more."),
        ("P@0", "P: cutoff='0' is not allowed; cutoff is a whole number, 1 or more."),
        ("P@ten", "cutoff='ten' is not allowed"),
        (
            "RBP(p=1)",
            "RBP: p=1 is not allowed; p is a number from 0 up to, but without, 1.",
        ),
        ("RBP(p=-0.1)", "p is a number from 0 up to, but without, 1."),
        (
            "RBP(q=0.5)",
            "RBP has no parameter 'q'; it takes p, rel, gains, cutoff, judged_only, ties.",
        ),
        ("RBP(gains=3:2:1)", "needs gains between 0 and 1"),
        ("Bpref@10", "Bpref takes no cutoff: write Bpref, not Bpref@10."),
        ("nDCG(dcg=ln)", "dcg is one of log2, exp-log2."),
        ("nDCG(10)", "'10' is not of the form param=value; write nDCG@10."),
        ("RBP(0.8)", "'0.8' is not of the form param=value; write RBP(p=0.8)."),
        ("nDCG(exp-log2)@5", "write nDCG(dcg=exp-log2)."),
        ("P(0.5)", "'0.5' is not of the form param=value."),
        ("Bpref(=2)", "'=2' is not of the form param=value."),
        ("AP(rel=0)", "rel is a grade, 1 or more, or a fraction above 0"),
        ("AP(rel=-0.5)", "rel is a grade, 1 or more, or a fraction above 0"),
        ("AP(judged_only=maybe)", "judged_only is True or False."),
        ("DCG(gains=a:b)", "hold 'a', not a number"),
        ("DCG(gains={1:-1})", "a gain is 0 or more"),
        ("nDCG@10@5", "cutoff='10@5' is not allowed"),
        ("nDCG(", "cannot be read"),
        ("", "cannot be read"),
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
