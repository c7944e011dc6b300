# All set-up happens in .venv; `make demo` and `make test` work from a fresh clone.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint docs fuzz mutants bench clean

demo: .venv/demo-ready
	$(BIN)/lexalign demo

test: lint
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist loadfile --doctest-modules tests src  # a core for each worker

lint: .venv/test-ready
	$(BIN)/ruff format --check src tests benchmarks docs/hooks
	$(BIN)/ruff check src tests benchmarks docs/hooks
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: .venv/docs-ready
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

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

.venv/docs-ready: pyproject.toml constraints.txt | .venv/bin/python
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[docs]'
	@touch $@ .venv/demo-ready

clean:
	rm -rf .venv mutants site
