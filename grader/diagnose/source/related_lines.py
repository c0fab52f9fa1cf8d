"""Choose the lines of a source that have to do with a symptom: what they do is known, not that they are wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice

from grader.diagnose.behaviour.outputs import HIGH
from grader.diagnose.behaviour.sentences_on_operands import OF_OPERANDS
from grader.diagnose.behaviour.sentences_on_outputs import OF_OUTPUTS
from grader.diagnose.behaviour.text_outputs import SYMPTOMS
from grader.diagnose.behaviour.traced_slice import ABOUT_PIPES
from grader.diagnose.c_library import ESCAPES
from grader.model.base import Model
from grader.model.report import (
    AdvicePart,
    CallsEvidence,
    CaseResult,
    Check,
    Fact,
    RelatedLine,
    Report,
    Stream,
    SymbolsEvidence,
    Symptom,
)

MAX_LINES = 3
"""Most lines of one symptom: more of them lead nowhere."""

MAX_LINE_CHARS = 500
"""Nobody writes longer lines of C, and what is searched in lines would take too long in one of 60 kB."""

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

_FLOODS = frozenset({"never-ends", "writes-without-end"})

_SUSPICIOUS = (("assigns",), ("escapes",))
"""What a program has no reason to do, whatever the symptom is."""

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
_ESCAPED = {f"\\{letter}": bytes([byte]) for letter, byte in ESCAPES.items()}
_PIECE = re.compile(r"%[-+ #0-9.*]*[hlzjt]*[a-zA-Z%]|\\.")


class Role(Model):
    """What lines do that match a pattern, in words about one and about several; "" if they are only looked for.

    A line with `advice` is a mistake in itself if the program shows one of the symptoms in `decisive`.
    """

    pattern: str = ""
    does: str = ""
    do: str = ""
    decisive: frozenset[str] = frozenset()
    advice: str = ""


Places = Mapping[str, Sequence[Sequence[int]]]
"""By role, the lines of each place that was found."""


@dataclass(frozen=True)
class RelatedLines:
    """The lines of a source that may concern a symptom. Of `roles`, the likeliest mistakes come first."""

    symptom: Symptom
    report: Report
    file: str
    source: Sequence[str]
    found: Places
    roles: Mapping[str, Role]

    def chosen(self) -> tuple[RelatedLine, ...]:
        """Return the lines that concern the symptom."""
        if self.symptom.id in SYMPTOMS:
            # Which line computes a text wrongly, no search for reads and writes tells.
            return ()
        unwanted = {line.number: line for line in self._unwanted_calls()}
        if unwanted:
            return tuple(unwanted.values())[:MAX_LINES]
        mistakes = [line for role in self.roles if self._is_decisive(role) for line in self._of_role(role)]
        if 0 < len(mistakes) <= MAX_LINES:
            # What other lines do is not a mistake by itself.
            return tuple(mistakes)
        lines = [*self._in_helpers()]
        for alternatives in _roles(self.symptom, self.report):
            named = {line.number for line in lines}
            for role in alternatives:
                of_role = self._of_role(role)
                new = [line for line in of_role if line.number not in named]
                # A few lines of each kind, or none: a choice of ours would be arbitrary.
                if len(new) <= MAX_LINES:
                    lines += new
                if of_role:
                    break
        # A flood, or a loop without an end, depends on what is read, too.
        return tuple((lines if self.symptom.id in _FLOODS else _unusual(lines))[:MAX_LINES])

    def _line(self, role: str, number: int, does: str = "") -> RelatedLine:
        known = self.roles.get(role, Role())
        return RelatedLine(
            file=self.file,
            number=number,
            text=self.source[number - 1],
            does=does or known.does,
            role=role,
            advice=known.advice,
        )

    def _of_role(self, role: str) -> list[RelatedLine]:
        return [self._line(role, number) for number in dict.fromkeys(self._numbers(role))]

    def _in_helpers(self) -> Iterator[RelatedLine]:
        """Yield where functions and macros are defined that decide what the program does, not where it calls them."""
        if self.symptom.id in _REFUSED:
            role, by = "helpers", "guards"
        elif self.symptom.id == "message-but-status-0":
            role, by = "ends", "text"
        else:
            return
        helpers = (number for place in self.found.get("helpers", ()) for number in place)
        defined = {
            name[1]: number for number in helpers if (name := _DEFINED.search(self.source[number - 1])) is not None
        }
        macros = ((number, _MACRO.match(line)) for number, line in enumerate(self.source, 1))
        defined |= {name[1]: number for number, name in macros if name is not None}
        callers = self._numbers(by)
        called = [name for number in callers for name in _CALLED.findall(self.source[number - 1])]
        numbers = [defined[name] for name in called if name in defined]
        # Of several calls, which one matters is seen where they are.
        if len(numbers) == 1 and numbers[0] not in callers:
            yield self._line(role, numbers[0])

    def _is_decisive(self, role: str) -> bool:
        """Return whether a line is a mistake that explains the symptom."""
        if self.symptom.id not in self.roles[role].decisive:
            return False
        if role in ("short", "first-round") and self.symptom.id == "accepts-wrong-operands":
            return have_duplicates([case.operands for case in _cases(self.symptom, self.report)])
        fact = _ONLY_WITH.get(role)
        return fact is None or fact in self.symptom.facts

    def _numbers(self, role: str) -> list[int]:
        """Return the lines of a role that concern the symptom: of texts, those that were written."""
        places = self.found.get("guards" if role == "refusals" else role, ())
        if role in ("guards", "refusals"):
            written = (_written if role == "guards" else _refusals)(self.symptom, self.report)
            pairs = [(place[0], place[-1]) for place in places if len(place) > 1]
            texts = _with_text([last for _, last in pairs], self.source, written)
            return [first for first, last in pairs if last in texts]
        numbers = [number for place in places for number in place]
        match role:
            case "quits" if not _leaves_unwritten(self.source):
                numbers = []
            case "fills" if self.symptom.id == "translated-twice":
                numbers = [number for number in numbers if not _IDENTITY.search(self.source[number - 1])]
            case "text":
                numbers = _with_text(numbers, self.source, _written(self.symptom, self.report))
            case "constants":
                numbers = _with_constant(numbers, self.source, _written_after(self.symptom, self.report))
            case "buffers":
                numbers = _of_streams(numbers, self.source, _wrong_streams(self.symptom, self.report))
        return numbers

    def _unwanted_calls(self) -> Iterator[RelatedLine]:
        """Yield the lines with calls that are the problem, or because of which others cannot be counted."""
        every = range(1, len(self.source) + 1)
        if self.symptom.id == "functions":
            places = (place for role in ("reads", "buffers", "writes") for place in self.found.get(role, ()))
            numbers = sorted({number for place in places for number in place})
            yield from self._calls(numbers, _unwanted(self.symptom, self.report))
        if "aborts" in self.symptom.facts:
            yield from self._calls(every, ["abort"])
        if "pipe-calls" in self.symptom.facts:
            yield from self._calls(every, [*ABOUT_PIPES])
        if self.symptom.id == "other":
            evidence = _calls_evidence(self.symptom, self.report)
            yield from self._calls(every, [name for one in evidence for name in one.other_calls])

    def _calls(self, numbers: Iterable[int], names: Sequence[str]) -> Iterator[RelatedLine]:
        for number in numbers:
            line = self.source[number - 1]
            name = next((name for name in names if re.search(rf"\b{re.escape(name)}\s*\(", line)), None)
            if name is not None:
                yield self._line("calls", number, f"calls {name}")


_ONLY_WITH: Mapping[str, Fact] = {"as-string": "drops-nul", "absent": "only-ff-stays"}
"""What must be known of a symptom before a line of these roles is a mistake."""


def _unusual(lines: Sequence[RelatedLine]) -> list[RelatedLine]:
    """Return the lines without those that every program for the lab has, if others come first."""
    if not lines or lines[0].role not in _TELLING:
        return [*lines]
    return [line for line in lines if line.role not in _USUAL]


def with_advice_on_lines(symptom: Symptom) -> Symptom:
    """Return a symptom with advice about its first line that is a mistake in itself."""
    advice = next((line.advice for line in symptom.lines if line.advice), "")
    if not advice:
        return symptom
    varies = symptom.advice_parts[:1] if symptom.varies else ()
    return symptom.advised(*varies, AdvicePart(kind="line", text=advice))


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
        yield ("lengths", "refusals")
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
    """Return the cases of checks that students see."""
    return (case for check in checks for case in check.results if not case.hidden)


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
        chosen += [number for piece in _pieces(source[number - 1]) if any(piece in text for text in written)]
    return chosen


def _pieces(line: str) -> Iterator[bytes]:
    """Yield of each string in a line the longest piece without escapes and conversions, if it tells anything."""
    for literal in _LITERAL.findall(line):
        piece = max(_PIECE.split(literal), key=len)
        if len(piece) >= MESSAGE_CHARS:
            yield piece.encode("utf-8", "replace")


def texts_of(source: bytes) -> tuple[bytes, ...]:
    """Return the texts by which what a program writes is recognised as its own: not more than a program needs."""
    lines = (line[:MAX_LINE_CHARS] for line in source.decode("utf-8", "replace").split("\n"))
    return tuple(islice(dict.fromkeys(piece for line in lines for piece in _pieces(line)), MAX_TEXTS))
