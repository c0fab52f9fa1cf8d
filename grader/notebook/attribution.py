"""Which command line a table or a time belongs to. If the text does not show it, the reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Protocol

from grader.model.counted import counted
from grader.model.notebook import NotebookCommand
from grader.notebook.text import Line

MAX_LABEL_WORDS = 8
MAX_GAP_LINES = 4
MAX_PARAGRAPH_LINES = 6
_TO_TERMINAL = re.compile(r"^(?!.*\bfiles?\b).*\b(?:terminal|screen)\b.*:\s*$", re.IGNORECASE)
_NEXT_SENTENCE = re.compile(r"[.!?][)\"'`]*\s+[^\W\d_]{2,}")
"""After a sentence with a command, another sentence may introduce something else."""

_BLANK = re.compile(r"\s*(?:```\w*|~~~\w*|\\begin\{\w+\}|<pre>|#\+(?:begin|end|RESULTS)\S*.*)?\s*$")
"""Lines between a sentence and the output that it introduces."""

_VIEWERS = {"cat", "more", "less", "tail", "head"}
_LARGE_NUMBER = re.compile(r"(?<![\w.])[0-9][0-9,]{2,}(?![\w.])")
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


def attribute(  # noqa: PLR0913, PLR0917 - everything that shows what was run
    items: Sequence[Found],
    commands: Sequence[NotebookCommand],
    tools: frozenset[str],
    labels: Mapping[int, str],
    what: str,
    repeated: frozenset[int] = frozenset(),
    typed_ahead: frozenset[int] = frozenset(),
    terminal_lines: frozenset[int] = frozenset(),
) -> list[Attribution]:
    """Return the command line of each item; `tools` print such items. `labels` are programs named as headings.

    `repeated` are the lines of loops, and `typed_ahead` those of command lines without the prompt of the others.
    `terminal_lines` are text that announces output to the terminal.
    """
    groups = _groups(items, commands, tools)
    if _commands_follow(groups):
        reason = f"each {what} has a command line above and below it"
        return [Attribution(None, reason, _label(item, labels, 0)) for item in items]
    found: dict[int, Attribution] = {}
    above = 0
    for group in groups:
        for item, own in zip(group.items, _paired(group, what, repeated, typed_ahead), strict=True):
            since = max(above, own.command.lines[1] if own.command is not None else 0)
            found[id(item)] = _checked(own, item, commands, tools, labels, since, terminal_lines)
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
        shown = _shown(event, commands, logs)
        if not shown and not tools & {*event.tools}:
            continue
        if event.log is not None and not shown:
            logs[event.log.rpartition("/")[2]] = event
        if groups[-1].items:
            groups.append(_Group([], []))
        pending = groups[-1].commands
        for own in shown:
            if own in pending:
                pending.remove(own)
        pending += [own.model_copy(update={"log": None}) for own in shown] or [event]
    return groups


def _shown(
    command: NotebookCommand, commands: Iterable[NotebookCommand], logs: Mapping[str, NotebookCommand]
) -> list[NotebookCommand]:
    """Return the commands whose output files a command like cat shows, in the order in which it shows them."""
    if command.program not in _VIEWERS or command.tools:
        return []
    names = [name.rpartition("/")[2] for name in (*(command.operands or ()), command.input or "")]
    shown = [logs[name] for name in dict.fromkeys(names) if name in logs]
    if shown and command.sink == "pipe":
        # In `cat log | wc -l`, something else than the file is shown.
        line = [one for one in commands if one.lines == command.lines and one.input_kind == "pipe"]
        if not line or any(one.program not in _VIEWERS for one in line):
            return []
    return shown


def _commands_follow(groups: Sequence[_Group]) -> bool:
    """Return whether items and command lines alternate, beginning with an item: they may be below their items."""
    first, *others = groups
    if first.commands or not first.items or not others or others[-1].items:
        return False
    return len(first.items) == 1 and all(
        len(group.commands) == 1 and len(group.items) == (group is not others[-1]) for group in others
    )


def _paired(  # noqa: PLR0911 - one return per way to tell
    group: _Group, what: str, repeated: frozenset[int], typed_ahead: frozenset[int]
) -> list[Attribution]:
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
    if len(items) < len(commands) and commands[-1].lines[0] in typed_ahead:
        reason = f"the command lines above this {what} were typed before the prompt came"
        return [Attribution(None, reason)] * len(items)
    if len(items) == 1 and not any(command.log for command in commands) and not _is_list(commands, items[0]):
        # The others printed nothing that is in the notebook: they failed, or their output was left out.
        return [Attribution(commands[-1])]
    if len(commands) == 1 and commands[0].lines[0] in repeated:
        return [Attribution(commands[0])] * len(items)
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
    terminal_lines: AbstractSet[int],
) -> Attribution:
    """Return the attribution, unless something between the command line and the item contradicts it."""
    label = _label(item, labels, since)
    if own.command is None:
        return Attribution(None, own.reason, label)
    if label is not None and label != own.command.program:
        reason = f"the command line above runs {own.command.program}, and a heading below that names {label}"
        return Attribution(None, reason)
    if own.command.sink == "file" and any(own.command.lines[1] < line < item.first for line in terminal_lines):
        reason = "the command line above writes to a file, and a line below that names the terminal"
        return Attribution(None, reason, label)
    between = [
        command
        for command in commands
        if own.command.lines[1] < command.lines[0] < item.first and command.tools and not tools & {*command.tools}
    ]
    if between:
        return Attribution(None, f"the command line above it (line {between[-1].lines[0]}) does not print this")
    return own


def _label(item: Found, labels: Mapping[int, str], since: int) -> str | None:
    if item.first in labels:
        return labels[item.first]
    near = [line for line in labels if max(since, item.first - 6) < line < item.first]
    return labels[max(near)] if near else None


def program_labels(lines: Sequence[Line], programs: Iterable[str], others: frozenset[int]) -> dict[int, str]:
    """Return the lines that are a heading with the name of exactly one program: short, and not a sentence."""
    names = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, programs))})(?![\w])")
    labels = {}
    for line in lines:
        if line.number in others:
            # A time on one line may begin with the name of its program.
            before, real, _ = line.text.partition("real")
            beginning = {*names.findall(before)}
            if real and len(beginning) == 1:
                labels[line.number] = beginning.pop()
            continue
        if len(_LARGE_NUMBER.findall(line.text)) > 1:
            # A row of a table of the student.
            continue
        named = {*names.findall(line.text)}
        text = line.text.strip()
        if len(named) == 1 and len(text.split()) <= MAX_LABEL_WORDS and not text.endswith((".", ",", ";", "!", "?")):
            labels[line.number] = named.pop()
    return labels


def typed_ahead(lines: Sequence[Line], commands: Sequence[NotebookCommand]) -> frozenset[int]:
    """Return the lines of command lines without a prompt directly below one that has a prompt.

    A terminal shows them like that if they were typed while the program above was running, before its output.
    """
    texts = {line.number: line.text.strip() for line in lines}
    bare = {one.lines[0] for one in commands if texts.get(one.lines[0]) == one.text}
    ahead: set[int] = set()
    ends = {one.lines[1]: one.lines[0] for one in commands}
    for number in sorted(bare):
        above = ends.get(number - 1)
        if above is not None and (above not in bare or above in ahead):
            ahead.add(number)
    return frozenset(ahead)


def introducing_commands(
    lines: Sequence[Line],
    items: Sequence[Found],
    others: AbstractSet[int],
    read: Callable[[Line], list[NotebookCommand]],
) -> list[NotebookCommand]:
    """Return the commands inside sentences that introduce an item: the paragraph above it names exactly one.

    `others` are the lines of commands. A paragraph directly below an item may be about that one. If the first item
    has no command above it, the text may be below the items that it is about.
    """
    by_number: dict[int, str] = {}
    for line in lines:
        by_number[line.number] = f"{by_number.get(line.number, '')} {line.text}".strip()
    last_lines = {item.last for item in items}
    found: list[NotebookCommand] = []
    introduced: set[int] = set()
    for item in sorted(items, key=lambda one: one.first):
        paragraph = _paragraph_above(item, by_number, others)
        if paragraph and paragraph[0] - 1 in last_lines:
            continue
        text = " ".join(by_number[number] for number in paragraph)
        commands = [command for number in paragraph for command in read(Line(number, by_number[number]))]
        if len({(one.tools, one.program, one.sink) for one in commands}) == 1 and not (
            _NEXT_SENTENCE.search(text.rpartition(commands[-1].text)[2])
        ):
            introduced.add(item.first)
            found.append(commands[-1])
    first = min((item.first for item in items), default=0)
    if first not in introduced and not any(number < first for number in others):
        return []
    return list({command.lines: command for command in found}.values())


def _paragraph_above(item: Found, by_number: Mapping[int, str], others: AbstractSet[int]) -> list[int]:
    """Return the numbers of the lines of the paragraph above an item; nothing if a command line is in between."""
    number = item.first - 1
    while number in by_number and item.first - number <= MAX_GAP_LINES and _BLANK.match(by_number[number]):
        number -= 1
    paragraph: list[int] = []
    while by_number.get(number) and not _BLANK.match(by_number[number]) and len(paragraph) < MAX_PARAGRAPH_LINES:
        if number in others:
            return []
        paragraph.insert(0, number)
        number -= 1
    return paragraph


def terminal_lines(lines: Sequence[Line], others: AbstractSet[int]) -> frozenset[int]:
    """Return the lines that introduce a run with output to the terminal, and do not name a file."""
    return frozenset(line.number for line in lines if line.number not in others and _TO_TERMINAL.search(line.text))
