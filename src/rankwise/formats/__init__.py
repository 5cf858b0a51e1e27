"""How data looks outside: files, frames and dicts, one format a file.

source.py           bytes from a path or standard input, decompressed
unpacking.py        gzip and zstd, unpacked as they are read
limits.py           how large an input may become
format.py           what a format is: File, Format, Table
known.py            the formats, in the order in which they are asked
columns.py          what people call columns; the columns we want, checked
trec.py             TREC text, runs and qrels
ir_metadata.py      the tag of a TREC run, in comments
triples.py          three columns without a header, as MS MARCO has them
letor.py            LETOR and svmlight
tables.py           tables with a header: parquet, Arrow, CSV
csv.py              CSV and TSV, as text
json.py             JSON lines and JSON documents
objects.py          Python objects: frames, dicts, records
datasets.py         ir_datasets, by id or as objects
json_values.py      JSON documents of tools: what each value is, and where it stands
elasticsearch.py    _rank_eval, _search and _msearch
opensearch.py       judgment lists and results of the Search Relevance Workbench
quepid.py           Quepid's exports and imports, and RRE's ratings
vespa.py            labelled data
mteb.py             predictions, and results by task
sentence_transformers.py  predictions
writers.py          how runs and judgments are written, by name of format
matrices.py         scores made elsewhere, topics × systems
score_rows.py       scores made elsewhere, a row for each run, topic and metric
system_rankings.py  lists of systems, best first
lists.py            one name a line, or two
texts.py            what topics ask and what documents say
logs.py             logs of searches
gains.py            tables from grades to gains
files.py            files that are written whole or not at all

To add a format, write one file here with three things and no more:

1. `recognises(file)`: whether a `File` is of this format, by `file.suffix`, by
   `file.first_line`, by the first bytes (`file.source.head[:8]`) or, for a JSON document, by
   the shape of `file.json`, which is parsed once for all formats that ask. It must be cheap
   and sure: every file of every other format is shown to it too.
2. `read(file, kind)`: a `Table`, where `kind` says whether a run or qrels are wanted. Its
   frame has a row for each topic and document and columns under names that columns.py
   knows, best our own: `topic`, `document`, and `grade` for qrels, `score` or `rank` for a
   run; `run` where a file holds several. Types do not matter and nothing need be checked:
   `pick_columns` does that, and says which row is wrong. Lines that cannot be read are
   `faults`, so that `lenient` can drop them; what cannot be read at all is an `InputError`
   that names the file, the place and what is allowed.
3. `NAME = Format("name", recognises, read, suffixes)`, and its place in `FORMATS` in
   known.py: before those that would also recognise its files.

Then a small file made by the tool itself in tests/formats/, and a row in docs/formats.md.
"""
