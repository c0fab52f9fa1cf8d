"""Write the folder of a new lab, as `grader lab new` does."""

from __future__ import annotations

from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from grader.atomic_write import unwritable
from grader.errors import UsageError
from grader.lab.find import SPEC_FILE
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


def new_lab(folder: Path) -> None:
    """Write a lab with one program, whose reference does nothing yet.

    Raises:
        UsageError: the folder's name cannot be a lab's, there is something, or it cannot be written.
    """
    name = folder.resolve().name
    try:
        _NAME.validate_python(name)
    except ValidationError as error:
        message = f"{name!r} cannot be the name of a lab: use small letters, digits and dashes"
        raise UsageError(message) from error
    files = {
        SPEC_FILE: _SPEC.format(name=name),
        f"reference/{name}.c": _REFERENCE,
        f"template/{name}.c": _TEMPLATE,
    }
    try:
        folder.mkdir(parents=True)
        for path, text in files.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
    except FileExistsError as error:
        raise UsageError(f"{folder} exists already; choose another name") from error
    except OSError as error:
        raise unwritable(f"cannot write {folder}", error) from error
