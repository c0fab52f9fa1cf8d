"""Exercises of a first term, with four or six wrong programs each: what the report says, and which fixes are proven.

Each folder has a lab, the statement, and wrong/N with a program and mistake.txt, which names the mistake and its
smallest fix. expected.yaml has the symptoms, and the changes that are proven. To see what a change of the rules does,
write these files again with `python -m tests.exercises.test_exercises`, and look at the difference.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
import yaml

from grader.cli.exit_status import OK
from grader.cli.main import status_of
from grader.model.proof_words import in_lines
from grader.model.report import Report
from tests.sample import partly_rare

EXERCISES = Path(__file__).parent
NAMES = sorted(path.parent.parent.name for path in EXERCISES.glob("*/lab/lab.yaml"))

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def said(exercise: Path) -> dict[int, dict[str, list[str]]]:
    """Grade the wrong programs; return by their number the ids of the symptoms, and the change that is proven."""
    with tempfile.TemporaryDirectory() as out:
        options = ["--lab", exercise / "lab", "--out", out, "--sandbox", "local"]
        assert status_of(["grade", str(exercise / "wrong"), *map(str, options)]) == OK
        reports = {
            int(path.parent.name): Report.model_validate_json(path.read_bytes())
            for path in sorted(Path(out).glob("*/report.json"))
        }
    found = {}
    for number, report in reports.items():
        steps = [step for symptom in report.symptoms if symptom.proof is not None for step in symptom.proof.steps]
        changes = [f"{change.says}{in_lines(change.lines)}" for step in steps for change in step.changes]
        found[number] = {"symptoms": [symptom.id for symptom in report.symptoms]} | (
            {"proven": changes} if changes else {}
        )
    return found


@pytest.mark.parametrize("name", partly_rare(NAMES))
def test_what_the_reports_of_an_exercise_say(name: str) -> None:
    expected = yaml.safe_load((EXERCISES / name / "expected.yaml").read_text("utf-8"))
    assert said(EXERCISES / name) == expected


def main() -> None:
    """Write what the reports say now."""
    for name in NAMES:
        found = said(EXERCISES / name)
        (EXERCISES / name / "expected.yaml").write_text(yaml.safe_dump(found, width=200), "utf-8")


if __name__ == "__main__":
    main()
