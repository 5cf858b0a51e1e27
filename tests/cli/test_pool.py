"""`rankwise pool` and `rankwise plan sample`: files that everything else reads."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from calls import runs_of


def test_a_pool_wants_only_grades_to_be_qrels(rankwise: Any, collection: Path) -> None:
    done = rankwise("pool", *runs_of(collection), "--depth", "5")
    lines = done.out.splitlines()
    assert done.code == 0
    assert all(len(line.split()) == 3 and line.split()[1] == "0" for line in lines)
    assert done.err.startswith(f"note: pool of depth 5: {len(lines)} documents, ")
    by_topic = [line.split() for line in lines]
    assert by_topic == sorted(by_topic, key=lambda line: (int(line[0]), line[2]))
    Path("judged.txt").write_text("".join(f"{line} 1\n" for line in lines))
    again = rankwise("score", "judged.txt", *runs_of(collection), "-m", "P@5", "--format", "csv")
    assert [line.split(",")[3] for line in again.out.splitlines()[1:]] == ["1.0"] * 3


def test_judgments_of_a_pool(rankwise: Any, collection: Path) -> None:
    qrels = str(collection / "qrels.txt")
    done = rankwise("pool", *runs_of(collection), "--depth", "2", "--qrels", qrels, "-o", "p.txt")
    assert (done.code, done.out) == (0, "")
    whole = Path(qrels).read_text().splitlines()
    kept = Path("p.txt").read_text().splitlines()
    assert f"pool of depth 2: {len(kept)} of {len(whole)} judgments, " in done.err
    assert set(kept) < set(whole)


def test_a_pool_as_a_table(rankwise: Any, collection: Path) -> None:
    assert rankwise("pool", *runs_of(collection), "--depth", "2", "-o", "pool.csv").code == 0
    assert pl.read_csv("pool.csv").columns == ["topic", "document", "rank", "runs", "found_by"]


def test_what_is_left_to_judge(rankwise: Any, collection: Path) -> None:
    qrels = str(collection / "qrels.txt")
    done = rankwise("pool", *runs_of(collection), "--depth", "20", "--without", qrels)
    judged = {tuple(line.split()[:3]) for line in Path(qrels).read_text().splitlines()}
    lines = done.out.splitlines()
    assert lines and not judged & {tuple(line.split()) for line in lines}
    assert done.err.startswith(f"note: pool of depth 20: {len(lines)} unjudged documents, ")
    table = "".join(f"{topic},{sku},1\n" for topic, _, sku in sorted(judged))
    Path("judged.csv").write_text("search,sku,grade\n" + table)
    names = ("--columns", "topic=search,document=sku")
    again = rankwise(
        *("pool", *runs_of(collection), "--depth", "20", "--without", "judged.csv", *names)
    )
    assert again.out == done.out


def test_a_depth_below_all_runs_takes_them_whole(rankwise: Any, collection: Path) -> None:
    deep, whole = (
        rankwise("pool", *runs_of(collection), "--depth", depth).out for depth in ("9999", "20")
    )
    assert deep == whole != ""


def test_a_sample_prints_the_seed_and_what_is_kept(rankwise: Any, collection: Path) -> None:
    qrels = str(collection / "qrels.txt")
    done = rankwise("plan", "sample", qrels, "--keep", "0.5", "--seed", "7", "-o", "half.txt")
    assert (done.code, done.out) == (0, "")
    whole, kept = (Path(name).read_text().splitlines() for name in (qrels, "half.txt"))
    relevant = [sum(not line.endswith(" 0") for line in lines) for lines in (kept, whole)]
    expected = (
        f"kept {len(kept)} of {len(whole)} judgments, {relevant[0]} of {relevant[1]} relevant"
    )
    assert done.err == f"note: {expected}; the random seed is 7\nwrote half.txt\n"
    assert [line for line in whole if line in set(kept)] == kept
    assert (
        rankwise("plan", "sample", qrels, "--keep", "0.5", "--seed", "7").out.splitlines() == kept
    )
    assert rankwise("plan", "sample", qrels, "--keep", "1").out.splitlines() == whole


def test_names_with_blanks_want_a_table(rankwise: Any) -> None:
    Path("q.csv").write_text("topic,document,grade\n1,a b,1\n")
    done = rankwise("plan", "sample", "q.csv", "--keep", "1")
    assert (done.code, done.out) == (2, "")
    assert "document 'a b' has a blank in it" in done.err
    assert rankwise("plan", "sample", "q.csv", "--keep", "1", "-o", "part.csv").code == 0
    assert Path("part.csv").read_text() == "topic,document,grade\n1,a b,1\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["pool", "a.run", "--depth", "0"], "must be 1 or more, not 0"),
        (["pool", "a.run", "--depth", "5", "-o", "no/such.txt"], "there is no folder no"),
        (["pool", "a.run", "--depth", "5"], "a.run"),
        (["plan", "sample", "qrels.txt", "--keep", "1.5"], "must be between 0 and 1, not 1.5"),
        (["plan", "sample", "qrels.txt", "--keep", "0.5"], "qrels.txt"),
    ],
)
def test_what_is_wrong_is_one_line(rankwise: Any, arguments: list[str], message: str) -> None:
    done = rankwise(*arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err and done.err.count("\n") == 1


def test_a_design_is_a_table_that_judges_sampled_reads(rankwise: Any, collection: Path) -> None:
    qrels, runs = str(collection / "qrels.txt"), runs_of(collection)
    done = rankwise("plan", "sample", qrels, *runs, "--design", "5=1,20=0.5", "-o", "sample.csv")
    assert done.code == 0 and "the random seed is 0" in done.err
    table = pl.read_csv("sample.csv")
    assert table.columns == ["topic", "document", "stratum", "probability", "sampled", "grade"]
    for metric in ("statAP", "xinfAP", "infNDCG@10"):
        plain = rankwise("score", "sample.csv", *runs, "-m", metric)
        name = metric.removesuffix("@10")
        advice = f"{name} needs sampled judgments. Use `rankwise judges sampled` to estimate {name}"
        assert advice in plain.err
    asked = ("judges", "sampled", "sample.csv", *runs)
    scored = rankwise(*asked, "-m", "statAP,infNDCG@10")
    assert scored.code == 0
    lines = [line.split() for line in scored.out.splitlines()]
    assert lines[0] == ["metric", "run", "value", "se", "low", "high", "topics"]
    assert len(lines) == 1 + 2 * len(runs)
    topics = rankwise(*asked, "--by-topic", "--format", "csv")
    assert topics.out.splitlines()[0] == "metric,run,topic,value,se"
    new = rankwise("plan", "sample", "none", *runs, "--design", "5=1")
    assert new.out.splitlines()[0] == "topic,document,stratum,probability,sampled,grade"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Give --keep FRACTION, or runs and --design"),
        (["--keep", "0.5", "--design", "5=1"], "--design cannot be combined with --keep"),
        (["--design", "5=1"], "--design samples the pool of runs"),
        (["a.run", "--keep", "0.5"], "--keep samples judgments"),
    ],
)
def test_a_sample_is_of_judgments_or_of_a_pool(
    rankwise: Any, arguments: list[str], message: str
) -> None:
    done = rankwise("plan", "sample", "qrels.txt", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err and done.err.count("\n") == 1
