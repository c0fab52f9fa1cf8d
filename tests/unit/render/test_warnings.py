from __future__ import annotations

import pytest

from grader.render.text.gcc_messages import diagnostics
from grader.render.views.warnings import with_places


@pytest.mark.parametrize(("line", "places"), [("12", [12]), ("9" * 6_000, [])])
def test_a_line_that_a_message_only_claims_is_no_place(line: str, places: list[int]) -> None:
    # #pragma message writes what it is given, also newlines.
    warnings = diagnostics(f"a.c:{line}:3: warning: 'i' is used uninitialized [-Wuninitialized]\n   12 | int i;\n")
    assert [place.number for place in with_places((), warnings)] == places
