"""What the library says of arguments, said of options.

Messages of the library name an argument between backticks, as people type it in Python:
`lenient=True`, `mean='geometric'`, `depth`. On the command line they are `--lenient`,
`--mean geometric`, `--depth`.
"""

import re

# What is not an option of the same name.
OTHERWISE = {
    "complete_runs=False": "leaving out --complete-runs, or in a study --all-runs,",
    "RANKWISE_MAX_SIZE=20G": "--max-size 20G",
    "rankwise.metrics.load_metrics(FILE)": "--metrics-from FILE",
    "rankwise.judging.holes(QRELS, RUNS, 4)": "`rankwise plan next QRELS RUN... --holes 4`",
}
SWITCH = re.compile(r"(\w+)=True")
CHOICE = re.compile(r"(\w+)='([\w=,-]+)'")
COLUMNS = re.compile(r"read_qrels\(…, columns=(.*)\)")
SETTING = re.compile(r"parameters=\{'(\w+)': ('[^']*')\}")
# Other words between backticks are names of commands, columns and the like.
ALONE = {"columns", "depth", "effort", "gains", "map_documents", "only_topics", "ranking"}
ALONE |= {"lengths", "max_drop", "max_unjudged", "min", "significant"}


def as_flags(message: str) -> str:
    """A message of the library with the flags of the command line in it.

    >>> as_flags("`lenient=True` drops lines that cannot be read.")
    '--lenient drops lines that cannot be read.'
    >>> as_flags("leave out `mean='geometric'`; `rankwise metrics list` lists them")
    'leave out --mean geometric; `rankwise metrics list` lists them'
    """
    return re.sub(r"`([^`\n]+)`", lambda quoted: _flag(quoted[1]) or quoted[0], message)


def _flag(argument: str) -> str | None:
    if argument in OTHERWISE:
        return OTHERWISE[argument]
    if argument in ALONE:
        return _option(argument)
    if switch := SWITCH.fullmatch(argument):
        return _option(switch[1])
    if choice := CHOICE.fullmatch(argument):
        return f"{_option(choice[1])} {choice[2]}"
    if columns := COLUMNS.fullmatch(argument):
        return f"--columns {columns[1]}"
    if setting := SETTING.fullmatch(argument):
        return f"--set {setting[1]}={setting[2]}"
    return None


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
