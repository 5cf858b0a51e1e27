"""How data looks outside: files, frames and dicts, one format a file.

source.py           bytes from a path or standard input, decompressed
trec.py             TREC text, runs and qrels
tables.py           tables with named columns: parquet, Arrow, CSV, JSON lines, frames, dicts
matrices.py         scores made elsewhere, topics × systems
system_rankings.py  lists of systems, best first
gains.py            tables from grades to gains
files.py            files that are written whole or not at all
"""
