"""The command line: one file a command, each loaded only when it is called."""

import sys

# A command's line in `rankwise --help` stands here, so that help loads no command.
SECTIONS = {
    "Score and compare runs": {
        "score": "Score runs against judgments.",
        "compare": "Say whether runs differ, and how sure that is.",
        "report": "Write one page that shows it all, to be sent.",
        "gate": "Fail when a candidate is worse than a baseline.",
        "explain": "Show what each document contributes to a score.",
        "trec_eval": "Print what trec_eval 10 prints.",
    },
    "Judge, and look at a collection": {
        "overview": "Look at a collection: pools, runs, what is judged.",
        "plan": "Say how deep to judge, and which documents next.",
        "pool": "Write the pool of runs, or the judgments of it.",
        "reduce": "Write a random sample of judgments.",
    },
    "Evaluate metrics": {
        "metrics": "List the metrics, or show one whole.",
        "which-metric": "Say which metric to use: power, stability, agreement.",
        "correlate": "Say how alike metrics, or judgments, order systems.",
        "discriminate": "Say how well metrics discriminate between systems.",
        "stability": "Say how scores and orders hold with fewer judgments.",
        "properties": "Say which numeric properties a metric has.",
        "user-model": "Say whom a metric models, and how far users look.",
        "fit-p": "Find the p of RBP in a log of searches.",
        "study": "Run a paper's experiments on your data.",
    },
    "Published scores": {
        "invert": "Show what a published RBP score says at another p.",
        "implied": "Show what published scores say of other metrics.",
        "compare-published": "Say which of two published RBP scores is better.",
    },
    "Files": {
        "convert": "Write runs or judgments in another format.",
        "simulate": "Write a simulated test collection.",
        "demo": "Score a simulated collection, with bounds.",
    },
}
COMMANDS = {name: line for section in SECTIONS.values() for name, line in section.items()}
FRONT_PAGE = """\
Usage: rankwise [OPTIONS] COMMAND [ARGS]...

  How good are these rankings, and how sure is that?

  Example:
    rankwise score qrels.txt bm25.run splade.run -m nDCG@10 -m AP

  `rankwise COMMAND --help` says more about a command.

Options:
  --version   Show the version, and whether the C kernel is at work, and exit.
  -h, --help  Show this message and exit.
"""


def front_page() -> str:
    """What `rankwise --help` prints: without click, which takes longer to load than to print."""
    wide = max(map(len, COMMANDS))
    parts = [
        "\n".join([f"{title}:", *(f"  {name:<{wide}}  {line}" for name, line in section.items())])
        for title, section in SECTIONS.items()
    ]
    return "\n".join([FRONT_PAGE, *(f"{part}\n" for part in parts)])


def script() -> None:
    """Run the command line in a process of its own."""
    from rankwise.cli.interrupts import end_on_interrupt, watch_for_interrupts

    end_on_interrupt()
    import atexit
    import gc

    from rankwise.cli.stdio import prepare_streams

    prepare_streams()
    watch_for_interrupts()

    # Imports make many objects and free none. To look for garbage among them, now and at the
    # end, takes longer than to score a run.
    gc.set_threshold(100_000)
    atexit.register(gc.freeze)
    main()


def main() -> None:
    """Run the command line; whatever is wrong is one message and exit code 2."""
    from rankwise.cli.stdio import flush_streams, output_failed, prepare_streams

    prepare_streams()
    if sys.argv[1:] not in ([], ["-h"], ["--help"]):
        from rankwise.cli.root import run

        run()
        return
    try:
        print(front_page(), end="")
        flush_streams()
    except OSError as error:
        output_failed(error)
