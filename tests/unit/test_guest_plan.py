from __future__ import annotations

from typing import get_type_hints

import pytest
from pydantic import BaseModel

from grader.guest import plan as guest
from grader.model import plan as model
from grader.model.spec.cases import PipeSource
from grader.model.spec.programs import RunLimits


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (model.Plan, guest.Plan),
        (model.SandboxLayout, guest.SandboxLayout),
        (model.Work, guest.Work),
        (model.BuildStep, guest.BuildStep),
        (model.RunStep, guest.RunStep),
        (model.Student, guest.Student),
        (RunLimits, guest.Limits),
        (PipeSource, guest.Pipe),
    ],
)
def test_the_guest_reads_the_keys_that_the_grader_writes(written: type[BaseModel], read: type) -> None:
    # The guest cannot import pydantic, so the plan's shape stands twice; this holds the two together.
    assert set(get_type_hints(read)) == set(written.model_fields)
