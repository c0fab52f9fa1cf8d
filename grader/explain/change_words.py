"""The words about changes of a source: those of words.yaml, with what they quote of the source."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

from grader.diagnose.source import changes
from grader.diagnose.source.edits import INCLUDE, Edit, Span

WORDS = Path(changes.__path__[0]) / "words.yaml"

QUOTED_CHARS = 60
"""Longest quotation. The line is shown in full."""

_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_FIELD = re.compile(r"\{(\w+)\}")
_SPACE = re.compile(r"""("(?:\\.|[^"\\])*")|\s+""")
"""A string of C, or white space outside of one."""


class ChangeText(NamedTuple):
    """What a change is in words, "with `<=` instead of `<`", and why; and the lines that it changes.

    What to do is the `verb` with the `order`, "write" with "`<=` instead of `<`".
    """

    op: str
    says: str
    verb: str
    order: str
    because: str
    lines: tuple[int, ...]


class UnclearError(Exception):
    """ChangeText about a change would not mean one place."""


def words_of(source: bytes, op: str, edits: Sequence[Edit], names: Sequence[Span]) -> ChangeText | None:
    """Return the words about a change, None if there are none, or they would not mean one place."""
    template = _templates().get(op)
    if template is None or not edits:
        return None
    kind, usual = ("with", "write") if "with" in template else ("without", "remove")
    try:
        fields = _fields(source, edits, names, template)
    except UnclearError:
        return None
    words = _filled(template[kind], fields)
    order = _filled(template["order"], fields) if "order" in template else words
    verb, because = template.get("verb", usual), template.get("because", "")
    return ChangeText(op, f"{kind} {words}", verb, order, because, lines_of(source, edits))


def lines_of(source: bytes, edits: Iterable[Edit]) -> tuple[int, ...]:
    """Return the numbers of the lines that edits change, without those that include a header."""
    found: set[int] = set()
    for edit in edits:
        if not edit.text.startswith(INCLUDE):
            first = source.count(b"\n", 0, edit.start) + 1
            found.update(range(first, first + source.count(b"\n", edit.start, edit.end) + 1))
    return tuple(sorted(found))


@cache
def _templates() -> Mapping[str, Mapping[str, str]]:
    templates: Mapping[str, Mapping[str, str]] = yaml.safe_load(WORDS.read_text(encoding="utf-8"))
    return templates


def operators() -> Collection[str]:
    """Return the ids of the operators of small changes."""
    return [op for op, template in _templates().items() if "before" in template]


def example(op: str) -> tuple[str, str]:
    """Return a line of C before and after a change."""
    template = _templates()[op]
    return template["before"], template["after"]


def _fields(
    source: bytes, edits: Sequence[Edit], names: Sequence[Span], template: Mapping[str, str]
) -> Mapping[str, str]:
    """Return what the words about a change may mention; only what the template needs has to mean one place."""
    needed = {name for words in template.values() for name in _FIELD.findall(words)}
    own = [edit for edit in edits if not edit.text.startswith(INCLUDE)]
    spans = {
        "": _whole(own),
        "0": (own[0].start, own[0].end),
        "1": (own[1].start, own[1].end) if len(own) > 1 else None,
    }
    fields = {f"new{at or ''}": _short(edit.text) for at, edit in enumerate(own[:2])}
    fields |= {f"old{at}": _short(_text(source, span)) for at, span in spans.items() if span is not None}
    fields["removed"] = _short(" ".join(_text(source, (edit.start, edit.end)) for edit in own))
    fields["place"] = _place(source, own[-1].start)
    fields |= {str(at): _short(_text(source, span)) for at, span in enumerate(names)}
    places: dict[str, Span | None] = {"": spans[""], **{str(at): span for at, span in enumerate(names)}}
    for at, span in places.items():
        if span is not None and not needed.isdisjoint({f"which{at}", f"the{at}"}):
            which = _which(source, span)
            fields |= {f"which{at}": which, f"the{at}": which or "the "}
    return fields


def _whole(edits: Sequence[Edit]) -> Span:
    """Return what the first edit replaces, or everything that edits remove."""
    last = edits[-1] if all(not edit.text for edit in edits) else edits[0]
    return edits[0].start, last.end


def _place(source: bytes, at: int) -> str:
    before, line = source[source.rfind(b"\n", 0, at) + 1 : at], source.count(b"\n", 0, at) + 1
    return f"{'after' if before.strip() else 'before'} line {line}"


def _filled(template: str, fields: Mapping[str, str]) -> str:
    return _FIELD.sub(lambda field: fields[field[1]], template)


def _text(source: bytes, span: Span) -> str:
    return source[span[0] : span[1]].decode("utf-8", "replace")


def _short(text: str) -> str:
    """Return a quotation in one line; raises UnclearError if it would not be one."""
    words = _SPACE.sub(lambda found: found[1] or " ", text.strip())
    if "`" in words:
        raise UnclearError
    return words if len(words) <= QUOTED_CHARS else f"{words[: QUOTED_CHARS - 4].rstrip()} ..."


def _which(source: bytes, span: Span) -> str:
    """Return which of the equal texts of its line a text is, "" if it is the only one; raises UnclearError."""
    start = source.rfind(b"\n", 0, span[0]) + 1
    end = source.find(b"\n", span[0])
    line = source[start : end if end >= 0 else len(source)]
    places = [*_places(line, source[span[0] : min(span[1], start + len(line))])]
    if len(places) <= 1:
        return ""
    at = places.index(span[0] - start) if span[0] - start in places else len(_ORDINALS)
    if at >= len(_ORDINALS):
        raise UnclearError
    return f"the {_ORDINALS[at]} "


def _places(line: bytes, text: bytes) -> Iterator[int]:
    """Yield where a line has a name, a number, an operator or another text, and not as a part of a longer one."""
    before = rb"(?<!\w)" if re.match(rb"\w", text) else rb"(?<![<>=!&|+-])" if re.match(rb"[<>=!&|+-]", text) else b""
    after = rb"(?!\w)" if re.search(rb"\w$", text) else rb"(?![<>=&|+-])" if re.search(rb"[<>=!&|+-]$", text) else b""
    for found in re.finditer(before + re.escape(text) + after, line):
        yield found.start()
