"""Files, fixtures and variables of a case: from the spec to the plan, and back to the student's shell."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from grader.batch.result_key import run_record
from grader.cli.exit_status import FAILED, OK
from grader.cli.main import status_of
from grader.errors import SpecError, UsageError
from grader.gradescope.bundle.carried import carried_lab
from grader.grading.known_bugs import signatures_key
from grader.grading.plan_builder import build_plan
from grader.guest.launch import tool
from grader.judge.difference import difference
from grader.judge.repeat import repeat_calls, repeat_case
from grader.lab.find import find_lab, load_lab
from grader.lab.fixtures import read_fixtures
from grader.lab.load import read_spec
from grader.lab.publish import spec_yaml, student_copy
from grader.model.evidence import Exited
from grader.model.plan import RunFile
from grader.model.report import CaseResult, Difference
from grader.model.spec.lab import Spec, all_inputs
from grader.model.submission import Source, Submission
from tests.copying_lab import LAB, SOURCE

from .sandboxes import FakeSandbox

GCC, BASH = tool("gcc"), tool("bash")
FIXTURE = b"key = value\n"


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    folder = tmp_path / "labs" / "copying"
    (folder / "reference").mkdir(parents=True)
    (folder / "fixtures" / "etc").mkdir(parents=True)
    (folder / "lab.yaml").write_text(LAB, encoding="utf-8")
    (folder / "reference" / "fcopy.c").write_text(SOURCE, encoding="utf-8")
    (folder / "fixtures" / "etc" / "settings.cfg").write_bytes(FIXTURE)
    return folder


def changed(lab: Path, old: str, new: str) -> SpecError:
    assert LAB.count(old) == 1
    (lab / "lab.yaml").write_text(LAB.replace(old, new), encoding="utf-8")
    with pytest.raises(SpecError) as caught:
        read_spec(lab / "lab.yaml")
    return caught.value


def test_standard_input_is_empty_if_a_case_names_none(lab: Path) -> None:
    spec = read_spec(lab / "lab.yaml")
    assert spec.cases["usage"].input == "empty"
    assert all_inputs(spec)["empty"] == b""


@pytest.mark.parametrize(
    ("old", "new", "key_path", "words"),
    [
        ("{input: lines}", "{input: line}", "cases.copy.files.src.input", "did you mean 'lines'"),
        ("{file: src}", "{file: sr}", "cases.copy.operands.0.file", "did you mean 'src'"),
        ("{file: src}", "{fil: src}", "cases.copy.operands.0", "expected text"),
        ("etc/settings.cfg", "../lab.yaml", "fixture", "a path below the folder fixtures"),
        ("etc/settings.cfg", "/etc/passwd", "fixture", "a path below the folder fixtures"),
        (
            "log: {input",
            "fcopy: {input",
            "cases.settings.files.fcopy",
            "'fcopy' is the name of a program or a source",
        ),
        ("{input: lines}", "{}", "cases.copy.files.src", "needs input, fixture or expect"),
        ("{input: lines}", "{input: lines, fixture: a}", "cases.copy.files.src", "and has both"),
        (
            "{input: lines}",
            "{executable: true, expect: reference-output}",
            "cases.copy.files.src",
            "cannot be executable",
        ),
        ("PREFIX:", "LD_PRELOAD:", "cases.settings.environment.LD_PRELOAD", "dynamic loader"),
        ("max: 60", "max: -1", "cases.copy.expect.stdout.number.min", "is more than max"),
        ("stderr: empty", "stder: empty", "cases.copy.expect.stder", "did you mean 'stderr'"),
        ("stderr: empty", "stderr: emty", "cases.copy.expect.stderr", "did you mean 'empty'"),
        ("{contains: usage}", "{contain: usage}", "cases.usage.expect.stderr.contain", "did you mean 'contains'"),
        ("{contains: usage}", "{}", "cases.usage.expect.stderr", "needs exactly one of"),
    ],
)
def test_a_mistake_is_named_with_its_line(lab: Path, old: str, new: str, key_path: str, words: str) -> None:
    error = changed(lab, old, new)
    line = next(number for number, text in enumerate(LAB.splitlines(), 1) if old in text)
    found = next(one for one in (error, *error.others) if key_path in one.key_path)
    assert found.line == line
    assert words in found.message


def test_the_plan_names_the_files(lab: Path) -> None:
    spec = read_spec(lab / "lab.yaml")
    plan = build_plan(spec, Submission(name="a", sources={"fcopy": Source(SOURCE.encode())}))
    steps = {step.case: step for step in plan.runs}
    assert steps["copy"].operands == (b"src", b"dst")
    assert steps["copy"].files == (
        RunFile(name="src", content="lines", read_back=False),
        RunFile(name="dst", content=None, read_back=True),
    )
    assert steps["settings"].files[0].content == "fixtures/etc/settings.cfg"
    assert steps["settings"].environment == {"PREFIX": "a b"}


def test_a_fixture_is_an_input_like_others(lab: Path) -> None:
    spec, files = load_lab(str(lab))
    fixtures = read_fixtures(spec, files)
    assert fixtures == {"etc/settings.cfg": FIXTURE}
    assert all_inputs(spec, fixtures)["fixtures/etc/settings.cfg"] == FIXTURE


def test_a_fixture_is_a_file_of_the_lab(lab: Path) -> None:
    spec, files = load_lab(str(lab))
    fixture = lab / "fixtures" / "etc" / "settings.cfg"
    fixture.unlink()
    with pytest.raises(UsageError, match=r"there is no .*settings\.cfg"):
        read_fixtures(spec, files)
    fixture.symlink_to("/etc/passwd")
    with pytest.raises(UsageError, match="is a link"):
        read_fixtures(spec, files)
    fixture.unlink()
    fixture.mkdir()
    with pytest.raises(UsageError, match="is not a file"):
        read_fixtures(spec, files)
    fixture.rmdir()
    fixture.parent.rmdir()
    fixture.parent.symlink_to("/etc")
    with pytest.raises(UsageError):
        read_fixtures(spec, files)


def test_another_fixture_is_another_lab_for_results_and_known_bugs(lab: Path) -> None:
    spec, files = load_lab(str(lab))
    sandbox = FakeSandbox(lambda _job: [])
    before = (
        run_record(spec, files, sandbox, "slice").run,
        signatures_key(spec, (), fixtures=read_fixtures(spec, files)),
    )
    (lab / "fixtures" / "etc" / "settings.cfg").write_bytes(b"other")
    after = (
        run_record(spec, files, sandbox, "slice").run,
        signatures_key(spec, (), fixtures=read_fixtures(spec, files)),
    )
    assert before[0] != after[0]
    assert before[1] != after[1]


def test_the_autograder_carries_fixtures(lab: Path) -> None:
    (lab / "fixtures" / "no-suffix").write_bytes(b"1")
    (lab / "fixtures" / ".hidden").write_bytes(b"2")
    carried = carried_lab(find_lab(str(lab)))
    assert {name for name in carried if name.startswith("fixtures")} == {
        "fixtures/etc/settings.cfg",
        "fixtures/no-suffix",
    }


def test_the_students_copy_keeps_what_visible_cases_need(lab: Path, tmp_path: Path) -> None:
    text = LAB.replace("points: {fcopy: 1}, cases: [usage]", "points: {fcopy: 1}, visibility: hidden, cases: [usage]")
    (lab / "lab.yaml").write_text(text, encoding="utf-8")
    copy = student_copy(read_spec(lab / "lab.yaml"))
    path = tmp_path / "copy.yaml"
    path.write_bytes(spec_yaml(copy))
    assert read_spec(path) == copy
    assert set(copy.cases) == {"copy", "settings"}
    assert set(copy.inputs) == {"lines", "empty"}


def test_a_visible_case_must_not_show_a_hidden_file(lab: Path) -> None:
    error = changed(lab, "  lines: {kind: literal,", "  lines: {hidden: true, kind: literal,")
    assert error.key_path == "cases.copy.files.src.input"
    assert "write hidden: true for the case" in error.message


def result(spec: Spec, name: str, where: Difference | None = None, differs_in: str = "") -> CaseResult:
    case = spec.cases[name]
    return CaseResult(
        case=name,
        operands=case.arguments,
        input=case.input,
        input_size_bytes=0,
        sink=case.sink,
        passed=False,
        problem="wrong",
        ending=Exited(kind="exited", code=0),
        stderr=b"",
        difference=where,
        differs_in=differs_in,
    )


def test_the_lines_that_repeat_a_case_make_its_files(lab: Path) -> None:
    spec = read_spec(lab / "lab.yaml")
    where = difference(b"a", b"b", b"")
    assert repeat_case(spec, "fcopy", result(spec, "copy", where, "dst")) == (
        "printf 'one\\ntwo\\n' >src\nrm -f dst\n./fcopy src dst </dev/null >/dev/null; od -c <dst"
    )
    assert repeat_case(spec, "fcopy", result(spec, "settings")) == (
        "grader input --lab copying fixtures/etc/settings.cfg >settings.cfg\n"
        "printf 'one\\ntwo\\n' >log\n"
        "PREFIX='a b' ./fcopy settings.cfg log </dev/null; echo \"exit status $?\"; ls -ld log"
    )
    assert repeat_case(spec, "fcopy", result(spec, "usage", where, "standard error")) == (
        "./fcopy </dev/null 2>&1 >/dev/null | od -c"
    )
    assert "PREFIX='a b' timeout" in repeat_calls(spec, "fcopy", "settings")


def test_pasting_them_works(lab: Path, tmp_path: Path, command_line: list[str]) -> None:
    folder = tmp_path / "student"
    folder.mkdir()
    subprocess.run(
        [GCC, "-x", "c", "-", "-o", folder / "fcopy"], input=SOURCE.encode(), check=True, timeout=60, cwd=folder
    )
    spec = read_spec(lab / "lab.yaml")
    lines = repeat_case(spec, "fcopy", result(spec, "settings", difference(b"a", b"b", b""), "log"))
    script = f'grader() {{ {shlex.join(command_line)} "$@"; }}\n{lines}'
    environment = {**os.environ, "GRADER_LABS": str(lab.parent)}
    for _ in range(2):
        done = subprocess.run(
            [BASH, "-c", script], capture_output=True, check=True, timeout=60, cwd=folder, env=environment
        )
    assert (folder / "log").read_bytes() == b"one\ntwo\na bkey = value\n"
    assert b"o   n   e" in done.stdout


def graded(
    lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], source: str
) -> tuple[int, str]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "work"
    folder.mkdir(exist_ok=True)
    (folder / "fcopy.c").write_text(source, encoding="utf-8")
    status = status_of(["check", str(folder), "--lab", str(lab), "--sandbox", "local"])
    return status, " ".join(capsys.readouterr().out.split())


@pytest.mark.slow
@pytest.mark.long
def test_a_lab_with_files_is_graded(
    lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, said = graded(lab, tmp_path, monkeypatch, capsys, SOURCE)
    assert (status, "6 of 6" in said) == (OK, True)
    wrong = SOURCE.replace("putc(c, to)", "putc(c == 'w' ? 'W' : c, to)").replace("0.5", "61")
    status, said = graded(lab, tmp_path, monkeypatch, capsys, wrong)
    assert (status, "2 of 6" in said) == (FAILED, True)
    assert "standard output says 61 seconds; at most 60 was expected" in said
    assert "the file dst: identical up to byte 5; the length is right, 1 byte of 8 is wrong" in said
    link = SOURCE.replace("#include <stdio.h>", "#include <stdio.h>\n#include <unistd.h>").replace(
        "    printf(", '    remove(argv[2]);\n    symlink("/etc/shadow", argv[2]);\n    printf('
    )
    status, said = graded(lab, tmp_path, monkeypatch, capsys, link)
    assert status == FAILED
    assert "the file dst is a link, not a file of its own" in said


@pytest.mark.long
def test_the_reference_is_held_to_what_is_stated(
    lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reference = SOURCE.replace("0.5 seconds", "90 seconds")
    (lab / "reference" / "fcopy.c").write_text(reference, encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "fcopy.c").write_text(SOURCE, encoding="utf-8")
    assert status_of(["check", str(tmp_path), "--lab", str(lab), "--sandbox", "local"]) not in (OK, FAILED)
    said = " ".join(capsys.readouterr().err.split())
    assert "the reference's fcopy fails the case copy of the spec: standard output says 90 seconds" in said
