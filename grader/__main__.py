"""`python -m grader` is the command `grader`."""

from grader.cli.main import run

run()
