"""Change an operator of a source: another comparison, `||` instead of `&&`, `==` instead of `=`, no `!`."""

from __future__ import annotations

import re

from tree_sitter import Node

from grader.diagnose.c_source import CHAR, INT, LOOPS, UNSIGNED_CHAR, CSource, Type
from grader.diagnose.changes.additions import WRITES
from grader.diagnose.changes.exchanges import exchange
from grader.diagnose.changes.jumps import bounds_loop, is_in_condition_of_loop
from grader.diagnose.changes.recorder import UNCLEAR, ChangeRecorder
from grader.diagnose.constructs import is_counted, is_pointer, is_read_into, values_of
from grader.diagnose.edits import (
    CALL_IN_CONDITION,
    COMPARISON,
    COMPARISON_OF_OPERANDS,
    IDLE,
    JUMP,
    LIKELIEST,
    LOGICAL,
    REMOVAL,
    Edit,
)

_COMPARISONS = {
    "<": ("<=", ">", "!="),
    "<=": ("<", "!="),
    ">": (">=", "<", "!="),
    ">=": (">", "!="),
    "==": ("!=",),
    "!=": ("==",),
}
_LOGICAL = {"&&": "||", "||": "&&"}
_SEVEN_BITS = (("&", 0x7F), ("%", 0x80))
_SIZEOF, _LENGTH = "sizeof", "strlen"


def binary(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Change the operator of a condition, or leave out one of its operands."""
    left, sign, right = (node.child_by_field_name(name) for name in ("left", "operator", "right"))
    if left is None or sign is None or right is None:
        return whole
    if sign.type in _LOGICAL:
        return _logical(record, (left, sign, right), whole)
    negated = left.child_by_field_name("argument") if left.type == "unary_expression" else None
    if sign.type in ("==", "!=") and negated is not None and record.raw(left).startswith(b"!"):
        # `!a == b` compares with 0 or 1.
        other = "!=" if sign.type == "==" else "=="
        edits = [Edit(left.start_byte, negated.start_byte, ""), Edit(sign.start_byte, sign.end_byte, other)]
        is_one_line = left.start_point.row == sign.start_point.row
        which = record.which(left.children[0]) or "the " if is_one_line else UNCLEAR
        made = record.add(sign, edits, f"{record.instead(sign, other)} and without {which}`!`", LIKELIEST)
        new = (record.raw(negated), other.encode("ascii"), record.raw(right))
        return b"(%s?((%s)%s(%s)):(%s))" % (made, *new, whole)
    if sign.type in _COMPARISONS:
        return _compared(record, node, (left, sign, right), whole)
    return _masked(record, (left, sign, right), whole)


def _masked(record: ChangeRecorder, parts: tuple[Node, Node, Node], whole: bytes) -> bytes:
    """Keep all bits of a byte where `& 0x7f` or `% 128` keeps seven."""
    left, sign, right = parts
    source = record.source
    if (sign.type, source.value(right)) not in _SEVEN_BITS or source.type_of(left) is None:
        return whole
    old = source.data[left.start_byte : right.end_byte].decode("utf-8", "replace")
    new = f"(unsigned char){source.text(left)}"
    which = "" if record.line(left).count(old) == 1 else UNCLEAR
    edits = [Edit(left.start_byte, right.end_byte, new)]
    made = record.add(left, edits, f"with `{new}` instead of {which}`{old}`", LIKELIEST)
    return b"(%s?(unsigned char)(%s):(%s))" % (made, record.raw(left), whole)


def _logical(record: ChangeRecorder, parts: tuple[Node, Node, Node], whole: bytes) -> bytes:
    left, sign, right = parts
    other = _LOGICAL[sign.type]
    if sign.type == "||" or not is_in_condition_of_loop(record.source, record.source.parents[sign.id]):
        # A loop that goes on while one of its limits holds leaves the other behind.
        made = record.replace(sign, other, IDLE if _is_decided(record.source, left, other, right) else LOGICAL)
        whole = b"(%s?((%s)%s(%s)):(%s))" % (made, record.raw(left), other.encode("ascii"), record.raw(right), whole)
    for one, kept in ((right, left), (left, right)):
        text = record.source.text(record.source.bare(one))
        rank = _rank_without(record.source, one, sign.type, text)
        if rank is None or (rank == LIKELIEST and one == left):
            continue
        edits, says = record.without(left.end_byte, right.end_byte), f"without `{sign.type} {text}`"
        if one == left:
            edits, says = record.without(left.start_byte, right.start_byte), f"without `{text} {sign.type}`"
        made = record.add(one, edits, says, rank)
        whole = b"(%s?(%s)!=0:%s)" % (made, record.raw(kept), whole)
    return whole


def _is_decided(source: CSource, left: Node, sign: str, right: Node) -> bool:
    """Return whether a condition is the same for all values: `c == 0 && c == 1` or `c != 0 || c != 1`."""
    one, other = source.bare(left), source.bare(right)
    signs = [source.child(side, "operator") for side in (one, other)]
    names = [source.child(side, "left", "identifier") for side in (one, other)]
    kinds = {sign.type for sign in signs if sign is not None}
    variables = {source.text(name) for name in names if name is not None}
    is_pair = None not in names and len(variables) == 1 and source.text(one) != source.text(other)
    return is_pair and kinds == {"==" if sign == "&&" else "!="}


def _rank_without(source: CSource, operand: Node, sign: str, text: str) -> int | None:
    """Return the rank of the change that leaves out an operand of `&&` or `||`; None if it is not tried."""
    if sign == "||":
        return LOGICAL if COMPARISON_OF_OPERANDS.fullmatch(text) or CALL_IN_CONDITION.fullmatch(text) else None
    if _is_byte_with_eof(source, operand):
        return LIKELIEST
    return REMOVAL if _ends_loop_at_byte(source, operand) else None


def _compared(record: ChangeRecorder, node: Node, parts: tuple[Node, Node, Node], whole: bytes) -> bytes:
    left, sign, right = parts
    before, after = record.raw(left), record.raw(right)
    if is_string_size(record.source, left) and is_string_size(record.source, right):
        edits = [Edit(one.start_byte, one.start_byte + len(_SIZEOF), _LENGTH) for one in (left, right)]
        made = record.add(sign, edits, f"with `{_LENGTH}` instead of both `{_SIZEOF}`", LIKELIEST)
        lengths = [b"__builtin_" + one.replace(b"sizeof", b"strlen", 1) for one in (before, after)]
        return b"(%s?%s%s%s:(%s))" % (made, lengths[0], sign.type.encode("ascii"), lengths[1], whole)
    if _stops_at_other_byte(record.source, left, sign, right):
        text = record.source.text(right)
        which = "" if record.line(right).count(text) == 1 else UNCLEAR
        edits = [Edit(right.start_byte, right.end_byte, "EOF")]
        made = record.add(right, edits, f"with `EOF` instead of {which}`{text}`", LOGICAL)
        whole = b"(%s?((%s)%s(-1)):(%s))" % (made, before, sign.type.encode("ascii"), whole)
    if sign.type == "!=" and record.source.value(right) == -1 and _is_result_of_read(record.source, left):
        # read returns 0 at the end of the input.
        text = record.source.data[sign.start_byte : right.end_byte].decode("utf-8", "replace")
        edits = [Edit(sign.start_byte, right.end_byte, "> 0")]
        made = record.add(sign, edits, f"with `> 0` instead of `{text}`", LIKELIEST)
        whole = b"(%s?((%s)>0):(%s))" % (made, before, whole)
    shifted = _shifted(record, left, sign, right)
    if shifted is not None:
        made, less = shifted
        new = (before, sign.type.encode("ascii"), record.raw(less))
        whole = b"(%s?((%s)+1%s(%s)):(%s))" % (made, *new, whole)
    if _is_byte_with_eof(record.source, node) and is_in_condition_of_loop(record.source, node):
        text = record.source.text(node)
        which = "" if record.line(node).count(text) == 1 else UNCLEAR
        edits = [Edit(node.start_byte, node.end_byte, "1")]
        made = record.add(node, edits, f"with `1` instead of {which}`{text}`", LIKELIEST)
        whole = b"(%s||(%s))" % (made, whole)
    is_kept = _is_full(record.source, left, right) if sign.type == "==" else bounds_loop(record.source, node)
    choices = [
        b"%s?((%s)%s(%s)):" % (record.replace(sign, new, COMPARISON), before, new.encode("ascii"), after)
        for new in _COMPARISONS[sign.type]
        if (new != "!=" or not is_kept)
        and not ({sign.type, new} == {"<", ">"} and _ends_or_refuses(record.source, node))
    ]
    return _as_char(record, parts, b"(%s(%s))" % (b"".join(choices), whole))


def _ends_or_refuses(source: CSource, condition: Node) -> bool:
    """Return whether a condition ends a loop or the program: its opposite may only be false in each case."""
    if is_in_condition_of_loop(source, condition):
        return True
    statement = next((node for node in source.ancestors(condition) if node.type.endswith("_statement")), None)
    body = None if statement is None else statement.child_by_field_name("consequence")
    return body is not None and re.search(r"\b(?:return|exit|_exit|abort|goto)\b", source.text(body)) is not None


def _is_full(source: CSource, left: Node, right: Node) -> bool:
    """Return whether a counter is compared with a size: what is then done is not done before."""
    value = source.value(right)
    return value is not None and value > 1 and left.type == "identifier" and is_counted(source, left)


def _as_char(record: ChangeRecorder, parts: tuple[Node, Node, Node], whole: bytes) -> bytes:
    """Compare a byte in an int with a char as chars: both are negative then, or none."""
    left, sign, right = parts
    types = [record.source.type_of(side) for side in (left, right)]
    for side, other, own in ((left, right, types), (right, left, types[::-1])):
        if sign.type not in ("==", "!=") or own != [Type(INT), Type(CHAR)] or side.type != "identifier":
            continue
        name = record.source.text(side)
        edits = [Edit(side.start_byte, side.start_byte, "(char)")]
        made = record.add(side, edits, f"with {record.which(side)}`{name}` cast to `char`", LIKELIEST)
        new = b"(char)(%s)%s(%s)" % (record.raw(side), sign.type.encode("ascii"), record.raw(other))
        whole = b"(%s?(%s):(%s))" % (made, new, whole)
    return whole


def _shifted(record: ChangeRecorder, left: Node, sign: Node, right: Node) -> tuple[bytes, Node] | None:
    """Change `i < strlen(s) - 1`, which is never reached if the string is empty, into `i + 1 < strlen(s)`.

    Return the condition of the change, and what is left of the right side.
    """
    less, minus, one = (right.child_by_field_name(name) for name in ("left", "operator", "right"))
    if less is None or minus is None or one is None or minus.type != "-" or record.source.value(one) != 1:
        return None
    if left.type != "identifier" or sign.type not in ("<", "!=") or record.source.library_call(less) != "strlen":
        return None
    name = record.source.text(left)
    edits = [Edit(left.end_byte, left.end_byte, " + 1"), Edit(less.end_byte, right.end_byte, "")]
    is_one_line = left.start_point.row == right.end_point.row
    which = record.which(left) if is_one_line and len(record.in_row(minus, "-")) == 1 else UNCLEAR
    says = f"with `{name} + 1` instead of {which}`{name}` and without the `- 1`"
    return record.add(left, edits, says, LIKELIEST), less


def unary(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Leave out a `!`, or compare what putchar returns with EOF: that is the byte, which may be 0."""
    sign, argument = node.child_by_field_name("operator"), node.child_by_field_name("argument")
    if sign is None or argument is None or sign.type != "!":
        return whole
    call = record.source.library_call(argument)
    if call in WRITES:
        edits = [Edit(sign.start_byte, sign.end_byte, ""), Edit(argument.end_byte, argument.end_byte, " == EOF")]
        is_one_line = sign.start_point.row == argument.end_point.row and record.line(node).count(call) == 1
        which = record.which(sign) or "the " if is_one_line else UNCLEAR
        says = f"with `== EOF` after the call of `{call}` and without {which}`!`"
        made = record.add(node, edits, says, LIKELIEST)
        whole = b"(%s?(%s)==-1:%s)" % (made, record.raw(argument), whole)
    edit = Edit(sign.start_byte, sign.end_byte, "")
    made = record.add(node, [edit], f"without {record.which(sign) or 'the '}`!`", COMPARISON)
    return b"(%s?!!(%s):(%s))" % (made, record.raw(argument), whole)


def assignment(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Change an assignment that is a whole condition into a comparison, and keep what was compared before."""
    whole = exchange(record, node, whole)
    left, sign, right = (node.child_by_field_name(name) for name in ("left", "operator", "right"))
    if left is None or sign is None or right is None or sign.type != "=":
        return whole
    if _compares(record.source, right):
        made = record.replace(sign, "|=", JUMP)
        return b"(%s?(%s|=%s):(%s))" % (made, record.raw(left), record.raw(right), whole)
    whole = _without_result(record, node, (left, sign, right), whole)
    around = record.source.parents[node.id]
    is_condition = around.type == "parenthesized_expression" and record.source.parents[around.id].type in (
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
            which = record.which(sign)
            made = record.add(sign, [edit], f"with `!=` instead of {which}`=!`", LIKELIEST)
            return b"(%s?((%s)!=(%s)):(%s))" % (made, record.raw(left), record.raw(operand), whole)
    compared, call = right.child_by_field_name("operator"), right.child_by_field_name("left")
    if (
        compared is not None
        and call is not None
        and compared.type in _COMPARISONS
        and _is_getchar(record.source, call)
    ):
        # `c = getchar() != EOF` keeps the result of the comparison.
        edits = [Edit(left.start_byte, left.start_byte, "("), Edit(call.end_byte, call.end_byte, ")")]
        text = f"{record.source.text(left)} = {record.source.text(call)}"
        made = record.add(node, edits, f"with parentheses around `{text}`", LIKELIEST)
        after = record.source.data[call.end_byte : right.end_byte]
        return b"(%s?((%s=%s)%s):(%s))" % (made, record.raw(left), record.raw(call), after, whole)
    made = record.replace(sign, "==", LIKELIEST)
    return b"(%s?((%s)==(%s)):(%s))" % (made, record.raw(left), record.raw(right), whole)


def _without_result(record: ChangeRecorder, node: Node, parts: tuple[Node, Node, Node], whole: bytes) -> bytes:
    """Keep the byte that a read stores, where the result of the read replaces it."""
    left, sign, right = parts
    if record.source.library_call(right) != "read" or not _is_place(record.source, left, right):
        return whole
    edits = [Edit(left.start_byte, right.start_byte, "")]
    which = "" if len(record.in_row(sign, "=")) == 1 else UNCLEAR
    made = record.add(node, edits, f"without {which}`{record.source.text(left)} =`", LIKELIEST)
    return b"(%s?(%s):(%s))" % (made, record.raw(right), whole)


def _is_place(source: CSource, variable: Node, call: Node) -> bool:
    """Return whether read stores its byte in the variable that gets its result."""
    places = [source.bare(one) for one in source.arguments(call)[1:2]]
    return any(source.text(one) == f"&{source.text(variable)}" for one in places)


def _compares(source: CSource, value: Node) -> bool:
    """Return whether the result of a comparison is stored in each round of a loop: only the last counts."""
    sign = source.bare(value).child_by_field_name("operator")
    around = source.parents[value.id]
    is_statement = source.parents[around.id].type == "expression_statement"
    return sign is not None and sign.type in _COMPARISONS and is_statement and source.is_in_loop(around)


def is_string_size(source: CSource, node: Node) -> bool:
    """Return whether an expression is the size of a pointer to characters, with its parentheses."""
    if node.type != "sizeof_expression" or not source.text(node).startswith(f"{_SIZEOF}("):
        return False
    of = source.bare(source.child(node, "value") or node)
    is_operand = of.type == "subscript_expression" or source.names_operand(source.text(of))
    is_pointer_of = is_operand or is_pointer(source, of)
    return source.type_of(of) in (Type(CHAR, 1), Type(UNSIGNED_CHAR, 1)) and is_pointer_of


def _is_byte_with_eof(source: CSource, node: Node) -> bool:
    """Return whether a condition compares a byte that read has stored with EOF, which it never is."""
    bare = source.bare(node)
    name, other = source.child(bare, "left", "identifier"), source.child(bare, "right")
    sign = bare.child_by_field_name("operator")
    if bare.type != "binary_expression" or name is None or other is None or sign is None or sign.type != "!=":
        return False
    return source.value(other) == -1 and is_read_into(source, name)


def _is_getchar(source: CSource, value: Node) -> bool:
    return source.library_call(source.bare(value)) in ("getchar", "getc", "fgetc")


def _is_result_of_read(source: CSource, value: Node) -> bool:
    value = source.bare(value)
    if value.type == "assignment_expression":
        value = source.bare(source.child(value, "right") or value)
    return source.library_call(value) == "read"


def _stops_at_other_byte(source: CSource, left: Node, sign: Node, right: Node) -> bool:
    """Return whether what getchar returns is compared with another number than EOF, as in `(c = getchar()) != 0`."""
    value = source.child(source.bare(left), "right")
    is_read = value is not None and _is_getchar(source, value)
    return is_read and sign.type in ("!=", "==") and source.value(right) not in (None, -1)


def _ends_loop_at_byte(source: CSource, node: Node) -> bool:
    """Return whether a loop goes on only while the byte that was read is not, or is, a certain one."""
    bare = source.bare(node)
    name, other = source.child(bare, "left", "identifier"), source.child(bare, "right")
    if bare.type != "binary_expression" or name is None or other is None or source.value(other) in (None, -1):
        return False
    sign = bare.child_by_field_name("operator")
    is_tested = sign is not None and sign.type in _COMPARISONS and bounds_loop(source, node)
    return is_tested and (is_read_into(source, name) or _gets_byte(source, name))


def _gets_byte(source: CSource, name: Node) -> bool:
    """Return whether a variable gets what getchar returns."""
    known = source.declared(name)
    return known is not None and any(_is_getchar(source, value) for value in values_of(source, known))


def sizeof(record: ChangeRecorder, node: Node) -> bytes:
    """Change the size of a pointer to characters into the length of its string."""
    name = record.source.bare(record.source.child(node, "value") or node)
    variable, text = record.source.text(name), record.source.text(node)
    is_whole = name.type == "identifier" and text == f"{_SIZEOF}({variable})"
    if not is_whole or not is_string_size(record.source, node) or record.which(node.children[0]):
        return record.raw(node)
    new = f"strlen({variable})"
    says = f"with `{new}` instead of `{text}`"
    made = record.add(node, [Edit(node.start_byte, node.end_byte, new)], says, LIKELIEST)
    return b"(%s?__builtin_strlen(%s):%s)" % (made, variable.encode("ascii"), record.raw(node))
