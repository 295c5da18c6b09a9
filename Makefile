# make report · make test · make lab · make bench. Each sets up .venv first; nothing outside the checkout changes.
PYTHON ?= python3.11
export PIP_CACHE_DIR := $(CURDIR)/.cache/pip
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export XDG_CACHE_HOME := $(CURDIR)/.cache
export MPLCONFIGDIR := $(CURDIR)/.cache/matplotlib
export IPYTHONDIR := $(CURDIR)/.cache/ipython
export JUPYTER_CONFIG_DIR := $(CURDIR)/.cache/jupyter/config
export JUPYTER_DATA_DIR := $(CURDIR)/.cache/jupyter/data
export JUPYTER_RUNTIME_DIR := $(CURDIR)/.cache/jupyter/runtime

.PHONY: report test test-fast lab bench lint notebooks clean

report: .venv/.ready
	.venv/bin/npd report

test: .venv/.ready
	.venv/bin/python -m pytest -n 2 --dist loadfile
	NPD_QUIET=1 NPD_REPORTS=$(CURDIR)/.cache/nbval NPD_PREDICTIONS=/dev/null .venv/bin/python -m pytest -n 2 --dist loadfile \
	  --nbval --nbval-current-env --nbval-sanitize-with tests/nbval.cfg notebooks
	.venv/bin/ruff check . && .venv/bin/ruff format --check .

test-fast: .venv/.ready
	.venv/bin/python -m pytest -m "not slow and not browser"

lab: .venv/.ready
	.venv/bin/jupyter lab notebooks

bench: .venv/.ready
	.venv/bin/python tests/bench.py

lint: .venv/.ready
	.venv/bin/ruff check . && .venv/bin/ruff format --check .

# Run the source notebooks on the demo and keep their outputs in them, for readers and for nbval.
notebooks: .venv/.ready
	NPD_QUIET=1 NPD_REPORTS=$(CURDIR)/.cache/stored .venv/bin/python -m lib.notebooks --store notebooks/*.ipynb

# The versions that the stored notebooks and reports/official were made with; pyproject.toml has the ranges.
.venv/.ready: pyproject.toml requirements.lock
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet --constraint requirements.lock --editable ".[dev]"
	touch $@

clean:
	rm -rf _site report index.ipynb .snakemake .cache reports/demo
