# make tables    build the five databases into data/, and compare them with data/SHA256SUMS; installs
#                the program with what `tablebase serve` needs
# make test      run the ordinary tests, which take few minutes; make test-thorough those that take
#                a second or more each, or other programs: a browser, Sphinx, Dask's workers,
#                Stockfish, the commands of each page, our scripts; make test-all both and the slow
#                ones: five-man tables, and all cases where other tests have a few
# make lint      check style and types; make format puts the style right
# make modules   make the modules of WebAssembly by which web pages solve tables
# make docs      make the documentation site in build/docs
# make pictures  make the pictures of the documentation, those of the explorer in chromium
# make coverage  run the tests, and list the lines of Python that they left out
# make wheel     make wheel and sdist in dist/, and test the wheel outside of this folder
# make bench     measure generation and probing; write benchmarks/results and the pages' tables, with
#                GENERATE_ARGS="--peer FOLDER" PROBE_ARGS="--gaviota FOLDER --syzygy FOLDER"
# make fuzz      change files, requests, answers and lines at random for a minute, and check that each
#                is read right or refused; longer with FUZZ_ARGS="--seconds 600 --seed 2"
# make setup     install everything that these need
# make clean     remove what make made, except tables
#
# Each target installs its needs into .venv, again only after a change of pyproject.toml.

# The first of these that is Python 3.11 or newer; override with make PYTHON=...
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$python && break; done)
BIN := .venv/bin
# .venv/.has-EXTRA is there when the package with that extra is installed. All others include `web`.
HAS := .venv/.has
# A process for each processor and one more, up to four; a file's tests stay together, with what they
# share. By the number of tests, files with few long ones would come last, and others wait for them.
PYTEST := $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder
ORDINARY := not slow and not thorough
# The five databases and their sub-tables, which are in the list of sums.
TABLES := $(shell sed -n 's/.* \([A-Z]*\)$$/\1/p' data/SHA256SUMS)
# Those that come with the program, with helpmates.
HELPED := $(shell sed -n 's/.* \([A-Z]*\)\.white_mates$$/\1/p' data/SHA256SUMS)
# Modules are compiled when first imported: most of what pip would compile never is.
PIP_OPTIONS := --disable-pip-version-check --no-input --no-compile --progress-bar off

export PIP_ROOT_USER_ACTION := ignore
# Hundreds of processes of the tests would compile all that they import, each anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: tables test test-thorough test-all lint format modules docs pictures coverage wheel bench fuzz setup clean
.SECONDARY:
.NOTPARALLEL:

tables: $(HAS)-web
	@$(BIN)/tablebase build --dir data --force $(TABLES)
	@$(BIN)/tablebase build --dir data --force --metric help $(HELPED)
	@$(BIN)/tablebase verify --dir data --sums data/SHA256SUMS --values $(TABLES)

test: $(HAS)-test
	@$(PYTEST) -m "$(ORDINARY)" $(PYTEST_ARGS)

test-thorough: $(HAS)-dev
	@$(PYTEST) -m "thorough and not slow" $(PYTEST_ARGS)

test-all: $(HAS)-dev
	@$(PYTEST) $(PYTEST_ARGS)

lint: $(HAS)-lint
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy --strict tablebase

format: $(HAS)-lint
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

modules: $(HAS)-docs
	@$(BIN)/python scripts/make_modules.py

docs: $(HAS)-docs modules
	@$(BIN)/python -m sphinx -q -W docs build/docs

pictures: $(HAS)-dev modules
	@$(BIN)/python scripts/pictures.py

coverage: $(HAS)-dev
	@$(PYTEST) -m "$(ORDINARY)" --cov --cov-report term:skip-covered --cov-report html $(PYTEST_ARGS)

wheel: $(HAS)-dev modules
	@rm -rf dist
	@$(BIN)/python scripts/check_wheel.py

bench: $(HAS)-web
	@$(BIN)/python scripts/benchmark.py generate --save $(GENERATE_ARGS)
	@$(BIN)/python scripts/benchmark.py probe --save $(PROBE_ARGS)
	@$(BIN)/python scripts/figures.py --write

fuzz: $(HAS)-test
	@$(BIN)/python scripts/fuzz.py $(FUZZ_ARGS)

setup: $(HAS)-dev

# Where Python comes without ensurepip, its own pip fills the environment. Every five seconds the
# last line that was written; all of them after a failure.
$(HAS)-%: pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed" >&2; exit 1; }
	@echo "Installing what 'make $(or $(MAKECMDGOALS),$*)' needs into .venv, with $(PYTHON) ..."
	@log=$$(mktemp); { \
		pip="$(BIN)/python -m pip"; \
		if ! $(PYTHON) -c 'import ensurepip'; then \
			pip="$(PYTHON) -m pip --python $(BIN)/python"; \
			test -x $(BIN)/python || $(PYTHON) -m venv --without-pip .venv; \
		elif ! test -x $(BIN)/python; then \
			echo "Making .venv" && $(PYTHON) -m venv .venv; \
		fi && \
		$$pip install $(PIP_OPTIONS) --editable '.[$*]'; \
	} >$$log 2>&1 & \
	process=$$!; seconds=0; \
	while kill -0 $$process 2>/dev/null; do \
		sleep 1; seconds=$$((seconds + 1)); \
		test $$((seconds % 5)) -ne 0 || echo "  $$seconds s: $$(tail -n 1 $$log | cut -c -90)"; \
	done; \
	wait $$process || { cat $$log >&2; rm $$log; exit 1; }; \
	rm $$log
	@touch $(if $(filter dev,$*),$(foreach one,web test lint docs dev,$(HAS)-$(one)),$(HAS)-web $@)

clean:
	@rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist htmlcov .coverage*
	@find tablebase tests -name __pycache__ -type d -prune -exec rm -rf {} +
