"""Sentences of comparisons without a difference, or without bounds."""

from typing import Any

import rankwise
from rankwise import Metric
from rankwise.rankings import JudgedRankings


def test_runs_without_a_defined_topic_in_common_have_a_sentence() -> None:
    runs = {"old": {"1": ["a"]}, "new": {"1": ["b"]}}
    sentence = rankwise.compare({"1": {"a": 0}}, runs, "AP").sentence()
    assert sentence.startswith("new and old have no topic with a defined AP in common.")
    assert "cannot change" not in sentence


def test_a_pair_that_can_only_become_equal_is_not_called_unresolved() -> None:
    """One run has a judged document that is not relevant where the other has an unjudged one."""
    qrels = {topic: {"r": 1, "n": 0, "n2": 0} for topic in "123456"}
    runs = {name: dict.fromkeys(qrels, top) for name, top in (("U", ["n", "u"]), ("A", ["r", "n"]))}
    compared = rankwise.compare(qrels, runs, "P@2")
    assert "can become equal" in str(compared.table())
    said = "The unjudged documents can make the two runs equal, but cannot reverse their order."
    assert said in compared.sentence()


class RankSum(Metric):
    """A metric of one's own: no range, no bounds."""

    def compute(self, judged: JudgedRankings) -> Any:
        return judged.total(judged.rank * (judged.grade > 0))


def test_a_metric_without_bounds_is_said_to_have_none() -> None:
    made = rankwise.simulate(topics=20, systems=3, seed=1)
    compared = rankwise.compare(made.qrels, made.runs, RankSum())
    summary = next(str(note) for note in compared.notes if note.kind == "summary")
    assert summary == "2 of 3 differences are significant; RankSum has no bounds"
    assert "; RankSum has no bounds for unjudged documents." in compared.sentence()


def test_a_metric_without_a_range_has_a_lower_bound_of_reversals() -> None:
    made = rankwise.simulate(topics=20, systems=3, seed=1)
    flips = rankwise.flips(made.qrels, made.runs, RankSum())  # a warning would be an error
    assert flips.frame.height == 3 and (flips.frame["at_least"] >= 1).all()
