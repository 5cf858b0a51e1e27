"""Each run without what only its own group found, against plain loops."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calls import call

import rankwise
from rankwise.errors import CallError, InputError
from rankwise.experiments.stability import LeftOut, stability
from rankwise.judging.cutting import Cuttable
from rankwise.judging.samples import Draw
from rankwise.metrics import parse_all
from rankwise.scores.engine import score_judged

MADE = rankwise.simulate(topics=5, systems=7, depth=30, pool_depth=12, seed=2)
GROUPS = {run.name: f"group {place % 3}" for place, run in enumerate(MADE.runs)}


def leave_groups_out(*data: Any, **options: Any) -> LeftOut:
    return stability(*data, by="group", **options)


def slow_without(group: str, depth: int) -> rankwise.Qrels:
    """The judgments but those in the pool of the group and not in that of the others."""
    runs = {
        name: [r for r in MADE.runs if (GROUPS[r.name] == group) == own]
        for name, own in (("own", True), ("others", False))
    }
    pools = {
        name: set(rankwise.judging.pool(r, depth).select("topic", "document").rows())
        for name, r in runs.items()
    }
    lost = pools["own"] - pools["others"]
    kept = [(topic, document) not in lost for topic, document, _ in MADE.qrels.frame.rows()]
    return rankwise.Qrels(MADE.qrels.frame.filter(kept))


@pytest.mark.parametrize("depth", [2, 12, 1000])
def test_a_run_scores_as_by_the_judgments_without_its_group(depth: int) -> None:
    metrics = ["AP", "RBP(p=0.8)"]
    left = leave_groups_out(MADE.qrels, MADE.runs, metrics, groups=GROUPS, pool_depth=depth)
    full = rankwise.score(MADE.qrels, MADE.runs, metrics).mean()
    assert left.value.ravel() == pytest.approx(full["value"].to_numpy(), abs=1e-12)
    for place, run in enumerate(MADE.runs):
        cut = slow_without(GROUPS[run.name], depth)
        expected = rankwise.score(cut, run, metrics).mean()["value"].to_list()
        assert left.without[:, place] == pytest.approx(expected, abs=1e-12)
        assert left.lost[place] == MADE.qrels.frame.height - cut.frame.height
    assert left.lost.max() > 0


def test_the_frame_has_the_greatest_losses_first_and_one_block_a_metric() -> None:
    left = leave_groups_out(MADE.qrels, MADE.runs, ["P@5", "AP"], groups=GROUPS)
    assert left.frame["metric"].to_list() == ["P@5"] * 7 + ["AP"] * 7
    changes = left.frame["change"].to_list()
    assert changes[:7] == sorted(changes[:7])
    assert left.tau.shape == (2,)


def test_the_greatest_losses_are_rises_where_less_is_better() -> None:
    left = leave_groups_out(MADE.qrels, MADE.runs, "SearchLength", groups=GROUPS, pool_depth=2)
    changes = left.frame["change"].to_list()
    assert changes == sorted(changes, reverse=True)
    assert changes[0] > changes[-1]


def test_groups_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "groups.txt"
    runs = {"a": {"1": {"x": 1.0}}, "b": {"1": {"y": 1.0}}}
    for text in ("a one\nb two\n", "a,one\n\nb,two\n"):
        file.write_text(text)
        left = leave_groups_out({"1": {"x": 1}}, runs, "P@1", groups=file)
        assert left.groups == ("one", "two")
        assert left.without.tolist() == [[0.0, 0.0]]


def test_wrong_groups(tmp_path: Path) -> None:
    runs = {"alpha": {"1": {"x": 1.0}}, "beta": {"1": {"y": 1.0}}}

    def leave_out(groups: Any, **more: Any) -> None:
        leave_groups_out({"1": {"x": 1}}, runs, "P@1", groups=groups, **more)

    with pytest.raises(InputError, match=r"1 run has no group: beta. Add it. Did you mean bata\?"):
        leave_out({"alpha": "one", "bata": "two"})
    with pytest.raises(CallError, match="all runs are in the same group, 'one'"):
        leave_out({"alpha": "one", "beta": "one"})
    with pytest.raises(CallError, match="`pool_depth` must be a whole number"):
        leave_out({"alpha": "one", "beta": "two"}, pool_depth=0)
    file = tmp_path / "groups.txt"
    file.write_text("alpha one\nbeta\nalpha two\n")
    with pytest.raises(InputError, match="1 field instead of 2") as wrong:
        leave_out(file)
    assert [fault.line for fault in wrong.value.faults] == [2, 3]


def test_without_groups_each_run_is_left_out_by_itself() -> None:
    alone = {run.name: run.name for run in MADE.runs}
    found, expected = (
        rankwise.stability(MADE.qrels, MADE.runs, "AP", by="group", groups=groups, pool_depth=3)
        for groups in (None, alone)
    )
    assert found.frame.equals(expected.frame)
    assert found.frame["lost"].sum() > 0


@pytest.mark.parametrize(
    ("ways", "message"),
    [
        ({"by": "group", "groups": GROUPS, "at": [1]}, r"combined with `at`\. Remove one"),
        ({"by": "group", "groups": GROUPS, "bounds": True}, r"combined with `bounds`\. Remove one"),
        ({"by": "groups", "groups": GROUPS}, "`by` 'groups' is not one of .* Did you mean group"),
    ],
)
def test_groups_go_with_their_word_alone(ways: dict[str, Any], message: str) -> None:
    with pytest.raises(CallError, match=message):
        call(rankwise.stability, MADE.qrels, MADE.runs, "AP", **ways)


def pool_depths(given: Cuttable, runs: np.ndarray) -> np.ndarray:
    """The best rank of each judged document in these runs."""
    depth = np.full(len(given.grade), 10**9)
    judged = given.whole
    assert judged.judgment is not None
    for ranking, rank, number in zip(judged.ranking, judged.rank, judged.judgment, strict=True):
        if runs[ranking // len(judged.topics)]:
            depth[number] = min(depth[number], rank)
    return depth


def test_a_grade_that_only_the_own_group_found_is_gone_without_it() -> None:
    """ERR depends on the highest grade of all topics: without the run's own documents it is 1."""
    qrels = {"1": {"a": 2, "b": 1}, "2": {"c": 1, "d": 0}}
    runs = {
        "one": {"1": {"a": 2, "b": 1}, "2": {"c": 2, "d": 1}},
        "two": {"1": {"b": 1}, "2": {"d": 2, "c": 1}},
    }
    left = leave_groups_out(qrels, runs, "ERR")
    cut = {"1": {"b": 1}, "2": {"c": 1, "d": 0}}
    expected = [
        rankwise.score(cut, {"one": runs["one"]}, "ERR").value.mean(),
        rankwise.score(qrels, runs, "ERR").value[0, 1].mean(),
    ]
    assert left.without[0].tolist() == expected


def test_subtopics_are_left_out_with_their_documents() -> None:
    columns = ("topic", "subtopic", "document", "grade")
    rows = [("1", "x", "a", 1), ("1", "y", "b", 1), ("1", "y", "c", 1), ("2", "x", "a", 1)]
    runs = {
        "one": {"1": {"a": 3.0, "b": 2.0, "d": 1.0}, "2": {"a": 1.0}},
        "two": {"1": {"c": 3.0, "a": 2.0}, "2": {"a": 1.0}},
    }
    qrels = [dict(zip(columns, row, strict=True)) for row in rows]
    left = leave_groups_out(qrels, runs, ["alpha_nDCG@5", "P_IA@2", "AP"])
    for place, own in enumerate("bc"):
        cut = [row for row in qrels if row["document"] != own]
        found = rankwise.score(cut, runs, ["alpha_nDCG@5", "P_IA@2", "AP"]).value[:, place]
        assert left.without[:, place].tolist() == found.mean(axis=1).tolist()
        assert left.lost[place] == 1


def test_samples_go_together_with_what_only_the_own_group_found() -> None:
    """At each level each run has the score by the sample less its own group's judgments."""
    found = stability(
        MADE.qrels,
        MADE.runs,
        ["AP", "RankEff"],
        by="sample",
        at=[0.5],
        resamples=2,
        seed=4,
        groups=GROUPS,
        pool_depth=5,
    )
    given = Cuttable.of(rankwise.read(MADE.qrels, MADE.runs))
    names = np.array([GROUPS[run.name] for run in MADE.runs])
    tried = 0
    for repeat in range(2):
        draw = Draw.of(*(given.topic, given.grade, given.judgments.names), rel=1, seed=4 + repeat)
        for level, share in enumerate((0.5, 1.0)):
            for place, name in enumerate(names):
                own, others = pool_depths(given, names == name), pool_depths(given, names != name)
                keep = draw.kept(share) & ~((own <= 5) & (others > 5))
                scored = score_judged(given.where(keep), parse_all(["AP", "RankEff"])).mean()
                mine = scored.filter(run=MADE.runs[place].name)["value"].to_list()
                assert found.value[:, level, repeat, place].tolist() == pytest.approx(mine)
                tried += 1
    assert tried == 4 * len(names)
    full = rankwise.score(MADE.qrels, MADE.runs, ["AP", "RankEff"]).value.mean(axis=2)
    assert found.with_own is not None
    np.testing.assert_allclose(found.with_own.value[:, -1, 0], full)
    plain = stability(
        MADE.qrels, MADE.runs, ["AP", "RankEff"], by="sample", at=[0.5], resamples=2, seed=4
    )
    assert found.with_own.frame.equals(plain.frame)
    assert "own group" in found.caption
