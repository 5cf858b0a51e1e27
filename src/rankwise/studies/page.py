"""The page of a study: all tables and figures with captions, in one self-contained file."""

import base64
from collections.abc import Iterable, Mapping
from html import escape
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any

import polars as pl

from rankwise.results import format_cell
from rankwise.studies.paper import Paper, Part

LONG = 25  # rows; longer tables are folded


def page(folder: Path, paper: Paper, record: Mapping[str, Any]) -> str:
    """Return the text of index.html, built from the content of the folder."""
    made = [part for part in paper.parts if part.name not in record["left_out"]]
    sections = "\n".join(
        f"<section><h2>{escape(section)}</h2>\n"
        + "\n".join(_part(folder, paper, part, record) for part in parts)
        + "</section>"
        for section, parts in groupby(made, key=lambda part: part.section)
    )
    links = " · ".join(f'<a href="#{part.name}">{escape(part.heading)}</a>' for part in made)
    template = files("rankwise.studies").joinpath("page.html").read_text()
    values = {
        "TITLE": escape(paper.title),
        "ABOUT": escape(paper.about),
        "CITATION": escape(paper.citation),
        "LINKS": links,
        "SECTIONS": sections,
        "RECORD": _record(record),
    }
    for name, value in values.items():
        template = template.replace(f"<!--{name}-->", value)
    return template


def numbers_of(folder: Path, name: str, record: Mapping[str, Any]) -> pl.DataFrame:
    """Read the CSV file of a part with its recorded types, because a run may be named 1e3."""
    types = {column: getattr(pl, dtype) for column, dtype in record["columns"][name].items()}
    return pl.read_csv(folder / f"{name}.csv", schema=types)


def _part(folder: Path, paper: Paper, part: Part, record: Mapping[str, Any]) -> str:
    remark = record["remarks"].get(part.name, "")
    numbers = numbers_of(folder, part.name, record)
    shown, numeric = paper.shown(part, numbers), [kind.is_numeric() for kind in numbers.dtypes]
    body = _table(shown, part.digits, numeric)
    tex = "" if (folder / f"{part.name}.svg").exists() else "tex"
    kinds = ["csv", tex] if tex else ["svg", "png", "pdf", "json", "csv"]
    if not tex:
        body = f"{_picture(folder, part)}<details><summary>numbers</summary>{body}</details>"
    links = " ".join(f'<a href="{part.name}.{kind}">{kind}</a>' for kind in kinds)
    said = escape(" ".join(filter(None, [part.caption, remark])))
    caption = f"<b>{escape(part.heading)}.</b> {said} <small>{links}</small>"
    return f'<figure id="{part.name}">{body}<figcaption>{caption}</figcaption></figure>'


def _picture(folder: Path, part: Part) -> str:
    files = (folder / f"{part.name}.{kind}" for kind in ("svg", "dark.svg"))
    light, dark = (
        "data:image/svg+xml;base64," + base64.b64encode(file.read_bytes()).decode()
        for file in files
    )
    return (
        f'<picture><source media="(prefers-color-scheme: dark)" srcset="{dark}">'
        f'<img src="{light}" alt="{escape(part.caption)}"></picture>'
    )


def _table(frame: pl.DataFrame, digits: int, numeric: Iterable[bool]) -> str:
    kinds = [" class=n" if is_number else "" for is_number in numeric]

    def line(tag: str, texts: Iterable[str]) -> str:
        cells = zip(texts, kinds, strict=True)
        return "<tr>" + "".join(f"<{tag}{k}>{escape(t)}</{tag}>" for t, k in cells) + "</tr>\n"

    rows = "".join(line("td", (format_cell(c, digits) for c in row)) for row in frame.rows())
    head = line("th", frame.columns)
    table = f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"
    if frame.height <= LONG:
        return table
    return f"<details><summary>{frame.height:,} rows</summary>{table}</details>"


def _record(record: Mapping[str, Any]) -> str:
    inputs = record["inputs"]
    shown = {
        "input": f"{len(inputs)} files, checksums in study.json" if inputs else "none on disk",
        "seed": record["seed"],
        "parameters": ", ".join(f"{k} = {v}" for k, v in record["parameters"].items()) or "none",
        "scoring": ", ".join(f"{k} = {v}" for k, v in record["scoring"].items()) or "default",
        "versions": ", ".join(f"{k} {v}" for k, v in record["versions"].items()),
        "notes": "; ".join(record["notes"]) or "none",
    }
    return "".join(f"<dt>{name}</dt><dd>{escape(str(text))}</dd>" for name, text in shown.items())
