"""Find and read course.yaml, overrides.yaml and the roster of a class."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.course.roster import Roster, RosterError, read_roster
from grader.course.rules import Course, Override, Overrides, Rules
from grader.errors import SpecError, UsageError
from grader.intake.reading import DiscoveredSubmission
from grader.lab.marked_yaml import MarkedList
from grader.lab.yaml_document import YamlFile, read_yaml
from grader.messages import Notify
from grader.model.gradebook import COURSE_FILE, OVERRIDES_FILE
from grader.model.spec.inconsistency import InconsistencyError
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import check_id

ROSTER_BYTES = 10_000_000


@dataclass(frozen=True)
class CourseFiles:
    """The files that the command line names; None for one that it does not."""

    course: Path | None = None
    overrides: Path | None = None
    roster: Path | None = None

    @property
    def options(self) -> Mapping[str, str | None]:
        """The options of the command line that name them."""
        named = {"--course": self.course, "--overrides": self.overrides, "--roster": self.roster}
        return {option: None if path is None else str(path) for option, path in named.items()}


def read_rules(  # noqa: PLR0913, PLR0917 - where to look, and what for
    files: CourseFiles,
    paths: Sequence[Path],
    found: Sequence[DiscoveredSubmission],
    before: Rules,
    spec: Spec,
    notify: Notify,
) -> Rules:
    """Read the files of a class: those named, those next to it, or those of the last run.

    `before` is the copy of the last run's. It applies if its file is no longer there, because nobody's extension may
    end with a wrong path.

    Raises:
        UsageError: a file cannot be read, is wrong, or several might be meant.
    """
    before = _from_here(before)
    course_path, overrides_path = (
        option or _next_to(name, last, paths, found, notify) or _again(last)
        for name, option, last in (
            (COURSE_FILE, files.course, before.course_file),
            (OVERRIDES_FILE, files.overrides, before.overrides_file),
        )
    )
    rules = before
    if course_path is not None:
        course = read_yaml(course_path, Course, example="deadline: 2026-05-04 23:59 +02:00")
        update = {
            "course": course.content,
            "course_file": str(course_path),
            "extension_lines": _lines(course, "extensions"),
        }
        rules = rules.model_copy(update=update)
    elif before.course_file:
        notify(_kept_words(before.course_file, "--course"))
    if overrides_path is not None:
        overrides = read_yaml(overrides_path, Overrides, example="overrides: …")
        if mistakes := [*_unfit(overrides.content, spec)]:
            raise overrides.error(*mistakes)
        update = {
            "overrides": overrides.content,
            "overrides_file": str(overrides_path),
            "override_lines": _lines(overrides, "overrides"),
        }
        rules = rules.model_copy(update=update)
    elif before.overrides_file:
        notify(_kept_words(before.overrides_file, "--overrides"))
    roster_path = files.roster or _again(before.roster_file)
    if roster_path is not None:
        rules = rules.model_copy(update={"roster": _roster(roster_path), "roster_file": str(roster_path)})
    elif before.roster_file:
        notify(f"{before.roster_file} is no longer there; the roster is as it was in the last run")
    return rules


def _from_here(rules: Rules) -> Rules:
    """Return the rules of a run in another folder with the paths of their files as seen from this one."""
    here = Path.cwd()
    files = {key: getattr(rules, key) for key in ("course_file", "overrides_file", "roster_file")}
    if rules.folder and rules.folder != str(here):
        files = {key: file and os.path.relpath(Path(rules.folder, file), here) for key, file in files.items()}
    return rules.model_copy(update={**files, "folder": str(here)})


def _kept_words(file: str, option: str) -> str:
    return (
        f"{file} is no longer there; its content of the last run still applies. "
        f"To apply nothing, give a file with just {{}} as {option}"
    )


def _again(file: str) -> Path | None:
    return Path(file) if file and Path(file).is_file() else None


def _next_to(
    name: str, before: str, paths: Sequence[Path], found: Sequence[DiscoveredSubmission], notify: Notify
) -> Path | None:
    """Return the file of a class next to its folder or archive.

    What is below a given path may be a student's, because a student's folder can have the layout of any export. So
    may what is next to one submission; if there is only one, its folder may be deeper in what was given. Such files
    are only reported, unless the last run used them (`before`).
    """
    certain, doubtful = _places(name, paths, found)
    option = f"--{name.removesuffix('.yaml')}"
    for real_place, place in doubtful.items():
        if real_place != Path(before).resolve():
            whose = "the student's, as there is one submission" if len(found) == 1 else "a student's"
            notify(f"{place} may be {whose}, so it is not used; use it with {option}")
    if len(certain) > 1:
        first, second, *_ = certain.values()
        raise UsageError(f"{first} and {second} may be meant; choose one with {option}")
    return next(iter(certain.values()), None)


def _places(
    name: str, paths: Sequence[Path], found: Sequence[DiscoveredSubmission]
) -> tuple[dict[Path, Path], dict[Path, Path]]:
    """Return the files of this name that are the course's, and those that may be a student's, by their real paths."""
    given = [path.resolve() for path in paths]
    single = {one.content.resolve() for one in found if isinstance(one.content, Path)}
    if len(found) == 1:
        single |= {parent for one in single for parent in one.parents}
    certain: dict[Path, Path] = {}
    doubtful: dict[Path, Path] = {}
    for path in paths:
        # Of `.`, pathlib's parent is `.` again.
        folder = path.parent if path.name not in ("", "..") else Path(os.path.normpath(path.absolute())).parent
        is_below = not {folder.resolve(), *folder.resolve().parents}.isdisjoint(given)
        is_certain = not is_below and path.resolve() not in single
        for place, places in ((path / name, doubtful), (folder / name, certain if is_certain else doubtful)):
            if place.is_file():
                places.setdefault(place.resolve(), place)
    return certain, {real_place: place for real_place, place in doubtful.items() if real_place not in certain}


def _lines(file: YamlFile[Course] | YamlFile[Overrides], key: str) -> tuple[int, ...]:
    items = file.document.get(key)
    return tuple(line + 1 for line, _ in items.positions.values()) if isinstance(items, MarkedList) else ()


_YES_OR_NO = ("", "y", "n", "yes", "no", "on", "off", "true", "false", "none", "null")


def _unfit(overrides: Overrides, spec: Spec) -> Iterator[InconsistencyError]:
    """Yield what does not fit the lab: checks and sources that it lacks, and more points than it has."""
    most = {check_id(program, item.name): points for item in spec.rubric for program, points in item.points.items()}
    for number, override in enumerate(overrides.overrides):
        path = f"overrides.{number}"
        yield from _repeated([change.check for change in override.checks], f"{path}.checks", "check")
        yield from _repeated([used.graded_as for used in override.use], f"{path}.use", "as")
        yield from _unfit_checks(override, path, most, spec.lab)
        yield from _unfit_scores(override, path, spec.max_score)
        for index, used in enumerate(override.use):
            if used.graded_as not in spec.sources:
                words = f"the lab {spec.lab} has no source {used.graded_as!r}"
                yield InconsistencyError(
                    words, key_path=f"{path}.use.{index}.as", unknown_name=used.graded_as, known=spec.sources
                )


def _unfit_checks(override: Override, path: str, most: Mapping[str, float], lab: str) -> Iterator[InconsistencyError]:
    for index, change in enumerate(override.checks):
        place = f"{path}.checks.{index}"
        if change.check not in most:
            words = f"the lab {lab} has no check {change.check!r}"
            yield InconsistencyError(words, key_path=f"{place}.check", unknown_name=change.check, known=most)
        elif change.points > most[change.check]:
            words = f"{change.check} has {most[change.check]:g} points at most"
            yield InconsistencyError(words, key_path=f"{place}.points")


def _unfit_scores(override: Override, path: str, max_score: float) -> Iterator[InconsistencyError]:
    if override.excused is not None and override.excused.strip().lower() in _YES_OR_NO:
        # `excused: no` would excuse a student because of "no".
        words = f"expected the reason in words, like ill, found {override.excused!r}; without it, nobody is excused"
        yield InconsistencyError(words, key_path=f"{path}.excused")
    if override.excused is not None and override.total is not None:
        words = "an excused student has no score, so it is either this or total"
        yield InconsistencyError(words, key_path=f"{path}.excused")
    if override.total is not None and override.total.points > max_score:
        words = f"the lab has {max_score:g} points at most"
        yield InconsistencyError(words, key_path=f"{path}.total.points")


def _repeated(words: Sequence[str], path: str, key: str) -> Iterator[InconsistencyError]:
    for index, word in enumerate(words):
        if word in words[:index]:
            yield InconsistencyError(f"{word!r} is there twice", key_path=f"{path}.{index}.{key}")


def _roster(path: Path) -> Roster:
    try:
        with path.open("rb") as file:
            data = file.read(ROSTER_BYTES + 1)
    except OSError as error:
        raise SpecError(f"cannot be read: {error.strerror}", path=path) from error
    if len(data) > ROSTER_BYTES:
        raise SpecError(f"has more than {ROSTER_BYTES:,} bytes", path=path)
    try:
        return read_roster(data)
    except RosterError as error:
        raise SpecError(str(error), path=path, line=error.line) from error
