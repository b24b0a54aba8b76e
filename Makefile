# Two commands do everything on a machine that has Python 3.11 or newer with venv, and make:
#   make demo    installs the package and runs the main job
#   make test    also installs the tools for tests, then checks formatting, lint, types, imports and all tests

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q

.PHONY: demo serve test check docs papers fuzz prove package environment examples peers benchmarks soak \
	attack acceptance mutants \
	web web-compare wheel versions pages notebooks extras layers pictures screenshots clean

demo: package
	$(BIN)/inarow train tictactoe td --against attack-defense --games 2000000 --stop-games 50000 --out results/best.safetensors
	$(BIN)/inarow certify results/best.safetensors
	$(BIN)/inarow reproduce hybrid --out results
	@echo
	@echo "Play it:     $(BIN)/inarow play --against results/best.safetensors"
	@echo "The report:  results/hybrid/index.html (open it in a browser)"

# The pages: play, train, papers, arena. Saved agents are in results.
serve: package
	$(BIN)/inarow serve

# PYTEST_FLAGS=--durations=50 also prints the slowest tests.
PYTEST_FLAGS ?=
test: environment check
	$(BIN)/python -m pytest $(PYTEST_FLAGS)

check: environment
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The site, in site/. Warnings are errors, and its pages load nothing from elsewhere.
docs: environment
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	$(BIN)/python docs/check_site.py site
	BUILT_SITE=site $(BIN)/python -m pytest -n 0 tests/web/test_site.py

# Every part of every paper at its default scale, our own additions and the comparison of learners:
# a report of each in results.
papers: package
	$(BIN)/inarow reproduce all --out results
	$(BIN)/inarow reproduce all --beyond --out results
	$(BIN)/inarow reproduce learners --out results

# Mutated files, databases and requests: each must give a result or one line. Compiled code checks
# every index in this run, so that any access out of bounds is found.
fuzz: environment
	$(BIN)/python -m tests.fuzz --cases 100000 --bounds

# Random games of the description language compared with a brute force that shares no code with the
# package: make attack MINUTES=30 SEED=1. Each disagreement is printed with its command.
SEED ?=
attack: environment
	$(BIN)/python -m tests.attack --minutes $(MINUTES) $(SEED:%=--seed %)

# Breaks one promise of the package after another in a copy: do its tests notice?
mutants: environment
	$(BIN)/python -m tests.mutants --store

# The whole as a user uses it: a wheel in a fresh environment, an empty cache, every command and
# Python block of the pages twice, every paper and every game. Takes half an hour or more.
acceptance: environment
	$(BIN)/python -m tests.acceptance

# Checks Qubic's stored strategy against every defence, enumerates every game of the shipped agents
# of 6x7 against anyone, and compares the larger one's moves on another kind of processor.
prove: environment
	$(BIN)/inarow book check qubic
	$(BIN)/inarow certify connect4:6x7 ntuple --against anyone --side first
	$(BIN)/inarow certify connect4:6x7 shipped:connect4:6x7:small --against anyone --side first
	$(BIN)/python -m tests.lab.moves 1000000
	NUMBA_CPU_NAME=generic $(BIN)/python -m tests.lab.moves 1000000

# The modules of WebAssembly that come with the package, built anew: the same bytes everywhere.
web: environment
	$(BIN)/python -m inarow.web.modules build

# Every kind of compiled player in Node against native code: tic-tac-toe whole, others at random.
web-compare: environment
	$(BIN)/python -m tests.web.compare

# The package alone, and with what its tests and pages need.
package: $(VENV)/package
environment: $(VENV)/installed

# Installed again whenever the project's description or the pinned versions change.
$(VENV)/package: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "inarow needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install -c constraints.txt -e .
	touch $@

$(VENV)/installed: $(VENV)/package
	$(PIP) install -c constraints.txt -e '.[dev]'
	touch $@

# The same random games here and in other projects, in a separate environment.
peers: .venv-peers/installed .venv-kaggle/installed
	.venv-peers/bin/python benchmarks/playouts.py
	.venv-peers/bin/python benchmarks/solver.py
	.venv-peers/bin/python benchmarks/tabular.py
	.venv-peers/bin/python benchmarks/cube.py
	.venv-peers/bin/python benchmarks/deep.py
	.venv-peers/bin/python benchmarks/environments.py
	.venv-peers/bin/python benchmarks/mcts.py
	.venv-kaggle/bin/python -m pytest -n 0 tests/adapters/test_kaggle.py

# The same, stored with date and machine for the site: results in docs/results/benchmarks.
benchmarks: .venv-peers/installed
	.venv-peers/bin/python benchmarks/store.py

.venv-peers/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip --disable-pip-version-check -q install -c constraints.txt -e '.[peers]'
	touch $@

# Kaggle's package pins older versions of shared dependencies, so it gets a separate environment.
.venv-kaggle/installed: pyproject.toml
	$(PYTHON) -m venv .venv-kaggle
	.venv-kaggle/bin/python -m pip --disable-pip-version-check -q install -e '.[kaggle]' pytest pytest-xdist
	touch $@

# The example that needs PyTorch, which takes several gigabytes.
examples: .venv-examples/installed
	.venv-examples/bin/python examples/ppo_tictactoe.py

.venv-examples/installed: pyproject.toml
	$(PYTHON) -m venv .venv-examples
	.venv-examples/bin/python -m pip --disable-pip-version-check -q install -e '.[gymnasium]' sb3-contrib
	touch $@

# The wheel outside the checkout: plays, solves, certifies, serves, shows the papers; its sizes.
wheel: environment
	$(BIN)/python -m tests.wheel

# The lowest and the newest version of each dependency, and each minor version of Numba, in
# environments of their own; make versions PYTHONS=3.13 tries one Python.
PYTHONS ?= 3.11 3.13
versions:
	$(PYTHON) tools/versions.py --pythons $(PYTHONS)

# An hour of twenty visitors, uploads and kills; make soak MINUTES=10 is shorter.
MINUTES ?= 60
soak: environment
	$(BIN)/python benchmarks/soak.py --minutes $(MINUTES)

# The pages of docs/papers and the README's facts from the stored results in docs/results.
pages: environment
	$(BIN)/python docs/make_pages.py
	$(BIN)/python docs/make_facts.py

# What each extra adds to an installation, in packages and megabytes; downloads gigabytes.
extras: environment
	$(BIN)/python tools/extras.py

# Runs the notebooks of examples and stores what they show; the site's pages are made from that.
notebooks: environment
	$(BIN)/python docs/notebooks.py

layers: environment
	$(BIN)/python docs/make_layers.py

pictures: environment
	$(BIN)/python docs/make_pictures.py
	$(BIN)/python docs/make_demo.py

# The pages of a real server, as docs/screens shows them; needs a Chromium.
screenshots: environment
	$(BIN)/python docs/make_screenshots.py

clean:
	rm -rf $(VENV) .venv-peers .venv-kaggle .venv-examples site
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
