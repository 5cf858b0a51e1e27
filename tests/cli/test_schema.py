"""`rankwise schema`: the JSON of every command, with its main options, is what the schema says."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from json_outputs import RECORD, REWRITE, columns_of, merged

from rankwise.cli import COMMANDS, GROUPS
from rankwise.cli.json_schema import recorded, schema_of, schema_of_all
from rankwise.cli.root import root
from rankwise.simulation import simulate

TWO = "qrels.txt 1.run 2.run"
ALL = f"{TWO} 3.run"
M = "-m AP,nDCG@10"
FEW = "--resamples 20 --seed 1"
JUDGES = "a=qrels.txt b=judge.txt"
# The columns of a command are those of all of its calls: one call for each option that adds some,
# or that prints another table.
CALLS: dict[str, list[str]] = {
    "score": [
        f"{ALL} {M}",
        f"{ALL} {M} --by-topic",
        f"{ALL} {M} --by-topic -o scores.json",
        f"{ALL} {M} --by-topic --bounds",
        f"{ALL} {M} --bounds --unjudged open",
        f"{ALL} {M} --bounds --confidence 0.95",
        f"{ALL} {M} --confidence 0.95",
        f"{ALL} -m AP --confidence 0.95 --ranks",
        f"{ALL} -m AP --standardise z",
        f"{ALL} -m AP --systems systems.txt --confidence 0.95",
        f"{ALL} --recall-precision",
        f"{ALL} {M} --topic-groups groups.txt",
    ],
    "compare": [
        f"{TWO} -m P@5,RR",
        f"{ALL} -m P@5,RR --baseline system1",
        f"{ALL} -m P@5,RR --no-bounds --topic-groups groups.txt",
        f"{ALL} -m P@5 --margin 0.05",
        f"{ALL} -m P@5 --test tukey",
        f"{ALL} -m P@5 --systems systems.txt --no-bounds",
    ],
    "collections": [f"sets -m AP --show {table}" for table in ("runs", "pairs", "tau", "means")],
    "diff": [
        "1.run 2.run -m P@5",
        "1.run 2.run -m P@5 --by-topic",
        "1.run 2.run --changed 2",
        "1.run 2.run --topic 1",
        "1.run 2.run -m P@5 --topic-groups groups.txt",
        "1.run 2.run --qrels qrels.txt -m P@5",
        "1.run 2.run --qrels qrels.txt -m P@5 --by-topic",
        "1.run 2.run --qrels qrels.txt -m P@5 --advanced 2.run 3.run",
    ],
    "gate": [
        f"{TWO} --max-drop AP=0.1 --significant --min RR=0.1 --max-unjudged 5=0.9",
        f"{TWO} --max-drop AP=0.1 --topic-groups groups.txt",
    ],
    "explain": [f"qrels.txt 1.run --topic 1 -m {metric}" for metric in ("AP", "RBP", "nDCG@5")],
    "judges agree": [
        *(f"{JUDGES} --show {table}" for table in ("labels", "confusion", "grades")),
        f"{JUDGES} c=qrels.txt --show judges",
        *(
            f"{JUDGES} --runs 1.run 2.run 3.run -m AP --seed 1 --show {table}"
            for table in ("systems", "ranks", "differences", "favours", "documents")
        ),
    ],
    "judges flips": [f"{TWO} -m P@5 --errors 0.1", f"{TWO} -m P@5 --documents"],
    "judges scores": [f"{ALL} -m AP --judge judge.txt"],
    "judges cheap": [
        "expert.txt judge.txt 1.run 2.run -m P@5",
        "expert.txt judge.txt 1.run 2.run -m P@5 --differences",
    ],
    "judges sampled": [
        f"sample.csv 1.run 2.run 3.run {more}".strip() for more in ("", "--by-topic")
    ],
    "overview": [ALL, *(f"{ALL} --by {table}" for table in ("topic", "run", "rank", "zone"))],
    "plan depth": ["-m RBP(p=0.8)", "-m RBP --depth 100"],
    "plan topics": [
        f"{ALL} -m AP --difference 0.05",
        f"{ALL} -m AP --difference 0.05 --budget 500",
        "--variance 0.04 --width 0.1",
        "--variance 0.04 --margin 0.05",
    ],
    "plan predict": [f"{ALL} -m AP", f"{TWO} -m P@5 --pairs"],
    "plan power": [f"{ALL} -m P@5 --with-topics 50"],
    "plan calibrate": [f"{ALL} -m AP --experiments 50"],
    "plan next": [
        f"{ALL} -m P@10 --budget 5",
        f"{ALL} -m P@10 --budget 5 --separate",
        f"{ALL} -m AP --budget 5",
        f"{ALL} --holes 12",
        "expert.txt 1.run 2.run -m P@5 --budget 5 --cheap judge.txt",
    ],
    "metrics list": [""],
    "metrics choose": [f"{ALL} {M} {FEW}", f"{ALL} {M} {FEW} --pairs"],
    "metrics correlate": [
        f"{ALL} {M}",
        f"{ALL} -m AP,Unjudged@10 --swaps",
        f"{ALL} {M} --ranks",
        f"{ALL} -m AP --with-qrels judge.txt",
    ],
    "metrics discriminate": [
        f"{ALL} {M} {FEW}",
        f"{ALL} {M} {FEW} --curve",
        f"{ALL} {M} {FEW} --method disjoint-swap",
        f"{ALL} -m nDCG@5 --method t --gains 3:2:1 --gains 1:1:1",
    ],
    "metrics stability": [
        f"{ALL} {M} --by sample {FEW}",
        f"{ALL} {M} --by shard {FEW}",
        f"{ALL} {M} --by pool-depth",
        f"{ALL} {M} --by pool-depth --bounds",
        f"{ALL} {M} --by pool-depth --by-run",
        f"{ALL} {M} --by group",
    ],
    "metrics sweep": [f"{TWO} -m RBP --over p=0.5,0.8"],
    "metrics properties": ["-m P@1 --depth 2", "-m P@1 --depth 2 --counterexamples"],
    "metrics user-model": [
        "RBP(p=0.8)",
        "RBP(p=0.8) --by-rank --depth 3",
        "--fit log.csv",
        "--fit log.csv --relevant found",
    ],
    "published invert": [
        "--p 0.8 --score 0.41",
        "--p 0.8 --score 0.41 --residual 0.02",
        "--p 0.8 --score 0.41 --method paper",
        "--p 0.5 --score 0.5 --precision 0.01 --all-vectors",
    ],
    "published implied": ["--known P@10=0.42 -m RBP(p=0.8)"],
    "published compare": ["--a p=0.8,score=0.9 --b p=0.95,score=0.01 --at 0.9"],
}


@pytest.fixture
def collection(tmp_path: Path) -> None:
    made = simulate(topics=12, systems=3, depth=20, pool_depth=8, seed=3)
    made.write(tmp_path)
    for number in (1, 2, 3):
        (tmp_path / "runs" / f"system{number}.run").rename(tmp_path / f"{number}.run")
    for seed in (1, 2):
        simulate(topics=4, systems=3, depth=9, pool_depth=8, seed=seed).write(
            tmp_path / "sets" / f"set{seed}"
        )
    lines = (f"{topic} {'odd' if topic % 2 else 'even'}\n" for topic in range(1, 13))
    (tmp_path / "groups.txt").write_text("".join(lines))
    judged = (tmp_path / "qrels.txt").read_text().splitlines()
    expert = [line for line in judged if int(line.split()[0]) <= 9]
    (tmp_path / "expert.txt").write_text("\n".join(expert))
    # Another judge has a grade more for each third document.
    other = [(*line.split()[:3], int(line[-1]) + (n % 3 == 0)) for n, line in enumerate(judged)]
    (tmp_path / "judge.txt").write_text("\n".join(" ".join(map(str, row)) for row in other))
    (tmp_path / "systems.txt").write_text("system1 a\nsystem2 a\nsystem3 b\n")
    (tmp_path / "log.csv").write_text("rank,found\n1,1\n3,1 2\n2,1\n5,3\n1,\n")


def commands(group: click.Group, before: str = "") -> Iterator[tuple[str, click.Command]]:
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, f"{name} ")
        else:
            yield before + name, command


def prints_json(command: click.Command) -> bool:
    kinds = [p.type for p in command.params if p.name == "style"]
    return any(isinstance(kind, click.Choice) and "json" in kind.choices for kind in kinds)


def test_every_command_that_prints_json_is_called_and_has_a_schema() -> None:
    printing = {name for name, command in commands(root) if prints_json(command)}
    assert len(printing) >= 18 and printing - {*CALLS} == set(), "give it a line in CALLS"
    assert {*CALLS} - printing == set()
    assert {*COMMANDS} >= {name.split()[0] for name in printing} and GROUPS


@pytest.mark.parametrize("command", CALLS)
@pytest.mark.usefixtures("collection")
def test_the_json_of_a_command_has_the_columns_of_its_schema(
    rankwise: Any, tmp_path: Path, command: str
) -> None:
    rankwise(*f"plan sample {ALL} --design 3=1,20=0.5 -o sample.csv".split())
    parts: dict[str, list[dict[str, str]]] = {}
    for call in CALLS[command]:
        done = rankwise(*command.split(), *call.split(), "--format", "json")  # checks the types
        assert done.code in (0, 1), f"{call}: {done.err}"
        text = done.out or (tmp_path / "scores.json").read_text(encoding="utf-8")
        for part, columns in columns_of(json.loads(text)).items():
            assert columns or part != "rows", f"{call}: no rows"
            parts.setdefault(part, []).append(columns)
    seen = {part: {*merged(columns)} for part, columns in parts.items()}
    expected = {part: {*columns} for part, columns in recorded().get(command, {}).items()}
    if RECORD not in os.environ:
        assert seen == expected, f"the JSON of `rankwise {command}` changed: {REWRITE}"


def test_the_schema_is_a_schema_and_finds_a_wrong_type(rankwise: Any) -> None:
    from jsonschema import Draft202012Validator

    whole = json.loads(rankwise("schema").out)
    assert whole == schema_of_all() and len(whole["$defs"]) == len(CALLS)
    Draft202012Validator.check_schema(whole)
    one = json.loads(rankwise("schema", "metrics", "list").out)
    assert one == schema_of("metrics list")
    good = json.loads(rankwise("metrics", "list", "--format", "json").out)
    assert not [*Draft202012Validator(whole).iter_errors(good)]
    good["rows"][0]["aliases"] = "AP"
    assert [*Draft202012Validator(one).iter_errors(good)]
    assert [*Draft202012Validator(one).iter_errors(good | {"schema_version": 2})]


def test_an_unknown_command_is_named(rankwise: Any) -> None:
    done = rankwise("schema", "scor")
    assert done.code == 2 and "Did you mean score?" in done.err


def test_the_catalogue_in_json_describes_every_metric(rankwise: Any) -> None:
    from rankwise.metrics import REGISTRY, parse

    rows = json.loads(rankwise("metrics", "list", "--format", "json").out)["rows"]
    assert {row["metric"] for row in rows} == {*REGISTRY}
    for row in rows:
        assert row["summary"] and row["bounds"] and row["description"]
        needed = {p["name"] for p in row["parameters"] if p["required"]}
        if not needed:
            metric = parse(row["metric"])
            assert [p["name"] for p in row["parameters"]] == [*metric.parameters]
        for parameter in row["parameters"]:
            assert parameter["allowed"], row["metric"]
    without = {row["metric"] for row in rows if row["citation"] is None}
    counts = {"Judged", "Unjudged", "NumQ", "NumRet", "NumRel", "NumRelRet", "NumNonrelRet"}
    assert without <= counts | {"Accuracy", "SetR", "SetAP"}
