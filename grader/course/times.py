"""Times and durations as people and course systems write them; every time has a zone, or is not known."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone, tzinfo
from difflib import get_close_matches
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

LONGEST = timedelta(days=3650)
"""The longest duration that a rule may have."""

FARTHEST = timedelta(hours=14)
"""The largest offset of a zone."""

MAX_DIGITS = 20

_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ]+(\d\d?):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*"
    r"(Z|UTC|[-+]\d\d:?\d\d|[A-Za-z][\w+-]*(?:/[\w+-]+)*)?"
)
_OFFSET = re.compile(r"([-+])(\d\d):?(\d\d)")
# What Moodle's worksheet has, in English: "Monday, 4 May 2026, 11:59 PM" (strftimedaydatetime of
# lang/en/langconfig.php), and in that of the United States: "Monday, May 4, 2026, 11:59 PM".
_IN_WORDS = re.compile(
    r"(?:[A-Za-z]+, )?(?:(?P<day>\d{1,2}) (?P<month>[A-Za-z]+)|(?P<us_month>[A-Za-z]+) (?P<us_day>\d{1,2}),) "
    r"(?P<year>\d{4}), (?P<hour>\d\d?):(?P<minute>\d\d)(?: ?(?P<half>[AaPp])[Mm])?"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DURATION = re.compile(r"(\d+(?:\.\d+)?)? *(weeks?|days?|hours?|h|minutes?|min|seconds?|s)")
_SECONDS = {"w": 604_800, "d": 86_400, "h": 3600, "m": 60, "s": 1}
_EXAMPLE = "2026-05-04 23:59 +02:00, or 2026-05-04 23:59 Europe/Berlin"
NOT_A_TIME = f"not a time; write it like {_EXAMPLE}"
NOT_A_DURATION = "not a duration; write it like 15 min, 6 hours, day or 2 weeks"


def read_time(text: str) -> datetime:
    """Return a time that somebody wrote with its zone.

    Raises:
        ValueError: it is not a time, has no zone, or its zone does not say which time is meant.
    """
    match = _TIME.fullmatch(text.strip())
    if match is None:
        raise ValueError(NOT_A_TIME)
    if match[7] is None:
        raise ValueError(f"a time without a zone; write it like {_EXAMPLE}")
    return _at(_naive(match), _zone(match[7]))


def read_zone(text: str) -> tzinfo:
    """Return a zone by its name or offset.

    Raises:
        ValueError: there is no such zone.
    """
    return _zone(text.strip())


def export_time(text: str, zone: tzinfo | None) -> datetime | None:
    """Return a time of an export in UTC; `zone` is that of times that the export states without one.

    None if it is not known which time it is.
    """
    stripped = text.strip()
    match, in_words = _TIME.fullmatch(stripped), _IN_WORDS.fullmatch(stripped)
    try:
        if match is not None:
            written = _zone(match[7]) if match[7] else zone
            return None if written is None else _at(_naive(match), written).astimezone(timezone.utc)
        if in_words is not None and zone is not None:
            return _at(_in_words(in_words), zone).astimezone(timezone.utc)
    except (ValueError, OverflowError):
        # The text is an export's, not of somebody who could be asked to correct it.
        return None
    return None


def read_duration(text: str) -> timedelta:
    """Return a duration: `day`, `6 hours`, `15 min`.

    Raises:
        ValueError: it is not a duration, or a very long one.
    """
    match = _DURATION.fullmatch(text.strip().lower())
    if match is None:
        raise ValueError(NOT_A_DURATION)
    seconds = int(float(match[1] or 1) * _SECONDS[match[2][0]]) if len(match[1] or "") < MAX_DIGITS else 0
    if not 1 <= seconds <= LONGEST.total_seconds():
        raise ValueError(f"not a duration from 1 s to {LONGEST.days:,} days")
    return timedelta(seconds=seconds)


def duration_words(seconds: int) -> str:
    """Return a duration in its two largest units: `1 day 3 h`, `12 min`, `5 s`."""
    parts = []
    for unit, size in (("day", 86_400), ("h", 3600), ("min", 60), ("s", 1)):
        number, seconds = divmod(seconds, size)
        if number:
            parts.append(f"{number:,} {unit}{'s' if unit == 'day' and number > 1 else ''}")
        if len(parts) == 2 or (parts and not number):  # noqa: PLR2004 - see above
            break
    return " ".join(parts) or "0 s"


def utc_words(time: datetime) -> str:
    """Return a time in UTC, to the second: `2026-05-04 21:59:30 UTC`."""
    return f"{time.astimezone(timezone.utc):%Y-%m-%d %H:%M:%S} UTC"


def _naive(match: re.Match[str]) -> datetime:
    try:
        return datetime(*(int(part or 0) for part in match.groups()[:6]))  # type: ignore[arg-type]  # noqa: DTZ001 - its zone follows
    except ValueError as error:
        raise ValueError("not a time that a calendar has") from error


def _in_words(match: re.Match[str]) -> datetime:
    month = _MONTHS.index((match["month"] or match["us_month"])[:3].lower()) + 1
    day, hour = int(match["day"] or match["us_day"]), int(match["hour"])
    if match["half"]:
        hour = hour % 12 + (12 if match["half"] in "pP" else 0)
    return datetime(int(match["year"]), month, day, hour, int(match["minute"]))  # noqa: DTZ001 - it has none


def _zone(name: str) -> tzinfo:
    if name in ("Z", "UTC"):
        return timezone.utc
    if offset := _OFFSET.fullmatch(name):
        ahead = timedelta(hours=int(offset[2]), minutes=int(offset[3]))
        if ahead > FARTHEST:
            raise ValueError(f"{name} is not an offset that a zone has; write it like +02:00")
        return timezone(ahead if offset[1] == "+" else -ahead)
    known = _names()
    # Only names of the list: others may be paths.
    if name in known:
        return ZoneInfo(name)
    # An abbreviation is near others that mean other hours.
    close = get_close_matches(name, sorted(known), n=1) if "/" in name else []
    meant = f"; did you mean {close[0]!r}?" if close else "; write an offset, such as +02:00"
    raise ValueError(f"the time zone {name!r} is not known{meant}")


@cache
def _names() -> frozenset[str]:
    # Python lists them by walking through folders.
    return frozenset(available_timezones())


def _at(naive: datetime, zone: tzinfo) -> datetime:
    first, second = naive.replace(tzinfo=zone, fold=0), naive.replace(tzinfo=zone, fold=1)
    if first.utcoffset() != second.utcoffset():
        raise ValueError(
            f"in {zone}, the clock is changed at {naive:%H:%M} on that day; write an offset, such as +02:00"
        )
    try:
        return first.astimezone(timezone.utc).astimezone(zone)
    except OverflowError as error:
        raise ValueError("not a time that a calendar has") from error
