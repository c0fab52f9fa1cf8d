"""`grader doctor`."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable
from contextlib import closing

import click

import grader
from grader.cli.common import load_spec
from grader.cli.exit_status import BROKEN, OK
from grader.cli.started_as import started_as
from grader.doctor.sandbox_probe import probe, probe_tool
from grader.errors import EngineUnavailableError
from grader.render.text.escape import visible_text
from grader.render.text.phrases import isolation_words
from grader.sandbox.base import Sandbox
from grader.sandbox.choose import local_sandbox
from grader.sandbox.docker import DockerSandbox
from grader.sandbox.engine import connect, image_tag
from grader.sandbox.engine_faults import engine_faults
from grader.sandbox.requirements import RequirementCheck, check_current_folder, check_requirements


@click.command("doctor")
@click.option("--lab", help="Also try the compilers of this lab: its name, or the path of its folder or spec.")
def command(*, lab: str | None) -> int:
    """Show what this machine can check and grade with, what is missing, and what to do about it.

    The last line says whether `grader check` works here. Exit status: 0 if every check can be judged here, with or
    without Docker, otherwise 3.
    """
    spec = None if lab is None else load_spec(lab)
    tools = [] if spec is None else [tool for tool in spec.tools if tool != "gcc"]
    click.echo(f"grader {grader.__version__}, Python {platform.python_version()}, {platform.platform()}")
    click.echo("\nThis machine")
    here = [*map(_shown, check_current_folder())]
    local = [*here, *map(_shown, check_requirements())]
    if not _is_fatal(local):
        local += _tried("Without a container, as for your own work", local_sandbox, tools)
    docker = here + _tried("With Docker, as for the work of others", _docker, tools)
    for words in () if spec is None else spec.notes:
        click.echo(f"\nnote: {words}")
    answer, status = _answer(local, docker)
    click.echo(f"\nCan I check my work here? {answer}")
    return status


def _tried(title: str, find: Callable[[], Sandbox], tools: Iterable[str]) -> list[RequirementCheck]:
    """Print what works in a sandbox, by working in it."""
    click.echo(f"\n{title}")
    try:
        sandbox = find()
    except EngineUnavailableError as error:
        return [_shown(RequirementCheck("not available", works=False, detail=str(error), fatal=True))]
    with closing(sandbox):
        isolation = _shown(
            RequirementCheck("isolation", works=True, detail=f"programs run {isolation_words(sandbox.isolation)}")
        )
        built = (probe_tool(sandbox, tool) for tool in tools)
        return [isolation, *map(_shown, (*probe(sandbox), *built))]


def _docker() -> Sandbox:
    client = connect()
    with engine_faults():
        version = client.version().get("Version")
    _shown(RequirementCheck("engine", works=True, detail=f"Docker {version} answers"))
    sandbox = DockerSandbox(client)
    _shown(RequirementCheck("image", works=True, detail=image_tag()))
    return sandbox


def _shown(check: RequirementCheck) -> RequirementCheck:
    click.echo(f"  {'+' if check.works else '!'} {check.what}: {_text(check.detail)}")
    for name, text in (("costs", check.impact), ("to do", check.remedy)):
        if text and not check.works:
            click.echo(f"      {name}: {_text(text)}")
    return check


def _text(text: str) -> str:
    return visible_text(text.strip(), keep="\n").replace("\n", "\n      ")


def _is_fatal(checks: Iterable[RequirementCheck]) -> bool:
    return any(check.fatal for check in checks)


def _judges_all(checks: Iterable[RequirementCheck]) -> bool:
    return not any(check.fatal or check.blocks_checks for check in checks)


def _answer(local: list[RequirementCheck], docker: list[RequirementCheck]) -> tuple[str, int]:
    """Return the answer and the exit status."""
    check = f"{started_as()} check"
    if _judges_all(local):
        return f"Yes: `{check}` judges every check.", OK
    if _judges_all(docker):
        how = f"`{check}` runs them in containers" if _is_fatal(local) else f"with `{check} --sandbox docker`"
        return f"Yes, with Docker: {how}, and judges every check.", OK
    if not _is_fatal(local):
        return f"Partly: `{check}` works, but cannot judge some checks (marked with ! above).", BROKEN
    return "No: see what to do at the lines marked with ! above.", BROKEN
