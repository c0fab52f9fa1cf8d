"""Used by several commands: the spec of a lab, a console, views loaded early, and messages and bytes to print."""

from __future__ import annotations

import sys
from functools import cache, partial

from rich.console import Console

from grader.cli.interrupts import interrupts_as_such
from grader.lab.find import load_lab
from grader.messages import Notify
from grader.model.spec.lab import Spec
from grader.render.text.escape import visible_text


def load_spec(lab: str) -> Spec:
    """Return the spec of a lab; see load_lab.

    Raises:
        UsageError: there is no such lab, or its spec is wrong.
    """
    return load_lab(lab)[0]


@cache
def preload_views(*, pages: bool, class_page: bool) -> None:
    """Load what shows results, with `pages` also the HTML pages; called while the first guest works, so nobody waits.

    Modules and commands that show results import these views inside functions, so that they are not loaded earlier.
    """
    # The guest's work goes on meanwhile, and an error here would be taken for one of grading.
    with interrupts_as_such():
        import grader.render.terminal.summary  # noqa: F401, PLC0415 - see above

        if pages:
            from grader.render.html.pages import compile_templates  # noqa: PLC0415 - see above

            compile_templates(class_page=class_page)


def print_message(console: Console, message: str) -> None:
    """Print a message as it is: nothing in it is markup, or a control sequence for the terminal.

    It stays one line: a terminal folds it if it is too long, and in a file it can be searched for.
    """
    console.print(visible_text(message, keep="\n"), markup=False, emoji=False, highlight=False, soft_wrap=True)


def message_printer(*, stderr: bool = True) -> Notify:
    """Return what prints messages."""
    return partial(print_message, Console(stderr=stderr))


def print_bytes(data: bytes) -> None:
    """Write bytes to standard output, for a program."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
