"""Groups of commands that are imported when used, so that `--help` need not wait for the Docker SDK."""

from __future__ import annotations

import importlib
import keyword
from collections.abc import Mapping
from typing import Any

import click


class LazyGroup(click.Group):
    """A group whose commands live in modules of their own: NAME in MODULES.NAME, as its attribute `command`."""

    def __init__(self, *args: Any, modules: str, summaries: Mapping[str, str], **kwargs: Any) -> None:  # noqa: ANN401
        """Take the package of the modules, and a line of help for each command."""
        super().__init__(*args, **kwargs)
        self._modules = modules
        self._summaries = summaries

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the names without importing anything."""
        return sorted(self._summaries)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command and return it."""
        if cmd_name not in self._summaries:
            return None
        # A keyword of Python cannot be the name of a module in an import.
        module = f"{cmd_name}_" if keyword.iskeyword(cmd_name) else cmd_name
        command: click.Command = importlib.import_module(f"{self._modules}.{module}").command
        return command

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(self._summaries.items()))
