"""The option --baseline of commands that compare runs."""

from pathlib import Path
from typing import TYPE_CHECKING, Self

import click

from rankwise.cli.options.base import option
from rankwise.cli.options.reading import Reading
from rankwise.cli.options.shared import run_given

if TYPE_CHECKING:
    from rankwise.rankings import NamedRun


class WithBaseline(Reading):
    """The baseline, which may be given as the name or the file of a run."""

    baseline: str | None = option(
        "Compare every run with this one, instead of all pairs. NAME is the tag in the run's "
        "file, or the name of the file with or without suffix. A FILE that is not given as a run "
        "is added to the runs.",
        metavar="NAME|FILE",
    )

    def with_baseline(self) -> Self:
        """Return the options with the name of the baseline, which may be given as a file.

        A file that is not among the runs is added to the runs. For a file of the runs, its name
        without folder and suffix is enough, unless a run has this name.
        """
        run = run_given(None, None, self.baseline)
        if isinstance(run, str) and Path(run).is_file():
            named = [each for each in self.runs if not isinstance(each, str)]
            name = next((each.name for each in named if each.given == run), None)
            if name is not None:  # it is among the runs, under another name
                return self.replaced(baseline=name)
            run = self._only_run(run)
        if run is None or isinstance(run, str):  # a name
            return self if run is None else self.replaced(baseline=self._name_in_file(run))
        others = [given for given in self.runs if given not in (run.given, run)]
        at = next((i for i, given in enumerate(self.runs) if given not in others), len(others))
        return self.replaced(runs=(*others[:at], run, *others[at:]), baseline=run.name)

    def _name_in_file(self, name: str) -> str:
        """Return the name of the run in the only file with this name, or `name` unchanged."""
        from rankwise.formats import files_of, is_dataset_id, open_source
        from rankwise.rankings import read_runs, stem

        files: dict[str, str | None] = {}  # the name given to the run of each file, if any
        for run in self.runs:
            given, named = (run, None) if isinstance(run, str) else (run.given, run.name)
            if isinstance(given, str) and not is_dataset_id(given):
                files |= {str(file): named for file in files_of(given) if Path(file).is_file()}
        found = [file for file in files if name in (Path(file).name, stem(file))]
        if len(found) != 1 or name in files.values():
            return name
        [file] = found
        if (named := files[file]) is not None:
            return named
        heads = {each: open_source(each).head.partition(b"\n")[0].split()[-1:] for each in files}
        if [name.encode()] in heads.values():  # the tag of a run in TREC format
            return name
        if list(heads.values()).count(heads[file]) > 1:  # runs with equal tags are named by files
            return stem(file)
        runs = read_runs(self.with_columns(file), order=self.order, lenient=self.lenient)
        return runs[0].name if len(runs) == 1 else name

    def _only_run(self, path: str) -> "NamedRun":
        """Return the only run of a file, with its name; several runs are an error."""
        from rankwise.rankings import NamedRun, read_runs

        runs = read_runs(self.with_columns(path), order=self.order, lenient=self.lenient)
        if len(runs) > 1:
            names = ", ".join(run.name for run in runs[:3])
            raise click.UsageError(
                f"--baseline {path}: the file has {len(runs)} runs ({names}, …). Give the file "
                "as RUN, and the name of one run as --baseline."
            )
        return NamedRun(runs[0].name, path)
