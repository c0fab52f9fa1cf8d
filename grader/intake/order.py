"""The order of names that have numbers or dates in them, such as those of versions, attempts and copies."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from grader.intake.names import ARCHIVE_SUFFIXES, OTHER_ARCHIVE_SUFFIXES

_MONTHS = (
    ("jan", "gen", "ene"),
    ("feb", "fév", "fev"),
    ("mar", "mär", "maa", "mrt"),
    ("apr", "avr", "abr"),
    ("may", "mai", "mei", "mag"),
    ("jun", "juin", "giu"),
    ("jul", "juil", "lug"),
    ("aug", "aoû", "ago"),
    ("sep", "set"),
    ("oct", "okt", "ott", "out"),
    ("nov",),
    ("dec", "déc", "dez", "dic"),
)
"""How the names of months begin in English, German, French, Spanish, Italian, Portuguese and Dutch."""
_NUMBERED = {start: number for number, starts in enumerate(_MONTHS, 1) for start in starts}
_MONTH = rf"(?:{'|'.join(_NUMBERED)})[^\W\d_]*\.?"
_STARTS = [(re.compile(start, re.IGNORECASE), number) for start, number in _NUMBERED.items()]
"""The same starts, compared as in a date: some letters are others without case, but not in small letters."""

_IN_ORDER = re.compile(
    rf"""
    # 2026-05-04-23-11-02, 20260504T2311, 2026.05.04
    (?<!\d)(?P<year>(?:19|20)\d\d)(?P<between>[-_.]?)(?P<month>[01]\d)(?P=between)(?P<day>[0-3]\d)
        (?:[-_T\ ]{{0,3}}(?P<hour>[0-2]\d)[-_:.h]?(?P<minute>[0-5]\d)(?:[-_:.m]?(?P<second>[0-5]\d))?)?(?!\d)
    # May 4, 2026 1010 PM; mayo 4, 2026 10.10 p. m.; 4 May 2026; 4. Mai 2026 22 10; 4 de mayo de 2026
    | (?<![^\W_])(?:(?P<word>{_MONTH})\ (?P<word_day>\d\d?)
        |(?P<first_day>\d\d?)\.?\ (?:de\ )?(?P<second_word>{_MONTH})(?:\ de)?),?\ (?P<word_year>\d{{4}})
        (?:,?\ (?P<word_hour>\d\d?)[:.\ ]?(?P<word_minute>[0-5]\d)(?:\s?(?P<half>[ap])(?:m|\.\s?m\.?))?)?(?!\d)
    # 04.05.2026
    | (?<![\d.])(?P<dot_day>\d\d?)\.(?P<dot_month>\d\d?)\.(?P<dot_year>\d{{4}})(?!\d)
    # Day and month cannot be told apart.
    | (?<!\d)(?P<unclear>\d\d?(?P<slash>[-_./])\d\d?(?P=slash)\d\d(?:\d\d)?)(?!\d)
    # A number that begins with the time: an ID of MongoDB, which INGInious uses.
    | (?<![0-9a-f])(?P<id>[0-9a-f]{{24}})(?![0-9a-f])
    # 28.04, which may be a date of either kind, or a version.
    | (?<!\d)(?<!\d[-_.])(?P<left>\d\d?)(?P<joint>[-_.])(?P<right>\d\d?)(?![-_.]?\d)
    # With more digits, it may be a student's number.
    | (?<!\d)(?P<number>\d{{1,3}})(?!\d)
    """,
    re.VERBOSE | re.IGNORECASE,
)


MAX_CHARS = 150
"""Length of a name up to which it is looked at, as an archive may have many long ones."""

TIME = "\0time"
"""What `series` has instead of a date, with or without a time of day."""

_NUMBER = "\0number"
_SUFFIXES = "|".join(map(re.escape, ARCHIVE_SUFFIXES + OTHER_ARCHIVE_SUFFIXES))
_IN_BRACKETS = re.compile(rf"(?<=.)[ _-]?\((?:{_NUMBER}|\d{{1,3}})\)", re.DOTALL)
"""What browsers and systems put after a name that there is already."""
_AT_END = re.compile(rf"(?<=.)(?:[ _-]{_NUMBER})+(?=(?:{_SUFFIXES})?$)", re.DOTALL | re.IGNORECASE)
_VERSION_WORDS = (
    *("v", "ver", "version", "rev", "revision", "attempt", "try", "draft", "copy", "submission", "upload"),
    *("versuch", "essai", "intento", "tentativo", "tentativa", "poging"),
)
_VERSION_BEFORE = re.compile(rf"(?<![^\W\d_])(?:{'|'.join(_VERSION_WORDS)})[ ._-]*\Z", re.IGNORECASE)
_LATER = re.compile(
    r"(?<![^\W\d_])(?:new(?:er|est)?|latest|last|final(?:ly)?|fixed|corrected|updated|resubmi\w*)(?![^\W\d_])",
    re.IGNORECASE,
)
_END = -1
"""What comes after the numbers of a folder, so that a name without a number comes before it with one."""


@dataclass(frozen=True)
class Place:
    """The place of a path in the order of those with the same `rest`; it is certain among those of the same `form`.

    `lab`, `lab (1)` and `lab (2)` are in this order. `lab-1` may be a later `lab` or an earlier one.
    `swapped` are the numbers if those like 28.04 have the month last: 2.5 comes before 28.04 or after it.
    """

    rest: str
    form: str
    numbers: tuple[int, ...]
    swapped: tuple[int, ...]

    def is_after(self, other: Place) -> bool:
        """Return whether it is certain to come after another one."""
        return self.form == other.form and self.numbers > other.numbers and self.swapped > other.swapped


def original(name: str) -> str:
    """Return the name of what browsers and systems may have given this name to: `lab.c` for `lab (1).c`."""
    return _IN_BRACKETS.sub("", name)


def without_versions(name: str) -> str:
    """Return a name without its dates and what numbers its versions: `lab v` for `lab v2`, but `student2` stays."""

    def taken_out(match: re.Match[str]) -> str:
        may_be_other = match["number"] or match["joint"] in ("-", "_")
        is_bare = match[0] == match.string
        return match[0] if may_be_other and not is_bare and not _is_version(match) else ""

    return name if len(name) > MAX_CHARS else _IN_ORDER.sub(taken_out, original(name))


def is_version(name: str) -> bool:
    """Return whether a folder of this name has a version of what is next to it: `v2`, `2026-05-04`, `lab final`."""
    return without_versions(name) != name or _LATER.search(name) is not None


def is_later(name: str, stem: str) -> bool:
    """Return whether a name has, besides a stem, a number from 2 or a word for what is later: `lab_2`, `lab-new`."""
    rest = name.casefold().replace(stem.casefold(), "", 1)
    return any(number > 1 for number in _in_order(rest)[1]) or _LATER.search(rest) is not None


def place(path: str) -> Place:
    """Return the place of a path, which may begin with that of an archive."""
    parts = [_in_order(part) for part in path.split("/")]
    forms = [original(rest) for rest, _, _ in parts]
    numbers = (number for _, numbers, _ in parts for number in (*numbers, _END))
    swapped = (number for _, _, swapped in parts for number in (*swapped, _END))
    rest = "/".join(_AT_END.sub("", form) for form in forms)
    return Place(rest, "/".join(forms), tuple(numbers), tuple(swapped))


def series(name: str) -> tuple[str, tuple[int, ...]]:
    """Return a name without its numbers and dates, and these; names with the same rest are in their order.

    `lab v2` comes before `lab v10`, and a date before a later one.
    """
    rest, numbers, _ = _in_order(name)
    return rest, numbers


@lru_cache(maxsize=1 << 14)
def _in_order(name: str) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    numbers: list[int] = []
    swapped: list[int] = []
    if len(name) > MAX_CHARS:
        return name, (), ()

    def taken_out(match: re.Match[str]) -> str:
        if match["unclear"]:
            return match[0]
        if match["joint"]:
            pair = [int(match["left"]), int(match["right"])]
            numbers.extend(pair)
            swapped.extend(pair if _is_version(match) else pair[::-1])
            return f"{_NUMBER}{match['joint']}{_NUMBER}"
        kind, values = _values(match)
        numbers.extend(values)
        swapped.extend(values)
        return kind

    return _IN_ORDER.sub(taken_out, name), tuple(numbers), tuple(swapped)


def _is_version(match: re.Match[str]) -> bool:
    return _VERSION_BEFORE.search(match.string, 0, match.start()) is not None


def _values(match: re.Match[str]) -> tuple[str, tuple[int, ...]]:
    def number(group: str) -> int:
        return int(match[group] or 0)

    if match["year"]:
        return TIME, tuple(map(number, ("year", "month", "day", "hour", "minute", "second")))
    if match["word_year"]:
        word = match["word"] or match["second_word"]
        month = next(number for start, number in _STARTS if start.match(word))
        hour = number("word_hour")
        if match["half"]:
            hour = hour % 12 + 12 * (match["half"].lower() == "p")
        day = number("word_day") or number("first_day")
        return TIME, (number("word_year"), month, day, hour, number("word_minute"), 0)
    if match["dot_year"]:
        return TIME, (number("dot_year"), number("dot_month"), number("dot_day"), 0, 0, 0)
    if match["id"]:
        return "\0id", (int(match["id"], 16),)
    return _NUMBER, (number("number"),)
