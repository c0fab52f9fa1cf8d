"""A run in which getchar and putchar mark the bytes that they move: which programs get one, and what it decides."""

from __future__ import annotations

import copy
import io
import random
import string
from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError
from rich.console import Console

from grader.gradescope.results import evidence as gradescope
from grader.grading.plan_builder import build_plan, build_step, split_hidden
from grader.guest.marks import (
    LEAST_BYTES,
    MOST_BYTES,
    NEEDED_LETTERS,
    Letters,
    chosen_letters,
    linker_options,
    random_text,
    read_marks,
    source_of,
)
from grader.judge.symbols import judge_symbols
from grader.model.evidence import Marks
from grader.model.report import SymbolsEvidence
from grader.model.spec.cases import Case
from grader.model.spec.inconsistency import InconsistenciesError, InconsistencyError
from grader.model.spec.lab import Spec
from grader.model.spec.programs import MARKS, READ_BYTES, WRITE_BYTES, SymbolRule
from grader.model.spec.rubric import SymbolsItem
from grader.render.terminal import evidence as terminal

from .facts import LAB, SUBMISSION, build, facts
from .lab import DOCUMENT, SPEC

ITEM = SymbolsItem(kind="symbols", name="functions", title="", points={"many": 1})
READS, WRITES = SPEC.programs["many"].symbols.one_of_each
LETTERS = string.ascii_letters + string.digits
A, B = Letters(*b"abcd"), Letters(*b"0123")


def document(case: str = "slice", **rule: object) -> dict[str, Any]:
    changed = copy.deepcopy(DOCUMENT)
    changed["programs"]["many"]["symbols"].update({"used_in": case, **rule})
    return changed


def judged(
    marks: Marks | None, *, used_in: str | None = "slice", symbols: tuple[str, ...] = ()
) -> tuple[str, str, SymbolsEvidence]:
    rule = SPEC.programs["many"].symbols.model_copy(update={"used_in": used_in})
    many = SPEC.programs["many"].model_copy(update={"symbols": rule})
    lab = replace(LAB, spec=LAB.spec.model_copy(update={"programs": {**SPEC.programs, "many": many}}))
    done = build("many")
    done = done.model_copy(update={"marks": marks, "symbols": (*(done.symbols or ()), *symbols)})
    outcome = judge_symbols(replace(facts(builds={"many": done}), lab=lab), "many", ITEM)
    assert isinstance(outcome.evidence, SymbolsEvidence)
    return outcome.status, outcome.message, outcome.evidence


@pytest.mark.parametrize(
    ("read", "written", "unused", "says"),
    [
        (1000, 1000, (), "calls getc, putchar"),
        (500, 500, (), "calls getc, putchar"),  # half of them is enough
        (499, 1000, (READS,), "of 1,000 bytes of a test, it read 501 without getchar or a similar function"),
        (1000, 0, (WRITES,), "of 1,000 bytes of a test, it wrote 1,000 without putchar"),
        (
            1,
            2,
            (READS, WRITES),
            "it read 999 without getchar or a similar function and wrote 998 without putchar",
        ),
    ],
)
def test_most_bytes_must_go_through_these_functions(
    read: int, written: int, unused: tuple[tuple[str, ...], ...], says: str
) -> None:
    marks = Marks(copied_bytes=1000, read_bytes=read, written_bytes=written)
    status, message, evidence = judged(marks)
    assert (status, evidence.unused) == ("failed" if unused else "passed", unused)
    assert says in message
    assert judged(marks, used_in=None)[0] == "passed"


def test_without_marks_the_names_decide() -> None:
    """As in evidence of earlier versions."""
    assert judged(None)[:2] == ("passed", "calls getc, putchar")


def test_names_come_before_marks_and_what_may_read_instead_is_named() -> None:
    marks = Marks(copied_bytes=10, read_bytes=0, written_bytes=10)
    status, message, evidence = judged(marks, symbols=("read",))
    assert (status, message, evidence.unused) == ("failed", "it calls read, which this program must not use", ())
    assert judged(marks, symbols=("fread", "fwrite"))[2].instead == ("fread",)


def test_each_byte_of_a_copy_shows_how_it_was_moved() -> None:
    text = b"a0a0a0a0"
    none = {"other_bytes": 0, "other_written_bytes": 0}
    assert read_marks(text, text, (A, B)) == {"copied_bytes": 8, "read_bytes": 0, "written_bytes": 0, **none}
    assert read_marks(text, b"b1c2d3a0", (A, B)) == {"copied_bytes": 8, "read_bytes": 4, "written_bytes": 4, **none}


def test_other_bytes_show_how_they_were_written_whatever_they_became() -> None:
    found = read_marks(b"aFFF0", b"aT\xd4\xd40", (A, B))
    assert found == {
        "copied_bytes": 2, "read_bytes": 0, "written_bytes": 0, "other_bytes": 3, "other_written_bytes": 2,
    }  # fmt: skip


@pytest.mark.parametrize(("other_written", "unused"), [(25, ()), (24, (WRITES,))])
def test_what_a_program_replaces_may_be_written_in_another_way(other_written: int, unused: object) -> None:
    marks = Marks(copied_bytes=80, read_bytes=80, written_bytes=0, other_bytes=100, other_written_bytes=other_written)
    assert judged(marks)[2].unused == unused
    assert judged(marks.model_copy(update={"read_bytes": 0}))[2].unused == (READS, *judged(marks)[2].unused)


@pytest.mark.parametrize("output", [b"", b"a0", b"a0a0a", b"0a0a", b"a0a\n", b"AAAA", b"dddd"])
def test_what_is_not_a_copy_shows_nothing(output: bytes) -> None:
    assert read_marks(b"a0a0", output, (A, B)) is None


def test_letters_and_sizes_follow_from_the_submission() -> None:
    def chosen(seed: str) -> tuple[tuple[Letters, Letters], bytes]:
        chance = random.Random(seed)  # noqa: S311 - as in the guest
        letters = chosen_letters("0123456789", chance)
        return letters, random_text(letters, [b"ab", b"-"], chance)

    assert chosen("1") == chosen("1")
    of_seeds = [chosen(str(seed)) for seed in range(20)]
    assert len({letters for letters, _ in of_seeds}) > 1
    assert len({len(text) for _, text in of_seeds}) > 1
    for (first, second), text in of_seeds:
        assert len({*first, *second}) == NEEDED_LETTERS
        assert LEAST_BYTES <= len(text) <= MOST_BYTES
        assert {*text} == {first.plain, second.plain, *b"ab"}


def test_the_seed_is_the_digest_of_the_submission() -> None:
    spec = Spec.model_validate(document())
    seeds = {build.marked.seed for build in build_plan(spec, SUBMISSION).builds if build.marked is not None}
    assert seeds == {SUBMISSION.digest()}


def test_the_guest_knows_each_function_that_a_spec_may_name() -> None:
    names = sorted(READ_BYTES | WRITE_BYTES)
    source = source_of(names, (A, B))
    assert all(f" __wrap_{name}(" in source and f"__real_{name}(" in source for name in names)
    assert {f"-Wl,--wrap={name}" for name in (*names, "_IO_getc", "_IO_putc", "__read_chk")} == set(
        linker_options(names)
    )
    assert linker_options(["getchar"]) == ["-Wl,--wrap=getchar"]
    assert MARKS == NEEDED_LETTERS


def test_a_program_is_marked_if_its_rule_says_in_which_case() -> None:
    spec = Spec.model_validate(document())
    marked = build_step(spec, "many").marked
    assert marked is not None
    assert marked.functions == ("getchar", "getc", "putchar")
    assert marked.compile[-1] == "many.c"
    assert marked.operands == spec.cases["slice"].arguments
    assert build_step(spec, "single").marked is None
    assert build_step(SPEC, "many").marked is None


def test_only_guests_whose_runs_students_see_mark() -> None:
    changed = document()
    changed["cases"]["hidden-text"] = {"input": "text", "hidden": True}
    item = {"name": "hidden", "kind": "cases", "title": "", "points": {"many": 0}, "cases": ["hidden-text"]}
    changed["rubric"].append({**item, "visibility": "hidden"})
    spec = Spec.model_validate(changed)
    seen, hidden = split_hidden(spec, build_plan(spec, SUBMISSION))
    assert [build.marked is not None for build in seen.builds if build.program == "many"] == [True]
    assert [build.marked for build in hidden.builds if build.program == "many"] == [None]


def mistake(changed: dict[str, Any]) -> InconsistencyError:
    with pytest.raises(ValidationError) as caught:
        Spec.model_validate(changed)
    error = caught.value.errors()[0]["ctx"]["error"]
    assert isinstance(error, InconsistenciesError)
    return error.inconsistencies[0]


@pytest.mark.parametrize(
    ("changed", "key_path", "says"),
    [
        (document("slices"), "used_in", "is not in cases"),
        (document(one_of_each=[["getchar", "fread"]]), "one_of_each.0", "has only functions that read bytes"),
        (document(one_of_each=[["getchar", "putchar"]]), "one_of_each.0", "has only functions that read bytes"),
    ],
)
def test_mistakes_in_a_rule(changed: dict[str, Any], key_path: str, says: str) -> None:
    error = mistake(changed)
    assert error.key_path == f"programs.many.symbols.{key_path}"
    assert says in str(error)


@pytest.mark.parametrize(
    ("case", "visibility", "says"),
    [
        ({"input": "text"}, "hidden", "is not a case that students see"),
        ({"input": "text", "hidden": True}, "hidden", "is not a case that students see"),
        ({"input": "random", "limits": "full"}, "visible", "has files, or the limits of full size"),
        ({"operands": [LETTERS[:55]], "input": "text"}, "visible", "leave fewer than 8 letters and digits free"),
    ],
)
def test_mistakes_in_the_choice_of_a_case(case: dict[str, Any], visibility: str, says: str) -> None:
    changed = document("other")
    changed["cases"]["other"] = case
    item = {"name": "more", "kind": "cases", "title": "", "points": {"many": 0}, "cases": ["other"]}
    changed["rubric"].append({**item, "visibility": visibility})
    assert says in str(mistake(changed))


def test_a_case_must_run_the_program() -> None:
    changed = document("other")
    changed["cases"]["other"] = {"input": "text", "programs": ["single"]}
    assert "does not run many" in str(mistake(changed))


def test_only_one_rule_of_a_program_can_ask_for_marks() -> None:
    changed = document()
    item = {"name": "more", "kind": "symbols", "title": "", "points": {"many": 1}}
    changed["rubric"].append({**item, "symbols": {"one_of_each": [["getc"]], "used_in": "slice"}})
    assert "only one rule" in str(mistake(changed))


def test_operands_use_up_letters() -> None:
    assert Case(operands=(b"abc", b"X-0")).free_letters == "defghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWYZ123456789"


def test_a_rule_without_used_in_is_as_before() -> None:
    assert SymbolRule().used_in is None


def test_reports_name_the_functions_that_are_not_used() -> None:
    marks = Marks(copied_bytes=10, read_bytes=0, written_bytes=10)
    evidence = judged(marks)[2]
    console = Console(width=100, file=io.StringIO(), record=True)
    for block in terminal.evidence_blocks("many", evidence):
        console.print(block)
    words = "Most bytes do not go through these: "
    assert f"{words}getchar, getc" in console.export_text()
    assert any(words in block for block in gradescope.evidence_blocks("many", evidence))
