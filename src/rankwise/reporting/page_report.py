"""The report: one page with leaderboard, runs, pairs, topics and the collection.

numbers.py computes scores, means and pairs, and probable.py predictions. rankings.py has the top
documents of all runs, collection.py the pool and the contributions of runs, and provenance.py
versions and files. packing.py encodes arrays, and page.py builds the page from the files in web/.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.comparison import TestOptions, choose_pairs
from rankwise.errors import CallError, check_at_least
from rankwise.formats import NO_ORDER, open_source, read_texts, write_whole
from rankwise.lazy import pl
from rankwise.metrics import Metric, parse_all
from rankwise.notes import Note, note
from rankwise.rankings import (
    Collection,
    JudgedRankings,
    Needs,
    Possible,
    QrelsLike,
    RunsLike,
    TopicGroups,
    as_collection,
    holds_several,
)
from rankwise.reporting.collection import agreement_of_metrics, collected
from rankwise.reporting.contributions import contribution_factors
from rankwise.reporting.judge_agreement import judge_agreement
from rankwise.reporting.numbers import Pairs, Scoring, judged_shares, metric_entries, scored
from rankwise.reporting.page import page
from rankwise.reporting.probable import probable_columns, without_citation
from rankwise.reporting.provenance import (
    checksums,
    paths_of,
    requested_by,
    score_files,
    sources_of,
    versions,
    without_folders,
)
from rankwise.reporting.rankings import add_planned, shown_rankings
from rankwise.reporting.reversals import reversing_examples, wrong_judgments
from rankwise.reporting.topic_groups import grouped
from rankwise.scores import DEFAULT_METRICS, MetricsLike, Scores, check_scores_alone
from rankwise.similarity import changed_rankings
from rankwise.vocabulary import Test
from rankwise.wording import Argument

MOST_SCORES = 400_000  # limit of metrics × runs × topics; scores on later topics are not shown
MOST_CHANGED = 10  # number of topics listed as changed most
TEXT_LENGTH = 400  # longer texts of documents are truncated


@dataclass(frozen=True)
class Report:
    """A written report: its path, the data on the page, and all notes."""

    path: Path
    data: dict[str, Any] = field(repr=False)
    notes: list[Note] = field(repr=False)


def report(
    data: QrelsLike | Collection | Scores,
    runs: RunsLike | None = None,
    metrics: MetricsLike = DEFAULT_METRICS,
    *,
    output: str | Path,
    baseline: str | None = None,
    title: str = "Evaluation report",
    topics_file: str | Path | None = None,
    documents: str | Path | None = None,
    appendix: bool = False,
    probable: bool = False,
    top: int = 20,
    rel: float = 1,
    test: Test | TestOptions = "t",
    unjudged: str = "retrieved",
) -> Report:
    """Write a self-contained HTML report on runs, pairs of runs, topics and the collection.

    The report opens in a browser without a network.

    Parameters
    ----------
    data, runs, metrics
        As for `score`. `data` may also be `Scores`, for example imported scores; a report on scores
        has no rankings, bounds or verdicts. A verdict names the run of a pair that is better
        under all judgments that `unjudged` allows, if there is one.
    output
        The file to write, for example report.html.
    baseline
        The initial baseline, which can be changed on the page. The default is the first of two
        runs, as for `compare`, and otherwise the best run by the first metric.
    title
        Title of the page.
    topics_file, documents
        Files with texts of topics and of documents: TREC topics, lines `name TAB text`, JSON lines,
        CSV, TSV, Parquet or Arrow.
    appendix
        Whether to add a view with one printable page per run.
    probable
        Whether to add predictions under a deeper pool: expected means with ranges, and the probable
        winner of each pair (see `predict`). The pool has depth 100, or K if `unjudged` is `top=K`.
    top
        Number of documents shown per ranking.
    rel
        Relevance threshold of metrics without their own `rel`, and for numbers of relevant
        documents. It may be a fraction if the judgments are fractions.
    test
        As for `compare`: a name, or `TestOptions` with the correction, the level and the seed.
    unjudged
        The assumption behind bounds and verdicts, as for `score`.

    Returns
    -------
    Report
        The path of the file, the data on the page, and all notes.
    """
    check_at_least("top", top)
    Possible.between_runs(unjudged)
    if Path(output).suffix.lower() not in (".html", ".htm"):
        raise CallError(f"{output}: a report is an HTML file. Give a name that ends in .html.")
    testing = test if isinstance(test, TestOptions) else TestOptions(test)
    about = _About(title, appendix, Path(output))
    if isinstance(data, Scores):
        check_scores_alone(runs, metrics)
        _check_no_rankings(documents, probable, unjudged)
        return _report_on_scores(data, testing, baseline, topics_file, about)
    collection = as_collection(data, runs)
    wanted = tuple(parse_all(metrics, rel))
    for texts_given in (topics_file, documents):
        if texts_given is not None:
            # An unreadable file raises an error before any work is done.
            open_source(texts_given)
    groups, several = collection.topic_groups, holds_several(collection.qrels)
    judgments = sources_of(collection.qrels) if several else [collection.qrels]
    given = [*judgments, *sources_of(collection.runs), topics_file, documents, groups]
    files = [one for one in given if one is not None]
    options = _tested_by(wanted, testing, baseline) | {
        "unjudged": unjudged,
        "top": top,
        "rel": rel,
        "probable": probable,
        **_reading(collection),
    }
    # A pattern is not a file.
    filters = (collection.only_topics, collection.map_documents)
    more = [Path(one) for one in filters if isinstance(one, str | Path)]
    paths = [*paths_of(files), *(one for one in more if one.is_file())]
    whole_ties = any(metric.ties == "share" for metric in wanted)
    judged = collection.judged(Needs(documents=True, whole_ties=whole_ties))
    scoring = Scoring(
        wanted,
        testing,
        collection.topics,
        unjudged,
        collection.undefined,
        groups=collection.topic_groups,
    )
    # The prediction comes first, so that its error, if the pool does not allow it, comes before
    # other work, and its memory is freed.
    predicted = probable_columns(judged, scoring) if probable else None
    fractions = collection.judgments.by_name.fractions or {}
    page_data = _gathered(judged, scoring, baseline, top, rel, fractions)
    names = page_data["runs"]
    page_data["flips"] = wrong_judgments(
        collection, judged, wanted, names, page_data["topics"], names[page_data["baseline"]]
    )
    page_data["judges"] = judge_agreement(collection, wanted, rel, testing.seed)
    if predicted is not None:
        page_data["probable"], notes = predicted
        page_data["notes"] = list(dict.fromkeys([*page_data["notes"], *notes]))
    page_data["texts"] = _texts(page_data, collection, topics_file, documents)
    return about.written(page_data, options, files, paths)


@dataclass(frozen=True)
class _About:
    """Title, appendix and output file of a report."""

    title: str
    appendix: bool
    output: Path

    def written(
        self,
        page_data: dict[str, Any],
        options: dict[str, Any],
        files: Sequence[Any],
        paths: Sequence[Path],
    ) -> Report:
        """Write the page, and return the report; notes name `paths` without their folders."""
        notes = without_folders(_unrepeated(page_data["notes"]), paths)
        request = requested_by.get()
        made = {
            "date": date.today().isoformat(),
            "versions": versions(),
            "files": checksums(files),
            "options": {request.option(name): value for name, value in options.items()},
            "command": request.command,
        }
        page_data["notes"] = [without_citation(each.said(request.wording)) for each in notes]
        if page_data["judges"] is not None and "notes" in page_data["judges"]:
            said = [each.said(request.wording) for each in page_data["judges"]["notes"]]
            page_data["judges"]["notes"] = said
        page_data |= {"title": self.title, "made": made, "appendix": self.appendix}
        content = page(self.title, page_data).encode("utf-8", "surrogatepass")
        write_whole(self.output, content)
        return Report(self.output, page_data, notes)


def _unrepeated(notes: Iterable[Note]) -> list[Note]:
    """Return the notes, but of the notes on undefined topics only the longest for each metric."""
    longest: dict[str, int] = {}
    undefined = [each for each in notes if each.kind == "topics-undefined"]
    for each in undefined:
        longest[each.metric] = max(longest.get(each.metric, 0), len(str(each)))
    return [
        each
        for each in notes
        if each.kind != "topics-undefined" or len(str(each)) == longest[each.metric]
    ]


def _tested_by(
    metrics: Sequence[Metric], testing: TestOptions, baseline: str | None
) -> dict[str, Any]:
    """Return the options of the tests, for the Methods section."""
    return {
        "metrics": ", ".join(map(str, metrics)),
        "baseline": baseline,
        "test": testing.test,
        "correction": testing.applied,
        "alpha": testing.alpha,
        "seed": testing.seed,
    }


def _check_no_rankings(documents: str | Path | None, probable: bool, unjudged: str) -> None:
    """Raise an error for options that need judgments and rankings."""
    asked = {"documents": documents, "probable": probable, "unjudged": unjudged != "retrieved"}
    for name, value in asked.items():
        if value:
            raise CallError(Argument(name), " needs judgments and rankings; there are only scores.")


def _report_on_scores(
    scores: Scores,
    testing: TestOptions,
    baseline: str | None,
    topics_file: str | Path | None,
    about: _About,
) -> Report:
    """Write a report without rankings, bounds and verdicts, and return it."""
    scores = replace(scores, low=None, high=None, outer=(), unjudged=None)
    files = [*score_files.get(), *([] if topics_file is None else [topics_file])]
    chosen, shown = _baseline(scores, baseline), _shown_topics(scores)
    pairs = Pairs.of_scores(scores, testing, chosen) if len(scores.runs) > 1 else None
    groups = {t: g for t, g in zip(scores.topics, scores.groups, strict=False) if g is not None}
    cut = _cut_topics(scores, shown)
    no_bounds = note(
        "no-bounds",
        "there are no bounds: bounds need judgments and rankings, and only scores are given",
    )
    notes = [no_bounds, *cut, *scores.notes, *([] if pairs is None else pairs.notes)]
    scores = replace(scores, groups=())
    topics = scores.topics[:shown]
    titles = {} if topics_file is None else read_texts(topics_file, "topic", topics)
    page_data = {
        **_numbers(scores, pairs, chosen, shown, testing.alpha, groups or None),
        "labels": [],
        "contributions": [None] * len(scores.metrics),
        "judged": None,
        "judged_in_groups": None,
        "unjudged10": None,
        "empty": [[] for _ in scores.runs],
        "examples": [],
        "changes": None,
        "probable": None,
        "flips": None,
        "judges": None,
        "baseline_given": baseline is not None,
        "rankings": {"depth": 0, "topics": []},
        "collection": {"agreement": agreement_of_metrics(scores)},
        "cut": list(map(str, cut)),
        "notes": list(dict.fromkeys(notes)),
        "texts": {"topics": titles, "documents": {}, "cut": 0, "of_runs": False},
    }
    options = _tested_by(scores.metrics, testing, baseline)
    return about.written(page_data, options, files, paths_of(files))


def _cut_topics(scores: Scores, shown: int) -> list[Note]:
    if shown == len(scores.topics):
        return []
    of = f"{shown:,} of {len(scores.topics):,} topics, to keep the page small"
    what = f"scores per topic are shown for the first {of}; means are over all topics"
    return [note("topics-cut", what)]


def _numbers(
    scores: Scores,
    pairs: Pairs | None,
    baseline: str,
    shown: int,
    alpha: float,
    groups: TopicGroups | None,
) -> dict[str, Any]:
    """Return the data of the page that can be computed from scores alone."""
    return {
        "runs": list(scores.runs),
        "topics": list(scores.topics[:shown]),
        "all_topics": len(scores.topics),
        "metrics": metric_entries(scores),
        "baseline": scores.runs.index(baseline),
        "best": scores.best_first[0],
        "alpha": alpha,
        "assumed": "" if scores.unjudged is None else scores.assumption,
        **scored(scores, shown, alpha),
        "pairs": None if pairs is None else pairs.columns(),
        "topic_bounds": None if pairs is None else pairs.topic_bounds(shown),
        "groups": grouped(groups, scores, None if pairs is None else pairs.by_group, alpha),
    }


def _said(option: Any) -> str | None:
    """Describe an option: name of a file, pattern, or number of names; None if it is not set."""
    if option is None:
        return None
    if isinstance(option, str | Path):
        return Path(option).name if Path(option).is_file() else str(option)
    return f"{len(list(option)):,} names"


def _reading(collection: Collection) -> dict[str, Any]:
    """Return the options for reading, for the Methods section."""
    return {
        "topics": collection.topics,
        "undefined": collection.undefined,
        "order": collection.order,
        "depth": collection.depth,
        "complete_runs": collection.complete_runs,
        "gains": None if collection.gains is None else str(collection.gains),
        "lenient": collection.lenient,
        "drop_self": collection.drop_self,
        "only_topics": _said(collection.only_topics),
        "map_documents": _said(collection.map_documents),
    }


def _gathered(
    judged: JudgedRankings,
    scoring: Scoring,
    baseline: str | None,
    top: int,
    rel: float,
    fractions: Mapping[int, float],
) -> dict[str, Any]:
    """Return the data of the page that come from scores and rankings."""
    seen = judged.cut_to_depth()
    level = judged.level_of(rel)
    levels = [metric.at_levels_of(judged).rel or level for metric in scoring.metrics]
    scores = scoring.scores(judged)
    chosen = _baseline(scores, baseline)
    kept = np.isin(judged.topics, scores.topics)
    shown = _shown_topics(scores)
    topics = np.flatnonzero(kept)[:shown].tolist()
    rankings, cut_rankings = shown_rankings(seen, topics, top, levels, fractions)
    pairs = Pairs.of(judged, scores, scoring, chosen) if len(scores.runs) > 1 else None
    cut = [*_cut_topics(scores, shown), *cut_rankings]
    notes = [*cut, *(scores.notes if pairs is None else [*pairs.notes, *scores.notes])]
    numbers = _numbers(scores, pairs, chosen, shown, scoring.options.alpha, scoring.groups)
    groups = [] if numbers["groups"] is None else numbers["groups"]["topics"]
    grades = np.unique(judged.topic_grades)
    collection = collected(judged, scores, level, baseline, scoring.options.seed)
    add_planned(judged, rankings, scores.topics, collection["next"]["plans"])
    return {
        **numbers,
        "labels": [fractions.get(grade, grade) for grade in grades.tolist()],
        "contributions": [
            contribution_factors(metric, seen, topics, grades) for metric in scores.metrics
        ],
        **judged_shares(seen, scores.metrics, kept, shown, groups),
        "threshold": rel,
        "baseline_given": baseline is not None,
        "examples": []
        if pairs is None
        else reversing_examples(judged, pairs.with_verdicts, chosen, scoring.unjudged),
        "changes": _changes(judged, scores.topics[:shown]) if len(scores.runs) == 2 else None,
        "rankings": rankings,
        "collection": collection,
        "probable": None,
        "cut": list(map(str, cut)),
        "notes": list(dict.fromkeys(notes)),
    }


def _changes(judged: JudgedRankings, topics: Sequence[str]) -> dict[str, Any] | None:
    """Return the similarity of the rankings of two runs, and the topics that changed most.

    Return None if the runs are sets, which have no order.
    """
    if any(note.kind == NO_ORDER for note in judged.notes):
        return None
    changes = changed_rankings(judged)
    place = {topic: number for number, topic in enumerate(topics)}
    columns = {"measure": "measure", "value": "value", "conf_low": "low", "conf_high": "high"}
    shown = changes.frame.select(pl.col(a).alias(b) for a, b in columns.items())
    shown = shown.with_columns(pl.col(pl.Float64).fill_nan(None))
    most = changes.most_changed(None).filter(pl.col("topic").is_in(list(topics))).head(MOST_CHANGED)
    return {
        "p": changes.settings.p,
        "measures": shown.to_dicts(),
        "topics": [{"topic": place[row["topic"]], "rbo": row["RBO"]} for row in most.to_dicts()],
    }


def _baseline(scores: Scores, baseline: str | None) -> str:
    """Return the baseline: the requested one, the first of two runs, or the best of several."""
    if baseline is None:
        return scores.runs[0 if len(scores.runs) == 2 else scores.best_first[0]]
    if len(scores.runs) < 2 and baseline == scores.runs[0]:
        return baseline
    choose_pairs(scores.runs, baseline)  # raises an error for an unknown baseline
    return baseline


def _shown_topics(scores: Scores) -> int:
    fit = MOST_SCORES // (len(scores.runs) * len(scores.metrics))
    return min(len(scores.topics), max(1, fit))


def _texts(
    data: dict[str, Any],
    collection: Collection,
    topics_file: str | Path | None,
    documents: str | Path | None,
) -> dict[str, Any]:
    """Return the texts of topics and documents from files or, without a file, from the runs.

    Texts of documents are truncated to `TEXT_LENGTH` characters.
    """
    names = {name for entry in data["rankings"]["topics"] for name in entry["documents"]}
    if topics_file is None:
        topics = collection.texts("topic", set(data["topics"]))
    else:
        topics = read_texts(topics_file, "topic", data["topics"])
    if documents is None:
        texts = collection.texts("document", names)
    else:
        texts = read_texts(documents, "document", names)
    return {
        "topics": topics,
        "documents": {
            name: text if len(text) <= TEXT_LENGTH else text[: TEXT_LENGTH - 1] + "…"
            for name, text in texts.items()
        },
        "cut": sum(len(text) > TEXT_LENGTH for text in texts.values()),
        "length": TEXT_LENGTH,
        "of_runs": (topics_file is None and bool(topics)) or (documents is None and bool(texts)),
    }
