"""Moffat (2013): seven numeric properties of effectiveness metrics."""

from collections.abc import Sequence

import polars as pl

from rankwise import correlate, properties, score_gains
from rankwise.experiments.properties import NOTES, PROPERTIES, SEVEN, Properties
from rankwise.studies.material import Material, once
from rankwise.studies.paper import PRINTED, Paper, Table

PAPER = Paper(
    "moffat-2013",
    "Moffat: Seven Numeric Properties of Effectiveness Metrics. AIRS 2013.",
    "Seven numeric properties of metrics, decided by a search for counterexamples.",
    parameters={"depth": 10, "cutoff": 5},
    needs_runs=False,
)
VARIANTS = {
    "DCG": "no scaling performed",
    "SDCG": "the greatest score of any system on any topic at depth k",
    "nDCG": "the greatest score of any system on this topic at depth k",
    "SNDCG": "the greatest score of this system on this topic, permuting the top k",
}
EXAMPLES = ("10100", "10101", "11000")
WORDS = {True: "Yes", False: "No", None: "–"}
RAISED = str.maketrans("abcdef", "ᵃᵇᶜᵈᵉᶠ")
ALL_RELEVANT = 3  # number of relevant documents of the examples' topic


@PAPER.part("Table 1", section="3 Normalization")
def variants_of_dcg(data: Material) -> Table:
    """Variants of DCG: their divisors, and the scores of three rankings of five documents. Each
    topic has three relevant documents.
    """
    cutoff = int(data.parameters["cutoff"])
    names = [f"{name}@{cutoff}" for name in VARIANTS]
    frame = pl.DataFrame({"method": names, "scaling denominator": list(VARIANTS.values())})
    scored = {example: [_score(name, example) for name in VARIANTS] for example in EXAMPLES}
    frame = frame.with_columns(pl.Series(name, values) for name, values in scored.items())
    if not data.given.runs:
        return Table(frame)
    more = "Over the runs: the mean score, and Kendall's tau-b with the system ranking by nDCG."
    return Table(frame.with_columns(_on_runs(data, names)), more)


@PAPER.part("Table 2", section="4 Numeric properties of effectiveness metrics")
def seven_properties(data: Material) -> Table:
    """Metrics and their properties, and SWAP of Ahlgren and Grönqvist (2008), which the paper does
    not have. “No” has a counterexample. “Yes” means that no binary ranking up to the search depth
    is a counterexample. Letters are the notes of the paper's table that the search confirms. The
    last column has the paper's own seven answers, in the paper's order: Y for yes, N for no.
    """
    frame = _answers(_properties(data))
    answers = PAPER.printed["Table 2"][""]["seven"]  # in the order of SEVEN; letters are notes
    printed = [answers[name] for name in frame["metric"]]
    ours = [" ".join(row) for row in frame.select(SEVEN).iter_rows()]
    pairs = list(zip(" ".join(ours).split(), " ".join(printed).split(), strict=True))
    alike = sum(one == other for one, other in pairs)
    short = [row.replace("Yes", "Y").replace("No", "N").replace(" ", "") for row in printed]
    both = frame.with_columns(pl.Series(f"seven{PRINTED}", short))
    return Table(both, f"rankwise agrees with {alike} of these {len(pairs)} answers of the paper.")


@PAPER.part("Table 2 on grades", section="4 Numeric properties of effectiveness metrics")
def properties_on_grades(data: Material) -> pl.DataFrame:
    """The same as Table 2, with graded gains: the definitions allow real numbers, though the
    paper's examples are binary. Metrics that distinguish grades 0 to 3 are also tested on graded
    rankings.
    """
    return _answers(_on_grades(data))


@PAPER.part("Status", section="4 Numeric properties of effectiveness metrics")
def status(data: Material) -> pl.DataFrame:
    """Status of each answer for graded gains: refuted by an example, proved from the formula of a
    sum of weights, or searched down to the depth without finding an example.
    """
    frame = _on_grades(data).frame
    wide = frame.pivot(on="property", index="name", values="status", maintain_order=True)
    return wide.rename({"name": "metric"})


def _answers(found: Properties) -> pl.DataFrame:
    rows = found.rows
    columns = {
        name: [WORDS[row.answers[name].holds] + row.mark(name).translate(RAISED) for row in rows]
        for name in PROPERTIES
    }
    return pl.DataFrame({"metric": [row.name for row in rows], **columns})


@once
def _on_grades(data: Material) -> Properties:
    return properties(depth=int(data.parameters["depth"]))


@PAPER.part("Notes", section="4 Numeric properties of effectiveness metrics")
def notes(data: Material) -> pl.DataFrame:
    """The notes of Table 2."""
    used = {row.mark(name) for row in _properties(data).rows for name in PROPERTIES}
    found = [(letter.translate(RAISED), text) for letter, text in NOTES.items() if letter in used]
    return pl.DataFrame(found, {"note": pl.String, "says": pl.String}, orient="row")


@PAPER.part("Counterexamples", section="4 Numeric properties of effectiveness metrics")
def counterexamples(data: Material) -> pl.DataFrame:
    """For each No, a smallest counterexample (two rankings and their scores); for each Yes, the
    extent of the search or a proof. Boundedness was tested on six shapes of rankings to k = 4,096:
    all relevant, none, the first, the last, every second, the second half.
    """
    frame = _properties(data).evidence()
    return frame.with_columns(pl.Series("holds", [WORDS[holds] for holds in frame["holds"]]))


@once
def _properties(data: Material) -> Properties:
    return properties(depth=int(data.parameters["depth"]), grades=(0, 1))


def _score(name: str, example: str) -> float:
    judged = [1] * ALL_RELEVANT + [0] * len(example)
    return score_gains(f"{name}@{len(example)}", [int(sign) for sign in example], judged=judged)


def _on_runs(data: Material, names: Sequence[str]) -> list[pl.Series]:
    scores = data.scores(*names)
    means = scores.pivot().select(names).to_numpy().T.mean(axis=1)
    taus: Sequence[float | None] = [None] * len(names)
    if len(scores.runs) > 1:
        taus = correlate(scores).values[list(VARIANTS).index("nDCG")].tolist()
    return [pl.Series("mean", means), pl.Series("tau with nDCG", taus, nan_to_null=True)]
