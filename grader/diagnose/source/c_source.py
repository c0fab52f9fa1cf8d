"""A student's source as a syntax tree: what its names mean, and the types and values of its expressions.

Everything here is for patterns of known bugs (patterns.py), and runs in a process of its own
(explain/source_patterns.py). What cannot be known for certain is None, and a pattern then finds nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import tree_sitter_c
from tree_sitter import Language, Node, Parser

from grader.diagnose.c_library import BYTE_READS, ESCAPES, STREAMS

LANGUAGE = Language(tree_sitter_c.language())

CHAR = "char"
UNSIGNED_CHAR = "unsigned char"
INT = "int"
"""Stands for every integer type that is wider than a char."""

_NAMED_TYPES = {
    "int8_t": CHAR,
    **dict.fromkeys(("uint8_t", "u_int8_t", "u_char"), UNSIGNED_CHAR),
    **dict.fromkeys(("size_t", "ssize_t", "off_t", "ptrdiff_t", "wint_t"), INT),
    **dict.fromkeys((f"{sign}int{bits}_t" for sign in ("", "u") for bits in (16, 32, 64)), INT),
}
_WORDS_OF_INT = frozenset({"short", "int", "long", "unsigned", "signed"})
_CONSTANTS = {
    "EXIT_SUCCESS": 0,
    "EXIT_FAILURE": 1,
    "EOF": -1,
    "NULL": 0,
    "true": 1,
    "false": 0,
    **STREAMS,
    "CHAR_BIT": 8,
    "UCHAR_MAX": 255,
}
_INT_CALLS = frozenset({*BYTE_READS, "putchar", "toupper", "tolower", "strlen", "read", "write"})
_UNKNOWN = frozenset({"preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "ERROR"})
_BLOCKS = frozenset({"compound_statement", "translation_unit", "function_definition"})
_SCOPES = frozenset({"compound_statement", "for_statement", "function_definition", "translation_unit"})
_AROUND_PARAMETERS = ("function_declarator", "pointer_declarator")
_RESERVED = frozenset(
    (
        *("char", "int", "short", "long", "signed", "unsigned", "void", "const", "static", "sizeof", "main", "argc"),
        *("if", "else", "while", "for", "do", "return", "break", "continue", "switch", "case", "default", "goto"),
        *("EOF", "stdin", "stdout", "stderr", "exit", "argv", "read", "write"),
    )
)
"""Names that patterns rely on: a source that defines one of them as a macro says something else than it seems to."""

_DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\()?(.*)$", re.MULTILINE)
_LINE_COMMENT = re.compile(r"//[^\n]*")
_INCLUDED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]*)"', re.MULTILINE)
_HAS_BODY = re.compile(r"\)\s*\{")
"""What headers have: macros, other headers, and functions."""

CONVERSION = re.compile(r"%[-+ #0-9.*]*(?:hh|h|ll|l|z|t|j|L)?[a-zA-Z%]")
"""A conversion in the text of printf or scanf."""

_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]{1,64}|\d{1,64})[uUlL]{0,4}")
_OPERAND = re.compile(r"\(?(\w+)\[[1-9]\]\)?")

LOOPS = ("for_statement", "while_statement", "do_statement")
"""The types of nodes of loops."""

LEAST_TABLE = 100
"""Fewest elements of an array that is probably meant to have one for each byte."""


class Type(NamedTuple):
    """CHAR, UNSIGNED_CHAR, INT or another name, and how many pointers and arrays are around it."""

    name: str
    depth: int = 0


@dataclass(frozen=True)
class Declared:
    """A name, where it is declared, and the part of the source where it is known."""

    name: Node
    declaration: Node
    scope: Node
    type: Type | None
    array: int | None
    """The number of elements of an array, if it is a number."""


_HEADERS = frozenset(
    (
        *("assert", "ctype", "errno", "fcntl", "inttypes", "limits", "locale", "math", "setjmp", "signal", "stdarg"),
        *("stdbool", "stddef", "stdint", "stdio", "stdlib", "string", "sys/stat", "sys/types", "time", "unistd"),
    )
)
"""Headers of the machine, also if their names are in quotation marks."""

_AFTER_DIRECTIVE = re.compile(rb"^([ \t]*#[ \t]*(?:else|endif)\b)([^\r\n/]+)", re.MULTILINE)
"""What follows #else or #endif, which the compiler ignores."""

_INCLUDE_LINE = re.compile(
    rb"""^([ \t]*#[ \t]*include[ \t]*)([<"])([^<>"\n]*)([>"])((?:[ \t;]|/\*[^*\n]*\*/|//[^\r\n]*)*)(?=\r?$)""",
    re.MULTILINE,
)


def _parsable(data: bytes) -> bytes:
    """Return a source with directives that tree-sitter parses, and each other byte where it was.

    It reports an error for blanks or a semicolon after the name of a header, and for words after #endif, which the
    compiler allows: blanks come first.
    """

    def repaired(found: re.Match[bytes]) -> bytes:
        begin, opening, name, closing, after = found.groups()
        if opening == b'"' and name.removesuffix(b".h").decode("ascii", "replace") in _HEADERS:
            opening, closing = b"<", b">"
        return b" " * len(after) + begin + opening + name + closing

    data = _AFTER_DIRECTIVE.sub(lambda found: b" " * len(found[2]) + found[1], data)
    return _INCLUDE_LINE.sub(repaired, data)


def _without_comments(header: bytes) -> str:
    """Return the text of a header with each directive in one line."""
    text = header.decode("utf-8", "replace").replace("\r\n", "\n").replace("\\\n", " ")
    first, *others = text.split("/*")
    return _LINE_COMMENT.sub("", first + "".join(f" {part.partition('*/')[2]}" for part in others))


class CSource:
    """A parsed source; it is not `usable` if a part of it could not be parsed, or comes from elsewhere.

    `unread` has the smallest statements and declarations around each error of the parser: what is in them is unknown.
    """

    def __init__(self, data: bytes, headers: Mapping[str, bytes] = MappingProxyType({})) -> None:
        """Parse a source; `headers` are the files that it may include by a name in quotes."""
        self.data = data
        self._headers = {name: _without_comments(header) for name, header in headers.items()}
        self.root = Parser(LANGUAGE).parse(_parsable(data)).root_node
        self.parents: dict[int, Node] = {}
        self.by_type: dict[str, list[Node]] = {}
        self._declared: dict[str, list[Declared]] = {}
        self._index()
        self.unread = {} if not self.root.has_error else {node.id: node for node in self._unread()}
        self.unknown = self._unknown()

    @property
    def usable(self) -> bool:
        """Whether patterns may be searched for."""
        return not self.unknown

    def _unknown(self) -> str:
        """Return why names may mean something else than they seem to, as an id; "" if they do not."""
        if self.root.has_error:
            return "errors"
        # A file that is not known may give any name another meaning, and so may a function in a header.
        if any(header is None or _HAS_BODY.search(header) for header in self._included.values()):
            return "header"
        return "" if _RESERVED.isdisjoint(self.macros) else "macro"

    def _index(self) -> None:
        pending = [self.root]
        while pending:
            node = pending.pop()
            self.by_type.setdefault(node.type, []).append(node)
            for child in node.children:
                self.parents[child.id] = node
            # What the preprocessor may leave out says nothing, and neither does what could not be parsed.
            pending += [child for child in reversed(node.children) if child.type not in _UNKNOWN]
        for node in self.nodes("type_definition"):
            self._declare(node)
        for kind in ("declaration", "parameter_declaration"):
            for node in self.nodes(kind):
                self._declare(node)

    def _unread(self) -> Iterator[Node]:
        pending = [self.root]
        while pending:
            node = pending.pop()
            errors = [child for child in node.children if child.is_error or child.is_missing]
            if node.type in _BLOCKS:
                yield from errors
            elif errors:
                enclosing = (node, *self.ancestors(node))
                yield next((one for one in enclosing if one.type.endswith(("statement", "declaration"))), node)
            pending += [child for child in node.children if child.has_error and not child.is_error]

    def nodes(self, *kinds: str) -> Iterator[Node]:
        """Yield all nodes of these kinds that the preprocessor keeps, in the order of the source for each kind."""
        for kind in kinds:
            yield from self.by_type.get(kind, ())

    @cached_property
    def kept(self) -> frozenset[int]:
        """The ids of the nodes that the preprocessor keeps."""
        return frozenset(node.id for nodes in self.by_type.values() for node in nodes)

    def text(self, node: Node) -> str:
        """Return the source of a node; bytes that are not ASCII are replaced."""
        return self.data[node.start_byte : node.end_byte].decode("ascii", "replace")

    def child(self, node: Node, field: str, kind: str = "") -> Node | None:
        """Return the child in a field, if it has this kind."""
        found = node.child_by_field_name(field)
        return found if found is not None and (not kind or found.type == kind) else None

    def ancestors(self, node: Node) -> Iterator[Node]:
        """Yield the nodes around a node, the nearest first."""
        parent = self.parents.get(node.id)
        while parent is not None:
            yield parent
            parent = self.parents.get(parent.id)

    def function_of(self, node: Node) -> Node | None:
        """Return the function definition that a node is in."""
        return next((one for one in self.ancestors(node) if one.type == "function_definition"), None)

    def is_in_loop(self, node: Node) -> bool:
        """Return whether a loop of the same function repeats a node."""
        for one in self.ancestors(node):
            if one.type in LOOPS:
                first = one.child_by_field_name("initializer")
                if first is None or not first.start_byte <= node.start_byte < first.end_byte:
                    return True
        return False

    # Names

    def _declare(self, node: Node) -> None:
        base = self._base(node)
        scope = self._scope(node)
        for declarator in node.children_by_field_name("declarator"):
            found = self._declarator(declarator)
            if found is None:
                continue
            name, depth, array, is_function = found
            known = None if base is None or is_function else Type(base.name, base.depth + depth)
            self._declared.setdefault(self.text(name), []).append(Declared(name, node, scope, known, array))

    def _scope(self, declaration: Node) -> Node:
        """Return where a declaration is known: a parameter in its function, or in its list if that has no body."""
        around = [*self.ancestors(declaration)]
        if declaration.type == "parameter_declaration":
            owner = next((one for one in around[1:] if one.type not in _AROUND_PARAMETERS), None)
            return around[0] if owner is None or owner.type != "function_definition" else owner
        return next((one for one in around if one.type in _SCOPES), self.root)

    def _declarator(self, node: Node) -> tuple[Node, int, int | None, bool] | None:
        """Return the name in a declarator, how many pointers and arrays are around it, and the array's size.

        The last value says whether it is the declarator of a function.
        """
        depth, array, is_function = 0, None, False
        while node.type not in ("identifier", "type_identifier"):
            if node.type == "pointer_declarator":
                depth += 1
            elif node.type == "array_declarator":
                depth += 1
                size = node.child_by_field_name("size")
                array = None if size is None else self.value(size)
            elif node.type == "function_declarator":
                is_function = True
            inner = node.child_by_field_name("declarator")
            if inner is None and node.type == "parenthesized_declarator":
                inner = next(iter(node.named_children), None)
            if inner is None:
                return None
            node = inner
        return node, depth, array, is_function

    def declared_name(self, declarator: Node) -> tuple[Node, bool] | None:
        """Return the name in a declarator, and whether it is that of a function."""
        found = self._declarator(declarator)
        return None if found is None else (found[0], found[3])

    def _base(self, node: Node) -> Type | None:  # noqa: PLR0911 - one for each form
        """Return the type that a declaration, parameter, function or cast names, without its declarators."""
        named = node.child_by_field_name("type")
        if named is None:
            return None
        text = " ".join(self.text(named).split())
        words = set(text.split())
        if named.type in ("primitive_type", "sized_type_specifier"):
            if CHAR in words:
                return Type(UNSIGNED_CHAR if "unsigned" in words else CHAR)
            return Type(_NAMED_TYPES.get(text, INT if words <= _WORDS_OF_INT else text))
        if named.type != "type_identifier":
            return Type(text)
        own = [one for one in self._declared.get(text, ()) if one.declaration.type == "type_definition"]
        if own:
            return own[-1].type
        if text in self.macros:
            return None
        return Type(_NAMED_TYPES.get(text, text))

    def declared(self, identifier: Node) -> Declared | None:
        """Return what an identifier means where it is used: the innermost declaration before it."""
        place = identifier.start_byte
        found = [
            one
            for one in self._declared.get(self.text(identifier), ())
            if one.scope.start_byte <= place < one.scope.end_byte and one.name.start_byte <= place
        ]
        return max(found, key=lambda one: (one.scope.start_byte, one.name.start_byte), default=None)

    def is_known(self, variable: Declared, place: int) -> bool:
        """Return whether the name of a variable means one of its type at a place of the source."""
        innermost = self._innermost(self.text(variable.name), place)
        return innermost is not None and innermost.type == variable.type

    def _innermost(self, name: str, place: int) -> Declared | None:
        """Return what a name that is declared before a place means there."""
        known = [
            declared
            for declared in self._declared.get(name, ())
            if declared.scope.start_byte <= place < declared.scope.end_byte and declared.name.start_byte < place
        ]
        return max(known, key=lambda declared: declared.scope.start_byte, default=None)

    def others_like(self, identifier: Node) -> list[str]:
        """Return the names of other variables of the same type that are known where an identifier is used."""
        own = self.declared(identifier)
        if own is None or own.type is None:
            return []
        return [name for name, one in self._known_at(identifier) if one.type == own.type]

    def first_value(self, variable: Declared | None) -> int | None:
        """Return the constant with which an int is declared, None if there is none."""
        around = None if variable is None else self.parents[variable.name.id]
        value = self.child(around, "value") if around is not None and around.type == "init_declarator" else None
        is_int = variable is not None and variable.type == Type(INT)
        return self.value(value) if value is not None and is_int else None

    def others_with(self, identifier: Node, *values: int) -> list[str]:
        """Return the names of other variables that are known there, and declared with one of these values."""
        return [name for name, one in self._known_at(identifier) if self.first_value(one) in values]

    def characters_at(self, identifier: Node, *types: str) -> tuple[list[str], list[str]]:
        """Return the other variables of these types that are known there, and their large arrays."""
        known = self._known_at(identifier)
        return (
            [name for name, one in known if one.type in [Type(kind) for kind in types]],
            [name for name, one in known if one.type in [Type(kind, 1) for kind in types] and self._is_table(one)],
        )

    def _known_at(self, identifier: Node) -> list[tuple[str, Declared]]:
        """Return the other variables that are known where an identifier is used, each in its innermost meaning."""
        place, own = identifier.start_byte, self.text(identifier)
        found = []
        for name in self._declared:
            innermost = self._innermost(name, place)
            if name != own and innermost is not None and innermost.declaration.type != "type_definition":
                found.append((name, innermost))
        return found

    def _is_table(self, variable: Declared) -> bool:
        return variable.array is not None and variable.array >= LEAST_TABLE

    def declarations(self, identifier: Node) -> list[Declared]:
        """Return all declarations of an identifier's name, whatever their scope."""
        return self._declared.get(self.text(identifier), [])

    def function_named(self, identifier: Node) -> Node | None:
        """Return the definition whose name this identifier is."""
        definition = self.functions.get(self.text(identifier))
        around = self.function_of(identifier)
        return definition if definition is not None and around is not None and around.id == definition.id else None

    @cached_property
    def _included(self) -> dict[str, str | None]:
        """The headers that the source includes, and those that these include, with their text; None if not known."""
        paths = [self.child(node, "path", "string_literal") for node in self.by_type.get("preproc_include", [])]
        pending = [self.text(path).strip('"') for path in paths if path is not None]
        found: dict[str, str | None] = {}
        while pending:
            name = pending.pop()
            if name not in found:
                found[name] = self._headers.get(name)
                pending += _INCLUDED.findall(found[name] or "")
        return found

    @cached_property
    def macros(self) -> dict[str, str | None]:
        """The macros of the source and of what it includes with their text; None for macros with parameters."""
        found: dict[str, str | None] = {}
        for kind in ("preproc_def", "preproc_function_def"):
            for node in self.nodes(kind):
                name, value = self.child(node, "name"), self.child(node, "value")
                if name is not None:
                    words = self.text(value).strip() if value is not None else ""
                    found[self.text(name)] = words if kind == "preproc_def" else None
        for header in filter(None, self._included.values()):
            for name, has_parameters, words in _DEFINED.findall(header):
                found.setdefault(name, None if has_parameters else words.strip())
        return found

    def names_operand(self, macro: str) -> bool:
        """Return whether a macro is defined as an operand, such as argv[1]."""
        found, operands = _OPERAND.fullmatch(self.macros.get(macro) or ""), self.operands
        if found is None or operands is None:
            return False
        return self.text(operands.name) == found[1] and operands.type == Type(CHAR, 2)

    @cached_property
    def functions(self) -> dict[str, Node]:
        """The functions that the source defines."""
        found = {}
        for node in self.nodes("function_definition"):
            declarator = self.child(node, "declarator")
            named = None if declarator is None else self._declarator(declarator)
            if named is not None:
                found[self.text(named[0])] = node
        return found

    @cached_property
    def parameters(self) -> dict[str, list[Declared]]:
        """The parameters of each function that the source defines, in order."""
        found = {}
        for name, function in self.functions.items():
            declared = [one for ones in self._declared.values() for one in ones if one.scope.id == function.id]
            found[name] = sorted(declared, key=lambda one: one.name.start_byte)
        return found

    @cached_property
    def operand_count(self) -> Declared | None:
        """The parameter of main that is mostly called argc, None if it has none."""
        return next(iter(self.parameters.get("main", ())), None)

    @cached_property
    def operands(self) -> Declared | None:
        """The parameter of main that is mostly called argv, None if it has none."""
        return next(iter(self.parameters.get("main", [])[1:2]), None)

    def name_of(self, function: Node) -> str:
        """Return the name of a function definition."""
        return next((name for name, node in self.functions.items() if node.id == function.id), "")

    @cached_property
    def values(self) -> dict[int, list[Node]]:
        """What variables are set to by `=`, by the id of the variable's name."""
        found: dict[int, list[Node]] = {}
        for node in self.nodes("init_declarator"):
            name, value = node.child_by_field_name("declarator"), node.child_by_field_name("value")
            while name is not None and name.type in ("array_declarator", "pointer_declarator"):
                name = name.child_by_field_name("declarator")
            if name is not None and value is not None:
                found.setdefault(name.id, []).append(self.bare(value))
        for node in self.nodes("assignment_expression"):
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            operator = node.child_by_field_name("operator")
            if left is None or right is None or operator is None or operator.type != "=":
                continue
            left = self.bare(left)
            known = self.declared(left) if left.type == "identifier" else None
            if known is not None:
                found.setdefault(known.name.id, []).append(self.bare(right))
        return found

    def values_of(self, variable: Declared) -> Sequence[Node]:
        """Return everything that a variable is set to by `=`, in its declaration and later."""
        return self.values.get(variable.name.id, ())

    def calls(self, *names: str) -> Iterator[Node]:
        """Yield the calls of functions with these names."""
        for call in self.nodes("call_expression"):
            function = self.child(call, "function", "identifier")
            if function is not None and self.text(function) in names:
                yield call

    def library_call(self, node: Node) -> str:
        """Return which function of the C library a call calls, "" if it is none or the source has its own."""
        function = self.child(node, "function", "identifier") if node.type == "call_expression" else None
        name = self.text(function) if function is not None else ""
        is_own = name in self.functions or name in self.macros or self._variable(function)
        return "" if is_own else name

    def _variable(self, identifier: Node | None) -> bool:
        known = None if identifier is None else self.declared(identifier)
        return known is not None and known.type is not None

    def arguments(self, call: Node) -> list[Node]:
        """Return the arguments of a call."""
        given = self.child(call, "arguments")
        return [one for one in given.named_children if one.type != "comment"] if given is not None else []

    def is_used(self, function: Node) -> bool:
        """Return whether a function is main or named outside of itself, or may be called by another file's main."""
        name = self.name_of(function)
        outside = (
            node
            for node in self.nodes("identifier")
            if not function.start_byte <= node.start_byte < function.end_byte
            and self.parents[node.id].type != "function_declarator"
        )
        return name == "main" or "main" not in self.functions or any(self.text(node) == name for node in outside)

    # Expressions

    def bare(self, node: Node) -> Node:
        """Return an expression without the parentheses around it."""
        while node.type == "parenthesized_expression" and len(node.named_children) == 1:
            node = node.named_children[0]
        return node

    def uncast(self, node: Node) -> Node:
        """Return an expression without casts and parentheses around it."""
        node = self.bare(node)
        while node.type == "cast_expression":
            node = self.bare(self.child(node, "value") or node.named_children[-1])
        return node

    def value(self, node: Node) -> int | None:  # noqa: PLR0911 - one for each form
        """Return the value of a constant expression, None if it is none or unknown."""
        node = self.bare(node)
        text = self.text(node)
        match node.type:
            case "number_literal":
                return _number(text)
            case "char_literal":
                return _character(text)
            case "true" | "false" | "null":
                return _CONSTANTS.get(text)
            case "identifier":
                return self._named_value(node, text)
            case "unary_expression":
                inner = self.child(node, "argument")
                known = self.value(inner) if inner is not None else None
                return -known if known is not None and text.startswith("-") else None
            case "sizeof_expression":
                return self._size(node)
            case "binary_expression":
                return self._sum(node)
            case _:
                return None

    def _sum(self, node: Node) -> int | None:
        """Return the value of a sum or a difference, None for other operators."""
        left, right = self.child(node, "left"), self.child(node, "right")
        values = [None if side is None else self.value(side) for side in (left, right)]
        operator = node.child_by_field_name("operator")
        if values[0] is None or values[1] is None or operator is None:
            return None
        return {"+": values[0] + values[1], "-": values[0] - values[1]}.get(operator.type)

    def _named_value(self, node: Node, text: str) -> int | None:
        if text in self.macros:
            words = self.macros[text]
            stripped = "" if words is None else words.strip("() ")
            number = _number(stripped)
            return _character(stripped) if number is None else number
        for one in self.nodes("enumerator"):
            name, value = self.child(one, "name"), self.child(one, "value")
            if name is not None and self.text(name) == text:
                return None if value is None else _number(self.text(self.bare(value)))
        return _CONSTANTS.get(text) if self.declared(node) is None else None

    def _size(self, node: Node) -> int | None:
        kind, value = self.child(node, "type"), self.child(node, "value")
        if kind is not None:
            known: Type | None = self.type_of_cast(kind)
            array = None
        elif value is not None and self.bare(value).type == "identifier":
            declared = self.declared(self.bare(value))
            known = declared.type if declared is not None else None
            array = declared.array if declared is not None else None
        else:
            return None
        sizes = {CHAR: 1, UNSIGNED_CHAR: 1}
        if known is None or known.name not in sizes or known.depth > 1 or (known.depth == 1 and array is None):
            return None
        return sizes[known.name] * (array if known.depth == 1 and array is not None else 1)

    def type_of_cast(self, descriptor: Node) -> Type | None:
        """Return the type that a type descriptor names."""
        base, depth = self._base(descriptor), 0
        inner = descriptor.child_by_field_name("declarator")
        while inner is not None:
            depth += 1
            inner = inner.child_by_field_name("declarator")
        return None if base is None else Type(base.name, base.depth + depth)

    def type_of(self, node: Node) -> Type | None:  # noqa: C901, PLR0911, PLR0912 - one branch per kind of expression
        """Return the type of an expression before integers are promoted, None if it is not known."""
        node = self.bare(node)
        match node.type:
            case "identifier":
                if self.names_operand(self.text(node)):
                    return Type(CHAR, 1)
                known = self.declared(node)
                return known.type if known is not None else None
            case "subscript_expression":
                return self._element(self.child(node, "argument"))
            case "pointer_expression":
                argument = self.child(node, "argument")
                if self.text(node).startswith("*"):
                    return self._element(argument)
                of_argument = self.type_of(argument) if argument is not None else None
                return None if of_argument is None else of_argument._replace(depth=of_argument.depth + 1)
            case "assignment_expression":
                left = self.child(node, "left")
                return self.type_of(left) if left is not None else None
            case "update_expression":
                argument = self.child(node, "argument")
                return self.type_of(argument) if argument is not None else None
            case "cast_expression":
                descriptor = self.child(node, "type")
                return self.type_of_cast(descriptor) if descriptor is not None else None
            case "call_expression":
                return self._result(node)
            case "char_literal" | "number_literal":
                return Type(INT)
            case "string_literal" | "concatenated_string":
                return Type(CHAR, 1)
            case "binary_expression":
                sides = [self.child(node, "left"), self.child(node, "right")]
                types = [self.type_of(side) if side is not None else None for side in sides]
                pointers = [one for one in types if one is not None and one.depth]
                if len(pointers) == 1:
                    return pointers[0]
                return Type(INT) if None not in types else None
            case _:
                return None

    def _element(self, node: Node | None) -> Type | None:
        known = self.type_of(node) if node is not None else None
        return known._replace(depth=known.depth - 1) if known is not None and known.depth else None

    def _result(self, call: Node) -> Type | None:
        function = self.child(call, "function", "identifier")
        name = self.text(function) if function is not None else ""
        if name in self.functions:
            return self.type_returned(name)
        return Type(INT) if self.library_call(call) in _INT_CALLS else None

    def type_returned(self, name: str) -> Type | None:
        """Return the type that a function of the source returns."""
        definition = self.functions.get(name)
        declarator = self.child(definition, "declarator") if definition is not None else None
        known = self._declarator(declarator) if declarator is not None else None
        base = self._base(definition) if definition is not None else None
        return None if base is None or known is None else Type(base.name, base.depth + known[1])

    def character(self, escape: Node) -> int | None:
        """Return the value of an escape sequence in a literal, None if it is unknown."""
        return _character(f"'{self.text(escape)}'")


def _number(text: str) -> int | None:
    if text.startswith("-"):
        positive = _number(text[1:].lstrip())
        return None if positive is None else -positive
    known = _NUMBER.fullmatch(text)
    if known is None:
        return None
    digits = known[1]
    if digits[:2].lower() == "0x":
        return int(digits, 16)
    return int(digits, 8) if digits.startswith("0") and set(digits) <= set("01234567") else int(digits)


def _character(text: str) -> int | None:
    inner = text[1:-1] if len(text) > 2 and text[0] == text[-1] == "'" else ""  # noqa: PLR2004 - two quotation marks
    if len(inner) == 1:
        return ord(inner)
    if re.fullmatch(r"\\x[0-9a-fA-F]{1,2}", inner):
        return int(f"0{inner[1:]}", 0)
    if re.fullmatch(r"\\[0-7]{1,3}", inner):
        return int(inner[1:], 8)
    return ESCAPES.get(inner[1:]) if inner.startswith("\\") else None
