# make tables    build the five databases into data/, and compare them with data/SHA256SUMS
# make test      run the tests; make test-all adds the slow ones, tables of five men
# make lint      check style and types; make format puts the style right
# make docs      make the documentation site in build/docs
# make clean     remove what make made, tables excepted
#
# Each sets up .venv by itself, anew only when pyproject.toml changed.

# The first of these that is Python 3.11 or newer; override with make PYTHON=...
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$python && break; done)
BIN := .venv/bin
INSTALLED := .venv/.installed
# A process for each processor, up to four; a file's tests stay together, with what they share.
PYTEST := $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile
# The five databases and their sub-tables, which are in the list of sums.
TABLES := $(shell sed 's/.* //' data/SHA256SUMS)
PIP_QUIET := -qq --disable-pip-version-check --no-input

export PIP_ROOT_USER_ACTION := ignore

.PHONY: tables test test-all lint format docs setup clean

tables: setup
	@$(BIN)/tablebase build --dir data --force $(TABLES)
	@$(BIN)/tablebase verify --dir data --sums data/SHA256SUMS --values $(TABLES)

test: setup
	@$(PYTEST) -m "not slow" $(PYTEST_ARGS)

test-all: setup
	@$(PYTEST) $(PYTEST_ARGS)

lint: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy --strict tablebase

format: setup
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

docs: setup
	@$(BIN)/python -m sphinx -q -W docs build/docs

setup: $(INSTALLED)

# Where Python comes without ensurepip, its own pip fills the environment.
$(INSTALLED): pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed" >&2; exit 1; }
	@echo "Setting up .venv with $(PYTHON) ..."
	@if $(PYTHON) -c 'import ensurepip' 2>/dev/null; then \
		$(PYTHON) -m venv .venv && \
		$(BIN)/python -m pip install $(PIP_QUIET) --editable '.[dev]'; \
	else \
		$(PYTHON) -m venv --without-pip .venv && \
		$(PYTHON) -m pip --python $(BIN)/python install $(PIP_QUIET) --editable '.[dev]'; \
	fi
	@touch $@

clean:
	@rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find tablebase tests -name __pycache__ -type d -prune -exec rm -rf {} +
