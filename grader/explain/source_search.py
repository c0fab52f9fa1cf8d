"""What the sources of one submission have: constructs of its causes, lines that symptoms are about, small changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from threading import Lock

from grader.diagnose.source.edits import TEXT
from grader.explain.roles import patterns_of_roles
from grader.explain.source_patterns import FoundChanges, FoundInSource, FoundPlace, Question, search_sources
from grader.lab.source_files import source_files
from grader.model.lab import Lab
from grader.model.report import Report
from grader.model.spec.rubric import program_of
from grader.model.submission import Submission

Places = Mapping[str, tuple[FoundPlace, ...]]


_HEADERS = (".h", ".hh", ".hpp", ".hxx")


class SourceSearch:
    """Searches the sources of one submission for all of this at once: to start a process takes longer than to parse.

    A program is asked about when that is first needed, together with all programs that failed.
    """

    def __init__(self, lab: Lab, submission: Submission) -> None:
        self._lab = lab
        self._spec = lab.spec
        self._sources = source_files(lab.spec, submission, lab.provided)
        self._found: dict[str, FoundInSource] = {}
        self._lock = Lock()
        self.faults: dict[str, str] = {}
        """For a program in whose source the search failed, the traceback."""
        self.given_up: dict[str, str] = {}
        """For a program in whose source not all was found, the reason."""

    def constructs(self, report: Report, patterns: Mapping[str, str]) -> Mapping[str, Places]:
        """Return the places of the causes of a report that have a pattern, by program and cause; call this first.

        Raises:
            GraderError: the patterns are not valid, or no process can be started.
        """
        known = {
            program: {
                cause.name: patterns[cause.name]
                for cause in report.causes
                if cause.name in patterns and program in map(program_of, cause.checks)
            }
            for program in self._spec.programs
        }
        named = [program for program, of_program in known.items() if of_program]
        if named:
            self._search(report, named, known)
        return {program: self._found[program].places[0] for program in named if program in self._found}

    def lines_of_causes(self) -> Mapping[str, set[tuple[str, int]]]:
        """Return the files and lines that have the construct of each cause, as far as constructs were asked for."""
        lines: dict[str, set[tuple[str, int]]] = {}
        for program, found in self._found.items():
            file = self._spec.programs[program].main_source
            for cause, places in found.places[0].items():
                lines.setdefault(cause, set()).update((file, line) for place in places for line in place.lines)
        return lines

    def unsearched(self) -> Mapping[str, str]:
        """Return why a part of a source was not searched, by program: it is so whenever the source is searched."""
        known = {program: found.changes for program, found in self._found.items() if found.changes is not None}
        return {program: changes.unsearched for program, changes in known.items() if changes.unsearched}

    def prefetch(self, report: Report) -> None:
        """Search the sources of programs that failed, while something else is done.

        Raises:
            GraderError: no process can be started. A later question tries again.
        """
        with self._lock:
            failed = dict.fromkeys(check.program for check in report.checks if check.status == "failed")
            if any(program not in self._found for program in failed):
                self._search(report, (), {})

    def lines(self, report: Report, program: str) -> Places | None:
        """Return the lines that symptoms of a program may be about, by their role; None if there is no one source.

        Raises:
            GraderError: no process can be started.
        """
        found = self._of(report, program)
        return None if found is None else found.places[1]

    def changes(self, report: Report, program: str) -> FoundChanges | None:
        """Return the small changes of a program, None if there are none.

        Raises:
            GraderError: no process can be started.
        """
        found = self._of(report, program)
        return None if found is None else found.changes

    def _of(self, report: Report, program: str) -> FoundInSource | None:
        # The changes of two programs may be looked for at the same time.
        with self._lock:
            if program not in self._found:
                self._search(report, [program], {})
        return self._found.get(program)

    def _search(self, report: Report, programs: Iterable[str], patterns: Mapping[str, Mapping[str, str]]) -> None:
        compiled = {build.program for build in report.builds if build.ok}
        failed = {check.program for check in report.checks if check.status == "failed"} & compiled
        questions = {
            program: Question(
                self._sources[declared.main_source],
                (patterns.get(program, {}), patterns_of_roles()),
                self._headers(program),
            )
            for program, declared in self._spec.programs.items()
            if (program in programs or (program in failed and program not in self._found))
            and self._spec.is_single_c(program)
            and declared.main_source in self._sources
        }
        self._found.update(self._asked(questions))

    def _headers(self, program: str) -> Mapping[str, bytes]:
        declared = self._spec.programs[program]
        names = [*declared.headers, *(name for name in declared.provided if name.endswith(_HEADERS))]
        return {name: self._sources[name] for name in names if name in self._sources}

    def changes_of_copy(self, program: str, source: bytes) -> FoundChanges | None:
        """Return the small changes of a changed source of a program, None if they are not known.

        Raises:
            GraderError: no process can be started.
        """
        return self._asked({program: Question(source, headers=self._headers(program))})[program].changes

    def _without_texts(self, found: FoundInSource) -> FoundInSource:
        """Leave out changes of texts in a lab whose programs copy their input: a text cannot be a copy of each."""
        if found.changes is None or not self._lab.translates:
            return found
        kept = tuple(change for change in found.changes.changes if change.rank != TEXT)
        return replace(found, changes=replace(found.changes, changes=kept))

    def _asked(self, questions: Mapping[str, Question]) -> Mapping[str, FoundInSource]:
        found = map(self._without_texts, search_sources([*questions.values()]))
        answers = dict(zip(questions, found, strict=True))
        self.faults.update((program, found.fault) for program, found in answers.items() if found.fault)
        self.given_up.update((program, found.given_up) for program, found in answers.items() if found.given_up)
        return answers
