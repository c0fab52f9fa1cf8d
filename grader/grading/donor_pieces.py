"""Ask what right programs have in another way, and put all variants of a wrong program into one source."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain

from pydantic import ValidationError

from grader.diagnose.donors import KINDS
from grader.diagnose.edits import CHANGE_VARIABLE, Edit, fixed
from grader.grading.confined_process import ask
from grader.grading.source_patterns import CPU_S
from grader.model.base import Model

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,60}")
_ERROR = re.compile(r"^variant(\d+):\d+:(?:\d+:)? (?:fatal )?error:", re.MULTILINE)

_START = """\
extern char *getenv(const char *);
extern int atoi(const char *);
extern char **environ;
"""


class FoundPiece(Model):
    """A piece of a right program; see Piece in diagnose/donors.py."""

    line: int
    edits: tuple[Edit, ...]
    kind: str
    size: int
    more: int


class FoundPieces(Model):
    """The pieces that may repair a source, the names that it defines, and where its main ends."""

    pieces: tuple[FoundPiece, ...] = ()
    names: tuple[str, ...] = ()
    main_end: int | None = None


def find_pieces(source: bytes, donors: Sequence[bytes]) -> FoundPieces:
    """Return the pieces of right programs that may repair a source, each once.

    Raises:
        GraderError: no process can be started.
    """
    answers = ask("grader.grading.pattern_process", [(source, [], donor) for donor in donors if donor], CPU_S)
    found = [_read(source, line) for answer in answers for line in answer.lines]
    pieces = {piece.edits: piece for piece in chain.from_iterable(one.pieces for one in reversed(found))}
    return found[0].model_copy(update={"pieces": tuple(reversed(pieces.values()))}) if found else FoundPieces()


def _read(source: bytes, line: bytes) -> FoundPieces:
    try:
        found = FoundPieces.model_validate_json(line)
    except ValidationError:
        return FoundPieces()
    last_line = source.count(b"\n") + 1
    is_sound = all(map(_NAME.fullmatch, found.names)) and all(
        piece.kind in KINDS
        and 1 <= piece.line <= last_line
        and 0 <= piece.more <= last_line
        and all(0 <= edit.start <= edit.end <= len(source) for edit in piece.edits)
        for piece in found.pieces
    )
    return found if is_sound else FoundPieces()


def source_of_variants(source: bytes, found: FoundPieces, variants: Mapping[int, Sequence[Edit]]) -> bytes:
    """Return a source with all variants of a program, of which an environment variable chooses one by its number.

    Each variant has names of its own. One compilation of all takes a tenth of the time of one for each.
    """
    # What the end of main returns does not depend on its name.
    end = [] if found.main_end is None else [Edit(found.main_end, found.main_end, " return 0; ")]
    parts = [_START.encode()]
    for number, edits in variants.items():
        text = fixed(source, [*edits, *end]) or source
        own = "".join(f"#define {name} variant{number}_{name}\n" for name in found.names)
        parts += [own.encode(), b'#line 1 "variant%d"\n' % number, text, b"\n"]
        parts += ["".join(f"#undef {name}\n" for name in found.names).encode()]
    parts.append(b'#line 1 "choice"\nint main(int argc, char **argv) {\n')
    parts.append(
        b'    char *number = getenv("%s");\n    switch (number ? atoi(number) : 0) {\n' % CHANGE_VARIABLE.encode()
    )
    call = b"    case %d: { int (*volatile it)() = (int (*)())variant%d_main; return it(argc, argv, environ); }\n"
    parts += [call % (number, number) for number in variants]
    return b"".join([*parts, b"    }\n    return 99;\n}\n"])


def variants_with_errors(messages: str) -> frozenset[int]:
    """Return the numbers of the variants that do not compile."""
    return frozenset(int(number) for number in _ERROR.findall(messages))
