"""Mutants: each fails exactly the checks that it names, and its page's shell lines show the bug."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import select
import signal
import subprocess
import sys
import time
import tty
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

from grader.grading.mutant_runner import MutantRunner
from grader.grading.pipeline import GradingContext, grade
from grader.lab.find import find_lab
from grader.lab.load import read_spec
from grader.lab.mutants import read_mutants
from grader.model.lab import Lab
from grader.model.mutant import Mutant, Variant
from grader.model.reference import Reference
from grader.model.report import CallsEvidence, CasesEvidence, Check, Report
from grader.model.signature import bug_of
from grader.model.spec.lab import Spec
from grader.model.submission import Source, Submission
from grader.resources import resource
from grader.sandbox.base import Sandbox
from tests.few_cases import LEFT_OUT
from tests.sample import SAMPLE, marks
from tests.shared import made_once
from tests.waits import ENDS_S

from .known_bugs import Shipped
from .test_examples import signed_char, with_status

LAB = read_spec(resource("specs", "tr2.yaml"))
MUTANTS = {mutant.name: mutant for mutant in read_mutants(LAB, find_lab(LAB.lab).mutants)}
VARIANTS = [(mutant.name, variant) for mutant in MUTANTS.values() for variant in mutant.variants]
SOLUTION = resource("reference", "tr2", "solution")
HOSTILE = Path(__file__).parents[1] / "hostile" / "submissions"

PROVEN_BY_CHANGES = {
    "chained-writes",
    "duplicates-but-for-the-last",
    "duplicates-compared-with-to",
    "duplicates-in-first-half-only",
    "duplicates-of-first-two-only",
    "duplicates-of-kept-byte",
    "duplicates-with-same-to",
    "end-of-input-missed",
    "error-instead-of-copy",
    "every-second-pair",
    "extra-nul-at-end",
    "ff-in-from-never-ends",
    "ff-left-out",
    "first-byte-only",
    "first-pair-only",
    "last-byte-twice",
    "nothing-translated",
    "nul-after-each-line",
    "repeats-in-to-refused",
    "special-bytes-refused",
    "translated-to-ff-ends",
    "unmatched-left-out-after-match",
}
"""Mutants that no fix of their own repairs, and a small change does."""

NOT_PROVEN = {"extra-0xff-at-end", "extra-nul-at-end", "fread-in-tr2u", "fstat-for-end-of-file", "getchar-in-tr2u"}
"""Mutants whose pattern has no fix, or does not find both programs."""

NEEDS_SIGNED_CHAR = {
    "char-for-getchar",
    "ff-in-from-never-ends.chars",
    "ff-left-out",
    "ff-left-out.after-translation",
    "signed-operands",
    "signed-table-index",
    "translated-to-ff-ends",
    "translated-to-ff-ends.all-chars",
}
"""Where char is unsigned, the first never ends and the others have no bug."""

SOME = sorted({*SAMPLE, *[*MUTANTS][::3]})
"""The mutants that every run of CI grades; the others are graded before a release."""

FLOOD_BYTES = 1 << 20
LINE_S = 2.0
"""So long a page's line may take; what has not ended then is endless."""


@pytest.fixture(scope="session")
def brisk_grading(
    whole_brisk: Spec,
    local_sandbox: Sandbox,
    small_inputs: Mapping[str, bytes],
    measure: Callable[[Spec, Sandbox, Mapping[str, bytes]], Reference],
) -> GradingContext:
    reference = measure(whole_brisk, local_sandbox, small_inputs)
    return GradingContext(Lab(whole_brisk, small_inputs, reference), local_sandbox, known_bugs=Shipped())


@pytest.fixture(params=[pytest.param(name, marks=marks(name, is_rare=name not in SOME)) for name in MUTANTS])
def mutant(request: pytest.FixtureRequest) -> Mutant:
    name: str = request.param
    if name in NEEDS_SIGNED_CHAR and not signed_char():
        pytest.skip(f"char is unsigned on {platform.machine()}, where this is another bug or none")
    return MUTANTS[name]


def submission_of(mutant: Mutant, spec: Spec) -> Submission:
    """Return its programs, and the reference's instead of those that cannot have the bug."""
    sources = {
        program: mutant.sources.get(program) or (SOLUTION / declared.main_source).read_bytes()
        for program, declared in spec.programs.items()
    }
    return Submission(mutant.name, {program: Source(data) for program, data in sources.items()})


@pytest.fixture(scope="session")
def report_of(brisk_grading: GradingContext) -> Callable[[Mutant], Report]:
    """Grade a mutant, once."""

    @cache
    def report(name: str) -> Report:
        graded = grade(brisk_grading, submission_of(MUTANTS[name], brisk_grading.lab.spec))
        assert graded.status == "graded", graded.reason
        return graded

    return lambda mutant: report(mutant.name)


def test_a_mutant_fails_what_it_names_and_nothing_else(mutant: Mutant, report_of: Callable[[Mutant], Report]) -> None:
    report = report_of(mutant)
    expected = {f"{program}.{check}" for program, checks in mutant.fails.items() for check in checks}
    assert with_status(report, "failed") == expected
    # A program without end has no time figures.
    timing = {f"{program}.timing" for program in mutant.sources}
    assert with_status(report, "skipped") <= timing


def test_a_mutant_is_diagnosed_as_itself(mutant: Mutant, report_of: Callable[[Mutant], Report]) -> None:
    report = report_of(mutant)
    is_fixed = bool(mutant.pattern) and mutant.name not in NOT_PROVEN
    certainty = "proven" if is_fixed or mutant.name in PROVEN_BY_CHANGES else "certain"
    assert [(cause.name, cause.certainty) for cause in report.causes] == [(mutant.name, certainty)]
    assert set(report.causes[0].checks) == with_status(report, "failed")
    assert {check.cause for check in report.checks if check.status == "failed"} == {mutant.name}
    assert {check.cause for check in report.checks if check.status != "failed"} == {None}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "variant"), VARIANTS, ids=[f"{name}-{variant.program}-{variant.name}" for name, variant in VARIANTS]
)
def test_a_variant_fails_what_it_names_and_is_diagnosed_as_its_bug(
    name: str, variant: Variant, brisk_grading: GradingContext
) -> None:
    mutant = MUTANTS[name].with_variant(variant)
    if mutant.name in NEEDS_SIGNED_CHAR and not signed_char():
        pytest.skip(f"char is unsigned on {platform.machine()}, where this is another bug or none")
    report = grade(brisk_grading, submission_of(mutant, brisk_grading.lab.spec))
    assert with_status(report, "failed") == {f"{variant.program}.{check}" for check in variant.fails}
    assert [cause.name for cause in report.causes] == [name]
    # The pattern of a mutant finds some of its variants, and small changes repair others.
    assert report.causes[0].certainty in {"certain", "proven"}
    assert set(report.causes[0].checks) == with_status(report, "failed")


MakeFolder = Callable[[Path, Mapping[str, bytes]], Path]


@pytest.fixture(scope="session")
def make_folder(shared_folder: Path) -> MakeFolder:
    """Compile programs as a student does; in the same folder is a file NAME.c, the same for all, that pages copy."""

    def compiled(data: bytes) -> Path:
        def compile_into(folder: Path) -> None:
            command: list[str | Path] = ["gcc", "-std=gnu11", "-O2", "-w", "-o", folder / "program", "-x", "c", "-"]
            subprocess.run(command, input=data, check=True, timeout=600)

        return made_once(shared_folder / hashlib.sha256(data).hexdigest(), compile_into) / "program"

    def make(folder: Path, sources: Mapping[str, bytes]) -> Path:
        folder.mkdir()
        for program, data in sources.items():
            (folder / program).hardlink_to(compiled(data))
            (folder / f"{program}.c").write_bytes((SOLUTION / f"{program}.c").read_bytes())
        return folder

    return make


def shown_on_a_terminal(line: str, folder: Path, timeout_s: float = LINE_S) -> bytes:
    """Return what a shell line shows until it ends, or until nobody wants to wait for it any longer."""
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    environment = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "LC_ALL": "C"}
    process = subprocess.Popen(
        ["/bin/bash", "-c", line], cwd=folder, env=environment, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    deadline_s = time.monotonic() + timeout_s
    shown = b""
    try:
        # A flood is cut: there is always something to read.
        while len(shown) < FLOOD_BYTES and select.select([ours], [], [], max(deadline_s - time.monotonic(), 0))[0]:
            # The end of a terminal that nobody writes to any more is an error.
            shown += os.read(ours, 1 << 16)
    except OSError:
        pass
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(ENDS_S)
        os.close(ours)
    return shown


def essence(shown: bytes) -> bytes:
    """Return it without the words of messages, which are everybody's own, and without the times of `strace -c`."""
    text = re.sub(rb"(?m)^ *[0-9.]+ +[0-9.]+ +\d+ +(\d+) +(\d+ )? *(\w+)$", rb"\1 \3", shown)
    return re.sub(rb"(?m)(^(tr2b|tr2u|usage): .*\n)+", b"(message)\n", text)


@pytest.mark.slow
def test_the_lines_of_its_page_show_the_bug(mutant: Mutant, make_folder: MakeFolder, tmp_path: Path) -> None:
    right = {program: (SOLUTION / f"{program}.c").read_bytes() for program in mutant.sources}
    with_bug = make_folder(tmp_path / "mutant", mutant.sources)
    without = make_folder(tmp_path / "solution", right)
    block = mutant.page.split("```")[1]
    for line in block.splitlines()[1:]:
        assert essence(shown_on_a_terminal(line, with_bug)) != essence(shown_on_a_terminal(line, without)), line


TIMEOUT_S = 30.0
"""For the lines of reports, which have limits of their own."""


def impatient(line: str) -> str:
    """Return a report's line with a limit of a second, which is enough to see that a program does not end.

    Not if the program starts late, because its input is computed, or if strace slows it down.
    """
    if "grader input" in line or "strace" in line:
        return line
    return re.sub(r"timeout \d+ ", "timeout 1 ", line)


def repeated(check: Check, spec: Spec) -> str:
    """Return the first line of a failed check that shows it; none at full size, which takes seconds each."""
    match check.evidence:
        case CasesEvidence(cases=results):
            failed = [result for result in results if not result.passed]
            assert all(result.repeat for result in failed)
            return next((result.repeat for result in failed if spec.cases[result.case].limits == "small"), "")
        case CallsEvidence(repeat=line):
            assert line or "so its calls cannot be counted" in check.message
            return line
        case _:
            return ""


@pytest.mark.slow
@pytest.mark.parametrize("name", SOME)
def test_the_report_s_lines_show_the_bug(
    name: str, small: Spec, report_of: Callable[[Mutant], Report], make_folder: MakeFolder, tmp_path: Path
) -> None:
    mutant = MUTANTS[name]
    if name in NEEDS_SIGNED_CHAR and not signed_char():
        pytest.skip(f"char is unsigned on {platform.machine()}, where this is another bug or none")
    right = {program: (SOLUTION / f"{program}.c").read_bytes() for program in mutant.sources}
    with_bug = make_folder(tmp_path / "mutant", mutant.sources)
    without = make_folder(tmp_path / "solution", right)
    lines = {repeated(check, small) for check in report_of(mutant).checks if check.status == "failed"} - {""}
    for line in lines:
        shown = [essence(shown_on_a_terminal(impatient(line), folder, TIMEOUT_S)) for folder in (with_bug, without)]
        assert shown[0] != shown[1], line


@pytest.mark.slow
@pytest.mark.parametrize("name", ["char-for-getchar", "extra-newline-at-end", "first-pair-ignored"])
def test_so_do_those_at_full_size(
    name: str, report_of: Callable[[Mutant], Report], make_folder: MakeFolder, tmp_path: Path
) -> None:
    mutant = MUTANTS[name]
    with_bug = make_folder(tmp_path / "mutant", {"tr2b": mutant.sources["tr2b"]})
    without = make_folder(tmp_path / "solution", {"tr2b": (SOLUTION / "tr2b.c").read_bytes()})
    check = next(check for check in report_of(mutant).checks if check.id == "tr2b.random-5m")
    assert isinstance(check.evidence, CasesEvidence)
    line = check.evidence.cases[0].repeat
    shown = [shown_on_a_terminal(line, folder, TIMEOUT_S) for folder in (with_bug, without)]
    assert shown[0] != shown[1], line


RIGHT = Path(__file__).parent / "right"


@pytest.mark.parametrize("style", ["table", "search", "unlocked", "functions", "loops"])
def test_right_programs_in_any_style_have_all_points_and_no_cause(style: str, brisk_grading: GradingContext) -> None:
    sources = {
        program: Source((RIGHT / style / declared.main_source).read_bytes())
        for program, declared in brisk_grading.lab.spec.programs.items()
    }
    report = grade(brisk_grading, Submission(style, sources))
    assert (report.score, report.causes) == (report.max_score, ()), with_status(report, "failed")
    assert {check.cause for check in report.checks} == {None}


@pytest.mark.slow
def test_what_is_measured_is_what_comes_with_the_grader(
    sandbox: Sandbox, small_grading: Callable[[Sandbox], GradingContext]
) -> None:
    grading = small_grading(sandbox)
    measured = MutantRunner(grading.lab, sandbox).traits([MUTANTS[name] for name in SAMPLE])
    known = Shipped().get().signatures.traits
    for program, traits in measured.items():
        expected = {
            name: {
                place: trait
                for place, trait in known[program][name].items()
                if place.partition("/")[2] not in LEFT_OUT
            }
            for name in traits
        }
        assert traits == expected
    assert {bug_of(name) for traits in measured.values() for name in traits} == set(SAMPLE)


SEVERAL_BUGS = Path(__file__).parent / "several_bugs"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "program", "causes"),
    [
        (
            "chained-and-duplicates-of-first-only",
            "tr2b",
            {"chained-mapping": "proven", "duplicates-of-first-only": "certain"},
        ),
        # Where both change something, neither is seen as itself: only fixes tell that both are there.
        (
            "stops-at-ff-and-adds-a-newline",
            "tr2b",
            {"extra-newline-at-end": "proven", "char-for-getchar": "proven"},
        ),
        (
            "four-in-tr2b",
            "tr2b",
            {
                "goes-on-after-message": "certain",
                "longer-from-accepted": "certain",
                "operands-not-counted": "proven",
                "char-for-getchar": "proven",
            },
        ),
        (
            "four-more-in-tr2b",
            "tr2b",
            {
                "no-message": "certain",
                "duplicates-adjacent-only": "certain",
                "operands-not-counted": "proven",
                "unmatched-becomes-nul": "certain",
            },
        ),
        (
            "four-in-tr2u",
            "tr2u",
            {
                "message-on-stdout": "proven",
                "longer-from-accepted": "proven",
                "operands-not-counted": "proven",
                "unmatched-becomes-nul": "certain",
            },
        ),
    ],
)
def test_several_bugs_in_one_program_are_all_named(
    name: str, program: str, causes: Mapping[str, str], brisk_grading: GradingContext
) -> None:
    if not signed_char():
        pytest.skip(f"char is unsigned on {platform.machine()}, where the second never ends")
    sources = {
        one: (SEVERAL_BUGS / f"{name}.c" if one == program else SOLUTION / f"{one}.c").read_bytes()
        for one in brisk_grading.lab.spec.programs
    }
    report = grade(brisk_grading, Submission(name, {one: Source(data) for one, data in sources.items()}))
    assert {cause.name: cause.certainty for cause in report.causes} == causes
    assert {check.id for check in report.checks if check.cause} == with_status(report, "failed")


HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"
NOT_ONE_OF_OURS = {
    "hangs": "int main(void) { for (;;) continue; }",
    "crashes": "int main(void) { *(volatile int *)0 = 1; }",
    "refuses all": 'int main(void) { fprintf(stderr, "no\\n"); return 1; }',
    "floods": "int main(void) { for (;;) putchar('x'); }",
    "copies unchanged": "int main(void) { for (int c; (c = getchar()) != EOF;) putchar(c); }",
    "counts wrong": "int main(int n, char **o) { if (n != 2) exit(n + **o); int c;"
    " while ((c = getchar()) != EOF) putchar(c); }",
}


TRUE_ANYWAY = {"refuses all": {"error-instead-of-copy"}, "copies unchanged": {"nothing-translated"}}
"""Bugs whose titles say no more than what these programs do."""


@pytest.mark.slow
@pytest.mark.parametrize("name", NOT_ONE_OF_OURS)
def test_what_is_broken_in_a_way_of_its_own_gets_no_cause(name: str, brisk_grading: GradingContext) -> None:
    text = HEAD + NOT_ONE_OF_OURS[name]
    sources = {"tr2b": text.encode(), "tr2u": (SOLUTION / "tr2u.c").read_bytes()}
    submission = Submission(name, {program: Source(data) for program, data in sources.items()})
    report = grade(brisk_grading, submission)
    assert with_status(report, "failed")
    # What it says of operands it may well do: who refuses nothing lets duplicates through.
    copying = {"tr2b.text", "tr2b.operands", "tr2b.binary", "tr2b.byte-high", "tr2b.random-5m", "tr2b.pattern-5m"}
    named = {check.cause for check in report.checks if check.id in copying and check.cause}
    assert named == TRUE_ANYWAY.get(name, set())


UNFINISHED = {
    "int main(void) { return 0; }": "empty-main",
    "int main(void) { return 3; }": "not-begun",
    # Operands are looked at first, and the template's last line is still there.
    """int main(int argc, char **argv)
    {
        const char *twice = argc == 3 ? argv[1] : "";
        while (*twice != 0 && strchr(twice + 1, *twice) == NULL)
            twice++;
        if (argc != 3 || strlen(argv[1]) != strlen(argv[2]) || *twice != 0)
            fprintf(stderr, "these operands are no good");
        return EXIT_FAILURE;
    }""": "copies-nothing",
}


@pytest.mark.slow
@pytest.mark.parametrize("text", UNFINISHED)
def test_what_is_not_written_yet_is_called_so(text: str, brisk_grading: GradingContext) -> None:
    sources = {program: Source((HEAD + text).encode()) for program in brisk_grading.lab.spec.programs}
    report = grade(brisk_grading, Submission("unfinished", sources))
    assert [(cause.name, cause.certainty) for cause in report.causes] == [(UNFINISHED[text], "certain")]
    assert set(report.causes[0].checks) == with_status(report, "failed")


@pytest.mark.slow
def test_a_message_before_the_copy_is_no_byte_at_its_end(brisk_grading: GradingContext) -> None:
    solution = (SOLUTION / "tr2b.c").read_text(encoding="utf-8")
    talkative = solution.replace(
        "int main(int argc, char *argv[])\n{", 'int main(int argc, char *argv[])\n{\n    printf("start\\n");'
    )
    assert talkative != solution
    sources = {"tr2b": talkative.encode(), "tr2u": (SOLUTION / "tr2u.c").read_bytes()}
    report = grade(brisk_grading, Submission("start", {program: Source(data) for program, data in sources.items()}))
    assert not {cause.name for cause in report.causes} & {
        "extra-0xff-at-end",
        "extra-nul-at-end",
        "extra-newline-at-end",
    }


def test_who_looks_for_a_tracer_is_caught_where_there_is_none(brisk_grading: GradingContext) -> None:
    hostile = (HOSTILE / "tr2u-fails-syscalls+calls" / "evasion-maps-its-input-unless-traced.c").read_bytes()
    sources = {"tr2b": (SOLUTION / "tr2b.c").read_bytes(), "tr2u": hostile}
    report = grade(brisk_grading, Submission("aware", {program: Source(data) for program, data in sources.items()}))
    assert with_status(report, "failed") == {"tr2u.syscalls", "tr2u.calls"}
