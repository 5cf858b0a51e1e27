"""Sentences of comparisons without a difference."""

import rankwise


def test_runs_without_a_defined_topic_in_common_have_a_sentence() -> None:
    runs = {"old": {"1": ["a"]}, "new": {"1": ["b"]}}
    sentence = rankwise.compare({"1": {"a": 0}}, runs, "AP").sentence()
    assert sentence.startswith("new and old have no topic with a defined AP in common.")
    assert "cannot change" not in sentence
