"""Write reference/LAB/signatures.json: what the lab's mutants look like, measured here (`make signatures`)."""

from __future__ import annotations

import sys

from grader.atomic_write import write_atomic
from grader.cache.entries import Cache
from grader.cli.common import load_lab
from grader.grading.known_bugs import SHIPPED, signatures_json, signatures_key
from grader.grading.mutant_runner import MutantRunner
from grader.grading.reference_run import obtain_reference
from grader.lab.mutants import read_mutants
from grader.model.signature import Signatures
from grader.model.spec.lab import all_inputs
from grader.resources import resource
from grader.sandbox.choose import local_sandbox


def main() -> None:
    """Measure the mutants of one lab."""
    lab = sys.argv[1]
    spec = load_lab(lab)
    inputs = all_inputs(spec)
    # Mutants are our own programs, so no container is needed; tests hold both sandboxes to the same traits.
    sandbox = local_sandbox()
    try:
        reference = obtain_reference(spec, sandbox, inputs, Cache(), print)
        mutants = read_mutants(spec)
        traits = MutantRunner(spec, sandbox, reference, inputs).traits(mutants)
    finally:
        sandbox.close()
    found = Signatures(key=signatures_key(spec, mutants), traits=traits)
    write_atomic(resource("reference") / spec.lab / SHIPPED, signatures_json(found))


if __name__ == "__main__":
    main()
