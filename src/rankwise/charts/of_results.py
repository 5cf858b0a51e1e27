"""Registry of the charts of results, by the type of the result."""

from functools import singledispatch
from typing import Any

from rankwise.agreement import Agreement
from rankwise.charts.agreement import confusion_matrix, overrating_by_grade, scores_under_two_judges
from rankwise.charts.comparison import (
    MOST_ROWS,
    differences_over_range,
    forest_plot,
    pair_heat_map,
    topic_differences,
)
from rankwise.charts.correlation import correlation_matrix
from rankwise.charts.experiments import (
    discrimination_chart,
    error_rates,
    power_and_stability,
    scores_by_run,
    scores_without_group,
    stability_curves,
    views_by_rank,
)
from rankwise.charts.judging import effort_curve, judged_by_rank
from rankwise.charts.probable import probable_means, probable_pairs
from rankwise.charts.published import published_curve, published_pair
from rankwise.charts.scores import means_with_intervals, scores_chart
from rankwise.charts.similarity import churn_by_depth, slope_graph
from rankwise.comparison import Comparison, Sweep
from rankwise.correlation import Correlation
from rankwise.experiments import Calibration, MetricChoice, UserModel
from rankwise.experiments.discrimination import Discrimination
from rankwise.experiments.stability import LeftOut, Stability
from rankwise.judging import JudgmentPlan, Overview
from rankwise.probable import Prediction
from rankwise.published import Inversion, PublishedComparison
from rankwise.scores import Confidence, Scores
from rankwise.similarity import RunDiff


@singledispatch
def chart_of(result: object, **_: bool | str | None) -> Any:
    """Return the Altair chart of a result; the type of the result decides the kind of chart."""
    raise TypeError(f"{type(result).__name__} has no chart.")


@chart_of.register
def _(result: Scores, *, by_topic: bool = False) -> Any:
    return scores_chart(result, by_topic=by_topic)


@chart_of.register
def _(result: Comparison) -> Any:
    few = result.tested and len(result.first) <= MOST_ROWS
    if result.options.margin is not None and few and not result.by_group:
        return forest_plot(result)
    return topic_differences(result) if result.topics_can_be_shown else pair_heat_map(result)


@chart_of.register
def _(result: Agreement, *, grades: bool = False, systems: bool = False) -> Any:
    if systems:
        return scores_under_two_judges(result)
    return overrating_by_grade(result) if grades else confusion_matrix(result)


@chart_of.register
def _(result: RunDiff, *, topic: str | None = None) -> Any:
    return churn_by_depth(result) if topic is None else slope_graph(result, topic)


@chart_of.register
def _(result: Overview) -> Any:
    return judged_by_rank(result.by_rank)


@chart_of.register
def _(result: Prediction, *, pairs: bool = False) -> Any:
    return probable_pairs(result) if pairs else probable_means(result)


@chart_of.register
def _(result: Inversion) -> Any:
    return published_curve(result.printed, result.method)


@chart_of.register
def _(result: PublishedComparison) -> Any:
    return published_pair(result.a, result.b, result.method)


@chart_of.register
def _(result: Stability, *, by_run: bool = False) -> Any:
    return scores_by_run(result) if by_run else stability_curves(result)


chart_of.register(Calibration, error_rates)
chart_of.register(Confidence, means_with_intervals)
chart_of.register(Correlation, correlation_matrix)
chart_of.register(Discrimination, discrimination_chart)
chart_of.register(JudgmentPlan, effort_curve)
chart_of.register(MetricChoice, power_and_stability)
chart_of.register(LeftOut, scores_without_group)
chart_of.register(Sweep, differences_over_range)
chart_of.register(UserModel, views_by_rank)
