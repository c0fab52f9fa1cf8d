"""Small changes of a source, such as another comparison, each of which might repair its program.

All of them are put into one copy of the source, in which an environment variable chooses one, or two of them. So one
compilation is enough to try each ("mutant schemata": Untch, Offutt and Harrold, "Mutation analysis using mutant
schemata", 1993).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from tree_sitter import Node

from grader.diagnose.c_source import CSource
from grader.diagnose.changes.additions import fill, last_write, moved_back_in, unfilled_tables
from grader.diagnose.changes.exchanges import pair_of_operands
from grader.diagnose.changes.moves import other_label
from grader.diagnose.changes.operands import address, call, identifier, number, unsigned_index
from grader.diagnose.changes.operators import assignment, binary, sizeof, unary
from grader.diagnose.changes.recorder import ChangeRecorder, TooManyChangesError
from grader.diagnose.changes.separate_changes import separate_changes
from grader.diagnose.changes.statements import block, if_statement, read_declared, returning, statement
from grader.diagnose.changes.texts import changed_text, last_newline
from grader.diagnose.edits import CHANGE_VARIABLE, SAYS_OF_CHANGES, Change

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
#line 1
""" % CHANGE_VARIABLE.encode("ascii")

Rewrite = Callable[[ChangeRecorder, Node, bytes], bytes]


def _returned(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    return last_newline(record, node, statement(record, node, whole))


_REWRITES: Mapping[str, Rewrite] = {
    "binary_expression": binary,
    "unary_expression": unary,
    "assignment_expression": assignment,
    "number_literal": number,
    "identifier": identifier,
    "pointer_expression": address,
    "call_expression": call,
    "expression_statement": statement,
    "declaration": read_declared,
    "goto_statement": other_label,
    "break_statement": statement,
    "continue_statement": statement,
    "return_statement": _returned,
    "if_statement": if_statement,
    "while_statement": last_write,
    "for_statement": last_write,
    "compound_statement": block,
}
"""What adds the changes of a node, by its type: it gets the node, and the node as it is in the copy so far.

Where a change is made, no other is: the text of an alternative is that of the source.
"""

# What is evaluated when the program is compiled, or not an expression of the program.
_CONSTANT = frozenset(
    (
        *("preproc_def", "preproc_function_def", "preproc_include", "preproc_call", "preproc_if", "preproc_ifdef"),
        *("array_declarator", "enumerator", "sizeof_expression", "bitfield_clause", "struct_specifier"),
        *("type_definition", "type_descriptor", "attribute_specifier", "string_literal", "comment"),
        *("subscript_designator", "offsetof_expression", "alignas_qualifier", "gnu_asm_expression"),
    )
)


class _Copy:
    """The copy of a source in which each of its changes can be chosen."""

    def __init__(self, source: CSource) -> None:
        self.source = source
        self.record = ChangeRecorder(source, operands=pair_of_operands(source))
        self.unfilled = unfilled_tables(source)

    def text(self) -> bytes:
        """Return the copy, and record its changes; raises TooManyChangesError."""
        root = self.source.root
        return PRELUDE + self._joined(root, [self._outer(child) for child in root.children])

    def _outer(self, node: Node) -> bytes:
        if node.type != "function_definition" or not self.source.is_used(node):
            return self.record.raw(node)
        body = node.child_by_field_name("body")
        parts = [
            moved_back_in(self.record, node, returning(self.record, node, self._any(one)))
            if one == body
            else self.record.raw(one)
            for one in node.children
        ]
        return self._joined(node, parts)

    def _any(self, node: Node) -> bytes:
        if node.type == "sizeof_expression" and node.id in self.source.kept:
            return sizeof(self.record, node)
        if node.type == "string_literal" and node.id in self.source.kept:
            return changed_text(self.record, node)
        if self._stays(node):
            return self.record.raw(node)
        value = node.child_by_field_name("value") if node.type == "case_statement" else None
        parts = [self.record.raw(one) if one == value else self._any(one) for one in node.children]
        whole = self._joined(node, parts)
        if len(whole) > MAX_BYTES:
            raise TooManyChangesError
        rewrite = _REWRITES.get(node.type)
        whole = whole if rewrite is None else rewrite(self.record, node, whole)
        whole = unsigned_index(self.record, node, whole)
        table = self.unfilled.get(node.id)
        return whole if table is None else fill(self.record, node, whole, table)

    def _stays(self, node: Node) -> bool:
        """Return whether nothing in a node can be changed when the program runs."""
        if node.type in _CONSTANT or node.id not in self.source.kept or self._is_of_macro(node):
            return True
        storage = [self.source.text(one) for one in node.children if one.type == "storage_class_specifier"]
        return node.type == "declaration" and not {"static", "extern"}.isdisjoint(storage)

    def _is_of_macro(self, node: Node) -> bool:
        """Return whether a node has the arguments of a macro, which may paste or quote them."""
        name = self.source.child(node, "function", "identifier") if node.type == "call_expression" else None
        return name is not None and (self.source.text(name).isupper() or self.source.text(name) in self.source.macros)

    def _joined(self, node: Node, parts: Sequence[bytes]) -> bytes:
        """Return a node with its children replaced."""
        text, end = [], node.start_byte
        for child, part in zip(node.children, parts, strict=True):
            text += [self.source.data[end : child.start_byte], part]
            end = child.end_byte
        return b"".join([*text, self.source.data[end : node.end_byte]])


def small_changes(source: CSource) -> tuple[list[Change], bytes]:
    """Return the changes of a source, and the copy in which an environment variable chooses one of them."""
    # Names are quoted, and put into the copy, as ASCII.
    names = source.nodes("identifier", "field_identifier", "type_identifier")
    if not source.usable or any("\ufffd" in source.text(name) for name in names):
        return [], b""
    made = _Copy(source)
    try:
        copy = made.text()
    except TooManyChangesError:
        return [], b""
    if len(copy) > MAX_BYTES:
        return [], b""
    found = [*made.record.found, *separate_changes(source)]
    # A sentence must mean one place.
    said = Counter((change.line, change.says) for change in found)
    clear = [one for one in found if said[one.line, one.says] == 1 and SAYS_OF_CHANGES.fullmatch(one.says)]
    return (clear, copy) if clear else ([], b"")
