"""The calls of a program on its standard streams, run by run, and what the lab's patterns say of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from grader.judge.facts import Facts
from grader.judge.streams import (
    Messages,
    Observation,
    RunCalls,
    from_accounting,
    from_trace,
    judge_stream,
    only_conforming,
    with_bytes_of,
)
from grader.model.evidence import Exited, RunDone
from grader.model.report import Stream, StreamJudgement
from grader.model.spec.cases import PipeSource
from grader.model.spec.lab import Spec
from grader.model.spec.programs import ExactCalls
from grader.model.spec.rubric import CallPatternItem


@dataclass(frozen=True)
class ProgramCalls:
    """What a rubric item needs to know of one program: its runs, their calls, and whether these are right."""

    facts: Facts
    program: str
    item: CallPatternItem

    @property
    def spec(self) -> Spec:
        """The lab's spec."""
        return self.facts.lab.spec

    def run(self, case: str) -> RunDone | None:
        """Return the run of a case that nothing or tally traced."""
        return self.facts.evidence.run(self.program, case)

    def traced(self, case: str) -> RunDone | None:
        """Return the run of a case under strace."""
        return self.facts.evidence.traced(self.program, case)

    def is_exact(self, case: str) -> bool:
        """Return whether the patterns of a case fix the size of each call."""
        return self.spec.calls_of(self.program, case).is_exact

    def is_from_totals(self, case: str) -> bool:
        """Return whether only the kernel's totals show the calls of a case, without a tracer."""
        return all(from_trace(case, run) is None for run in (self.run(case), self.traced(case)))

    @cached_property
    def slice(self) -> RunCalls | None:
        """The calls of the slice, which strace logged one by one; None without a complete log."""
        return from_trace(self.item.slice, self.traced(self.item.slice))

    @cached_property
    def small_cases(self) -> tuple[str, ...]:
        """The short cases of the item that ended and wrote what they should.

        A wrong output has lost its points already, and may be something other than a copy.
        """
        runs = [(case, self.run(case)) for case in self.spec.small_cases(self.item)]
        ended = [(case, run) for case, run in runs if run is not None and isinstance(run.ending, Exited)]
        return tuple(case for case, run in ended if self.facts.lab.expected(run) is None)

    @cached_property
    def runs(self) -> tuple[RunDone, ...]:
        """The runs of the check that strace did not trace."""
        cases = (self.item.slice, *self.item.full, *self.spec.small_cases(self.item))
        return tuple(run for case in cases if (run := self.run(case)) is not None)

    @cached_property
    def full_size(self) -> dict[str, RunCalls | None]:
        """The calls of each full-size run that ended, None for one that could not be counted."""
        runs = {case: self.run(case) for case in self.item.full}
        return {
            case: self.full_size_calls(case)
            for case, run in runs.items()
            if run is not None and isinstance(run.ending, Exited)
        }

    @cached_property
    def worth_judging(self) -> list[RunCalls]:
        """The calls of the full-size runs that read all of their input, or else those of the last run that ended.

        A program that stops early at some byte of one input is judged on the other: it has already lost points for
        that. A program that wrote all of its input but read little did not stop early: it moved the bytes in another
        way.
        """
        counted = [calls for calls in self.full_size.values() if calls is not None]
        whole = [
            calls
            for calls in counted
            if max(calls.stdin.bytes, self._written_bytes(calls.case)) >= self._input_bytes(calls.case)
        ]
        return whole or counted[-1:]

    def full_size_calls(self, case: str) -> RunCalls | None:
        """Return the calls of a full-size run as strace or tally saw them, or else from the kernel's totals."""
        run = self.run(case)
        seen = from_trace(case, self.traced(case)) or from_trace(case, run)
        if seen is not None or run is None:
            return seen
        calls = self._from_totals(case, run)
        return calls if calls is None else self._of_long_run(run, calls)

    def _of_long_run(self, run: RunDone, calls: RunCalls) -> RunCalls:
        """Return the calls with what a run of full size is known to have moved.

        The nbyte of exact patterns is known too if no other calls were noticed.
        """
        case = self.spec.cases[calls.case]
        patterns = self.spec.calls_of(self.program, calls.case)
        stdin, stdout = patterns.stdin, patterns.stdout
        moved_bytes: dict[Stream, int] = {
            "stdin": self._input_bytes(calls.case), "stdout": run.written_bytes(case.streams.output)
        }  # fmt: skip
        if not isinstance(stdin, ExactCalls) or not isinstance(stdout, ExactCalls):
            return with_bytes_of(calls, moved_bytes)
        if run.strays != () or run.opened_again or case.judges_files:
            return calls
        return only_conforming(calls, moved_bytes, {"stdin": stdin.nbyte, "stdout": stdout.nbyte})

    def _from_totals(self, case: str, run: RunDone, messages: Messages = "few writes") -> RunCalls | None:
        """Return the calls of a run as the kernel's totals show them."""
        declared = self.spec.cases[case]
        if declared.files:
            # Some of its writes are to other files.
            run = run.model_copy(update={"message_writes": None})
        reference = self.facts.lab.reference.evidence.traced(self.program, self.item.slice)
        return from_accounting(
            case,
            run,
            self.traced(self.item.slice),
            messages,
            output_file=declared.streams.output,
            usual=None if reference is None else reference.trace,
        )

    def is_uncounted(self, case: str, run: RunDone) -> bool:
        """Return whether a short run's totals are known, and so is the slice, but they do not fit together."""
        if run.accounting is None or self.slice is None or self.is_exact(case):
            return False
        return self._small_calls(case, run) is None

    @property
    def is_unwatched(self) -> bool:
        """Whether nobody could see if a run with exact patterns opened its input again, where no call is counted."""
        cases = [case for case in (*self.item.full, *self.small_cases) if self.is_exact(case)]
        runs = [self.run(case) for case in cases if not self.spec.cases[case].judges_files]
        untraced = [run if run.again is None else run.again for run in runs if run is not None]
        # Of a run that made other calls, these are named and judged.
        return any(run.engine == "account" and run.strays == () and run.opened_again is None for run in untraced)

    def judged(self) -> list[StreamJudgement]:
        """Judge the streams of the slice, and of the full-size runs; if all are right, a short run that is not.

        A pattern of exact nbyte is judged in the slice and at full size, because the kernel's totals do not show
        nbyte. A batched pattern is judged at full size. If no full-size run ended, the slice decides: other checks
        fail for that. Other sizes are only worth showing if they alone are wrong, and one of them is enough.
        """
        judged: list[StreamJudgement] = []
        if self.slice is not None and (not self.worth_judging or self.is_exact(self.item.slice)):
            judged += self._judge_run(self.slice, whole=False)
        judged += [stream for calls in self.worth_judging for stream in self._judge_run(calls, whole=True)]
        return [*(self._first_wrong_small_run() if not wrong(judged) else ()), *judged]

    def _first_wrong_small_run(self) -> list[StreamJudgement]:
        runs = (wrong(self._judge_small(case)) for case in self.small_cases)
        return next(filter(None, runs), [])

    def wrong_in_short_run(self, case: str) -> list[StreamJudgement]:
        """Return the wrong streams of the slice, or of another short run."""
        if case == self.item.slice and self.slice is not None:
            return wrong(self._judge_run(self.slice, whole=False))
        return wrong(self._judge_small(case))

    def _judge_small(self, case: str) -> list[StreamJudgement]:
        """Judge a short run if it was counted. Nothing is claimed that its counts do not show.

        A batched stream may be flushed at each newline and after each read, and a pipe gives no more than its chunk.
        """
        run = self.run(case)
        # A program that writes nothing (it refuses its operands, or stops at the first byte) has no calls to judge.
        if run is None or not run.written_bytes(self.spec.cases[case].streams.output):
            return []
        calls = self._small_calls(case, run)
        return [] if calls is None else self._judge_run(calls, whole=False, is_small=True)

    def _small_calls(self, case: str, run: RunDone) -> RunCalls | None:
        """Return the calls of a short run; if messages were not counted, their writes do not count against it."""
        is_exact = isinstance(self.spec.calls_of(self.program, case).stdout, ExactCalls)
        return from_trace(case, run) or self._from_totals(case, run, "few writes" if is_exact else "many writes")

    def _judge_run(self, calls: RunCalls, *, whole: bool, is_small: bool = False) -> list[StreamJudgement]:
        """Judge both streams. A `whole` run must have read all of its input, any other at least as much as it wrote.

        So a program that stops early at some byte of a short input does not fail here for that. A program does fail
        if it copies nothing, or copies without these calls.
        """
        patterns, case = self.spec.calls_of(self.program, calls.case), self.spec.cases[calls.case]
        files, input_bytes, written = case.streams, self._input_bytes(calls.case), self._moved_bytes(calls)
        stdin = Observation(
            case.judged_input, case.sink, "stdin", calls.engine, calls.stdin,
            input_bytes if whole else min(input_bytes, written), input_bytes,
            file=files.input, mappings=calls.input_mappings, names=calls.stdin_names, failed=calls.stdin_failed,
        )  # fmt: skip
        stdout = Observation(
            case.judged_input, case.sink, "stdout", calls.engine, calls.stdout,
            written, self._expected_bytes(calls.case, written),
            file=files.output, names=calls.stdout_names, failed=calls.stdout_failed,
        )  # fmt: skip
        spare_reads, spare_writes = self._spare_calls(calls.case) if is_small else (0, 0)
        by_case = not self.spec.is_told_by_input(calls.case)
        return [
            judge_stream(
                pattern,
                replace(
                    seen, spare_calls=spare, case=calls.case, by_case=by_case, is_lower_bound=calls.is_lower_bound
                ),
            )
            for pattern, seen, spare in (
                (patterns.stdin, stdin, spare_reads),
                (patterns.stdout, stdout, spare_writes),
            )
        ]

    def _input_bytes(self, case: str) -> int:
        return len(self.facts.lab.inputs[self.spec.cases[case].judged_input])

    def _expected_bytes(self, case: str, written: int) -> int:
        """Return how much a run should have written: what the reference writes if its output is expected."""
        declared = self.spec.cases[case]
        reference = self.facts.lab.reference.run(self.program, case)
        if reference is None or not (declared.streams.output is not None or declared.copies_reference):
            return written
        return reference.written_bytes(declared.streams.output)

    def _spare_calls(self, case: str) -> tuple[int, int]:
        """Return how many more reads and writes a short run may make.

        A pipe gives a chunk at a time, and after each chunk, and each newline of its input and its output, a program
        may flush.
        """
        declared, run = self.spec.cases[case], self.run(case)
        chunk = declared.source.chunk_bytes if isinstance(declared.source, PipeSource) else None
        reads = -(-self._input_bytes(case) // chunk) if chunk else 0
        newlines = self.facts.lab.inputs[declared.judged_input].count(b"\n")
        if run is not None:
            newlines += run.stdout.size_bytes if run.stdout.data is None else run.stdout.data.count(b"\n")
        return reads, reads + newlines

    def _moved_bytes(self, calls: RunCalls) -> int:
        """Return how much the counted calls must have written.

        If the output may vary, and the calls of each run were counted, it is what arrived in that very run.
        """
        untraced = self.run(calls.case)
        if untraced is None or untraced.accounting is None or not self.facts.may_vary(untraced, self.runs):
            return self._written_bytes(calls.case)
        return self.facts.evidence.runs[calls.step].written_bytes(self.spec.cases[calls.case].streams.output)

    def _written_bytes(self, case: str) -> int:
        """Return how much arrived at the sink, through any call."""
        output_file = self.spec.cases[case].streams.output
        runs = (self.run(case), self.traced(case))
        return max((run.written_bytes(output_file) for run in runs if run is not None), default=0)


def wrong(judged: list[StreamJudgement]) -> list[StreamJudgement]:
    """Return the streams whose calls are not as they should be."""
    return [stream for stream in judged if not stream.passed]
