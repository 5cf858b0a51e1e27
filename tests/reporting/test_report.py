"""What a report holds is what the verbs say, and names cannot leave their place."""

import base64
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from calls import call

import rankwise
import rankwise.reporting.collection
from rankwise import CallError, InputError, reporting, simulate
from rankwise.formats.titles import read_texts
from rankwise.judging import plan_judgments
from rankwise.probable import predict
from rankwise.rankings.join import judged_runs
from rankwise.reporting import Report, collection, numbers, page_report, rankings
from rankwise.reporting.page import MODULES, as_json, inside_script, joined_modules
from rankwise.simulation import Simulated

METRICS = ["nDCG@10", "AP", "RR"]


@pytest.fixture(scope="module")
def made() -> Simulated:
    return simulate(topics=6, systems=4, depth=30, pool_depth=5, seed=4)


@pytest.fixture(scope="module")
def written(made: Simulated, tmp_path_factory: pytest.TempPathFactory) -> reporting.Report:
    output = tmp_path_factory.mktemp("report") / "report.html"
    return rankwise.report(made.qrels, made.runs, METRICS, output=output, baseline="system3")


def unpacked(column: dict[str, Any]) -> np.ndarray:
    data = base64.b64decode(column["bytes"])
    return np.frombuffer(data, dtype=f"<{column['kind']}").reshape(column["shape"])


def same(column: dict[str, Any], expected: Any) -> bool:
    return np.allclose(unpacked(column).ravel(), np.ravel(expected), equal_nan=True, atol=1e-6)


def embedded(page: str) -> dict[str, Any]:
    return json.loads(json_of(page))


def json_of(page: str) -> str:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert found is not None
    return found[1]


def planned(made: Simulated, tmp_path: Path, metrics: list[str], **options: Any) -> dict[str, Any]:
    output = tmp_path / "report.html"
    found = call(rankwise.report, made.qrels, made.runs, metrics, output=output, **options)
    return found.data["collection"]["next"]["plans"][0]


@pytest.mark.parametrize(
    "metrics, way", [(["RBP(p=0.5)", "AP"], "weight"), (["AP", "RBP(p=0.5)"], "probable")]
)
def test_what_to_judge_next_is_the_plan_by_the_first_metric(
    made: Simulated, tmp_path: Path, metrics: list[str], way: str
) -> None:
    found = planned(made, tmp_path, metrics)
    plan = plan_judgments(made.qrels, made.runs, metrics[0], 100)
    assert (found["metric"], found["way"], found["why"]) == (metrics[0], way, "")
    assert found["documents"] == plan.frame.to_dict(as_series=False)
    assert found["course"] == plan.progress.to_dict(as_series=False)


def test_what_to_judge_next_resolves_pairs_with_the_baseline_given(
    made: Simulated, tmp_path: Path
) -> None:
    all_pairs = planned(made, tmp_path, ["AP"])
    ours = planned(made, tmp_path, ["AP"], baseline="system3")
    assert ours["way"] == "probable" and ours["documents"] != all_pairs["documents"]
    assert 0 < ours["course"]["unresolved"][0] < all_pairs["course"]["unresolved"][0]


def test_without_a_pool_the_plan_is_by_weight_and_the_page_says_why(
    made: Simulated, tmp_path: Path
) -> None:
    few = made.qrels.frame.group_by("topic", maintain_order=True).head(2)
    found = rankwise.report(few, made.runs, ["AP"], output=tmp_path / "report.html").data
    [shallow] = found["collection"]["next"]["plans"]
    assert (shallow["way"], shallow["metric"]) == ("weight", "DCG@100")
    assert shallow["why"].startswith("there is no plan by AP: ")


def test_the_page_holds_the_data_that_the_call_returns(written: reporting.Report) -> None:
    data = embedded(written.path.read_text(encoding="utf-8"))
    assert set(data) == {*written.data}
    assert data["runs"] == ["system1", "system2", "system3", "system4"]
    assert data["baseline"] == 2


def test_scores_and_means_are_those_of_score(made: Simulated, written: reporting.Report) -> None:
    scores = rankwise.score(made.qrels, made.runs, METRICS, bounds=True)
    for name, cube in scores.cubes.items():
        assert same(written.data["scores"][name], cube)
    means = rankwise.confidence(scores).frame
    for name in ("value", "low", "high", "conf_low", "conf_high"):
        assert same(written.data["means"][name], means[name].to_numpy()), name


def check_pairs(pairs: dict[str, Any], found: rankwise.comparison.Comparison) -> set[str]:
    """That the pairs of a report are those of a comparison; the states that occur."""
    frame = found.frame
    for name in ("difference", "conf_low", "conf_high", "p"):
        assert same(pairs[name], frame[name].to_numpy()), name
    verdicts = pairs["verdicts"]
    for name in ("low", "high", "gap"):
        assert same(verdicts[name], frame[name].to_numpy()), name
    states = [verdicts["states"][at] for at in unpacked(verdicts["state"]).ravel()]
    for state, row in zip(states, frame.iter_rows(named=True), strict=True):
        if state == "reversible":
            assert row["verdict"] == "undecided" and row["low"] < 0 < row["high"]
        elif state == "unresolved":
            assert row["verdict"] == "undecided" and row["gap"] > 0
        elif state == "tie":
            assert row["verdict"] == "undecided" and (row["low"] > -1e-9 or row["high"] < 1e-9)
        else:
            assert state == (row["verdict"] or "unknown")
    return set(states)


EVERY_FORM = ["nDCG", "P@10", "Recall", "Rprec", "SetF", "SetAP", "O", "Q@3"]


@pytest.mark.slow
@pytest.mark.parametrize("metrics", [METRICS, EVERY_FORM])
def test_pairs_are_those_of_compare(
    made: Simulated, tmp_path: Path, metrics: Sequence[str]
) -> None:
    data = rankwise.report(made.qrels, made.runs, metrics, output=tmp_path / "r.html").data
    found = rankwise.compare(made.qrels, made.runs, metrics)
    assert {"reversible", "unresolved"} & check_pairs(data["pairs"], found)


def test_pairs_of_trec8_are_those_of_compare(trec8: Path, tmp_path: Path) -> None:
    runs = sorted((trec8 / "runs").iterdir())[::25]
    asked = (trec8 / "trec8.qrels.gz", runs, ["AP", "nDCG@10", "P@10", "RR"])
    data = call(rankwise.report, *asked, output=tmp_path / "r.html", depth=100).data
    states = check_pairs(data["pairs"], call(rankwise.compare, *asked, depth=100))
    assert {"A", "B", "unresolved"} <= states
    assert len(set(data["collection"]["next"]["plans"][0]["documents"]["topic"])) > 10


def test_only_an_example_is_called_reversible(tmp_path: Path) -> None:
    """By P@2 all is exact: x can pass y, tie with it at most, or never reach it."""
    qrels = {"1": {"a": 1, "b": 0, "c": 1}}
    runs = {
        "x": {"1": {"a": 2, "b": 1}},
        "y": {"1": {"b": 2, "u": 1}},
        "z": {"1": {"b": 3, "n": 2}},
        "w": {"1": {"a": 3, "c": 2}},
    }
    data = rankwise.report(qrels, runs, "P@2", output=tmp_path / "r.html").data
    found = data["pairs"]["verdicts"]
    states = [found["states"][at] for at in unpacked(found["state"]).ravel()]
    assert states == ["tie", "tie", "B", "reversible", "B", "B"]


def test_a_report_advises_no_option_that_it_lacks(
    made: Simulated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numbers, "EFFORT", 0)  # nothing is searched
    done = rankwise.report(made.qrels, made.runs, "AP", output=tmp_path / "r.html")
    assert any("not resolved" in note for note in map(str, done.notes))
    assert not any("effort" in note for note in map(str, done.notes))


def test_labels_are_those_of_the_qrels_and_relevant_is_the_metric_s(tmp_path: Path) -> None:
    qrels = {"1": {"a": 0.99, "b": 0.49, "c": 0.5, "d": 0.0}}
    runs = {"x": {"1": {"a": 3, "b": 2, "d": 1}}, "y": {"1": {"c": 2, "u": 1}}}
    metrics = ["AP", "P(rel=0.99)@5", "Recall(rel=0.4)", "nDCG"]
    data = rankwise.report(qrels, runs, metrics, output=tmp_path / "r.html", rel=0.5).data
    [entry] = data["rankings"]["topics"]
    labels = dict(zip(entry["documents"], entry["grades"], strict=True))
    assert labels == {"a": 0.99, "c": 0.5, "b": 0.49, "d": 0, "u": None}
    assert entry["relevant"] == [2, 1, 3, 2]
    assert entry["documents"][:3] == ["a", "c", "b"]


@pytest.mark.slow
def test_what_is_probable_is_that_of_predict(tmp_path: Path) -> None:
    made = simulate(topics=6, systems=6, depth=30, pool_depth=5, seed=1)
    asked = ["AP", "Judged@10"]
    data = rankwise.report(
        made.qrels, made.runs, asked, output=tmp_path / "r.html", probable=True
    ).data
    found = predict(made.qrels, made.runs, "AP")
    low, high = found.ranges
    for name, expected in (("low", low), ("high", high), ("expected", found.expected)):
        ours = unpacked(data["probable"][name])
        assert np.allclose(ours[0], expected[0], atol=1e-6)
        assert np.isnan(ours[1]).all(), "a diagnostic has none"
    better = unpacked(data["probable"]["better"])[0]
    assert np.allclose(better, found.pairs()["better"].to_numpy(), atol=1e-6)
    assert any("the first 100 documents of each of these 6 runs" in note for note in data["notes"])
    with pytest.raises(CallError, match="predictions are not available for"):
        rankwise.report(
            made.qrels, made.runs, "Judged@10", output=tmp_path / "r.html", probable=True
        )
    with pytest.raises(CallError, match=r"cannot be combined with `topics=.common.`"):
        rankwise.report(
            rankwise.read(made.qrels, made.runs, undefined="zero"),
            metrics="AP",
            output=tmp_path / "r.html",
            probable=True,
        )


def test_the_assumption_sets_the_depth_of_the_prediction(tmp_path: Path) -> None:
    """A warning advises `unjudged="top=K"`: the page then predicts a pool of that depth."""
    made = simulate(topics=6, systems=6, depth=30, pool_depth=5, seed=1)
    runs, output = made.runs, tmp_path / "r.html"
    written = rankwise.report(
        *(made.qrels, runs, "AP"), output=output, probable=True, unjudged="top=8"
    )
    found = predict(made.qrels, runs, "AP", top=8)
    assert written.data["probable"]["top"] == 8
    assert np.allclose(unpacked(written.data["probable"]["low"]), found.ranges[0], atol=1e-6)
    assert written.data["probable"]["doubts"]
    deep = rankwise.report(made.qrels, runs, "AP", output=output, probable=True)
    *_, reach = deep.data["probable"]["doubts"]
    assert "more than 4 times the current depth" in reach and "top=" not in reach


def test_a_prediction_is_refused_before_the_work(
    made: Simulated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """129 runs of TREC-8 took ten seconds until then; the memory was also needed twice."""
    monkeypatch.setattr(page_report, "_gathered", lambda *_: pytest.fail("worked first"))
    first = made.qrels.frame.group_by("topic", maintain_order=True).first()
    with pytest.raises(CallError, match="too few documents are judged for a prediction"):
        rankwise.report(first, made.runs, "AP", output=tmp_path / "r.html", probable=True)


@pytest.mark.parametrize("baseline", ["system1", "system3"])
def test_p_is_corrected_in_the_family_of_each_baseline(
    made: Simulated, written: reporting.Report, baseline: str
) -> None:
    found = rankwise.compare(made.qrels, made.runs, METRICS, baseline=baseline).frame
    at = written.data["runs"].index(baseline)
    ours = np.delete(unpacked(written.data["pairs"]["corrected"])[:, at], at, axis=1)
    expected = found["corrected_p"].to_numpy()
    assert np.allclose(ours.ravel(), expected, equal_nan=True, atol=1e-6)


def test_p_of_other_pairs_is_corrected_over_all_pairs(
    made: Simulated, written: reporting.Report
) -> None:
    expected = rankwise.compare(made.qrels, made.runs, METRICS).frame["corrected_p"]
    assert same(written.data["pairs"]["corrected_all"], expected.to_numpy())


@pytest.mark.parametrize("options", [{}, {"test": "wilcoxon"}])
def test_sentences_to_copy_are_those_of_compare(
    made: Simulated, tmp_path: Path, options: dict[str, Any]
) -> None:
    """With the baseline, exactly; of other pairs, the numbers of all pairs."""
    asked = (made.qrels, made.runs, METRICS)
    data = call(rankwise.report, *asked, output=tmp_path / "r.html", baseline="system3", **options)
    sentences, names = data.data["pairs"]["sentences"], data.data["runs"]
    found = call(rankwise.compare, *asked, baseline="system3", **options)
    of_all = call(rankwise.compare, *asked, **options).frame
    pairs = [(a, b) for place, a in enumerate(names) for b in names[place + 1 :]]
    for metric, said in zip(METRICS, sentences["pairs"], strict=True):
        whole = found.sentence(metric=metric)
        for pair, text in zip(pairs, said, strict=True):
            if "system3" in pair:
                assert text in whole
            else:
                row = of_all.filter(metric=metric, a=pair[0], b=pair[1]).row(0, named=True)
                p = f"p = {row['corrected_p']:.4f}" if row["corrected_p"] >= 1e-4 else "p < 0.0001"
                assert p in text and f"{abs(row['conf_low']):.4f}" in text
                assert ("do not differ significantly" in text) == (not row["significant"])
        assert whole.endswith(sentences["closings"][0].removeprefix("Test: "))


def test_sentences_of_every_baseline_are_those_of_compare(made: Simulated, tmp_path: Path) -> None:
    """Those of the baseline of the report are also given among all pairs."""
    asked = (made.qrels, made.runs, METRICS)
    data = call(rankwise.report, *asked, output=tmp_path / "r.html", baseline="system3").data
    sentences, names = data["pairs"]["sentences"], data["runs"]
    for at, baseline in enumerate(names):
        found = call(rankwise.compare, *asked, baseline=baseline)
        for metric, said in zip(METRICS, sentences["families"], strict=True):
            row = said[at * len(names) : (at + 1) * len(names)]
            assert row[at] is None
            assert all(text in found.sentence(metric=metric) for text in row if text)
    of_all = call(rankwise.compare, *asked).frame
    for metric, said in zip(METRICS, sentences["without"], strict=True):
        for name, text in zip(names, said, strict=True):
            pair = (pl.col("a") == name) & (pl.col("b") == "system3")
            turned = (pl.col("b") == name) & (pl.col("a") == "system3")
            rows = of_all.filter(pl.col("metric") == metric, pair | turned)
            assert (text is None) == rows.is_empty()
            for row in rows.iter_rows(named=True):
                assert f"{abs(row['conf_low']):.4f}" in text
                assert ("do not differ significantly" in text) == (not row["significant"])


def test_differences_that_stay_significant_across_metrics_are_those_of_compare(
    made: Simulated, written: reporting.Report
) -> None:
    together = rankwise.compare(
        made.qrels, made.runs, METRICS, test=rankwise.TestOptions(family="all")
    ).frame
    across = written.data["pairs"]["across"]
    expected = together["corrected_p"].fill_null(np.nan).to_numpy() <= 0.05
    assert (unpacked(across["all"]).ravel() == expected).all() and expected.any()
    names = written.data["runs"]
    for at, baseline in enumerate(names):
        frame = rankwise.compare(
            *(made.qrels, made.runs, METRICS),
            baseline=baseline,
            test=rankwise.TestOptions(family="all"),
        ).frame
        ours = np.delete(unpacked(across["baselines"])[:, at], at, axis=1).ravel()
        assert (ours == (frame["corrected_p"].fill_null(np.nan).to_numpy() <= 0.05)).all()


def test_two_runs_have_the_sentence_of_compare(made: Simulated, tmp_path: Path) -> None:
    asked = (made.qrels, made.runs[:2], METRICS)
    sentences = rankwise.report(*asked, output=tmp_path / "r.html").data["pairs"]["sentences"]
    found = rankwise.compare(*asked)
    for metric, [text] in zip(METRICS, sentences["pairs"], strict=True):
        assert f"{text} {sentences['closings'][0]}" == found.sentence(metric=metric)


def test_of_many_pairs_those_with_the_baseline_have_sentences(
    made: Simulated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankwise.reporting.numbers.MOST_SENTENCES", 1)
    data = rankwise.report(made.qrels, made.runs, "AP", output=tmp_path / "r.html").data
    [said] = data["pairs"]["sentences"]["pairs"]
    assert sum(text is not None for text in said) == len(made.runs) - 1


@pytest.mark.parametrize("many", [False, True])
def test_intervals_belong_to_the_family_of_their_baseline(
    made: Simulated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, many: bool
) -> None:
    """They are those of compare with this baseline, as the corrected p-values are."""
    if many:
        monkeypatch.setattr("rankwise.reporting.numbers.MOST_FAMILIES", 1)
    asked = (made.qrels, made.runs, METRICS)
    data = rankwise.report(*asked, output=tmp_path / "r.html", baseline="system3").data
    families, names = data["pairs"]["families"], data["runs"]
    baselines = [names[one] for one in families["baselines"]]
    assert baselines == (["system3"] if many else names)
    for place, baseline in enumerate(baselines):
        found = rankwise.compare(*asked, baseline=baseline)
        assert families["interval"] == found.intervals.words
        for name in ("low", "high"):
            ours = unpacked(families[name])[:, place, found.first]
            expected = found.frame[f"conf_{name}"].to_numpy()
            assert np.allclose(ours.ravel(), expected, equal_nan=True, atol=1e-6)


def test_each_metric_has_its_plan_of_what_to_judge_next(made: Simulated, tmp_path: Path) -> None:
    metrics = ["Judged@10", "AP", "RBP(p=0.5)"]
    done = rankwise.report(made.qrels, made.runs, metrics, output=tmp_path / "r.html")
    plans, places, budget = done.data["collection"]["next"].values()
    assert budget == 100
    assert places == [None, 0, 1] and [plan["metric"] for plan in plans] == metrics[1:]
    for metric, plan in zip(metrics[1:], plans, strict=True):
        expected = plan_judgments(made.qrels, made.runs, metric, 100)
        assert plan["documents"] == expected.frame.to_dict(as_series=False)


def test_rankings_and_finds_are_those_of_the_runs(
    made: Simulated, written: reporting.Report
) -> None:
    """By a plain loop over the rows of each run."""
    grades = {(t, d): g for t, d, g in made.qrels.frame.iter_rows()}
    looked_at = 0
    for number, entry in enumerate(written.data["rankings"]["topics"]):
        topic, names = written.data["topics"][number], entry["documents"]
        assert entry["grades"] == [grades.get((topic, name)) for name in names]
        relevant = [d for (t, d), grade in grades.items() if t == topic and grade >= 1]
        (count,) = set(entry["relevant"])  # no metric has a threshold of its own
        assert set(names[:count]) == set(relevant)
        tops, found = unpacked(entry["top"]), unpacked(entry["found"])
        for at, run in enumerate(made.runs):
            rows = [(s, d) for t, d, s in run.frame.iter_rows() if t == topic]
            ranked = [d for s, d in sorted(rows, reverse=True)]
            assert [names[place - 1] for place in tops[at]] == ranked[: len(tops[at])]
            ranks = {name: rank + 1 for rank, name in enumerate(ranked)}
            assert found[:, at].tolist() == [ranks.get(d, 0) for d in names[:count]]
            looked_at += 1
    assert looked_at == 24


def test_contributions_are_counted_as_by_a_plain_loop(
    made: Simulated, written: reporting.Report
) -> None:
    sets = [set(run.frame.select("topic", "document").rows()) for run in made.runs]
    relevant = {(t, d) for t, d, g in made.qrels.frame.iter_rows() if g >= 1}
    found = written.data["collection"]["contributions"]
    for at, own in enumerate(sets):
        others = set().union(*(other for place, other in enumerate(sets) if place != at))
        assert unpacked(found["unique"])[at] == len(own - others)
        assert unpacked(found["unique_relevant"])[at] == len((own - others) & relevant)
        assert unpacked(found["relevant"])[at] == len(own & relevant)


def test_the_pool_is_counted_as_by_a_plain_loop(made: Simulated, written: reporting.Report) -> None:
    judged = set(made.qrels.frame.select("topic", "document").rows())
    pool = written.data["collection"]["pool"]
    assert pool["depth"] == [1, 5, 10, 20]
    for depth, documents, share in zip(
        pool["depth"], pool["documents"], pool["judged"], strict=True
    ):
        tops = rankwise.judging.pool(made.runs, depth).select("topic", "document").rows()
        assert documents == pytest.approx(len(tops) / 6)
        assert share == pytest.approx(len(judged & set(tops)) / len(tops))


def test_the_runs_are_joined_once(
    made: Simulated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also for the number of wrong judgments, which the page has for few runs."""
    joins = []

    def counted(*given: Any, **options: Any) -> Any:
        joins.append(given)
        return judged_runs(*given, **options)

    monkeypatch.setattr("rankwise.rankings.collection.judged_runs", counted)
    found = rankwise.report(made.qrels, made.runs, METRICS, output=tmp_path / "report.html")
    assert found.data["flips"]["rows"] and len(joins) == 1


def test_one_run_makes_a_report_without_pairs(made: Simulated, tmp_path: Path) -> None:
    done = rankwise.report(made.qrels, made.runs[0], "AP", output=tmp_path / "one.html")
    assert done.data["pairs"] is None
    assert done.data["collection"]["agreement"] is None


def test_depth_and_gains_and_common_topics_reach_the_page(tmp_path: Path) -> None:
    qrels = {"1": {"a": 1, "b": 2}, "2": {"c": 1}}
    runs = {"one": {"1": {"a": 2, "x": 1}, "2": {"c": 1}}, "two": {"1": {"x": 3, "b": 2, "a": 1}}}
    options: dict[str, Any] = {"topics": "common", "depth": 2, "gains": {1: 1, 2: 4}}
    done = call(rankwise.report, qrels, runs, "DCG@2", output=tmp_path / "r.html", **options)
    assert done.data["topics"] == ["1"]
    expected = call(rankwise.score, qrels, runs, "DCG@2", bounds=True, **options)
    assert same(done.data["scores"]["value"], expected.value)
    [entry] = done.data["rankings"]["topics"]
    assert unpacked(entry["found"]).tolist() == [[0, 2], [1, 0]], "b, then a; two has a third"


def test_what_does_not_fit_is_cut_with_a_word(
    made: Simulated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_report, "MOST_SCORES", 4 * 5)
    monkeypatch.setattr(rankings, "MOST_CELLS", 4 * 5 * 7)
    monkeypatch.setattr(rankings, "MOST_BYTES", 2000)
    monkeypatch.setattr(numbers, "MOST_VERDICTS", 1)
    done = rankwise.report(
        made.qrels, made.runs, "AP", output=tmp_path / "r.html", baseline="system2"
    )
    assert len(done.data["topics"]) == 5
    assert done.data["rankings"]["depth"] == 7
    assert len(done.data["rankings"]["topics"]) < 5
    assert unpacked(done.data["pairs"]["verdicts"]["b"]).tolist() == [1, 1, 1]
    told = " ".join(done.data["cut"])
    assert "first 5 of 6 topics" in told and "depth 7, not 20" in told
    assert any("pairs with system2" in note for note in map(str, done.notes))


def test_data_cannot_end_its_script() -> None:
    text = as_json({"name": "</script><!-- <b> \u2028"})
    assert "<" not in text
    assert json.loads(text) == {"name": "</script><!-- <b> \u2028"}
    assert "</script" not in inside_script('"</script>" + "</SCRIPT>" + "<!--"').lower()


HOSTILE = "evil\u202egnp\u2066.\u200ftxt\x85\x07"


def test_no_control_or_bidirectional_character_reaches_the_page_raw(tmp_path: Path) -> None:
    qrels = {HOSTILE: {f"d{HOSTILE}": 1, "b": 0}}
    runs = {f"{name}{HOSTILE}": {HOSTILE: {f"d{HOSTILE}": 2, "b": 1}} for name in "xy"}
    output = tmp_path / "r.html"
    done = rankwise.report(qrels, runs, "AP", output=output, title=f"t{HOSTILE}")
    page = output.read_text(encoding="utf-8")
    parts = (page.partition("<style>")[0], json_of(page))
    for part in parts:
        raw = {one for one in part if not one.isprintable()} - {"\n"}
        assert not raw, "head and data"
        assert "202e" in part
    data = embedded(page)
    assert data["runs"] == done.data["runs"] == list(runs), "escaped, and not lost"


def test_a_report_holds_no_folder_of_its_maker(made: Simulated, tmp_path: Path) -> None:
    folder = tmp_path / "secret"
    folder.mkdir()
    qrels, run = folder / "labels.qrels", folder / "bm25.run"
    rows = made.qrels.frame.with_columns(pl.col("grade") / 2)
    qrels.write_text("".join(f"{t} 0 {d} {g}\n" for t, d, g in rows.iter_rows()))
    lines = [f"{t} Q0 {d} 1 {s} bm25\n" for t, d, s in made.runs[0].frame.iter_rows()]
    run.write_text("".join([*lines, lines[0]]))
    only, output = folder / "topics.txt", tmp_path / "r.html"
    only.write_text("1\n2\n3\n4\n5\n")
    done = rankwise.report(
        rankwise.read(qrels, run, lenient=True, only_topics=only), metrics="AP", output=output
    )
    assert "secret" not in output.read_text(encoding="utf-8")
    assert [file["file"] for file in done.data["made"]["files"]] == ["labels.qrels", "bm25.run"]
    assert any(note.startswith("labels.qrels: fractional grades") for note in map(str, done.notes))
    assert any(note.startswith("bm25.run: skipped 1 duplicate") for note in map(str, done.notes))
    words = ["rankwise", "report", str(qrels), str(run), "-m", "AP", "-o", str(folder / "new.html")]
    said = "rankwise report labels.qrels bm25.run -m AP -o new.html"
    assert reporting.command_line(words) == said, "the file to write is not there yet"
    assert reporting.command_line([*words[:-1], f"--output={words[-1]}"]).endswith("=new.html")


def test_the_policy_names_the_scripts_that_are_there(written: reporting.Report) -> None:
    from hashlib import sha256

    page = written.path.read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None and policy[1].startswith("default-src 'none';")
    scripts = re.findall(r'<script(?: type="module")?>(.*?)</script>', page, re.S)
    assert len(scripts) == 1
    for script in scripts:
        assert base64.b64encode(sha256(script.encode()).digest()).decode() in policy[1]
    assert "http" not in policy[1] and "unsafe" not in policy[1]


def test_modules_import_only_what_others_export() -> None:
    script = joined_modules()
    assert not re.search(r"^(import|export) ", script, re.M)
    folder = Path(reporting.__file__).parent / "web"
    assert {file.stem for file in folder.glob("*.js")} == set(MODULES)
    imported = 0
    for name in MODULES:
        for names, other in re.findall(
            r'^import \{ (.*) \} from "\./(\w+)\.js";$', (folder / f"{name}.js").read_text(), re.M
        ):
            exports = re.findall(r"^export \w+ (\w+)", (folder / f"{other}.js").read_text(), re.M)
            assert set(names.split(", ")) <= set(exports), (name, other)
            assert MODULES.index(other) < MODULES.index(name)
            imported += 1
    assert imported > 30


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "topics.txt",
            "<top>\n<num> Number: 401\n<title> foreign\n minorities\n<desc> …\n</top>\n",
        ),
        ("topics.tsv", "401\tforeign minorities\n"),
        ("topics.csv", "qid,query\n401,foreign minorities\n"),
        ("topics.jsonl", '{"_id": "401", "text": "foreign minorities"}\n'),
    ],
)
def test_titles_are_read_from(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    assert read_texts(tmp_path / name, "topic", ["401"]) == {"401": "foreign minorities"}


def test_title_and_text_of_a_document_are_both_shown(tmp_path: Path) -> None:
    file = tmp_path / "corpus.jsonl"
    file.write_text('{"_id": "d1", "title": "T", "text": "says  it"}\n{"_id": "d2", "text": "x"}\n')
    assert read_texts(file, "document", ["d1", "d3"]) == {"d1": "T — says it"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("402\tother\n", "has no text for any topic of the report"),
        ("no tab here\n", "t.txt:1: the line has no tab"),
        (
            '{"a": 1}\n{"a": 2}\n',
            "needs a column of names (id, ",
        ),
        ('{"_id": "401", "text": "t"}\n[1]\n{', "t.txt:2: not a JSON object"),
    ],
)
def test_texts_that_cannot_be_used_are_refused(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "t.txt"
    file.write_text(content)
    with pytest.raises(InputError, match=re.escape(message)):
        read_texts(file, "topic", ["401"])


def test_wrong_arguments_are_refused(made: Simulated, tmp_path: Path) -> None:
    output = tmp_path / "r.html"
    for options, message in (
        ({"baseline": "sytem3"}, "`baseline='sytem3'`: no run has this name. Did you mean system3"),
        ({"top": 0}, "`top` must be a whole number, 1 or more, not 0"),
        ({"test": "tt"}, "`test` 'tt' is not one of"),
        ({"unjudged": "all"}, "`unjudged` 'all': 'all' is not a known assumption"),
        ({"unjudged": "own"}, "applies to a single run"),
    ):
        with pytest.raises(CallError, match=re.escape(message)):
            call(rankwise.report, made.qrels, made.runs, "AP", output=output, **options)
    assert not output.exists()


def test_two_runs_have_the_difference_of_compare_and_the_changes_of_diff(
    made: Simulated, tmp_path: Path
) -> None:
    runs = made.runs[:2]
    data = rankwise.report(made.qrels, runs, ["AP"], output=tmp_path / "two.html").data
    found = rankwise.diff(runs, ["P@10"])
    similarity = found.frame.filter(pl.col("metric").is_null())
    shown = {row["measure"]: row["value"] for row in data["changes"]["measures"]}
    assert shown == dict(similarity.select("measure", "value").iter_rows()) and len(shown) > 9
    ends = [(row["low"], row["high"]) for row in data["changes"]["measures"]]
    assert ends == similarity.select("conf_low", "conf_high").rows()
    assert ends[-1] == (None, None) != ends[0]  # changed@10, as the table of the command has it
    topics = [data["topics"][row["topic"]] for row in data["changes"]["topics"]]
    assert topics == found.most_changed(10)["topic"].to_list()
    pairs = {
        name: unpacked(data["pairs"][name]).item() for name in ("difference", "wins", "losses")
    }
    (row,) = rankwise.compare(made.qrels, runs, "AP", baseline=runs[1].name).frame.to_dicts()
    assert pairs["difference"] == pytest.approx(row["difference"], abs=1e-6) != 0
    assert (pairs["wins"], pairs["losses"]) == (row["wins"], row["losses"])
    ends = [unpacked(data["pairs"][name]).item() for name in ("conf_low", "conf_high")]
    assert ends == pytest.approx([row["conf_low"], row["conf_high"]], abs=1e-6)
    three = rankwise.report(made.qrels, made.runs[:3], ["AP"], output=tmp_path / "three.html")
    assert three.data["changes"] is None


def test_groups_are_compared_as_by_compare(tmp_path: Path) -> None:
    made = simulate(topics=12, systems=3, depth=30, pool_depth=5, seed=4)
    groups = {str(topic): ["tail", "head", "torso"][topic % 3] for topic in range(1, 13)}
    asked = rankwise.read(made.qrels, made.runs, topic_groups=groups)
    data = rankwise.report(asked, metrics=METRICS, output=tmp_path / "r.html").data
    ours = data["groups"]
    assert ours["names"] == ["head", "torso", "tail"], "in the order of the file"
    where = dict(zip(ours["names"], ours["topics"], strict=True))
    assert [data["topics"][place] for place in where["head"]] == ["1", "4", "7", "10"]
    found = rankwise.compare(asked, metrics=METRICS)
    means = rankwise.score(asked, metrics=METRICS)
    for place, name in enumerate(ours["names"]):
        part = found.by_group[name].frame
        for column in ("difference", "conf_low", "conf_high", "p", "low", "high", "wins"):
            expected = part[column].cast(float).fill_null(np.nan).to_numpy()
            got = unpacked(ours["pairs"][column])[:, place].astype(float).ravel()
            expected = np.nan_to_num(expected) if column == "wins" else expected
            assert np.allclose(got, expected, equal_nan=True, atol=1e-6), column
        values = unpacked(ours["means"]["value"])[:, place]
        assert np.allclose(values, means.by_group[name].totals["value"], atol=1e-6)


def test_notes_count_all_pairs_and_no_family_of_groups(tmp_path: Path) -> None:
    """The page corrects groups over the comparisons with one baseline, not over all pairs."""
    made = simulate(topics=12, systems=3, depth=30, pool_depth=5, seed=4)
    groups = {str(topic): "odd" if topic % 2 else "even" for topic in range(1, 13)}
    asked = rankwise.read(made.qrels, made.runs, topic_groups=groups)
    output = tmp_path / "r.html"
    done = rankwise.report(asked, metrics=METRICS, output=output, baseline="system1")
    assert any(str(note).startswith("among all pairs of runs, ") for note in done.notes)
    assert not any(note.kind == "group-family" for note in done.notes)
    assert done.data["pairs"]["family"] == "metric"


def test_documents_to_judge_have_the_runs_that_retrieved_them(
    made: Simulated, written: reporting.Report
) -> None:
    runs = {run.name: run.frame for run in made.runs}
    for plan in written.data["collection"]["next"]["plans"]:
        documents = plan["documents"]
        columns = (documents["topic"], documents["document"], plan["finders"])
        for topic, document, finders in zip(*columns, strict=True):
            found = {written.data["runs"][run] for run, _ in finders}
            assert found == {
                name
                for name, frame in runs.items()
                if frame.filter(topic=topic, document=document).height
            }
        best = [finders[0][1] for finders in plan["finders"]]
        assert best == documents["best_rank"]


@pytest.mark.parametrize("baseline", ["system1", "system2"])
def test_p_of_groups_is_corrected_in_the_family_of_each_baseline(
    tmp_path: Path, baseline: str
) -> None:
    made = simulate(topics=12, systems=3, depth=30, pool_depth=5, seed=4)
    groups = {str(topic): "odd" if topic % 2 else "even" for topic in range(1, 13)}
    asked = rankwise.read(made.qrels, made.runs, topic_groups=groups)
    data = rankwise.report(asked, metrics=METRICS, output=tmp_path / "r.html").data
    found = rankwise.compare(asked, metrics=METRICS, baseline=baseline)
    at = data["runs"].index(baseline)
    corrected = unpacked(data["groups"]["pairs"]["corrected"])[:, at]
    for place, name in enumerate(data["groups"]["names"]):
        ours = np.delete(corrected[:, place], at, axis=1).ravel()
        expected = found.by_group[name].frame["corrected_p"].fill_null(np.nan).to_numpy()
        assert np.allclose(ours, expected, equal_nan=True, atol=1e-6)


def test_p_of_groups_of_other_pairs_is_corrected_over_all_pairs(tmp_path: Path) -> None:
    made = simulate(topics=12, systems=3, depth=30, pool_depth=5, seed=4)
    groups = {str(topic): "odd" if topic % 2 else "even" for topic in range(1, 13)}
    asked = rankwise.read(made.qrels, made.runs, topic_groups=groups)
    data = rankwise.report(asked, metrics=METRICS, output=tmp_path / "r.html").data
    found = rankwise.compare(asked, metrics=METRICS)
    corrected = unpacked(data["groups"]["pairs"]["corrected_all"])
    for place, name in enumerate(data["groups"]["names"]):
        expected = found.by_group[name].frame["corrected_p"].fill_null(np.nan).to_numpy()
        assert np.allclose(corrected[:, place].ravel(), expected, equal_nan=True, atol=1e-6)


def test_of_many_pairs_groups_are_compared_with_the_baseline_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = simulate(topics=12, systems=4, depth=30, pool_depth=5, seed=4)
    file = tmp_path / "groups.txt"
    file.write_text("".join(f"{n}\t{'odd' if n % 2 else 'even'}\n" for n in range(1, 13)))
    asked = rankwise.read(made.qrels, made.runs, topic_groups=file)

    def made_report() -> Report:
        return rankwise.report(
            asked, metrics=METRICS, output=tmp_path / "r.html", baseline="system2"
        )

    whole = made_report()
    monkeypatch.setattr("rankwise.reporting.numbers.MOST_GROUPED", 10)
    few = made_report()
    pairs, all_pairs = few.data["groups"]["pairs"], whole.data["groups"]["pairs"]
    assert {*unpacked(pairs["a"]), *unpacked(pairs["b"])} == {0, 1, 2, 3}
    assert pairs["p"]["shape"] == [len(METRICS), 2, 3] != all_pairs["p"]["shape"]
    assert few.data["pairs"] == whole.data["pairs"]
    at = few.data["runs"].index("system2")
    ours, theirs = (unpacked(one["corrected"])[:, at] for one in (pairs, all_pairs))
    assert np.allclose(ours, theirs, equal_nan=True) and np.isfinite(ours).any()
    assert {one.kind for one in few.notes} == {one.kind for one in whole.notes}
    assert "groups.txt" in [one["file"] for one in few.data["made"]["files"]]


def test_queries_without_results_are_known(tmp_path: Path) -> None:
    qrels = {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}}
    runs = {"old": {t: {"a": 2, "b": 1, "c": 0} for t in "123"}, "new": {"1": {"a": 1}}}
    data = rankwise.report(qrels, runs, "RR", output=tmp_path / "r.html").data
    assert data["empty"] == [[], [1, 2]]
    assert data["runs"][data["baseline"]] == "old", "of two runs the first is the baseline"


def test_bounds_of_two_runs_by_topic_are_those_of_compare(made: Simulated, tmp_path: Path) -> None:
    data = rankwise.report(made.qrels, made.runs[:2], "P@10", output=tmp_path / "r.html").data
    found = rankwise.compare(made.qrels, made.runs[:2], "P@10")
    low, high = found.topic_bounds["P@10"]
    ours = data["topic_bounds"]
    assert data["runs"][ours["a"]] == found.frame["a"].item()
    assert np.allclose(unpacked(ours["low"]), low, atol=1e-6)
    assert np.allclose(unpacked(ours["high"]), high, atol=1e-6)


def test_the_example_of_a_reversal_reverses_it(made: Simulated, tmp_path: Path) -> None:
    """Every example, judged as it says: the other run is better by the metric itself."""
    metrics = ["AP", "nDCG@10", "RR", "P@10"]
    done = rankwise.report(
        made.qrels, made.runs, metrics, output=tmp_path / "r.html", baseline="system2"
    )
    found = rankwise.compare(made.qrels, made.runs, metrics, baseline="system2")
    known = {(t, d): g for t, d, g in made.qrels.frame.iter_rows()}
    reversible = sum(int(marks.sum()) for marks in found.reversible.values())
    assert len(done.data["examples"]) >= reversible - 2 > 3
    for example in done.data["examples"]:
        judged: dict[str, dict[str, float]] = {}
        for (topic, document), grade in known.items():
            judged.setdefault(topic, {})[document] = grade
        added = 0
        for of_topic in example["topics"]:
            name = done.data["topics"][of_topic["topic"]]
            for document in of_topic["documents"]:
                assert (name, document) not in known
                judged[name][document] = example["grade"]
                added += 1
        assert added == example["count"]
        a, b = (done.data["runs"][example[side]] for side in "ab")
        runs = {run.name: run for run in made.runs}
        metric = metrics[example["metric"]]
        for qrels, expected in ((made.qrels, example["now"]), (judged, example["reversed"])):
            means = rankwise.score(qrels, [runs[a], runs[b]], metric).to_dict()
            assert means[a][metric] - means[b][metric] == pytest.approx(expected, abs=1e-9)
        assert example["now"] * example["reversed"] < 0


def test_small_examples_of_further_pairs_are_listed(
    made: Simulated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = (made.qrels, made.runs, ["AP", "nDCG@10", "RR", "P@10"])
    whole = rankwise.report(*asked, output=tmp_path / "r.html").data["examples"]
    monkeypatch.setattr("rankwise.reporting.reversals.MOST_EXAMPLES", 1)
    most = sorted(each["count"] for each in whole[1:])[len(whole) // 2]
    monkeypatch.setattr("rankwise.reporting.reversals.MOST_LISTED", most)
    few = rankwise.report(*asked, output=tmp_path / "r.html").data["examples"]
    assert few == [whole[0], *(each for each in whole[1:] if each["count"] <= most)]
    assert 1 < len(few) < len(whole)


CONTRIBUTING = ["AP", "AP@10", "nDCG@10", "P@5", "RBP(p=0.8)", "Recall@10", "nDCG(dcg=exp-log2)"]


def test_contributions_are_those_of_explain(made: Simulated, tmp_path: Path) -> None:
    """By the factors on the page; a metric that is no sum of such products has none."""
    metrics = [*CONTRIBUTING, "RR", "Bpref", "RBP(p=0.8,ties=share)"]
    data = rankwise.report(made.qrels, made.runs, metrics, output=tmp_path / "r.html").data
    assert data["contributions"][len(CONTRIBUTING) :] == [None] * 3
    for metric, factors in zip(CONTRIBUTING, data["contributions"], strict=False):
        worth = unpacked(factors["worth"])
        for topic, run in ((0, made.runs[0]), (4, made.runs[2])):
            rows = rankwise.explain(made.qrels, run, metric, data["topics"][topic]).frame
            judged = rows.filter(pl.col("grade").is_not_null())
            rank, found = judged["rank"].to_numpy(), judged["contribution"].to_numpy()
            ours = worth[topic, np.searchsorted(data["labels"], judged["grade"])]
            if factors["weight"] is None:
                last = factors["cutoff"] or np.inf
                ranks = [j for j, one in zip(rank, ours, strict=True) if one and j <= last]
                ours = ours * [sum(1 / j for j in ranks if j >= one) for one in rank]
            else:
                weight = np.pad(unpacked(factors["weight"]), (0, int(rank.max())))
                ours = ours * weight[rank - 1]
            assert np.allclose(ours, found, atol=1e-6) and found.any(), metric


def test_the_example_of_wrong_judgments_reverses_the_difference(
    made: Simulated, tmp_path: Path
) -> None:
    done = rankwise.report(
        made.qrels, made.runs, METRICS, output=tmp_path / "r.html", baseline="system2"
    )
    topics, runs = done.data["topics"], {run.name: run for run in made.runs}
    listed = 0
    for row in done.data["flips"]["rows"]:
        if row["example"] is None:
            continue
        judged: dict[str, dict[str, int]] = {}
        for topic, document, grade in made.qrels.frame.iter_rows():
            judged.setdefault(topic, {})[document] = grade
        changes = row["example"]["judgments"]
        for topic, document, label, other in changes:
            assert judged[topics[topic]][document] == label != other
            judged[topics[topic]][document] = other
        a, b = (done.data["runs"][row[side]] for side in "ab")
        metric = METRICS[row["metric"]]
        after = rankwise.score(judged, [runs[a], runs[b]], metric).to_dict()
        difference = after[a][metric] - after[b][metric]
        assert difference == pytest.approx(row["example"]["reversed"], abs=1e-9)
        assert (difference < 0) == (row["better"] == a) and len(changes) == row["high"]
        listed += 1
    assert listed > 3


def test_the_wrong_judgments_are_those_of_flips(made: Simulated, tmp_path: Path) -> None:
    done = rankwise.report(
        made.qrels, made.runs, METRICS, output=tmp_path / "r.html", baseline="system2"
    )
    found = rankwise.flips(made.qrels, made.runs, METRICS, baseline="system2")
    expected = found.frame.to_dicts()
    ours = done.data["flips"]["rows"]
    assert len(ours) == len(expected) == 9
    for row, other in zip(ours, expected, strict=True):
        assert done.data["metrics"][row["metric"]]["name"] == other["metric"]
        assert (row["low"], row["high"]) == (other["at_least"], other["at_most"])
        assert done.data["runs"][row["a"]] == other["a"]


def test_wrong_judgments_that_take_long_are_not_counted(
    made: Simulated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RR has no formula for them: beyond a limit it is left out, and P@5 stays."""
    monkeypatch.setattr("rankwise.reporting.reversals.MOST_TRIED", 1)
    done = rankwise.report(made.qrels, made.runs, ["RR", "P@5"], output=tmp_path / "r.html")
    assert {row["metric"] for row in done.data["flips"]["rows"]} == {1}


def test_of_many_runs_the_plan_is_for_the_best(
    made: Simulated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "MOST_MODELLED", 10)
    monkeypatch.setattr(collection, "BEST", 2)
    done = rankwise.report(made.qrels, made.runs, "AP", output=tmp_path / "r.html")
    means = rankwise.score(made.qrels, made.runs, "AP").to_dict()
    best = sorted(means, key=lambda run: -means[run]["AP"])[:2]
    [shown] = done.data["collection"]["next"]["plans"]
    assert shown["way"] == "probable" and set(shown["runs"]) == set(best)
    few = [run for run in made.runs if run.name in best]
    plan = plan_judgments(made.qrels, few, "AP", 100)
    assert shown["documents"]["document"] == plan.frame["document"].to_list()


def test_several_judges_have_the_agreement_of_agree(made: Simulated, tmp_path: Path) -> None:
    second = made.qrels.frame.with_columns(
        grade=pl.when(pl.int_range(pl.len()) % 4 == 0).then(0).otherwise(pl.col("grade"))
    )
    judges = rankwise.Judges({"human": made.qrels, "llm": second}, "first")
    data = rankwise.read(judges, made.runs)
    ours = rankwise.report(data, metrics=METRICS, output=tmp_path / "r.html").data["judges"]
    found = rankwise.agree(data, metrics=METRICS)
    assert ours["sentence"] == found.sentence() and ours["judges"] == ["human", "llm"]
    assert ours["confusion"] == found.view("confusion").to_dicts()
    assert len(ours["ranks"]) == 3 * 4
    one = rankwise.report(made.qrels, made.runs, "AP", output=tmp_path / "one.html")
    assert one.data["judges"] is None


def test_notes_on_the_runs_are_not_repeated_for_the_judges(made: Simulated, tmp_path: Path) -> None:
    """Each run retrieves for a topic that nobody judged: one note in Methods, none per run."""
    judged = made.qrels.frame.filter(pl.col("topic") != "1")
    judges = rankwise.Judges({"human": judged, "llm": judged}, "first")
    output = tmp_path / "r.html"
    data = rankwise.report(rankwise.read(judges, made.runs), metrics="AP", output=output).data
    ignored = [note for note in data["notes"] if "1 topic without judgments is ignored" in note]
    assert len(ignored) == 1 and "each of 4 runs" in ignored[0]
    assert data["judges"]["notes"]
    assert not any("without judgments" in note for note in data["judges"]["notes"])


def test_a_report_on_scores_has_the_same_numbers_and_no_bounds(
    made: Simulated, written: reporting.Report, tmp_path: Path
) -> None:
    scores = rankwise.score(made.qrels, made.runs, METRICS)
    groups = {topic: f"g{place % 2}" for place, topic in enumerate(scores.topics)}
    output = tmp_path / "scores.html"
    page = rankwise.report(scores.with_groups(groups), output=output, baseline="system3").data
    assert page["judged"] is None and page["rankings"]["topics"] == []
    assert page["scores"].keys() == {"value"}
    for name in ("value", "conf_low", "conf_high"):
        assert page["means"][name] == written.data["means"][name]
    for name in ("difference", "p", "corrected", "wins", "conf_low"):
        assert page["pairs"][name] == written.data["pairs"][name]
    assert np.isnan(unpacked(page["pairs"]["verdicts"]["low"])).all()
    assert not unpacked(page["pairs"]["verdicts"]["state"]).any()
    assert page["groups"]["names"] == ["g0", "g1"]
    assert any("no bounds: bounds need judgments and rankings" in note for note in page["notes"])


def test_what_needs_rankings_is_refused_beside_scores(made: Simulated, tmp_path: Path) -> None:
    scores = rankwise.score(made.qrels, made.runs, METRICS)
    for option in ({"probable": True}, {"documents": "texts.tsv"}, {"unjudged": "open"}):
        with pytest.raises(CallError, match="needs judgments and rankings"):
            rankwise.report(scores, output=tmp_path / "no.html", **option)
    assert not (tmp_path / "no.html").exists()


def test_the_report_has_the_ranks_of_the_leaderboard(tmp_path: Path) -> None:
    made = rankwise.simulate(topics=12, systems=4, depth=8, pool_depth=4, seed=1)
    metrics = ["P@5", "Judged@5"]
    data = rankwise.report(made.qrels, made.runs, metrics, output=tmp_path / "r.html").data
    board = rankwise.compare(made.qrels, made.runs, metrics).leaderboard()
    order = {run: place for place, run in enumerate(data["runs"])}
    for name in ("lowest_rank", "highest_rank", "lowest_rank_both", "highest_rank_both"):
        ranks = unpacked(data["pairs"]["ranks"][name])
        assert ranks.shape == (2, 4) and np.isnan(ranks[1]).all()
        for run, rank in board.select("run", name).iter_rows():
            assert ranks[0, order[run]] == rank


def test_documents_of_the_better_run_can_reverse_a_recall(tmp_path: Path) -> None:
    """The worse run has no unjudged document: those that the better one has too low are judged."""
    qrels = {"1": {"r1": 1, "n1": 0}, "2": {"r1": 1, "n1": 0}, "3": {"r1": 1, "r2": 1, "n1": 0}}
    better = {"1": ["r1", "u1", "u2", "u3"], "2": ["n1"], "3": ["r1"]}
    worse = {"1": ["n1"], "2": ["r1"], "3": ["n1"]}
    runs = {
        name: {topic: {each: -rank for rank, each in enumerate(names)} for topic, names in of}
        for name, of in (("worse", worse.items()), ("better", better.items()))
    }
    output = tmp_path / "r.html"
    [example] = rankwise.report(qrels, runs, "Recall@1", output=output).data["examples"]
    assert example["now"] == pytest.approx(0.5 / 3) and example["count"] == 2
    assert example["topics"] == [{"topic": 0, "documents": ["u3", "u2"]}]
    judged = {**qrels, "1": {**qrels["1"], "u3": 1, "u2": 1}}
    means = rankwise.score(judged, runs, "Recall@1").to_dict()
    difference = means["better"]["Recall@1"] - means["worse"]["Recall@1"]
    assert example["reversed"] == pytest.approx(difference) and difference < 0
