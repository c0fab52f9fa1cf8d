from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

import grader
from grader.cli import gradescope, main
from grader.cli.common import message_printer
from grader.cli.exit_status import BROKEN, INTERRUPTED, OK, USAGE
from grader.cli.main import SUMMARIES, status_of
from grader.errors import GraderError, SpecError, UsageError
from grader.lab.load import read_spec
from grader.model.spec.cases import input_bytes
from tests.waits import ENDS_S

from .lab import DOCUMENT, INPUTS

TR2 = Path(__file__).parents[2] / "specs" / "tr2.yaml"


@pytest.fixture
def submission(tmp_path: Path) -> Path:
    folder = tmp_path / "ada"
    folder.mkdir()
    (folder / "tr2b.c").write_text("int main(void) { return 0; }\n")
    return folder


@pytest.fixture
def small_lab(tmp_path: Path) -> str:
    path = tmp_path / "copy.yaml"
    path.write_text(json.dumps(DOCUMENT))  # JSON is YAML
    return str(path)


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["--help"]) == OK
    shown = capsys.readouterr().out
    for name, summary in SUMMARIES.items():
        assert any(line.split()[:1] == [name] and summary in line for line in shown.splitlines()), name


GRADESCOPE = [f"gradescope {name}" for name in gradescope.SUMMARIES]


@pytest.mark.parametrize("name", sorted([*SUMMARIES, *GRADESCOPE]))
def test_every_command_is_there_and_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of([*name.split(), "--help"]) == OK
    assert f"Usage: grader {name}" in capsys.readouterr().out


def test_no_plugin_of_another_package_is_looked_for(tmp_path: Path, small_lab: str) -> None:
    (tmp_path / "plugin.py").write_text("raise SystemExit('the plugin was loaded')\n")
    about = tmp_path / "plugin-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[pydantic]\nplugin = plugin:plugin\n")
    variables = {name: value for name, value in os.environ.items() if name != "PYDANTIC_DISABLE_PLUGINS"}
    path = os.pathsep.join([str(tmp_path), *filter(None, [variables.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-m", "grader", "spec", "validate", small_lab],
        env={**variables, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=ENDS_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (OK, "")


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["--version"]) == OK
    assert grader.__version__ in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["grdae"], ["grade"], ["--nope"], ["spec", "nope"], ["input", "x"]])
def test_a_command_line_that_makes_no_sense(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(arguments) == USAGE
    assert "Error: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "status", "says"),
    [
        (UsageError("no such lab"), USAGE, "grader: no such lab"),
        (SpecError("wrong", path=Path("lab.yaml"), line=3), USAGE, "grader: lab.yaml:3: wrong"),
        (GraderError("the engine died"), BROKEN, "grader: the engine died"),
        (OSError(28, "No space left on device"), BROKEN, "grader: [Errno 28] No space left on device"),
        (MemoryError(), BROKEN, "grader: there is not enough memory: end other programs; `ulimit -a` shows"),
        (RuntimeError("can't start new thread"), BROKEN, "grader: there is not enough memory: end other programs;"),
        (KeyboardInterrupt(), INTERRUPTED, "interrupted"),
        (click.Abort(), INTERRUPTED, "interrupted"),
    ],
)
def test_each_kind_of_error_has_its_exit_status(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    status: int,
    says: str,
) -> None:
    def fail(**_anything: object) -> None:
        raise error

    monkeypatch.setattr(main.cli, "main", fail)
    assert status_of(["grade"]) == status
    assert says in capsys.readouterr().err


def test_a_bug_is_our_fault_and_not_a_failed_check(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(**_anything: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(main.cli, "main", fail)
    assert status_of(["grade"]) == BROKEN
    assert "bug in the grader" in caplog.text
    assert caplog.records[0].exc_info


def test_a_spec_that_is_right(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["spec", "validate", str(TR2)]) == OK
    said = capsys.readouterr().out
    assert "lab tr2" in said
    assert f"{read_spec(TR2).max_score} points" in said
    assert "reference" not in said


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("lab: tr2", "lab: tr3", "the reference of the lab 'tr3' lacks tr2b.c, tr2u.c in "),
        ("source: tr2u.c", "source: tr3u.c", "the reference of the lab 'tr2' lacks tr3u.c in "),
    ],
)
def test_a_spec_without_a_solution_is_right_but_nothing_can_be_graded_with_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, says: str
) -> None:
    path = tmp_path / "lab.yaml"
    path.write_text(TR2.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    assert status_of(["spec", "validate", str(path)]) == OK
    _, note = capsys.readouterr().out.splitlines()
    assert note.startswith(f"note: {says}")
    assert note.endswith("so nothing can be graded with it yet")


def test_a_spec_is_noted_in_which_no_check_is_about_whether_a_program_compiles(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rubric = [item for item in DOCUMENT["rubric"] if item["kind"] != "build"]
    path = tmp_path / "lab.yaml"
    path.write_text(json.dumps({**DOCUMENT, "rubric": rubric}), encoding="utf-8")
    assert status_of(["spec", "validate", str(path)]) == OK
    assert (
        "note: there is no build check for many and single: what does not compile fails " in capsys.readouterr().out
    )


def test_every_mistake_of_a_spec_is_told_in_a_line_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "lab.yaml"
    text = TR2.read_text(encoding="utf-8").replace("lab: tr2", "lab: TR 2").replace("open_files: 64", "open_file: 64")
    path.write_text(text, encoding="utf-8")
    assert status_of(["spec", "validate", str(path)]) == USAGE
    first, second = capsys.readouterr().err.splitlines()
    assert ": lab: " in first
    assert "did you mean 'open_files'?" in second


def test_a_spec_that_is_wrong_is_told_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "lab.yaml"
    path.write_text(TR2.read_text(encoding="utf-8").replace("lab: tr2", "lab: TR 2"), encoding="utf-8")
    assert status_of(["spec", "validate", str(path)]) == USAGE
    line = 1 + TR2.read_text(encoding="utf-8").splitlines().index("lab: tr2")
    assert f"{path}:{line}: lab: " in capsys.readouterr().err


def test_the_schema_is_json_and_names_the_keys(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["spec", "schema"]) == OK
    schema = json.loads(capsys.readouterr().out)
    optional = {
        "comparisons",
        "gradescope",
        "notebook",
        "plots",
        "published",
        "students_see_fixes",
        "template_score",
        "operand_names",
    }
    assert {*DOCUMENT, *optional} == set(schema["properties"])


def test_the_schema_has_the_parameters_of_generated_parts(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["spec", "schema"]) == OK
    definitions = json.loads(capsys.readouterr().out)["$defs"]
    generated = {name for name, one in definitions.items() if "for" in one.get("properties", {})}
    assert {"Case", "PatternInput", "CasesItem", "SymbolsItem"} <= generated
    assert generated.isdisjoint({"Program", "Build", "ExactCalls"})
    # A number may be the text of a parameter; the kind of a check may not.
    assert {"$ref": "#/$defs/FilledIn"} in definitions["ExactCalls"]["properties"]["nbyte"]["anyOf"]
    assert "const" in definitions["CasesItem"]["properties"]["kind"]
    assert "$ref" not in definitions["RunLimits"]["properties"]["cpu_s"]


@pytest.mark.parametrize(("name", "source"), [("text", "text"), ("random", "random"), ("screen-full", "pattern")])
def test_an_input_is_the_very_bytes_by_its_name_or_a_case_s(
    small_lab: str, capfdbinary: pytest.CaptureFixture[bytes], name: str, source: str
) -> None:
    assert status_of(["input", "--lab", small_lab, name]) == OK
    assert capfdbinary.readouterr().out == INPUTS[source]


def test_an_input_whose_reader_has_ended_is_no_error(command_line: list[str], environment: dict[str, str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*command_line, "input", "--lab", "tr2", "random-5m"],
        env=environment,
        stdout=writer,
        stderr=subprocess.PIPE,
        timeout=ENDS_S,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (OK, b"")


def test_an_input_of_the_carried_lab(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert status_of(["input", "--lab", "tr2", "ff-inside"]) == OK
    assert capfdbinary.readouterr().out == input_bytes(read_spec(TR2).inputs["ff-inside"])


def test_an_input_that_there_is_not_names_those_that_there_are(
    small_lab: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status_of(["input", "--lab", small_lab, "txet"]) == USAGE
    assert ", ".join(INPUTS) in capsys.readouterr().err


@pytest.mark.parametrize("stderr", [True, False])
def test_a_message_is_printed_as_it_is(capsys: pytest.CaptureFixture[str], *, stderr: bool) -> None:
    message_printer(stderr=stderr)("[bold]:smile: \x1b[2J" + "x" * 200)
    printed = capsys.readouterr()
    assert (printed.err if stderr else printed.out) == "[bold]:smile: \\x1b[2J" + "x" * 200 + "\n"
    assert not (printed.out if stderr else printed.err)
