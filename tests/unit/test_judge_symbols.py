from __future__ import annotations

from dataclasses import replace

import pytest

from grader.guest import c_calls
from grader.judge.symbols import UNKNOWN, judge_symbols, plain_name
from grader.model.report import SymbolsEvidence
from grader.model.spec.programs import Build, Program, SymbolRule
from grader.model.spec.rubric import SymbolsItem

from .facts import LAB, build, facts
from .lab import SPEC

ITEM = SymbolsItem(kind="symbols", name="functions", title="", points={"many": 1})


@pytest.mark.parametrize(
    ("symbols", "status", "says"),
    [
        (("getchar", "putchar", "__stack_chk_fail"), "passed", "calls getchar, putchar"),
        (("getc", "putchar"), "passed", "calls getc, putchar"),  # any of a group will do
        (("putchar",), "failed", "does not call getchar"),
        ((), "failed", "it does not call getchar or putchar"),
        (("getc", "putchar", "write"), "failed", "it calls write, which"),
        (("read", "putchar"), "failed", "does not call getchar; it calls read"),
        (("getchar_", "putchar"), "failed", "does not call getchar"),
    ],
)
def test_one_of_each_group_and_none_of_the_others(symbols: tuple[str, ...], status: str, says: str) -> None:
    seen = build("many").model_copy(update={"symbols": symbols})
    outcome = judge_symbols(facts(builds={"many": seen}), "many", ITEM)
    assert outcome.status == status
    assert says in outcome.message


def test_only_what_the_rule_is_about_is_shown() -> None:
    outcome = judge_symbols(facts(), "many", ITEM)
    evidence = SymbolsEvidence(found=("getc", "putchar"), forbidden=(), missing=())
    assert outcome.evidence == evidence


@pytest.mark.parametrize(
    ("symbols", "instead"),
    [
        (("__isoc99_scanf", "putchar", "fprintf", "strlen", "stderr"), ("scanf",)),
        (("fread", "fwrite", "exit"), ("fread", "fwrite")),
        (("getc", "printf"), ("printf",)),
        (("strlen",), ()),
        (("getc", "putchar", "fread"), ()),
    ],
)
def test_what_is_called_instead_is_named(symbols: tuple[str, ...], instead: tuple[str, ...]) -> None:
    seen = build("many").model_copy(update={"symbols": symbols})
    evidence = judge_symbols(facts(builds={"many": seen}), "many", ITEM).evidence
    assert isinstance(evidence, SymbolsEvidence)
    assert evidence.instead == instead


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        ({"getchar": 7}, "it never reaches its call of getchar in line 7 of many.c, so the compiler left it out"),
        (
            {"getchar": 7, "putchar": 9},
            (
                "it never reaches its calls of getchar in line 7 and putchar in line 9 of many.c, "
                "so the compiler left them out"
            ),
        ),
    ],
)
def test_calls_that_are_never_reached_are_one_sentence(calls: dict[str, int], words: str) -> None:
    symbols = tuple({"getchar", "putchar"} - calls.keys())
    seen = build("many").model_copy(update={"symbols": symbols, "source_calls": calls})
    outcome = judge_symbols(facts(builds={"many": seen}), "many", ITEM)
    assert outcome.message == words
    assert isinstance(outcome.evidence, SymbolsEvidence)
    assert outcome.evidence.left_out


@pytest.mark.parametrize(("called", "status"), [("fprintf", "passed"), ("strlen", "failed")])
def test_a_message_that_the_compiler_writes_with_fwrite_is_no_call_of_it(called: str, status: str) -> None:
    item = ITEM.model_copy(update={"symbols": SymbolRule(none_of=("fwrite",))})
    made = ("fwrite",) if called == "fprintf" else ()
    changes = {"symbols": ("getchar", called), "program_symbols": ("getchar", "fwrite"), "made_calls": made}
    seen = build("many").model_copy(update=changes)
    assert judge_symbols(facts(builds={"many": seen}), "many", item).status == status


@pytest.mark.parametrize(
    ("why", "says"),
    [
        ("not-unoptimised", ": it does not compile without optimisation"),
        ("no-object", ": it does not compile to an object"),
        ("not-without-builtins", ": it does not compile without built-in functions"),
        ("too-many-functions", ": they cannot be listed within the limits of a build"),
        ("not-preprocessed", ": the preprocessor alone fails on it"),
        ("long-text", ": it is too long with its headers"),
        (None, ""),
    ],
)
def test_calls_that_cannot_be_read_are_said_to_have_the_one_reason_that_held(why: str | None, says: str) -> None:
    seen = build("many").model_copy(update={"symbols": None, "unknown_calls": why})
    outcome = judge_symbols(facts(builds={"many": seen}), "many", ITEM)
    assert (outcome.status, outcome.message) == ("failed", f"its calls cannot be read{says}")


PROGRAM_SYMBOLS = [
    # What gcc and the headers make of the calls in the source.
    (("getchar", "putchar"), ("getc", "putc"), "passed", "calls getchar"),
    (("getchar", "putchar"), ("_IO_getc", "_IO_putc"), "passed", "calls getchar"),
    (("getchar", "putchar"), ("getchar", "putchar", "__printf_chk"), "passed", "calls getchar"),
    # gcc writes messages without numbers in a shorter way.
    (("getchar", "putchar", "fprintf"), ("getchar", "putchar", "fwrite"), "passed", "calls getchar"),
    (("getchar", "putchar", "printf"), ("getchar", "putchar", "puts"), "passed", "calls getchar"),
    # Other code, because of an #ifdef.
    (
        ("getchar", "putchar"),
        ("getchar",),
        "failed",
        "it does not call putchar when it is compiled with optimisation",
    ),
    (("getchar", "putchar"), ("getchar", "putchar", "read"), "failed", "compiled with optimisation it calls read"),
    (
        ("getchar", "putchar"),
        ("getchar", "putchar", "__read_chk"),
        "failed",
        "compiled with optimisation it calls read",
    ),
    (("getchar", "putchar"), (), "failed", "it does not call getchar or putchar when"),
]


@pytest.mark.parametrize(("source", "program", "status", "says"), PROGRAM_SYMBOLS)
def test_the_program_that_runs_calls_what_the_source_calls(
    source: tuple[str, ...], program: tuple[str, ...], status: str, says: str
) -> None:
    seen = build("many").model_copy(update={"symbols": source, "program_symbols": program})
    outcome = judge_symbols(facts(builds={"many": seen}), "many", ITEM)
    assert (outcome.status, says in outcome.message) == (status, True), outcome.message


@pytest.mark.parametrize(
    ("source", "program", "status"),
    [
        (("read", "write", "printf"), ("read", "write", "putchar"), "failed"),  # nothing says that gcc made it
        (("read", "write"), ("read", "write", "getc"), "failed"),
        (("read", "write"), ("__read_chk", "write"), "passed"),
        (("read", "write", "fprintf", "getc"), ("read", "write", "fputc", "getc"), "failed"),
    ],
)
def test_a_call_that_a_header_made_of_another_is_that_other(
    source: tuple[str, ...], program: tuple[str, ...], status: str
) -> None:
    rule = SymbolRule(one_of_each=(("read",), ("write",)), none_of=("getchar", "getc", "putchar"))
    lab = replace(LAB, spec=LAB.spec.model_copy(update={"programs": with_rule("single", rule)}))
    seen = build("single").model_copy(update={"symbols": source, "program_symbols": program})
    found = replace(facts(builds={"single": seen}), lab=lab)
    assert judge_symbols(found, "single", ITEM).status == status


@pytest.mark.parametrize(
    ("made", "replaced", "status", "says"),
    [
        (("calloc",), ("malloc",), "passed", "calls malloc"),
        (("calloc",), (), "failed", "it does not call malloc when it is compiled with optimisation"),
        ((), ("malloc",), "failed", "compiled with optimisation it calls calloc"),
        ((), (), "failed", "it does not call malloc when"),
    ],
)
def test_what_the_compiler_made_of_a_call_is_not_the_students(
    made: tuple[str, ...], replaced: tuple[str, ...], status: str, says: str
) -> None:
    rule = SymbolRule(one_of_each=(("malloc",),), none_of=("calloc",))
    lab = replace(LAB, spec=LAB.spec.model_copy(update={"programs": with_rule("single", rule)}))
    changes = {"symbols": ("malloc", "memset"), "program_symbols": ("calloc",)}
    right = build("single").model_copy(update={**changes, "made_calls": ("calloc",), "replaced_calls": ("malloc",)})
    evidence = lab.reference.evidence.model_copy(update={"builds": {"single": right}})
    lab = replace(lab, reference=replace(lab.reference, evidence=evidence))
    seen = build("single").model_copy(update={**changes, "made_calls": made, "replaced_calls": replaced})
    outcome = judge_symbols(replace(facts(builds={"single": seen}), lab=lab), "single", ITEM)
    assert (outcome.status, says in outcome.message) == (status, True), outcome.message


def with_rule(name: str, rule: SymbolRule) -> dict[str, Program]:
    return {**SPEC.programs, name: SPEC.programs[name].model_copy(update={"symbols": rule})}


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("read", "read"),
        ("__read_chk", "read"),
        ("pread64", "pread"),
        ("__read_nocancel", "read"),
        ("__pread64_nocancel", "pread"),
        ("_IO_getc", "getc"),
        ("_IO_fwrite", "fwrite"),
        ("__libc_malloc", "malloc"),
        ("__isoc99_scanf", "scanf"),
        ("__isoc23_fscanf", "fscanf"),
        ("fgets", "fgets"),
        ("__fgets_chk", "fgets"),
        ("main", "main"),
    ],
)
def test_decorated_names(symbol: str, name: str) -> None:
    assert plain_name(symbol) == name
    # The guest has no module of the judge, and must give the same names.
    assert c_calls.plain_name(symbol) == name


@pytest.mark.parametrize(
    ("source", "program", "status"),
    [
        (("getchar", "fputc", "fprintf"), ("getchar", "fputc", "fwrite"), "passed"),  # the message became fwrite
        (("getchar", "fputc", "fprintf"), ("getchar", "fputc"), "passed"),  # fputc copies, or writes the message
        (("getchar", "fprintf"), ("getchar", "fputc"), "failed"),
    ],
)
def test_a_call_that_the_source_makes_counts_also_if_gcc_makes_it_of_another(
    source: tuple[str, ...], program: tuple[str, ...], status: str
) -> None:
    rule = SymbolRule(one_of_each=(("getchar",), ("putchar", "fputc")), none_of=())
    builds = {"many": build("many").model_copy(update={"symbols": ("getchar", "putchar")})}
    reference = replace(LAB.reference, evidence=LAB.reference.evidence.model_copy(update={"builds": builds}))
    lab = replace(LAB, spec=LAB.spec.model_copy(update={"programs": with_rule("many", rule)}), reference=reference)
    seen = build("many").model_copy(update={"symbols": source, "program_symbols": program})
    assert judge_symbols(replace(facts(builds={"many": seen}), lab=lab), "many", ITEM).status == status


UNSEEN = [
    {"symbols": None},
    {"symbols": ()},
    {"program_symbols": ()},
    {"program_symbols": ("__cxa_finalize",)},
]


@pytest.mark.parametrize("changes", UNSEEN)
def test_what_is_not_seen_of_the_reference_either_fails_nobody(changes: dict[str, object]) -> None:
    unseen = build("many").model_copy(update=changes)
    reference = replace(
        LAB.reference, evidence=LAB.reference.evidence.model_copy(update={"builds": {"many": unseen}})
    )
    outcome = judge_symbols(
        replace(facts(builds={"many": unseen}), lab=replace(LAB, reference=reference)), "many", ITEM
    )
    assert outcome.status == "skipped"
    assert outcome.message.startswith(UNKNOWN)
    # What is seen all the same decides.
    writes = unseen.model_copy(update={"symbols": ("getchar", "putchar", "write"), "program_symbols": None})
    assert (
        judge_symbols(
            replace(facts(builds={"many": writes}), lab=replace(LAB, reference=reference)), "many", ITEM
        ).status
        == "failed"
    )


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("-O2", "-static"), "-static"),
        (("-static-pie",), "-static-pie"),
        (("-Wl,--as-needed,-Bstatic",), "-Wl,--as-needed,-Bstatic"),
        (("-O2", "-static-libgcc", "-flto", "-s"), None),
    ],
)
def test_options_that_hide_the_calls_of_a_program_are_named(options: tuple[str, ...], says: str | None) -> None:
    spec = SPEC.model_copy(update={"build": Build(compiler="gcc", options=options)})
    assert [f"linked with {says} " in words for words in spec.notes] == ([True, True] if says else [])
