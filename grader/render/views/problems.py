"""What went wrong, once for each reason: what it is, where it is, and how to see it.

Page and terminal begin with this. The evidence of each check comes later.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from grader.diagnose.advice import capital
from grader.diagnose.findings import UNSET_BYTE, UNSET_BYTES, advice_on
from grader.diagnose.group import order_as_example
from grader.diagnose.line_patterns import ROLES
from grader.diagnose.related_lines import ADVICE, DECISIVE_WORDS
from grader.diagnose.sentences import OF_ONE_SIZE, TWO_OUTPUTS
from grader.diagnose.symptoms import VAGUE
from grader.judge.build import CANNOT_GO_ON
from grader.judge.streams import AT_MOST, verb_of
from grader.model.counted import counted, listed
from grader.model.evidence import Exited, LimitReached, Signalled
from grader.model.report import (
    LEFT_OUT,
    VARIES,
    BuildEvidence,
    CallsEvidence,
    CaseResult,
    CasesEvidence,
    Cause,
    CauseLine,
    Certainty,
    Check,
    Difference,
    Finding,
    RelatedLine,
    Report,
    StreamJudgement,
    SymbolsEvidence,
    Window,
)
from grader.model.spelled_bytes import byte_words, escapes_of
from grader.render.text.escape import one_line
from grader.render.text.gcc_messages import Diagnostic, first_of
from grader.render.text.markdown import sections
from grader.render.text.phrases import ending_words
from grader.render.views.failures import (
    costlier_symptom,
    explained,
    lost_points,
    next_step,
    observed,
    title_of_cause,
    unbuilt,
)
from grader.render.views.warnings import with_places

SHOWN_COLUMNS = 56
"""Columns that a part of an output takes, at most: with its label it fits on a line of 80."""

QUOTED_COLUMNS = 40
"""Columns that a quoted message takes."""

POINTER_BYTES = 8

_LOOP = re.compile(r"\b(for|while)\b")
_VAGUE = VAGUE | {"writes-without-end"}
"""Symptoms that say less than others do: a flood may begin like what a shorter output shows in full."""

BEFORE_BYTES = 8
_WHAT_HAPPENS = "What happens"
_NO_OUTPUT = "nothing on standard output"
_FLOOD = LimitReached(kind="limit", limit="output")
_PART_SHOWN = re.compile(r"od -A d -c -j (\d+) -N (\d+)$")
_STOPPED_BY_HEAD = re.compile(r"( 2>&1 >/dev/null)? \| head -c (\d+) \| wc -c$")

SIGNALLED = 128
"""What a shell adds to the number of the signal that killed a program, in `$?`."""


@dataclass(frozen=True)
class Demonstration:
    """Lines for a shell that show a problem in the student's folder, and what the program does and should do there.

    `compile` builds the program that `lines` run. `got` and `expected` are "" if they are not known, as in reports
    of earlier versions. `note` explains how they show bytes that od shows differently. `case` is shown.
    """

    compile: str
    lines: str
    got: str
    expected: str
    note: str = ""
    case: str = field(default="", compare=False)


@dataclass(frozen=True)
class Problem:
    """One reason for failed checks: a program that does not compile, a known bug, or a symptom.

    `cause` is the known bug. `error` is gcc's first error, `warnings` are those of its warnings that concern the
    problem, and `findings` name lines that a memory checker found. `text` says what happens, or where to look. `own`
    are the checks that no earlier problem has: their evidence is shown here. `cases` are those of a symptom.
    `blocked` are the checks that cannot be judged because of it. `related` are lines to begin with, of a problem of
    which nothing names the line. `vague`: the title does not say what is special about the cases. `lines` are those
    of the cause, or of a small change that repaired a copy of the source, and `proof` says what was changed. `next`
    is what to change if the bug is known and nothing is proven, or if the program does not compile (`unbuilt`).
    """

    title: str
    checks: tuple[Check, ...]
    text: str
    demonstration: Demonstration | None
    cause: Cause | None = None
    findings: tuple[Finding, ...] = ()
    error: Diagnostic | None = None
    warnings: tuple[Diagnostic, ...] = ()
    own: tuple[Check, ...] = ()
    cases: frozenset[str] = frozenset()
    blocked: tuple[Check, ...] = ()
    related: tuple[RelatedLine, ...] = ()
    vague: bool = False
    lines: tuple[CauseLine, ...] = ()
    proof: str = ""
    next: str = ""
    unbuilt: bool = False

    @property
    def advises(self) -> bool:
        """Whether `text` is what to do next: of what was only seen, there is nothing else to say."""
        return self.cause is None and not self.proof and not self.unbuilt

    @property
    def certainty(self) -> Certainty | None:
        """How certain the reason is; None of what was only seen."""
        return self.cause.certainty if self.cause is not None else "proven" if self.proof else None

    @property
    def programs(self) -> tuple[str, ...]:
        """The programs that have the problem."""
        return tuple(dict.fromkeys(check.program for check in self.checks))

    @property
    def rest_of_page(self) -> str:
        """The page of a known bug without its first part, which `text` has; Markdown."""
        _, heading, rest = (self.cause.page if self.cause else "").partition("\n## ")
        return heading + rest

    @property
    def program(self) -> str:
        """The program that has the problem; of several, the first."""
        return self.checks[0].program if self.checks else ""

    @property
    def marked(self) -> tuple[Finding, ...]:
        """The first finding in each line: several in a line are one mistake, with several inputs."""
        places = {(finding.file, finding.line): finding for finding in reversed(self.findings)}
        return tuple(sorted(places.values(), key=self.findings.index))

    @property
    def begins_at_mistakes(self) -> bool:
        """Whether what a memory checker found is shown, and then the lines that are the likely reason."""
        return bool(self.findings) and all(line.does in DECISIVE_WORDS for line in self.related)

    @property
    def elsewhere(self) -> tuple[Check, ...]:
        """The checks whose evidence is shown with an earlier problem."""
        return tuple(check for check in self.checks if check not in self.own)

    @property
    def lost_points(self) -> float:
        """The points that its checks cost, including those that it shares with another problem."""
        return lost_points((*self.checks, *self.blocked))

    @property
    def own_lost_points(self) -> float:
        """The points that no earlier problem has, so that those of all problems add up to what was lost."""
        return lost_points((*self.own, *self.blocked))


def problems(report: Report) -> tuple[Problem, ...]:
    """Return the problems of a report: programs that do not compile, then the others, the most expensive first.

    Of those that cost the same, known bugs come before symptoms.
    """
    others = [*_known(report), *_seen(report)]
    ranked = sorted(others, key=lambda problem: (-_rank(problem, others), problem.vague))
    placed = _distributed([*_unbuilt(report), *ranked], report.findings)
    return tuple(_as_example(problem, varies=_varies(report, problem)) for problem in placed)


def _varies(report: Report, problem: Problem) -> bool:
    """Return whether two runs of the case that is shown wrote outputs that its command shows to be different."""
    shown = problem.demonstration
    same = f"{TWO_OUTPUTS}{OF_ONE_SIZE}"
    return shown is not None and any(
        f" {shown.case} {TWO_OUTPUTS}" in symptom.sentence
        and not (_counts(shown.lines) and f" {shown.case} {same}" in symptom.sentence)
        for symptom in report.symptoms
        if symptom.program == problem.program
    )


def _rank(problem: Problem, others: Iterable[Problem]) -> float:
    """Return the points that a problem costs; if it is vague, not more than one that says what happens instead.

    That one has to be seen in at least as many cases of the same program.
    """
    if not problem.vague:
        return problem.lost_points
    clearer = [
        other.lost_points
        for other in others
        if not other.vague and other.program == problem.program and len(other.cases) >= max(len(problem.cases), 1)
    ]
    return min(problem.lost_points, max(clearer, default=problem.lost_points))


def may_follow(found: Sequence[Problem]) -> tuple[int, ...]:
    """Return the numbers of the problems that may have the same reason as the first, which is number 1.

    A symptom of the same program may, unless the first is a known bug, or a small change repairs one of the two: that
    does not explain the other. Nor does a line that is a mistake in itself, if it does not concern the other.
    """
    if not found or found[0].certainty is not None:
        return ()
    first, *others = found
    return tuple(
        number
        for number, one in enumerate(others, 2)
        if one.certainty is None and one.program == first.program and _may_share(first, one)
    )


def _may_share(first: Problem, other: Problem) -> bool:
    """Return whether two problems may have the same mistake: if lines are known to be one, they concern both.

    What a memory checker found in a line that is not one of the first is another mistake.
    """
    lines = {(line.file, line.number) for line in other.related}
    found, firsts = _found_in(other), _found_in(first) | {(line.file, line.number) for line in first.related}
    if found and firsts and found.isdisjoint(firsts):
        return False
    mistakes, own = _mistakes(first), _mistakes(other)
    return mistakes <= lines and (not own or not own.isdisjoint((line.file, line.number) for line in first.related))


def _found_in(problem: Problem) -> frozenset[tuple[str, int]]:
    """Return the lines in which a memory checker found a mistake."""
    return frozenset((finding.file, finding.line) for finding in problem.findings)


def _mistakes(problem: Problem) -> frozenset[tuple[str, int]]:
    """Return the lines of a problem that are mistakes in themselves."""
    return frozenset((line.file, line.number) for line in problem.related if line.does in _MISTAKES)


_MISTAKES = DECISIVE_WORDS | {ROLES["constants"]}


def _unbuilt(report: Report) -> Iterator[Problem]:
    for check in unbuilt(report):
        error = first_of(check.evidence.messages) if isinstance(check.evidence, BuildEvidence) else None
        title = (
            f"{check.program} does not compile"
            if error
            else check.message.replace("it does", f"{check.program} does", 1)
        )
        until = "it compiles" if error else "this is fixed"
        text, step = f"Nothing else of {check.program} can be judged until {until}.", ""
        if error and (
            check.hint == CANNOT_GO_ON or check.hint.startswith(f"{error.location.partition(':')[0]} needs ")
        ):
            text, step = "", check.hint
        blocked = tuple(
            other
            for other in report.checks
            if other.program == check.program and other.status == "skipped" and check.id in other.message
        )
        shown = _compilation(report, check)
        yield Problem(title, (check,), text, shown, error=error, blocked=blocked, next=step, unbuilt=True)


def _compilation(report: Report, check: Check) -> Demonstration | None:
    command = _compile_line(report, check.program)
    return Demonstration(command, "", "", "") if command and check.evidence is not None else None


def _known(report: Report) -> Iterator[Problem]:
    for one in explained(report):
        checks = (*one.checks, *one.elsewhere)
        text = " ".join(sections(one.cause.page).get(_WHAT_HAPPENS, "").split("\n"))
        costlier = costlier_symptom(report, one.cause)
        # The checks in which the bug was seen come first. In the others, its fix only has an effect.
        ordered = sorted(checks, key=lambda check: one.cause.checks.index(check.id))
        if costlier is not None:
            ordered.sort(key=lambda check: check.id not in costlier.checks)
            text = f"Another effect of the same mistake: {one.cause.title}."
        found = {line.does for line in _related(report, checks)}
        if one.cause.proof is not None or not found.isdisjoint(DECISIVE_WORDS | {ROLES["guards"]}):
            text = _without_guesses(text)
        asked = _asked_bytes(checks)
        text = " ".join(filter(None, [asked, text if costlier is None or not asked else ""]))
        # A check may have cases that fail for the reason of another problem.
        own = [symptom for symptom in report.symptoms if {*symptom.checks} <= {*one.cause.checks}]
        cases = [case for symptom in own for case in symptom.cases] if costlier is None else costlier.cases
        shown = _demonstration(report, ordered, cases)
        related = () if one.cause.lines else _related(report, checks)
        title = title_of_cause(report, one.cause)
        proof = "" if one.cause.proof is None else one.cause.proof.sentence
        yield Problem(
            title,
            checks,
            text,
            shown,
            cause=one.cause,
            warnings=one.warnings,
            related=related,
            lines=one.cause.lines,
            proof=proof,
            next=next((ADVICE[line.does] for line in related if line.does in ADVICE), next_step(one.cause)),
        )


def _without_guesses(text: str) -> str:
    """Return what a page says without the sentences on possible reasons, of which the line shows the right one."""
    sentences = re.split(r"(?<=[.!?]) (?=[A-Z])", text)
    return " ".join(sentence for sentence in sentences if not sentence.startswith(("Perhaps ", "Either ", "Or ")))


def _asked_bytes(checks: Iterable[Check]) -> str:
    """Return how many bytes calls ask for if that is wrong: a title is about any number."""
    streams = [
        stream for check in checks if isinstance(check.evidence, CallsEvidence) for stream in check.evidence.streams
    ]
    said = dict.fromkeys(one_line(stream.problem) for stream in streams if stream.deviation == "nbyte")
    return f"{capital(next(iter(said)))}." if said else ""


def _seen(report: Report) -> Iterator[Problem]:
    for one in observed(report):
        checks = (*one.checks, *one.elsewhere)
        changed = one.symptom.id in _SHOWN_BY_CHANGES
        # What a change repairs comes first.
        order = one.symptom.checks if one.proof else [check.id for check in report.checks]
        in_order = sorted(checks, key=lambda check: order.index(check.id))
        shown = _demonstration(report, in_order, one.symptom.cases, changed=changed)
        cases = frozenset(one.symptom.cases)
        yield Problem(
            one.symptom.sentence,
            checks,
            # _as_example looks at the first words of the advice.
            one.symptom.advice.removesuffix(one.proof).strip(),
            shown,
            warnings=one.warnings,
            cases=cases,
            related=() if one.proof else with_places(one.symptom.lines, one.warnings),
            vague=one.symptom.id in _VAGUE,
            lines=one.proven_lines,
            proof=one.proof,
        )


def _related(report: Report, checks: Iterable[Check]) -> tuple[RelatedLine, ...]:
    """Return the lines of what was seen in these checks: for each program, of the costliest symptom that has some."""
    ids = {check.id for check in checks}
    found: dict[str, tuple[RelatedLine, ...]] = {}
    for symptom in report.symptoms:
        if symptom.lines and ids.issuperset(symptom.checks):
            found.setdefault(symptom.program, symptom.lines)
    return tuple(line for lines in found.values() for line in lines)


def _distributed(found: Iterable[Problem], findings: tuple[Finding, ...]) -> Iterator[Problem]:
    """Yield the problems, each with the checks, and the findings in its checks, that no earlier problem has.

    A finding that a later problem has a case of is left to that one: a check may fail for several reasons.
    """
    found, left = [*found], list(findings)
    shown: set[str] = set()
    for number, problem in enumerate(found):
        ids = {check.id for check in problem.checks}
        of_problem = tuple(
            finding
            for finding in left
            if ids.intersection(finding.checks)
            and (problem.cases.intersection(finding.cases) or not _concerns(found[number + 1 :], finding))
        )
        left = [finding for finding in left if finding not in of_problem]
        own = tuple(check for check in problem.checks if check.id not in shown)
        shown |= ids
        # Of a known bug, what a memory checker found is perhaps a consequence.
        keeps = problem.cause is not None or not of_problem
        related = tuple(line for line in problem.related if keeps or line.does in DECISIVE_WORDS)
        problem = replace(problem, findings=of_problem, own=own, related=related)  # noqa: PLW2901 - it has what is left
        if of_problem and problem.begins_at_mistakes:
            # The mistake is shown, and needs no sentence of its own.
            text = _BEGIN_THERE.sub("", problem.text)
            if not text and problem.advises:
                text = advice_on(problem.marked[0].message)
            problem = replace(problem, text=text)  # noqa: PLW2901 - as above
        yield problem


_BEGIN_THERE = re.compile(r"A memory checker found a mistake in line [^:]*: begin there\. ?")


def _as_example(problem: Problem, *, varies: bool) -> Problem:
    """Return a problem that says so if its command may show something else than the run did.

    `varies`: two runs of the case wrote different outputs.
    """
    shown = problem.demonstration
    if shown is None or not shown.got:
        return problem
    if problem.text.startswith(VARIES):
        # They may be as many.
        differs = "" if _counts(shown.lines) else "What you get may be different. "
        note = f"{differs}{VARIES} {shown.note}".strip()
        text = problem.text.removeprefix(VARIES).strip()
        return replace(problem, demonstration=replace(shown, note=note), text=text)
    # A null pointer is one each time, a crash shows no bytes, and head stops after the same number.
    found = [finding for finding in problem.findings if shown.case in finding.cases or "never set" in finding.message]
    if _counts(shown.lines):
        found = [one for one in found if UNSET_BYTE not in one.message and UNSET_BYTES not in one.message]
    is_fixed = shown.got.startswith("killed by") or _STOPPED_BY_HEAD.search(shown.lines)
    if (varies or _reads_past(problem, shown.case) or any(map(_is_chance, found))) and not is_fixed:
        return replace(problem, demonstration=replace(shown, note=f"{_CHANCE} {shown.note}".strip()))
    return problem


def _counts(lines: str) -> bool:
    """Return whether a command shows how many bytes there are, and not which."""
    return " wc -c" in lines.rpartition("\n")[2]


_CHANCE = "What you get may be different: it depends on what happens to be in memory."
_OUTSIDE = ("uses the index", "outside of a variable", "value that was never set", UNSET_BYTES)


def _reads_past(problem: Problem, name: str) -> bool:
    """Return whether a loop that ends at the size of a pointer goes on after the end of the operands of a case.

    No memory checker sees that: other operands, or the environment, come after them.
    """
    is_loop = " instead of `sizeof(" in problem.proof or any(
        line.does == ROLES["pointer-size"] and _LOOP.search(line.text) for line in problem.related
    )
    cases = [
        case for check in problem.checks if isinstance(check.evidence, CasesEvidence) for case in check.evidence.cases
    ]
    operands = [operand for case in cases if case.case == name for operand in case.operands]
    return is_loop and any(len(operand) + 1 < POINTER_BYTES for operand in operands)


def _is_chance(finding: Finding) -> bool:
    """Return whether a program used memory that is not its own, or was never set."""
    is_memory = finding.tool != "UndefinedBehaviorSanitizer" or any(words in finding.message for words in _OUTSIDE)
    # What is written past the end of a variable may harm others, and always does the same.
    return (
        is_memory
        and "null pointer" not in finding.message
        and ("writes" not in finding.message or UNSET_BYTES in finding.message)
    )


def _concerns(found: Iterable[Problem], finding: Finding) -> bool:
    """Return whether one of these problems has a case, and a check, of a finding."""
    return any(
        problem.cases.intersection(finding.cases) and any(check.id in finding.checks for check in problem.checks)
        for problem in found
    )


_SHOWN_BY_CHANGES = ("operands-swapped",)
"""Symptoms that look like an unchanged copy in a case in which the program changes nothing."""


def _demonstration(
    report: Report, checks: Sequence[Check], names: Collection[str] = (), *, changed: bool = False
) -> Demonstration | None:
    """Return a failing case, of those with `names` if there are any; without one, what shows the wrong calls.

    Sentences have their examples from the same case. With `changed`, one in which the program changes a byte is
    better.
    """
    cases = [
        (place, check.program, case)
        for place, check in enumerate(checks)
        if isinstance(check.evidence, CasesEvidence)
        for case in check.evidence.cases
        if not case.passed and case.repeat and case.ending is not None
    ]
    cases = [one for one in cases if one[2].case in names] or cases
    if cases:
        _, program, case = min(
            cases,
            key=lambda one: order_as_example(one[2], one[0], is_unclear=changed and _copies(one[2].difference)),
        )
        got, expected = _case_outcome(case)
        note = _notation(got + expected, _at(case.difference)) if " od " in case.repeat else ""
        return Demonstration(_compile_line(report, program), case.repeat, got, expected, note, case.case)
    for check in checks:
        compile_line = _compile_line(report, check.program)
        match check.evidence:
            case CallsEvidence() as calls if calls.repeat:
                # The command may be for another input than the first one whose calls are wrong.
                failed = [one for one in calls.streams if not one.passed]
                wrong = next((one for one in failed if one.input in calls.repeat), next(iter(failed), None))
                got, expected = ("", "") if wrong is None else _calls_outcome(wrong)
                if got and wrong is not None and wrong.input not in calls.repeat:
                    got = f"with the input {one_line(wrong.input)}, {got}"
                return Demonstration(compile_line, calls.repeat, got, expected)
            case SymbolsEvidence(missing=missing, forbidden=forbidden) as symbols:
                wanted = [f"a call of {listed(map(one_line, group), 'or')}" for group in missing]
                wanted += [f"most bytes go through {listed(map(one_line, group), 'or')}" for group in symbols.unused]
                unwanted = [f"no call of {listed(map(one_line, forbidden), 'or')}"] if forbidden else []
                # What it calls as it should is not the problem.
                wrong_calls = {*forbidden, *symbols.instead}
                left_out = LEFT_OUT in check.message
                found = [] if left_out else sorted(wrong_calls or {*symbols.found})
                got = f"calls of {listed(map(one_line, found))}" if found else "none of these calls"
                if symbols.unused:
                    got = one_line(check.message)
                elif left_out:
                    got = "calls that are never reached: the compiled program does not have them"
                searched = [group[0] for group in missing] if left_out else found
                if symbols.unused:
                    searched = sorted(symbols.instead)
                return Demonstration("", _search(report, check.program, searched), got, listed([*wanted, *unwanted]))
    return None


def _copies(difference: Difference | None) -> bool:
    """Return whether an output is like the input around the first difference from the right one."""
    return difference is not None and difference.input is not None and difference.input.data == difference.actual.data


def _search(report: Report, program: str, names: Iterable[str]) -> str:
    """Return the line that searches the source for calls of these functions; "" without any."""
    command = next((build.command for build in report.builds if build.program == program), "")
    file, wanted = command.split(" ")[-1], "|".join(map(one_line, names))
    return f"grep -nwE '{wanted}' {file}" if wanted and file.endswith(".c") else ""


def _compile_line(report: Report, program: str) -> str:
    """Return the command that compiled a program, without options for warnings that it had no use for."""
    build = next((build for build in report.builds if build.program == program), None)
    if build is None:
        return ""
    return " ".join(
        word
        for word in build.command.split(" ")
        if not word.startswith("-W") or f"[{word.replace('-Wno-error=', '-W')}]" in build.messages
    )


def _case_outcome(case: CaseResult) -> tuple[str, str]:
    """Return what a case did and what it should have done."""
    ended = _ending(case)
    message = f", on standard error {_quoted(case.stderr)}" if case.stderr else ""
    flood = _STOPPED_BY_HEAD.search(case.repeat)
    if flood and flood[1] and case.expect == "reference-output":
        return ended, "nothing on standard error, then an exit"
    if case.difference is not None:
        return _copy_outcome(case, case.difference, ended, "" if case.differs_in else message)
    if case.expect == "operand-error":
        wrote = f", and on standard output {_quoted(case.stdout)}" if case.stdout else ""
        nothing = ", nothing on standard error" if wrote else ", no message"
        empty = ", nothing on standard output" if wrote else ""
        return f"{ended}{message or nothing}{wrote}", f"a message on standard error{empty}, exit status not 0"
    if case.expect is None or isinstance(case.ending, Exited):
        return "", ""
    if case.expect == "either":
        return ended, "an exit"
    return ended, "an exit (the output until then is right)"


def _ending(case: CaseResult) -> str:
    """Say how a case ended, as the command shows it: that has limits of its own."""
    match case.ending:
        case LimitReached(limit="cpu" | "wall"):
            return f"no end{' (exit status 124: timeout stops it)' if 'exit status' in case.repeat else ''}"
        case LimitReached(limit="output"):
            stopped = _STOPPED_BY_HEAD.search(case.repeat)
            stream = " on standard error" if stopped and stopped[1] else ""
            return f"{int(stopped[2]):,} bytes{stream} (head stops it)" if stopped else "far too much"
        case Signalled(signal=number) if "exit status" in case.repeat:
            return f"{ending_words(case.ending).partition(' (')[0]} (exit status {SIGNALLED + number})"
        case _:
            return ending_words(case.ending).partition(" (")[0]


def _copy_outcome(case: CaseResult, difference: Difference, ended: str, message: str) -> tuple[str, str]:
    size, expected_size = difference.actual_size_bytes, difference.expected_size_bytes
    counts = _counts(case.repeat)
    part = _PART_SHOWN.search(case.repeat)
    shown = range(int(part[1]), int(part[1]) + int(part[2])) if part else None
    right = _around(difference, difference.expected, expected_size, shown)
    expected = counted(expected_size, "byte") if counts else right
    if not isinstance(case.ending, Exited):
        after = f", after {counted(size, 'byte')}" if size else f", {_NO_OUTPUT}{message}"
        return f"{ended}{'' if case.ending == _FLOOD else after}", f"{counted(expected_size, 'byte')}, then an exit"
    if not size:
        got = "0 bytes" if counts else _NO_OUTPUT if message else "nothing"
        # The command does not show the status, which is only wrong if it is not 0.
        is_said = case.ending.code or "exit status" in case.repeat
        return f"{got}{f'; {ended}' if is_said else ''}{message}", expected
    got = counted(size, "byte") if counts else _around(difference, difference.actual, size, shown)
    return f"{got}{message}", expected


_OCTAL_BYTE = re.compile(r"(?<!\\)(?:\\\\)*\\([0-3][0-7]{2})")
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\0")


def _at(difference: Difference | None) -> str:
    """Return the byte that is right and the one that came where two outputs differ, as they are shown."""
    windows = () if difference is None else (difference.expected, difference.actual)
    offsets = [0 if difference is None else difference.offset - window.offset for window in windows]
    return "".join(
        "".join(escapes_of(window.data[at : at + 1])) for window, at in zip(windows, offsets, strict=True) if at >= 0
    )


def _notation(shown: str, at: str) -> str:
    """Explain a byte without a character or a name, which students know in hexadecimal, else a backslash.

    It is one of those where outputs differ (`at`), else the first.
    """
    octals = [octal for octal in _OCTAL_BYTE.findall(shown) if int(octal, 8)]
    differing = [octal for octal in _OCTAL_BYTE.findall(at) if octal in octals]
    found = next(iter((*differing, *octals)), "")
    if found and (differing or not _NUL.search(at)):
        return f"\\{found} is the byte {byte_words(int(found, 8))}, which od shows as {found}."
    if _NUL.search(shown):
        return r"\0 is NUL, the byte 0x00."
    return r"\\ is a backslash, which od shows as \." if r"\\" in shown else ""


def _quoted(data: bytes) -> str:
    return f"“{_fitting(data.rstrip(), QUOTED_COLUMNS)}”"


def _around(difference: Difference, window: Window, size_bytes: int, part: range | None) -> str:
    """Return the part of an output around the difference as text, with “…” where it goes on.

    `part` are the offsets that the command shows; None if it shows all.
    """
    start = 0 if difference.offset < 2 * BEFORE_BYTES and window.offset == 0 else difference.offset - BEFORE_BYTES
    end = window.offset + len(window.data)
    if part is not None:
        start, end = part.start, min(end, part.stop)
    data = window.data[max(0, start - window.offset) : max(0, end - window.offset)]
    before = "…" if start else ""
    shown = _fitting(data, SHOWN_COLUMNS)
    after = "" if shown.endswith("…") or end >= size_bytes else "…"
    if not data:
        return "nothing more" if start else "nothing"
    text = f"{before}{shown}{after}"
    # A blank at an end would not be seen.
    return f"“{text}”" if text != text.strip() else text


def _fitting(data: bytes, columns: int) -> str:
    text = ""
    for escaped in escapes_of(data):
        if len(text) + len(escaped) > columns:
            return f"{text}…"
        text += escaped
    return text


def _calls_outcome(stream: StreamJudgement) -> tuple[str, str]:
    if stream.expected_calls is None:
        return "", ""
    verb = verb_of(stream.stream)
    # strace also shows the reads of the dynamic loader and the writes of messages.
    where = "to a terminal" if stream.sink == "terminal" and stream.stream == "stdout" else stream.where
    got = f"{counted(stream.calls, verb)} {where} for {counted(stream.bytes, 'byte')}"
    most = "at most " if stream.derivation.startswith(AT_MOST) else ""
    expected = f"{most}{counted(stream.expected_calls, verb)}"
    derivation = stream.derivation.removeprefix(AT_MOST)
    if stream.deviation == "no-calls":
        return f"no {verb} {where}", f"{expected} for {derivation}"
    if stream.expected_calls == stream.calls:
        # The number is right by chance: the judge says why the calls are wrong.
        return one_line(stream.problem), f"{expected} {where} ({derivation})"
    counted_bytes = _COUNTED_BYTES.match(derivation)
    size = counted_bytes[1] if counted_bytes else "bytes"
    what = "this byte" if size == "1 byte" else f"these {size}"
    return got, f"{expected} for {what} ({derivation[counted_bytes.end() if counted_bytes else 0 :]})"


_COUNTED_BYTES = re.compile(r"([\d,]+ bytes?), ")
