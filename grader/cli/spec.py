"""`grader spec validate FILE`, `grader spec publish FILE`, `grader spec schema`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from grader.atomic_write import write_atomic
from grader.cli.common import print_bytes
from grader.cli.publish_words import publish_words
from grader.cli.targets import require_target
from grader.cli.whole_lab import load_whole_lab
from grader.errors import UsageError
from grader.grading.reference_run import missing_reference
from grader.lab.find import load_lab
from grader.lab.publish import hidden_checks, spec_yaml, student_copy
from grader.lab.spec_schema import spec_schema
from grader.model.counted import counted, listed
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import BuildItem
from grader.render.text.escape import one_line
from grader.render.text.phrases import points_counted
from grader.render.text.visibility import hidden_worth


@click.group("spec")
def command() -> None:
    """Validate a lab's spec, publish a copy for students, or print the schema of specs."""


@command.command("validate")
@click.argument("file", type=click.Path(path_type=Path))
def validate(file: Path) -> None:
    """Report every mistake in a spec with its line, and in the fixtures, provided files and mutants of its lab.

    FILE may also be a lab's folder or name.
    """
    spec, files = load_whole_lab(str(file))
    checks = sum(len(item.points) for item in spec.rubric)
    unused = sorted(set(spec.cases) - {name for item in spec.rubric for _, name in item.case_references()})
    if unused:
        click.echo(f"note: no check uses {', '.join(unused)}")
    built = {program for item in spec.rubric if isinstance(item, BuildItem) for program in item.points}
    if unbuilt := [program for program in spec.programs if program not in built]:
        click.echo(
            f"note: there is no build check for {listed(unbuilt)}: what does not compile fails the first check that "
            "students see"
        )
    for words in spec.notes:
        click.echo(f"note: {words}")
    counts = (counted(checks, "check"), points_counted(spec.max_score), counted(len(spec.cases), "case"))
    click.echo(f"{file}: lab {spec.lab}, {', '.join(counts)}")
    click.echo(_hidden_words(spec), nl=False)
    missing = missing_reference(spec, files)
    if missing is not None:
        # No error: a spec may well be written before its reference.
        click.echo(one_line(f"note: {missing}, so nothing can be graded with it yet"))


@command.command("publish")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="The file to write.  [default: standard output]")
def publish(file: Path, out: Path | None) -> None:
    """Write the students' copy of a spec, without what is hidden.

    FILE may also be a lab's folder or name. The copy leaves out checks whose visibility is not `visible`, cases and
    inputs with `hidden: true`, whatever only those use, and all comments. It says how many checks are missing.
    Students use it with `grader check --lab COPY`.
    """
    spec, files = load_lab(str(file))
    if out is not None:
        require_target("--out", out)
        if out.exists() and out.samefile(files.spec):
            raise UsageError(f"--out {out}: this is the spec itself, and what is hidden in it would be lost")
    copy = student_copy(spec)
    data = spec_yaml(copy)
    if out is not None:
        write_atomic(out, data)
    else:
        print_bytes(data)
    for words in publish_words(spec, copy):
        click.echo(one_line(words), err=True)


@command.command("schema")
def schema() -> None:
    """Print the JSON schema of specs."""
    click.echo(json.dumps(spec_schema(), indent=2))


def _hidden_words(spec: Spec) -> str:
    if spec.published is not None:
        worth = hidden_worth(spec.published.hidden_checks.values())
        return f"a student's copy: {worth or 'nothing'} left out\n"
    worth = hidden_worth(hidden_checks(spec).values())
    return f"not visible to students: {worth}\n" if worth else ""
