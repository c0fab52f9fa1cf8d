"""Sources that are hostile to the compiler: each build ends within its limits, and the next one is not disturbed."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.model.evidence import Exited, RunDone
from grader.sandbox.base import Sandbox

from .harness import BUILD_LIMITS, SUCCESS, Exercise, Outcome, source, step

MAIN = b"int main(void) { return 0; }\n"
PROGRAMS = Path(__file__).parents[1] / "hostile" / "submissions" / "tr2b-not-built"
NAMES = (
    "includes-zeros",
    "includes-random-bytes",
    "includes-standard-input",
    "includes-itself",
    "includes-shadow",
    "embeds-shadow",
    "embeds-zeros",
    "huge-array",
    "macro-bomb",
    "assembler-bomb",
)
"""Those of tests/hostile that need no lab around them."""

HOSTILE = {
    **{name: (PROGRAMS / f"compile-{name}.c").read_bytes() for name in NAMES},
    "no-source": b"",
    "not-text": bytes(range(256)) * 64,
}
BUILD_ENDS_S = BUILD_LIMITS.wall_s + 2
MESSAGES_BYTES_MAX = 65536

MANY_WARNINGS = b"void f(void) {\n" + b"1;\n" * 2000 + b"}\n" + MAIN
ONLY_OPTIMISED = b"#ifndef __OPTIMIZE__\n#error only optimised\n#endif\n" + MAIN
TOO_LARGE_TO_START = b"char much[1L << 40];\n" + MAIN
CONSTRUCTOR = b"#include <unistd.h>\n__attribute__((constructor)) static void f(void) { _exit(5); }\n" + MAIN


@pytest.fixture(scope="module")
def outcome(sandbox: Sandbox) -> Outcome:
    sources = {
        **HOSTILE,
        "many-warnings": MANY_WARNINGS,
        "only-optimised": ONLY_OPTIMISED,
        "too-large": TOO_LARGE_TO_START,
        "constructor": CONSTRUCTOR,
        "actor": source("actor"),
    }
    runs = (
        step("only-optimised", "only-optimised"),
        step("too-large", "too-large"),
        step("constructor", "constructor"),
        step("others", "actor", "others"),
    )
    return Exercise(runs, sources).done_in(sandbox)


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_source_does_not_compile_and_ends_in_time(outcome: Outcome, name: str) -> None:
    build = outcome.build(name)
    assert build.ending != SUCCESS
    assert build.symbols is None
    assert build.wall_s < BUILD_ENDS_S
    assert len(build.messages) <= MESSAGES_BYTES_MAX


@pytest.mark.parametrize("name", ["includes-shadow", "embeds-shadow"])
def test_the_compiler_reads_nothing_that_is_not_the_students(sandbox: Sandbox, outcome: Outcome, name: str) -> None:
    if sandbox.isolation == "none":
        pytest.skip("without a uid of its own the compiler reads what its user may")
    assert "root:" not in outcome.build(name).messages
    # The assembler says so of every file that it cannot open.
    assert any(words in outcome.build(name).messages for words in ("Permission denied", "file not found"))


def test_the_compilers_messages_name_the_source_without_its_folder(outcome: Outcome) -> None:
    assert outcome.build("includes-standard-input").messages.startswith("includes-standard-input.c:")


def test_the_compiler_finds_nothing_on_its_standard_input(outcome: Outcome) -> None:
    messages = outcome.build("includes-standard-input").messages
    assert "'missing' undeclared" in messages
    assert messages.count("error:") == 1


def test_messages_without_end_are_cut(outcome: Outcome) -> None:
    build = outcome.build("many-warnings")
    assert build.ending == SUCCESS
    assert len(build.messages) == MESSAGES_BYTES_MAX


def test_a_source_that_compiles_only_optimised_runs_and_has_no_symbols(outcome: Outcome) -> None:
    assert outcome.build("only-optimised").ending == SUCCESS
    assert outcome.build("only-optimised").symbols is None
    assert outcome.run("only-optimised", "only-optimised").ending == SUCCESS


def test_a_program_too_large_to_start_is_the_students_failure(outcome: Outcome) -> None:
    if outcome.build("too-large").ending == SUCCESS:
        assert outcome.run("too-large", "too-large").ending.kind in ("not_started", "signalled")
    else:
        assert outcome.evidence.left_out["too-large.too-large"].why == "not-built"


def test_code_before_main_is_the_students_as_well(outcome: Outcome) -> None:
    assert outcome.run("constructor", "constructor").ending == Exited(kind="exited", code=5)


def test_honest_sources_are_not_disturbed(sandbox: Sandbox, outcome: Outcome) -> None:
    run = outcome.run("others")
    assert isinstance(run, RunDone)
    assert run.ending == SUCCESS
    if sandbox.isolation != "none":
        assert outcome.stdout("others") == b"0"
