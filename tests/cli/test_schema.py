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

TWO = ["qrels.txt", "1.run", "2.run"]
ALL = [*TWO, "3.run"]
M = ["-m", "AP,nDCG@10"]
FEW = ["--resamples", "20", "--seed", "1"]
# The columns of a command are those of all of its calls.
CALLS: dict[str, list[list[str]]] = {
    "score": [
        [*ALL, *M],
        [*ALL, *M, "--by-topic"],
        [*ALL, *M, "--by-topic", "--bounds"],
        [*ALL, *M, "--bounds", "--unjudged", "open"],
        [*ALL, *M, "--confidence", "0.95"],
        [*ALL, *M, "--topic-groups", "groups.txt"],
    ],
    "compare": [
        [*TWO, *M],
        [*ALL, *M, "--baseline", "system1"],
        [*ALL, *M, "--no-bounds", "--topic-groups", "groups.txt"],
        [*ALL, "-m", "AP", "--power"],
        [*TWO, "-m", "AP", "--flips"],
    ],
    "collections": [
        ["sets", "-m", "AP"],
        ["sets", "-m", "AP", "--show", "pairs"],
        ["sets", "-m", "AP", "--show", "tau"],
        ["sets", "-m", "AP", "--show", "means"],
    ],
    "diff": [["1.run", "2.run"], ["1.run", "2.run", "--by-topic"]],
    "gate": [
        [
            *TWO,
            "--max-drop",
            "AP=0.1",
            "--significant",
            "--min",
            "RR=0.1",
            "--max-unjudged",
            "5=0.9",
        ]
    ],
    "explain": [["qrels.txt", "1.run", "--topic", "1", "-m", "AP"]],
    "agree": [
        ["a=qrels.txt", "b=qrels.txt"],
        ["a=qrels.txt", "b=qrels.txt", "--show", "confusion"],
        ["a=qrels.txt", "b=qrels.txt", "--runs", "1.run", "2.run", "-m", "AP", "--show", "ranks"],
    ],
    "overview": [ALL, [*ALL, "--by", "run"], [*ALL, "--by", "topic"]],
    "plan depth": [["-m", "RBP(p=0.8)"], ["-m", "RBP", "--depth", "100"]],
    "plan topics": [
        [*ALL, "-m", "AP", "--difference", "0.05"],
        ["--variance", "0.04", "--width", "0.1"],
    ],
    "calibrate": [[*ALL, "-m", "AP", "--experiments", "50"]],
    "plan next": [[*ALL, "-m", "P@10", "--budget", "5"]],
    "metrics list": [[]],
    "metrics choose": [[*ALL, *M, *FEW]],
    "metrics correlate": [[*ALL, *M], [*ALL, *M, "--swaps"]],
    "metrics discriminate": [[*ALL, *M, *FEW]],
    "metrics stability": [
        [*ALL, *M, "--by", "sample", *FEW],
        [*ALL, *M, "--by", "pool-depth"],
    ],
    "metrics properties": [["-m", "P@1", "--depth", "2"]],
    "metrics user-model": [["RBP(p=0.8)"], ["RBP(p=0.8)", "--by-rank", "--depth", "3"]],
    "published invert": [["--p", "0.8", "--score", "0.41"]],
    "published implied": [["--known", "P@10=0.42", "-m", "RBP(p=0.8)"]],
    "published compare": [["--a", "p=0.8,score=0.9", "--b", "p=0.95,score=0.01"]],
}


@pytest.fixture
def collection(tmp_path: Path) -> None:
    made = simulate(topics=6, systems=3, depth=20, pool_depth=8, seed=3)
    made.write(tmp_path)
    for number in (1, 2, 3):
        (tmp_path / "runs" / f"system{number}.run").rename(tmp_path / f"{number}.run")
    for seed in (1, 2):
        simulate(topics=4, systems=3, depth=9, pool_depth=8, seed=seed).write(
            tmp_path / "sets" / f"set{seed}"
        )
    lines = (f"{topic} {'odd' if topic % 2 else 'even'}\n" for topic in range(1, 7))
    (tmp_path / "groups.txt").write_text("".join(lines))


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
def test_the_json_of_a_command_has_the_columns_of_its_schema(rankwise: Any, command: str) -> None:
    parts: dict[str, list[dict[str, str]]] = {}
    for call in CALLS[command]:
        done = rankwise(*command.split(), *call, "--format", "json")  # which checks the types
        assert done.code in (0, 1), done.err
        for part, columns in columns_of(json.loads(done.out)).items():
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
    from rankwise.metrics import REGISTRY, parameters_of, parse

    rows = json.loads(rankwise("metrics", "list", "--format", "json").out)["rows"]
    assert {row["metric"] for row in rows} == {*REGISTRY}
    for row in rows:
        assert row["summary"] and row["bounds"] and row["description"]
        needed = {p["name"] for p in row["parameters"] if p["required"]}
        if not needed:
            metric = parse(row["metric"])
            assert [p["name"] for p in row["parameters"]] == [
                f.name for f in parameters_of(type(metric))
            ]
        for parameter in row["parameters"]:
            assert parameter["allowed"], row["metric"]
    without = {row["metric"] for row in rows if row["citation"] is None}
    counts = {"Judged", "Unjudged", "NumQ", "NumRet", "NumRel", "NumRelRet", "NumNonrelRet"}
    assert without <= counts | {"Accuracy", "SetR", "SetAP"}
