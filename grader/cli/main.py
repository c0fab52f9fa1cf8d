"""The command `grader`: finds the subcommand, and is the only place that turns errors into exit statuses."""

from __future__ import annotations

import gc
import logging
import signal
import sys
from typing import Any

import click

import grader
from grader.cli.broken_pipe import discard_output
from grader.cli.interrupts import INTERRUPTED, end_interrupted, ignore_signals
from grader.cli.lazy import LazyGroup
from grader.errors import GraderError, UsageError
from grader.render.text.escape import visible_text

log = logging.getLogger(__name__)

OK, USAGE, BROKEN = 0, 2, 3

SUMMARIES = {
    "check": "Check your own work, in the folder that you will hand in.",
    "doctor": "Say whether your work can be checked here, and what is missing.",
    "grade": "Grade a submission, or a folder of submissions.",
    "gradescope": "Make an autograder for Gradescope, and try it.",
    "image": "Build the image that submissions run in.",
    "input": "Print the very input of a lab's case.",
    "render": "Make reports and tables again from a gradebook.",
    "spec": "Validate a lab's spec, or print the schema of specs.",
}


@click.group(
    cls=LazyGroup,
    modules="grader.cli",
    summaries=SUMMARIES,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(grader.__version__, prog_name="grader")
def cli() -> None:
    """Grade submissions of systems-programming labs by what they write and by the system calls they make."""


def run() -> None:
    """Run the command line and end the process."""
    logging.basicConfig(level=logging.WARNING, format="%(name)s: %(message)s", stream=sys.stderr)
    # SIGTERM must end in an orderly way too: guests ended, temporary folders removed.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    status = status_of(sys.argv[1:])
    ignore_signals()
    if status == INTERRUPTED:
        end_interrupted()
    # The process ends: without this Python would first look for cycles in all objects.
    gc.freeze()
    sys.exit(status)


def status_of(arguments: list[str]) -> int:  # noqa: PLR0911 - one return per kind of ending
    """Run the command line and return its exit status: commands return it, errors have theirs."""
    try:
        result: Any = cli.main(args=arguments, prog_name="grader", standalone_mode=False)
    except click.exceptions.Exit as ending:
        return ending.exit_code
    except click.ClickException as error:
        error.show()
        return USAGE
    except UsageError as error:
        return _print_error(error, USAGE)
    except GraderError as error:
        return _print_error(error, BROKEN)
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        discard_output(sys.stdout)
        return OK
    except OSError as error:
        return _print_error(GraderError(str(error)), BROKEN)
    except Exception:
        # Python's own exit status would be 1, which in `grader check` means that a check failed.
        log.exception("this is a bug in the grader")
        return BROKEN
    return result if isinstance(result, int) else OK


def _print_error(error: GraderError, status: int) -> int:
    # It may hold names of students, which must not reach the terminal as control sequences.
    click.echo(visible_text(f"grader: {error}", keep="\n"), err=True)
    return status
