"""YAML as plain values that know where each of their keys and items is.

libyaml parses. What a plain scalar means is decided here, by the rules of YAML 1.2: `yes` and `1:30` are text, and
`017` is seventeen. The values are built from events, because PyYAML's own composer recurses in C without a limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

Position = tuple[int, int]
"""Line and column, from 0."""

MAX_DEPTH = 50
MAX_VALUES = 100_000
"""Values in a file. Those that an alias repeats count again, since they appear again in the result."""

_MAX_NUMBER_LENGTH = 100
_STRING_TAG = "tag:yaml.org,2002:str"
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
# Underscores between digits are not in YAML 1.2, but specs have been allowed to have them.
_DIGITS = "[0-9]+(?:_[0-9]+)*"
_INTEGER = re.compile(rf"[-+]?(?:0o[0-7]+|0x[0-9a-fA-F]+|{_DIGITS})")
_FLOAT = re.compile(rf"[-+]?(?:\.{_DIGITS}|{_DIGITS}(?:\.(?:{_DIGITS})?)?)(?:[eE][-+]?[0-9]+)?")
_INFINITE_OR_NAN = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
NUMBER = re.compile(rf"(?:{_INTEGER.pattern}|{_FLOAT.pattern}|{_INFINITE_OR_NAN.pattern})$")
"""A scalar that without quotes is a number."""


class MarkedDict(dict[Any, Any]):
    """A mapping with the position of each key, and the key that is written there if that is another one."""

    def __init__(self) -> None:
        super().__init__()
        self.positions: dict[Any, Position] = {}
        self.written: dict[Any, Any] = {}

    def add(self, key: object, value: object, position: Position, written: object) -> None:
        """Add a value whose key is `written` at this position."""
        self[key] = value
        self.positions[key] = position
        self.written[key] = written


class MarkedList(list[Any]):
    """A sequence with the position of each item, by index, and the index there if that is another one."""

    def __init__(self) -> None:
        super().__init__()
        self.positions: dict[Any, Position] = {}
        self.written: dict[Any, Any] = {}

    def add(self, value: object, position: Position, written: int) -> None:
        """Add an item whose index is `written` at this position."""
        self.positions[len(self)] = position
        self.written[len(self)] = written
        self.append(value)


def load_marked(text: str) -> Any:  # noqa: ANN401 - whatever the file holds
    """Return the one document in a text: MarkedDict, MarkedList or a scalar; None if there is none.

    Raises:
        yaml.YAMLError: the text is not YAML, has a duplicate key, or is too deep or too large.
    """
    # PyYAML without libyaml gives the same events, more slowly.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return _Builder(yaml.parse(text, Loader=loader)).document()


def plain_scalar(text: str) -> str | int | float | bool | None:
    """Return what a scalar without quotes means."""
    if text in _WORDS:
        return _WORDS[text]
    if len(text) > _MAX_NUMBER_LENGTH:
        # Python refuses to convert very long numbers; this one stays text, which no field for a number accepts.
        return text
    if _INTEGER.fullmatch(text):
        return int(text, 8 if "o" in text else 16 if "x" in text else 10)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _INFINITE_OR_NAN.fullmatch(text):
        return float(text.replace(".", ""))
    return text


class _Builder:
    def __init__(self, events: Iterator[yaml.Event]) -> None:
        self._events = events
        self._anchors: dict[str, tuple[Any, int, int]] = {}
        """Each finished value that has an anchor, how many values are in it, and how many levels are below it."""
        self._count = 0
        self._lowest = MAX_DEPTH
        """Levels that were left at the deepest value so far of the one that is being built."""

    def document(self) -> Any:  # noqa: ANN401
        next(self._events)  # the stream starts
        if isinstance(next(self._events), yaml.StreamEndEvent):
            return None
        value = self._value(next(self._events), MAX_DEPTH)
        next(self._events)  # the document ends
        if not isinstance(event := next(self._events), yaml.StreamEndEvent):
            raise _error("but found another document", event)
        return value

    def _value(self, event: yaml.Event, depth: int) -> Any:  # noqa: ANN401
        if isinstance(event, yaml.AliasEvent):
            return self._aliased(event, depth)
        if depth == 0:
            raise _error(f"more than {MAX_DEPTH} levels", event)
        before, lowest = self._count, self._lowest
        self._lowest = depth
        self._add(1, event)
        value: Any
        if isinstance(event, yaml.ScalarEvent):
            value = _scalar(event)
        elif isinstance(event, yaml.MappingStartEvent):
            value = self._mapping(event, depth - 1)
        elif isinstance(event, yaml.SequenceStartEvent):
            value = self._sequence(event, depth - 1)
        else:
            raise TypeError(f"a value cannot begin with {event}")
        if event.anchor is not None:
            self._anchors[event.anchor] = value, self._count - before, depth - self._lowest
        self._lowest = min(lowest, self._lowest)
        return value

    def _aliased(self, event: yaml.AliasEvent, depth: int) -> Any:  # noqa: ANN401
        if event.anchor not in self._anchors:
            raise _error(f"found undefined alias {event.anchor!r}", event)
        value, count, height = self._anchors[event.anchor]
        if height >= depth:
            raise _error(f"more than {MAX_DEPTH} levels", event)
        self._lowest = min(self._lowest, depth - height)
        self._add(count, event)
        return value

    def _add(self, count: int, event: yaml.Event) -> None:
        self._count += count
        if self._count > MAX_VALUES:
            raise _error(f"more than {MAX_VALUES:,} values", event)

    def _sequence(self, start: yaml.SequenceStartEvent, depth: int) -> MarkedList:
        _require_no_tag(start)
        items = MarkedList()
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            items.positions[len(items)] = _position(event)
            items.append(self._value(event, depth))
        return items

    def _mapping(self, start: yaml.MappingStartEvent, depth: int) -> MarkedDict:
        _require_no_tag(start)
        mapping = MarkedDict()
        merged: list[MarkedDict] = []
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._value(event, depth)
            value = self._value(value_event := next(self._events), depth)
            if _is_merge(event):
                merged += _merged_mappings(value, value_event)
                continue
            if isinstance(key, (dict, list)):
                raise _error("found unhashable key", event)
            if key in mapping:
                first = mapping.positions[key][0] + 1
                raise _error(f"found duplicate key {key!r}, which is in line {first} as well", event)
            mapping[key] = value
            mapping.positions[key] = _position(event)
        for other in merged:
            for key, value in other.items():
                if key not in mapping:
                    mapping[key] = value
                    mapping.positions[key] = other.positions[key]
        return mapping


def _scalar(event: yaml.ScalarEvent) -> str | int | float | bool | None:
    if event.tag == _STRING_TAG:
        return event.value
    _require_no_tag(event)
    # The first of the two is whether the scalar is without quotes.
    return plain_scalar(event.value) if event.implicit[0] else event.value


def _is_merge(event: yaml.Event) -> bool:
    return isinstance(event, yaml.ScalarEvent) and event.value == "<<" and event.implicit[0]


def _merged_mappings(value: object, event: yaml.Event) -> list[MarkedDict]:
    merged = value if isinstance(value, list) else [value]
    mappings = [one for one in merged if isinstance(one, MarkedDict)]
    if len(mappings) < len(merged):
        raise _error("expected a mapping or list of mappings for merging", event)
    return mappings


def _require_no_tag(event: yaml.ScalarEvent | yaml.CollectionStartEvent) -> None:
    if event.tag not in {None, "!"}:
        raise _error(f"could not determine a constructor for the tag {event.tag!r}", event)


def _position(event: yaml.Event) -> Position:
    mark = _start(event)
    return mark.line, mark.column


def _error(problem: str, event: yaml.Event) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=_start(event))


def _start(event: yaml.Event) -> Any:  # noqa: ANN401 - the stubs allow None here, which parsers never return
    return event.start_mark
