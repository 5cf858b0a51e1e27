"""The command line: one file per command, imported only when the command is called."""

import os
import sys

# The line of a command in `rankwise --help` is here, so that help loads no command.
SECTIONS = {
    "Score and compare runs": {
        "score": "Score runs against judgments.",
        "compare": "Compare runs: significance tests, effect of unjudged documents.",
        "collections": "Compare runs over several data sets.",
        "diff": "Show what changed between runs, with or without judgments.",
        "gate": "Fail when a candidate is worse than a baseline.",
        "report": "Write a self-contained HTML report.",
        "explain": "Show what each document contributes to a score.",
        "trec_eval": "Print the same output as trec_eval 10.0.",
    },
    "Build and examine a test collection": {
        "judges": "Agreement of judges; scores from cheap or sampled labels.",
        "overview": "Summarise a collection: pools, runs, judged documents.",
        "plan": "Plan experiments: topics, power, pool depth, documents to judge.",
        "pool": "List the pooled documents of runs, or copy their judgments.",
    },
    "Evaluate metrics": {
        "metrics": "List, choose, correlate and test metrics.",
        "study": "Repeat experiments of five papers on your own data.",
        "published": "Convert and compare published RBP scores.",
    },
    "Files": {
        "convert": "Write runs or judgments in another format.",
        "simulate": "Write a simulated test collection.",
        "demo": "Score runs of a simulated collection, as an example.",
    },
}
GROUPS = {
    "metrics": {
        "list": "List the metrics.",
        "show": "Describe a metric.",
        "choose": "Compare metrics: power, stability, agreement.",
        "correlate": "Rank correlation of system rankings by metrics or judgments.",
        "discriminate": "Discriminative power of metrics.",
        "stability": "Stability of scores and rankings with fewer judgments.",
        "properties": "Test which numeric properties a metric has.",
        "sweep": "Compare runs at each value of a parameter of a metric.",
        "user-model": "Describe a metric's user model, or fit p to a query log.",
    },
    "judges": {
        "agree": "Agreement of judges, and its effect on system scores.",
        "flips": "Number of wrong judgments that would reverse a difference.",
        "scores": "Scores of runs under each judge.",
        "cheap": "Scores from labels of a cheap judge, corrected by an expert's labels.",
        "sampled": "Scores from a random sample of the judgments.",
    },
    "plan": {
        "topics": "Compute how many topics an experiment needs.",
        "power": "Compute how many topics a test needs to detect observed differences.",
        "calibrate": "Measure the error rates of tests on your own scores.",
        "depth": "Compute the depth to judge, for a given accuracy of the scores.",
        "next": "List the documents to judge next.",
        "predict": "Predict scores, and the better of two runs, under a deeper pool.",
        "sample": "Sample judgments, or documents of a pool to be judged.",
    },
    "published": {
        "invert": "Range of a published RBP score at another p.",
        "implied": "Range of other metrics, given published scores.",
        "compare": "Compare two published RBP scores.",
    },
}
HIDDEN = {
    "completion": "Print a script that adds completion to a shell.",
    "schema": "Print the JSON Schema of a command's JSON.",
}
COMPLETION_VARIABLE = "_RANKWISE_COMPLETE"  # set by that script
COMMANDS = {name: line for section in SECTIONS.values() for name, line in section.items()}
FRONT_PAGE = """\
Usage: rankwise COMMAND [options]

  Evaluate rankings: scores, significance, and what unjudged documents could
  change.

  rankwise score qrels.txt bm25.run splade.run -m nDCG@10,AP
  rankwise compare qrels.txt old.run new.run -m nDCG@10
  rankwise report qrels.txt runs/*.run -o report.html

"""
END = """
  --version   Show the version, and whether compiled (C) code is used.
  -h, --help  Show this message; `rankwise COMMAND --help` describes a command.

`rankwise completion bash` (or zsh, fish) prints a script for shell completion.
`rankwise schema` prints the JSON Schema of --format json.
"""


def front_page() -> str:
    """Return the output of `rankwise --help`, without importing click."""
    wide = max(map(len, COMMANDS))
    parts = [
        "\n".join([f"{title}:", *(f"  {name:<{wide}}  {line}" for name, line in section.items())])
        for title, section in SECTIONS.items()
    ]
    return FRONT_PAGE + "\n\n".join(parts) + "\n" + END


def group_page(group: str) -> str:
    """Return the output of `rankwise GROUP --help`."""
    lines = GROUPS[group]
    wide = max(map(len, lines))
    rows = [f"  {name:<{wide}}  {line}" for name, line in lines.items()]
    usage = f"Usage: rankwise {group} COMMAND [options]\n\n  {COMMANDS[group]}\n"
    end = f"`rankwise {group} COMMAND --help` describes a command."
    return "\n".join([usage, *rows, "", end, ""])


def script() -> None:
    """Run the command line as a separate process (the installed script `rankwise`)."""
    from rankwise.cli.interrupts import end_on_interrupt, watch_for_interrupts

    end_on_interrupt()
    import atexit
    import gc

    from rankwise.cli.stdio import prepare_streams

    prepare_streams()
    watch_for_interrupts()

    # Matrix products here are small, and rankwise has threads of its own. OpenBLAS would use all
    # cores for each product, most of the time waiting: `plan next` took twice the processor time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Imports create many objects and free none. Collecting garbage among them takes longer than
    # scoring a run.
    gc.set_threshold(100_000)
    atexit.register(gc.freeze)
    main()


def main() -> None:
    """Run the command line, or print its front page or the completions that a shell asks for."""
    from rankwise.cli.stdio import output_failed, prepare_streams

    prepare_streams()
    if COMPLETION_VARIABLE in os.environ:
        from rankwise.cli.commands.completion import complete

        complete()
        return
    if sys.argv[1:] not in ([], ["-h"], ["--help"]):
        from rankwise.cli.root import run

        run()
        return
    try:
        print(front_page(), end="", flush=True)
    except OSError as error:
        output_failed(error)
