# All set-up happens in .venv; `make demo` and `make test` work from a fresh clone.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint docs coverage fuzz mutants bench package clean

demo: .venv/demo-ready
	$(BIN)/lexalign demo

test: lint
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist loadfile --doctest-modules tests src  # a core for each worker

coverage: .venv/test-ready
	$(BIN)/coverage erase
	OMP_NUM_THREADS=1 $(BIN)/coverage run -m pytest -n 2 --dist loadfile --doctest-modules tests src
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage html --quiet
	$(BIN)/coverage xml --quiet
	$(BIN)/coverage report --skip-covered --skip-empty

PROSE ?= README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md CODE_OF_CONDUCT.md docs src
lint: .venv/test-ready
	$(BIN)/ruff format --check src tests benchmarks tools docs/hooks
	$(BIN)/ruff check src tests benchmarks tools docs/hooks
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tools.prose $(PROSE)

docs: .venv/docs-ready
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

INPUTS ?= 10000
fuzz: .venv/test-ready
	OMP_NUM_THREADS=1 LEXALIGN_FUZZ=$(INPUTS) $(BIN)/pytest -n 2 tests/fuzz

bench: .venv/test-ready
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks  # ratios of processor time, smaller sizes

mutants: .venv/test-ready
	$(BIN)/python -m benchmarks.mutants

# Wheel and sdist, each installed into an empty environment, away from this folder.
package:
	rm -rf dist build/package
	$(PYTHON) -m venv build/package/tools
	build/package/tools/bin/python -m pip install --quiet build twine
	build/package/tools/bin/python -m build --outdir dist
	build/package/tools/bin/python -m twine check --strict dist/*
	set -e; for built in dist/*.whl dist/*.tar.gz; do \
	  place=build/package/$$(basename $$built); \
	  $(PYTHON) -m venv $$place; \
	  $$place/bin/python -m pip install --quiet $$built; \
	  echo "$$built:"; \
	  (cd $$place && export PYTHONPATH= && bin/lexalign -V && bin/lexalign demo); \
	done

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
	rm -rf .venv mutants site build dist htmlcov .coverage .coverage.* coverage.xml
