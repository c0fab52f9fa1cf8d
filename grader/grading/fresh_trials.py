"""Try what repairs all cases on inputs that no case has: only what is right there too is called proven."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import grader
from grader.cache.entries import Cache, files_digest, load_cached, store_cached
from grader.diagnose.edits import TYPE
from grader.diagnose.findings import cannot_start
from grader.diagnose.recorded_conditions import values_seen, with_recorder, without_marks
from grader.grading.change_effects import visible_results
from grader.grading.change_trials import STOP_S, Choice, ToRepair
from grader.grading.collector import collect
from grader.grading.fix_trials import Tried
from grader.grading.fixed_copies import RUN_LIMITS, FixedCopies, is_right
from grader.grading.fresh_inputs import fresh_steps
from grader.grading.plan_builder import build_plan, source_files
from grader.grading.reference_run import missing_reference, reference_programs
from grader.grading.second_run import run_of_copy
from grader.lab.find import LabFiles
from grader.messages import Notify
from grader.model.evidence import Evidence, Exited, RunDone, run_id
from grader.model.fresh import FreshRun
from grader.model.lab import Lab
from grader.model.plan import BuildStep, EarlyStop, Plan, RunStep
from grader.sandbox.base import Job, Sandbox

MOST_RUNS = 48
"""Runs of a repaired copy on fresh inputs. Each takes 4 ms of CPU time, compiling it 60 ms."""

MOST_CHECKED = 3
"""Repaired cases that are run without optimisation, and with sanitizers."""

WALL_S = 12.0
REFERENCE_WALL_S = 60.0
FORMAT = 1
"""Version of the kept results; increase it when the same inputs are run in another way."""

_FILLED = ("-O0", "-ftrivial-auto-var-init=pattern")
_CHECKED = {
    "plain": _FILLED,
    "sanitized": (
        *("-O0", "-w", "-fno-omit-frame-pointer", "-fno-pie", "-no-pie"),
        *("-fsanitize=address,undefined", "-fno-sanitize=shift-base"),
    ),
}
_REPORTS = (b"AddressSanitizer", b": runtime error: ")
_KEPT = "evidence.json"


class LazyFreshRuns:
    """The fresh runs of a lab: the reference is run on them when a repair is first tried, and the result is kept.

    The reference runs alone in its guest, so no program of a student can read its source.
    """

    def __init__(self, lab: Lab, files: LabFiles, sandbox: Sandbox, cache: Cache | None, notify: Notify) -> None:
        self._lab, self._files, self._sandbox, self._cache, self._notify = lab, files, sandbox, cache, notify
        self._lock = threading.Lock()
        self._runs: Mapping[str, Sequence[FreshRun]] | None = None

    def get(self) -> Mapping[str, Sequence[FreshRun]]:
        """Return the runs by program, without those in which the reference crashes or depends on chance.

        A lab whose outputs are known, but whose reference is not there, has none.

        Raises:
            GraderError: the reference cannot be run.
        """
        with self._lock:
            if self._runs is None:
                is_there = not missing_reference(self._lab.spec, self._files)
                self._runs = self._measured() if is_there else {}
            return self._runs

    def _measured(self) -> Mapping[str, Sequence[FreshRun]]:
        lab = self._lab
        programs = reference_programs(lab.spec, self._files)
        whole = build_plan(lab.spec, programs)
        single = [build for build in whole.builds if lab.spec.is_single_c(build.program)]
        found = {build.program: fresh_steps(lab, whole, build.program) for build in single}
        steps = [step for some in found.values() for step, _ in some]
        inputs = {
            name: variant.data for some in found.values() for step, variant in some for name in _fresh_names(step)
        }
        plan = whole.model_copy(
            update={
                "builds": tuple(built for build in single for built in (_bare(build), _filled(build))),
                "runs": tuple(
                    run for step in steps for run in (_quick(step, step.program), _quick(step, _twin(step)))
                ),
                "program_wall_s": REFERENCE_WALL_S,
            }
        )
        evidence = self._evidence(plan, source_files(lab.spec, programs, lab.makefile), inputs) if steps else None
        # In a lab without refusals, nobody says what wrong input is.
        may_refuse = any(case.is_refusal for case in lab.spec.cases.values())
        return {
            program: tuple(
                FreshRun(step, variant.data, variant.is_in_shape, done)
                for step, variant in some
                if evidence is not None
                and (done := _steady(evidence, step)) is not None
                and (may_refuse or done.ending == Exited(kind="exited", code=0))
            )[:MOST_RUNS]
            for program, some in found.items()
        }

    def _evidence(self, plan: Plan, sources: Mapping[str, bytes], inputs: Mapping[str, bytes]) -> Evidence:
        digest = hashlib.sha256(plan.model_dump_json().encode())
        digest.update(f"{files_digest(sources)} {files_digest(inputs)} {self._sandbox.runner}".encode())
        key = f"fresh runs {FORMAT} {grader.__version__} {digest.hexdigest()}"
        kept = load_cached(self._cache, key, "the kept fresh runs", _read, self._notify)
        if kept is not None:
            return kept
        with self._sandbox.open(Job(plan, sources, {**self._lab.inputs, **inputs})) as session:
            evidence = collect(session.events())
        store_cached(
            self._cache, key, "the fresh runs", {_KEPT: evidence.model_dump_json().encode("utf-8")}, self._notify
        )
        return evidence


def _read(files: Mapping[str, bytes]) -> Evidence:
    return Evidence.model_validate_json(files[_KEPT])


def _twin(step: RunStep) -> str:
    return f"{step.program}_filled"


def _bare(build: BuildStep) -> BuildStep:
    return build.model_copy(update={"compile_object": (), "compile_program_object": (), "marked": None})


def _filled(build: BuildStep) -> BuildStep:
    return _with_options(_bare(build), _FILLED).model_copy(update={"program": f"{build.program}_filled"})


def _with_options(build: BuildStep, options: Iterable[str]) -> BuildStep:
    return build.model_copy(update={"compile": (*build.compile[:-1], *options, build.compile[-1])})


def _fresh_names(step: RunStep) -> Iterator[str]:
    """Yield the name of the input of a fresh run that is not one of the lab's."""
    name = step.id.partition(".")[2]
    yield from (name for used in (step.input, *(file.content for file in step.files)) if used == name)


def _quick(step: RunStep, copy: str) -> RunStep:
    """Return a run of a copy that is stopped early; honest ones take a millisecond."""
    limits = step.limits.model_copy(update={"cpu_s": RUN_LIMITS.cpu_s, "wall_s": RUN_LIMITS.wall_s})
    early = EarlyStop(first_s=5 * STOP_S, again_s=STOP_S)
    update = {"engine": "plain", "hang_group": None, "early_stop": early, "only_if": None, "repeat_untraced": False}
    return run_of_copy(step, copy, limits).model_copy(update=update)


def _steady(evidence: Evidence, step: RunStep) -> RunDone | None:
    """Return the run of the reference if it ended by itself, and wrote the same with other bytes in its memory."""
    done = evidence.runs.get(step.id)
    if done is None or not isinstance(done.ending, Exited):
        return None
    again = evidence.runs.get(step.id.replace(step.program, _twin(step), 1))
    return done if again is None or _what(done) == _what(again) else None


def _what(run: RunDone) -> tuple[object, ...]:
    files = tuple((name, left.kind, left.content and left.content.sha256) for name, left in run.files.items())
    return run.ending, run.stdout.sha256, without_marks(run.stderr.data or b""), files


@dataclass(frozen=True)
class FreshTrials:
    """Tries repaired copies of one submission."""

    lab: Lab
    copies: FixedCopies

    def confirm(self, failing: ToRepair, tried: Tried, choice: Choice) -> bool:
        """Return whether a repair is also right where no case looks.

        A fresh run on which the program was right must stay right. In the shape of the cases, what was wrong must
        become right or stay as it was, unless another check of its kind still fails. No changed condition may have
        the same value in all runs, and a change of a type must not only move variables in memory.

        Raises:
            GraderError: the copies cannot be run.
        """
        runs = self.lab.fresh_runs().get(failing.program, ())
        if not runs:
            return True
        if not self.copies.may_run():
            return False
        name = self.copies.name_of(tried.fix)
        edits = [edit for places in tried.fix.places.values() for place in places for edit in place.edits]
        recorded = with_recorder(failing.source, edits)
        data = {name: tried.fix.source} if recorded is None else {f"{name}_seen": recorded}
        seen = self._run(failing, data, runs)
        if recorded is not None and not seen:
            recorded, data = None, {name: tried.fix.source}
            seen = self._run(failing, data, runs)
        wrong = [run for run in runs if run.step.id in seen and not self._agrees(run, seen[run.step.id])]
        if wrong and not self._may_differ(failing, tried, wrong, seen):
            return False
        if recorded is not None and self._is_constant(failing, data, seen):
            return False
        is_moved = failing.is_unsound or any(change.rank == TYPE for change in choice)
        return not is_moved or self._is_right_in_other_memory(failing, tried, name)

    def _run(self, failing: ToRepair, data: Mapping[str, bytes], runs: Sequence[FreshRun]) -> dict[str, RunDone]:
        (copy,) = data
        steps = [_quick(run.step, copy) for run in runs]
        inputs = {name: run.data for run in runs for name in _fresh_names(run.step)}
        evidence = self.copies.collected(failing.runs, failing.program, data, steps, WALL_S, inputs=inputs)
        found = zip(runs, steps, strict=True)
        return {run.step.id: evidence.runs[step.id] for run, step in found if step.id in evidence.runs}

    def _agrees(self, fresh: FreshRun, done: RunDone) -> bool:
        """Return whether a run did what the reference did, as far as the case that it is based on looks at it."""
        expected, case = fresh.expected, self.lab.spec.cases[fresh.step.case]
        if not isinstance(done.ending, Exited):
            return False
        if _refuses(expected):
            return _refuses(done) and bool(without_marks(done.stderr.data or b"")) >= bool(expected.stderr.size_bytes)
        if case.stated is not None and done.ending != expected.ending:
            return False
        # What a case refuses, and a fresh run does not, is written like the output of other cases.
        writes = case.is_refusal and any(other.wants_output for other in self.lab.spec.cases.values())
        is_text = case.copies_reference or writes
        return (not is_text or done.stdout.sha256 == expected.stdout.sha256) and _what(done)[3] == _what(expected)[3]

    def _may_differ(
        self, failing: ToRepair, tried: Tried, wrong: Sequence[FreshRun], seen: Mapping[str, RunDone]
    ) -> bool:
        """Return whether the program was wrong in these runs before, too, and nothing is known against the change."""
        before = self._run(failing, {f"{failing.program}_original": failing.source}, wrong)
        left = {
            self.lab.spec.cases[result.case].is_refusal
            for check in failing.report.checks
            if check.id in tried.run and check.id not in tried.passed
            for result in visible_results(check)
            if not result.passed
        }
        for run in wrong:
            done = before.get(run.step.id)
            if done is None:
                continue
            is_same = _what(done) == _what(seen[run.step.id])
            if self._agrees(run, done):
                return False
            if run.is_in_shape and not is_same and _refuses(run.expected) not in left:
                return False
        return True

    def _is_constant(self, failing: ToRepair, data: Mapping[str, bytes], seen: Mapping[str, RunDone]) -> bool:
        """Return whether a changed condition has one value in all fresh runs and in all small cases."""
        values = {value for run in seen.values() for value in values_seen(run.stderr.data or b"")}
        if not _constants(values):
            return False
        (copy,) = data
        small = [step for step in failing.runs.runs if step.program == failing.program and self.copies.is_small(step)]
        steps = [_quick(step, copy) for step in small if step.id == run_id(failing.program, step.case)]
        evidence = self.copies.collected(failing.runs, failing.program, data, steps, WALL_S)
        for run in evidence.runs.values():
            values |= values_seen(run.stderr.data or b"")
        return _constants(values)

    def _is_right_in_other_memory(self, failing: ToRepair, tried: Tried, name: str) -> bool:
        """Return whether what was repaired is also right without optimisation, and sanitizers report nothing."""
        cases = [
            result.case
            for check in failing.report.checks
            if check.id in tried.passed
            for result in visible_results(check)
            if not result.passed
        ]
        ids = {run_id(failing.program, case) for case in cases}
        steps = [step for step in failing.runs.runs if step.id in ids and self.copies.is_small(step)][:MOST_CHECKED]
        for kind, options in _CHECKED.items():
            copy = f"{name}_{kind}"
            builds = tuple(_with_options(build, options) for build in failing.runs.builds)
            plan = failing.runs.model_copy(update={"builds": builds})
            runs = [_quick(step, copy) for step in steps]
            if kind == "sanitized":
                checked = {"checker": "addresses", "engine": "filter", "limits_only": True, "early_stop": None}
                checked |= {"read_nbyte": None, "write_nbyte": None}
                runs = [run.model_copy(update=checked) for run in runs]
            evidence = self.copies.collected(plan, failing.program, {copy: tried.fix.source}, runs, WALL_S)
            for step, run in zip(steps, runs, strict=True):
                done = evidence.runs.get(run.id)
                written = b"" if done is None else done.stderr.data or b""
                if done is None or cannot_start(written.decode("utf-8", "replace")):
                    continue
                if any(words in written for words in _REPORTS):
                    return False
                own = Evidence(
                    toolchain=None,
                    builds={},
                    runs={step.id: done.model_copy(update={"step": step.id})},
                    left_out={},
                )
                if not is_right(self.lab, self.copies.facts(own), step.program, step.case):
                    return False
        return True


def _refuses(run: RunDone) -> bool:
    return isinstance(run.ending, Exited) and run.ending.code != 0 and not run.stdout.size_bytes


def _constants(values: Iterable[tuple[int, bool]]) -> bool:
    """Return whether a condition was seen with one value only."""
    found = {*values}
    return any((place, not value) not in found for place, value in found)
