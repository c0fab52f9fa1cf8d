"""The lab of docs/new-lab.md: a counter in C++ with a Makefile, written as an instructor would."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.cli.exit_status import OK
from grader.cli.main import status_of

CHECKOUT = Path(__file__).parents[2]
LAB = CHECKOUT / "tests" / "labs" / "count"


@pytest.mark.slow
def test_everything_that_the_lab_states_is_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["lab", "test", str(LAB), "--sandbox", "local"]) == OK, "".join(capsys.readouterr())


def test_students_get_the_header_and_the_makefile_of_the_lab() -> None:
    assert (LAB / "template" / "counter.h").read_bytes() == (LAB / "reference" / "counter.h").read_bytes()
    assert (LAB / "template" / "Makefile").read_bytes() == (LAB / "Makefile").read_bytes()
