"""Run the failing cases of a submission once more, under checkers of memory, to find the lines of its mistakes.

The verdicts are known by then, and nothing that is found here changes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from grader.diagnose.behaviour.findings import (
    Mistake,
    cannot_start,
    excerpt,
    first_of,
    mistake_in_report,
    of_line,
    place_of_mistake,
    sanitizer_mistakes,
    valgrind_cannot_start,
    valgrind_mistakes,
    with_own_lines,
)
from grader.errors import GraderError
from grader.explain.passing_programs import passing_suspects, remarks_on
from grader.explain.second_run import (
    FOR_SANITIZERS,
    SANITIZED,
    SecondGuests,
    evidence_of_copy,
    has_time,
    joined_evidence,
    program_of_copy,
    run_of_copy,
    short_runs,
)
from grader.explain.suspects import Suspect, suspects
from grader.judge.repeat import repeat_checked
from grader.lab.source_files import source_files
from grader.model.counted import in_cases
from grader.model.evidence import Evidence, Exited, RunDone, Signalled, succeeded
from grader.model.lab import Lab
from grader.model.plan import BuildStep, Checker, Plan, RunStep
from grader.model.report import VARIES, AdvicePart, Finding, Remark, Report, SourceLine
from grader.model.spec.lab import Spec
from grader.model.spec.programs import RunLimits
from grader.model.submission import Submission
from grader.options import GradeOptions
from grader.sandbox.base import Job, Sandbox
from grader.sandbox.collector import collect

Copy = Literal["sanitizers", "filled", "valgrind"]
"""A copy of a program: with sanitizers, with AddressSanitizer and other bytes in memory that was never set, or plain.
"""

PROGRAM_WALL_S = 8.0
"""Seconds for all builds and runs of one program. They take one or two."""

UNSET_CASES = 20
"""Cases of a program of the lab that are run under valgrind, which takes half a second for each."""

NAMED_CASES = 2

_CPU_S: Mapping[Checker, int] = {"sanitizers": 1, "addresses": 1, "valgrind": 2}
_HELPERS: Mapping[Copy, Mapping[str, bytes]] = {
    "sanitizers": {},
    # AddressSanitizer fills the memory that malloc returns with another byte in the copy with sanitizers.
    "filled": {
        ".filled.c": b"""\
#ifdef __cplusplus
extern "C"
#endif
const char *__asan_default_options(void) { return "malloc_fill_byte=1"; }
"""
    },
    # So that valgrind sees a byte that was never set when the program writes it, not when a buffer is full.
    "valgrind": {
        ".unbuffered.c": b"""\
#include <stdio.h>
__attribute__((constructor)) static void unbuffer(void) { setvbuf(stdout, NULL, _IONBF, 0); }
"""
    },
}
"""Sources of ours that are compiled into a copy."""

_COMPILE: Mapping[Copy, tuple[str, ...]] = {
    "sanitizers": ("-g", *SANITIZED),
    "filled": (*FOR_SANITIZERS, "-fsanitize=address", "-ftrivial-auto-var-init=pattern"),
    "valgrind": ("-O0", "-g", "-w"),
}
_SHOWN_COMPILE: Mapping[Checker, str] = {
    "sanitizers": "{compiler} -g -fsanitize=address,undefined -o {program} {source}",
    "valgrind": "{compiler} -g -o {program} {source}",
}


def checking_plan(plan: Plan, found: Sequence[Suspect], deadline_s: float | None) -> Plan:
    """Return the plan that runs these cases again with sanitizers, given the plan of the submission.

    Of each program the first crash and the first other case get a report with lines. Of the others it is enough to
    know whether it is the same mistake.
    """
    runs = []
    for own in _by_program(found):
        with_lines = {suspect.crashed: suspect for suspect in reversed(own)}.values()
        runs += [
            _checked(suspect.step, "sanitizers", "sanitizers" if suspect in with_lines else "addresses")
            for suspect in own
        ]
        runs.append(_checked(_for_valgrind(own).step, "filled", "addresses"))
    return _plan(plan, runs, ("sanitizers", "filled"), deadline_s)


def valgrind_plan(plan: Plan, found: Sequence[Suspect], deadline_s: float | None) -> Plan:
    """Return the plan that runs these cases again under valgrind."""
    runs = [_checked(suspect.step, "valgrind", "valgrind") for suspect in found]
    return _plan(plan, runs, ("valgrind",), deadline_s)


def mistakes_of_lab(
    spec: Spec, plan: Plan, sources: Mapping[str, bytes], inputs: Mapping[str, bytes], sandbox: Sandbox
) -> tuple[str, ...]:
    """Return sentences on memory errors of the lab's own programs in short cases, given the plan of all runs.

    The last ones say what could not be looked for.

    Raises:
        GraderError: the runs could not be made.
    """
    programs = _checkable_programs(spec, plan)
    steps = [step for step in short_runs(spec, plan) if step.program in programs]
    if not steps:
        return ()
    runs = [_checked(step, "sanitizers", "sanitizers") for step in steps]
    for program in programs:
        own = [step for step in steps if step.program == program]
        runs += [_checked(step, "valgrind", "valgrind") for step in own[:UNSET_CASES]]
    again = _plan(plan, runs, ("sanitizers", "valgrind"), None)
    again = again.model_copy(update={"program_wall_s": plan.program_wall_s})
    with sandbox.open(Job(again, _prepared(sources), inputs)) as session:
        evidence = collect(session.events())
    found: dict[tuple[str, str, int], tuple[str, list[str]]] = {}
    for step in steps:
        for mistake in first_of(*_seen(spec, step, evidence, sources)):
            _, cases = found.setdefault((step.program, mistake.file, mistake.line), (mistake.what, []))
            cases.append(step.case)
    sound = sorted(programs - {program for program, *_ in found})
    mistakes = (
        f"{file} line {line} {what}, {in_cases(NAMED_CASES, cases)}"
        for (_, file, line), (what, cases) in found.items()
    )
    return (*mistakes, *_notes(spec, sound, evidence))


def _checkable_programs(spec: Spec, plan: Plan) -> frozenset[str]:
    """Return the programs whose sources the compiler finds next to our own."""
    in_folders = {build.program for build in plan.builds if build.folder}
    return frozenset(program for program in spec.programs if spec.checks_memory(program)) - in_folders


def _prepared(sources: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return sources as the checkers' copies need them, with our own."""
    prepared = {name: with_own_lines(source) for name, source in sources.items()}
    for helpers in _HELPERS.values():
        prepared.update(helpers)
    return prepared


def _plan(plan: Plan, runs: Sequence[RunStep], copies: Sequence[Copy], deadline_s: float | None) -> Plan:
    programs = dict.fromkeys(program_of_copy(run.program) for run in runs)
    builds = {build.program: build for build in plan.builds}
    return plan.model_copy(
        update={
            "builds": tuple(_build(builds[program], copy) for program in programs for copy in copies),
            "runs": tuple(runs),
            "program_wall_s": PROGRAM_WALL_S,
            "deadline_s": deadline_s,
        }
    )


def _by_program(found: Sequence[Suspect]) -> list[list[Suspect]]:
    programs = dict.fromkeys(suspect.step.program for suspect in found)
    return [[suspect for suspect in found if suspect.step.program == program] for program in programs]


def _for_valgrind(of_program: Sequence[Suspect]) -> Suspect:
    """Return the case of a program to run under valgrind.

    A crash mostly has a reason that the sanitizers see, wrong output often has not. The first checks of a lab are
    about the simplest cases. Without input, a variable for a byte is never set, which is not the mistake.
    """
    return min(of_program, key=lambda one: (one.crashed, one.result.input_size_bytes == 0, one.rank))


def depends_on_unset(suspect: Suspect, evidence: Evidence) -> bool:
    """Return whether a program may depend on memory that was never set: valgrind then looks for it.

    That is so if it does not do the same in both copies, which differ in what such memory holds, and without them.
    """
    program, case = suspect.step.program, suspect.step.case
    checked, filled = (_checked_by(copy, evidence, program).run(program, case) for copy in ("sanitizers", "filled"))
    if checked is None or filled is None:
        return True
    if _was_refused(checked) or _was_refused(filled):
        return False
    mistakes = mistake_in_report(_text(checked)), mistake_in_report(_text(filled))
    if mistakes != (None, None):
        return mistakes[0] != mistakes[1]
    is_other = checked.ending != filled.ending or checked.stdout != filled.stdout
    return is_other or checked.ending != suspect.result.ending or _differs(suspect, checked)


def _name(program: str, copy: Copy) -> str:
    return f"{program}_{copy}"


def _checked(step: RunStep, copy: Copy, checker: Checker) -> RunStep:
    limits = RunLimits(
        cpu_s=_CPU_S[checker],
        wall_s=min(step.limits.wall_s, PROGRAM_WALL_S),
        output_bytes=step.limits.output_bytes,
        memory_bytes=step.limits.memory_bytes,
    )
    update = {
        "engine": "filter",
        "limits_only": True,
        "read_nbyte": None,
        "write_nbyte": None,
        "hang_group": None,
        "checker": checker,
    }
    return run_of_copy(step, _name(step.program, copy), limits).model_copy(update=update)


def _build(build: BuildStep, copy: Copy) -> BuildStep:
    first = build.compile.index(build.source)
    command, sources = build.compile[:first], build.compile[first:]
    return BuildStep(
        program=_name(build.program, copy),
        source=build.source,
        compile=(*command, *_COMPILE[copy], *sources, *_HELPERS[copy]),
        compile_object=(),
    )


def _mistakes(
    spec: Spec, found: Sequence[Suspect], evidence: Evidence, sources: Mapping[str, bytes]
) -> Iterator[tuple[Suspect, Mistake]]:
    """Yield the mistakes of each suspect; of a report without lines, the one at the same place."""
    read = []
    for suspect in found:
        step = suspect.step
        text = _report_of(_checked_by("sanitizers", evidence, step.program).run(step.program, step.case))
        read.append((suspect, *_seen(spec, step, evidence, sources), place_of_mistake(text)))
    known = {
        (suspect.step.program, mistake.place): mistake
        for suspect, checked, _, _ in read
        for mistake in checked
        if mistake.place is not None
    }
    for suspect, checked, unset, place in read:
        same = known.get((suspect.step.program, place)) if place is not None else None
        for mistake in first_of((*checked, *([same] if same else [])), unset):
            yield suspect, mistake


def _seen(
    spec: Spec, step: RunStep, evidence: Evidence, sources: Mapping[str, bytes]
) -> tuple[tuple[Mistake, ...], tuple[Mistake, ...]]:
    """Return what the sanitizers saw in a run, and what valgrind did."""
    lines = {name: sources[name].count(b"\n") + 1 for name in spec.programs[step.program].files}
    checked = _checked_by("sanitizers", evidence, step.program).run(step.program, step.case)
    watched = _checked_by("valgrind", evidence, step.program).run(step.program, step.case)
    # valgrind makes refused calls of its own; those of the program are also seen under the sanitizers.
    is_own = checked is not None and not _was_refused(checked)
    under_valgrind = _text(watched) if is_own else _report_of(watched)
    return sanitizer_mistakes(_report_of(checked), lines), valgrind_mistakes(under_valgrind, lines)


def _checked_by(copy: Copy, evidence: Evidence, program: str) -> Evidence:
    """Return the evidence of a copy of a program that a checker watched."""
    return evidence_of_copy(evidence, _name(program, copy), program)


def _varies(suspect: Suspect, evidence: Evidence) -> bool:
    """Return whether a copy that a checker watched ended in the same way, and wrote other bytes than the program.

    Memory that was never set, or comes after an array, is different there. If a checker stopped a copy, it says
    nothing.
    """
    if suspect.result.difference is None or not isinstance(suspect.result.ending, Exited):
        return False
    copies: tuple[Copy, ...] = ("sanitizers", "valgrind")
    for copy in copies:
        run = _checked_by(copy, evidence, suspect.step.program).run(suspect.step.program, suspect.step.case)
        if run is None or _was_refused(run):
            continue
        if run.ending != suspect.result.ending or "AddressSanitizer" in _text(run):
            continue
        # valgrind's copy does not buffer, so what printf and write write may come in another order.
        if _differs(suspect, run, in_order=copy != "valgrind"):
            return True
    return False


def _differs(suspect: Suspect, run: RunDone, *, in_order: bool = True) -> bool:
    """Return whether a run of a copy wrote other bytes than the program, as far as the report has them."""
    difference = suspect.result.difference
    if difference is None or suspect.result.differs_in or run.stdout.data is None:
        return False
    size_bytes, window = difference.actual_size_bytes, difference.actual
    written = run.stdout.data[window.offset : window.offset + len(window.data)]
    if run.stdout.size_bytes != size_bytes:
        return True
    if in_order:
        return written != window.data
    return len(window.data) == size_bytes and sorted(written) != sorted(window.data)


def _was_refused(run: RunDone) -> bool:
    """Return whether a checked program did not get what it asked for: what it then does says nothing about it.

    The guard refuses the same calls as always, but a checked program may not fork, either.
    """
    return run.trace is not None and bool(run.trace.refused or _lacked_processes(run))


def _lacked_processes(run: RunDone) -> bool:
    return run.trace is not None and "processes" in run.trace.limits_reached


def _report_of(run: RunDone | None) -> str:
    """Return what a checker wrote about a run; nothing if the grader itself may be the reason for it."""
    return "" if run is None or _was_refused(run) else _text(run)


def _text(run: RunDone | None) -> str:
    return (run.stderr.data or b"").decode("utf-8", "replace") if run is not None else ""


def _finding(
    spec: Spec, suspect: Suspect, mistake: Mistake, sources: Mapping[str, bytes], *, hidden: bool
) -> Finding:
    program, source = suspect.step.program, mistake.file
    checker: Checker = "valgrind" if mistake.tool == "valgrind" else "sanitizers"
    build = spec.build_of(program)
    compiler = " ".join((*build.standard_command, *build.needed_options))
    lines = sources[source].decode("utf-8", "replace").split("\n")
    mistake = of_line(mistake, lines[mistake.line - 1])
    compiled = _SHOWN_COMPILE[checker].format(
        compiler=compiler, program=program, source=" ".join(spec.compiled_files(program))
    )
    return Finding(
        program=program,
        tool=mistake.tool,
        line=mistake.line,
        message=f"{source} line {mistake.line} {mistake.what}.",
        file=source,
        source=tuple(SourceLine(number=number, text=text) for number, text in excerpt(sources[source], mistake.line)),
        checks=suspect.checks,
        cases=(suspect.step.case,),
        repeat=f"{compiled}\n{repeat_checked(spec, program, suspect.step.case, valgrind=checker == 'valgrind')}",
        hidden=hidden or suspect.result.hidden,
        mistake=mistake.id,
        writes=mistake.writes,
    )


def _notes(spec: Spec, programs: Iterable[str], evidence: Evidence) -> Iterator[str]:
    """Say what could not be looked for in these programs, which have no finding."""
    no_valgrind = False
    for program in programs:
        checked = _checked_by("sanitizers", evidence, program)
        build = checked.builds.get(program)
        if build is not None and not build.cut_short and not succeeded(build.ending):
            yield (
                f"{program} was not searched for memory errors: here {spec.build_of(program).compiler} does not "
                "compile it with -fsanitize=address,undefined."
            )
        elif any(cannot_start(_text(run)) for run in checked.runs.values()):
            yield (
                f"{program} was not searched for memory errors: this machine does not give AddressSanitizer the "
                "address space that it needs."
            )
        elif any(run.trace is not None and run.trace.refused for run in checked.runs.values()):
            yield (
                f"{program} was not searched for memory errors where it makes calls that the grader refuses, such as "
                "fork under a memory checker."
            )
        elif any(map(_lacked_processes, checked.runs.values())):
            yield (
                f"{program} was not searched for memory errors where it reaches limits.processes "
                f"({spec.limits.processes:,} processes)."
            )
        under_valgrind = _checked_by("valgrind", evidence, program)
        no_valgrind |= any(step.why == "no-checker" for step in under_valgrind.left_out.values())
        no_valgrind |= any(valgrind_cannot_start(_text(run)) for run in under_valgrind.runs.values())
    if no_valgrind:
        yield "Uses of memory that was not set were not looked for: valgrind is not installed, or does not work here."


@dataclass(frozen=True)
class FoundMistakes:
    """What a search for memory errors added to a report."""

    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    varying: frozenset[tuple[str, str]] = frozenset()
    """Programs and cases that students see, of which a copy wrote other bytes: they depend on memory by chance."""
    remarks: tuple[Remark, ...] = ()

    def unsound(self, report: Report) -> frozenset[str]:
        """Return the programs that used memory wrongly and went on: what they do next may depend on chance."""
        crashed = {
            (check.program, result.case)
            for check in report.checks
            for result in check.failures
            if isinstance(result.ending, Signalled)
        }
        went_on = {
            finding.program
            for finding in self.findings
            if any((finding.program, case) not in crashed for case in finding.cases)
        }
        return frozenset(went_on | {program for program, _ in self.varying})

    def added_to(self, report: Report) -> Report:
        """Return the report with it."""
        symptoms = tuple(
            symptom.advised(AdvicePart(kind="varies", text=VARIES), *symptom.advice_parts)
            if any((symptom.program, case) in self.varying for case in symptom.cases)
            else symptom
            for symptom in report.symptoms
        )
        return report.model_copy(
            update={
                "findings": self.findings,
                "notes": (*report.notes, *self.notes),
                "symptoms": symptoms,
                "remarks": (*report.remarks, *self.remarks),
            }
        )


class MistakeSearch:
    """Looks for the lines of mistakes in one submission, in guests of its own."""

    def __init__(self, lab: Lab, submission: Submission, guests: SecondGuests, options: GradeOptions) -> None:
        self._spec = lab.spec
        self._sources = source_files(lab.spec, submission, lab.provided)
        self._inputs = lab.inputs
        self._translates = lab.translates
        self._guests = guests
        self._time_left = options.time_left

    def look(self, report: Report, runs: Plan, *, hidden: bool = False) -> FoundMistakes | None:
        """Run the suspects of a report among these runs again; None if there are none.

        `hidden`: students do not see these runs.
        """
        failing = self._checkable(suspects(report, runs.runs), runs)
        passing: tuple[Suspect, ...] = ()
        if not hidden:
            passing = passing_suspects(report, runs.runs, self._spec, self._sources, self._inputs)
            passing = self._checkable(passing, runs)
        if not failing and not passing:
            return None
        if not has_time(self._time_left):
            return FoundMistakes(notes=() if hidden else ("the grader had no time left to look for memory errors",))
        try:
            evidence = self._run((*failing, *passing), runs)
        except GraderError as error:
            return FoundMistakes(notes=() if hidden else (f"the grader could not look for memory errors: {error}",))
        findings = self._findings(failing, evidence, hidden=hidden)
        named = {finding.program for finding in findings}
        without = dict.fromkeys(suspect.step.program for suspect in failing if suspect.step.program not in named)
        # A note about hidden runs would tell students that one failed.
        if hidden:
            return FoundMistakes(findings)
        varying = frozenset((one.step.program, one.step.case) for one in failing if _varies(one, evidence))
        remarks = remarks_on(
            self._findings(passing, evidence, hidden=False), "copies" if self._translates else "outputs"
        )
        return FoundMistakes(findings, tuple(_notes(self._spec, without, evidence)), varying, remarks)

    def _checkable(self, found: Iterable[Suspect], runs: Plan) -> tuple[Suspect, ...]:
        programs = _checkable_programs(self._spec, runs)
        return tuple(suspect for suspect in found if suspect.step.program in programs)

    def look_hidden(self, report: Report, seen: Plan, hidden: Plan) -> FoundMistakes | None:
        """Do the same with runs that students do not see, except those that are repeated from the ones they see."""
        steps = {run.id for run in seen.runs}
        only_hidden = tuple(run for run in hidden.runs if run.id not in steps)
        return self.look(report, hidden.model_copy(update={"runs": only_hidden}), hidden=True)

    def _run(self, found: Sequence[Suspect], runs: Plan) -> Evidence:
        sources = _prepared(self._sources)
        evidence = self._guests.run(checking_plan(runs, found, self._time_left.left_s), sources, self._inputs)
        candidates = [_for_valgrind(own) for own in _by_program(found)]
        unset = [suspect for suspect in candidates if depends_on_unset(suspect, evidence)]
        if not unset:
            return evidence
        plan = valgrind_plan(runs, unset, self._time_left.left_s)
        return joined_evidence(evidence, self._guests.run(plan, sources, self._inputs))

    def _findings(self, found: Sequence[Suspect], evidence: Evidence, *, hidden: bool) -> tuple[Finding, ...]:
        """Return what was found; what several cases show in the same words is shown for the smallest one."""
        merged: dict[tuple[str, str], Finding] = {}
        by_size = sorted(found, key=lambda suspect: suspect.size_bytes)
        for suspect, mistake in _mistakes(self._spec, by_size, evidence, self._sources):
            finding = _finding(self._spec, suspect, mistake, self._sources, hidden=hidden)
            before = merged.setdefault((finding.program, finding.message), finding)
            checks = tuple(dict.fromkeys((*before.checks, *finding.checks)))
            cases = tuple(dict.fromkeys((*before.cases, *finding.cases)))
            merged[finding.program, finding.message] = before.model_copy(update={"checks": checks, "cases": cases})
        return tuple(merged.values())
