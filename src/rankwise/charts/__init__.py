"""Altair charts, one subject per file; Altair is loaded when a chart is drawn."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rankwise.charts.bounds import (
        bounds_by_depth as bounds_by_depth,
        bounds_by_persistence as bounds_by_persistence,
    )
    from rankwise.charts.discrimination import (
        discrimination_chart as discrimination_chart,
        power_bars as power_bars,
        stacked as stacked,
    )
    from rankwise.charts.drawing import (
        altair as altair,
        check_installed as check_installed,
        rendered as rendered,
    )
    from rankwise.charts.of_results import chart_of as chart_of
    from rankwise.charts.overview import judged_by_rank as judged_by_rank
    from rankwise.charts.published import (
        decided_shares as decided_shares,
        published_curve as published_curve,
        published_panels as published_panels,
    )
    from rankwise.charts.scores import placed as placed, system_scores as system_scores
    from rankwise.charts.sizes import (
        sized as sized,
        sized_specification as sized_specification,
        untitled as untitled,
    )
    from rankwise.charts.stability import (
        order_curves as order_curves,
        score_curves as score_curves,
        scores_by_run as scores_by_run,
    )
    from rankwise.charts.user_model import weights_by_rank as weights_by_rank
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
