"""Scores by run, topic and metric, with bounds."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rankwise.scores.apply_metric import (
        bounds_with_elsewhere as bounds_with_elsewhere,
        bounds_with_other_runs as bounds_with_other_runs,
        check_lengths as check_lengths,
        check_shared_ties as check_shared_ties,
        counting_undefined as counting_undefined,
        scores_of as scores_of,
        unjudged_by_topic as unjudged_by_topic,
    )
    from rankwise.scores.confidence_intervals import (
        Confidence as Confidence,
        confidence as confidence,
    )
    from rankwise.scores.engine import (
        needs_of as needs_of,
        score_judged as score_judged,
    )
    from rankwise.scores.explanation import explain as explain
    from rankwise.scores.imported import (
        read_scores as read_scores,
        scores_from_matrices as scores_from_matrices,
        select_metrics as select_metrics,
    )
    from rankwise.scores.repeated_runs import variances_between_runs as variances_between_runs
    from rankwise.scores.score_tables import (
        ALL as ALL,
        captioned as captioned,
        how_to_read as how_to_read,
        long_form as long_form,
        paper_columns as paper_columns,
        row_order as row_order,
    )
    from rankwise.scores.scores import (
        LEAST_IN_GEOMETRIC_MEAN as LEAST_IN_GEOMETRIC_MEAN,
        NUGGETS as NUGGETS,
        Scores as Scores,
        over_common_topics as over_common_topics,
    )
    from rankwise.scores.scoring import (
        DEFAULT_METRICS as DEFAULT_METRICS,
        MetricsLike as MetricsLike,
        check_scores_alone as check_scores_alone,
        score as score,
        score_gains as score_gains,
        scores_of_input as scores_of_input,
    )
    from rankwise.scores.standardisation import standardise as standardise
    from rankwise.scores.weighting import weight_topics as weight_topics
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
