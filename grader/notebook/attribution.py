"""Which command line a table or a time belongs to. If the text does not show it, the reason."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from grader.model.counted import counted
from grader.model.notebook import NotebookCommand
from grader.notebook.text import Line

MAX_LABEL_WORDS = 8
_VIEWERS = {"cat", "more", "less", "tail", "head"}
_FIELDS = ("program", "operands", "input", "sink")


class Found(Protocol):
    """Something that was measured; the attributes are line numbers."""

    first: int
    last: int


@dataclass(frozen=True)
class Attribution:
    """The command line of an item, or the reason why it has none; `label` is the program that a line above names."""

    command: NotebookCommand | None
    reason: str = ""
    label: str | None = None

    def fields(self) -> dict[str, Any]:
        """Return the fields of Measured."""
        if self.command is None:
            known = {"program"} if self.label else set[str]()
            return {
                "command": None,
                "program": self.label,
                "operands": None,
                "input": None,
                "sink": None,
                "undetermined": {name: self.reason for name in ("command", *_FIELDS) if name not in known},
            }
        own = self.command
        return {
            "command": own.lines[0],
            "program": own.program,
            "operands": own.operands,
            "input": own.input,
            "sink": own.sink,
            "undetermined": {name: reason for name, reason in own.undetermined.items() if name in _FIELDS},
        }


@dataclass
class _Group:
    """Command lines, and the items that follow before the next command line."""

    commands: list[NotebookCommand]
    items: list[Found]


def attribute(
    items: Sequence[Found],
    commands: Sequence[NotebookCommand],
    tools: frozenset[str],
    labels: Mapping[int, str],
    what: str,
) -> list[Attribution]:
    """Return the command line of each item; `tools` print such items. `labels` are programs named as headings."""
    groups = _groups(items, commands, tools)
    if _commands_follow(groups):
        reason = f"each {what} has a command line above and below it"
        return [Attribution(None, reason, _label(item, labels, 0)) for item in items]
    found: dict[int, Attribution] = {}
    above = 0
    for group in groups:
        for item, own in zip(group.items, _paired(group, what), strict=True):
            since = max(above, own.command.lines[1] if own.command is not None else 0)
            found[id(item)] = _checked(own, item, commands, tools, labels, since)
            above = item.last
    return [found[id(item)] for item in items]


def _groups(items: Sequence[Found], commands: Sequence[NotebookCommand], tools: frozenset[str]) -> list[_Group]:
    groups = [_Group([], [])]
    logs: dict[str, NotebookCommand] = {}
    events: list[tuple[int, int, Any]] = [(command.lines[0], 0, command) for command in commands]
    events += [(item.first, 1, item) for item in items]
    for _, is_item, event in sorted(events, key=lambda one: one[:2]):
        if is_item:
            groups[-1].items.append(event)
            continue
        shown = _shown(event, logs)
        own = shown if shown is not None else event if tools & {*event.tools} else None
        if own is None:
            continue
        if own.log is not None:
            logs[own.log.rpartition("/")[2]] = own
        if groups[-1].items:
            groups.append(_Group([], []))
        pending = groups[-1].commands
        if shown is not None and shown in pending:
            pending.remove(shown)
        pending.append(own.model_copy(update={"log": None}) if shown is not None else own)
    return groups


def _shown(command: NotebookCommand, logs: Mapping[str, NotebookCommand]) -> NotebookCommand | None:
    """Return the command whose output file a command like cat shows."""
    if command.program not in _VIEWERS or command.tools:
        return None
    names = [*(command.operands or ()), command.input or ""]
    return next((logs[base] for name in names if (base := name.rpartition("/")[2]) in logs), None)


def _commands_follow(groups: Sequence[_Group]) -> bool:
    """Return whether items and command lines alternate, beginning with an item: they may be below their items."""
    first, *others = groups
    if first.commands or not first.items or not others or others[-1].items:
        return False
    return len(first.items) == 1 and all(
        len(group.commands) == 1 and len(group.items) == (group is not others[-1]) for group in others
    )


def _paired(group: _Group, what: str) -> list[Attribution]:
    commands, items = group.commands, group.items
    if not items:
        return []
    if not commands:
        return [Attribution(None, f"no command line above this {what} shows what was run")] * len(items)
    # What strace wrote to a file is not here, unless a command like cat shows it.
    printed = [command for command in commands if command.log is None]
    for those in (commands, printed):
        if len(those) == len(items):
            return [Attribution(command) for command in those]
    if len(items) == 1 and not any(command.log for command in commands) and not _is_list(commands, items[0]):
        # The others printed nothing that is in the notebook: they failed, or their output was left out.
        return [Attribution(commands[-1])]
    if len(commands) == 1:
        others = [Attribution(None, f"there is no command line between this {what} and the one above")]
        return [Attribution(commands[0]), *others * (len(items) - 1)]
    reason = f"{counted(len(commands), 'command line')} are above {counted(len(items), what)}"
    return [Attribution(None, reason)] * len(items)


def _is_list(commands: Sequence[NotebookCommand], item: Found) -> bool:
    """Return whether different command lines follow each other directly, and the item is not directly below."""
    *_, before, last = commands
    if item.first == last.lines[1] + 1:
        return False
    is_next = last.lines[0] == before.lines[1] + 1
    return is_next and any(getattr(before, name) != getattr(last, name) for name in _FIELDS)


def _checked(  # noqa: PLR0913, PLR0917 - everything that is between the command line and the item
    own: Attribution,
    item: Found,
    commands: Iterable[NotebookCommand],
    tools: frozenset[str],
    labels: Mapping[int, str],
    since: int,
) -> Attribution:
    """Return the attribution, unless something between the command line and the item contradicts it."""
    label = _label(item, labels, since)
    if own.command is None:
        return Attribution(None, own.reason, label)
    if label is not None and label != own.command.program:
        reason = f"the command line above runs {own.command.program}, and a heading below that names {label}"
        return Attribution(None, reason)
    between = [
        command
        for command in commands
        if own.command.lines[1] < command.lines[0] < item.first and command.tools and not tools & {*command.tools}
    ]
    if between:
        return Attribution(None, f"the command line above it (line {between[-1].lines[0]}) does not print this")
    return own


def _label(item: Found, labels: Mapping[int, str], since: int) -> str | None:
    near = [line for line in labels if max(since, item.first - 6) < line < item.first]
    return labels[max(near)] if near else None


def program_labels(lines: Sequence[Line], programs: Iterable[str], others: frozenset[int]) -> dict[int, str]:
    """Return the lines that are a heading with the name of exactly one program: short, and not a sentence."""
    names = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, programs))})(?![\w])")
    labels = {}
    for line in lines:
        if line.number in others:
            continue
        named = {*names.findall(line.text)}
        text = line.text.strip()
        if len(named) == 1 and len(text.split()) <= MAX_LABEL_WORDS and not text.endswith((".", ",", ";", "!", "?")):
            labels[line.number] = named.pop()
    return labels
