# Two commands for newcomers: make demo, make test. Both set up what is missing, with scripts/. To make .venv with another
# Python than the first suitable one: make PYTHON=/path/to/python3 ...

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup demo test check bench bench-class signatures fuzz soak format image site screenshots wheel pyz release clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## set up, grade examples/ and say where the report is
	@scripts/demo.sh

test: ## set up and run what a change asks for, but no slow tests; all: make test ARGS=all, one: make test ARGS='tests/unit -k spec'
	@scripts/test.sh $(ARGS)

check: ## style, types, warnings and unit tests, within a minute; without the tests: make check ARGS=--static
	@scripts/setup-python.sh
	@scripts/setup-tools.sh gcc shellcheck
	@scripts/check.sh $(ARGS)

setup: ## only set up: Python packages, gcc, strace, Docker engine, image
	@scripts/setup.sh || [ $$? -eq 3 ]

bench: ## measure how fast grading is, in minutes; into docs/benchmarks.md: make bench ARGS=--write
	@scripts/setup.sh
	@.venv/bin/python -m bench $(ARGS)

bench-class: ## measure what a class costs, in 15 minutes; into docs/benchmarks.md: make bench-class ARGS=--write
	@scripts/setup.sh
	@.venv/bin/python -m bench.classes $(ARGS)

signatures: ## measure the traits of tr2's mutants, after a change of the spec or of a mutant
	@scripts/setup-python.sh
	@scripts/setup-tools.sh gcc strace
	@.venv/bin/python scripts/make_signatures.py tr2

image: ## build the image that submissions run in
	@scripts/setup-python.sh
	@scripts/setup-engine.sh
	@.venv/bin/grader image build

site: ## build the documentation as a site, into site/; while you write: make site ARGS=serve
	@scripts/setup-python.sh
	@.venv/bin/properdocs $(or $(ARGS),build) --config-file mkdocs.yml

screenshots: ## make the pictures in docs/images again, from real runs
	@scripts/screenshots.sh

fuzz: ## look for input that breaks the readers, for 10 minutes; longer: make fuzz SECONDS=3600
	@scripts/setup-python.sh
	@FUZZ_S=$(or $(SECONDS),600) scripts/fuzz.sh $(ARGS)

soak: ## grade again and again, three times or for 10 minutes, and watch that nothing grows; longer: make soak MINUTES=60
	@scripts/setup.sh
	@.venv/bin/python -m scripts.soak --minutes $(or $(MINUTES),10) $(ARGS)

format: ## format the Python code and fix what ruff can
	@scripts/setup-python.sh
	@.venv/bin/ruff check --fix
	@.venv/bin/ruff format

wheel: ## build the wheel into dist/; with labs of yours in it: make wheel LABS='path/to/lab other/lab'
	@scripts/setup-python.sh
ifdef LABS
	@.venv/bin/python scripts/make_wheel.py $(ARGS) $(LABS)
else
	@.venv/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	@ls -t dist/iolab_grader-*.whl | head -n 1
endif

pyz: ## build dist/grader.pyz, one file that needs no pip; LABS as for the wheel
	@scripts/setup-python.sh
	@.venv/bin/python scripts/make_pyz.py $(ARGS) $(LABS)

release: ## build a release into dist/VERSION, and tag its commit
	@scripts/setup-python.sh
	@.venv/bin/python -m scripts.make_release

clean: ## remove reports, caches and .venv; image and engine stay
	rm -rf out dist site build .venv .mypy_cache .pytest_cache .ruff_cache *.egg-info
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
