r"""Operators on texts that are written to standard output: a newline or blank, a label, the place of a separator."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from grader.diagnose.source.c_source import CONVERSION, LOOPS, CSource
from grader.diagnose.source.changes.offers import Offer, inserted, replaced
from grader.diagnose.source.edits import LIKELIEST, TEXT, Edit

_PLACES = {"printf": 0, "puts": 0, "fputs": 0, "fprintf": 1}
"""Which argument of a function is the text."""

_STREAMS = {"fputs": 1, "fprintf": 0}
_NEWLINE = r"\n"
_LABEL = re.compile(r"(?P<label>[^%\\]*[A-Za-z][^%\\]*)(?=%)")
_MARK = re.compile(rf"{CONVERSION.pattern}| ?(?P<mark>[,:;=*+/-]) ?")
"""A conversion, or a mark, perhaps with blanks around it."""

_LINE_END = r'printf("\n");'


def changed_text(source: CSource, node: Node) -> Iterator[Offer]:
    """Write another text."""
    call = source.parents[source.parents[node.id].id]
    name, arguments = source.library_call(call), source.arguments(call)
    if name == "scanf" and source.text(node) == '" %c"':
        yield replaced("white-space-read", node, '"%c"', LIKELIEST)
    place = _PLACES.get(name, len(arguments))
    if place >= len(arguments) or arguments[place].id != node.id:
        return
    if name in _STREAMS and source.text(arguments[_STREAMS[name]]) != "stdout":
        return
    text = source.text(node)[1:-1]
    for new in dict.fromkeys((*_separated(source, node, text), *(f'"{other}"' for other in _others(text, name)))):
        if new != f'"{text}"':
            yield replaced("text", node, new, TEXT)


def _others(text: str, function: str) -> Iterator[str]:
    """Yield texts with another end, without a label, with another first letter, with blanks at a mark."""
    if text.endswith(_NEWLINE):
        line = text.removesuffix(_NEWLINE)
        yield line
        yield f"{line.rstrip(' ')}{_NEWLINE}"
    elif function != "puts":
        bare = text.rstrip(" ")
        yield f"{bare}{_NEWLINE}"
        yield f"{text} " if bare == text else bare
    yield text.lstrip(" ")
    label = _LABEL.match(text)
    if label is not None:
        yield text.removeprefix(label["label"])
    if text[:1].isalpha():
        yield text[0].swapcase() + text[1:]
    found = next((found for found in _MARK.finditer(text) if found["mark"]), None)
    if found is not None:
        for other in (found["mark"], f" {found['mark']} ", f"{found['mark']} "):
            yield text[: found.start()] + other + text[found.end() :]


def _separated(source: CSource, node: Node, text: str) -> Iterator[str]:
    """Yield a choice between two texts, of which the one for the first round of a loop has no separator."""
    separator = next(filter(text.endswith, (", ", "; ", " ", ",", ";", r"\t")), "")
    element = text.removesuffix(separator)
    if separator and element and not element.startswith(separator):
        for later in _later_rounds(source, node):
            yield f'{later} ? "{separator}{element}" : "{element}"'


def _later_rounds(source: CSource, node: Node) -> Iterator[str]:
    """Yield conditions that are true in each round but the first: `i > 0` for `for (i = 0; ...`, or of a counter."""
    loop = next((around for around in source.ancestors(node) if around.type in LOOPS), None)
    start = None if loop is None else source.child(loop, "initializer")
    found = None if start is None else re.search(r"(\w+)\s*=\s*(\w+)\s*;?$", source.text(start))
    if found is not None:
        yield f"{found[1]} > {found[2]}"
    statement = next((around for around in source.ancestors(node) if around.type == "expression_statement"), None)
    if loop is None or statement is None:
        return
    for other in source.parents[statement.id].named_children:
        update = other.named_children[0] if other.type == "expression_statement" and other.named_children else None
        name = source.child(update, "argument", "identifier") if update is not None else None
        if update is not None and update.type == "update_expression" and name is not None:
            yield f"{source.text(name)} > {int(other.start_byte < statement.start_byte)}"


def last_newline(source: CSource, node: Node) -> Iterator[Offer]:
    """Write a newline before the last `return` of main."""
    block = source.parents[node.id]
    function = source.parents.get(block.id)
    is_main = function is not None and function.type == "function_definition" and source.name_of(function) == "main"
    statements = [child.id for child in block.named_children if child.type != "comment"]
    if is_main and statements[-1] == node.id:
        yield inserted("last-newline", node.start_byte, f"{_LINE_END} ", TEXT)


def without_outputs(source: CSource) -> Iterator[Offer]:
    """Remove all labels, or all texts without a value: programs that ask for their input write such prompts."""
    prompts, labels = [], []
    for call in source.calls("printf"):
        given, statement = source.arguments(call), source.parents[call.id]
        if not given or given[0].type != "string_literal" or not source.library_call(call):
            continue
        text = source.text(given[0])[1:-1]
        label = _LABEL.match(text)
        if label is not None:
            start = given[0].start_byte + 1
            labels.append(Edit(start, start + len(label["label"]), ""))
        elif len(given) == 1 and statement.type == "expression_statement" and text.strip(_NEWLINE + " "):
            prompts.append(Edit(statement.start_byte, statement.end_byte, ";"))
    for op, edits in (("prompts", prompts), ("labels", labels), ("prompts-and-labels", [*prompts, *labels])):
        if len(edits) > 1 and (op != "prompts-and-labels" or (prompts and labels)):
            yield Offer(op, sorted(edits), TEXT)
