"""Experiments of papers on the user's data: one file per paper, built from the public functions.

`paper.py` defines the parts of a study, `material.py` its data, `folder.py` and `page.py` its
output.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from rankwise import Collection, QrelsLike, RunsLike
from rankwise.charts import check_installed
from rankwise.errors import CallError, did_you_mean
from rankwise.formats import held_folder
from rankwise.rankings import as_collection
from rankwise.studies.folder import Folder
from rankwise.studies.material import Material
from rankwise.studies.paper import Made, Paper, Part, TooLittleFor

PAPERS = (
    "moffat-zobel-2008",
    "zhang-park-moffat-2008",
    "ahlgren-gronqvist-2007",
    "moffat-2013",
    "sakai-2007",
)


def paper_named(name: str) -> Paper:
    """Return the study of a paper, by its name.

    >>> paper_named("moffat-2013").citation
    'Moffat: Seven Numeric Properties of Effectiveness Metrics. AIRS 2013.'
    """
    if name not in PAPERS:
        near = did_you_mean(name, PAPERS) or f" There are {', '.join(PAPERS)}."
        raise CallError(f"there is no study {name!r}.{near}")
    paper = import_module(f"rankwise.studies.{name.replace('-', '_')}").PAPER
    assert isinstance(paper, Paper)
    return paper


def study(
    paper: str,
    data: "QrelsLike | Collection | None",
    runs: "RunsLike | None",
    folder: str | Path,
    *,
    parameters: Mapping[str, str | int | float] | None = None,
    seed: int = 0,
    again: bool = False,
    on_part: Callable[[Part, Made | TooLittleFor | None], None] | None = None,
    complete_runs: bool | None = None,
) -> Folder:
    """Run a paper's whole experimental section on these runs and judgments.

    Write to `folder` the paper's tables (csv, LaTeX) and figures (svg, png, pdf, Vega-Lite json,
    csv), `index.html` with all tables and figures, and `study.json`. Parts finished for the same
    input are not recomputed, unless `again` is True.

    Parameters
    ----------
    paper
        Name of the paper, for example "moffat-zobel-2008"; `rankwise.studies.PAPERS` lists them.
    data, runs
        As for `score`, or None for a paper that needs none.
    folder
        Output folder.
    parameters
        Values for parameters of the study, by name. By default, a parameter has the paper's value.
    seed
        The random seed.
    again
        Recompute finished parts.
    on_part
        Function that is called with each part (table or figure) and its result. The result is None
        if the part was finished before, and a `TooLittleFor` if the part was excluded, for example
        a comparison with only one run.
    complete_runs
        Whether to exclude incomplete runs, as `rankwise.read` does. The default is the
        paper's choice, except that all runs are used if no run is complete.

    Returns
    -------
    Folder
        The written folder, with the numbers of each table and figure.
    """
    check_installed()
    chosen = paper_named(paper)
    complete = chosen.complete_runs if complete_runs is None else complete_runs
    collection = as_collection(data, runs) if data is not None else Collection(None, runs)
    material = Material(
        replace(collection, complete_runs=complete, keep=True),
        seed=seed,
        parameters=chosen.with_defaults(parameters or {}),
        complete_if_any=complete_runs is None,
    )
    if chosen.needs_runs and (collection.qrels is None or not collection.runs):
        raise CallError(f"the study {paper} needs judgments and runs.")
    with held_folder(Path(folder)):
        left = Folder.opened(Path(folder), chosen, material, again=again)
        for part in chosen.parts:
            made = None if left.has(part) else chosen.make(part, material)
            if isinstance(made, TooLittleFor):
                left.leave_out(part, made)
            elif made is not None:
                left.add(part, made)
            if on_part is not None:
                on_part(part, made)
        left.close(material.notes)
    return left
