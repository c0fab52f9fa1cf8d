"""`grader lab test --changes` finds the mistakes for which a lab has no case."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.cli.exit_status import OK
from grader.cli.main import status_of

SPEC = """\
spec_version: 1
lab: echo
title: Writes its input
programs: {echo: {source: echo.c, title: Writes its input}}
build: {compiler: gcc, standard: gnu11, options: [-O2]}
inputs:
  short: {kind: literal, data: "hello\\n"}
cases:
  short: {operands: [], input: short}
rubric:
  - {name: build, kind: build, title: Compiles, points: {echo: 1}}
  - {name: output, kind: cases, title: Writes, points: {echo: 4}, cases: [short]}
"""
SOURCE = """\
#include <stdio.h>
int main(int argc, char **argv)
{
    int c;
    if (argc > 2)
        return 1;
    while ((c = getchar()) != EOF)
        putchar(c);
    return argv == 0;
}
"""


@pytest.mark.slow
def test_what_no_case_shows_is_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "reference").mkdir()
    (tmp_path / "lab.yaml").write_text(SPEC, encoding="utf-8")
    (tmp_path / "reference" / "echo.c").write_text(SOURCE, encoding="utf-8")
    assert status_of(["lab", "test", str(tmp_path), "--changes", "--sandbox", "local"]) == OK
    out = capsys.readouterr().out
    place = tmp_path / "reference" / "echo.c"
    # No case has operands, and each output ends before a byte is FF.
    assert f"fails no check: {place}:5: if (argc > 2) -> if (argc > 3)\n" in out
    assert f"fails no check: {place}:8" not in out
    [failed] = [line.split() for line in out.splitlines() if line.endswith(" fail echo.output")]
    assert int(failed[0]) > 0
    assert "    0 fail echo.build\n" in out
