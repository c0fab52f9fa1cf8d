"""`grader input --lab LAB NAME > FILE`."""

from __future__ import annotations

import click

from grader.cli.common import print_bytes
from grader.cli.options import lab_option
from grader.errors import UsageError
from grader.lab.find import load_lab
from grader.lab.fixtures import read_fixtures
from grader.model.spec.cases import RandomInput, fixture_input, input_bytes


@click.command("input")
@click.argument("name")
@lab_option
@click.option("--draw", metavar="CODE", default="", help="What was drawn for a class, as its reports say.")
def command(name: str, lab: str, draw: str) -> None:
    """Print an input of the lab, byte by byte, to repeat what a report shows.

    NAME is an input, a case, or a file that a case needs (fixtures/FILE).
    """
    spec, files = load_lab(lab)
    fixture = name.removeprefix(fixture_input(""))
    if fixture != name and fixture in spec.fixtures:
        print_bytes(read_fixtures(spec, files)[fixture])
        return
    input_name = spec.cases[name].input if name in spec.cases else name
    if input_name not in spec.inputs:
        raise UsageError(f"{spec.lab} has no input {name!r}; there are {', '.join(spec.inputs)}")
    declaration = spec.inputs[input_name]
    if draw and not (isinstance(declaration, RandomInput) and declaration.drawn_percent is not None):
        raise UsageError(f"nothing is drawn in the input {input_name!r}; leave out --draw")
    print_bytes(input_bytes(declaration.drawn(draw) if isinstance(declaration, RandomInput) else declaration))
