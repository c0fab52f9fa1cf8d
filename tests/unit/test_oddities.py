"""Files that compilers cannot use are named, with what to do."""

from __future__ import annotations

import os
from pathlib import Path

from grader.intake.oddities import included
from grader.intake.reading import DiscoveredSubmission, read_submission

from .lab import PROGRAMS, SPEC

SOURCE = '#include <stdio.h>\n  # include "lib/util.h"\nint main(void) { return 0; }\n'


def read(folder: Path, **files: bytes) -> tuple[str, ...]:
    for name, data in {**{f"{program}.c": b"int main;" for program in PROGRAMS}, **files}.items():
        (folder / name).write_bytes(data)
    submission = read_submission(DiscoveredSubmission("ada", folder), SPEC)
    assert set(submission.oddities) <= set(submission.notes), "students read them as well"
    return submission.oddities


def test_a_header_that_is_included_and_not_used_is_named(tmp_path: Path) -> None:
    (said,) = read(tmp_path, **{"many.c": SOURCE.encode(), "util.h": b"", "other.h": b""})
    assert said.startswith("many.c includes util.h, which was handed in and is not used")


def test_any_file_that_is_included_and_not_used_is_named(tmp_path: Path) -> None:
    source = b'#include "part.c"\n#include "single.c"\n#include "caf\xe9.h"\n'
    said = read(tmp_path, **{"many.c": source, "part.c": b"", os.fsdecode(b"caf\xe9.h"): b""})
    assert [line.partition(", ")[0] for line in said] == ["many.c includes caf\\xe9.h", "many.c includes part.c"]


def test_many_headers_are_a_few_sentences(tmp_path: Path) -> None:
    headers = [f"h{number}.h" for number in range(40)]
    source = "".join(f'#include "{name}"\n' for name in headers).encode()
    said = read(tmp_path, **{"many.c": source}, **dict.fromkeys(headers, b""))
    assert len(said) == 4
    assert said[-1] == "many.c includes 37 more of such files"


def test_a_header_that_was_not_handed_in_is_the_compiler_s_to_report(tmp_path: Path) -> None:
    assert read(tmp_path, **{"many.c": SOURCE.encode()}) == ()


def test_includes_are_found_without_reading_for_ever() -> None:
    assert included(SOURCE.encode()) == {"util.h"}
    assert included(b'#include "' + b"x" * 1_000_000) == set()
    assert included(b" \t" * 500_000) == set()
