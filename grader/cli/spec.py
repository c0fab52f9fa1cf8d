"""`grader spec validate FILE`, `grader spec schema`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from grader.intake.spec_file import read_spec
from grader.model.spec import Spec, case_references
from grader.oracle import missing_solution


@click.group("spec")
def command() -> None:
    """Validate a lab's spec, or print the schema of specs."""


@command.command("validate")
@click.argument("file", type=click.Path(path_type=Path))
def validate(file: Path) -> None:
    """Check a spec; all that is wrong is told, each with its line."""
    spec = read_spec(file)
    checks = sum(len(item.points) for item in spec.rubric)
    unused = sorted(set(spec.cases) - {name for item in spec.rubric for _, name in case_references(item)})
    if unused:
        click.echo(f"note: no check rests on {', '.join(unused)}")
    click.echo(f"{file}: lab {spec.lab}, {checks} checks, {spec.max_score} points, {len(spec.cases)} cases")
    missing = missing_solution(spec)
    if missing is not None:
        # No error: a spec may well be written before its solution.
        click.echo(f"note: {missing} yet, so nothing can be graded with it")


@command.command("schema")
def schema() -> None:
    """Print the JSON schema of specs."""
    click.echo(json.dumps(Spec.model_json_schema(), indent=2))
