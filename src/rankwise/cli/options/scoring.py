"""Arguments and options of the commands that score runs."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankwise.cli.options.base import argument, option
from rankwise.cli.options.reading import OwnMetrics, Reading
from rankwise.cli.options.shared import METRIC, RUNS, run_given, runs_given
from rankwise.vocabulary import Combination, Scale

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankwise.metrics import Metric, MetricLike
    from rankwise.rankings import Collection, NamedRun
    from rankwise.scores import Scores

NOT_WITH_SCORES = (
    *("gains", "gain_tables", "rel", "reference", "with_qrels", "lengths", "topics"),
    *("order", "depth", "complete_runs", "lenient", "drop_self", "map_documents"),
    *("columns", "subset", "split", "judge", "judges", "subtopic_weights"),
)
SCORE_FILES: dict[str, Any] = {
    "flags": "--scores",
    "metavar": "[NAME=]FILE",
    "not_with": NOT_WITH_SCORES,
    "because": "whose scores are computed already",
}
METRIC_HELP = (
    "Metric, or several: AP,nDCG@10. Also AP(rel=2)@100, RBP(p=0.8), and trec_eval's names: map, "
    "ndcg_cut_10.  [default: AP,nDCG@10,P@10,RR"
)


class Scored(Reading, OwnMetrics):
    """QRELS, RUN... and the options for scoring them."""

    shared = "qrels runs topics depth gains complete_runs subset split"
    metrics: tuple[str, ...] = option(METRIC_HELP + "]", **METRIC)
    judge: tuple[str, ...] = option(
        "Judgments of another judge, in addition to QRELS. Repeatable.", metavar="[NAME=]QRELS"
    )
    judges: Combination | None = option(
        "How to combine the grades of several judges: --judge, or a column `judge` of QRELS."
    )
    subtopic_weights: str | None = option(
        "Weights of subtopics. FILE has three columns: topic, subtopic and weight.  [default: "
        "equal weights]",
        metavar="FILE",
    )

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

    def scores(self, metrics: "Sequence[MetricLike]" = ()) -> "Scores":
        """Return the scores of the runs."""
        from rankwise.scores import DEFAULT_METRICS, score

        return score(
            self.collection(),
            metrics=metrics or self.metrics or DEFAULT_METRICS,
            rel=self.rel,
            bounds=self.bounds,
            unjudged=self.unjudged or "retrieved",
            mean=self.mean,
        )


class ScoreFiles(Reading):
    """Options for files of scores."""

    shared = "less_is_better"
    matrices: tuple[str, ...] = option(
        "Read scores, instead of scoring runs. FILE is a table of topics × systems; a table with "
        "columns run, topic, metric, value; or the output of trec_eval -q, ir_measures -q, "
        "lm_eval, inspect_ai, ragas, deepeval, promptfoo, MTEB or BEIR. NAME is the metric of a "
        "table of topics × systems. Repeatable.",
        **SCORE_FILES,
    )

    def read_scores(self, metrics: "Sequence[str]" = ()) -> "Scores":
        """Return the scores of the files: those of some metrics, or of all."""
        from dataclasses import replace

        from rankwise.scores import read_scores

        files = sources_of_scores(self.matrices)
        read = read_scores(files, metrics=metrics or None, less_is_better=self.less_is_better)
        scores = replace(read.counting_undefined(self.undefined), averaged=self.mean)
        if self.only_topics is not None:
            scores = scores_of_topics(scores, self.only_topics)
        return scores.with_groups(self.topic_groups)


class ScoredOrRead(Scored, ScoreFiles):
    """Like `Scored`, with --scores FILE as an alternative to QRELS and RUN...."""

    qrels: str | None = argument("[QRELS]")
    runs: "tuple[str | NamedRun, ...]" = argument("[RUN...]", **RUNS)
    metrics: tuple[str, ...] = option(
        METRIC_HELP + "; with --scores: all metrics of the file]", **METRIC
    )

    def check(self) -> None:
        self.check_sources()

    def check_sources(self) -> None:
        """Raise an error unless there are either judgments and runs, or scores."""
        if self.matrices and self.qrels:
            raise click.UsageError(
                "Both QRELS and --scores are given. Give QRELS and RUN..., or --scores FILE."
            )
        if not self.matrices and not (self.qrels and self.runs):
            missing = "Runs are missing" if self.qrels else "Judgments and runs are missing"
            raise click.UsageError(f"{missing}. Give QRELS and RUN..., or --scores FILE.")

    def scores(self, metrics: "Sequence[MetricLike]" = ()) -> "Scores":
        """Return scores, computed from runs or read from files."""
        return self.read_scores(self.metrics) if self.matrices else super().scores(metrics)


def scores_of_topics(scores: "Scores", path: str) -> "Scores":
    """Return the scores for the topics that a file lists."""
    from dataclasses import replace

    import numpy as np

    from rankwise.formats import read_names
    from rankwise.notes import note
    from rankwise.wording import is_or_are

    listed = set(read_names(path, "topic"))
    keep = np.array([topic in listed for topic in scores.topics], np.bool_)
    if not keep.any():
        raise click.UsageError(
            f"--only-topics {path}: no topic in common with --scores. Check that both use the same "
            "topic IDs."
        )
    count = int(keep.sum())
    text = f"{count:,} of {len(keep):,} topics {is_or_are(count)} selected"
    found = scores.where_topics(keep)
    return replace(found, input_notes=(*found.input_notes, note("topics-selected", text)))


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
        what = f"--scores: two files are named {twice}."
        raise click.UsageError(f"{what} Give each file its own name.")
    return dict(named)


def named_scores(given: str) -> tuple[str, str]:
    """Split NAME=FILE into name and file; without a name it is empty."""
    name, equals, path = given.partition("=")
    if not equals or Path(given).exists():
        return "", given
    if not name or not path:
        raise click.UsageError(f"--scores {given}: the name or the file is missing. Use AP=ap.csv.")
    return name, path


class Adjusted(Scored):
    """Options for standardised scores, runs of the same system, and weights of topics."""

    standardise: Scale | None = option(
        "Standardise scores per topic, with the mean and standard deviation of the runs. `z`: "
        "(score − mean) / standard deviation. `normal`: Φ(z), between 0 and 1.",
        computes_no_bounds=True,
    )
    reference: tuple[str, ...] = option(
        "Reference run for --standardise, instead of the runs themselves. Repeatable.",
        metavar="RUN",
        callback=runs_given,
        computes_no_bounds=True,
    )

    systems: str | None = option(
        "Average the runs of each system (seeds, trials), topic by topic. FILE has two columns: "
        "run and system. Intervals and tests account for the variation over runs as well as "
        "topics.",
        metavar="FILE",
        not_with=["mean"],
        computes_no_bounds=True,
    )
    weights: str | None = option(
        "Weights of topics in means and tests, e.g. the frequency of queries. FILE has two "
        "columns: topic and weight.",
        metavar="FILE",
        not_with=["topic_groups", "mean", "clusters", "systems", "engine", "master"],
        computes_no_bounds=True,
    )

    def adjusted(self, scores: "Scores") -> "Scores":
        """Standardise scores, weight topics, and average the runs of a system, if requested."""
        if self.standardise is not None or self.reference:
            from rankwise.scores import standardise

            others = None
            if self.reference:
                others = self.replaced(runs=self.reference, complete_runs=False).scores()
            scores = standardise(scores, others, scale=self.standardise or "normal")
        if self.weights is not None:
            from rankwise.scores import weight_topics

            scores = weight_topics(scores, self.weights)
        return scores if self.systems is None else scores.of_systems(self.systems)
