"""The sources of programs that failed are searched once, perhaps before anybody asks for what they have."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from grader.errors import GraderError
from grader.explain import source_search
from grader.explain.source_patterns import FoundInSource, Question
from grader.explain.source_search import SourceSearch
from grader.lab.load import read_spec
from grader.model.evidence import Evidence
from grader.model.lab import Lab
from grader.model.reference import Reference
from grader.model.report import BuildResult, Report
from grader.model.submission import Source, Submission
from grader.resources import resource

from .render import factory

BUILDS = tuple(BuildResult(program=program, ok=True, command="gcc", messages="") for program in ("tr2b", "tr2u"))


@pytest.fixture
def search() -> SourceSearch:
    spec = read_spec(resource("specs", "tr2.yaml"))
    nothing = Evidence(toolchain=None, builds={}, runs={}, left_out={})
    lab = Lab(spec, {}, Reference(evidence=nothing, outputs={}))
    return SourceSearch(lab, Submission("x", {program: Source(b"int main;") for program in spec.programs}))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many sources each search was about."""
    counts: list[int] = []

    def found(questions: Sequence[Question]) -> list[FoundInSource]:
        counts.append(len(questions))
        return [FoundInSource(({}, {"reads": ()}), None) for _ in questions]

    monkeypatch.setattr(source_search, "search_sources", found)
    return counts


def report(*failed: str) -> Report:
    return factory.report(checks=tuple(factory.check(check, "failed") for check in failed), builds=BUILDS)


def test_what_was_fetched_before_is_not_searched_again(search: SourceSearch, asked: list[int]) -> None:
    both = report("tr2b.text", "tr2u.text")
    search.prefetch(both)
    search.prefetch(both)
    assert search.lines(both, "tr2b") == {"reads": ()}
    assert search.changes(both, "tr2u") is None
    assert asked == [2]


def test_what_was_not_searched_is_known_of_copies_too(search: SourceSearch, monkeypatch: pytest.MonkeyPatch) -> None:
    found = FoundInSource((), None, given_up="too large", fault="KeyError")
    monkeypatch.setattr(source_search, "search_sources", lambda _: [found])
    assert search.changes_of_copy("tr2b", b"") is None
    assert (search.given_up, search.faults) == ({"tr2b": "too large"}, {"tr2b": "KeyError"})


def test_nothing_is_searched_if_nothing_failed(search: SourceSearch, asked: list[int]) -> None:
    search.prefetch(factory.report(checks=(factory.check("tr2b.text"),), builds=BUILDS))
    assert asked == []


def test_who_asks_later_gets_the_error_again(search: SourceSearch, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: Sequence[Question]) -> list[FoundInSource]:
        raise GraderError("no process can be started")

    monkeypatch.setattr(source_search, "search_sources", fails)
    failed = report("tr2b.text")
    with pytest.raises(GraderError, match="no process"):
        search.prefetch(failed)
    with pytest.raises(GraderError, match="no process"):
        search.lines(failed, "tr2b")
