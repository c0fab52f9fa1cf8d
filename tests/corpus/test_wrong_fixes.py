"""Changes that pass all cases, and are wrong beyond them or leave code without effect, are not called proven."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from grader.grading.pipeline import grade
from grader.grading.setup import RunConfig, prepare
from grader.lab.find import load_lab
from grader.model.report import Report
from grader.model.submission import Source, Submission
from grader.options import GradeOptions
from grader.sandbox.base import Sandbox
from tests.sample import mostly_slow

from .test_proofs import Grading, graded, submission_of

EXERCISES = Path(__file__).parents[1] / "exercises"
COUNTS_OPERANDS = "int main(int argc, char **argv)\n{\n    (void)argv;\n    if (argc < 2) {\n        return 1;\n    }"

WRONG_IN_EXERCISES = {
    # A check that should not exist at all; with another constant it is never true.
    **{
        f"operands of {exercise}": (exercise, "int main(void)\n{", COUNTS_OPERANDS, "`1` instead of `2`")
        for exercise in ("calculator", "count-digits", "leap-years", "palindromes", "sum-and-maximum")
    },
    "most primes": (
        "primes",
        "        if (is_prime(i)) {",
        "        if (count > 24) {\n            break;\n        }\n        if (is_prime(i) && count < 24) {",
        "`25` instead of `24`",
    ),
    "most numbers": (
        "sum-and-maximum",
        'while (scanf("%d", &number) == 1)',
        'while (count < 3 && scanf("%d", &number) == 1)',
        "`4` instead of `3`",
    ),
    "word of a letter": (
        "palindromes",
        "        if (is_palindrome(word)) {",
        "        if (strlen(word) == 1) {\n            continue;\n        }\n        if (is_palindrome(word)) {",
        "`0` instead of `1`",
    ),
    # The condition that should not exist has no effect any more.
    "stops": (
        "palindromes",
        "        if (is_palindrome(word)) {",
        (
            "        static int stop = 0;\n        if (stop) {\n            break;\n        }\n"
            "        if (strlen(word) > 4) {\n            stop = 1;\n        }\n        if (is_palindrome(word)) {"
        ),
        "`0` instead of `1`",
    ),
    "even numbers": (
        "primes",
        "        if (is_prime(i)) {",
        (
            "        int even = i % 2 == 0;\n        if (even) {\n            continue;\n        }\n"
            "        if (is_prime(i)) {"
        ),
        "ithout `% 2`",
    ),
    "as many words as letters": (
        "count-words",
        "        if (length == 0) {",
        "        if (words == longest && words > 0) {\n            break;\n        }\n        if (length == 0) {",
        "`<` instead of `>`",
    ),
}
"""Wrong programs by what they treat specially: the exercise, what to replace in its reference, and the wrong fix."""

RIGHT_IN_EXERCISES = {
    "longest": ("count-words", "length > longest)", "length > longest && length < 5)", "Without `&& length < 5`"),
    "divisor": ("calculator", "b != 0", "b > 2", "`>=` instead of `>`"),
    "label": ("count-digits", '"digits: %d\\n"', '"digits: %d"', '"digits: %d\\n"'),
}
"""The same for fixes that are right as far as anybody can see."""

TR2B = """\
#include <stdio.h>
#include <string.h>

int main(int argc, char *argv[])
{
    if (argc != 3) {
        fprintf(stderr, "usage: tr2b from to\\n");
        return 1;
    }
    char *from = argv[1], *to = argv[2];
    int n = strlen(from), c;
    if (n != (int)strlen(to)) {
        fprintf(stderr, "tr2b: lengths differ\\n");
        return 1;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (from[i] == from[j]) {
                fprintf(stderr, "tr2b: duplicate byte\\n");
                return 1;
            }
    while ((c = getchar()) != EOF) {
        for (int i = 0; i < n; i++)
            if ((unsigned char)from[i] == c) {
                c = (unsigned char)to[i];
                break;
            }
        putchar(c);
    }
    return 0;
}
"""

_COPIES = "    while ((c = getchar())"
WRONG_IN_TR2 = {
    "twice in the second operand": (
        _COPIES,
        f"    for (int i = 1; i < n; i++)\n        if (to[i] == to[i - 1])\n            return 0;\n{_COPIES}",
        "`n` instead of the first `i`",
    ),
    "the same byte in both operands": (
        _COPIES,
        f"    for (int i = 0; i < n; i++)\n        if (from[i] == to[i + 1])\n            return 0;\n{_COPIES}",
        "`from` instead of `to`",
    ),
    "two operands": (_COPIES, f"    if (argc < 4)\n        return 0;\n{_COPIES}", "`3` instead of `4`"),
    "first byte": (
        "                break;\n",
        "                if (i > 0)\n                    break;\n",
        "`>=` instead of `>`",
    ),
}

RIGHT_IN_TR2 = {
    "counts": ("argc != 3", "argc > 3", "`!=` instead of `>`"),
    "lengths": ("n != (int)strlen(to)", "n > (int)strlen(to)", "`!=` instead of `>`"),
    "itself": ("j < i", "j <= i", "`<` instead of `<=`"),
    "twice in both operands": (
        "from[i] == from[j]",
        "from[i] == from[j] || to[i] == to[j]",
        "Without `|| to[i] == to[j]`",
    ),
}


def proven(report: Report) -> str:
    """Return all sentences on fixes of a report."""
    sentences = [cause.proof.sentence for cause in report.causes if cause.proof is not None]
    return " ".join([*sentences, *(symptom.advice for symptom in report.symptoms)])


def in_exercise(exercise: str, old: str, new: str, sandbox: Sandbox) -> str:
    spec, files = load_lab(str(EXERCISES / exercise / "lab"))
    [program] = spec.programs
    source = (files.solution / spec.programs[program].main_source).read_text("utf-8")
    assert not old or source.count(old) == 1
    submission = Submission("wrong", {program: Source((source.replace(old, new) if old else new).encode())})
    grading = prepare(RunConfig(spec, files, use_cache=False), sandbox, print)
    report = grade(grading, submission, GradeOptions(stops_early=True))
    assert [check for check in report.checks if check.status == "failed"]
    return proven(report)


@pytest.mark.parametrize("name", mostly_slow(WRONG_IN_EXERCISES, quick={"most numbers"}))
def test_a_wrong_fix_of_an_exercise_is_not_proven(name: str, local_sandbox: Sandbox) -> None:
    exercise, old, new, fix = WRONG_IN_EXERCISES[name]
    assert fix not in in_exercise(exercise, old, new, local_sandbox)


@pytest.mark.parametrize("name", mostly_slow(RIGHT_IN_EXERCISES, quick={"longest"}))
def test_a_right_fix_of_an_exercise_is_proven(name: str, local_sandbox: Sandbox) -> None:
    exercise, old, new, fix = RIGHT_IN_EXERCISES[name]
    assert fix in in_exercise(exercise, old, new, local_sandbox)


BEHIND_THE_LAST = """\
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int *numbers = malloc(100 * sizeof(int));
    int n = 0, sum = 0, max, i;

    while (scanf("%d", &numbers[n]) == 1) {
        n++;
    }
    if (n == 0) {
        printf("no numbers\\n");
        return 0;
    }
    max = numbers[0];
    for (i = 0; i <= n; i++) {
        sum += numbers[i];
        if (numbers[i] > max) {
            max = numbers[i];
        }
    }
    printf("sum: %d\\n", sum);
    printf("max: %d", max);
    return 0;
}
"""

TOO_SHORT = """\
#include <stdio.h>
#include <string.h>

int main(void)
{
    char word[4];
    int words = 0;
    int longest = 0;

    while (scanf("%s", word) == 1) {
        int length = strlen(word);
        words++;
        if (length > longest) {
            longest = length;
        }
    }
    printf("words: %d\\n", words);
    printf("longest: %d", longest);
    return 0;
}
"""


def test_a_memory_error_is_repaired_with_another_mistake(local_sandbox: Sandbox) -> None:
    said = in_exercise("sum-and-maximum", "", BEHIND_THE_LAST, local_sandbox)
    assert "`<` instead of `<=` in line 17" in said
    assert '`"max: %d\\n"` instead of' in said


def test_a_memory_error_that_no_case_shows_hides_no_other_mistake(local_sandbox: Sandbox) -> None:
    assert '`"longest: %d\\n"` instead of' in in_exercise("count-words", "", TOO_SHORT, local_sandbox)


def in_tr2(replaced: Mapping[str, tuple[str, str, str]], name: str, grading: Grading, sandbox: Sandbox) -> str:
    old, new, _ = replaced[name]
    assert TR2B.count(old) == 1
    submission = submission_of(name, "tr2b", TR2B.replace(old, new).encode())
    return proven(graded(grading(sandbox), submission, "tr2b", stops_early=True))


@pytest.mark.parametrize("name", mostly_slow(WRONG_IN_TR2, quick={"two operands"}))
def test_a_wrong_fix_of_tr2_is_not_proven(name: str, local_sandbox: Sandbox, small_grading: Grading) -> None:
    assert WRONG_IN_TR2[name][-1] not in in_tr2(WRONG_IN_TR2, name, small_grading, local_sandbox)


@pytest.mark.parametrize("name", mostly_slow(RIGHT_IN_TR2, quick={"counts"}))
def test_a_right_fix_of_tr2_is_proven(name: str, local_sandbox: Sandbox, small_grading: Grading) -> None:
    assert RIGHT_IN_TR2[name][-1] in in_tr2(RIGHT_IN_TR2, name, small_grading, local_sandbox)
