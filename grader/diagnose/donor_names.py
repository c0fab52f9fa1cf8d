"""The tokens of a program, what its names are used for, and code of another program in its names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice, product

from tree_sitter import Node

from grader.diagnose.c_source import CHAR, INT, LOOPS, UNSIGNED_CHAR, CSource, Declared, Type

_PRINTING = frozenset(("printf", "putchar", "puts", "putc", "fputc", "fputs"))
_READING = frozenset(("scanf", "getchar", "getc", "fgetc", "fgets"))
_ANY_PROGRAM = frozenset(("printf", "putchar", "puts", "scanf", "getchar"))
"""Functions that a piece may call although the wrong program does not."""

_SAME = {"true": "1", "false": "0", "bool": "int"}
"""What means the same without a header."""

_NAMES = ("NULL", "EOF", "stdin", "stdout", "true", "false")
_TYPES = {"bool": "int", "size_t": "size_t"}
_WHOLE = ("string_literal", "char_literal", "number_literal", "system_lib_string")
_STATEMENTS = (*LOOPS, "if_statement", "return_statement", "expression_statement")
_NO_WORDS = frozenset("(){};,")
_NUMBERS = (INT, CHAR, UNSIGNED_CHAR, "bool")

LEAST_USE = 0.12
"""Least similarity of the uses of two names that may mean the same."""

OTHER_NAME = 4
"""Code is as unlikely with a name that is not the likeliest as with so many more tokens."""

MOST_TEXTS = 2
"""Most ways to put a piece of code in other names."""


class Program:
    """A source, its blocks of statements, and the tokens of its nodes."""

    def __init__(self, source: CSource) -> None:
        self.source = source
        self._tokens: dict[int, tuple[str, ...]] = {}

    def blocks(self) -> Iterator[Node]:
        """Yield the nodes with statements: blocks, and single statements in place of one."""
        yield from self.source.nodes("compound_statement")
        for node in self.source.nodes(*LOOPS, "if_statement"):
            for field in ("body", "consequence"):
                body = node.child_by_field_name(field)
                if body is not None and body.type != "compound_statement":
                    yield body
        for node in self.source.nodes("else_clause"):
            yield from (one for one in node.named_children if one.type not in ("compound_statement", "comment"))

    def statements(self, block: Node) -> list[Node]:
        """Return the statements of a block."""
        if block.type != "compound_statement":
            return [block]
        return [one for one in block.named_children if one.type != "comment"]

    def leaves(self, node: Node) -> Iterator[Node]:
        """Yield the tokens of a node; a literal is one."""
        if node.type == "comment":
            return
        if not node.children or node.type in _WHOLE:
            yield node
            return
        for child in node.children:
            yield from self.leaves(child)

    def tokens(self, node: Node) -> tuple[str, ...]:
        """Return the texts of the tokens of a node."""
        known = self._tokens.get(node.id)
        if known is None:
            known = self._tokens[node.id] = tuple(map(self.source.text, self.leaves(node)))
        return known

    def words(self, node: Node, names: Mapping[str, str] | None) -> Iterator[str]:
        """Yield what the similarity of nodes depends on; names are mapped, or all the same if there is no mapping."""
        for leaf in self.leaves(node):
            text = self.source.text(leaf)
            if text in _NO_WORDS:
                continue
            if leaf.type == "identifier":
                if text in _PRINTING | _READING:
                    yield "print" if text in _PRINTING else "read"
                elif names is None:
                    yield "a name" if self.source.declared(leaf) is not None else text
                else:
                    yield names.get(text, text)
            else:
                yield text[1:-1] if leaf.type in ("string_literal", "char_literal") else text

    def texts(self) -> Iterator[Node]:
        """Yield the texts that are printed."""
        for node in self.source.nodes("string_literal"):
            if self.callee(node) in _PRINTING:
                yield node

    def conditions(self) -> Iterator[Node]:
        """Yield the conditions of statements, without parentheses around them."""
        for node in self.source.nodes(*LOOPS, "if_statement"):
            condition = node.child_by_field_name("condition")
            if condition is not None:
                yield self.source.bare(condition)

    def returned(self) -> Iterator[Node]:
        """Yield what functions return, if it is computed."""
        for node in self.source.nodes("return_statement"):
            yield from (one for one in map(self.source.bare, node.named_children) if one.type == "binary_expression")

    def callee(self, argument: Node) -> str:
        """Return the name of the function that a node is an argument of, "" if it is none."""
        around = self.source.parents.get(argument.id)
        call = None if around is None or around.type != "argument_list" else self.source.parents.get(around.id)
        name = None if call is None else call.child_by_field_name("function")
        return "" if name is None else self.source.text(name)

    @cached_property
    def called(self) -> frozenset[str]:
        """The names of all functions that are called."""
        names = (node.child_by_field_name("function") for node in self.source.nodes("call_expression"))
        return frozenset(self.source.text(name) for name in names if name is not None)

    def uses(self, function: int) -> dict[str, tuple[Declared, Counter[str]]]:
        """Return the variables that a function uses, with what it does with each."""
        found: dict[str, tuple[Declared, Counter[str]]] = {}
        for node in self.source.nodes("identifier"):
            around, declared = self.source.function_of(node), self.source.declared(node)
            if around is None or around.id != function or declared is None or declared.type is None:
                continue
            _, uses = found.setdefault(self.source.text(node), (declared, Counter()))
            uses.update(self._uses(node))
        return found

    def _uses(self, node: Node) -> Iterator[str]:
        """Yield what is done with a variable where it is named."""
        parent = self.source.parents[node.id]
        if parent.type == "pointer_expression":
            parent, node = self.source.parents[parent.id], parent
        operator = parent.child_by_field_name("operator")
        sign = "" if operator is None else self.source.text(operator)
        name = f"{parent.type}{sign}"
        yield name
        if parent.type == "argument_list":
            callee = self.callee(node)
            at = [one.id for one in parent.named_children].index(node.id)
            yield f"argument of {'print' if callee in _PRINTING else 'read' if callee in _READING else callee} {at}"
            first = parent.named_children[0]
            if first.type == "string_literal" and at:
                yield f"in {self.source.text(first)} {at}"
        for at, one in enumerate(parent.named_children):
            if one.id == node.id:
                yield f"{name} at {at}"
            elif one.type in _WHOLE:
                yield f"{name} with {self.source.text(one)}"
        around = (one.type for one in self.source.ancestors(node) if one.type in _STATEMENTS)
        yield from (f"in {kind}" for kind in islice(around, 1))


def _fits(own: Type | None, theirs: Type | None) -> float:
    """Return how well the types of two variables fit: 0 if not at all."""
    if own is None or theirs is None or own.depth != theirs.depth:
        return 0.0
    if own.name == theirs.name:
        return 1.0
    return 0.7 if own.name in _NUMBERS and theirs.name in _NUMBERS and not own.depth else 0.0


def mapping(wrong: Program, right: Program, function: int, other: int) -> dict[str, list[Declared]]:
    """Return for each variable of a right program's function those of a wrong one's that are used alike."""
    own, theirs = wrong.uses(function), right.uses(other)
    values = {}
    for (name, (declared, uses)), (known, (variable, wanted)) in product(own.items(), theirs.items()):
        alike = (uses & wanted).total() / max(1, (uses | wanted).total())
        value = _fits(declared.type, variable.type) * (alike + 0.1 * (name == known))
        if value >= LEAST_USE:
            values[name, known] = value
    found: dict[str, list[Declared]] = {}
    taken: set[str] = set()
    best = sorted(values, key=lambda pair: -values[pair])
    for name, known in best:
        if known not in found and name not in taken:
            found[known] = [own[name][0]]
            taken.add(name)
    for name, known in best:
        others = found.setdefault(known, [])
        if own[name][0] not in others and len(others) < MOST_TEXTS:
            others.append(own[name][0])
    return found


class CodeOfDonor:
    """Code of a right program in the names of a wrong one."""

    def __init__(self, wrong: Program, right: Program, names: Mapping[str, list[Declared]]) -> None:
        self._wrong = wrong
        self._right = right
        self.names = names

    def tokens(self, node: Node) -> tuple[str, ...]:
        """Return the tokens of a node in the likeliest names."""
        return self.mapped(self._right.tokens(node))

    def mapped(self, tokens: tuple[str, ...]) -> tuple[str, ...]:
        """Return tokens in the likeliest names."""
        return tuple(self.likeliest.get(one, one) for one in tokens)

    @cached_property
    def likeliest(self) -> Mapping[str, str]:
        """The likeliest name for each name of the right program that has one."""
        return {name: self._text(declared[0]) for name, declared in self.names.items() if declared}

    def _text(self, declared: Declared) -> str:
        return self._wrong.source.text(declared.name)

    def texts(self, node: Node, place: int) -> list[tuple[str, int]]:
        """Return a node in the names that are known at a place of the wrong program; nothing if it needs others.

        Each has the number of tokens that it counts for because its names are not the likeliest.
        """
        leaves = [*self._right.leaves(node)]
        named = dict.fromkeys(self._right.source.text(leaf) for leaf in leaves if self._is_variable(leaf, node))
        known = [
            [self._text(one) for one in self.names.get(name, ()) if self._wrong.source.is_known(one, place)]
            for name in named
        ]
        found = []
        # Two names of the right program do not mean the same.
        choices = (choice for choice in product(*known) if len({*choice}) == len(choice))
        for choice in islice(choices, MOST_TEXTS):
            clashing = {name: f"{name}_2" for name in choice}
            text = self._joined(leaves, {**clashing, **dict(zip(named, choice, strict=True))}, node)
            if text is not None:
                others = sum(self.likeliest[name] != own for name, own in zip(named, choice, strict=True))
                found.append((text, OTHER_NAME * others))
        return found

    def _is_variable(self, leaf: Node, within: Node) -> bool:
        """Return whether a token names a variable that is declared outside of a node."""
        declared = self._right.source.declared(leaf) if leaf.type == "identifier" else None
        if declared is None or declared.type is None:
            return False
        return not within.start_byte <= declared.name.start_byte < within.end_byte

    def _joined(self, leaves: list[Node], names: Mapping[str, str], node: Node) -> str | None:
        parts, end = [], node.start_byte
        for leaf in leaves:
            text = self._token(leaf, names)
            if text is None:
                return None
            # Comments and newlines are left out: lines keep their numbers.
            parts += [" " if leaf.start_byte > end else "", text]
            end = leaf.end_byte
        return "".join(parts).strip()

    def _token(self, leaf: Node, names: Mapping[str, str]) -> str | None:
        """Return a token in other names, None if the wrong program has nothing that means the same."""
        text = self._right.source.text(leaf)
        if "\ufffd" in text or leaf.type == "field_identifier" or leaf.type.startswith("preproc"):
            return None
        if leaf.type == "identifier":
            return self._name(leaf, text, names)
        return _TYPES.get(text) if leaf.type == "type_identifier" else _SAME.get(text, text)

    def _name(self, leaf: Node, text: str, names: Mapping[str, str]) -> str | None:
        source, own = self._right.source, self._wrong.source
        declared = source.declared(leaf)
        if declared is not None and declared.type is not None:
            return names.get(text, text)
        if text in source.macros and text not in own.macros:
            value = source.value(leaf)
            return None if value is None else str(value)
        if text in source.functions:
            return text if text in own.functions else None
        is_known = text in own.macros or text in _NAMES or text in self._wrong.called | _ANY_PROGRAM
        return _SAME.get(text, text) if is_known else None
