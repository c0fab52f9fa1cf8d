"""Measure the traits of a lab's mutants and write its signatures.json (`make signatures`)."""

from __future__ import annotations

import sys
from contextlib import closing

from grader.grading.setup import RunConfig, prepare
from grader.lab.find import load_lab
from grader.sandbox.choose import local_sandbox
from grader.selfcheck.lab_test import make_signatures


def main() -> None:
    """Measure the mutants of one lab."""
    spec, files = load_lab(sys.argv[1])
    # Mutants are our own programs, so they need no container. Tests compare the traits of both sandboxes.
    with closing(local_sandbox()) as sandbox:
        make_signatures(spec, files, prepare(RunConfig(spec, files), sandbox, print))


if __name__ == "__main__":
    main()
