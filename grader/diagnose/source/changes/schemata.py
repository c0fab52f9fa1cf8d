"""Small changes of a source, such as another comparison, each of which might repair its program.

All of them are put into one copy of the source, in which an environment variable chooses one, or two of them. So one
compilation is enough to try each ("mutant schemata": Untch, Offutt and Harrold, "Mutation analysis using mutant
schemata", 1993). A change that one copy cannot have is compiled alone.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Sequence
from itertools import islice

from tree_sitter import Node

from grader.diagnose.source.c_source import CSource
from grader.diagnose.source.changes.offers import Offer
from grader.diagnose.source.changes.operators.table import MOST_OF_AN_OPERATOR, OPERATORS, WIDE_OPERATORS
from grader.diagnose.source.edits import CHANGE_VARIABLE, TEXT, Change, Edit, fixed

MAX_CHANGES = 256
"""Most changes of a source that its copy can have."""

MAX_TEXTS = 48
"""Of a source with many texts, the first ones are changed: other changes must have room, too."""

MAX_BYTES = 400_000

PRELUDE = b"""\
extern char *getenv(const char *);
static int iolab_change, iolab_other;
__attribute__((constructor)) static void iolab_choose(void) {
    const char *digit = getenv("%s");
    for (; digit && *digit; digit++)
        if (*digit == ',') { iolab_other = iolab_change; iolab_change = 0; }
        else iolab_change = 10 * iolab_change + *digit - '0';
}
#define IOLAB_MADE(number) (iolab_change == number || iolab_other == number)
#define EOF (-1)
#line 1
""" % CHANGE_VARIABLE.encode("ascii")

# What is evaluated when the program is compiled, or not an expression of the program.
_CONSTANT = frozenset(
    (
        *("preproc_def", "preproc_function_def", "preproc_include", "preproc_call", "preproc_if", "preproc_ifdef"),
        *("array_declarator", "enumerator", "bitfield_clause", "struct_specifier", "offsetof_expression", "comment"),
        *("type_definition", "type_descriptor", "attribute_specifier", "subscript_designator"),
        *("alignas_qualifier", "gnu_asm_expression"),
    )
)
_WHOLE = frozenset({"sizeof_expression", "string_literal"})
"""What is changed as a whole or not at all."""

_EXTENDED = frozenset({"declaration", "compound_statement"})
_NAMED_ONCE = ("labeled_statement", "case_statement")


class TooManyChangesError(Exception):
    """The source has too many changes, or the copy with all of them is too large."""


class _Copy:
    """The copy of a source in which each of its changes can be chosen."""

    def __init__(self, source: CSource) -> None:
        self.source = source
        self.found: list[Change] = []
        self._numbers = 0
        self._offered: dict[str, int] = {}
        self._once = [node for kind in _NAMED_ONCE for node in source.nodes(kind)]

    def text(self) -> bytes:
        """Return the copy, and record its changes; raises TooManyChangesError."""
        root, data = self.source.root, self.source.data
        parts = [self._any(child) if self._is_body(child) else self._raw(child) for child in root.children]
        return PRELUDE + data[: root.start_byte].removeprefix(BOM_UTF8) + self._joined(root, parts)

    def _is_body(self, node: Node) -> bool:
        if node.type == "function_definition":
            # Of what could not be parsed, it is not known which functions it calls.
            return bool(self.source.unread) or self.source.is_used(node)
        # The function's own line could not be parsed.
        return node.type == "compound_statement"

    def _any(self, node: Node) -> bytes:
        is_known = node.id in self.source.kept and node.id not in self.source.unread
        if node.type in _CONSTANT or not is_known or self._is_fixed(node):
            return self._raw(node)
        if node.type in _WHOLE:
            whole = self._raw(node)
        else:
            value = node.child_by_field_name("value") if node.type == "case_statement" else None
            whole = self._joined(node, [self._raw(one) if one == value else self._any(one) for one in node.children])
        if len(whole) > MAX_BYTES:
            raise TooManyChangesError
        if node.has_error:
            return whole
        for operator in OPERATORS.get(node.type, ()):
            for offer in operator(self.source, node):
                # The texts of nodes are ASCII.
                if not any("\ufffd" in text for text in (*(edit.text for edit in offer.edits), offer.copied)):
                    whole = self._with(node, whole, offer)
        return whole

    def _is_fixed(self, node: Node) -> bool:
        """Return whether a node is the arguments of a macro, which may paste or quote them, or has static values."""
        if node.type == "call_expression":
            name = self.source.child(node, "function", "identifier")
            return name is not None and (
                self.source.text(name).isupper() or self.source.text(name) in self.source.macros
            )
        storage = [self.source.text(one) for one in node.children if one.type == "storage_class_specifier"]
        return node.type == "declaration" and not {"static", "extern"}.isdisjoint(storage)

    def _with(self, node: Node, whole: bytes, offer: Offer) -> bytes:
        """Return a node of the copy with one more change, which has no other change in it."""
        is_inside = all(node.start_byte <= edit.start and edit.end <= node.end_byte for edit in offer.edits)
        changed = fixed(self._raw(node), [_moved(edit, -node.start_byte) for edit in offer.edits])
        if not is_inside or changed is None:
            self.record(offer, None)
            return whole
        [edit, *more] = offer.edits
        is_statement = node.type.endswith(("statement", "declaration"))
        if not more and edit.start == edit.end and is_statement and not edit.text.lstrip().startswith("else"):
            added = self._with_addition(node, whole, offer)
            if added is not None:
                return added
        is_named_once = any(node.start_byte <= one.start_byte < node.end_byte for one in self._once)
        if is_named_once or node.type in _EXTENDED:
            self.record(offer, None)
            return whole
        copied = offer.copied.encode("utf-8", "surrogateescape") or changed
        form = b"{ if (%s) { %s } else { %s } }" if is_statement else b"(%s?(%s):(%s))"
        return form % (self._number(offer), copied, whole)

    def _with_addition(self, node: Node, whole: bytes, offer: Offer) -> bytes | None:
        """Return a statement of the copy with one before, after or in it, None if that is not where it is added."""
        at, text = offer.edits[0].start, offer.edits[0].text.encode("utf-8", "surrogateescape")
        if node.type == "compound_statement" and at == node.start_byte + 1:
            return b"{ if (%s) { %s } %s" % (self._number(offer), text, whole[1:])
        if node.type == "compound_statement" and at == node.end_byte - 1:
            return b"%s if (%s) { %s } }" % (whole[:-1], self._number(offer), text)
        if at == node.end_byte:
            return b"%s if (%s) { %s }" % (whole, self._number(offer), text)
        if at == node.start_byte and node.type != "declaration" and text.rstrip().endswith((b";", b"}")):
            return b"{ if (%s) { %s } %s }" % (self._number(offer), text, whole)
        return None

    def _number(self, offer: Offer) -> bytes:
        """Record a change, and return the condition under which the copy makes it; raises TooManyChangesError."""
        if offer.rank == TEXT and sum(change.rank == TEXT for change in self.found) >= MAX_TEXTS:
            return b"0"
        self._numbers += 1
        if self._numbers > MAX_CHANGES:
            raise TooManyChangesError
        self.record(offer, self._numbers)
        return b"IOLAB_MADE(%d)" % self._numbers

    def record(self, offer: Offer, number: int | None) -> None:
        """Record a change."""
        names = tuple((name.start_byte, name.end_byte) for name in offer.names)
        self.found.append(Change(offer.op, tuple(offer.edits), offer.rank, number, names))

    def _raw(self, node: Node) -> bytes:
        return self.source.data[node.start_byte : node.end_byte]

    def _joined(self, node: Node, parts: Sequence[bytes]) -> bytes:
        """Return a node with its children replaced."""
        text, end = [], node.start_byte
        for child, part in zip(node.children, parts, strict=True):
            text += [self.source.data[end : child.start_byte], part]
            end = child.end_byte
        return b"".join([*text, self.source.data[end : node.end_byte]])


def _moved(edit: Edit, by: int) -> Edit:
    return Edit(edit.start + by, edit.end + by, edit.text)


def small_changes(source: CSource) -> tuple[list[Change], bytes]:
    """Return the changes of a source, and the copy in which an environment variable chooses one of them."""
    made = _Copy(source)
    try:
        copy = made.text()
    except TooManyChangesError:
        return [], b""
    for operator in WIDE_OPERATORS:
        for offer in islice(operator(source), MOST_OF_AN_OPERATOR):
            made.record(offer, None)
    found = _unique(made.found)
    return (found, copy) if found and len(copy) <= MAX_BYTES else ([], b"")


def _unique(changes: Sequence[Change]) -> list[Change]:
    """Return each change once, as the likeliest of the operators that offer it; in the copy if it has a number."""
    likeliest: dict[tuple[Edit, ...], Change] = {}
    numbers: dict[tuple[Edit, ...], int] = {}
    for change in changes:
        known = likeliest.setdefault(change.edits, change)
        likeliest[change.edits] = min(known, change, key=lambda one: one.rank)
        if change.number is not None:
            numbers.setdefault(change.edits, change.number)
    return [change._replace(number=numbers.get(edits)) for edits, change in likeliest.items()]
