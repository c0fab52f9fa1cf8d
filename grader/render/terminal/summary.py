"""What a student reads first: the score and the problems, each with a command that shows it, on one screen.

The evidence and the tables are in `in_full`, and on the page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.segment import Segment
from rich.text import Text

from grader.model.counted import counted, listed, listed_up_to
from grader.model.report import CaseResult, CauseLine, Certainty, Check, Finding, RelatedLine, Report
from grader.model.spec.cases import Sink
from grader.render.terminal.notebook import notebook_summary
from grader.render.terminal.report import heading, not_graded, notes, skipped
from grader.render.terminal.styled_text import indented, labelled, shell, text
from grader.render.terminal.tables import figures
from grader.render.text.escape import first_sentences, one_line, short, visible_text
from grader.render.text.phrases import (
    certainty_label,
    certainty_legend,
    cost_words,
    points_counted,
    programs_words,
    sink_words,
)
from grader.render.text.visibility import visibility_words
from grader.render.views.copies import results_of_run
from grader.render.views.demonstrations import Demonstration
from grader.render.views.failures import lost_points
from grader.render.views.problems import Problem, may_follow, problems
from grader.render.views.syscalls import CallGroup, StreamRow, call_groups

Height = Callable[[Iterable[RenderableType]], int]
"""Returns how many lines of the terminal something takes."""

IN_FULL = 2
"""Number of problems that are all shown in full. If there are more, only the first is: students begin with it."""

MAX_SCREEN_LINES = 38
"""A screen without the two lines before a summary. What takes more is shown in short, or left to `--verbose`."""

BEFORE_COMMAND = 5
"""Lines of a problem before its command if that is to be one of the first twelve."""

MAX_LISTED = 8
"""Most problems that are listed; `--verbose` shows the others."""

MAX_TITLE_CHARS = 130
MAX_TEXT_CHARS = 320
MAX_ROW_CHARS = 78
"""A text that takes one line of 80 columns."""

MAX_SOURCE_CHARS = 148
"""A line of the source with its place: two lines of 80 columns."""

LEAST_SOURCE_CHARS = 12
"""What is shown of a line of the source at least, however long the words before it are."""

MAX_COMMAND_CHARS = 600
SHORT_COMMAND_CHARS = 76
"""A command that is shown with a problem that is not shown in full: it takes one line of 80 columns."""

MAX_CHECKS = 4
MAX_LINES = 2
INDENT = 2
_GOT, _EXPECTED = "You get:  ", "Expected: "
NEXT = "Next: "
"""Comes before what to do, or what to ask of the source."""


def summary(report: Report) -> RenderableType:
    """Return a report for at least 40 columns: at most 40 lines of 80 columns for nearly every submission."""
    if report.status == "not_graded":
        return Group(*heading(report), *not_graded(report))
    return _Summary(report, problems(report))


@dataclass(frozen=True)
class _Summary:
    """A report in short, with as many problems in full as fit on a screen."""

    report: Report
    found: Sequence[Problem]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        def height(parts: Iterable[RenderableType]) -> int:
            lines = console.render_lines(Group(*parts), options, pad=False)
            # The terminal folds a command that is too long.
            return sum(max(1, -(-Segment.get_line_length(line) // options.max_width)) for line in lines)

        listed = min(len(self.found), MAX_LISTED)
        parts = [*self._parts(len(self.found) if len(self.found) <= IN_FULL else 1, listed, height)]
        for fewer in range(listed, IN_FULL - 1, -1):
            if height(parts) <= MAX_SCREEN_LINES:
                break
            parts = [*self._parts(1, fewer, height)]
        yield from parts
        if self.report.notebook is not None:
            yield from notebook_summary(self.report.notebook)

    def _parts(self, in_full: int, listed: int, height: Height) -> Iterator[RenderableType]:
        # The command says first how programs are isolated.
        yield from heading(self.report, isolation=False)
        yield from self._problems(in_full, listed, height)
        yield from _first(self.found[:listed])
        yield from skipped(self.report, apart={check.id for problem in self.found for check in problem.blocked})
        yield from _calls_in_short(self.report) if self.found else figures(self.report)
        yield from notes(self.report)

    def _problems(self, in_full: int, listed: int, height: Height) -> Iterator[RenderableType]:
        known: set[Certainty] = set()
        compiled: set[str] = set()
        named: set[tuple[str, int]] = set()
        for number, problem in enumerate(self.found, 1):
            label = text(f"{number}. " if len(self.found) > 1 else "", style="bold red")
            if number <= in_full + 1:
                yield text("")
            if number > listed:
                yield indented(_left_out(self.found[listed:]), columns=0)
                return
            if number > in_full:
                yield from _in_short(label, problem, compiled, with_finding=number <= IN_FULL)
                yield from _legend(problem, known, columns=len(label))
                continue
            beginning, later = self._beginning(label, problem, named, height)
            yield from beginning
            if problem.demonstration is not None:
                yield from _demonstration(problem.demonstration, compiled)
            yield from _legend(problem, known, columns=INDENT)
            # What a small change repairs is known better than what the compiler says of it.
            if _is_repaired(problem):
                yield from _warning(problem)
            # A known bug has been named. The others are shorter, because the student begins with the first.
            if problem.cause is None or number == 1:
                yield from later
            yield indented(_cost(problem), columns=INDENT)

    def _beginning(
        self, label: Text, problem: Problem, named: set[tuple[str, int]], height: Height
    ) -> tuple[list[RenderableType], list[RenderableType]]:
        """Return what comes before the command of a problem, and the explanation if it comes after it.

        The command of the first problem has to be one of the first lines: perhaps there is room for one line of the
        source only.
        """
        few = len(self.found) <= IN_FULL
        title = labelled(label, (_title(problem), "bold red"))
        explanation, is_short = _explanation(problem, MAX_TEXT_CHARS if few else MAX_TITLE_CHARS)
        shows_fixes, before = self.report.shows_fixes, {*named}
        place = [*_where_and_next(problem, MAX_LINES if few else 1, named, shows_fixes=shows_fixes)]
        if problem is self.found[0]:
            single = [*_where_and_next(problem, 1, before, shows_fixes=shows_fixes, in_rows=not problem.lines)]
            if problem.advises and not is_short:
                fitting = [one for one in (place, single) if height([title, *one, *explanation]) <= BEFORE_COMMAND]
                place, is_short = (fitting or [place])[0], bool(fitting)
            elif problem.lines and height([title, *place]) > BEFORE_COMMAND:
                place = single
        return [title, *place, *(explanation if is_short else [])], [] if is_short else explanation


def _where_and_next(
    problem: Problem, max_lines: int, named: set[tuple[str, int]], *, shows_fixes: bool, in_rows: bool = False
) -> Iterator[RenderableType]:
    """Yield the lines of the source that a problem is about, and what to change there if that is known."""
    yield from _place(problem, max_lines, shows_fixes=shows_fixes)
    # The next step is one of the first lines, too, so it leaves less room.
    is_cut = bool(problem.next) and len(problem.programs) == 1
    related = problem.related[:1] if is_cut else problem.related
    in_rows = in_rows or bool(problem.next)
    others = problem.related if in_rows and (is_cut or max_lines == 1) else ()
    yield from _related(_chosen(related, max_lines), named, in_rows=in_rows, others=others)
    begun = {(line.file, line.number) for line in related}
    found = [finding for finding in problem.marked if (finding.file, finding.line) not in begun]
    if found and related and not (problem.proof and problem.lines):
        yield indented(f"A memory checker reports {_lines_of(found)}, too.", columns=INDENT)
    # A cause with a line, or what a memory checker found, says the same better.
    if not _is_repaired(problem) and (problem.related or not _where(problem)):
        yield from _warning(problem)
    if problem.next:
        yield _next(first_sentences(problem.next, MAX_TITLE_CHARS))


def _is_repaired(problem: Problem) -> bool:
    """Return whether a small change repairs the problem, which is not a known bug."""
    return bool(problem.proof) and problem.cause is None


def _chosen(lines: Sequence[RelatedLine], most: int) -> Sequence[RelatedLine]:
    """Return the first lines, if there is room one of each file."""
    firsts = [
        next(line for line in lines if line.file == file) for file in dict.fromkeys(line.file for line in lines)
    ]
    return firsts[:most] if len(firsts) > 1 else lines[:most]


def _explanation(problem: Problem, limit_chars: int) -> tuple[list[RenderableType], bool]:
    """Return what happens, or what to do next if the problem is not a known bug, and whether it takes one line."""
    words = first_sentences(problem.text, limit_chars)
    if not words:
        return [], True
    if problem.advises:
        return [_next(words)], len(NEXT) + len(words) <= MAX_ROW_CHARS
    return [indented(words, columns=INDENT)], len(words) <= MAX_ROW_CHARS


def _next(step: str) -> RenderableType:
    return indented((NEXT, "bold"), step, columns=INDENT)


def _warning(problem: Problem) -> Iterator[RenderableType]:
    """Yield the first warning; without its place if that is the line to begin with."""
    for warning in problem.warnings[:1]:
        location = one_line(warning.location)
        places = (*problem.lines, *problem.related)[:1]
        begins = any(location.startswith(f"{line.file}:{line.number}:") for line in places)
        message = short(one_line(warning.message), MAX_TITLE_CHARS)
        said = "The grader's compilation warns there: " if begins else "The grader's compilation warned: "
        yield indented((said, "bold"), message if begins else f"{location}: {message}", columns=INDENT)


def _first(found: Sequence[Problem]) -> Iterator[RenderableType]:
    """Say which problems may be consequences of the first."""
    following = may_follow(found)
    if following:
        numbers = listed([str(number) for number in following])
        yield indented(f"Fix 1 first, and check again: {numbers} may come from the same mistake.", columns=0)


def _left_out(problems_left: Sequence[Problem]) -> str:
    """Say what the problems that are not listed cost; several may share a check."""
    checks = {check.id: check for problem in problems_left for check in problem.checks}
    names, together = [*map(one_line, checks)], points_counted(lost_points(checks.values()))
    what = f"And {counted(len(problems_left), 'more problem')} (see --verbose), in checks that cost {together}"
    return f"{what}: {listed_up_to(MAX_CHECKS, names, 'check')}."


def _legend(problem: Problem, known: set[Certainty], *, columns: int) -> Iterator[RenderableType]:
    """Explain the word before the title of a problem if it has one that is not known from an earlier problem."""
    if problem.certainty is not None and problem.certainty not in known:
        known.add(problem.certainty)
        yield indented((certainty_legend(problem.certainty), "dim"), columns=columns)


def _in_short(label: Text, problem: Problem, compiled: set[str], *, with_finding: bool) -> Iterator[RenderableType]:
    """Yield a problem without its evidence; only of the first ones is there room for what a memory checker found."""
    title = f"{_title(problem).rstrip('.')}{_where(problem)}."
    shown = problem.demonstration
    command = "" if shown is None or "\n" in shown.lines or len(shown.lines) > SHORT_COMMAND_CHARS else shown.lines
    see_it = " See it:" if command else ""
    yield labelled(label, (title, "bold red"), f" {_cost(problem)}{'' if problem.proof else see_it}")
    if problem.proof:
        fix = short(one_line(problem.fix), 2 * MAX_TITLE_CHARS)
        yield labelled(text(" " * len(label)), f"Fix: {fix}{see_it}")
    elif with_finding and problem.findings and not problem.related:
        message = short(one_line(problem.marked[0].message), MAX_TITLE_CHARS)
        yield labelled(text(" " * len(label)), f"A memory checker found: {message}")
    if shown is not None and command:
        yield from _commands(shown, compiled)


def _title(problem: Problem) -> str:
    title = first_sentences(problem.title, MAX_TITLE_CHARS)
    if problem.certainty is None:
        return title
    programs = "" if problem.cause is None else programs_words(problem.title, problem.programs)
    return f"{certainty_label(problem.certainty)}{programs}: {title}"


def _where(problem: Problem) -> str:
    lines = [(line.file, line.number) for line in problem.lines]
    lines += [(finding.file, finding.line) for finding in problem.findings]
    if lines:
        return f" ({one_line(lines[0][0])}:{lines[0][1]})"
    return "".join(f" (see {one_line(line.file)}:{line.number})" for line in problem.related[:1])


def _cost(problem: Problem) -> str:
    own, elsewhere = (
        listed_up_to(MAX_CHECKS, [one_line(check.id) + _unseen(check) for check in checks], "check") if checks else ""
        for checks in (problem.own, problem.elsewhere)
    )
    blocked = f", and {counted(len(problem.blocked), 'check')} that cannot run without it" if problem.blocked else ""
    return cost_words(problem.own_lost_points, f"{own}{blocked}", elsewhere)


def _unseen(check: Check) -> str:
    return "" if check.visibility == "visible" else f" ({visibility_words(check.visibility)})"


def _place(problem: Problem, max_lines: int, *, shows_fixes: bool) -> Iterator[RenderableType]:
    if problem.error is not None:
        place = f"{one_line(problem.error.location)}: {one_line(problem.error.message)}"
        yield indented(short(place, MAX_TITLE_CHARS), columns=INDENT)
        source = problem.error.source.partition("\n")[0].strip()
        if source:
            yield indented(short(visible_text(source), MAX_SOURCE_CHARS), columns=INDENT)
    for line in problem.lines[:max_lines]:
        also = _also(line, problem.lines[:max_lines], problem.lines)
        yield _source(line.file, line.number, line.text, also)
    if problem.proof:
        yield indented(("Fix: ", "bold"), short(one_line(problem.fix), 2 * MAX_TITLE_CHARS), columns=INDENT)
    if problem.cause is not None and problem.cause.proof is not None and shows_fixes:
        for line in problem.cause.proof.fixed[:MAX_LINES]:
            yield _source(f"fixed, {line.file}", line.number, line.text)
    if problem.proof and problem.lines:
        # Another line, where the mistake takes effect, would seem to contradict the proof.
        return
    if problem.findings and not problem.related:
        yield from _findings(problem.marked)


def _related(
    lines: Sequence[RelatedLine],
    named: set[tuple[str, int]],
    *,
    in_rows: bool = False,
    others: Sequence[RelatedLine] = (),
) -> Iterator[RenderableType]:
    """Yield lines to begin with: what they do is known, and not more. `named` are those of the problems above.

    With `in_rows`, each takes one row of the terminal; without it, the first may take two. Of `others`, for which
    there may be no row, the last one has the numbers.
    """
    places = {(line.file, line.number) for line in lines}
    if places and places <= named:
        numbers = listed([str(number) for _, number in sorted(places)])
        yield indented(f"Begin with {'line' if len(places) == 1 else 'lines'} {numbers} here, too.", columns=INDENT)
        return
    named |= places
    for number, line in enumerate(lines):
        room = MAX_ROW_CHARS if number or in_rows else MAX_SOURCE_CHARS
        joins = "or" if line.file == lines[number - 1].file else "and"
        place = f"{joins if number else 'Begin'} at {one_line(line.file)}:{line.number}, which {line.does}: "
        also = _also(line, lines, others)
        if len(place) + LEAST_SOURCE_CHARS > room:
            # It takes two rows anyway.
            room = MAX_SOURCE_CHARS
        if len(place) + len(also) + LEAST_SOURCE_CHARS > room:
            also = ""
        most_chars = max(room - len(place) - len(also), LEAST_SOURCE_CHARS)
        yield indented(place, f"{short(visible_text(line.text.strip()), most_chars)}{also}", columns=INDENT)


def _findings(findings: Sequence[Finding]) -> Iterator[RenderableType]:
    first, *others = findings
    unseen = " (hidden from students)" if first.hidden else ""
    message = short(one_line(first.message), MAX_TITLE_CHARS)
    yield indented(("A memory checker found: ", "bold"), message, unseen, columns=INDENT)
    code = next((line.text.strip() for line in first.source if line.number == first.line), "")
    if code:
        yield _source(first.file, first.line, code)
    if others:
        yield indented(f"A memory checker found more mistakes: {_lines_of(others)}.", columns=INDENT)


def _lines_of(findings: Sequence[Finding]) -> str:
    return listed(f"{one_line(finding.file)}:{finding.line}" for finding in findings[:MAX_LINES])


def _source(file: str, number: int, code: str, also: str = "") -> RenderableType:
    """Return a line of a source; `also` names other lines, for which there is no row."""
    place = f"{one_line(file)}:{number}: "
    room = (MAX_ROW_CHARS - 2 * INDENT if also else MAX_SOURCE_CHARS) - len(place) - len(also)
    code = short(visible_text(code.strip()), max(room, LEAST_SOURCE_CHARS))
    return indented(place, code, also, columns=2 * INDENT)


def _also(line: CauseLine, shown: Sequence[CauseLine], every: Sequence[CauseLine]) -> str:
    """Name the lines of a file for which there is no row, after the last one of the file that has one."""
    with_row = [one.number for one in shown if one.file == line.file]
    rest = sorted({one.number for one in every if one.file == line.file}.difference(with_row))
    if line.number != with_row[-1] or not rest:
        return ""
    return f" (and {'line' if len(rest) == 1 else 'lines'} {listed([str(one) for one in rest])})"


def _commands(shown: Demonstration, compiled: set[str]) -> Iterator[RenderableType]:
    """Yield the lines, after the one that compiles the program if no earlier problem has it."""
    compiles = "" if shown.compile in compiled else shown.compile
    yield from shell("\n".join(filter(None, [compiles, shown.lines])))
    compiled.add(shown.compile)


def _demonstration(shown: Demonstration, compiled: set[str]) -> Iterator[RenderableType]:
    if len(shown.lines) > MAX_COMMAND_CHARS:
        words = "the command is too long for a terminal. Add --html report.html, and copy it from the page."
        yield indented(("See it: ", "bold"), words, columns=INDENT)
    elif shown.compile or shown.lines:
        yield indented(("See it:", "bold"), columns=INDENT)
        yield from _commands(shown, compiled)
    for label, words in ((_GOT, shown.got), (_EXPECTED, shown.expected)):
        if words:
            yield labelled(text(" " * INDENT, (label, "bold")), one_line(words))
    if shown.note:
        yield indented((shown.note, "dim"), columns=INDENT)


def _calls_in_short(report: Report) -> Iterator[RenderableType]:
    """Yield one sentence on the calls of the largest input to a file: what the lab is about."""
    group = next((group for group in call_groups(report) if group.streams), None)
    if group is None:
        return
    size = counted(group.size_bytes, "byte") if group.size_bytes else listed(map(one_line, group.runs))
    first = group.runs[0]
    streams = {(row.program, row.verb) for row in group.streams}
    differ = len(streams) < len({(row.program, row.verb, row.calls) for row in group.streams})
    case = f"in {one_line(first)}, " if differ else ""
    words = "; ".join(_calls_of_programs(report, group, first))
    yield text("")
    ends = _reads_besides(group, first)
    yield indented(
        f"System calls {case}for {size} {sink_words(group.sink)}: {words}.{_as_many(group)}{ends}", columns=0
    )


def _as_many(group: CallGroup) -> str:
    """Say that the reference makes the same numbers of calls, if it does."""
    is_same = all(row.calls == row.reference_calls for row in group.streams) and not group.uncounted
    return " The reference makes as many." if is_same else ""


def _reads_besides(group: CallGroup, run: str) -> str:
    """Say which reads of a program are not of a byte, if it reads one byte at a time and that is certain."""
    for row in group.streams:
        if row.besides and _shown_run(row.program, group, run) in row.runs:
            return f" The reads of {one_line(row.program)} include {listed(row.besides)}."
    return ""


_UNTIL = {"signalled": " until it crashed", "limit": " until it was stopped"}
"""What to say of the calls of a run that did not end by itself, by the kind of its ending."""


def _results(report: Report, program: str, run: str, sink: Sink) -> list[CaseResult]:
    """Return what checks found in a run whose calls were counted."""
    tables = (
        table
        for table in report.syscalls
        if table.case and (table.program, table.name, table.sink) == (program, run, sink)
    )
    return [result for table in tables for result in results_of_run(report, program, table)]


def _until(results: Sequence[CaseResult]) -> str:
    """Return until when a program made its calls in a run, or that they do not copy all; empty if they do."""
    kinds = (result.ending.kind for result in results if result.ending is not None)
    differences = [result.difference for result in results if result.difference is not None]
    sizes = [one.actual_size_bytes for one in differences if one.actual_size_bytes < one.expected_size_bytes]
    early = "" if not sizes else ", and does not copy everything" if any(sizes) else ", nothing to standard output"
    return next((_UNTIL[kind] for kind in kinds if kind in _UNTIL), early)


def _calls_of_programs(report: Report, group: CallGroup, run: str) -> Iterator[str]:
    for program in dict.fromkeys(row.program for row in group.streams):
        of_program = [row for row in group.streams if row.program == program]
        own_run = _shown_run(program, group, run)
        rows = {row.verb: row for row in of_program if own_run in row.runs}
        where = "" if own_run == run else f" in {one_line(own_run)}"
        results = _results(report, program, own_run, group.sink)
        messages = any(result.stderr for result in results)
        own = [(verb, row.calls, _calls_elsewhere(row, messages=messages)) for verb, row in rows.items()]
        others = [(verb, row.reference_calls, "") for verb, row in rows.items() if row.reference_calls is not None]
        differs = any(row.reference_calls not in (None, row.calls) for row in rows.values())
        reference = f" (reference: {_counted(others)})" if differs else ""
        yield f"{one_line(program)}{where} {_counted(own)}{_until(results)}{reference}"
    for program in group.uncounted:
        yield f"{one_line(program)} was not counted"


def _shown_run(program: str, group: CallGroup, run: str) -> str:
    """Return the run of a program whose calls are shown: perhaps they were not counted in this one."""
    runs = [name for row in group.streams if row.program == program for name in row.runs]
    return run if run in runs else runs[0]


def _calls_elsewhere(row: StreamRow, *, messages: bool) -> str:
    """Say which calls these are if they are not the plain ones, or do not belong to the copy.

    `messages`: the program wrote to standard error.
    """
    if row.other_call:
        return f" (with {row.other_call})"
    if row.verb == "write" and row.elsewhere:
        number = "" if row.elsewhere == row.calls else f"{row.elsewhere:,} of them "
        return f" ({number}{'to standard error' if messages else 'elsewhere'})"
    return " (by the dynamic loader)" if row.verb == "read" and row.calls == row.elsewhere == 1 else ""


def _counted(calls: Iterable[tuple[str, int, str]]) -> str:
    return " and ".join(f"{counted(number, verb)}{remark}" for verb, number, remark in sorted(calls))
