"""Sakai (2007): metrics for finding one highly relevant document, on graded judgments."""

from collections.abc import Iterator
from itertools import product

import polars as pl

from rankwise.charts.discrimination import power_bars
from rankwise.charts.scores import placed, system_scores
from rankwise.errors import CallError
from rankwise.experiments.discrimination.gain_settings import crossed, tau_with_first
from rankwise.experiments.discrimination.result import discriminate
from rankwise.experiments.preferred_rank import preferred_ranks
from rankwise.metrics import parse_all
from rankwise.rankings.judged import JudgedRankings
from rankwise.scores.table import Scores, score_judged
from rankwise.stats.correlation import dense_ranks, kendall, sakai_least_tau
from rankwise.studies.material import Material
from rankwise.studies.paper import Figure, Paper

GRADED = {"PPlus": "P⁺", "PMeasure": "P", "O": "O"}
GAINS = "3:2:1 30:20:10 0.3:0.2:0.1 1:1:1 10:5:1"


def _names_with_gains() -> Iterator[tuple[str, str]]:
    """PPlus(gains={1:10,2:20,3:30}) is P⁺30:20:10 in the paper."""
    for (ours, theirs), table in product(GRADED.items(), GAINS.split()):
        rising = enumerate(reversed(table.split(":")), start=1)
        gains = ",".join(f"{grade}:{gain}" for grade, gain in rising)
        yield f"{ours}(gains={{{gains}}})", f"{theirs}{table}"


PAPER = Paper(
    "sakai-2007",
    "Sakai: On the properties of evaluation metrics for finding one highly relevant document. "
    "IPSJ Digital Courier 3, 2007.",
    "How alike O, P, P⁺, NWRR and RR are, and how well they tell systems apart, beside AP and Q.",
    parameters={
        "systems": 30,
        "resamples": 1000,
        "gains": GAINS,
    },
    names={
        **{ours: f"{theirs}-measure" for ours, theirs in GRADED.items()},
        "Q": "Q-measure",
        "AP": "AveP",
        **dict(_names_with_gains()),
    },
)
METRICS = ("RR", "NWRR", "O", "PMeasure", "PPlus", "AP", "Q")
ALPHA = 0.05
DIGITS = {"difference": 2, "percent": 1, "% of best": 1, "% reach": 1}


@PAPER.part("Table 1", section="5.1 Data", digits=1)
def collection(data: Material) -> pl.DataFrame:
    """The judgments: topics, relevant documents a topic, of them by grade; and the runs used,
    the best by mean average precision."""
    judged = _judged(data)
    topics = len(judged.topics)
    grades = range(_highest_grade(judged), 0, -1)
    counts = {f"grade {g}": judged.judged_count(g, g + 1)[:topics].mean() for g in grades}
    relevant = judged.judged_count(1)[:topics].mean()
    row = {"topics": topics, "relevant": relevant, **counts, "runs": len(judged.runs)}
    return pl.DataFrame([row])


@PAPER.part("Figure 8", section="5.1 Data")
def distribution(data: Material) -> Figure:
    """Mean average precision of the runs used, best first."""
    scores = score_judged(_judged(data), parse_all("AP"))
    return Figure(placed(scores), system_scores(scores))


@PAPER.part("Table 2", section="5.2 Rank correlation")
def rank_correlations(data: Material) -> pl.DataFrame:
    """Kendall's tau-b between the orders of runs by each pair of metrics. The last row has the
    tau from which on any two orders of these runs are related at the level of 0.01."""
    means = dense_ranks(_scores(data).pivot().select(METRICS).to_numpy().T)
    taus = {name: kendall(mean, means) for name, mean in zip(METRICS, means, strict=True)}
    frame = pl.DataFrame({"metric": METRICS, **taus}).fill_nan(None)
    least = sakai_least_tau(means.shape[1], 0.01) if means.shape[1] > 1 else None
    last = pl.DataFrame(
        {"metric": "threshold", METRICS[0]: least}, {"metric": pl.String, METRICS[0]: pl.Float64}
    )
    return pl.concat([frame, last], how="diagonal")


@PAPER.part("Table 3", section="5.3 Swap results", digits_of=DIGITS)
def swap_method(data: Material) -> pl.DataFrame:
    """The difference between two runs from which on no more than 5 % of comparisons are swapped
    on another set of topics, as a share of the greatest observed, and the percentage of
    comparisons that reach it."""
    return _found(data, "swap")


@PAPER.part("Figure 9", section="5.3 Swap results")
def swap_summary(data: Material) -> Figure:
    """The last column of Table 3: the discriminative power of each metric."""
    return _bars(_found(data, "swap"), "% reach", "comparisons that reach the difference (%)")


@PAPER.part("Table 4", section="5.4 Bootstrap sensitivity results", digits_of=DIGITS)
def bootstrap_sensitivity(data: Material) -> pl.DataFrame:
    """How many pairs of runs differ significantly at 0.05 by the paired bootstrap test, and
    the difference that it takes."""
    return _found(data, "bootstrap")


@PAPER.part("Figure 10", section="5.4 Bootstrap sensitivity results")
def sensitivity_summary(data: Material) -> Figure:
    """The share of pairs in Table 4: the discriminative power of each metric."""
    return _bars(_found(data, "bootstrap"), "percent", "pairs that differ significantly (%)")


@PAPER.part("Table 5", section="5.5 Changing gain values")
def correlations_of_gains(data: Material) -> pl.DataFrame:
    """Kendall's tau-b between the orders of runs with the default gains and with others."""
    taus = tau_with_first(_with_gains(data))
    return pl.DataFrame({"metric": list(taus), "tau": list(taus.values())}).fill_nan(None)


@PAPER.part("Table 6", section="5.5 Changing gain values", digits_of=DIGITS)
def sensitivity_of_gains(data: Material) -> pl.DataFrame:
    """Bootstrap sensitivity as in Table 4, with other gains."""
    return _discriminated(data, _with_gains(data), "bootstrap")


@PAPER.part("Table 7", section="Appendix: preferred ranks", others=("8", "9"))
def where_metrics_look(data: Material) -> pl.DataFrame:
    """For each topic the greatest preferred rank among the runs, and how many documents of
    each grade stand down to it, of all that are judged so."""
    return preferred_ranks(_judged(data))


def _judged(data: Material) -> JudgedRankings:
    """The best runs by mean average precision."""

    def best() -> JudgedRankings:
        wanted = int(data.parameters["systems"])
        order = data.scores("AP").pivot()["run"].to_list()[:wanted]
        return data.judged.where_runs([run in order for run in data.judged.runs])

    return data.once("best", best)


def _scores(data: Material) -> Scores:
    return data.once("scores", lambda: score_judged(_judged(data), parse_all(METRICS)))


def _with_gains(data: Material) -> Scores:
    """The metrics that have gains, each with each of the settings."""

    def scored() -> Scores:
        metrics = dict.fromkeys(crossed(parse_all(list(GRADED)), _gain_tables(data)))
        return score_judged(_judged(data), list(metrics))

    return data.once("gains", scored)


def _gain_tables(data: Material) -> list[str]:
    """The settings for the grades there are: of 3:2:1 the last two, where there are two."""
    grades = _highest_grade(data.judged)
    tables = [table.split(":") for table in str(data.parameters["gains"]).split()]
    if any(len(table) < grades for table in tables):
        what = f"the judgments go up to grade {grades}, the gains given to fewer"
        example = "`parameters={'gains': '4:3:2:1 1:1:1:1'}`"
        raise CallError(f"{what}: give as many in each, as {example}.")
    return [":".join(table[-grades:]) for table in tables]


def _highest_grade(judged: JudgedRankings) -> int:
    return int(judged.topic_grades.max(initial=1))


def _found(data: Material, method: str) -> pl.DataFrame:
    return data.once(method, lambda: _discriminated(data, _scores(data), method))


def _discriminated(data: Material, scores: Scores, method: str) -> pl.DataFrame:
    resamples = int(data.parameters["resamples"])
    found = discriminate(scores, method=method, alpha=ALPHA, count=resamples, seed=data.seed)
    return found.frame.drop("method", "alpha")


def _bars(frame: pl.DataFrame, column: str, title: str) -> Figure:
    return Figure(frame.select("metric", column), power_bars(frame, column, title))
