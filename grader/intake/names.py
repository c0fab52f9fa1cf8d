"""Names of results, which must be unique and safe for a folder, and names that students and their tools give."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence

from grader.model.gradebook import GRADEBOOK
from grader.model.letters import letters
from grader.model.visible import WITHOUT_INK, is_visible, readable

RESERVED_NAMES = (
    "index.html",
    "grades.csv",
    "canvas.csv",
    "moodle.csv",
    "junit.xml",
    "similar.html",
    GRADEBOOK,
    f"{GRADEBOOK}-journal",
    f"{GRADEBOOK}-wal",
    f"{GRADEBOOK}-shm",
)
"""Files in the output folder, next to the submissions' folders."""

NAME_BYTES = 200
"""Maximum length of a name; file systems allow 255 bytes."""

ARCHIVE_SUFFIXES = (".zip", ".tar", ".tgz", ".tar.gz")
"""Suffixes of archives that the grader reads."""

OTHER_ARCHIVE_SUFFIXES = (".rar", ".7z", ".zipx", ".tar.xz", ".txz", ".tar.bz2", ".tbz2", ".tbz", ".tb2", ".tar.zst")
"""Suffixes of archives that the grader does not read, but reports."""

OTHER_LANGUAGE = (".cpp", ".cc", ".cxx", ".c++")
"""Suffixes that editors for C++ give to a new file."""

HASH_DIGITS = 8
"""Digits of the hash of the original name, at the end of a name that had to be changed."""

_UNSAFE_CATEGORIES = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Categories of characters: controls, invisible ones, surrogates, ends of lines and paragraphs."""

_DAMAGED_GRADEBOOK = re.compile(r"gradebook\.damaged-[0-9]+\.sqlite(?:-journal|-wal|-shm)?")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\..*)?")
"""Names that Windows forbids for folders: the results may be copied there."""

_LEFT_BEHIND = re.compile(r"\.|#.*#$|~\$|__MACOSX$|__pycache__$|Thumbs\.db$|desktop\.ini$", re.IGNORECASE)
_LEFT_BEHIND_ENDS = ("~", ".swp", ".swo", ".bak")
_AROUND = re.compile(r"(?:\._?|#|~\$)?(?P<name>.*?)(?:~|#|\.swp|\.swo|\.bak)?", re.DOTALL)


class Names:
    """The names that are taken; each further name is made different from them."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._numbers: dict[str, int] = {}

    def take(self, name: str) -> str:
        """Return a safe name, with a number if an earlier one is the same.

        Names are the same if they differ only in the case of letters, or in how an accent is encoded: some file
        systems would put the results of both students into one folder.
        """
        unique = safe = safe_name(name)
        # Go on where the last one of this name ended: there may be thousands.
        number = self._numbers.get(_folded(safe), 1)
        while _folded(unique) in self._taken:
            number += 1
            unique = shortened(safe, f"-{number}")
        self._numbers[_folded(safe)] = number
        self._taken.add(_folded(unique))
        return unique


def safe_name(name: str) -> str:
    """Return a name for a folder that is in the output folder, and nowhere else, on every file system.

    Most names are safe and stay as they are; a name of more than NAME_BYTES is cut. Any other name is changed and
    gets a hash of the original, so that it depends on nothing else and is very probably unique.
    """
    short = shortened(readable(name) or "submission")
    kept = "".join("_" if _is_unsafe(char) else char for char in short).lstrip(".").rstrip(". ")
    if kept.isspace():
        kept = ""
    if _DEVICE.fullmatch(_folded(kept)):
        # It is the device, whatever follows the dot.
        kept = f"_{kept}"
    if kept == short and not is_reserved(short):
        return short
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return shortened(kept or "submission", f"-{digest[:HASH_DIGITS]}")


def is_reserved(name: str) -> bool:
    """Return whether the grader has, or may make, a file with this name in the output folder."""
    folded = _folded(name)
    return folded in RESERVED_NAMES or _DAMAGED_GRADEBOOK.fullmatch(folded) is not None


def _is_unsafe(char: str) -> bool:
    is_invisible = WITHOUT_INK.match(char) is not None
    return char in "/\\" or is_invisible or unicodedata.category(char) in _UNSAFE_CATEGORIES


def _folded(name: str) -> str:
    # Unicode's canonical caseless matching: decompose before and after the case is folded.
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", name).casefold())


def shortened(name: str, end: str = "") -> str:
    """Return a name of at most NAME_BYTES that ends in `end`, which is cut too if it is longer than that."""
    left_bytes = max(0, NAME_BYTES - len(end.encode("utf-8")))
    return _cut(name, left_bytes) + _cut(end, NAME_BYTES)


def _cut(text: str, size_bytes: int) -> str:
    return text.encode("utf-8")[:size_bytes].decode("utf-8", "ignore")


def shown(name: str) -> str:
    r"""Return a name for use in a sentence: on one line, with unprintable characters as \n or \x1b."""
    text = readable(name)
    return "".join(char if is_visible(char) else char.encode("unicode_escape").decode("ascii") for char in text)


def is_left_behind(name: str) -> bool:
    """Return whether systems or editors make files of this name: .git, ._many.c, __MACOSX, many.c~, #many.c#."""
    return bool(_LEFT_BEHIND.match(name)) or name.endswith(_LEFT_BEHIND_ENDS)


def is_ignored(path: str) -> bool:
    """Return whether a part of a path is a name of this kind."""
    return any(map(is_left_behind, path.split("/")))


def left_behind_of(name: str) -> str:
    """Return the name of the file of which systems or editors may have made this one."""
    match = _AROUND.fullmatch(name)
    return match["name"] if match else name


def backup_of(name: str) -> str:
    """Return the name of the file whose text is in one of such a name: many.c~, many.c.bak or .many.c; "" if none."""
    is_of_programs = name.startswith(("._", "~$")) or name.lower().endswith((".swp", ".swo"))
    return "" if is_of_programs or not is_left_behind(name) else left_behind_of(name)


def is_archive(name: str) -> bool:
    """Return whether a file has the suffix of an archive, also of one that the grader does not read."""
    return name.lower().endswith(ARCHIVE_SUFFIXES + OTHER_ARCHIVE_SUFFIXES)


def program_suffixes(source: str) -> tuple[str, ...]:
    """Return the suffixes, in small letters, of files that an editor may have made of a source."""
    suffix = source.rpartition(".")[2].casefold()
    return (f".{suffix}", *(OTHER_LANGUAGE if suffix == "c" else ()))


def stem(name: str) -> str:
    """Return a name without an archive's suffix."""
    ends = [end for end in ARCHIVE_SUFFIXES + OTHER_ARCHIVE_SUFFIXES if name.lower().endswith(end)]
    return name[: -max(map(len, ends))] if ends else name


def base(path: str) -> str:
    """Return the last part of a path with slashes."""
    return path.rpartition("/")[2]


def has_letters(name: str) -> bool:
    """Return whether `person_name` would use anything of a name."""
    return any(char.isalnum() for char in name)


def person_name(names: Sequence[str], key: str) -> str:
    """Return a name for results from people's names and the course system's key: doejane-12345."""
    written = "-".join(filter(None, map(letters, names)))
    return shortened(written, f"-{key}" if written else key)
