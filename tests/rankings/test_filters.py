"""Some topics, documents in place of passages, not oneself: against data changed by hand."""

import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rankwise
from rankwise.errors import CallError, InputError
from rankwise.vocabulary import Order

MADE = rankwise.simulate(topics=8, systems=3, depth=30, pool_depth=12, seed=4)
METRICS = ["AP", "nDCG@10", "RBP(p=0.8)", "Bpref", "Judged@10"]
SELF_NOTE = "a document has the same ID as its query"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, list[Path]]:
    MADE.write(tmp_path / "made")
    return tmp_path / "made" / "qrels.txt", sorted((tmp_path / "made" / "runs").iterdir())


def only(rows: Any, topics: list[str]) -> pl.DataFrame:
    return rows.frame.filter(pl.col("topic").is_in(topics))


def test_only_some_topics_are_as_if_there_were_no_others(
    files: tuple[Path, list[Path]], tmp_path: Path
) -> None:
    topics = sorted(MADE.qrels.frame["topic"].unique())[:3]
    names = tmp_path / "topics.txt"
    names.write_text("# those with pictures\n" + "\n".join([*topics, "no such topic"]) + "\n")
    runs = {run.name: only(run, topics) for run in MADE.runs}
    expected = rankwise.score(only(MADE.qrels, topics), runs, METRICS, bounds=True)
    for given in (names, str(names)):
        found = rankwise.score(
            rankwise.read(*files, only_topics=given), metrics=METRICS, bounds=True
        )
        assert found.frame.equals(expected.frame)
    assert f"{names}: 1 topic has no judgments (no such topic)" in map(str, found.notes)
    assert not any("ignored" in note for note in map(str, found.notes))
    assert rankwise.score(rankwise.read(*files, only_topics=topics), metrics="AP").topics == tuple(
        topics
    )
    chosen = rankwise.read(*files, only_topics=topics)
    pairs = rankwise.compare(chosen, metrics=METRICS, effort=1000).frame
    by_hand = rankwise.compare(only(MADE.qrels, topics), runs, METRICS, effort=1000).frame
    assert pairs.equals(by_hand)


def test_topics_that_nobody_judged_are_an_error(files: tuple[Path, list[Path]]) -> None:
    with pytest.raises(InputError, match=r"in common with the qrels\. Selected topics: x\."):
        rankwise.score(rankwise.read(*files, only_topics=["x"]), metrics="AP")


def test_a_run_without_any_of_the_topics_is_an_error() -> None:
    with pytest.raises(
        InputError, match=r"has none of the selected topics \(1\). Topics of the run: 2"
    ):
        rankwise.score(
            rankwise.read({"1": {"a": 1}, "2": {"a": 1}}, {"2": {"a": 1}}, only_topics=["1"]),
            metrics="AP",
        )


def with_self(run: rankwise.Run) -> rankwise.Run:
    """Each topic at the top of its own ranking."""
    topics = run.frame["topic"].unique(maintain_order=True)
    own = pl.DataFrame({"topic": topics, "document": topics, "score": [1e6] * len(topics)})
    frame = pl.concat([own, run.frame]).sort("topic", maintain_order=True)
    return rankwise.Run(frame, name=run.name)


def test_without_itself_a_topic_is_ranked_as_if_it_were_no_document(tmp_path: Path) -> None:
    expected = rankwise.score(MADE.qrels, MADE.runs, METRICS, bounds=True)
    runs = [with_self(run) for run in MADE.runs]
    paths = [tmp_path / f"{run.name}.run" for run in runs]
    for run, path in zip(runs, paths, strict=True):
        rankwise.write_run(run, path)
    dicts = {run.name: nested(run) for run in runs}
    for given in (runs, paths, dicts):
        found = rankwise.score(
            rankwise.read(MADE.qrels, given, drop_self=True), metrics=METRICS, bounds=True
        )
        assert found.frame.equals(expected.frame)
        count = len(expected.topics)
        who = "each of 3 runs (system1, system2, system3)"
        assert f"{who}: removed {count} documents with the same ID as their query" in map(
            str, found.notes
        )
        untouched = rankwise.score(MADE.qrels, given, METRICS)
        assert untouched.to_dict() != expected.to_dict()
        [note] = [note for note in map(str, untouched.notes) if SELF_NOTE in note]
        assert "`drop_self=True`" in note and runs[0].name in note
    assert not any(SELF_NOTE in note for note in map(str, expected.notes))


def nested(run: rankwise.Run) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for topic, document, score in run.frame.select("topic", "document", "score").rows():
        found.setdefault(topic, {})[document] = score
    return found


def test_judgments_of_a_topic_itself_go_too() -> None:
    qrels = {"1": {"1": 1, "a": 1}}
    run = {"1": {"1": 3, "b": 2, "a": 1}}
    assert rankwise.score(rankwise.read(qrels, run, drop_self=True), metrics="AP").to_dict() == {
        "run": {"AP": 0.5}
    }
    with pytest.raises(InputError, match=r"no judgment is left\. Remove `drop_self=True`"):
        rankwise.score(rankwise.read({"1": {"1": 1}}, run, drop_self=True), metrics="AP")
    alone = {"1": {"1": 1.0}}
    with pytest.raises(InputError, match="run: every document has the name of its topic"):
        rankwise.score(rankwise.read({"1": {"a": 1}}, alone, drop_self=True), metrics="AP")


def test_what_a_search_engine_answers_is_not_taken_for_a_topic_in_its_own_ranking() -> None:
    first, second = {"_id": "a", "_score": 2.0}, {"_id": "1", "_score": 1.0}
    for hits, expected in (([first, second], True), ([first], False)):
        notes = rankwise.score({"1": {"a": 1}}, {"hits": {"hits": hits}}, "AP").notes
        assert any(SELF_NOTE in str(note) for note in notes) == expected


def best_passages(run: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """By hand: MaxP."""
    found: dict[str, dict[str, float]] = {}
    for topic, passages in run.items():
        scores: dict[str, float] = {}
        for passage, score in passages.items():
            document = passage.partition("#")[0]
            scores[document] = max(score, scores.get(document, score))
        found[topic] = scores
    return found


def as_passages(run: rankwise.Run) -> dict[str, dict[str, float]]:
    """Documents cut in up to three passages, one of them whole; scores that tie among them."""
    found: dict[str, dict[str, float]] = {}
    rows = run.frame.select("topic", "document", "score").rows()
    for place, (topic, document, score) in enumerate(rows):
        for part in range(place % 4):
            found.setdefault(topic, {})[f"{document}#{part}"] = round(score, 1) - (part + place) % 3
        if place % 4 == 0:
            found.setdefault(topic, {})[document] = round(score, 1)
    return found


def test_of_the_passages_of_a_document_the_best_counts(tmp_path: Path) -> None:
    passages = {run.name: as_passages(run) for run in MADE.runs}
    by_hand = {name: best_passages(run) for name, run in passages.items()}
    expected = rankwise.score(MADE.qrels, by_hand, METRICS, bounds=True).frame
    names = {name for run in passages.values() for of in run.values() for name in of}
    table = {name: name.partition("#")[0] for name in names if "#" in name}
    file = tmp_path / "passages.tsv"
    lines = [f"{passage}\t{document}" for passage, document in table.items()]
    file.write_text("\n".join(["passage\tdocument", *lines]) + "\n")
    for given in (table, file, str(file), "(.*)#", "^[^#]+"):
        found = rankwise.score(
            rankwise.read(MADE.qrels, passages, map_documents=given), metrics=METRICS, bounds=True
        )
        assert found.frame.equals(expected), given
    assert "Only the best passage of each document is used" in " ".join(map(str, found.notes))


@pytest.mark.parametrize(
    ("order", "first"), [("score", ["b", "a"]), ("rank", ["a", "b"]), ("file", ["b", "a"])]
)
def test_what_the_best_passage_is_depends_on_the_order(order: Order, first: list[str]) -> None:
    run = pl.DataFrame(
        {
            "topic": ["1"] * 4,
            "document": ["b#1", "a#1", "a#2", "b#2"],
            "score": [2.0, 1.0, 4.0, 5.0],
            "rank": [4, 1, 3, 2],
        }
    )
    judged = {"1": {first[0]: 1}}
    found = rankwise.score(
        rankwise.read(judged, run, order=order, map_documents="(.*)#"), metrics=["RR", "NumRet"]
    )
    assert found.to_dict() == {"run": {"RR": 1.0, "NumRet": 2.0}}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("(a)(b)", "has 2 groups. Use one group"),
        ("(a", "is neither a file nor a regular expression"),
        ("#.*nowhere", "is not a file, and as a pattern it matches no document"),
        ({"x": "y"}, "no document of the run is in `map_documents`"),
    ],
)
def test_a_map_that_cannot_be_used_is_an_error(given: Any, message: str) -> None:
    with pytest.raises((CallError, InputError), match=re.escape(message)):
        rankwise.score(
            rankwise.read({"1": {"a": 1}}, {"1": {"a": 1.0}}, map_documents=given), metrics="AP"
        )


def test_faults_of_a_file_of_pairs_are_listed_by_line(tmp_path: Path) -> None:
    file = tmp_path / "groups.txt"
    file.write_text("1 head\n2\n1 tail\n3 long tail\n")
    with pytest.raises(InputError) as caught:
        rankwise.score(
            rankwise.read({"1": {"a": 1}}, {"1": {"a": 1.0}}, topic_groups=file), metrics="AP"
        )
    lines = str(caught.value).splitlines()
    assert lines[0] == f"{file}:2: 1 field instead of 2: 2"
    assert lines[1] == f"{file}:3: this topic already has the group head: 1 tail"
    assert lines[2] == f"{file}: and 1 more error"  # two are shown
    assert [(fault.line, fault.text) for fault in caught.value.faults][2:] == [(4, "3 long tail")]
    assert lines[3] == "A line is: topic group."
    file.write_text("")
    with pytest.raises(InputError, match=r"has no lines with data\. A line is: topic group"):
        rankwise.score(
            rankwise.read({"1": {"a": 1}}, {"1": {"a": 1.0}}, topic_groups=file), metrics="AP"
        )


@pytest.mark.parametrize(
    ("verb", "more"),
    [
        ("correlate", {"metrics": ["AP", "P@5"]}),
        ("discriminate", {"metrics": "AP", "method": "t"}),
        ("stability", {"metrics": "AP", "at": [2]}),
        ("overview", {}),
    ],
)
def test_other_verbs_take_the_same(
    verb: str, more: dict[str, Any], files: tuple[Path, list[Path]]
) -> None:
    topics = sorted(MADE.qrels.frame["topic"].unique())[:4]
    qrels, runs = only(MADE.qrels, topics), {run.name: only(run, topics) for run in MADE.runs}
    do = getattr(rankwise, verb)
    chosen = do(rankwise.read(*files, only_topics=topics), **more)
    assert chosen.frame.equals(do(qrels, runs, **more).frame)


def test_explain_takes_the_same() -> None:
    run = {"1": {"1": 9.0, "a#2": 5.0, "b#1": 4.0, "a#1": 3.0}, "2": {"c": 1.0}}
    qrels = {"1": {"b": 1, "a": 0}, "2": {"c": 1}}
    found = rankwise.explain(
        rankwise.read(qrels, run, drop_self=True, map_documents="(.*)#"), metric="RR", topic="1"
    )
    assert found.score == 0.5
    assert found.frame["document"].to_list() == ["a", "b"]
    with pytest.raises(CallError, match="topic '1' is not in the qrels"):
        rankwise.explain(rankwise.read(qrels, run, only_topics=["2"]), metric="RR", topic="1")
