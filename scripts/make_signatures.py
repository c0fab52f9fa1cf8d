"""Measure the traits of a lab's mutants and write its signatures.json (`make signatures`)."""

from __future__ import annotations

import sys

from grader.atomic_write import write_atomic
from grader.cache.entries import Cache
from grader.grading.known_bugs import signatures_json, signatures_key
from grader.grading.mutant_runner import MutantRunner
from grader.grading.reference_run import obtain_reference
from grader.lab.find import load_lab
from grader.lab.mutants import read_mutants
from grader.model.lab import Lab
from grader.model.signature import Signatures
from grader.model.spec.lab import all_inputs
from grader.sandbox.choose import local_sandbox


def main() -> None:
    """Measure the mutants of one lab."""
    lab = sys.argv[1]
    spec, files = load_lab(lab)
    inputs = all_inputs(spec)
    # Mutants are our own programs, so they need no container. Tests compare the traits of both sandboxes.
    sandbox = local_sandbox()
    try:
        reference = obtain_reference(spec, files, sandbox, inputs, Cache(), print)
        mutants = read_mutants(spec, files.mutants, files.solution)
        traits = MutantRunner(Lab(spec, inputs, reference), sandbox).traits(mutants)
    finally:
        sandbox.close()
    found = Signatures(key=signatures_key(spec, mutants), traits=traits)
    write_atomic(files.signatures, signatures_json(found))


if __name__ == "__main__":
    main()
