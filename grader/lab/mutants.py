"""Read a lab's mutants: `reference/LAB/mutants/NAME/` with mutant.yaml, page.md and a source for each program."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from grader.errors import SpecError
from grader.lab.yaml_document import YamlFile, read_yaml
from grader.model.mutant import HEADINGS, Mutant, MutantFile
from grader.model.spec.inconsistency import InconsistencyError
from grader.model.spec.lab import Spec
from grader.model.spec.types import Name
from grader.resources import resource

DECLARATION = "mutant.yaml"
PAGE = "page.md"

_NAME: TypeAdapter[str] = TypeAdapter(Name)
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)


def read_mutants(spec: Spec) -> tuple[Mutant, ...]:
    """Read the mutants of a lab, sorted by name; a lab without that folder has none.

    For a student's copy of a spec, return only those that fail a check of the copy.

    Raises:
        SpecError: a file is missing or cannot be read, or does not fit the spec.
    """
    folder = resource("reference") / spec.lab / "mutants"
    if not folder.is_dir():
        return ()
    entries = [entry for entry in sorted(folder.iterdir()) if entry.is_dir() and entry.name[0] != "."]
    mutants = (_read(entry, spec) for entry in entries)
    return tuple(mutant for mutant in mutants if any(mutant.fails.values()))


def _read(folder: Path, spec: Spec) -> Mutant:
    _check_name(folder)
    declared = read_yaml(folder / DECLARATION, MutantFile, example="title: …, programs: …")
    inconsistencies = tuple(_inconsistencies(declared.content, spec))
    if inconsistencies:
        raise declared.error(*inconsistencies)
    fails = {name: frozenset(one.fails) & _checks(spec, name) for name, one in declared.content.programs.items()}
    return Mutant(
        name=folder.name,
        title=declared.content.title,
        page=_read_page(folder / PAGE),
        sources=_read_sources(folder, declared, spec),
        fails=fails,
    )


def _checks(spec: Spec, program: str) -> frozenset[str]:
    return frozenset(item.name for item in spec.rubric if program in item.points)


def _check_name(folder: Path) -> None:
    try:
        _NAME.validate_python(folder.name)
    except ValidationError as error:
        message = "a mutant's name, which is its folder's, is small letters, digits and dashes"
        raise SpecError(message, path=folder) from error


def _inconsistencies(declared: MutantFile, spec: Spec) -> Iterator[InconsistencyError]:
    for program, one in declared.programs.items():
        if program not in spec.programs:
            yield InconsistencyError(
                f"{program!r} is no program of the lab {spec.lab}, which has {', '.join(spec.programs)}",
                key_path=f"programs.{program}",
                unknown_name=program,
                known=spec.programs,
            )
            continue
        checks = _checks(spec, program)
        for index, check in enumerate(one.fails):
            key_path = f"programs.{program}.fails.{index}"
            # A student's copy lacks checks that the lab has, and it does not say which ones.
            if check not in checks and spec.published is None:
                yield InconsistencyError(
                    f"{check!r} is no check of {program}",
                    key_path=key_path,
                    unknown_name=check,
                    known=sorted(checks),
                )
            if check in one.fails[:index]:
                yield InconsistencyError(f"{check!r} stands here twice", key_path=key_path)


def _read_sources(folder: Path, declared: YamlFile[MutantFile], spec: Spec) -> dict[str, bytes]:
    programs = declared.content.programs
    by_file_name = {spec.programs[program].source: program for program in programs}
    for path in sorted(folder.glob("*.c")):
        if path.name not in by_file_name:
            raise declared.error(
                InconsistencyError(f"{path.name} lies beside it and is no program's", key_path="programs")
            )
    return {program: _read_source(folder / name, program, declared) for name, program in by_file_name.items()}


def _read_source(path: Path, program: str, declared: YamlFile[MutantFile]) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        cause = InconsistencyError(f"{path.name} cannot be read: {error.strerror}", key_path=f"programs.{program}")
        raise declared.error(cause) from error


def _read_page(path: Path) -> str:
    try:
        page = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(f"cannot be read: {error}", path=path) from error
    found = tuple(_HEADING.findall(page))
    if found != HEADINGS:
        message = f"it has the headings {_listed(found)}; a page has {_listed(HEADINGS)}, in this order, as '## …'"
        raise SpecError(message, path=path)
    return page


def _listed(headings: Sequence[str]) -> str:
    return ", ".join(map(repr, headings)) or "none"
