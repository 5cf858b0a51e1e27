"""`agree`: the agreement of judges on documents and on systems."""

import numpy as np
import polars as pl
import pytest

from rankwise import CallError, InputError, Judges, agree, read, read_qrels, score
from rankwise.agreement import score_by_judge
from rankwise.arrays import Floats
from rankwise.stats.correlation import fisher_interval, kendall, tau_and_tau_ap, tau_ap

Nested = dict[str, dict[str, int]]


def two_judges(seed: int = 0, topics: int = 6) -> dict[str, Nested]:
    rng = np.random.default_rng(seed)
    human, model = {}, {}
    for topic in map(str, range(topics)):
        grades = rng.integers(0, 4, 12)
        other = np.clip(grades + rng.integers(-1, 2, 12), 0, 3)
        human[topic] = {f"d{n}": int(g) for n, g in enumerate(grades)}
        model[topic] = {f"d{n}": int(g) for n, g in enumerate(other)}
    return {"human": human, "model": model}


def some_runs(
    seed: int = 1, topics: int = 6, runs: int = 5
) -> dict[str, dict[str, dict[str, float]]]:
    rng = np.random.default_rng(seed)
    return {
        f"run{r}": {
            str(t): {f"d{n}": float(s) for n, s in enumerate(rng.random(14))} for t in range(topics)
        }
        for r in range(runs)
    }


def test_what_only_one_judged_is_counted_and_left_out() -> None:
    judges = two_judges()
    judges["human"]["0"]["only-human"] = 3
    judges["model"]["9"] = {"only-model": 1, "d1": 0}
    found = agree(judges)
    assert found.labels.alone == {"human": 1, "model": 2}
    assert found.labels.common.sum() == 72
    assert "1 by human, 2 by model" in " ".join(map(str, found.notes))
    assert found.frame.filter(statistic="agreement")["documents"].to_list() == [72]
    without = agree(two_judges())
    assert found.frame["value"].equals(without.frame["value"])


def test_documents_of_each_grade_are_counted() -> None:
    judges = two_judges()
    judges["human"]["0"]["only-human"] = 3
    by_grade = agree(judges).view("grades")
    human = [grade for grades in two_judges()["human"].values() for grade in grades.values()]
    assert by_grade["grade"].to_list() == sorted(set(human))
    assert by_grade["documents"].to_list() == [human.count(grade) for grade in sorted(set(human))]
    assert by_grade["topics"].to_list() == [6] * by_grade.height


def test_a_column_names_the_judges() -> None:
    judges = two_judges()
    rows = [
        {"topic": topic, "document": document, "grade": grade, "Annotator": name}
        for name, topics in judges.items()
        for topic, grades in topics.items()
        for document, grade in grades.items()
    ]
    table = pl.DataFrame(rows)
    assert agree(table).frame.equals(agree(judges).frame)
    with pytest.raises(InputError, match=r"judges disagree on \d+ documents.*majority, mean"):
        read_qrels(table)


def test_the_reference_comes_first() -> None:
    found = agree(two_judges(), reference="model")
    assert found.judges == ("model", "human")
    precision = found.frame.filter(statistic="precision at")["value"]
    recall = agree(two_judges()).frame.filter(statistic="recall at")["value"]
    assert precision.to_list() == pytest.approx(recall.to_list())
    with pytest.raises(CallError, match=r"no judge is called 'modle'\. Did you mean model"):
        agree(two_judges(), reference="modle")


def test_one_judge_is_refused() -> None:
    with pytest.raises(
        CallError, match=r"two judges or more are needed; only one is given \(human\)"
    ):
        agree({"human": two_judges()["human"]})
    with pytest.raises(CallError, match=r"two judges or more are needed; only one is given\. Give"):
        agree(two_judges()["human"])


def test_judges_without_common_documents_are_refused() -> None:
    with pytest.raises(CallError, match=r"no document is judged by two.*share 1 topic.*same names"):
        agree({"a": {"1": {"x": 1}}, "b": {"1": {"y": 1}}})
    with pytest.raises(CallError, match=r"no topic"):
        agree({"a": {"1": {"x": 1}}, "b": {"01": {"x": 1}}})


def test_a_judge_with_one_grade_makes_kappa_undefined() -> None:
    judges = two_judges()
    judges["model"] = {t: dict.fromkeys(grades, 1) for t, grades in judges["model"].items()}
    found = agree(judges)
    kappas = found.frame.filter(pl.col("statistic").str.starts_with("kappa"))
    assert kappas.height > 3 and kappas["value"].is_null().all()
    [note] = [each for each in found.notes if each.kind == "one-grade"]
    assert "model gave all documents the grade 1" in str(note)
    assert found.frame.filter(statistic="agreement")["value"][0] > 0
    assert "kappa undefined" in found.sentence()


def test_kappa_at_a_threshold_is_undefined_where_a_judge_is_always_on_one_side() -> None:
    judges = two_judges()
    judges["model"] = {
        t: {d: min(g, 2) for d, g in grades.items()} for t, grades in judges["model"].items()
    }
    at = agree(judges).frame.filter(statistic="kappa at")
    assert at["grade"].to_list() == [1, 2, 3]
    assert at["value"].is_null().to_list() == [False, False, True]
    assert at["naive_low"].is_null().to_list() == [False, False, True]


def test_a_judge_who_shares_no_document_is_named() -> None:
    alone = {"0": {"elsewhere": 1, "more": 0}}
    notes = agree(two_judges() | {"alone": alone}).notes
    assert [str(note) for note in notes if note.kind == "no-overlap"] == [
        "judges who share no document with another judge are excluded: alone"
    ]
    assert not [note for note in agree(two_judges()).notes if note.kind == "no-overlap"]


def test_scores_by_judge_say_where_topics_differ() -> None:
    judges = two_judges()
    judges["model"]["9"] = judges["model"].pop("0")  # as many topics, and not the same ones
    kinds = [note.kind for note in score_by_judge(judges, some_runs(), "AP").notes]
    assert "different-topics" in kinds
    kinds = [note.kind for note in score_by_judge(two_judges(), some_runs(), "AP").notes]
    assert "different-topics" not in kinds


def test_different_scales_are_said_or_refused() -> None:
    judges = two_judges()
    tenfold = {t: {d: 10 * g for d, g in grades.items()} for t, grades in judges["model"].items()}
    with pytest.raises(InputError, match=r"different scales: human 1, 2, 3 and model 10, 20, 30"):
        agree(judges | {"model": tenfold})
    with pytest.raises(InputError, match=r"human 1, 2, 3 and model 10, 20, 30"):
        agree(judges | {"model": tenfold, "other": judges["human"]})
    mapped = read_qrels(tenfold, gains={10: 1, 20: 2, 30: 3})
    assert agree(judges | {"model": mapped}).frame.equals(agree(judges).frame)
    binary = {
        t: {d: int(g > 1) for d, g in grades.items()} for t, grades in judges["model"].items()
    }
    notes = " ".join(map(str, agree(judges | {"model": binary}).notes))
    assert "different grades: human 0 to 3, model 0 to 1" in notes


def test_too_many_grades_are_refused() -> None:
    grades = {"1": {f"d{n}": n for n in range(60)}}
    with pytest.raises(InputError, match="60 different grades"):
        agree({"a": grades, "b": grades})


def test_intervals_over_topics_are_wider_where_topics_differ() -> None:
    """One judge is strict on half of the topics: documents of a topic err together."""
    human = {str(t): {f"d{n}": n % 2 for n in range(40)} for t in range(20)}
    model = {t: {d: g if int(t) % 2 else 0 for d, g in v.items()} for t, v in human.items()}
    row = agree({"human": human, "model": model}).frame.filter(statistic="agreement")
    wide, naive = (row[f"{a}high"][0] - row[f"{a}low"][0] for a in ("", "naive_"))
    assert wide > 2 * naive


def test_systems_are_scored_on_common_documents() -> None:
    judges, runs = two_judges(), some_runs()
    judges["human"]["0"]["d13"] = 3  # only one judge has it: unjudged for both
    found = agree(judges, runs, ["nDCG@5", "P@3"])
    ranks = found.view("ranks")
    common = {t: {d: g for d, g in v.items() if d != "d13"} for t, v in judges["human"].items()}
    for name, column in ((common, "first_score"), (judges["model"], "second_score")):
        scores = score(name, runs, ["nDCG@5", "P@3"]).to_dict()
        for row in ranks.iter_rows(named=True):
            assert row[column] == pytest.approx(scores[row["run"]][row["metric"]])


def test_fraction_grades_reach_the_systems() -> None:
    judges = {
        name: {t: {d: g / 4 for d, g in v.items()} for t, v in topics.items()}
        for name, topics in two_judges().items()
    }
    found = agree(judges, some_runs(), "nDCG@5")
    expected = score(judges["model"], some_runs(), "nDCG@5").to_dict()
    for row in found.view("ranks").iter_rows(named=True):
        assert row["second_score"] == pytest.approx(expected[row["run"]]["nDCG@5"])


def test_the_effect_of_a_label_is_that_of_changing_it() -> None:
    judges, runs = two_judges(), some_runs()
    found = agree(judges, runs, "nDCG@5").view("documents")
    base = score(judges["human"], runs, "nDCG@5").to_dict()
    assert found.height > 20 and found["effect"].is_sorted(descending=True)
    for row in found.iter_rows(named=True):
        changed = {t: dict(v) for t, v in judges["human"].items()}
        changed[row["topic"]][row["document"]] = row["second_grade"]
        scores = score(changed, runs, "nDCG@5").to_dict()
        moved = [abs(scores[run]["nDCG@5"] - base[run]["nDCG@5"]) for run in runs]
        assert row["effect"] == pytest.approx(np.mean(moved), abs=1e-9)
    assert (found["effect"] == 0).any()  # documents that no run has in its first 5


def test_differences_are_confirmed_denied_or_reversed() -> None:
    """Run up is better under human; under model down is, as clearly."""
    topics = [str(t) for t in range(12)]
    up = {t: {"a": 3.0 + 0.01 * int(t), "b": 2.0, "c": 1.0} for t in topics}
    down = {t: {"b": 3.0, "a": 2.0 if int(t) else 1.0, "c": 1.5} for t in topics}
    human = {t: {"a": 1, "b": 0, "c": 0} for t in topics}
    model = {t: {"a": 0, "b": 1, "c": 0} for t in topics}
    found = agree({"human": human, "model": model}, {"up": up, "down": down}, "RR")
    rows = found.view("differences")
    assert rows["outcome"].to_list() == ["denied"] or rows["outcome"].to_list() == ["reversed"]
    assert rows["opposite_sign"].to_list() == [True]
    same = agree({"human": human, "model": human}, {"up": up, "down": down}, "RR")
    assert set(same.view("differences")["outcome"]) == {"confirmed"}


def test_a_difference_that_one_judge_alone_finds() -> None:
    """Up is better on every topic under human; model calls nothing relevant but one tie."""
    topics = [str(t) for t in range(12)]
    up = {t: {"a": 3.0, "b": 2.0, "c": 1.0} for t in topics}
    down = {
        t: {"b": 3.0, "a" if int(t) % 3 else "c": 2.0, "c" if int(t) % 3 else "a": 1.0}
        for t in topics
    }
    human = {t: {"a": 1, "b": 0, "c": 0} for t in topics}
    model = {t: {"a": 1, "b": 1, "c": 0} for t in topics}
    runs = {"up": up, "down": down}
    found = agree({"human": human, "model": model}, runs, "RR")
    row = found.view("differences").row(0, named=True)
    assert (row["significant_under"], row["outcome"]) == ("human", "denied")
    assert "1 is not significant. " in found.summary("differences")[0]
    turned = agree({"model": model, "human": human}, runs, "RR")
    row = turned.view("differences").row(0, named=True)
    assert (row["significant_under"], row["outcome"]) == ("human", "denied")
    assert "0 differences are significant under model. " in turned.summary("differences")[0]
    assert "1 difference is significant only under human." in turned.summary("differences")[0]


def test_favours_add_up_to_nothing() -> None:
    favours = agree(two_judges(), some_runs(), "nDCG@5").view("favours")
    assert favours["favour"].sum() == pytest.approx(0, abs=1e-12)
    assert favours.height == 5 and (favours["corrected_p"] >= favours["p"]).all()


def test_a_judge_that_favours_a_run_is_found() -> None:
    """The model gives grade 3 to whatever run0 has first."""
    judges, runs = two_judges(topics=12), some_runs(topics=12)
    judges["model"] = {t: dict(v) for t, v in judges["human"].items()}
    for topic, scores in runs["run0"].items():
        best = max((d for d in scores if d in judges["model"][topic]), key=scores.__getitem__)
        judges["model"][topic][best] = 3
    first = agree(judges, runs, "P(rel=3)@3").view("favours").row(0, named=True)
    assert first["run"] == "run0" and first["favour"] > 0 and first["corrected_p"] < 0.05


def test_views_of_systems_need_runs() -> None:
    found = agree(two_judges())
    with pytest.raises(CallError, match="`show='ranks'` needs runs"):
        found.view("ranks")
    with pytest.raises(CallError, match="needs runs"):
        found.chart(systems=True)
    with pytest.raises(CallError, match="two runs or more"):
        agree(two_judges(), some_runs(runs=1))


def test_the_options_of_reading_hold() -> None:
    judges = two_judges()
    part = {name: {t: v for t, v in topics.items() if t in "12"} for name, topics in judges.items()}
    chosen = agree(read(judges, some_runs(), only_topics=["1", "2"]), metrics="nDCG@5")
    assert chosen.frame.equals(agree(part).frame)
    deep = agree(judges, some_runs(), "P@5").view("ranks")
    shallow = agree(read(judges, some_runs(), depth=5), metrics="P@10").view("ranks")
    expected = (2 * shallow["first_score"]).to_list()
    assert sorted(deep["first_score"].to_list()) == pytest.approx(sorted(expected))


def test_several_judges_with_gaps() -> None:
    judges = two_judges() | {"third": two_judges(3)["model"]}
    del judges["third"]["2"], judges["model"]["4"]
    found = agree(judges, some_runs(), "nDCG@5")
    pairs = found.frame.filter(statistic="kappa").select("first", "second").rows()
    assert pairs == [("human", "model"), ("human", "third"), ("model", "third")]
    assert found.view("judges")["judge"].to_list() == ["human", "model", "third"]
    assert found.view("systems")["second"].unique(maintain_order=True).to_list() == [
        "model",
        "third",
    ]
    assert "Krippendorff" in found.sentence() and "3 judges" in found.caption


def test_how_often_a_judge_differs_by_counting() -> None:
    judges = two_judges() | {"third": two_judges(3)["model"]}
    found = agree(judges).view("judges")
    for name, value in found.select("judge", "value").rows():
        others = [judges[other] for other in judges if other != name]
        shares = [
            np.mean([other[t][d] != grade for other in others])
            for t, grades in judges[name].items()
            for d, grade in grades.items()
        ]
        assert value == pytest.approx(np.mean(shares))


def test_many_rankings_at_once_are_each_by_itself() -> None:
    rng = np.random.default_rng(2)
    x: Floats = rng.random((20, 9))
    y: Floats = x + rng.random((20, 9))
    taus, aps = tau_and_tau_ap(x, y)
    for row in range(20):
        assert taus[row] == pytest.approx(kendall(x[row], y[row : row + 1])[0], abs=1e-12)
        assert aps[row] == pytest.approx(tau_ap(x[row], y[row : row + 1])[0], abs=1e-12)
    x, y = np.round(x, 1), np.round(y, 1)
    assert tau_and_tau_ap(x, y)[0][0] == pytest.approx(kendall(x[0], y[:1])[0], abs=1e-12)


def test_intervals_of_correlations_hold_the_value() -> None:
    draws = np.tanh(np.random.default_rng(0).normal(0.5, 0.2, (500, 2)))
    same = fisher_interval(np.array([0.5]), np.full((20, 1), 0.5), 30, 0.95)
    assert np.isnan(same).all()  # no interval of width 0
    low, high = fisher_interval(np.array([0.8, 1.0]), draws, 30, 0.95)
    assert low[0] < 0.8 < high[0] < 1 and np.isnan(low[1])


def test_the_result_shows_itself() -> None:
    found = agree(Judges(two_judges()), some_runs(), "nDCG@5")
    assert "Cohen's kappa" in repr(found) and "human and model" in found.caption
    for show in ("labels", "confusion", "grades", "judges", "systems", "ranks", "favours"):
        assert found.table(show=show).frame.height
    assert "Kendall's tau of system rankings: nDCG@5" in found.sentence()
    assert found.chart().to_dict() != found.chart(grades=True).to_dict()
    assert found.chart(systems=True).to_dict()


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(CallError, match="`alpha` must"):
        agree(two_judges(), alpha=2)
    with pytest.raises(CallError, match="`resamples` must be a whole number"):
        agree(two_judges(), resamples=0)
    with pytest.raises(CallError, match="measures effectiveness"):
        agree(two_judges(), some_runs(), "Judged@10")
