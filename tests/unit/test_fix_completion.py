"""A change of a fixed copy becomes a change of the source, and what a change must not do."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from grader.diagnose.source.edits import LIKELIEST, LOSS, Edit, fixed
from grader.explain.change_words import ChangeText
from grader.explain.confirmation import harms
from grader.explain.fix_completion import _in_source, _moves_lines, _with_changes
from grader.explain.source_patterns import FoundChange, FoundPlace
from grader.explain.trials import Fix, Trial, _is_cut
from grader.model.evidence import Evidence
from grader.model.report import CasesEvidence, Report
from grader.model.spec.cases import Case

from .facts import FAILURE, SUCCESS, captured, run
from .render import factory

SOURCE = b"char c;\nif (c == from[i])\n"
MADE = [Edit(0, 4, "int"), Edit(8, 8, "/* compares */ ")]
COPY = b"int c;\n/* compares */ if (c == from[i])\n"


def change(*edits: Edit, rank: int = LIKELIEST) -> FoundChange:
    return FoundChange("name", edits, rank, 7, ChangeText("name", "with this", "write", "this", "", (2,)))


def test_offsets_are_those_of_the_source() -> None:
    assert fixed(SOURCE, MADE) == COPY
    at = COPY.index(b"c ==")
    moved = _in_source((change(Edit(at, at, "(char)")),), MADE)
    assert moved is not None
    assert [one.number for one in moved] == [None]
    both = fixed(SOURCE, [*MADE, *(edit for one in moved for edit in one.edits)])
    assert both == COPY.replace(b"c ==", b"(char)c ==")


@pytest.mark.parametrize("edit", [Edit(1, 2, "x"), Edit(0, 3, "long"), Edit(9, 12, ""), Edit(2, 30, "")])
def test_what_the_fix_has_changed_is_not_changed_again(edit: Edit) -> None:
    assert _in_source((change(edit),), MADE) is None


def test_a_fix_that_moves_lines_is_not_completed() -> None:
    assert not _moves_lines(SOURCE, MADE)
    assert _moves_lines(SOURCE, [Edit(0, 0, "#include <string.h>\n")])
    assert _moves_lines(SOURCE, [Edit(7, 8, "")])


def test_the_places_of_both_are_kept() -> None:
    place = FoundPlace(
        lines=(1,), edits=(MADE[0],), says="with int", verb="write", order="int", one=False, proof=False
    )
    fix = Fix("tr2b", COPY, {"bug": (place,)})
    at = SOURCE.index(b"c ==")
    completed = _with_changes(fix, SOURCE, (change(Edit(at, at, "(char)")),), "bug")
    assert completed is not None
    assert completed.source == b"int c;\nif ((char)c == from[i])\n"
    assert [one.words.says for one in completed.places["bug"]] == ["with int", "with this"]
    assert _with_changes(fix, SOURCE, (change(Edit(2, 5, "")),), "bug") is None


COPIES, REFUSES = "one-pair", "duplicate-adjacent"
LAB: Any = SimpleNamespace(
    spec=SimpleNamespace(cases={COPIES: Case(), "letters": Case(), REFUSES: Case(expect="operand-error")})
)
CHECK = "tr2b.error-duplicate"


def reported(stderr: bytes, **changes: object) -> Report:
    """A report in which a program refused wrong operands, but not as it should, and its copy ended with success."""
    copied = factory.case(COPIES, expect="reference-output", passed=True, ending=SUCCESS, **changes)
    refused = factory.case(REFUSES, expect="operand-error", passed=False, ending=SUCCESS, stderr=stderr)
    evidence = CasesEvidence(cases=(copied, refused))
    return factory.report(checks=(factory.check(CHECK, "failed", evidence=evidence),))


def tried(stdout: bytes, stderr: bytes, copy_ends: object = SUCCESS, made: FoundChange | None = None) -> Trial:
    runs = {
        f"tr2b.{REFUSES}": run(f"tr2b.{REFUSES}", stdout, stderr=captured(stderr)),
        f"tr2b.{COPIES}": run(f"tr2b.{COPIES}", b"x", ending=copy_ends),
    }
    evidence = Evidence(toolchain=None, builds={}, runs=runs, left_out={})
    return Trial(Fix("tr2b", b"", {"x": (made or change(),)}), (CHECK,), (), evidence=evidence)


def test_a_change_with_which_refused_operands_are_copied_is_no_repair() -> None:
    assert harms(LAB, tried(b"copy", b""), reported(b"twice"))
    assert not harms(LAB, tried(b"", b"twice"), reported(b"twice"))
    # What was copied before may be copied in another way.
    assert not harms(LAB, tried(b"copy", b""), reported(b""))


def test_where_a_check_was_removed_wrong_operands_have_to_be_refused() -> None:
    assert harms(LAB, tried(b"copy", b"", made=change(rank=LOSS)), reported(b""))
    assert not harms(LAB, tried(b"", b"twice", made=change(rank=LOSS)), reported(b""))


@pytest.mark.parametrize(
    ("then", "others_write", "is_harm"),
    [(b"cannot write", b"", True), (b"", b"", False), (b"debug", b"debug", False)],
)
def test_a_program_that_goes_on_after_its_message_is_not_repaired(
    then: bytes, others_write: bytes, *, is_harm: bool
) -> None:
    failed = factory.case(COPIES, expect="reference-output", passed=False, ending=FAILURE, stderr=b"cannot write")
    right = factory.case("letters", expect="reference-output", passed=True, ending=SUCCESS, stderr=others_write)
    check = factory.check("tr2b.text", "failed", evidence=CasesEvidence(cases=(failed, right)))
    runs = {f"tr2b.{COPIES}": run(f"tr2b.{COPIES}", b"x", stderr=captured(then))}
    evidence = Evidence(toolchain=None, builds={}, runs=runs, left_out={})
    repaired = Trial(Fix("tr2b", b"", {}), (check.id,), (check.id,), evidence=evidence)
    assert bool(harms(LAB, repaired, factory.report(checks=(check,)))) is is_harm


MESSAGE = b"tr2u: twice\n"


@pytest.mark.parametrize(
    ("before", "after", "is_cut"),
    [
        ({"stderr": MESSAGE}, b"t", True),
        ({"stderr": MESSAGE}, b"", True),
        ({"stderr": MESSAGE}, MESSAGE, False),
        # What comes after a message may be another one.
        ({"stderr": MESSAGE + b"tr2u: cannot read an operand\n"}, MESSAGE, False),
        ({"stderr": MESSAGE + b"tr2u: cannot read an operand\n"}, MESSAGE[:-1], True),
        ({"stderr": MESSAGE}, b"dup", False),
        ({"stderr": b"no"}, b"", False),
    ],
)
def test_only_the_beginning_of_a_message_is_a_cut_one(before: dict[str, Any], after: bytes, *, is_cut: bool) -> None:
    result = factory.case(REFUSES, **{"expect": "operand-error", "passed": True, "ending": FAILURE, **before})
    assert _is_cut(result, run(f"tr2u.{REFUSES}", stderr=captured(after))) is is_cut


def test_a_copy_that_fails_since_is_no_repair() -> None:
    assert harms(LAB, tried(b"", b"twice", FAILURE), reported(b"twice"))
