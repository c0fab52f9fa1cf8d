"""The part of PrairieLearn's results file that its documentation defines, and our example of an adapter for it.

Written down from docs/externalGrading.md of PrairieLearn/PrairieLearn, section "Grading results", commit
06a6d5902f182e78b607eacd0819be493759b9d0, and from `makeGradingResult` in
apps/prairielearn/src/lib/externalGraderCommon.ts, commit 0e150627a7ba077a146d456fb7cdd5fa342804d9.

Fields that PrairieLearn does not know are allowed there. Here they are errors, so that a misspelt one is found.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictStr, model_validator

ADAPTER = Path(__file__).parents[1] / "docs" / "adapters" / "prairielearn.py"
MAX_BYTES = 1_000_000
"""Size of results.json in bytes ("this file should be limited to 1 MB")."""


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Image(Strict):
    url: StrictStr
    label: StrictStr = "Figure"


class Test(Strict):
    """An element of `tests`, which `<pl-external-grader-results>` shows."""

    __test__ = False

    name: StrictStr
    description: StrictStr = ""
    points: float = Field(strict=True, ge=0)
    max_points: float = Field(strict=True, ge=0)
    message: StrictStr = ""
    output: StrictStr = ""
    images: list[Image | StrictStr] = []


class Results(Strict):
    """results.json: `score` is required and in [0.0, 1.0], unless the submission is not gradable."""

    gradable: StrictBool = True
    score: float | None = Field(None, strict=True, ge=0, le=1)
    message: StrictStr = ""
    output: StrictStr = ""
    images: list[Image | StrictStr] = []
    format_errors: StrictStr | list[StrictStr] = []
    tests: list[Test] = []

    @model_validator(mode="after")
    def has_a_score_if_gradable(self) -> Results:
        assert self.score is not None or not self.gradable, "results.json did not have a score"
        return self


def accepted(raw: str) -> Results:
    """Read a file as PrairieLearn does."""
    assert len(raw.encode("utf-8")) <= MAX_BYTES
    return Results.model_validate(json.loads(raw))


def adapter() -> ModuleType:
    spec = importlib.util.spec_from_file_location("prairielearn_adapter", ADAPTER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
