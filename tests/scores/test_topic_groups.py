"""Scores and comparisons by group of topics: those of each group by itself."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import rankwise
from rankwise.errors import CallError, InputError
from rankwise.scores.score_tables import long_form

MADE = rankwise.simulate(topics=14, systems=3, depth=30, pool_depth=12, seed=6)
TOPICS = rankwise.score(MADE.qrels, MADE.runs, "RR").topics
GROUPS = {topic: ["head", "torso", "tail"][place % 3] for place, topic in enumerate(TOPICS)}
METRICS = ["RR", "P@5", "NumRelRet"]


def of_group(name: str) -> list[str]:
    return [topic for topic in TOPICS if GROUPS.get(topic) == name]


def test_the_scores_of_a_group_are_those_of_its_topics() -> None:
    found = rankwise.score(
        rankwise.read(MADE.qrels, MADE.runs, topic_groups=GROUPS), metrics=METRICS, bounds=True
    )
    assert set(found.by_group) == {"head", "torso", "tail"}
    for name, part in found.by_group.items():
        alone = rankwise.score(
            rankwise.read(MADE.qrels, MADE.runs, only_topics=of_group(name)),
            metrics=METRICS,
            bounds=True,
        )
        assert part.frame.equals(alone.frame)
        assert part.mean().equals(alone.mean())
    whole = rankwise.score(MADE.qrels, MADE.runs, METRICS, bounds=True)
    assert found.mean().equals(whole.mean())
    assert found.frame.drop("group").equals(whole.frame)
    assert found.frame["group"].to_list() == [GROUPS[topic] for topic in found.frame["topic"]]


@pytest.mark.parametrize("by_topic", [False, True])
@pytest.mark.parametrize("level", [None, 0.9])
def test_the_long_form_has_the_means_of_each_group(by_topic: bool, level: float | None) -> None:
    found = rankwise.score(
        rankwise.read(MADE.qrels, MADE.runs, topic_groups=GROUPS), metrics=METRICS
    )
    means = None if level is None else rankwise.confidence(found, level).frame
    rows = pl.DataFrame(long_form(found, by_topic=by_topic, means=means), infer_schema_length=None)
    assert rows.columns[:4] == ["group", "run", "topic", "metric"]
    assert rows.height == 3 * 3 * (4 + by_topic * len(TOPICS))
    parts = {"all": rankwise.score(MADE.qrels, MADE.runs, METRICS)} | found.by_group
    for name, part in parts.items():
        own = None if level is None else rankwise.confidence(part, level).frame
        expected = pl.DataFrame(long_form(part, means=own))
        here = rows.filter(pl.col("group") == name, pl.col("topic") == "all")
        assert here.drop("group").equals(expected)
        assert here["topics"].unique().to_list() == [len(part.topics)]


def test_tables_show_groups_and_how_many_topics_they_have() -> None:
    found = rankwise.score(
        rankwise.read(MADE.qrels, MADE.runs, topic_groups=GROUPS), metrics=["RR", "P@5"]
    )
    frame = found.table().frame
    assert frame.columns == ["group", "run", "RR", "P@5", "topics"]
    assert frame["group"].to_list() == ["all"] * 3 + ["head"] * 3 + ["torso"] * 3 + ["tail"] * 3
    assert frame["topics"].to_list() == [14] * 3 + [5] * 6 + [4] * 3
    by_topic = found.table(by_topic=True).frame
    assert by_topic.columns == ["group", "run", "topic", "RR", "P@5"]
    assert by_topic.height == 3 * len(TOPICS) + 4 * 3


def test_tables_for_papers_show_groups_and_refuse_what_they_cannot_do() -> None:
    found = rankwise.score(
        rankwise.read(MADE.qrels, MADE.runs, topic_groups=GROUPS), metrics=["RR", "P@5"]
    )
    compared = rankwise.compare(
        rankwise.read(MADE.qrels, MADE.runs, topic_groups=GROUPS), metrics=["RR", "P@5"]
    )
    for result in (found, compared):
        assert "| torso |" in result.to_markdown() and "\ntorso & " in result.to_latex()
        for option in ({"sort": "RR"}, {"second": True}, {"caption": "x"}):
            with pytest.raises(CallError, match=r"[Aa] table of topic groups"):
                result.to_markdown(**option)
    with pytest.raises(CallError, match=r"[Aa] table of topic groups"):
        compared.to_latex(marks="letters")


def test_a_chart_of_means_has_all_topics_first() -> None:
    found = rankwise.score(rankwise.read(MADE.qrels, MADE.runs, topic_groups=GROUPS), metrics="RR")
    drawn = rankwise.confidence(found).chart().to_dict()
    assert drawn["title"]["text"] == "Means over 14 topics"
    assert drawn["vconcat"][0]["title"] == "all: 14 topics"
    assert len(drawn["vconcat"]) == 1 + len(set(GROUPS.values()))


def test_topic_bounds_of_a_group_are_those_of_its_topics() -> None:
    found = rankwise.compare(
        rankwise.read(MADE.qrels, MADE.runs, topic_groups=GROUPS),
        metrics=METRICS,
        baseline=MADE.runs[0].name,
    )
    bounds = found.by_topic()
    assert bounds["low"].null_count() < bounds.height
    for name, part in found.by_group.items():
        here = bounds.filter(pl.col("topic").is_in(of_group(name)))
        assert here.equals(part.by_topic())


def test_topics_in_no_group_count_in_the_whole_only() -> None:
    some = {topic: group for topic, group in GROUPS.items() if group != "tail"}
    found = rankwise.score(rankwise.read(MADE.qrels, MADE.runs, topic_groups=some), metrics=METRICS)
    assert list(found.by_group) == ["head", "torso"]
    assert found.mean().equals(rankwise.score(MADE.qrels, MADE.runs, METRICS).mean())
    assert any(
        note.startswith("topic_groups: 4 topics are in no group (")
        for note in map(str, found.notes)
    )


def test_scores_of_parts_keep_their_groups() -> None:
    whole = rankwise.score(
        rankwise.read(MADE.qrels, MADE.runs, topic_groups=GROUPS), metrics=METRICS
    )
    halves = [
        rankwise.score(
            rankwise.read(MADE.qrels, MADE.runs, only_topics=some, topic_groups=GROUPS),
            metrics=METRICS,
        )
        for some in (TOPICS[::2], TOPICS[1::2])
    ]
    joined = rankwise.Scores.concat(halves)
    assert (joined.topics, joined.groups) == (whole.topics, whole.groups)
    common = rankwise.score(
        rankwise.read(MADE.qrels, MADE.runs, topics="common", topic_groups=GROUPS), metrics=METRICS
    )
    assert common.groups == whole.groups


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"x": "head"}, "topic_groups: no topic in common"),
        ({TOPICS[0]: "all"}, "has a group named all"),
    ],
)
def test_groups_that_cannot_be_used_are_an_error(given: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        rankwise.score(rankwise.read(MADE.qrels, MADE.runs, topic_groups=given), metrics="RR")


def test_comparisons_of_a_group_are_those_of_its_topics_corrected_over_all_groups() -> None:
    found = rankwise.compare(
        rankwise.read(MADE.qrels, MADE.runs, topic_groups=GROUPS), metrics=METRICS
    )
    assert found.frame.equals(rankwise.compare(MADE.qrels, MADE.runs, METRICS).frame)
    corrected = ["corrected_p", "significant"]
    p: dict[str, list[float]] = {metric: [] for metric in ("RR", "P@5")}
    for name, part in found.by_group.items():
        alone = rankwise.compare(
            rankwise.read(MADE.qrels, MADE.runs, only_topics=of_group(name)), metrics=METRICS
        )
        assert part.frame.drop(corrected).equals(alone.frame.drop(corrected))
        for metric, values in p.items():
            values += part.frame.filter(pl.col("metric") == metric)["p"].to_list()
    for metric, values in p.items():
        expected = holm(values)
        parts = [part.frame.filter(pl.col("metric") == metric) for part in found.by_group.values()]
        assert pl.concat(parts)["corrected_p"].to_list() == pytest.approx(expected)
    family = "Holm over 9 comparisons in each of 2 metrics, one family per metric"
    assert f"p-values of topic groups are corrected over all groups together ({family})" in map(
        str, found.notes
    )
    assert "the groups have these numbers of topics: head 5, torso 5, tail 4" in map(
        str, found.notes
    )


def holm(p: list[float]) -> list[float]:
    order = np.argsort(p)
    found, greatest = [0.0] * len(p), 0.0
    for place, at in enumerate(order):
        greatest = max(greatest, min(1.0, p[at] * (len(p) - place)))
        found[at] = greatest
    return found


def test_a_group_has_the_paired_t_test_of_scipy() -> None:
    found = rankwise.compare(
        rankwise.read(MADE.qrels, MADE.runs, topic_groups=GROUPS), metrics="RR"
    )
    scores = rankwise.score(MADE.qrels, MADE.runs, "RR").to_dict(by_topic=True)
    assert [part.frame.height for part in found.by_group.values()] == [3, 3, 3]
    for name, part in found.by_group.items():
        for row in part.frame.iter_rows(named=True):
            a, b = (
                [scores[row[side]]["RR"][topic] for topic in of_group(name)] for side in ("a", "b")
            )
            assert row["p"] == pytest.approx(stats.ttest_rel(a, b).pvalue)


def test_compared_scores_know_their_groups_too() -> None:
    scores = rankwise.score(MADE.qrels, MADE.runs, METRICS)
    by_scores = rankwise.compare(scores.with_groups(GROUPS)).described
    by_runs = rankwise.compare(
        rankwise.read(MADE.qrels, MADE.runs, topic_groups=GROUPS), metrics=METRICS, bounds=False
    )
    assert by_scores.equals(by_runs.described)
    assert by_scores["group"].unique(maintain_order=True).to_list() == [
        "all",
        *dict.fromkeys(GROUPS.values()),
    ]
    grouped = rankwise.score(
        rankwise.read(MADE.qrels, MADE.runs, topic_groups=GROUPS), metrics=METRICS
    )
    assert rankwise.compare(grouped).described.equals(by_scores)
    assert by_runs.table().frame["group"].n_unique() == 4


def test_the_command_line_has_groups(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    from rankwise.cli import main

    monkeypatch.chdir(tmp_path)
    MADE.write(tmp_path / "made")
    Path("groups.csv").write_text(
        "topic,group\n" + "".join(f"{t},{g}\n" for t, g in GROUPS.items())
    )
    runs = [str(path) for path in sorted(Path("made/runs").iterdir())]
    for verb in ("score", "compare"):
        asked = [verb, "made/qrels.txt", *runs, "-m", "RR", "--topic-groups", "groups.csv"]
        monkeypatch.setattr("sys.argv", ["rankwise", *asked, "--format", "csv"])
        main()
        rows = pl.read_csv(capsys.readouterr().out.encode())
        assert rows["group"].unique(maintain_order=True).to_list() == [
            "all",
            "head",
            "torso",
            "tail",
        ]
        monkeypatch.setattr("sys.argv", ["rankwise", *asked])
        main()
        assert capsys.readouterr().out.startswith("group")
    monkeypatch.setattr("sys.argv", ["rankwise", *asked, "--weights", "groups.csv"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
