"""A class of hostile submissions and honest ones: how it is made, and what each submission must get."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from grader.cli.main import status_of
from grader.model.report import Report
from grader.model.spec.lab import Spec

from .programs import Expected, HostileSubmission, Place, together, tried_in

HONEST = HostileSubmission()

CLASSES: Mapping[Place, Mapping[str, HostileSubmission]] = {
    place: {"a-honest": HONEST, **together(tried_in(place)), "intake-honest": HONEST, "z-honest": HONEST}
    for place in Place
}
"""The submissions of each class by name, with honest ones before, between and after the hostile ones."""

TRIALS_S = 0.5
"""Seconds of CPU time for fixed copies of a submission, a few of which must run, as they are as hostile as it is."""

MARKS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ufeff]")


@dataclass
class GradedClass:
    """Reports by name, and what was found wrong around them."""

    status: int
    reports: Mapping[str, Report]
    out: Path
    wrong: list[str] = field(default_factory=list)


def reports_in(out: Path) -> dict[str, Report]:
    return {path.parent.name: Report.model_validate_json(path.read_bytes()) for path in out.glob("*/report.json")}


def write_class(folder: Path, canary: Path, place: Place) -> None:
    for name, submission in CLASSES[place].items():
        write(folder / name, submission.sources(canary))


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    folder.mkdir(parents=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)


def write_canary(folder: Path) -> Path:
    """Write files that nobody but root may change, and one that nobody but root may read."""
    folder.mkdir(mode=0o755)
    for name, mode in (("file", 0o644), ("closed", 0o600)):
        (folder / name).write_text("canary\n")
        (folder / name).chmod(mode)
    (folder / "open").mkdir()
    (folder / "open").chmod(0o755)
    return folder


def seen(folder: Path) -> list[object]:
    """What a canary is like."""
    found: list[object] = []
    for path in sorted([folder, *folder.rglob("*")]):
        about = path.lstat()
        found.append((path.name, about.st_mode, about.st_uid, about.st_mtime_ns, about.st_nlink))
        found.append(path.read_bytes() if path.is_file() else None)
    return found


def grade_class(folder: Path, canary: Path, lab_file: Path, cache_home: Path, sandbox: str) -> GradedClass:
    """Grade what is in `folder/in` into `folder/out`, with nothing of the developer's cache."""
    before, out = seen(canary), folder / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(cache_home))
        patch.setattr("grader.explain.trials.BUDGET_S", TRIALS_S)
        status = status_of(
            ["grade", str(folder / "in"), "--lab", str(lab_file), "--out", str(out), "--sandbox", sandbox]
        )
    return GradedClass(status, reports_in(out), out, [] if seen(canary) == before else ["the canary has changed"])


def assert_inert(out: Path) -> None:
    """Hold that no table and no page of a class does anything when somebody opens it."""
    for path in [*out.glob("*.csv"), *out.glob("*.html"), *out.glob("*/report.html")]:
        text = path.read_text(encoding="utf-8")
        assert not MARKS.findall(text), path
        assert path.suffix == ".csv" or "<script>alert" not in text, path
    for path in out.glob("*.csv"):
        for row in csv.reader(io.StringIO(path.read_text(encoding="utf-8"))):
            assert not [cell for cell in row if cell.lstrip()[:1] in {*"=+-@"}], path


def assert_result(report: Report, expected: Expected, lab: Spec) -> None:
    assert report.status == "graded", report.reason
    points = {check.id: check.points for check in report.checks}
    statuses = {check.id: check.status for check in report.checks}
    assert_verdict(points, statuses, expected, lab, {check.id: check.message for check in report.checks})


def assert_verdict(
    points: Mapping[str, float], statuses: Mapping[str, str], expected: Expected, lab: Spec, why: Mapping[str, str]
) -> None:
    """Hold that exactly the expected checks fail, and that all others have all their points."""
    best = {f"{program}.{item.name}": value for item in lab.rubric for program, value in item.points.items()}
    assert set(points) == set(best)
    failed = {check for check, status in statuses.items() if status == "failed"}
    lost = expected.not_built | expected.build_alone
    own = {check for check in failed if check.split(".")[0] not in lost}
    assert own == expected.fails, {check: why[check] for check in own ^ expected.fails}
    for program in expected.not_built:
        assert f"{program}.build" in failed
    for program in expected.build_alone:
        assert points[f"{program}.build"] == best[f"{program}.build"]
    for check, value in best.items():
        program = check.split(".")[0]
        gets_nothing = check in failed or program in expected.not_built
        gets_nothing |= program in expected.build_alone and not check.endswith(".build")
        assert points[check] == (0 if gets_nothing else value), (check, statuses[check], why[check])
