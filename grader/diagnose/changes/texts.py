r"""Change the text that a call writes to standard output: a newline or blank, a label, the place of a separator."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from grader.diagnose.c_source import LOOPS
from grader.diagnose.changes.recorder import UNCLEAR, ChangeRecorder
from grader.diagnose.edits import QUOTED_TEXT, TEXT, Edit

MOST_CHANGES = 48
"""Of a source with many texts, the first ones are changed: other changes must have room, too."""

_PLACES = {"printf": 0, "puts": 0, "fputs": 0, "fprintf": 1}
"""Which argument of a function is the text."""

_STREAMS = {"fputs": 1, "fprintf": 0}
_NEWLINE = r"\n"
_LABEL = re.compile(r"(?P<label>[^%\\]*[A-Za-z][^%\\]*)(?=%)")
_LINE_END = r'printf("\n");'


def changed_text(record: ChangeRecorder, node: Node) -> bytes:
    """Return a string literal of the copy, with the changes of it if it is a text that is written."""
    whole = record.raw(node)
    call = record.source.parents[record.source.parents[node.id].id]
    name = record.source.library_call(call)
    arguments = record.source.arguments(call) if name in _PLACES else []
    if len(arguments) <= _PLACES.get(name, 0) or arguments[_PLACES[name]].id != node.id:
        return whole
    if name in _STREAMS and record.source.text(arguments[_STREAMS[name]]) != "stdout":
        return whole
    old = record.source.text(node)
    is_clear = record.line(node).count(old) == 1
    for new in dict.fromkeys(
        (*_separated(record, node, old[1:-1]), *(f'"{text}"' for text in _others(old[1:-1], name)))
    ):
        says = f"with `{new}` instead of {'' if is_clear else UNCLEAR}`{old}`"
        has_room = sum(change.rank == TEXT for change in record.found) < MOST_CHANGES
        if has_room and new != old and QUOTED_TEXT.fullmatch(new) and QUOTED_TEXT.fullmatch(old):
            made = record.add(node, [Edit(node.start_byte, node.end_byte, new)], says, TEXT)
            whole = b"(%s?(%s):%s)" % (made, new.encode("ascii"), whole)
    return whole


def _others(text: str, function: str) -> Iterator[str]:
    """Yield texts with and without a newline or blank at the end, without a label, with another first letter."""
    if text.endswith(_NEWLINE):
        line = text.removesuffix(_NEWLINE)
        yield line
        yield f"{line.rstrip(' ')}{_NEWLINE}"
    elif function != "puts":
        bare = text.rstrip(" ")
        yield f"{bare}{_NEWLINE}"
        yield f"{text} " if bare == text else bare
    yield text.lstrip(" ")
    if re.search(r",(?! )", text):
        yield re.sub(",(?! )", ", ", text)
    if r"\t" in text:
        yield text.replace(r"\t", " ")
    label = _LABEL.match(text)
    if label is not None:
        yield text.removeprefix(label["label"])
    if text[:1].isalpha():
        yield text[0].swapcase() + text[1:]


def _separated(record: ChangeRecorder, node: Node, text: str) -> Iterator[str]:
    """Yield a choice between two texts, of which the one for the first round of a loop has no separator."""
    separator = next(filter(text.endswith, (", ", "; ", " ", ",", ";", r"\t")), "")
    element = text.removesuffix(separator)
    if separator and element and not element.startswith(separator):
        for later in _later_rounds(record, node):
            yield f'{later} ? "{separator}{element}" : "{element}"'


def _later_rounds(record: ChangeRecorder, node: Node) -> Iterator[str]:
    """Yield conditions that are true in each round but the first: `i > 0` for `for (i = 0; ...`, or of a counter."""
    source = record.source
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


def last_newline(record: ChangeRecorder, node: Node, whole: bytes) -> bytes:
    """Write a newline before the last `return` of main."""
    source, block = record.source, record.source.parents[node.id]
    function = source.parents.get(block.id)
    is_main = function is not None and function.type == "function_definition" and source.name_of(function) == "main"
    statements = [child.id for child in block.named_children if child.type != "comment"]
    if not is_main or statements[-1] != node.id:
        return whole
    edits = [Edit(node.start_byte, node.start_byte, f"{_LINE_END} ")]
    made = record.add(node, edits, f"with `{_LINE_END}` before the last `return`", TEXT)
    return b'{ if (%s) __builtin_printf("\\n"); %s }' % (made, whole)
