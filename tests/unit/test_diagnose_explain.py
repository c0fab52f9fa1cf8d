from __future__ import annotations

from dataclasses import replace

import pytest

from grader.diagnose.bugs.causes import explain, needs_explaining, with_calls_of_causes, with_reasons
from grader.diagnose.bugs.traits import ENDLESS, FLOOD, NOTHING, REFUSED, traits
from grader.judge.facts import Facts
from grader.judge.verdict import GradingEnvironment, judge
from grader.model.evidence import WITHOUT_END, LimitHit, RunDone
from grader.model.mutant import FENCE, Mutant
from grader.model.report import Cause, CauseLine, Check, Report, SymbolsEvidence
from grader.model.signature import Signatures, Traits
from grader.model.spec.rubric import Visibility
from grader.render.views.visible_checks import part

from .facts import CRASH, FAILURE, LAB, build, captured, facts, limit, run, stream, trace
from .lab import INPUTS, SLICE_BYTES, SPEC

HERE = GradingEnvironment("container", None)
TEXT = INPUTS["text"]
WRONG = run("many.copy", b"wrong")


def report(seen: Facts) -> Report:
    return judge(seen, HERE)


def traits_of(*changed: RunDone, program: str = "many") -> Traits:
    seen = facts(*changed)
    return traits(SPEC, program, report(seen).checks, seen.evidence)


def mutant(name: str) -> Mutant:
    return Mutant(name=name, title=f"Title of {name}", page=f"Page of {name}", sources={}, fails={})


def test_right_programs_have_no_traits_and_need_no_explaining() -> None:
    assert traits_of() == {}
    assert not needs_explaining(report(facts()))


def test_what_does_not_compile_needs_no_explaining() -> None:
    assert not needs_explaining(report(facts(builds={"many": build("many", FAILURE)})))
    assert needs_explaining(report(facts(WRONG)))


def test_outputs_are_told_apart_and_exit_statuses_of_copies_are_not() -> None:
    same = traits_of(run("many.copy", b"wrong", ending=FAILURE))
    assert traits_of(WRONG) == same != traits_of(run("many.copy", b"other"))
    assert list(same) == ["output/copy"]
    assert traits_of(run("many.copy", b"wrong", ending=CRASH)) != same


def test_how_far_an_endless_program_came_says_nothing() -> None:
    kinds: dict[LimitHit, str] = {"cpu": ENDLESS, "wall": ENDLESS, "output": FLOOD}
    for ended, kind in kinds.items():
        assert traits_of(run("many.copy", ended.encode(), ending=limit(ended))) == {"output/copy": kind}


@pytest.mark.parametrize("why", WITHOUT_END)
def test_what_was_not_waited_for_did_not_end(why: str) -> None:
    seen = facts(left_out={"many.copy": why})
    assert traits(SPEC, "many", report(seen).checks, seen.evidence) == {"output/copy": ENDLESS}


def test_who_writes_nothing_and_says_nothing_has_refused_nothing() -> None:
    assert traits_of(run("many.copy")) == traits_of(run("many.copy", ending=FAILURE)) == {"output/copy": NOTHING}
    refused = run("many.copy", ending=FAILURE, stderr=captured(b"no"))
    assert traits_of(refused) == {"output/copy": REFUSED}


def test_messages_are_as_good_as_each_other_and_no_copies() -> None:
    told = {"ending": FAILURE, "stderr": captured(b"no")}
    one, two = (traits_of(run("many.refuse", text, **told)) for text in (b"usage", b"wrong operands"))
    assert one == two != traits_of(run("many.refuse", TEXT, **told))
    silent = traits_of(run("many.refuse", b"", ending=FAILURE))
    assert silent != one


def test_calls_are_told_apart_by_direction_not_by_number() -> None:
    def blocks(calls: int) -> Traits:
        seen = trace(stream(calls, SLICE_BYTES, 64), stream(SLICE_BYTES, SLICE_BYTES, 1))
        return traits_of(run("single.slice.strace", INPUTS["slice"], trace=seen), program="single")

    assert blocks(3) == blocks(9)
    assert blocks(3) != blocks(2 * SLICE_BYTES)
    assert next(iter(blocks(3).values())) == "file stdin fewer"


def test_a_cause_has_its_checks_and_they_have_it() -> None:
    seen = facts(WRONG, run("many.refuse", TEXT))
    known = Signatures(key="", traits={"many": {"bug": traits_of(WRONG)}})
    told = explain(SPEC, report(seen), seen.evidence, known, [mutant("bug")])
    (cause,) = told.causes
    assert (cause.name, cause.title, cause.page) == ("bug", "Title of bug", "Page of bug")
    assert (cause.certainty, cause.checks) == ("certain", ("many.output",))
    assert {check.id: check.cause for check in told.checks if check.status == "failed"} == {
        "many.output": "bug",
        "many.errors": None,
    }
    assert told.score == report(seen).score


def test_no_cause_is_certain_where_some_checks_alone_were_asked_for() -> None:
    seen = replace(facts(WRONG), selected_checks=frozenset({"many.build", "many.output"}))
    known = Signatures(key="", traits={"many": {"bug": traits_of(WRONG)}})
    (cause,) = explain(SPEC, report(seen), seen.evidence, known, [mutant("bug")]).causes
    assert (cause.certainty, cause.checks) == ("likely", ("many.output",))


def test_a_check_that_only_two_uncertain_bugs_explain_together_has_no_cause() -> None:
    copy, piped = (traits_of(run(f"many.{case}", b"wrong")) for case in ("copy", "piped"))
    seen = facts(WRONG, run("many.piped", b"wrong"))
    for known, causes in (({"one": copy, "other": piped}, ()), ({"one": copy, "both": {**copy, **piped}}, ("both",))):
        signatures = Signatures(key="", traits={"many": known})
        told = explain(SPEC, report(seen), seen.evidence, signatures, [mutant(name) for name in known])
        assert tuple(cause.name for cause in told.causes) == causes


def test_one_cause_in_both_programs_is_told_once() -> None:
    seen = facts(WRONG, run("single.copy", b"wrong"))
    known = Signatures(key="", traits={name: {"bug": traits_of(WRONG)} for name in ("many", "single")})
    (cause,) = explain(SPEC, report(seen), seen.evidence, known, [mutant("bug")]).causes
    assert cause.checks == ("many.output", "single.output")


@pytest.mark.parametrize("wrong", [("many",), ("single",), ("many", "single")])
def test_a_cause_shows_the_lines_of_the_programs_that_have_the_bug(wrong: tuple[str, ...]) -> None:
    page = f"{FENCE}sh\n./many a\n./single a\n{FENCE}\n\nNeither `./many a` nor `./single a`.\n"
    bug = mutant("bug").model_copy(update={"page": page, "sources": {"many": b"", "single": b""}})
    seen = facts(*(run(f"{program}.copy", b"wrong") for program in wrong))
    known = Signatures(key="", traits={name: {"bug": traits_of(WRONG)} for name in ("many", "single")})
    (cause,) = explain(SPEC, report(seen), seen.evidence, known, [bug]).causes
    block = "".join(f"./{program} a\n" for program in wrong)
    assert cause.page == f"{FENCE}sh\n{block}{FENCE}\n\nNeither `./many a` nor `./single a`.\n"


HIDDEN_RUNS: tuple[tuple[RunDone, ...], ...] = (
    (run("many.refuse", b"wrong"),),
    (run("many.refuse", b"other"),),
    (run("single.refuse", b"wrong"),),
    (run("many.refuse", b"wrong"), run("single.refuse", b"wrong")),
)


@pytest.mark.parametrize("hidden", HIDDEN_RUNS)
@pytest.mark.parametrize("visibility", ["hidden", "after_due_date", "after_published"])
def test_what_a_hidden_run_does_changes_no_cause_that_students_see(
    visibility: Visibility, hidden: tuple[RunDone, ...]
) -> None:
    """Otherwise a program with a bug could show its student a bit of a hidden operand each time."""
    items = (
        item.model_copy(update={"visibility": visibility}) if item.name == "errors" else item for item in SPEC.rubric
    )
    spec = SPEC.model_copy(update={"rubric": tuple(items)})
    refuses = traits_of(run("many.refuse", b"wrong"))
    traits = {"one": {**traits_of(WRONG), **refuses}, "other": traits_of(WRONG), "third": refuses}
    page = f"{FENCE}sh\n./many a\n./single a\n{FENCE}\n"
    bugs = [
        mutant(name).model_copy(update={"page": page, "sources": {"many": b"", "single": b""}}) for name in traits
    ]
    known = Signatures(key="", traits={"many": traits, "single": traits})
    students_see, hidden_causes = [], []
    for runs in ((), hidden):
        seen = replace(facts(WRONG, *runs), lab=replace(LAB, spec=spec))
        told = explain(spec, report(seen), seen.evidence, known, bugs)
        students_see.append(part(told, spec, {"visible"}))
        hidden_causes += [check.cause for check in told.checks if check.name == "errors" and check.cause]
    assert students_see[0] == students_see[1]
    assert [cause.checks for cause in students_see[0].causes] == [("many.output",)]
    assert "./single" not in students_see[0].causes[0].page
    assert hidden_causes, "instructors read the causes of hidden checks too"


def test_a_call_that_fails_says_more_than_a_bug_that_only_writes_nothing() -> None:
    for bug, causes in ((run("many.copy", b""), ()), (WRONG, ("bug",))):
        seen = facts(bug)
        known = Signatures(key="", traits={"many": {"bug": traits_of(bug)}})
        told = explain(SPEC, report(seen), seen.evidence, known, [mutant("bug")], failing_calls={"many"})
        assert tuple(cause.name for cause in told.causes) == causes
        told = explain(SPEC, report(seen), seen.evidence, known, [mutant("bug")], failing_calls={"single"})
        assert [cause.name for cause in told.causes] == ["bug"]


def test_a_skipped_check_contradicts_nothing() -> None:
    left_out = {
        "many.slice.strace": "no-tracer",
        "many.screen.strace": "no-tracer",
        "many.screen-full.strace": "no-tracer",
    }
    seen = facts(WRONG, left_out=left_out)
    known = Signatures(key="", traits={"many": {"bug": {**traits_of(WRONG), "terminal/": "output"}}})
    skipped = {check.id for check in report(seen).checks if check.status == "skipped"}
    assert "many.terminal" in skipped
    (cause,) = explain(SPEC, report(seen), seen.evidence, known, [mutant("bug")]).causes
    # The bug would show in the check that is skipped: nobody has looked.
    assert (cause.checks, cause.certainty) == (("many.output",), "likely")


def test_a_check_of_full_size_that_no_page_knows_speaks_against_no_bug() -> None:
    # A lab of somebody's own has such checks; of the lab's own what fails like this has another reason.
    crashed = run("many.copy", b"", ending=CRASH)
    seen = facts(crashed, run("many.random", b"", ending=CRASH))
    bugs = [mutant("bug"), mutant("other")]
    known = {"bug": traits_of(crashed)}
    told = explain(SPEC, report(seen), seen.evidence, Signatures(key="", traits={"many": known}), bugs)
    assert [(cause.name, cause.checks) for cause in told.causes] == [("bug", ("many.output",))]
    known["other"] = {"errors/refuse": "what does not happen here", "large/*": "*"}
    told = explain(SPEC, report(seen), seen.evidence, Signatures(key="", traits={"many": known}), bugs)
    assert told.causes == ()


def calls(*forbidden: str, **changes: object) -> Check:
    """A failed check of the functions that `many` calls."""
    evidence = SymbolsEvidence(found=(), forbidden=forbidden, missing=())
    failed = next(check for check in report(facts()).checks if check.program == "many")
    changed = {"id": "many.calls", "status": "failed", "points": 0, "evidence": evidence, **changes}
    return failed.model_copy(update=changed)


def unbuffered(*code: str, name: str = "bug", check: str = "many.syscalls") -> Cause:
    lines = tuple(CauseLine(file="many.c", number=number, text=text) for number, text in enumerate(code, 1))
    return Cause(name=name, title="", page="", certainty="certain", checks=(check,), lines=lines)


SETVBUF = "  setvbuf (stdout, NULL, _IONBF, 0);"
MISSING = SymbolsEvidence(found=(), forbidden=("setvbuf",), missing=(("getchar",),))


@pytest.mark.parametrize(
    ("check", "causes", "cause"),
    [
        (calls("setvbuf"), [unbuffered(SETVBUF)], "bug"),
        (calls("setvbuf", "read"), [unbuffered(SETVBUF, "read(0, b, 9);")], "bug"),
        (calls("setvbuf", "read"), [unbuffered(SETVBUF)], None),
        (calls("setvbuf"), [unbuffered("my_setvbuf(stdout);")], None),
        (calls("setvbuf"), [unbuffered()], None),
        (calls("setvbuf"), [unbuffered(SETVBUF, check="single.syscalls")], None),
        (calls("setvbuf"), [unbuffered(SETVBUF), unbuffered(SETVBUF, name="other")], None),
        (calls("setvbuf", status="passed"), [unbuffered(SETVBUF)], None),
        (calls("setvbuf", visibility="hidden"), [unbuffered(SETVBUF)], None),
        (calls("setvbuf", evidence=MISSING), [unbuffered(SETVBUF)], None),
        (calls(), [unbuffered(SETVBUF)], None),
    ],
)
def test_a_cause_whose_line_calls_what_is_forbidden_explains_that_too(
    check: Check, causes: list[Cause], cause: str | None
) -> None:
    known = report(facts())
    before = known.model_copy(update={"checks": (*known.checks, check), "causes": tuple(causes)})
    after = with_calls_of_causes(before)
    assert after.checks[-1].cause == cause
    assert {one.name: one.checks[1:] for one in after.causes if one.checks[1:]} == (
        {cause: ("many.calls",)} if cause else {}
    )
    assert cause or after == before


@pytest.mark.parametrize(("line", "has_construct"), [(3, True), (4, False), (None, False)])
def test_a_reason_needs_the_construct_at_a_line_of_the_cause(line: int | None, has_construct: bool) -> None:  # noqa: FBT001
    page = "## What happens\n\nIt is lost.\n\n## Why\n\nA char.\n\n## What to read\n\nA page.\n"
    known = Mutant(name="bug", title="A byte is lost", reason="because of a char", page=page, sources={}, fails={})
    lines = () if line is None else (CauseLine(number=line, text="char c;", file="many.c"),)
    cause = Cause(name="bug", title=known.title, page="", certainty="certain", checks=("many.copy",), lines=lines)
    before = report(facts(WRONG)).model_copy(update={"causes": (cause,)})
    (after,) = with_reasons(before, [known], {"bug": {("many.c", 3), ("other.c", 4)}}).causes
    assert after.has_construct == has_construct
    assert after.title == ("A byte is lost, because of a char" if has_construct else "A byte is lost")
    assert after.page == (page if has_construct else "")
