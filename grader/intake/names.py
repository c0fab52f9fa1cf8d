"""Names of results, which must be unique and safe as a folder's, and names that students and their tools give."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from grader.model.gradebook import GRADEBOOK

RESERVED_NAMES = (
    "index.html",
    "grades.csv",
    "canvas.csv",
    "moodle.csv",
    "junit.xml",
    GRADEBOOK,
    f"{GRADEBOOK}-journal",
    f"{GRADEBOOK}-wal",
    f"{GRADEBOOK}-shm",
)
"""What the output folder holds beside the submissions' folders."""

NAME_BYTES = 200
"""File systems take 255."""

ARCHIVES = (".zip", ".tar", ".tgz", ".tar.gz")
"""What is looked into."""

OTHER_ARCHIVES = (".rar", ".7z", ".tar.xz", ".txz", ".tar.bz2", ".tbz2", ".tar.zst")
"""What is not, but told instead of passed over."""

_LEFT_BEHIND = re.compile(r"\.|#.*#$|~\$|__MACOSX$|__pycache__$|Thumbs\.db$|desktop\.ini$", re.IGNORECASE)
_LEFT_BEHIND_ENDS = ("~", ".swp", ".swo", ".bak")


class Names:
    """The names that are taken; every further one is made unlike them."""

    def __init__(self) -> None:
        self._taken = {_same(name) for name in RESERVED_NAMES}

    def take(self, wanted: str) -> str:
        """Return a name that differs from all before by more than the case of letters: a number may follow.

        Nor by how an accent is written, which macOS takes for one name: the folder would be both students'.
        """
        wanted = readable(wanted) or "submission"
        name, number = shortened(wanted), 2
        while _same(name) in self._taken:
            name, number = shortened(wanted, f"-{number}"), number + 1
        self._taken.add(_same(name))
        return name


def _same(name: str) -> str:
    # Letters first taken apart: some have a small form only with their accents beside them.
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", name).casefold())


def readable(name: str) -> str:
    r"""Return a name that UTF-8 can hold: bytes that are no text become \xNN."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def shortened(name: str, end: str = "") -> str:
    """Return a name of at most NAME_BYTES that ends in `end`."""
    return name.encode("utf-8")[: NAME_BYTES - len(end.encode("utf-8"))].decode("utf-8", "ignore") + end


def shown(name: str) -> str:
    r"""Return a name as a sentence may hold it: on one line, what cannot be printed as \n or \x1b."""
    text = readable(name)
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


def is_left_behind(name: str) -> bool:
    """Tell whether a file or folder is a system's or an editor's: .git, ._many.c, __MACOSX, many.c~, #many.c#."""
    return bool(_LEFT_BEHIND.match(name)) or name.endswith(_LEFT_BEHIND_ENDS)


def is_archive(name: str) -> bool:
    """Tell whether a file's name says that it is an archive, be it of a kind that is looked into or not."""
    return name.lower().endswith(ARCHIVES + OTHER_ARCHIVES)


def stem(name: str) -> str:
    """Return an archive's name without what says that it is one."""
    ends = [end for end in ARCHIVES + OTHER_ARCHIVES if name.lower().endswith(end)]
    return name[: -max(map(len, ends))] if ends else name


def base(path: str) -> str:
    """Return the last part of a path with slashes."""
    return path.rpartition("/")[2]


def person_name(names: Sequence[str], key: str) -> str:
    """Return a name for results from people's names and what the course system calls them: doejane-12345."""
    letters = ["".join(char for char in name.casefold() if char.isalnum()) for name in names]
    return shortened("-".join(filter(None, letters)), f"-{key}" if any(letters) else key)
