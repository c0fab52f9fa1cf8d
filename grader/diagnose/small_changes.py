"""Small changes of a source, such as another comparison, each of which might repair its program.

All of them are put into one copy of the source, in which an environment variable chooses one. So one compilation is
enough to try each ("mutant schemata": Untch, Offutt and Harrold, "Mutation analysis using mutant schemata", 1993).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tree_sitter import Node

from grader.diagnose.c_source import CHAR, INT, LOOPS, UNSIGNED_CHAR, CSource, Type
from grader.diagnose.constructs import is_pointer, is_read_into, joins
from grader.diagnose.edits import (
    ARGUMENT,
    CHANGE_VARIABLE,
    COMPARISON,
    IDLE,
    JUMP,
    LIKELIEST,
    LOGICAL,
    LOSS,
    NUMBER,
    QUOTED_NAME,
    REMOVAL,
    SAYS_OF_CHANGES,
    Change,
    Edit,
)
from grader.diagnose.exchanges import exchanged
from grader.diagnose.jumps import blanked, bounds_loop, ends_round, is_only, removable_jump
from grader.diagnose.separate_changes import STATEMENTS, separate_changes

MAX_CHANGES = 160
MAX_NAMES = 2
MAX_BYTES = 400_000

PRELUDE = b"""\
extern char *getenv(const char *);
static int iolab_change;
__attribute__((constructor)) static void iolab_choose(void) {
    for (const char *digit = getenv("%s"); digit && *digit; digit++)
        iolab_change = 10 * iolab_change + *digit - '0';
}
#line 1
""" % CHANGE_VARIABLE.encode("ascii")

_COMPARISONS = {
    "<": ("<=", "!="),
    "<=": ("<", "!="),
    ">": (">=", "!="),
    ">=": (">", "!="),
    "==": ("!=",),
    "!=": ("==",),
}
_LOGICAL = {"&&": "||", "||": "&&"}
_STREAMS = {"STDIN_FILENO": "0", "STDOUT_FILENO": "1", "STDERR_FILENO": "2"}
_WRITES = ("putchar", "putc", "fputc", "putchar_unlocked", "putc_unlocked")
_DESCRIPTORS = {"read": (0,), "write": (1, 2)}
_ENDS_INPUT = {"read": "<= 0", **dict.fromkeys(("getchar", "getc", "fgetc"), "== EOF")}
_SIZEOF, _LENGTH = "sizeof", "strlen"
_LITERALS = ("string_content", "character", "escape_sequence", "comment", "preproc_arg")
_UPDATE = re.compile(r"\w{1,40}(\+\+|--);")
_LARGEST = 1_000_000
_UNCLEAR = "?"
_ORDINALS = ("first", "second", "third", "fourth", "fifth")

# What is evaluated when the program is compiled, or not an expression of the program.
_CONSTANT = frozenset(
    (
        *("preproc_def", "preproc_function_def", "preproc_include", "preproc_call", "preproc_if", "preproc_ifdef"),
        *("array_declarator", "enumerator", "sizeof_expression", "bitfield_clause", "struct_specifier"),
        *("type_definition", "type_descriptor", "attribute_specifier", "string_literal", "comment"),
        *("subscript_designator", "offsetof_expression", "alignas_qualifier", "gnu_asm_expression"),
    )
)


class _TooManyError(Exception):
    """The source has too many changes, or the copy with all of them is too large."""


@dataclass
class _Changes:
    """Collects the changes of a source, and makes the copy in which each can be chosen."""

    source: CSource
    found: list[Change] = field(default_factory=list)

    def copy(self) -> bytes:
        return PRELUDE + self._file(self.source.root)

    # The copy

    def _file(self, root: Node) -> bytes:
        return self._joined(root, [self._outer(child) for child in root.children])

    def _outer(self, node: Node) -> bytes:
        if node.type != "function_definition" or not self.source.is_used(node):
            return self._raw(node)
        body = node.child_by_field_name("body")
        parts = [self._returning(node, self._any(one)) if one == body else self._raw(one) for one in node.children]
        return self._joined(node, parts)

    def _returning(self, function: Node, body: bytes) -> bytes:
        """Return the body of a function, at whose end each of its parameters may be returned if nothing is."""
        name, block = self.source.name_of(function), function.child_by_field_name("body")
        returned = self.source.type_returned(name)
        statements = [one for one in block.named_children if one.type != "comment"] if block is not None else []
        is_last = bool(statements) and statements[-1].type == "return_statement"
        if (
            block is None
            or returned is None
            or returned.depth
            or returned.name == "void"
            or name == "main"
            or is_last
        ):
            return body
        end = block.end_byte - 1
        for one in self.source.parameters[name]:
            if one.type is not None and not one.type.depth:
                variable = self.source.text(one.name)
                says = f"with `return {variable};` at the end of the function"
                edits = [Edit(end, end, f"    return {variable};\n")]
                made = self._added(block.end_point.row + 1, edits, says, LIKELIEST)
                body = body[:-1] + b" if (%s) return %s; }" % (made, variable.encode("ascii"))
        return body

    def _raw(self, node: Node) -> bytes:
        return self.source.data[node.start_byte : node.end_byte]

    def _joined(self, node: Node, parts: Sequence[bytes]) -> bytes:
        """Return a node with its children replaced."""
        text, end = [], node.start_byte
        for child, part in zip(node.children, parts, strict=True):
            text += [self.source.data[end : child.start_byte], part]
            end = child.end_byte
        return b"".join([*text, self.source.data[end : node.end_byte]])

    def _any(self, node: Node) -> bytes:
        if node.type == "sizeof_expression" and node.id in self.source.kept:
            return self._sizeof(node)
        if node.type in _CONSTANT or node.id not in self.source.kept or self._is_of_macro(node):
            return self._raw(node)
        if node.type == "declaration" and any(
            self._raw(one) in (b"static", b"extern") for one in node.children if one.type == "storage_class_specifier"
        ):
            return self._raw(node)
        if node.type == "case_statement":
            value = node.child_by_field_name("value")
            return self._joined(node, [self._raw(one) if one == value else self._any(one) for one in node.children])
        parts = {child.id: self._any(child) for child in node.children}
        whole = self._joined(node, [parts[child.id] for child in node.children])
        if len(whole) > MAX_BYTES:
            raise _TooManyError
        rewrite = self._rewrites.get(node.type)
        return whole if rewrite is None else rewrite(node, parts, whole)

    @cached_property
    def _rewrites(self) -> Mapping[str, Callable[[Node, Mapping[int, bytes], bytes], bytes]]:
        """For each type of node, what adds its changes: it gets the node, its children and itself as in the copy."""
        return {
            "binary_expression": self._binary,
            "unary_expression": self._unary,
            "assignment_expression": self._assignment,
            "number_literal": lambda node, _, whole: self._number(node, whole),
            "identifier": lambda node, _, whole: self._identifier(node, whole),
            "pointer_expression": lambda node, _, whole: self._address(node, whole),
            "call_expression": lambda node, _, whole: self._call(node, whole),
            "expression_statement": lambda node, _, whole: self._statement(node, whole),
            "break_statement": lambda node, _, whole: self._statement(node, whole),
            "continue_statement": lambda node, _, whole: self._statement(node, whole),
            "return_statement": lambda node, _, whole: self._statement(node, whole),
            "if_statement": lambda node, _, whole: self._if(node, whole),
            "compound_statement": lambda node, _, whole: self._block(node, whole),
        }

    def _is_of_macro(self, node: Node) -> bool:
        """Return whether a node has the arguments of a macro, which may paste or quote them."""
        name = self.source.child(node, "function", "identifier") if node.type == "call_expression" else None
        return name is not None and (self.source.text(name).isupper() or self.source.text(name) in self.source.macros)

    def _add(self, node: Node, edits: list[Edit], says: str, rank: int) -> bytes:
        """Add a change, and return the condition under which it is made."""
        return self._added(node.start_point.row + 1, edits, says, rank)

    def _added(self, line: int, edits: list[Edit], says: str, rank: int) -> bytes:
        number = len(self.found) + 1
        if number > MAX_CHANGES:
            raise _TooManyError
        self.found.append(Change(line, edits, says, rank, number))
        return b"iolab_change==%d" % number

    def _replace(self, node: Node, new: str, rank: int) -> bytes:
        return self._add(node, [Edit(node.start_byte, node.end_byte, new)], self._instead(node, new), rank)

    def _instead(self, node: Node, new: str) -> str:
        """Say that a token is replaced."""
        return f"with `{new}` instead of {self._which(node)}`{self.source.text(node)}`"

    def _which(self, node: Node) -> str:
        """Say which of the equal tokens of its line a token is; nothing if it is the only one.

        What cannot be told apart in these words is not said at all, see small_changes().
        """
        old = self.source.text(node)
        same = self._in_row(node, old)
        if len(same) == 1 and same[0].id == node.id:
            return ""
        at = next((at for at, one in enumerate(same) if one.id == node.id), len(_ORDINALS))
        if at >= len(_ORDINALS) or any(one.type in _LITERALS for one in same):
            return _UNCLEAR
        return f"the {_ORDINALS[at]} "

    def _in_row(self, node: Node, *texts: str) -> list[Node]:
        """Return the tokens with these texts in the line of a node."""
        return [one for one in self._rows.get(node.start_point.row, ()) if self.source.text(one) in texts]

    @cached_property
    def _rows(self) -> dict[int, list[Node]]:
        """The tokens of each line, from left to right."""
        rows: dict[int, list[Node]] = {}
        pending = [self.source.root]
        while pending:
            one = pending.pop()
            if not one.children:
                rows.setdefault(one.start_point.row, []).append(one)
            pending += reversed(one.children)
        return rows

    def _binary(self, node: Node, parts: Mapping[int, bytes], whole: bytes) -> bytes:
        left, sign, right = (node.child_by_field_name(name) for name in ("left", "operator", "right"))
        if left is None or sign is None or right is None:
            return whole
        before, after = parts[left.id], parts[right.id]
        if sign.type in _LOGICAL:
            made = self._replace(sign, _LOGICAL[sign.type], LOGICAL)
            # `a && b` is `a ? b : 0`, and `a || b` is `a ? 1 : b`.
            is_or = made if sign.type == "&&" else b"!(%s)" % made
            copy = b"((%s)?(%s||(%s)):(%s&&(%s)))" % (before, is_or, after, is_or, after)
            if sign.type == "||" or not self._is_byte_with_eof(right):
                return copy
            edit = Edit(left.end_byte, right.end_byte, "")
            made = self._add(right, [edit], f"without `&& {self.source.text(self.source.bare(right))}`", LIKELIEST)
            return b"(%s?(%s)!=0:%s)" % (made, before, copy)
        negated = left.child_by_field_name("argument") if left.type == "unary_expression" else None
        if sign.type in ("==", "!=") and negated is not None and self._raw(left).startswith(b"!"):
            # `!a == b` compares with 0 or 1.
            other = "!=" if sign.type == "==" else "=="
            edits = [
                Edit(left.start_byte, negated.start_byte, ""),
                Edit(sign.start_byte, sign.end_byte, other),
            ]
            is_one_line = left.start_point.row == sign.start_point.row
            which = self._which(left.children[0]) or "the " if is_one_line else _UNCLEAR
            made = self._add(sign, edits, f"{self._instead(sign, other)} and without {which}`!`", LIKELIEST)
            return b"(%s?((%s)%s(%s)):(%s))" % (made, self._any(negated), other.encode("ascii"), after, whole)
        if sign.type not in _COMPARISONS:
            return whole
        return self._compared(node, (left, sign, right), parts, whole)

    def _compared(
        self, node: Node, sides: tuple[Node, Node, Node], parts: Mapping[int, bytes], whole: bytes
    ) -> bytes:
        left, sign, right = sides
        before, after = parts[left.id], parts[right.id]
        if self._is_string_size(left) and self._is_string_size(right):
            edits = [Edit(one.start_byte, one.start_byte + len(_SIZEOF), _LENGTH) for one in (left, right)]
            made = self._add(sign, edits, f"with `{_LENGTH}` instead of both `{_SIZEOF}`", LIKELIEST)
            lengths = [b"__builtin_" + self._raw(one).replace(b"sizeof", b"strlen", 1) for one in (left, right)]
            return b"(%s?%s%s%s:(%s))" % (made, lengths[0], sign.type.encode("ascii"), lengths[1], whole)
        shifted = self._shifted(left, sign, right)
        if shifted is not None:
            made, less = shifted
            whole = b"(%s?((%s)+1%s(%s)):(%s))" % (
                made,
                before,
                sign.type.encode("ascii"),
                self._raw(less),
                whole,
            )
        choices = [
            b"%s?((%s)%s(%s)):" % (self._replace(sign, new, COMPARISON), before, new.encode("ascii"), after)
            for new in _COMPARISONS[sign.type]
            if not (new == "!=" and sign.type != "==" and bounds_loop(self.source, node))
        ]
        return b"(%s(%s))" % (b"".join(choices), whole)

    def _shifted(self, left: Node, sign: Node, right: Node) -> tuple[bytes, Node] | None:
        """Change `i < strlen(s) - 1`, which is never reached if the string is empty, into `i + 1 < strlen(s)`.

        Return the condition of the change, and what is left of the right side.
        """
        less, minus, one = (right.child_by_field_name(name) for name in ("left", "operator", "right"))
        if less is None or minus is None or one is None or minus.type != "-" or self.source.value(one) != 1:
            return None
        if left.type != "identifier" or sign.type not in ("<", "!=") or self.source.library_call(less) != "strlen":
            return None
        name = self.source.text(left)
        edits = [Edit(left.end_byte, left.end_byte, " + 1"), Edit(less.end_byte, right.end_byte, "")]
        is_one_line = left.start_point.row == right.end_point.row
        which = self._which(left) if is_one_line and len(self._in_row(minus, "-")) == 1 else _UNCLEAR
        says = f"with `{name} + 1` instead of {which}`{name}` and without the `- 1`"
        return self._add(left, edits, says, LIKELIEST), less

    def _unary(self, node: Node, parts: Mapping[int, bytes], whole: bytes) -> bytes:
        sign, argument = node.child_by_field_name("operator"), node.child_by_field_name("argument")
        if sign is None or argument is None or sign.type != "!":
            return whole
        edit = Edit(sign.start_byte, sign.end_byte, "")
        made = self._add(node, [edit], f"without {self._which(sign) or 'the '}`!`", COMPARISON)
        return b"(%s?!!(%s):(%s))" % (made, parts[argument.id], whole)

    def _assignment(self, node: Node, parts: Mapping[int, bytes], whole: bytes) -> bytes:
        """Change an assignment that is a whole condition into a comparison, and keep what was compared before."""
        whole = self._exchanged(node, whole)
        left, sign, right = (node.child_by_field_name(name) for name in ("left", "operator", "right"))
        if left is None or sign is None or right is None or sign.type != "=":
            return whole
        if self._compares(right):
            made = self._replace(sign, "|=", JUMP)
            return b"(%s?(%s|=%s):(%s))" % (made, parts[left.id], parts[right.id], whole)
        around = self.source.parents[node.id]
        is_condition = around.type == "parenthesized_expression" and self.source.parents[around.id].type in (
            "if_statement",
            *LOOPS,
        )
        if not is_condition:
            return whole
        not_sign = right.child_by_field_name("operator")
        is_typo = not_sign is not None and not_sign.type == "!" and sign.end_byte == not_sign.start_byte
        if right.type == "unary_expression" and not_sign is not None and is_typo:
            operand = right.child_by_field_name("argument")
            if operand is not None:
                edit = Edit(sign.start_byte, not_sign.end_byte, "!=")
                which = self._which(sign)
                made = self._add(sign, [edit], f"with `!=` instead of {which}`=!`", LIKELIEST)
                return b"(%s?((%s)!=(%s)):(%s))" % (made, parts[left.id], self._raw(operand), whole)
        made = self._replace(sign, "==", LIKELIEST)
        return b"(%s?((%s)==(%s)):(%s))" % (made, parts[left.id], parts[right.id], whole)

    def _compares(self, value: Node) -> bool:
        """Return whether the result of a comparison is stored in each round of a loop: only the last counts."""
        sign = self.source.bare(value).child_by_field_name("operator")
        around = self.source.parents[value.id]
        is_statement = self.source.parents[around.id].type == "expression_statement"
        return sign is not None and sign.type in _COMPARISONS and is_statement and self.source.is_in_loop(around)

    def _number(self, node: Node, whole: bytes) -> bytes:
        value = self.source.value(node)
        if value is None or not 0 <= value <= _LARGEST:
            return whole
        around = self.source.parents[node.id]
        if around.type == "argument_list":
            others, rank = [one for one in self._values_of(node) if one != value], ARGUMENT
        elif around.type in ("return_statement", "subscript_expression"):
            # Exit statuses and the numbers of operands are small.
            least = 1 if around.type == "subscript_expression" and self._is_argv(around) else 0
            others, rank = [one for one in range(least, 3) if one != value] if value < 3 else [], ARGUMENT  # noqa: PLR2004
        elif around.type in ("init_declarator", "assignment_expression"):
            others, rank = [0] if value == 1 else [], NUMBER
        else:
            others, rank = [one for one in (value + 1, value - 1) if one >= 0], NUMBER
        others = [one for one in others if not self._is_checked(node, str(one))]
        choices = [
            b"%s?%d:" % (self._replace(node, str(one), self._rank_of(node, str(one), rank)), one) for one in others
        ]
        return b"(%s%s)" % (b"".join(choices), whole)

    def _is_argv(self, element: Node) -> bool:
        """Return whether an array is that of the operands, whose first element is the program's name."""
        array, of_main = self.source.child(element, "argument"), self.source.parameters.get("main", [])
        return array is not None and self.source.text(array) in [self.source.text(one.name) for one in of_main[1:2]]

    def _is_checked(self, node: Node, new: str) -> bool:
        """Return whether a function of the program is called for the same operand twice with another token.

        To check an operand twice is to remove a check, and that is another change.
        """
        around = [node, *self.source.ancestors(node)]
        at = next((at for at, one in enumerate(around) if one.type == "argument_list"), None)
        if at is None or at == 0 or at + 1 >= len(around):
            return False
        argument, call = around[at - 1], around[at + 1]
        function = self.source.child(call, "function", "identifier")
        name = "" if function is None else self.source.text(function)
        if name not in self.source.functions or argument.type != "subscript_expression":
            return False
        outer = next((one for one in around[at + 2 :] if not joins(one)), None)
        if outer is None or outer.type not in ("expression_statement", "if_statement"):
            # What it returns may be needed once more.
            return False
        place = [one.id for one in self.source.arguments(call)].index(argument.id)
        start, end = node.start_byte - argument.start_byte, node.end_byte - argument.start_byte
        text = self.source.text(argument)
        changed = f"{text[:start]}{new}{text[end:]}"
        others = [self.source.arguments(one) for one in self.source.calls(name) if one.id != call.id]
        return any(len(given) > place and self.source.text(given[place]) == changed for given in others)

    def _rank_of(self, node: Node, new: str, rank: int) -> int:
        """Return the rank of a change.

        write returns 1 for a byte. Of a length that is measured twice, the second was meant to be another one.
        """
        comparison = self.source.parents[node.id]
        other = self.source.bare(self.source.child(comparison, "left") or node)
        if new == "1" and comparison.type == "binary_expression" and self.source.library_call(other) == "write":
            return min(rank, LOGICAL)
        call = next((one for one in self.source.ancestors(node) if self.source.library_call(one) == "strlen"), None)
        if call is None:
            return rank
        start, end = node.start_byte - call.start_byte, node.end_byte - call.start_byte
        measured = [(one.start_byte, self.source.text(one)) for one in self.source.calls("strlen")]
        text = self.source.text(call)
        is_again = any(other == text and place < call.start_byte for place, other in measured)
        is_missing = all(other != f"{text[:start]}{new}{text[end:]}" for _, other in measured)
        return min(rank, LOGICAL) if is_again and is_missing else rank

    def _values_of(self, argument: Node) -> tuple[int, ...]:
        """Return what an argument may be instead: descriptors that make sense, 1 byte, or a small number."""
        call = self.source.parents[self.source.parents[argument.id].id]
        name, given = self.source.library_call(call), [one.id for one in self.source.arguments(call)]
        at = given.index(argument.id) if argument.id in given else len(given)
        function = self.source.child(call, "function", "identifier")
        if function is not None and self.source.text(function) in self.source.functions:
            value = self.source.value(argument)
            return (0, 1, 2) if value in (0, 1, 2) else ()
        if name in _DESCRIPTORS:
            return _DESCRIPTORS[name] if at == 0 else (1,)
        if name in ("exit", "_exit"):
            return (0, 1)
        return (1,) if name in ("fread", "fwrite") else ()

    def _identifier(self, node: Node, whole: bytes) -> bytes:
        """Change the name of a descriptor, an operand or an index into another one."""
        name, around = self.source.text(node), self.source.parents[node.id]
        if name in _STREAMS and around.type == "argument_list":
            meant = [str(value) for value in self._values_of(node)]
            others = [other for other, value in _STREAMS.items() if other != name and value in meant]
            values = [_STREAMS[other].encode("ascii") for other in others]
        elif descriptors := self._descriptors(node):
            others = descriptors[:MAX_NAMES]
            values = [other.encode("ascii") for other in others]
        elif (around.type == "subscript_expression" and not self._is_set(around)) or self._is_measured(around):
            others = self.source.others_like(node)[:MAX_NAMES]
            known = self.source.declared(node)
            # The two may differ in `const`, and then the type of `condition ? one : other` is `void *`.
            cast = (
                f"(__typeof__(&*{name}))" if known is not None and known.type is not None and known.type.depth else ""
            )
            values = [f"{cast}{other}".encode("ascii") for other in others]
        elif self._is_written(around) or around.type == "return_statement":
            others = self._meant(node, INT, UNSIGNED_CHAR, CHAR)
            values = [other.encode("ascii") for other in others]
        else:
            return whole
        choices = [
            b"%s?%s:" % (self._replace(node, other, self._rank_of(node, other, ARGUMENT)), value)
            for other, value in zip(others, values, strict=True)
            if not self._is_checked(node, other)
        ]
        return b"(%s%s)" % (b"".join(choices), whole)

    def _descriptors(self, node: Node) -> list[str]:
        """Return the variables that a call which gets the wrong one as its descriptor may mean."""
        call = self.source.parents[self.source.parents[node.id].id]
        meant = _DESCRIPTORS.get(self.source.library_call(call), ())
        given = self.source.arguments(call) if meant else []
        if not given or given[0].id != node.id:
            return []
        is_wrong = self.source.first_value(self.source.declared(node)) not in (None, *meant)
        return self.source.others_with(node, *meant) if is_wrong else []

    def _address(self, node: Node, whole: bytes) -> bytes:
        """Change the variable whose address a write gets."""
        name = self.source.child(node, "argument", "identifier")
        call = self.source.parents[self.source.parents[node.id].id]
        is_address = self.source.text(node.children[0]) == "&"
        if name is None or not is_address or self.source.library_call(call) != "write":
            return whole
        choices = [
            b"%s?&%s:" % (self._replace(name, other, ARGUMENT), other.encode("ascii"))
            for other in self._meant(name, UNSIGNED_CHAR, CHAR)
        ]
        return b"(%s(%s))" % (b"".join(choices), whole)

    def _meant(self, written: Node, *types: str) -> list[str]:
        """Return what may be meant instead of a variable: its entry in a table, or another variable."""
        known = self.source.declared(written)
        if known is None or known.type is None or known.type.depth or known.type.name not in (INT, *types):
            return []
        names, tables = self.source.characters_at(written, *types)
        index = self.source.text(written)
        cast = "(unsigned char)" if known.type.name == CHAR else ""
        return [*(f"{table}[{cast}{index}]" for table in tables[:MAX_NAMES]), *names[:MAX_NAMES]]

    def _is_written(self, arguments: Node) -> bool:
        call = self.source.parents[arguments.id]
        return arguments.type == "argument_list" and self.source.library_call(call) in _WRITES

    def _is_set(self, element: Node) -> bool:
        around = self.source.parents[element.id]
        return around.type == "assignment_expression" and around.child_by_field_name("left") == element

    def _is_measured(self, arguments: Node) -> bool:
        return (
            arguments.type == "argument_list"
            and self.source.library_call(self.source.parents[arguments.id]) == "strlen"
        )

    def _exchanged(self, node: Node, whole: bytes) -> bytes:
        """Exchange two names of an assignment or a call."""
        pair = exchanged(self.source, node)
        if pair is None or pair[0].start_point.row != pair[1].start_point.row:
            return whole
        one, other = (self.source.text(word) for word in pair)
        if self._which(pair[0]) or self._which(pair[1]):
            return whole
        edits = [Edit(word.start_byte, word.end_byte, new) for word, new in zip(pair, (other, one), strict=True)]
        entries = [self._entry_of(word) for word in pair]
        if pair[0].type == "number_literal" and any(entry == word for entry, word in zip(entries, pair, strict=True)):
            return whole
        said = [self.source.text(entry) for entry in entries]
        made = self._add(pair[0], edits, f"with `{said[0]}` and `{said[1]}` exchanged", ARGUMENT)
        start, middle = pair[0].start_byte - node.start_byte, pair[1].start_byte - node.start_byte
        raw = self._raw(node)
        between, after = raw[start + len(one) : middle], raw[middle + len(other) :]
        new = raw[:start] + other.encode("ascii") + between + one.encode("ascii") + after
        return b"(%s?(%s):(%s))" % (made, new, whole)

    def _entry_of(self, word: Node) -> Node:
        """Return the element of an array of which a number is the index, and any other word itself."""
        around = self.source.parents[word.id]
        is_index = word.type == "number_literal" and self.source.child(around, "argument", "identifier") is not None
        return around if is_index else word

    def _is_string_size(self, node: Node) -> bool:
        """Return whether an expression is the size of a pointer to characters, with its parentheses."""
        if node.type != "sizeof_expression" or not self.source.text(node).startswith(f"{_SIZEOF}("):
            return False
        of = self.source.bare(self.source.child(node, "value") or node)
        is_pointer_of = of.type == "subscript_expression" or is_pointer(self.source, of)
        return self.source.type_of(of) in (Type(CHAR, 1), Type(UNSIGNED_CHAR, 1)) and is_pointer_of

    def _is_byte_with_eof(self, node: Node) -> bool:
        """Return whether a condition compares a byte that read has stored with EOF, which it never is."""
        bare = self.source.bare(node)
        name, other = self.source.child(bare, "left", "identifier"), self.source.child(bare, "right")
        sign = bare.child_by_field_name("operator")
        if bare.type != "binary_expression" or name is None or other is None or sign is None or sign.type != "!=":
            return False
        return self.source.value(other) == -1 and is_read_into(self.source, name)

    def _sizeof(self, node: Node) -> bytes:
        """Change the size of a pointer to characters into the length of its string."""
        name = self.source.bare(self.source.child(node, "value") or node)
        variable, text = self.source.text(name), self.source.text(node)
        is_whole = name.type == "identifier" and text == f"{_SIZEOF}({variable})"
        if not is_whole or not self._is_string_size(node) or self._which(node.children[0]):
            return self._raw(node)
        new = f"strlen({variable})"
        says = f"with `{new}` instead of `{text}`"
        made = self._add(node, [Edit(node.start_byte, node.end_byte, new)], says, LIKELIEST)
        return b"(%s?__builtin_strlen(%s):%s)" % (made, variable.encode("ascii"), self._raw(node))

    def _call(self, node: Node, whole: bytes) -> bytes:
        """Change the exit status or nbyte of a call if it is not a number, or exchange two of its pointers."""
        whole = self._exchanged(node, whole)
        name, arguments = self.source.library_call(node), self.source.arguments(node)
        at = {"exit": 0, "_exit": 0, "read": 2, "write": 2}.get(name)
        if at is None or len(arguments) <= at or arguments[at].type == "number_literal":
            return whole
        argument = arguments[at]
        edit = Edit(argument.start_byte, argument.end_byte, "1")
        calls = self._in_row(argument, "exit", "_exit") if at == 0 else self._in_row(argument, "read", "write")
        which = "" if len(calls) <= 1 else _UNCLEAR
        what, text = "exit status" if at == 0 else "nbyte", self.source.text(argument)
        instead = f" instead of `{text}`" if QUOTED_NAME.fullmatch(text) else ""
        made = self._add(argument, [edit], f"with `1`{instead} as {which}{what}", ARGUMENT)
        start, end = argument.start_byte - node.start_byte, argument.end_byte - node.start_byte
        raw = self._raw(node)
        return b"(%s?(%s):(%s))" % (made, raw[:start] + b"1" + raw[end:], whole)

    def _statement(self, node: Node, whole: bytes) -> bytes:
        kind = node.type.removesuffix("_statement")
        if node.type == "expression_statement":
            if not node.named_children or node.named_children[0].type == "assignment_expression":
                return self._read(node, whole)
            what = self._named(node)
        elif not self.source.is_in_loop(node):
            return whole
        else:
            what = f"{self._which(node.children[0])}`{kind}`"
        made = b"0"
        if self.source.parents[node.id].type in ("compound_statement", "case_statement"):
            # Elsewhere an `if` or a loop has nothing else, and without it the next statement is.
            removed = Edit(node.start_byte, node.end_byte, ";")
            rank = LOSS if self._may_check(node) else IDLE if is_only(self.source, node) else REMOVAL
            made = self._add(node, [removed], f"without {what}", rank)
        swapped = {"break": "continue", "continue": "break"}.get(kind)
        if swapped is None:
            return b"{ if (!(%s)) { %s } }" % (made, whole)
        other = self._replace(
            node.children[0], swapped, IDLE if swapped == "continue" and ends_round(self.source, node) else JUMP
        )
        return b"{ if (%s) %s; if (!(%s)) { %s } }" % (other, swapped.encode("ascii"), made, whole)

    def _read(self, node: Node, whole: bytes) -> bytes:
        """End a loop right after a read has met the end of the input, before anything is done with the byte."""
        if not node.named_children:
            return whole
        name, call = (node.named_children[0].child_by_field_name(side) for side in ("left", "right"))
        around = next(
            (one.type for one in self.source.ancestors(node) if one.type in (*LOOPS, "switch_statement")), ""
        )
        test = "" if call is None else _ENDS_INPUT.get(self.source.library_call(call), "")
        is_block = self.source.parents[node.id].type == "compound_statement"
        if name is None or name.type != "identifier" or not test or around not in LOOPS or not is_block:
            return whole
        condition = f"{self.source.text(name)} {test}"
        says = f"with `if ({condition}) break;` after the reading"
        edit = Edit(node.end_byte, node.end_byte, f" if ({condition}) break;")
        made = self._add(node, [edit], says, LOGICAL)
        # EOF may not be a name that the source includes.
        value = condition.replace("EOF", "-1").encode("ascii")
        return b"{ %s if ((%s) && %s) break; }" % (whole, made, value)

    def _if(self, node: Node, whole: bytes) -> bytes:
        """Remove an `if` that only decides whether a loop goes on, and whose condition does nothing."""
        kind = removable_jump(self.source, node)
        if not kind:
            return whole
        which = "" if len(self._in_row(node, "if")) == 1 else _UNCLEAR
        made = self._add(node, blanked(self.source, node), f"without the {which}`if` and its `{kind}`", REMOVAL)
        more = range(node.start_point.row + 2, node.end_point.row + 2)
        self.found[-1] = self.found[-1]._replace(more=tuple(more))
        return b"{ if (!(%s)) { %s } }" % (made, whole)

    def _may_check(self, statement: Node) -> bool:
        """Return whether a statement ends the program or a function, or calls one of the program's own."""
        if statement.type != "expression_statement":
            return statement.type == "return_statement"
        expression = statement.named_children[0]
        is_call = expression.type == "call_expression"
        return is_call and self.source.library_call(expression) in ("", "exit", "_exit", "_Exit", "abort")

    def _named(self, statement: Node) -> str:
        """Name a statement that is an expression by what it calls or counts, or as the only one of its line."""
        name = self.source.child(statement.named_children[0], "function", "identifier")
        if name is not None:
            return f"{self._which(name) or 'the '}call of `{self.source.text(name)}`"
        text = self.source.text(statement)
        if _UPDATE.fullmatch(text):
            return f"`{text}`"
        row = statement.start_point.row
        others = [one for one in self.source.nodes(*STATEMENTS) if row in (one.start_point.row, one.end_point.row)]
        return "the statement" if [one.id for one in others] == [statement.id] else _UNCLEAR

    def _block(self, node: Node, whole: bytes) -> bytes:
        """Add a `break` at the end of an `if` in a loop, and set variables again at the beginning of a loop."""
        around = self.source.parents[node.id]
        if around.type == "if_statement" and self.source.is_in_loop(around):
            end = node.end_byte - 1
            which = "" if len(self._in_row(around, "if")) == 1 else _UNCLEAR
            says = f"with `break;` at the end of the block of the {which}`if`"
            made = self._add(around, [Edit(end, end, " break; ")], says, JUMP)
            return whole[:-1] + b" if (%s) break; }" % made
        if around.type in LOOPS:
            start = node.start_byte + 1
            which = "" if len(self._in_row(around, "for", "while", "do")) == 1 else _UNCLEAR
            for name, value in self._set_in(node).items():
                says = f"with `{name} = {value};` at the beginning of the body of the {which}loop"
                made = self._add(around, [Edit(start, start, f" {name} = {value};")], says, JUMP)
                whole = whole[:1] + b" if (%s) %s = %s;" % (made, name.encode(), value.encode()) + whole[1:]
        return whole

    def _may_set(self, body: Node, name: Node) -> bool:
        """Return whether the body of a loop sets a variable, or a function that it may call does."""
        known, around = self.source.declared(name), self.source.function_of(body)
        for node in self.source.nodes("assignment_expression"):
            other = self.source.child(node, "left", "identifier")
            if other is not None and known is not None and self.source.declared(other) == known:
                is_inside = body.start_byte <= node.start_byte < body.end_byte
                if is_inside or self.source.function_of(node) != around:
                    return True
        return False

    def _set_in(self, body: Node) -> dict[str, str]:
        """Return the variables that are set in the body of a loop and declared before it, each with its first value.

        The value may also be assigned right before the loop, and a function of the program may set the variable.
        """
        found = {}
        before = self.source.parents[body.id].prev_named_sibling
        while before is not None and before.type == "expression_statement":
            name, value = (before.named_children[0].child_by_field_name(side) for side in ("left", "right"))
            if name is not None and value is not None and name.type == "identifier" and self._may_set(body, name):
                text = self.source.text(value)
                if self.source.value(value) is not None and text.isalnum():
                    found[self.source.text(name)] = text
            before = before.prev_named_sibling
        for node in self.source.nodes("assignment_expression"):
            name = self.source.child(node, "left", "identifier")
            if name is None or not body.start_byte <= node.start_byte < body.end_byte:
                continue
            declared = self.source.declared(name)
            if declared is None or declared.name.start_byte >= body.start_byte or declared.type is None:
                continue
            first = self.source.parents[declared.name.id]
            value = first.child_by_field_name("value") if first.type == "init_declarator" else None
            if value is not None and not declared.type.depth and self.source.value(value) is not None:
                text = self.source.text(value)
                if text.isalnum():
                    found[self.source.text(name)] = text
        return found


def small_changes(source: CSource) -> tuple[list[Change], bytes]:
    """Return the changes of a source, and the copy in which an environment variable chooses one of them."""
    # Names are quoted, and put into the copy, as ASCII.
    names = source.nodes("identifier", "field_identifier", "type_identifier")
    if not source.usable or any("\ufffd" in source.text(name) for name in names):
        return [], b""
    changes = _Changes(source)
    try:
        copy = changes.copy()
    except _TooManyError:
        return [], b""
    if not changes.found or len(copy) > MAX_BYTES:
        return [], b""
    found = [*changes.found, *separate_changes(source)]
    # A sentence must mean one place.
    said = Counter((change.line, change.says) for change in found)
    clear = [one for one in found if said[one.line, one.says] == 1 and SAYS_OF_CHANGES.fullmatch(one.says)]
    return (clear, copy) if clear else ([], b"")
