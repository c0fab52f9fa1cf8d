"""The operators: what may be changed in a source to repair it, by the type of a node.

To add one, write a function that yields offers in the module of its kind, enter it here, and describe it in
words.yaml, with a line before and after the change, which are its test.
"""

from __future__ import annotations

from collections.abc import Mapping

from grader.diagnose.source.changes.offers import Operator, WideOperator
from grader.diagnose.source.changes.operators import conditions, declarations, operands, statements, texts

MOST_OF_AN_OPERATOR = 6
"""Most changes of an operator that are compiled alone, which takes 0.1 s of CPU time each."""

OPERATORS: Mapping[str, tuple[Operator, ...]] = {
    "binary_expression": (
        conditions.comparison,
        conditions.compared_byte,
        conditions.logical,
        conditions.arithmetic,
        operands.exchanged_sides,
        operands.unsigned_index,
    ),
    "unary_expression": (conditions.negation,),
    "assignment_expression": (conditions.assignment, conditions.stored_result, operands.exchange),
    "call_expression": (conditions.test_of_byte, operands.only_one_byte, operands.exchange),
    "number_literal": (operands.number, operands.begin_after_outer),
    "identifier": (operands.name, operands.begin_after_outer, operands.unsigned_index),
    "subscript_expression": (operands.unsigned_index,),
    "pointer_expression": (operands.address, operands.unsigned_index),
    "update_expression": (operands.unsigned_index,),
    "sizeof_expression": (operands.length_for_size,),
    "string_literal": (texts.changed_text,),
    "expression_statement": (
        statements.removed,
        statements.end_after_read,
        statements.assigned_instead,
        statements.moved,
        statements.moved_elsewhere,
        statements.filled_table,
    ),
    "declaration": (statements.end_after_read,),
    "break_statement": (statements.removed, statements.jump),
    "continue_statement": (statements.removed, statements.jump),
    "return_statement": (statements.removed, texts.last_newline),
    "if_statement": (
        statements.while_for_if,
        statements.else_branch,
        statements.without_if,
        statements.filled_table,
    ),
    "while_statement": (statements.write_after_loop, statements.filled_table),
    "for_statement": (statements.write_after_loop, statements.filled_table),
    "compound_statement": (
        statements.break_in_block,
        statements.reset_in_loop,
    ),
}

WIDE_OPERATORS: tuple[WideOperator, ...] = (
    declarations.descriptors,
    declarations.lengths,
    declarations.sizes,
    declarations.pointers_for_arrays,
    declarations.allocated_tables,
    declarations.arrays_for_pointers,
    declarations.addresses,
    declarations.one_byte_each,
    declarations.without_conversions,
    declarations.types,
    declarations.initialised,
    operands.exchanged_operands,
    operands.fractions,
    statements.bodies,
    texts.without_outputs,
)
