"""What students write between commands and tables, and numbers in it that contradict the tables."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from grader.model.notebook import CallTable, NotebookFinding, TimeFigure
from grader.notebook.text import Line

LARGE = 100_000
"""Numbers of bytes and calls that are compared: smaller ones may be buffers, lines, and counts of a part."""

EXACT = 0.02
ROUNDED = 0.12
"""How much a number with and without a unit (5 MB) may differ from the tables."""

FACTOR = 1.6
"""How much a ratio in words may differ from the ratios of the tables and times."""

MIN_WORDS = 3

_CODE = re.compile(
    r"^\s*(?:#\s*(?:include|define|if|endif)|[{}/*]|//)|[;{}]\s*$|^\s*(?:int|void|char|for|while|return)\b.*[({;]"
)
_OUTPUT = re.compile(
    r"\s*[0-9]+ bytes? (?:\([^)]*\) )?(?:copied|transferred)|\s*[0-9]+\+[0-9]+ records (?:in|out)|"
    r"[\w./-]+: \S.*(?:command not found|No such file or directory)\s*$|\s*-[rwx-]{9}[.+@]?\s|"
    r"\s*[0-9.]+ \u00b1 [0-9.]+ times |"
    r"(?:\^C)?strace: (?:Process [0-9]+ |Can't )"
)
"""What dd, ls, hyperfine, strace and shells print, which is not text of the student."""

_WORD = re.compile(r"[^\W\d_]{2,}")
_WITHOUT_SPACES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_NUMBER = re.compile(
    r"(?<![\w.,/'-])(?<![0-9] )(?P<number>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+(?:\.[0-9]+)?)"
    r"\s*-?(?P<unit>MB(?!/s)|MiB(?!/s)|M|megabytes?|million|mil)?\s*-?"
    r"(?P<noun>bytes?|characters?|chars?|(?:read|write|system|sys)?\s*calls?|syscalls?|reads?|writes?)?(?![\w]|/s)",
    re.IGNORECASE,
)
_CALLS = re.compile(
    r"(?<![\w.,/'-])(?<![0-9] )(?P<number>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)\s+(?:system\s+)?(?:calls\s+(?:to|of)\s+)?"
    r"(?:reads|writes|(?:read|write)\s+(?:system\s+)?calls|(?:read|write)\s+syscalls)\b(?!\s+(?:per|for each|a)\b)",
    re.IGNORECASE,
)
LEAST_CALLS = 20
"""Fewer calls are often some that the text speaks of, as the last read or those of the loader."""

NEARLY = 0.05
_MILLIONS = ("m", "mb", "mib", "million", "mil", "megabyte", "megabytes")
_SIZE_UNITS = ("mb", "mib", "megabyte", "megabytes")
_SUPPOSED = re.compile(
    r"\b(?:if|would|should|could|suppose|at least|requires?|required|asked|told|must)\b", re.IGNORECASE
)
_RATIO = re.compile(
    r"\b(?:(?P<word>twice|two|three|four|five|ten|twenty|fifty|a hundred|hundred)|"
    r"(?P<number>[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?))"
    r"(?:\s*(?:x|times))?\s+(?:as\s+(?:fast|slow|quick)(?:ly)?|faster|slower|quicker|as\s+long|longer)\b",
    re.IGNORECASE,
)
_VALUES = {
    "twice": 2, "two": 2, "three": 3, "four": 4, "five": 5, "ten": 10, "twenty": 20, "fifty": 50, "hundred": 100,
    "a hundred": 100,
}  # fmt: skip


@dataclass(frozen=True)
class Prose:
    """Lines that a student wrote, and their words."""

    lines: tuple[Line, ...]
    words: int

    def after(self, number: int) -> list[Line]:
        """Return the lines below a line."""
        return [line for line in self.lines if line.number > number]


def prose_of(lines: Sequence[Line], used: Collection[int]) -> Prose:
    """Return the lines that are text: not in `used`, not code, with some words."""
    found, words = [], 0
    for line in lines:
        if line.number in used or _CODE.search(line.text) or _OUTPUT.match(line.text):
            continue
        number = word_count(line.text)
        if number:
            words += number
            found.append(line)
    return Prose(tuple(found), words)


def word_count(text: str) -> int:
    """Return the words of a line, 0 if it is not text. In scripts without spaces, two signs are a word."""
    dense = 0 if text.isascii() else len(_WITHOUT_SPACES.findall(text))
    words = len(_WORD.findall(text)) + dense // 2
    return words if words >= MIN_WORDS or dense >= 2 * MIN_WORDS else 0


def prose_findings(
    prose: Prose, tables: Sequence[CallTable], times: Sequence[TimeFigure], other_counts: Collection[int] = ()
) -> Iterator[NotebookFinding]:
    """Yield a finding for each number in the text that is far from every number that it can mean.

    `other_counts` are numbers of calls that the notebook has besides its tables.
    """
    sizes = {table.n_bytes for table in tables if table.n_bytes is not None}
    # A table whose calls show no size could be the one that a number is about.
    if sizes and all(table.n_bytes is not None or table.program is not None for table in tables):
        for line in prose.lines:
            yield from _sizes(line, sizes, tables)
    programs = {table.program or "" for table in tables}
    if programs and "" not in programs:
        known = _numbers_of_calls(tables, other_counts)
        for line in prose.lines:
            yield from _small_counts(line, programs, known)
    ratios = sorted({*_time_ratios(times), *_table_ratios(tables)})
    if _time_ratios(times):
        for line in prose.lines:
            yield from _ratios(line, ratios)


def _sizes(line: Line, sizes: set[int], tables: Sequence[CallTable]) -> Iterator[NotebookFinding]:
    if not any(char.isdigit() for char in line.text) or _SUPPOSED.search(line.text):
        return
    for found in _NUMBER.finditer(line.text):
        unit, noun = (found["unit"] or "").lower(), (found["noun"] or "").lower()
        if not noun and unit not in _SIZE_UNITS:
            continue
        value = float(found["number"].replace(",", "")) * (1_000_000 if unit in _MILLIONS else 1)
        is_size = unit in _SIZE_UNITS or noun.startswith(("byte", "char"))
        known = sizes if is_size else sizes | _counts(tables)
        tolerance = ROUNDED if unit or value % 1000 == 0 else EXACT
        if value < LARGE or any(abs(value - one) <= tolerance * max(value, one) for one in known):
            continue
        shown = found.group().strip()
        names = " or ".join(f"{size:,}" for size in sorted(sizes))
        yield NotebookFinding(
            kind="prose-contradicts-tables",
            weight="problem",
            lines=((line.number, line.number),),
            message=f"The text says {shown!r}, but the tables show an input of {names} bytes.",
        )
        return


def _small_counts(line: Line, programs: Collection[str], known: Sequence[int]) -> Iterator[NotebookFinding]:
    """Yield a finding for each number of reads or writes of a program that is near none of `known`, in order."""
    if _SUPPOSED.search(line.text) or not any(program in line.text for program in programs):
        return
    for found in _CALLS.finditer(line.text):
        value = int(found["number"].replace(",", ""))
        near = bisect_left(known, (1 - NEARLY) * value)
        is_known = near < len(known) and known[near] <= (1 + NEARLY) * value
        if LEAST_CALLS <= value < LARGE and not is_known:
            yield NotebookFinding(
                kind="prose-contradicts-tables",
                weight="problem",
                lines=((line.number, line.number),),
                message=f"The text says {found.group().strip()!r}, but no table shows such a number.",
            )


def _numbers_of_calls(tables: Sequence[CallTable], other_counts: Collection[int]) -> list[int]:
    """Return the numbers of calls that a notebook shows, and how many more reads or writes a table has, in order."""
    calls = {count for table in tables for count in (table.reads, table.writes)}
    return sorted(_counts(tables) | {*other_counts} | {abs(a - b) for a in calls for b in calls})


def _counts(tables: Sequence[CallTable]) -> set[int]:
    """Return the numbers of calls that a sentence can be about."""
    counts = set[int]()
    for table in tables:
        counts |= {row.calls for row in table.rows} | {table.reads + table.writes}
        counts |= {table.total.calls} if table.total is not None else set()
    return counts


def _ratios(line: Line, ratios: Sequence[float]) -> Iterator[NotebookFinding]:
    if _SUPPOSED.search(line.text):
        return
    for found in _RATIO.finditer(line.text):
        word = found["word"]
        value = float(_VALUES[word.lower()]) if word else float(found["number"].replace(",", ""))
        if value <= 1 or any(value / FACTOR <= ratio <= value * FACTOR for ratio in ratios):
            continue
        lowest, highest = ratios[0], ratios[-1]
        shown = f"{lowest:.1f}" if highest / lowest < FACTOR else f"{lowest:.1f} to {highest:.1f}"
        yield NotebookFinding(
            kind="prose-contradicts-times",
            weight="problem",
            lines=((line.number, line.number),),
            message=f"The text says {found.group()!r}, but the ratios of the times are {shown}.",
        )


def _time_ratios(times: Sequence[TimeFigure]) -> set[float]:
    """Return the ratios of wall clock times and of CPU times, of every two runs."""
    wall = [time.real_s for time in times if time.real_s]
    cpu = [time.user_s + time.sys_s for time in times if time.user_s is not None and time.sys_s is not None]
    return _pairs(wall) | _pairs(cpu)


def _table_ratios(tables: Sequence[CallTable]) -> set[float]:
    return _pairs([table.total.seconds or 0 for table in tables if table.total is not None])


def _pairs(values: Sequence[float]) -> set[float]:
    present = [value for value in values if value > 0][:50]
    return {round(a / b, 3) for a in present for b in present if a > b}
