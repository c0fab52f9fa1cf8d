from __future__ import annotations

import re

import pytest

from grader.judge.build import CANNOT_GO_ON
from grader.model.evidence import CallCount, Ending, StreamCalls
from grader.model.report import (
    AdvicePart,
    BuildEvidence,
    BuildResult,
    CasesEvidence,
    CauseLine,
    Proof,
    RelatedLine,
    Symptom,
)
from grader.render.html.pages import report_html
from grader.render.terminal.report import in_full
from grader.render.terminal.summary import (
    IN_FULL,
    MAX_CHECKS,
    MAX_COMMAND_CHARS,
    MAX_LISTED,
    MAX_SCREEN_LINES,
    SHORT_COMMAND_CHARS,
    summary,
)
from grader.render.text.phrases import certainty_legend

from . import factory
from .test_problems import shared
from .test_terminal import shown


def test_one_known_bug_and_one_symptom() -> None:
    text = shown(summary(factory.diagnosed()))
    order = [
        "ken  87 of 100\n",
        "tr2b 8 of 15, tr2u 0 of 6: 1 check passed, 3 failed.\n",
        "1. Certain (tr2b): A char holds what getchar returns",
        "  getchar can return 257 different values",
        "  See it:",
        "    gcc -o tr2b tr2b.c",
        "    ./tr2b ab ba <in | od -A d -c",
        "  Costs 7 points: tr2b.byte-ff, tr2b.random-5m.",
        "2. tr2u: 2 of 3 cases are wrong.",
        "  Next: Look at the third argument.",
        "    strace -e trace=read ./tr2u a b <pattern-5m >/dev/null",
        "  You get:  1,222 reads of standard input for 5,000,000 bytes",
        "  Expected: 5,000,001 reads",
        "  Costs 6 points: tr2u.syscalls.",
        "System calls for 5,000,000 bytes to a file: tr2b 1,223 reads and 1,221 writes;",
    ]
    places = [text.find(words) for words in order]
    assert -1 not in places
    assert places == sorted(places)


def test_the_problem_and_its_command_stand_in_the_first_twelve_lines() -> None:
    for report in (factory.diagnosed(), factory.unbuilt()):
        # Two lines before say what is checked, and how.
        beginning = "\n".join(shown(summary(report)).splitlines()[: 12 - 3])
        assert re.search(r"A char holds|does not compile", beginning)
        assert re.search(r"^    (\./tr2b|gcc) ", beginning, re.MULTILINE)


def test_the_certainty_of_known_bugs_is_explained_once() -> None:
    text = shown(summary(factory.diagnosed()))
    words = [certainty_legend(cause.certainty) for cause in factory.diagnosed().causes]
    assert [text.count(one) for one in words] == [1] * len(words)


def test_checks_that_a_broken_build_blocks_are_counted_with_it() -> None:
    blocked = factory.check("tr2b.text", "skipped", max_points=6.0, message="there is no tr2b", needs="tr2b.build")
    report = factory.unbuilt()
    text = shown(summary(report.model_copy(update={"checks": (*report.checks, blocked)})), 200)
    assert "tr2b.build, and " in text
    assert "cannot run without it." in text
    assert "there is no tr2b" not in text


def test_no_line_ends_in_blanks() -> None:
    for report in (factory.diagnosed(), factory.broken(), factory.unbuilt(), factory.not_graded()):
        assert not [line for line in shown(summary(report)).splitlines() if line != line.rstrip()]


def test_of_many_problems_only_the_first_is_shown_in_full() -> None:
    checks = tuple(factory.check(f"tr2b.c{number}", "failed") for number in range(MAX_LISTED + 2))
    text = shown(summary(factory.report(checks=checks)), 200)
    assert text.count("  Costs 8 points: ") == 1
    assert text.count("Costs 8 points: ") == MAX_LISTED
    assert f"\n{MAX_LISTED}. tr2b: 2 of 3 cases are wrong. Costs 8 points: tr2b.c7.\n" in text
    assert "\nAnd 2 more problems (see --verbose), in checks that cost 16 points: tr2b.c8, tr2b.c9.\n" in text
    text = shown(summary(factory.report(checks=checks[:IN_FULL])), 200)
    assert text.count("  Costs 8 points: ") == IN_FULL


def test_the_worst_submission_fits_two_screens() -> None:
    assert len(shown(summary(factory.worst("x "))).splitlines()) <= 2 * 48


def test_a_problem_with_one_line_still_says_where_it_is() -> None:
    checks = tuple(factory.check(f"tr2b.c{number}", "failed") for number in range(IN_FULL + 2))
    line = CauseLine(file="tr2b.c", number=7, text="char c;")
    cause = factory.cause("x", checks[0].id, lines=(line,))
    cheap = checks[0].model_copy(update={"max_points": 1.0})
    text = shown(summary(factory.report(checks=(cheap, *checks[1:-1]), causes=(cause,))), 200)
    assert f"3. Certain (tr2b): {cause.title} (tr2b.c:7). Costs 1 point: tr2b.c0." in text
    found = factory.finding(checks[-1].id)
    text = shown(summary(factory.report(checks=checks[1:], findings=(found,))), 200)
    assert "3. tr2b: 2 of 3 cases are wrong (tr2b.c:10). Costs 8 points: tr2b.c3." in text


def test_what_proven_means_comes_with_the_first_problem_that_is() -> None:
    checks = tuple(factory.check(f"tr2b.c{number}", "failed") for number in range(IN_FULL + 2))
    checks = (
        *checks[:2],
        checks[2].model_copy(update={"max_points": 4.0}),
        checks[3].model_copy(update={"max_points": 2.0}),
    )
    proof = factory.proof("`int c`", "tr2b.c2", lines=(3,), passes="the check c2 passes")
    cause = factory.cause("x", "tr2b.c2", certainty="proven", proof=proof)
    text = shown(summary(factory.report(checks=checks, causes=(cause,))), 200)
    proven, last = (
        text.index(f"   Fix: Write `int c` in line 3. Then the check c2 passes.\n   {certainty_legend('proven')}\n"),
        text.index("\n4. tr2b"),
    )
    assert text.index("\n3. Proven (tr2b)") < proven < last


@pytest.mark.parametrize("advice", ["Write each byte.", "Write each byte as soon as it is read. " * 3])
def test_what_to_do_comes_before_the_command_if_it_takes_a_line(advice: str) -> None:
    places = (RelatedLine(file="tr2u.c", number=line, text=f"line {line};", does="writes") for line in (21, 23))
    symptom = Symptom(
        id="x", program="tr2u", checks=("tr2u.syscalls",), sentence="tr2u writes blocks.", advice=advice,
        lines=tuple(places),
    )  # fmt: skip
    text = shown(summary(factory.diagnosed().model_copy(update={"symptoms": (symptom,)})), 200)
    named = "  Begin at tr2u.c:21, which writes: line 21;\n  or at tr2u.c:23, which writes: line 23;\n"
    assert f"2. tr2u writes blocks.\n{named}" in text
    assert (text.index(f"  Next: {advice.strip()}\n") < text.index("    strace -e trace=read")) == (len(advice) <= 78)


def test_of_a_small_change_the_line_and_what_it_repairs_come_before_the_command() -> None:
    line = RelatedLine(file="tr2u.c", number=42, text="if (a && b)", does="is changed")
    passes = "the check syscalls passes"
    proof = factory.proof("`||` instead of `&&`", file="tr2u.c", lines=(42,), passes=passes)
    said = proof.sentence
    fix = "Write `||` instead of `&&` in line 42. Then the check syscalls passes."
    symptom = Symptom(
        id="x",
        program="tr2u",
        checks=("tr2u.syscalls",),
        sentence="tr2u writes blocks.",
        advice=said,
        lines=(line,),
        proof=proof,
    )
    report = factory.diagnosed().model_copy(update={"symptoms": (symptom,)})
    text = shown(summary(report), 200)
    assert f"Proven: tr2u writes blocks.\n    tr2u.c:42: if (a && b)\n  Fix: {fix}\n  See it:\n" in text
    assert (text.count(fix), text.count(said)) == (1, 0)
    assert "Begin" not in text.partition("Proven: tr2u")[2].partition("You get")[0]
    assert "Proven: the grader made this change in a copy of the source" in text
    page = report_html(report).decode("utf-8")
    assert page.index("if (a &amp;&amp; b)") < page.index("in line 42. Then") < page.index("strace -e trace=read")
    assert "Proven: tr2u writes blocks." in shown(in_full(report), 200)


def test_of_a_small_change_the_warning_comes_after_the_command() -> None:
    line = RelatedLine(file="tr2b.c", number=7, text="if (c = x)", does="is changed")
    symptom = Symptom(
        id="one-byte-for-all",
        program="tr2b",
        checks=("tr2b.byte-ff",),
        sentence="tr2b writes one byte.",
        lines=(line,),
        proof=factory.proof("`==` instead of `=`", lines=(7,)),
    )
    message = "tr2b.c:7:9: warning: suggest parentheses [-Wparentheses]\n    7 | if (c = x)\n"
    build = BuildResult(program="tr2b", ok=True, command="gcc", messages=message)
    failed = CasesEvidence(cases=(factory.failed_case(repeat="./tr2b a b"),))
    check = factory.check("tr2b.byte-ff", "failed", evidence=failed)
    text = shown(summary(factory.report(checks=(check,), symptoms=(symptom,), builds=(build,))), 200)
    assert text.index("./tr2b a b") < text.index("The grader's compilation warns there: suggest parentheses")


def test_reads_that_are_not_of_a_byte_are_explained_once() -> None:
    table = factory.table("tr2u", reads=5_000_001, writes=5_000_000, nbyte=1)
    report = factory.diagnosed().model_copy(update={"syscalls": (table,)})
    text = " ".join(shown(summary(report)).split())
    assert text.count("The reads of tr2u include 1 that returns 0 at the end") == 1


def test_of_a_known_bug_the_lines_with_its_message_come_before_what_a_memory_checker_found() -> None:
    line = RelatedLine(file="tr2b.c", number=7, text='fprintf(stderr, "lengths");', does="has this text")
    symptom = Symptom(id="x", program="tr2b", checks=("tr2b.byte-ff",), sentence="tr2b goes on.", lines=(line,))
    report = factory.diagnosed(findings=(factory.finding("tr2b.byte-ff"),)).model_copy(
        update={"symptoms": (symptom,)}
    )
    text = shown(summary(report), 200)
    assert (
        '  Begin at tr2b.c:7, which has this text: fprintf(stderr, "lengths");\n'
        "  A memory checker reports tr2b.c:10, too.\n" in text
    )
    page = report_html(report).decode("utf-8")
    assert page.index("fprintf(stderr, ") < page.index("line 10 writes 1 byte")


def test_of_many_checks_the_first_are_named() -> None:
    checks = tuple(factory.check(f"tr2b.c{number}", "failed") for number in range(MAX_CHECKS + 2))
    symptom = Symptom(
        id="x", program="tr2b", checks=tuple(check.id for check in checks), sentence="It does.", advice=""
    )
    text = shown(summary(factory.report(checks=checks, symptoms=(symptom,))), 200)
    assert f"Costs {8 * len(checks)} points: tr2b.c0, tr2b.c1, tr2b.c2, tr2b.c3 and 2 more checks." in text


def test_a_likely_cause_says_so() -> None:
    likely = factory.cause("x", "tr2b.byte-ff", certainty="likely")
    assert f"Perhaps (tr2b): {likely.title}" in shown(summary(factory.diagnosed(causes=(likely,))), 200)


@pytest.mark.parametrize("shows", [False, True])
def test_a_proven_cause_shows_its_line_and_its_fix_only_if_the_spec_says_so(*, shows: bool) -> None:
    line, fixed = (CauseLine(file="tr2b.c", number=7, text=f"    {text}") for text in ("char c;", "int c;"))
    proof = Proof(sentence="With `int` it passes.", checks=("tr2b.byte-ff",), fixed=(fixed,))
    checks = ("tr2b.byte-ff", "tr2b.random-5m")
    cause = factory.cause("x", *checks, certainty="proven", lines=(line,), proof=proof)
    text = shown(summary(factory.diagnosed(causes=(cause,), shows_fixes=shows)), 200)
    assert "Proven (tr2b): A char holds" in text
    assert "    tr2b.c:7: char c;\n  Fix: With `int` it passes.\n" in text
    assert ("    fixed, tr2b.c:7: int c;\n" in text) == shows


def test_a_finding_shows_its_line() -> None:
    text = shown(summary(factory.diagnosed(findings=(factory.finding("tr2b.byte-ff"),))), 200)
    assert "  A memory checker found: tr2b.c line 10 writes 1 byte past the end of `from` (2 bytes).\n" in text
    assert "    tr2b.c:10: *kept++ = *operand++; /* <b> */\n" in text


def test_what_a_memory_checker_found_is_said_once() -> None:
    symptom = Symptom(
        id="x",
        program="tr2b",
        checks=("tr2b.byte-ff",),
        sentence="tr2b crashes.",
    ).advised(
        AdvicePart(kind="checked-line", text="A memory checker found a mistake in line 10: begin there."),
        AdvicePart(text="Is there a check?"),
    )
    finding = factory.finding("tr2b.byte-ff")
    check = factory.check("tr2b.byte-ff", "failed")
    report = factory.diagnosed(causes=(), checks=(check,), findings=(finding,))
    report = report.model_copy(update={"symptoms": (symptom,)})
    text = " ".join(shown(summary(report), 200).split())
    assert text.count("emory checker found") == 1
    assert "Next: Is there a check?" in text
    page = report_html(report).decode("utf-8")
    assert page.count("emory checker found") == 1
    assert "<strong>Next.</strong> Is there a check?" in page


@pytest.mark.parametrize(
    ("hint", "said"),
    [(CANNOT_GO_ON, f"Next: {CANNOT_GO_ON}"), ("", "Nothing else of tr2b can be judged until it compiles.")],
)
def test_only_what_to_do_about_an_error_is_a_next_step(hint: str, said: str) -> None:
    report = factory.unbuilt()
    evidence = BuildEvidence(messages=report.builds[0].messages, explains_error=bool(hint))
    checks = (
        check.model_copy(update={"hint": hint, "evidence": evidence}) if check.status == "failed" else check
        for check in report.checks
    )
    report = report.model_copy(update={"checks": tuple(checks)})
    text = " ".join(shown(summary(report), 200).split())
    assert said in text
    assert ("Next:" in text) == bool(hint)
    page = report_html(report).decode("utf-8")
    assert ("<strong>Next.</strong>" in page) == bool(hint)
    assert "<strong>Hint.</strong>" not in page


def test_a_program_is_compiled_once() -> None:
    of_tr2b = tuple(check for check in factory.diagnosed().checks if check.program == "tr2b")
    text = shown(summary(factory.diagnosed(causes=(), checks=of_tr2b)), 200)
    assert text.count("See it") == IN_FULL
    assert text.count("gcc -o tr2b tr2b.c") == 1


@pytest.mark.parametrize(("length", "is_shown"), [(SHORT_COMMAND_CHARS, True), (SHORT_COMMAND_CHARS + 1, False)])
def test_a_problem_that_is_not_shown_in_full_has_its_command_if_that_fits_a_line(
    *, length: int, is_shown: bool
) -> None:
    command = "./tr2b ".ljust(length, "x")
    failed = CasesEvidence(cases=(factory.failed_case(repeat=command),))
    checks = tuple(factory.check(f"tr2b.c{number}", "failed", evidence=failed) for number in range(IN_FULL + 1))
    text = shown(summary(factory.diagnosed(causes=(), checks=checks)), 200)
    assert text.count(f"    {command}\n") == 1 + (len(checks) - 1) * is_shown
    assert text.count("gcc -o tr2b tr2b.c") == 1


def test_a_command_that_is_too_long_is_not_cut() -> None:
    failed = CasesEvidence(cases=(factory.failed_case(repeat="./tr2b ".ljust(MAX_COMMAND_CHARS + 1, "x")),))
    text = shown(summary(factory.diagnosed(checks=(factory.check("tr2b.text", "failed", evidence=failed),))), 200)
    assert "See it: the command is too long for a terminal." in text
    assert "./tr2b" not in text


def test_points_of_a_shared_check_count_once_and_consequences_are_named() -> None:
    text = shown(summary(shared()), 200)
    assert "  Costs 8 points: tr2b.text, tr2b.binary.\n" in text
    assert "  Costs no further points: it affects tr2b.binary, too.\n" in text
    assert "Fix 1 first, and check again: 2 may come from the same mistake.\n" in text
    assert "Fix 1 first" not in shown(summary(factory.diagnosed()), 200)


def test_a_proven_line_is_the_only_one() -> None:
    proof = Proof(sentence="With `int` it passes.", checks=("tr2b.byte-ff",))
    line = CauseLine(file="tr2b.c", number=7, text="char c;")
    found = factory.finding("tr2b.byte-ff")
    for lines, is_shown in (((line,), False), ((), True)):
        checks = ("tr2b.byte-ff", "tr2b.random-5m")
        cause = factory.cause("x", *checks, certainty="proven", lines=lines, proof=proof)
        text = shown(summary(factory.diagnosed(causes=(cause,), findings=(found,))), 200)
        assert (found.message in text) == is_shown


def test_lines_for_which_there_is_no_room_are_named_by_their_numbers() -> None:
    lines = tuple(CauseLine(file="tr2b.c", number=number, text='printf("no");') for number in (7, 9, 30, 41))
    proof = Proof(sentence="With `fprintf(stderr, ...)` it passes.", checks=("tr2b.byte-ff",))
    cause = factory.cause("x", "tr2b.byte-ff", certainty="proven", lines=lines, proof=proof)
    check = factory.check("tr2b.byte-ff", "failed", cause="x")
    text = shown(summary(factory.report(checks=(check,), causes=(cause,))), 80)
    assert '    tr2b.c:7: printf("no");\n    tr2b.c:9: printf("no"); (and lines 30 and 41)\n' in text


def test_the_lines_of_two_files_are_not_mixed_up() -> None:
    places = (("tr2b.c", 7), ("tr2b.c", 30), ("tr2u.c", 18), ("tr2u.c", 41))
    lines = tuple(CauseLine(file=file, number=number, text="char c;") for file, number in places)
    proof = Proof(sentence="With `int c` it passes.", checks=("tr2b.byte-ff",))
    cause = factory.cause("x", "tr2b.byte-ff", certainty="proven", lines=lines, proof=proof)
    check = factory.check("tr2b.byte-ff", "failed", cause="x")
    text = shown(summary(factory.report(checks=(check,), causes=(cause,))), 80)
    assert "    tr2b.c:7: char c;\n    tr2b.c:30: char c;\n" in text
    few = cause.model_copy(update={"lines": (lines[0], *lines[2:])})
    text = shown(summary(factory.report(checks=(check,), causes=(few,))), 80)
    assert "    tr2b.c:7: char c;\n    tr2u.c:18: char c; (and line 41)\n" in text


def test_of_several_lines_one_is_enough_if_the_next_step_then_comes_before_the_command() -> None:
    lines = tuple(
        RelatedLine(file="tr2b.c", number=number, text="while ((c = getchar()) != EOF && n < limit)", does="reads")
        for number in (21, 23)
    )
    sentence, advice = "tr2b writes a message and no copy. " * 3, "Read one byte in each round of the loop. " * 2
    symptom = Symptom(id="x", program="tr2b", checks=("tr2b.byte-ff",), sentence=sentence, advice=advice, lines=lines)
    failed = CasesEvidence(cases=(factory.failed_case(repeat="./tr2b a b"),))
    check = factory.check("tr2b.byte-ff", "failed", evidence=failed)
    rows = shown(summary(factory.report(checks=(check,), symptoms=(symptom,))), 80).splitlines()
    begin = next(
        number for number, row in enumerate(rows) if row.startswith("  Begin at tr2b.c:21, which reads: while")
    )
    assert rows[begin].endswith("… (and line 23)")
    assert rows[begin + 1].startswith("  Next: Read one byte")
    assert rows.index("  See it:") > begin


def test_findings_in_a_line_are_shown_once_and_other_lines_are_named() -> None:
    found = factory.finding("tr2b.byte-ff")
    other = found.model_copy(update={"line": 30, "message": "another"})
    text = shown(summary(factory.diagnosed(findings=(found, found, other, other))), 200)
    assert text.count(found.message) == 1
    assert "  A memory checker found more mistakes: tr2b.c:30.\n" in text


def test_full_marks_show_the_tables() -> None:
    text = shown(summary(factory.report()))
    assert "Nothing went wrong: all 2 checks passed." in text
    assert "Seconds, pattern-5m" in text
    assert "See it" not in text


def test_the_second_of_two_problems_is_in_short_if_the_screen_is_too_small_for_both() -> None:
    report = factory.diagnosed()
    sizes = {}
    for columns in (80, 40):
        text = shown(summary(report), columns)
        sizes[columns] = text.count("  See it:"), len(text.splitlines()) <= MAX_SCREEN_LINES
    assert sizes == {80: (2, True), 40: (1, True)}


def test_a_line_of_the_source_may_take_two_lines() -> None:
    code = "if (strlen(argv[1]) != strlen(argv[2])) { write(1, message, sizeof message - 1); exit(1); } // why"
    [cause] = factory.diagnosed().causes
    cause = cause.model_copy(update={"lines": (CauseLine(file="tr2b.c", number=7, text=code),)})
    words = " ".join(shown(summary(factory.diagnosed(causes=(cause,)))).split())
    assert f"tr2b.c:7: {code}" in words
    long = cause.model_copy(update={"lines": (CauseLine(file="tr2b.c", number=7, text=code * 2),)})
    assert "…" in shown(summary(factory.diagnosed(causes=(long,))))


@pytest.mark.parametrize(
    ("ending", "until"),
    [
        (factory.ENDINGS[0], ", and does not copy everything"),
        (factory.ENDINGS[1], " until it crashed"),
        (factory.ENDINGS[2], " until it was stopped"),
    ],
)
def test_calls_of_a_run_that_did_not_end_by_itself_are_those_until_then(ending: Ending, until: str) -> None:
    failed = factory.failed_case("pattern-5m", ending=ending)
    check = factory.check("tr2b.pattern-5m", "failed", evidence=CasesEvidence(cases=(failed,)))
    text = " ".join(shown(summary(factory.diagnosed(checks=(check,)))).split())
    assert f"System calls for 5,000,000 bytes to a file: tr2b 1,223 reads and 1,221 writes{until}; tr2u" in text


def test_the_write_of_a_program_that_copies_nothing_is_its_message() -> None:
    nothing = StreamCalls(calls=0, bytes=0, nbyte_min=None, nbyte_max=None)
    calls = {name: CallCount(calls=1, errors=0) for name in ("read", "write")}
    own = factory.buffered().model_copy(update={"calls": calls, "stdin": nothing, "stdout": nothing})
    failed = factory.failed_case("pattern-5m", difference=factory.difference(b"abc", b"", 0))
    check = factory.check("tr2b.pattern-5m", "failed", evidence=CasesEvidence(cases=(failed,)))
    report = factory.diagnosed(checks=(check,), syscalls=(own, factory.unbuffered()))
    own_calls = "1 read (by the dynamic loader) and 1 write (to standard error), nothing to standard output"
    assert f"tr2b {own_calls} (reference: " in " ".join(shown(summary(report)).split())
    text = " ".join(shown(in_full(report)).split())
    assert "tr2b: 1 write = 0 of the output + 1 elsewhere, such as to standard error." in text


def test_the_case_of_calls_is_named_if_there_are_several_with_other_calls() -> None:
    one, other = factory.buffered(), factory.table("tr2b", reads=3, writes=2, nbyte=4096)
    elsewhere = {"input": "random-5m", "case": "random-5m"}
    said = {}
    for name, tables in {
        "same": (one, one.model_copy(update=elsewhere), factory.unbuffered()),
        "different": (one, other.model_copy(update=elsewhere), factory.unbuffered()),
        "not counted": (one, other.model_copy(update=elsewhere), factory.unbuffered().model_copy(update=elsewhere)),
    }.items():
        text = shown(summary(factory.diagnosed(syscalls=tables)))
        said[name] = " ".join(text[text.index("System calls") :].split("\n\n")[0].split())
    assert said["same"].startswith("System calls for 5,000,000 bytes to a file: tr2b ")
    assert said["different"].startswith("System calls in pattern-5m, for 5,000,000 bytes to a file: tr2b 1,223 reads")
    assert "tr2b 3 reads" not in said["different"]
    assert "tr2u in random-5m 5,000,002 reads" in said["not counted"]


def test_what_to_change_comes_before_the_command_if_nothing_is_proven() -> None:
    report = factory.diagnosed()
    (cause,) = report.causes
    page = cause.page.replace("## What to read", "## What to change\n\nDeclare `c` as `int`.\n\n## What to read")
    changed = cause.model_copy(update={"page": page})
    text = shown(summary(report.model_copy(update={"causes": (changed,)})))
    assert text.index("  Next: Declare c as int.\n") < text.index("  See it:")
    proof = Proof(sentence="With `int c` in line 1 of tr2b.c, the check passes.", checks=cause.checks)
    proven = changed.model_copy(update={"certainty": "proven", "proof": proof})
    assert "Declare c as int." not in shown(summary(report.model_copy(update={"causes": (proven,)})))


def test_lines_of_both_programs_are_both_to_begin_with() -> None:
    report = factory.diagnosed()
    lines = tuple(
        RelatedLine(file=file, number=number, text=f"line {number};", does="writes")
        for file, number in (("tr2b.c", 1), ("tr2b.c", 2), ("tr2u.c", 3))
    )
    symptom = Symptom(id="x", program="tr2u", checks=("tr2u.syscalls",), sentence="It is so.", advice="", lines=lines)
    text = shown(summary(report.model_copy(update={"symptoms": (symptom,)})), 200)
    assert "  Begin at tr2b.c:1, which writes: line 1;\n  and at tr2u.c:3, which writes: line 3;\n" in text
