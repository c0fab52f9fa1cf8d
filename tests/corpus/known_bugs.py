"""The known bugs of tr2 as they come with the grader, for labs that differ from it in the size of inputs alone."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

from grader.cache.entries import Cache, store_cached
from grader.grading.known_bugs import SHIPPED, LazyKnownBugs, shipped, signatures_json, signatures_key
from grader.lab.find import find_lab
from grader.lab.load import read_spec
from grader.lab.mutants import read_mutants
from grader.model.mutant import KnownBugs
from grader.model.signature import Signatures
from grader.model.spec.lab import Spec
from grader.resources import resource


class Shipped(LazyKnownBugs):
    """The signatures that come with the grader: they hold whatever the size of the full-size inputs."""

    def __init__(self) -> None:
        """Look nothing up."""

    def get(self) -> KnownBugs:
        return _known()


@cache
def _known() -> KnownBugs:
    spec = read_spec(resource("specs", "tr2.yaml"))
    mutants = read_mutants(spec, find_lab("tr2").mutants)
    signatures = shipped(find_lab("tr2").signatures, signatures_key(spec, mutants))
    assert signatures is not None, "the spec or a mutant has changed: run make signatures"
    return KnownBugs(mutants, signatures)


def store_shipped(spec: Spec, cache: Cache) -> None:
    """Have a lab's known bugs found in the cache; measuring them takes minutes."""
    known = _known()
    files = {SHIPPED: signatures_json(known.signatures)}
    store_cached(cache, signatures_key(spec, known.mutants), "the known bugs", files, print)


def write_lab(spec: Spec, folder: Path) -> Path:
    """Write a lab with the reference, the mutants and the known bugs of tr2, and return the path of its spec.

    An image for Gradescope that is built from this lab does not measure the known bugs, which takes minutes.
    """
    ours, known = find_lab("tr2"), _known()
    shutil.copytree(ours.solution, folder / "reference")
    shutil.copytree(ours.mutants, folder / "mutants")
    path = folder / "lab.yaml"
    path.write_text(spec.model_dump_json(by_alias=True), encoding="utf-8")
    signatures = Signatures(key=signatures_key(read_spec(path), known.mutants), traits=known.signatures.traits)
    (folder / "signatures.json").write_bytes(signatures_json(signatures))
    return path
