from __future__ import annotations

import os

import pytest

from grader.batch.cpus import cpu_count


def test_only_processors_that_this_process_may_use_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 4, 6})
    assert cpu_count() == 3


@pytest.mark.parametrize(("found", "used"), [(8, 8), (None, 1)])
def test_a_system_without_affinity_says_how_many_there_are(
    monkeypatch: pytest.MonkeyPatch, found: int | None, used: int
) -> None:
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: found)
    assert cpu_count() == used
