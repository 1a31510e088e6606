# `make help` lists the targets. `make verify` and `make test` need only Python >= 3.11: each makes .venv first.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
# Tried in this order unless PYTHON is given; the first that is at least 3.11 is taken.
PYTHONS := python3.12 python3.11 python3.13 python3 python3.14 python
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
ARGS ?=
AUDIT_ARGS ?=
PYTEST_ARGS ?= -n auto

.PHONY: help install verify test campaign exhaust verify-fresh verify-gpu lint ptx artifacts audit report bench mutate clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(VENV)/installed ## make .venv with fltc in it
	@echo "$(BIN)/fltc is installed"

verify: $(VENV)/installed ## prove the shipped PTX, audit the proofs, run it against the reference (CUDA if there is a device)
	$(BIN)/fltc verify $(ARGS)
	$(BIN)/fltc audit $(AUDIT_ARGS)
	$(BIN)/fltc diff

test: $(VENV)/installed-dev ## run the test suite
	$(BIN)/python -m pytest $(PYTEST_ARGS) $(ARGS)

campaign: $(VENV)/installed-dev ## run 20,000 random kernels: what is proved against what the emulator sees (docs/campaign.md)
	$(BIN)/python -m tests.campaign $(ARGS)

exhaust: $(VENV)/installed-dev ## go through all words and pairs of words for the identities of binary16 (minutes)
	$(BIN)/python -m tests.exhaust $(ARGS)

verify-fresh: $(VENV)/installed ## the same as verify, deciding every obligation anew
	$(BIN)/fltc verify --fresh $(ARGS)
	$(BIN)/fltc audit $(AUDIT_ARGS)
	$(BIN)/fltc diff

verify-gpu: $(VENV)/installed ## run every kernel on the CUDA device against its reference and write evidence/
	$(BIN)/python -m tests.harness.gpu_evidence --out evidence $(ARGS)

ptx: $(VENV)/installed ## write backend/ptx/*.ptx anew from backend/kernels
	$(BIN)/python -m backend.kernels

artifacts: ptx ## prove everything anew, which rewrites proofs/artifacts, and show what changed
	$(BIN)/fltc verify --fresh $(ARGS)
	git status --short -- backend/ptx proofs/artifacts

report: $(VENV)/installed ## write the report to report/index.html, with a fresh run of every kernel against its reference
	@mkdir -p report && rm -f report/diff.json
	$(BIN)/fltc diff --json report/diff.json || test -f report/diff.json # the page shows failures too
	$(BIN)/fltc report --diff report/diff.json $(ARGS)

mutate: $(VENV)/installed ## break the shipped kernels, a Triton matmul and a GEMM in small ways, and see who notices
	$(BIN)/python -m tests.mutate $(ARGS)

audit: $(VENV)/installed ## run the independent verifier over artifacts and shipped PTX
	$(BIN)/fltc audit $(ARGS)

bench: $(VENV)/installed ## measure against ceilings and peers (needs a CUDA device)
	$(BIN)/fltc bench $(ARGS)

lint: $(VENV)/installed-dev ## ruff and mypy --strict
	$(BIN)/ruff check .
	$(BIN)/mypy --strict

clean: ## remove .venv, caches and build products
	rm -rf $(VENV) build dist report *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# One stamp for each set of packages: nothing happens while pyproject.toml and the place of the checkout are the same.
$(VENV)/installed: pyproject.toml $(VENV)/root
	$(PIP) --editable .
	@touch $@

$(VENV)/installed-dev: pyproject.toml $(VENV)/root
	$(PIP) --editable '.[dev]'
	@touch $@ $(VENV)/installed

# A virtual environment holds absolute paths, so a moved checkout needs a new one.
ifneq ($(shell cat $(VENV)/root 2>/dev/null),$(CURDIR))
.PHONY: $(VENV)/root
endif

$(VENV)/root:
	@python=; \
	for p in $(or $(PYTHON),$(PYTHONS)); do \
	    if [ -z "$$python" ] && "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$$p; fi; \
	done; \
	if [ -z "$$python" ]; then \
	    echo "fltc needs Python 3.11 or newer, and none of these is: $(or $(PYTHON),$(PYTHONS))." >&2; \
	    echo "Install one, or name it: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; \
	fi; \
	if ! "$$python" -c 'import ensurepip, venv' 2>/dev/null; then \
	    echo "$$python has no working 'venv' module, so no virtual environment can be made." >&2; \
	    echo "On Debian or Ubuntu: apt-get install $$("$$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')." >&2; \
	    echo "Or name another Python: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; \
	fi; \
	echo "making $(VENV) with $$python"; \
	rm -rf $(VENV) && "$$python" -m venv $(VENV) && printf '%s' '$(CURDIR)' > $@
