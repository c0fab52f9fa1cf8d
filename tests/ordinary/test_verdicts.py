"""An ordinary user's verdicts are those of every other sandbox: for reference, template, examples, some mutants."""

from __future__ import annotations

import json
import platform
import shutil
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from grader.model.spec.lab import Spec
from grader.resources import resource
from tests.corpus.test_examples import CAUSES, EXAMPLES, FAILS, SKIPS_ALL_OTHERS_OF, signed_char
from tests.corpus.test_mutants import MUTANTS, NEEDS_SIGNED_CHAR, SOLUTION
from tests.sample import SAMPLE

from .person import new_person

pytestmark = pytest.mark.slow

WORTH_NOTHING = {"silent", "timing"}
"""Checks that the template may pass: it refuses everything."""

ONLY_SIGNED = {*NEEDS_SIGNED_CHAR, "stops-at-0xff"}


def of_one(program: str) -> list[str]:
    """Return the mutants whose bug only this program can have, and which are the same on every machine."""
    return [name for name in SAMPLE if {*MUTANTS[name].sources} == {program} and name not in ONLY_SIGNED]


# Bugs that only one of the programs can have are handed in with one of the other: half as many to grade.
PAIRS = [tuple(filter(None, pair)) for pair in zip_longest(of_one("tr2b"), of_one("tr2u"))]
ALONE = [(name,) for name in SAMPLE if name not in {name for pair in PAIRS for name in pair}]
WITH_BUGS: Mapping[str, tuple[str, ...]] = {f"mutant-{'+'.join(names)}": names for names in [*ALONE, *PAIRS]}
NAMES = ["reference", *FAILS, *WITH_BUGS]


def write_submissions(folder: Path, spec: Spec) -> None:
    shutil.copytree(SOLUTION, folder / "reference")
    shutil.copytree(resource("student_template", "tr2"), folder / "template")
    for example in FAILS:
        shutil.copytree(EXAMPLES / example, folder / example)
    for name, mutants in WITH_BUGS.items():
        shutil.copytree(SOLUTION, folder / name)
        for mutant in mutants:
            for program, data in MUTANTS[mutant].sources.items():
                (folder / name / spec.programs[program].main_source).write_bytes(data)


def expected(name: str, spec: Spec) -> dict[str, str]:
    """Return the status of each check, as the tables have it that hold for containers and for a uid of its own."""
    checks = [f"{program}.{item.name}" for item in spec.rubric for program in item.points]
    failed = set(FAILS.get(name, ()))
    for mutant in WITH_BUGS.get(name, ()):
        failed |= {f"{program}.{check}" for program, fails in MUTANTS[mutant].fails.items() for check in fails}
    unbuilt = SKIPS_ALL_OTHERS_OF.get(name)
    others = "skipped" if unbuilt else "passed"
    return {
        check: "failed" if check in failed else others if check.startswith(f"{unbuilt}.") else "passed"
        for check in checks
    }


def expected_causes(name: str) -> dict[str, str]:
    """Return the cause of each check that has one."""
    if name in CAUSES:
        return dict.fromkeys(FAILS[name], CAUSES[name])
    return {
        f"{program}.{check}": mutant
        for mutant in WITH_BUGS.get(name, ())
        for program, fails in MUTANTS[mutant].fails.items()
        for check in fails
    }


@pytest.fixture(scope="module")
def verdicts(python_of_others: Sequence[str], whole_brisk: Spec) -> Iterator[Mapping[str, Any]]:
    with new_person(python_of_others) as person:
        write_submissions(person.folder / "submissions", whole_brisk)
        (person.folder / "lab.yaml").write_text(whole_brisk.model_dump_json(by_alias=True), encoding="utf-8")
        done = person.run("-m", "tests.ordinary.verdicts", person.folder / "lab.yaml", person.folder / "submissions")
        assert done.returncode == 0, done.stderr
        person.assert_nothing_is_left()
        found: Mapping[str, Any] = json.loads(done.stdout)
        yield found


def test_every_submission_has_a_verdict(verdicts: Mapping[str, Any]) -> None:
    assert sorted(mutant for mutants in WITH_BUGS.values() for mutant in mutants) == sorted(SAMPLE)
    assert set(verdicts) == {*NAMES, "template"}
    assert {verdict["isolation"] for verdict in verdicts.values()} == {"none"}


@pytest.mark.parametrize("name", NAMES)
def test_the_verdicts_are_those_of_every_other_sandbox(
    name: str, verdicts: Mapping[str, Any], whole_brisk: Spec
) -> None:
    if ONLY_SIGNED.intersection(WITH_BUGS.get(name, (name,))) and not signed_char():
        pytest.skip(f"char is unsigned on {platform.machine()}, where this is another bug or none")
    verdict = verdicts[name]
    statuses = {check: status for check, (status, _) in verdict["checks"].items()}
    wanted = expected(name, whole_brisk)
    # A program that does not end on full-size input has no time figures.
    untimed = {check for check, status in statuses.items() if check.endswith(".timing") and status == "skipped"}
    assert statuses == {**wanted, **dict.fromkeys(untimed, "skipped")}, verdict["reason"]
    assert not untimed or name in WITH_BUGS or name in SKIPS_ALL_OTHERS_OF
    points = {
        f"{program}.{item.name}": value for item in whole_brisk.rubric for program, value in item.points.items()
    }
    assert verdict["score"] == sum(value for check, value in points.items() if wanted[check] == "passed")
    causes = {check: cause for check, (_, cause) in verdict["checks"].items() if cause}
    assert causes == expected_causes(name)


def test_the_student_template_has_the_points_for_building(verdicts: Mapping[str, Any], whole_brisk: Spec) -> None:
    builds = {f"{program}.build" for program in whole_brisk.programs}
    free = {f"{program}.{check}" for program in whole_brisk.programs for check in WORTH_NOTHING}
    passed = {check for check, (status, _) in verdicts["template"]["checks"].items() if status == "passed"}
    assert passed - free == builds
