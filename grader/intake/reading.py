"""Read the sources of a discovered submission: from a folder, an archive, or files of an export."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from grader.errors import GraderError, NothingToGradeError
from grader.intake.archive import files_of
from grader.intake.bounds import STUDENT, ArchiveError
from grader.intake.choice import (
    MAX_NAMED,
    Bundle,
    Choice,
    Copy,
    SourceFolder,
    archives,
    choose,
    chosen_by_name,
    is_within_reach,
    last_first,
    within_reach,
)
from grader.intake.file_kinds import kind_problem
from grader.intake.files import DiskFile, File
from grader.intake.missing import missing
from grader.intake.names import base, is_archive, is_ignored, shown
from grader.intake.oddities import oddities
from grader.intake.parts import HandedIn, handed_in, only_of_course
from grader.intake.walk import walk
from grader.model.counted import listed, listed_up_to
from grader.model.gradebook import OVERRIDES_FILE, Origin
from grader.model.spec.lab import Spec
from grader.model.submission import NotebookFile, Source, Submission, UnusableSource
from grader.model.visible import readable

NOWHERE = Origin(path="")
"""The origin of programs that nobody handed in."""

MAX_COMPARED = 20
"""Number of copies of a source to compare with the one that was chosen; one more counts as different."""

MAX_ARCHIVES = 3
"""Number of archives to read in one submission."""

NOTEBOOK_BYTES = 2_000_000
"""Most bytes of a notebook. An assistant cannot read more, and logs belong into files of their own."""


@dataclass(frozen=True)
class DiscoveredSubmission:
    """A submission: the name of its results, its content, and where it came from.

    `content` is a folder or an archive on disk, or the files themselves if an export has those of many students in
    one folder or archive. Archives are opened and closed as they are read, so nobody has to close anything.
    `problem` says why it has nothing that can be graded, which is not a student's failure, and `doubt` what somebody
    should look at. It `keeps_parts` if it is of a class in which a course system has made the folders of parts.py.
    """

    name: str
    content: Path | tuple[File, ...]
    origin: Origin = NOWHERE
    problem: str = ""
    doubt: str = ""
    keeps_parts: bool = False

    @property
    def path(self) -> Path:
        """Where it is; a path in an archive begins with that of the archive."""
        return self.content if isinstance(self.content, Path) else Path(self.origin.path)


_NOT_COMPARED = ". What is in it was neither graded nor compared"

NOTHING_USED: Mapping[str, str] = {}
NO_TEMPLATE: Mapping[str, Source] = {}


def template_of(spec: Spec, folder: Path) -> Mapping[str, Source]:
    """Return the sources in the folder of the lab's template, if there is one.

    Raises:
        GraderError: the grader has no permission to read one.
    """
    there = (DiskFile(name, str(folder / name)) for name in spec.sources if (folder / name).is_file())
    read = {file.path: file.read(spec.limits.source_bytes) for file in there}
    return {name: source for name, source in read.items() if isinstance(source, Source)}


def read_submission(
    found: DiscoveredSubmission,
    spec: Spec,
    use: Mapping[str, str] = NOTHING_USED,
    template: Mapping[str, Source] = NO_TEMPLATE,
) -> Submission:
    """Read the sources of a submission; `use` has the files that are graded as other sources, by source.

    `template` has the sources that all students were given: another copy of one of these may be the student's work.

    Raises:
        NothingToGradeError: there is nothing that can be graded, or a file in `use` is not there.
        GraderError: the grader has no permission to read a file.
    """
    if found.problem:
        raise NothingToGradeError(found.problem)
    notebooks = () if spec.notebook is None else spec.notebook.files
    try:
        files, unsearched = _files(found.content, (*spec.sources, *notebooks))
    except OSError as error:
        raise GraderError(f"{found.name} cannot be read: {error.strerror}") from error
    if unsearched and not files:
        raise NothingToGradeError("; ".join(unsearched))
    submission = read_files(found.name, files, spec, use=use, template=template, keeps_parts=found.keeps_parts)
    may_be_class_s = not use and found.origin.system is None and not found.keeps_parts
    of_course = only_of_course(files, spec.sources) if may_be_class_s else ""
    doubts = tuple(filter(None, (found.doubt, of_course, *unsearched)))
    return replace(submission, notes=(*doubts, *submission.notes), doubts=(*doubts, *submission.doubts))


def read_files(  # noqa: PLR0913 - as read_submission, and what is known of the files
    name: str,
    files: Sequence[File],
    spec: Spec,
    notes: tuple[str, ...] = (),
    use: Mapping[str, str] = NOTHING_USED,
    *,
    template: Mapping[str, Source] = NO_TEMPLATE,
    keeps_parts: bool = False,
) -> Submission:
    """Read the sources among the files of a submission; see read_submission.

    An archive next to sources is only compared with these, also if they are in an archive.

    Raises:
        GraderError: the grader has no permission to read a file, or one in `use` is not there.
    """
    try:
        everything = Bundle(files)
        part = _handed_in(everything, spec, use, keeps_parts=keeps_parts)
        notes = (*part.notes, *notes)
        choice = choose([part.own], spec.sources, part.doubtful)
        packed = archives(part.own.files)
        loose = Bundle([file for file in files if not is_archive(file.path)])
        found = {source for source, path in use.items() if chosen_by_name(path, [loose])}
        if packed and not choice.files and not {*spec.sources} <= found:
            # A file next to the archives may be used instead of one in them.
            beside = [loose] if found else []
            return _read_packed(name, part, spec, notes, use, template=template, beside=beside)
        with ExitStack() as opened:
            nearby, unread = _nearby([part.own], opened)
            if nearby:
                words = f"the sources next to {shown(nearby[0].label)} were graded, and the archive was only compared"
                notes = (*notes, words)
                rivals = [_chosen_alone(bundle, spec) for bundle in nearby]
                choice = choose([part.own], spec.sources, (*part.doubtful, *rivals))
            choice = _with_used(name, choice, [everything], use, nearby)
            choice = _with_template(choice, template, spec).with_notes(notes)
            submission = _submission(name, spec, choice, [part.own], [everything])
            return _with_unread(submission, unread, spec, use)
    except OSError as error:
        raise GraderError(f"{name} cannot be read: {error.strerror}") from error


def _files(content: Path | tuple[File, ...], sought: Sequence[str]) -> tuple[Sequence[File], tuple[str, ...]]:
    if not isinstance(content, Path):
        return content, ()
    if content.is_file():
        return (DiskFile(content.name, str(content)),), ()
    return walk(str(content), sought)


def _handed_in(bundle: Bundle, spec: Spec, use: Mapping[str, str], *, keeps_parts: bool = False) -> HandedIn:
    try:
        return handed_in(bundle, spec.sources, keeps_parts=keeps_parts)
    except NothingToGradeError:
        if not use:
            raise
        # The course has decided what to grade.
        return HandedIn(Bundle((), bundle.label))


def _handed_in_or_error(bundle: Bundle, spec: Spec, use: Mapping[str, str]) -> HandedIn | NothingToGradeError:
    try:
        return _handed_in(bundle, spec, use)
    except NothingToGradeError as error:
        return error


def _nearby(own: Sequence[Bundle], opened: ExitStack) -> tuple[list[Bundle], list[str]]:
    """Return the archives among sources, which are only compared with these, and words about those not read."""
    packed = [(bundle, file) for bundle in own for file in archives(bundle.files)]
    found: list[Bundle] = []
    unread: list[str] = []
    for around, file in packed[:MAX_ARCHIVES]:
        try:
            bundle = _opened_bundle(file, opened, around.label)
        except GraderError as error:
            # It stops nobody, as there are sources next to it.
            bundle = str(error)
        if isinstance(bundle, Bundle):
            found.append(bundle)
        else:
            unread.append(bundle + _NOT_COMPARED)
    return found, [*unread, *_too_many(len(packed))]


def _too_many(number: int) -> list[str]:
    return [f"only {MAX_ARCHIVES} of {number} archives were searched"] if number > MAX_ARCHIVES else []


def _with_unread(submission: Submission, unread: Sequence[str], spec: Spec, use: Mapping[str, str]) -> Submission:
    """Return a submission in which archives that were not read are doubtful, until the course has decided."""
    doubts = () if {*spec.sources} <= {*use} else unread
    return replace(submission, notes=(*submission.notes, *unread), doubts=(*submission.doubts, *doubts))


def _chosen_alone(bundle: Bundle, spec: Spec) -> Bundle:
    """Return what would be graded of an archive if nothing else were handed in."""
    part = _handed_in_or_error(bundle, spec, NOTHING_USED)
    if not isinstance(part, HandedIn):
        return Bundle((), bundle.label)
    files = choose([part.own], spec.sources).files.values()
    # What has other names, or is too deep, may be meant, too.
    return Bundle([*files] or part.own.files, bundle.label)


def _with_template(choice: Choice, template: Mapping[str, Source], spec: Spec) -> Choice:
    """Return a choice in which every copy of an untouched source of the lab's template may be meant instead.

    A copy that is the template itself is never meant.
    """
    copies = dict(choice.copies)
    for source, given in template.items():
        if found := copies.get(source):
            taken = choice.files.get(source)
            is_given = taken is not None and taken.read(spec.limits.source_bytes) == given
            copies[source] = tuple(
                replace(copy, is_rival=copy.is_rival or is_given)
                for number, copy in enumerate(found)
                if number >= MAX_COMPARED or copy.file.read(spec.limits.source_bytes) != given
            )
    return replace(choice, copies=copies)


def _with_used(
    name: str, choice: Choice, bundles: Sequence[Bundle], use: Mapping[str, str], next_to: Sequence[Bundle] = ()
) -> Choice:
    """Return a choice in which the files in `use` replace others; those in archives `next_to` them come last."""
    for source, path in use.items():
        file = chosen_by_name(path, bundles) or chosen_by_name(path, next_to)
        if file is None:
            there = sorted(file.path for bundle in bundles for file in bundle.files if is_within_reach(file.path))
            has = f"its files: {listed_up_to(MAX_NAMED, [*map(shown, there)])}" if there else "it has no files"
            raise NothingToGradeError(f"{OVERRIDES_FILE}: {name} has no file {path!r} to use as {source}; {has}")
        note = f"{shown(file.path)} was graded as {source}, as the course decided"
        files, copies = {**choice.files, source: file}, {**choice.copies, source: ()}
        choice = replace(choice.with_notes((note,)), files=files, copies=copies, siblings=())
    return choice


def _read_packed(  # noqa: PLR0913 - as read_files
    name: str,
    around: HandedIn,
    spec: Spec,
    notes: tuple[str, ...],
    use: Mapping[str, str],
    *,
    template: Mapping[str, Source],
    beside: Sequence[Bundle],
) -> Submission:
    packed = archives(around.own.files)
    with ExitStack() as opened:
        results = [_opened_bundle(file, opened) for file in packed[:MAX_ARCHIVES]]
        bundles = [one for one in results if isinstance(one, Bundle)]
        refused = [one for one in results if isinstance(one, str)]
        outcomes = [(bundle.label, _handed_in_or_error(bundle, spec, use)) for bundle in bundles]
        parts = [part for _, part in outcomes if isinstance(part, HandedIn)]
        errors = [(label, error) for label, error in outcomes if isinstance(error, NothingToGradeError)]
        notes = (*notes, *(f"{shown(label)}: {error}" for label, error in errors))
        if not parts and refused and not beside:
            sources = {program: UnusableSource(refused[0]) for program in spec.programs}
            return Submission(name, sources, (*notes, *refused[1:]))
        if not parts and not beside:
            raise errors[0][1]
        own = [part.own for part in parts] or [*beside]
        part_notes = [note for part in parts for note in part.notes]
        nearby, unread = _nearby(own, opened)
        rivals = [around.own, *(bundle for part in (around, *parts) for bundle in part.doubtful)]
        rivals += [_chosen_alone(bundle, spec) for bundle in nearby]
        everything = [*beside, *bundles]
        choice = _with_used(name, choose(own, spec.sources, rivals), everything, use, nearby)
        choice = _with_template(choice, template, spec).with_notes((*part_notes, *notes))
        submission = _submission(name, spec, choice, own, everything)
        unread = [*(words + _NOT_COMPARED for words in refused), *_too_many(len(packed)), *unread]
        return _with_unread(submission, unread, spec, use)


def _opened_bundle(file: File, opened: ExitStack, around: str = "") -> Bundle | str:
    """Open an archive, which may be in one whose name is `around`; return what is wrong with it if that fails."""
    label = "/".join(filter(None, (around, file.path)))
    try:
        files = files_of(opened.enter_context(file.open()), STUDENT)
        return Bundle([inner for inner in files if not is_ignored(inner.path)], label)
    except ArchiveError as error:
        return f"{shown(label)} {error}"


def _submission(
    name: str, spec: Spec, choice: Choice, own: Sequence[Bundle], everything: Sequence[Bundle]
) -> Submission:
    as_handed_in = {file: choice.files[file].read(spec.limits.source_bytes) for file in choice.files}
    others = _others(choice, as_handed_in, spec.limits.source_bytes)
    read = {
        file: as_handed_in[file] if file in as_handed_in else UnusableSource(_missing(file, others, own, spec))
        for file in spec.sources
    }
    sources = {
        program: _joined({file: read[file] for file in about.files}) for program, about in spec.programs.items()
    }
    notebook, other_notebooks = _notebook(spec, choice, own, everything)
    read_notes = () if notebook is None else (notebook.note,)
    odd = tuple(oddities(read, own))
    doubts = (*_doubts(name, choice, others), *other_notebooks)
    every = (*choice.notes, *doubts, *read_notes, *odd)
    return Submission(name, sources, every, odd, notebook, doubts, dict(_kinds(spec, read, sources)))


def _missing(source: str, others: Mapping[str, Copy], own: Sequence[Bundle], spec: Spec) -> str:
    """Return words for a source that is missing, though it may be in an archive that is only compared."""
    is_near = source in others and others[source].folder.label not in {bundle.label for bundle in own}
    words = f"There is one in {others[source].where(source)}: hand in all sources in one place" if is_near else ""
    return missing(source, own, spec.sources, words)


def _others(choice: Choice, taken: Mapping[str, Source | UnusableSource], limit_bytes: int) -> dict[str, Copy]:
    """Return a copy of each source that may be meant instead of the one that was taken, if any was."""
    others: dict[str, Copy] = {}
    for source, copies in choice.copies.items():
        is_usable = isinstance(taken.get(source), Source)
        for number, copy in enumerate(copy for copy in copies if copy.is_rival or not is_usable):
            other = copy.file.read(limit_bytes) if number < MAX_COMPARED else None
            if other is None or (isinstance(other, Source) and other != taken.get(source)):
                others[source] = copy
                break
    return others


def _doubts(name: str, choice: Choice, others: Mapping[str, Copy]) -> Iterator[str]:
    """Yield what somebody should look at: folders of several students, and copies of which another may be meant."""
    names = [str(folder) for folder in choice.siblings]
    folders = listed(names) if len(names) <= MAX_NAMED else listed_up_to(MAX_NAMED, names)
    several = f"if {folders} are of several students, give the folder around them; " if choice.siblings else ""
    taken_from = {*choice.folders.values()}
    if choice.siblings and (len(taken_from) > 1 or taken_from.isdisjoint(choice.siblings)):
        several = ""
        yield (
            f"{folders} hold sources: if these are of several students, give the folder around them, otherwise "
            f"decide in {OVERRIDES_FILE} which files to use"
        )
    if others:
        use = ", ".join(f"{{file: {_quoted(copy.path)}, as: {source}}}" for source, copy in others.items())
        what = "it" if choice.files.keys().isdisjoint(others) else "the other one"
        yield (
            f"{listed(list(_where_others_are(choice, others)))}; {several}"
            f"to grade {what}, add to {OVERRIDES_FILE}: - {{student: {_quoted(name)}, use: [{use}]}}"
        )


def _where_others_are(choice: Choice, others: Mapping[str, Copy]) -> Iterator[str]:
    found = [source for source in others if source in choice.files]
    lacking = [source for source in others if source not in choice.files]
    for sources in filter(None, (found, lacking)):
        there = listed(dict.fromkeys(others[source].where(source) for source in sources))
        graded = listed([str(folder) for folder in dict.fromkeys(choice.folders[source] for source in found)])
        yield (
            f"a different {listed(found)} is in {there}, but that of {graded} was graded"
            if sources is found
            else f"{listed(lacking)} is only in {there}, which was not graded"
        )


def _quoted(name: str) -> str:
    return json.dumps(readable(name), ensure_ascii=False)


def _kinds(
    spec: Spec, read: Mapping[str, Source | UnusableSource], sources: Mapping[str, Source | UnusableSource]
) -> Iterator[tuple[str, str]]:
    """Yield what files of programs are instead of source text: what compilers say about them helps nobody."""
    for program, source in sources.items():
        if isinstance(source, Source):
            language = "C" if spec.is_c(program) else "C++"
            found = ((name, read[name]) for name in spec.programs[program].files)
            told = (kind_problem(name, file.data, language) for name, file in found if isinstance(file, Source))
            if problems := [problem for problem in told if problem is not None]:
                yield program, ". ".join(problems)


def _notebook(
    spec: Spec, choice: Choice, own: Sequence[Bundle], everything: Sequence[Bundle]
) -> tuple[NotebookFile | None, tuple[str, ...]]:
    """Return the notebook next to the sources that were taken, and a doubt if another one may be meant.

    If none is there, it is the one that is nearest to the top, by the first name of the spec that is there.
    """
    names = spec.notebook.files if spec.notebook is not None else ()
    placed = [
        (SourceFolder(bundle.label, file.path.rpartition("/")[0]), file)
        for bundle in everything
        for file in bundle.files
    ]
    taken = [folder for source in choice.files.values() for folder, file in placed if file is source]
    beside = [(folder, file) for folder, file in placed if folder in taken and base(file.path) in names]
    found = beside or [(folder, file) for folder, file in within_reach(own) if base(file.path) in names]
    if not found:
        return None, ()

    def rank(one: tuple[SourceFolder, File]) -> tuple[object, ...]:
        folder, file = one
        first = taken.index(folder) if beside else folder.depth
        return first, names.index(base(file.path)), *last_first(file.path), folder

    # If an archive has the same path twice, the last file counts.
    folder, first = min(reversed(found), key=rank)
    content = first.read(NOTEBOOK_BYTES)
    others = [one for one in found if one[0] != folder and base(one[1].path) == base(first.path)]
    differing = [
        str(other) for other, file in sorted(others, key=rank)[:MAX_COMPARED] if file.read(NOTEBOOK_BYTES) != content
    ]
    doubt = (
        f"a different {base(first.path)} is in {listed_up_to(MAX_NAMED, differing)}, but that of {folder} was read"
    )
    if isinstance(content, UnusableSource):
        # What follows is about sources.
        content = UnusableSource(content.problem.partition(";")[0])
    return NotebookFile(shown(first.path), content), (doubt,) if differing else ()


def _joined(files: Mapping[str, Source | UnusableSource]) -> Source | UnusableSource:
    """Return the source of a program made of these files, or what is wrong with the files that cannot be used."""
    problems = [file.problem for file in files.values() if isinstance(file, UnusableSource)]
    if problems:
        return UnusableSource(". ".join(problems))
    return Source.of({name: file.data for name, file in files.items() if isinstance(file, Source)})
