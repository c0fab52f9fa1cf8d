"""Read the programs of a class, of earlier terms and of the template, to find those that are alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.batch.cpus import cpu_count
from grader.batch.found_again import find_again
from grader.batch.gradebook import Gradebook
from grader.batch.source_tokens import source_tokens
from grader.course.grades import used_files
from grader.errors import GraderError
from grader.intake.names import shown
from grader.intake.reading import NOTHING_USED, DiscoveredSubmission, read_submission
from grader.intake.submissions import find_submissions
from grader.lab.find import LabFiles
from grader.messages import Notify
from grader.model.spec.lab import Spec
from grader.model.submission import Source, Submission
from grader.similarity.submissions import ClassComparison, ComparedSubmission, TokenizedProgram, similarities


@dataclass(frozen=True)
class FoundSubmission:
    """A submission to compare; `term` is empty for one of the class itself."""

    submission: Submission
    term: str = ""


@dataclass(frozen=True)
class ClassSources:
    """The submissions of a gradebook: those that were found, and the names of those that are gone or have changed."""

    found: tuple[FoundSubmission, ...]
    gone: tuple[str, ...]
    changed: tuple[str, ...]


def class_sources(book: Gradebook, spec: Spec, paths: Sequence[Path]) -> ClassSources:
    """Return the sources of the submissions in a gradebook, from the paths where they were graded, or from others.

    A submission that has changed is compared as it is now.
    """
    candidates = find_again(book, spec, [[str(path)] for path in paths])
    entries = book.entries()
    used = used_files(entries, book.rules())
    found: list[FoundSubmission] = []
    gone: list[str] = []
    changed: list[str] = []
    for entry in entries:
        use = used.get(entry.name, NOTHING_USED)
        # An override may choose a file that is not there; then nothing was graded by it.
        every = (_read(one, spec, use) or _read(one, spec) for one in candidates.get(entry.name, ()))
        read = [one for one in every if one is not None]
        same = [one for one in read if one.digest() == entry.report.submission.digest]
        if not read:
            # Typed text has no program, today as when it was handed in.
            is_without = any(one.problem for one in candidates.get(entry.name, ()))
            gone += [] if entry.report.undecided or is_without else [entry.name]
            continue
        if not same:
            changed.append(entry.name)
        found.append(FoundSubmission((same or read)[0]))
    return ClassSources(tuple(found), tuple(gone), tuple(changed))


def corpus_sources(folders: Iterable[Path], spec: Spec, notify: Notify) -> list[FoundSubmission]:
    """Return the submissions of earlier terms.

    Raises:
        UsageError: a folder does not exist, or holds no submissions.
    """
    found: list[FoundSubmission] = []
    for folder in folders:
        read = (_read(one, spec) for one in find_submissions([folder], spec, notify=notify))
        found += (FoundSubmission(one, shown(str(folder))) for one in read if one is not None)
    return found


def compare_class(
    sources: ClassSources, corpus: Sequence[FoundSubmission], spec: Spec, lab: LabFiles
) -> ClassComparison:
    """Find the submissions whose programs are alike.

    Raises:
        GraderError: no process can be started.
    """
    found = (*sources.found, *corpus)
    works = [_sources(spec, one.submission) for one in found]
    template = _template(spec, lab)
    texts = [source for work in (*works, template) for source in work.values()]
    parsed_sources = source_tokens(texts, cpu_count())
    tokens = iter(parsed_sources)
    unusable: list[str] = []
    submissions: list[ComparedSubmission] = []
    for one, work in zip(found, works, strict=True):
        programs = {name: (source, next(tokens)) for name, source in work.items()}
        unusable += (f"{one.submission.name}: {name}" for name, (_, parsed) in programs.items() if parsed is None)
        usable = {name: TokenizedProgram(source, parsed) for name, (source, parsed) in programs.items() if parsed}
        submissions.append(ComparedSubmission(one.submission.name, usable, one.term))
    given = {name: (source, next(tokens)) for name, source in template.items()}
    known = {name: [TokenizedProgram(source, parsed)] for name, (source, parsed) in given.items() if parsed}
    return ClassComparison(
        spec.title,
        tuple(submissions),
        similarities(submissions, known),
        gone=sources.gone,
        changed=sources.changed,
        unusable=tuple(unusable),
    )


def _read(one: DiscoveredSubmission, spec: Spec, use: Mapping[str, str] = NOTHING_USED) -> Submission | None:
    try:
        return read_submission(one, spec, use)
    except GraderError:
        return None


def _template(spec: Spec, lab: LabFiles) -> dict[str, bytes]:
    """Return the programs of the lab's template, if it has one."""
    if not lab.template.is_dir():
        return {}
    return _sources(spec, read_submission(DiscoveredSubmission("template", lab.template), spec))


def _sources(spec: Spec, submission: Submission) -> dict[str, bytes]:
    """Return each program as one text; after the first file of a program, a comment names each other one."""
    return {
        program: b"".join(
            (b"" if number == 0 else b"\n/* %s */\n" % name.encode("utf-8")) + data
            for number, (name, data) in enumerate(source.files(spec.programs[program].files).items())
        )
        for program, source in submission.sources.items()
        if isinstance(source, Source)
    }
