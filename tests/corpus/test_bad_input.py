"""Input that is not a submission, or a bad one: the messages and the exit status of the command line."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.model.report import Report
from grader.model.spec.lab import GradescopeSettings, Spec
from grader.model.spec.programs import RunLimits
from grader.model.spec.rubric import BuildItem, CasesItem

from .test_examples import EXAMPLES

OK, USAGE, BROKEN = 0, 2, 3
GIGABYTE = 1 << 30
LIMITS = RunLimits(cpu_s=1, wall_s=2, output_bytes=100_000, memory_bytes=256_000_000)
NOWHERE = "unix:///nonexistent/docker.sock"


def tiny_lab(spec: Spec) -> Spec:
    """Return the lab with two checks, one case and short limits, so that a program that never ends does so soon."""
    rubric = tuple(
        item.model_copy(update={"cases": ("one-pair",)}) if isinstance(item, CasesItem) else item
        for item in spec.rubric
        if isinstance(item, BuildItem) or item.name == "text"
    )
    changes = {
        "rubric": rubric,
        "cases": {"one-pair": spec.cases["one-pair"]},
        "limits": spec.limits.model_copy(update={"small": LIMITS}),
        "gradescope": GradescopeSettings(),
        "comparisons": (),
        "plots": (),
    }
    return spec.model_copy(update=changes)


@pytest.fixture(scope="module")
def tiny(spec: Spec, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tiny") / "tiny.yaml"
    path.write_text(tiny_lab(spec).model_dump_json(by_alias=True), encoding="utf-8")
    return path


def link(path: Path) -> None:
    path.symlink_to(EXAMPLES / "right" / "tr2u.c")


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(GIGABYTE)


def leave_out(path: Path) -> None:
    assert not path.exists()


SPOILT: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (leave_out, "tr2u.c is missing"),
    "link": (link, "tr2u.c is a symbolic link"),
    "fifo": (os.mkfifo, "tr2u.c is a named pipe, not a regular file"),
    "folder": (Path.mkdir, "tr2u.c is a folder, not a regular file"),
    "empty": (Path.touch, "tr2u.c is empty"),
    "gigabyte": (sparse, f"tr2u.c has {GIGABYTE:,} bytes; a source may have 1,000,000"),
    "misnamed": (lambda path: path.with_name("TR2U.C").write_text("int x;"), "The folder has TR2U.C"),
}


ENDLESS = {
    "spins": ("for (;;);", "it did not end: stopped after"),
    "waits": ("for (;;) pause();", f"it did not end: stopped after {LIMITS.wall_s:g} s"),
    "floods": ("for (;;) putchar('x');", f"it wrote more than allowed: stopped after {LIMITS.output_bytes:,} bytes"),
}
NAMES = (b"sp ace", b"new\nline", b"-dash", b"bad\xff\xfebytes", "grüße".encode(), b"index.html", b"Case", b"case")


@pytest.fixture(scope="module")
def graded(
    command_line: list[str], environment: dict[str, str], tiny: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Report]:
    """Grade a folder of spoilt submissions and of badly named ones; return all reports by name."""
    base = tmp_path_factory.mktemp("bad")
    for name, (spoil, _) in SPOILT.items():
        folder = Path(shutil.copytree(EXAMPLES / "right", base / "submissions" / name))
        (folder / "tr2u.c").unlink()
        spoil(folder / "tr2u.c")
    for name, (body, _) in ENDLESS.items():
        folder = Path(shutil.copytree(EXAMPLES / "right", base / "submissions" / name))
        source = f"#include <stdio.h>\n#include <unistd.h>\nint main(void) {{ {body} }}\n"
        (folder / "tr2b.c").write_text(source, encoding="ascii")
    for raw in NAMES:
        shutil.copytree(EXAMPLES / "right", os.fsdecode(os.fsencode(base / "submissions") + b"/" + raw))
    command = [*command_line, "grade", str(base / "submissions"), "--lab", str(tiny), "--out", str(base / "out")]
    done = subprocess.run(
        [*command, "--sandbox", "local"], env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == OK, done.stderr
    assert "Traceback" not in done.stderr
    paths = (base / "out").glob("*/report.json")
    reports = {path.parent.name: Report.model_validate_json(path.read_bytes()) for path in paths}
    with (base / "out" / "grades.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(reports) == len(rows) == len(SPOILT) + len(ENDLESS) + len(NAMES)
    return reports


@pytest.mark.slow
@pytest.mark.parametrize("name", SPOILT)
def test_a_source_that_cannot_be_graded_fails_its_own_program(graded: dict[str, Report], name: str) -> None:
    checks = {check.id: check for check in graded[name].checks}
    assert SPOILT[name][1] in checks["tr2u.build"].message
    assert {name: check.status for name, check in checks.items()} == {
        "tr2b.build": "passed",
        "tr2b.text": "passed",
        "tr2u.build": "failed",
        "tr2u.text": "skipped",
    }


@pytest.mark.parametrize("name", ENDLESS)
def test_a_program_without_end_fails_its_check_and_the_other_passes(graded: dict[str, Report], name: str) -> None:
    checks = {check.id: check for check in graded[name].checks}
    assert checks["tr2b.text"].status == "failed"
    assert ENDLESS[name][1] in checks["tr2b.text"].message
    assert checks["tr2u.text"].status == "passed"


def test_a_folder_may_have_any_name(graded: dict[str, Report]) -> None:
    named = {name: report for name, report in graded.items() if name not in {*SPOILT, *ENDLESS}}
    # A name that is not safe for a folder is changed and gets a hash. One that is taken in any case gets a number.
    changed = {"new_line-58fb6729", "bad_xff_xfebytes-49495f0c", "index.html-0eb54730"}
    wanted = {"sp ace", "-dash", "grüße", "Case", "case-2"} | changed
    assert set(named) == wanted
    assert {report.submission.name for report in named.values()} == wanted
    assert {report.score for report in named.values()} == {report.max_score for report in named.values()}


def assert_refused(done: Any, status: int, *words: str) -> None:  # noqa: ANN401 - a finished process
    """Hold that the command said why, in one message and without a traceback."""
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr


def test_a_folder_that_does_not_exist(grader: Callable[..., Any], tmp_path: Path) -> None:
    done = grader("grade", tmp_path / "nobody", "--lab", "tr2", "--out", tmp_path / "out")
    assert_refused(done, USAGE, f"{tmp_path / 'nobody'} does not exist")
    assert not (tmp_path / "out").exists()


def test_a_spec_that_cannot_be_read(grader: Callable[..., Any], tmp_path: Path) -> None:
    for path, content, says in (
        (tmp_path / "none.yaml", None, "cannot be read"),
        (tmp_path / "bytes.yaml", b"\xff\xfe", "is not UTF-8 text"),
        (tmp_path, None, "cannot be read"),
    ):
        if content is not None:
            path.write_bytes(content)
        lab = path if path.suffix else path / "folder.yaml"
        if not path.suffix:
            lab.mkdir()
        done = grader("grade", EXAMPLES, "--lab", lab, "--out", tmp_path / "out")
        assert_refused(done, USAGE, str(lab), says)


def test_a_lab_that_is_not_known(grader: Callable[..., Any], tmp_path: Path) -> None:
    assert_refused(grader("grade", EXAMPLES, "--lab", "tr3", "--out", tmp_path / "out"), USAGE, "'tr3'", "tr2")


def test_an_output_folder_that_cannot_be_made(grader: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = grader("grade", EXAMPLES, "--lab", "tr2", "--out", tmp_path / "file" / "out")
    assert_refused(done, USAGE, "results cannot be written")


def test_without_an_engine_auto_asks_for_words(grader: Callable[..., Any], tmp_path: Path) -> None:
    done = grader("grade", EXAMPLES, "--lab", "tr2", "--out", tmp_path / "out", DOCKER_HOST=NOWHERE)
    assert_refused(done, USAGE, "no Docker engine answers", "--sandbox local")


def test_without_an_engine_docker_is_a_fault(grader: Callable[..., Any], tmp_path: Path) -> None:
    out = ("--out", tmp_path / "out", "--sandbox", "docker")
    done = grader("grade", EXAMPLES, "--lab", "tr2", *out, DOCKER_HOST=NOWHERE)
    assert_refused(done, BROKEN, "no Docker engine answers")
