"""`grader doctor`."""

from __future__ import annotations

import platform

import click

import grader
from grader.cli.main import BROKEN, OK
from grader.errors import EngineUnavailableError
from grader.probe import Finding, probe
from grader.render.words import isolation_words
from grader.sandbox.base import Sandbox
from grader.sandbox.docker import DockerSandbox
from grader.sandbox.engine import connect, find_image, image_tag
from grader.sandbox.local import LocalSandbox


@click.command("doctor")
def command() -> int:
    """Say what this machine can grade with, and what is missing.

    The exit status is 0 when one of the two sandboxes can do everything, and 3 when neither can.
    """
    click.echo(f"grader {grader.__version__}, Python {platform.python_version()}, {platform.platform()}")
    works = [_examine("Docker", _docker()), _examine("local", _local())]
    if not any(works):
        click.echo("\nNothing here can grade with all evidence; see the lines marked with !")
    return OK if any(works) else BROKEN


def _examine(name: str, place: Sandbox | Finding) -> bool:
    click.echo(f"\n{name} sandbox")
    if isinstance(place, Finding):
        _show(place)
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


def _docker() -> Sandbox | Finding:
    try:
        client = connect()
    except EngineUnavailableError as error:
        return Finding("engine", works=False, detail=f"{error}; install Docker, or start it")
    version = client.version()["Version"]
    _show(Finding("engine", works=True, detail=f"Docker {version} answers"))
    if find_image(client) is None:
        return Finding("image", works=False, detail=f"{image_tag()} is not built; run: grader image build")
    _show(Finding("image", works=True, detail=image_tag()))
    return DockerSandbox(client)


def _local() -> Sandbox | Finding:
    try:
        return LocalSandbox()
    except EngineUnavailableError as error:
        return Finding("local grading", works=False, detail=str(error))
