"""What several commands need: the lab that `--lab` names, and a console."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from grader.cli.broken_pipe import discard_output
from grader.errors import GraderError, UsageError
from grader.lab.load import read_spec
from grader.model.spec.lab import Spec
from grader.render.text.escape import visible_text
from grader.resources import resource


def load_lab(name: str) -> Spec:
    """Return the spec of a lab: a name that the grader knows, or the path of a YAML file.

    Raises:
        UsageError: there is no such lab, or its spec is wrong.
    """
    return read_spec(lab_file(name))


def lab_file(name: str) -> Path:
    """Return where the spec of a lab lies; a file that was named need not be there.

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
    """A console whose reader may leave: what is printed then goes nowhere, and the work goes on."""

    def on_broken_pipe(self) -> None:
        """Fall silent instead of ending the process, as rich would."""
        self.quiet = True
        discard_output(self.file)


def print_message(console: Console, message: str) -> None:
    """Print a line of progress as it is, without taking any of it for markup, or for orders to the terminal.

    It stays one line: where it is too long a terminal folds it, and in a file it can be searched for.
    """
    console.print(visible_text(message, keep="\n"), markup=False, highlight=False, soft_wrap=True)
