"""Ask for the pieces of right programs, and put all variants of a wrong program into one source."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from grader.diagnose.source.donors import KINDS
from grader.diagnose.source.edits import CHANGE_VARIABLE, Edit, fixed
from grader.explain.source_patterns import CPU_S
from grader.model.base import Model
from grader.sandbox.confined_process import ask

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,60}")
_ERROR = re.compile(r"^variant(\d+):\d+:(?:\d+:)? (?:fatal )?error:", re.MULTILINE)
_CHOICE = """
#line 1 "choice"
extern char *getenv(const char *), **environ;
extern int atoi(const char *);
int main(int argc, char **argv) {
    switch (atoi(getenv("%s"))) {
%s    }
    return 99;
}
"""
_CASE = "    case {0}: {{ int (*volatile it)() = (int (*)())variant{0}_main; return it(argc, argv, environ); }}\n"


class FoundPiece(Model):
    """A piece of a right program; see Piece in diagnose/source/donors.py."""

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
    answers = ask("grader.explain.pattern_process", [(source, [], donor, {}) for donor in donors if donor], CPU_S)
    found = [_read(source, line) for answer in answers for line in answer.lines]
    pieces = {piece.edits: piece for one in reversed(found) for piece in reversed(one.pieces)}
    return found[0].model_copy(update={"pieces": tuple(reversed(pieces.values()))}) if found else FoundPieces()


def _read(source: bytes, line: bytes) -> FoundPieces:
    """Return what the process has found; nothing if that cannot be true."""
    try:
        found = FoundPieces.model_validate_json(line)
    except ValidationError:
        return FoundPieces()
    lines = range(source.count(b"\n") + 2)
    is_sound = all(map(_NAME.fullmatch, found.names)) and all(
        piece.kind in KINDS
        and piece.line in lines[1:]
        and piece.more in lines
        and all(0 <= edit.start <= edit.end <= len(source) for edit in piece.edits)
        for piece in found.pieces
    )
    return found if is_sound else FoundPieces()


def source_of_variants(source: bytes, found: FoundPieces, variants: Mapping[int, Sequence[Edit]]) -> bytes:
    """Return a source with variants of a program, each with names of its own: an environment variable chooses one.

    To compile many together takes as long as a few alone.
    """
    # Only main returns 0 at its end, and each variant has another name for it.
    end = [] if found.main_end is None else [Edit(found.main_end, found.main_end, " return 0; ")]
    parts = []
    for number, edits in variants.items():
        own = "".join(f"#define {name} variant{number}_{name}\n" for name in found.names)
        parts += [own.encode(), b'#line 1 "variant%d"\n' % number, fixed(source, [*edits, *end]) or source]
        parts += ["\n".join(["", *(f"#undef {name}" for name in found.names), ""]).encode()]
    cases = "".join(map(_CASE.format, variants))
    return b"".join([*parts, (_CHOICE % (CHANGE_VARIABLE, cases)).encode()])


def variants_with_errors(messages: str) -> frozenset[int]:
    """Return the numbers of the variants that do not compile."""
    return frozenset(int(number) for number in _ERROR.findall(messages))
