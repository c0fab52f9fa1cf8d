"""Read a lab's mutants: each has a folder with mutant.yaml, page.md, sources, and perhaps pattern.scm.

Variants of a program have sources of their own.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml
from pydantic import ConfigDict, TypeAdapter, ValidationError

from grader.errors import SpecError, together
from grader.lab.find import LabFiles
from grader.lab.marked_yaml import MarkedDict, load_marked
from grader.lab.yaml_document import YamlFile, read_yaml
from grader.model.base import Model
from grader.model.mutant import HEADINGS, WHAT_TO_CHANGE, WHY, Mutant, MutantFile, MutantProgram, Variant
from grader.model.spec.inconsistency import InconsistencyError
from grader.model.spec.lab import Spec
from grader.model.spec.types import Name
from grader.model.submission import Source

DECLARATION = "mutant.yaml"
PAGE = "page.md"
PATTERN = "pattern.scm"

_NAME: TypeAdapter[str] = TypeAdapter(Name, config=ConfigDict(defer_build=True))
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)


def read_mutants(
    spec: Spec, folder: Path, solution: Path | None = None, *, borrowed: bool = False
) -> tuple[Mutant, ...]:
    """Read the mutants in a lab's folder for them, sorted by name; there may be no such folder.

    A program of several files needs only those with the bug: the others are the reference's, which is in `solution`.
    For a student's copy of a spec, return only those that fail a check of the copy. With `borrowed`, the mutants are
    those of another spec: programs and checks that only that one has are left out.

    Raises:
        SpecError: a file is missing or cannot be read, or does not fit the spec; it has the mistakes of all mutants.
    """
    return tuple(mutant for mutant, _ in read_declared_mutants(spec, folder, solution, borrowed=borrowed))


def mutants_of(spec: Spec, files: LabFiles) -> tuple[Mutant, ...]:
    """Return the mutants of a lab; see read_mutants."""
    return tuple(mutant for mutant, _ in declared_mutants_of(spec, files))


def declared_mutants_of(spec: Spec, files: LabFiles) -> tuple[tuple[Mutant, YamlFile[MutantFile]], ...]:
    """Return the mutants of a lab, each with its mutant.yaml; see read_mutants."""
    return read_declared_mutants(spec, files.mutants, files.solution, borrowed=files.borrows_mutants)


def read_declared_mutants(
    spec: Spec, folder: Path, solution: Path | None = None, *, borrowed: bool = False
) -> tuple[tuple[Mutant, YamlFile[MutantFile]], ...]:
    """Read the mutants as read_mutants does, and return each with its mutant.yaml, for errors with lines."""
    if not folder.is_dir():
        return ()
    entries = [entry for entry in sorted(folder.iterdir()) if entry.is_dir() and entry.name[0] != "."]
    mutants: list[tuple[Mutant, YamlFile[MutantFile]]] = []
    mistakes: list[SpecError] = []
    for entry in entries:
        read = _read_or_mistake(entry, spec, solution, borrowed=borrowed)
        if isinstance(read, SpecError):
            mistakes += [read, *read.others]
        else:
            mutants.append(read)
    if mistakes:
        raise together(mistakes)
    return tuple((mutant, declared) for mutant, declared in mutants if any(mutant.fails.values()))


def _read_or_mistake(
    folder: Path, spec: Spec, solution: Path | None, *, borrowed: bool
) -> tuple[Mutant, YamlFile[MutantFile]] | SpecError:
    try:
        return _read(folder, spec, solution, borrowed=borrowed)
    except SpecError as error:
        return error


def _read(folder: Path, spec: Spec, solution: Path | None, *, borrowed: bool) -> tuple[Mutant, YamlFile[MutantFile]]:
    _check_name(folder)
    if not (folder / DECLARATION).exists():
        raise SpecError("is missing: it has the title of the mutant, and what it fails", path=folder / DECLARATION)
    declared = read_yaml(folder / DECLARATION, MutantFile, example="title: …, programs: …")
    if borrowed:
        declared = replace(declared, content=_for_programs_of(spec, declared.content))
    inconsistencies = tuple(_inconsistencies(declared.content, spec, borrowed=borrowed))
    if inconsistencies:
        raise declared.error(*inconsistencies)
    programs = declared.content.programs
    known = {name: _checks(spec, name) for name in programs}
    if not borrowed:
        _require_known_sources(folder, declared, spec)
    sources = _Sources(folder, declared, spec, solution)
    own = {name: sources.of(name) for name in programs}
    mutant = Mutant(
        name=folder.name,
        title=declared.content.title,
        reason=declared.content.reason or "",
        warnings=declared.content.warnings,
        page=_read_page(folder / PAGE),
        sources={name: source.data for name, source in own.items()},
        others={name: source.others for name, source in own.items() if source.others},
        fails={name: frozenset(one.fails) & known[name] for name, one in programs.items()},
        alone={name: frozenset(one.alone) & known[name] for name, one in programs.items() if one.alone},
        variants=tuple(
            Variant(name=variant, program=name, source=source.data, others=source.others, fails=fails)
            for name, one in programs.items()
            for variant, checks in one.variants.items()
            if (fails := frozenset(checks) & known[name])
            for source in [sources.of(name, variant)]
        ),
        pattern=_read_pattern(folder / PATTERN),
    )
    return mutant, declared


class MutantDigest(Model):
    """Hashes of a mutant: `behaviour` of all by which it is recognised, `texts` of title, page and warnings."""

    behaviour: str
    texts: str


def mutant_digests(folder: Path) -> dict[str, MutantDigest]:
    """Return the hashes of the mutants in a lab's folder for them by name, without checking them.

    Comments and the layout of mutant.yaml do not count.
    """
    entries = sorted(folder.iterdir()) if folder.is_dir() else []
    return {entry.name: _digest_of(entry) for entry in entries if entry.is_dir() and entry.name[0] != "."}


def _digest_of(folder: Path) -> MutantDigest:
    behaviour, texts = sha256(), sha256()
    # Faster than Path.rglob, and every grading does this for every mutant.
    below = (os.path.join(where, name) for where, _, names in os.walk(folder) for name in names)  # noqa: PTH118
    for path in sorted(Path(path) for path in below if os.path.isfile(path)):  # noqa: PTH113
        data = path.read_bytes()
        if path == folder / DECLARATION:
            declared = _loosely_read(data)
            about = {key: declared.pop(key, None) for key in ("title", "reason", "warnings")}
            texts.update(json.dumps(about).encode("utf-8"))
            data = json.dumps(declared).encode("utf-8")
        hasher = texts if path == folder / PAGE else behaviour
        hasher.update(f" {path.relative_to(folder)} {len(data)} ".encode("utf-8", "surrogatepass") + data)
    return MutantDigest(behaviour=behaviour.hexdigest(), texts=texts.hexdigest())


def _loosely_read(data: bytes) -> dict[str, Any]:
    try:
        declared = load_marked(data.decode("utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError):
        declared = None
    # What is wrong with it is reported when the mutant is needed.
    return dict(declared) if isinstance(declared, MarkedDict) else {"unreadable": data.hex()}


def source_names(declared: MutantFile, spec: Spec) -> set[str]:
    """Return the names that the sources in the folder of a mutant may have."""
    forms = [(program, variant) for program, one in declared.programs.items() for variant in ("", *one.variants)]
    return {_name_in(file, variant) for program, variant in forms for file in spec.programs[program].files}


def _name_in(file: str, variant: str) -> str:
    """Return the name of a file in a variant: `count.c` is `count.late.c` in the variant `late`."""
    name = Path(file)
    return f"{name.stem}.{variant}{name.suffix}" if variant else name.name


def _checks(spec: Spec, program: str) -> frozenset[str]:
    return frozenset(item.name for item in spec.rubric if program in item.points)


def published_mutant(declared: MutantFile, copy: Spec) -> MutantFile | None:
    """Return a mutant with only those checks that the student's copy of a spec has, None if it fails none of them."""
    programs = {}
    for name, one in declared.programs.items():
        known = _checks(copy, name)
        variants = {variant: tuple(c for c in checks if c in known) for variant, checks in one.variants.items()}
        fails = tuple(check for check in one.fails if check in known)
        if fails:
            programs[name] = MutantProgram(
                fails=fails,
                alone=tuple(check for check in one.alone or () if check in known) or None,
                variants={variant: checks for variant, checks in variants.items() if checks},
            )
    return declared.model_copy(update={"programs": programs}) if programs else None


def _check_name(folder: Path) -> None:
    try:
        _NAME.validate_python(folder.name)
    except ValidationError as error:
        message = "a mutant's name, which is its folder's, is small letters, digits and dashes"
        raise SpecError(message, path=folder) from error


def _for_programs_of(spec: Spec, declared: MutantFile) -> MutantFile:
    programs = {name: one for name, one in declared.programs.items() if name in spec.programs}
    return declared.model_copy(update={"programs": programs})


def _require_known_sources(folder: Path, declared: YamlFile[MutantFile], spec: Spec) -> None:
    known = source_names(declared.content, spec)
    suffixes = {Path(file).suffix for file in spec.sources}
    for path in sorted(path for suffix in suffixes for path in folder.glob(f"*{suffix}")):
        if path.name not in known:
            message = f"{path.name} is next to it, and no program has this source"
            raise declared.error(InconsistencyError(message, key_path="programs"))


def _inconsistencies(declared: MutantFile, spec: Spec, *, borrowed: bool) -> Iterator[InconsistencyError]:
    for program, one in declared.programs.items():
        if program not in spec.programs:
            yield InconsistencyError(
                f"{program!r} is not a program of the lab {spec.lab}, which has {', '.join(spec.programs)}",
                key_path=f"programs.{program}",
                unknown_name=program,
                known=spec.programs,
            )
            continue
        # A student's copy lacks checks that the lab has, and it does not say which ones.
        knows_all = spec.published is None and not borrowed
        yield from _wrong_checks(program, one, _checks(spec, program), knows_all=knows_all)


def _wrong_checks(
    program: str, declared: MutantProgram, known: frozenset[str], *, knows_all: bool
) -> Iterator[InconsistencyError]:
    lists: Mapping[str, Sequence[str]] = {
        f"programs.{program}.fails": declared.fails,
        f"programs.{program}.alone": declared.alone or (),
        **{f"programs.{program}.variants.{name}": checks for name, checks in declared.variants.items()},
    }
    for key_path, checks in lists.items():
        for index, check in enumerate(checks):
            if check not in known and knows_all:
                yield InconsistencyError(
                    f"{check!r} is not a check of {program}",
                    key_path=f"{key_path}.{index}",
                    unknown_name=check,
                    known=sorted(known),
                )
            if check in checks[:index]:
                yield InconsistencyError(f"{check!r} appears twice", key_path=f"{key_path}.{index}")
    for index, check in enumerate(declared.alone or ()):
        if check not in declared.fails:
            yield InconsistencyError(f"{check!r} is not in fails", key_path=f"programs.{program}.alone.{index}")
    for variant in declared.variants:
        if variant in known:
            yield InconsistencyError(
                f"{variant!r} is a check; give the variant another name",
                key_path=f"programs.{program}.variants.{variant}",
            )


class _Sources:
    """The sources in the folder of a mutant."""

    def __init__(self, folder: Path, declared: YamlFile[MutantFile], spec: Spec, solution: Path | None) -> None:
        self._folder, self._declared, self._spec, self._solution = folder, declared, spec, solution

    def of(self, program: str, variant: str = "") -> Source:
        """Return the source of a program or of a variant.

        Raises:
            SpecError: none of its files is there, or one cannot be read.
        """
        key_path = f"programs.{program}" + (f".variants.{variant}" if variant else "")
        files = self._spec.programs[program].files
        paths = {file: self._path(file, variant) for file in files}
        if not any((self._folder / _name_in(file, variant)).exists() for file in files):
            # It would be the reference.
            first = self._folder / _name_in(files[0], variant)
            return Source(_read_source(first, key_path, self._declared))
        return Source.of({file: _read_source(path, key_path, self._declared) for file, path in paths.items()})

    def _path(self, file: str, variant: str) -> Path:
        """Return where a file is: in the mutant, which a variant changes in some files, or in the reference."""
        names = (_name_in(file, variant), file)
        own = next((self._folder / name for name in names if (self._folder / name).exists()), None)
        missing = self._folder / names[0] if self._solution is None else self._solution / file
        return own or missing


def _read_source(path: Path, key_path: str, declared: YamlFile[MutantFile]) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        cause = InconsistencyError(f"{path.name} cannot be read: {error.strerror}", key_path=key_path)
        raise declared.error(cause) from error


def _read_pattern(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii") if path.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(f"cannot be read: {error}", path=path) from error


def _read_page(path: Path) -> str:
    try:
        page = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise SpecError(f"is missing: a mutant has a page with {_listed(HEADINGS)}, as '## …'", path=path) from error
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(f"cannot be read: {error}", path=path) from error
    found = tuple(_HEADING.findall(page))
    happens, see, read = HEADINGS
    every = (happens, WHY, see, WHAT_TO_CHANGE, read)
    if found != tuple(one for one in every if one in HEADINGS or one in found):
        may = f"and may have {WHY!r} after the first and {WHAT_TO_CHANGE!r} before the last"
        wanted = f"a page has {_listed(HEADINGS)}, in this order, as '## …', {may}"
        message = f"it has the headings {_listed(found)}; {wanted}"
        raise SpecError(message, path=path)
    return page


def _listed(headings: Sequence[str]) -> str:
    return ", ".join(map(repr, headings)) or "none"
