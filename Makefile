# `make up` and `make test` work on a fresh machine with Python 3.11 and pip: both run `setup` first.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
STAMP := $(VENV)/.installed
SCRIPTS_STAMP := node_modules/.package-lock.json
VAR_DIR ?= var
DATA ?= ../shared/data
LAB_PORT ?= 8001
LAB_URL ?= http://127.0.0.1:$(LAB_PORT)
PYTEST := $(RUN) -m pytest
# For example, `make test TESTS=tests/arena` runs only these tests, and no other lanes.
TESTS ?=
# Processes that share a lane, each with its own Postgres and Redis. The number suits 2 cores, since tests also wait.
WORKERS ?= 3
# Browser tests wait more than they compute. Each of these processes also has an arena and a browser.
BROWSER_WORKERS ?= 4
PLAIN := not e2e and not services and not fuzz
# Container images often set this; then each of the many Python processes of a lane would compile every module again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: setup up demo demo-gap demo-model test-model test test-fast test-unit test-services test-e2e test-client test-doors e2e oracle-table check check-format check-lint \
  check-types check-imports check-templates check-scripts check-migrations check-schema check-house bench mutants fuzz

setup: $(STAMP)

$(STAMP): requirements.txt requirements-dev.txt requirements-puzzles.txt client/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed: name one with make PYTHON=/path/to/python3.11 ..."; exit 1; }
	@# Debian's Python may come without ensurepip; its pip can then install into the environment from outside.
	@test -x $(RUN) || $(PYTHON) -m venv $(VENV) 2>/dev/null || $(PYTHON) -m venv --clear --without-pip $(VENV)
	@if $(RUN) -m pip --version >/dev/null 2>&1; then pip="$(RUN) -m pip"; \
	  else pip="$(PYTHON) -m pip --python $(RUN)"; fi; \
	  echo "Installing what requirements-dev.txt names into $(VENV); the first time takes a minute or two ..."; \
	  $$pip install --quiet --disable-pip-version-check --requirement requirements-dev.txt && \
	  { $$pip install --quiet --disable-pip-version-check --requirement requirements-puzzles.txt >$(VENV)/puzzles.log 2>&1 \
	    || echo "Left out: the benchmark reasoning_gym, whose package could not be installed ($(VENV)/puzzles.log)."; }
	@touch $@

up: setup
	@exec $(RUN) manage.py up

demo: setup
	@$(RUN) -m deploy.demo --server "$(LAB_URL)" --var-dir "$(VAR_DIR)" --data "$(DATA)"

ifneq ($(TESTS),)
test: setup
	$(PYTEST) $(TESTS)
else
# A lane that fails does not stop the others; at the end, a line is printed for each.
test: setup
	@MAKE="$(MAKE)" $(RUN) -m tests.lanes test-unit test-services test-e2e test-client
endif

# A simulated policy whose gap is set in deploy/planted_gap.json: its report compares what was planted and what it found.
demo-gap: setup
	@$(RUN) -m deploy.demo_gap --server "$(LAB_URL)" --var-dir "$(VAR_DIR)" --data "$(DATA)"

# A small language model on this machine's CPU plays on the running server.
demo-model: setup
	@$(RUN) -c 'import xllamacpp' 2>/dev/null || { \
	  echo "Installing llama.cpp for the local model (100 MB) ..."; \
	  $(RUN) -m pip install --quiet --disable-pip-version-check --editable './client[local]'; }
	@$(RUN) -m deploy.demo_model --server "$(LAB_URL)" --var-dir "$(VAR_DIR)"

# For everyday work: no servers, no browser, and no tests that compute for seconds.
test-fast: setup
	$(PYTEST) -m "$(PLAIN) and not slow" --ignore=tests/e2e --numprocesses $(WORKERS) --dist worksteal

test-unit: setup
	$(PYTEST) -m "$(PLAIN)" --ignore=tests/e2e --numprocesses $(WORKERS) --dist worksteal

# With browsers and servers, a test may lose a race on a busy machine, so a failed test is run once more and reported.
ONCE_MORE = --reruns 1 -rfER

# Real servers, killed on purpose. The slow files begin first: pytest-xdist would otherwise leave the one that takes
# longest, which has few tests, for the end, when nothing else is left to run in parallel.
test-services: setup
	$(PYTEST) -m services tests/services tests/behaviour/fidelity --numprocesses $(WORKERS) --dist loadgroup --no-loadscope-reorder \
	  $(ONCE_MORE)

# This is a separate lane, because Playwright's synchronous interface keeps an event loop running.
test-e2e: setup
	@browser=$$($(RUN) -c 'from core.web import browsers; print(browsers.browser_find() or "")') || exit 1; \
	if [ -n "$$browser" ]; then DJANGO_ALLOW_ASYNC_UNSAFE=1 \
	  $(PYTEST) -m e2e tests/e2e --numprocesses $(BROWSER_WORKERS) --dist worksteal $(ONCE_MORE); \
	else echo "SKIPPED the browser tests: no Chromium here (apt-get install chromium-headless-shell," \
	  "or $(VENV)/bin/playwright install chromium)"; fi

# The table of docs/oracle.md: what a scripted oracle solves in each set-up. TASKS="total_price" selects rows.
oracle-table: setup
	WHOLE_SITES=1 ORACLE_TABLE=docs/oracle.md DJANGO_ALLOW_ASYNC_UNSAFE=1 \
	  $(PYTEST) -m e2e tests/e2e/test_observation_formats.py -n 0 -k "$(TASKS)"

# Tests of the local model itself, which `make demo-model` installs; other lanes use a server with the same protocol.
test-model: setup
	cd client && ../$(RUN) -m pytest -m model -n 0

test-client: setup
	cd client && ../$(RUN) -m pytest --numprocesses $(WORKERS) --dist worksteal $(ONCE_MORE)

# The client's doors with the actual frameworks, each in its own environment. DOORS="mcp inspect" selects some.
test-doors: setup
	$(RUN) -m tests.doors $(DOORS)

e2e: test-e2e

# `make -k check` continues after a failed check.
check: check-format check-lint check-types check-imports check-templates check-scripts check-migrations \
  check-schema check-house

check-format: setup
	$(RUN) -m ruff format --check .

check-lint: setup
	$(RUN) -m ruff check .

check-types: setup
	$(RUN) -m mypy core deploy gymsite tasks_app trajectories validation verifiers
	cd client && ../$(RUN) -m mypy

check-imports: setup
	$(VENV)/bin/lint-imports

check-templates: setup
	$(VENV)/bin/djlint --check --lint --quiet trajectories
	$(VENV)/bin/djlint --profile jinja --check --lint --quiet gymsite/arena/templates

# Scripts are served as they are. Their types are in comments, which only this check reads.
check-scripts:
	@if command -v npm >/dev/null; then $(MAKE) --silent $(SCRIPTS_STAMP) && node_modules/.bin/tsc; \
	else echo "SKIPPED the types of the scripts: no npm here (apt-get install npm)"; fi

$(SCRIPTS_STAMP): package.json package-lock.json
	npm ci --silent
	@touch $@

check-migrations: setup
	@# Needs no database; Django would warn that it asked none.
	$(RUN) -W "ignore:Got an error checking a consistent migration history" manage.py makemigrations --check --dry-run

check-schema: setup
	@mkdir -p $(VAR_DIR)
	$(RUN) manage.py spectacular --validate --fail-on-warn --file $(VAR_DIR)/openapi.yaml
	diff -u docs/openapi.yaml $(VAR_DIR)/openapi.yaml

# Rules that no linter knows: names, lengths, and folders that mirror rooms.
check-house: setup
	$(PYTEST) tests/test_house_rules.py

bench: setup
	$(RUN) -m tests.bench

# Requests generated from the API's schema, always the same. FUZZ_EXAMPLES=500 FUZZ_SEED=1 make fuzz tries more.
fuzz: setup
	$(PYTEST) -m fuzz tests/fuzz -n 0

# Known faults are put into the code, and some test must notice each of them.
mutants: setup
	$(RUN) -m tests.mutation --workers $(WORKERS)
