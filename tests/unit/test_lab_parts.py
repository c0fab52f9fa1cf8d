"""What is wrong next to a lab's spec has its file, line and key, as what is wrong in the spec does."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.cli.exit_status import OK, USAGE
from grader.cli.main import status_of
from grader.grading.reference_run import ReferenceBuildError
from grader.judge.repeat import repeat_calls
from grader.lab.find import load_lab
from grader.lab.parts import parts_mistake
from grader.model.signature import Traits
from grader.model.spec.cases import input_bytes
from grader.resources import resource
from grader.selfcheck.lab_test import build_mistake, not_recognised
from tests.copying_lab import LAB, SOURCE

Spoil = Callable[[Path], object]

MUTANT = "title: Everything is lost\nprograms:\n  fcopy: {fails: [copies]}\n"
PAGE = "## What happens\n\nThis.\n\n## How to see it\n\nSo.\n\n## What to read\n\nThat.\n"


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    folder = tmp_path / "copying"
    files = {
        "lab.yaml": LAB,
        "reference/fcopy.c": SOURCE,
        "fixtures/etc/settings.cfg": "key = value\n",
        "mutants/lost/fcopy.c": "int main(void) { return 0; }\n",
        "mutants/lost/mutant.yaml": MUTANT,
        "mutants/lost/page.md": PAGE,
    }
    for name, text in files.items():
        write(name, text)(folder)
    return folder


def write(name: str, text: str) -> Spoil:
    def spoil(folder: Path) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")

    return spoil


def append(name: str, text: str) -> Spoil:
    return lambda folder: write(name, (folder / name).read_text(encoding="utf-8") + text)(folder)


def make_executable(folder: Path) -> None:
    path = folder / "fixtures/etc/settings.cfg"
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(0o755)


MISTAKES = [
    (lambda folder: (folder / "fixtures/etc/settings.cfg").unlink(), "lab.yaml", "there is no "),
    (make_executable, "lab.yaml", "settings.cfg looks like a program"),
    (append("lab.yaml", "template_score: 1\n"), "lab.yaml", "template_score: there is no fcopy.c in "),
    (
        write("mutants/lost/mutant.yaml", MUTANT.replace("copies]", "copes]")),
        "mutants/lost/mutant.yaml:3",
        "did you mean 'copies'?",
    ),
    (lambda folder: (folder / "mutants/lost/page.md").unlink(), "mutants/lost/page.md", "is missing"),
    (
        write("mutants/lost/pattern.scm", "\n(nothing) @line"),
        "mutants/lost/pattern.scm:2",
        "is not a tree-sitter query",
    ),
    (
        write("mutants/lost/pattern.scm", '((number_literal) @line\n (#valu? @line "1"))'),
        "mutants/lost/pattern.scm:2",
        "#valu? is not a predicate; did you mean #value?",
    ),
]


@pytest.mark.parametrize(("spoil", "place", "says"), MISTAKES)
def test_validate_finds_it(
    lab: Path, capsys: pytest.CaptureFixture[str], spoil: Spoil, place: str, says: str
) -> None:
    assert status_of(["spec", "validate", str(lab)]) == OK
    capsys.readouterr()
    spoil(lab)
    assert status_of(["spec", "validate", str(lab)]) == USAGE
    printed = capsys.readouterr()
    (line,) = printed.err.splitlines()
    assert f"{lab}/{place}" in line
    assert says in line
    assert not printed.out


@pytest.mark.parametrize("command", [["spec", "validate"], ["lab", "test"]])
def test_parts_are_looked_at_only_if_there_is_a_reference(
    lab: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    (lab / "fixtures/etc/settings.cfg").unlink()
    assert status_of([*command, str(lab)]) == USAGE
    assert "there is no " in capsys.readouterr().err
    (lab / "reference/fcopy.c").unlink()
    # A spec is valid without a reference, but nothing can be graded.
    assert status_of([*command, str(lab)]) == (OK if command[0] == "spec" else USAGE)
    printed = capsys.readouterr()
    assert "the reference of the lab 'copying' lacks fcopy.c" in printed.out + printed.err
    assert "there is no " not in printed.out + printed.err


def test_a_makefile_is_missing_where_a_program_needs_it(lab: Path) -> None:
    (lab / "mutants" / "lost" / "mutant.yaml").unlink()
    text = LAB.splitlines()
    line = next(number for number, one in enumerate(text, 1) if one.startswith("build:"))
    text[line - 1] = "build: {make: fcopy}"
    write("lab.yaml", "\n".join(text))(lab)
    spec, files = load_lab(str(lab))
    mistake = parts_mistake(spec, files)
    assert mistake is not None
    assert str(mistake).startswith(f"{lab}/lab.yaml:{line}: build.make: ")
    assert [other.path.name for other in mistake.others] == ["mutant.yaml"]


def test_a_spec_with_the_parts_of_another_lab_may_lack_checks(tmp_path: Path) -> None:
    text = resource("specs", "tr2.yaml").read_text(encoding="utf-8")
    begin, end = text.index("  - name: binary"), text.index("  - name: byte-ff")
    (tmp_path / "my.yaml").write_text(text[:begin] + text[end:], encoding="utf-8")
    spec, files = load_lab(str(tmp_path / "my.yaml"))
    assert files.borrows_mutants
    assert spec.argument == "tr2"
    assert parts_mistake(spec, files) is None


def test_a_drawn_input_of_a_changed_copy_can_be_made_again(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    text = resource("specs", "tr2.yaml").read_text(encoding="utf-8").replace("5000000", "3000")
    (tmp_path / "my.yaml").write_text(text, encoding="utf-8")
    spec = load_lab(str(tmp_path / "my.yaml"))[0].drawn("a class's secret")
    assert spec.argument == str(tmp_path / "my.yaml"), "the lab of that name makes other inputs"
    first, *_ = repeat_calls(spec, "tr2u", "random-5m").splitlines()
    words = shlex.split(first.partition(" >")[0])
    assert status_of(words[1:]) == OK
    assert capfdbinary.readouterr().out == input_bytes(spec.inputs["random-5m"])


def test_a_reference_that_does_not_compile_has_its_program(lab: Path) -> None:
    _, files = load_lab(str(lab))
    messages = "In file included from x.h:\nfcopy.c:3:1: error: unknown type name 'it'\n    3 | it main(void)\n"
    mistake = build_mistake(files, ReferenceBuildError("fcopy", messages))
    assert mistake.key_path == "programs.fcopy"
    assert mistake.message.endswith("does not compile: fcopy.c:3:1: error: unknown type name 'it'")


def test_a_reference_whose_compiler_was_stopped_has_the_limit(lab: Path) -> None:
    _, files = load_lab(str(lab))
    stopped = "it was stopped after limits.build.wall_s (1.2 s)"
    error = ReferenceBuildError("fcopy", "", stopped)
    assert str(error).endswith(stopped)
    assert build_mistake(files, error).message.endswith(stopped)


def test_mutants_that_reports_cannot_tell_apart_are_named() -> None:
    one: Traits = {"copy/text": "exited failure wrong stdout=nothing"}
    other: Traits = {"copy/text": "exited failure wrong stderr=nothing"}
    assert not [*not_recognised({"fcopy": {"ends-early": one, "silent": other}})]
    (note,) = not_recognised({"fcopy": {"ends-early": one, "silent": one}})
    assert "fcopy of the mutant silent is not recognised: reports will call it ends-early" in note
    (note,) = not_recognised({"fcopy": {"unseen": {"copy/*": "failed"}}})
    assert note.endswith("reports will not name it")
