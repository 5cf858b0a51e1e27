"""Writes docs/metrics.md from the metrics, their formulas and properties: `make docs`."""

import inspect
import re
import tomllib
from itertools import groupby
from pathlib import Path

from rankwise.metrics import REGISTRY, Metric
from rankwise.metrics.aliases import NOT_HERE, NOT_HERE_FROM, NTCIREVAL, SIMILARITIES
from rankwise.metrics.descriptions import aliases, bounds, family, signature, summary

DOCS = Path(__file__).parent
FORMULAS = tomllib.loads((DOCS / "formulas.toml").read_text(encoding="utf-8"))
FAMILIES = {"dcg": "Discounted cumulative gain", "rbp": "Rank-biased precision"}
FAMILIES |= {"trec eval gain": "Gain in trec_eval"}
AVOID = re.compile(r"(?:^|(?<=[.:;] ))(?:Avoid|Do not)\b")
AVOIDED = re.compile(r"^(?:Avoid it|Avoid|Do not use it) ")
PROPERTIES = (
    "bounded",
    "monotonic",
    "convergent",
    "top-weighted",
    "localized",
    "complete",
    "realizable",
    "SWAP",
)

HEAD = r"""# Metrics

<!-- Made by `make docs` from the metrics themselves: do not edit. -->

A metric is written `Name(param=value, …)@cutoff`, on the command line and in Python.
`rankwise metrics list` lists all metrics, and `rankwise metrics show NAME` describes one.
[A metric of your own](adding-a-metric.md) needs ten lines.

## Notation

The formulas use these symbols for a ranking of the documents at ranks $1, 2, …, d$:

| symbol | meaning |
|---|---|
| $r_i$ | 1 if the document at rank $i$ is relevant (its grade is at least `rel`), otherwise 0 |
| $g_i$ | gain of the document at rank $i$; equal to $r_i$ unless grades or `gains` define gains |
| $n(i)$ | number of relevant documents in ranks 1 to $i$ |
| $m(i)$ | number of documents judged not relevant in ranks 1 to $i$ |
| $\mathrm{cg}(i)$ | cumulative gain of ranks 1 to $i$ |
| $R$, $N$ | number of documents of the topic that are judged relevant, and judged not relevant |
| $g^{*}_i$ | gain at rank $i$ of the ideal ranking: the judged documents, best first |
| $g_{\mathrm{max}}$ | highest possible gain |
| $k$ | cutoff; without a cutoff, the length $d$ |

A star marks a value of the ideal ranking. Metrics whose users never stop (RBP, INSQ, INST …) sum
over all ranks; ranks below the end of the ranking have no gain. Sakai's *blended ratio* is

```math
\mathrm{BR}(i) = \frac{n(i) + \beta \, \mathrm{cg}(i)}{i + \beta \, \mathrm{cg}^{*}(i)}
```

*Bounds* are the lowest and the highest score under any judgment of the unjudged documents. They are
*exact*, or *outer*: valid, but not always tight. [Properties of metrics](properties.md) defines the
*properties* and has the counterexamples.
"""


def page() -> str:
    by_family = [(name, list(metrics)) for name, metrics in groupby(in_order(), key=family)]
    parts = [HEAD.strip(), "## All metrics", contents(by_family)]
    has = properties_of()
    for name, metrics in by_family:
        parts.append(f"## {titled(name)}")
        for metric in metrics:
            parts += entry(metric, has.get(metric.__name__))
    return "\n\n".join([*parts, *other_tools()]) + "\n"


def in_order() -> list[type[Metric]]:
    return sorted(REGISTRY.values(), key=lambda each: (family(each), each.__name__.lower()))


def titled(family_name: str) -> str:
    return FAMILIES.get(family_name, family_name.capitalize())


def contents(by_family: list[tuple[str, list[type[Metric]]]]) -> str:
    rows = [
        f"| {titled(name) if place == 0 else ''} | [{metric.__name__}](#{metric.__name__.lower()}) "
        f"| {escaped(summary(metric))} |"
        for name, metrics in by_family
        for place, metric in enumerate(metrics)
    ]
    return "\n".join(["| family | metric | description |", "|---|---|---|", *rows])


def entry(metric: type[Metric], has: dict[str, bool] | None) -> list[str]:
    """Return the formula, the signature, the text of the docstring, and a table of facts."""
    text, _, example = (inspect.getdoc(metric) or "").partition(">>> ")
    first, *body = (" ".join(part.split()) for part in text.strip().split("\n\n"))
    use, citation = advice(text)
    if use:
        body.pop()
    wanted, avoided = split_advice(use)
    facts = {
        "use it": escaped(wanted.removeprefix("Use it ")),
        "avoid": escaped(AVOIDED.sub("", avoided)),
        "bounds": bounds(metric),
        "properties": in_words(has) if has else "",
        "other names": ", ".join(f"`{alias}`" for alias in aliases(metric)),
        "source": escaped(citation),
    }
    rows = [f"| {name} | {fact} |" for name, fact in facts.items() if fact]
    return [
        f"### {metric.__name__}",
        escaped(first),
        f"```math\n{FORMULAS[metric.__name__]}\n```",
        f"`{signature(metric)}`",
        *map(escaped, body),
        "\n".join(["| | |", "|---|---|", *rows]),
        f"```python\n>>> {example.strip()}\n```",
    ]


def split_advice(use: str) -> tuple[str, str]:
    """Return when to use a metric, and from the first "Avoid" or "Do not" on, when not."""
    start = AVOID.search(use)
    place = start.start() if start else len(use)
    return use[:place].strip(), use[place:].strip()


def advice(text: str) -> tuple[str, str]:
    """Return when to use a metric, and its citation, which begins on a line of its own."""
    lines = text.strip().split("\n\n")[-1].splitlines()
    if not lines[0].startswith(("Use", "Avoid", "Do not")):
        return "", ""
    for place in range(1, len(lines)):
        rest = " ".join(lines[place:])
        cites = re.search(r"\b(19|20)\d\d\b|trec_eval's", rest) and not AVOID.search(rest)
        if lines[place - 1].endswith(".") and cites:
            return " ".join(lines[:place]), rest
    return " ".join(lines), ""


def properties_of() -> dict[str, dict[str, bool]]:
    """Return the catalogue of docs/properties.md, which a test compares with the search."""
    text = (DOCS / "properties.md").read_text(encoding="utf-8").partition("## The catalogue")[2]
    rows = re.findall(rf"^\| (\w+)\S* ((?:\| [YN] ){{{len(PROPERTIES)}}})\|$", text, re.MULTILINE)
    return {
        name: dict(
            zip(PROPERTIES, (cell == "Y" for cell in re.findall("[YN]", cells)), strict=True)
        )
        for name, cells in rows
    }


def in_words(has: dict[str, bool]) -> str:
    yes, no = ([name for name, holds in has.items() if holds is wanted] for wanted in (True, False))
    return "; ".join(
        part for part in (", ".join(yes), f"not {', '.join(no)}" if no else "") if part
    )


def escaped(text: str) -> str:
    return text.replace("*", r"\*").replace("|", r"\|")


def other_tools() -> list[str]:
    """Return the section on names of other tools, with those that are not metrics here."""
    ntcireval = ", ".join(f"`{name}@0010` is `{ours}@10`" for name, ours in NTCIREVAL.items())
    reasons = {**NOT_HERE, **{f"{start}…": reason for start, reason in NOT_HERE_FROM.items()}}
    alike: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        alike.setdefault(reason, []).append(f"`{name}`")
    rows = [f"| {', '.join(names)} | {reason}. |" for reason, names in alike.items()]
    return [
        "## Names of other tools",
        "rankwise knows the names of trec_eval, ir_measures, MTEB, BEIR, sentence-transformers, "
        "ranx and NTCIREVAL. They are listed with each metric; `#` is a number. They give the "
        "numbers of these tools, except for the order of tied documents and for topics without "
        "relevant documents (`undefined`).",
        f"- `cosine_` may also be {', '.join(f'`{each}_`' for each in SIMILARITIES[1:])}.\n"
        "- A suffix such as ranx's `map@10-l2` is the relevance threshold. Documents below it have "
        "no gain in DCG and nDCG.\n"
        f"- NTCIREVAL's cutoffs have four digits: {ntcireval}.",
        "These names are not metrics of rankwise:",
        "\n".join(["| name | reason |", "|---|---|", *rows]),
    ]


if __name__ == "__main__":
    (DOCS / "metrics.md").write_text(page(), encoding="utf-8")
