"""A published RBP score: parsing, validation, and the number of ranks that determine it."""

from dataclasses import dataclass
from math import floor, isfinite, log

from rankwise.arguments import check_fields
from rankwise.errors import CallError, check_between, did_you_mean
from rankwise.wording import Argument, Remedy

MOST_RANKS = 10_000
FINEST_PRECISION = 1e-10  # finer differences are lost in the rounding of sums
GRADED = (
    "the paper's method is not defined for graded judgments (Zhang, Park and Moffat 2008, "
    "section 6). Use the method 'sound'."
)
NOT_PRINTED = "no residual is given{}, so unjudged documents count as not relevant"


def significant_ranks(p: float, precision: float) -> int:
    """Return the number of ranks that determine a rounded RBP score.

    The number is the smallest i with p^i < ε / 2, where ε is `precision`, for example 0.01 for
    scores rounded to two decimals. All ranks below rank i together add at most p^i, which is less
    than the rounding error ε / 2. Zhang, Park and Moffat (ADCS 2008, Table 1) call these ranks
    significant. In their table, 1,001 is a misprint for 1,902.

    >>> significant_ranks(0.8, 1e-4), significant_ranks(0.99, 1e-8)
    (45, 1902)
    """
    check_persistence(p)
    check_between("precision", precision, 0.0001)
    if p == 0:
        return 1
    ranks = max(1, floor(log(precision / 2) / log(p)))
    while ranks > 1 and p ** (ranks - 1) < precision / 2:
        ranks -= 1
    while p**ranks >= precision / 2:
        ranks += 1
    return ranks


@dataclass(frozen=True)
class Published:
    """An RBP score as printed, rounded to `precision`.

    `score` counts unjudged documents as not relevant. `score + residual` counts them as relevant. A
    residual of 0 means that a paper printed 0: the weights of the unjudged documents sum to less
    than half the precision. A residual of None means that no residual was printed; all unjudged
    documents are then assumed to be not relevant. `topics` is the number of topics averaged. If
    `topics` is None (unknown), results are valid both for one ranking and for a mean. `graded`
    means that gains can be any number from 0 to 1.

    >>> Published(0.8, 0.41, 0.02).depth
    45
    """

    p: float
    score: float
    residual: float | None = None
    precision: float = 1e-4
    topics: int | None = None
    graded: bool = False

    def __post_init__(self) -> None:
        check_fields(self)
        check_persistence(self.p)
        _check("score", self.score, "between 0 and 1", 0 <= self.score <= 1)
        if self.residual is not None:
            fits = 0 <= self.residual <= 1 - self.score + self.half  # both ends are rounded
            allowed = f"between 0 and {max(0.0, 1 - self.score):g} (score + residual is at most 1)"
            _check("residual", self.residual, allowed, fits)
        finest = f"at least {FINEST_PRECISION:g} and below 1"
        _check("precision", self.precision, finest, FINEST_PRECISION <= self.precision < 1)
        if self.topics is not None:
            _check("topics", self.topics, "a whole number, 1 or more", self.topics >= 1)
        if self.depth > MOST_RANKS:
            least_precision, greatest_p = 2 * self.p**MOST_RANKS, self.half ** (1 / MOST_RANKS)
            raise CallError(
                f"precision {self.precision:g} at p = {self.p:g} needs {self.depth:,} ranks, and "
                f"at most {MOST_RANKS:,} are allowed. Give a precision of at least "
                f"{least_precision * 1.001:.3g} at this p, or p up to "
                f"{floor(greatest_p * 1e6) / 1e6:g} at this precision."
            )
        if self.topics in (None, 1) and not self.graded:
            _check_attainable(self)

    @property
    def half(self) -> float:
        """Largest rounding error of the printed score."""
        return self.precision / 2

    @property
    def depth(self) -> int:
        return significant_ranks(self.p, self.precision)

    @property
    def lowest(self) -> float:
        """Smallest possible score before rounding, with all unjudged documents not relevant."""
        return max(0.0, self.score - self.half)

    @property
    def unjudged(self) -> float:
        """The residual, the weight of the unjudged documents; 0 if no residual was published."""
        return self.residual or 0.0

    @property
    def most(self) -> float:
        """Printed score plus residual: the score with all unjudged documents relevant."""
        return self.score + self.unjudged

    @property
    def half_of_sum(self) -> float:
        """Largest rounding error of score + residual: half the precision per printed number."""
        return self.half if self.residual is None else self.precision

    @property
    def highest(self) -> float:
        """Largest score that the run could have if all its unjudged documents were relevant.

        It allows for the rounding of the published numbers.
        """
        return min(1.0, self.most + self.half_of_sum)

    @property
    def is_one_vector(self) -> bool:
        """Whether the score is, or may be, the score of one ranking with binary relevance.

        An unknown number of topics counts as 1.
        """
        return (self.topics or 1) == 1 and not self.graded

    def __str__(self) -> str:
        residual = "" if self.residual is None else f" + {self.residual:g}"
        return f"RBP {self.score:g}{residual} at p = {self.p:g}"


def published(text: str) -> Published:
    """Parse a published score from text.

    >>> published("p=0.8,score=0.41,residual=0.02")
    Published(p=0.8, score=0.41, residual=0.02, precision=0.0001, topics=None, graded=False)
    >>> published("p=0.8,score=0.41,graded").graded
    True
    """
    allowed = ["p", "score", "residual", "precision", "topics", "graded"]
    values: dict[str, float] = {}
    graded = False
    for part in text.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if name == "graded":
            if value.lower() not in (["true", "false"] if equals else [""]):
                text = f"{part!r} in {text!r}: write graded, graded=True or graded=False."
                raise CallError(text)
            graded = value.lower() != "false"
            continue
        if name not in allowed or not equals:
            near = did_you_mean(name, allowed) or f" Known names: {', '.join(allowed)}."
            wrong = f"{name!r} is not a known name" if equals else f"{part!r} is not NAME=VALUE"
            raise CallError(f"{text!r}: {wrong}.{near}")
        if name in values:
            raise CallError(f"{name} is given twice in {text!r}.")
        try:
            values[name] = float(value)
        except ValueError:
            raise CallError(f"{part!r} in {text!r}: {value!r} is not a number.") from None
    if missing := [name for name in allowed[:2] if name not in values]:
        what = f"{' and '.join(missing)} is missing in {text!r}. Write it as p=0.8,score=0.41."
        raise CallError(what)
    topics = values.pop("topics", None)
    if topics is not None:
        _check("topics", topics, "a whole number, 1 or more", topics.is_integer())
    whole = None if topics is None else int(topics)
    return Published(**values, topics=whole, graded=graded)


def check_persistence(p: float, name: str | Argument = "p") -> None:
    _check(name, p, "a number from 0 (included) to 1 (excluded)", 0 <= p < 1)


def _check(name: str | Argument, value: float, allowed: str, right: bool) -> None:
    if not (isfinite(value) and right):
        raise CallError(name, f" must be {allowed}, not {value:g}.")


def _check_attainable(printed: Published) -> None:
    """Raise an error if no ranking can attain the score; for p < 0.5 there are gaps."""
    wanted = {"score": (printed.score, printed.half)}
    if printed.residual is not None:
        wanted["score + residual"] = (printed.most, printed.precision)
    for name, (value, slack) in wanted.items():
        gap = nearest_attainable(printed.p, value, slack)
        if gap is not None:
            raise CallError(
                f"a single ranking cannot have {name} = {value:g} at p = {printed.p:g}; the "
                f"nearest possible values are {gap[0]:.10g} and {gap[1]:.10g}.",
                remedy=Remedy(Argument("topics", 50), "treat it as a mean over 50 topics"),
            )


def nearest_attainable(p: float, score: float, slack: float = 0.0) -> tuple[float, float] | None:
    """Return the two attainable scores around `score`; None if `score` is attainable.

    A relevant document at rank 1 adds 1 − p, and all lower ranks together add p. For p < 0.5 no
    score therefore lies between p and 1 − p. Lower ranks have corresponding gaps.

    >>> nearest_attainable(0.2, 0.5)
    (0.2, 0.8)
    >>> nearest_attainable(0.8, 0.5) is None
    True
    """
    if p >= 0.5:
        return None
    reached, rest = 0.0, 1.0
    while rest > max(slack, 1e-12):
        below, above = reached + rest * p, reached + rest * (1 - p)
        if score >= above - slack - 1e-12:
            reached = above
        elif score > below + slack + 1e-12:
            return below, above
        rest *= p
    return None
