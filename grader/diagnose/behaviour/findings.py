"""What a checker of memory wrote, turned into sentences for students.

The text comes from a run of the student's program, which may have written it itself. So nothing of it is repeated
except numbers, names of C and types, each of a limited length, and the line must be one of a source.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, NamedTuple

from grader.model.counted import counted
from grader.model.report import Finding, MistakeId

Tool = Literal["AddressSanitizer", "UndefinedBehaviorSanitizer", "valgrind"]
MistakeKind = Literal["memory", "null", "wild", "arithmetic", "unset"]
"""`null` and `wild`: an address was used that is not the program's. `unset`: memory to which nothing was written."""

LINES_AROUND = 2
"""Lines of source that are shown before and after the one of a finding."""

MAX_LINE_CHARS = 200
MAX_READ_CHARS = 70_000
MAX_PLACE_CHARS = 300
"""Where a row of a stack ends with its place: the name of a file and a line."""

MOST_ROWS = 400
"""Most rows of one mistake in a report. The longest has stacks of 256 and twice 30 frames."""

_BEFORE = ("to the left of", "before")
"""What AddressSanitizer says of an address before a variable: of gcc 12, and of later ones."""

RECURSIVE_CALLS = 3
"""More calls of one function in a trace than any but a recursion has."""

_NAME = r"[A-Za-z_]\w{0,59}"
_FUNCTION = r"operator (?:new|delete)|[A-Za-z_~][\w:~]{0,119}"
"""The name of a function, in C++ without arguments. A template's begins with the type that it returns."""

_TYPE = r"[A-Za-z_][\w \*\[\]]{0,59}"
MAX_BYTE = 0xFF
LOWEST_CHAR = -0x80
EOF = -1
_TOO_FEW = ("127", "128", "255")
"""Sizes of tables with an entry for each byte, by mistake."""

_NULL_PAGE_BYTES = 4096
_PROGRAM_END = 0x1000000
"""Above every address of a program that is not position-independent, and below its heap and its stack."""


class MistakePlace(NamedTuple):
    """An address in the program, and what AddressSanitizer calls the mistake: one call may fail in several ways."""

    address: str
    name: str


@dataclass(frozen=True)
class Mistake:
    """One mistake: its source and line, and what happens there, as the predicate of a sentence."""

    tool: Tool
    kind: MistakeKind
    file: str
    line: int
    what: str
    place: MistakePlace | None = None
    """Where AddressSanitizer found it; None if another checker did."""
    id: MistakeId = ""
    writes: bool = False
    is_call: bool = False
    """Whether a function of the library did it."""


class _MistakeText(NamedTuple):
    """The predicate of a sentence about a mistake, and the parts of it that matter elsewhere."""

    what: str
    id: MistakeId = ""
    writes: bool = False


class SourcePlace(NamedTuple):
    """A line of a source."""

    file: str
    line: int

    def words(self, other: SourcePlace) -> str:
        """Name the line, and the file if it is not that of another place."""
        return f"line {self.line}{'' if self.file == other.file else f' of {self.file}'}"


@dataclass(frozen=True)
class _Frame:
    function: str
    """Its name, "" if it is not known."""
    place: SourcePlace | None
    """Its line; None for a function that is in no source of the program."""

    address: str = ""


def sanitizer_mistakes(text: str, sources: Mapping[str, int]) -> tuple[Mistake, ...]:
    """Return what the sanitizers found in one run, in order, at most one for each line.

    `sources` are the names of the program's files, and how many lines each has.
    """
    reader = _Reader(sources)
    rows = text[:MAX_READ_CHARS].splitlines()
    mistakes: dict[tuple[str, int], Mistake] = {}
    for number, row in enumerate(rows):
        found = reader.undefined(row) or reader.address(row, rows[number + 1 : number + MOST_ROWS])
        if found is None:
            continue
        known = mistakes.get((found.file, found.line))
        # About the same pointer, AddressSanitizer may know more: the function that uses it.
        if known is None or (known.kind == found.kind == "null" and found.is_call):
            mistakes[found.file, found.line] = found
    return tuple(mistakes.values())


def mistake_in_report(text: str) -> str | None:
    """Return what AddressSanitizer found, and at which address if the machine refused it; None without a report."""
    report = re.search(r"^==\d+==ERROR: AddressSanitizer: (SEGV[^(]{0,100}|\S{1,100})", text, re.MULTILINE)
    return None if report is None else report[1].strip()


def place_of_mistake(text: str) -> MistakePlace | None:
    """Return where in the program AddressSanitizer found a mistake, of a report without lines; else None."""
    report = re.search(r"^==\d+==ERROR: AddressSanitizer: (.{1,300})", text[:MAX_READ_CHARS], re.MULTILINE)
    if report is None:
        return None
    frames = re.finditer(r"^ +#\d+ (0x[0-9a-f]{1,16})  \(", text[report.end() : MAX_READ_CHARS], re.MULTILINE)
    address = next((frame[1] for frame in frames if int(frame[1], 16) < _PROGRAM_END), "")
    head = text[report.end() : MAX_READ_CHARS].partition("    #0 ")[0]
    return MistakePlace(address, _Report(report[1], head, (), ()).name) if address else None


def valgrind_mistakes(text: str, sources: Mapping[str, int]) -> tuple[Mistake, ...]:
    """Return the use of unset memory that valgrind found; other mistakes are the sanitizers' to find."""
    reader = _Reader(sources)
    rows = text[:MAX_READ_CHARS].splitlines()
    for number, row in enumerate(rows):
        found = reader.unset(row, rows[number + 1 : number + MOST_ROWS])
        if found is not None:
            return (found,)
    return ()


def cannot_start(text: str) -> bool:
    """Return whether AddressSanitizer gave up before the program began: the machine lacks what it needs."""
    return re.match(r"==\d+==.{0,60}(failed to allocate|Shadow memory range interleaves)", text) is not None


def valgrind_cannot_start(text: str) -> bool:
    """Return whether valgrind gave up before the program began."""
    return text.startswith("valgrind: ")


def first_of(checked: Sequence[Mistake], valgrind: Sequence[Mistake]) -> tuple[Mistake, ...]:
    """Return the mistakes of one case that are worth reporting, at most one for each line.

    Without a mistake in the use of memory, a calculation may be the reason. If an address is wrong because nothing
    was assigned to the pointer, that is reported.
    """
    unset = {(mistake.file, mistake.line) for mistake in valgrind}
    reported = [
        mistake
        for mistake in checked
        if not (mistake.kind in ("null", "wild") and (mistake.file, mistake.line) in unset)
    ]
    memory = [mistake for mistake in reported if mistake.kind != "arithmetic"]
    shown = {(mistake.file, mistake.line): mistake for mistake in reversed((*memory[:1], *valgrind))}
    return tuple(reversed(shown.values())) or tuple(reported[:1])


_LINE_DIRECTIVE = re.compile(rb"^[ \t]*(?:#|%:)[ \t]*(?:line\b|\d).*$", re.MULTILINE)


def with_own_lines(source: bytes) -> bytes:
    """Return a source without `#line` directives, so that checkers report the lines of the file."""
    return _LINE_DIRECTIVE.sub(b"", source)


def excerpt(source: bytes, line: int) -> tuple[tuple[int, str], ...]:
    """Return the line and those around it, with their numbers."""
    rows = source.decode("utf-8", "replace").split("\n")
    first, last = max(line - LINES_AROUND, 1), min(line + LINES_AROUND, len(rows))
    return tuple((number, rows[number - 1].rstrip("\r")[:MAX_LINE_CHARS]) for number in range(first, last + 1))


_ASAN_FRAME = re.compile(
    rf" +#\d{{1,4}} (0x[0-9a-f]{{1,16}})(?: in (?:({_FUNCTION})(?=[(\[]| [(/.]| \S+$|$)|[A-Za-z_~(])|  \()"
)
_VALGRIND_FRAME = re.compile(
    rf"==\d+== +(?:at|by) (0x[0-9A-F]{{1,16}}): (?:({_FUNCTION})(?=[(\[]| \(|$)|[A-Za-z_~(?])"
)


class _Reader:
    """Reads what checkers wrote about the sources of a program."""

    def __init__(self, sources: Mapping[str, int]) -> None:
        self._lines = sources
        # A name may be the end of another one.
        name = "|".join(map(re.escape, sorted(sources, key=len, reverse=True)))
        self._undefined = re.compile(rf"({name}):(\d{{1,7}}):\d{{1,7}}: runtime error: (.{{1,300}})")
        # In C++, anything may be between a function and its place: the place is looked for at the end of the row.
        self._asan_place = re.compile(rf"[ /]({name}):(\d{{1,7}})(?::\d{{1,7}})?$")
        self._valgrind_place = re.compile(rf" \(({name}):(\d{{1,7}})\)$")

    def _place(self, file: str, digits: str) -> SourcePlace | None:
        return SourcePlace(file, int(digits)) if 1 <= int(digits) <= self._lines[file] else None

    def _frames(self, rows: Sequence[str], frame: re.Pattern[str], place: re.Pattern[str]) -> list[_Frame]:
        frames = []
        for row in rows:
            match = frame.match(row)
            if match is None:
                break
            found = place.search(row[-MAX_PLACE_CHARS:])
            at = self._place(found[1], found[2]) if found is not None else None
            frames.append(_Frame(match[2] or "", at, match[1]))
        return frames

    def _asan_frames(self, rows: Sequence[str]) -> list[_Frame]:
        return self._frames(rows, _ASAN_FRAME, self._asan_place)

    def _valgrind_frames(self, rows: Sequence[str]) -> list[_Frame]:
        return self._frames(rows, _VALGRIND_FRAME, self._valgrind_place)

    def undefined(self, row: str) -> Mistake | None:
        """Return what a line of UndefinedBehaviorSanitizer says."""
        match = self._undefined.fullmatch(row)
        place = self._place(match[1], match[2]) if match is not None else None
        if match is None or place is None:
            return None
        for pattern, kind, words in _UNDEFINED:
            found = re.fullmatch(pattern, match[3])
            if found is not None:
                said = words(found)
                return Mistake("UndefinedBehaviorSanitizer", kind, *place, said.what, None, said.id, said.writes)
        return None

    def address(self, row: str, rest: Sequence[str]) -> Mistake | None:
        """Return what a report of AddressSanitizer says; `rest` are the lines after its first."""
        start = re.fullmatch(r"==\d+==ERROR: AddressSanitizer: (.{1,300})", row)
        if start is None:
            return None
        first = next((number for number, text in enumerate(rest) if text.startswith("    #0 ")), len(rest))
        frames = self._asan_frames(rest[first:])
        places = [frame.place for frame in frames if frame.place is not None]
        if not places:
            return None
        address = next(frame.address for frame in frames if frame.place is not None)
        after = rest[first + len(frames) :]
        lines = (self._line_of(what, after, places[0]) for what in ("freed", "(?:previously )?allocated"))
        report = _Report(start[1], "\n".join(rest[:first]), frames, after, *lines)
        kind, said = _address_words(report)
        # The first frame is where the function begins; the others are where it calls itself.
        line = places[1] if report.recursive else places[0]
        found = MistakePlace(address, report.name)
        is_call = bool(report.by)
        return Mistake("AddressSanitizer", kind, *line, said.what, found, said.id, said.writes, is_call)

    def _line_of(self, what: str, rows: Sequence[str], mistake: SourcePlace) -> str:
        """Return words for the line that allocated or freed memory, "" if it is not known."""
        start = re.compile(rf"{what} by thread .*:")
        at = next((number for number, row in enumerate(rows) if start.fullmatch(row)), len(rows))
        frames = self._asan_frames(rows[at + 1 :])
        return next((frame.place.words(mistake) for frame in frames if frame.place is not None), "")

    def unset(self, row: str, rest: Sequence[str]) -> Mistake | None:
        """Return what a report of valgrind says, if it is about memory that was never written."""
        start = re.fullmatch(r"==\d+== (.{1,200})", row)
        said = next((words for pattern, words in _UNSET if start and re.fullmatch(pattern, start[1])), None)
        if said is None:
            return None
        frames = self._valgrind_frames(rest)
        own, place = next(
            ((number, frame.place) for number, frame in enumerate(frames) if frame.place is not None), (0, None)
        )
        if place is None:
            return None
        # If the library noticed it, what matters to a student is the function that was called.
        name = frames[own - 1].function if own else ""
        if name and not _is_of_cplusplus(name):
            is_written = said.id == "unset-bytes" and name.startswith(("write", "fwrite", "putc", "fputc"))
            mistake: MistakeId = ("unset-bytes" if "write" in name else "unset-byte") if is_written else "unset"
            said = _MistakeText(f"calls `{name}` with {_VALUES[mistake]}", mistake)
        what = f"{said.what}{self._origin(rest, place)}"
        return Mistake("valgrind", "unset", *place, what, None, said.id, said.writes)

    def _origin(self, rows: Sequence[str], mistake: SourcePlace) -> str:
        for number, row in enumerate(rows):
            created = re.fullmatch(r"==\d+==  Uninitialised value was created by a (stack|heap) allocation", row)
            if created is None:
                continue
            frames = self._valgrind_frames(rows[number + 1 :])
            for frame in frames:
                if frame.place is not None:
                    if created[1] == "heap":
                        return f" (a part of the memory that {frame.place.words(mistake)} allocated)"
                    owner = f" of `{frame.function}`" if frame.function else ""
                    return f" (a local variable{owner}, or a part of one)"
            return ""
        return ""


_VALUES: Mapping[MistakeId, str] = {
    "unset": "a value that was never set",
    "unset-byte": "a byte that was never set",
    "unset-bytes": "bytes that were never set",
}
_UNSET = (
    (
        r"Conditional jump or move depends on uninitialised value\(s\)",
        _MistakeText(f"makes a decision with {_VALUES['unset']}", "unset"),
    ),
    (
        r"Use of uninitialised value of size \d{1,3}",
        _MistakeText("uses an address or an index that was never set", "unset"),
    ),
    (
        r"Syscall param write\(buf\) points to uninitialised byte\(s\)",
        _MistakeText(f"writes {_VALUES['unset-bytes']}", "unset-bytes", writes=True),
    ),
    (
        r"Syscall param \w{1,30}\([^()]{1,40}\) .{0,60}uninitialised byte\(s\)",
        _MistakeText(f"passes {_VALUES['unset']}", "unset"),
    ),
)

_OF_UNSET = "Set it before it is used: look for bytes or elements that nothing sets."
_OF_INDEX = "Before this line, make sure that the index is at least 0 and less than the number of elements."
_ADVICE: Mapping[MistakeId, str] = {
    "subtracted-index": "The index must be at least 0: what is subtracted must not be greater than the byte.",
    "char-index": "A char may be signed: use an unsigned char, in which a byte is never negative.",
    "end-index": (
        "-1 is EOF, and byte FF in a char: test for EOF before this line, and make the index an int or unsigned char."
    ),
    "freed": "Free memory once, after the last line that uses it. After realloc, use only what realloc returns.",
    "few-elements": "An array with an element for each byte needs 256 of them.",
    "unset": _OF_UNSET,
    "unset-byte": _OF_UNSET,
    "unset-bytes": _OF_UNSET,
    "shift": "Before this line, make sure that the number is at least 0 and less than the bits of what is shifted.",
    "index": _OF_INDEX,
    "negative-index": _OF_INDEX,
    "null": (
        "Before this line, set the pointer to memory: an array, what malloc returns, or an operand that is there."
    ),
    "null-stream": (
        "fopen returns a null pointer if it cannot open a file: test what it returns. Standard input is stdin."
    ),
    "past-end": "Make room for what may be put there, or stop before its end. The input may have any length.",
}


def advice_on(finding: Finding) -> str:
    """Return what to do about a mistake that a memory checker found, "" if nothing general can be said."""
    if finding.late_check is not None:
        # The sentence has the answer to what would be asked.
        looks = "Check argc" if finding.late_check.of == "argc" else "Compare the lengths"
        return f"{looks} before this line."
    return _ADVICE.get(finding.mistake, "")


_BRACKETS = re.compile(r"([\[\]])")
_SUBTRACTION = re.compile(r"[^-\s]\s*-\s*[^->\s]")


def of_line(mistake: Mistake, line: str) -> Mistake:
    """Return a mistake with words for its line: an index that may be a char's may be one that is subtracted from."""
    asked = {"char-index": "is it a char?", "end-index": "is it EOF, or a char?"}.get(mistake.id)
    if asked is None:
        return mistake
    if any(map(_SUBTRACTION.search, _indices(line))):
        return replace(mistake, what=f"{mistake.what} (what is subtracted from it?)", id="subtracted-index")
    return replace(mistake, what=f"{mistake.what} ({asked})")


def _indices(line: str) -> Iterator[str]:
    """Yield what stands in each pair of brackets, without what stands in pairs within; in one pass over the line."""
    open_brackets: list[list[str]] = []
    for piece in _BRACKETS.split(line):
        if piece == "[":
            open_brackets.append([])
        elif piece == "]" and open_brackets:
            yield "".join(open_brackets.pop())
        elif open_brackets:
            open_brackets[-1].append(piece)


def _index(found: re.Match[str]) -> _MistakeText:
    index, elements = int(found[1]), found[3]
    uses = f"uses the index {index} in an array of {elements} elements"
    if index < 0:
        is_of_byte = index >= LOWEST_CHAR and int(elements) > MAX_BYTE
        of_byte: MistakeId = "end-index" if index == EOF else "char-index"
        return _MistakeText(f"{uses}: an index must not be negative", of_byte if is_of_byte else "negative-index")
    uses = f"{uses}, whose last index is {int(elements) - 1}"
    if elements in _TOO_FEW and index <= MAX_BYTE:
        return _MistakeText(f"{uses}; a byte may be as high as 255", "few-elements")
    return _MistakeText(uses, "index")


def _same(words: str, mistake: MistakeId = "", *, writes: bool = False) -> Callable[[re.Match[str]], _MistakeText]:
    return lambda _: _MistakeText(words, mistake, writes)


_UNDEFINED: tuple[tuple[str, MistakeKind, Callable[[re.Match[str]], _MistakeText]], ...] = (
    (
        rf"index (-?\d{{1,20}}) out of bounds for type '({_TYPE}?) ?\[(\d{{1,18}})\](?:\[\d{{1,18}}\])*'",
        "memory",
        _index,
    ),
    (r"load of null pointer of type .*", "null", _same("reads through a null pointer", "null")),
    (
        r"store to null pointer of type .*",
        "null",
        _same("writes through a null pointer", "null", writes=True),
    ),
    (r"member access within null pointer of type .*", "null", _same("uses a member through a null pointer", "null")),
    (
        r"null pointer passed as argument (\d{1,3}), which is declared to never be null",
        "null",
        lambda found: _MistakeText(
            f"passes a null pointer as argument {found[1]} of a function that needs a valid one", "null"
        ),
    ),
    (r"applying (?:non-)?zero offset .* null pointer", "null", _same("calculates with a null pointer", "null")),
    (
        r"(load of|store to) address 0x[0-9a-f]{1,16} with insufficient space for an object of type .*",
        "memory",
        lambda found: (
            _MistakeText("reads outside of a variable", "outside")
            if found[1] == "load of"
            else _MistakeText("writes outside of a variable", "outside", writes=True)
        ),
    ),
    (
        r"load of value \d{1,20}, which is not a valid value for type '_Bool'",
        "unset",
        _same("uses a bool that is neither true nor false: it was never set, or was overwritten", "unset"),
    ),
    (
        r"variable length array bound evaluates to non-positive value (-?\d{1,20})",
        "memory",
        lambda found: _MistakeText(f"declares an array with {found[1]} elements: it needs at least one"),
    ),
    (r"division by zero", "arithmetic", _same("divides by zero")),
    (
        rf"shift exponent (-?\d{{1,20}}) is (?:too large for (\d{{1,3}})-bit type '({_TYPE})'|negative)",
        "arithmetic",
        lambda found: _MistakeText(
            f"shifts by {found[1]} bits"
            + (f" a value of type `{found[3]}`, which has {found[2]} bits" if found[2] else ""),
            "shift",
        ),
    ),
    (
        rf"signed integer overflow: .* cannot be represented in type '({_TYPE})'",
        "arithmetic",
        lambda found: _MistakeText(f"calculates a value that does not fit into its type, `{found[1]}`"),
    ),
)


@dataclass(frozen=True)
class _Report:
    """A report of AddressSanitizer: its first line, the lines up to the trace, the trace, and the lines after it.

    `freed` and `allocated` are words for the lines of the source that did this, "" if they are not known.
    """

    title: str
    head: str
    frames: Sequence[_Frame]
    rest: Sequence[str]
    freed: str = ""
    allocated: str = ""

    @property
    def name(self) -> str:
        """The kind of mistake, as AddressSanitizer calls it."""
        match = re.match(r"(?:attempting )?([A-Za-z][A-Za-z-]{0,40})", self.title)
        return match[1] if match else ""

    @property
    def recursive(self) -> bool:
        """Whether the stack is full because a function calls itself."""
        own = [frame.function for frame in self.frames if frame.place is not None]
        return self.name == "stack-overflow" and own.count(own[0]) > RECURSIVE_CALLS

    @property
    def by(self) -> str:
        """The function of the library that did it, as a subject, or ""."""
        if not self.frames or self.frames[0].place is not None:
            return ""
        names = [frame.function for frame in self.frames if frame.place is None]
        last = next(number for number, frame in enumerate(self.frames) if frame.place is not None)
        name = names[last - 1] if last else names[0]
        if _is_of_cplusplus(name):
            return ""
        name = re.sub(r"^(?:__interceptor_|___interceptor_|_IO_|__)", "", name)
        return re.sub(r"_(?:evex|avx2?|sse\w*|erms|unaligned\w*)$", "", name)

    @property
    def verb(self) -> str:
        """What was done: `reads` or `writes`."""
        return "writes" if re.search(r"^WRITE|caused by a WRITE", self.head, re.MULTILINE) else "reads"

    @property
    def null(self) -> MistakeId:
        """What a null pointer was used as."""
        return "null-stream" if self.by in _OF_STREAMS else "null"

    @property
    def access(self) -> str:
        """What was done, and to how many bytes if that is known."""
        size = re.search(r"^(?:READ|WRITE) of size (\d{1,18}) at", self.head, re.MULTILINE)
        if self.by:
            # The size is that of the whole access, of which the first bytes may be right.
            return f"calls `{self.by}`, which {self.verb}"
        bytes_words = "1 byte" if size and size[1] == "1" else f"{size[1]} bytes" if size else "memory"
        return f"{self.verb} {bytes_words}"

    def said(self, rest: str, mistake: MistakeId = "", done: str = "") -> _MistakeText:
        """Return the words about what was done, if not `access` then `done`, with the rest of the sentence."""
        return _MistakeText(f"{done or self.access} {rest}", mistake, self.verb == "writes")

    def after(self, pattern: str) -> re.Match[str] | None:
        """Return the first match in the lines after the trace."""
        return next((match for row in self.rest if (match := re.search(pattern, row))), None)


def _is_of_cplusplus(function: str) -> bool:
    """Return whether the C++ library has this function: its sources do not call it by this name."""
    return "::" in function or function.startswith("operator ")


def _address_words(report: _Report) -> tuple[MistakeKind, _MistakeText]:
    words = _ADDRESS.get(report.name)
    if words is not None:
        return "memory", words(report)
    match report.name:
        case "SEGV" | "BUS":
            return _wrong_address(report)
        case "FPE":
            return "arithmetic", _MistakeText("divides by zero")
        case "stack-overflow":
            return _near_the_stack(report)
        case _:
            return "memory", _MistakeText(
                f"uses memory wrongly (AddressSanitizer calls it {report.name or 'an error'})"
            )


def _overflow(report: _Report) -> _MistakeText:
    """Say where an address lies that is outside of every variable, as far as it is known."""
    stack = _next_to_local(report)
    if stack is not None:
        return stack
    region = report.after(
        r" is located (\d{1,18}) bytes (to the left of|to the right of|before|after) (\d{1,18})-byte region"
    )
    if region is not None:
        line = f" that {report.allocated} allocated" if report.allocated else ""
        apart = int(region[1]) if not report.by else 0
        return _next_to(report, f"the memory{line}", int(region[3]), before=region[2] in _BEFORE, apart=apart)
    variable = report.after(
        r" is located (\d{1,18}) bytes (to the left of|to the right of|before|after) global variable "
        r"'([\w*.]{1,60})' defined in '[^']{1,300}' \(0x[0-9a-f]{1,16}\) of size (\d{1,18})"
    )
    if variable is not None:
        name = f"`{variable[3]}`" if re.fullmatch(_NAME, variable[3]) else "a string literal"
        apart = int(variable[1]) if not report.by else 0
        return _next_to(report, name, int(variable[4]), before=variable[2] in _BEFORE, apart=apart)
    return report.said("outside of every variable")


def _next_to_local(report: _Report) -> _MistakeText | None:
    """Say next to which local variable an address lies.

    AddressSanitizer names the variable that is nearest. That need not be the one that was meant if a function of the
    library moves many bytes, or if an access is only partly outside: then the address must be the end of a variable.
    """
    offset = report.after(r" at offset (\d{1,18}) in frame$")
    pattern = re.compile(
        rf"^ +\[(\d{{1,18}}), (\d{{1,18}})\) '({_NAME})'(?:.*<== Memory access at.* (over|under)flows)?"
    )
    for match in filter(None, map(pattern.match, report.rest)):
        name, size_bytes = f"`{match[3]}`", int(match[2]) - int(match[1])
        if offset is not None and match[2] == offset[1]:
            return _next_to(report, name, size_bytes)
        if match[4] and not report.by and "partially" not in match[0]:
            return _next_to(report, name, size_bytes, before=match[4] == "under")
    return None


def _next_to(report: _Report, what: str, size_bytes: int, *, before: bool = False, apart: int = 0) -> _MistakeText:
    """Say where memory lies that is outside of a variable; between the two are `apart` bytes.

    A byte right before a variable is located 1 byte to the left of it.
    """
    far = f", {counted(apart, 'byte')}" if apart > before else ""
    side = "before the beginning of" if before else "past the end of"
    where = f"{side} {what} ({counted(size_bytes, 'byte')})"
    return report.said(where, "" if before else "past-end", f"{report.access}{far}")


def _freed(report: _Report) -> _MistakeText:
    line = f"{report.freed} has freed" if report.freed else "was freed before"
    return report.said(f"{'in' if report.by else 'of'} memory that {line}", "freed")


def _freed_twice(report: _Report) -> _MistakeText:
    line = f"{report.freed} has freed already" if report.freed else "was freed before"
    return _MistakeText(f"frees memory that {line}", "freed")


def _gone(report: _Report) -> _MistakeText:
    variable = report.after(rf"^ +\[\d+, \d+\) '({_NAME})'.*<== Memory access at offset \d+ is inside")
    function = report.after(rf"^ +#0 0x[0-9a-f]+ in ({_NAME}) ")
    name = f"`{variable[1]}`, " if variable else ""
    owner = f"of `{function[1]}`, which has returned" if function else "of a function that has returned"
    return report.said(f"{'in' if report.by else 'of'} {name}a local variable {owner}")


def _out_of_block(report: _Report) -> _MistakeText:
    variable = report.after(rf"^ +\[\d+, \d+\) '({_NAME})'.*<== Memory access at offset \d+ is inside")
    name = f"`{variable[1]}`" if variable else "a variable"
    return report.said(f"{'in' if report.by else 'of'} {name} outside of the block that declares it")


_OF_STREAMS = frozenset(
    {"getc", "fgetc", "ungetc", "putc", "fputc", "feof", "ferror", "fileno", "fclose", "rewind", "fseek", "ftell"}
)
"""Functions of which the only pointer is a stream."""

_FORMATTING = frozenset({"printf", "fprintf", "vprintf", "vfprintf", "sprintf", "snprintf"})


def _wrong_address(report: _Report) -> tuple[MistakeKind, _MistakeText]:
    match = re.match(r"\w+ on unknown address 0x([0-9a-f]{1,16})", report.title)
    address = int(match[1], 16) if match else None
    through = f"calls `{report.by}`, which {report.verb}" if report.by else report.verb
    if report.by in _FORMATTING:
        # Which of the arguments is wrong depends on what else the program was compiled with.
        return "wild", _MistakeText(f"calls `{report.by}` with an argument that is not a valid pointer")
    if address is not None and address < _NULL_PAGE_BYTES and "zero page" in report.head:
        return "null", report.said("through a null pointer", report.null, through)
    if address is not None and address < _PROGRAM_END and report.verb == "writes":
        return "wild", report.said("to memory that must not be changed, such as a string literal", "", through)
    return "wild", report.said("at an address where the program has no memory", "", through)


def _near_the_stack(report: _Report) -> tuple[MistakeKind, _MistakeText]:
    """Say what happened near the stack: AddressSanitizer calls it an overflow at either end.

    A stack grows downwards, to addresses below those of its last frame. Above all frames are the operands.
    """
    function = next(frame.function for frame in report.frames if frame.place is not None)
    if report.recursive:
        called = f"calls `{function}`" if function else "calls its own function"
        return "memory", _MistakeText(f"{called} again and again, until the stack is full")
    places = re.search(
        r" on address 0x([0-9a-f]{1,16}) \(pc 0x[0-9a-f]{1,16} bp 0x([0-9a-f]{1,16}) sp 0x([0-9a-f]{1,16})",
        report.title,
    )
    if places is not None and int(places[1], 16) > max(int(places[2], 16), int(places[3], 16)):
        where = "past the operands and all local variables, where the program has no memory"
        return "wild", report.said(where, "", report.verb)
    return "memory", _MistakeText("needs more memory on the stack than there is")


def _freed_wrongly(report: _Report) -> _MistakeText:
    inside = report.after(r" is located \d{1,18} bytes inside of (\d{1,18})-byte region")
    if inside is not None and report.allocated:
        return _MistakeText(
            f"frees a pointer that is not to the beginning of the memory that {report.allocated} allocated"
        )
    by = "new" if report.frames[0].function == "operator delete" else "malloc"
    return _MistakeText(f"frees a pointer that did not come from `{by}`")


def _freed_otherwise(report: _Report) -> _MistakeText:
    ways = re.search(r"\((?:operator )?(malloc|new)( ?\[\])? vs (?:operator )?(free|delete)( ?\[\])?\)", report.title)
    if ways is None:
        return _MistakeText("frees memory in another way than it was allocated")
    array, other = ("[]" if ways[group] else "" for group in (2, 4))
    return _MistakeText(f"frees with `{ways[3]}{other}` what came from `{ways[1]}{array}`")


def _overlaps(name: str, _report: _Report) -> _MistakeText:
    return _MistakeText(f"calls `{name}` with a source and a target that overlap")


_ADDRESS: Mapping[str, Callable[[_Report], _MistakeText]] = {
    "heap-buffer-overflow": _overflow,
    "stack-buffer-overflow": _overflow,
    "stack-buffer-underflow": _overflow,
    "dynamic-stack-buffer-overflow": lambda report: report.said(
        "past the end of an array of variable length", "past-end"
    ),
    "global-buffer-overflow": _overflow,
    "heap-use-after-free": _freed,
    "double-free": _freed_twice,
    "free": _freed_wrongly,
    "alloc-dealloc-mismatch": _freed_otherwise,
    "stack-use-after-return": _gone,
    "stack-use-after-scope": _out_of_block,
    "negative-size-param": lambda report: _MistakeText(f"calls `{report.by or 'memcpy'}` with a negative size"),
    **{f"{name}-param-overlap": partial(_overlaps, name) for name in ("strcpy", "strncpy", "strcat", "memcpy")},
    **dict.fromkeys(
        ("allocation-size-too-big", "requested"), lambda _: _MistakeText("asks for more memory than there can be")
    ),
}
