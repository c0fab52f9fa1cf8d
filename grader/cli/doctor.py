"""`grader doctor`."""

from __future__ import annotations

import platform
from collections.abc import Callable

import click

import grader
from grader.cli.main import BROKEN, OK
from grader.errors import EngineUnavailableError
from grader.probe import Finding, probe
from grader.render.words import isolation_words
from grader.sandbox.base import Sandbox
from grader.sandbox.choose import local_sandbox
from grader.sandbox.docker import DockerSandbox
from grader.sandbox.engine import connect, image_tag


@click.command("doctor")
def command() -> int:
    """Say what this machine can grade with, and what is missing.

    The exit status is 0 when one of the two sandboxes can do everything, and 3 when neither can.
    """
    click.echo(f"grader {grader.__version__}, Python {platform.python_version()}, {platform.platform()}")
    works = [_examine("Docker", _docker), _examine("local", local_sandbox)]
    if not any(works):
        click.echo("\nNothing here can grade with all evidence; see the lines marked with !")
    return OK if any(works) else BROKEN


def _examine(name: str, find: Callable[[], Sandbox]) -> bool:
    click.echo(f"\n{name} sandbox")
    try:
        place = find()
    except EngineUnavailableError as error:
        _show(Finding("cannot be had", works=False, detail=str(error)))
        return False
    try:
        click.echo(f"    isolation: {isolation_words(place.isolation)}")
        findings = probe(place)
    finally:
        place.close()
    for finding in findings:
        _show(finding)
    return all(finding.works for finding in findings)


def _show(finding: Finding) -> None:
    click.echo(f"  {'+' if finding.works else '!'} {finding.what}: {finding.detail}")


def _docker() -> Sandbox:
    client = connect()
    _show(Finding("engine", works=True, detail=f"Docker {client.version()['Version']} answers"))
    place = DockerSandbox(client)
    _show(Finding("image", works=True, detail=image_tag()))
    return place
