"""Say what a fix did: in words for students, and as the lines that it changed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from grader.diagnose.edits import INCLUDE, Edit, fixed
from grader.diagnose.own_checks import OwnChecks
from grader.grading.fix_trials import Tried
from grader.grading.fixed_copies import Fix
from grader.grading.source_patterns import FoundPlace
from grader.model.counted import listed, listed_up_to
from grader.model.report import CauseLine, Proof
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import program_of

REASONS = (
    (
        re.compile(r"with `strlen[^`]*` instead of (?:both |the first )?`sizeof\b"),
        "the size of a pointer, however long its string is",
    ),
    (re.compile(r"`return 0` instead of (?:the \w+ )?`break`"), "a `break` leaves only the `switch`"),
    (re.compile(r"without the call of `_exit`"), "which discards what stdio has not yet written"),
    (re.compile(r"without the (?:\w+ )?early call of `free`"), "the memory is used after it"),
    (re.compile(r"without `\w+ =`"), "the result of read would replace the byte that was read"),
    (re.compile(r"with `\w+ \+ 1` instead of (?:the \w+ )?`[01]`$"), "no byte is compared with itself then"),
    (re.compile(r"with `\w+\[1\]` instead of `\*"), "the pointer has no memory for a byte"),
    (re.compile(r"with `\w+\[\]` instead of `\*"), "a string literal must not be changed"),
    (re.compile(r"with `&\w+` instead of `\w+`"), "read and write need an address"),
    (re.compile(r"with `(?:256|calloc\(256, 1\))` (?:as|instead of)"), "there are 256 different bytes"),
    (re.compile(r"with `unsigned char \w+` instead of `int"), "an int has 4 bytes"),
    (re.compile(r"with `int` as the type of the (?:counters?|function)\b"), "a char cannot hold all its values"),
    (re.compile(r"with `int` as the type of `"), "EOF is an int"),
    (re.compile(r"with `1UL <<` instead of"), "an int has 32 bits"),
    (re.compile(r"with `sizeof\(\w+\)` instead of `\d"), "the size is a number of bytes"),
    (re.compile(r"without the `static` of"), "it is initialized only once"),
    (re.compile(r"with `write\([^`]*` instead of (?:the \w+ )?`\w*put"), "stdio keeps it in a buffer"),
    (re.compile(r"with `== EOF` after"), "the result is the byte, which may be 0"),
    (re.compile(r"with parentheses around `\w+ = "), "the comparison would come first"),
    (re.compile(r"with parentheses around the value of"), "a macro is replaced by its text"),
    (re.compile(r"with `\*\w+` instead of `\w+\["), "an operand may be longer"),
    (re.compile(r"with `unsigned char(?: \*)?` as the type|cast to `unsigned char`$"), "a char may be negative"),
    (re.compile(r"cast to `char`$"), "to compare chars"),
    (re.compile(r"with `if \(\w+ <= 0\) break;` after"), "at the end of the input there is no byte to write"),
    (re.compile(r"with `if \(\w+ == EOF\) break;` after"), "EOF is not a byte"),
    (re.compile(r"with `while` instead of `if`"), "an `if` reads only once"),
    (re.compile(r"without the `;` after the last `\)`"), "it is the whole body"),
    (re.compile(r"with `(?:> 0`|if \(read\([^`]*`) instead of"), "at the end of the input read returns 0"),
    (re.compile(r"with `%c` instead of ` %c`"), "the blank skips white space"),
)
"""Reasons for changes whose description does not give one, by a pattern of the description."""

LEFT = "; left to repair: "
"""Comes before what a change does not repair."""

NAMED_CHECKS = 4
"""Most checks that a sentence names of those that pass."""


_SENTENCE = re.compile(
    r"(?P<words>.+?)(?P<lines> in lines? [0-9][0-9 ,and]*)? of (?P<file>[^ ,]+), (?P<rest>the checks? .+)"
)


class ProofWriter:
    """Writes the proofs of one submission, with the changed lines if `shows_fixes`."""

    def __init__(self, spec: Spec, sources: Mapping[str, bytes], *, shows_fixes: bool) -> None:
        self.spec = spec
        self._sources = sources
        self._shows_fixes = shows_fixes

    def lines(self, program: str, places: Iterable[FoundPlace]) -> list[CauseLine]:
        """Return the lines of places in the source of a program, without those that only close a block."""
        name = self.spec.programs[program].main_source
        texts = self._sources[name].split(b"\n")
        numbers = sorted({number for place in places for number in place.lines})
        return [
            CauseLine(number=number, text=texts[number - 1].decode("utf-8", "replace").rstrip("\r"), file=name)
            for number in numbers
            if texts[number - 1].strip() != b"}" or len(numbers) == 1
        ]

    def proof(self, works: Sequence[Tried], broken: Collection[str] = (), left: Collection[str] = ()) -> Proof:
        """Return the proof by fixes, of which each repaired checks, and together broke others.

        The checks `left` still fail with them: the sentence names these if others broke, as more has to change then.
        """
        return Proof(
            sentence=joined_sentences(
                self._sentence(
                    tried, *([one for one in some if program_of(one) == tried.fix.program] for some in (broken, left))
                )
                for tried in works
            ),
            checks=tuple(check for tried in works for check in tried.passed),
            fixed=tuple(line for tried in works for line in self._fixed_lines(tried.fix))
            if self._shows_fixes
            else (),
        )

    def _sentence(self, tried: Tried, broken: Sequence[str], left: Sequence[str]) -> str:
        file = self.spec.programs[tried.fix.program].main_source
        by_words: dict[str, set[int]] = {}
        for place in (place for places in tried.fix.places.values() for place in places):
            by_words.setdefault(place.says, set()).update(place.lines)
        reasons = {words: reason_of(words) for words in by_words if words}
        # A reason is given once.
        first = {reason: words for words, reason in reversed(reasons.items())}
        said = listed(
            f"{words}{reason if first[reason] == words else ''}{_in_lines(sorted(by_words[words]))}"
            for words, reason in reasons.items()
        )
        items = self.spec.checks()
        names, short, worse, still = (
            [items[check][1].name for check in some] for some in (tried.passed, tried.short_only, broken, left)
        )
        checks = f"the check {names[0]} passes" if len(names) == 1 else f"the checks {some_of(names)} pass"
        rest = f" (of {listed(short)} only the short runs were repeated)" if short else ""
        open_ones = [failing_still(still)] if still else []
        fails = "passes now, but fails then" if len(worse) == 1 else "pass now, but fail then"
        then = f"{LEFT}{', and '.join([*open_ones, f'{some_of(worse)}, which {fails}'])}" if worse else ""
        return f"{said[:1].upper()}{said[1:]} of {file}, {checks}{rest}{then}."

    def _fixed_lines(self, fix: Fix) -> list[CauseLine]:
        """Return the lines of the source that the fix changed, as they are afterwards."""
        file = self.spec.programs[fix.program].main_source
        before = self._sources[file]
        all_edits = (edit for places in fix.places.values() for place in places for edit in place.edits)
        edits = [edit for edit in all_edits if not edit.text.startswith(INCLUDE)]
        changed = sorted({before.count(b"\n", 0, edit.start) for edit in edits})
        starts = [0, *(index + 1 for index, byte in enumerate(before) if byte == ord("\n")), len(before) + 1]
        found = []
        for row in changed:
            own = [
                Edit(edit.start - starts[row], edit.end - starts[row], edit.text)
                for edit in edits
                if starts[row] <= edit.start and edit.end < starts[row + 1]
            ]
            text = fixed(before[starts[row] : starts[row + 1] - 1], own)
            if text is not None:
                found.append(CauseLine(number=row + 1, text=text.decode("utf-8", "replace").rstrip("\r"), file=file))
        return found


def joined_sentences(sentences: Iterable[str]) -> str:
    """Return the sentences of proofs, or a single one if they differ only in the program and its lines."""
    found = [*sentences]
    parts = [_SENTENCE.fullmatch(sentence) for sentence in found]
    same = {(part["words"], part["rest"]) for part in parts if part is not None}
    if len(found) > 1 and all(parts) and len(same) == 1:
        [(words, rest)] = same
        places = listed([f"{part['lines'] or ''} of {part['file']}".strip() for part in parts if part is not None])
        return f"{words} {places}, {rest}"
    return " ".join(found)


def of_own_checks(sentence: str, checks: Mapping[str, OwnChecks]) -> str | None:
    """Return a sentence about a check that was added to programs, by file, if they have such a check themselves.

    None if the sentence says more than that.
    """
    part = _SENTENCE.fullmatch(sentence)
    kinds = {(one.does, one.lets) for one in checks.values()}
    is_plain = ", the check" in sentence and sentence.count(", the check") == 1 and " in line" not in sentence
    if part is None or not is_plain or ";" in sentence or len(kinds) != 1:
        return None
    [(does, lets)] = kinds
    is_one = sum(len(one.lines) for one in checks.values()) == 1
    places = listed(f"{_in_lines(one.lines).removeprefix(' in ')} of {file}" for file, one in checks.items())
    what = f"{does[0]}, but lets" if is_one else f"{does[1]}, but let"
    return f"{places[:1].upper()}{places[1:]} {what} {lets} through. Once this is refused, {part['rest']}"


def failing_still(names: Sequence[str]) -> str:
    """Say of checks that they still fail with a fix."""
    return f"{some_of(names)}, which still {'fails' if len(names) == 1 else 'fail'}"


def some_of(names: Sequence[str]) -> str:
    """Return the names of checks, only the first ones if there are many."""
    return listed(names) if len(names) <= NAMED_CHECKS else listed_up_to(NAMED_CHECKS, names)


def reason_of(words: str) -> str:
    """Return why a change repairs, in brackets, if its words do not say it, and "" if they do."""
    return next((f" ({reason})" for change, reason in REASONS if change.search(words)), "")


def _in_lines(lines: Sequence[int]) -> str:
    if not lines:
        return ""
    return f" in line {lines[0]}" if len(lines) == 1 else f" in lines {listed(map(str, lines))}"
