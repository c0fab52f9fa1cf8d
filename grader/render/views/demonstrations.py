"""A command that shows a problem in the student's folder, with what it gives and what it should give."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from grader.diagnose.behaviour.group import order_as_example, unclear_ends
from grader.judge.streams import verb_of
from grader.model.counted import counted, listed
from grader.model.evidence import Exited, LimitReached, Signalled
from grader.model.report import (
    CallsEvidence,
    CaseResult,
    CasesEvidence,
    Check,
    Derived,
    Difference,
    Report,
    StreamJudgement,
    SymbolsEvidence,
    Window,
)
from grader.model.spelled_bytes import byte_words, escapes_of
from grader.render.text.escape import one_line
from grader.render.text.phrases import ending_words

SHOWN_COLUMNS = 56
"""Columns that a part of an output takes, at most: with its label it fits on a line of 80."""

QUOTED_COLUMNS = 40
"""Columns that a quoted message takes."""

BEFORE_BYTES = 8

_NO_OUTPUT = "nothing on standard output"

_FLOOD = LimitReached(kind="limit", limit="output")

_PART_SHOWN = re.compile(r"od -A d -c -j (\d+) -N (\d+)$")

STOPPED_BY_HEAD = re.compile(r"( 2>&1 >/dev/null)? \| head -c (\d+) \| wc -c$")

_DISCARDED = " >/dev/null; echo"
"""The end of a command that shows how a program ends, and nothing of its output."""

SIGNALLED = 128
"""What a shell adds to the number of the signal that killed a program, in `$?`."""


@dataclass(frozen=True)
class Demonstration:
    """Lines for a shell that show a problem in the student's folder, and what the program does and should do there.

    `compile` builds the program that `lines` run. `got` and `expected` are "" if they are not known, as in reports
    of earlier versions. `note` explains how they show bytes that od shows differently. `case` is shown.
    """

    compile: str
    lines: str
    got: str
    expected: str
    note: str = ""
    case: str = field(default="", compare=False)
    is_fixed: bool = field(default=False, compare=False)
    is_other_input: bool = field(default=False, compare=False)


def demonstration(
    report: Report, checks: Sequence[Check], names: Collection[str] = (), *, changed: bool = False
) -> Demonstration | None:
    """Return a failing case, of those with `names` if there are any; without one, what shows the wrong calls.

    Sentences have their examples from the same case. With `changed`, one in which the program changes a byte is
    better.
    """
    cases = [
        (place, check.program, case)
        for place, check in enumerate(checks)
        if isinstance(check.evidence, CasesEvidence)
        for case in check.evidence.cases
        if not case.passed and case.repeat and case.ending is not None
    ]
    cases = [one for one in cases if one[2].case in names] or cases
    if cases:
        unclear = unclear_ends([case for *_, case in cases])
        _, program, case = min(
            cases,
            key=lambda one: order_as_example(
                one[2],
                one[0],
                is_unclear=one[2].case in unclear or (changed and _copies(one[2].difference)),
            ),
        )
        # In a shell, what a program leaves behind goes on, and may write the rest.
        is_known = not case.left_processes or not isinstance(case.ending, Exited)
        got, expected = _case_outcome(case) if is_known else ("", "")
        note = _notes_on_od(case, got, expected) if " od " in case.repeat else ""
        # A crash shows no bytes, and head stops after the same number.
        is_fixed = isinstance(case.ending, Signalled) or STOPPED_BY_HEAD.search(case.repeat) is not None
        return Demonstration(compile_line(report, program), case.repeat, got, expected, note, case.case, is_fixed)
    for check in checks:
        match check.evidence:
            case CallsEvidence() as calls if calls.repeat:
                return _calls_shown(compile_line(report, check.program), calls)
            case SymbolsEvidence() as symbols:
                return _search_for_calls(report, check, symbols)
    return None


def _calls_shown(compiles: str, calls: CallsEvidence) -> Demonstration:
    """Return what the calls of a program are and what they should be, nothing if no stream failed."""
    # The command may be for another input than the first one whose calls are wrong.
    failed = [one for one in calls.streams if not one.passed]
    wrong = next((one for one in failed if one.input in calls.repeat), next(iter(failed), None))
    if wrong is None:
        return Demonstration(compiles, calls.repeat, "", "")
    got, expected = _calls_outcome(wrong)
    is_other_input = bool(got) and wrong.input not in calls.repeat
    if is_other_input:
        got = f"with the input {one_line(wrong.input)}, {got}"
    return Demonstration(compiles, calls.repeat, got, expected, is_other_input=is_other_input)


def _search_for_calls(report: Report, check: Check, symbols: SymbolsEvidence) -> Demonstration:
    """Return the search of the source for functions that it should call, or should not."""
    wanted = [f"a call of {listed(map(one_line, group), 'or')}" for group in symbols.missing]
    wanted += [f"most bytes go through {listed(map(one_line, group), 'or')}" for group in symbols.unused]
    unwanted = [f"no call of {listed(map(one_line, symbols.forbidden), 'or')}"] if symbols.forbidden else []
    # What it calls as it should is not the problem.
    wrong_calls = {*symbols.forbidden, *symbols.instead}
    found = [] if symbols.left_out else sorted(wrong_calls or {*symbols.found})
    got = f"calls of {listed(map(one_line, found))}" if found else "none of these calls"
    searched = [group[0] for group in symbols.missing] if symbols.left_out else found
    if found and symbols.missing and not symbols.left_out:
        got, searched = f"only {got}", [*found, *(name for group in symbols.missing for name in group)]
    if symbols.unused:
        got, searched = one_line(check.message), sorted(symbols.instead)
    elif symbols.left_out:
        got = "calls that are never reached: the compiled program does not have them"
    return Demonstration("", _search(report, check.program, searched), got, listed([*wanted, *unwanted]))


def counts_bytes(lines: str) -> bool:
    """Return whether a command shows how many bytes there are, and not which."""
    return " wc -c" in lines.rpartition("\n")[2]


def _copies(difference: Difference | None) -> bool:
    """Return whether an output is like the input around the first difference from the right one."""
    return difference is not None and difference.input is not None and difference.input.data == difference.actual.data


def _search(report: Report, program: str, names: Iterable[str]) -> str:
    """Return the line that searches the source for calls of these functions; "" without any."""
    command = next((build.command for build in report.builds if build.program == program), "")
    file, wanted = command.split(" ")[-1], "|".join(map(one_line, names))
    return f"grep -nwE '{wanted}' {file}" if wanted and file.endswith(".c") else ""


def compile_line(report: Report, program: str) -> str:
    """Return the command that compiled a program, without options for warnings that it had no use for.

    All stay if warnings are errors: without them, the command might compile what the grader could not.
    """
    build = next((build for build in report.builds if build.program == program), None)
    if build is None:
        return ""
    if re.search(r" -Werror\b", build.command):
        return build.command
    return " ".join(
        word
        for word in build.command.split(" ")
        if not word.startswith("-W") or f"[{word.replace('-Wno-error=', '-W')}]" in build.messages
    )


def _case_outcome(case: CaseResult) -> tuple[str, str]:
    """Return what a case did and what it should have done."""
    ended = _ending(case)
    message = f", on standard error {_quoted(case.stderr)}" if case.stderr else ""
    flood = STOPPED_BY_HEAD.search(case.repeat)
    if flood and flood[1] and case.expect == "reference-output":
        return ended, "nothing on standard error, then an exit"
    if case.difference is not None:
        return _copy_outcome(case, case.difference, ended, "" if case.differs_in else message)
    if case.expect == "operand-error":
        wrote = f", and on standard output {_quoted(case.stdout)}" if case.stdout else ""
        nothing = ", nothing on standard error" if wrote else ", no message"
        if isinstance(case.ending, Signalled) and not wrote:
            # The shell reports the signal.
            nothing = f"{nothing} of its own"
        empty = ", nothing on standard output" if wrote else ""
        return f"{ended}{message or nothing}{wrote}", f"a message on standard error{empty}, exit status not 0"
    if case.expect is None or isinstance(case.ending, Exited):
        return "", ""
    if case.expect == "either":
        return ended, "an exit"
    # The command shows the exit status where it hides the output.
    return ended, _expected_ending(
        case
    ) if "exit status" in case.repeat else "an exit (the output until then is right)"


def _expected_ending(case: CaseResult) -> str:
    """Say how a case should end; one that states no exit status may have any."""
    if case.expect == "stated" and case.expected_status is None:
        return "an exit"
    return f"exit status {case.expected_status or 0}"


def _ending(case: CaseResult) -> str:
    """Say how a case ended, as the command shows it: that has limits of its own."""
    match case.ending:
        case LimitReached(limit="cpu" | "wall"):
            return f"no end{' (exit status 124: timeout stops it)' if 'exit status' in case.repeat else ''}"
        case LimitReached(limit="output"):
            stopped = STOPPED_BY_HEAD.search(case.repeat)
            stream = " on standard error" if stopped and stopped[1] else ""
            return f"{int(stopped[2]):,} bytes{stream} (head stops it)" if stopped else "more than allowed"
        case Signalled(signal=number) if "exit status" in case.repeat:
            return f"{ending_words(case.ending).partition(' (')[0]} (exit status {SIGNALLED + number})"
        case _:
            return ending_words(case.ending).partition(" (")[0]


def _copy_outcome(case: CaseResult, difference: Difference, ended: str, message: str) -> tuple[str, str]:
    size, expected_size = difference.actual_size_bytes, difference.expected_size_bytes
    counts = counts_bytes(case.repeat)
    part = _PART_SHOWN.search(case.repeat)
    shown = range(int(part[1]), int(part[1]) + int(part[2])) if part else None
    right = _around(difference, difference.expected, expected_size, shown)
    expected = counted(expected_size, "byte") if counts else right
    if not isinstance(case.ending, Exited):
        if _DISCARDED in case.repeat:
            return f"{ended}{message}", _expected_ending(case)
        after = f", after {counted(size, 'byte')}" if size else f", {_NO_OUTPUT}{message}"
        return f"{ended}{'' if case.ending == _FLOOD else after}", f"{counted(expected_size, 'byte')}, then an exit"
    if not size:
        got = "0 bytes" if counts else _NO_OUTPUT if message else "nothing"
        # The command does not show the status, which is only wrong if it is not 0, and which a message explains.
        if "exit status" in case.repeat or (case.ending.code and not message):
            return f"{got}; {ended}{message}", expected
        return f"{got}{', and' if message else ''}{message[1:]}", expected
    got = counted(size, "byte") if counts else _around(difference, difference.actual, size, shown)
    return f"{got}{message}", expected


_OCTAL_BYTE = re.compile(r"(?<!\\)(?:\\\\)*\\([0-3][0-7]{2})")

_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\0")


def _at(difference: Difference | None) -> str:
    """Return the byte that is right and the one that came where two outputs differ, as they are shown."""
    windows = () if difference is None else (difference.expected, difference.actual)
    offsets = [0 if difference is None else difference.offset - window.offset for window in windows]
    return "".join(
        "".join(escapes_of(window.data[at : at + 1])) for window, at in zip(windows, offsets, strict=True) if at >= 0
    )


def _notes_on_od(case: CaseResult, got: str, expected: str) -> str:
    notes = [_notation(got + expected, _at(case.difference))]
    if "nothing" in (got, expected) and case.repeat.endswith("| od -c"):
        notes.append("Without any byte, od prints 0000000.")
    return " ".join(filter(None, notes))


def _notation(shown: str, at: str) -> str:
    """Explain a byte without a character or a name, which students know in hexadecimal, else a backslash.

    It is one of those where outputs differ (`at`), else the first.
    """
    octals = [octal for octal in _OCTAL_BYTE.findall(shown) if int(octal, 8)]
    differing = [octal for octal in _OCTAL_BYTE.findall(at) if octal in octals]
    found = next(iter((*differing, *octals)), "")
    if found and (differing or not _NUL.search(at)):
        return f"od prints \\{found}, the byte {byte_words(int(found, 8))}, as {found}."
    if _NUL.search(shown):
        return r"\0 is NUL, the byte 0x00."
    return r"od prints \\, a backslash, as \." if r"\\" in shown else ""


def _quoted(data: bytes) -> str:
    return f"“{_fitting(data.rstrip(), QUOTED_COLUMNS)}”"


def _around(difference: Difference, window: Window, size_bytes: int, part: range | None) -> str:
    """Return the part of an output around the difference as text, with “…” where it goes on.

    `part` are the offsets that the command shows; None if it shows all.
    """
    start = 0 if difference.offset < 2 * BEFORE_BYTES and window.offset == 0 else difference.offset - BEFORE_BYTES
    end = window.offset + len(window.data)
    if part is not None:
        start, end = part.start, min(end, part.stop)
    data = window.data[max(0, start - window.offset) : max(0, end - window.offset)]
    before = "…" if start else ""
    shown = _fitting(data, SHOWN_COLUMNS)
    after = "" if shown.endswith("…") or end >= size_bytes else "…"
    if not data:
        return "nothing more" if start else "nothing"
    text = f"{before}{shown}{after}"
    # A blank at an end would not be seen.
    return f"“{text}”" if text != text.strip() else text


def _fitting(data: bytes, columns: int) -> str:
    text = ""
    for escaped in escapes_of(data):
        if len(text) + len(escaped) > columns:
            return f"{text}…"
        text += escaped
    return text


def _calls_outcome(stream: StreamJudgement) -> tuple[str, str]:
    if stream.expected_calls is None:
        return "", ""
    verb = verb_of(stream.stream)
    # strace also shows the reads of the dynamic loader and the writes of messages.
    where = "to a terminal" if stream.sink == "terminal" and stream.stream == "stdout" else stream.where
    got = f"{counted(stream.calls, verb)} {where} for {counted(stream.bytes, 'byte')}"
    derived = stream.derived or Derived(each=stream.derivation)
    expected = f"{'at most ' if derived.at_most else ''}{counted(stream.expected_calls, verb)}"
    if stream.deviation == "no-calls":
        return f"no {verb} {where}", f"{expected} for {derived.words}"
    if stream.expected_calls == stream.calls:
        # The number is right by chance: the judge says why the calls are wrong.
        return one_line(stream.problem), f"{expected} {where} ({derived.words})"
    size = "bytes" if derived.counted_bytes is None else counted(derived.counted_bytes, "byte")
    what = "this byte" if derived.counted_bytes == 1 else f"these {size}"
    return got, f"{expected} for {what} ({derived.each})"
