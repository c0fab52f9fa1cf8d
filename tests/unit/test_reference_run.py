from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.cache.entries import Cache
from grader.errors import GraderError
from grader.grading import reference_run
from grader.lab.find import LabFiles
from grader.model.evidence import Evidence
from grader.model.reference import Reference
from grader.model.spec.lab import Spec

from .facts import CRASH, FAILURE, REFERENCE, build, captured, evidence, limit, run
from .lab import INPUTS, PROGRAMS, SPEC
from .sandboxes import FakeSandbox, events_of, unfetched

Obtain = Callable[..., Reference]


class FakeReference:
    """A reference with its own solution, in a sandbox that runs nothing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said: list[str] = []
        self.place = self.showing(evidence())

    def showing(self, seen: Evidence) -> FakeSandbox:
        kept = ("many.random", "single.pattern")
        self.place = FakeSandbox(
            lambda _job: events_of(unfetched(seen, *kept)), {s: INPUTS[s[s.index(".") + 1 :]] for s in kept}
        )
        return self.place

    def obtain(self, cache: Cache | None = None, spec: Spec = SPEC) -> Reference:
        files = LabFiles("copy", *[self.folder] * 8)  # type: ignore[arg-type] # mypy does not count them
        return reference_run.obtain_reference(spec, files, self.place, INPUTS, cache, self.said.append)


@pytest.fixture
def model(tmp_path: Path) -> FakeReference:
    solution = tmp_path / "solution"
    solution.mkdir()
    for program in PROGRAMS:
        (solution / f"{program}.c").write_bytes(b"int main;")
    return FakeReference(solution)


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def test_the_first_time_it_is_measured_with_every_output(model: FakeReference) -> None:
    reference = model.obtain()
    assert set(reference.outputs) == {done.stdout.sha256 for done in evidence().runs.values()}
    for case in ("random", "pattern", "copy"):
        for program in PROGRAMS:
            run = reference.run(program, case)
            assert run is not None
            assert reference.output(run) == INPUTS[SPEC.cases[case].input]
    assert model.said == ["running the reference"]


def test_the_second_time_it_is_known(model: FakeReference, cache: Cache) -> None:
    first, second = model.obtain(cache), model.obtain(cache)
    assert len(model.place.jobs) == 1
    assert second.outputs == first.outputs
    assert second.evidence == first.evidence
    assert len(model.said) == 1
    assert model.place.at_work == 0


def test_another_place_spec_or_solution_is_measured_anew(model: FakeReference, cache: Cache) -> None:
    model.obtain(cache)
    model.place.runner = "another kernel"
    model.obtain(cache)
    model.obtain(cache, SPEC.model_copy(update={"title": "Another"}))
    (model.folder / "many.c").write_bytes(b"int main(void);")
    model.obtain(cache)
    assert len(model.place.jobs) == 4
    model.obtain(cache)
    assert len(model.place.jobs) == 4


def test_a_damaged_cache_is_measured_again_and_that_is_said(
    model: FakeReference, cache: Cache, tmp_path: Path
) -> None:
    model.obtain(cache)
    for path in (tmp_path / "cache").rglob("evidence.json"):
        path.write_bytes(b"{}")
    model.obtain(cache)
    assert len(model.place.jobs) == 2
    assert any("damaged and will be measured again" in said for said in model.said)
    model.obtain(cache)
    assert len(model.place.jobs) == 2


def test_what_another_version_kept_under_the_same_key_is_damage_too(model: FakeReference, tmp_path: Path) -> None:
    class Lying(Cache):
        def get(self, key: str) -> dict[str, bytes] | None:
            return {"evidence.json": b'{"old": true}'} if super().get(key) else None

    for _ in range(2):
        model.obtain(Lying(tmp_path / "cache"))
    assert len(model.place.jobs) == 2
    assert any("damaged" in said for said in model.said)


def test_a_cache_that_cannot_be_written_is_said_and_harms_nothing(model: FakeReference, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert model.obtain(Cache(tmp_path / "file")).evidence.builds
    assert any("cannot be kept" in said for said in model.said)


@pytest.mark.parametrize(
    ("seen", "says"),
    [
        (
            evidence(builds={"many": build("many", FAILURE, "many.c:1: error: no")}),
            "many does not compile here:\nmany.c:1",
        ),
        (
            evidence({"single.copy": run("single.copy", INPUTS["text"], ending=CRASH)}),
            "single fails the case copy of the spec: it crashed",
        ),
        (
            evidence({"single.copy": run("single.copy", INPUTS["text"], ending=FAILURE)}),
            "copy of the spec: its exit status is 1",
        ),
        (evidence(left_out={"many.copy": "submission-time"}), "many fails the case copy of the spec: it was not run"),
        (evidence({"many.copy": run("many.copy", b"other")}), "programs differ in what they write in the case copy"),
        (
            evidence({"many.refuse": run("many.refuse", stderr=captured(b"no"))}),
            "many fails the case refuse of the spec: the exit status is 0",
        ),
        (evidence({"many.open": run("many.open", ending=CRASH)}), "many fails the case open"),
        (
            evidence({"single.copy": run("single.copy", INPUTS["text"], ending=limit("output"))}),
            "bytes (limits.small.output_bytes); `limits: full` on the case allows more",
        ),
        (evidence({"many.copy": run("many.copy", b"other")}), "write expect: {stdout: reference-output}"),
    ],
)
def test_a_reference_that_cannot_do_it_itself_is_not_believed(
    model: FakeReference, cache: Cache, seen: Evidence, says: str
) -> None:
    model.showing(seen)
    with pytest.raises(GraderError) as caught:
        model.obtain(cache)
    assert says in str(caught.value)
    model.showing(evidence())
    model.obtain(cache)
    assert len(model.place.jobs) == 1, "what failed is not kept"


def test_where_a_program_left_a_case_out_another_one_stands_in() -> None:
    other, own = REFERENCE.run("single", "screen-full"), REFERENCE.run("single", "slice")
    assert other is not None
    assert other.step == "many.screen-full.strace"
    assert own is not None
    assert own.step == "single.slice"
    assert REFERENCE.run("many", "nothing") is None


def test_an_output_that_was_not_kept_whole_is_never_compared_with(model: FakeReference) -> None:
    model.place = FakeSandbox(
        lambda _job: events_of(unfetched(evidence(), "many.random", "single.pattern")),
        {"many.random": INPUTS["random"][:-1], "single.pattern": INPUTS["pattern"]},
    )
    with pytest.raises(GraderError, match=r"the reference's output in many\.random") as error:
        model.obtain()
    assert f"only {len(INPUTS['random']) - 1:,} could be kept" in str(error.value)
