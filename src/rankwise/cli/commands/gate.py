"""`rankwise gate`: fail when a candidate is worse than a baseline."""

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import click

from rankwise.cli.flags import Flags
from rankwise.cli.help import with_options
from rankwise.cli.options.base import argument, option
from rankwise.cli.options.reading import OwnMetrics
from rankwise.cli.options.scoring import SCORE_FILES, ScoreFiles
from rankwise.cli.options.shared import METRIC, run_given
from rankwise.cli.output import Output, OutputFile, print_notes, print_pending_notes, wrapped
from rankwise.vocabulary import Test

if TYPE_CHECKING:
    from rankwise.comparison.gate import Gate
    from rankwise.rankings import Collection, NamedRun
    from rankwise.scores import Scores

FORMATS = ["text", "json", "markdown", "junit", "github"]
FORMAT_OF_SUFFIX = {".json": "json", ".md": "markdown", ".xml": "junit", ".txt": "text"}
OF_FAMILIES = ("tukey", "randomised-tukey", "dunnett")  # a gate tests one difference
TESTS = [test for test in get_args(Test) if test not in OF_FAMILIES]


class Options(OwnMetrics, ScoreFiles):
    only_with: ClassVar = {"significant": "test", "max_drop min": "interval"}
    everyday = (
        "max_drop significant min max_empty max_unjudged inconclusive metrics topic_groups "
        "matrices style outputs"
    )
    # Not `required`: the message of click about a missing argument does not know --scores.
    qrels: str | None = argument("[QRELS]", required=False)
    baseline: "str | NamedRun | None" = argument("BASELINE", required=False, callback=run_given)
    candidate: "str | NamedRun | None" = argument("CANDIDATE", required=False, callback=run_given)
    max_drop: tuple[str, ...] = option(
        "Largest drop allowed, e.g. nDCG@10=0.01. The rule passes if the whole confidence interval "
        "of candidate − baseline is above −DROP, and fails if the whole interval is below −DROP. "
        "Otherwise the result is inconclusive. Repeatable.",
        metavar="METRIC=DROP",
    )
    significant: bool = option(
        "Fail if the candidate is significantly worse in one of the metrics."
    )
    min: tuple[str, ...] = option(
        "Fail if the mean score of the candidate is below MEAN, e.g. Recall@100=0.8 (for metrics "
        "where lower is better: above MEAN). Repeatable.",
        metavar="METRIC=MEAN",
    )
    max_empty: int | None = option(
        "Fail if the candidate returns no results for more than N queries.",
        type=click.IntRange(min=0),
        not_with=("matrices",),
        because="which have no rankings",
    )
    inconclusive: Literal["pass", "fail"] | None = option(
        "Treat an inconclusive result as pass (exit code 0) or fail (1).  [default: exit code 2, "
        "as for errors]"
    )
    matrices: tuple[str, ...] = option(
        "Read scores from FILE instead of QRELS and runs. BASELINE and CANDIDATE are then names of "
        "runs in FILE. Repeatable.",
        **SCORE_FILES,
    )
    max_unjudged: tuple[str, ...] = option(
        "Largest fraction of unjudged documents in the first N, as a mean over topics, for each of "
        "the two runs: 10=0.2 allows 20 % of the first 10. If it is exceeded, the gate cannot "
        "pass: rules that would pass become inconclusive. Repeatable.",
        metavar="N=FRACTION",
    )
    metrics: tuple[str, ...] = option(
        "Metric or metrics to test with --significant: AP,nDCG@10.  [default: the metrics of "
        "--max-drop, or AP,nDCG@10,P@10,RR]",
        **METRIC,
    )
    test: Test = option(
        "Two-sided test, paired by topic. Wilcoxon and sign do not test the mean.",
        choices=TESTS,
        default="t",
    )
    interval: Literal["t", "bootstrap"] = option(
        "Confidence intervals by Student's t or the studentised bootstrap.", default="t"
    )
    moved: int = option(
        "Number of topics with the largest changes to report per metric.",
        default=10,
        type=click.IntRange(min=0),
    )
    shared = "alpha seed depth gains topics undefined topic_groups subset split"
    style: str = option(
        "Format on standard output. `github`: annotations of GitHub Actions.",
        "--format",
        choices=FORMATS,
        default="text",
    )
    outputs: tuple[str, ...] = option(
        "Write to FILE (atomically): .json, .md, .xml (JUnit), .txt. Repeatable.",
        "-o --output",
        metavar="FILE",
        type=OutputFile(FORMAT_OF_SUFFIX),
    )


@with_options(Options)
def command(options: Options) -> None:
    """Test whether a candidate run is worse than a baseline run.

    \b
    Examples:
      rankwise gate qrels.txt old.run new.run --max-drop nDCG@10=0.01
      rankwise gate qrels.txt old.run new.run --significant -m AP,P@10
      rankwise gate qrels.txt baseline.parquet new.run --max-drop AP=0.02 \\
        --min Recall@100=0.8 --max-unjudged 10=0.2 -o gate.md -o gate.xml
      rankwise gate --scores results.csv old new --max-drop accuracy=0.01

    BASELINE is a run, or its scores, as written by `rankwise score qrels.txt old.run
    --by-topic -o baseline.parquet`. The exit code is 0 if the candidate passes, 1 if it
    fails, and 2 if the result is inconclusive or the input is invalid. --max-drop
    passes if the confidence interval rules out a larger drop, fails if it contains only
    larger drops, and is inconclusive otherwise. It is also inconclusive with fewer than
    six topics, unless both runs have the same scores. The output also has the
    probability that an equally good candidate passes. With --topic-groups, each rule
    applies to all topics together and to each group.
    """
    from rankwise.comparison import TestOptions
    from rankwise.comparison.gate import gate

    data: Collection | Scores
    baseline: Any = options.with_columns(options.baseline)
    candidate: Any = options.with_columns(options.candidate)
    if options.matrices:
        if candidate is not None:
            raise click.UsageError(
                "Too many names. With --scores, give the names of two runs: BASELINE CANDIDATE."
            )
        if options.qrels is None or baseline is None:
            missing = "Both runs are" if options.qrels is None else "The candidate is"
            raise click.UsageError(
                f"{missing} missing. With --scores, give the names of two runs: BASELINE CANDIDATE."
            )
        name = baseline if isinstance(baseline, str) else "=".join(map(str, baseline))
        data, baseline, candidate = options.read_scores(), options.qrels, name
    elif candidate is None:
        missing = (
            "Judgments and runs are"
            if options.qrels is None
            else "Two runs are"
            if baseline is None
            else "The candidate run is"
        )
        raise click.UsageError(
            f"{missing} missing. Give QRELS BASELINE CANDIDATE, or --scores FILE and the names of "
            "two runs."
        )
    else:
        data = options.collection_of(options.qrels, None)
    result = gate(
        data,
        baseline,
        candidate,
        max_drop=options.max_drop,
        min=options.min,
        max_empty=options.max_empty,
        max_unjudged=options.max_unjudged,
        metrics=options.metrics or None,
        significant=options.significant,
        inconclusive=options.inconclusive,
        test=TestOptions(
            options.test, alpha=options.alpha, interval=options.interval, seed=options.seed
        ),
        moved=options.moved,
    )
    print_notes(result.notes)
    out = Output()
    out.write(_rendered(result, options.style, out.width))
    for path in options.outputs:
        Output(path=path).write(_rendered(result, FORMAT_OF_SUFFIX[Path(path).suffix]))
    print_pending_notes(click.get_current_context().find_root())
    sys.exit(result.exit_code)


def _rendered(found: "Gate", style: str, width: int | None = None) -> bytes:
    """Return the result in a format; `width` is that of a terminal, where text is wrapped."""
    wording = Flags(click.get_current_context().command)
    if style == "text":
        lines = found.to_text().splitlines()
        if width is not None:  # the rest of a line begins below its second column
            columns = [re.match(r"\S+\s{2,}|\s+", line) for line in lines]
            indents = [0 if column is None else column.end() for column in columns]
            lines = [wrapped(s, width, indent=i) for s, i in zip(lines, indents, strict=True)]
        return "".join(f"{line}\n" for line in lines).encode()
    if style == "github":
        return found.to_github().encode()
    write = {"json": found.to_json, "markdown": found.to_markdown, "junit": found.to_junit}[style]
    return write(wording).encode()
