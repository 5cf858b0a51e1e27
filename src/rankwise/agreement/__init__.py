"""Agreement of judges on documents, and on the systems that are evaluated with their judgments."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rankwise.agreement.agreement import Agreement as Agreement, agree as agree
    from rankwise.agreement.cheap_labels import (
        CheapScores as CheapScores,
        score_cheap as score_cheap,
    )
    from rankwise.agreement.expert_plan import (
        ExpertPlan as ExpertPlan,
        plan_expert as plan_expert,
    )
    from rankwise.agreement.judge_scores import (
        JudgeScores as JudgeScores,
        score_by_judge as score_by_judge,
    )
    from rankwise.agreement.label_errors import (
        Flips as Flips,
        flips as flips,
        flips_of_judged as flips_of_judged,
    )
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
