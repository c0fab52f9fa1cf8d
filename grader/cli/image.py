"""`grader image build`."""

from __future__ import annotations

from contextlib import closing

import click

from grader.cli.common import message_printer
from grader.sandbox.engine import build_image, connect, find_image, image_tag


@click.group("image")
def command() -> None:
    """Build the image that submissions run in."""


@command.command("build")
def build() -> None:
    """Build the image, and its base image if that cannot be pulled."""
    with closing(connect()) as client:
        digest = find_image(client)
        if digest is not None:
            click.echo(f"{image_tag()} is there already: {digest}")
            return
        digest = build_image(client, message_printer(stderr=False))
    click.echo(f"{image_tag()} is {digest}")
