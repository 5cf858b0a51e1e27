"""Sakai (2007): metrics for finding one highly relevant document, on graded judgments."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import polars as pl

from rankwise import Discriminator, JudgedRankings, Mean, Scores, correlate, discriminate
from rankwise.charts import placed, power_bars, system_scores
from rankwise.errors import CallError, TooLittle
from rankwise.experiments.discrimination import crossed, tau_with_first
from rankwise.metrics import PMeasure, parse_all
from rankwise.stats import sakai_least_tau
from rankwise.studies.material import Material, once, scored
from rankwise.studies.paper import Figure, Paper
from rankwise.wording import Argument

GRADED = {"PPlus": "P⁺", "PMeasure": "P", "O": "O"}
GAINS = "3:2:1 30:20:10 0.3:0.2:0.1 1:1:1 10:5:1"
MOST_GRADES = 6  # for which settings have short names


def _gains_for(grades: int) -> str:
    """Return the paper's gain settings, which are for three grades, for any number of grades.

    With fewer grades, the settings are the gains of the lowest grades. With more grades, linear
    gains continue, and steep gains increase by 5: 4:3:2:1, 15:10:5:1, …
    """
    falling = range(grades, 0, -1)
    steep = [str(5 * (grade - 1) or 1) for grade in falling]
    linear = [[f"{share * grade:g}" for grade in falling] for share in (1, 10, 0.1)]
    return " ".join(map(":".join, [*linear, ["1"] * grades, steep]))


def _names_with_gains() -> Iterator[tuple[str, str]]:
    """Yield pairs of a metric's name and the paper's name for it.

    PPlus(gains={1:10,2:20,3:30}) is P⁺30:20:10.
    """
    tables = [table for grades in range(1, MOST_GRADES + 1) for table in _gains_for(grades).split()]
    for (ours, theirs), table in product(GRADED.items(), dict.fromkeys(tables)):
        rising = enumerate(reversed(table.split(":")), start=1)
        gains = ",".join(f"{grade}:{gain}" for grade, gain in rising)
        yield f"{ours}(gains={{{gains}}})", f"{theirs}{table}"


@once
def _judged(data: Material) -> JudgedRankings:
    """Return the rankings of the best runs by mean average precision, as many as `systems`."""
    wanted = int(data.parameters["systems"])
    best = data.scores("AP").pivot()["run"].to_list()[:wanted]
    return data.judged.where_runs([run in best for run in data.judged.runs])


@once
def _table_1(data: Material) -> dict[str, int | float]:
    judged = _judged(data)
    topics, grades = len(judged.topics), range(_highest_grade(judged), 0, -1)
    counts = {f"grade {g}": judged.judged_count(g, g + 1)[:topics].mean() for g in grades}
    relevant = judged.judged_count(1)[:topics].mean()
    return {"topics": topics, "relevant": relevant, **counts, "runs": len(judged.runs)}


def _facts(data: Material) -> list[float]:
    return [round(float(number), 1) for number in _table_1(data).values()]


PAPER = Paper(
    "sakai-2007",
    "Sakai: On the Properties of Evaluation Metrics for Finding One Highly Relevant Document. "
    "IPSJ Digital Courier 3, 2007.",
    "Rank correlation and discriminative power of O, P, P⁺, NWRR, RR, AP and Q.",
    parameters={"systems": 30, "resamples": 1000, "gains": GAINS},
    names={
        **{ours: f"{theirs}-measure" for ours, theirs in GRADED.items()},
        "Q": "Q-measure",
        "AP": "AveP",
        **dict(_names_with_gains()),
    },
    facts=_facts,
)
METRICS = ("RR", "NWRR", "O", "PMeasure", "PPlus", "AP", "Q")
ALPHA = 0.05
SUMMED_UP = ("AP", "Q", "PPlus")  # metrics of `other_means`
MEANS: dict[str, tuple[Discriminator, Mean]] = {
    "mean, paired": ("bootstrap", "arithmetic"),
    "geometric, unpaired": ("bootstrap", "geometric"),
    "geometric, paired": ("log-bootstrap", "geometric"),
    "area, unpaired": ("area-bootstrap", "arithmetic"),
}
DIGITS = {"difference": 2, "percent": 1, "% of best": 1, "% reach": 1}
DIGITS |= {f"{name}, disjoint": digits for name, digits in DIGITS.items()}


@PAPER.part("Table 1", section="5.1 Data", digits=1)
def collection(data: Material) -> pl.DataFrame:
    """Judgments: number of topics, and relevant documents per topic by grade. The runs used are the
    best by mean average precision.
    """
    return pl.DataFrame([_table_1(data)])


@PAPER.part("Figure 8", section="5.1 Data")
def distribution(data: Material) -> Figure:
    """Mean average precision of the runs used, best first."""
    scores = scored(_judged(data), "AP")
    return Figure(placed(scores), system_scores(scores))


@PAPER.part("Table 2", section="5.2 Rank correlation")
def rank_correlations(data: Material) -> pl.DataFrame:
    """Kendall's tau-a (equation 8: a tied pair counts neither for nor against) between the
    system rankings by each pair of metrics. The last row has the smallest tau that is
    significant at 0.01 for this number of runs.
    """
    runs = len(_judged(data).runs)
    if runs < 2:
        raise TooLittle("a correlation of rankings needs two runs or more; there is only one.")
    taus = correlate(_scores(data), coefficient="kendall-a").matrix()
    last = pl.DataFrame({"metric": "threshold", METRICS[0]: sakai_least_tau(runs, 0.01)})
    return pl.concat([taus.rename({taus.columns[0]: "metric"}), last], how="diagonal")


@PAPER.part("Table 3", section="5.3 Swap results", digits_of=DIGITS)
def swap_method(data: Material) -> pl.DataFrame:
    """The smallest difference between two runs from which on at most 5 % of the comparisons in any
    bin of differences (of width 0.01) are swapped on another set of topics. The difference is also
    given in percent of the best mean score of a run. The last column has the percentage of
    comparisons with at least this difference.
    """
    return _found(data, "swap")


@PAPER.part("Table 3 of halves", section="5.3 Swap results", digits_of=DIGITS)
def swap_halves(data: Material) -> pl.DataFrame:
    """The swap method on two kinds of sets of half the topics: drawn with replacement, and disjoint
    as in Voorhees and Buckley. The paper (section 2) considers both kinds equally good, and
    continues with sets of all topics.
    """
    half = len(_judged(data).topics) // 2
    if half < 1:
        raise TooLittle("two sets of topics need two topics or more; there is only one.")
    drawn, disjoint = (
        _discriminated(data, _scores(data), method, (half,)) for method in ("swap", "disjoint-swap")
    )
    columns = ["difference", "% of best", "% reach"]
    other = disjoint.select("metric", *[pl.col(c).alias(f"{c}, disjoint") for c in columns])
    return drawn.select("metric", "topics", *columns).join(other, on="metric", how="left")


@PAPER.part("Figure 9", section="5.3 Swap results")
def swap_summary(data: Material) -> Figure:
    """The last column of Table 3: the discriminative power of each metric."""
    return _bars(_found(data, "swap"), "% reach", "comparisons that reach the difference (%)")


@PAPER.part("Table 4", section="5.4 Bootstrap sensitivity results", digits_of=DIGITS)
def bootstrap_sensitivity(data: Material) -> pl.DataFrame:
    """Number of pairs of runs that differ significantly at 0.05 by the paired bootstrap test,
    and the difference required.
    """
    return _found(data, "bootstrap")


@PAPER.part("Other means", section="5.4 Bootstrap sensitivity results", digits_of=DIGITS)
def other_means(data: Material) -> pl.DataFrame:
    """Bootstrap sensitivity of three kinds of means. Arithmetic means are compared by the paired
    test. Geometric means are compared by the unpaired test that the paper names, and by the paired
    test of logarithms; the difference is then a difference of logarithms. The area over the worst
    quarter of the topics is compared by the unpaired test.
    """
    scores = scored(_judged(data), SUMMED_UP)
    frames = []
    for name, (method, mean) in MEANS.items():
        averaged = replace(scores, averaged=mean)
        found = _discriminated(data, averaged, method)
        frames.append(found.select("metric", pl.lit(name).alias("of"), pl.exclude("metric", "of")))
    return pl.concat(frames).sort(pl.col("metric").cast(pl.Enum(SUMMED_UP)), maintain_order=True)


@PAPER.part("Figure 10", section="5.4 Bootstrap sensitivity results")
def sensitivity_summary(data: Material) -> Figure:
    """Fraction of pairs in Table 4: the discriminative power of each metric."""
    return _bars(_found(data, "bootstrap"), "percent", "pairs that differ significantly (%)")


@PAPER.part("Table 5", section="5.5 Changing gain values")
def correlations_of_gains(data: Material) -> pl.DataFrame:
    """Kendall's tau-a between the system rankings with the default gains and with other gains."""
    taus = tau_with_first(_with_gains(data), ties="a")
    return pl.DataFrame({"metric": list(taus), "tau": list(taus.values())}).fill_nan(None)


@PAPER.part("Table 6", section="5.5 Changing gain values", digits_of=DIGITS)
def sensitivity_of_gains(data: Material) -> pl.DataFrame:
    """Bootstrap sensitivity as in Table 4, with other gains."""
    return _discriminated(data, _with_gains(data), "bootstrap")


@PAPER.part("Table 7", section="Appendix: preferred ranks", others=("8", "9"))
def where_metrics_look(data: Material) -> pl.DataFrame:
    """For each topic the largest preferred rank among the runs, and the number of documents of
    each grade down to it, out of all documents judged with that grade.
    """
    return preferred_ranks(_judged(data))


@once
def _scores(data: Material) -> Scores:
    return scored(_judged(data), METRICS)


@once
def _with_gains(data: Material) -> Scores:
    """Score the runs by the metrics that take gains, each with each of the settings."""
    metrics = dict.fromkeys(crossed(parse_all(list(GRADED)), _gain_tables(data)))
    return scored(_judged(data), list(metrics))


def _gain_tables(data: Material) -> list[str]:
    """Return the gain settings for the grades of the qrels: for two grades, the last two gains.

    The paper's settings are extended if there are more grades, unless others are requested.
    """
    grades = _highest_grade(data.judged)
    given = str(data.parameters["gains"])
    wanted = _gains_for(grades) if given == GAINS else given
    tables = [table.split(":") for table in wanted.split()]
    if any(len(table) < grades for table in tables):
        what = f"the judgments have grades up to {grades}, but a table has fewer gains"
        python = "parameters={'gains': '4:3:2:1 1:1:1:1'}"
        example = Argument("settings", "gains=4:3:2:1 1:1:1:1", python)
        each = "Give each table a gain for each grade, for example "
        raise CallError(f"{what}. {each}", example, ".")
    return [":".join(table[-grades:]) for table in tables]


def _highest_grade(judged: JudgedRankings) -> int:
    return int(judged.topic_grades.max(initial=1))


@once
def _found(data: Material, method: Discriminator) -> pl.DataFrame:
    return _discriminated(data, _scores(data), method)


def _discriminated(
    data: Material, scores: Scores, method: Discriminator, sizes: Sequence[int] = ()
) -> pl.DataFrame:
    resamples = int(data.parameters["resamples"])
    found = discriminate(
        scores, method=method, alpha=ALPHA, resamples=resamples, sizes=sizes, seed=data.seed
    )
    return found.frame.drop("method", "alpha")


def _bars(frame: pl.DataFrame, column: str, title: str) -> Figure:
    return Figure(frame.select("metric", column), power_bars(frame, column, title))


def preferred_ranks(judged: JudgedRankings, rel: int = 1) -> pl.DataFrame:
    """Return, for each topic, the run with the largest preferred rank.

    The preferred rank r_p of a ranking is the rank of its first document with the highest grade
    that it retrieves. There is one row per topic, with the run that has the largest r_p (the first
    of several), and this r_p. Each grade, highest first, has two columns: the number of documents
    of the run down to r_p, and the number of judged documents (`of`). If no run retrieves a
    relevant document, only the columns `topic` and `of` are not null.

    See Tables 7 to 9 of Sakai (IPSJ Digital Courier 3, 2007).
    """
    runs, topics = len(judged.runs), len(judged.topics)
    ranks = PMeasure(rel=rel).preferred_rank(judged)
    deepest = np.where(np.isfinite(ranks), ranks, 0.0).reshape(runs, topics)
    run = deepest.argmax(axis=0)
    deep = deepest.max(axis=0, initial=0.0).astype(np.int64)
    chosen = run * topics + np.arange(topics)
    down_to = judged.rows_where(judged.rank <= deep[judged.topic][judged.ranking])
    columns: dict[str, pl.Series] = {}
    for grade in np.unique(judged.topic_grades[judged.topic_grades >= rel])[::-1]:
        above = down_to.total(down_to.grade == grade)[chosen].astype(np.int64)
        columns[f"grade {grade}"] = pl.Series(above)
        columns[f"of {grade}"] = pl.Series(judged.judged_count(grade, grade + 1)[:topics])
    names = pl.Series(judged.runs).gather(run)
    frame = pl.DataFrame({"topic": judged.topics, "run": names, "rank": deep, **columns})
    none = [name for name in frame.columns if name != "topic" and not name.startswith("of ")]
    return frame.with_columns(pl.when(pl.Series(deep > 0)).then(pl.col(none)))
