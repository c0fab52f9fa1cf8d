"""Run the reference on inputs that no case has, once for a lab."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping, Sequence

import grader
from grader.cache.entries import Cache, files_digest, load_cached, store_cached
from grader.explain.fresh_inputs import fresh_names, fresh_steps
from grader.explain.second_run import FILLED, what_it_did
from grader.explain.trials import fresh_run, with_options
from grader.grading.plan_builder import build_plan
from grader.grading.reference_run import missing_reference, reference_programs
from grader.lab.find import LabFiles
from grader.lab.source_files import source_files
from grader.messages import Notify
from grader.model.evidence import Evidence, Exited, RunDone
from grader.model.fresh import FreshRun
from grader.model.lab import Lab
from grader.model.plan import BuildStep, Plan, RunStep
from grader.sandbox.base import Job, Sandbox
from grader.sandbox.collector import collect

MOST_RUNS = 48
"""Runs of a repaired copy on fresh inputs. Each takes 4 ms of CPU time, compiling it 60 ms."""

REFERENCE_WALL_S = 60.0
FORMAT = 1
"""Version of the kept results; increase it when the same inputs are run in another way."""

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
            name: variant.data for some in found.values() for step, variant in some for name in fresh_names(step)
        }
        plan = whole.model_copy(
            update={
                "builds": tuple(built for build in single for built in (with_options(build, ()), _filled(build))),
                "runs": tuple(
                    run for step in steps for run in (fresh_run(step, step.program), fresh_run(step, _twin(step)))
                ),
                "program_wall_s": REFERENCE_WALL_S,
            }
        )
        evidence = self._evidence(plan, source_files(lab.spec, programs, lab.provided), inputs) if steps else None
        # A lab without refusals does not say what wrong input is.
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


def _twin(step: RunStep | BuildStep) -> str:
    return f"{step.program}_filled"


def _filled(build: BuildStep) -> BuildStep:
    return with_options(build, FILLED).model_copy(update={"program": _twin(build)})


def _steady(evidence: Evidence, step: RunStep) -> RunDone | None:
    """Return the run of the reference if it ended by itself, and wrote the same with other bytes in its memory."""
    done = evidence.runs.get(step.id)
    if done is None or not isinstance(done.ending, Exited):
        return None
    again = evidence.runs.get(step.id.replace(step.program, _twin(step), 1))
    return done if again is None or what_it_did(done) == what_it_did(again) else None
