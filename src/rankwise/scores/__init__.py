"""Scores by run, topic and metric, with bounds."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    # fmt: off
    # isort: off
    from rankwise.scores.apply_metric import (
        bounds_with_elsewhere, bounds_with_other_runs, check_lengths, check_shared_ties,
        scores_of, unjudged_by_topic,
    )
    from rankwise.scores.confidence_intervals import Confidence, confidence as confidence
    from rankwise.scores.engine import needs_of, score_judged
    from rankwise.scores.explanation import explain as explain
    from rankwise.scores.imported import (
        read_scores as read_scores, scores_from_matrices, select_metrics,
    )
    from rankwise.scores.parquet import cubes_of
    from rankwise.scores.repeated_runs import variances_between_runs
    from rankwise.scores.score_tables import (
        ALL, captioned, how_to_read, long_form, paper_columns, row_order,
    )
    from rankwise.scores.scores import (
        LEAST_IN_GEOMETRIC_MEAN, NUGGETS, Scores as Scores, over_common_topics,
    )
    from rankwise.scores.scoring import (
        DEFAULT_METRICS, MetricsLike, check_scores_alone, score as score,
        score_gains as score_gains, scores_of_input,
    )
    from rankwise.scores.standardisation import standardise as standardise
    from rankwise.scores.weighting import weight_topics as weight_topics
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
