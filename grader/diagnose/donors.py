"""What a right program of the same lab has in another way than a wrong one: pieces of code that may repair it.

Blocks of both programs are matched by their tokens, their statements are aligned, and names are mapped by their use.
Each difference is a piece: the edits that put the right program's code, with the wrong one's names, in its place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from itertools import islice, product
from typing import NamedTuple

from tree_sitter import Node

from grader.diagnose.c_source import LOOPS, CSource, Declared
from grader.diagnose.donor_names import CodeOfDonor, Program, mapping
from grader.diagnose.edits import Edit

TEXT, NUMBER, REMOVED, CONDITION, EXPRESSION, MOVED, ADDED, ADDED_BEFORE, STATEMENT = KINDS = (
    *("text", "number", "removed", "condition", "expression", "moved", "added", "added before", "statement"),
)
"""The kinds of pieces, the likeliest first."""

MOST_PIECES = 60
MOST_TOKENS = 40
"""Most tokens of a statement that is added, removed or replaced."""

LEAST_ALIKE = 0.35
"""Least similarity of two statements, or blocks, of which one takes the place of the other."""

LEAST_ALIKE_TEXTS = 0.5
LEAST_ALIKE_CONDITIONS = 0.6

_CONVERSION = re.compile(r"%[-+ #0-9.*]*(?:hh|h|ll|l|z|t|j|L)?[a-zA-Z%]")


class Piece(NamedTuple):
    """A difference: its line, its edits, its kind, and how many tokens it changes.

    `more` is the line that a moved statement is put at, or 0.
    """

    line: int
    edits: list[Edit]
    kind: str
    size: int
    more: int = 0


def pieces(wrong: CSource, right: CSource) -> list[Piece]:
    """Return the pieces of a right program that may repair a wrong one, the likeliest first."""
    if not wrong.usable or not right.usable:
        return []
    found = _Differences(Program(wrong), Program(right)).all()
    unique = {tuple(piece.edits): piece for piece in reversed([*found])}
    return sorted(unique.values(), key=lambda one: (likelihood(one.kind, one.size), one.line))[:MOST_PIECES]


def likelihood(kind: str, size: int) -> float:
    """Return what orders pieces, the likeliest first."""
    return KINDS.index(kind) / 4 + size / 6


def file_names(source: CSource) -> list[str]:
    """Return what a source defines for all of it: functions, variables, types and constants."""
    found = dict.fromkeys(source.functions)
    for node in source.nodes("declaration", "type_definition"):
        if source.parents[node.id].id == source.root.id:
            named = (name for one in node.children_by_field_name("declarator") if (name := source.declared_name(one)))
            found.update(dict.fromkeys(source.text(name) for name, is_function in named if not is_function))
    for node in source.nodes("struct_specifier", "union_specifier", "enum_specifier", "enumerator"):
        tag = node.child_by_field_name("name")
        if tag is not None:
            found[source.text(tag)] = None
    return [*found]


def main_end(source: CSource) -> int | None:
    """Return where the body of main ends if it returns an int, None if it does not."""
    main = source.functions.get("main")
    body = None if main is None else main.child_by_field_name("body")
    kind = None if main is None else main.child_by_field_name("type")
    is_int = body is not None and (kind is None or source.text(kind) == "int")
    return body.end_byte - 1 if body is not None and is_int else None


class _Differences:
    """The differences of two programs."""

    def __init__(self, wrong: Program, right: Program) -> None:
        self._wrong = wrong
        self._right = right
        self._added: list[tuple[str, Piece]] = []
        self._mapped = cache(self._names)

    def all(self) -> Iterator[Piece]:
        """Yield all pieces."""
        yield from self._texts()
        yield from self._conditions()
        for block, other in self._pairs():
            donor = self._donor(block, other)
            yield from self._of_blocks(self._wrong.statements(block), self._right.statements(other), donor, block)
        yield from self._moved()

    def _moved(self) -> Iterator[Piece]:
        """Yield the statements that the right program has in another place."""
        places: dict[str, list[Node]] = {}
        for node in (node for block in self._wrong.blocks() for node in self._wrong.statements(block)):
            places.setdefault("".join(self._wrong.tokens(node)).replace(" ", ""), []).append(node)
        for text, added in self._added:
            for node in places.get(text, ()):
                if not node.start_byte <= added.edits[0].start <= node.end_byte:
                    edits = [*self._without(node), *added.edits]
                    yield Piece(_line(node), edits, MOVED, added.size, added.line)

    def _pairs(self) -> Iterator[tuple[Node, Node]]:
        """Yield each block of the wrong program with the two blocks of the right one that are most like it."""
        others = [*self._right.blocks()]
        for block in self._wrong.blocks():
            alike = sorted(((self._alike(block, other), at) for at, other in enumerate(others)), reverse=True)[:2]
            least = max(LEAST_ALIKE, 0.8 * alike[0][0]) if alike else 0.0
            yield from ((block, others[at]) for value, at in alike if value >= least)

    def _donor(self, place: Node, other: Node) -> CodeOfDonor:
        own, theirs = self._wrong.source.function_of(place), self._right.source.function_of(other)
        names = self._mapped(own.id, theirs.id) if own is not None and theirs is not None else {}
        return CodeOfDonor(self._wrong, self._right, names)

    def _names(self, function: int, other: int) -> Mapping[str, list[Declared]]:
        return mapping(self._wrong, self._right, function, other)

    def _alike(self, node: Node, other: Node, names: Mapping[str, str] | None = None) -> float:
        """Return how similar two nodes are, from 0 to 1; without names, these do not count."""
        first = Counter(self._wrong.words(node, None if names is None else {}))
        second = Counter(self._right.words(other, names))
        total = sum(first.values()) + sum(second.values())
        return 2 * sum((first & second).values()) / total if total else 1.0

    def _conditions(self) -> Iterator[Piece]:
        """Yield conditions of the right program, or what it returns, in place of a similar condition."""
        theirs = [*self._right.conditions(), *self._right.returned()]
        for node in self._wrong.conditions():
            alike = ((self._alike(node, other), at) for at, other in enumerate(theirs))
            value, at = max(alike, default=(0.0, 0))
            if value >= LEAST_ALIKE_CONDITIONS:
                yield from self._replaced(node, theirs[at], self._donor(node, theirs[at]), CONDITION)

    # Texts

    def _texts(self) -> Iterator[Piece]:
        """Yield texts of the right program in place of the most similar one of the wrong program."""
        theirs = {self._right.source.text(node): node for node in self._right.texts()}
        for node in self._wrong.texts():
            text = self._wrong.source.text(node)
            if text in theirs:
                continue
            alike = sorted(theirs, key=lambda other: -SequenceMatcher(None, text, other, autojunk=False).ratio())
            for other in alike[:2]:
                new = self._fitting(node, text, other)
                if new is not None and new != text:
                    yield self._piece(node, new, TEXT, 1)

    def _fitting(self, node: Node, text: str, other: str) -> str | None:
        """Return a text with the conversions of the one that it replaces, None if there are more or fewer."""
        own, theirs = _CONVERSION.findall(text), _CONVERSION.findall(other)
        if len(own) != len(theirs) or SequenceMatcher(None, text, other, autojunk=False).ratio() < LEAST_ALIKE_TEXTS:
            return None
        conversions = iter(own)
        new = _CONVERSION.sub(lambda _: next(conversions), other)
        return new.removesuffix('\\n"') + '"' if self._wrong.callee(node) == "puts" and new[-3:] == '\\n"' else new

    # Statements

    def _of_blocks(
        self, own: Sequence[Node], theirs: Sequence[Node], donor: CodeOfDonor, block: Node
    ) -> Iterator[Piece]:
        """Yield the differences of two lists of statements."""
        aligned = self._aligned(own, theirs, donor)
        for at, to in aligned:
            yield from self._of_pair(own[at], theirs[to], donor)
        kept, known = dict(aligned), {to: at for at, to in aligned}
        for at, node in enumerate(own):
            is_end = node.type == "return_statement" and at == len(own) - 1
            is_code = node.type not in ("declaration", "case_statement") and not is_end
            if at not in kept and is_code and len(self._wrong.tokens(node)) <= MOST_TOKENS:
                yield Piece(_line(node), self._without(node), REMOVED, len(self._wrong.tokens(node)))
        for first in range(len(theirs)):
            for last in range(first, min(first + 3, len(theirs))):
                run = theirs[first : last + 1]
                if any(to in known for to in range(first, last + 1)) or run[0].type == "declaration":
                    break
                before, after = known.get(first - 1), known.get(last + 1)
                if own and (before, after) != (None, None):
                    yield from self._additions(own, run, donor, block, (before, after))

    def _additions(
        self,
        own: Sequence[Node],
        run: Sequence[Node],
        donor: CodeOfDonor,
        block: Node,
        between: tuple[int | None, int | None],
    ) -> Iterator[Piece]:
        """Yield the addition of statements after the one that theirs come after, or before the next one."""
        before, after = between
        first = next((at for at, node in enumerate(own) if node.type != "declaration"), len(own))
        ends = own[-1].type in ("return_statement", "break_statement", "continue_statement")
        places = dict.fromkeys(
            (
                first if before is None else before + 1,
                (len(own) - ends) if after is None else after,
            )
        )
        tokens = sum(len(self._right.tokens(one)) for one in run)
        for place in places if tokens <= MOST_TOKENS else ():
            node = own[place - 1] if place else own[0]
            at, kind = (node.end_byte, ADDED) if place else (node.start_byte, ADDED_BEFORE)
            for texts in islice(product(*(donor.texts(one, at) for one in run)), 2):
                text = " ".join(text for text, _ in texts)
                size = tokens + sum(penalty for _, penalty in texts)
                edits = [Edit(at, at, f" {text} ")]
                if block.type != "compound_statement":
                    edits = [Edit(own[0].start_byte, own[0].start_byte, "{ "), Edit(at, at, f" {text} }}")]
                    if not place:
                        edits = [Edit(at, at, f"{{ {text} "), Edit(own[0].end_byte, own[0].end_byte, " }")]
                piece = Piece(node.end_point.row + 1 if place else _line(node), edits, kind, size)
                if len(run) == 1:
                    self._added.append((text.replace(" ", ""), piece))
                yield piece

    def _aligned(self, own: Sequence[Node], theirs: Sequence[Node], donor: CodeOfDonor) -> list[tuple[int, int]]:
        """Return the pairs of statements, in their order, that are most alike in all."""
        best: list[list[tuple[float, list[tuple[int, int]]]]] = [[(0.0, [])] * (len(theirs) + 1)]
        for at, node in enumerate(own):
            row: list[tuple[float, list[tuple[int, int]]]] = [(0.0, [])]
            for to, other in enumerate(theirs):
                value = self._alike_statements(node, other, donor.likeliest)
                found = [best[at][to + 1], row[to]]
                if value >= LEAST_ALIKE:
                    total, pairs = best[at][to]
                    # Equal statements count more than several similar ones.
                    found.append((total + value * value, [*pairs, (at, to)]))
                row.append(max(found, key=lambda one: one[0]))
            best.append(row)
        return best[-1][-1][1]

    def _alike_statements(self, node: Node, other: Node, names: Mapping[str, str]) -> float:
        kinds = {"loop" if one.type in LOOPS else one.type for one in (node, other)}
        if len(kinds) > 1 and kinds != {"if_statement", "expression_statement"}:
            return 0.0
        return self._alike(node, other, names) * (1.0 if len(kinds) == 1 else 0.8)

    def _of_pair(self, node: Node, other: Node, donor: CodeOfDonor) -> Iterator[Piece]:
        """Yield the differences of two statements of which one takes the place of the other."""
        if self._is_same(node, other, donor):
            return
        for field, kind in (("condition", CONDITION), ("initializer", EXPRESSION), ("update", EXPRESSION)):
            first, second = (one.child_by_field_name(field) for one in (node, other))
            if first is None or second is None:
                continue
            if first.type == second.type == "declaration":
                yield from self._of_values(first, second, donor)
            elif "declaration" not in (first.type, second.type):
                yield from self._replaced(
                    self._wrong.source.bare(first), self._right.source.bare(second), donor, kind
                )
        if node.type == other.type == "declaration":
            yield from self._of_values(node, other, donor)
            return
        if node.type == other.type == "if_statement":
            yield from self._of_else(node, other, donor)
        if node.type == other.type == "expression_statement":
            yield from self._of_numbers(node, other, donor)
        yield from self._replaced(node, other, donor, STATEMENT)

    def _is_same(self, node: Node, other: Node, donor: CodeOfDonor) -> bool:
        """Return whether two nodes are the same but for braces."""
        own, theirs = (
            [one for one in found if one not in "{}"] for found in (self._wrong.tokens(node), donor.tokens(other))
        )
        return own == theirs

    def _of_numbers(self, node: Node, other: Node, donor: CodeOfDonor) -> Iterator[Piece]:
        """Yield the one number in which two statements differ."""
        own, theirs = ([*program.leaves(one)] for program, one in ((self._wrong, node), (self._right, other)))
        if len(own) != len(theirs):
            return
        pairs = zip(own, theirs, strict=True)
        different = [pair for pair in pairs if self._wrong.tokens(pair[0]) != donor.tokens(pair[1])]
        if len(different) == 1 and all(one.type in ("number_literal", "char_literal") for one in different[0]):
            yield from self._replaced(*different[0], donor, NUMBER)

    def _of_values(self, node: Node, other: Node, donor: CodeOfDonor) -> Iterator[Piece]:
        """Yield the values with which variables are declared in another way."""
        own, theirs = (
            {program.tokens(one.children[0]): one for one in found.children if one.type == "init_declarator"}
            for program, found in ((self._wrong, node), (self._right, other))
        )
        for mine, declared in own.items():
            for yours, value in theirs.items():
                if mine == donor.mapped(yours):
                    first, second = (one.child_by_field_name("value") for one in (declared, value))
                    if first is not None and second is not None:
                        yield from self._replaced(first, second, donor, EXPRESSION)

    def _of_else(self, node: Node, other: Node, donor: CodeOfDonor) -> Iterator[Piece]:
        first, second = (one.child_by_field_name("alternative") for one in (node, other))
        if first is None and second is not None and len(self._right.tokens(second)) <= MOST_TOKENS:
            for text, penalty in donor.texts(second, node.start_byte):
                edits = [Edit(node.end_byte, node.end_byte, f" {text}")]
                yield Piece(node.end_point.row + 1, edits, ADDED, len(self._right.tokens(second)) + penalty)
        elif first is not None and second is None and len(self._wrong.tokens(first)) <= MOST_TOKENS:
            edits = _without(self._wrong.source, first)
            yield Piece(_line(first), edits, REMOVED, len(self._wrong.tokens(first)))

    def _replaced(self, node: Node, other: Node, donor: CodeOfDonor, kind: str) -> Iterator[Piece]:
        size = max(len(self._wrong.tokens(node)), len(self._right.tokens(other)))
        is_other = kind == EXPRESSION and size > 1 and self._alike(node, other, donor.likeliest) < LEAST_ALIKE
        if size > MOST_TOKENS or is_other or self._is_same(node, other, donor):
            return
        same = (Counter(self._wrong.tokens(node)) & Counter(donor.tokens(other))).total()
        for text, penalty in donor.texts(other, node.start_byte):
            if text != self._wrong.source.text(node):
                yield self._piece(node, text, kind, size - same + 1 + penalty)

    def _piece(self, node: Node, new: str, kind: str, size: int) -> Piece:
        return Piece(_line(node), _replacing(self._wrong.source, node, new), kind, size)

    def _without(self, node: Node) -> list[Edit]:
        """Return the edits that remove a statement; where one is needed, an empty one stays."""
        return [Edit(node.start_byte, node.start_byte, ";"), *_without(self._wrong.source, node)]


def _line(node: Node) -> int:
    return node.start_point.row + 1


def _replacing(source: CSource, node: Node, new: str) -> list[Edit]:
    return [Edit(node.start_byte, node.start_byte, new), *_without(source, node)]


def _without(source: CSource, node: Node) -> list[Edit]:
    """Return the edits that remove a node, and keep each newline: lines have the same numbers then."""
    data, start = source.data, node.start_byte
    found = []
    for end in [*_newlines(data, start, node.end_byte), node.end_byte]:
        if start < end:
            found.append(Edit(start, end, ""))
        start = end + 1
    return found


def _newlines(data: bytes, start: int, end: int) -> Iterable[int]:
    return (at for at in range(start, end) if data[at] == ord("\n"))
