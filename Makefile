# Every target sets up what it needs: a fresh clone, Python 3.11+, make and the package index.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint bench docs pages clean

demo: .venv/runtime
	$(BIN)/rankwise demo

test: .venv/dev
	$(BIN)/python -m pytest -q

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# An environment of its own: ranx brings numba and much else.
bench: .venv-bench/ready
	for part in core verdicts comparison discrimination stability properties studies; do \
	  echo; echo "== benchmarks/$$part.py"; .venv-bench/bin/python benchmarks/$$part.py || exit 1; done

docs: .venv/dev
	$(BIN)/python docs/make_metrics_page.py

pages: .venv/dev # from real data, in the folder that RANKWISE_DATA names
	for page in bounds planning papers; do $(BIN)/python docs/make_$${page}_page.py || exit 1; done

clean:
	rm -rf .venv .venv-bench bench-data

.venv/runtime: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "rankwise needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12 demo")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

.venv-bench/ready: pyproject.toml
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev,bench]'
	touch $@

.venv/dev: .venv/runtime
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@
