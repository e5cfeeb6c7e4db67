# Two commands do all the set-up on a machine with Python 3.11+ and make: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
CLIENTS := js explorer
MODULES := $(CLIENTS:%=clients/%/node_modules/.package-lock.json)

.PHONY: help demo test fast check docs format coverage oldest versions release explorer survey pictures figures bench scale clean
.DEFAULT_GOAL := help

help: ## Say what can be made.
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/'

$(STAMP): pyproject.toml
	$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "Sottovoce needs Python 3.11 or newer: make PYTHON=python3.11"'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[all]' --group dev
	@touch $(STAMP)

clients/%/node_modules/.package-lock.json: clients/%/package-lock.json
	@if command -v npm >/dev/null; then cd clients/$* && npm ci --silent --no-audit --no-fund && touch ../../$@; \
	else echo "npm is not installed: clients/$* cannot be checked" >&2; fi

.PHONY: system
system:
	.ci/system-packages

demo: $(STAMP) ## Run every stage on a made-up crowd of 200,000 people, and write a page to brush over.
	$(BIN)/sottovoce demo --out out/demo

test: $(STAMP) system ## Run all tests, and say which were skipped for want of what.
	@$(MAKE) --no-print-directory $(MODULES)
	$(BIN)/python -m pytest -n 2 --dist loadgroup -q -rs --ignore tests/browser
	$(BIN)/python -m pytest -n 2 --dist loadfile -q -rs tests/browser

fast: $(STAMP) ## Run all but the slow statistical tests.
	$(BIN)/python -m pytest -n 2 --dist loadgroup -q -m "not slow" --ignore tests/browser

coverage: $(STAMP) ## Run all but the slow tests, and say which lines none of them runs; fails below the floor in pyproject.toml.
	$(BIN)/python -m pytest -n 2 --dist loadgroup -q -m "not slow" --ignore tests/browser --cov --cov-report=term:skip-covered

OLDEST := .venv-oldest
$(OLDEST)/.installed: pyproject.toml
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet uv
	$(OLDEST)/bin/uv pip install --quiet --python $(OLDEST)/bin/python --resolution lowest-direct --editable '.[all]' --group dev
	@touch $@

oldest: $(OLDEST)/.installed system ## Run all tests against the lowest versions that pyproject.toml declares.
	@$(MAKE) --no-print-directory $(MODULES)
	$(OLDEST)/bin/python -m pytest -n 2 --dist loadgroup -q -rs --ignore tests/browser
	$(OLDEST)/bin/python -m pytest -q -rs tests/browser

versions: $(STAMP) ## Run the quick tests on every Python from 3.11 to 3.14 that is installed; resolve dependencies for the others.
	.ci/versions

EXTRAS ?= base http signed duckdb plots testing service spark all
release: $(STAMP) ## Build what is released into dist/, twice, and install it into fresh environments (EXTRAS="base http" for few).
	.ci/release $(EXTRAS)

check: $(STAMP) ## Check style, types and layers.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@for client in $(CLIENTS); do \
		if [ -d clients/$$client/node_modules ]; then (cd clients/$$client && npm run --silent check) || exit 1; fi; \
	done

format: $(STAMP) ## Bring the code into its standard form.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

explorer: $(MODULES) ## Build the explorer's page into the package (needs Node.js).
	cd clients/explorer && npm run --silent build

survey: $(MODULES) ## Build the browser client, and the survey page's program into the package (needs Node.js).
	cd clients/js && npm run --silent build

docs: $(STAMP) ## Build the site into build/docs, without a network; a warning or a broken link is an error.
	$(BIN)/python docs/site/build.py

pictures: $(STAMP) ## Take the pictures of the explorer, the report and the survey in docs/ (needs Chromium).
	$(BIN)/python docs/make_explorer_pictures.py
	$(BIN)/python docs/make_report_pictures.py
	$(BIN)/python docs/make_survey_pictures.py

figures: $(STAMP) ## Make the pictures and tables of docs/ again that take under ten minutes, and the notebooks (needs Chromium).
	$(BIN)/python docs/make_figures.py

bench: $(STAMP) ## Measure the core against plain per-report hashing.
	$(BIN)/python benchmarks/core.py

scale: $(STAMP) ## Measure counting by numpy, DuckDB and Spark, and a billion simulated people.
	$(BIN)/python benchmarks/scale.py

clean: ## Remove what was installed and built.
	rm -rf $(VENV) $(OLDEST) .venv-3.* build dist $(CLIENTS:%=clients/%/node_modules)
