# Every target makes its own .venv first; a stamp keeps re-runs quick.
PYTHON ?= python3
VENV := .venv
# Where programs are in a virtual environment.
PROGRAMS := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN := $(VENV)/$(PROGRAMS)
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

.PHONY: demo test scale browser ipopt lint format docs bench bench-full bench-gate paper paper-quick minimum newest coverage package release-check links workflows notebook nightly lock audit-lock long clean

# One thread per process: tests already run two at once, and more only get in each other's way.
demo test coverage long scale newest nightly: export OMP_NUM_THREADS ?= 1

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

# What is shipped: its contents and metadata, then the wheel where nothing else is installed, with
# the oldest and the newest Python, and as one command without an installation; last the sdist.
package: $(INSTALLED) $(VENV)/.release
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python tools/check_package.py dist
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	$(BIN)/pyroma --min 10 --skip-tests "$(shell $(PYTHON) tools/release.py --pyroma)" dist/*.tar.gz
	$(BIN)/python tools/try_wheel.py dist $(PYTHON) $(NEWEST)

# Everything that a tag runs. Without TAG it lists what whoever publishes has to fill in; with
# TAG=v0.1.0 it fails as long as anything is missing.
release-check: lint workflows test package minimum newest docs links
	$(PYTHON) tools/release.py $(if $(TAG),--tag $(TAG))

# Pins of everything the development and documentation extras need, the newest there is, and what
# is known against them.
lock: $(INSTALLED)
	$(NEW_ENOUGH)
	$(BIN)/python -m pip --python $(NEWEST) install --quiet --dry-run --ignore-installed --report $(VENV)/lock.json --editable ".[dev,docs]"
	$(BIN)/python tools/pins.py $(VENV)/lock.json > requirements-dev.lock

audit-lock: $(INSTALLED)
	$(BIN)/python -m pip install --quiet "pip-audit>=2.9,<3"
	$(BIN)/python tools/audit_pins.py requirements-dev.lock

# Hours: 50,000 generated samples, 20,000 damaged files per format, 200 audits in one process.
long: $(INSTALLED)
	ROCSTAR_CASES=50000 $(BIN)/python -m pytest -n 2 tests/test_robustness.py
	ROCSTAR_FUZZ=20000 $(BIN)/python -m pytest -n 2 tests/test_fuzz.py
	$(BIN)/python -m pytest tests/test_interruption.py tests/test_determinism.py
	$(BIN)/python benchmarks/audit/many.py --audits 200

# The oldest versions of its core dependencies, and of what reads tables, that the package says it
# works with.
minimum: $(VENV)-minimum/.installed
	$(VENV)-minimum/$(PROGRAMS)/rocstar audit --fast --model linear --quiet
	OMP_NUM_THREADS=1 $(VENV)-minimum/$(PROGRAMS)/python -m pytest -n 2 -m "not slow" \
	  tests/test_newton.py tests/test_problem.py tests/test_rows.py tests/test_losses.py \
	  tests/test_ratio.py tests/test_cv.py tests/test_classifier.py tests/test_stack.py \
	  tests/test_certify.py tests/test_certificate.py tests/test_two_sample.py \
	  tests/test_bounds.py tests/test_curves.py tests/test_frames.py tests/test_reading.py \
	  tests/test_text_files.py tests/test_numerals.py tests/test_target.py \
	  tests/test_kinds.py tests/test_tables_columns.py tests/test_roles.py tests/test_table.py \
	  tests/test_leaks.py tests/test_dense.py tests/test_model.py tests/test_model_files.py

# The tests again with the newest Python and the locked, newest versions of everything.
newest: $(VENV)-newest/.installed
	$(VENV)-newest/$(PROGRAMS)/python --version
	$(VENV)-newest/$(PROGRAMS)/python -m pytest -n 2 -m $(EVERYDAY)

# The tests with what NumPy, SciPy, scikit-learn and pandas will release next.
NIGHTLY := https://pypi.anaconda.org/scientific-python-nightly-wheels/simple
nightly:
	$(NEW_ENOUGH)
	$(NEWEST) -m venv --clear $(VENV)-nightly
	$(VENV)-nightly/$(PROGRAMS)/python -m pip install --quiet --upgrade "pip>=25"
	$(VENV)-nightly/$(PROGRAMS)/python -m pip install --quiet --editable ".[dev]"
	$(VENV)-nightly/$(PROGRAMS)/python -m pip install --quiet --upgrade --pre --no-deps \
	  --extra-index-url $(NIGHTLY) numpy scipy scikit-learn pandas
	$(VENV)-nightly/$(PROGRAMS)/python -m pytest -n 2 -m $(EVERYDAY)

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
	$(BIN)/codespell

docs: $(VENV)/.docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

# Every link of every page leads somewhere; those to other sites only with WEB=1.
links: $(INSTALLED)
	$(BIN)/python tools/check_links.py $(if $(WEB),--web)

# The files under .github, and the action: their form, and what is known to be unsafe.
workflows: $(INSTALLED)
	$(BIN)/python -c "import check_jsonschema" 2>/dev/null && test -x $(BIN)/zizmor || $(BIN)/python -m pip install --quiet "check-jsonschema>=0.30,<1" "zizmor>=1.5,<2"
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-actions action.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/zizmor --quiet --offline .github/workflows action.yml

# The tutorial as a notebook, made from the script that the documentation shows.
notebook: $(VENV)/.docs
	$(BIN)/sphinx_gallery_py2jupyter examples/tutorial/plot_tutorial.py
	mv examples/tutorial/plot_tutorial.ipynb examples/tutorial.ipynb

format: $(INSTALLED)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) $(VENV)-minimum $(VENV)-newest $(VENV)-nightly build dist .mypy_cache .ruff_cache .hypothesis

$(INSTALLED): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25"
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@

$(VENV)/.docs: $(INSTALLED)
	$(BIN)/python -m pip install --quiet --editable ".[docs]"
	touch $@

$(VENV)/.release: $(INSTALLED)
	$(BIN)/python -m pip install --quiet --editable ".[release]"
	touch $@

$(VENV)-minimum/.installed: pyproject.toml tests/minimum.txt
	test -x $(VENV)-minimum/$(PROGRAMS)/python || $(PYTHON) -m venv $(VENV)-minimum
	$(VENV)-minimum/$(PROGRAMS)/python -m pip install --quiet --upgrade "pip>=25"
	$(VENV)-minimum/$(PROGRAMS)/python -m pip install --quiet --editable ".[cli]" -c tests/minimum.txt \
	  array-api-strict hypothesis polars pytest pytest-xdist
	touch $@

$(VENV)-newest/.installed: pyproject.toml requirements-dev.lock
	$(NEW_ENOUGH)
	$(NEWEST) -m venv --clear $(VENV)-newest
	$(VENV)-newest/$(PROGRAMS)/python -m pip install --quiet --upgrade "pip>=25"
	$(VENV)-newest/$(PROGRAMS)/python -m pip install --quiet --editable ".[dev]" --constraint requirements-dev.lock
	touch $@
