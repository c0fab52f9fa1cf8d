"""The sentence on a proof and the instruction: what differs only in the file and its lines is said once."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import grader
from grader.model.proof_words import instruction_of, sentence_of
from grader.model.report import Proof, ProofChange, ProofStep

SWAPPED = ProofChange(says="with `<` instead of `<=`", verb="write", order="`<` instead of `<=`", lines=(25,))
REMOVED = ProofChange(says="without the `!`", verb="remove", order="the `!`", because="it negates", lines=(3, 5))
ADDED = ProofChange(
    says="with a check, at the beginning of `main`", verb="add", order="a check, at the beginning of `main`"
)


def step(*changes: ProofChange, file: str = "b.c", passes: str = "the check x passes", left: str = "") -> ProofStep:
    return ProofStep(file=file, changes=changes, passes=passes, left=left)


def elsewhere(change: ProofChange, line: int) -> ProofChange:
    return change.model_copy(update={"lines": (line,)})


@pytest.mark.parametrize(
    ("steps", "sentence", "instruction"),
    [
        (
            [step(SWAPPED)],
            "With `<` instead of `<=` in line 25 of b.c, the check x passes.",
            "Write `<` instead of `<=` in line 25. Then the check x passes.",
        ),
        (
            [step(SWAPPED), step(elsewhere(SWAPPED, 26), file="u.c")],
            "With `<` instead of `<=` in line 25 of b.c and in line 26 of u.c, the check x passes.",
            "Write `<` instead of `<=` in line 25 of b.c and in line 26 of u.c. Then the check x passes.",
        ),
        (
            [step(SWAPPED), step(REMOVED, file="u.c")],
            (
                "With `<` instead of `<=` in line 25 of b.c, the check x passes."
                " Without the `!` (it negates) in lines 3 and 5 of u.c, the check x passes."
            ),
            (
                "Write `<` instead of `<=` in line 25 of b.c. Then the check x passes."
                " Remove the `!` (it negates) in lines 3 and 5 of u.c. Then the check x passes."
            ),
        ),
        (
            [step(ADDED), step(ADDED, file="u.c")],
            "With a check, at the beginning of `main` of b.c and of u.c, the check x passes.",
            "Add a check, at the beginning of `main` of b.c and of u.c. Then the check x passes.",
        ),
        (
            [step(SWAPPED, REMOVED, elsewhere(REMOVED, 9))],
            (
                "With `<` instead of `<=` in line 25, without the `!` (it negates) in lines 3 and 5"
                " and without the `!` in line 9 of b.c, the check x passes."
            ),
            (
                "Write `<` instead of `<=` in line 25, remove the `!` in lines 3 and 5"
                " and the `!` in line 9 of b.c. Then the check x passes."
            ),
        ),
        (
            [step(SWAPPED), step(REMOVED, passes="the check y passes", left="z, which still fails")],
            (
                "With `<` instead of `<=` in line 25 of b.c, the check x passes."
                " Also without the `!` (it negates) in lines 3 and 5 of b.c, the check y passes;"
                " left to repair: z, which still fails."
            ),
            (
                "Write `<` instead of `<=` in line 25. Then the check x passes."
                " Also remove the `!` (it negates) in lines 3 and 5. Then the check y passes;"
                " left to repair: z, which still fails."
            ),
        ),
    ],
    ids=["one", "the same in two files", "two files", "without a line", "several changes", "one after another"],
)
def test_a_proof_has_a_sentence_and_an_instruction(steps: list[ProofStep], sentence: str, instruction: str) -> None:
    proof = Proof(sentence=sentence_of(steps), checks=(), steps=tuple(steps))
    assert proof.sentence == sentence
    assert instruction_of(proof) == instruction


def test_a_sentence_of_another_form_is_the_instruction() -> None:
    assert instruction_of(Proof(sentence="Line 7 lets it through.", checks=())) == "Line 7 lets it through."
    assert instruction_of(None) == ""


TEXTS = {"sentence", "advice", "does", "hint", "message", "problem", "summary", "derivation", "title", "says"}
"""What the sentences of the grader are called, as an attribute or a variable."""

READS = {"startswith", "endswith", "removeprefix", "partition", "rpartition", "split", "rsplit", "find", "replace"}
SEARCHES = {"search", "match", "fullmatch", "findall", "finditer", "sub"}

READERS = {
    # A checker of memory, gcc and a YAML parser write these.
    ("diagnose/behaviour/findings.py", "_freed_otherwise"),
    ("diagnose/behaviour/findings.py", "_near_the_stack"),
    ("diagnose/behaviour/findings.py", "_wrong_address"),
    ("diagnose/behaviour/findings.py", "name"),
    ("judge/build.py", "_file_of"),
    ("judge/build.py", "_is_at_start"),
    ("judge/compile_errors.py", "advice_on"),
    ("lab/yaml_document.py", "_advice"),
    ("render/text/gcc_messages.py", "first_of"),
    ("render/views/warnings.py", "_option"),
    ("render/views/warnings.py", "_place"),
    # People write these: patterns, the pages of known bugs, and notebooks. A program writes its message.
    ("diagnose/source/patterns.py", "_words"),
    ("diagnose/behaviour/text_outputs.py", "kind_of_text"),
    ("notebook/tables.py", "_without_errors"),
    ("render/views/problems.py", "_without_guesses"),
    # They give a sentence its subject, leave out its beginning, or mark what is code in it.
    ("diagnose/behaviour/sentences.py", "_calls"),
    ("diagnose/behaviour/sentences.py", "about"),
    ("gradescope/results/evidence.py", "with_code"),
    ("intake/reading.py", "_notebook"),
    ("judge/cases.py", "_failed_message"),
    ("render/views/problems.py", "_unbuilt"),
    # They print nothing twice.
    ("gradescope/results/check.py", "_evidence_says_message"),
    ("render/terminal/evidence.py", "_case"),
    ("render/terminal/report.py", "_details"),
    ("render/text/phrases.py", "programs_words"),
    # These are no sentences: the name of a state, the sections of a page, and advice by check.
    ("batch/gradebook_file.py", "_lock_and_check"),
    ("diagnose/behaviour/symptoms.py", "with_lines"),
    ("gradescope/results/cause_page.py", "prose_of"),
}
"""The functions that may look at such a text."""


def _is_text(node: ast.AST) -> bool:
    return (isinstance(node, ast.Attribute) and node.attr in TEXTS) or (
        isinstance(node, ast.Name) and node.id in TEXTS
    )


def _reads_text(node: ast.AST) -> bool:
    """Return whether a text is compared or searched, and not only written or handed on."""
    if isinstance(node, ast.Compare):
        is_asked = any(isinstance(one, ast.Eq | ast.NotEq | ast.In | ast.NotIn) for one in node.ops)
        return is_asked and any(map(_is_text, [node.left, *node.comparators]))
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    called = node.func
    return (called.attr in READS and _is_text(called.value)) or (
        called.attr in SEARCHES and any(map(_is_text, node.args))
    )


def test_nothing_reads_what_a_sentence_means() -> None:
    """Symptoms, findings, lines, checks and proofs have fields for what they mean."""
    package = Path(grader.__file__).parent
    found = {
        (path.relative_to(package).as_posix(), function.name)
        for path in package.rglob("*.py")
        for function in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(function, ast.FunctionDef) and any(map(_reads_text, ast.walk(function)))
    }
    assert found == READERS


@pytest.mark.parametrize(
    ("code", "reads"),
    [
        ('" NUL" in symptom.sentence', True),
        ("advice == EVERY_CASE", True),
        ("symptom.advice.startswith(VARIES)", True),
        ("LATE.search(finding.message)", True),
        ('check.message.replace("it", "he")', True),
        ("symptom.sentence if symptom.advice else line.does", False),
        ('" ".join([symptom.sentence, finding.message])', False),
        ("symptom.id in VAGUE", False),
    ],
)
def test_a_comparison_or_a_search_of_a_sentence_is_seen(code: str, *, reads: bool) -> None:
    assert any(map(_reads_text, ast.walk(ast.parse(code)))) == reads


def test_only_what_makes_it_and_its_advice_have_the_sentence_of_a_proof() -> None:
    """Its parts are in `steps`. What repairs a symptom is its advice as well, as it was before it had a proof."""
    package = Path(grader.__file__).parent
    readers = {path.name for path in package.rglob("*.py") if "proof.sentence" in path.read_text("utf-8")}
    assert readers == {"credit.py", "proof_words.py"}
