"""What is said if the scores of a class belong to several versions of the lab."""

from __future__ import annotations

from pathlib import Path

from grader.batch.batch import Conclusion
from grader.cli.started_as import started_as
from grader.judge.repeat import shell_word
from grader.model.counted import listed
from grader.render.text.escape import one_line
from grader.render.views.lab_versions import versions_words


def rescore_command(out: Path, lab: str) -> str:
    """Return the command, to be pasted into a shell, that applies a lab to all results in a folder."""
    return f"{started_as()} rescore {shell_word(str(out))} --lab {shell_word(lab)}"


def mixed_words(conclusion: Conclusion, rescore: str) -> str:
    """Say which versions there are, which files are not written because of that, and what to do."""
    words = f"the scores belong to {len(conclusion.versions)} versions of the lab: "
    words += versions_words(conclusion.versions)
    if conclusion.withheld:
        one = len(conclusion.withheld) == 1
        words += f"; {listed(conclusion.withheld)} {'is' if one else 'are'} not written"
    return f"{one_line(words)}\nto apply one version to all, run\n  {one_line(rescore)}"
