# All set-up happens in .venv; `make demo` and `make test` work from a fresh clone.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint fuzz mutants bench clean

demo: .venv/demo-ready
	$(BIN)/lexalign demo

test: lint
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist loadfile --doctest-modules tests src  # a core for each worker

PROSE ?= src CHANGELOG.md
lint: .venv/test-ready
	$(BIN)/ruff format --check src tests benchmarks tools
	$(BIN)/ruff check src tests benchmarks tools
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tools.prose $(PROSE)

INPUTS ?= 10000
fuzz: .venv/test-ready
	OMP_NUM_THREADS=1 LEXALIGN_FUZZ=$(INPUTS) $(BIN)/pytest -n 2 tests/fuzz

bench: .venv/test-ready
	$(BIN)/python -m benchmarks

mutants: .venv/test-ready
	$(BIN)/python -m benchmarks.mutants

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/demo-ready: pyproject.toml constraints.txt | .venv/bin/python
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	@touch $@

.venv/test-ready: pyproject.toml constraints.txt | .venv/bin/python
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@ .venv/demo-ready

clean:
	rm -rf .venv mutants
