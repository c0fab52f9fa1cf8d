"""Run the lab's reference once, in the same kind of sandbox as submissions, and cache the results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from math import inf
from pathlib import Path

import grader
from grader.cache.entries import Cache, load_cached, store_cached
from grader.diagnose.behaviour.restrictions import in_short
from grader.errors import GraderError, UsageError
from grader.explain.memory_check import mistakes_of_lab
from grader.explain.restriction_search import restrictions_of_lab
from grader.grading.plan_builder import build_plan
from grader.judge.build_limits import unfinished
from grader.judge.cases import operand_error_problem
from grader.judge.endings import abnormal
from grader.judge.stated import Compared, mismatches
from grader.lab.find import LabFiles
from grader.lab.fixtures import read_provided
from grader.lab.source_files import source_files
from grader.messages import Notify
from grader.model.evidence import (
    Captured,
    Evidence,
    Exited,
    LimitReached,
    RunDone,
    file_id,
    program_and_case,
    run_id,
    succeeded,
)
from grader.model.plan import Plan, RunStep
from grader.model.reference import Reference
from grader.model.report import Restriction
from grader.model.spec.cases import Case, fixture_input
from grader.model.spec.lab import Spec
from grader.model.spec.programs import RunLimits
from grader.model.spec.rubric import CasesItem
from grader.model.submission import NotebookFile, Source, Submission
from grader.sandbox.base import Job, Sandbox, Session
from grader.sandbox.collector import collect

EVIDENCE_FILE = "evidence.json"
_NOT_RUN = "it was not run"


class ReferenceBuildError(GraderError):
    """The reference of a program cannot be built; `messages` are the compiler's.

    `stopped` says that the compiler was stopped, and by what; it is empty if the source has errors.
    """

    def __init__(self, program: str, messages: str, stopped: str = "") -> None:
        self.program, self.messages, self.stopped = program, messages, stopped
        what = f"was not compiled here: {stopped}" if stopped else "does not compile here"
        super().__init__(
            f"the reference's {program} {what}{':' if messages and not stopped else ''}\n{messages}".rstrip()
        )


class ReferenceCaseError(UsageError):
    """The reference fails cases of the spec; `mistakes` says how, by case. The message has the first of them."""

    def __init__(self, mistakes: Mapping[str, str]) -> None:
        self.mistakes = mistakes
        super().__init__(next(iter(mistakes.values())))


def obtain_reference(  # noqa: PLR0913, PLR0917 - what the results depend on, and where they are kept
    spec: Spec,
    files: LabFiles,
    sandbox: Sandbox,
    inputs: Mapping[str, bytes],
    cache: Cache | None,
    notify: Notify,
) -> Reference:
    """Return the evidence and outputs of the reference, from the cache if nothing that affects them has changed.

    Raises:
        GraderError: the reference is missing, does not build, or does not do what the spec expects of it.
    """
    programs, provided = reference_programs(spec, files), read_provided(spec, files)
    plan = build_plan(spec, programs)

    def measured() -> Reference:
        notify("running the reference (kept for the next time)" if cache else "running the reference")
        reference = _measure(plan, source_files(spec, programs, provided), sandbox, inputs)
        _check(spec, reference, lambda: reference_restrictions(spec, programs, provided, sandbox, inputs))
        return reference

    return _kept(cache, _key(spec, programs, provided, sandbox, inputs), measured, notify)


def with_draws(  # noqa: PLR0913, PLR0917 - what the results depend on, and where they are kept
    reference: Reference,
    drawn: Spec,
    files: LabFiles,
    sandbox: Sandbox,
    inputs: Mapping[str, bytes],
    cache: Cache | None,
    notify: Notify,
) -> Reference:
    """Return the reference's results with what was drawn for a class; `reference` has those of the public draw.

    Where all programs of the reference write the same with the public draw, only the one that took least time is run.
    Times remain those of the public draw: nobody is judged by them.

    Raises:
        GraderError: the reference does not do in a drawn case what the spec expects.
    """
    programs, provided = reference_programs(drawn, files), read_provided(drawn, files)
    plan = _plan_of_draws(drawn, build_plan(drawn, programs), reference.evidence)

    def measured() -> Reference:
        notify("running the reference on the drawn cases")
        return _measure(plan, source_files(drawn, programs, provided), sandbox, inputs)

    key = _key(drawn, programs, provided, sandbox, inputs)
    own = _kept(cache, f"{key} {drawn.draws_digest}", measured, notify)
    runs = _runs_with_draws(reference.evidence, own, drawn)
    evidence = reference.evidence.model_copy(update={"runs": runs})
    merged = Reference(evidence, {**reference.outputs, **own.outputs})
    _check(drawn, merged, lambda: reference_restrictions(drawn, programs, provided, sandbox, inputs))
    return merged


def _plan_of_draws(spec: Spec, plan: Plan, public: Evidence) -> Plan:
    """Return the plan with one plain run of each drawn case, or of each program if their outputs differ or may."""
    by_case: dict[str, list[RunStep]] = {}
    for step in plan.runs:
        if step.case in spec.drawn_cases and step.id == run_id(step.program, step.case):
            by_case.setdefault(step.case, []).append(step)
    runs = [
        step
        for case, steps in by_case.items()
        for step in (steps if spec.cases[case].is_stated or not _agree(steps, public) else [_quickest(steps, public)])
    ]
    plain = {"engine": "plain", "predicted_by": None, "requires_ended": (), "only_if": None, "repeat_untraced": False}
    used = {step.program for step in runs}
    return plan.model_copy(
        update={
            "builds": tuple(build for build in plan.builds if build.program in used),
            "runs": tuple(step.model_copy(update=plain) for step in runs),
        }
    )


def _agree(steps: Iterable[RunStep], public: Evidence) -> bool:
    """Return whether runs of a case are known to leave the same outputs and files."""
    runs = [public.runs.get(step.id) for step in steps]
    return None not in runs and len({_left_by(run) for run in runs if run is not None}) == 1


def _left_by(run: RunDone) -> tuple[object, ...]:
    files = {name: left.content and left.content.sha256 for name, left in run.files.items()}
    return run.stdout.sha256, tuple(sorted(files.items()))


def _quickest(steps: Iterable[RunStep], public: Evidence) -> RunStep:
    times = {step.id: run.times.user_s + run.times.sys_s for step in steps if (run := public.runs.get(step.id))}
    return min(steps, key=lambda step: times.get(step.id, inf))


def _runs_with_draws(public: Evidence, own: Reference, drawn: Spec) -> dict[str, RunDone]:
    """Return the runs of the public draw, but those of the class's draw in drawn cases, with the times of the others.

    Calls of a drawn case are not known of programs that were not run, and no log shows them.
    """
    runs: dict[str, RunDone] = {}
    for step, run in public.runs.items():
        program, case = program_and_case(step)
        if case not in drawn.drawn_cases:
            runs[step] = run
        elif step == run_id(program, case) and (expected := own.run(program, case)) is not None:
            runs[step] = expected.model_copy(update={"step": step, "times": run.times})
    return runs


def _key(
    spec: Spec, programs: Submission, provided: Mapping[str, bytes], sandbox: Sandbox, inputs: Mapping[str, bytes]
) -> str:
    # The kernel is not part of the key: it affects only counts and times of the reference, which nobody is judged by.
    fixtures = "".join(f" {sha256(inputs[fixture_input(path)]).hexdigest()}" for path in spec.fixtures)
    key = f"{grader.__version__} {spec.digest()} {programs.digest()} {sandbox.runner}{fixtures}"
    return key + "".join(f" {name} {sha256(data).hexdigest()}" for name, data in provided.items())


def _kept(cache: Cache | None, key: str, measured: Callable[[], Reference], notify: Notify) -> Reference:
    """Return results from the cache, or else measure and keep them."""
    cached = load_cached(cache, key, "the kept reference results", _read, notify)
    if cached is not None:
        return cached
    reference = measured()
    entry = {EVIDENCE_FILE: reference.evidence.model_dump_json().encode("utf-8"), **reference.outputs}
    store_cached(cache, key, "the reference results", entry, notify)
    return reference


def reference_restrictions(
    spec: Spec, programs: Submission, provided: Mapping[str, bytes], sandbox: Sandbox, inputs: Mapping[str, bytes]
) -> tuple[Restriction, ...]:
    """Run the short cases of the reference, and return what the grader does not allow in them.

    Raises:
        GraderError: the runs could not be made.
    """
    return restrictions_of_lab(spec, *_to_run(spec, programs, provided), inputs, sandbox)


def reference_mistakes(
    spec: Spec, programs: Submission, provided: Mapping[str, bytes], sandbox: Sandbox, inputs: Mapping[str, bytes]
) -> tuple[str, ...]:
    """Run the short cases of the reference under the memory checkers, and return what they find, in sentences.

    Raises:
        GraderError: the runs could not be made.
    """
    return mistakes_of_lab(spec, *_to_run(spec, programs, provided), inputs, sandbox)


def _to_run(spec: Spec, programs: Submission, provided: Mapping[str, bytes]) -> tuple[Plan, Mapping[str, bytes]]:
    return build_plan(spec, programs), source_files(spec, programs, provided)


def _with_reasons(error: ReferenceCaseError, restrictions: Iterable[Restriction]) -> ReferenceCaseError:
    """Return an error with what may be the reason, in each case in which the grader did not allow something."""
    mistakes = dict(error.mistakes)
    for restriction in restrictions:
        for case in mistakes.keys() & {*restriction.cases}:
            mistakes[case] = f"{mistakes[case]}; {restriction.program}: {in_short(restriction)}"
    return ReferenceCaseError(mistakes)


def missing_reference(spec: Spec, files: LabFiles) -> str | None:
    """Return what is missing of the lab's reference, which grading needs; None if it is complete."""
    missing = [source for source in spec.sources if not (files.solution / source).is_file()]
    what = f"the reference of the lab {spec.lab!r} lacks"
    return f"{what} {', '.join(missing)} in {files.solution}" if missing else None


def reference_programs(spec: Spec, files: LabFiles) -> Submission:
    """Return the lab's reference.

    Raises:
        UsageError: it lacks a source, or one cannot be read.
    """
    missing = missing_reference(spec, files)
    if missing is not None:
        raise UsageError(missing)
    return read_programs("reference", spec, files.solution)


def read_programs(name: str, spec: Spec, folder: Path) -> Submission:
    """Return all programs in a folder of the lab as a submission, with the notebook if there is one.

    Raises:
        UsageError: a source cannot be read.
    """
    try:
        sources = {
            program: Source.of({file: (folder / file).read_bytes() for file in declared.files})
            for program, declared in spec.programs.items()
        }
    except OSError as error:
        raise UsageError(f"{error.filename} cannot be read: {error.strerror}") from error
    names = spec.notebook.files if spec.notebook is not None else ()
    found = next((path for path in map(folder.joinpath, names) if path.is_file()), None)
    notebook = None if found is None else NotebookFile(found.name, Source(found.read_bytes()))
    return Submission(name, sources, notebook=notebook)


def _measure(plan: Plan, sources: Mapping[str, bytes], sandbox: Sandbox, inputs: Mapping[str, bytes]) -> Reference:
    with sandbox.open(Job(plan, sources, inputs)) as session:
        evidence = collect(session.events())
        outputs: dict[str, bytes] = {}
        for step, run in evidence.runs.items():
            # Also of a case that is not compared: a program of the same lab may write the same in another one.
            _add_output(outputs, run.stdout, session, step, f"the reference's output in {step}")
            for name, left in run.files.items():
                if left.content is not None:
                    what = f"the {name} that the reference leaves in {step}"
                    _add_output(outputs, left.content, session, file_id(step, name), what)
    return Reference(evidence, outputs)


def _add_output(outputs: dict[str, bytes], written: Captured, session: Session, fetched_by: str, what: str) -> None:
    """Add an output under its digest, whole: a missing part would not be compared.

    Raises:
        UsageError: the guest had no space to keep it.
    """
    if written.sha256 in outputs:
        return
    data = session.fetch(fetched_by) if written.data is None else written.data
    if len(data) < written.size_bytes:
        raise UsageError(
            f"{what} has {written.size_bytes:,} bytes, of which only {len(data):,} could be kept to compare with:"
            " make the cases of the lab write less"
        )
    outputs[written.sha256] = data


def _check(spec: Spec, reference: Reference, restrictions: Callable[[], Iterable[Restriction]]) -> None:
    """Make sure that the reference does what the spec asks of students; if not, `restrictions` may be the reason."""
    evidence = reference.evidence
    for program in spec.programs:
        build = evidence.builds[program]
        if not succeeded(build.ending):
            raise ReferenceBuildError(program, build.messages, unfinished(spec, build) or "")
    mistakes: dict[str, str] = {}
    for case, message in _mistakes(spec, evidence):
        mistakes.setdefault(case, message)
    if mistakes:
        # Runs are left out after others of the same program: those say why.
        error = ReferenceCaseError({c: m for c, m in mistakes.items() if not m.endswith(_NOT_RUN)} or mistakes)
        raise _with_reasons(error, restrictions())


def _mistakes(spec: Spec, evidence: Evidence) -> Iterator[tuple[str, str]]:
    """Yield each case that the reference's programs fail, and how."""
    for item in spec.rubric:
        for case in item.cases if isinstance(item, CasesItem) else ():
            runs = [evidence.run(program, case) for program in item.points]
            for program, run in zip(item.points, runs, strict=True):
                problem = _problem(spec, case, run)
                if problem is not None:
                    yield case, f"the reference's {program} fails the case {case} of the spec: {problem}"
            if spec.cases[case].stated is not None:
                continue
            if len({run.stdout.sha256 for run in runs if run is not None}) > 1:
                problem = f"the reference's programs differ in what they write in the case {case} of the spec"
                yield case, f"{problem}; if they should, write expect: {{stdout: reference-output}}"


def _problem(spec: Spec, name: str, run: RunDone | None) -> str | None:
    if run is None:
        return _NOT_RUN
    case = spec.cases[name]
    limits, place = spec.limits_for(name), spec.limits_place(name)
    for file in case.expected_files:
        kind = run.files[file].kind if file in run.files else "missing"
        if kind not in ("regular", "missing"):
            return f"after the run, {file} cannot be compared with students' ({kind})"
    if case.stated is not None:
        wrong = [one.text for one in mismatches(case.stated, Compared(run, None, {}))]
        return "; ".join(filter(None, [_stopped(run, case, limits, place), *wrong])) or None
    if case.expect == "operand-error":
        return operand_error_problem(run, limits, place)
    # Students' programs may end with any status after copying, but the reference must not.
    if case.expect == "reference-output" and isinstance(run.ending, Exited) and run.ending.code:
        return f"its exit status is {run.ending.code}"
    return _stopped(run, case, limits, place)


def _stopped(run: RunDone, case: Case, limits: RunLimits, place: str) -> str | None:
    """Return why a run did not end by itself, and how the spec allows more; None if it did."""
    problem = abnormal(run.ending, limits, place)
    if problem is None or not isinstance(run.ending, LimitReached) or case.limits != "small":
        return problem
    return f"{problem}; `limits: full` on the case allows more"


def _read(files: Mapping[str, bytes]) -> Reference:
    evidence = Evidence.model_validate_json(files[EVIDENCE_FILE])
    return Reference(evidence, {name: data for name, data in files.items() if name != EVIDENCE_FILE})
