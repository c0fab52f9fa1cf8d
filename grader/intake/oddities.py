"""Files of a submission that compilers cannot use: what is wrong with them, and what to do."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence

from grader.intake.choice import MAX_NAMED, Bundle, within_reach
from grader.intake.names import base, shown
from grader.model.submission import Source, UnusableSource

_INCLUDED = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\r\n]{1,200})"', re.MULTILINE)


def oddities(read: Mapping[str, Source | UnusableSource], bundles: Sequence[Bundle]) -> Iterator[str]:
    """Yield a sentence for each file that a source includes and the lab lacks; `read` has the lab's files by name."""
    unused = {base(file.path) for _, file in within_reach(bundles)} - set(read)
    for file, source in read.items():
        names = sorted(unused & included(source.data)) if isinstance(source, Source) else []
        for name in names[:MAX_NAMED]:
            yield (
                f"{file} includes {shown(name)}, which was handed in and is not used, as the lab has no such "
                f"file: move its content into {file}"
            )
        if len(names) > MAX_NAMED:
            yield f"{file} includes {len(names) - MAX_NAMED:,} more of such files"


def included(data: bytes) -> set[str]:
    """Return the names, without folders, of the files that a source includes in quotes."""
    return {base(os.fsdecode(name)) for name in _INCLUDED.findall(data)}
