"""A law of all commands: an option changes the output or the exit code, or it is refused.

Each command is called in each of its views with every further option. Where that changes nothing
and nothing is said, the option is ignored: a fault, unless it is listed with its reason.
"""

from pathlib import Path
from typing import Any

import click
import pytest

import rankwise

from .conftest import Call, commands

RUNS = "r0.run r1.run r2.run r3.run"
ALL = f"qrels {RUNS}"
# Calls of each command, one per view.
VIEWS: dict[str, list[str]] = {
    "score": [
        f"{ALL} {more}"
        for more in (
            *("-m AP,nDCG@5 --bounds", "-m AP,nDCG@5 --by-topic", "-m AP,nDCG@5 --confidence 0.9"),
            *("-m AP,nDCG@5", "--recall-precision"),
            *("-m AP,nDCG@5 --standardise z", "-m AP,nDCG@5 --weights weights"),
        )
    ],
    "compare": [
        f"qrels r0.run r1.run r2.run -m {more}"
        for more in (
            *("AP,nDCG@5", "AP,nDCG@5 --pairs", "AP,nDCG@5 --margin 0.01"),
            *("AP,nDCG@5 --systems systems", "AP,nDCG@5 --weights weights"),
        )
    ],
    "gate": [
        f"qrels r0.run r1.run {more}"
        for more in ("--max-drop AP=0.01", "--significant -m nDCG@5", "--min nDCG@5=0.1")
    ],
    "explain": ["qrels r0.run -m nDCG@5 --topic 2"],
    "collections": [f"sets -m AP,RR --show {show}" for show in ("runs", "pairs", "tau", "means")],
    "judges agree": [
        *(f"qrels other --show {show}" for show in ("labels", "confusion", "grades", "judges")),
        *(
            f"qrels other --show {show} -m AP --runs r0.run r1.run r2.run r3.run"
            for show in ("systems", "ranks", "differences", "favours", "documents")
        ),
    ],
    "diff": [
        f"r0.run r1.run {more}"
        for more in ("", "--qrels qrels", "--by-topic", "--changed 2", "--topic 2")
    ],
    "judges flips": [f"{ALL} -m AP,nDCG@5 {more}" for more in ("", "--errors 0.1", "--documents")],
    "judges scores": [f"{ALL} -m AP,nDCG@5 --judge other"],
    "judges cheap": [
        f"expert qrels r0.run r1.run r2.run -m AP,nDCG@5 {more}" for more in ("", "--differences")
    ]
    + ["expert qrels r0.run r1.run r2.run -m P@9,DCG@9 --inclusion 0.8"],
    "judges sampled": [f"sample.csv r0.run r1.run {more}" for more in ("", "--by-topic")],
    "overview": [ALL, *(f"{ALL} --by {by}" for by in ("topic", "run", "rank", "zone"))],
    "pool": [f"r0.run r1.run --depth 3 {more}" for more in ("", "--qrels qrels", "--for quepid")],
    "plan next": [
        f"{ALL} {more}"
        for more in ("-m P@5 --budget 5", "--holes 5", "-m P@5 --budget 5 --separate")
    ],
    "plan sample": ["qrels --keep 0.5"],
    "plan power": [f"{ALL} -m AP,nDCG@5"],
    "plan predict": [
        f"full {RUNS} -m AP,nDCG@5 --unjudged top=14 {more}" for more in ("", "--pairs")
    ],
    "plan topics": [f"{ALL} -m nDCG@5 --difference 0.1", f"{ALL} -m nDCG@5 --budget 100"],
    "metrics correlate": [f"{ALL} -m nDCG,RR {more}" for more in ("", "--swaps", "--ranks")],
    "metrics discriminate": [
        f"{ALL} -m nDCG --method {method}" for method in ("swap", "t", "bootstrap")
    ],
    "metrics stability": [
        f"{ALL} -m AP,nDCG --by {by}" for by in ("pool-depth", "sample", "shard", "group")
    ],
    "metrics sweep": ["qrels r0.run r1.run r2.run -m nDCG,P --over cutoff=4,8"],
    "metrics user-model": ["RBP P@5", "RBP P@5 --by-rank", "--fit log.csv"],
    "published invert": ["--p 0.8 --score 0.41", "--p 0.8 --score 0.41 --method paper"],
    "published implied": ["--known P@10=0.4 -m RBP"],
}
# A value of each option that is neither its default nor without effect on this collection.
VALUES = {
    "metrics": "P@3",
    "judge": "other",
    "topics": "common",
    "depth": "3",
    "mean": "geometric",
    "gains": "1=2,2=5,3=9",
    "gain_tables": "1=2,2=5,3=9",
    "gains_of_judge": "1=2,2=5,3=9",
    "topic_groups": "groups",
    "weights": "weights",
    "systems": "systems",
    "rel": "2",
    "clusters": "clusters",
    "only_topics": "only",
    "lengths": "lengths",
    "tool": "quepid",
    "undefined": "zero",
    "order": "rank",
    "map_documents": "(.*).",
    "unjudged": "open",
    "effort": "1",
    "confidence": "0.8",
    "interval": "t",
    "standardise": "normal",
    "reference": "r3.run",
    "alpha": "0.9",
    "alphas": "0.3",
    "test": "wilcoxon",
    "sizes": "3",
    "correction": "bonferroni",
    "family": "all",
    "zeros": "pratt",
    "resamples": "70",
    "margin": "0.05",
    "baseline": "r0",
    "with_topics": "30",
    "inclusion": "0.4",
    "p": "0.5",
    "step": "one",
    "errors": "0.2",
    "cheap": "other",
    "over": "cutoff=6",
    "view": "means",
    "max_drop": "RR=0.1",
    "min": "RR=0.9",
    "max_empty": "1",
    "max_unjudged": "3=0.1",
    "show": "grades",
    "rows": "2",
    "maximum": "0.01",
    "measures": "RBO",
    "ties": "a",
    "highest_grade": "3",
    "changed": "2",
    "topic": "2",
    "by": "run",
    "cutoffs": "3",
    "pool_depth": "2",
    "qrels": "qrels",
    "without": "shallow",
    "keep": "0.3",
    "budget": "3",
    "holes": "3",
    "weigh": "score",
    "accuracy": "0.01",
    "coefficient": "rbo",
    "with_qrels": "other",
    "methods": "permutation",
    "groups": "tags",
    "at": "0.5",
    "column": "other",
    "ranking": "101",
    "page": "5",
    "residual": "0.02",
    "score": "0.5",
    "precision": "0.01",
    "method": "paper",
    "difference": "0.2",
    "interval_width": "0.3",
    "power": "0.9",
    "variances": "0.1",
    "pool_depths": "2,4",
    "known": "P@5=0.5",
}
# Options that may change nothing here, by name or by command and name, with the reason.
EXCEPTIONS = {
    **dict.fromkeys(["seed"], "a script may pass the same seed to all commands"),
    **dict.fromkeys(["lenient", "max_size", "notes", "help_all"], "nothing is malformed or large"),
    **dict.fromkeys(["metrics_from", "style", "output", "outputs", "chart"], "tested elsewhere"),
    **dict.fromkeys(["columns", "subset", "split"], "all files are TREC text"),
    **dict.fromkeys(["complete_runs", "drop_self", "effort"], "depends on the collection"),
    **dict.fromkeys(["digits"], "a view may have no fractions"),
    **dict.fromkeys(["judges", "engine", "master"], "tested elsewhere"),
    **dict.fromkeys(["no_bounds"], "a view without bounds honours it"),
    "compare family": "the comparisons of one metric",
    "compare interval": "Student's t is also the default for one pair",
    "compare correction": "one pair of systems is not corrected",
    "collections interval": "Student's t is the default for data sets",
    "judges flips undefined": "the judgments of --documents may be the same",
    "judges cheap by": "it may be what is detected",
    "gate inconclusive": "only an inconclusive gate has another exit code",
    "gate moved": "fewer topics may have changed",
    "gate interval": "--min has intervals on the logit scale unless they are bootstrapped",
    "judges agree rows": "the tables are short",
    "judges agree gains_of_judge": "gains may keep the order of the grades",
    "metrics correlate rows": "few pairs of systems are swapped",
    "metrics correlate mean": "no system may change its rank",
    "metrics discriminate gain_tables": "the same differences may be significant",
    "overview gains": "only a fractional --rel is a threshold on gains",
    "overview order": "a chart shows the order",
    "plan next gains": "P@5 is binary",
    "plan next pair": "it is a kind of --probable",
    "metrics discriminate depth": "all differences may stay significant",
    "metrics discriminate alphas": "the same differences may be significant",
    "metrics correlate depth": "no system may change its rank",
    "diff undefined": "the metrics are defined on all topics",
}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A collection on which options matter: ties, ranks apart from scores, missing topics."""
    made = rankwise.simulate(topics=10, systems=4, depth=14, pool_depth=5, seed=3)
    lines = [tuple(map(str, row)) for row in made.qrels.frame.iter_rows()]
    topics = list(dict.fromkeys(topic for topic, *_ in lines))
    lines += [("99", document, "0") for _, document, _ in lines[:5]]  # nothing is relevant
    texts = {"qrels": "", "other": "", "shallow": ""}
    for place, (topic, document, grade) in enumerate(lines):
        texts["qrels"] += f"{topic} 0 {document} {grade}\n"
        texts["other"] += f"{topic} 0 {document} {max(0, int(grade) - place % 3)}\n"
        texts["shallow"] += f"{topic} 0 {document} {grade}\n" * (place % 2)
    for number, run in enumerate(made.runs):
        rows = []
        for topic in [*topics, "99"][: 9 + 2 * (number != 1)]:  # run 1 lacks topics
            ranked = run.frame.filter(topic=topics[0] if topic == "99" else topic)["document"]
            for place, document in enumerate(ranked):
                rank = 4 - place if place < 4 else place + 1
                rows.append(f"{topic} Q0 {document} {rank} {20 - place + (place == 7)} r{number}\n")
        texts[f"r{number}.run"] = "".join(rows)
    documents = sorted({row.split()[2] for row in "".join(texts.values()).splitlines()})
    texts["groups"] = "".join(f"{topic} g{int(topic) % 2}\n" for topic in [*topics, "99"])
    texts["clusters"] = "".join(f"{topic} c{int(topic) // 2}\n" for topic in [*topics, "99"])
    texts["weights"] = "".join(f"{topic} {topic}\n" for topic in [*topics, "99"])
    texts["only"] = "".join(f"{topic}\n" for topic in topics[:6])
    texts["lengths"] = "".join(f"{name} {100 + 7 * n}\n" for n, name in enumerate(documents))
    texts["systems"] = texts["tags"] = "r0 A\nr1 A\nr2 B\nr3 B\n"
    texts["log.csv"] = "rank,other\n" + "".join(f"{1 + n % 7},{2 + n % 5}\n" for n in range(60))
    expert = [row for row in texts["other"].splitlines() if int(row.split()[0]) <= 8]
    truth = {(t, d): grade for t, d, grade in made.truth.frame.iter_rows()}
    first = {tuple(row.split()[:3:2]) for n in range(4) for row in _first(texts[f"r{n}.run"], 8)}
    texts["full"] = "".join(f"{t} 0 {d} {truth.get((t, d), 0)}\n" for t, d in sorted(first))
    texts["expert"] = "\n".join(expert)
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    for seed in range(7):
        sets = rankwise.simulate(topics=4, systems=3, depth=9, pool_depth=8, seed=seed)
        sets.write(tmp_path / "sets" / f"set{seed}")
    sample = rankwise.judging.sample_pool(made.runs, "3=1,9=0.5", qrels=made.qrels)
    sample.write_csv(tmp_path / "sample.csv")
    return tmp_path


def _first(run: str, depth: int) -> list[str]:
    """Return the lines of the first documents of each topic of a run."""
    lines = run.splitlines()
    return [line for line in lines if int(line.split()[3]) <= depth and line[:3] != "99 "]


def _words(parameter: click.Parameter) -> list[str]:
    """Return the option with a value; an empty list if there is none to try."""
    name, flag = parameter.name or "", max(parameter.opts, key=len)
    if getattr(parameter, "is_flag", False):
        return [flag]
    value = VALUES.get(name)
    if isinstance(parameter.type, click.Choice) and value not in parameter.type.choices:
        value = next(each for each in parameter.type.choices if each != parameter.default)
    return [] if value is None else [flag, value]


CASES = [(name, call) for name, calls in VIEWS.items() for call in calls]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "view"), CASES)
def test_no_option_is_ignored(rankwise: Call, files: Path, name: str, view: str) -> None:
    command: Any = dict(commands())[name]
    call = [*name.split(), *view.split(), "--notes"]
    plain = rankwise(*call)
    assert plain.code in (0, 1, 2) and plain.out, plain.err
    tried, ignored = 0, []
    for parameter in command.params:
        known = parameter.name in EXCEPTIONS or f"{name} {parameter.name}" in EXCEPTIONS
        if isinstance(parameter, click.Argument) or known:
            continue
        if any(flag in call for flag in parameter.opts) and not parameter.multiple:
            continue
        if words := _words(parameter):
            tried += 1
            ignored += [words] if rankwise(*call, *words) == plain else []
    assert tried and not ignored, f"{' '.join(call)}: {ignored}"
    assert files.exists()
