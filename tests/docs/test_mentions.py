"""What pages say of the command line is there, and what is there is said: commands, options, make's targets."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import click
import pytest

from grader.cli.main import cli

from .blocks import CHECKOUT, blocks, inline_code, pages

MAKEFILES = (CHECKOUT / "Makefile", CHECKOUT / "student_template" / "tr2" / "Makefile")
GRADER = re.compile(r"(?:^|[\s;&|(])(?:\S*/)?grader(?= |$)([^;&|>]*)")
MAKE = re.compile(r"(?:^|[;&|(] ?)make(?= |$)([^;&|>]*)")


def all_commands(
    group: click.Command = cli, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield each command below `grader`, groups too, with its words."""
    yield path, group
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            yield from all_commands(command, (*path, name))


COMMANDS = dict(all_commands())
OPTIONS = {
    path: {
        name
        for parameter in command.get_params(click.Context(command))
        if isinstance(parameter, click.Option)
        for name in parameter.opts
    }
    for path, command in COMMANDS.items()
}


def mentions() -> Iterator[tuple[str, str]]:
    """Yield where commands are named and the line as it stands there."""
    for page in pages():
        name = str(page.relative_to(CHECKOUT))
        for code in inline_code(page.read_text("utf-8")):
            yield name, code
    for block in blocks():
        for command in block.commands:
            yield block.name, command.typed.replace("\\\n", "").replace("\n", "; ")


MENTIONS = list(mentions())
OF_GRADER = [(where, words) for where, line in MENTIONS for words in GRADER.findall(line)]
OF_MAKE = [(where, words) for where, line in MENTIONS for words in MAKE.findall(line)]


def resolve(words: list[str]) -> tuple[tuple[str, ...], list[str]]:
    """Return the command that a line names, and what it says to it."""
    path: tuple[str, ...] = ()
    while words and (*path, words[0]) in COMMANDS:
        path, words = (*path, words[0]), words[1:]
    return path, words


def unknown(line: str) -> list[str]:
    """Return what `grader LINE` says that there is not."""
    path, rest = resolve(shlex.split(re.sub(r"[\[\]…]", " ", line), comments=True))
    if isinstance(COMMANDS[path], click.Group):
        rest = [word for word in rest if not word.isupper()]
        return [word for word in rest if not word.startswith("-") or word not in OPTIONS[path]]
    return [word for word in rest if word.startswith("-") and word.split("=")[0] not in OPTIONS[path]]


def targets() -> set[str]:
    texts = [path.read_text("utf-8") for path in MAKEFILES]
    return {name for text in texts for name in re.findall(r"^([a-z][\w.-]*):", text, re.MULTILINE)}


@pytest.mark.parametrize(("where", "line"), sorted(set(OF_GRADER)))
def test_what_pages_say_of_the_grader_is_there(where: str, line: str) -> None:
    assert unknown(line) == [], f"{where}: grader{line}"


@pytest.mark.parametrize(("where", "line"), sorted(set(OF_MAKE)))
def test_what_pages_make_is_there(where: str, line: str) -> None:
    words = [word for word in shlex.split(line, comments=True) if "=" not in word and not word.isupper()]
    assert {word for word in words if not word.startswith("-")} <= targets(), f"{where}: make{line}"


@pytest.mark.parametrize("path", sorted(COMMANDS.keys() - {()}), ids=" ".join)
def test_every_command_is_spoken_of_outside_the_reference(path: tuple[str, ...]) -> None:
    named = {resolve(line.split())[0] for _, line in OF_GRADER}
    assert any(one[: len(path)] == path for one in named)


def test_what_there_is_not_is_found() -> None:
    assert unknown(" check --quickly") == ["--quickly"]
    assert unknown(" spec publich") == ["publich"]
    assert unknown(" grade PATH… --lab tr2 [--jobs N]") == []
    assert unknown(" --version") == []
    assert OF_GRADER
    assert OF_MAKE
