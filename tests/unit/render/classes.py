"""Classes made up for tests: scores spread, causes as common as in the wild, some late, some not graded."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Any

from grader.model.evidence import CallCount, StreamCalls
from grader.model.gradebook import Entry, Origin, Person
from grader.model.report import Cause, Check, Report, SubmissionId, SyscallTable, Timing, without_evidence

from . import factory
from .factory import SIZE
from .pages import HOSTILE

RUBRIC = {
    "build": (4, "Compiles with gcc"),
    "text": (8, "Translates text"),
    "operands": (4, "Takes every operand byte literally"),
    "binary": (4, "Copies NUL and every other byte except 0xFF"),
    "byte-ff": (3, "Copies the byte 0xFF"),
    "byte-high": (3, "Translates bytes 0x80 to 0xFF"),
    "error-length": (3, "Refuses operands of different lengths"),
    "error-duplicate": (3, "Refuses a byte that appears twice in FROM"),
    "error-missing": (1, "Refuses to run with fewer than two operands"),
    "random-5m": (4, "Copies random bytes, of sizes that are drawn"),
    "pattern-5m": (4, "Copies 5,000,000 patterned bytes"),
    "syscalls": (6, "Makes the system calls that the lab is about"),
    "calls": (2, "Goes through the functions that the lab is about"),
    "terminal": (1, "Is right on a terminal"),
}
# Mutant, title, program, checks, how many of a hundred have it.
BUGS = (
    ("char-for-getchar", "A char holds what getchar returns", "tr2b", ("byte-ff", "random-5m"), 35),
    ("signed-operands", "Operand bytes above 0x7F are negative", "tr2b", ("byte-high",), 30),
    ("duplicates-adjacent-only", "Only neighbours are compared for duplicates", "tr2u", ("error-duplicate",), 7),
    ("operands-not-counted", "Missing operands crash the program", "tr2u", ("error-missing",), 13),
    ("message-on-stdout", "The message goes to standard output", "tr2u", ("error-length", "error-duplicate"), 6),
    ("chained-mapping", "What was translated is translated again", "tr2u", ("text", "operands"), 8),
    ("signed-table-index", "A table is indexed with a negative number", "tr2b", ("binary", "byte-high"), 9),
    ("unbuffered-with-setvbuf", "tr2b makes a system call for each byte", "tr2b", ("syscalls",), 3),
    ("block-writes-in-tr2u", "tr2u writes whole blocks", "tr2u", ("syscalls", "terminal"), 2),
)
HOSTILE_AT = 17
UNKNOWN_OF_100, UNBUILT_OF_100, LATE_OF_100, CHANGED_OF_100, BROKEN_OFF_OF_100 = 8, 3, 12, 10, 3
GIVEN = (
    "Ada",
    "Grace",
    "Linus",
    "Barbara",
    "Ken",
    "Margaret",
    "Edsger",
    "Frances",
    "Dennis",
    "Radia",
    "Niklaus",
    "Łucja",
)
FAMILY = (
    "Lovelace",
    "Hopper",
    "Núñez",
    "Liskov",
    "Thompson",
    "Hamilton",
    "van der Berg",
    "Allen",
    "Ó Briain",
    "李",
    "Shaw",
)


def made_up(number: int, seed: int = 7) -> list[Entry]:
    """Return a class of so many; the same for the same arguments, and with fewer of them the first ones."""
    return list(islice(_entries(random.Random(seed)), number))  # noqa: S311 - no secret


def hostile_class() -> list[Entry]:
    """A class in which everybody, and the lab itself, means harm, wherever there is text."""
    return [
        factory.entry(
            factory.hostile(entry.report, HOSTILE),
            f"{index}/../javascript:x?<b>#",
            origin=Origin(
                path=HOSTILE,
                system="moodle",
                people=(Person(name=HOSTILE, email=HOSTILE, id=HOSTILE),),
                late=True,
                submitted_at=HOSTILE,
            ),
            earlier_score=1.5,
            last_error=HOSTILE if entry.report.score else "",
        )
        for index, entry in enumerate(made_up(12))
    ]


def _entries(chance: random.Random) -> Iterator[Entry]:
    for index in range(1_000_000):
        given, family = chance.choice(GIVEN), chance.choice(FAMILY)
        name = f"{family.lower().replace(' ', '')}{given.lower()}_{1000 + index}"
        report = _report(chance, name)
        if chance.random() * 100 < BROKEN_OFF_OF_100 or index == 1:
            report = factory.not_graded(chance.choice(_REASONS), submission=report.submission)
        if index == HOSTILE_AT:
            report = _hostile(report)
        yield _entry(chance, name, f"{given} {family}", 1000 + index, report)


def _hostile(report: Report) -> Report:
    """What a student can choose, chosen to do harm; programs and inputs are the spec's."""
    submission = report.submission.model_copy(update={"name": f"{report.submission.name}{HOSTILE}"})
    checks = tuple(check.model_copy(update={"message": HOSTILE}) for check in report.checks)
    return report.model_copy(update={"submission": submission, "checks": checks})


_REASONS = (
    "The container engine went away in the middle: connection reset by peer. Is Docker running?",
    "The submission was not finished after 600 s of wall-clock time, the limit of this lab.",
)


def _entry(chance: random.Random, name: str, student: str, number: int, report: Report) -> Entry:
    people = [Person(name=student, email=f"s{number}@students.example", id=str(number))]
    if chance.random() < 0.05:
        people.append(Person(name="Alan Kay", email="alan@students.example", id=str(number + 500_000)))
    changed = report.score is not None and chance.random() * 100 < CHANGED_OF_100
    return Entry(
        name=name,
        origin=Origin(
            path=name,
            system="canvas",
            people=tuple(people),
            late=chance.random() * 100 < LATE_OF_100,
        ),
        report=without_evidence(report),
        earlier_score=max(0.0, (report.score or 0) - chance.choice([-4, 3, 7, 20])) if changed else None,
        last_error="tr2b.c is a link that leads out of the folder" if report.score and chance.random() < 0.01 else "",
    )


def _report(chance: random.Random, name: str) -> Report:
    bugs = [bug for bug in BUGS if chance.random() * 100 < bug[4]]
    failed = {f"{program}.{check}": mutant for mutant, _, program, checks, _ in bugs for check in checks}
    if chance.random() * 100 < UNKNOWN_OF_100:
        failed |= {f"tr2b.{check}": "" for check in chance.sample(sorted(RUBRIC), 4)}
    unbuilt = "tr2u" if chance.random() * 100 < UNBUILT_OF_100 else ""
    checks = [_check(program, check, failed, unbuilt) for program in ("tr2b", "tr2u") for check in RUBRIC]
    unbuffered = "unbuffered-with-setvbuf" in failed.values()
    return factory.report(
        submission=SubmissionId(name=name, digest=f"sha256:{chance.getrandbits(256):064x}"),
        score=float(sum(check.points for check in checks)),
        checks=tuple(checks),
        causes=tuple(_cause(bug) for bug in bugs if bug[2] != unbuilt),
        syscalls=tuple(_tables(chance, unbuilt, unbuffered=unbuffered)),
        timing=tuple(_times(chance, unbuilt, failed, unbuffered=unbuffered)),
    )


def _check(program: str, name: str, failed: dict[str, str], unbuilt: str) -> Check:
    points, title = RUBRIC[name]
    check_id = f"{program}.{name}"
    values: dict[str, Any] = {"title": title, "max_points": float(points), "points": 0.0}
    if program == unbuilt:
        if name == "build":
            return factory.check(check_id, "failed", **values, message="it does not compile")
        return factory.check(check_id, "skipped", **values, message=f"there is no {program} to run")
    if check_id in failed:
        return factory.check(check_id, "failed", **values, cause=failed[check_id] or None)
    return factory.check(check_id, **values | {"points": float(points)})


def _cause(bug: tuple[str, str, str, Sequence[str], int]) -> Cause:
    mutant, title, program, checks, _ = bug
    return factory.cause(mutant, *(f"{program}.{check}" for check in checks), title=title)


def _tables(chance: random.Random, unbuilt: str, *, unbuffered: bool) -> Iterator[SyscallTable]:
    buffer = 1 if unbuffered else chance.choice([4096] * 9 + [1024, 65536])
    for program, size in (("tr2b", buffer), ("tr2u", 1)):
        if program != unbuilt:
            blocks = -(-SIZE // size)
            yield SyscallTable(
                program=program,
                input="pattern-5m",
                sink="file",
                engine="tally",
                totals_only=True,
                complete=True,
                calls={"read": CallCount(calls=blocks + 2, errors=0), "write": CallCount(calls=blocks, errors=0)},
                stdin=StreamCalls(calls=blocks + 1, bytes=SIZE, nbyte_min=None, nbyte_max=None),
                stdout=StreamCalls(calls=blocks, bytes=SIZE, nbyte_min=None, nbyte_max=None),
            )


def _times(chance: random.Random, unbuilt: str, failed: Collection[str], *, unbuffered: bool) -> Iterator[Timing]:
    for program, usual_s in (("tr2b", 5.5 if unbuffered else 0.05), ("tr2u", 5.6)):
        if program != unbuilt:
            real_s = usual_s * chance.lognormvariate(0, 0.15) * (3 if chance.random() < 0.06 else 1)
            correct = f"{program}.pattern-5m" not in failed
            figures = {"real_s": real_s, "user_s": real_s / 3, "sys_s": real_s / 2}
            yield Timing(program=program, input="pattern-5m", **figures, correct=correct)
