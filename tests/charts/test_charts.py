"""Charts hold the data they show."""

from typing import Any

import pytest

from rankwise.published import Published

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

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


def test_figure_3_has_nine_panels_but_one() -> None:
    rows = published_panels().to_dict()["vconcat"]
    assert [len(row["hconcat"]) for row in rows] == [3, 3, 3]
    assert rows[-1]["hconcat"][0]["title"] == "p = 0.2, S = 0.2", "bottom left, as in the paper"
    drawn = [[len(panel["layer"]) > 1 for panel in row["hconcat"]] for row in rows]
    assert drawn == [[True] * 3, [True] * 3, [True, False, True]]


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

    data = alt.Data(values=[{"AP": 1, "metric": "AP"}, {"AP": 2, "metric": "GAP"}])
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
    from rankwise.charts.comparison import pair_heat_map
    from rankwise.charts.correlation import correlation_matrix
    from rankwise.charts.discrimination import discrimination_chart, power_bars, stacked
    from rankwise.charts.overview import judged_by_rank
    from rankwise.charts.scores import system_scores
    from rankwise.charts.stability import scores_by_run, scores_without_group, stability_curves
    from rankwise.experiments.stability import leave_groups_out

    made = rankwise.simulate(topics=6, systems=4, seed=1)
    given = (made.qrels, made.runs, ["AP", "RR"])
    methods = [
        rankwise.discriminate(*given, method=method, count=40)
        for method in ("bootstrap", "swap", "disjoint-swap")
    ]
    by_depth = rankwise.stability(*given, at=[1, 5], bounds=True)
    groups = {run.name: f"g{place // 2}" for place, run in enumerate(made.runs)}
    return {
        "scores": system_scores(rankwise.score(*given, bounds=True)),
        "pairs": pair_heat_map(rankwise.compare(*given[:2], "AP")),
        "correlation": correlation_matrix(rankwise.correlate(*given)),
        "discrimination": stacked([discrimination_chart(found) for found in methods]),
        "power": power_bars(methods[0].frame, "percent", "pairs"),
        "overview": judged_by_rank(rankwise.overview(*given[:2]).by_rank),
        "levels": stability_curves(by_depth),
        "runs": scores_by_run(by_depth),
        "groups": scores_without_group(leave_groups_out(*given, groups=groups)),
        "samples": stability_curves(rankwise.stability(*given, by="sample", at=[0.5], repeats=2)),
    }


def test_every_chart_is_valid_vega_lite_and_can_be_dark() -> None:
    """Drawing does not validate, for speed; here it is done."""
    for name, chart in charts_of_a_collection().items():
        chart.to_dict(validate=True)
        dark = drawn(chart, dark=True)
        assert dark["config"]["background"] == DARK["background"], name
        assert "#000000" not in str(dark) and "#0072B2" not in str(dark), name
        assert rendered(chart, "svg", dark=True).startswith(b"<svg"), name
