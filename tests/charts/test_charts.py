"""Charts hold the data they show."""

import json
from itertools import pairwise
from typing import Any

import polars as pl
import pytest
from calls import call

import rankwise
from rankwise.published import Published

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

from rankwise.charts import comparison
from rankwise.charts.drawing import DARK, drawn, rendered
from rankwise.charts.published import published_curve, published_pair, published_panels


def test_the_curve_has_a_range_two_vectors_and_the_point() -> None:
    drawn = published_curve(Published(0.8, 0.41)).to_dict()
    area, lines, point = drawn["layer"]
    assert len(area["data"]["values"]) == 99
    assert {row["vector"] for row in lines["data"]["values"]} == {"R_G", "R_L"}
    assert point["data"]["values"] == [{"p": 0.8, "score": 0.41}]


def test_figure_4_has_four_vectors() -> None:
    drawn = published_curve(Published(0.8, 0.41, 0.02)).to_dict()
    names = {row["vector"] for row in drawn["layer"][1]["data"]["values"]}
    assert names == {"R_G", "R_L", "R′_G", "R′_L"}


def test_a_mean_has_no_lines() -> None:
    assert len(published_curve(Published(0.8, 0.41, topics=50)).to_dict()["layer"]) == 2


@pytest.mark.slow
def test_figure_3_has_nine_panels_but_one() -> None:
    rows = published_panels().to_dict()["vconcat"]
    assert [len(row["hconcat"]) for row in rows] == [3, 3, 3]
    assert rows[-1]["hconcat"][0]["title"] == "p = 0.2, S = 0.2", "bottom left, as in the paper"
    drawn = [[len(panel["layer"]) > 1 for panel in row["hconcat"]] for row in rows]
    assert drawn == [[True] * 3, [True] * 3, [True, False, True]]


@pytest.mark.slow
def test_html_needs_no_server() -> None:
    page = rendered(published_curve(Published(0.8, 0.41)), "html").decode()
    assert "<script src=" not in page


def test_a_pair_has_two_areas_and_two_points() -> None:
    drawn = published_pair(Published(0.8, 0.41), Published(0.95, 0.33)).to_dict()
    areas, points = (layer["data"]["values"] for layer in drawn["layer"])
    names = ["A: RBP 0.41 at p = 0.8", "B: RBP 0.33 at p = 0.95"]
    assert sorted({row["score"] for row in areas}) == names
    assert [row["p"] for row in points] == [0.8, 0.95]


def test_names_are_replaced_in_data_and_titles_but_not_in_fields() -> None:
    import altair as alt

    rows = [{"AP": 1, "metric": "AP"}, {"AP": 2, "metric": "GAP"}]
    data = alt.Data(values=rows)  # type: ignore[no-untyped-call]
    x = alt.X("AP:Q", title="order by AP, not AP@10 or MAP")
    spec = drawn(alt.Chart(data).mark_bar().encode(x, alt.Y("metric:N")), names={"AP": "AveP"})
    assert [row["metric"] for row in spec["data"]["values"]] == ["AveP", "GAP"]
    assert spec["encoding"]["x"]["field"] == "AP"
    assert spec["encoding"]["x"]["title"] == "order by AveP, not AP@10 or MAP"


def test_bounding_vectors_differ_in_a_grey_print() -> None:
    lines = published_curve(Published(0.8, 0.41, 0.02)).to_dict()["layer"][1]
    dashes = lines["encoding"]["strokeDash"]["scale"]["range"]
    assert len({tuple(dash) for dash in dashes}) == 4


def charts_of_a_collection() -> dict[str, Any]:
    """Every kind of chart, small."""

    import rankwise
    from rankwise.charts.comparison import pair_heat_map, topic_differences
    from rankwise.charts.correlation import correlation_matrix
    from rankwise.charts.experiments import (
        discrimination_chart,
        power_bars,
        scores_by_run,
        scores_without_group,
        stability_curves,
        stacked,
    )
    from rankwise.charts.judging import judged_by_rank
    from rankwise.charts.scores import recall_precision, system_scores, topics_by_runs
    from rankwise.metrics import vary
    from rankwise.probable import predict

    made = rankwise.simulate(topics=6, systems=4, seed=1)
    given = (made.qrels, made.runs, ["AP", "RR"])
    five = rankwise.simulate(topics=6, systems=5, seed=1)
    likely = predict(five.qrels, five.runs, ["AP", "RR"], top=30, resamples=20)
    methods = [
        rankwise.discriminate(*given, method=method, resamples=40)
        for method in ("bootstrap", "swap", "disjoint-swap")
    ]
    by_depth = rankwise.stability(*given, at=[1, 5], bounds=True)
    groups = {run.name: f"g{place // 2}" for place, run in enumerate(made.runs)}
    return {
        "systems": system_scores(rankwise.score(*given)),
        "scores": rankwise.score(*given, bounds=True).chart(),
        "topics": topics_by_runs(rankwise.score(*given)),
        "curve": recall_precision(rankwise.score(*given[:2], ["IPrec@0", "IPrec@0.5", "IPrec@1"])),
        "baseline": topic_differences(
            rankwise.compare(*given[:2], ["AP", "SearchLength"], baseline="system1")
        ),
        "sweep": rankwise.compare(*given[:2], vary("RBP", "p=0.5,0.8")).over("p").chart(),
        "pairs": pair_heat_map(rankwise.compare(*given[:2], "AP")),
        "probable": likely.chart(),
        "probable pairs": likely.chart(pairs=True),
        "correlation": correlation_matrix(rankwise.correlate(*given)),
        "churn": rankwise.diff(made.runs[:3]).chart(),
        "slopes": rankwise.diff(made.runs[:2]).chart("1"),
        "discrimination": stacked([discrimination_chart(found) for found in methods]),
        "power": power_bars(methods[0].frame, "percent", "pairs"),
        "overview": judged_by_rank(rankwise.overview(*given[:2]).by_rank),
        "levels": stability_curves(by_depth),
        "runs": scores_by_run(by_depth),
        "groups": scores_without_group(rankwise.stability(*given, by="group", groups=groups)),
        "samples": stability_curves(rankwise.stability(*given, by="sample", at=[0.5], resamples=2)),
    }


@pytest.mark.slow
def test_every_chart_is_valid_vega_lite_and_can_be_dark() -> None:
    """Drawing does not validate, for speed; here it is done."""
    for name, chart in charts_of_a_collection().items():
        chart.to_dict(validate=True)
        dark = drawn(chart, dark=True)
        assert dark["config"]["background"] == DARK["background"], name
        assert "#000000" not in str(dark) and "#0072B2" not in str(dark), name
        assert rendered(chart, "svg", dark=True).startswith(b"<svg"), name


def panels_of(chart: Any) -> list[dict[str, Any]]:
    """The panels of a chart, in order, down to those that hold marks."""
    inside = [one for name in ("concat", "hconcat", "vconcat") for one in chart.get(name, [])]
    return [panel for one in inside for panel in panels_of(one)] or [chart]


def test_two_runs_are_drawn_topic_by_topic_from_the_greatest_difference_down() -> None:
    import rankwise

    made = rankwise.simulate(topics=9, systems=2, seed=1)
    found = rankwise.compare(made.qrels, made.runs, ["P@1", "SearchLength"])
    for panel, metric in zip(panels_of(found.chart().to_dict()), found.tested, strict=True):
        band, bars, whiskers, mean, _ = panel["layer"]
        rows = {row["topic"]: row for row in bars["data"]["values"]}
        order = bars["encoding"]["x"]["sort"]
        differences = [metric.sign * rows[topic]["difference"] for topic in order]
        assert len(order) == 9 and differences == sorted(differences, reverse=True)
        assert bars["encoding"]["y"]["scale"]["reverse"] == metric.less_is_better, "up is better"
        pair = found.frame.filter(metric=str(metric)).row(0, named=True)
        assert mean["data"]["values"] == [{"at": pair["difference"]}]
        ends = {"from": pair["conf_low"], "to": pair["conf_high"]}
        assert band["data"]["values"] == [ends]
        assert whiskers["mark"]["type"] == "rule", "bounds are thin lines"
        assert whiskers["encoding"]["y"]["field"] == "low"
        assert all(row["low"] <= row["difference"] <= row["high"] for row in rows.values())


def test_a_baseline_has_a_forest_plot_and_a_panel_for_every_other_run() -> None:
    import rankwise

    made = rankwise.simulate(topics=5, systems=6, seed=1)
    found = rankwise.compare(made.qrels, made.runs, "AP", baseline="system3", bounds=False)
    forest, *panels = panels_of(found.chart().to_dict())
    points = forest["layer"][-1]["data"]["values"]
    means = {row["a"]: row["difference"] for row in found.frame.iter_rows(named=True)}
    assert [row["a"] for row in points] == sorted(means, key=lambda run: -means[run])
    assert {row["a"]: row["difference"] for row in points} == means
    for row, frame in zip(
        points, found.frame.sort("difference", descending=True).to_dicts(), strict=True
    ):
        assert (row["conf_low"], row["conf_high"]) == (frame["conf_low"], frame["conf_high"])
    titles = [panel["title"]["text"] for panel in panels]
    assert titles == sorted(means, key=lambda run: -abs(means[run])), "the largest first"
    assert len(panels[0]["layer"]) == 4, "without bounds no whiskers"


def test_of_many_runs_the_ten_largest_differences_have_panels() -> None:
    import rankwise

    made = rankwise.simulate(topics=4, systems=14, seed=1)
    found = rankwise.compare(made.qrels, made.runs, "P@5", baseline="system01")
    forest, *panels = panels_of(found.chart().to_dict())
    assert len(panels) == 10 and len(forest["layer"][-1]["data"]["values"]) == 13


def test_bounds_that_say_nothing_are_not_in_the_forest_plot() -> None:
    import rankwise

    made = rankwise.simulate(topics=4, systems=4, depth=50, pool_depth=3, seed=1)
    layers = {
        metric: len(panels_of(found.chart().to_dict())[0]["layer"])
        for metric in ("AP", "P@1")
        for found in [rankwise.compare(made.qrels, made.runs, metric, baseline="system1")]
    }
    assert layers == {"AP": 3, "P@1": 4}
    for metric, said in (("AP", "are too wide to draw"), ("P@1", "Thin lines: bounds")):
        found = rankwise.compare(made.qrels, made.runs[:2], metric)
        [panel] = panels_of(found.chart().to_dict())
        fields = [one["encoding"]["y"]["field"] for one in panel["layer"]]
        assert ("low" in fields) is (metric == "P@1")
        assert said in " ".join(panel["title"]["subtitle"])


@pytest.mark.slow
def test_without_a_title_panels_keep_their_names() -> None:
    import rankwise
    from rankwise.charts import untitled

    made = rankwise.simulate(topics=4, systems=3, seed=1)
    two = rankwise.compare(made.qrels, made.runs[:2], "AP").chart()
    assert "title" in two.to_dict() and "title" not in untitled(two)
    several = rankwise.compare(made.qrels, made.runs, ["AP", "RR"], baseline="system1").chart()
    bare = untitled(several)
    names = [part["title"]["text"] for part in bare["vconcat"]]
    assert names == ["AP: difference from system1", "RR: difference from system1"]
    assert not any("subtitle" in part["title"] for part in bare["vconcat"])


def test_metrics_are_drawn_by_power_and_stability_and_plans_by_effort() -> None:
    import rankwise
    from rankwise.judging import plan_judgments

    made = rankwise.simulate(topics=6, systems=4, seed=1)
    chosen = rankwise.which_metric(made.qrels, made.runs, ["AP", "RR"], resamples=3)
    points = chosen.chart().to_dict(validate=True)["data"]["values"]
    assert {row["metric"]: row["significant"] for row in points} == dict(
        chosen.frame.select("metric", "significant").iter_rows()
    )
    for metric, column in (("AP", "unresolved"), ("P@10", "residual")):
        plan = plan_judgments(made.qrels, made.runs, metric, 20)
        rows = plan.chart().to_dict(validate=True)["data"]["values"]
        assert [row["value"] for row in rows][: plan.progress.height] == plan.progress[
            column
        ].to_list()
    nothing = plan_judgments({"1": {"a": 1}}, {"one": {"1": {"a": 1.0}}}, "P@10", 20)
    with pytest.raises(rankwise.CallError, match="no documents"):
        nothing.chart()


def test_a_range_is_drawn_with_its_interval_and_its_bounds() -> None:
    import rankwise
    from rankwise.metrics import vary

    made = rankwise.simulate(topics=6, systems=2, seed=1)
    metrics = vary("RBP", "p=0.5:0.9:0.1")
    found = rankwise.compare(made.qrels, made.runs, metrics).over("p")
    band, ends, _, _, line, points = found.chart().to_dict()["layer"]
    assert [row["value"] for row in band["data"]["values"]] == [0.5, 0.6, 0.7, 0.8, 0.9]
    assert (band["encoding"]["y"]["field"], ends["encoding"]["y"]["field"]) == ("conf_low", "low")
    assert line["encoding"]["y"]["field"] == points["encoding"]["y"]["field"] == "difference"


def test_more_pairs_than_one_can_look_at_are_refused() -> None:
    import rankwise
    from rankwise.metrics import vary

    made = rankwise.simulate(topics=3, systems=9, seed=1)
    found = rankwise.compare(made.qrels, made.runs, vary("RBP", "p=0.5,0.8")).over("p")
    with pytest.raises(rankwise.CallError, match="36 pairs of runs are too many to draw"):
        found.chart()


@pytest.mark.slow
def test_many_runs_are_all_named_and_no_line_joins_them() -> None:
    import rankwise

    qrels = {"1": {"a": 1}, "2": {"b": 1}}
    runs = {f"run{place:03}": {"1": {"a": 1.0}, "2": {"a": 2.0}} for place in range(129)}
    chart = rankwise.score(qrels, runs, ["P@1", "RR"]).chart()
    picture = rendered(chart, "svg").decode()
    assert all(f">{name}<" in picture for name in runs)
    marks = {
        layer["mark"]["type"] for panel in panels_of(chart.to_dict()) for layer in panel["layer"]
    }
    assert marks == {"rule", "point"}


def test_means_have_confidence_and_bounds_apart_and_better_is_to_the_right() -> None:
    import rankwise

    made = rankwise.simulate(topics=8, systems=3, seed=1)
    scores = rankwise.score(made.qrels, made.runs, ["P@1", "SearchLength"], bounds=True)
    panels = panels_of(scores.chart().to_dict())
    ends = [[layer["encoding"]["x"]["field"] for layer in panel["layer"]] for panel in panels]
    bounds = ["low", "low", "high"]  # a thin line, and its ends
    assert ends == [[*bounds, "conf_low", "value"]] * 2
    turned = [panel["layer"][0]["encoding"]["x"]["scale"]["reverse"] for panel in panels]
    assert turned == [False, True]


def test_the_ranks_that_a_run_may_have_are_beside_its_mean() -> None:
    made = rankwise.simulate(topics=30, systems=4, seed=2)
    scores = rankwise.score(made.qrels, made.runs, ["AP", "RR"])
    found = rankwise.confidence(scores, 0.95, ranks=True)
    drawn = found.chart().to_dict()
    for panel, metric in zip(drawn["hconcat"], ["AP", "RR"], strict=True):
        rows = found.frame.filter(metric=metric)
        spans = rows.select("run", "lowest_rank", "highest_rank").iter_rows()
        expected = {run: f"{a}–{b}" if a < b else str(a) for run, a, b in spans}
        labels = panel["layer"][-1]["data"]["values"]
        assert {row["run"]: row["ranks"] for row in labels} == expected and len(expected) == 4
    assert "Right: 95 % simultaneous confidence intervals of ranks." in drawn["title"]["subtitle"]
    assert len(rankwise.confidence(scores, 0.95).chart().to_dict()["hconcat"][0]["layer"]) == 2


@pytest.mark.parametrize("metric, drawn", [("AP", False), ("P@1", True)])
def test_wide_bounds_of_means_are_called_not_informative(metric: str, drawn: bool) -> None:
    made = rankwise.simulate(topics=4, systems=4, depth=50, pool_depth=3, seed=1)
    chart = rankwise.score(made.qrels, made.runs, metric, bounds=True).chart().to_dict()
    [panel] = panels_of(chart)
    fields = {layer["encoding"]["x"]["field"] for layer in panel["layer"]}
    assert ("low" in fields) is drawn
    assert ("too wide to draw" in " ".join(chart["title"]["subtitle"])) is not drawn
    assert all(layer["mark"]["type"] != "bar" for layer in panel["layer"]), "no slabs"


def colours_of_runs(chart: dict[str, Any]) -> dict[str, str]:
    """Return the colour of each run in a chart with a legend of runs."""
    layers = chart.get("layer", [chart])
    scales = [
        layer["encoding"]["color"]["scale"] for layer in layers if "color" in layer["encoding"]
    ]
    return dict(zip(scales[0]["domain"], scales[0]["range"], strict=True))


def test_a_run_has_the_same_colour_in_every_chart() -> None:
    """The older of two runs has the baseline's colour, whichever is better, also on the page."""
    from rankwise.charts.scores import bounds_by_persistence
    from rankwise.colours import BASELINE, ON_DARK, RUN
    from rankwise.metrics import vary
    from rankwise.reporting.page import page

    made = rankwise.simulate(topics=6, systems=2, seed=1)
    one, two = made.runs
    for old, new in ((one, two), (two, one)):
        expected = {old.name: BASELINE, new.name: RUN}
        curve = rankwise.score(made.qrels, [old, new], ["IPrec@0", "IPrec@1"])
        assert colours_of_runs(curve.chart().to_dict()) == expected
        found = rankwise.compare(made.qrels, [old, new], "P@5")
        bars = panels_of(found.chart().to_dict())[0]["layer"]
        colour = next(one["encoding"]["color"] for one in bars if "color" in one["encoding"])
        assert (colour["condition"]["value"], colour["value"]) == (RUN, BASELINE)
        line = rankwise.compare(made.qrels, [old, new], vary("RBP", "p=0.5,0.8")).over("p")
        marks = [one["mark"] for one in line.chart().to_dict()["layer"]]
        assert RUN in [mark.get("color") for mark in marks]
        rows = {"run": [old.name, new.name], "p": [0.5] * 2, "low": [0.1] * 2, "high": [0.2] * 2}
        frame = pl.DataFrame({**rows, "value": [0.15] * 2})
        ranges = bounds_by_persistence(frame).to_dict()
        assert colours_of_runs({"layer": ranges["layer"][-1:]}) == expected
        areas = [one["mark"]["color"] for one in ranges["layer"] if one["mark"]["type"] == "area"]
        assert areas == list(expected.values())
    style = page("", {}).partition("</style>")[0]
    assert f"--own: {RUN}; --base: {BASELINE};" in style
    assert f"--own: {ON_DARK[RUN]}; --base: {ON_DARK[BASELINE]};" in style
    assert style.count("--own:") == style.count("--base:") == 2, "assigned in one place"


def test_colours_of_runs_do_not_depend_on_their_order_by_score() -> None:
    from rankwise.colours import BASELINE, run_colours

    runs = [f"run{place}" for place in range(9)]
    colours = run_colours(runs, "run3")
    assert colours["run3"] == BASELINE and list(colours.values()).count(BASELINE) == 1
    assert len(set(list(colours.values())[:6])) == 6
    assert BASELINE not in run_colours(runs).values()


def test_levels_of_recall_are_drawn_as_a_curve() -> None:
    import rankwise

    made = rankwise.simulate(topics=4, systems=2, seed=1)
    scores = rankwise.score(made.qrels, made.runs, ["IPrec@0", "IPrec@0.5", "IPrec@1"])
    shown = scores.chart().to_dict()["data"]["values"]
    drawn = {(row["run"], row["recall"]): row["value"] for row in shown}
    means = scores.to_dict()
    assert drawn == {
        (run, level): means[run][f"IPrec@{level:g}"] for run in means for level in (0.0, 0.5, 1.0)
    }


def test_all_topics_of_all_runs_are_cells() -> None:
    import rankwise

    made = rankwise.simulate(topics=7, systems=3, seed=1)
    chart = rankwise.score(made.qrels, made.runs, "AP").chart(by_topic=True).to_dict()
    [panel] = panels_of(chart)
    assert len(chart["data"]["values"]) == 21
    by_topic: dict[str, list[float]] = {}
    for row in chart["data"]["values"]:
        by_topic.setdefault(row["topic"], []).append(row["value"])
    order = panel["encoding"]["x"]["sort"]
    means = [sum(by_topic[topic]) for topic in order]
    assert means == pytest.approx(sorted(means, reverse=True)), "the easiest first"


def test_the_runs_that_change_most_are_named() -> None:
    import polars as pl

    from rankwise.charts.experiments import _far_from_the_line

    steady: list[dict[str, Any]] = [
        {"run": f"r{place}", "x": place / 10, "y": place / 10 - 0.05} for place in range(8)
    ]
    same = [{"run": "out", "x": 0.5, "y": 0.1}]
    noise = [row | {"y": row["y"] + 0.001 * place} for place, row in enumerate(steady)]
    assert _far_from_the_line(pl.DataFrame(noise + same), "x", "y")["run"].to_list() == ["out"]
    assert _far_from_the_line(pl.DataFrame(noise), "x", "y").height == 0


@pytest.mark.slow
def test_groups_of_topics_are_drawn_one_below_the_other() -> None:
    made = rankwise.simulate(topics=6, systems=3, depth=20, seed=3)
    groups = {topic: "odd" if int(topic) % 2 else "even" for topic in map(str, range(1, 7))}
    grouped: dict[str, Any] = {"topic_groups": groups, "metrics": ["AP", "P@10"]}
    scores = call(rankwise.score, made.qrels, made.runs, **grouped)
    levels = [f"IPrec@{level / 10}" for level in range(11)]
    curves = call(rankwise.score, made.qrels, made.runs, **grouped | {"metrics": levels})
    pair = call(rankwise.compare, made.qrels, made.runs[:2], **grouped)
    pairs = call(rankwise.compare, made.qrels, made.runs, **grouped)
    all_of_them = ["all: 6 topics", "odd: 3 topics", "even: 3 topics"]
    for chart in (scores.chart(), curves.chart(), pair.chart(), pairs.chart()):
        assert [part["title"] for part in chart.to_dict()["vconcat"]] == all_of_them
    by_topic = scores.chart(by_topic=True).to_dict()
    assert [part["title"] for part in by_topic["vconcat"]] == all_of_them[1:]


def lightness(colour: str) -> float:
    """Return L* of a colour, from 0 to 100: how it is printed in grey."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    luminance = sum(a * b for a, b in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return 116 * luminance ** (1 / 3) - 16


def test_classes_of_a_pair_map_differ_in_a_grey_print() -> None:
    greys = sorted(map(lightness, [*comparison.BETTER, *comparison.WORSE, comparison.EVEN]))
    assert min(b - a for a, b in pairwise(greys)) > 7


def test_tiers_have_shapes_and_imported_metrics_their_own_names() -> None:
    made = rankwise.simulate(topics=12, systems=5, seed=3)
    found = rankwise.agree({"a": made.qrels, "b": made.qrels}, runs=made.runs, metrics="AP")
    text = json.dumps(found.chart(systems=True).to_dict())
    assert '"shape": {"field": "tier"' in text
    scores = rankwise.read_scores(rankwise.score(made.qrels, made.runs[:2], "PPlus@10").frame)
    drawn = json.dumps(rankwise.compare(scores).chart().to_dict(), ensure_ascii=False)
    assert "difference in P⁺@10" in drawn


def test_scores_by_topic_have_a_scale_of_roots_with_labels_within_the_scores() -> None:
    import rankwise

    made = rankwise.simulate(topics=6, systems=3, seed=1)
    scores = rankwise.score(made.qrels, made.runs, "AP")
    [panel] = panels_of(scores.chart(by_topic=True).to_dict())
    colour, values = panel["encoding"]["color"], scores.value.ravel()
    assert colour["scale"]["type"] == "sqrt"
    assert colour["legend"]["values"] == [
        tick for tick in (0, 0.1, 0.3, 0.6, 1) if values.min() <= tick <= values.max()
    ]


def test_panels_of_a_baseline_fill_their_rows() -> None:
    import rankwise

    made = rankwise.simulate(topics=4, systems=12, seed=1)
    columns = {}
    for count in (3, 4, 5, 8, 11):
        runs = made.runs[: count + 1]
        found = rankwise.compare(made.qrels, runs, "P@5", baseline=runs[0].name, bounds=False)
        _, by_topic = found.chart().to_dict()["vconcat"]
        columns[len(by_topic["concat"])] = by_topic["columns"]
    assert columns == {3: 3, 4: 4, 5: 3, 8: 4, 10: 5}


def test_a_long_explanation_of_bounds_is_as_wide_as_its_panels() -> None:
    import rankwise

    made = rankwise.simulate(topics=4, systems=3, seed=1)
    longest = {}
    for metrics in ("P@5", ["P@5", "P@3"]):
        scores = rankwise.score(made.qrels, made.runs, metrics, bounds=True)
        lines = scores.chart().to_dict()["title"]["subtitle"]
        assert any("Thin lines: bounds if" in line for line in lines)
        longest[len(scores.metrics)] = max(map(len, lines))
    assert longest[1] < 50 < longest[2] < 90


def test_the_chart_of_overrating_names_the_level_of_its_intervals() -> None:
    strict, lenient = ({"1": {"a": 1, "b": b}, "2": {"a": 1, "b": b}} for b in (0, 1))
    found = rankwise.agree({"strict": strict, "lenient": lenient}, alpha=0.1)
    subtitle = found.chart(grades=True).to_dict()["title"]["subtitle"]
    assert "90 % confidence intervals" in str(subtitle)
