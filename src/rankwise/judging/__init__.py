"""Test collections: judgment coverage, judging depth, and judging plans."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rankwise.judging.collection_overview import (
        CUTOFFS as CUTOFFS,
        POOL_DEPTH as POOL_DEPTH,
        Overview as Overview,
        overview as overview,
    )
    from rankwise.judging.cutting import Cuttable as Cuttable
    from rankwise.judging.depth import (
        depth_for as depth_for,
        greatest_p as greatest_p,
        plan_depth as plan_depth,
        weight_left as weight_left,
        why_no_depth as why_no_depth,
    )
    from rankwise.judging.plan import JudgmentPlan as JudgmentPlan
    from rankwise.judging.plan_by_model import plan_resolution as plan_resolution
    from rankwise.judging.planning import (
        plan_judged as plan_judged,
        plan_judgments as plan_judgments,
    )
    from rankwise.judging.pools import holes as holes, pool as pool
    from rankwise.judging.sampled_pool import (
        SAMPLED_METRICS as SAMPLED_METRICS,
        SampledScores as SampledScores,
        read_sample as read_sample,
        sample_pool as sample_pool,
        score_sampled as score_sampled,
    )
    from rankwise.judging.samples import (
        SHARES as SHARES,
        Draw as Draw,
        check_share as check_share,
        sample_judgments as sample_judgments,
    )
    from rankwise.judging.topic_plan import (
        DEPTHS as DEPTHS,
        BudgetPlan as BudgetPlan,
        TopicPlan as TopicPlan,
        plan_budget as plan_budget,
        plan_topics as plan_topics,
    )
    from rankwise.rankings import write_template as write_template
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__, public=True)

__all__ = [
    "BudgetPlan",
    "JudgmentPlan",
    "Overview",
    "TopicPlan",
    "depth_for",
    "greatest_p",
    "holes",
    "overview",
    "plan_budget",
    "plan_depth",
    "plan_judgments",
    "plan_topics",
    "pool",
    "sample_judgments",
    "sample_pool",
    "score_sampled",
    "weight_left",
    "why_no_depth",
    "write_template",
]
