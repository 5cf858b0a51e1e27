"""Altair charts, one subject per file; Altair is loaded when a chart is drawn."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    # fmt: off
    # isort: off
    from rankwise.charts.drawing import check_installed, rendered
    from rankwise.charts.experiments import (
        discrimination_chart, order_curves, power_bars, score_curves, scores_by_run, stacked,
        weights_by_rank,
    )
    from rankwise.charts.judging import judged_by_rank
    from rankwise.charts.of_results import chart_of
    from rankwise.charts.published import decided_shares, published_curve, published_panels
    from rankwise.charts.scores import bounds_by_depth, bounds_by_persistence, placed, system_scores
    from rankwise.charts.sizes import sized, sized_specification, untitled
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
