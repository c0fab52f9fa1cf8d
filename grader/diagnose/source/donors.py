"""Pieces of a right program that may repair a wrong one.

Blocks of both programs are matched by their tokens, their statements are aligned, and names are mapped by their use.
Each difference is a piece: the edits that put the right program's code, with the wrong one's names, in its place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from itertools import islice, product
from typing import NamedTuple

from tree_sitter import Node

from grader.diagnose.source.c_source import CHAR, CONVERSION, INT, LOOPS, UNSIGNED_CHAR, CSource, Declared, Type
from grader.diagnose.source.edits import Edit, without

TEXT, VALUE, REMOVED, CONDITION, EXPRESSION, MOVED, ADDED, ADDED_BEFORE, STATEMENT = KINDS = (
    *("text", "value", "removed", "condition", "expression", "moved", "added", "added-before", "statement"),
)
"""The kinds of pieces, the likeliest first."""

MOST_PIECES = 60
MOST_VALUES = 24
"""Most pairs of a constant that only the wrong program has, and one that only the right one has."""

MOST_TOKENS, MOST_REPLACED = 40, 25
"""Most tokens of code that is added or removed, and of code that is replaced: more is another program."""

LEAST_ALIKE = 0.35
"""Least similarity of two statements, or blocks, of which one takes the place of the other."""

MOST_BLOCKS = 2
"""Most blocks of the right program that one of the wrong program is compared with."""

LEAST_ALIKE_TEXTS, LEAST_ALIKE_EXPRESSIONS, LEAST_ALIKE_USES = 0.5, 0.5, 0.12

MOST_CHOICES = 2
"""Most names that may be meant by a name of the right program: the likeliest may not be known at a place."""

_CONSTANT = re.compile(
    r"""(?P<number_literal>-?[\w.]*\d[\w.]*)|(?P<char_literal>'(?:\\.|[^'\\])+')|(?P<string_literal>"(?:\\.|[^"\\])*")"""
)
_PRINTING = frozenset(("printf", "putchar", "puts"))
_CALLABLE = _PRINTING | {"scanf", "getchar", "stdin", "stdout", "stderr", "true", "false"}
"""What a piece may name although the wrong program does not."""

_LIKE = {
    **dict.fromkeys((*_PRINTING, "putc", "fputs"), "print"),
    **dict.fromkeys(("scanf", "getchar", "fgets"), "read"),
}
_WITHOUT_HEADER = {"true": "1", "false": "0", "bool": "int"}
_WHOLE = ("string_literal", "char_literal", "number_literal")
_STATEMENTS = (*LOOPS, "if_statement", "return_statement", "expression_statement")
_NUMBERS = (INT, CHAR, UNSIGNED_CHAR, "bool")


class Piece(NamedTuple):
    """A difference: its line, its edits, its kind, how many tokens it changes, and where a statement is moved to."""

    line: int
    edits: list[Edit]
    kind: str
    size: int
    more: int = 0


def pieces(wrong: CSource, right: CSource) -> list[Piece]:
    """Return the pieces of a right program that may repair a wrong one, the likeliest first."""
    if not right.usable:
        return []
    unique = {tuple(piece.edits): piece for piece in reversed([*_Differences(_Code(wrong), _Code(right)).all()])}
    return sorted(unique.values(), key=_order)[:MOST_PIECES]


def _order(piece: Piece) -> tuple[float, int, int]:
    """Return what orders pieces: of two that are as likely, the one in place of less code comes first."""
    return likelihood(piece.kind, piece.size), sum(edit.end - edit.start for edit in piece.edits), piece.line


def likelihood(kind: str, size: int) -> float:
    """Return what orders pieces, the likeliest first."""
    return KINDS.index(kind) / 4 + size / 6


class _Code:
    """A program with the tokens of its nodes, and the uses of its variables."""

    def __init__(self, source: CSource) -> None:
        self.source = source
        self.blocks = [*source.nodes("compound_statement")]
        for node in source.nodes(*LOOPS, "if_statement", "else_clause"):
            inner = [node.child_by_field_name(field) for field in ("body", "consequence")]
            inner += node.named_children if node.type == "else_clause" else []
            self.blocks += [one for one in inner if one is not None and one.type in _STATEMENTS]
        self.called = {source.text(call.children[0]) for call in source.nodes("call_expression")}
        self.texts = [node for node in source.nodes("string_literal") if self.callee(node) in _PRINTING]
        self.leaves = cache(self._leaves)

    def _leaves(self, node: Node) -> list[Node]:
        if not node.children or node.type in _WHOLE:
            return [] if node.type in ("comment", "{", "}") else [node]
        return [leaf for child in node.children for leaf in self._leaves(child)]

    def tokens(self, node: Node, names: Mapping[str, str] | None = None) -> list[str]:
        return [(names or {}).get(text, text) for text in map(self.source.text, self.leaves(node))]

    def words(self, node: Node, names: Mapping[str, str] | None) -> Counter[str]:
        """Return what similarity depends on; if there is no mapping, all variables are the same."""
        found: Counter[str] = Counter()
        for leaf, text in zip(self.leaves(node), self.tokens(node, names), strict=True):
            is_any = names is None and leaf.type == "identifier" and self.source.declared(leaf) is not None
            found["a name" if is_any else _LIKE.get(text, text.strip("'\""))] += text not in "();,"
        return +found

    def statements(self, block: Node) -> list[Node]:
        is_single = block.type != "compound_statement"
        return [block] if is_single else [one for one in block.named_children if one.type != "comment"]

    def expressions(self) -> Iterator[Node]:
        """Yield comparisons, sums and the like that are not parts of others."""
        for node in self.source.nodes("binary_expression"):
            around = next(one for one in self.source.ancestors(node) if one.type != "parenthesized_expression")
            if around.type != "binary_expression":
                yield node

    def callee(self, argument: Node) -> str:
        call = next(islice(self.source.ancestors(argument), 1, 2))
        return self.source.text(call.children[0]) if call.type == "call_expression" else ""

    def uses(self, function: Node) -> dict[str, tuple[Declared, Counter[str]]]:
        """Return the variables that a function names, with what it does with each."""
        found: dict[str, tuple[Declared, Counter[str]]] = {}
        for node in self.source.nodes("identifier"):
            declared = self.source.declared(node)
            if function.start_byte <= node.start_byte < function.end_byte and declared is not None and declared.type:
                found.setdefault(self.source.text(node), (declared, Counter()))[1].update(self._use(node))
        return found

    def _use(self, node: Node) -> Iterator[str]:
        parent = self.source.parents[node.id]
        if parent.type == "pointer_expression":
            parent, node = self.source.parents[parent.id], parent
        operator = parent.child_by_field_name("operator")
        name = f"{parent.type}{'' if operator is None else self.source.text(operator)}"
        if parent.type == "argument_list":
            name = f"argument of {_LIKE.get(self.callee(node), self.callee(node))}"
        yield name
        for at, one in enumerate(parent.named_children):
            if one.id == node.id or one.type in _WHOLE:
                yield f"{name} at {at}" if one.id == node.id else f"{name} with {self.source.text(one)}"
        yield next((f"in {one.type}" for one in self.source.ancestors(node) if one.type in _STATEMENTS), "")


class _Donor:
    """Code of a function of the right program in the names of a function of the wrong one."""

    def __init__(self, wrong: _Code, right: _Code, function: Node, other: Node) -> None:
        self._wrong, self._right = wrong, right
        own, theirs = wrong.uses(function), right.uses(other)
        values = {}
        for (name, (declared, uses)), (known, (variable, wanted)) in product(own.items(), theirs.items()):
            alike = (uses & wanted).total() / max(1, (uses | wanted).total()) + 0.1 * (name == known)
            values[name, known] = _fits(declared.type, variable.type) * alike
        best = sorted((pair for pair in values if values[pair] >= LEAST_ALIKE_USES), key=lambda pair: -values[pair])
        self.names: dict[str, str] = {}
        self._choices: dict[str, list[Declared]] = {}
        for name, known in best:
            if known not in self.names and name not in self.names.values():
                self.names[known] = name
                self._choices[known] = [own[name][0]]
        for name, known in best:
            choices = self._choices.setdefault(known, [])
            if own[name][0] not in choices and len(choices) < MOST_CHOICES:
                choices.append(own[name][0])

    def text(self, node: Node, place: int) -> str | None:
        """Return a node in the likeliest names that are known at a place, None if it needs others."""
        leaves = [leaf for leaf in _all_leaves(node) if leaf.type != "comment"]
        named = dict.fromkeys(self._right.source.text(leaf) for leaf in leaves if self._is_outer(leaf, node))
        known = {
            name: self._wrong.source.text(one.name)
            for name in named
            for one in reversed(self._choices.get(name, ()))
            if self._wrong.source.is_known(one, place)
        }
        if len({*known.values()}) < len(named):
            return None
        # A variable of the piece itself must not hide one that it uses.
        names = {name: f"{name}_2" for name in known.values()} | known
        tokens = [self._token(leaf, names) for leaf in leaves]
        return None if None in tokens else " ".join(map(str, tokens))

    def _is_outer(self, leaf: Node, node: Node) -> bool:
        """Return whether a token names a variable that is declared outside of a node."""
        declared = self._right.source.declared(leaf) if leaf.type == "identifier" else None
        if declared is None or declared.type is None:
            return False
        return not node.start_byte <= declared.name.start_byte < node.end_byte

    def _token(self, leaf: Node, names: Mapping[str, str]) -> str | None:
        """Return a token in other names, None if the wrong program has nothing that means the same."""
        source, own, text = self._right.source, self._wrong.source, self._right.source.text(leaf)
        if leaf.type != "identifier":
            is_known = leaf.type not in ("field_identifier", "type_identifier") and "\ufffd" not in text
            return _WITHOUT_HEADER.get(text, text) if is_known or text == "bool" else None
        declared = source.declared(leaf)
        if declared is not None and declared.type is not None:
            return names.get(text, text)
        if text in source.macros and text not in own.macros:
            value = source.value(leaf)
            return None if value is None else str(value)
        is_own = text in own.macros or text in own.functions
        # Constants such as EOF are of a header. Without it, the piece does not compile and is left out.
        is_known = text.isupper() or text in self._wrong.called | _CALLABLE
        return text if is_own or (is_known and text not in source.functions) else None


def _all_leaves(node: Node) -> Iterator[Node]:
    if not node.children or node.type in _WHOLE:
        yield node
    else:
        yield from (leaf for child in node.children for leaf in _all_leaves(child))


def _fits(own: Type | None, theirs: Type | None) -> float:
    """Return how well the types of two variables fit: 0 if not at all."""
    if own is None or theirs is None or own.depth != theirs.depth:
        return 0.0
    is_number = own.name in _NUMBERS and theirs.name in _NUMBERS and not own.depth
    return 1.0 if own.name == theirs.name else 0.7 * is_number


class _Differences:
    """The differences of two programs."""

    def __init__(self, wrong: _Code, right: _Code) -> None:
        self._wrong, self._right = wrong, right
        self._added: list[tuple[str, Piece]] = []
        self._donors: dict[tuple[int, int], _Donor] = {}

    def all(self) -> Iterator[Piece]:
        yield from islice(self._values(), MOST_VALUES)
        for node, other in product(self._wrong.texts, self._right.texts):
            yield from self._text(node, other)
        for node in self._wrong.expressions():
            other, value = max(
                ((one, self._alike([node], [one])) for one in self._right.expressions()),
                key=lambda pair: pair[1],
                default=(node, 0.0),
            )
            if value >= LEAST_ALIKE_EXPRESSIONS:
                around = self._wrong.source.parents[node.id].type
                kind = CONDITION if around in ("parenthesized_expression", "for_statement") else EXPRESSION
                yield from self._replaced(node, other, self._donor(node, other), kind)
        for block in self._wrong.blocks:
            for other in dict.fromkeys([*self._like(block, "condition"), *self._like(block, "")]):
                yield from self._of_blocks(block, other, self._donor(block, other))
        yield from self._moved()

    def _like(self, block: Node, field: str) -> list[Node]:
        """Return the blocks that are most like one, perhaps with the conditions under which they are executed."""

        def headed(source: CSource, node: Node) -> list[Node]:
            head = source.parents[node.id].child_by_field_name(field)
            return [node] if head is None else [node, head]

        own = headed(self._wrong.source, block)
        alike = [(self._alike(own, headed(self._right.source, one)), one) for one in self._right.blocks]
        alike.sort(key=lambda pair: -pair[0])
        return [one for value, one in alike[:MOST_BLOCKS] if value >= max(LEAST_ALIKE, 0.7 * alike[0][0])]

    def _donor(self, node: Node, other: Node) -> _Donor:
        function, theirs = self._wrong.source.function_of(node), self._right.source.function_of(other)
        function, theirs = function or self._wrong.source.root, theirs or self._right.source.root
        key = function.id, theirs.id
        if key not in self._donors:
            self._donors[key] = _Donor(self._wrong, self._right, function, theirs)
        return self._donors[key]

    def _alike(self, own: Sequence[Node], theirs: Sequence[Node], names: Mapping[str, str] | None = None) -> float:
        """Return how similar nodes are, from 0 to 1; if there is no mapping, all variables are the same."""
        mine: Counter[str] = sum((self._wrong.words(one, None if names is None else {}) for one in own), Counter())
        yours: Counter[str] = sum((self._right.words(one, names) for one in theirs), Counter())
        return 2 * (mine & yours).total() / max(1, mine.total() + yours.total())

    def _text(self, node: Node, other: Node) -> Iterator[Piece]:
        """Yield another text, also with the conversions of the one that it replaces."""
        text, new = self._wrong.source.text(node), self._right.source.text(other)
        own, theirs = CONVERSION.findall(text), CONVERSION.findall(new)
        alike = SequenceMatcher(None, text, new, autojunk=False).ratio()
        if len(own) != len(theirs) or alike < LEAST_ALIKE_TEXTS:
            return
        if self._wrong.callee(node) == "puts":
            new = new.removesuffix('\\n"').removesuffix('"') + '"'
        conversions = iter(own)
        kept = CONVERSION.sub(lambda _: next(conversions), new)
        is_like = all(_kind(one) == _kind(wanted) for one, wanted in zip(own, theirs, strict=True))
        for changed in {kept: 1, new: 2} if is_like else {kept: 1}:
            if changed != text:
                yield self._piece(node, changed, TEXT, 1 + round(6 * (1 - alike)))

    def _values(self) -> Iterator[Piece]:
        """Yield constants of the right program, each wherever the wrong one has another constant that it lacks."""
        own, theirs = _constants(self._wrong.source), _constants(self._right.source)
        for (kind, text), nodes in own.items():
            others = [other for other_kind, other in theirs if other_kind == kind and (kind, other) not in own]
            for other in others if (kind, text) not in theirs else ():
                parts = [self._piece(node, other, VALUE, 1) for node in nodes]
                yield parts[0]._replace(edits=[edit for part in parts for edit in part.edits])

    def _of_blocks(self, block: Node, other: Node, donor: _Donor) -> Iterator[Piece]:
        own, theirs = self._wrong.statements(block), self._right.statements(other)
        known = self._aligned(own, theirs, donor)
        for to, at in known.items():
            yield from self._of_pair(own[at], theirs[to], donor)
        for at, node in enumerate(own):
            is_end = node.type == "return_statement" and at == len(own) - 1
            size = len(self._wrong.leaves(node))
            if at not in known.values() and node.type != "declaration" and not is_end and size <= MOST_TOKENS:
                yield self._piece(node, ";", REMOVED, size)
        for first in range(len(theirs)):
            for last in range(first, min(first + 3, len(theirs))):
                run = theirs[first : last + 1]
                if any(to in known for to in range(first, last + 1)) or run[0].type == "declaration":
                    break
                ends = own and own[-1].type in ("return_statement", "break_statement", "continue_statement")
                start = next((at for at, node in enumerate(own) if node.type != "declaration"), len(own))
                places = known.get(first - 1, start - 1) + 1, known.get(last + 1, len(own) - bool(ends))
                if first - 1 in known or last + 1 in known:
                    for place in dict.fromkeys(places):
                        yield from self._added_at(
                            place, own, run, donor, is_single=block.type != "compound_statement"
                        )

    def _added_at(
        self, place: int, own: Sequence[Node], run: Sequence[Node], donor: _Donor, *, is_single: bool
    ) -> Iterator[Piece]:
        """Yield the addition of statements before the one at a place of a block, or at its end."""
        size = sum(len(self._right.leaves(one)) for one in run)
        node = own[max(place - 1, 0)]
        at, kind = (node.end_byte, ADDED) if place else (node.start_byte, ADDED_BEFORE)
        line = (node.end_point if place else node.start_point).row + 1
        texts = [donor.text(one, at) for one in run]
        if size > MOST_TOKENS or None in texts:
            return
        # A loop would be another program, and a return in front of statements would leave them out.
        leaves_early = any(one.type == "return_statement" for one in run) and place < len(own)
        if leaves_early or any(_has_loop(one) for one in run):
            return
        text = " ".join(map(str, texts))
        edits = [Edit(at, at, f" {text} ")]
        if is_single:
            edits = [Edit(at, at, f" {text} }}"), Edit(node.start_byte, node.start_byte, "{ ")]
        if is_single and not place:
            edits = [Edit(at, at, f"{{ {text} "), Edit(node.end_byte, node.end_byte, " }")]
        piece = Piece(line, edits, kind, size)
        self._added.append((text.replace(" ", ""), piece))
        yield piece

    def _moved(self) -> Iterator[Piece]:
        """Yield the statements that the right program has in another place."""
        for node in (node for block in self._wrong.blocks for node in self._wrong.statements(block)):
            own = "".join(self._wrong.tokens(node)).replace(" ", "")
            for text, added in self._added if node.type != "return_statement" else ():
                if text == own and not node.start_byte <= added.edits[0].start <= node.end_byte:
                    removed = self._piece(node, ";", MOVED, added.size)
                    yield removed._replace(edits=[*removed.edits, *added.edits], more=added.line)

    def _aligned(self, own: Sequence[Node], theirs: Sequence[Node], donor: _Donor) -> dict[int, int]:
        """Return the statements that are most alike in all, in their order, by the place of theirs."""
        best: list[list[tuple[float, dict[int, int]]]] = [[(0.0, {})] * (len(theirs) + 1)]
        for at, node in enumerate(own):
            row: list[tuple[float, dict[int, int]]] = [(0.0, {})]
            for to, other in enumerate(theirs):
                kinds = {"loop" if one.type in LOOPS else one.type for one in (node, other)}
                may = len(kinds) == 1 or kinds == {"if_statement", "expression_statement"}
                alike = self._alike([node], [other], donor.names) * (0.0 if not may else 1.0 / len(kinds) ** 0.3)
                total, known = best[at][to]
                # Equal statements count more than several similar ones.
                both = [(total + alike**2, {**known, to: at})] if alike >= LEAST_ALIKE else []
                row.append(max([best[at][to + 1], row[to], *both], key=lambda one: one[0]))
            best.append(row)
        return best[-1][-1][1]

    def _of_pair(self, node: Node, other: Node, donor: _Donor) -> Iterator[Piece]:
        """Yield the differences of two statements of which one takes the place of the other."""
        for field, kind in (("condition", CONDITION), ("initializer", EXPRESSION), ("update", EXPRESSION)):
            first, second = (one.child_by_field_name(field) for one in (node, other))
            if first is not None and second is not None and "declaration" not in (first.type, second.type):
                bare = self._wrong.source.bare(first), self._right.source.bare(second)
                yield from self._replaced(*bare, donor, kind)
        if node.type != "declaration" != other.type:
            yield from self._replaced(node, other, donor, STATEMENT)
            return
        own, theirs = ([child for child in one.children if child.type == "init_declarator"] for one in (node, other))
        for mine, yours in product(own, theirs):
            if self._wrong.tokens(mine.children[0]) == self._right.tokens(yours.children[0], donor.names):
                yield from self._replaced(mine.children[-1], yours.children[-1], donor, EXPRESSION)

    def _replaced(self, node: Node, other: Node, donor: _Donor, kind: str) -> Iterator[Piece]:
        own, theirs = self._wrong.tokens(node), self._right.tokens(other, donor.names)
        size = max(len(own), len(theirs))
        is_other = kind == EXPRESSION and size > 1 and self._alike([node], [other], donor.names) < LEAST_ALIKE
        if own == theirs or is_other or size > MOST_REPLACED:
            return
        same = (Counter(own) & Counter(theirs)).total()
        text = donor.text(other, node.start_byte)
        # What no longer calls a function hides a mistake in it.
        called = {*own} & {*self._wrong.source.functions} - {*theirs}
        if called or (_has_loop(other) and not _has_loop(node)):
            return
        if text is not None and text.replace(" ", "") != "".join(own):
            yield self._piece(node, text, kind, size - same + 1)

    def _piece(self, node: Node, new: str, kind: str, size: int) -> Piece:
        """Return a piece in place of a node; newlines are kept, so that lines have the same numbers."""
        start = node.start_byte
        edits = [Edit(start, start, new), *without(self._wrong.source.data, start, node.end_byte)]
        return Piece(node.start_point.row + 1, edits, kind, size)


def _constants(source: CSource) -> dict[tuple[str, str], list[Node]]:
    """Return where each constant is, by kind and text; texts that are printed are pieces of their own."""
    found: dict[tuple[str, str], list[Node]] = {}
    for node in source.nodes("number_literal", "char_literal", "string_literal"):
        if node.type != "string_literal" or source.parents[node.id].type != "argument_list":
            found.setdefault((node.type, source.text(node)), []).append(node)
    for node in source.nodes("preproc_def"):
        value = source.child(node, "value")
        kind = None if value is None else _CONSTANT.fullmatch(source.text(value).strip())
        if value is not None and kind is not None:
            found.setdefault((str(kind.lastgroup), kind[0]), []).append(value)
    return found


def _has_loop(node: Node) -> bool:
    """Return whether a loop is in a node, or is the node itself."""
    return node.type in LOOPS or any(map(_has_loop, node.named_children))


def _kind(conversion: str) -> str:
    return {"i": "d", "c": "d", "u": "d", "x": "d", "g": "f", "e": "f"}.get(conversion[-1], conversion[-1])


def file_names(source: CSource) -> list[str]:
    """Return what a source defines for all of it: functions, variables, types and constants."""
    found = [*source.functions]
    for node in source.nodes("declaration", "type_definition"):
        if source.parents[node.id].id == source.root.id:
            declared = filter(None, map(source.declared_name, node.children_by_field_name("declarator")))
            found += [source.text(name) for name, is_function in declared if not is_function]
    for node in source.nodes("struct_specifier", "union_specifier", "enum_specifier", "enumerator"):
        tag, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        # Without a body, it may be a type of a header.
        found += [] if tag is None or (body is None and node.type != "enumerator") else [source.text(tag)]
    return [*dict.fromkeys(found)]


def main_end(source: CSource) -> int | None:
    """Return where the body of main ends if it returns an int, None if it does not."""
    main = source.functions.get("main")
    kind, body = (main and main.child_by_field_name(field) for field in ("type", "body"))
    return body.end_byte - 1 if body and (kind is None or source.text(kind) == "int") else None
