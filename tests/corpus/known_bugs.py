"""The known bugs of tr2 as they come with the grader, for labs that differ from it in the size of inputs alone."""

from __future__ import annotations

from functools import cache

from grader.grading.known_bugs import KnownBugs, LazyKnownBugs, shipped, signatures_key
from grader.lab.find import find_lab
from grader.lab.load import read_spec
from grader.lab.mutants import read_mutants
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
