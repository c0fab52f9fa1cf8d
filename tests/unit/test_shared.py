"""Which tests run in the same process."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shared import ANYWHERE, APART, BY_PARAMETER, ONE_BY_ONE, group_of

TESTS = Path(__file__).parents[1]


def test_the_rules_name_what_is_there() -> None:
    assert all((TESTS / folder).is_dir() for folder in (*ONE_BY_ONE, *ANYWHERE))
    assert all((TESTS.parent / path).is_file() for path in (*APART, *BY_PARAMETER))


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        ("tests/docker/test_bench.py::test_a", "tests/docker/test_hook.py::test_b[x]", True),
        ("tests/unit/test_a.py::test_a[1]", "tests/unit/test_a.py::test_b[2]", True),
        ("tests/unit/test_a.py::test_a", "tests/unit/test_b.py::test_a", False),
        ("tests/tally/test_a.py::test_a[1]", "tests/tally/test_a.py::test_a[2]", False),
        ("tests/contract/test_a.py::test_a[local]", "tests/contract/test_a.py::test_b[local-1]", True),
        ("tests/contract/test_a.py::test_a[local]", "tests/contract/test_a.py::test_a[docker]", False),
        (
            "tests/corpus/test_mutants.py::test_a[no-message]",
            "tests/corpus/test_mutants.py::test_b[no-message]",
            True,
        ),
        (
            "tests/corpus/test_mutants.py::test_a[no-message]",
            "tests/corpus/test_mutants.py::test_a[not-begun]",
            False,
        ),
    ],
)
def test_what_runs_together(one: str, other: str, together: bool) -> None:  # noqa: FBT001 - a table
    assert (group_of(one) == group_of(other)) == together
