"""A Collection reads when a verb needs it, once, and gives what qrels and runs give."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rankwise
from rankwise import CallError, compare, read, score
from rankwise.formats import source
from rankwise.rankings.collection import Collection, Needs

MADE = rankwise.simulate(topics=8, systems=4, depth=30, pool_depth=8, seed=12)
METRICS = ["AP", "nDCG@10", "RR"]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, list[Path]]:
    rankwise.write_qrels(MADE.qrels, tmp_path / "qrels.txt")
    runs = [tmp_path / f"{run.name}.run" for run in MADE.runs]
    for run, path in zip(MADE.runs, runs, strict=True):
        rankwise.write_run(run, path)
    return tmp_path / "qrels.txt", runs


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are opened, by name."""
    names: list[str] = []
    original = source.open_source

    def counted(path: Any, *given: Any, **more: Any) -> Any:
        names.append(Path(path).name)
        return original(path, *given, **more)

    monkeypatch.setattr("rankwise.rankings.loaders.open_source", counted)
    return names


def test_nothing_is_read_before_a_verb_needs_it(
    files: tuple[Path, list[Path]], opened: list[str]
) -> None:
    data = read(*files)
    read("no such file", ["nor this"])
    assert opened == [] and "not read yet" in repr(data)


@pytest.mark.parametrize("depth", [None, 5])
def test_several_verbs_read_the_files_once(
    depth: int | None, files: tuple[Path, list[Path]], opened: list[str]
) -> None:
    data = read(*files, depth=depth)
    first = score(data, metrics=METRICS)
    once = [path.name for path in (files[0], *files[1])]
    assert sorted(opened) == sorted(once)
    compared = compare(data, metrics=METRICS)
    bounded = score(data, metrics=METRICS, bounds=True)
    rankwise.overview(data)
    rankwise.correlate(data, metrics=METRICS)
    rankwise.judging.plan_judgments(data, metric="RBP(p=0.8)", budget=3)
    assert sorted(opened) == sorted(once)
    alone = read(*files, depth=depth)
    assert first.frame.equals(score(alone, metrics=METRICS).frame)
    assert compared.frame.equals(compare(read(*files, depth=depth), metrics=METRICS).frame)
    again = score(read(*files, depth=depth), metrics=METRICS, bounds=True)
    assert bounded.frame.equals(again.frame) and bounded.notes == again.notes


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"depth": 4},
        {"order": "file"},
        {"gains": "3:2:1"},
        {"only_topics": ["1", "3"]},
        {"topics": "common", "undefined": "zero"},
        {"topic_groups": {"1": "a", "2": "b"}},
        {"drop_self": True},
        {"map_documents": "^(.*).$"},
    ],
    ids=" ".join,
)
def test_what_is_kept_gives_what_is_read_anew(options: dict[str, Any]) -> None:
    kept = read(MADE.qrels, MADE.runs, **options)
    tried = 0
    for bounds in (True, False, True):
        for unjudged in ("retrieved", "top=5", "open"):
            assumed: dict[str, Any] = {"unjudged": unjudged} if bounds else {}
            there = score(kept, metrics=METRICS, bounds=bounds, **assumed)
            once = Collection(MADE.qrels, MADE.runs, **options)
            here = score(once, metrics=METRICS, bounds=bounds, **assumed)
            assert there.frame.equals(here.frame) and there.notes == here.notes
            tried += 1
    assert tried == 9
    assert kept.judged(Needs(documents=True)) is kept.judged(Needs(documents=True))


def test_runs_that_come_one_by_one_are_kept_too() -> None:
    data = read(MADE.qrels, (run for run in MADE.runs))
    first, second = (score(data, metrics="AP", bounds=bounds) for bounds in (False, True))
    assert first.value.tolist() == second.value.tolist()
    assert first.frame.equals(score(MADE.qrels, MADE.runs, "AP").frame)


def test_a_stream_is_read_once() -> None:
    rows = pl.concat(run.frame.with_columns(run=pl.lit(run.name)) for run in MADE.runs[:2])

    def batches() -> Iterator[pl.DataFrame]:
        yield from rows.sort("topic", maintain_order=True).iter_slices(50)

    data = read(MADE.qrels, batches())
    assert score(data, metrics="AP").value.shape == (1, 2, 8)
    with pytest.raises(CallError, match="a stream, which can be read only once"):
        score(data, metrics="AP")


def test_wrong_calls_are_refused() -> None:
    data = read(MADE.qrels, MADE.runs)
    with pytest.raises(CallError, match=r"a collection already has runs"):
        score(data, MADE.runs, "AP")
    with pytest.raises(CallError, match=r"no run is given\. Give qrels and runs\."):
        score(read(MADE.qrels), metrics="AP")
    with pytest.raises(CallError, match="no judgments are given"):
        score(read(None, MADE.runs), metrics="AP")
    for wrong, message in (
        ({"order": "scor"}, "Did you mean score"),
        ({"depth": 0}, "`depth` must be a whole number, 1 or more, not 0"),
        ({"topics": "some"}, "`topics` 'some' is not one of"),
        ({"undefined": "none"}, "`undefined` 'none' is not one of"),
    ):
        options: Any = wrong
        with pytest.raises(CallError, match=message):
            read(MADE.qrels, MADE.runs, **options)


def test_the_names_of_judgments_are_read_once(tmp_path: Path) -> None:
    file = tmp_path / "qrels.txt"
    file.write_text("2 0 b 0\n1 0 ä 2\n2 0 a 1\n1 0 c -1\n")
    expected = rankwise.read_qrels(file).frame
    data = rankwise.read(file, {"1": {"ä": 1}})
    rankwise.score(data, metrics="AP")
    file.unlink()
    found = data.qrels_by_name()
    assert found.frame.equals(expected) and found.frame.schema == expected.schema
