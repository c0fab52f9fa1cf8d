"""Autograder zips made in a test, and a simulator that runs them as Gradescope would."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.gradescope.simulator.image import Image
from grader.gradescope.simulator.outcome import SimulatedRun
from grader.gradescope.simulator.run import run
from tests.contract.containers import Traces, wait_until
from tests.waits import ENDS_S

RUNS_SUBMISSION = b"#!/bin/bash\nexec bash submission/act.sh\n"
"""A run_autograder that does what its submission says, so that many tests need one image."""

LEAVES_THINGS = b"""
mkdir -p /autograder/results /autograder/submission /opt/left
echo '{"score": 77}' > /autograder/results/results.json
touch /autograder/submission/left /tmp/left /var/tmp/left
pwd > /opt/left/folder
id -u > /opt/left/uid
"""


def zip_of(files: Mapping[str, bytes]) -> bytes:
    """Pack an autograder; the same files give the same bytes, and so the same image."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return packed.getvalue()


UPLOAD = zip_of({"setup.sh": LEAVES_THINGS, "run_autograder": RUNS_SUBMISSION, "data/words.txt": b"words\n"})

ACTS = {"score": 1, "tests": [{"name": "one", "score": 1, "max_score": 1, "status": "passed", "output": "**yes**"}]}


def leaving(results: object) -> str:
    """A script that leaves these results; no test's has a quote in it."""
    return f"echo '{json.dumps(results)}' > results/results.json\n"


def assert_gone(made: Traces) -> None:
    assert made.containers
    wait_until(lambda: not made.left(), ENDS_S)
    assert made.left() == []


@dataclass(frozen=True)
class Simulator:
    """The image of a zip, which submissions are run in."""

    image: Image

    def run(self, submission: Path, **options: Any) -> SimulatedRun:  # noqa: ANN401 - those of `run`
        """Run a submission; 60 s are enough where a test says nothing else."""
        return run(self.image, submission, notify=print, **{"timeout_s": 60, **options})

    def act(self, folder: Path, script: str, **options: Any) -> SimulatedRun:  # noqa: ANN401 - as above
        """Run what RUNS_SUBMISSION makes of a script, which starts in /autograder."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "act.sh").write_text(script)
        return self.run(folder, **options)
