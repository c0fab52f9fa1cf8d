"""A request's shape is written down twice: as models for the grader, and for the guest, which has no pydantic."""

from __future__ import annotations

from typing import get_args, get_type_hints

import pytest
from pydantic import BaseModel

from grader.guest import plan_json as guest
from grader.model import evidence, plan
from grader.model.spec.cases import PipeSource
from grader.model.spec.programs import RunLimits


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (plan.GuestRequest, guest.GuestRequestJson),
        (plan.SandboxLayout, guest.SandboxLayoutJson),
        (plan.SentFile, guest.SentFileJson),
        (plan.Plan, guest.PlanJson),
        (plan.BuildStep, guest.BuildStepJson),
        (plan.MarkedRun, guest.MarkedRunJson),
        (plan.RunStep, guest.RunStepJson),
        (plan.RunFile, guest.RunFileJson),
        (plan.EarlyStop, guest.EarlyStopJson),
        (plan.StudentUser, guest.StudentUserJson),
        (RunLimits, guest.LimitsJson),
        (PipeSource, guest.PipeJson),
    ],
)
def test_the_guest_reads_the_keys_that_the_grader_writes(written: type[BaseModel], read: type) -> None:
    assert set(get_type_hints(read)) == set(written.model_fields)


def test_the_guest_knows_the_values_that_the_grader_writes() -> None:
    assert get_args(guest.EngineJson) == get_args(evidence.Engine)
    assert get_args(guest.ProcessLimitJson) == get_args(plan.ProcessLimit)
