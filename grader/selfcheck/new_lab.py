"""Write the folder of a new lab, as `grader lab new` does."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from pydantic import TypeAdapter, ValidationError

from grader.atomic_write import unwritable
from grader.errors import UsageError
from grader.lab.files import FIXTURES, MUTANTS, PROVIDED, REFERENCE, SIGNATURES, TEMPLATE, lab_files, refuse_links
from grader.lab.find import SPEC_FILE, LabFiles
from grader.model.spec.types import Name

_NAME: TypeAdapter[str] = TypeAdapter(Name)

_SPEC = """\
# docs/new-lab.md shows how to write a lab, docs/spec.md explains the keys, and `grader spec schema` prints them all.
spec_version: 1
lab: "{name}"
title: What the lab is about
# The points of the sources in template/.
template_score: 1

programs:
  "{name}":
    source: "{name}.c"
    title: what it does, in a few words
    # How it must move its bytes; without these, its calls are not judged:
    # stdin: {{calls: exact, nbyte: 512}}
    # stdout: {{calls: batched, mean_bytes_min: 512}}

build: {{compiler: gcc, standard: gnu11, options: [-O2, -Wall, -Wextra]}}

inputs:
  text: {{kind: literal, data: "a line\\nand another\\n"}}
  large: {{kind: random, seed: "{name}", size_bytes: 100000}}

cases:
  # The reference is run in the same way, and its output is the expected output.
  text: {{operands: [], input: text}}
  large: {{operands: [], input: large}}

rubric:
  - name: build
    kind: build
    title: Compiles with gcc
    points: {{"{name}": 1}}
  - name: output
    kind: cases
    title: Writes what it should
    points: {{"{name}": 4}}
    cases: [text, large]
    hint: A sentence for those who fail.
"""

_REFERENCE = """\
int main(void)
{
    /* The right program. Its output is the expected output. */
    return 0;
}
"""

_TEMPLATE = """\
#include <stdio.h>

int main(void)
{
    /* TODO: students begin here. */
    puts("not written yet");
    return 1;
}
"""


def new_lab(folder: Path, source: LabFiles | None = None) -> None:
    """Write a lab with one program, whose reference does nothing yet, or with everything that the lab `source` has.

    Raises:
        UsageError: the folder's name cannot be a lab's, there is something, or it cannot be written; or `source`
            cannot be read, or has links.
    """
    name = folder.resolve().name
    try:
        _NAME.validate_python(name)
    except ValidationError as error:
        message = f"{name!r} cannot be the name of a lab: use small letters, digits and dashes"
        raise UsageError(message) from error
    files = _first_files(name) if source is None else _files_of(source, name)
    try:
        folder.mkdir(parents=True)
        for path, data in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
    except FileExistsError as error:
        raise UsageError(f"{folder} exists already; choose another name") from error
    except OSError as error:
        raise unwritable(f"cannot write {folder}", error) from error


def _first_files(name: str) -> dict[PurePosixPath, bytes]:
    texts = {
        SPEC_FILE: _SPEC.format(name=name),
        f"{REFERENCE}/{name}.c": _REFERENCE,
        f"{TEMPLATE}/{name}.c": _TEMPLATE,
    }
    return {PurePosixPath(path): text.encode() for path, text in texts.items()}


def _files_of(lab: LabFiles, name: str) -> dict[PurePosixPath, bytes]:
    """Return the files of a lab with another name in its spec, of which every other character is kept."""
    refuse_links(lab, (REFERENCE, MUTANTS, TEMPLATE, FIXTURES, PROVIDED))
    try:
        files = {path: file.read_bytes() for path, file in lab_files(lab).items()}
    except OSError as error:
        raise UsageError(f"the lab {lab.name_or_path} cannot be read: {error}") from error
    spec, found = re.subn(
        rb"^lab:[^\n#]*", f'lab: "{name}"'.encode(), files[PurePosixPath(SPEC_FILE)], flags=re.MULTILINE
    )
    if found != 1:
        raise UsageError(
            f"{lab.spec}: the name must be in a line of its own, `lab: NAME`, so that it can be replaced"
        )
    # They are measured with the spec, and do not fit another.
    files.pop(PurePosixPath(SIGNATURES), None)
    return {**files, PurePosixPath(SPEC_FILE): spec}
