"""Used by several commands: the spec of `--lab`, a console, views loaded early, and standard output for programs."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from rich.console import Console

from grader.cli.broken_pipe import discard_output
from grader.errors import GraderError, UsageError
from grader.lab.load import read_spec
from grader.model.spec.lab import Spec
from grader.render.text.escape import visible_text
from grader.resources import resource


def load_spec(name: str) -> Spec:
    """Return the spec of a lab, by a name that the grader knows or by the path of a YAML file.

    Raises:
        UsageError: there is no such lab, or its spec is wrong.
    """
    return read_spec(lab_file(name))


def lab_file(name: str) -> Path:
    """Return the path of a lab's spec; if `name` is a path, there may be no such file.

    Raises:
        UsageError: the grader knows no such lab.
    """
    if name.endswith((".yaml", ".yml")):
        return Path(name)
    try:
        return resource("specs", f"{name}.yaml")
    except GraderError as error:
        raise UsageError(f"there is no lab {name!r}; there are {', '.join(known_labs())}") from error


def known_labs() -> list[str]:
    """Return the names of the labs that the grader carries."""
    return sorted(path.stem for path in resource("specs").glob("*.yaml"))


class BrokenPipeConsole(Console):
    """A console that prints nothing more after its reader has ended, as with `| head`."""

    def on_broken_pipe(self) -> None:
        """Print nothing more; rich would end the process."""
        self.quiet = True
        discard_output(self.file)


@cache
def preload_views(*, pages: bool, class_page: bool) -> None:
    """Load what shows results, with `pages` also the HTML pages; called while the first guest works, so nobody waits.

    Modules and commands that show results import these views inside functions, so that they are not loaded earlier.
    """
    import grader.render.terminal.summary  # noqa: F401, PLC0415 - see above

    if pages:
        from grader.render.html.pages import compile_templates  # noqa: PLC0415 - see above

        compile_templates(class_page=class_page)


def print_message(console: Console, message: str) -> None:
    """Print a message as it is: nothing in it is markup, or a control sequence for the terminal.

    It stays one line: a terminal folds it if it is too long, and in a file it can be searched for.
    """
    console.print(visible_text(message, keep="\n"), markup=False, highlight=False, soft_wrap=True)


def print_bytes(data: bytes) -> None:
    """Write bytes to standard output for a program; if that has ended, the work goes on."""
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        discard_output(sys.stdout)
