"""Causes are proven: the known bug is fixed in a copy of the source, and what failed is run again."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from grader.cache.entries import Cache
from grader.explain.change_search import ChangeSearch
from grader.explain.credit import Repairs
from grader.explain.source_search import SourceSearch
from grader.grading.pipeline import GradingContext, grade
from grader.lab.load import read_spec
from grader.model.report import Cause, Report
from grader.model.spec.lab import Spec
from grader.model.submission import Source, Submission
from grader.options import GradeOptions
from grader.resources import resource
from grader.sandbox.base import Sandbox
from tests.sample import mostly_slow

from .known_bugs import Shipped, store_shipped
from .test_examples import EXAMPLES

WRONG = Path(__file__).parents[1] / "wrong" / "programs"
SOLUTION = resource("reference", "tr2", "solution")
Grading = Callable[[Sandbox], GradingContext]


def submission_of(name: str, program: str = "", data: bytes = b"") -> Submission:
    """Return a wrong program, and the reference's instead of the other one."""
    program = program or f"tr2{name[0]}"
    sources = {one: (SOLUTION / f"{one}.c").read_bytes() for one in ("tr2b", "tr2u")}
    sources[program] = data or (WRONG / f"{name}.c").read_bytes()
    return Submission(name, {one: Source(text) for one, text in sources.items()})


def graded(
    grading: GradingContext,
    submission: Submission,
    program: str = "",
    *,
    with_fixes: bool = True,
    stops_early: bool = False,
) -> Report:
    """Grade a submission, or only one program of it."""
    checks = grading.lab.spec.checks()
    selected = frozenset(check for check, (of, _) in checks.items() if of == program) if program else None
    options = GradeOptions(with_fixes=with_fixes, stops_early=stops_early, selected_checks=selected)
    report = grade(replace(grading, known_bugs=Shipped()), submission, options)
    assert report.status == "graded", report.reason
    return report


def told(cause: Cause) -> tuple[str, list[int], str]:
    return cause.certainty, [line.number for line in cause.lines], cause.proof.sentence if cause.proof else ""


def passes(words: str, file: str, checks: str) -> str:
    return f"{words} of {file}, the check{'s' if ' ' in checks else ''} {checks} pass{'' if ' ' in checks else 'es'}."


ALMOST_ALL = "the checks binary, byte-ff, byte-high, error-duplicate and 1 more pass."

EXPECTED = {
    "b-char-map": {
        "char-for-getchar": (
            "proven",
            [9],
            passes("With `int ch` instead of `signed char ch` in line 9", "tr2b.c", "byte-ff and random-5m"),
        )
    },
    "b-message-stdout": {
        "message-on-stdout": (
            "proven",
            [11, 15, 21],
            passes(
                "With `fprintf(stderr, ...)` instead of `printf(...)` in lines 11, 15 and 21",
                "tr2b.c",
                "error-length, error-duplicate and error-missing",
            ),
        )
    },
    "u-block-read": {
        "blocks-in-tr2u": (
            "proven",
            [30],
            passes("With 1 instead of `SIZE` as the number of bytes in line 30", "tr2u.c", "syscalls and terminal"),
        )
    },
    "b-no-operand-count": {
        "operands-not-counted": (
            "proven",
            [],
            passes(
                "With a check that argc is 3, at the beginning of `main`",
                "tr2b.c",
                "error-missing",
            ),
        )
    },
    # One alone repairs nothing: both have to be fixed for some of the checks.
    "b-newline-and-char": {
        "extra-newline-at-end": (
            "proven",
            [44],
            passes(
                "Without this newline in line 44",
                "tr2b.c",
                "text, operands, binary, byte-high and 2 more",
            ),
        ),
        "char-for-getchar": (
            "proven",
            [31],
            passes(
                "Without this newline in line 44 and with `int input` instead of `char input` in line 31",
                "tr2b.c",
                "byte-ff and random-5m",
            ),
        ),
    },
    # Its prompt is on a terminal, too: what is written there has to be right as well as the calls.
    "b-prompt-and-more": {
        "lengths-not-compared": (
            "proven",
            [],
            passes(
                "With a check, if argc is 3, that the lengths are the same, at the beginning of `main`",
                "tr2b.c",
                "error-length",
            ),
        ),
    },
    # The message of this fix is written by fputs, which tr2u must not call. That says nothing of a student's message.
    # The comparison that is the wrong way round has both effects, and no pattern of a known bug.
    "u-inverted-length-check": {
        "error-instead-of-copy": (
            "proven",
            [12],
            (
                "With `!=` instead of `==` in line 12 of tr2u.c, "
                "the checks text, operands, binary, byte-ff and 6 more pass."
            ),
        ),
    },
    # All of this is one mistake, although most of what it does is another known bug.
    "b-argc-not-two": {
        "operands-not-counted": (
            "proven",
            [7],
            passes("With `argc != 3` in line 7", "tr2b.c", "text, operands, binary, byte-ff and 6 more"),
        )
    },
    # The operand is a char as well, and is no longer equal to a byte in an int.
    "b-char-getchar": {
        "char-for-getchar": (
            "proven",
            [35, 38],
            passes(
                "With `int c` instead of `char c` in line 35 and with `c` cast to `char` (both are chars) in line 38",
                "tr2b.c",
                "byte-ff and random-5m",
            ),
        )
    },
    # With `int c` alone, the bytes from 0x80 on that FROM has, which were right, are no longer translated.
    "b-helper-returns-char": {
        "translated-to-ff-ends": (
            "proven",
            [5, 9],
            (
                "With `int` as the type of `c` (EOF is an int) in line 9 and with `unsigned char *` as the type of "
                "`from` (a char may be negative) in line 5 of tr2b.c, the checks byte-ff and random-5m pass."
            ),
        )
    },
    # A cast does not help: the table is too small.
    "b-table-of-128": {
        "signed-table-index": (
            "proven",
            [5],
            "With `256` as `ASCII` (there are 256 different bytes) in line 5 of tr2b.c, " + ALMOST_ALL,
        )
    },
}


@pytest.mark.parametrize("name", mostly_slow(EXPECTED, quick={"b-char-map", "u-block-read", "b-table-of-128"}))
def test_a_cause_is_proven_by_its_fix(name: str, local_sandbox: Sandbox, whole_grading: Grading) -> None:
    report = graded(whole_grading(local_sandbox), submission_of(name))
    assert {cause.name: told(cause) for cause in report.causes} == EXPECTED[name]
    for cause in report.causes:
        assert cause.proof is None or {*cause.proof.checks} <= {*cause.checks}
        for line in cause.lines:
            text = (WRONG / f"{name}.c").read_text(encoding="latin-1").splitlines()[line.number - 1]
            assert (line.file, line.text) == (f"tr2{name[0]}.c", text)


@pytest.mark.docker
@pytest.mark.slow
def test_a_container_proves_the_same(docker_sandbox: Sandbox, whole_grading: Grading) -> None:
    report = graded(whole_grading(docker_sandbox), submission_of("b-char-map"))
    assert {cause.name: told(cause) for cause in report.causes} == EXPECTED["b-char-map"]


@pytest.mark.slow
def test_points_and_checks_are_those_without_proofs(
    local_sandbox: Sandbox, whole_grading: Grading, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = submission_of("b-newline-and-char")
    proven = graded(whole_grading(local_sandbox), submission)
    monkeypatch.setattr(SourceSearch, "constructs", lambda *_: {})
    monkeypatch.setattr(ChangeSearch, "search", lambda *_: Repairs())
    plain = graded(whole_grading(local_sandbox), submission)
    assert not any(cause.lines or cause.proof for cause in plain.causes)
    assert [(check.id, check.status, check.points, check.cause) for check in plain.checks] == [
        (check.id, check.status, check.points, check.cause) for check in proven.checks
    ]


def test_what_passes_is_not_parsed(
    local_sandbox: Sandbox, whole_grading: Grading, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_arguments: object) -> None:
        raise AssertionError("a source was parsed")

    monkeypatch.setattr("grader.explain.source_search.search_sources", fails)
    right = {program: (SOLUTION / f"{program}.c").read_bytes() for program in ("tr2b", "tr2u")}
    assert graded(whole_grading(local_sandbox), submission_of("right", "tr2b", right["tr2b"])).causes == ()


@pytest.mark.slow
def test_the_fixed_copy_of_a_hostile_source_changes_nothing(local_sandbox: Sandbox, whole_grading: Grading) -> None:
    """It writes what the proof would like to see, as far as a program can know that."""
    code = (WRONG / "b-char-map.c").read_bytes()
    endless = code.replace(b"return 0;", b"if (sizeof ch == 4) for (;;) putchar(1); return 0;")
    report = graded(whole_grading(local_sandbox), submission_of("endless", "tr2b", endless))
    assert {cause.name: told(cause) for cause in report.causes} == {"char-for-getchar": ("certain", [], "")}
    many = code.replace(b"return 0;", b"return 0;" + b"(" * 300_000)
    assert graded(whole_grading(local_sandbox), submission_of("many", "tr2b", many)).causes == ()


@pytest.mark.slow
def test_course_staff_see_the_fixed_lines(local_sandbox: Sandbox, whole_grading: Grading) -> None:
    def fixed(report: Report) -> list[tuple[str, int, str]]:
        (cause,) = report.causes
        assert cause.proof is not None
        return [(line.file, line.number, line.text) for line in cause.proof.fixed]

    grading = whole_grading(local_sandbox)
    submission = submission_of("b-char-map")
    assert fixed(graded(grading, submission)) == [("tr2b.c", 9, "\tint ch;")]
    assert fixed(graded(grading, submission, with_fixes=False)) == []
    open_lab = replace(grading.lab, spec=grading.lab.spec.model_copy(update={"students_see_fixes": True}))
    report = graded(replace(grading, lab=open_lab), submission, with_fixes=False)
    assert fixed(report) == [("tr2b.c", 9, "\tint ch;")]
    assert report.shows_fixes


@pytest.mark.slow
def test_a_student_gets_the_sentence_and_not_the_fixed_line(
    grader: Callable[..., subprocess.CompletedProcess[str]], small: Spec, cache: Cache, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(EXAMPLES / "stops-at-0xff", tmp_path / "work"))
    fixed = fixed_line(folder / "tr2b.c")
    for shows in (False, True):
        lab = tmp_path / f"{shows}.yaml"
        shown = small.model_copy(update={"students_see_fixes": shows})
        lab.write_text(shown.model_dump_json(by_alias=True), encoding="utf-8")
        store_shipped(read_spec(lab), cache)
        page = tmp_path / f"{shows}.html"
        done = grader("check", folder, "--lab", lab, "--sandbox", "local", "--json", "--html", page)
        assert done.returncode == 1, done.stderr
        text = page.read_text(encoding="utf-8")
        assert "Proven" in done.stderr
        assert "Proven" in text
        assert "With `int c` instead of `char c` in line" in done.stdout
        for output in (done.stdout, done.stderr, text):
            assert (fixed in output) == shows


@pytest.mark.slow
def test_the_report_of_a_class_has_the_fixed_line_and_the_page_has_not(
    grader: Callable[..., subprocess.CompletedProcess[str]], whole_file: Path, tmp_path: Path
) -> None:
    work = tmp_path / "in"
    folder = Path(shutil.copytree(EXAMPLES / "stops-at-0xff", work / "ada"))
    out = tmp_path / "out"
    done = grader("grade", work, "--lab", whole_file, "--out", out, "--sandbox", "local", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    report = Report.model_validate_json((out / "ada" / "report.json").read_bytes())
    (cause,) = report.causes
    assert cause.proof is not None
    fixed = fixed_line(folder / "tr2b.c")
    # The char that is compared with it is cast.
    assert [line.text.strip() for line in cause.proof.fixed] == [fixed, "if ((char)c == from[i]) {"]
    others = [path for path in out.rglob("*") if path.is_file() and path.name != "report.json"]
    assert others
    assert not any(fixed in path.read_text(encoding="utf-8", errors="replace") for path in others)


def fixed_line(path: Path) -> str:
    """Return what the line that has the bug is when it is fixed."""
    (line,) = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip().startswith("char c")]
    return line.strip().replace("char", "int", 1)


@pytest.mark.slow
def test_a_crash_says_that_the_check_comes_later(local_sandbox: Sandbox, whole_grading: Grading) -> None:
    source = b"""\
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    size_t length = strlen(argv[1]);
    if (length != strlen(argv[2])) {
        fputs("lengths\\n", stderr);
        return 1;
    }
    for (size_t i = 0; i < length; i++)
        if (strchr(&argv[1][i + 1], argv[1][i])) {
            fputs("twice\\n", stderr);
            return 1;
        }
    if (argc != 3) {
        fputs("usage: tr2b FROM TO\\n", stderr);
        return 1;
    }
    for (int c; (c = getchar()) != EOF;) {
        char *at = memchr(argv[1], c, length);
        putchar(at == NULL ? c : (unsigned char)argv[2][at - argv[1]]);
    }
    return 0;
}
"""
    report = graded(whole_grading(local_sandbox), submission_of("late", "tr2b", source))
    [message] = [finding.message for finding in report.findings if "tr2b.error-missing" in finding.checks]
    assert message.startswith("tr2b.c line 5 ")
    assert message.endswith(": it uses argv[1] before line 15 checks argc.")
