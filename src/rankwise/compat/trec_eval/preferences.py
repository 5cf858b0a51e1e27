"""trec_eval's measures of preferences and judgment groups: `-R prefs|qrels_prefs|qrels_jg`.

A judgment group has the judgments of one user, and may be divided into subgroups. A judgment gives
a document a level (a number). A document is preferred to all documents of the same subgroup with a
lower level. Preferences are transitive across the subgroups of a group: if document a is preferred
to b in one subgroup, and b to c in another, then a is also preferred to c. Judged documents are
numbered: first the retrieved documents, by rank, then all others, by name.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.compat.trec_eval.measures import (
    DEPTHS,
    FRACTIONS,
    Request,
    parse_numbers,
    read_zscores,
    z_score,
)
from rankwise.errors import CallError, InputError, did_you_mean
from rankwise.formats import File, split_lines
from rankwise.rankings import RunReading, opened, run_loaders

FIELDS = {
    "prefs": ("topic", "group", "subgroup", "document", "level"),
    "qrels_prefs": ("topic", "group", "document", "level"),
    "qrels_jg": ("topic", "group", "document", "level"),
}
COUNTS = ("prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret")
RATIOS = tuple(
    f"prefs_{name}{which}"
    for which, names in (
        ("", ("simp", "pair", "avgjg", "avgjg_Rnonrel")),
        ("_ret", ("simp", "pair", "avgjg", "avgjg_Rnonrel")),
        ("_imp", ("simp", "pair", "avgjg")),
    )
    for name in names
)
GROUPED = ("map_avgjg", "P_avgjg", "Rprec_mult_avgjg")
HEAD = ("runid", "num_q")
NICKNAMES = {
    "prefs": (*HEAD, *COUNTS, *RATIOS[:3]),
    "all_prefs": (*HEAD, *COUNTS, *RATIOS),
    "qrels_jg": (*HEAD, *GROUPED),
}


class Judgment(NamedTuple):
    """A line of the preference judgments."""

    group: str
    subgroup: str
    document: str
    level: float


Ranking = list[tuple[str, float]]  # documents and scores


def preferences(qrels: Any, run: Any, request: Request, form: str) -> str:
    """Return the output of trec_eval for judgments in this format."""
    names = _wanted(request.measures, form)
    judgments = _read(qrels, form)
    loaders = run_loaders(run, RunReading(as_trec_eval=True))
    runs = [one for loader in loaders for one in loader.read()]
    if len(runs) != 1:
        raise CallError(f"trec_eval takes one run, but the file has {len(runs)}.")
    rankings: dict[str, Ranking] = {}
    for topic, document, score in runs[0].frame.select("topic", "document", "score").iter_rows():
        rankings.setdefault(topic, []).append((document, score))
    of_topic = _grouped_values if form == "qrels_jg" else _preference_values
    topics = sorted(judgments, key=str.encode)
    chosen = [topic for topic in topics if request.complete or topic in rankings]
    values = {
        topic: of_topic(names, judgments[topic], rankings.get(topic, []), request)
        for topic in chosen
    }
    if request.zscores is not None:
        table = read_zscores(request.zscores)
        values = {
            topic: {each: z_score(value, table.get((topic, each))) for each, value in row.items()}
            for topic, row in values.items()
        }
    return "".join(_lines(names, values, runs[0].name, request))


def _wanted(measures: Sequence[str], form: str) -> dict[str, str]:
    """Return {measure: parameters} of the requested measures, in the order of trec_eval."""
    known = (*HEAD, *(GROUPED if form == "qrels_jg" else (*COUNTS, *RATIOS)))
    typed: dict[str, str] = {}
    for text in measures or ("official",):
        name, _, params = text.partition(".")
        some = NICKNAMES.get(name, (name,))
        if not set(some) <= set(known):
            all_of_form = "qrels_jg" if form == "qrels_jg" else "all_prefs"
            if not measures:
                what = "the default measures of trec_eval need grades."
                raise CallError(f"{what} With -R {form}, use -m {all_of_form}.")
            near = did_you_mean(name, [*known, all_of_form])
            what = f"is not a measure of -R {form}. Measures: {', '.join(known)}.{near}"
            raise CallError(f"{name} {what}")
        for each in some:
            typed[each] = typed.get(each) or params
    return {name: typed[name] for name in known if name in typed}


def _read(qrels: Any, form: str) -> dict[str, list[Judgment]]:
    file = opened(qrels)
    if not isinstance(file, File):
        raise CallError(f"-R {form} takes a file.")
    fields = FIELDS[form]
    pattern = r"^" + r"\s+".join([r"(\S+)"] * len(fields)) + "$"
    rows, faults = split_lines(file, pattern, list(fields))
    if faults:
        wrong = faults.because(f"not {len(fields)} fields")
        raise InputError(file.name, f"A line of -R {form} is: {' '.join(fields)}.", wrong)
    found: dict[str, list[Judgment]] = {}
    for row in rows.iter_rows(named=True):
        try:
            level = float(row["level"])
        except ValueError:
            what = f"line {row['number']}: {row['level']!r} is not a number."
            raise InputError(file.name, what) from None
        if form == "qrels_jg" and not level.is_integer():
            raise InputError(file.name, f"line {row['number']}: grade {level} is not whole.")
        judgment = Judgment(row["group"], row.get("subgroup", "0"), row["document"], level)
        found.setdefault(row["topic"], []).append(judgment)
    return found


def _lines(
    names: Mapping[str, str], values: Mapping[str, Mapping[str, float]], run: str, request: Request
) -> Iterator[str]:
    is_z = request.zscores is not None

    def line(name: str, topic: str, value: float) -> str:
        text = str(int(value)) if name in (*COUNTS, "num_q") and not is_z else f"{value:6.4f}"
        return f"{'Z' if is_z else ''}{name:<22}\t{topic}\t{text}\n"

    if request.by_topic:
        for topic, row in values.items():
            for name, value in row.items():
                yield line(name, topic, value)
    if not request.summary:
        return
    if "runid" in names:
        yield f"{'runid':<22}\tall\t{run}\n"
    if "num_q" in names:
        yield line("num_q", "all", len(values))
    for name in next(iter(values.values())):
        total = sum(row[name] for row in values.values())
        yield line(name, "all", total if name in COUNTS else total / len(values))


# Preferences.


@dataclass(frozen=True, eq=False)
class Group:
    """Preferences of one judgment group.

    `matrix[i, j]` is the number of preferences of document i over document j. The first `retrieved`
    documents were retrieved. `classes` has the documents of each level, highest level first; it is
    empty if there are several subgroups.
    """

    matrix: Ints
    retrieved: int
    classes: list[Ints]
    level: Floats  # level of each document; -1 if the group does not judge it

    def counts(self, keep: Any = slice(None), retrieved: int | None = None) -> "Counts":
        part = self.matrix[keep][:, keep]
        r = self.retrieved if retrieved is None else retrieved
        above = int(np.triu(part[:r, :r], 1).sum())
        below = int(part[:r, :r].sum()) - above
        others = (part[:r, r:], part[r:, :r], part[r:, r:])
        return Counts(above, below, *(int(block.sum()) for block in others))

    def sizes(self) -> tuple[int, int, int, int]:
        """Return the numbers of relevant and non-relevant documents, judged and retrieved.

        In order: judged relevant, judged non-relevant, retrieved relevant, retrieved non-relevant.
        """
        if self.classes:
            number = np.concatenate(self.classes)
            positive = np.concatenate([self.level[each] > 0 for each in self.classes])
        else:
            number = np.flatnonzero(self.level >= 0)
            positive = self.level[number] > 0
        seen = number < self.retrieved
        kinds = (positive, ~positive, positive & seen, ~positive & seen)
        relevant, others, relevant_seen, others_seen = (int(kind.sum()) for kind in kinds)
        return relevant, others, relevant_seen, others_seen


class Counts(NamedTuple):
    """Numbers of preferences by outcome.

    If both documents were retrieved, a preference is fulfilled or failed. If only one document was
    retrieved, a preference is implied if this is the preferred document, and otherwise
    implied_failed. `neither` counts preferences between two documents that were not retrieved.
    """

    fulfilled: int
    failed: int
    implied: int
    implied_failed: int
    neither: int

    def of(self, which: str) -> tuple[int, int]:
        """Return the numbers of fulfilled and of possible preferences.

        `which` selects the pairs: both documents retrieved (`_ret`), at least one (`_imp`), or all.
        """
        both = self.fulfilled + self.failed
        if which == "_ret":
            return self.fulfilled, both
        some = both + self.implied + self.implied_failed
        return self.fulfilled + self.implied, some + (0 if which == "_imp" else self.neither)


def _preference_values(
    names: Mapping[str, str], judgments: list[Judgment], ranking: Ranking, request: Request
) -> dict[str, float]:
    groups = _groups(judgments, ranking, request.depth)
    counts = [group.counts() for group in groups]
    every = sum((group.matrix for group in groups), np.zeros_like(groups[0].matrix))
    values: dict[str, float] = {}
    for name in names:
        if name in HEAD:
            continue
        if name in COUNTS:
            which, place = {COUNTS[0]: ("", 1), COUNTS[1]: ("", 0), COUNTS[2]: ("_ret", 0)}[name]
            values[name] = sum(each.of(which)[place] for each in counts)
            continue
        kind, which = name.removeprefix("prefs_"), ""
        for end in ("_ret", "_imp"):
            if kind.endswith(end):
                kind, which = kind.removesuffix(end), end
        if kind == "simp":
            pairs = [each.of(which) for each in counts]
            possible = sum(p for _, p in pairs)
            values[name] = sum(f for f, _ in pairs) / possible if possible else 0.0
        elif kind == "pair":
            values[name] = _by_pair(every, groups[0].retrieved, which)
        else:
            if kind == "avgjg":
                pairs = [each.of(which) for each in counts]
                shares = [fulfilled / max(possible, 1) for fulfilled, possible in pairs]
            else:
                both = zip(groups, counts, strict=True)
                shares = [_balanced(group, each, which) for group, each in both]
            total = sum(shares)
            values[name] = total / len(shares) if total > 0 else 0.0  # NaN becomes 0 too
    return values


def _groups(judgments: list[Judgment], ranking: Ranking, depth: int | None) -> list[Group]:
    order = sorted(ranking, key=lambda one: (-one[1], one[0].encode()))[:depth]
    judged = {each.document for each in judgments}
    retrieved = [document for document, _ in order if document in judged]
    others = sorted(judged - set(retrieved), key=str.encode)
    number = {document: at for at, document in enumerate([*retrieved, *others])}
    by_group = sorted(judgments, key=lambda each: (each.group.encode(), each.subgroup.encode()))
    found = []
    for name, rows in groupby(by_group, key=lambda each: each.group):
        parts = [list(part) for _, part in groupby(rows, key=lambda each: each.subgroup)]
        matrix = np.zeros((len(number), len(number)), np.int64)
        level = np.full(len(number), -1.0)
        classes: list[Ints] = []
        for part in parts:
            levels = sorted({each.level for each in part}, reverse=True)
            of_levels = ([each for each in part if each.level == one] for one in levels)
            classes = [np.sort([number[each.document] for each in of]) for of in of_levels]
            times = [np.bincount(each, minlength=len(number)) for each in classes]
            for one, each in zip(levels, classes, strict=True):
                if ((level[each] > 0) & (one == 0)).any() or ((level[each] == 0) & (one > 0)).any():
                    raise CallError(f"group {name}: a document has level 0 and a higher level.")
                level[each] = one
            for at, upper in enumerate(times):
                for lower in times[at + 1 :]:
                    matrix += np.outer(upper, lower)
        if np.diag(matrix).any():
            raise CallError(f"group {name}: a document has two levels in one subgroup.")
        if len(parts) > 1:
            classes, matrix = [], _closed(matrix, name)
        found.append(Group(matrix, len(retrieved), classes, level))
    return found


def _closed(matrix: Ints, name: str) -> Ints:
    """Return the transitive closure of a group's preferences; raise an error on a contradiction."""
    closed = matrix > 0
    while True:
        step = closed | ((closed.astype(np.float32) @ closed.astype(np.float32)) > 0)
        if (step == closed).all():
            break
        closed = step
    if (closed & closed.T).any():
        raise CallError(f"group {name}: its preferences contradict each other.")
    return closed.astype(np.int64)


def _by_pair(every: Ints, retrieved: int, which: str) -> float:
    """Return the fraction of fulfilled preferences, averaged over pairs of documents.

    `every[i, j]` is the number of preferences of document i over document j, of all groups. `which`
    selects pairs, as for `Counts.of`.
    """
    both = np.triu(every + every.T, 1)
    first, second = np.nonzero(both)
    used = second < retrieved if which == "_ret" else (first < retrieved) | (which == "")
    first, second = first[used], second[used]
    if not len(first):
        return 0.0
    shares = every[first, second] / both[first, second]
    return float(np.cumsum(np.where(first < retrieved, shares, 0.0))[-1] / len(first))


def _balanced(group: Group, counts: Counts, which: str) -> float:
    """Return the fraction of fulfilled preferences with equal numbers of documents of both kinds.

    Non-relevant documents are added or removed until there are as many as relevant documents.
    `which` selects pairs, as for `Counts.of`. The fraction is NaN if no preference is possible.
    """
    relevant, others, relevant_seen, others_seen = group.sizes()
    limit = relevant_seen if which else relevant
    more = limit - (others_seen if which else others)
    if more >= 0:
        fulfilled, possible = counts.of(which)
        fulfilled += relevant_seen * more
        possible += relevant * more
    elif group.classes:
        fulfilled, possible = _with_fewer(group, limit, which)
    else:
        number = np.flatnonzero(group.level == 0)
        number = number[number < group.retrieved] if which else number
        first = number[relevant] if len(number) > relevant else len(group.level)
        keep = (np.arange(len(group.level)) < first) | (group.level != 0)
        seen = int(keep[: group.retrieved].sum())
        fulfilled, possible = group.counts(np.flatnonzero(keep), seen).of(which)
    return fulfilled / possible if possible else np.nan


def _with_fewer(group: Group, limit: int, which: str) -> tuple[int, int]:
    """Return the numbers of fulfilled and possible preferences, with a truncated lowest class.

    A class has the documents of one level. As in trec_eval, only the first `limit` documents of the
    lowest class are used, and every class is compared with these documents, including the lowest.
    """
    r, classes = group.retrieved, group.classes
    lowest = classes[-1][:limit]
    pairs = [(one, two) for at, one in enumerate(classes) for two in classes[at + 1 : -1]]
    pairs += [(one, lowest) for one in classes]
    fulfilled = possible = 0
    for one, two in pairs:
        if which:
            one, two = one[one < r], two[two < r]
        won = (one[:, None] < two) & (one[:, None] < r)
        fulfilled += int(won.sum())
        possible += won.size
    return fulfilled, possible


# Judgment groups.


def _grouped_values(
    names: Mapping[str, str], judgments: list[Judgment], ranking: Ranking, request: Request
) -> dict[str, float]:
    by_name = sorted(ranking, key=lambda one: one[0].encode(), reverse=True)
    order = [name for name, _ in sorted(by_name, key=lambda one: -one[1])][: request.depth]
    groups = []
    by_group = sorted(judgments, key=lambda each: each.group.encode())
    for _, rows in groupby(by_group, key=lambda each: each.group):
        grades: dict[str, float] = {}
        for each in rows:
            if each.document in grades:
                raise CallError(f"document {each.document} is judged twice in a group.")
            grades[each.document] = each.level
        documents = [d for d in order if not request.judged_only or grades.get(d, -1) >= 0]
        relevant = [grades.get(document, -1) >= request.level for document in documents]
        groups.append((relevant, sum(grade >= request.level for grade in grades.values())))
    values: dict[str, float] = {}
    if "map_avgjg" in names:
        precisions = 0.0
        for hits, count in groups:
            ranks = [rank for rank, hit in enumerate(hits, 1) if hit]
            total = sum(at / rank for at, rank in enumerate(ranks, 1))
            precisions += total / count if ranks else 0.0
        values["map_avgjg"] = precisions / len(groups)
    if "P_avgjg" in names:
        for k in sorted(parse_numbers("P_avgjg", names["P_avgjg"], DEPTHS, whole=True)):
            found = (_precision_at(int(k), hits) for hits, _ in groups)
            values[f"P_avgjg_{int(k)}"] = sum(found) / len(groups)
    if (name := "Rprec_mult_avgjg") in names:
        for x in sorted(parse_numbers(name, names[name], FRACTIONS["Rprec_mult"])):
            found = (_precision_at(int(x * count + 0.9), hits) for hits, count in groups)
            values[f"{name}_{x:.2f}"] = sum(found) / len(groups)
    return values


def _precision_at(cutoff: int, hits: list[bool]) -> float:
    return sum(hits[:cutoff]) / cutoff if cutoff else 0.0
