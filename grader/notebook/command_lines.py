"""Find command lines in free text: after prompts of any kind, bullets, or without anything in front of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from grader.model.notebook import CommandTool, NotebookCommand, NotebookSinkWord
from grader.notebook.shell_words import Redirection, SimpleCommand, simple_commands
from grader.notebook.text import Line

MAX_PROMPT_CHARS = 120
MAX_PROMPT_WORDS = 6
MAX_LABEL_WORDS = 6
MAX_PLAIN_WORDS = 9
"""Words of a line without prompt and redirection that may still be a command."""

MAX_BARE_WORDS = 4
"""Words of a command without prompt and path: a program's name and its operands."""

_ARROWS = "➜→\u276f▶»λ"
_STRONG_PROMPT = re.compile(
    rf"""(?:.*[$%#>\u276fλ»✗]|[{_ARROWS}].*)\s*$""",
    re.VERBOSE | re.DOTALL,
)
_WEAK_PROMPT = re.compile(r"\s*[>#%|*?]+\s*$")
_LABEL = re.compile(r"\s*(?:[-*•+]|\(?[A-Za-z0-9]{1,3}[.)]|\(?[ivx]+[.)]|[^<>|]{0,60}[:=])\s*$")
_PROMPT_SHAPE = re.compile(r"[$%#>@~\u276fλ»✗➜→▶]|\]\s*$")

_STRACE_WITH_VALUE = re.compile(r"-[A-Za-z]*[aeEIopPsSuUXOb]")
_TRUSS_WITH_VALUE = {"truss": re.compile(r"-[A-Za-z]*[mMoprstTuUvwx]"), "dtruss": re.compile(r"-[A-Za-z]*[bnptW]")}
"""Options of truss (FreeBSD, Solaris) and dtruss (macOS) that the next word belongs to."""

_TRUSS_COUNTS = re.compile(r"-[A-Za-z]*c[A-Za-z]*")
_TIME_WITH_VALUE = ("-f", "-o", "--format", "--output")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_WRAPPERS = {
    "sudo", "doas", "nice", "env", "command", "exec", "builtin", "nohup", "\\time", "unbuffer", "eval", "wsl",
    "stdbuf", "ionice", "setarch", "setsid",
}  # fmt: skip
_WITH_NUMBERS = {"taskset": "0-9a-fx,-", "timeout": "0-9.smhd", "chrt": "0-9"}
"""Wrappers whose options and values are followed by a number: processors, a duration, a priority."""

_WRAPPER_VALUES = {"stdbuf": ("-i", "-o", "-e"), "timeout": ("-k", "-s"), "ionice": ("-c", "-n"), "env": ("-u",)}
_USUAL_VALUES = ("-n", "-u")
COUNTING: frozenset[tuple[CommandTool, ...]] = frozenset({("strace -c",), ("truss -c",)})
"""The tools whose output is a table of calls."""

_TIMERS = {"time", "/usr/bin/time", "/bin/time", "gtime"}
_COMPILERS = {"gcc", "cc", "c99", "c89", "clang", "g++", "tcc", "c11"}
_WRITERS = {"head", "dd", "truncate", "fallocate", "yes", "tr", "perl", "python", "python3", "base64", "cp", "mv"}
_OTHERS = (
    _COMPILERS
    | _WRITERS
    | {"ls", "wc", "cat", "more", "less", "tail", "cmp", "diff", "grep", "egrep", "make", "stat"}
)
_SHELLS = {"sh", "bash", "zsh", "dash", "ksh", "csh", "tcsh"}
_LOOP = r"(?:for|foreach|while|until)\s[^;]{1,200};\s*do(?=\s)|repeat\s+[0-9]+(?=\s)"
_RESERVED = {"do", "then", "else", "if", "while", "until", "!"}
"""Words of the shell before a command."""

_RESERVED_AT_END = re.compile(r"(?:^|(?<=[\s>]))(?:do|then|else)\s+$")
_LOOP_BEGINS = re.compile(r"(?:^|[\s$%#>])(?:(?:for|foreach|while|until)\s.*(?:;\s*do)?|do)\s*$")
_LOOP_ENDS = re.compile(r"^[\s>]*(?:done|end)\b")
_LOOP_ON_ONE_LINE = re.compile(rf"(?:^|[\s$%#>(])(?:{_LOOP})")
MAX_LOOP_LINES = 8
_NOT_DETERMINED = "the command line is cut off"
_VARIABLE = "it is the value of a variable"
_HISTORY_NUMBER = re.compile(r"\s*(?:[0-9]{1,5}\*?[ \t]{1,4}|\[[0-9]{1,5}\]\s*)$")
_QUOTED = re.compile(
    r"``?([^`]{1,300}[^`\s])``?|\"((?:sudo )?(?:strace|d?truss|time|/usr/bin/time) [^\"]{1,300})\""
    r"|'((?:sudo )?(?:strace|d?truss|time|/usr/bin/time) [^']{1,300})'"
)
_MEASUREMENT_BEGINS = re.compile(r"(?<=\s)(?:(?:strace|d?truss)\s+-|(?:/usr/bin/)?time\s+(?:-|\./)|time\s+strace\s)")
MAX_SENTENCE_END_CHARS = 320
"""Longest measurement without quotes that ends a sentence."""

MAX_TARGET_CHARS = 100
"""Longest rest of it after its last redirection."""
_PART_OF_COMMAND = "the command in the sentence shows no input, so it may not be complete"
_LITERAL_MARK = re.compile(r"\s::?$")
"""What introduces a block of literal text in reStructuredText."""

MAX_WORDS = 60
"""Words of one command that are read; the command lines of this lab have a dozen."""


@dataclass(frozen=True)
class CommandReader:
    """Reads command lines of the programs of a lab; `aliases` are other names that compilers gave them."""

    programs: frozenset[str]
    sources: Mapping[str, str]
    starter: re.Pattern[str]

    @classmethod
    def of(cls, programs: Mapping[str, tuple[str, ...]]) -> CommandReader:
        """Return a reader for programs and the names of their sources."""
        names = "|".join(re.escape(name) for name in sorted(programs, key=len, reverse=True))
        others = "|".join(re.escape(name) for name in sorted(_OTHERS | _SHELLS, key=len, reverse=True))
        wrappers = "|".join(re.escape(name) for name in sorted(_WRAPPERS | {*_WITH_NUMBERS}, key=len, reverse=True))
        starter = re.compile(
            r"(?<![\w./\\~-])(?:"
            rf"{_LOOP}|strace|d?truss|(?:/usr/bin/|/bin/|\\)?time|gtime|perf(?=\s+stat\s)|(?:{wrappers})(?=\s)|[({{]\s*time"
            rf"|(?:[\w.~-]*/)+[\w.+-]+|(?:{names})(?:\.\w+)?|(?:{others})|[A-Z_]+=\S*(?=\s)|echo(?=\s.*\|)|printf(?=\s.*\|)"
            r")(?=[\s;)]|$)"
        )
        sources = {source: name for name, own in programs.items() for source in own}
        return cls(frozenset(programs), sources, starter)

    def read(self, lines: Line, text: str, last: int, aliases: dict[str, str]) -> list[NotebookCommand]:
        """Return the commands of a line, which ends at line `last`; none if it is not a command line."""
        start = self._start(text)
        if start is None:
            return []
        prompt, body = text[:start], _LITERAL_MARK.sub("", text[start:].strip().strip("`").strip())
        strength = _prompt_strength(prompt)
        if strength is None:
            return []
        is_plausible = False
        found = []
        for simple in simple_commands(body):
            command = self._command(simple, (lines.number, last), body, aliases)
            if command is None:
                continue
            is_plausible = is_plausible or self._is_plausible(simple, command, body, strength)
            found.append(command)
        return self._of_pipes(found) if is_plausible else []

    def in_sentence(self, line: Line, aliases: dict[str, str]) -> list[NotebookCommand]:
        """Return the measurements of the lab's programs that a sentence quotes, or that end it with a redirection."""
        texts = [next(filter(None, quoted.groups())) for quoted in _QUOTED.finditer(line.text)]
        if not texts:
            texts = [*_at_end(line.text)]
        found = []
        for text in texts:
            for simple in simple_commands(text.strip()):
                command = self._command(simple, (line.number, line.number), text.strip(), aliases)
                if command is not None and command.tools and command.program in self.programs and not simple.is_cut:
                    found.append(_as_in_a_sentence(command))
        return found

    def _of_pipes(self, commands: list[NotebookCommand]) -> list[NotebookCommand]:
        """Return the commands; if `time` is that of a pipe into a program of the lab, it belongs to that program."""
        for at, (first, second) in enumerate(pairwise(commands)):
            into = second.input_kind == "pipe" and second.program in self.programs
            if first.tools == ("time",) and first.program not in self.programs and into:
                commands[at] = first.model_copy(update={"tools": ()})
                commands[at + 1] = second.model_copy(update={"tools": ("time", *second.tools)})
        return commands

    def _start(self, text: str) -> int | None:
        """Return where the command begins: at the first word that can begin one and has a prompt before it."""
        for found in self.starter.finditer(text):
            if found.start() > MAX_PROMPT_CHARS:
                return None
            strength = _prompt_strength(text[: found.start()])
            # The path of a folder in a prompt is not a program.
            word = found.group()
            is_folder = word.startswith(("/", "~")) and word not in _TIMERS and strength == "label"
            if strength is not None and not is_folder:
                return found.start()
        return None

    def _is_plausible(self, simple: SimpleCommand, command: NotebookCommand, body: str, strength: str) -> bool:
        """Return whether it is a command rather than a sentence that begins with its name."""
        is_strong = strength == "strong"
        if _of_shell(_unwrapped(simple.words)[0]) is not None:
            return is_strong or command.program in self.programs
        if body.endswith((".", "!", "?", ",", ":")) and not body.endswith(("..", "/.")):
            return False
        name, is_short = command_name(simple.words), len(body.split()) <= MAX_PLAIN_WORDS
        is_own = self.program_of(name, {}) is not None
        is_program = name.startswith(("./", "/", "~/", "../"))
        is_named_alone = is_own and "/" not in name and not command.tools and not is_strong
        is_redirected = self._is_redirected(simple, is_named_alone=is_named_alone)
        has_option = any(re.fullmatch(r"--?[A-Za-z][\w=/.-]*|-[0-9]+", word) for word in simple.words[1:])
        if is_redirected and (is_own or is_program or has_option):
            return is_own or is_program or is_strong or name in _OTHERS
        if command.tools or "/" in name:
            is_measured = is_own and command.tools in COUNTING
            has_purpose = bool(command.tools) or is_program if "/" in name else is_measured
            return is_short and (is_strong or has_purpose)
        if is_own:
            return is_strong and is_short
        return name in _OTHERS and (is_strong or ((has_option or is_redirected) and is_short))

    def _is_redirected(self, simple: SimpleCommand, *, is_named_alone: bool) -> bool:
        """Return whether a command has redirections or pipes: "A < B in every respect" compares programs."""
        targets = {redirection.target for redirection in simple.redirections}
        is_comparison = bool(targets & self.programs) or len(simple.words) > MAX_BARE_WORDS
        is_redirected = bool(targets) or simple.pipe_in or simple.pipe_out
        return is_redirected and not (is_named_alone and is_comparison)

    def program_of(self, executable: str, aliases: Mapping[str, str]) -> str | None:
        """Return the lab's program that a command runs, None if it runs another one."""
        name = executable.rpartition("/")[2]
        if name in aliases:
            return aliases[name]
        stem = re.sub(r"\.(?:out|exe|o|bin)$", "", name)
        return next((own for own in (name, stem) if own in self.programs), None)

    def _command(
        self, simple: SimpleCommand, lines: tuple[int, int], text: str, aliases: dict[str, str]
    ) -> NotebookCommand | None:
        words, tools, log = _unwrapped(simple.words)
        if not words:
            return None
        inner = _of_shell(words)
        if inner is not None:
            return self._of_inner(inner, simple, lines, text, aliases, tools, log)
        executable = words[0]
        own = self.program_of(executable, aliases)
        name = executable.rpartition("/")[2]
        if own is None and not tools and name not in _OTHERS and "/" not in executable:
            return None
        is_variable = bool(tools) and "$" in name
        if not is_variable and not re.fullmatch(r"[\w.+-]+", name):
            return None
        self._learn_names(name, words, aliases)
        undetermined: dict[str, str] = {"program": _VARIABLE} if is_variable else {}
        operands: tuple[str, ...] | None = tuple(words[1:])
        if simple.is_cut:
            operands = None
            undetermined["operands"] = _NOT_DETERMINED
        given, given_kind = _stream(simple, 0, undetermined)
        output, sink = _stream(simple, 1, undetermined)
        errors = simple.target_of(2)
        if log is None and errors is not None and not errors.target.startswith(("&", "1")):
            log = errors.target
        if own is None and not tools:
            undetermined = {}
        return NotebookCommand(
            lines=lines,
            text=text,
            tools=tools,
            program=None if is_variable else own or name,
            operands=operands,
            input=given,
            input_kind=given_kind,
            sink=sink,
            output=output,
            log=log,
            undetermined=undetermined,
        )

    def _of_inner(  # noqa: PLR0913, PLR0917 - what surrounds the inner command
        self,
        inner: str,
        simple: SimpleCommand,
        lines: tuple[int, int],
        text: str,
        aliases: dict[str, str],
        tools: tuple[CommandTool, ...],
        log: str | None,
    ) -> NotebookCommand | None:
        """Return the command of `sh -c '…'`, if it is a single one."""
        own = simple_commands(inner)
        if len(own) != 1 or _of_shell(own[0].words) is not None:
            return None
        merged = replace(
            own[0],
            redirections=[*simple.redirections, *own[0].redirections],
            pipe_in=simple.pipe_in or own[0].pipe_in,
            pipe_out=simple.pipe_out or own[0].pipe_out,
        )
        command = self._command(merged, lines, text, aliases)
        if command is None:
            return None
        return command.model_copy(update={"tools": (*tools, *command.tools), "log": command.log or log})

    def _learn_names(self, name: str, words: list[str], aliases: dict[str, str]) -> None:
        """Remember what a compiler calls a program: `-o NAME`, or a.out."""
        if name in ("mv", "cp") and len(words) == 3:  # noqa: PLR2004 - the command, from, to
            old, new = (word.rpartition("/")[2] for word in words[1:])
            if old in aliases:
                aliases[new] = aliases[old]
            return
        if name not in _COMPILERS:
            return
        built = {self.sources[base] for word in words if (base := word.rpartition("/")[2]) in self.sources}
        output = next((words[at + 1] for at, word in enumerate(words[:-1]) if word == "-o"), "a.out")
        output = output.rpartition("/")[2]
        aliases.pop(output, None)
        if len(built) == 1 and output not in self.programs:
            aliases[output] = built.pop()


def _as_in_a_sentence(command: NotebookCommand) -> NotebookCommand:
    """Return the command; without an input it may be a part of what was typed, so that its output is unknown."""
    if command.input_kind != "terminal":
        return command
    undetermined = {**command.undetermined, "sink": _PART_OF_COMMAND}
    return command.model_copy(update={"sink": None, "output": None, "undetermined": undetermined})


def command_name(words: list[str]) -> str:
    """Return the program that a command runs, without strace, truss, time and other wrappers."""
    inner, _, _ = _unwrapped(words)
    return inner[0] if inner else ""


def _at_end(text: str) -> Iterator[str]:
    """Yield the measurement with a redirection that ends a line, if there is one; the pieces are found one by one.

    One regular expression for all of it would try every combination of their lengths.
    """
    body = text.rstrip()
    body = body[:-1].rstrip() if body.endswith((":", ".")) else body
    # What precedes the last quotation is not part of it.
    earliest = max(body.rfind("`") + 1, len(body) - MAX_SENTENCE_END_CHARS)
    last = max(body.rfind("<"), body.rfind(">"))
    begins = _MEASUREMENT_BEGINS.search(body, max(earliest, 0))
    if begins is not None and begins.end() < last < len(body) - 1 and len(body) - last <= MAX_TARGET_CHARS + 1:
        yield body[begins.start() :]


def _prompt_strength(prompt: str) -> str | None:
    """Return `none`, `label`, `weak` or `strong`, and None if the text before a command is not a prompt."""
    prompt = _RESERVED_AT_END.sub("", prompt)
    # Notebooks of Python have an exclamation mark before commands of the shell.
    prompt = re.sub(r"(?:^|(?<=\s))!$", "", prompt)
    bare = prompt.strip().strip("`").strip()
    if not bare or bare in ("(", "{"):
        return "none"
    if _WEAK_PROMPT.match(prompt):
        return "weak"
    if _HISTORY_NUMBER.match(prompt):
        return "label"
    if _LABEL.match(prompt.rstrip("` ")) and len(bare.split()) <= MAX_LABEL_WORDS and not _is_code(bare):
        return "label"
    if len(bare.split()) > MAX_PROMPT_WORDS or _is_code(bare):
        return None
    return "strong" if _STRONG_PROMPT.match(bare) and _PROMPT_SHAPE.search(bare) else None


def _is_code(text: str) -> bool:
    """Return whether text is C rather than a prompt."""
    return any(mark in text for mark in ("#include", "#define", ";", '("', "=", "->", "printf", "//", "/*", "< "))


def _unwrapped(words: list[str]) -> tuple[list[str], tuple[CommandTool, ...], str | None]:
    """Return the words of the program itself, the tools around it, and the file that one of them writes."""
    tools: list[CommandTool] = []
    log: str | None = None
    rest = words[:MAX_WORDS]
    while rest:
        word = rest[0]
        base = word.rpartition("/")[2]
        if _ASSIGNMENT.match(word) or word in _RESERVED:
            rest = rest[1:]
        elif word == "repeat" and len(rest) > 1 and rest[1].isdigit():
            rest = rest[2:]
        elif word in _TIMERS or word == "\\time":
            rest, own = _without_options(rest[1:], _is_time_value)
            tools.append("time")
            log = own or log
        elif base == "perf" and rest[1:2] == ["stat"]:
            rest, own = _without_options(rest[2:], lambda option: option in ("-o", "-r", "-e"))
            tools.append("time")
            log = own or log
        elif base == "strace" or base in _TRUSS_WITH_VALUE:
            rest, own, tool = _traced(base, rest[1:])
            tools.append(tool)
            log = own or log
        elif base in _WRAPPERS:
            rest, _ = _without_options(rest[1:], _WRAPPER_VALUES.get(base, _USUAL_VALUES).__contains__)
        elif base in _WITH_NUMBERS:
            rest, _ = _without_options(rest[1:], _WRAPPER_VALUES.get(base, ()).__contains__)
            if rest and re.fullmatch(rf"[{_WITH_NUMBERS[base]}]+", rest[0]):
                rest = rest[1:]
        else:
            break
    return rest, tuple(tools), log


def _without_options(words: list[str], has_value: object) -> tuple[list[str], str | None]:
    log = None
    takes_value = has_value if callable(has_value) else bool
    at = 0
    while at < len(words) and words[at].startswith("-") and len(words[at]) > 1:
        option = words[at]
        at += 1
        if option == "--":
            break
        if option.startswith("--output="):
            log = option.partition("=")[2]
        elif takes_value(option) and at < len(words):
            if option.endswith("o") or option == "--output":
                log = words[at]
            at += 1
        elif re.fullmatch(r"-o.+", option):
            log = option[2:]
    return words[at:], log


def _traced(tracer: str, words: list[str]) -> tuple[list[str], str | None, CommandTool]:
    """Return the words after the options of strace, truss or dtruss, the file it writes, and whether it counts."""
    if tracer == "strace":
        rest, log = _without_options(words, _is_strace_value)
        counts = any(
            re.fullmatch(r"-[A-Za-z]*[cC][A-Za-z]*|--summary(?:-only)?", option)
            for option in words[: len(words) - len(rest)]
        )
        return rest, log, "strace -c" if counts else "strace"
    rest, log = _without_options(words, _TRUSS_WITH_VALUE[tracer].fullmatch)
    counts = any(map(_TRUSS_COUNTS.fullmatch, words[: len(words) - len(rest)]))
    return rest, log, "truss -c" if counts else "truss"


def _is_strace_value(option: str) -> bool:
    """Return whether the next word is the value of an option of strace."""
    return option in ("--output", "--trace", "--user") or bool(_STRACE_WITH_VALUE.fullmatch(option))


def _is_time_value(option: str) -> bool:
    return option in _TIME_WITH_VALUE


def _of_shell(words: list[str]) -> str | None:
    """Return the text that a shell is given with -c."""
    is_shell = len(words) >= 3 and words[0].rpartition("/")[2] in _SHELLS and words[1] == "-c"  # noqa: PLR2004 - sh -c TEXT
    return words[2] if is_shell else None


def _stream(
    simple: SimpleCommand, descriptor: int, undetermined: dict[str, str]
) -> tuple[str | None, NotebookSinkWord | None]:
    """Return the file of standard input or output, and its kind, or add to `undetermined` why it is unknown."""
    name = "sink" if descriptor else "input"
    redirection = simple.target_of(descriptor)
    if redirection is None and simple.is_cut:
        undetermined[name] = _NOT_DETERMINED
        return None, None
    if redirection is not None:
        return _of_redirection(redirection, name, undetermined)
    if simple.pipe_out if descriptor else simple.pipe_in:
        if not descriptor:
            undetermined[name] = "it comes through a pipe"
        return None, "pipe"
    if not descriptor:
        undetermined[name] = "no file is redirected to it"
    return None, "terminal"


def _of_redirection(
    redirection: Redirection, name: str, undetermined: dict[str, str]
) -> tuple[str | None, NotebookSinkWord | None]:
    target = redirection.target
    if redirection.operator in ("<<", "<<<"):
        undetermined[name] = "it is part of the command line"
        return None, "pipe"
    if target.startswith(("$", "`")) or redirection.operator.endswith("&"):
        undetermined[name] = _VARIABLE if target.startswith("$") else "it is another descriptor's"
        return target, None
    if target == "/dev/null":
        return target, "/dev/null"
    if target in ("/dev/tty", "/dev/stdout", "/dev/stderr") or target.startswith("/dev/pts/"):
        return target, "terminal"
    return target, "file"


def loop_lines(lines: Iterable[Line]) -> frozenset[int]:
    """Return the numbers of the lines whose commands a loop of the shell repeats."""
    found: set[int] = set()
    inside: list[int] = []
    for line in lines:
        if _LOOP_ON_ONE_LINE.search(line.text):
            found.add(line.number)
        if inside:
            inside.append(line.number)
            if _LOOP_ENDS.match(line.text):
                found.update(inside)
                inside = []
            elif len(inside) > MAX_LOOP_LINES:
                inside = []
        elif _LOOP_BEGINS.search(line.text):
            inside = [line.number]
    return frozenset(found)


def joined_lines(lines: tuple[Line, ...]) -> Iterator[tuple[Line, str, int, int]]:
    """Yield (line, text, number of its last line, index of the next) for each line, joined after a backslash."""
    at = 0
    continues = False
    while at < len(lines):
        line, text, last = lines[at], lines[at].text, at
        # A line in the middle was already joined to the first one.
        is_first, continues = not continues, text.rstrip().endswith("\\")
        while is_first and text.rstrip().endswith("\\") and last + 1 < len(lines) and last - at < MAX_PROMPT_WORDS:
            last += 1
            text = text.rstrip()[:-1] + " " + re.sub(r"^\s*>\s+", "", lines[last].text)
        yield line, text, lines[last].number, last + 1
        at += 1
