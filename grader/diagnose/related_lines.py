"""Choose the lines of a source that have to do with a symptom: what they do is known, not that they are wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from grader.diagnose.line_patterns import ROLES
from grader.diagnose.outputs import HIGH
from grader.diagnose.sentences_on_operands import OF_OPERANDS
from grader.diagnose.sentences_on_outputs import OF_OUTPUTS
from grader.diagnose.text_outputs import SYMPTOMS
from grader.diagnose.traced_slice import ABOUT_PIPES
from grader.model.report import (
    NEGATIVE_INDEX,
    AdvicePart,
    CallsEvidence,
    CaseResult,
    CasesEvidence,
    Check,
    RelatedLine,
    Report,
    Stream,
    SymbolsEvidence,
    Symptom,
)

MAX_LINES = 3
"""Most lines of one symptom: more of them lead nowhere."""

MAX_TEXTS = 200
"""Most lines with strings of which those are looked for that were written: each is compared with all messages."""

MESSAGE_CHARS = 4
"""Shortest text by which a string in the source is recognised in what the program wrote."""

_WRITTEN = frozenset({
    "refuses-valid-operands", "writes-message-instead", "continues-after-message", "message-and-more",
    "message-but-status-0", "message-on-stdout", "extra-before", "refused-while-copying",
})  # fmt: skip
"""Symptoms in which the program wrote a text of its own."""

_REFUSED = frozenset({"refuses-valid-operands", "writes-message-instead"})
_NOT_REFUSED = frozenset(OF_OPERANDS) - _WRITTEN
_COPIES = (frozenset(OF_OUTPUTS) - _WRITTEN) | {"never-ends", "writes-without-end", "writes-nothing"}
_ENDS = frozenset({"never-ends", "writes-without-end", "extra-after", "loses-first-byte", "loses-first-line"})
"""Symptoms of loops that end at the wrong time: of these, the lines that read are enough."""

_PARTNERS = frozenset({
    "next-partner", "previous-partner", "first-partner-for-all", "last-partner-for-all", "wrong-partners",
})  # fmt: skip
"""Symptoms of a wrong index or pointer into the second operand."""

_LOOKUPS = frozenset({
    "not-translated", "copies-unchanged", "depends-on-position", "drops-after-match", "every-second-pair",
    "found-as-a-word", "found-by-position", "goes-on-searching", "high-bytes-not-found", "high-bytes-wrong",
    "ignores-case", "last-partner-for-others", "not-last-pair", "one-of-many-translated", "only-first-pair",
    "only-last-pair", "other-bytes-become-one", "stops-after-match", "translated-once", "translated-twice",
    "wrong-bytes",
})  # fmt: skip
"""Symptoms of a byte that is searched in the wrong way."""

_WRITES = _PARTNERS | {
    "extra-after-each", "more-after-each", "each-byte-repeated", "one-for-each-pair", "both-bytes", "extra-between",
    "copies-to-stderr", "other-order", "writes-nothing", "wrong-bytes",
}  # fmt: skip
"""Symptoms of which the lines that write come first."""

_COPIED_WRONG = (_LOOKUPS | _WRITES) - {"copies-to-stderr", "writes-nothing"}
_REPEATS = frozenset({
    "each-byte-repeated", "extra-after-each", "extra-between", "more-after-each", "one-for-each-pair", "wrong-output",
    "writes-without-end",
})  # fmt: skip
"""Symptoms of programs that write too often."""

_FORGETS_NOTHING = frozenset({
    "copies-unchanged", "depends-on-position", "drops-after-match", "goes-on-searching", "last-partner-for-others",
    "loses-bytes", "one-byte-for-all", "other-bytes-become-one", "stops-after-match", "stops-early",
    "translated-once", "wrong-bytes",
})  # fmt: skip
"""Symptoms of programs in which a byte depends on those before it."""

_FLOODS = frozenset({"never-ends", "writes-without-end"})

DECISIVE: Mapping[str, AbstractSet[str]] = {
    "partly": _COPIED_WRONG | _FORGETS_NOTHING | {"stops-after-byte"},
    "unfilled": frozenset({"other-bytes-become-one", "drops-bytes", "wrong-bytes", "depends-on-position"}),
    "bounds": frozenset({
        "high-bytes-wrong", "wrong-bytes", "other-bytes-become-one", "drops-bytes", "not-translated",
    }),
    "small": frozenset({"high-bytes-wrong", "wrong-bytes", "crashes", "depends-on-position"}),
    "kept": _FORGETS_NOTHING,
    "undone": frozenset({"only-last-pair", "not-translated", "copies-unchanged", "wrong-bytes"}),
    "repeated": _REPEATS,
    "first-round": frozenset({
        "accepts-wrong-operands", "only-first-pair", "stops-after-byte", "stops-early", "not-translated",
        "copies-unchanged",
    }),
    "short": frozenset({"accepts-wrong-operands", "not-last-pair"}),
    "pointer-size": _LOOKUPS | {"refuses-valid-operands", "stops-early", "crashes"},
    "cut": frozenset({
        "accepts-wrong-operands", "not-last-pair", "not-translated", "one-of-many-translated", "only-first-pair",
        "wrong-bytes",
    }),
    "whole": frozenset({"extra-after", "extra-between", "more-after-each", "wrong-output"}),
    "inner-input": frozenset({"only-first-pair", "not-translated", "copies-unchanged", "wrong-bytes"}),
    "masks": frozenset({"highest-bit-lost", "wrong-bytes", "high-bytes-wrong", "high-bytes-not-found"}),
    "refilled": frozenset({"translated-twice"}),
    "absent": frozenset({"not-translated"}),
    "as-string": frozenset({"drops-bytes"}),
    "eof-byte": _FLOODS | {"extra-after", "stops-after-byte", "stops-early"},
    "feof": frozenset({"extra-after"}),
    "compared": frozenset({"one-byte-for-all", "never-ends", "writes-without-end"}),
    "signed": frozenset({
        "high-bytes-wrong", "high-bytes-not-found", "crashes", "refuses-valid-operands", "wrong-bytes",
    }),
    "options": _REFUSED,
    "assigns": frozenset(OF_OUTPUTS),
    "drops": frozenset({"no-message"}),
    "success": frozenset({"message-but-status-0"}),
    "quits": frozenset({"writes-nothing", "stops-early"}),
}  # fmt: skip
"""What is a mistake in itself if the program shows one of these symptoms, the likeliest first."""

ADVICE = {
    "partly": "Its other bytes keep what was in them. Declare it with the type of the bytes that it is compared with.",
    "unfilled": "A byte that has no partner is copied as it is: its entry must be set, too.",
    "bounds": "The last entry of an array of N elements has the index N - 1: the loop must reach it.",
    "small": "A byte is a number from 0 to 255: the array needs 256 elements.",
    "kept": "It must be set back before the search for the next byte.",
    "undone": "What a round of the search has found must stay, or the search must end there.",
    "repeated": "Write once for each byte that was read, after the search.",
    "first-round": "Do this after the loop: only then is it known that nothing was found.",
    "short": "The last byte must be looked at, too.",
    "pointer-size": "sizeof counts the bytes of the pointer, 8 here; strlen counts those of a string.",
    "cut": "An operand can be longer: use it where it is, or copy all of it, into an array of its size.",
    "whole": "Write as many bytes as the read has returned.",
    "inner-input": "The loop that reads has to be the outer one: look each byte up as soon as it is read.",
    "masks": "A byte has 8 bits: it may be as high as 255.",
    "refilled": "Use each byte of the operand as the index of the entry to set, without a search for it.",
    "as-string": "A string ends at its first NUL, so a NUL is not written: write each byte by itself, not as a string.",
    "absent": "In a char, 0xFF is -1, too: keep in another array which entries are set.",
    "eof-byte": "read returns 0 at the end of the input: compare that, not the byte.",
    "feof": "feof is true only after a read has failed: compare what each read returns instead.",
    "compared": "Parentheses around the assignment come first: (c = getchar()) != EOF.",
    "signed": "A plain char from 0x80 on is negative: convert it to unsigned char first.",
    "options": "This program has no options: take argv[1] and argv[2] as they are.",
    "assigns": "= assigns: write == to compare.",
    "drops": "This loses what printf has left in a buffer. Write messages to standard error, which has none.",
    "success": "After an error message, the exit status must not be 0.",
    "quits": "exit, or return in main, writes what printf and putchar have left in a buffer.",
}
"""What to do about a line of DECISIVE, by role."""

OTHERS_REFUSED = "refuses other operands"
"""What a line does that decides about the message for other wrong operands of the same checks."""

REPAIRED = "repaired"
"""The role of a line that was changed in a trial (grading/change_search.py): it is shown as the line of a proof."""

DECISIVE_ROLES = frozenset({*ADVICE, REPAIRED})

_SUSPICIOUS = (("assigns",), ("escapes",), ("runs",), ("options",))
"""What a program for this lab has no reason to do, whatever the symptom is."""

_USUAL = frozenset({"reads", "writes", "partners", "matches", "finds", "searches"})
_TELLING = frozenset({"tests", "buffers", "sorts", "constants", "text"})
"""What lines do that are seldom there without a reason: what comes after them only leads astray."""

_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
_CALLED = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
_DEFINED = re.compile(r"\b([A-Za-z_]\w*)\s*\([^()]*")
_MACRO = re.compile(r"\s*#\s*define\s+([A-Za-z_]\w*)\(")
_CONSTANT = re.compile(r"""'(\\?[^'\\])'|"(\\?[^"\\])\"""")
_IDENTITY = re.compile(r"\[\s*(?:\([\w ]+\)\s*)?(\w+)\s*\]\s*=\s*(?:\([\w ]+\)\s*)?\1\s*[;,]")
"""An entry of a table that is set to its own index: nothing is translated there."""

_PUTS_NOTHING = re.compile(r'\bputs\s*\(\s*""\s*\)')
_BUFFERED = re.compile(r'\b(putchar|putc|fputc|fwrite)\b|\bprintf\s*\(\s*"%c')
_FLUSHES = re.compile(r"\b(fflush|fclose|setvbuf|setbuf)\b")
_ESCAPED = {"\\n": b"\n", "\\0": b"\0", "\\t": b"\t", "\\r": b"\r"}
_PIECE = re.compile(r"%[-+ #0-9.*]*[hlzjt]*[a-zA-Z%]|\\.")


def related_lines(
    symptom: Symptom, report: Report, file: str, source: Sequence[str], found: Mapping[str, Sequence[Sequence[int]]]
) -> tuple[RelatedLine, ...]:
    """Return the lines of `source` that concern a symptom.

    `found` has, for each of PATTERNS, the lines of each place that was found.
    """
    if symptom.id in SYMPTOMS:
        # Which line computes a text wrongly, no search for reads and writes tells.
        return ()
    calls = {line.number: line for line in _unwanted_calls(symptom, report, file, source, found)}
    unwanted = tuple(calls.values())[:MAX_LINES]
    if unwanted:
        return unwanted
    chosen: list[RelatedLine] = []
    for role in (role for role in DECISIVE if _is_decisive(role, symptom, report)):
        chosen += [
            RelatedLine(file=file, number=number, text=source[number - 1], does=ROLES[role], role=role)
            for number in dict.fromkeys(_numbers(role, found.get(role, ()), symptom, report, source))
        ]
    if 0 < len(chosen) <= MAX_LINES:
        # What other lines do is not a mistake by itself.
        return tuple(chosen)
    chosen.clear()
    chosen += _in_helpers(symptom, report, file, source, found)
    for alternatives in _roles(symptom, report):
        named = {line.number for line in chosen}
        for role in alternatives:
            places = found.get("guards" if role == "refusals" else role, ())
            numbers = _numbers(role, places, symptom, report, source)
            new = [number for number in dict.fromkeys(numbers) if number not in named]
            # A few lines of each kind, or none: a choice of ours would be arbitrary.
            if len(new) <= MAX_LINES:
                does = ROLES.get(role, OTHERS_REFUSED)
                chosen += [
                    RelatedLine(file=file, number=number, text=source[number - 1], does=does, role=role)
                    for number in new
                ]
            if numbers:
                break
    # A flood, or a loop without an end, depends on what is read, too.
    return tuple((chosen if symptom.id in _FLOODS else _unusual(chosen))[:MAX_LINES])


def _unusual(lines: Sequence[RelatedLine]) -> list[RelatedLine]:
    """Return the lines without those that every program for the lab has, if others come first."""
    if not lines or lines[0].role not in _TELLING:
        return [*lines]
    return [line for line in lines if line.role not in _USUAL]


def _in_helpers(
    symptom: Symptom, report: Report, file: str, source: Sequence[str], found: Mapping[str, Sequence[Sequence[int]]]
) -> Iterator[RelatedLine]:
    """Yield where the functions and macros are defined that decide what the program does, not where it calls them."""
    if symptom.id in _REFUSED:
        role, does, by = "helpers", ROLES["helpers"], "guards"
    elif symptom.id == "message-but-status-0":
        role, does, by = "text", "writes this text and ends the program", "text"
    else:
        return
    defined = {
        name[1]: number
        for number in (number for place in found.get("helpers", ()) for number in place)
        if (name := _DEFINED.search(source[number - 1])) is not None
    }
    defined |= {name[1]: number for number, line in enumerate(source, 1) if (name := _MACRO.match(line)) is not None}
    callers = _numbers(by, found.get(by, ()), symptom, report, source)
    called = [name for number in callers for name in _CALLED.findall(source[number - 1])]
    numbers = [defined[name] for name in called if name in defined]
    # Of several calls, which one matters is seen where they are.
    if len(numbers) == 1:
        [number] = numbers
        if number not in callers:
            yield RelatedLine(file=file, number=number, text=source[number - 1], does=does, role=role)


def _is_decisive(role: str, symptom: Symptom, report: Report) -> bool:
    """Return whether a line is a mistake that explains a symptom."""
    if symptom.id not in DECISIVE[role]:
        return False
    if role in ("short", "first-round") and symptom.id == "accepts-wrong-operands":
        return have_duplicates([case.operands for case in _cases(symptom, report)])
    if role == "as-string":
        return "drops-nul" in symptom.facts
    if role == "absent":
        return "only-ff-stays" in symptom.facts
    if role == "signed" and symptom.id in ("crashes", "refuses-valid-operands", "wrong-bytes"):
        # There are many other reasons for these.
        return any(
            finding.program == symptom.program and finding.mistake in NEGATIVE_INDEX for finding in report.findings
        )
    return True


def with_advice_on_lines(symptom: Symptom) -> Symptom:
    """Return a symptom with advice about its first line if that is a mistake in itself."""
    advice = next((ADVICE[line.role] for line in symptom.lines if line.role in ADVICE), "")
    if not advice:
        return symptom
    varies = symptom.advice_parts[:1] if symptom.varies else ()
    return symptom.advised(*varies, AdvicePart(kind="line", text=advice))


def _numbers(
    role: str, places: Iterable[Sequence[int]], symptom: Symptom, report: Report, source: Sequence[str]
) -> list[int]:
    """Return the lines of a role that concern a symptom: of texts, those that were written."""
    if role in ("guards", "refusals"):
        written = _written(symptom, report) if role == "guards" else _refusals(symptom, report)
        pairs = [(place[0], place[-1]) for place in places if len(place) > 1]
        texts = _with_text([last for _, last in pairs], source, written)
        return [first for first, last in pairs if last in texts]
    numbers = [number for place in places for number in place if role != "quits" or _leaves_unwritten(source)]
    if role == "fills" and symptom.id == "translated-twice":
        return [number for number in numbers if not _IDENTITY.search(source[number - 1])]
    if role == "text":
        return _with_text(numbers, source, _written(symptom, report))
    if role == "constants":
        return _with_constant(numbers, source, _written_after(symptom, report))
    if role == "buffers":
        return _of_streams(numbers, source, _wrong_streams(symptom, report))
    return numbers


def _leaves_unwritten(source: Sequence[str]) -> bool:
    """Return whether a source writes bytes through a buffer, and never empties it itself."""
    buffered = any(_BUFFERED.search(line) and "stderr" not in line for line in source)
    return buffered and not any(map(_FLUSHES.search, source))


def _unwanted(symptom: Symptom, report: Report) -> list[str]:
    """Return the functions that the program calls and must not use, or calls instead of those that it should."""
    return [
        name
        for check in _checks(symptom, report)
        if isinstance(check.evidence, SymbolsEvidence)
        for name in (*check.evidence.forbidden, *check.evidence.instead)
    ]


def _unwanted_calls(
    symptom: Symptom, report: Report, file: str, source: Sequence[str], found: Mapping[str, Sequence[Sequence[int]]]
) -> Iterator[RelatedLine]:
    """Yield the lines with calls that are the problem, or because of which others cannot be counted."""
    if symptom.id == "functions":
        roles = ("reads", "buffers", "writes")
        numbers = sorted({number for role in roles for place in found.get(role, ()) for number in place})
        yield from _calls(numbers, file, source, _unwanted(symptom, report))
    if symptom.id == "crashes" and "aborts" in symptom.facts:
        yield from _calls(range(1, len(source) + 1), file, source, ["abort"])
    if "pipe-calls" in symptom.facts:
        yield from _calls(range(1, len(source) + 1), file, source, [*ABOUT_PIPES])
    if symptom.id == "other":
        uncounted = [name for evidence in _calls_evidence(symptom, report) for name in evidence.other_calls]
        yield from _calls(range(1, len(source) + 1), file, source, uncounted)


def _calls(numbers: Sequence[int], file: str, source: Sequence[str], names: Sequence[str]) -> Iterator[RelatedLine]:
    for number in numbers:
        text = source[number - 1]
        name = next((name for name in names if re.search(rf"\b{re.escape(name)}\s*\(", text)), None)
        if name is not None:
            yield RelatedLine(file=file, number=number, text=text, does=f"calls {name}", role="calls")


def _roles(symptom: Symptom, report: Report) -> Iterator[tuple[str, ...]]:
    """Yield what to name, in this order; of each tuple, only the first that the source has."""
    if symptom.id in _REFUSED:
        yield from _SUSPICIOUS
        yield ("guards",)
    if symptom.id in _WRITTEN:
        yield ("text",)
    elif symptom.id not in _COPIES and _has_own_messages(symptom, report):
        yield ("text", "errors")
    elif symptom.id in _NOT_REFUSED:
        operands = [case.operands for case in _cases(symptom, report)]
        yield from _roles_of_operands(operands, is_any=symptom.id == "neither-copies-nor-refuses")
    elif symptom.id == "functions":
        yield ("runs",)
    elif symptom.id == "system-calls":
        streams = _wrong_streams(symptom, report)
        yield ("buffers",)
        yield from ((role,) for stream, role in (("stdin", "reads"), ("stdout", "writes")) if stream in streams)
    elif symptom.id == "operands-swapped":
        yield ("bytes",)
        yield ("names", "operands")
        yield ("finds", "matches")
    elif symptom.id == "never-ends" and _has_long_operands(symptom, report):
        # A counter that is too small for them stays in the checks, before anything is read.
        yield ("compares", "searches", "entries", "matches", "finds", "reads")
    elif symptom.id in _COPIES:
        # A loop that does not end may wait.
        yield from [("waits",)] if symptom.id == "never-ends" else []
        # If only the last byte is lost, reads and writes are in the wrong order, whatever is tested.
        # What is compared with EOF in its place is a byte of the second operand.
        is_simple = "loses-last" in symptom.facts or symptom.id == "stops-at-translated-ff"
        first = ("partners", "looks-up") if symptom.id == "stops-at-translated-ff" else ()
        yield from [(*first, "reads")] if is_simple else _roles_of_copies(symptom)


def _has_long_operands(symptom: Symptom, report: Report) -> bool:
    """Return whether each case of a symptom has an operand with more bytes than a signed char can count."""
    cases = _cases(symptom, report)
    return bool(cases) and all(any(len(operand) >= HIGH for operand in case.operands) for case in cases)


def _roles_of_copies(symptom: Symptom) -> Iterator[tuple[str, ...]]:
    if symptom.id in ("writes-without-end", "extra-after"):
        yield ("text", "constants")
    yield from _SUSPICIOUS
    if symptom.id in _LOOKUPS | _PARTNERS:
        yield ("sorts",)
    if symptom.id in _PARTNERS:
        yield ("partners",)
        yield ("matches", "finds")
    else:
        # A program that copies every byte has no reason for such a test.
        yield ("tests",)
    if symptom.id == "other-bytes-become-one":
        # Of a table whose other entries are all the same, the line that is wrong may be missing.
        yield ("looks-up", "partners", "writes", "matches", "finds", "fills", "reads")
    elif symptom.id in _LOOKUPS:
        # A line that reads has the mistake only if none looks up.
        searches = ("searches",) if "nul-ends" in symptom.facts else ()
        yield ("matches", "finds", *searches, "fills", "partners", *(() if symptom.id in _WRITES else ("reads",)))
    if symptom.id == "writes-nothing":
        # What was not read is not written.
        yield ("reads",)
        yield ("writes",)
    elif symptom.id in _WRITES:
        yield ("writes", "reads")
    elif symptom.id not in _LOOKUPS:
        # If bytes are lost because they are found, or are not, the write is in the wrong place.
        is_write = "drops-by-operand" in symptom.facts
        yield from [("writes",), ("reads",)] if is_write else [("reads",)]
        if symptom.id not in _ENDS:
            yield ("writes",)


def _wrong_streams(symptom: Symptom, report: Report) -> AbstractSet[Stream]:
    """Return the streams with wrong system calls."""
    return {
        stream.stream
        for evidence in _calls_evidence(symptom, report)
        for stream in evidence.streams
        if not stream.passed
    }


def _calls_evidence(symptom: Symptom, report: Report) -> list[CallsEvidence]:
    return [check.evidence for check in _checks(symptom, report) if isinstance(check.evidence, CallsEvidence)]


def _of_streams(numbers: Sequence[int], source: Sequence[str], streams: AbstractSet[Stream]) -> list[int]:
    """Return the lines that name one of these streams, or none of both."""
    others = {"stdin", "stdout"} - streams
    return [number for number in numbers if not any(other in source[number - 1] for other in others)]


def _roles_of_operands(operands: Sequence[tuple[bytes, ...]], *, is_any: bool) -> Iterator[tuple[str, ...]]:
    """Yield the checks of what is wrong with all these operands; if `is_any` and they differ in that, all checks."""
    yield from _SUSPICIOUS
    pairs = [one for one in operands if len(one) == 2]  # noqa: PLR2004 - a pair
    is_missing = bool(operands) and not pairs
    have_lengths = bool(pairs) and all(len(before) != len(after) for before, after in pairs)
    is_mixed = is_any and not (is_missing or have_lengths or have_duplicates(pairs))
    if is_missing or is_mixed:
        yield ("argc",)
    if have_lengths or is_mixed:
        yield ("lengths", "sizes", "refusals")
    if have_duplicates(pairs) or is_mixed:
        yield ("compares", "searches", "entries", "strings")


def have_duplicates(operands: Sequence[tuple[bytes, ...]]) -> bool:
    """Return whether all these operands are wrong because a byte appears twice in the first."""
    return bool(operands) and all(
        len(one) == 2 and len({*one[0]}) < len(one[0]) and len(one[0]) == len(one[1])  # noqa: PLR2004 - a pair
        for one in operands
    )


def _checks(symptom: Symptom, report: Report) -> list[Check]:
    return [check for check in report.checks if check.id in symptom.checks]


def _cases(symptom: Symptom, report: Report) -> list[CaseResult]:
    """Return the cases of a symptom that students see."""
    cases = _cases_of(_checks(symptom, report))
    return [case for case in cases if not case.passed and case.case in symptom.cases]


def _cases_of(checks: Sequence[Check]) -> Iterator[CaseResult]:
    """Yield the cases of checks that students see."""
    for check in checks:
        if isinstance(check.evidence, CasesEvidence):
            yield from (case for case in check.evidence.cases if not case.hidden)


def _has_own_messages(symptom: Symptom, report: Report) -> bool:
    """Return whether the calls could not be counted because the program writes to standard error."""
    return any(evidence.also_to_errors for evidence in _calls_evidence(symptom, report))


def _written(symptom: Symptom, report: Report) -> AbstractSet[bytes]:
    cases = _cases(symptom, report)
    if _has_own_messages(symptom, report):
        copies = [check for check in report.checks if check.program == symptom.program]
        cases = [case for case in _cases_of(copies) if case.expect == "reference-output"]
    outputs = {case.difference.actual.data for case in cases if case.difference is not None}
    return outputs | {case.stderr for case in cases} | {case.stdout for case in cases}


def _refusals(symptom: Symptom, report: Report) -> AbstractSet[bytes]:
    """Return the messages about operands that the program refuses, in the checks of which it accepts others."""
    return {case.stderr for case in _cases_of(_checks(symptom, report)) if case.passed}


def _written_after(symptom: Symptom, report: Report) -> AbstractSet[bytes]:
    """Return what was written after copies, as far as the report has it."""
    differences = [case.difference for case in _cases(symptom, report) if case.difference is not None]
    return {
        one.actual.data[one.offset - one.actual.offset :]
        for one in differences
        if one.offset >= one.expected_size_bytes
    }


def _with_constant(numbers: Sequence[int], source: Sequence[str], written: AbstractSet[bytes]) -> list[int]:
    """Return the lines that write a constant byte, if nothing else was written; `puts("")` writes a newline."""
    chosen = []
    for number in numbers:
        text = source[number - 1]
        constants = {a or b for a, b in _CONSTANT.findall(text)}
        found = {_ESCAPED.get(one, one.encode("utf-8", "replace")) for one in constants}
        if _PUTS_NOTHING.search(text):
            found.add(b"\n")
        if not found.isdisjoint(written) and "stderr" not in text:
            chosen.append(number)
    return chosen


def _with_text(numbers: Sequence[int], source: Sequence[str], written: AbstractSet[bytes]) -> list[int]:
    """Return the lines with a string of which the longest piece was written, up to escapes and conversions."""
    chosen: list[int] = []
    if len(numbers) > MAX_TEXTS:
        return chosen
    for number in numbers:
        for literal in _LITERAL.findall(source[number - 1]):
            piece = max(_PIECE.split(literal), key=len).encode("utf-8", "replace")
            if len(piece) >= MESSAGE_CHARS and any(piece in text for text in written):
                chosen.append(number)
    return chosen
