"""Which pieces of a right program are offered to repair a wrong one, and what becomes of them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.diagnose.source.c_source import CSource
from grader.diagnose.source.donors import (
    ADDED,
    ADDED_BEFORE,
    CONDITION,
    KINDS,
    MOVED,
    REMOVED,
    TEXT,
    VALUE,
    Piece,
    file_names,
    likelihood,
    main_end,
    pieces,
)
from grader.diagnose.source.edits import CHANGE_VARIABLE, Edit, fixed
from grader.explain import donor_search
from grader.explain.change_search import ChangeSearch
from grader.explain.credit import Repair
from grader.explain.donor_variants import (
    FoundPiece,
    FoundPieces,
    find_pieces,
    source_of_variants,
    variants_with_errors,
)
from grader.explain.trials import Choice, FailingProgram, Fix, Trial, Trials
from grader.grading.plan_builder import build_plan
from grader.model.report import CauseLine, Proof

from .facts import SUBMISSION
from .lab import SPEC
from .render import factory

RIGHT = b"""\
#include <stdio.h>
static int half(int value) { return value / 2; }
int main(void) {
    int number, sum = 0, count = 0;
    while (scanf("%d", &number) == 1) {
        if (number >= 0 && number <= 100)
            sum += number;
        count++;
    }
    if (count == 0)
        printf("no numbers\\n");
    printf("sum: %d\\n", sum);
    return 0;
}
"""
WRONG = b"""\
#include <stdio.h>
int main(void) {
    int x, total = 0, n = 0;
    while (scanf("%d", &x) == 1) {
        if (x >= 0 || x <= 100)
            total += x;
        n++;
    }
    if (n == 0)
        printf("no numbers\\n");
    printf("sum: %d\\n", total);
    return 0;
}
"""


def made(wrong: bytes, right: bytes = RIGHT) -> dict[bytes, Piece]:
    found = {}
    for piece in pieces(CSource(wrong), CSource(right)):
        data = fixed(wrong, piece.edits)
        assert data is not None
        assert data.count(b"\n") == wrong.count(b"\n"), "lines have other numbers then"
        found[b" ".join(data.split())] = piece
    return found


def joined(data: bytes) -> bytes:
    return b" ".join(data.split())


def test_a_condition_is_offered_in_the_names_of_the_wrong_program() -> None:
    piece = made(WRONG)[joined(WRONG.replace(b"||", b"&&"))]
    assert (piece.kind, piece.line) == (CONDITION, 5)


def test_a_missing_statement_is_offered_after_the_one_before_it() -> None:
    wrong = WRONG.replace(b"        n++;\n", b"")
    found = [piece for piece in made(wrong).values() if piece.kind == ADDED and "n ++" in piece.edits[0].text]
    assert 6 in [piece.line for piece in found]


def test_a_statement_in_another_place_is_moved() -> None:
    line = b'    printf("sum: %d\\n", total);\n'
    wrong = WRONG.replace(line, b"").replace(b"        n++;\n", b"    " + line + b"        n++;\n")
    lines = [(piece.line, piece.more) for piece in made(wrong).values() if piece.kind == MOVED]
    assert (7, 11) in lines


def test_texts_keep_the_conversions_and_lose_a_newline_in_puts() -> None:
    wrong = WRONG.replace(b'"sum: %d\\n", total', b'"total: %i\\n", total')
    wrong = wrong.replace(b'printf("no numbers\\n")', b'puts("no number")')
    texts = {piece.edits[0].text for piece in made(wrong).values() if piece.kind == TEXT}
    assert {'"sum: %i\\n"', '"no numbers"'} <= texts
    assert '"no numbers\\n"' not in texts


def test_no_function_or_variable_is_used_that_the_wrong_program_lacks() -> None:
    wrong = WRONG.replace(b"n = 0;", b"n;").replace(b"        n++;\n", b"").replace(b"n == 0", b"total == 0")
    right = RIGHT.replace(b"count++;", b"count += half(number);").replace(b"sum += number;", b"sum += labs(number);")
    assert not [text for text in made(wrong, right) if b"half" in text or b"labs" in text or b"count" in text]


def test_constants_of_headers_may_be_named(tmp_path: Path) -> None:
    head = b"#include <fcntl.h>\n#include <time.h>\n"
    body = b'int main(void) { struct timespec t; int f = open("a", %s, 0666); t.tv_sec = f; return t.tv_sec; }\n'
    wrong, right = head + body % b"O_WRONLY | O_CREAT", head + body % b"O_WRONLY | O_CREAT | O_TRUNC"
    assert any(b"O_WRONLY | O_CREAT | O_TRUNC" in text for text in made(wrong, right))
    # A struct of a header is not one of the program, and keeps its name in all variants.
    assert file_names(CSource(wrong)) == ["main"]
    found = FoundPieces(names=("main",), main_end=main_end(CSource(wrong)))
    (tmp_path / "all.c").write_bytes(source_of_variants(wrong, found, {1: [], 2: []}))
    compiler = ["gcc", "-std=gnu11", "-w", "all.c"]
    subprocess.run(compiler, cwd=tmp_path, check=True, timeout=60)


def test_a_constant_is_replaced_wherever_it_is_and_in_a_macro() -> None:
    wrong = b"#define MOST 99\n" + WRONG.replace(b"x >= 0 || x <= 100", b"x >= 7 && x <= MOST && x > 7 - 1")
    values = {text: piece for text, piece in made(wrong).items() if piece.kind == VALUE}
    assert joined(wrong.replace(b"MOST 99", b"MOST 100")) in values
    assert joined(wrong.replace(b"7", b"100")) in values
    assert not [text for text, piece in values.items() if b"n = 100" in text], "0 is in both"


def test_no_piece_leaves_out_what_follows_or_stops_calling_a_function_of_the_program() -> None:
    loop = b"    for (int i = 0; i < count; i++)\n        sum += i;\n    return sum;\n"
    right = RIGHT.replace(b"    if (count == 0)", loop + b"    if (count == 0)")
    added = [piece.edits[0].text for piece in made(WRONG, right).values() if piece.kind in (ADDED, ADDED_BEFORE)]
    assert not [text for text in added if "for (" in text or "return" in text]
    wrong = b"int double_of(int value) { return value * 3; }\n" + WRONG.replace(
        b"total += x", b"total += double_of(x)"
    )
    kept = [text for text, piece in made(wrong).items() if piece.kind != REMOVED]
    assert all(text.count(b"double_of") == wrong.count(b"double_of") for text in kept)


def test_equal_programs_have_no_pieces_and_what_cannot_be_parsed_has_none() -> None:
    assert not made(RIGHT)
    assert not made(RIGHT.replace(b"{", b"(", 1))


def test_the_likeliest_pieces_come_first() -> None:
    found = pieces(CSource(WRONG), CSource(RIGHT))
    assert found == sorted(found, key=lambda one: likelihood(one.kind, one.size))
    assert likelihood(TEXT, 3) < likelihood(ADDED, 3) < likelihood(ADDED, 9)


def test_only_what_can_be_true_is_taken_from_the_process_that_parses() -> None:
    found = find_pieces(WRONG, [RIGHT])
    assert found.names == ("main",)
    assert {piece.kind for piece in found.pieces} <= {*KINDS}
    assert find_pieces(b"\0" * 200_000, [RIGHT]).pieces == ()


def test_all_variants_are_one_program(tmp_path: Path) -> None:
    source = b'#include <stdio.h>\nint total = 3;\nint main(void) { printf("%d", total); }\n'
    names = file_names(CSource(source))
    assert sorted(names) == ["main", "total"]
    found = FoundPieces(names=tuple(names), main_end=main_end(CSource(source)))
    place = source.index(b"3")
    variants = {number: [Edit(place, place + 1, text)] for number, text in ((1, "3"), (2, "44"), (7, "x"))}
    (tmp_path / "all.c").write_bytes(source_of_variants(source, found, variants))
    compiler = ["gcc", "-std=gnu11", "-w", "all.c", "-o", "all"]
    messages = subprocess.run(compiler, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60).stderr
    assert variants_with_errors(messages) == {7}
    del variants[7]
    (tmp_path / "all.c").write_bytes(source_of_variants(source, found, variants))
    subprocess.run(compiler, cwd=tmp_path, check=True, timeout=60)
    for number, written in ((1, b"3"), (2, b"44")):
        environment = {CHANGE_VARIABLE: str(number)}
        done = subprocess.run([tmp_path / "all"], env=environment, capture_output=True, check=False, timeout=60)
        assert (done.stdout, done.returncode) == (written, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_students_see_the_kind_of_a_piece_and_no_code_of_the_other(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    edits = (Edit(0, 0, "secret"), Edit(0, 8, ""))
    piece = FoundPiece(line=4, edits=edits, kind=kind, size=3, more=9)

    class Donors:
        def works(self, failing: FailingProgram, *_: object) -> Iterator[Choice]:
            change = donor_search.change_of(failing.source, piece)
            assert change is not None
            yield (change,)

    def repair_with(_search: ChangeSearch, failing: FailingProgram, choice: Choice, _before: None) -> Repair:
        line = CauseLine(number=4, text="secret", file="x.c")
        proof = Proof(sentence=f"{choice[0].words.says} in line 4", checks=("x.y",), fixed=(line,))
        trial = Trial(Fix("x", failing.source, {}), (), ())
        return Repair("x", frozenset({"x.y"}), frozenset(), proof, (), trial)

    search = ChangeSearch.__new__(ChangeSearch)
    monkeypatch.setattr(search, "_donors", Donors(), raising=False)
    monkeypatch.setattr(ChangeSearch, "_repair_with", repair_with)
    failing = FailingProgram("x", WRONG, factory.report(), build_plan(SPEC, SUBMISSION), "x")
    [repair] = search.by_donors(failing, [])
    assert "secret" not in repair.proof.model_dump_json()


def test_each_piece_that_can_be_quoted_is_a_change_by_itself() -> None:
    """A backtick would end the quotation."""
    wrong = WRONG.replace(b'"no numbers', b'"no `numbers`')
    failing = FailingProgram("x", wrong, factory.report(), build_plan(SPEC, SUBMISSION), "x")
    trials = Trials.__new__(Trials)
    changes = donor_search.DonorSearch(trials, lambda: {"x": [RIGHT]}).single(failing)
    lines = [piece.line for piece in pieces(CSource(wrong), CSource(RIGHT))]
    assert {9, 10} <= {*lines}
    assert [change.words.lines[0] for (change,) in changes] == [line for line in lines if line not in (9, 10)]
    assert donor_search.DonorSearch(trials).single(failing) == []
