"""Options that several commands have. Nothing slow is imported here: `check` prints its first line before that."""

from __future__ import annotations

import click

lab_option = click.option("--lab", required=True, help="Name of a lab, path of its folder, or path of a spec.")

_SANDBOXES = click.Choice(["auto", "docker", "local"])

sandbox_option = click.option(
    "--sandbox",
    type=_SANDBOXES,
    default="auto",
    show_default=True,
    help="auto, docker: in containers. local: without, if you trust the programs.",
)

own_sandbox_option = click.option(
    "--sandbox",
    type=_SANDBOXES,
    default="auto",
    show_default=True,
    help="auto: without a container if this machine supports it, otherwise in one.",
)
"""For commands that run your own programs."""
