"""The exit statuses of all commands."""

from __future__ import annotations

OK = 0

FAILED = 1
"""A check failed (`grader check`), or a result was not as stated (`grader lab test`)."""

USAGE = 2
"""The command line asks for something that cannot be done."""

BROKEN = 3
"""Something went wrong on the grader's side."""

INTERRUPTED = 130
"""Ended by Ctrl-C or by another signal; shells use 128 and the number of SIGINT."""
