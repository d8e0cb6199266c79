# Every target works from a fresh clone: it makes `.venv` from the lock file first when that is needed.
# Choose an interpreter with `make install PYTHON=/path/to/python3.12`.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
PIP_FLAGS := --disable-pip-version-check --no-input -qq
INSTALLED := $(VENV)/.installed
INSTALLED_DEV := $(VENV)/.installed-dev
FRAMEWORKS := .venv-frameworks
INSTALLED_FRAMEWORKS := $(FRAMEWORKS)/.installed
PYTHON ?=
RECORDING ?= fixtures/booking_racy
WORKERS ?= auto
COMPILE := CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/python -m piptools compile --quiet $(LOCK_FLAGS) \
	--generate-hashes --allow-unsafe --strip-extras --newline lf --no-emit-options \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host

# Makes the virtual environment unless a usable one is there. A candidate that cannot run (a version
# manager's shim, say) or is too old is passed over.
define make_venv
usable() { "$$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }; \
if ! usable "$(1)/bin/python"; then \
	for candidate in $(if $(PYTHON),"$(PYTHON)",python3 python3.14 python3.13 python3.12 python3.11); do \
		if usable "$$candidate"; then found="$$candidate"; break; fi; \
	done; \
	if [ -z "$${found:-}" ]; then \
		echo "No Python 3.11 or newer was found$(if $(PYTHON), at $(PYTHON)). Install one, or name it:" >&2; \
		echo "  make install PYTHON=/path/to/python3.12" >&2; \
		exit 1; \
	fi; \
	if ! "$$found" -c 'import ensurepip, venv' >/dev/null 2>&1; then \
		echo "$$found has no venv module. On Debian and Ubuntu: apt-get install python3-venv" >&2; \
		exit 1; \
	fi; \
	echo "Making $(1) with $$("$$found" --version)"; \
	"$$found" -m venv --clear $(1); \
fi
endef

# Installs a lock file, then this project itself without looking anything up.
define install_lock
@$(call make_venv,$(2))
@echo "Installing $(1)"
@$(2)/bin/python -m pip $(PIP_FLAGS) install --require-hashes -r $(1)
@$(2)/bin/python -m pip $(PIP_FLAGS) install --no-deps --no-build-isolation -e .
endef

.PHONY: help
help: ## list the targets
	@printf 'State Program Debugger\n\n'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: install
install: $(INSTALLED) ## make .venv with what `spd` and `spd-dap` need

.PHONY: install-dev
install-dev: $(INSTALLED_DEV) ## the same, with the tools of the tests and checks

$(INSTALLED): requirements.lock pyproject.toml
	$(call install_lock,requirements.lock,$(VENV))
	@touch $@

$(INSTALLED_DEV): requirements-dev.lock pyproject.toml
	$(call install_lock,requirements-dev.lock,$(VENV))
	@touch $(INSTALLED) $@

# The agent frameworks are large and pin much: they have a virtual environment of their own.
$(INSTALLED_FRAMEWORKS): requirements-frameworks.lock pyproject.toml
	$(call install_lock,requirements-frameworks.lock,$(FRAMEWORKS))
	@touch $@

.PHONY: demo
demo: $(INSTALLED) ## tell a recorded call both ways with `spd debug`, then leave you at its prompt
	@$(BIN)/python -m dap_adapter.demo $(RECORDING)

.PHONY: test
test: $(INSTALLED_DEV) ## run the tests, but those of IDEs, of agent frameworks and the long ones
	@$(BIN)/python -m pytest -m "not ide and not deep and not frameworks" -n $(WORKERS)

.PHONY: test-ide
test-ide: $(INSTALLED_DEV) ## drive the adapter with stock clients, which are installed where they can be
	@tests/ide/install.sh
	@$(BIN)/python -m pytest -m ide -rs

.PHONY: test-frameworks
test-frameworks: $(INSTALLED_FRAMEWORKS) ## record real runs of the agent frameworks we record and import
	@$(FRAMEWORKS)/bin/python -m pytest tests/engine/importers -m frameworks -rs -n $(WORKERS)

.PHONY: vsix
vsix: ## build the VS Code extension: build/vsix/state-program-debugger.vsix
	@vscode-extension/package.sh

.PHONY: test-deep
test-deep: $(INSTALLED_DEV) ## run the long property and scale tests
	@HYPOTHESIS_PROFILE=$${HYPOTHESIS_PROFILE:-nightly} $(BIN)/python -m pytest -m deep -n $(WORKERS)

.PHONY: check
check: $(INSTALLED_DEV) ## check format, lint, types, layers and declared requirements
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports
	$(BIN)/deptry engine dap_adapter

.PHONY: format
format: $(INSTALLED_DEV) ## format the code and mend what ruff can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

.PHONY: bench
bench: $(INSTALLED_DEV) ## measure; prints a table, judges nothing
	@$(BIN)/python tests/bench/run.py
	@$(BIN)/python tests/bench/dap.py

.PHONY: field-questions
field-questions: $(INSTALLED_DEV) ## ask the field questions of the fixtures; prints the table
	@PYTHONPATH=.:tests $(BIN)/python -m field_questions.run

.PHONY: docs
docs: $(INSTALLED_DEV) ## write docs/schemas, and render docs/**/*.md to docs/html
	@$(BIN)/python -m docs.make_schemas
	@$(BIN)/python -m docs.render

.PHONY: protocol
protocol: $(INSTALLED_DEV) ## generate dap_adapter/protocol.py from SCHEMA=debugAdapterProtocol.json
	@[ -n "$(SCHEMA)" ] || { echo "Say where the protocol's schema is: make protocol SCHEMA=FILE" >&2; exit 2; }
	@$(BIN)/python -m dap_adapter.generate_protocol "$(SCHEMA)"

# Pins are resolved with the oldest Python we support, whose requirements hold for the newer ones, too.
.PHONY: lock
lock: $(INSTALLED_DEV) ## renew the lock files (LOCK_FLAGS=--upgrade for newer releases)
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' \
		|| { echo "The locks are made with Python 3.11: make clean install-dev PYTHON=python3.11" >&2; exit 1; }
	@$(COMPILE) --build-deps-for editable --output-file=requirements.lock pyproject.toml
	@$(BIN)/python -c 'import tomllib; \
		project = tomllib.load(open("pyproject.toml", "rb")); \
		print(*project["build-system"]["requires"], *project["project"]["dependencies"], \
			*project["dependency-groups"]["dev"], sep="\n")' \
		| $(COMPILE) --constraint=requirements.lock --output-file=requirements-dev.lock -
	@$(BIN)/python -c 'import tomllib; \
		project = tomllib.load(open("pyproject.toml", "rb")); \
		print(*project["build-system"]["requires"], *project["project"]["dependencies"], \
			*project["dependency-groups"]["frameworks"], sep="\n")' \
		| $(COMPILE) --output-file=requirements-frameworks.lock -
	@sed -i.old 's/-r -$$/pyproject.toml/' requirements-dev.lock requirements-frameworks.lock
	@rm requirements-dev.lock.old requirements-frameworks.lock.old

.PHONY: clean
clean: ## remove .venv and every cache
	rm -rf $(VENV) $(FRAMEWORKS) vscode-extension/{node_modules,dist,out-test} build dist *.egg-info .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
