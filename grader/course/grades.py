"""Final scores: what the grader computed, what the course's rules make of it, and what somebody decided.

Points are exact decimals. Each adjustment is rounded to hundredths of a point, halves up, so the computed score and
the adjustments add up to the final score.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal

from grader.course.evidence import HandedIn
from grader.course.index import Index
from grader.course.people import ClassList, class_list, entry_name, lines_of, owner_of, people_index
from grader.course.rules import Course, Extension, LatePolicy, Override, Rules, StudentWord
from grader.course.times import duration_words, export_time, utc_words
from grader.model.counted import counted, listed, listed_up_to
from grader.model.gradebook import COURSE_FILE, OVERRIDES_FILE, Entry
from grader.model.report import Adjustment, Grade, Report

HUNDREDTH = Decimal("0.01")
MAX_NAMED = 5
MAX_SUGGESTIONS = 50
"""Names that nobody has, for which a similar one is looked for; that takes a while."""


@dataclass(frozen=True)
class FinalGrades:
    """The grade of each submission, by name; empty if the course has no rules.

    `notes` are sentences about the roster, and about rules that could not be applied, or not to everybody.
    """

    grades: Mapping[str, Grade] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    known: ClassList = field(default_factory=ClassList)

    def entry(self, entry: Entry) -> Entry:
        """Return an entry with its grade, and with the people that the roster knows."""
        graded = entry.report.model_copy(update={"grade": self.grades.get(entry.name)})
        origin = entry.origin.model_copy(update={"people": self.known.people_of(entry)})
        return entry.model_copy(update={"report": graded, "origin": origin})

    def report(self, report: Report) -> Report:
        """Return a report with its grade."""
        return report.model_copy(update={"grade": self.grades.get(report.submission.name)})


@dataclass(frozen=True)
class Decisions:
    """What is decided about each submission, by name, and about `absent` students, by their lines in the roster."""

    overrides: Mapping[str, Override]
    extensions: Mapping[str, Extension]
    absent: Mapping[int, Override]
    notes: tuple[str, ...]


def final_grades(entries: Sequence[Entry], rules: Rules) -> FinalGrades:
    """Return the grades of a class."""
    return _final_grades(entries, rules, class_list(entries, rules.roster))


def with_grade(entry: Entry, rules: Rules, report: Report) -> Report:
    """Return a report of an entry with its grade, as far as it does not depend on other submissions."""
    entry = entry.model_copy(update={"report": report})
    # Without the students who have handed in nothing: this is called for each submission.
    known = replace(class_list([entry], rules.roster), missing=()) if rules.decide else ClassList()
    return report.model_copy(update={"grade": _final_grades([entry], rules, known).grades.get(entry.name)})


def _final_grades(entries: Sequence[Entry], rules: Rules, known: ClassList) -> FinalGrades:
    if not rules.decide:
        return FinalGrades(notes=known.notes, known=known)
    course = rules.course or Course()
    decisions = decisions_of(entries, rules, known)
    grades: dict[str, Grade] = {}
    times: dict[str, datetime | None] = {}
    notes = [*known.notes, *decisions.notes]
    for entry in entries:
        override = decisions.overrides.get(entry.name)
        times[entry.name] = _submitted(entry, course, override, known)
        grades[entry.name], problems = _grade(
            entry, course, override, decisions.extensions.get(entry.name), times[entry.name]
        )
        notes += [f"{rules.overrides_file or OVERRIDES_FILE}: {entry.name}: {problem}" for problem in problems]
    notes += _untimed(entries, course, times, decisions)
    if course.attempts is not None:
        notes += _choose_attempts(entries, course.attempts, grades, times, known)
    return FinalGrades(grades, tuple(notes), replace(known, absent=decisions.absent))


def decisions_of(entries: Sequence[HandedIn], rules: Rules, known: ClassList) -> Decisions:
    """Assign overrides and extensions to submissions."""
    index = people_index(entries, known)
    by_name = {entry.name: entry for entry in entries}
    notes: list[str] = []
    overrides: dict[str, Override] = {}
    extensions: dict[str, Extension] = {}
    absent: dict[int, Override] = {}
    owners = {entry.name: owner_of(entry, known) for entry in entries}
    for number, override in enumerate(rules.overrides.overrides if rules.overrides else ()):
        place = _place(rules.overrides_file or OVERRIDES_FILE, rules.override_lines, number, "overrides")
        keys = index.find(override.student)
        lines = lines_of(keys)
        if len(lines) == len(keys) == 1 and (override.excused or override.total) and lines[0] not in absent:
            absent[lines[0]] = override
            continue
        for name in _meant(override.student, "override", place, index, notes, owners):
            if name in overrides:
                notes.append(f"{place}: there is another override for {name} above, so this one is not applied")
                continue
            overrides[name] = override
            if len(people := known.people_of(by_name[name])) > 1:
                together = listed(person.name or person.email or person.id for person in people)
                notes.append(f"{place}: the override applies to all who handed in together: {together}")
    for number, extension in enumerate(rules.course.extensions if rules.course else ()):
        place = _place(rules.course_file or COURSE_FILE, rules.extension_lines, number, "extensions")
        for name in _meant(extension.student, "extension", place, index, notes, owners):
            # Of a group, the member with most time counts.
            if name not in extensions or extension.until > extensions[name].until:
                extensions[name] = extension
    return Decisions(overrides, extensions, absent, tuple(notes))


def used_files(found: Sequence[HandedIn], rules: Rules) -> Mapping[str, Mapping[str, str]]:
    """Return, by submission, which of its files is graded as which source of the lab."""
    if rules.overrides is None:
        return {}
    overrides = decisions_of(found, rules, class_list(found, rules.roster)).overrides
    return {name: {one.graded_as: one.file for one in override.use} for name, override in overrides.items()}


def _place(file: str, lines: Sequence[int], number: int, key: str) -> str:
    line = f":{lines[number]}" if number < len(lines) else ""
    return f"{file}{line}: {key}.{number}"


def _meant(  # noqa: PLR0913, PLR0917 - what is meant, and where
    word: StudentWord,
    what: Literal["override", "extension"],
    place: str,
    index: Index,
    notes: list[str],
    owners: Mapping[str, tuple[str, ...] | None],
) -> list[str]:
    """Return the names of the submissions that a word means; add a note if that is not clear.

    Several with the same one of `owners` are attempts of the same people. An extension is for all of them. An
    override is for one, so the name of its results is needed, which may also be the student's number.
    """
    keys = index.find(word)
    names = sorted(name for name in map(entry_name, keys) if name is not None)
    lines = sorted(lines_of(keys))
    own = {owners.get(name) for name in names}
    are_attempts = len(own) == 1 and None not in own
    is_clear = len(names) == 1 or (are_attempts and (what == "extension" or word in names))
    if not keys:
        close = index.close(word) if len(notes) < MAX_SUGGESTIONS else ""
        meant = f" (did you mean {close!r}?)" if close else ""
        notes.append(f"{place}: nobody is called {word!r}{meant}, so this {what} is not applied")
    elif not names:
        notes.append(f"{place}: {word!r} has handed in nothing, so this {what} has no effect yet")
    elif lines or not is_clear:
        may_be = listed([*names, *(f"line {line} of the roster" for line in lines)], "or")
        notes.append(f"{place}: {word!r} may be {may_be}; name the results, as this {what} is not applied")
        return []
    return [str(word)] if what == "override" and word in names else names


def _submitted(entry: Entry, course: Course, override: Override | None, known: ClassList) -> datetime | None:
    if override is not None and override.submitted is not None:
        return override.submitted
    texts = [entry.origin.submitted_at, *(student.submitted for student in known.students.get(entry.name, ()))]
    times = (export_time(text, course.tzinfo) for text in texts if text)
    return next((time for time in times if time is not None), None)


def _grade(
    entry: Entry,
    course: Course,
    override: Override | None,
    extension: Extension | None,
    submitted: datetime | None,
) -> tuple[Grade, list[str]]:
    report, problems = entry.report, []
    most = _decimal(report.max_score)
    computed = None if report.score is None else _decimal(report.score)
    adjustments = [*_unscored(override, extension)]
    score = computed
    late_s = None
    due = course.deadline or course.closes
    if due is not None and submitted is not None:
        late_s = _late_s(due if extension is None else max(extension.until, due), submitted)
    for change in override.checks if override else ():
        check = next((check for check in report.checks if check.id == change.check), None)
        if check is None or score is None:
            why = "is not graded" if score is None else "has no such check"
            problems.append(f"the submission {why}, so the points of {change.check} are not applied")
            continue
        points = min(change.points, _decimal(check.max_points)) - _decimal(check.points)
        points = _within(score + points, most) - score
        score += points
        adjustments.append(_adjustment("check", points, change.reason, check=change.check))
    if override is not None and override.total is not None:
        total = min(override.total.points, most)
        if total < override.total.points:
            problems.append(
                f"the total of {override.total.points} is above the {most} points that it was graded with"
            )
        adjustments.append(_adjustment("total", total - (score or 0), override.total.reason))
        score = total
    elif score is not None and late_s is not None:
        lost, reason = late_points(score, late_s, course, submitted, extension)
        if reason:
            adjustments.append(_adjustment("late", -lost, reason))
            score -= lost
    excused = override is not None and override.excused is not None
    if override is not None and override.excused is not None:
        adjustments.append(_adjustment("excused", Decimal(0), override.excused))
    grade = Grade(
        computed=report.score,
        adjustments=tuple(adjustments),
        final=None if excused or score is None else float(score),
        excused=excused,
        comment=override.comment if override else "",
        submitted_at=utc_words(submitted) if submitted is not None else "",
        late_s=late_s,
    )
    return grade, problems


def _unscored(override: Override | None, extension: Extension | None) -> Iterator[Adjustment]:
    """Yield the decisions that change no points by themselves, so that people see them too."""
    for used in override.use if override else ():
        yield _adjustment("file", Decimal(0), f"{used.file} counts as {used.graded_as}")
    if override is not None and override.submitted is not None:
        yield _adjustment("submitted", Decimal(0), f"handed in at {utc_words(override.submitted)}")
    if extension is not None:
        why = f": {extension.reason}" if extension.reason else ""
        yield _adjustment("extension", Decimal(0), f"deadline extended to {utc_words(extension.until)}{why}")


def late_points(
    score: Decimal, late_s: int, course: Course, submitted: datetime | None, extension: Extension | None
) -> tuple[Decimal, str]:
    """Return the points that lateness costs, and why; the reason is empty if it costs nothing."""
    closes = course.closes
    if closes is not None and extension is not None:
        closes = max(closes, extension.until)
    if closes is not None and submitted is not None and submitted > closes:
        return score, f"handed in {duration_words(late_s)} late, after the last time at which work is accepted"
    grace_s = course.grace.total_seconds() if course.grace else 0
    if course.late is None or late_s <= grace_s:
        return Decimal(0), ""
    lost = min(_rounded(_penalty(score, late_s, course.late)), score)
    return lost, f"handed in {duration_words(late_s)} late: {_policy_words(course.late)}"


def _penalty(score: Decimal, late_s: int, policy: LatePolicy) -> Decimal:
    # Each step that has begun counts.
    steps = 1 if policy.per is None else -(-late_s // max(1, int(policy.per.total_seconds())))
    lost = policy.penalty.of(score) * steps
    return lost if policy.at_most is None else min(lost, policy.at_most.of(score))


def _policy_words(policy: LatePolicy) -> str:
    each = "" if policy.per is None else f" for each {_step_words(policy.per)}"
    most = "" if policy.at_most is None else f", at most {policy.at_most}"
    return f"{policy.penalty}{each}{most}"


def _step_words(step: timedelta) -> str:
    words = duration_words(int(step.total_seconds()))
    return {"1 day": "day", "1 h": "hour", "1 min": "minute"}.get(words, words)


def _untimed(
    entries: Sequence[Entry], course: Course, times: Mapping[str, datetime | None], decisions: Decisions
) -> list[str]:
    """Say which submissions have no time, if one is needed."""
    if course.late is None and course.closes is None:
        return []
    without = [entry for entry in entries if times[entry.name] is None and entry.report.status == "graded"]
    late = [entry.name for entry in without if entry.origin.late]
    given = {name for name, override in decisions.overrides.items() if override.total or override.excused}
    others = [entry.name for entry in without if not entry.origin.late and entry.name not in given]
    notes = []
    if late:
        notes.append(
            f"{counted(len(late), 'submission')} marked late in the export, which does not say how late, "
            f"so no penalty is applied; give `submitted` in {OVERRIDES_FILE}: {listed_up_to(MAX_NAMED, late)}"
        )
    if others:
        notes.append(
            f"{counted(len(others), 'submission')} without a time of handing in counted as on time: "
            f"{listed_up_to(MAX_NAMED, others)}"
        )
    return notes


def _choose_attempts(
    entries: Sequence[Entry],
    which: str,
    grades: dict[str, Grade],
    times: Mapping[str, datetime | None],
    known: ClassList,
) -> list[str]:
    """Mark the attempts that do not count, in `grades`; return notes about attempts between which nothing decides."""
    attempts: dict[tuple[str, ...], list[str]] = {}
    for entry in entries:
        owner = owner_of(entry, known)
        if owner is not None:
            attempts.setdefault(owner, []).append(entry.name)
    notes = []
    for names in attempts.values():
        timed = {name: time for name in names if (time := times[name]) is not None}
        if len(names) == 1:
            continue
        if which == "best":
            chosen = max(names, key=lambda name: -1.0 if (final := grades[name].final) is None else final)
        elif len(timed) < len(names):
            notes.append(f"which attempt is the {which} one is not known, as times are missing: {listed(names)}")
            continue
        else:
            chosen = (max if which == "last" else min)(names, key=lambda name: timed[name])
        for name in names:
            if name != chosen:
                skipped = _adjustment("attempt", Decimal(0), f"the {which} attempt counts, which is {chosen}")
                adjustments = (*grades[name].adjustments, skipped)
                grades[name] = grades[name].model_copy(update={"adjustments": adjustments, "counts": False})
    return notes


def _late_s(deadline: datetime, submitted: datetime) -> int:
    """Return how many seconds after the deadline it was, 0 if it was in time."""
    return max(0, -((deadline - submitted) // timedelta(seconds=1)))


def _decimal(points: float) -> Decimal:
    # The shortest text of a float is what people wrote.
    return Decimal(str(points))


def _rounded(points: Decimal) -> Decimal:
    return points.quantize(HUNDREDTH, ROUND_HALF_UP)


def _within(points: Decimal, most: Decimal) -> Decimal:
    return max(Decimal(0), min(points, most))


def _adjustment(kind: str, points: Decimal, reason: str, *, check: str = "") -> Adjustment:
    return Adjustment.model_validate({"kind": kind, "points": float(points), "reason": reason, "check": check})


NO_GRADES = FinalGrades()
