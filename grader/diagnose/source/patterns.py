"""Patterns of known bugs: where a source has one, and the edits that remove it.

A pattern is a tree-sitter query. This module applies its predicates (predicates.py) and its settings. CONTRIBUTING.md
describes both.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import TypedDict

from tree_sitter import Node, Query, QueryCursor, QueryError

from grader.diagnose.source import constructs
from grader.diagnose.source.c_source import LANGUAGE, CSource
from grader.diagnose.source.edits import INCLUDE, QUOTED, Edit
from grader.diagnose.source.predicates import PREDICATES, Condition, Predicates, method_name

MAX_PLACES = 20
"""Most places of a pattern in one source. A source with more is not a student's."""

_CAPTURE = re.compile(r"\{(\w+)\}")
_QUOTED = re.compile(QUOTED.encode("ascii"))
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|;[^\n]*')
_PREDICATE = re.compile(r'\(#([a-z-]+)\?((?:\s+(?:@\w+|"[^"]*"))*)\s*\)')
_ARGUMENT = re.compile(r'@\w+|"[^"]*"')


class PatternMatch(TypedDict):
    """A place where a pattern matches. `says` names the fix in words, "" without one.

    `verb` and `order` are the order to make it, and `because` says why. `one`: only one of several such places can be
    the bug. `proof`: the place means nothing unless the fix works.
    """

    lines: list[int]
    edits: list[Edit]
    says: str
    verb: str
    order: str
    because: str
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
        if _is_certain(source, captures)  # first: predicates ask for what is around a node, also if it was left out
        and all(predicates.holds(condition, captures) for condition in conditions[index])
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
        if method_name(name) not in PREDICATES:
            close = get_close_matches(method_name(name), PREDICATES, n=1, cutoff=0.5)
            advice = f"; did you mean #{close[0].replace('_', '-')}?" if close else ""
            line = patterns[: patterns.index(f"#{name}?")].count("\n") + 1
            yield line, f"#{name}? is not a predicate{advice}"


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
    """Return whether a node uses a macro that is more than a number, a character or an operand."""
    pending = [node]
    while pending:
        one = pending.pop()
        name = source.text(one) if one.type in ("identifier", "type_identifier") else ""
        if name in source.macros and source.value(one) is None and not source.names_operand(name):
            return True
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
    says, verb, order = _words(source, settings, texts, lines) if edits else ("", "", "")
    if edits:
        edits += included(source, (settings.get("include") or "").split(), edits[0].start)
    return {
        "lines": lines,
        "edits": edits,
        "says": says,
        "verb": verb,
        "order": order,
        "because": settings.get("because") or "",
        "one": settings.get("one") is not None,
        "proof": settings.get("proof") is not None,
    }


def included(source: CSource, headers: Sequence[str], before: int) -> Iterator[Edit]:
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
) -> tuple[str, str, str]:
    """Return what an edit is in words, and the verb and the words of the order to make it.

    They are others if what they quote is too long, or is in the line more than once.
    """
    says, otherwise = settings.get("says") or "", settings.get("otherwise")
    quoted = {name: b" ".join(texts[name].split()) for name in _CAPTURE.findall(says)}
    rows = source.data.split(b"\n")
    is_unclear = not all(map(_QUOTED.fullmatch, quoted.values())) or any(
        _count(text, rows[line - 1]) > 1 for text in quoted.values() for line in lines
    )
    order = settings.get("order")
    if otherwise and is_unclear:
        says, order = otherwise, settings.get("otherwise-order")
    # A pattern says "with" what is new, or "without" what goes.
    kind, _, what = says.partition(" ")
    verb = "remove" if kind == "without" else settings.get("verb") or "write"
    return _filled(says, quoted), verb, _filled(order or what, quoted)


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
    own = next(index for index, one in enumerate(declarators) if constructs.holds(one, variable))
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
