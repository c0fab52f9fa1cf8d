"""Find what is wrong with the parts of a lab next to its spec: template, fixtures, provided files, and mutants."""

from __future__ import annotations

from collections.abc import Iterator

from grader.diagnose.source.patterns import pattern_mistakes
from grader.errors import SpecError, UsageError, together
from grader.lab.find import LabFiles
from grader.lab.fixtures import read_fixture, read_provided_file
from grader.lab.load import read_spec_file
from grader.lab.mutants import PATTERN, mutants_of
from grader.model.spec.inconsistency import InconsistencyError
from grader.model.spec.lab import Spec


def parts_mistake(spec: Spec, files: LabFiles) -> SpecError | None:
    """Return one error for everything that is wrong with the parts of a lab, None if nothing is."""
    mistakes: list[SpecError] = []
    named = [
        *_template_mistakes(spec, files),
        *_fixture_mistakes(spec, files),
        *_provided_mistakes(spec, files),
    ]
    if named:
        error = read_spec_file(files.spec).error(*named)
        mistakes += [error, *error.others]
    mistakes += _mutant_mistakes(spec, files)
    return together(mistakes) if mistakes else None


_PROGRAMS = (b"#!", b"\x7fELF")
"""How files begin that can be executed."""


def _template_mistakes(spec: Spec, files: LabFiles) -> Iterator[InconsistencyError]:
    lacks = [source for source in spec.sources if not (files.template / source).is_file()]
    if spec.template_score is not None and lacks:
        yield InconsistencyError(f"there is no {', '.join(lacks)} in {files.template}", key_path="template_score")


def _fixture_mistakes(spec: Spec, files: LabFiles) -> Iterator[InconsistencyError]:
    for case_name, case in spec.cases.items():
        for name, file in case.files.items():
            if file.fixture is None:
                continue
            # Key paths have dots between keys: one within a key would lead nowhere.
            below = "files" if "." in name else f"files.{name}.fixture"
            key_path = f"cases.{case_name}.{below}"
            try:
                content = read_fixture(files.fixtures, file.fixture)
            except UsageError as error:
                yield InconsistencyError(str(error), key_path=key_path)
                continue
            # Archives and some file systems lose the permission, so the spec says it.
            mode = (files.fixtures / file.fixture).stat().st_mode
            if file.executable is None and content.startswith(_PROGRAMS) and mode & 0o111:
                yield InconsistencyError(
                    f"{file.fixture} looks like a program: say whether it can be executed, with executable: true or "
                    "executable: false",
                    key_path=key_path,
                )


def _provided_mistakes(spec: Spec, files: LabFiles) -> Iterator[InconsistencyError]:
    for name, program in spec.programs.items():
        places = {file: f"programs.{name}.provided.{at}" for at, file in enumerate(program.provided)}
        for file in spec.provided_for(name):
            try:
                read_provided_file(files, file)
            except UsageError as error:  # noqa: PERF203 - each is a mistake of its own
                make = f"{'build' if program.build is None else f'programs.{name}.build'}.make"
                yield InconsistencyError(str(error), key_path=places.get(file, make))


def _mutant_mistakes(spec: Spec, files: LabFiles) -> Iterator[SpecError]:
    if files.borrows_mutants:
        return
    try:
        mutants = mutants_of(spec, files)
    except SpecError as error:
        yield error
        yield from error.others
        return
    for mutant in mutants:
        for line, mistake in pattern_mistakes(mutant.pattern):
            yield SpecError(mistake, path=files.mutants / mutant.name / PATTERN, line=line)
