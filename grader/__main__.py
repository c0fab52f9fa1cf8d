"""`python -m grader` is the command `grader`."""

from grader.cli.entry import main

main()
