"""The command `grader`: finds the subcommand, and is the only place that turns errors into exit statuses."""

from __future__ import annotations

import gc
import logging
import sys
from typing import Any

import click

import grader
from grader.cli.exit_status import BROKEN, INTERRUPTED, OK, USAGE
from grader.cli.interrupts import end_interrupted, ignore_signals, interrupted, orderly_interrupts
from grader.cli.lazy import LazyGroup
from grader.cli.started_as import started_as
from grader.cli.unwritten import unwritten
from grader.errors import NO_MEMORY, GraderError, UsageError, lacks_memory
from grader.machine_folders import require_current_folder
from grader.render.text.escape import visible_text

log = logging.getLogger(__name__)

SUMMARIES = {
    "canvas": "Upload final scores, comments and reports to Canvas.",
    "check": "Check your own work, in the folder that you will hand in.",
    "doctor": "Show whether this machine can check and grade.",
    "feedback": "Write a zip with the reports for students, for Canvas or Moodle.",
    "grade": "Grade submissions.",
    "gradescope": "Make an autograder for Gradescope, and try it.",
    "image": "Build the image that submissions run in.",
    "input": "Print an input of the lab, to repeat what a report shows.",
    "lab": "Make a lab of your own, test it, and make a copy for students.",
    "notebook": "Read a lab notebook, and show what follows from its numbers.",
    "render": "Write reports and tables again from a gradebook.",
    "rescore": "Apply a changed lab to results, and run only what that needs.",
    "similar": "Find submissions whose programs are alike.",
    "spec": "Validate or publish a spec, or print the schema.",
}


@click.group(
    cls=LazyGroup,
    modules="grader.cli",
    summaries=SUMMARIES,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(grader.__version__, prog_name="grader")
@click.pass_context
def cli(context: click.Context) -> None:
    """Grade systems-programming labs by the output of programs and by their system calls."""
    if context.invoked_subcommand != "doctor":
        require_current_folder()


def run() -> None:
    """Run the command line and end the process."""
    logging.basicConfig(level=logging.WARNING, format="%(name)s: %(message)s", stream=sys.stderr)
    with orderly_interrupts():
        status = status_of(sys.argv[1:])
        ignore_signals()
    if status == INTERRUPTED:
        end_interrupted()
    problem = unwritten()
    if problem:
        status = _print_error(GraderError(problem), BROKEN)
    # The process ends: without this Python would first look for cycles in all objects.
    gc.freeze()
    sys.exit(status)


def status_of(arguments: list[str]) -> int:  # noqa: PLR0911 - one return per kind of ending
    """Run the command line and return its exit status: commands return it, errors have theirs."""
    try:
        result: Any = cli.main(args=arguments, prog_name=started_as(), standalone_mode=False)
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
    except OSError as error:
        return _print_error(GraderError(str(error)), BROKEN)
    except Exception as error:
        if lacks_memory(error):
            return _print_error(GraderError(NO_MEMORY), BROKEN)
        if interrupted():
            # A library has turned the KeyboardInterrupt into another error.
            click.echo("interrupted", err=True)
            return INTERRUPTED
        # Python's own exit status would be 1, which in `grader check` means that a check failed.
        log.exception("this is a bug in the grader")
        return BROKEN
    return result if isinstance(result, int) else OK


def _print_error(error: GraderError, status: int) -> int:
    # It may hold names of students, which must not reach the terminal as control sequences.
    click.echo(visible_text(f"grader: {error}", keep="\n"), err=True)
    return status
