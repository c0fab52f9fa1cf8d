"""Names of results, which must be unique and safe as a folder's, and names that students and their tools give."""

from __future__ import annotations

import hashlib
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

HASH_DIGITS = 8
"""Of the hash of a name that had to be changed; they stand at the end of the name that it got."""

_UNSAFE_CATEGORIES = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Of characters: controls, invisible ones, surrogates, and what ends a line or a paragraph."""

_DAMAGED_GRADEBOOK = re.compile(r"gradebook\.damaged-[0-9]+\.sqlite(?:-journal|-wal|-shm)?")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\..*)?")
"""Windows has no folders of these names, and the results may be copied there."""

_SURROGATE = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""Halves of a character that do not stand for a byte, as those of `surrogateescape` do."""

_LEFT_BEHIND = re.compile(r"\.|#.*#$|~\$|__MACOSX$|__pycache__$|Thumbs\.db$|desktop\.ini$", re.IGNORECASE)
_LEFT_BEHIND_ENDS = ("~", ".swp", ".swo", ".bak")


class Names:
    """The names that are taken; every further one is made unlike them."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, wanted: str) -> str:
        """Return a safe name that differs from all before by more than the case of letters: a number may follow.

        Nor by how an accent is written, which macOS takes for one name: the folder would be both students'.
        """
        safe = safe_name(wanted)
        name, number = safe, 2
        while _same(name) in self._taken:
            name, number = shortened(safe, f"-{number}"), number + 1
        self._taken.add(_same(name))
        return name


def safe_name(wanted: str) -> str:
    """Return a name for a folder that lies in the output folder, and nowhere else, on every file system.

    Most names are safe and stay as they are; a name of more than NAME_BYTES is cut. Any other one is changed, and
    gets a hash of what it was, so that it depends on nothing else and is hardly anybody else's.
    """
    name = shortened(readable(wanted) or "submission")
    kept = "".join("_" if _is_unsafe(char) else char for char in name).lstrip(".").rstrip(". ")
    if _DEVICE.fullmatch(_same(kept)):
        # Whatever follows a dot, it is the device.
        kept = f"_{kept}"
    if kept == name and not is_reserved(name):
        return name
    digest = hashlib.sha256(wanted.encode("utf-8", "surrogatepass")).hexdigest()
    return shortened(kept or "submission", f"-{digest[:HASH_DIGITS]}")


def is_reserved(name: str) -> bool:
    """Tell whether a name is, or may become, a file's that the grader has in the output folder."""
    same = _same(name)
    return same in RESERVED_NAMES or _DAMAGED_GRADEBOOK.fullmatch(same) is not None


def _is_unsafe(char: str) -> bool:
    return char in "/\\" or unicodedata.category(char) in _UNSAFE_CATEGORIES


def _same(name: str) -> str:
    # Letters first taken apart: some have a small form only with their accents beside them.
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", name).casefold())


def readable(name: str) -> str:
    r"""Return a name that UTF-8 can hold: bytes that are no text become \xNN."""
    name = _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", name)
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def shortened(name: str, end: str = "") -> str:
    """Return a name of at most NAME_BYTES that ends in `end`, which is cut as well if it is longer than that."""
    room = max(0, NAME_BYTES - len(end.encode("utf-8")))
    return _cut(name, room) + _cut(end, NAME_BYTES)


def _cut(text: str, size_bytes: int) -> str:
    return text.encode("utf-8")[:size_bytes].decode("utf-8", "ignore")


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


def has_letters(name: str) -> bool:
    """Tell whether `person_name` has anything to say of a name."""
    return any(char.isalnum() for char in name)


def person_name(names: Sequence[str], key: str) -> str:
    """Return a name for results from people's names and what the course system calls them: doejane-12345."""
    letters = ["".join(char for char in name.casefold() if char.isalnum()) for name in names]
    return shortened("-".join(filter(None, letters)), f"-{key}" if any(letters) else key)
