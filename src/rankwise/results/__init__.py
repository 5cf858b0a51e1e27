"""Base class of results, and frames as text, CSV, JSON, LaTeX, Markdown and HTML."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rankwise.results.paper import (
        LABEL as LABEL,
        Details as Details,
        PaperColumn as PaperColumn,
        PaperTable as PaperTable,
    )
    from rankwise.results.result import (
        Charted as Charted,
        Result as Result,
        Table as Table,
        draw as draw,
        table_with_p as table_with_p,
    )
    from rankwise.results.tables import (
        LATEX_NEEDS as LATEX_NEEDS,
        SCHEMA_VERSION as SCHEMA_VERSION,
        Columns as Columns,
        format_cell as format_cell,
        format_count as format_count,
        format_intervals as format_intervals,
        format_p as format_p,
        latex_text as latex_text,
        p_of_sentence as p_of_sentence,
        rendered as rendered,
    )
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
