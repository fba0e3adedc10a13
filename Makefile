# One command per wish; `make help` lists them. Needs Python 3.11+, Node 20.19+ and make, and installs the rest into $(VENV).
#
#   make lab PYTHON=python3.13 VENV=/tmp/venv

PYTHON ?= python3
VENV ?= .venv
# make test TESTS=tests/core
TESTS ?= tests
# How many processes share the tests; 0 for one that runs all of them itself.
WORKERS ?= 2
# Jupyter refuses root, which is who one is in a container.
LAB_ARGS ?= $(if $(filter 0,$(shell id -u)),--allow-root)

BIN := $(abspath $(VENV))/bin
PY := $(BIN)/python
# npm scripts call jupyter-builder, pyright calls node
export PATH := $(BIN):$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# pip would compile all of it; Python compiles what is imported, and has to keep it, since tests start hundreds of processes.
export PYTHONDONTWRITEBYTECODE :=

NOTEBOOKS = $(wildcard examples/*.ipynb)
PYTEST = $(PY) -m pytest
# The output of parallel targets one after the other, where make can (4.0 and newer).
TOGETHER = $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
NOT_IN_CHECK = not slow and not kernel and not browser and not exhaustive

# What was installed is remembered by the checksum of the file that asked for it, so a new branch or clock changes nothing.
sum = $(firstword $(shell cksum < $(1)))
STAMPS := $(VENV)/.stamps
TOOLS := $(STAMPS)/tools-$(call sum,pyproject.toml)
LAB := $(STAMPS)/lab-$(call sum,pyproject.toml)
DEV := $(STAMPS)/dev-$(call sum,pyproject.toml)
MODULES := js/node_modules/.installed-$(call sum,js/package-lock.json)
WIDGET := smolpaws_jupyter/static/widget.js
EXTENSION := smolpaws_jupyter/labextension/package.json
JS_CONFIG := js/package.json js/tsconfig.json js/tsconfig.lab.json
LAB_SOURCES := $(shell find js/src/lab js/src/wire -type f)
WIDGET_SOURCES := $(shell find js/src -type f -not -path 'js/src/lab/*') js/scripts/build.mjs

.DELETE_ON_ERROR:
.PHONY: help lab test again check test-all bench pictures build js types format clean distclean lint lint-python lint-js unit

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

lab: $(LAB) ## open JupyterLab on the first example
	$(PY) -m jupyterlab $(LAB_ARGS) examples/01_first_reset.ipynb

test: lint ## everything a change must pass: lint, types, all tests but the exhaustive ones, the examples
	HYPOTHESIS_PROFILE=test $(PYTEST) -q -n $(WORKERS) -m "not exhaustive" --durations=10 --nbval-lax --nbval-current-env $(TESTS) $(NOTEBOOKS)

again: $(DEV) ## the tests with kernels and browsers that failed the last time
	HYPOTHESIS_PROFILE=test $(PYTEST) -q --last-failed --last-failed-no-failures=none -m "kernel or browser" $(TESTS)

check: $(DEV) $(MODULES) ## the inner loop, a few minutes: lint, types, floors, unit and property tests
	@$(MAKE) --no-print-directory -k -j2 $(TOGETHER) unit lint-python lint-js # the longest first, beside the others

test-all: lint ## the long lane: more examples, more rounds, the exhaustive tests
	HYPOTHESIS_PROFILE=all $(PYTEST) -q --timeout 1800 --nbval-lax --nbval-current-env $(TESTS) $(NOTEBOOKS)

bench: $(DEV) ## the figures of this machine; BENCH=--peers: beside other systems, which are installed in .environments
	$(PY) -m tests.bench $(BENCH)

pictures: $(DEV) ## the pictures of docs/, taken anew from a run of the first example
	$(PY) -m tests.e2e.pictures

build: $(WIDGET) $(EXTENSION) | $(TOOLS) ## a wheel and a source archive in dist/
	rm -rf dist
	$(PY) -m build --outdir dist .

js: $(WIDGET) $(EXTENSION) ## the page and the JupyterLab extension

# Asks for the installation only when there is none: building the page would fail on the very types that are to be renewed.
types: $(if $(wildcard $(DEV)),,$(DEV)) $(MODULES) ## js/src/wire/schema.json and types.ts from the pydantic models
	$(PY) js/scripts/schema.py
	cd js && npm run --silent types

format: $(DEV) ## let the formatters have their way
	$(BIN)/ruff check --quiet --fix .
	$(BIN)/ruff format --quiet .
	cd js && npm run --silent format

clean: ## remove what was built and cached
	rm -rf dist smolpaws_jupyter/static smolpaws_jupyter/labextension js/lab-lib tests/shots
	rm -rf .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find smolpaws_jupyter tests -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## remove what was installed too
	rm -rf $(VENV) js/node_modules

unit: $(DEV)
	HYPOTHESIS_PROFILE=check $(PYTEST) -q -p no:nbval -m "$(NOT_IN_CHECK)" $(TESTS)

lint: $(DEV) $(MODULES)
	@$(MAKE) --no-print-directory -j2 $(TOGETHER) lint-python lint-js

lint-python: $(DEV)
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check .
	$(BIN)/lint-imports
	$(BIN)/pyright --pythonpath $(PY)

lint-js: $(MODULES)
	cd js && npm run --silent check

# The build tools come first: with the page built, installing the package needs no second build.
$(TOOLS):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "make: $(PYTHON) is not Python 3.11 or newer; try make PYTHON=/path/to/python3.11" >&2; exit 1; }
	test -x $(PY) || $(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --no-compile build "jupyter-builder>=1.2,<2"
	@mkdir -p $(STAMPS) && touch $@

$(LAB): $(TOOLS) | $(WIDGET) $(EXTENSION)
	$(PY) -m pip install --quiet --no-compile --editable ".[lab,keyring]"
	$(BIN)/jupyter-builder develop --overwrite .
	@touch $@

$(DEV): $(TOOLS) | $(WIDGET) $(EXTENSION)
	$(PY) -m pip install --quiet --no-compile --editable ".[dev]"
	$(BIN)/jupyter-builder develop --overwrite .
	@touch $@ $(LAB)

$(MODULES):
	@node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' || \
		{ echo "make: Node 20.19 or newer is needed to build the page; found: $$(node --version 2>&1)" >&2; exit 1; }
	cd js && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

$(WIDGET): $(WIDGET_SOURCES) $(JS_CONFIG) $(MODULES)
	cd js && npm run --silent build:widget
	@touch $@

$(EXTENSION): $(LAB_SOURCES) $(JS_CONFIG) $(MODULES) | $(TOOLS)
	rm -rf js/lab-lib smolpaws_jupyter/labextension
	cd js && npm run --silent build:lab
	@touch $@
