"""How runs meet their judgments: where rankings end."""

import rankwise


def test_a_topic_without_judgments_does_not_tie_with_the_one_before_it() -> None:
    """Scores that go on unchanged in the next topic are no tie."""
    run = {"1": {"b": 3.0, "a": 1.0}, "2": {"z": 1.0}, "3": {"y": 1.0}}
    found = rankwise.score({"1": {"a": 1}, "3": {"y": 1}}, {"r": run}, "RR")
    assert found.value.ravel().tolist() == [0.5, 1.0]
