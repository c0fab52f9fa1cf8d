"""Files of a submission that compilers cannot use: what is wrong with them, and what to do."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence

from grader.intake.choice import Bundle, within_reach
from grader.intake.file_kinds import LOOKED_AT_BYTES
from grader.intake.names import base, shown
from grader.model.submission import Source, UnusableSource

_INCLUDED = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\r\n]{1,200})"', re.MULTILINE)


def oddities(read: Mapping[str, Source | UnusableSource], bundles: Sequence[Bundle]) -> Iterator[str]:
    """Yield a sentence for each source in UTF-16, and for each file that a source includes and the lab lacks.

    `read` has the lab's files by name.
    """
    for file, source in read.items():
        if isinstance(source, Source) and is_utf16(source.data):
            yield f"{file} is in UTF-16, which compilers do not read: save it in UTF-8"
    unused = {base(file.path) for _, file in within_reach(bundles)} - set(read)
    for file, source in read.items():
        for name in sorted(unused & included(source.data)) if isinstance(source, Source) else ():
            yield (
                f"{file} includes {shown(name)}, which was handed in and is not used, as the lab has no such "
                f"file: move its content into {file}"
            )


def is_utf16(data: bytes) -> bool:
    """Return whether text is in UTF-16 without its mark: every second byte is zero.

    With the mark, compilers do not read it at all (`file_kinds.py`); without, some ignore the zeros.
    """
    begin = data[:LOOKED_AT_BYTES]
    halves = (begin[::2], begin[1::2])
    return len(begin) > 1 and any(not any(half) for half in halves) and any(begin)


def included(data: bytes) -> set[str]:
    """Return the names, without folders, of the files that a source includes in quotes."""
    return {base(os.fsdecode(name)) for name in _INCLUDED.findall(data)}
