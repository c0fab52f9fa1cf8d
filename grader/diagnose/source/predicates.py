"""Predicates of patterns: what the names and calls of a source mean. CONTRIBUTING.md describes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node

from grader.diagnose.c_library import BYTE_READS, ENDS
from grader.diagnose.source import constructs
from grader.diagnose.source.c_source import CONVERSION, CSource, Declared, Type

_FILLS = {"read": 1, "fread": 0, "fgets": 0, "gets": 0, "getline": 0, "scanf": 1}
"""Functions that store input, and which argument says where."""

_STREAM_AT = {"fprintf": 0, "fputs": 1, "fputc": 1, "putc": 1, "fwrite": 3, "vfprintf": 0}
_TO_STDOUT = frozenset({"printf", "puts", "putchar", "vprintf"})
_LETTERS = re.compile(r"[A-Za-z]{3}")


class Condition(NamedTuple):
    """A predicate of a pattern, and its arguments: names of captures with their @, and strings with their quotes."""

    name: str
    arguments: tuple[str, ...]


def method_name(predicate: str) -> str:
    """Return the name of a predicate's method, without its `is_`."""
    return predicate.removeprefix("not-").replace("-", "_")


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
        method: Callable[..., bool | None] | None = getattr(self, f"is_{method_name(condition.name)}", None)
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
        if node.type == "identifier" and constructs.is_counted(self.source, node):
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
        """`#input? @expression`: it is what getchar, or one like it, returned, perhaps through a function."""
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

    def is_operands(self, name: Node) -> bool:
        """`#operands? @name`: the parameter of main for the operands, or one of another function that gets it."""
        return self._declared_id(name) in self._operands

    def is_operand_count(self, name: Node) -> bool:
        """`#operand-count? @name`: the same for the number of operands."""
        return self._declared_id(name) in self._operand_counts

    def is_of_operand(self, name: Node) -> bool:
        """`#of-operand? @name`: the operands, or a variable that is set to one of them or points into it."""
        return self._declared_id(name) in self._of_operands

    def is_result_of(self, node: Node, *names: str) -> bool:
        """`#result-of? @expression "strlen"`: one of these returned it, perhaps into a variable."""
        node = self.source.bare(node)
        known = self.source.declared(node) if node.type == "identifier" else None
        values: Sequence[Node] = [node] if known is None else self.source.values_of(known)
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
                return condition is not None and constructs.holds(condition, node)
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

    def is_before_last_entry(self, condition: Node) -> bool:
        """`#before-last-entry? @condition`: the loop that fills an array ends before its last entry."""
        return constructs.ends_before_last_entry(self.source, condition)

    def is_small_table(self, name: Node) -> bool | None:
        """`#small-table? @name`: an array for bytes is declared here with fewer entries than there are bytes."""
        return constructs.is_small_table(self.source, name)

    def is_never_reset(self, variable: Node) -> bool:
        """`#never-reset? @variable`: what is assigned to it here stays for all later bytes of the input."""
        return constructs.is_never_reset(self.source, variable)

    def is_asked_before(self, assignment: Node) -> bool:
        """`#asked-before? @assignment`: an `if` around it asks for the entry of an array that it sets."""
        return constructs.is_asked_before(self.source, assignment)

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

    def is_pointer(self, name: Node) -> bool:
        """`#pointer? @name`: it is a pointer, and not an array."""
        return constructs.is_pointer(self.source, name)

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
        return self.source.library_call(node) in BYTE_READS or name in self._input_functions

    def _is_of_input(self, node: Node, variables: AbstractSet[int]) -> bool:
        """Return whether an expression is a byte of the input, or a buffer, if these variables are."""
        node = self.source.uncast(node)
        if node.type in ("subscript_expression", "pointer_expression"):
            node = self.source.child(node, "argument", "identifier") or node
        known = self.source.declared(node) if node.type == "identifier" else None
        if node.type == "initializer_list":
            return any(self._is_of_input(one, variables) for one in node.named_children)
        return self._is_input(node) if known is None else known.name.id in variables

    @cached_property
    def _of_input(self) -> AbstractSet[int]:
        """The variables that hold bytes of the input or point at some, directly or through others."""
        return self._set_from(constructs.filled(self.source, _FILLS), self._is_of_input)

    @cached_property
    def _of_operands(self) -> AbstractSet[int]:
        return self._set_from(self._operands, self._points_into)

    def _points_into(self, node: Node, variables: AbstractSet[int]) -> bool:
        """Return whether an expression is what one of these variables points at, or an address in it."""
        while True:
            node = self.source.uncast(node)
            inner = node.child_by_field_name("argument") or node.child_by_field_name("left")
            if inner is None or node.type == "call_expression":
                return self._declared_id(node) in variables
            node = inner

    def _set_from(
        self, variables: Iterable[int], holds: Callable[[Node, AbstractSet[int]], bool]
    ) -> AbstractSet[int]:
        """Return variables and those that are set to what `holds` of them, or of others that are set so."""
        found = {*variables}
        while True:
            new = {
                name
                for name, values in [*self.source.values.items(), *self._handed_over.items()]
                if name not in found and any(holds(value, found) for value in values)
            }
            if not new:
                return found
            found |= new

    @cached_property
    def _operands(self) -> AbstractSet[int]:
        return self._getting(self.source.operands)

    @cached_property
    def _operand_counts(self) -> AbstractSet[int]:
        return self._getting(self.source.operand_count)

    def _getting(self, parameter: Declared | None) -> AbstractSet[int]:
        """Return a parameter, and those that it is handed over to, as the ids of their names."""
        found = set() if parameter is None else {parameter.name.id}
        while True:
            new = {
                name
                for name, given in self._handed_over.items()
                if name not in found and any(self._declared_id(one) in found for one in given)
            }
            if not new:
                return found
            found |= new

    def _declared_id(self, node: Node) -> int | None:
        """Return the id of the name with which a variable is declared, None for other expressions."""
        node = self.source.uncast(node)
        known = self.source.declared(node) if node.type == "identifier" else None
        return None if known is None else known.name.id

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
            return known is not None and any(
                self.source.library_call(one) in BYTE_READS for one in self.source.values_of(known)
            )
        return value.type == "call_expression" and self.source.library_call(value) in BYTE_READS

    def _takes_input(self, variable: Declared | None) -> bool:
        return variable is not None and any(self._is_input(value) for value in self.source.values_of(variable))

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
            if constructs.holds(definition, inner)
        }
        return next(iter(streams - {""}), "") if len(streams - {""}) == 1 else ""

    def _is_text(self, node: Node) -> bool:
        """Return whether an argument is text for people: a literal with a word, or a parameter that gets one."""
        node = self.source.bare(node)
        if node.type in ("string_literal", "concatenated_string"):
            return _LETTERS.search(CONVERSION.sub(" ", self.source.text(node))) is not None
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
        return inner is not None and self.source.library_call(inner) in ENDS

    def _tells(self, statement: Node) -> bool:
        inner = next(iter(statement.named_children), None) if statement.type == "expression_statement" else None
        return inner is not None and inner.type == "call_expression" and self._message_stream(inner) != ""

    def _is_conditional(self, statement: Node) -> bool:
        return any(one.type in ("if_statement", "switch_statement") for one in self.source.ancestors(statement))


PREDICATES = frozenset(name.removeprefix("is_") for name in vars(Predicates) if name.startswith("is_"))
