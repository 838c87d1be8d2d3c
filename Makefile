# Every target makes its own .venv first; a stamp keeps re-runs quick.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
# Tests that need no extra part and take no long time.
EVERYDAY := "not slow and not browser and not ipopt and not dask and not torch and not gpu"
# Those on Dask's workers and on PyTorch's arrays.
ELSEWHERE := -m "dask or torch" $(shell grep -lE "mark[.](dask|torch)" tests/test_*.py)
# The newest Python that is here: the newest NumPy does not install on the oldest one we support.
NEWEST ?= $(firstword $(foreach v,3.14 3.13 3.12,$(shell python$(v) -c "import sys; print(sys.executable)" 2>/dev/null)) \
  $(shell ls -d $(HOME)/.pyenv/versions/3.1[2-9].*/bin/python 2>/dev/null | sort -V | tail -n 1) $(PYTHON))
NEW_ENOUGH = @$(NEWEST) -c "import sys; sys.version_info < (3, 12) and sys.exit('This needs Python 3.12 or later; found ' + sys.version.split()[0] + '. Name one: make NEWEST=/path/to/python ...')"
export OMP_WAIT_POLICY ?= PASSIVE

.PHONY: demo test scale browser ipopt lint format docs bench bench-full bench-gate paper paper-quick minimum newest coverage package lock audit-lock long clean

# One thread a process: tests already run two at once, and more only get in each other's way.
demo test coverage long scale newest: export OMP_NUM_THREADS ?= 1

demo: $(INSTALLED)
	$(BIN)/rocstar audit --output audit.html

test: $(INSTALLED)
	$(BIN)/python -m pytest -n 2 -m $(EVERYDAY)

scale: $(INSTALLED)
	$(BIN)/python -c "import distributed, torch, array_api_compat, lightgbm, xgboost" 2>/dev/null || $(BIN)/python -m pip install --quiet --editable ".[dask,torch]" torch==2.13.0 lightgbm xgboost-cpu
	SCIPY_ARRAY_API=1 $(BIN)/python -m pytest $(ELSEWHERE)

browser: $(INSTALLED)
	$(BIN)/python -c "import playwright" 2>/dev/null || $(BIN)/python -m pip install --quiet "playwright>=1.50,<2"
	$(BIN)/python -m pytest -m browser tests/test_report_browser.py

ipopt: $(INSTALLED)
	$(BIN)/python -c "import cyipopt" 2>/dev/null || $(BIN)/python -m pip install --quiet "cyipopt>=1.5,<2"
	$(BIN)/python -m pytest -m ipopt tests/test_interior_point.py

# All that `test` and `scale` run, with lines and branches measured.
coverage: $(INSTALLED)
	$(BIN)/python -c "import distributed, torch, array_api_compat, lightgbm, xgboost" 2>/dev/null || $(BIN)/python -m pip install --quiet --editable ".[dask,torch]" torch==2.13.0 lightgbm xgboost-cpu
	$(BIN)/python -m pytest -n 2 -m $(EVERYDAY) \
	  --cov=rocstar --cov-branch --cov-report=
	SCIPY_ARRAY_API=1 $(BIN)/python -m pytest $(ELSEWHERE) \
	  --cov=rocstar --cov-branch --cov-report= --cov-append
	$(BIN)/python -m coverage report --show-missing --skip-covered --fail-under=95

# What is shipped, installed where nothing else is: the sdist, and the wheel made from it.
package: $(INSTALLED)
	rm -rf dist $(VENV)-package
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .
	$(BIN)/python -m build --sdist --outdir dist .
	$(BIN)/python tools/check_package.py dist
	$(PYTHON) -m venv $(VENV)-package
	$(VENV)-package/bin/python -m pip install --quiet "$$(ls dist/*.whl)[cli]"
	cd dist && ../$(VENV)-package/bin/rocstar --help > /dev/null
	cd dist && ../$(VENV)-package/bin/rocstar audit --fast --model linear --quiet --json > audit.json
	cd dist && ../$(VENV)-package/bin/python -c "import json; assert json.load(open('audit.json'))['auc']['low'] > 0.5"
	$(VENV)-package/bin/python -m pip install --quiet --force-reinstall --no-deps dist/*.tar.gz
	cd dist && ../$(VENV)-package/bin/rocstar --version

# Pins of everything the development and documentation extras need, the newest there is, and what
# is known against them.
lock: $(INSTALLED)
	$(NEW_ENOUGH)
	$(BIN)/python -m pip --python $(NEWEST) install --quiet --dry-run --ignore-installed --report $(VENV)/lock.json --editable ".[dev,docs]"
	$(BIN)/python tools/pins.py $(VENV)/lock.json > requirements-dev.lock

audit-lock: $(INSTALLED)
	$(BIN)/python -m pip install --quiet "pip-audit>=2.9,<3"
	$(BIN)/python tools/audit_pins.py requirements-dev.lock

# Hours: 50,000 generated samples, 20,000 damaged files a format, 200 audits in one process.
long: $(INSTALLED)
	ROCSTAR_CASES=50000 $(BIN)/python -m pytest -n 2 tests/test_robustness.py
	ROCSTAR_FUZZ=20000 $(BIN)/python -m pytest -n 2 tests/test_fuzz.py
	$(BIN)/python -m pytest tests/test_interruption.py tests/test_determinism.py
	$(BIN)/python benchmarks/audit/many.py --audits 200

# The oldest versions of its core dependencies, and of what reads tables, that the package says it
# works with.
minimum: $(VENV)-minimum/.installed
	OMP_NUM_THREADS=1 $(VENV)-minimum/bin/python -m pytest -n 2 -m "not slow" \
	  tests/test_newton.py tests/test_problem.py tests/test_rows.py tests/test_losses.py \
	  tests/test_ratio.py tests/test_cv.py tests/test_classifier.py tests/test_stack.py \
	  tests/test_certify.py tests/test_certificate.py tests/test_two_sample.py \
	  tests/test_bounds.py tests/test_curves.py tests/test_frames.py tests/test_reading.py \
	  tests/test_text_files.py tests/test_numerals.py tests/test_target.py \
	  tests/test_kinds.py tests/test_tables_columns.py tests/test_roles.py tests/test_table.py \
	  tests/test_leaks.py tests/test_dense.py tests/test_model.py tests/test_model_files.py

# The tests again with the newest Python and the locked, newest versions of everything.
newest: $(VENV)-newest/.installed
	$(VENV)-newest/bin/python --version
	$(VENV)-newest/bin/python -m pytest -n 2 -m $(EVERYDAY)

# Quick: the rivals that scikit-learn and SciPy are, and those already in $(RIVALS). Full: all of them;
# it takes hours, may be interrupted, and goes on where it stopped.
RIVALS ?= $(VENV)-rivals
bench: $(INSTALLED)
	mkdir -p $(RIVALS)
	$(BIN)/python benchmarks/run.py quick --rivals $(RIVALS) $(if $(DATA),--data $(DATA))

bench-full: $(INSTALLED)
	$(BIN)/python benchmarks/rivals/setup.py $(RIVALS)
	$(BIN)/python benchmarks/run.py full --rivals $(RIVALS) $(if $(DATA),--data $(DATA))

# Fails if one of three timings is more than half slower than at the base commit.
bench-gate: $(INSTALLED)
	$(BIN)/python benchmarks/gate.py

paper: $(INSTALLED)
	$(BIN)/python paper/run_all.py

paper-quick: $(INSTALLED)
	$(BIN)/python paper/run_all.py --quick

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/.docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

format: $(INSTALLED)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) $(VENV)-minimum $(VENV)-newest $(VENV)-package build dist .mypy_cache .ruff_cache .hypothesis

$(INSTALLED): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25"
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@

$(VENV)/.docs: $(INSTALLED)
	$(BIN)/python -m pip install --quiet --editable ".[docs]"
	touch $@

$(VENV)-minimum/.installed: pyproject.toml tests/minimum.txt
	test -x $(VENV)-minimum/bin/python || $(PYTHON) -m venv $(VENV)-minimum
	$(VENV)-minimum/bin/python -m pip install --quiet --upgrade "pip>=25"
	$(VENV)-minimum/bin/python -m pip install --quiet --editable ".[cli]" -c tests/minimum.txt \
	  array-api-strict hypothesis polars pytest pytest-xdist
	touch $@

$(VENV)-newest/.installed: pyproject.toml requirements-dev.lock
	$(NEW_ENOUGH)
	$(NEWEST) -m venv --clear $(VENV)-newest
	$(VENV)-newest/bin/python -m pip install --quiet --upgrade "pip>=25"
	$(VENV)-newest/bin/python -m pip install --quiet --editable ".[dev]" --constraint requirements-dev.lock
	touch $@
