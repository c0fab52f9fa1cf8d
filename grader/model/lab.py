"""The lab that submissions are judged by: the spec, its inputs, and the results of the reference."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from grader.model.evidence import Captured, RunDone, file_id, program_and_case
from grader.model.fresh import FreshRun
from grader.model.reference import Reference
from grader.model.spec.lab import Spec
from grader.model.submission import Submission


def is_translation(given: bytes, written: bytes) -> bool:
    """Return whether an output is its input with each byte exchanged for the same one wherever it is."""
    if len(given) != len(written):
        return False
    table = bytearray(256)
    for byte in {*given}:
        table[byte] = written[given.index(byte)]
    return given.translate(table) == written


@dataclass(frozen=True)
class WrongFile:
    """A file that a run left, and that should have the reference's content."""

    step: str
    name: str
    expected: Captured
    found: Captured

    @property
    def id(self) -> str:
        """The id by which its bytes are fetched, and its difference is found."""
        return file_id(self.step, self.name)


@dataclass(frozen=True)
class Lab:
    """What all submissions of a run are compared with; `provided` are the lab's files for builds, by name.

    `fresh_runs` returns runs that no case has, by program. It raises a GraderError if they cannot be measured.
    """

    spec: Spec
    inputs: Mapping[str, bytes]
    reference: Reference
    provided: Mapping[str, bytes] = field(default_factory=dict)
    fresh_runs: Callable[[], Mapping[str, Sequence[FreshRun]]] = field(default=dict, compare=False)

    def for_submission(self, submission: Submission) -> Lab:
        """Return the lab with the inputs that this submission gets: some have a size of its own."""
        spec = self.spec.drawn_for(submission.digest())
        own = {
            name: self.inputs[name][: declaration.size_bytes] for name, declaration in spec.own_size_inputs.items()
        }
        return replace(self, spec=spec, inputs={**self.inputs, **own}) if own else self

    @cached_property
    def translates(self) -> bool:
        """Whether programs translate their input, as far as the outputs of the reference in short cases show.

        Otherwise they compute a text, perhaps from their operands alone.
        """
        return all(
            is_translation(self.inputs[case.input], self.reference.output(run))
            for name, case in self.spec.cases.items()
            if case.wants_output and case.limits == "small"
            for run in (self.reference.run(program, name) for program in self.spec.programs)
            if run is not None and run.stdout.size_bytes
        )

    def input_bytes(self, case: str) -> int:
        """Return the size of the largest input of a case: its standard input, or a file."""
        declared = self.spec.cases[case]
        names = (declared.input, *(file.content for file in declared.files.values()))
        return max(len(self.inputs[name]) for name in names if name is not None)

    def expected(self, run: RunDone) -> RunDone | None:
        """Return the reference's run if this one's output should equal its output and does not, else None."""
        program, name = program_and_case(run.step)
        expected = self.reference.run(program, name)
        if not self.spec.cases[name].copies_reference or expected is None:
            return None
        return None if run.stdout.sha256 == expected.stdout.sha256 else expected

    def wrong_files(self, run: RunDone) -> Iterator[WrongFile]:
        """Yield each file that a run left, and that should be the same as the reference's and is not."""
        program, name = program_and_case(run.step)
        reference = self.reference.run(program, name)
        if reference is None:
            return
        for file in self.spec.cases[name].expected_files:
            expected, found = (one.files[file].content if file in one.files else None for one in (reference, run))
            if expected is not None and found is not None and expected.sha256 != found.sha256:
                yield WrongFile(run.step, file, expected, found)
