"""Arguments and options of the commands that score runs."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from rankwise.cli.options.base import argument, flag, option, refuse
from rankwise.cli.options.paper import PAPER
from rankwise.cli.options.reading import (
    COMPLETE_RUNS,
    DEPTH,
    GAINS,
    TOPICS,
    OwnMetrics,
    Parts,
    Reading,
    metrics_option,
    run_given,
    runs_given,
)
from rankwise.cli.output import Printed, print_notes
from rankwise.vocabulary import (
    Assumption,
    Combination,
    Correction,
    Engine,
    Mean,
    MeanInterval,
    Scale,
    Test,
    Topics,
    Undefined,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankwise.metrics import Metric, MetricLike
    from rankwise.probable import Prediction
    from rankwise.rankings import Collection, NamedRun
    from rankwise.scores import Scores

STANDARDISED, SPARK = ("standardise", "reference"), ("engine", "master")
POWER = ("power", "at_power", "at_topics", "at_difference")
NOT_WITH_SCORES = (
    *("gains", "gain_tables", "rel", "reference", "with_qrels", "lengths", "topics"),
    *("order", "depth", "complete_runs", "lenient", "only_topics", "drop_self", "map_documents"),
    *("columns", "subset", "split", "judge", "judges", "subtopic_weights"),
)
NOT_WITH_CHEAP = (
    *("matrices", "weights", "probable", "chart", "by_topic", "bounds", "recall_precision"),
    *("by_judge", "over", "flips", "margin", "ranks", "clusters", "systems"),
    *(*STANDARDISED, *SPARK, *POWER, *PAPER),
)
NOT_WITH_PROBABLE = (
    *("matrices", "weights", "complete_runs", "topics", "mean", "undefined", "lengths"),
    *("topic_groups", "only_topics", "drop_self", "map_documents", "by_topic", "bounds"),
    *("recall_precision", "confidence", "ranks", "over", "effort", "baseline", "test"),
    *("family", "interval", "margin", "clusters", "systems", "zeros", "no_continuity"),
    *("raw_ranks", "resamples", *STANDARDISED, *SPARK, *POWER, *PAPER),
)
METRIC_HELP = (
    "Metric, or several: AP,nDCG@10. Also AP(rel=2)@100, RBP(p=0.8), and trec_eval's names: map, "
    "ndcg_cut_10.  [default: AP,nDCG@10,P@10,RR"
)
MEAN = option(
    "Mean over topics. The geometric mean of AP is GMAP.", choices=Mean, default="arithmetic"
)
WEIGHTS_HELP = (
    "Weights of topics in means and tests, e.g. the frequency of queries. FILE has two "
    "columns: topic and weight."
)


class Scored(Reading, Parts, OwnMetrics):
    """QRELS, RUN... and the options for scoring them."""

    qrels: str | None = argument("QRELS")
    runs: "tuple[str | NamedRun, ...]" = argument("RUN...", nargs=-1, callback=runs_given)
    metrics: tuple[str, ...] = metrics_option(METRIC_HELP + "]")
    judge: tuple[str, ...] = option(
        "Judgments of another judge, in addition to QRELS. Repeatable.",
        multiple=True,
        metavar="[NAME=]QRELS",
    )
    judges: "Combination | None" = option(
        "How to combine the grades of several judges: --judge, or a column `judge` of QRELS.",
        choices=Combination,
    )
    subtopic_weights: str | None = option(
        "Weights of subtopics. FILE has three columns: topic, subtopic and weight.  [default: "
        "equal weights]",
        metavar="FILE",
    )
    topics: Topics = TOPICS
    depth: int | None = DEPTH
    gains: str | None = GAINS
    complete_runs: bool = COMPLETE_RUNS
    # Options that only some of the commands have.
    topic_groups: str | None = None
    lengths: str | None = None
    weights: str | None = None
    undefined: Undefined = "skip"
    mean: Mean = "arithmetic"
    rel: float = 1

    def parsed_metrics(self) -> "tuple[Metric, ...]":
        """Return the metrics of -m, or the default metrics."""
        from rankwise.metrics import parse_all
        from rankwise.scores import DEFAULT_METRICS

        return tuple(parse_all(self.metrics or DEFAULT_METRICS, self.rel))

    def collection(self) -> "Collection":
        """Return the judgments and runs with the options for reading them."""
        qrels: Any = self.qrels
        if self.subtopic_weights is not None:
            from rankwise.rankings import Subtopics

            qrels = Subtopics(self.with_columns(qrels, is_run=False), self.subtopic_weights)
        elif self.judge or self.judges is not None:
            from rankwise.rankings import Judges

            named = [run_given(None, None, one) for one in (qrels, *self.judge)]
            sources = [self.with_columns(one, is_run=False) for one in named]
            qrels = Judges(sources if len(sources) > 1 else sources[0], self.judges)
        return self.collection_of(qrels, self.runs)

    def scores(
        self,
        *,
        bounds: bool = False,
        unjudged: str = "retrieved",
        metrics: "Sequence[MetricLike]" = (),
    ) -> "Scores":
        """Return the scores, weighted if there are weights of topics."""
        from rankwise.scores import DEFAULT_METRICS, score

        scores = score(
            self.collection(),
            metrics=metrics or self.metrics or DEFAULT_METRICS,
            rel=self.rel,
            bounds=bounds,
            unjudged=unjudged,
            mean=self.mean,
        )
        return scores if self.weights is None else self.weighted(scores)

    def weighted(self, scores: "Scores") -> "Scores":
        """Return the scores with the topic weights of the option --weights."""
        from rankwise.scores import weight_topics

        assert self.weights is not None
        return weight_topics(scores, self.weights)

    def predicted(self, unjudged: str | None, seed: int) -> "Prediction":
        """Predict scores under a deeper pool."""
        from rankwise.probable import predict
        from rankwise.rankings import Possible

        possible = Possible.parse(unjudged or "top=100")
        if possible.top is None or possible.extra:
            raise click.UsageError(
                f"--unjudged {unjudged} cannot be combined with --probable. Use --unjudged top=K, "
                "for example top=100."
            )
        return predict(
            self.collection(), metrics=self.parsed_metrics(), top=possible.top, seed=seed
        )

    def with_baseline(self, baseline: str | None) -> "tuple[Any, str | None]":
        """Return these options and the name of the baseline, which may be given as a file.

        A file that is not among the runs is added to the runs.
        """
        run = run_given(None, None, baseline)
        if run is None:
            return self, None
        if isinstance(run, str):
            if not Path(run).is_file():
                return self, run
            names = [each.name for each in self.runs if not isinstance(each, str)]
            files = [each.given for each in self.runs if not isinstance(each, str)]
            if run in files:  # it is among the runs, under another name
                return self, names[files.index(run)]
            run = self._only_run(run)
        others = [given for given in self.runs if given not in (run.given, run)]
        at = next((i for i, given in enumerate(self.runs) if given not in others), len(others))
        return self.replaced(runs=(*others[:at], run, *others[at:])), run.name

    def _only_run(self, path: str) -> "NamedRun":
        """Return the only run of a file, with its name; several runs are an error."""
        from rankwise.rankings import NamedRun, read_runs

        runs = read_runs(self.with_columns(path), order=self.order, lenient=self.lenient)
        if len(runs) > 1:
            names = ", ".join(run.name for run in runs[:3])
            raise click.UsageError(
                f"--baseline {path}: the file has {len(runs)} runs ({names}, …). Give the file "
                "as RUN, and the name of one run as --baseline."
            )
        return NamedRun(runs[0].name, path)


LESS_IS_BETTER = option(
    "With --scores: a metric for which lower is better, such as a latency. Not needed for the "
    "metrics of `rankwise metrics list`. Repeatable.",
    multiple=True,
    metavar="METRIC",
    needs="matrices",
)


class ScoredOrRead(Scored):
    """Like `Scored`, with --scores FILE as an alternative to QRELS and RUN...."""

    qrels: str | None = argument("[QRELS]")
    runs: "tuple[str | NamedRun, ...]" = argument("[RUN...]", nargs=-1, callback=runs_given)
    metrics: tuple[str, ...] = metrics_option(
        METRIC_HELP + "; with --scores: all metrics of the file]"
    )
    matrices: tuple[str, ...] = option(
        "Read scores, instead of scoring runs. FILE is a table of topics × systems; a table with "
        "columns run, topic, metric, value; or the output of trec_eval -q, ir_measures -q, "
        "lm_eval, inspect_ai, ragas, deepeval, promptfoo, MTEB or BEIR. NAME is the metric of a "
        "table of topics × systems. Repeatable.",
        "--scores",
        multiple=True,
        metavar="[NAME=]FILE",
        not_with=NOT_WITH_SCORES,
        because="whose scores are computed already",
    )
    less_is_better: tuple[str, ...] = LESS_IS_BETTER

    def check(self) -> None:
        self.check_sources()

    def check_sources(self) -> None:
        """Raise an error unless there are judgments and runs, or scores."""
        if self.matrices and self.qrels:
            raise click.UsageError(
                "Both QRELS and --scores are given. Give QRELS and RUN..., or --scores FILE."
            )
        if not self.matrices and not (self.qrels and self.runs):
            missing = "Runs are missing" if self.qrels else "Judgments and runs are missing"
            raise click.UsageError(f"{missing}. Give QRELS and RUN..., or --scores FILE.")

    def scores(self, **settings: Any) -> "Scores":
        """Return scores, computed from runs or read from files; weighted if topics have weights."""
        if not self.matrices:
            return super().scores(**settings)
        from dataclasses import replace

        from rankwise.scores import read_scores

        read = read_scores(
            sources_of_scores(self.matrices),
            metrics=self.metrics or None,
            less_is_better=self.less_is_better,
        )
        scores = replace(read.counting_undefined(self.undefined), averaged=self.mean)
        scores = scores.with_groups(self.topic_groups)
        return scores if self.weights is None else self.weighted(scores)


def sources_of_scores(given: tuple[str, ...]) -> dict[str, str] | list[str]:
    """Return {metric: file}, or a list of files that contain the names of their metrics."""
    named = [named_scores(one) for one in given]
    names = [name for name, _ in named if name]
    if not names:
        return [path for _, path in named]
    if len(names) < len(named):
        raise click.UsageError(
            "--scores: some files have a name and some do not. Give a name to all of them: "
            "AP=ap.csv."
        )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise click.UsageError(f"--scores: two files are named {twice}. Give each its own name.")
    return dict(named)


def named_scores(given: str) -> tuple[str, str]:
    """Split NAME=FILE into name and file; without a name it is empty."""
    name, equals, path = given.partition("=")
    if not equals or Path(given).exists():
        return "", given
    if not name or not path:
        raise click.UsageError(f"--scores {given}: the name or the file is missing. Use AP=ap.csv.")
    return name, path


class Cheap(Scored, Printed):
    """Options for labels of a cheap judge that are corrected by labels of an expert."""

    cheap: str | None = option(
        "FILE has judgments by a cheap judge, for example a language model (LLM). Estimate scores "
        "from them. QRELS has judgments by an expert for some of the documents in FILE. The expert "
        "judgments correct the bias of the cheap ones (prediction-powered inference). FILE must "
        "cover every document in QRELS. The table has the estimates with confidence intervals.",
        metavar="FILE",
        not_with=NOT_WITH_CHEAP,
    )
    cheap_by: str | None = option(
        "With --cheap: whether the expert's judgments in QRELS are a random sample of topics or "
        "of documents.  [default: detected]",
        choices=["topics", "documents"],
        needs="cheap",
    )
    inclusion: str | None = option(
        "With --cheap: the probability with which each document of QRELS was sampled. P is one "
        "number; FILE is a table with the columns `topic`, `document` and `probability`. The "
        "estimates then need no model. Applies only to metrics that are sums of weights, e.g. "
        "P@10.",
        metavar="P|FILE",
        needs="cheap",
    )

    def show_cheap_scores(
        self, *, alpha: float, seed: int, pairs: bool, baseline: str | None = None
    ) -> None:
        """Print scores (or differences) from cheap labels, corrected by expert labels."""
        from rankwise.agreement import score_cheap

        cheap = score_cheap(
            self.collection(),
            metrics=self.parsed_metrics(),
            cheap=self.with_columns(self.cheap, is_run=False),
            by=cast(Any, self.cheap_by),
            inclusion=None if self.inclusion is None else _number_or_file(self.inclusion),
            alpha=alpha,
            seed=seed,
        )
        print_notes(cheap.notes)
        if not pairs:
            self.out.result(cheap)
            return
        self.out.result(
            cheap,
            table=lambda: cheap.table(digits=self.out.digits, pairs=True, baseline=baseline),
            frame=lambda: cheap.pairs(baseline),
        )


def _number_or_file(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


class Standardised(Scored):
    """Options for standardised scores."""

    systems: str | None = None  # an option of commands that average over the runs of a system

    standardise: "Scale | None" = option(
        "Standardise scores per topic, with the mean and standard deviation of the runs. `z`: "
        "(score − mean) / standard deviation. `normal`: Φ(z), between 0 and 1.",
        choices=Scale,
        computes_no_bounds=True,
    )
    reference: tuple[str, ...] = option(
        "Reference run for --standardise, instead of the runs themselves. Repeatable.",
        metavar="RUN",
        multiple=True,
        callback=runs_given,
        computes_no_bounds=True,
    )

    def adjusted(self, scores: "Scores") -> "Scores":
        """Standardise scores, if asked, and average those of the runs of each system."""
        if self.standardise is not None or self.reference:
            from rankwise.scores import standardise

            others = None
            if self.reference:
                others = self.replaced(
                    runs=self.reference, complete_runs=False, engine="local", master=None
                ).scores()
            scores = standardise(scores, others, scale=self.standardise or "normal")
        return scores if self.systems is None else scores.of_systems(self.systems)


class OnSpark(Scored):
    """Options for scoring on Spark."""

    engine: Engine = option(
        "Score on this computer, or on Apache Spark. Spark then reads the runs.",
        choices=Engine,
        default="local",
    )
    master: str | None = option(
        "Spark master, e.g. spark://host:7077; implies --engine spark.  [default: from Spark's "
        "configuration]",
        metavar="URL",
    )

    def scores(self, *, bounds: bool = False, unjudged: str = "retrieved", **more: Any) -> "Scores":
        """Return the scores; with Spark, Spark reads the runs and computes them."""
        if self.engine != "spark" and self.master is None:
            return super().scores(bounds=bounds, unjudged=unjudged, **more)
        from dataclasses import replace

        if "-" in self.runs:
            what = "--engine spark cannot read standard input (-). Give files."
            raise click.UsageError(what)
        refuse(["lengths"], "--engine spark")
        from rankwise.spark import collect, read_runs, said_by_spark, session

        metrics = self.parsed_metrics()
        with said_by_spark():
            runs = read_runs(
                session(self.master),
                self.runs,
                order=self.order,
                lenient=self.lenient,
                columns=self.columns,
                subset=self.subset,
                split=self.split,
            )
            return collect(
                replace(self.collection(), runs=runs),
                metrics=metrics,
                bounds=bounds,
                unjudged=unjudged,
                mean=self.mean,
            )


class AssumptionType(click.types.StringParamType):
    """An assumption about unjudged documents, checked before any work is done."""

    name = "assumption"

    def convert(self, value: str, param: Any, ctx: Any) -> str:
        from rankwise.rankings import Possible

        Possible.parse(value)
        return value


ASSUMPTIONS = (
    "Assumption about unjudged documents: which of them can be relevant. `retrieved`: only "
    "documents that at least one of these runs retrieved. `top=K`: only documents in the first K "
    "of any run. `extra=N`: retrieved documents, and N documents per topic that no run retrieved. "
    "`open`: any document"
)
OF_ASSUMPTION: dict[str, Any] = {"metavar": "ASSUMPTION", "type": AssumptionType()}
UNJUDGED = option(f"{ASSUMPTIONS}.  [default: retrieved]", **OF_ASSUMPTION)
UNJUDGED_OF_SCORES = option(
    f"{ASSUMPTIONS}. `own`: only documents that the run itself retrieved.  [default: retrieved]",
    **OF_ASSUMPTION,
)
TWO_ASSUMPTIONS = option(
    "Assumption about unjudged documents: which of them can be relevant. `retrieved`: only "
    "documents that one of the runs retrieved. `open`: any document.  [default: retrieved]",
    choices=Assumption,
)
PROBABLE = flag(
    "Predict, from the current judgments, what the scores would be if the first 100 documents of "
    "each run (with --unjudged top=K: the first K) were judged.",
    not_with=NOT_WITH_PROBABLE,
)
BOUNDS = flag(
    "Add the lowest and highest value that each score could have, depending on how the unjudged "
    "documents would be judged."
)
TEST = option(
    "Two-sided paired test. Tests of one mean difference: t (Student's), permutation (random "
    "signs), bootstrap (studentised). Tests of all mean differences together: tukey (Tukey's HSD), "
    "randomised-tukey (by permutations), dunnett (every run against the baseline). Tests that are "
    "not of the mean: wilcoxon (whether differences are symmetric around 0), sign (whether one run "
    "wins on more topics).",
    choices=Test,
    default="t",
)
INTERVAL = option(
    "Confidence intervals by Student's t or the studentised bootstrap.",
    choices=["t", "bootstrap"],
    default="t",
)
CORRECTION = option(
    "Correction for multiple comparisons.  [default: holm; none for Tukey's and Dunnett's tests]",
    choices=Correction,
)
EFFORT = option(
    "Limit on the search for tight bounds where no formula gives them: the number of documents "
    "visited.  [default: 50,000,000, a few seconds]",
    type=click.IntRange(min=0),
)
ALPHA = option(
    "Significance level. Confidence intervals are two-sided, at level 1 − alpha.",
    default=0.05,
)
MEAN_INTERVAL = option(
    "Confidence intervals within the range of the metric. `logit`: Student's t on the logit "
    "scale. `t`: Student's t, truncated to the range. `bootstrap`: studentised bootstrap, "
    "truncated to the range. Implies --confidence 0.95.  [default: logit]",
    choices=MeanInterval,
)
BASELINE = option(
    "Compare every run with this one, instead of all pairs. A FILE that is not "
    "given as a run is added to the runs.",
    metavar="NAME|FILE",
)
CLUSTERS_HELP = (
    "Topics that belong together (a conversation, a document, a user, variants of one query). "
    "FILE has two columns: topic and cluster. Intervals and tests account for the dependence "
    "within clusters"
)
SYSTEMS_HELP = (
    "Average the runs of each system (seeds, trials), topic by topic. FILE has two columns: run "
    "and system. Intervals and tests account for the variation over runs as well as topics."
)
