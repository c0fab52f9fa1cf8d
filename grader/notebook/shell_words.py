"""Split a command line as a shell does: words, pipes and redirections. Nothing is expanded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

_TOKEN = re.compile(
    r"""(?P<space>[ \t]+)
    |(?P<comment>(?:(?<=[ \t])|^)\#.*)
    |(?P<redirect>(?:[0-9](?=[<>]))?(?:&>>|&>|>&(?![0-9-])|>>|>\||<<<|<<|<>|>&|<&|>!|<|>))
    |(?P<operator>\|\||\|&|&&|\||;|&|\(|\))
    |(?P<word>(?:[^\s|;&<>()'"\\$`]+|\\.|'[^']*'|"(?:[^"\\]|\\.)*"|\$'(?:[^'\\]|\\.)*'|\$|`)+)
    |(?P<broken>.)""",
    re.VERBOSE,
)
_PART = re.compile(r"""\$?'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^'"\\]+)|(.)""")
MAX_TOKENS = 400
"""Words and operators of a line that are read."""

_BOTH = ("&>", "&>>", ">&")


@dataclass(frozen=True)
class Redirection:
    """A redirection of a descriptor to a file, to another descriptor (`&1`), or from one."""

    descriptor: int
    operator: str
    target: str


@dataclass
class SimpleCommand:
    """The words of one command. `pipe_in` and `pipe_out` say that it is part of a pipe; `is_cut`: a quote is open."""

    words: list[str] = field(default_factory=list)
    redirections: list[Redirection] = field(default_factory=list)
    pipe_in: bool = False
    pipe_out: bool = False
    is_cut: bool = False

    def target_of(self, descriptor: int) -> Redirection | None:
        """Return the last redirection of a descriptor."""
        return next((one for one in reversed(self.redirections) if one.descriptor == descriptor), None)


def simple_commands(text: str) -> list[SimpleCommand]:  # noqa: C901 - one branch per kind of token
    """Return the commands of a line, in order."""
    commands = [SimpleCommand()]
    pending: tuple[int, str] | None = None
    for kind, token in islice(_tokens(text), MAX_TOKENS):
        current = commands[-1]
        if kind == "redirect":
            if pending is not None:
                current.is_cut = True
            descriptor = int(token[0]) if token[0].isdigit() else (0 if "<" in token else 1)
            pending = (descriptor, token.lstrip("0123456789"))
        elif kind == "word" and pending is not None:
            current.redirections += _redirections(*pending, unquoted(token))
            pending = None
        elif kind == "word":
            if not current.words and token in ("{", "}"):
                continue
            if token == "}":  # noqa: S105 - the end of a group
                continue
            current.words.append(unquoted(token))
        elif kind == "operator":
            if pending is not None:
                current.is_cut, pending = True, None
            if token in ("(", ")"):
                continue
            is_pipe = token in ("|", "|&")
            current.pipe_out = is_pipe
            commands.append(SimpleCommand(pipe_in=is_pipe))
        else:
            current.is_cut = True
    if pending is not None:
        commands[-1].is_cut = True
    return [command for command in commands if command.words or command.redirections]


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup or ""
        if kind not in ("space", "comment"):
            yield kind, found.group()


def _redirections(descriptor: int, operator: str, target: str) -> Iterator[Redirection]:
    yield Redirection(descriptor, operator, target)
    if operator in _BOTH and not target.isdigit():
        yield Redirection(2, operator, target)


def unquoted(word: str) -> str:
    """Return a word without its quotes and backslashes."""
    if not any(char in word for char in "'\"\\"):
        return word
    return "".join(_part(found) for found in _PART.finditer(word))


def _part(found: re.Match[str]) -> str:
    single, double, escaped, plain, other = found.groups()
    if single is not None:
        return str(single)
    if double is not None:
        return re.sub(r'\\([\\"$`])', r"\1", str(double))
    return str(escaped or plain or other)
