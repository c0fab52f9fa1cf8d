"""Patterns of known bugs: where a source has one, and the edits that remove it.

A pattern is a tree-sitter query. This module adds predicates about what the names of a source mean, and applies the
settings of a query. CONTRIBUTING.md describes both.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from difflib import get_close_matches
from functools import cache, cached_property
from typing import NamedTuple, TypedDict

from tree_sitter import Node, Query, QueryCursor, QueryError

from grader.diagnose import constructs
from grader.diagnose.c_source import LANGUAGE, CSource, Declared, Type
from grader.diagnose.edits import INCLUDE, QUOTED, Edit

MAX_PLACES = 20
"""Most places of a pattern in one source. A source with more is not a student's."""

_INPUT = ("getchar", "getc", "fgetc")
_FILLS = {"read": 1, "fread": 0, "fgets": 0, "gets": 0, "getline": 0, "scanf": 1}
"""Functions that store input, and which argument says where."""

_STREAM_AT = {"fprintf": 0, "fputs": 1, "fputc": 1, "putc": 1, "fwrite": 3, "vfprintf": 0}
_TO_STDOUT = frozenset({"printf", "puts", "putchar", "vprintf"})
_ENDS = frozenset({"exit", "_exit", "_Exit"})
_CAPTURE = re.compile(r"\{(\w+)\}")
_QUOTED = re.compile(QUOTED.encode("ascii"))
_LETTERS = re.compile(r"[A-Za-z]{3}")
_CONVERSION = re.compile(r"%[-+ #0-9.*]*[hlzjt]*[a-zA-Z%]")


_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|;[^\n]*')
_PREDICATE = re.compile(r'\(#([a-z-]+)\?((?:\s+(?:@\w+|"[^"]*"))*)\s*\)')
_ARGUMENT = re.compile(r'@\w+|"[^"]*"')


class Condition(NamedTuple):
    """A predicate of a pattern, and its arguments: names of captures with their @, and strings with their quotes."""

    name: str
    arguments: tuple[str, ...]


class PatternMatch(TypedDict):
    """A place where a pattern matches. `says` names the fix in words, and is empty without one.

    `one`: only one of several such places can be the bug. `proof`: the place means nothing unless the fix works.
    """

    lines: list[int]
    edits: list[Edit]
    says: str
    one: bool
    proof: bool


def find(source: CSource, patterns: str) -> list[PatternMatch]:
    """Return the places where the source has a construct that the patterns describe.

    Raises:
        ValueError: a pattern is not valid.
    """
    query, conditions = _read(patterns)
    if not source.usable:
        return []
    predicates = Predicates(source)
    places = [
        _place(source, captures, query.pattern_settings(index))
        for index, captures in QueryCursor(query).matches(source.root)
        if all(predicates.holds(condition, captures) for condition in conditions[index])
        and _is_certain(source, captures)
    ]
    unique = {repr(place): place for place in places}
    return [*unique.values()] if len(unique) <= MAX_PLACES else []


def pattern_mistakes(patterns: str) -> Iterator[tuple[int | None, str]]:
    """Yield what is wrong with patterns, each with its line (None if that is not known)."""
    try:
        _, conditions = _read(patterns)
    except QueryError as error:
        row = re.search(r"row (\d+)", str(error))
        yield (int(row[1]) + 1 if row is not None else None), f"is not a tree-sitter query for C: {error}"
        return
    for name in dict.fromkeys(condition.name for one in conditions for condition in one):
        if _method_name(name) not in PREDICATES:
            close = get_close_matches(_method_name(name), PREDICATES, n=1, cutoff=0.5)
            advice = f"; did you mean #{close[0].replace('_', '-')}?" if close else ""
            line = patterns[: patterns.index(f"#{name}?")].count("\n") + 1
            yield line, f"#{name}? is not a predicate{advice}"


def _method_name(predicate: str) -> str:
    return predicate.removeprefix("not-").replace("-", "_")


@cache
def _read(patterns: str) -> tuple[Query, list[list[Condition]]]:
    """Return the query without its predicates, and the predicates of each pattern.

    They are evaluated here: version 0.26 of tree-sitter for Python crashes with predicates that it does not know.
    """
    comments = _COMMENT.sub(lambda match: match[1] or " " * len(match[0]), patterns)
    query = Query(LANGUAGE, _PREDICATE.sub(lambda match: " " * len(match[0]), comments))
    ends = [query.end_byte_for_pattern(index) for index in range(query.pattern_count)]
    conditions: list[list[Condition]] = [[] for _ in ends]
    for match in _PREDICATE.finditer(comments):
        index = next(index for index, end in enumerate(ends) if match.start() < end)
        conditions[index].append(Condition(match[1], tuple(_ARGUMENT.findall(match[2]))))
    return query, conditions


def _is_certain(source: CSource, captures: Mapping[str, list[Node]]) -> bool:
    """Return whether the preprocessor keeps the nodes, no macro changes them, and their function is used."""
    for node in (node for nodes in captures.values() for node in nodes):
        if source.parents.get(node.id) is None or not _is_kept(source, node):
            return False
        function = node if node.type == "function_definition" else source.function_of(node)
        if function is not None and not source.is_used(function):
            return False
    return not any(_has_macro(source, node) for node in captures.get("line", ()))


def _is_kept(source: CSource, node: Node) -> bool:
    return node.id in source.kept or not node.is_named


def _has_macro(source: CSource, node: Node) -> bool:
    """Return whether a node uses a macro that is more than a number or a character."""
    pending = [node]
    while pending:
        one = pending.pop()
        if one.type in ("identifier", "type_identifier") and source.text(one) in source.macros:
            return source.value(one) is None
        pending += one.children
    return False


def _place(source: CSource, captures: Mapping[str, list[Node]], settings: Mapping[str, str | None]) -> PatternMatch:
    lines = sorted({node.start_point.row + 1 for name in ("line", "place") for node in captures.get(name, ())})
    edits: list[Edit] = []
    texts = {name: source.data[nodes[0].start_byte : nodes[0].end_byte] for name, nodes in captures.items()}
    for name, nodes in captures.items():
        template = settings.get(f"edit.{name}")
        if template is not None:
            edits += [Edit(node.start_byte, node.end_byte, _filled(template, texts)) for node in nodes]
        new_type = settings.get(f"type.{name}")
        if new_type is not None:
            edits += retyped(source, nodes[0], new_type)
    says = _words(source, settings, texts, lines) if edits else ""
    if edits:
        edits += _included(source, (settings.get("include") or "").split(), edits[0].start)
    return {
        "lines": lines,
        "edits": edits,
        "says": says,
        "one": settings.get("one") is not None,
        "proof": settings.get("proof") is not None,
    }


def _included(source: CSource, headers: Sequence[str], before: int) -> Iterator[Edit]:
    """Yield the edit that includes those of the headers that the source does not include before a place."""
    known = [node for node in source.root.children if node.type == "preproc_include" and node.end_byte <= before]
    names = [source.child(node, "path") for node in known]
    has = {source.text(name).strip("<>") for name in names if name is not None}
    missing = [header for header in headers if header not in has]
    if missing:
        # Before the other headers, a macro such as _GNU_SOURCE would come too late for them.
        ends = [node.end_byte for node in known if source.data[: node.end_byte].endswith(b"\n")]
        place = ends[-1] if ends else len(BOM_UTF8) * source.data.startswith(BOM_UTF8)
        yield Edit(place, place, "".join(f"{INCLUDE}<{header}>\n" for header in missing))


def _words(
    source: CSource, settings: Mapping[str, str | None], texts: Mapping[str, bytes], lines: Sequence[int]
) -> str:
    """Return what an edit is in words; others if what they quote is too long, or is in the line more than once."""
    says, otherwise = settings.get("says") or "", settings.get("otherwise")
    quoted = {name: b" ".join(texts[name].split()) for name in _CAPTURE.findall(says)}
    if otherwise and not all(_QUOTED.fullmatch(text) for text in quoted.values()):
        return otherwise
    rows = source.data.split(b"\n")
    if otherwise and any(_count(text, rows[line - 1]) > 1 for text in quoted.values() for line in lines):
        return otherwise
    return _filled(says, quoted)


def _count(text: bytes, line: bytes) -> int:
    """Return how often a line has a name, an operand or an operator, and not as a part of a longer one."""
    more = rb"\w" if re.match(rb"\w|\*", text) else rb"[-<>=!]"
    last = rb"\w" if re.search(rb"\w$", text) else rb"[<>=]" if more != rb"\w" else rb"\0"
    words = rb"\s+".join(re.escape(word) for word in text.split())
    return len(re.findall(rb"(?<!%s)%s(?!%s)" % (more, words, last), line))


def _filled(template: str, names: Mapping[str, bytes]) -> str:
    return _CAPTURE.sub(lambda match: names[match[1]].decode("utf-8", "surrogateescape"), template)


def retyped(source: CSource, variable: Node, new_type: str) -> Iterator[Edit]:
    """Yield the edits that declare a variable, parameter or function with another type, and leave all others."""
    known = next((one for one in source.declarations(variable) if one.name.id == variable.id), None)
    declaration = known.declaration if known is not None else source.function_named(variable)
    if declaration is None:
        return
    named = declaration.child_by_field_name("type")
    declarators = declaration.children_by_field_name("declarator")
    if named is None:
        return
    if len(declarators) == 1:
        yield Edit(named.start_byte, named.end_byte, new_type)
        return
    own = next(index for index, one in enumerate(declarators) if _holds(one, variable))
    begins = source.parents[declaration.id].type in ("compound_statement", "translation_unit")
    if not begins:
        return
    before = source.data[declaration.start_byte : named.start_byte].decode("ascii", "replace")
    text = source.data[declarators[own].start_byte : declarators[own].end_byte].decode("utf-8", "surrogateescape")
    yield Edit(declaration.start_byte, declaration.start_byte, f"{before}{new_type} {text}; ")
    if own:
        yield Edit(declarators[own - 1].end_byte, declarators[own].end_byte, "")
    else:
        yield Edit(declarators[0].start_byte, declarators[1].start_byte, "")


def _holds(outer: Node, inner: Node) -> bool:
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte


class Predicates:
    """The predicates of patterns. The method `is_in_loop` evaluates `#in-loop?`."""

    def __init__(self, source: CSource) -> None:
        self.source = source

    def holds(self, condition: Condition, captures: Mapping[str, Sequence[Node]]) -> bool:
        """Return whether a predicate holds for what a query captured; not if that is unknown.

        Raises:
            ValueError: there is no such predicate.
        """
        negated = condition.name.startswith("not-")
        method: Callable[..., bool | None] | None = getattr(self, f"is_{_method_name(condition.name)}", None)
        if method is None:
            raise ValueError(f"#{condition.name}? is not a predicate")
        nodes = [captures.get(one[1:]) for one in condition.arguments if one.startswith("@")]
        words = [one[1:-1] for one in condition.arguments if one.startswith('"')]
        held = method(*(one[0] for one in nodes if one), *words) if all(nodes) else None
        return held is not None and held != negated

    def is_type(self, node: Node, *names: str) -> bool | None:
        """`#type? @expression "char"`: its type, before integers are promoted, is one of these."""
        known = self.source.type_of(node)
        return None if known is None else known.depth == 0 and known.name in names

    def is_returning(self, function: Node, *names: str) -> bool | None:
        """`#returning? @name "char"`: the function of this name returns one of these."""
        known = self.source.type_returned(self.source.text(function))
        return None if known is None else known.depth == 0 and known.name in names

    def is_char_index(self, node: Node) -> bool | None:
        """`#char-index? @index`: it is a char, perhaps made wider by a cast, and not one that counts."""
        node = self.source.bare(node)
        while node.type == "cast_expression":
            value, known = self.source.child(node, "value"), self.source.type_of(node)
            if value is None or known is None or known != Type("int"):
                break
            node = self.source.bare(value)
        if node.type == "identifier" and self._counts(node):
            return False
        return self.is_type(node, "char")

    def is_unlike(self, operand: Node, other: Node) -> bool | None:
        """`#unlike? @operand @other`: a char, which may be negative, is compared with what is never negative."""
        if self.source.value(operand) is not None or self.source.value(other) is not None:
            return False
        variable = self.source.bare(operand)
        if variable.type == "identifier" and self._takes_input(self.source.declared(variable)):
            return False
        return self.is_type(operand, "char") and self.is_type(other, "int", "unsigned char")

    def is_value(self, node: Node, *numbers: str) -> bool | None:
        """`#value? @expression "0"`: its value is known, and one of these. `#not-value?`: known, and none of them."""
        known = self.source.value(node)
        return None if known is None else known in map(int, numbers)

    def is_library_call(self, call: Node, *names: str) -> bool:
        """`#library-call? @call "read"`: it calls one of these, and not a function of the source's own."""
        return self.source.library_call(call) in names

    def is_name(self, node: Node, *names: str) -> bool:
        """`#name? @argument "stdout"`: the source has one of these names there."""
        return self.source.text(self.source.bare(node)) in names

    def is_input(self, node: Node) -> bool:
        """`#input? @expression`: it is what getchar, getc or fgetc returned, perhaps through a function."""
        return self._is_input(node)

    def is_input_byte(self, node: Node) -> bool:
        """`#input-byte? @expression`: it is a byte of the input, as getchar returned it or read stored it."""
        node = self.source.bare(node)
        if node.type == "subscript_expression":
            argument = self.source.child(node, "argument", "identifier")
            return argument is not None and constructs.is_read_into(self.source, argument)
        if node.type == "identifier":
            return self._takes_input(self.source.declared(node)) or constructs.is_read_into(self.source, node)
        return self._is_input(node)

    def is_of_input(self, node: Node) -> bool:
        """`#of-input? @expression`: such a byte or a buffer of them, perhaps kept in a variable or handed over."""
        return self._is_of_input(self._begun_with(node) or node, self._of_input)

    def _begun_with(self, node: Node) -> Node | None:
        """Return what a `for` around an expression sets its variable to: other loops may set it to something else."""
        base = self.source.bare(node)
        while base.type in ("subscript_expression", "pointer_expression", "cast_expression"):
            base = self.source.bare(base.child_by_field_name("argument") or base.children[-1])
        for loop in self.source.ancestors(node):
            first = loop.child_by_field_name("initializer") if loop.type == "for_statement" else None
            if first is not None and first.type == "assignment_expression" and base.type == "identifier":
                left, right = first.child_by_field_name("left"), first.child_by_field_name("right")
                if left is not None and self.source.text(left) == self.source.text(base):
                    return right
        return None

    def is_result_of(self, node: Node, *names: str) -> bool:
        """`#result-of? @expression "strlen"`: one of these returned it, perhaps into a variable."""
        node = self.source.bare(node)
        known = self.source.declared(node) if node.type == "identifier" else None
        values: Sequence[Node] = [node] if known is None else self._set_to(known)
        return any(self.source.library_call(value) in names for value in values)

    def is_takes_input(self, variable: Node) -> bool:
        """`#takes-input? @variable`: the variable that is declared here is set to what getchar returned."""
        found = [one for one in self.source.declarations(variable) if one.name.id == variable.id]
        return bool(found) and self._takes_input(found[0])

    def is_returns_input(self, name: Node) -> bool:
        """`#returns-input? @name`: the function of this name returns what getchar returned."""
        return self.source.text(name) in self._input_functions

    def is_in_loop(self, node: Node) -> bool:
        """`#in-loop? @node`: a loop repeats it, perhaps by calling its function."""
        function = self.source.function_of(node)
        name = self.source.name_of(function) if function is not None else ""
        return self.source.is_in_loop(node) or any(self.source.is_in_loop(call) for call in self.source.calls(name))

    def is_in_main(self, node: Node) -> bool:
        """`#in-main? @node`: it is in main."""
        function = self.source.function_of(node)
        return function is not None and self.source.name_of(function) == "main"

    def is_loop_condition(self, node: Node) -> bool:
        """`#loop-condition? @expression`: it is the condition of a loop, or one side of && in it."""
        for parent in self.source.ancestors(node):
            if parent.type in ("while_statement", "do_statement", "for_statement"):
                condition = parent.child_by_field_name("condition")
                return condition is not None and _holds(condition, node)
            if parent.type == "binary_expression":
                operator = parent.child_by_field_name("operator")
                if operator is None or operator.type != "&&":
                    return False
            elif parent.type != "parenthesized_expression":
                return False
        return False

    def is_if_condition(self, node: Node) -> bool:
        """`#if-condition? @expression`: it is the condition of an if or of ?:, or one side of && or || in it."""
        inner = node
        for parent in self.source.ancestors(node):
            if parent.type in ("if_statement", "conditional_expression"):
                condition = parent.child_by_field_name("condition")
                return condition is not None and condition.id == inner.id
            if not constructs.joins(parent):
                return False
            inner = parent
        return False

    def is_unused(self, name: Node) -> bool:
        """`#unused? @parameter`: nothing names the parameter."""
        text = self.source.text(name)
        return not any(
            node.id != name.id and self.source.text(node) == text for node in self.source.nodes("identifier")
        )

    def is_writes_only(self, call: Node, *numbers: str) -> bool:
        """`#writes-only? @call "10"`: the call writes these bytes to standard output, and no others."""
        return self._written(call) == bytes(map(int, numbers))

    def is_message(self, call: Node, stream: str) -> bool:
        """`#message? @call "stdout"`: the call writes a message to this stream."""
        return self._message_stream(call) == stream

    def is_refusal(self, node: Node) -> bool:
        """`#refusal? @call`: after this call in an `if`, or in a function for it, the program or function ends."""
        function = self.source.function_of(node)
        if function is None:
            return False
        name = self.source.name_of(function)
        if name != "main" and self._gets_messages(name):
            return True
        statement = self._statement(node)
        if statement is None or not (name != "main" or self._is_conditional(statement)):
            return False
        return any(self._ends(one) for one in self._after(statement)) and self._is_conditional(statement)

    def is_after_message(self, node: Node) -> bool:
        """`#after-message? @call`: a message was written before it in its block, which is not all of main."""
        statement = node if node.type == "return_statement" else self._statement(node)
        function = self.source.function_of(node)
        if statement is None or function is None:
            return False
        if self.source.name_of(function) == "main" and not self._is_conditional(statement):
            return False
        return any(self._tells(one) for one in self._before(statement))

    def is_length(self, node: Node) -> bool:
        """`#length? @expression`: it is the length of a string, by strlen or counted by the program itself."""
        return constructs.is_length(self.source, node)

    def is_inner_input(self, condition: Node) -> bool:
        """`#inner-input? @condition`: the loop reads all the input, and is in a loop that does not read otherwise."""
        return constructs.reads_all_in_one_round(self.source, condition)

    def is_before_last_entry(self, condition: Node) -> bool:
        """`#before-last-entry? @condition`: the loop that fills an array ends before its last entry."""
        return constructs.ends_before_last_entry(self.source, condition)

    def is_never_filled(self, name: Node) -> bool:
        """`#never-filled? @name`: no loop sets all entries of the table that is declared here."""
        return constructs.is_never_filled(self.source, name)

    def is_small_table(self, name: Node) -> bool | None:
        """`#small-table? @name`: an array for bytes is declared here with fewer entries than there are bytes."""
        return constructs.is_small_table(self.source, name)

    def is_never_reset(self, variable: Node) -> bool:
        """`#never-reset? @variable`: what is assigned to it here stays for all later bytes of the input."""
        return constructs.is_never_reset(self.source, variable)

    def is_undone(self, assignment: Node) -> bool:
        """`#undone? @assignment`: it replaces what an earlier round of the search has found."""
        return constructs.is_undone(self.source, assignment)

    def is_repeated(self, call: Node) -> bool:
        """`#repeated? @call`: each round of a search makes this call."""
        return constructs.is_repeated(self.source, call)

    def is_first_round(self, leaving: Node) -> bool:
        """`#first-round? @statement`: this return or break ends a loop in its first round."""
        return constructs.ends_first_round(self.source, leaving)

    def is_partly_set(self, name: Node) -> bool:
        """`#partly-set? @name`: a call stores a single byte in the wider variable that is declared here."""
        return constructs.is_partly_set(self.source, name)

    def is_before_last_byte(self, condition: Node) -> bool:
        """`#before-last-byte? @condition`: an inner loop leaves out the last byte of a string."""
        return constructs.ends_before_last_byte(self.source, condition)

    def is_signed_index(self, value: Node) -> bool:
        """`#signed-index? @value`: an int is set to this char, and is used as an index."""
        return constructs.is_signed_index(self.source, value)

    def is_pointer(self, name: Node) -> bool:
        """`#pointer? @name`: it is a pointer, and not an array."""
        return constructs.is_pointer(self.source, name)

    def is_cut(self, call: Node) -> bool:
        """`#cut? @call`: it copies a constant number of bytes of a string, fewer than 255."""
        return constructs.is_cut(self.source, call)

    def is_whole_buffer(self, call: Node) -> bool:
        """`#whole-buffer? @call`: it writes a constant number of bytes of an array that another call fills."""
        return constructs.writes_whole_buffer(self.source, call)

    def is_stored_by_read(self, variable: Node) -> bool:
        """`#stored-by-read? @variable`: read stores bytes in it."""
        return constructs.is_read_into(self.source, variable)

    def is_decides_refusal(self, condition: Node) -> bool:
        """`#decides-refusal? @condition`: if this condition of an `if` holds, the program or a function ends."""
        return constructs.decides_refusal(self.source, condition)

    def is_success(self, leaving: Node) -> bool:
        """`#success? @statement`: it ends the program with status 0 before its end."""
        return constructs.is_success(self.source, leaving)

    # What the predicates are made of

    def _is_input(self, node: Node) -> bool:
        node = self.source.bare(node)
        if node.type == "assignment_expression":
            right = self.source.child(node, "right")
            return right is not None and self._is_input(right)
        if node.type != "call_expression":
            return False
        function = self.source.child(node, "function", "identifier")
        name = self.source.text(function) if function is not None else ""
        return self.source.library_call(node) in _INPUT or name in self._input_functions

    def _is_of_input(self, node: Node, variables: AbstractSet[int]) -> bool:
        """Return whether an expression is a byte of the input, or a buffer, if these variables are."""
        node = self.source.bare(node)
        while node.type == "cast_expression":
            node = self.source.bare(self.source.child(node, "value") or node.children[-1])
        if node.type in ("subscript_expression", "pointer_expression"):
            node = self.source.child(node, "argument", "identifier") or node
        known = self.source.declared(node) if node.type == "identifier" else None
        if node.type == "initializer_list":
            return any(self._is_of_input(one, variables) for one in node.named_children)
        return self._is_input(node) if known is None else known.name.id in variables

    @cached_property
    def _of_input(self) -> AbstractSet[int]:
        """The variables that hold bytes of the input or point at some, directly or through others."""
        found = {*constructs.filled(self.source, _FILLS)}
        while True:
            new = {
                name
                for name, values in [*self._values.items(), *self._handed_over.items()]
                if name not in found and any(self._is_of_input(value, found) for value in values)
            }
            if not new:
                return found
            found |= new

    @cached_property
    def _handed_over(self) -> dict[int, list[Node]]:
        """What the parameters of functions get, by the id of the parameter's name."""
        found: dict[int, list[Node]] = {}
        for name, parameters in self.source.parameters.items():
            for call in self.source.calls(name):
                for parameter, argument in zip(parameters, self.source.arguments(call), strict=False):
                    found.setdefault(parameter.name.id, []).append(argument)
        return found

    @cached_property
    def _input_functions(self) -> frozenset[str]:
        """Return the functions of the source that return what getchar returned, directly or from a variable."""
        return frozenset(
            self.source.name_of(function)
            for node in self.source.nodes("return_statement")
            for function in [self.source.function_of(node)]
            for value in [next(iter(node.named_children), None)]
            if function is not None and value is not None and self._is_returned_input(self.source.bare(value))
        )

    def _is_returned_input(self, value: Node) -> bool:
        if value.type == "identifier":
            known = self.source.declared(value)
            return known is not None and any(self.source.library_call(one) in _INPUT for one in self._set_to(known))
        return value.type == "call_expression" and self.source.library_call(value) in _INPUT

    def _takes_input(self, variable: Declared | None) -> bool:
        return variable is not None and any(self._is_input(value) for value in self._set_to(variable))

    def _set_to(self, variable: Declared) -> Sequence[Node]:
        """Return everything that a variable is set to by `=`."""
        return self._values.get(variable.name.id, ())

    @cached_property
    def _values(self) -> dict[int, list[Node]]:
        """What variables are set to by `=`, by the id of the variable's name."""
        found: dict[int, list[Node]] = {}
        for node in self.source.nodes("init_declarator"):
            name, value = node.child_by_field_name("declarator"), node.child_by_field_name("value")
            while name is not None and name.type in ("array_declarator", "pointer_declarator"):
                name = name.child_by_field_name("declarator")
            if name is not None and value is not None:
                found.setdefault(name.id, []).append(self.source.bare(value))
        for node in self.source.nodes("assignment_expression"):
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            operator = node.child_by_field_name("operator")
            if left is None or right is None or operator is None or operator.type != "=":
                continue
            left = self.source.bare(left)
            known = self.source.declared(left) if left.type == "identifier" else None
            if known is not None:
                found.setdefault(known.name.id, []).append(self.source.bare(right))
        return found

    def _counts(self, identifier: Node) -> bool:
        known = self.source.declared(identifier)
        return any(
            argument is not None and self.source.declared(argument) == known
            for node in self.source.nodes("update_expression")
            for argument in [node.child_by_field_name("argument")]
            if argument is not None and argument.type == "identifier"
        )

    def _written(self, call: Node) -> bytes | None:
        """Return what a call writes to standard output, None if that is not known."""
        name, given = self.source.library_call(call), self.source.arguments(call)
        if name in ("putchar", "putc", "fputc") and given:
            to_stdout = name == "putchar" or (len(given) > 1 and self.source.text(given[1]) == "stdout")
            known = self.source.value(given[0])
            return bytes([known & 255]) if to_stdout and known is not None else None
        if name in ("printf", "puts") and len(given) == 1:
            text = self._literal(given[0])
            plain = text if text is not None and b"%" not in text else None
            return plain + b"\n" if plain is not None and name == "puts" else plain
        if name == "fputs" and len(given) == 2 and self.source.text(given[1]) == "stdout":  # noqa: PLR2004
            return self._literal(given[0])
        if name == "write" and len(given) == 3 and self.source.value(given[0]) == 1:  # noqa: PLR2004
            text, count = self._literal(given[1]), self.source.value(given[2])
            return None if text is None or count is None else (text + b"\0")[:count]
        return None

    def _literal(self, node: Node) -> bytes | None:
        """Return the bytes of a string literal, None if it is none."""
        node = self.source.bare(node)
        if node.type != "string_literal":
            return None
        data = b""
        for part in node.named_children:
            known = self.source.character(part) if part.type == "escape_sequence" else None
            if part.type == "escape_sequence" and known is None:
                return None
            text = self.source.data[part.start_byte : part.end_byte]
            data += bytes([known & 255]) if known is not None else text
        return data

    def _message_stream(self, call: Node, depth: int = 0) -> str:  # noqa: PLR0911 - one for each form
        """Return where a call writes a message: "stdout" or "stderr", "" if it writes none."""
        name, given = self.source.library_call(call), self.source.arguments(call)
        if name == "perror":
            return "stderr"
        if name in self.source.functions or not name:
            return self._helper_stream(call) if depth == 0 else ""
        if not any(self._is_text(one) for one in given):
            return ""
        if name in _TO_STDOUT:
            return "stdout"
        if name in _STREAM_AT and len(given) > _STREAM_AT[name]:
            stream = self.source.text(given[_STREAM_AT[name]])
            return stream if stream in ("stdout", "stderr") else ""
        if name == "write" and given:
            return {1: "stdout", 2: "stderr"}.get(self.source.value(given[0]) or 0, "")
        return ""

    def _helper_stream(self, call: Node) -> str:
        function = self.source.child(call, "function", "identifier")
        definition = self.source.functions.get(self.source.text(function)) if function is not None else None
        if definition is None:
            return ""
        streams = {
            self._message_stream(inner, 1)
            for inner in self.source.nodes("call_expression")
            if _holds(definition, inner)
        }
        return next(iter(streams - {""}), "") if len(streams - {""}) == 1 else ""

    def _is_text(self, node: Node) -> bool:
        """Return whether an argument is text for people: a literal with a word, or a parameter that gets one."""
        node = self.source.bare(node)
        if node.type in ("string_literal", "concatenated_string"):
            return _LETTERS.search(_CONVERSION.sub(" ", self.source.text(node))) is not None
        function = self.source.function_of(node)
        if node.type != "identifier" or function is None:
            return False
        known = self.source.declared(node)
        is_parameter = known is not None and known.declaration.type == "parameter_declaration"
        return is_parameter and self._gets_messages(self.source.name_of(function))

    def _gets_messages(self, name: str) -> bool:
        """Return whether a function of the source is called, and each time with a literal that has a word."""
        calls = [*self.source.calls(name)] if name != "main" else []
        literals = ("string_literal", "concatenated_string")
        return bool(calls) and all(
            any(one.type in literals and self._is_text(one) for one in self.source.arguments(call)) for call in calls
        )

    def _statement(self, node: Node) -> Node | None:
        around = next(self.source.ancestors(node), None)
        return around if around is not None and around.type == "expression_statement" else None

    def _siblings(self, statement: Node) -> list[Node]:
        parent = self.source.parents[statement.id]
        return parent.named_children if parent.type == "compound_statement" else [statement]

    def _after(self, statement: Node) -> list[Node]:
        return [one for one in self._siblings(statement) if one.start_byte > statement.start_byte]

    def _before(self, statement: Node) -> list[Node]:
        return [one for one in self._siblings(statement) if one.start_byte < statement.start_byte]

    def _ends(self, statement: Node) -> bool:
        if statement.type == "return_statement":
            return True
        inner = next(iter(statement.named_children), None)
        return inner is not None and self.source.library_call(inner) in _ENDS

    def _tells(self, statement: Node) -> bool:
        inner = next(iter(statement.named_children), None) if statement.type == "expression_statement" else None
        return inner is not None and inner.type == "call_expression" and self._message_stream(inner) != ""

    def _is_conditional(self, statement: Node) -> bool:
        return any(one.type in ("if_statement", "switch_statement") for one in self.source.ancestors(statement))


PREDICATES = frozenset(name.removeprefix("is_") for name in vars(Predicates) if name.startswith("is_"))
