"""Formats of files, data frames and dicts: one module for each tool or family of formats.

To add a format, write one module here with three parts:

1. `recognises(file)` returns whether a `File` is of this format. It can use `file.suffix`,
   `file.first_line`, the first bytes (`file.source.head[:8]`) or, for a JSON document, the
   structure of `file.json`, which is parsed once for all formats. The function must be fast and
   reliable, because it is also called for files of other formats.
2. `read(file, kind)` returns a `Table`; `kind` is `run` or `qrels`. The table's frame has a row
   for each topic and document, and columns with names that columns.py knows, preferably `topic`,
   `document`, `grade` for qrels, `score` or `rank` for a run, and `run` for a file of several runs.
   `pick_columns` then checks and converts the values, and reports wrong rows. Malformed lines are
   `faults`, which `lenient` skips. If the file cannot be read at all, raise an `InputError` that
   says which file and where, and what is allowed.
3. `NAME = Format("name", recognises, read, suffixes)`, and `NAME` in `FORMATS` in registry.py,
   before formats that would also recognise the files.

Other packages declare formats as entry points of `rankwise.formats`: see docs/plugins.md.

Then add a small file written by the tool itself to tests/formats/, and a row to docs/formats.md.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    # fmt: off
    # isort: off
    from rankwise.formats.base import (
        COMPRESSED, NO_ORDER, SKIP_LINES, WHOLE, Details as Details, File as File,
        Format as Format, Part, Table as Table, WithColumns, number_faults, split_lines,
    )
    from rankwise.formats.columns import (
        SUBTOPICS, Columns, ColumnsGiven, find_column, find_columns, holds_preferences, is_called,
        missing_column, parse_columns, pick_columns,
    )
    from rankwise.formats.datasets import has_rows, is_dataset_id, read_dataset, read_dataset_id
    from rankwise.formats.files import checksum, compressed, held_folder, write_folder, write_whole
    from rankwise.formats.gains import parse_gains, show_gains
    from rankwise.formats.json_values import Value
    from rankwise.formats.logs import read_log
    from rankwise.formats.name_lists import read_names, read_order, read_pairs
    from rankwise.formats.plain_lines import is_preference_text
    from rankwise.formats.python_objects import (
        ArrowRows, ArrowSource, RowColumns, arrow_rows, from_mapping, from_records,
        is_arrow_source, is_list, is_record, is_table_of_columns, to_polars,
    )
    from rankwise.formats.query_records import (
        expanded, is_query_record, query_records_of, read_query_records, texts_in,
    )
    from rankwise.formats.registry import document_of, known_suffixes, recognise
    from rankwise.formats.score_rows import (
        JUDGMENTS, holds_mteb_results, read_matrix, read_score_rows, read_topic_column,
    )
    from rankwise.formats.source import (
        NO_FILE, STDIN, Kind, Lines, Source, files_of, open_source, texts_of,
    )
    from rankwise.formats.tables import ARROW, CSV, PARQUET
    from rankwise.formats.titles import read_texts
    from rankwise.formats.trec import (
        columns_of_run, parse_trec, tag_of_metadata, trec_lines,
    )
    from rankwise.formats.unpacking import SETTING, parse_size
    from rankwise.formats.writers import Writer as Writer, writer_for
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
