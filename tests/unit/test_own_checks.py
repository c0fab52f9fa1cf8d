"""What a program checks itself: only what ends the program counts, and what it does is said without more."""

from __future__ import annotations

from types import SimpleNamespace
from typing import get_args

import pytest

from grader.diagnose.source.c_source import CSource
from grader.diagnose.source.own_checks import OwnChecks, before_check, own_checks
from grader.diagnose.source.patterns import find
from grader.explain.proof_sentences import joined_proofs, of_own_checks
from grader.explain.related_lines import with_late_checks
from grader.explain.roles import patterns_of_roles, roles
from grader.judge.facts import Facts
from grader.judge.verdict import GradingEnvironment, judge
from grader.model.lab import Lab
from grader.model.proof_words import sentence_of
from grader.model.report import MistakeId, Proof, ProofChange, ProofStep, Report, SourceLine
from grader.model.spec.lab import Spec

from .facts import CRASH, LAB, facts, run
from .lab import DOCUMENT, INPUTS
from .render import factory

START = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define DIE(text) do { fputs(text, stderr); exit(1); } while (0)
static void die(void) { exit(2); }
static void warn(void) { fputs("warning", stderr); }
int main(int argc, char **argv)
{
    unsigned char *from = (unsigned char *)argv[1], seen[256] = {0};
    int c, i, j, n = strlen(argv[1]), m = strlen(argv[2]);
    die(); warn();
"""

LENGTHS, TWICE = ((b"ab", b"x"),), ((b"aa", b"xy"),)


def checked(line: str, operands: tuple[tuple[bytes, ...], ...]) -> OwnChecks | None:
    source = CSource(f"{START}{line}\n}}\n".encode())
    assert source.usable
    return own_checks(operands, found_in(source), roles())


def found_in(source: CSource) -> dict[str, list[list[int]]]:
    return {role: [place["lines"] for place in find(source, text)] for role, text in patterns_of_roles().items()}


@pytest.mark.parametrize("body", ["exit(1);", "{ warn(); return 2; }", "die();", 'DIE("no");', "goto end;"])
def test_a_comparison_that_ends_the_program_is_a_check(body: str) -> None:
    found = checked(f"if (n != m) {body}\nend: return 0;", LENGTHS)
    assert found is not None
    assert (found.lines, found.lets) == ((12,), "operands of different lengths")


@pytest.mark.parametrize("body", ["warn();", "return 0;", "n = m;"])
def test_a_comparison_that_ends_nothing_is_no_check(body: str) -> None:
    assert checked(f"if (n != m) {body}", LENGTHS) is None


@pytest.mark.parametrize(
    ("line", "does"),
    [
        ("for (i = 0; i < n; i++) if (from[i] == from[j]) exit(1);", "compares two bytes"),
        ("for (i = 0; i < n; i++) if (strchr(argv[1], from[i])) exit(1);", "searches for a byte"),
        ("for (i = 0; i < n; i++) if (seen[from[i]]) exit(1);", "looks at an entry of an array"),
    ],
)
def test_what_may_find_a_byte_that_appears_twice_is_a_check(line: str, does: str) -> None:
    found = checked(line, TWICE)
    assert found is not None
    assert (found.lines, found.does[0], found.lets) == ((12,), does, "a first operand with a byte twice")
    assert checked(line, LENGTHS) is None


@pytest.mark.parametrize(
    "line",
    [
        "if (from[0] == from[1]) exit(1);",
        "while ((c = getchar()) != EOF) for (i = 0; i < n; i++) if (from[i] == c) exit(1);",
        "for (i = 0; i < n; i++) if (from[i] == from[j]) j = 1;",
        *["\n".join(["for (i = 0; i < n; i++) if (from[i] == from[j]) exit(1);"] * 4)],
    ],
)
def test_what_is_another_check_or_unclear_is_none(line: str) -> None:
    assert checked(line, TWICE) is None


def added(*files: str, passes: str = "the checks x and y pass", left: str = "", lines: tuple[int, ...] = ()) -> Proof:
    change = ProofChange(says="with a check, at the beginning of `main`", verb="add", order="a check", lines=lines)
    steps = tuple(ProofStep(file=file, changes=(change,), passes=passes, left=left) for file in files)
    return Proof(sentence=sentence_of(steps), checks=(), steps=steps)


def test_the_sentence_has_the_checks_of_all_programs_and_what_passes() -> None:
    one = OwnChecks((3,), ("compares lengths", "compare lengths"), "lengths")
    two = one._replace(lines=(4, 9))
    of_one, of_both = (
        of_own_checks(added("u.c"), {"u.c": one}),
        of_own_checks(added("b.c", "u.c"), {"b.c": one, "u.c": two}),
    )
    assert of_one is not None
    assert of_one.sentence == (
        "Line 3 of u.c compares lengths, but lets lengths through. Once this is refused, the checks x and y pass."
    )
    assert of_both is not None
    assert of_both.sentence == (
        "Line 3 of b.c and lines 4 and 9 of u.c compare lengths, but let lengths through. "
        "Once this is refused, the checks x and y pass."
    )


@pytest.mark.parametrize(
    "proof",
    [
        added("u.c", lines=(3,)),
        added("u.c", left="y"),
        joined_proofs([added("b.c"), added("u.c", passes="the check z passes")]),
    ],
    ids=["a line", "left to repair", "two results"],
)
def test_a_proof_of_more_than_that_is_left(proof: Proof) -> None:
    assert of_own_checks(proof, {"u.c": OwnChecks((3,), ("compares", "compare"), "lengths")}) is None


LATE = """#include <stdlib.h>
#include <string.h>
static int helper(const char *text)
{
    return strlen(text);
}
int main(int argc, char **argv)
{
    size_t n = strlen(argv[1]), m = strlen(argv[2]);
    n += strlen(argv[1]);
    while (m > 9)
        m -= helper(argv[2]);
    if (n != m)
        exit(1);
    if (argc != 3 || n > 9)
        return 1;
    return helper(argv[1]);
}
"""

MISSING = ((), (b"ab",))


@pytest.mark.parametrize(
    ("line", "operands", "says"),
    [
        (9, MISSING, ", before line 15 checks argc"),
        (10, MISSING, ": it uses argv[1] before line 15 checks argc"),
        (12, LENGTHS, ": it uses argv[2] before line 13 compares the lengths"),
        (13, LENGTHS, ""),
        (17, MISSING, ""),
        (5, MISSING, ""),
        (5, LENGTHS, ""),
        (10, TWICE, ""),
        (10, (*MISSING, *LENGTHS), ""),
        (10, (), ""),
    ],
)
def test_a_check_in_the_same_function_may_come_too_late(
    line: int, operands: tuple[tuple[bytes, ...], ...], says: str
) -> None:
    assert late(LATE, line, operands) == says


def test_after_an_earlier_check_nothing_comes_too_late() -> None:
    weak = LATE.replace("    while (m > 9)", "    if (argc < 1) exit(1);\n    while (m > 9)")
    assert late(weak, 13, MISSING) == ""
    assert late(weak, 10, MISSING) == ": it uses argv[1] before line 11 checks argc"


@pytest.mark.parametrize(
    ("mistake", "operands"),
    [
        *((mistake, MISSING) for mistake in get_args(MistakeId) if mistake != "null"),
        *((mistake, LENGTHS) for mistake in ("", "null", "freed", "shift", "char-index", "unset")),
    ],
)
def test_a_mistake_that_such_operands_do_not_make_is_not_about_the_check(
    mistake: MistakeId, operands: tuple[tuple[bytes, ...], ...]
) -> None:
    assert late(LATE, 10, operands, mistake=mistake) == ""


@pytest.mark.parametrize(
    "line", ["n += strlen(from);", "from++, n += *from;", "n += strlen(rest);", "n += argv[2][0];"]
)
def test_an_operand_may_have_another_name(line: str) -> None:
    names = '    char *from = argv[1], *rest = from + 1, **other = argv; char *own = getenv("X");\n    n += 1;\n'
    text = LATE.replace("    n += strlen(argv[1]);\n", f"{names}    {line}\n")
    assert "before line 17 checks argc" in late(text, 12, MISSING)
    assert late(text, 11, MISSING) == ""
    assert late(text.replace(line, "n += strlen(own);"), 12, MISSING) == ""


@pytest.mark.parametrize(("needed", "is_late"), [(0, False), (1, False), (2, True), (3, True)])
def test_an_operand_is_missing_if_the_lab_needs_more(needed: int, *, is_late: bool) -> None:
    assert (late(LATE, 10, ((b"a",),), needed) != "") is is_late


@pytest.mark.parametrize(("cases", "is_late"), [(("refuse",), True), (("refuse", "copy"), False), (("copy",), False)])
def test_a_mistake_with_right_operands_has_nothing_to_do_with_their_check(
    cases: tuple[str, ...], *, is_late: bool
) -> None:
    given = {
        name: {**case, "operands": [] if name == "refuse" else ["a"]} for name, case in DOCUMENT["cases"].items()
    }
    spec = Spec.model_validate({**DOCUMENT, "cases": given})
    seen = facts(run("many.refuse", ending=CRASH), run("many.copy", ending=CRASH))
    lab = Lab(spec, INPUTS, LAB.reference)
    report = judge(Facts(lab, seen.submission, seen.evidence, {}), GradingEnvironment("none", None))
    checks = tuple(check.id for check in report.checks if check.program == "many" and check.status == "failed")
    finding = factory.finding(
        *checks,
        program="many",
        file="many.c",
        line=10,
        mistake="null",
        cases=cases,
        source=[SourceLine(number=10, text="n += strlen(argv[1]);")],
    )
    report = report.model_copy(update={"findings": (finding,)})
    [after] = with_late_checks(report, spec, Lines()).findings  # type: ignore[arg-type]
    assert (after.late_check is not None) is is_late


class Lines:
    """Stands for the search of a source."""

    def lines(self, _report: Report, _program: str) -> dict[str, list[SimpleNamespace]]:
        found = found_in(CSource(LATE.encode()))
        return {role: [SimpleNamespace(lines=tuple(place)) for place in some] for role, some in found.items()}


def late(
    text: str,
    line: int,
    operands: tuple[tuple[bytes, ...], ...],
    needed: int = 2,
    mistake: MistakeId | None = None,
) -> str:
    mistake = ("past-end" if operands == LENGTHS else "null") if mistake is None else mistake
    finding = factory.finding(
        line=line, mistake=mistake, source=[SourceLine(number=line, text=text.split("\n")[line - 1])]
    )
    found = before_check(finding, needed, operands, found_in(CSource(text.encode())))
    return "" if found is None else found[1]
