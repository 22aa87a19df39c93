# What can be done here; `make` alone prints this list. On Windows without make: see README.md.

PYTHON ?= python3
VENV := .venv
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif
ENVIRONMENT := $(VENV)/.installed

# Given to the scripts as they are, through the environment: no shell ever reads them.
unexport FOLDER QUERY SIZE
export TEBUNKO_RUN_FOLDER := $(value FOLDER)
export TEBUNKO_RUN_QUERY := $(value QUERY)
export TEBUNKO_BENCH_SIZE := $(value SIZE)

.DEFAULT_GOAL := help
.PHONY: help run test torture lint format bench catalogs lock

help: ## this list
	@sed -n 's/^\([a-z]*\):[^#]*## /make \1 \t/p' Makefile

run: $(ENVIRONMENT) ## show it at work on sample documents, or on yours: make run FOLDER='...' QUERY='...'
	@$(BIN)/python -m scripts.run_demo

test: $(ENVIRONMENT) ## run every test
	$(BIN)/python -m pytest

torture: $(ENVIRONMENT) ## kill updates and cut their power hundreds of times (hours): make torture KILLS=300
	TEBUNKO_TORTURE=$(or $(KILLS),300) $(BIN)/python -m pytest tests/torture

lint: $(ENVIRONMENT) ## check format, style and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(ENVIRONMENT) ## bring the source into its format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(ENVIRONMENT) ## measure against other programs: make bench SIZE=smoke|small|full
	@$(BIN)/python -m bench

catalogs: $(ENVIRONMENT) ## compile the translations (*.po to *.mo)
	@$(BIN)/python -m scripts.catalogs

lock: $(ENVIRONMENT) ## write requirements-dev.txt anew from pyproject.toml, for every system and Python
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --extra dev --no-annotate --no-emit-index-url \
		--custom-compile-command "make lock" --output-file requirements-dev.txt pyproject.toml

$(ENVIRONMENT): pyproject.toml requirements-dev.txt scripts/environment.py
	@command -v $(PYTHON) >/dev/null || { echo "There is no '$(PYTHON)'. Install Python 3.11 or newer (Debian, Ubuntu: apt install python3 python3-venv) or name one: make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) scripts/environment.py $(VENV)
