"""Operators on conditions and expressions: another comparison, `||` for `&&`, `==` for `=`, an operand less."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from grader.diagnose.c_library import ENDS
from grader.diagnose.source.c_source import CHAR, INT, LOOPS, UNSIGNED_CHAR, CSource, Type
from grader.diagnose.source.changes.jumps import bounds_loop, is_in_condition_of_loop
from grader.diagnose.source.changes.offers import Offer, replaced
from grader.diagnose.source.changes.reads import is_read, reads_byte
from grader.diagnose.source.constructs import holds, is_counted, is_read_into
from grader.diagnose.source.edits import COMPARISON, IDLE, JUMP, LIKELIEST, LOGICAL, NUMBER, REMOVAL, Edit, without

_COMPARISONS = {
    "<": ("<=", ">", "!="),
    "<=": ("<", "!="),
    ">": (">=", "<", "!="),
    ">=": (">", "!="),
    "==": ("!=",),
    "!=": ("==",),
}
_LOGICAL = {"&&": "||", "||": "&&"}
_ARITHMETIC = {"+": ("-",), "-": ("+",), "*": ("/",), "/": ("%",), "%": ("/",)}
_SEVEN_BITS = (("&", 0x7F), ("%", 0x80))
_LEAVES = re.compile(rf"\b(?:return|goto|{'|'.join(ENDS)})\b")
_CLASSES = frozenset(
    f"is{name}"
    for name in (
        *("alpha", "alnum", "ascii", "blank", "cntrl", "digit", "graph"),
        *("lower", "print", "punct", "space", "upper", "xdigit"),
    )
)


def sides(node: Node) -> tuple[Node, Node, Node] | None:
    """Return the left side, the sign and the right side of an expression."""
    left, sign, right = (node.child_by_field_name(name) for name in ("left", "operator", "right"))
    return None if left is None or sign is None or right is None else (left, sign, right)


def comparison(source: CSource, node: Node) -> Iterator[Offer]:
    """Compare in another way, or with a value one further."""
    found = sides(node)
    if found is None or found[1].type not in _COMPARISONS:
        return
    left, sign, right = found
    less = sides(right)
    is_last = less is not None and less[1].type == "-" and source.value(less[2]) == 1
    if less is not None and is_last and source.library_call(less[0]) == "strlen" and sign.type in ("<", "!="):
        # `strlen(s) - 1` is a large number if the string is empty.
        edits = [Edit(left.end_byte, left.end_byte, " + 1"), Edit(less[0].end_byte, right.end_byte, "")]
        yield Offer("shifted-limit", edits, LIKELIEST, (left,))
    is_kept = _is_full(source, left, right) if sign.type == "==" else bounds_loop(source, node)
    for new in _COMPARISONS[sign.type]:
        is_opposite = {sign.type, new} == {"<", ">"} and _ends_or_refuses(source, node)
        if not (new == "!=" and is_kept) and not is_opposite:
            yield replaced("comparison", sign, new, COMPARISON)


def _ends_or_refuses(source: CSource, condition: Node) -> bool:
    """Return whether a condition ends a loop or the program: its opposite may only be false in each case."""
    if is_in_condition_of_loop(source, condition):
        return True
    statement = next((node for node in source.ancestors(condition) if node.type.endswith("_statement")), None)
    body = None if statement is None else statement.child_by_field_name("consequence")
    return body is not None and _LEAVES.search(source.text(body)) is not None


def _is_full(source: CSource, left: Node, right: Node) -> bool:
    """Return whether a counter is compared with a size: what is then done is not done before."""
    value = source.value(right)
    return value is not None and value > 1 and left.type == "identifier" and is_counted(source, left)


def compared_byte(source: CSource, node: Node) -> Iterator[Offer]:
    """Compare what was read with the end of the input, or a byte as a char."""
    found = sides(node)
    if found is None or found[1].type not in _COMPARISONS:
        return
    left, sign, right = found
    read = source.child(source.bare(left), "right") or source.bare(left)
    if sign.type in ("!=", "==") and reads_byte(source, read) and source.value(right) not in (None, -1):
        yield replaced("end-of-input", right, "EOF", LOGICAL)
    if sign.type == "!=" and source.value(right) == -1 and is_read(source, read):
        yield Offer("read-result", [Edit(sign.start_byte, right.end_byte, "> 0")], LIKELIEST)
    types = [source.type_of(side) for side in (left, right)]
    for side, own in ((left, types), (right, types[::-1])):
        if sign.type in ("==", "!=") and own == [Type(INT), Type(CHAR)] and side.type == "identifier":
            yield Offer("cast-to-char", [Edit(side.start_byte, side.start_byte, "(char)")], LIKELIEST, (side,))


def logical(source: CSource, node: Node) -> Iterator[Offer]:
    """Write `||` for `&&` or the opposite, or leave out an operand."""
    found = sides(node)
    if found is None or found[1].type not in _LOGICAL:
        return
    left, sign, right = found
    other = _LOGICAL[sign.type]
    if sign.type == "||" or not is_in_condition_of_loop(source, node):
        # A loop that goes on while one of its limits holds leaves the other behind.
        yield replaced("logical", sign, other, IDLE if _is_decided(source, left, other, right) else LOGICAL)
    for operand, start, end in ((right, left.end_byte, right.end_byte), (left, left.start_byte, right.start_byte)):
        rank = _rank_without(source, operand, sign.type)
        if rank is not None and not (rank == LIKELIEST and operand == left):
            edits = without(source.data, start, end)
            yield Offer("operand-of-condition", edits, rank, copied=_truth(source, node, operand))


def _truth(source: CSource, node: Node, operand: Node) -> str:
    """Return the other operand of a condition as an int, whatever its type."""
    found = sides(node)
    kept = found and (found[0] if operand == found[2] else found[2])
    return "" if kept is None else f"({source.data[kept.start_byte : kept.end_byte].decode('latin-1')})!=0"


def _is_decided(source: CSource, left: Node, sign: str, right: Node) -> bool:
    """Return whether a condition is the same for all values: `c == 0 && c == 1` or `c != 0 || c != 1`."""
    one, other = source.bare(left), source.bare(right)
    signs = [source.child(side, "operator") for side in (one, other)]
    names = [source.child(side, "left", "identifier") for side in (one, other)]
    kinds = {sign.type for sign in signs if sign is not None}
    variables = {source.text(name) for name in names if name is not None}
    is_pair = None not in names and len(variables) == 1 and source.text(one) != source.text(other)
    return is_pair and kinds == {"==" if sign == "&&" else "!="}


def _rank_without(source: CSource, operand: Node, sign: str) -> int | None:
    """Return the rank of the change that leaves out an operand of `&&` or `||`; None if it is not tried."""
    if sign == "||":
        return LOGICAL
    if _is_byte_with_eof(source, operand):
        return LIKELIEST
    # Without one of its limits, a loop rarely ends where it should.
    return REMOVAL if _ends_loop_at_byte(source, operand) or not is_in_condition_of_loop(source, operand) else None


def arithmetic(source: CSource, node: Node) -> Iterator[Offer]:
    """Calculate with another sign, or not at all with a number."""
    found = sides(node)
    if found is None:
        return
    left, sign, right = found
    if (sign.type, source.value(right)) in _SEVEN_BITS and source.type_of(left) is not None:
        new = f"(unsigned char){source.text(left)}"
        yield Offer("seven-bits", [Edit(left.start_byte, right.end_byte, new)], LIKELIEST)
    if sign.type in _ARITHMETIC and are_numbers(source, left, right):
        for new in _ARITHMETIC[sign.type]:
            if new != "%" or not _has_fraction(source, node):
                yield replaced("arithmetic", sign, new, JUMP)
    if sign.type in ("/", "%", "+", "-") and right.type == "number_literal":
        yield Offer("operand-of-arithmetic", [Edit(left.end_byte, right.end_byte, "")], NUMBER)


def are_numbers(source: CSource, *nodes: Node) -> bool:
    """Return whether all these expressions are known to be numbers, and not pointers."""
    types = map(source.type_of, nodes)
    return all(known is not None and not known.depth for known in types)


def _has_fraction(source: CSource, node: Node) -> bool:
    """Return whether an expression has a number that is not whole, for which there is no `%`."""
    names = [name for name in source.nodes("identifier", "field_identifier") if holds(node, name)]
    numbers = [source.text(number) for number in source.nodes("number_literal") if holds(node, number)]
    return any(source.type_of(name) != Type(INT) for name in names) or any("." in number for number in numbers)


def negation(source: CSource, node: Node) -> Iterator[Offer]:
    """Leave out a `!`."""
    sign, argument = node.child_by_field_name("operator"), node.child_by_field_name("argument")
    if sign is not None and argument is not None and sign.type == "!":
        copied = f"!!({source.data[argument.start_byte : argument.end_byte].decode('latin-1')})"
        yield replaced("negation", sign, "", COMPARISON, copied=copied)


def test_of_byte(source: CSource, node: Node) -> Iterator[Offer]:
    """Leave out a test such as isalpha: every byte passes it."""
    if source.library_call(node) in _CLASSES:
        yield replaced("test-of-byte", node, "1", LOGICAL)


def assignment(source: CSource, node: Node) -> Iterator[Offer]:
    """Compare where an assignment is a whole condition, and keep what was compared before."""
    found = sides(node)
    if found is None or found[1].type != "=":
        return
    left, sign, right = found
    around = source.parents[node.id]
    if around.type != "parenthesized_expression":
        return
    if source.parents[around.id].type not in ("if_statement", *LOOPS):
        return
    typed = right.child_by_field_name("operator")
    is_typo = typed is not None and typed.type == "!" and sign.end_byte == typed.start_byte
    if right.type == "unary_expression" and typed is not None and is_typo:
        yield Offer("comparison", [Edit(sign.start_byte, typed.end_byte, "!=")], LIKELIEST)
        return
    compared = sides(right)
    if compared is not None and compared[1].type in _COMPARISONS and reads_byte(source, compared[0]):
        # `c = getchar() != EOF` keeps the result of the comparison.
        edits = [
            Edit(left.start_byte, left.start_byte, "("),
            Edit(compared[0].end_byte, compared[0].end_byte, ")"),
        ]
        yield Offer("parentheses", edits, LIKELIEST, (left, compared[0]))
        return
    yield replaced("comparison", sign, "==", LIKELIEST)


def stored_result(source: CSource, node: Node) -> Iterator[Offer]:
    """Keep the byte that a read stores, where the result of the read replaces it."""
    found = sides(node)
    if found is None or found[1].type != "=" or source.library_call(found[2]) != "read":
        return
    left, _, right = found
    places = [source.text(source.bare(one)) for one in source.arguments(right)[1:2]]
    if places == [f"&{source.text(left)}"]:
        edits = [Edit(left.start_byte, right.start_byte, "")]
        copied = source.data[right.start_byte : right.end_byte].decode("latin-1")
        yield Offer("stored-result", edits, LIKELIEST, (left,), copied)


def is_string_size(source: CSource, node: Node) -> bool:
    """Return whether an expression is the size of a pointer to characters."""
    if node.type != "sizeof_expression" or not source.text(node).startswith("sizeof("):
        return False
    of = source.bare(source.child(node, "value") or node)
    known = source.declared(of) if of.type == "identifier" else None
    is_pointer = of.type == "subscript_expression" or source.names_operand(source.text(of))
    is_pointer = is_pointer or (known is not None and known.array is None)
    return source.type_of(of) in (Type(CHAR, 1), Type(UNSIGNED_CHAR, 1)) and is_pointer


def _is_byte_with_eof(source: CSource, node: Node) -> bool:
    """Return whether a condition compares a byte that read has stored with EOF, which it never is."""
    found = sides(source.bare(node))
    if found is None or found[0].type != "identifier" or found[1].type != "!=":
        return False
    return source.value(found[2]) == -1 and is_read_into(source, found[0])


def _ends_loop_at_byte(source: CSource, node: Node) -> bool:
    """Return whether a loop goes on only while the byte that was read is not, or is, a certain one."""
    found = sides(source.bare(node))
    if found is None or found[0].type != "identifier" or source.value(found[2]) in (None, -1):
        return False
    known = source.declared(found[0])
    is_byte = is_read_into(source, found[0]) or (
        known is not None and any(reads_byte(source, value) for value in source.values_of(known))
    )
    return found[1].type in _COMPARISONS and bounds_loop(source, node) and is_byte
