"""Replace each part of a spec that has `for` by the parts that it generates, before anything else looks at them.

`for: {SIZE: [1, 512]}` generates the part twice. In its name and in all of its texts, `{SIZE}` is replaced by the
value. A field for a number takes the text of one. Several parameters generate all combinations; a list of mappings,
as in `for: [{IN: a, OUT: b}, {IN: c, OUT: d}]`, generates only those that it has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any

from grader.lab.marked_yaml import MarkedDict, MarkedList
from grader.model.spec.inconsistency import InconsistencyError

FOR = "for"
NAME = re.compile(r"[A-Z][A-Z0-9_]*")
PARAMETER = re.compile(rf"\{{({NAME.pattern})\}}")
MAPPINGS = ("inputs", "cases")
SEQUENCES = ("rubric", "comparisons", "plots")
CASE_LISTS = ("cases", "full", "small", "shown")
"""Keys of a check with lists of cases, in which the name of a generated case means all cases that it generates."""

MAX_COMBINATIONS = 1000

Values = Mapping[str, str]
"""The value of each parameter, as text."""


@dataclass(frozen=True)
class _Generated:
    """The name of a generated case, and the values that it has been generated for."""

    name: str
    values: Values


@dataclass
class _Part:
    """Fills in a part of a spec that has `for`, and collects the parameters that it uses, and mistakes."""

    mistakes: list[InconsistencyError]
    used: set[str] = field(default_factory=set)

    def filled(self, value: Any, values: Values, key_path: str) -> Any:  # noqa: ANN401 - whatever the file holds
        """Return a value in which each parameter is replaced."""
        if isinstance(value, str):
            return self._text(value, values, key_path)
        if isinstance(value, MarkedList):
            items = MarkedList()
            for index, item in enumerate(value):
                items.add(
                    self.filled(item, values, f"{key_path}.{index}"),
                    value.positions[index],
                    value.written.get(index, index),
                )
            return items
        if isinstance(value, MarkedDict):
            return self._mapping(value, values, key_path)
        return value

    def with_all_cases(
        self, item: MarkedDict, values: Values, cases: Mapping[str, list[_Generated]], key_path: str
    ) -> MarkedDict:
        """Return a check whose lists name each generated case instead of the name that generates them."""
        whole = MarkedDict()
        for key, value in item.items():
            is_list = key in CASE_LISTS and isinstance(value, MarkedList)
            listed = self._all_generated(value, values, cases, f"{key_path}.{key}") if is_list else value
            whole.add(key, listed, item.positions[key], key)
        return whole

    def _all_generated(
        self, names: MarkedList, values: Values, cases: Mapping[str, list[_Generated]], key_path: str
    ) -> MarkedList:
        listed = MarkedList()
        for index, name in enumerate(names):
            generated = cases.get(name) if isinstance(name, str) else None
            if generated is None:
                listed.add(name, names.positions[index], index)
                continue
            self.used.update(PARAMETER.findall(name))
            found = [
                one.name for one in generated if all(one.values.get(key, of) == of for key, of in values.items())
            ]
            for one in found:
                listed.add(one, names.positions[index], index)
            if not found:
                words = " and ".join(f"{key} {value}" for key, value in values.items())
                self._mistake(f"{name!r} generates no case for {words}", f"{key_path}.{index}")
        return listed

    def _mapping(self, mapping: MarkedDict, values: Values, key_path: str) -> MarkedDict:
        filled = MarkedDict()
        for key, value in mapping.items():
            if value is None and len(mapping) == 1 and key in values:
                self.used.add(key)
                self._mistake(f'YAML reads {{{key}}} as a mapping; write "{{{key}}}" in quotes', key_path)
            name = self._text(key, values, key_path) if isinstance(key, str) else key
            if name in filled:
                self._mistake(f"{key!r} becomes {name!r}, which is there already", f"{key_path}.{key}")
            filled.add(
                name,
                self.filled(value, values, f"{key_path}.{key}"),
                mapping.positions[key],
                mapping.written.get(key, key),
            )
        return filled

    def _text(self, text: str, values: Values, key_path: str) -> str:
        names = PARAMETER.findall(text)
        self.used.update(names)
        for name in names:
            if name not in values:
                self._mistake(
                    f"{{{name}}} is not a parameter; {FOR} has {', '.join(values)}", key_path, name, tuple(values)
                )
        return PARAMETER.sub(lambda found: values.get(found[1], found[0]), text)

    def _mistake(self, message: str, key_path: str, unknown: str = "", known: Sequence[str] = ()) -> None:
        self.mistakes.append(InconsistencyError(message, key_path=key_path, unknown_name=unknown, known=known))


def with_generated_parts(document: MarkedDict) -> tuple[MarkedDict, list[InconsistencyError]]:
    """Return a spec without `for`, and what is wrong with its parameters; the document stays as it is.

    Each generated part has the position of the part that was written.
    """
    mistakes: list[InconsistencyError] = []
    expanded = MarkedDict()
    cases: dict[str, list[_Generated]] = {}
    for section, parts in document.items():
        generated = parts
        if section in MAPPINGS and isinstance(parts, MarkedDict):
            generated, names = _expanded_mapping(section, parts, mistakes)
            cases = names if section == "cases" else cases
        expanded.add(section, generated, document.positions[section], section)
    for section in SEQUENCES:
        if isinstance(items := document.get(section), MarkedList):
            expanded[section] = _expanded_sequence(section, items, cases, mistakes)
    if isinstance(plots := expanded.get("plots"), MarkedList):
        expanded["plots"] = _with_values_of_cases(plots, document.get("cases"), cases, mistakes)
    # Each combination of values repeats what is wrong with the part.
    once = {(mistake.key_path, str(mistake)): mistake for mistake in mistakes}
    return expanded, [*once.values()]


def _expanded_mapping(
    section: str, parts: MarkedDict, mistakes: list[InconsistencyError]
) -> tuple[MarkedDict, dict[str, list[_Generated]]]:
    """Return the parts of a section by name, and what each written name generates."""
    expanded = MarkedDict()
    generated: dict[str, list[_Generated]] = {}
    for key, part in parts.items():
        key_path, position = f"{section}.{key}", parts.positions[key]
        if not isinstance(part, MarkedDict) or FOR not in part:
            if isinstance(key, str) and PARAMETER.search(key):
                mistakes.append(InconsistencyError(f"{key!r} needs {FOR}, with the values", key_path=key_path))
            expanded.add(key, part, position, key)
            continue
        for name, values, filled in _generated_parts(str(key), part, key_path, {}, mistakes):
            if name in expanded or (name in parts and name != key):
                mistakes.append(_named_twice(name, key_path))
            expanded.add(name, filled, position, key)
            generated.setdefault(str(key), []).append(_Generated(name, values))
    return expanded, generated


def _expanded_sequence(
    section: str, items: MarkedList, cases: Mapping[str, list[_Generated]], mistakes: list[InconsistencyError]
) -> MarkedList:
    expanded = MarkedList()
    for index, item in enumerate(items):
        key_path, position = f"{section}.{index}", items.positions[index]
        if not isinstance(item, MarkedDict):
            expanded.add(item, position, index)
        elif FOR not in item:
            expanded.add(_Part(mistakes).with_all_cases(item, {}, cases, key_path), position, index)
        else:
            names: set[object] = set()
            for _, _, filled in _generated_parts("", item, key_path, cases, mistakes):
                name = filled.get("name")
                if name is not None and name in names:
                    mistakes.append(_named_twice(name, f"{key_path}.name"))
                names.add(name)
                expanded.add(filled, position, index)
    return expanded


def _with_values_of_cases(
    plots: MarkedList, written: object, cases: Mapping[str, list[_Generated]], mistakes: list[InconsistencyError]
) -> MarkedList:
    """Return plots in which a list of generated cases is a mapping to the parameter's value in each."""
    values_of = {one.name: one.values for generated in cases.values() for one in generated}
    known = (*(written if isinstance(written, MarkedDict) else ()), *values_of)
    expanded = MarkedList()
    for index, plot in enumerate(plots):
        place = plots.written.get(index, index)
        if isinstance(plot, MarkedDict) and isinstance(names := plot.get("cases"), MarkedList):
            parameter, by_case = plot.get("parameter"), MarkedDict()
            wrong_keys: set[object] = set()
            for number, name in enumerate(names):
                key = names.written.get(number, number)
                problem, unknown = _without_place(name, parameter, values_of, known)
                if problem and key not in wrong_keys:
                    # One entry makes several cases: the first wrong one shows what is wrong with all of them.
                    wrong_keys.add(key)
                    key_path = f"plots.{place}.cases.{key}"
                    mistakes.append(InconsistencyError(problem, key_path=key_path, unknown_name=unknown, known=known))
                elif not problem:
                    by_case.add(name, values_of[name][str(parameter)], names.positions[number], key)
            whole = MarkedDict()
            for key, value in plot.items():
                whole.add(key, by_case if key == "cases" else value, plot.positions[key], key)
            plot = whole  # noqa: PLW2901 - the same plot
        expanded.add(plot, plots.positions[index], place)
    return expanded


def _without_place(
    name: object, parameter: object, values_of: Mapping[str, Values], known: Sequence[str]
) -> tuple[str, str]:
    """Return why a case has no place on the axis, and the name if there is no such case; empty if it has one."""
    if not isinstance(name, str) or name not in known:
        return f"{name!r} is not in cases", str(name)
    value = values_of.get(name, {}).get(str(parameter))
    if value is None:
        others = f", but of {' and '.join(values_of[name])}" if values_of.get(name) else ""
        problem = f"{name!r} is not generated for values of {parameter}{others}"
        return f"{problem}; write {{{name}: VALUE}} for all cases", ""
    if not _is_positive(value):
        return f"{parameter} is {value!r} in {name!r}: the axis is logarithmic, and needs numbers above 0", ""
    return "", ""


def _is_positive(value: str) -> bool:
    try:
        return 0 < float(value) < float("inf")
    except ValueError:
        return False


def _named_twice(name: str, key_path: str) -> InconsistencyError:
    return InconsistencyError(
        f"{name!r} is there already: the name needs every parameter of {FOR}, in braces", key_path=key_path
    )


def _generated_parts(
    name: str,
    part: MarkedDict,
    key_path: str,
    cases: Mapping[str, list[_Generated]],
    mistakes: list[InconsistencyError],
) -> Iterator[tuple[str, Values, MarkedDict]]:
    """Yield the name, the values and the content for each combination of the values of `for`."""
    declared = f"{key_path}.{FOR}"
    wrong = [*_wrong_values(part[FOR], declared)]
    mistakes += wrong
    if wrong:
        return
    template = MarkedDict()
    for key, value in part.items():
        if key != FOR:
            template.add(key, value, part.positions[key], key)
    reading = _Part(mistakes)
    combinations = _combinations(part[FOR])
    for values in combinations:
        filled_name = reading.filled(name, values, key_path)
        whole = reading.with_all_cases(template, values, cases, key_path)
        yield filled_name, values, reading.filled(whole, values, key_path)
    mistakes += [
        InconsistencyError(f"{{{one}}} is used nowhere", key_path=f"{declared}{place}.{one}")
        for place in (".0" if isinstance(part[FOR], MarkedList) else "",)
        for one in combinations[0]
        if one not in reading.used
    ]


def _combinations(declared: MarkedDict | MarkedList) -> list[Values]:
    if isinstance(declared, MarkedList):
        return [{name: str(value) for name, value in row.items()} for row in declared]
    return [dict(zip(declared, map(str, values), strict=True)) for values in product(*declared.values())]


def _wrong_values(declared: object, key_path: str) -> Iterator[InconsistencyError]:
    if isinstance(declared, MarkedList) and declared and all(isinstance(row, MarkedDict) and row for row in declared):
        yield from _wrong_rows(declared, key_path)
        return
    if not isinstance(declared, MarkedDict) or not declared:
        yield InconsistencyError("expected parameters with their values, as in {SIZE: [1, 512]}", key_path=key_path)
        return
    for name, values in declared.items():
        place = f"{key_path}.{name}"
        if not isinstance(name, str) or not NAME.fullmatch(name):
            yield _not_a_name(name, place)
        elif not isinstance(values, MarkedList) or not values or not all(map(_is_value, values)):
            yield InconsistencyError("expected a list of texts or numbers", key_path=place)
        elif len({*map(str, values)}) < len(values):
            yield InconsistencyError("a value appears twice", key_path=place)
    lists = [values for values in declared.values() if isinstance(values, MarkedList)]
    if prod(map(len, lists)) > MAX_COMBINATIONS:
        yield _too_many(key_path)


def _wrong_rows(rows: Sequence[Mapping[object, object]], key_path: str) -> Iterator[InconsistencyError]:
    for index, row in enumerate(rows):
        place = f"{key_path}.{index}"
        if set(row) != set(rows[0]):
            yield InconsistencyError("each combination needs the same parameters", key_path=place)
        for name, value in row.items():
            if not isinstance(name, str) or not NAME.fullmatch(name):
                yield _not_a_name(name, f"{place}.{name}")
            elif not _is_value(value):
                yield InconsistencyError("expected a text or a number", key_path=f"{place}.{name}")
    if len(rows) > MAX_COMBINATIONS:
        yield _too_many(key_path)


def _not_a_name(name: object, key_path: str) -> InconsistencyError:
    return InconsistencyError(f"{name!r} is not a name in capitals, such as SIZE", key_path=key_path)


def _too_many(key_path: str) -> InconsistencyError:
    return InconsistencyError(f"more than {MAX_COMBINATIONS:,} combinations", key_path=key_path)


def _is_value(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)
