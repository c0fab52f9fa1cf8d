#!/usr/bin/env python3
"""Grade a submission inside a PrairieLearn container, and write the results file that PrairieLearn reads.

Usage: prairielearn.py [--grade FOLDER] [OPTION OF grader check]...

docs/other-systems.md explains it. It needs nothing but Python's standard library and the command `grader`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

JUDGED = (0, 1)
"""The exit statuses of `grader check` with which every check was judged."""

USAGE_ERROR = 2

MAX_CHARS = 4000
"""Characters of one text: PrairieLearn takes 1 MB in all."""

FAULT = "The grader or its machine failed. This is not a mistake in your submission. Please tell your course."


def main() -> int:
    """Grade, write results/results.json, and return 0 if PrairieLearn can use it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--grade", type=Path, default=Path("/grade"), help="PrairieLearn's folder.")
    arguments, options = parser.parse_known_args()
    command = ["grader", "check", str(arguments.grade / "student"), "--sandbox", "local", "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # PrairieLearn keeps the log of the container.
    sys.stderr.write(done.stderr)
    folder = arguments.grade / "results"
    folder.mkdir(exist_ok=True)
    results = results_of(done.returncode, done.stdout, done.stderr)
    (folder / "results.json").write_text(json.dumps(results), encoding="ascii")
    return 0


def results_of(status: int, report_json: str, messages: str) -> dict[str, Any]:
    """Turn the exit status and the outputs of `grader check` into PrairieLearn's results."""
    if status not in JUDGED:
        # A usage error: the sources are missing. Other messages are for the course.
        said = messages.rpartition("grader: ")[2].strip() if status == USAGE_ERROR else FAULT
        return not_gradable(said)
    report = json.loads(report_json)
    if report["isolation"] == "none":
        return not_gradable(FAULT)
    visible = [check for check in report["checks"] if check["visibility"] == "visible"]
    return {
        "gradable": True,
        "score": report["score"] / report["max_score"],
        "message": shown("\n".join(causes(report, visible)) or "See the checks below."),
        "tests": [test_of(check) for check in visible],
    }


def not_gradable(message: str) -> dict[str, Any]:
    """Return results with which the student loses neither points nor an attempt."""
    return {"gradable": False, "format_errors": [shown(message)], "message": shown(message)}


def causes(report: dict[str, Any], visible: list[dict[str, Any]]) -> list[str]:
    """Return the titles of the known bugs that explain visible checks."""
    ids = {check["id"] for check in visible}
    return [
        f"{'Perhaps: ' if cause['certainty'] == 'likely' else ''}{cause['title']}"
        for cause in report["causes"]
        if ids & set(cause["checks"])
    ]


def test_of(check: dict[str, Any]) -> dict[str, Any]:
    """Return one check as PrairieLearn shows it; commands that repeat a failure are its output."""
    evidence = check["evidence"] or {}
    cases = [case for case in evidence.get("cases", ()) if not case["passed"] and not case["hidden"]]
    repeat = [case["repeat"] for case in cases] or [evidence.get("repeat", "")]
    return {
        "name": check["id"],
        "description": shown(check["title"]),
        "points": check["points"],
        "max_points": check["max_points"],
        "message": shown(check["message"]),
        "output": shown("\n".join(filter(None, repeat))),
    }


def shown(text: str) -> str:
    """Return text of limited length in which control characters are escapes: PrairieLearn would interpret them."""
    visible = "".join(char if char.isprintable() or char == "\n" else f"\\x{ord(char):02x}" for char in text)
    return visible if len(visible) <= MAX_CHARS else f"{visible[:MAX_CHARS]} …"


if __name__ == "__main__":
    sys.exit(main())
