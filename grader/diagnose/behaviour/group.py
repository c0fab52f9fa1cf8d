"""The failures of one program with one symptom, and the words that say where it shows."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

from grader.diagnose.behaviour.calls import CallFact
from grader.diagnose.behaviour.failures import Failure
from grader.diagnose.behaviour.operand_names import UNNAMED
from grader.diagnose.behaviour.outputs import HIGH, CopyRun, Kind
from grader.diagnose.behaviour.words import quoted
from grader.model.counted import in_cases
from grader.model.evidence import Exited, RunDone
from grader.model.report import CaseResult
from grader.model.spec.rubric import Visibility
from grader.model.stopped import Stop

SMALL_READ = 512
"""A read for more bytes is stdio's, which is right."""

OPERAND_BYTES = 24
"""Most bytes of an operand that a sentence quotes."""

NAMED_CASES = 2
"""Most cases that a sentence names."""

PASTED_CHARS = 400
"""Longest line that is chosen if there is a shorter one: the terminal shows 600 characters of a command."""


class Key(NamedTuple):
    """What failures of one symptom have in common. What students must not see has a symptom of its own."""

    program: str
    visibility: Visibility
    kind: Kind

    def is_seen_with(self, other: Key) -> bool:
        """Return whether it is of the same program, and as visible."""
        return (self.program, self.visibility) == (other.program, other.visibility)


Groups = dict[Key, list[Failure]]


def order_as_example(case: CaseResult, place: int, *, is_unclear: bool = False) -> tuple[bool, bool, int, int]:
    """Order failed cases, each with the place of its check: a report shows the command of the first one.

    The first checks of a lab have the simplest inputs. A line that is too long is cut, and cannot be pasted.
    """
    return len(case.repeat) > PASTED_CHARS, is_unclear, place, case.input_size_bytes


def unclear_ends(cases: Sequence[CaseResult]) -> frozenset[str]:
    """Return the cases without input if what comes after copies differs: then it has to do with the input."""
    after = {
        case.case: difference.actual.data[difference.offset - difference.actual.offset :]
        for case in cases
        for difference in [case.difference]
        if difference is not None and difference.offset >= difference.expected_size_bytes
    }
    empty = {case.case for case in cases if not case.input_size_bytes}
    return frozenset(empty & after.keys()) if len({*after.values()}) > 1 else frozenset()


def shown_first(failures: Sequence[Failure]) -> Sequence[Failure]:
    """Return failures, which have the order of their checks, with the one first of which the command is shown."""
    places = {failure.check.id: place for place, failure in enumerate(failures)}
    shown = {
        number: case
        for number, failure in enumerate(failures)
        for case in failure.check.results
        if case.case == failure.case and case.repeat
    }
    unclear = unclear_ends([*shown.values()])
    orders = {
        number: order_as_example(case, places[failures[number].check.id], is_unclear=case.case in unclear)
        for number, case in shown.items()
    }
    first = min(orders, key=orders.__getitem__, default=0)
    return [failures[first], *failures[:first], *failures[first + 1 :]]


@dataclass(frozen=True)
class Group:
    """The failures of one program with one symptom, and what else is known of the program.

    `copying` are all short cases whose output was to be right, and `others` the kinds of its other symptoms. `facts`
    are what strace's log shows about this one. `read_bytes` and `write_bytes` are what its largest calls ask for.
    `only_pipes`: each of the failures had its input from a pipe. `to_refuse` are its cases whose operands are wrong,
    and `refuses`: it refuses other operands as it should. `differs` is a case of which two runs wrote different
    outputs, perhaps in size. `other_text` is what the program's wrong copies begin with, and `operand_names` what the
    spec calls both operands. `called` are the functions that its source calls, nothing if they are not known. `stops`
    are after what limits stopped its runs, those first that have a key. `translates`: the lab's programs copy their
    input, and `needed_operands` is the least number of operands with which this one should write its output.
    """

    program: str
    kind: Kind
    failures: Sequence[Failure]
    copying: AbstractSet[str] = frozenset()
    others: Sequence[Kind] = ()
    facts: Sequence[CallFact] = ()
    read_bytes: int | None = None
    write_bytes: int | None = None
    only_pipes: bool = False
    to_refuse: Sequence[str] = ()
    refuses: bool = False
    differs: str = ""
    differs_in_size: bool = False
    other_text: bytes = b""
    operand_names: tuple[str, str] = UNNAMED
    called: AbstractSet[str] = frozenset()
    stops: Sequence[Stop] = ()
    translates: bool = True
    needed_operands: int = 2

    @property
    def first(self) -> Failure:
        """The first failure, whose command a report shows if it has one."""
        return self.failures[0]

    def where(self) -> str:
        """Say where the symptom shows: `in every case that copies a short input`, `in 2 cases (swap, cycle)`."""
        copies = [failure for failure in self.failures if failure.copy]
        if self.copying and self.copying <= {failure.case for failure in copies}:
            return "in every case that copies a short input"
        # At full size, outputs are not available in full, so less is known about those runs.
        ran = [failure for failure in self.failures if failure.run] or self.failures
        return in_cases(NAMED_CASES, dict.fromkeys(failure.case for failure in copies or ran if failure.case))

    def operands(self, failure: Failure | None = None) -> str:
        """Name the operands of a case, the first one if none is given: `with the operands “ab” “cd”`."""
        operands = (failure or self.first).operands
        if not operands:
            return "without operands"
        noun = "operand" if len(operands) == 1 else "operands"
        return f"with the {noun} {' '.join(quoted(operand, OPERAND_BYTES) for operand in operands)}"

    def stopped_after(self) -> str:
        """Say after what a run was stopped, with the limit: `after 1 s of computing (limits.small.cpu_s)`."""
        if not self.stops:
            return "early"
        # After the first such runs, others are stopped sooner.
        return f"after {self.stops[0].words}{' or less' if len({*self.stops}) > 1 else ''}"

    def more(self) -> str:
        """Return advice for a program that may only need more than a limit; "" if a right program needs far less."""
        key = self.stops[0].key if self.stops else ""
        return f" If it needs more, ask your instructor for a higher {key}." if key and not self.copies() else ""

    def status(self) -> str:
        """Name the exit status if all runs have the same, else `different exit statuses`."""
        codes = {run.ending.code for run in self.runs() if isinstance(run.ending, Exited)}
        return f"exit status {next(iter(codes))}" if len(codes) == 1 else "different exit statuses"

    def runs(self) -> list[RunDone]:
        """The runs that were made."""
        return [failure.run for failure in self.failures if failure.run is not None]

    def copies(self) -> list[CopyRun]:
        """The outputs that are available in full."""
        return [failure.copy for failure in self.failures if failure.copy is not None]

    @property
    def output(self) -> str:
        """What a right program writes, in a word."""
        return "copy" if self.translates else "output"

    @property
    def wrote_all(self) -> str:
        """What a program did that wrote a whole output, as a predicate."""
        return "copied everything" if self.translates else "wrote its whole output"

    def message(self) -> str:
        """Quote what the first run wrote to standard error."""
        return quoted((self.runs()[0].stderr.data or b"").strip())

    def only_high_operands(self) -> bool:
        """Return whether each of these runs has an operand with a byte from 0x80 on."""
        return all(any(byte >= HIGH for byte in b"".join(failure.operands)) for failure in self.failures)

    def only_long_operands(self) -> bool:
        """Return whether each of these runs has an operand with more bytes than a signed char can count."""
        return all(any(len(operand) >= HIGH for operand in failure.operands) for failure in self.failures)

    def example(self) -> Failure | None:
        """Return the first failure or, if its outputs do not differ, the smallest one with both; None without any."""
        if self.first.copy is not None and self.first.copy.actual != self.first.copy.expected:
            return self.first
        return min(
            (failure for failure in self.failures if failure.copy is not None),
            key=lambda failure: (
                len(failure.copy.input_data if failure.copy else b"") + sum(map(len, failure.operands))
            ),
            default=None,
        )
