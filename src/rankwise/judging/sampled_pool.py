"""`sample_pool` and `score_sampled`: a stratified sample of a pool, and scores from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from rankwise.arrays import Ints
from rankwise.errors import CallError, InputError, check_above_0, check_between, in_words
from rankwise.formats import open_source
from rankwise.judging.pools import pool
from rankwise.notes import Note, detail, note, warning
from rankwise.progress import track
from rankwise.rankings import Collection, Judgments, read_qrels
from rankwise.results import Result
from rankwise.stats import SampledTopic, inf_ndcg, stat_ap, x_inf_ap
from rankwise.wording import Argument, Count

if TYPE_CHECKING:
    from rankwise.rankings import QrelsLike, RunsLike

COLUMNS = ("topic", "document", "stratum", "probability", "sampled", "grade")
SAMPLED_METRICS = ("statAP", "xinfAP", "infNDCG")
GREATEST = 0.25  # variance of a score between 0 and 1
LEAST = 2  # documents sampled from a stratum: one has no variance
LINE_IS = (
    "A line of sampled judgments is `topic document grade method probability` or "
    "`topic 0 document stratum grade`."
)
ESTIMATE = re.compile(r"(statAP|xinfAP|infNDCG)(?:@(\d+))?")


class Stratum(NamedTuple):
    """Documents whose best rank in any run is from `first` to `last`.

    `rate` is the fraction of these documents to be sampled.
    """

    first: int
    last: int
    rate: float

    def __str__(self) -> str:
        return f"{self.first}-{self.last}"


def parse_design(design: str) -> list[Stratum]:
    """Parse a design such as `10=1,50=0.2,100=0.05`: the last rank and the rate of each stratum.

    >>> [str(one) for one in parse_design("10=1,50=0.2")]
    ['1-10', '11-50']
    """
    strata: list[Stratum] = []
    for part in design.split(","):
        last, _, rate = part.strip().partition("=")
        try:
            stratum = Stratum(strata[-1].last + 1 if strata else 1, int(last), float(rate))
        except ValueError:
            what = f" {design}: {part!r} is not of the form RANK=RATE. Write it as 10=1,50=0.2."
            raise CallError(Argument("design"), what) from None
        if stratum.last < stratum.first or not 0 < stratum.rate <= 1:
            wrong = f" {design}: {part!r} is not valid. "
            how = "Ranks must increase, and rates must be above 0 and at most 1."
            raise CallError(Argument("design"), wrong, how)
        strata.append(stratum)
    return strata


def sample_pool(
    data: RunsLike | Collection, design: str, *, qrels: QrelsLike | None = None, seed: int = 0
) -> pl.DataFrame:
    """Draw a stratified random sample of the pool of runs, with inclusion probabilities.

    A stratum consists of the documents of a topic whose best rank in any run is within a range.
    The sample has rate × n of the n documents of a stratum, rounded up, but at least 2. If a
    stratum has only one document, this document is in the sample.

    Parameters
    ----------
    data
        Runs, or a `Collection`, whose judgments are not used.
    design
        Last rank and sampling rate of each stratum. For example, `10=1,50=0.2,100=0.05` samples all
        documents with a best rank of 1 to 10, a fifth of those with a best rank of 11 to 50, and a
        twentieth of those with a best rank of 51 to 100.
    qrels
        Judgments from which the column `grade` of the sampled documents is filled.
    seed
        The random seed.

    Returns
    -------
    polars.DataFrame
        Columns topic, document, stratum, probability (of being sampled), sampled and grade. The
        grade is null if the document was not sampled, or has no judgment in `qrels`.
        `score_sampled` accepts this table.

    Examples
    --------
    >>> run = {"1": {f"d{place}": 9.0 - place for place in range(9)}}
    >>> found = sample_pool(run, "1=1,9=0.5", seed=1)
    >>> found["sampled"].sum(), sorted(set(found["probability"]))
    (5, [0.5, 1.0])
    """
    strata = parse_design(design)
    frame = pool(data, strata[-1].last).select("topic", "document", "rank")
    place = np.searchsorted([stratum.last for stratum in strata], frame["rank"].to_numpy())
    names = pl.Series([str(stratum) for stratum in strata])
    rates = pl.Series([stratum.rate for stratum in strata])
    frame = frame.with_columns(
        stratum=names.gather(place),
        rate=rates.gather(place),
        chance=pl.Series(np.random.default_rng(seed).random(frame.height)),
    )
    size = pl.len().over("topic", "stratum")
    wanted = (pl.col("rate") * size - 1e-9).ceil().cast(pl.Int64)
    drawn = pl.min_horizontal(size.cast(pl.Int64), pl.max_horizontal(wanted, LEAST))
    order = pl.col("chance").rank("ordinal").over("topic", "stratum")
    frame = frame.with_columns(probability=drawn / size, sampled=order <= drawn)
    grade = pl.lit(None, pl.Int64).alias("grade")
    if qrels is not None:
        judged = read_qrels(qrels).frame.select("topic", "document", pl.col("grade").cast(pl.Int64))
        frame = frame.join(judged, on=["topic", "document"], how="left", maintain_order="left")
        grade = pl.when("sampled").then("grade").alias("grade")
    return frame.with_columns(grade).select(COLUMNS)


def read_sample(source: pl.DataFrame | str | Path) -> pl.DataFrame:
    """Read a sample of judgments in one of three formats.

    - The table of `sample_pool`: a data frame, a CSV file or a Parquet file.
    - `prels` of the TREC Million Query track: topic, document, grade, method, probability.
    - sample_eval.pl: topic, 0, document, stratum, grade, with the grade −1 for a pooled document
      that was not sampled. The probability of a document is then the sampled fraction of its
      stratum.
    """
    if isinstance(source, pl.DataFrame):
        return _checked(source, "the sample")
    path, data = Path(source), open_source(source).data
    try:
        if path.suffix == ".parquet":
            return _checked(pl.read_parquet(data), str(path))
        text = data.decode()
    except (UnicodeDecodeError, pl.exceptions.PolarsError) as error:
        raise InputError(str(path), f"cannot be read: {error}.") from None
    if "," in text.partition("\n")[0]:
        types = {"topic": pl.String, "document": pl.String, "stratum": pl.String}
        try:
            table = pl.read_csv(text.encode(), schema_overrides=types)
        except pl.exceptions.PolarsError as error:
            raise InputError(str(path), f"is not a table: {error}") from None
        return _checked(table, str(path))
    return _checked(_lines(text, str(path)), str(path))


def _checked(frame: pl.DataFrame, source: str) -> pl.DataFrame:
    missing = [name for name in COLUMNS if name not in frame.columns]
    if missing:
        what = f"has no column {missing[0]}. A sample has the columns {', '.join(COLUMNS)}."
        raise InputError(source, what)
    kinds = (pl.String, pl.String, pl.String, pl.Float64, pl.Boolean, pl.Int64)
    try:
        types = zip(COLUMNS, kinds, strict=True)
        frame = frame.select(pl.col(name).cast(kind) for name, kind in types)
    except pl.exceptions.PolarsError as error:
        raise InputError(source, f"has a wrong value: {error}") from None
    chance = frame["probability"]
    if frame.is_empty():
        raise InputError(source, "the file is empty.")
    wrong = frame.filter(~((chance > 0) & (chance <= 1)).fill_null(False))
    if len(wrong):
        topic, document, value = wrong.select("topic", "document", "probability").row(0)
        what = f"the probability of document {document} in topic {topic} is "
        what += "missing." if value is None else f"{value:g}."
        raise InputError(source, f"{what} It must be above 0 and at most 1.")
    twice = frame.filter(pl.struct("topic", "document").is_duplicated())
    if len(twice):
        topic, document = twice.select("topic", "document").row(0)
        what = f"document {document} occurs twice in topic {topic}. Remove one of the two."
        raise InputError(source, what)
    return frame


def _is_whole(text: str) -> bool:
    return re.fullmatch(r"-?[0-9]+", text) is not None


def _is_prels(row: Sequence[str]) -> bool:
    """Return whether a line has a whole grade, and ends with a probability above 0."""
    try:
        return _is_whole(row[2]) and 0 < float(row[4]) <= 1
    except ValueError:
        return False


def _lines(text: str, source: str) -> pl.DataFrame:
    numbered = [(n, line.split()) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not numbered:
        raise InputError(source, "the file is empty.")
    rows = [row for _, row in numbered]
    number, wrong = next((each for each in numbered if len(each[1]) != 5), (0, []))
    if number:
        what = f"{Count(len(wrong), 'field')} instead of 5"
        raise InputError(f"{source}:{number}", f"{what}. {LINE_IS}")
    if all(map(_is_prels, rows)):
        prels = [(row[0], row[1], row[3], float(row[4]), True, int(row[2])) for row in rows]
        return pl.DataFrame(prels, schema=list(COLUMNS), orient="row")
    for number, row in numbered:
        if not (_is_whole(row[4]) or _is_prels(row)):
            what = f"the grade or the probability is not valid: {' '.join(row)}"
            raise InputError(f"{source}:{number}", f"{what}. {LINE_IS}")
    if not all(_is_whole(row[4]) for row in rows):
        raise InputError(source, f"has lines of two formats. {LINE_IS}")
    grades = [int(row[4]) for row in rows]
    columns = {
        "topic": [row[0] for row in rows],
        "document": [row[2] for row in rows],
        "stratum": [row[3] for row in rows],
        "sampled": [grade >= 0 for grade in grades],
        "grade": [grade if grade >= 0 else None for grade in grades],
    }
    chance = pl.col("sampled").mean().over("topic", "stratum")
    # The probability in a stratum without a sampled document is unknown.
    probability = pl.when(chance > 0).then(chance).otherwise(1.0)
    return pl.DataFrame(columns).with_columns(probability=probability)


@dataclass(frozen=True, eq=False, repr=False)
class SampledScores(Result):
    """Scores estimated from a sample of the judgments.

    `frame` has one row per metric and run, if the score is defined on at least one topic: the mean
    `value` over topics, its standard error `se`, its confidence interval `low` to `high`, and the
    number of `topics`. The interval is for the score on the same topics under judgments of the
    whole pool, and does not account for the sampling of topics. `by_topic` has the `value` and `se`
    of each metric, run and topic.
    """

    _everyday = ("by_topic",)

    by_topic: pl.DataFrame = field(repr=False)
    confidence: float
    counts: tuple[int, int]  # documents sampled, and in the pools
    found_notes: tuple[Note, ...] = ()

    @property
    def frame(self) -> pl.DataFrame:
        """Means over topics, with columns metric, run, value, se, low, high and topics."""
        from scipy.special import ndtri

        reach = float(ndtri((1 + self.confidence) / 2))
        error = (pl.col("se") ** 2).sum().sqrt() / pl.len()
        defined = self.by_topic.drop_nulls("value")
        means = defined.group_by("metric", "run", maintain_order=True).agg(
            pl.col("value").mean(), error.alias("se"), topics=pl.len()
        )
        value, half = pl.col("value"), reach * pl.col("se")
        ends = {"low": value - half, "high": value + half}
        return means.select("metric", "run", "value", "se", **ends, topics="topics")

    @property
    def header(self) -> dict[str, Any]:
        sizes = {"sampled": self.counts[0], "pool": self.counts[1]}
        return {"confidence": self.confidence} | sizes

    @property
    def caption(self) -> str:
        return f"{self.counts[0]:,} of {self.counts[1]:,} documents sampled"

    @property
    def notes(self) -> list[Note]:
        level = f"{100 * self.confidence:g} %"
        text = (
            f"{self.caption}. The {level} confidence intervals are for the scores that "
            "judgments of the whole pool would give on these topics. They do not account for the "
            "sampling of topics."
        )
        return [note("sample", text), *self.found_notes]


def score_sampled(
    sample: pl.DataFrame | str | Path,
    runs: RunsLike | Collection,
    metrics: Sequence[str] = SAMPLED_METRICS,
    *,
    rel: float = 1,
    confidence: float = 0.95,
) -> SampledScores:
    """Estimate AP and nDCG from a stratified sample of the judgments, with variances.

    Parameters
    ----------
    sample
        A table of `sample_pool` with the grades of the sampled documents; or a file: this table as
        CSV or Parquet, `prels` of the TREC Million Query track, or the format of sample_eval.pl.
    runs
        As for `score`; or a `Collection`, whose judgments are not used.
    metrics
        Any of `statAP`, `xinfAP` and `infNDCG`; infNDCG may have a cutoff, as in `infNDCG@10`.
        xinfAP and infNDCG need a sample that also lists the documents that were not sampled, unless
        all documents were sampled.
    rel
        Relevance threshold of statAP and xinfAP.
    confidence
        Level of the confidence intervals.

    Returns
    -------
    SampledScores
        One row per metric and run, with standard error and confidence interval.

    Examples
    --------
    >>> run = {"1": {f"d{place}": 9.0 - place for place in range(9)}}
    >>> judged = {"1": {f"d{place}": int(place in (0, 3)) for place in range(9)}}
    >>> sample = sample_pool(run, "9=1", qrels=judged)
    >>> score_sampled(sample, run, ["statAP"]).frame.select("value", "se").row(0)
    (0.75, 0.0)
    """
    check_between("confidence", confidence, 0.95)
    check_above_0("rel", rel)
    wanted = [_estimate(metric) for metric in metrics]
    table = read_sample(sample)
    whole = bool((~table["sampled"]).any() or (table["probability"] == 1).all())
    if not whole and any(name != "statAP" for _, name, _ in wanted):
        raise CallError(
            "xinfAP and infNDCG need a list of the documents that were not sampled, but the sample "
            "has only sampled documents. Use statAP."
        )
    if rel < 1 or rel != int(rel):
        raise CallError(Argument("rel"), f" must be a whole number, 1 or more, not {rel:g}.")
    rows = []
    for run, name, topic, document, rank in _rankings(table, runs, whole=whole):
        for metric, kind, cutoff in wanted:
            if kind == "infNDCG":
                value, variance = inf_ndcg(topic, document, rank, cutoff=cutoff)
            else:
                estimate = stat_ap if kind == "statAP" else x_inf_ap
                value, variance = estimate(topic, document, rank, rel=int(rel))
            rows.append((metric, run, name, value, np.sqrt(np.clip(variance, 0.0, GREATEST))))
    schema = {"metric": pl.String, "run": pl.String, "topic": pl.String}
    frame = pl.DataFrame(rows, {**schema, "value": pl.Float64, "se": pl.Float64}, orient="row")
    names = pl.Enum([metric for metric, _, _ in wanted])
    frame = frame.fill_nan(None).sort(pl.col("metric").cast(names), maintain_order=True)
    counts = (int(table["sampled"].sum()), table.height)
    notes = _notes(table, frame, [metric for metric, _, cutoff in wanted if cutoff], whole)
    return SampledScores(frame, confidence, counts, tuple(notes))


def _notes(
    table: pl.DataFrame, frame: pl.DataFrame, with_cutoff: Sequence[str], whole: bool
) -> Iterator[Note]:
    """Yield the notes on a sample and on the estimates from it."""
    unjudged = table.filter(pl.col("sampled") & pl.col("grade").is_null()).height
    if unjudged:
        one = "sampled document has no grade and counts"
        several = "sampled documents have no grade and count"
        yield warning("unjudged-in-sample", Count(unjudged, one, several), " as not relevant")
    without = frame.filter(pl.col("value").is_null())["topic"].n_unique()
    if without:
        count = Count(without, "topic is", "topics are")
        text = " excluded, because the sample has no relevant document"
        yield warning("topics-undefined", count, text)
    for metric in with_cutoff:
        text = "confidence intervals are too narrow: they ignore the bias of the estimated ideal "
        yield warning("cutoff-interval", f"{text}ranking", metric=metric)
    if not whole:
        text = "the sample does not list the documents that were not sampled, so documents are "
        yield detail("independent", f"{text}assumed to be sampled independently")


def _estimate(metric: str) -> tuple[str, str, int | None]:
    match = ESTIMATE.fullmatch(metric.strip())
    if not match or (match[2] and match[1] != "infNDCG"):
        known = in_words(SAMPLED_METRICS, "or")
        raise CallError(f"{metric!r} cannot be estimated from a sample. Use {known}.")
    return metric.strip(), match[1], int(match[2]) if match[2] else None


def _rankings(
    table: pl.DataFrame, runs: RunsLike | Collection, *, whole: bool
) -> Iterator[tuple[str, str, SampledTopic, Ints, Ints]]:
    """Yield, for each run and topic, the retrieved documents that the sample lists.

    A tuple has the run, the topic, the sample of the topic, and two arrays: the index of each
    document in this sample, and its rank in the run.
    """
    grade = pl.when("sampled").then(pl.col("grade").fill_null(0)).otherwise(-1)
    qrels = read_qrels(table.select("topic", "document", grade.cast(pl.Int64).alias("grade")))
    collection = runs if isinstance(runs, Collection) else Collection(None, runs)
    judged, judgments = replace(collection, qrels=qrels).judged(), Judgments.of(qrels)
    listed = qrels.frame[judgments.by_topic].select("topic", "document")
    table = listed.join(table, on=["topic", "document"], how="left", maintain_order="left")
    number = judgments.row_topic[judgments.by_topic]
    starts = np.flatnonzero(np.diff(number, prepend=-1))
    ends = np.append(starts[1:], len(number))
    relevant = (pl.col("grade").fill_null(0) >= 1).mean()
    rate = dict(table.filter("sampled").group_by("stratum").agg(relevant).rows())
    samples = {}
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        part = table[start:end]
        samples[str(part["topic"][0])] = (start, _topic(part, rate, whole))
    assert judged.judgment is not None
    order = np.lexsort((judged.rank, judged.ranking))
    ends = np.searchsorted(judged.ranking[order], np.arange(judged.count + 1))
    for one in track(range(judged.count), "rankings"):
        run, topic = divmod(one, len(judged.topics))
        name = judged.topics[topic]
        rows, (start, sampled) = order[ends[one] : ends[one + 1]], samples[name]
        yield judged.runs[run], name, sampled, judged.judgment[rows] - start, judged.rank[rows]


def _topic(table: pl.DataFrame, rate: Mapping[str, float], whole: bool) -> SampledTopic:
    names, stratum = np.unique(table["stratum"].to_numpy(), return_inverse=True)
    return SampledTopic(
        stratum.ravel(),
        table["sampled"].to_numpy(),
        table["grade"].fill_null(0).to_numpy(),
        table["probability"].to_numpy(),
        whole,
        np.array([rate.get(name, 0.0) for name in names.tolist()]) if whole else None,
    )
