"""The command line around the commands: help, mistakes, the catalogue, simulation and demo."""

import gzip
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import click
import polars as pl
import pytest

from rankwise.cli import COMMANDS, GROUPS
from rankwise.cli.help import Command
from rankwise.cli.options import base
from rankwise.cli.options.shared import Shared
from rankwise.cli.root import root
from rankwise.metrics import REGISTRY
from rankwise.simulation import simulate

Call = Callable[..., Any]
CONSOLE = Path(sys.executable).with_name("rankwise")
RUN = b"1 Q0 a 1 1 t\n"


def all_commands() -> list[str]:
    groups = [f"{group} {name}" for group, names in GROUPS.items() for name in names]
    return [*(name for name in COMMANDS if name not in GROUPS), *groups]


def test_help_lists_the_commands_after_an_example(console: Call) -> None:
    done = console("--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.index("rankwise score qrels.txt") < done.out.index("Score and compare runs:")
    for name, line in COMMANDS.items():
        assert f"  {name} " in done.out
        assert line in done.out
    assert console("-h").out == done.out
    assert len(COMMANDS) <= 18 and max(map(len, done.out.splitlines())) <= 80


@pytest.mark.parametrize("group", GROUPS)
def test_the_help_of_a_group_lists_its_commands(rankwise: Call, group: str) -> None:
    done = rankwise(group, "--help")
    assert done.code == 0 and len(GROUPS[group]) > 1
    assert all(
        f"  {name} " in done.out and line in done.out for name, line in GROUPS[group].items()
    )
    assert rankwise(group).code == 2 or rankwise(group).out == done.out
    wrong = rankwise(group, "nothing")
    assert wrong.code == 2 and "Unknown command 'nothing'" in wrong.err


def options_in(text: str) -> list[str]:
    return re.findall(r"^  (?:-\w, )?(--[\w-]+)", text, re.MULTILINE)


@pytest.mark.parametrize("name", [name for name in all_commands() if name != "trec_eval"])
def test_help_shows_an_example_and_a_dozen_options_and_all_on_request(
    rankwise: Call, name: str
) -> None:
    done = rankwise(*name.split(), "--help")
    assert done.code == 0
    assert done.out.index(f"  rankwise {name}") < done.out.index(":\n  -")
    every = rankwise(*name.split(), "--help-all")
    assert every.code == 0
    everyday = command_named(name).options.everyday.split()
    if everyday:
        assert len(options_in(done.out)) == len(everyday) <= 12
        assert set(options_in(done.out)) < set(options_in(every.out))
        assert f"all {len(options_in(every.out))} options" in done.out
    else:
        assert every.out == done.out


def command_named(name: str) -> Command:
    found: click.Command = root
    for word in name.split():
        assert isinstance(found, click.Group)
        found = found.get_command(click.Context(found), word) or found
    assert isinstance(found, Command)
    return found


def test_lists_of_options_name_options() -> None:
    commands = {name: command_named(name) for name in all_commands()}
    every = {param.name for command in commands.values() for param in command.params}
    conflicts = 0
    for name, command in commands.items():
        own = {param.name for param in command.params}
        assert set(command.options.everyday.split()) <= own, name
        for option, declared in command.options.declared.items():
            assert set(declared.not_with) <= every - {option}, (name, option)
            assert declared.needs is None or declared.needs in own, (name, option)
            conflicts += len(own & set(declared.not_with))
    assert conflicts > 120


def test_the_type_of_an_attribute_says_what_option_it_is() -> None:
    class Options(Shared):
        shared = "seed"
        words: tuple[Literal["a", "b"], ...] = base.option("Words.")
        bare: bool = base.option("Bare.")
        share: float | None = base.option("Share.", "-s --share-of")

    found: dict[str, object] = {}
    command = Command(Options, lambda options: found.update(vars(options)), prints_notes=False)
    command.main(["-s", "0.5", "--words", "b", "--bare", "--words", "a"], standalone_mode=False)
    assert found == {"seed": 0, "words": ("b", "a"), "bare": True, "share": 0.5}
    assert Options(**found).gains is None and not Options(**found).bounds
    for wrong in (["--words", "c"], ["--share-of", "x"], ["--gains", "1"]):
        with pytest.raises(click.UsageError):
            command.main(wrong, standalone_mode=False)


LOADED = """
import sys
from rankwise.cli import main
for args in map(str.split, sys.stdin):
    sys.argv = ["rankwise", *args]
    try:
        main()
    except SystemExit as end:
        assert not end.code, args
    heavy = {"polars", "numpy", "scipy", "rich", "altair"} & set(sys.modules)
    print(*args, "loads", *heavy, file=sys.stderr)
"""


def test_help_loads_nothing_heavy() -> None:
    """One call after the other: the first that loads something is the one to mend."""
    calls = ["--help", "--version", *(f"{name} -h" for name in all_commands())]
    done = subprocess.run(
        [sys.executable, "-c", LOADED], input="\n".join(calls), capture_output=True, text=True
    )
    assert done.stdout
    assert done.stderr.splitlines() == [f"{call} loads" for call in calls]


def test_a_command_that_is_not_there_gets_the_nearest(rankwise: Call) -> None:
    done = rankwise("scroe", "qrels", "run")
    assert (done.code, done.out) == (2, "")
    assert "Unknown command 'scroe'. Did you mean score" in done.err
    done = rankwise("stability", "qrels", "run")
    assert done.code == 2 and "Did you mean `rankwise metrics stability`?" in done.err
    done = rankwise("zzz")
    assert done.code == 2
    assert f"Commands: {', '.join(COMMANDS)}." in done.err


@pytest.mark.parametrize(
    ("args", "part"),
    [
        (["score"], "Missing argument 'QRELS'"),
        (["score", "qrels"], "Missing argument 'RUN...'"),
        (["score", "qrels", "run", "--depth", "0"], "--depth"),
        (["score", "qrels", "run", "--order", "name"], "'name' is not one of"),
        (["score", "qrels", "run", "--topics", "few"], "'few' is not one of"),
        (["score", "qrels", "run", "--format", "xml"], "'xml' is not one of"),
        (["score", "qrels", "run", "--digits", "-1"], "--digits"),
        (["score", "qrels", "run", "--what"], "No such option"),
        (["score", "qrels", "run", "-o", "."], "is a directory"),
        (["score", "qrels", "run", "-m", "ndgc@10"], "unknown metric 'ndgc' (in 'ndgc@10')"),
        (["score", "qrels", "run", "-m", "ndgc@10"], "Did you mean nDCG"),
        (["score", "qrels", "run", "-m", "RBP(p=2)"], "RBP"),
        (["score", "qrels", "run", "run"], "run 'run' is given twice"),
        (["metrics", "show", "ndgc"], "Did you mean nDCG"),
        (["simulate"], "Missing option '-o'"),
        (["simulate", "-o", "made", "--topics", "0"], "--topics"),
        (["simulate", "-o", "qrels/made"], "cannot be written: Not a directory"),
    ],
)
def test_a_wrong_call_is_one_message_and_exit_code_2(
    rankwise: Call, tmp_path: Path, args: list[str], part: str
) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_bytes(RUN)
    done = rankwise(*args)
    assert (done.code, done.out) == (2, "")
    assert part in done.err
    assert "Traceback" not in done.err


FAULTS: dict[str, tuple[bytes | None, str]] = {
    "fields": (RUN + b"1 Q0 b\n", "fields:2: 3 fields instead of 6: 1 Q0 b"),
    "nan": (RUN + b"1 Q0 b 1 nan t\n", "nan:2: score 'nan' is not a finite number: 1 Q0 b 1 nan t"),
    "inf": (RUN + b"1 Q0 b 1 inf t\n", "inf:2: score 'inf' is not a finite number: 1 Q0 b 1 inf t"),
    "word": (RUN + b"1 Q0 b 1 x t\n", "word:2: score 'x' is not a finite number: 1 Q0 b 1 x t"),
    "twice": (RUN + RUN, "twice:2: duplicate document in topic 1, first at line 1: a"),
    "empty": (b"", "empty: the file is empty."),
    "binary": (b"\x7fELF\0\0", "binary: is not text in UTF-8 (byte 4 is zero). Give a"),
    "missing": (None, "missing: no such file."),
    "run.gz": (gzip.compress(RUN)[:-5], "run.gz: is compressed, but damaged or truncated."),
    "run.csv": (b"qid,docno,score\n1,a,x\n", "run.csv:2: score 'x' is not a finite number"),
    "run.parquet": (b"PAR1", "run.parquet: cannot be read as parquet"),
    "strange": (
        b"7 Q0 a 1 1 t\n",
        "strange: no topic in common with the qrels. Topics of the run: 7. ",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_wrong_input_is_one_message_and_exit_code_2(
    rankwise: Call, tmp_path: Path, name: str
) -> None:
    content, message = FAULTS[name]
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    if content is not None:
        (tmp_path / name).write_bytes(content)
    done = rankwise("score", "qrels", name)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"rankwise: {message}")
    assert "Traceback" not in done.err


def test_the_console_script_fails_without_a_traceback(console: Call, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("".join(f"1 Q0 d{place} 1 x t\n" for place in range(12)))
    done = console("score", "qrels", "run", "-o", "out")
    assert (done.code, done.out) == (2, "")
    lines = done.err.splitlines()
    assert lines[0] == "rankwise: run:1: score 'x' is not a finite number: 1 Q0 d0 1 x t"
    assert lines[2] == "run: and 10 more errors"
    assert len(lines) == 4
    assert not (tmp_path / "out").exists()
    done = console("score", ".", "run")
    assert (done.code, done.out) == (2, "")
    assert done.err == "rankwise: .: is a directory. Give a file, for example qrels.\n"


def test_a_reader_that_goes_away_is_no_error_to_speak_of() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([CONSOLE, "metrics", "list"], stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert done.stderr == b""


def test_metrics_lists_the_registry(rankwise: Call) -> None:
    listed = pl.read_csv(rankwise("metrics", "list", "--format", "csv").out.encode())
    assert sorted(listed["metric"]) == sorted(metric.__name__ for metric in REGISTRY.values())
    assert listed["what it is"].null_count() == 0
    assert listed["what it is"].str.ends_with(".").all()


@pytest.mark.parametrize("name", ["RBPResidual", "rbp_resid", "RBPResidual(p=0.5)"])
def test_one_metric_is_shown_whole(rankwise: Call, name: str) -> None:
    done = rankwise("metrics", "show", name)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("RBPResidual(p=0.8")
    for part in ("Also written: rbp_resid", "p: a number from 0 (included) to", "Moffat and Zobel"):
        assert part in done.out


def test_a_simulated_collection_can_be_scored(console: Call, tmp_path: Path) -> None:
    size = ("--topics", "4", "--systems", "3", "--depth", "10", "--pool-depth", "5", "--seed", "7")
    done = console("simulate", "-o", "made", *size)
    assert (done.code, done.out) == (0, "")
    assert "wrote 3 runs and" in done.err
    assert "(seed 7)" in done.err
    runs = sorted(path.name for path in (tmp_path / "made" / "runs").iterdir())
    assert runs == ["system1.run", "system2.run", "system3.run"]
    paths = [f"made/runs/{name}" for name in runs]
    done = console("score", "made/qrels.txt", *paths, "-m", "NumRet", "--format", "csv")
    assert done.err == "note: these metrics are sums over topics, not means: NumRet\n"
    assert pl.read_csv(done.out.encode()).rows() == [
        (f"system{number}", "all", "NumRet", 40.0, 4) for number in (1, 2, 3)
    ]


def test_a_seed_gives_the_same_collection_and_another_gives_another(
    rankwise: Call, tmp_path: Path
) -> None:
    for folder, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        made = rankwise("simulate", "-o", folder, "--topics", "2", "--systems", "2", "--seed", seed)
        assert made.code == 0
    for name in ("qrels.txt", "truth.txt", "runs/system1.run", "runs/system2.run"):
        a, b, c = ((tmp_path / folder / name).read_bytes() for folder in "abc")
        assert a == b != c


@pytest.mark.slow
def test_the_demo_shows_a_leaderboard_and_bounds_and_writes_a_report(
    rankwise: Call, tmp_path: Path
) -> None:
    pytest.importorskip("vl_convert")
    done = rankwise("demo", "--seed", "3")
    assert str(tmp_path / "rankwise-demo.html") in done.out
    assert (tmp_path / "rankwise-demo.html").read_text().startswith("<!DOCTYPE html>")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert "(seed 3): 10 systems, 50 topics" in lines[0]
    assert "run       nDCG@10      AP  RBP(p=0.8)    P@10  topics" in lines
    bounded = [line.split() for line in lines if "  RBP(p=0.8)  " in line and line[:6] == "system"]
    assert len(bounded) == 10
    for _, _, value, low, high, _ in bounded:
        assert float(low) <= float(value) <= float(high)


def test_errors_of_options_look_like_all_others(rankwise: Call) -> None:
    done = rankwise("score", "qrels", "run", "--ordr", "rank")
    assert (done.code, done.out) == (2, "")
    assert re.match("rankwise: No such option:? '?--ordr", done.err)  # as click's version has it
    assert done.err.endswith("See `rankwise score --help`.\n")


def test_a_folder_or_a_pattern_stands_for_its_files(rankwise: Call, tmp_path: Path) -> None:
    simulate(topics=3, systems=3, depth=10, pool_depth=5, seed=1).write(tmp_path)
    (tmp_path / "runs" / ".DS_Store").write_text("x")
    asked = ("-m", "AP", "--format", "csv")
    named = sorted(map(str, (tmp_path / "runs").glob("*.run")))
    each = rankwise("score", "qrels.txt", *named, *asked)
    assert each.code == 0
    for given in ("runs", "runs/*.run", "runs/system[123].run"):
        assert rankwise("score", "qrels.txt", given, *asked).out == each.out
    for given, why in {
        "runs/*.txt": "no file matches this",
        "x=runs": "x is the name of one run, but runs has 3 files",
    }.items():
        done = rankwise("score", "qrels.txt", given, *asked)
        assert done.code == 2 and why in done.err


def test_notes_come_below_the_table_and_warnings_first(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("".join(f"{topic} 0 a 1\n" for topic in range(5)))
    for name in "ab":
        (tmp_path / name).write_text(f"1 Q0 a 1 2 {name}\n9 Q0 a 1 2 {name}\n")
    done = subprocess.run(
        [sys.executable, "-m", "rankwise", "score", "q", "a", "b", "-m", "NumRet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    lines = done.stdout.splitlines()
    lacking = "returned nothing for 4 of 5 topics; a missing topic counts as an empty ranking"
    assert lines[0].startswith("run ")
    assert lines[3:] == [
        f"warning: each of 2 runs (a, b): {lacking}",
        "note: each of 2 runs (a, b): 1 topic without judgments is ignored",
        "note: these metrics are sums over topics, not means: NumRet",
    ]


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (["-o", "x.csv", "--format", "json"], "is a csv file, but --format is json"),
        (["-o", "x.xyz"], "unknown suffix. Use .csv, .json, .parquet, .tex, .md or .txt"),
    ],
)
def test_a_file_is_what_its_name_says(rankwise: Call, asked: list[str], why: str) -> None:
    done = rankwise("score", "no-qrels", "no-run", *asked)  # before any work is done
    assert done.code == 2 and why in done.err


def test_the_console_script_leaves_matrix_products_to_one_thread() -> None:
    """More of them wait for each other: `plan next` took twice the processor time."""
    code = (
        "import os, sys; sys.argv = ['rankwise', '--help']; from rankwise.cli import script; "
        "script(); print(os.environ['OPENBLAS_NUM_THREADS'])"
    )
    without = {name: value for name, value in os.environ.items() if "OPENBLAS" not in name}
    for given, expected in (({}, "1"), ({"OPENBLAS_NUM_THREADS": "3"}, "3")):
        call = [sys.executable, "-c", code]
        printed = subprocess.check_output(call, env=without | given, text=True)
        assert printed.splitlines()[-1] == expected


@pytest.mark.parametrize("family", ["metrics", "plan", "published"])
def test_a_family_of_commands_alone_shows_its_help(rankwise: Call, family: str) -> None:
    alone, asked = rankwise(family), rankwise(family, "--help")
    assert (alone.code, alone.err) == (0, "") and alone.out == asked.out


def test_an_unknown_option_is_compared_with_options_of_a_similar_name_only(rankwise: Call) -> None:
    assert rankwise("score", "--ordr").err.startswith(
        "rankwise: No such option '--ordr'. Did you mean --order? See"
    )
    for command in ("plan depth", "published implied"):
        done = rankwise(*command.split(), "--p", "0.8")
        assert "'--p'. p is a parameter of the metric: -m 'RBP(p=0.8)'." in done.err
