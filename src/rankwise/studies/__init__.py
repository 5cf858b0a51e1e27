"""Experiments of papers on the user's own data: one file per paper."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rankwise.studies.paper import (
        Figure as Figure,
        Made as Made,
        Paper as Paper,
        Part as Part,
        Table as Table,
        TooLittleFor as TooLittleFor,
    )
    from rankwise.studies.reproduction import (
        PAPERS as PAPERS,
        paper_named as paper_named,
        study as study,
    )
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
