"""Arguments and options of the commands that score runs."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast, get_args

import click

from rankwise.cli.completion import complete_metrics
from rankwise.cli.options.conflicts import refuse, require
from rankwise.cli.options.paper import PAPER
from rankwise.cli.options.reading import (
    columns_option,
    complete_runs_option,
    depth_option,
    gains_option,
    lenient_option,
    metrics_from_option,
    order_option,
    part_options,
    run_given,
    runs_argument,
    runs_given,
    selection_options,
    topics_option,
    with_columns,
    with_part,
)
from rankwise.vocabulary import (
    Assumption,
    Combination,
    Correction,
    Engine,
    Mean,
    MeanInterval,
    Order,
    Scale,
    Test,
    Topics,
    Undefined,
)

if TYPE_CHECKING:
    from rankwise.cli.output import Output
    from rankwise.metrics import Metric
    from rankwise.probable import Prediction
    from rankwise.rankings import Collection, NamedRun
    from rankwise.scores import Scores

F = TypeVar("F", bound=Callable[..., Any])
NOT_WITH_SCORES = (
    *("gains", "gain_tables", "rel", "reference", "with_qrels", "lengths", "topics"),
    *("order", "depth", "complete_runs", "lenient", "only_topics", "drop_self", "map_documents"),
    *("columns", "subset", "split", "judge", "judges", "subtopic_weights"),
)
NOT_WITH_CHEAP = (
    "weights",
    *("matrices", "standardise", "reference", "probable", "chart", *PAPER),
    *("engine", "master", "by_topic", "bounds", "recall_precision", "by_judge"),  # of score
    *(
        "power",
        "at_power",
        "at_topics",
        "at_difference",
        "over",
        "flips",
        "margin",
        "clusters",
        "systems",
    ),
)
NOT_WITH_PROBABLE = (
    "weights",
    *("matrices", "complete_runs", "topics", "mean", "undefined", "lengths", "topic_groups"),
    *("only_topics", "drop_self", "map_documents", "standardise", "reference", *PAPER),
    *("engine", "master", "by_topic", "bounds", "recall_precision", "confidence"),  # of score
    *(
        "power",
        "at_power",
        "at_topics",
        "at_difference",
        "no_bounds",
        "over",
        "effort",
        "baseline",
        "test",
    ),
    *(
        "family",
        "interval",
        "margin",
        "clusters",
        "systems",
        "zeros",
        "no_continuity",
        "raw_ranks",
        "resamples",
    ),  # of compare
)


@dataclass(frozen=True, eq=False, repr=False)
class Scoring:
    """Values of the arguments and options of a command that scores runs."""

    qrels: str | None
    runs: "tuple[str | NamedRun, ...]"
    metrics: tuple[str, ...]
    topics: "Topics"
    order: "Order"
    depth: int | None
    gains: str | None
    complete_runs: bool
    metrics_from: tuple[str, ...]
    lenient: bool
    columns: str | None = None
    subset: str | None = None
    split: str | None = None
    only_topics: str | None = None
    drop_self: bool = False
    map_documents: str | None = None
    topic_groups: str | None = None
    lengths: str | None = None
    weights: str | None = None
    undefined: "Undefined" = "skip"
    mean: "Mean" = "arithmetic"
    rel: float = 1
    matrices: tuple[str, ...] = ()
    less_is_better: tuple[str, ...] = ()
    judge: tuple[str, ...] = ()
    judges: "Combination | None" = None
    subtopic_weights: str | None = None
    gain_tables: tuple[str, ...] = ()  # if several are allowed; a single one is also `gains`

    def varied_metrics(self, over: str) -> "tuple[Metric, ...]":
        """Return the metrics with each value of a parameter."""
        from rankwise.metrics import vary

        self._load_own()
        return tuple(vary(self.metrics, over))

    def _load_own(self) -> None:
        from rankwise.metrics import load_metrics

        for file in self.metrics_from:
            load_metrics(file)

    def parsed_metrics(self) -> "tuple[Metric, ...]":
        from rankwise.metrics import parse_all
        from rankwise.scores import DEFAULT_METRICS

        self._load_own()
        return tuple(parse_all(self.metrics or DEFAULT_METRICS, self.rel))

    def scores(
        self,
        *,
        bounds: bool = False,
        unjudged: str = "retrieved",
        metrics: "Sequence[Metric] | None" = None,
    ) -> "Scores":
        """Return the scores, computed from runs or read from files, weighted if asked."""
        if self.matrices:
            from rankwise.scores import counting_undefined, read_scores

            read = read_scores(
                sources_of_scores(self.matrices),
                metrics=self.metrics or None,
                less_is_better=self.less_is_better,
            )
            found = replace(counting_undefined(read, self.undefined), averaged=self.mean)
            found = found.with_groups(self.topic_groups)
        else:
            from rankwise.scores import score

            found = score(
                self.collection(),
                metrics=self.parsed_metrics() if metrics is None else metrics,
                bounds=bounds,
                unjudged=unjudged,
                mean=self.mean,
            )
        if self.weights is None:
            return found
        from rankwise.scores import weight_topics

        return weight_topics(found, self.weights)

    def clusters_given(self, clusters: str | None) -> "str | dict[str, str] | None":
        """Return the file of clusters, or the column of the score tables that names them."""
        if clusters is None or not self.matrices or Path(clusters).is_file():
            return clusters
        from rankwise.formats import read_topic_column

        found: dict[str, str] = {}
        for _, path in map(_named, self.matrices):
            found |= read_topic_column(path, clusters)
        return found

    def collection(self) -> "Collection":
        """Return the judgments and runs with the options for reading them."""
        from rankwise.rankings import Collection

        return Collection(
            self.qrels_given,
            self.runs_given,
            order=self.order,
            depth=self.depth,
            gains=self.gains,
            lenient=self.lenient,
            complete_runs=self.complete_runs,
            only_topics=self.only_topics,
            topics=self.topics,
            undefined=self.undefined,
            topic_groups=self.topic_groups,
            drop_self=self.drop_self,
            map_documents=self.map_documents,
            lengths=self.lengths,
        )

    def collection_of_runs(self) -> "Collection":
        """Return the runs with the options for reading them, without judgments."""
        from rankwise.rankings import Collection

        return Collection(
            None,
            self.runs_given,
            order=self.order,
            depth=self.depth,
            lenient=self.lenient,
            only_topics=self.only_topics,
            drop_self=self.drop_self,
            map_documents=self.map_documents,
        )

    def scores_on_spark(self, master: str | None, *, bounds: bool, unjudged: str) -> "Scores":
        """Return the scores, computed on Spark, which reads the runs."""
        if "-" in self.runs:
            raise click.UsageError("Spark cannot read standard input (-). Give files.")
        refuse(["lengths"], "--engine spark")
        from rankwise.spark import collect, read_runs, said_by_spark, session

        metrics = self.parsed_metrics()
        with said_by_spark():
            runs = read_runs(
                session(master),
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

    def predicted(self, unjudged: str | None, seed: int) -> "Prediction":
        """Predict scores; options that cannot be combined with --probable are errors."""
        from rankwise.probable import predict
        from rankwise.rankings import Possible

        possible = Possible.parse(unjudged or "top=100")
        if possible.top is None or possible.extra:
            raise click.UsageError(
                f"--unjudged {unjudged} cannot be combined with --probable. Use --unjudged top=K, "
                "as top=100."
            )
        refuse(NOT_WITH_PROBABLE, "--probable")
        return predict(
            self.collection(), metrics=self.parsed_metrics(), top=possible.top, seed=seed
        )

    def standardised(
        self, scores: "Scores", scale: "Scale", reference: tuple[str, ...]
    ) -> "Scores":
        """Standardise scores against the reference runs, or the runs themselves."""
        from rankwise.scores import standardise

        if not reference:
            return standardise(scores, scale=scale)
        others = replace(self, runs=reference, complete_runs=False).scores()
        return standardise(scores, others, scale=scale)

    @property
    def qrels_given(self) -> Any:
        """The judgments with the names of their columns; `check_sources` requires them."""
        assert self.qrels is not None
        if self.subtopic_weights is not None:
            from rankwise.rankings import Subtopics

            return Subtopics(with_columns(self.qrels, self.columns), self.subtopic_weights)
        if not self.judge and self.judges is None:
            return with_columns(self.qrels, self.columns)
        from rankwise.rankings import Judges

        given = [run_given(None, None, one) for one in (self.qrels, *self.judge)]
        sources = [with_columns(one, self.columns) for one in given]
        return Judges(sources if len(sources) > 1 else sources[0], self.judges)

    def with_baseline(self, baseline: str | None) -> "tuple[Scoring, str | None]":
        """Return these values and the name of the baseline, which may be given as a file.

        A file that is not among the runs is added to them.
        """
        run = None if baseline is None else run_given(None, None, baseline)
        if isinstance(run, str) and not Path(run).is_file():
            return self, run
        if run is None:
            return self, None
        if isinstance(run, str):
            called = [
                one.name for one in self.runs if not isinstance(one, str) and one.given == run
            ]
            if called:  # it is among the runs, under another name
                return self, called[0]
            run = _named_by_itself(run, self)
        others = [given for given in self.runs if given not in (run.given, run)]
        at = next((i for i, given in enumerate(self.runs) if given not in others), len(others))
        return replace(self, runs=(*others[:at], run, *others[at:])), run.name

    @property
    def runs_given(self) -> list[Any]:
        """Each run with the names of its columns, its subset and its split."""
        named = [with_columns(run, self.columns) for run in self.runs]
        return [with_part(run, self.subset, self.split) for run in named]


def _named_by_itself(path: str, asked: Scoring) -> "NamedRun":
    """Return the only run of a file, with its name."""
    from rankwise.rankings import NamedRun, read_runs

    source = with_part(with_columns(path, asked.columns), asked.subset, asked.split)
    found = read_runs(source, order=asked.order, lenient=asked.lenient)
    if len(found) > 1:
        names = ", ".join(run.name for run in found[:3])
        raise click.UsageError(
            f"--baseline {path}: the file has {len(found)} runs. Give the name of one: {names} …"
        )
    return NamedRun(found[0].name, path)


def sources_of_scores(given: tuple[str, ...]) -> dict[str, str] | list[str]:
    """Return {metric: file}, or a list of files that contain the names of their metrics."""
    named = [_named(one) for one in given]
    names = [name for name, _ in named if name]
    if not names:
        return [path for _, path in named]
    if len(names) < len(named):
        raise click.UsageError(
            "--scores: some files have a name and some do not. Name all: AP=ap.csv."
        )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise click.UsageError(f"--scores: two files are named {twice}. Give each its own name.")
    return dict(named)


def _named(given: str) -> tuple[str, str]:
    name, equals, path = given.partition("=")
    if not equals or Path(given).exists():
        return "", given
    if not name or not path:
        raise click.UsageError(f"--scores {given}: the name or the file is missing. Use AP=ap.csv.")
    return name, path


def cheap_options(command: F) -> F:
    """Add --cheap, --cheap-by and --inclusion; the command gets them as `cheap`: CheapOptions."""
    by = click.option(
        "--cheap-by",
        type=click.Choice(["topics", "documents"]),
        help="With --cheap: whether QRELS, the careful judgments, is a random sample of topics or "
        "of documents.  [default: detected]",
    )
    cheap = click.option(
        "--cheap",
        metavar="FILE",
        help="Instead of the summary: scores from many cheap judgments in FILE (for example by a "
        "language model), corrected with fewer careful judgments in QRELS, with confidence "
        "intervals. FILE must label every document of QRELS.",
    )
    inclusion = click.option(
        "--inclusion",
        metavar="P|FILE",
        help="With --cheap: the probability with which each document of QRELS was sampled, a "
        "number or a table with columns topic, document and probability. The estimates then use "
        "no model. Only for metrics that are sums of weights, e.g. P@10.",
    )

    @functools.wraps(command)
    def gathered(
        *args: Any, cheap: str | None, cheap_by: str | None, inclusion: str | None, **rest: Any
    ) -> Any:
        for option, value in (("--cheap-by", cheap_by), ("--inclusion", inclusion)):
            if value is not None and cheap is None:
                require(option, "--cheap FILE")
        options = None if cheap is None else CheapOptions(cheap, cheap_by, inclusion)
        return command(*args, cheap=options, **rest)

    return cast(F, cheap(by(inclusion(gathered))))


class CheapOptions(NamedTuple):
    """The options of --cheap."""

    qrels: str
    by: str | None
    inclusion: str | None

    @property
    def probability(self) -> float | str | None:
        """A number, or the file of a table."""
        try:
            return None if self.inclusion is None else float(self.inclusion)
        except ValueError:
            return self.inclusion


def show_cheap_scores(
    asked: Scoring,
    cheap: CheapOptions,
    *,
    pairs: bool,
    baseline: str | None,
    alpha: float,
    seed: int,
    out: "Output",
) -> None:
    """Print scores, or differences, from cheap labels that are corrected by careful ones."""
    from rankwise.agreement import score_cheap
    from rankwise.cli.output import print_notes

    found = score_cheap(
        asked.collection(),
        metrics=asked.parsed_metrics(),
        cheap=with_columns(cheap.qrels, asked.columns),
        by=cast(Any, cheap.by),
        inclusion=cheap.probability,
        alpha=alpha,
        seed=seed,
    )
    table = found.table(digits=out.digits, pairs=pairs, baseline=baseline)
    print_notes(found.notes)
    if out.for_people:
        out.show(table)
    else:
        out.print(found.pairs(baseline) if pairs else found.frame, of=found)


less_is_better_option = click.option(
    "--less-is-better",
    multiple=True,
    metavar="METRIC",
    help="With --scores: a metric for which lower is better, such as a latency. Metrics that "
    "rankwise knows have their direction. Repeatable.",
)


def scoring_options(
    *,
    matrices: bool = False,
    several_gains: bool = False,
    mean: bool = True,
    required: bool = True,
) -> Callable[[F], F]:
    """Add QRELS, RUN... and the options; the command gets them as one argument, `asked`.

    With `matrices` the command also takes --scores [NAME=]FILE instead of QRELS and RUN...; with
    `several_gains` it takes any number of --gains; without `mean` it has no --mean; without
    `required` it may have neither.
    """

    def decorate(command: F) -> F:
        names = {field.name for field in fields(Scoring)}

        @functools.wraps(command)
        def gathered(*args: Any, **given: Any) -> Any:
            tables = given.get("gain_tables", ())
            if several_gains:
                given["gains"] = tables[0] if len(tables) == 1 else None
            asked = Scoring(**{name: given.pop(name) for name in names & given.keys()})
            if matrices and (required or asked.qrels or asked.matrices):
                check_sources(asked)
            return command(*args, asked=asked, **given)

        decorated: Any = gathered
        for option in reversed(_options(matrices, several_gains, mean)):
            decorated = option(decorated)
        return cast(F, decorated)

    return decorate


def check_sources(asked: Scoring) -> None:
    """Raise an error unless there are judgments and runs, or scores."""
    if asked.matrices and asked.qrels:
        raise click.UsageError("Give QRELS and RUN..., or --scores FILE, not both.")
    if asked.less_is_better and not asked.matrices:
        require("--less-is-better", "--scores")
    if asked.matrices:
        refuse(NOT_WITH_SCORES, "--scores", "whose scores are computed already")
    elif not (asked.qrels and asked.runs):
        raise click.UsageError("No runs. Give QRELS and RUN..., or --scores FILE.")


def _options(matrices: bool, several_gains: bool, mean: bool) -> list[Callable[[Any], Any]]:
    optional = [
        click.option(
            *["--scores", "matrices"],
            multiple=True,
            metavar="[NAME=]FILE",
            help="Read scores instead of QRELS and RUN...: a table of topics × systems; a table "
            "with columns run, topic, metric, value; or a file of trec_eval -q, ir_measures -q, "
            "lm_eval, inspect_ai, ragas, deepeval, promptfoo, MTEB or BEIR. Repeatable.",
        ),
        less_is_better_option,
    ]
    return [
        click.argument("qrels", metavar="[QRELS]" if matrices else "QRELS", required=not matrices),
        runs_argument("[RUN...]" if matrices else "RUN...", required=not matrices),
        click.option(
            *["-m", "--metric", "metrics"],
            multiple=True,
            metavar="METRIC",
            shell_complete=complete_metrics,
            help="Metric, or several: AP,nDCG@10. Also AP(rel=2)@100, RBP(p=0.8), and "
            "trec_eval's names: map, ndcg_cut_10.  [default: AP,nDCG@10,P@10,RR"
            f"{'; with --scores all' * matrices}]",
        ),
        *(optional if matrices else []),
        *_ways_of_scoring(several_gains, mean),
    ]


def _ways_of_scoring(several_gains: bool, mean: bool) -> list[Callable[[Any], Any]]:
    return [
        click.option(
            *["--judge", "judge"],
            multiple=True,
            metavar="[NAME=]QRELS",
            help="Judgments of another judge, in addition to QRELS. Repeatable.",
        ),
        click.option(
            *["--judges", "judges"],
            type=click.Choice(get_args(Combination)),
            help="How to combine the grades of several judges: --judge, or a column `judge` of "
            "QRELS.",
        ),
        click.option(
            "--subtopic-weights",
            metavar="FILE",
            help="Weights of subtopics, in lines `topic subtopic weight`  [default: equal]",
        ),
        topics_option,
        order_option,
        depth_option,
        several_gains_option if several_gains else gains_option,
        *([mean_option] if mean else []),
        complete_runs_option,
        metrics_from_option,
        lenient_option,
        selection_options,
        columns_option,
        part_options,
    ]


mean_option = click.option(
    "--mean",
    type=click.Choice(get_args(Mean)),
    default="arithmetic",
    show_default=True,
    help="Mean over topics. The geometric mean of AP is GMAP.",
)
several_gains_option = click.option(
    *["--gains", "gain_tables"],
    multiple=True,
    metavar="TABLE",
    help="Gain of each grade, e.g. 0=0,0.5=0.4,1=1 or 3:2:1. With several tables, each graded "
    "metric is computed with each of them.",
)


def _checked_assumption(
    _context: click.Context, _option: click.Parameter, value: str | None
) -> str | None:
    """Check the assumption before any work is done."""
    if value is not None:
        from rankwise.rankings import Possible

        Possible.parse(value)
    return value


ASSUMPTIONS = (
    "Assumption about unjudged documents. retrieved: only documents that one of these runs "
    "retrieved can be relevant; top=K: only those in the top K of some run; extra=N: also N "
    "unretrieved documents per topic; open: any document"
)
unjudged_option = click.option(
    "--unjudged",
    metavar="ASSUMPTION",
    callback=_checked_assumption,
    help=f"{ASSUMPTIONS}.  [default: retrieved]",
)
unjudged_of_scores_option = click.option(
    "--unjudged",
    metavar="ASSUMPTION",
    callback=_checked_assumption,
    help=f"{ASSUMPTIONS}; own: only those that the run itself retrieved.  [default: retrieved]",
)
unjudged_of_plans_option = click.option(
    "--unjudged",
    metavar="ASSUMPTION",
    callback=_checked_assumption,
    help="Assumption about unjudged documents. retrieved: only documents that a run retrieved can "
    "be relevant; open: any document. With --probable: top=K, the top K of each run.  [default: "
    "retrieved; with --probable top=100]",
)
probable_option = click.option(
    "--probable",
    is_flag=True,
    help="Predict, from the current judgments, the scores if the first 100 documents of each run "
    "(K with --unjudged top=K) were judged.",
)
two_assumptions_option = click.option(
    "--unjudged",
    type=click.Choice(get_args(Assumption)),
    help="Assumption about unjudged documents: only documents that one of the runs retrieved can "
    "be relevant, or any document.  [default: retrieved]",
)


def standardise_options(command: F) -> F:
    """Add --standardise and --reference, which implies --standardise normal."""

    @functools.wraps(command)
    def checked(*args: Any, **given: Any) -> Any:
        if given["reference"] and given["standardise"] is None:
            given["standardise"] = "normal"
        return command(*args, **given)

    decorated: Any = checked
    for option in (
        click.option(
            "--reference",
            metavar="RUN",
            multiple=True,
            callback=runs_given,
            help="Reference run for --standardise, instead of the runs themselves. Repeatable.",
        ),
        click.option(
            "--standardise",
            type=click.Choice(get_args(Scale)),
            help="Standardise scores per topic: z = (score − mean) / standard deviation of the "
            "runs, or normal = Φ(z), between 0 and 1.",
        ),
    ):
        decorated = option(decorated)
    return cast(F, decorated)


def engine_options(command: F) -> F:
    """Add --engine and --master."""
    command = click.option(
        "--master",
        metavar="URL",
        help="Spark master, e.g. spark://host:7077; implies --engine spark.  [default: from "
        "Spark's configuration]",
    )(command)
    return click.option(
        "--engine",
        type=click.Choice(get_args(Engine)),
        default="local",
        show_default=True,
        help="Score locally, or on Apache Spark, which then reads the runs.",
    )(command)


test_option = click.option(
    "--test",
    type=click.Choice(get_args(Test)),
    default="t",
    show_default=True,
    help="Two-sided paired test. Tests of the mean difference: t (Student's), permutation "
    "(random signs), bootstrap (studentised). Tests of all mean differences together: tukey "
    "(Tukey's HSD), randomised-tukey (by permutations), dunnett (every run against the baseline). "
    "Not of the mean: wilcoxon (whether differences are symmetric around 0), sign (whether one "
    "run wins more topics).",
)
correction_option = click.option(
    "--correction",
    type=click.Choice(get_args(Correction)),
    help="Correction for multiple comparisons.  [default: holm; none for Tukey's and Dunnett's "
    "tests]",
)
effort_option = click.option(
    "--effort",
    type=click.IntRange(min=0),
    help="Limit on the search for tight bounds where no formula gives them, in documents "
    "visited.  [default: 50,000,000, a few seconds]",
)
alpha_option = click.option("--alpha", default=0.05, show_default=True, help="Significance level.")
mean_interval_option = click.option(
    "--interval",
    type=click.Choice(get_args(MeanInterval)),
    default="logit",
    show_default=True,
    help="Confidence intervals, within the range of the metric. logit: Student's t on the logit "
    "scale; t: Student's t, cut at the range; bootstrap: studentised bootstrap, cut there.",
)
interval_option = click.option(
    "--interval",
    type=click.Choice(["t", "bootstrap"]),
    default="t",
    show_default=True,
    help="Confidence intervals by Student's t or the studentised bootstrap.",
)
