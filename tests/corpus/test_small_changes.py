"""Where no fix of a known bug works, a small change of the source is tried, and said if it repairs what failed."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping

import pytest

from grader.explain import source_search, trials
from grader.explain.source_patterns import Question, search_sources
from grader.grading.pipeline import GradingContext
from grader.model.lab import Lab
from grader.model.proof_words import LEFT
from grader.model.report import Report
from grader.model.spec.expectations import Expected
from grader.model.spec.lab import Spec
from grader.model.submission import Source, Submission
from grader.render.views.problems import problems
from grader.sandbox.base import Sandbox
from tests.conftest import Measure
from tests.sample import mostly_slow, partly_rare
from tests.waits import ENDS_S

from .test_proofs import graded, submission_of

Grading = Callable[[Sandbox], GradingContext]

RIGHT = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void refuse(const char *why)
{
    fprintf(stderr, "tr2b: %s\\n", why);
    exit(1);
}
static int looked_up(int c, const char *from, const char *to)
{
    int at;
    for (at = 0; from[at] != 0; at++)
        if ((unsigned char)from[at] == c)
            return (unsigned char)to[at];
    return c;
}
int main(int argc, char **argv)
{
    int i, j, c;
    if (argc < 3 || argc > 3)
        refuse("two operands, please");
    if (strlen(argv[1]) != strlen(argv[2]))
        refuse("lengths");
    for (i = 0; argv[1][i] != 0; i++) {
        for (j = 0; j < i; j++) {
            if (argv[1][i] == argv[1][j])
                refuse("twice");
        }
    }
    while ((c = getchar()) != EOF) {
        putchar(looked_up(c, argv[1], argv[2]));
    }
    return 0;
}
"""

WRONG = {
    "or": ("argc < 3 || argc > 3", "argc < 3 && argc > 3", "With `||` instead of `&&` in line 20 of tr2b.c"),
    "typo": (
        "argc < 3 || argc > 3",
        "argc =! 3",
        "With `!=` instead of `=!` in line 20 of tr2b.c",
    ),
    "bound": ("j < i", "j <= i", "With `<` instead of `<=` in line 25 of tr2b.c"),
    # Python refuses to read so many digits as a number.
    "digits": (
        "        for (j = 0; j < i; j++) {",
        f"        i = i == {'9' * 6_000} ? 0 : i;\n        for (j = 0; j <= i; j++) {{",
        "With `<` instead of `<=` in line 26 of tr2b.c",
    ),
    "leftover": (
        "        putchar(looked",
        '        printf("%d", c);\n        putchar(looked',
        'Without `printf("%d", c);` in line 31 of tr2b.c',
    ),
    "found": (
        "    while ((c = getchar()) != EOF) {\n        putchar(looked_up(c, argv[1], argv[2]));\n",
        """\
    int k = 0;
    while ((c = getchar()) != EOF) {
        while (argv[1][k] != 0 && (unsigned char)argv[1][k] != c) { k = k + 1; }
        putchar(argv[1][k] != 0 ? argv[2][k] : c);
""",
        "With `k = 0;` at the beginning of the body of the `while` in line 31 of tr2b.c",
    ),
    # All copies are right, and only the calls are wrong.
    "flushed": (
        "        putchar(looked_up(c, argv[1], argv[2]));\n",
        "        putchar(looked_up(c, argv[1], argv[2]));\n        if (c == 'e')\n            fflush(stdout);\n",
        "Without `fflush(stdout);` in line 33 of tr2b.c",
    ),
    "swapped": (
        "argv[1][i] == argv[1][j]",
        "argv[1][i] != argv[1][j]",
        "With `==` instead of `!=` in line 26 of tr2b.c",
    ),
    "operand": (
        "looked_up(c, argv[1], argv[2])",
        "looked_up(c, argv[1], argv[1])",
        "With `2` instead of the second `1` in line 31 of tr2b.c",
    ),
    # A check that the program has itself is changed, and no other one added.
    "measured twice": (
        "strlen(argv[1]) != strlen(argv[2])",
        "strlen(argv[1]) != strlen(argv[1])",
        "With `2` instead of the second `1` in line 22 of tr2b.c",
    ),
    "range": ("j < i", "j < i - 1", "With `<=` instead of `<` in line 25 of tr2b.c"),
    "no else": (
        "        putchar(looked_up(c, argv[1], argv[2]));\n",
        "        char *at = strchr(argv[1], c);\n        if (at)\n            putchar(argv[2][at - argv[1]]);\n",
        "With `else putchar(c);` at the end of the `if` in line 33 of tr2b.c",
    ),
    "empty table": (
        "    while ((c = getchar()) != EOF) {\n        putchar(looked_up(c, argv[1], argv[2]));\n",
        """\
    unsigned char table[256] = {0};
    for (i = 0; argv[1][i] != 0; i++)
        table[(unsigned char)argv[1][i]] = argv[2][i];
    while ((c = getchar()) != EOF) {
        putchar(table[c]);
""",
        "With `for (int i = 0; i < 256; i++) table[i] = i;` before the statement in line 31 of tr2b.c",
    ),
    "write in a search": (
        "        putchar(looked_up(c, argv[1], argv[2]));\n",
        """\
        const char *to = argv[2];
        for (i = 0; argv[1][i] != 0; i++)
            if ((unsigned char)argv[1][i] == c)
                putchar(to[i]);
        putchar(c);
""",
        "With `{ c = to[i]; break; }` instead of `putchar(to[i]);` in line 34 of tr2b.c",
    ),
    "byte behind": (
        "    while ((c = getchar()) != EOF) {\n        putchar(looked_up(c, argv[1], argv[2]));\n    }",
        """\
    static int table[256], next;
    for (i = 0; i < 256; i++)
        table[i] = looked_up(i, argv[1], argv[2]);
    if ((c = getchar()) == EOF)
        return 0;
    while ((next = getchar()) != EOF) {
        putchar(table[c]);
        c = next;
    }""",
        "With `putchar(table[c]);` after the `while` in line 38 of tr2b.c",
    ),
    "constant": (
        "        putchar(looked_up(c, argv[1], argv[2]));\n",
        """\
        int found = looked_up(c, argv[1], argv[2]);
        if (found != c)
            c = found;
        else
            c = '.';
        putchar(c);
""",
        "Without `c = '.';` in line 35 of tr2b.c",
    ),
    "first round": (
        """\
        for (j = 0; j < i; j++) {
            if (argv[1][i] == argv[1][j])
                refuse("twice");
        }
""",
        """\
        for (j = 0; j < i; j++) {
            if (argv[1][i] == argv[1][j])
                refuse("twice");
            else
                break;
        }
""",
        "Without the `else` and its `break;` in lines 28 and 29 of tr2b.c",
    ),
    "either of two": (
        "        putchar(looked_up(c, argv[1], argv[2]));\n",
        """\
        if (c == 0 || c == 13)
            continue;
        putchar(looked_up(c, argv[1], argv[2]));
""",
        "Without `if (c == 0 || c == 13) continue;` in lines 31 and 32 of tr2b.c",
    ),
    "7 bits": (
        "(unsigned char)from[at] == c",
        "(from[at] & 0x7f) == c",
        (
            "With `(unsigned char)from[at]` instead of `from[at] & 0x7f` (seven bits cannot hold half of all "
            "byte values) in line 13 of tr2b.c"
        ),
    ),
}

NOT_REFUSED = {
    "bytes": (
        "j = 0; j < i",
        "j = i; j < i",
        "Line 26 of tr2b.c compares two bytes, but lets a first operand with a byte twice through.",
    ),
    "entries": (
        "for (j = 0; j < i; j++) {\n            if (argv[1][i] == argv[1][j])\n",
        "static char seen[256]; {\n            if (seen[(unsigned char)argv[1][i]])\n",
        "Line 26 of tr2b.c looks at an entry of an array, but lets a first operand with a byte twice through.",
    ),
    "no check": (
        '            if (argv[1][i] == argv[1][j])\n                refuse("twice");\n',
        "            continue;\n",
        "With a check, if argc is 3, that FROM has no byte twice,",
    ),
}

NOTHING = {
    "a mistake of structure": ("putchar(looked_up(c, argv[1], argv[2]));", "putchar(c ^ 1 ^ (c >> 3));"),
    "what varies": ("putchar(looked_up(c, argv[1], argv[2]));", "int d; if (c > 300) d = 1; putchar(d);"),
}


def source(old: str, new: str) -> bytes:
    assert RIGHT.count(old) == 1
    return RIGHT.replace(old, new).encode()


def sentences(report: Report) -> list[str]:
    proofs = [cause.proof.sentence for cause in report.causes if cause.proof is not None]
    return [*proofs, *(one.advice for one in report.symptoms if " of tr2b.c, the check" in one.advice)]


@pytest.mark.parametrize("name", mostly_slow(WRONG, quick={"or", "first round"}))
def test_a_change_that_repairs_is_said(name: str, local_sandbox: Sandbox, small_grading: Grading) -> None:
    old, new, says = WRONG[name]
    report = graded(
        small_grading(local_sandbox), submission_of(name, "tr2b", source(old, new)), "tr2b", stops_early=True
    )
    said = sentences(report)
    assert [f"{says}, the check" in one for one in said] == [True], said
    # The sentence names no check that was not run, and none that passed before.
    failed = {check.name for check in report.checks if check.status == "failed"}
    named = said[0].partition("the check")[2].removeprefix("s").rpartition(" pass")[0]
    words = named.replace(" and ", ", ").strip().split(", ")
    assert {one for one in words if not one.endswith(" more")} <= failed


@pytest.fixture(scope="module")
def stated_grading(
    local_sandbox: Sandbox, small: Spec, small_inputs: Mapping[str, bytes], measure: Measure
) -> GradingContext:
    """The small lab, with status and outputs in place of the words for what a case expects."""
    stated = {
        "reference-output": Expected(status=0, stdout="reference-output"),
        "operand-error": Expected(status={"not": 0}, stdout="empty"),
    }
    cases = {
        name: case.model_copy(update={"expect": stated.get(str(case.expect), case.expect)})
        for name, case in small.cases.items()
    }
    lab = small.model_copy(update={"cases": cases})
    return GradingContext(Lab(lab, small_inputs, measure(lab, local_sandbox, small_inputs)), local_sandbox)


@pytest.mark.parametrize("name", mostly_slow(["or", "found", "bound"], quick={"or"}))
def test_a_case_that_states_status_and_outputs_is_repaired_as_one_that_names_them(
    name: str, stated_grading: GradingContext
) -> None:
    old, new, says = WRONG[name]
    report = graded(stated_grading, submission_of(name, "tr2b", source(old, new)), "tr2b", stops_early=True)
    assert [f"{says}, the check" in one for one in sentences(report)] == [True], sentences(report)


THREE_TYPES = (
    (
        "static int looked_up(int c, const char *from, const char *to)",
        "static char *from, *to;\nstatic int next(void)",
    ),
    ("    int at;\n    for (at", "    int at;\n    char c = getchar();\n    for (at"),
    ("(unsigned char)from[at]", "from[at]"),
    ("(unsigned char)to[at]", "to[at]"),
    ("while ((c = getchar()) != EOF)", "from = argv[1];\n    to = argv[2];\n    while ((c = next()) != EOF)"),
    ("putchar(looked_up(c, argv[1], argv[2]));", "putchar(c);"),
)
"""The byte that is read and both operands are chars: with an int alone, bytes from 0x80 on would not be found."""


@pytest.mark.slow
def test_three_types_are_changed_one_after_another(
    local_sandbox: Sandbox, whole_grading: Grading, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The third is found near the end of the CPU time, which a slow machine uses up before.
    monkeypatch.setattr(trials, "BUDGET_S", 4 * trials.BUDGET_S)
    data = RIGHT
    for old, new in THREE_TYPES:
        assert data.count(old) == 1
        data = data.replace(old, new)
    report = graded(
        whole_grading(local_sandbox), submission_of("three-types", "tr2b", data.encode()), "tr2b", stops_early=True
    )
    proofs = [*(cause.proof for cause in report.causes), *(symptom.proof for symptom in report.symptoms)]
    said = " ".join(proof.sentence for proof in proofs if proof is not None)
    for words in ("`int` as the type of `c`", "`unsigned char *` as the type of `from`", "type of `to`"):
        assert words in said
    assert LEFT not in said


@pytest.mark.parametrize("name", partly_rare(NOT_REFUSED))
def test_no_check_is_added_to_one_that_the_program_has(
    name: str, local_sandbox: Sandbox, whole_grading: Grading
) -> None:
    old, new, says = NOT_REFUSED[name]
    report = graded(
        whole_grading(local_sandbox), submission_of(name, "tr2b", source(old, new)), "tr2b", stops_early=True
    )
    [said] = sentences(report)
    assert said.startswith(says)
    assert ("Once this is refused, the check" in said) is (name != "no check")
    assert [(cause.certainty, cause.lines) for cause in report.causes] == [("proven", ())]


MOSTLY = {
    "a certain cause": (WRONG["operand"], "The input is copied unchanged: no byte is translated"),
    # The change repairs another certain cause completely, which costs less.
    "of two causes": (
        (
            "if (strlen(argv[1]) != strlen(argv[2]))",
            "if (strlen(argv[1]) == strlen(argv[2]))",
            "With `!=` instead of `==` in line 22 of tr2b.c",
        ),
        "With correct operands the program reports an error and copies nothing",
    ),
    "a symptom": (WRONG["found"], "tr2b begins each search of FROM where the search for the previous byte ended"),
}


SECOND = {
    "repaired": (
        "c",
        ". Also with `c` cast to `char` (both are chars) in line ",
        " the check byte-high passes.",
    ),
    "left": ("(c < 128 ? c : 999)", " pass; left to repair: ", "byte-high, which still fails."),
}


@pytest.mark.parametrize("kind", SECOND)
@pytest.mark.parametrize("name", partly_rare(MOSTLY))
def test_a_change_that_repairs_most_of_a_problem_is_shown_with_it(
    name: str, kind: str, local_sandbox: Sandbox, whole_grading: Grading
) -> None:
    (old, new, says), title = MOSTLY[name]
    compared, then, end = SECOND[kind]
    code = (
        source(old, new)
        .replace(b"(unsigned char)from[at] == c", f"from[at] == {compared}".encode())
        .replace(b"(unsigned char)argv[1][k] != c", f"argv[1][k] != {compared}".encode())
    )
    report = graded(whole_grading(local_sandbox), submission_of(name, "tr2b", code))
    first = problems(report)[0]
    assert first.title.startswith(title)
    assert first.certainty == "proven"
    assert first.proof is not None
    sentence = first.proof.sentence
    assert sentence.startswith(f"{says}, the checks text, operands, ")
    assert then in sentence
    assert sentence.endswith(end)
    assert not any(other.proof is not None and says in other.proof.sentence for other in problems(report)[1:])


def both(old: str, new: str) -> Submission:
    """Return a submission whose programs have the same mistake."""
    copying = {
        "#include <string.h>": "#include <string.h>\n#include <unistd.h>",
        "int i, j, c;": "int i, j; unsigned char c;",
        "while ((c = getchar()) != EOF) {": "while (read(0, &c, 1) == 1) {",
        "putchar(looked_up(c, argv[1], argv[2]));": "c = looked_up(c, argv[1], argv[2]); write(1, &c, 1);",
        "tr2b": "tr2u",
    }
    texts = {"tr2b": RIGHT.replace(old, new), "tr2u": RIGHT.replace(old, new)}
    for before, after in copying.items():
        texts["tr2u"] = texts["tr2u"].replace(before, after)
    return Submission("both", {name: Source(text.encode()) for name, text in texts.items()})


def tr2u_with(*replaced: tuple[bytes, bytes]) -> Submission:
    """Return a right tr2u in which some bytes are replaced."""
    right = both("j < i", "j < i").sources["tr2u"]
    assert isinstance(right, Source)
    data = right.data
    for old, new in replaced:
        assert old in data
        data = data.replace(old, new)
    return submission_of("changed", "tr2u", data)


@pytest.mark.slow
def test_a_bug_of_both_programs_is_repaired_in_both(local_sandbox: Sandbox, whole_grading: Grading) -> None:
    report = graded(whole_grading(local_sandbox), both("j < i", "j <= i"))
    (cause,) = report.causes
    assert (cause.certainty, cause.proof is not None) == ("proven", True)
    assert [(line.file, line.number) for line in cause.lines] == [("tr2b.c", 25), ("tr2u.c", 26)]
    assert {check.id for check in report.checks if check.status == "failed"} == {*cause.checks}
    sentence = cause.proof.sentence if cause.proof else ""
    assert sentence.startswith("With `<` instead of `<=` in line 25 of tr2b.c and in line 26 of tr2u.c, the checks ")


@pytest.mark.slow
def test_a_bug_that_is_repaired_in_one_program_only_keeps_its_certainty(
    local_sandbox: Sandbox, whole_grading: Grading
) -> None:
    submission = both("j < i", "j <= i")
    source = submission.sources["tr2u"]
    assert isinstance(source, Source)
    text = source.data.replace(b"if (argv[1][i] == argv[1][j])", b"if (argv[1][i])")
    other = {**submission.sources, "tr2u": Source(text)}
    report = graded(whole_grading(local_sandbox), Submission("other", other))
    assert [(cause.certainty, cause.proof) for cause in report.causes] == [("certain", None)]


@pytest.mark.slow
def test_a_write_of_more_than_a_variable_of_one_byte_is_repaired(
    local_sandbox: Sandbox, small_grading: Grading
) -> None:
    submission = tr2u_with((b"write(1, &c, 1)", b"write(1, &c, sizeof(c) + 1)"))
    report = graded(small_grading(local_sandbox), submission, "tr2u", stops_early=True)
    said = [one.advice for one in report.symptoms]
    assert any(
        one.startswith("With `1` instead of `sizeof(c) + 1` as the number of bytes in line 32 of tr2u.c, the checks ")
        for one in said
    ), said


@pytest.mark.slow  # it does not end
def test_a_break_that_leaves_only_a_switch_is_repaired(local_sandbox: Sandbox, small_grading: Grading) -> None:
    switch = b"for (;;) {\nswitch (read(0, &c, 1)) { case 0: break; }"
    submission = tr2u_with((b"while (read(0, &c, 1) == 1) {", switch))
    report = graded(small_grading(local_sandbox), submission, "tr2u", stops_early=True)
    said = [cause.proof.sentence for cause in report.causes if cause.proof] + [one.advice for one in report.symptoms]
    assert any(
        one.startswith(
            "With `return 0` instead of `break` (a `break` leaves only the `switch`) in line 32 of tr2u.c, the "
        )
        for one in said
    ), said


@pytest.mark.slow  # it waits for input from its output
def test_descriptors_that_are_exchanged_where_they_are_declared_are_repaired(
    local_sandbox: Sandbox, small_grading: Grading
) -> None:
    submission = tr2u_with(
        (b"int i, j;", b"int i, j, in = 1, out = 0;"), (b"read(0,", b"read(in,"), (b"write(1,", b"write(out,")
    )
    report = graded(small_grading(local_sandbox), submission, "tr2u", stops_early=True)
    said = [one.advice for one in report.symptoms]
    assert any(
        one.startswith("With `0` as `in` and `1` as `out` in line 20 of tr2u.c, the checks ") for one in said
    ), said


@pytest.mark.slow
@pytest.mark.parametrize("name", NOTHING)
def test_without_a_repair_nothing_is_said(name: str, local_sandbox: Sandbox, small_grading: Grading) -> None:
    report = graded(
        small_grading(local_sandbox), submission_of(name, "tr2b", source(*NOTHING[name])), "tr2b", stops_early=True
    )
    assert any(check.status == "failed" for check in report.checks)
    assert [one for one in sentences(report) if "instead of" in one or "ithout" in one] == []


def test_for_a_right_program_nothing_is_looked_for(
    local_sandbox: Sandbox, small_grading: Grading, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_search, "search_sources", pytest.fail)
    report = graded(small_grading(local_sandbox), submission_of("right", "tr2b", RIGHT.encode()))
    assert {check.status for check in report.checks} == {"passed"}


@pytest.mark.parametrize("standard", ["c90", "gnu90", "c99", "gnu17"])
def test_the_copy_with_all_changes_compiles_in_every_standard(standard: str) -> None:
    (found,) = search_sources([Question(RIGHT.encode("ascii"))])
    assert found.changes is not None
    command = ["gcc", f"-std={standard}", "-pedantic-errors", "-w", "-fsyntax-only", "-x", "c", "-"]
    subprocess.run(command, input=found.changes.copy_with_all, check=True, timeout=ENDS_S)
