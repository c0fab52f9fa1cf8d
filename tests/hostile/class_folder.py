"""A class of hostile submissions and honest ones: how it is made, and what each submission must get."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from grader.model.report import Report
from grader.model.spec.lab import Spec

from .handed_in import IN_CLASS, RIGHT
from .programs import HOSTILE, PASSES, Expected

HONEST = ("a-honest", "intake-honest", "tr2b-honest", "tr2u-honest", "z-honest")
OF_PROGRAMS: Mapping[str, Expected] = {
    **dict.fromkeys(HONEST, PASSES),
    **{one.name: one.expected for one in HOSTILE},
}
EXPECTED: Mapping[str, Expected] = {**OF_PROGRAMS, **{one.graded_as: one.expected for one in IN_CLASS}}


def write_programs(folder: Path, canary: Path) -> None:
    """Write the hostile programs, and honest ones before, between and after them."""
    for name in HONEST:
        write(folder / name, RIGHT)
    for one in HOSTILE:
        write(folder / one.name, one.sources(canary))


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
