"""submission_metadata.json: what the platform tells of a hand-in, which may be anything."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from grader.gradescope.hand_in import Earlier, Remembered, SubmissionMetadata
from grader.gradescope.schema import FAULTS_KEY, REPORT_KEY
from grader.model.gradebook import Person

METADATA_BYTES = 20_000_000
"""The results of the last submission are in it."""

PEOPLE = 100
TEXT_CHARS = 200
PROBLEMS = 4
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,6})\d*)? ?(Z|[+-]\d\d:?\d\d)", re.IGNORECASE)
_YEARS = range(1970, 9000)
"""Others are no times of a hand-in, and those at the ends of the calendar cannot be moved to another zone."""

_SAME_TIME = timedelta(seconds=1)
_LONG_AGO = datetime(1970, 1, 1, tzinfo=timezone.utc)


def read_hand_in(path: Path) -> SubmissionMetadata:
    """Return what is known of a hand-in; what can be used of the file is, and `problem` says what cannot.

    The due date is the student's own where the file has one (of a group the latest), else the assignment's.
    """
    try:
        content = _parsed(path)
    except (OSError, ValueError, RecursionError) as error:
        return SubmissionMetadata(problem=f"{path.name} could not be read: {_why(error)}.")
    if not isinstance(content, dict):
        return SubmissionMetadata(problem=f"{path.name} could not be read: it holds no JSON object.")
    return _Reader(content).hand_in(path.name)


def _parsed(path: Path) -> object:
    with path.open("rb") as file:
        data = file.read(METADATA_BYTES + 1)
    if len(data) > METADATA_BYTES:
        raise ValueError(f"it is larger than {METADATA_BYTES:,} bytes")
    # Numbers that JSON does not know, or that are too large, are as good as missing.
    return json.loads(data.decode("utf-8-sig"), parse_constant=_nothing, parse_float=_finite, parse_int=_whole)


def _nothing(_constant: str) -> None:
    return None


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


def _whole(text: str) -> int | None:
    return int(text) if len(text) < len(str(2**63)) else None


def _why(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return error.strerror or "it cannot be opened" if isinstance(error, OSError) else str(error)


class _Reader:
    """Reads one file, and remembers what of it was not as it should be."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        self._content = content
        self._problems: list[str] = []

    def hand_in(self, name: str) -> SubmissionMetadata:
        created_at = self._time(self._content, "created_at", "created_at")
        if "created_at" not in self._content:
            self._problems.append("created_at is missing")
        users = [*self._entries("users")][:PEOPLE]
        submissions = [*self._entries("previous_submissions")]
        timed = [(self._time(one, "submission_time", "a submission_time"), one) for one in submissions]
        timed.sort(key=lambda pair: pair[0] or _LONG_AGO)
        faults = _faults([one for _, one in timed])
        hand_in = SubmissionMetadata(
            people=tuple(self._person(user) for user in users),
            created_at=created_at,
            due_at=self._due_at(users),
            earlier=tuple(self._earlier(time, one, faults) for time, one in timed),
            last=next(filter(None, (self._remembered(one) for _, one in reversed(timed))), None),
        )
        return replace(hand_in, problem=self._problem(name))

    def _problem(self, name: str) -> str:
        told = [*dict.fromkeys(self._problems)]
        more = [f"{len(told) - PROBLEMS} more"] if len(told) > PROBLEMS else []
        return f"{name} could not be read in all: {'; '.join([*told[:PROBLEMS], *more])}." if told else ""

    def _entries(self, key: str) -> Iterator[Mapping[str, Any]]:
        """Yield the objects of a list."""
        found = self._content.get(key)
        if found is not None and not isinstance(found, list):
            self._problems.append(f"{key} is no list")
            return
        for one in found or ():
            if isinstance(one, dict):
                yield one
            else:
                self._problems.append(f"{key} has an entry that is no object")

    def _time(self, holder: Mapping[str, Any], key: str, name: str) -> datetime | None:
        value = holder.get(key)
        time = _time(value) if isinstance(value, str) else None
        if time is None and value is not None:
            self._problems.append(f"{name} is no time with a zone")
        return time

    def _person(self, user: Mapping[str, Any]) -> Person:
        return Person(name=_text(user.get("name")), email=_text(user.get("email")), id=_text(user.get("id")))

    def _due_at(self, users: list[Mapping[str, Any]]) -> datetime | None:
        own = [self._time(_object(user, "assignment"), "due_date", "a due_date") for user in users]
        of_all = self._time(_object(self._content, "assignment"), "due_date", "due_date")
        return max(filter(None, own), default=of_all)

    def _earlier(self, time: datetime | None, one: Mapping[str, Any], faults: list[datetime]) -> Earlier:
        through_us = time is not None and any(abs(time - fault) < _SAME_TIME for fault in faults)
        score = _number(one.get("score"))
        if score is None and one.get("score") is not None:
            self._problems.append("a score is no number")
        return Earlier(time, score, failed=one.get("autograder_error") is True or through_us)

    def _remembered(self, one: Mapping[str, Any]) -> Remembered | None:
        kept = _object(_object(one, "results"), "extra_data").get(REPORT_KEY)
        if kept is None:
            return None
        try:
            return Remembered.model_validate(kept)
        except (ValidationError, RecursionError):
            self._problems.append("what an earlier run left is not understood")
            return None


def _object(holder: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = holder.get(key)
    return found if isinstance(found, dict) else {}


def _faults(submissions: list[Mapping[str, Any]]) -> list[datetime]:
    """Return when those submissions were made whose run failed through us, as their results and later ones say."""
    kept = (_object(_object(one, "results"), "extra_data").get(FAULTS_KEY) for one in submissions)
    texts = (text for times in kept if isinstance(times, list) for text in times if isinstance(text, str))
    return [time for time in map(_time, texts) if time is not None]


def _time(text: str) -> datetime | None:
    """Return a time of ISO 8601; Python 3.10 reads neither `Z` nor every fraction."""
    match = _TIME.fullmatch(text.strip())
    if match is None:
        return None
    day, clock, fraction, zone = match.groups()
    zone = "+00:00" if zone in "Zz" else f"{zone[:3]}:{zone[-2:]}"
    try:
        time = datetime.fromisoformat(f"{day}T{clock}.{fraction or '':0<6}{zone}")
    except ValueError:
        return None
    return time if time.year in _YEARS else None


def _number(value: object) -> float | None:
    """Return a number, also one that is written as text."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _text(value: object) -> str:
    # An escape in the file may say half a character, which no report can hold.
    if isinstance(value, bool) or not isinstance(value, int | str):
        return ""
    return str(value)[:TEXT_CHARS].encode("utf-8", "replace").decode("utf-8")
