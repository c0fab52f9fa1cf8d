"""The class in the grader's own containers: every submission gets what it must, and nothing else happens."""

from __future__ import annotations

import csv
import io
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from grader.cli.exit_status import OK
from grader.cli.main import status_of
from grader.model.report import Report
from grader.model.spec.lab import Spec
from grader.sandbox.docker import DockerSandbox
from grader.sandbox.engine import connect
from tests.contract.containers import Traces, note_created

from .class_folder import EXPECTED, assert_result, write_canary, write_programs
from .handed_in import IN_CLASS

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(2400)]  # the first test grades the class

MARKS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ufeff]")


def seen(folder: Path) -> list[object]:
    """What a canary is like."""
    found: list[object] = []
    for path in sorted([folder, *folder.rglob("*")]):
        about = path.lstat()
        found.append((path.name, about.st_mode, about.st_uid, about.st_mtime_ns, about.st_nlink))
        found.append(path.read_bytes() if path.is_file() else None)
    return found


def ipc_objects() -> list[str]:
    """What System V IPC there is on this machine."""
    return [Path("/proc/sysvipc", kind).read_text() for kind in ("shm", "sem", "msg")]


@dataclass
class GradedClass:
    """Reports by name, and what was found wrong around them."""

    status: int
    reports: Mapping[str, Report]
    out: Path
    wrong: list[str] = field(default_factory=list)


def reports_in(out: Path) -> dict[str, Report]:
    return {path.parent.name: Report.model_validate_json(path.read_bytes()) for path in out.glob("*/report.json")}


@pytest.fixture(scope="module")
def in_docker(
    lab_file: Path, docker_sandbox: DockerSandbox, cache_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> GradedClass:
    assert docker_sandbox.image_digest
    folder = tmp_path_factory.mktemp("docker")
    with tempfile.TemporaryDirectory(prefix="iolab-canary-") as name:
        Path(name).chmod(0o711)
        canary = write_canary(Path(name) / "canary")
        write_programs(folder / "in", canary)
        for odd in IN_CLASS:
            odd.make(folder / "in" / odd.name)
        before, ipc_before = seen(canary), ipc_objects()
        client = connect()
        traces = Traces(client)
        with pytest.MonkeyPatch.context() as patch:
            note_created(traces, patch)
            patch.setenv("XDG_CACHE_HOME", str(cache_home))
            status = status_of(
                ["grade", str(folder / "in"), "--lab", str(lab_file), "--out", str(folder / "out"),
                 "--sandbox", "docker"]
            )  # fmt: skip
        graded = GradedClass(status, reports_in(folder / "out"), folder / "out")
        if seen(canary) != before:
            graded.wrong.append("the canary has changed")
        if ipc_objects() != ipc_before:
            graded.wrong.append("System V objects are left")
        try:
            traces.assert_gone()
        except AssertionError as error:
            graded.wrong.append(f"containers are left: {error}")
        client.close()
    return graded


@pytest.mark.parametrize("name", EXPECTED)
def test_in_docker(in_docker: GradedClass, lab: Spec, name: str) -> None:
    assert_result(in_docker.reports[name], EXPECTED[name], lab)


def test_docker_leaves_everything_as_it_was(in_docker: GradedClass) -> None:
    assert in_docker.status == OK
    assert in_docker.wrong == []
    assert set(in_docker.reports) == set(EXPECTED)


def test_what_people_open_is_inert(in_docker: GradedClass) -> None:
    for path in [*in_docker.out.glob("*.csv"), *in_docker.out.glob("*.html"), *in_docker.out.glob("*/report.html")]:
        text = path.read_text(encoding="utf-8")
        assert not MARKS.findall(text), path
        assert path.suffix == ".csv" or "<script>alert" not in text, path
    for path in in_docker.out.glob("*.csv"):
        for row in csv.reader(io.StringIO(path.read_text(encoding="utf-8"))):
            assert not [cell for cell in row if cell.lstrip()[:1] in {*"=+-@"}], path
