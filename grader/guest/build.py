"""Compiling a program as the student, and taking over the executable."""

from __future__ import annotations

import base64
import os
import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Literal

from .c_calls import calls_in, hides_lines, plain_name, uses_in
from .deadline import Deadline
from .folders import Folders
from .launch import ENDED_WELL, Files, GuestError, Launcher, Program, tool
from .marks import chosen_letters, linker_options, random_text, read_marks, source_of
from .oom import NoMemoryError, OomCounter
from .own_time import with_time
from .plan_json import BuildStepJson, LimitsJson, MarkedRunJson
from .streams import head_of

MESSAGES_BYTES = 65536
NO_FILES = Files()

SYMBOLS_BYTES = 1 << 20
"""More than the names of any lab's program take."""

DYNAMIC_START = "__libc_start_main"
"""What the C library's code at the start of each program calls. A list without it is not one of all calls."""

PREPROCESSED_BYTES = 4 << 20

LITERALLY = ("-fno-builtin", "-fno-tree-loop-distribute-patterns", "-U_FORTIFY_SOURCE")
"""Options with which gcc calls what the source calls: it neither replaces calls nor makes one of a loop, and headers
replace none either. clang ignores the second, which it does not need."""

UnknownCalls = Literal[
    "not-unoptimised",
    "no-object",
    "not-without-builtins",
    "too-many-functions",
    "long-text",
    "not-preprocessed",
]
"""Why the calls of a program are not known, as in grader/model/evidence.py."""

NO_CALLS: Mapping[str, Any] = {
    "symbols": None,
    "unknown_calls": None,
    "program_symbols": None,
    "made_calls": [],
    "replaced_calls": [],
    "source_calls": {},
    "own_functions": [],
}
TOOK_TOO_MUCH = [{"kind": "limit", "limit": limit} for limit in ("cpu", "output", "memory")]
"""How a tool of ours ends if a program gives it too much to do. One that waits for a CPU or the disk ends at the wall
limit instead."""


class _UnknownCallsError(Exception):
    """The calls of a program are not known; `why` is None if the time for everything was up."""

    def __init__(self, why: UnknownCalls | None) -> None:
        super().__init__()
        self.why = why


class Builder:
    """Builds the programs of one submission."""

    def __init__(
        self, launcher: Launcher, folders: Folders, limits: LimitsJson, *, deadline: Deadline, oom: OomCounter
    ) -> None:
        self._launcher = launcher
        self._folders = folders
        self._limits = limits
        self._deadline = deadline
        self._oom = oom
        self._cut_short = False

    def build(self, step: BuildStepJson) -> dict[str, Any]:
        """Compile a program; return the fields of a BuildDone (grader/model/evidence.py).

        Raises:
            NoMemoryError, NoSpaceError: there is too little to compile any source with.
            BusyError: there was no CPU to compile with.
        """
        program = step["program"]
        self._cut_short = False
        self._folders.require_space_to_build()
        calls = NO_CALLS
        # Closed again before any run, because a build could leave a note for a run in it.
        with self._folders.opened(self._folders.make_run_dir(f"build-{program}")) as scratch:
            executable = os.path.join(scratch, step["made"] or program)
            compiled, messages = self._compile(step, executable, scratch)
            if compiled["ending"] == ENDED_WELL:
                self._take_over(executable, program, scratch)
                if step["compile_object"]:
                    calls = self._calls(step, scratch)
        symbols = calls["symbols"]
        is_judged_by_marks = symbols is not None and not _groups_without(symbols, step["one_of_each"])
        was_cut_short = self._cut_short
        marks = self._marks(program, step["marked"], step["folder"]) if is_judged_by_marks else None
        # The program itself has been compiled.
        self._cut_short = was_cut_short
        return {
            "program": program,
            "ending": compiled["ending"],
            "messages": messages,
            **calls,
            "marks": marks,
            "cut_short": self._cut_short,
        }

    def _compile(self, step: BuildStepJson, executable: str, scratch: str) -> tuple[Any, str]:
        """Compile a program, or make it, and return how that ended, with the compiler's messages."""
        name, sources = f"{step['program']}.compile", self._folders.source(step["folder"])
        if not step["made"]:
            return self._run(name, [*step["compile"], "-o", executable], scratch, folder=sources)
        copied, messages = self._run(name, ["cp", "--", *step["files"], scratch], scratch, folder=sources)
        if copied["ending"] != ENDED_WELL:
            if self._cut_short:
                return copied, messages
            raise GuestError(f"the sources of {step['program']} cannot be copied: {messages or copied['ending']}")
        made, messages = self._run(name, step["compile"], scratch, folder=scratch)
        if made["ending"] == ENDED_WELL and not os.path.lexists(executable):
            raise GuestError(f"{' '.join(step['compile'])} makes no file {step['made']}")
        return made, messages

    def _marks(self, program: str, marked: MarkedRunJson | None, folder: str) -> Mapping[str, int] | None:
        """Compile a copy that marks the bytes that it moves, run it, and return what the marks show, if anything.

        Programs for which this does not work are judged by the names of their functions alone.
        """
        if marked is None:
            return None
        name, chance = f"{program}.marked", random.Random(marked["seed"])  # noqa: S311 - see MarkedRun
        letters = chosen_letters(marked["letters"], chance)
        operands = [base64.b64decode(operand) for operand in marked["operands"]]
        text, copy = random_text(letters, operands, chance), self._folders.executable(name)
        source, stdin, stdout = (self._folders.output(name, stream) for stream in ("source", "stdin", "stdout"))
        files = Files(stdin, stdout)
        # The student's source cannot include it: the compiler does not have the right to open it again.
        _write(source, source_of(marked["functions"], letters).encode(), 0o600)
        _write(stdin, text, 0o644)
        command = [*marked["compile"], *linker_options(marked["functions"])]
        try:
            with self._folders.opened(self._folders.make_run_dir(f"build-{name}")) as scratch:
                executable, sources = os.path.join(scratch, program), self._folders.source(folder)
                made, _ = self._run(name, [*command, "-o", executable], scratch, sources, Files(stdin=source))
                if made["ending"] != ENDED_WELL or not self._copied(name, executable, copy, scratch):
                    return None
            os.chmod(copy, 0o755)  # noqa: S103 - students execute it
            called = Program(copy, f"./{marked['called']}", [*map(os.fsdecode, operands)])
            report = self._run_marked(called, marked, files)
            is_copied = report["ending"] == ENDED_WELL and os.path.getsize(stdout) == len(text)
            return read_marks(text, head_of(stdout, len(text)), letters) if is_copied else None
        finally:
            for path in (source, stdin, stdout, copy):
                with suppress(FileNotFoundError):
                    os.unlink(path)

    def _run_marked(self, program: Program, marked: MarkedRunJson, files: Files) -> dict[str, Any]:
        """Run a copy, and again if it waited for a CPU until its limit, or was killed for others' memory."""

        def run(attempt_s: float) -> dict[str, Any]:
            limits = self._deadline.within({**marked["limits"], "wall_s": attempt_s})
            with self._folders.opened(self._folders.make_run_dir_with([])) as run_dir:
                command = self._launcher.student_command(program, limits, mode="plain", writable=run_dir)
                return self._launcher.report_of(command, files, run_dir, run_dir, marked["environment"])

        limit_s = marked["limits"]["wall_s"]
        return with_time(lambda wall_s: self._oom.repeating(partial(run, wall_s))[0], limit_s, self._deadline)

    def _run(
        self, name: str, command: Sequence[str], scratch: str, folder: str | None = None, files: Files = NO_FILES
    ) -> tuple[Any, str]:
        """Run a tool with these files, and return its report and its messages."""
        messages = self._folders.output(name, "stderr")
        with_path = [tool(command[0]), *command[1:]]
        files = files._replace(stderr=messages)

        def run(attempt_s: float) -> dict[str, Any]:
            limits = self._deadline.within({**self._limits, "wall_s": attempt_s})
            supervised = self._launcher.tool_command(with_path, limits, writable=scratch)
            # Sources are named without their folder, so that messages read `copy.c:12:5: …`.
            # gcc sleeps while what it has started runs or waits for a CPU.
            sources = folder or self._folders.sources
            report = self._launcher.report_of(supervised, files, sources, scratch, is_of_starter=True)
            return {**report, "messages": head_of(messages, MESSAGES_BYTES).decode("utf-8", "replace")}

        def attempt(attempt_s: float) -> dict[str, Any]:
            report, is_victim = self._oom.repeating(partial(run, attempt_s))
            if is_victim:
                peak = report["peak_memory_bytes"] >> 20
                raise NoMemoryError(
                    f"there is too little memory here to compile with: {command[0]} was ended at {peak} MiB"
                )
            return report

        limit_s = self._limits["wall_s"]
        report = with_time(attempt, limit_s, self._deadline)
        os.unlink(messages)
        self._cut_short |= self._deadline.has_cut(report["ending"])
        return report, report["messages"]

    def _take_over(self, executable: str, program: str, scratch: str) -> None:
        """Copy the executable to where students cannot write.

        The student's uid does the copying, because what lies at that path may be a link to anything.
        """
        target = self._folders.executable(program)
        self._copied(f"{program}.copy", executable, target, scratch)
        os.chmod(target, 0o755)  # noqa: S103 - students execute it

    def _copied(self, name: str, executable: str, target: str, scratch: str) -> bool:
        """Copy an executable as the student; return whether there was time for it."""
        command = ["cat", "--", executable]
        report, messages = self._run(name, command, scratch, files=Files(stdout=target))
        return self._had_time(command, report, messages)

    def _had_time(self, command: Sequence[str], report: Mapping[str, Any], messages: str) -> bool:
        """Return whether a tool of ours came to its end before the time for everything was up.

        Raises:
            GuestError: it failed at what was compiled, which is the tool's fault and not the program's.
        """
        if not self._cut_short and report["ending"] != ENDED_WELL:
            why = messages.strip().partition("\n")[0] or " ".join(map(str, report["ending"].values()))
            raise GuestError(f"{command[0]} does not work where submissions run: {why}")
        return not self._cut_short

    def _calls(self, step: BuildStepJson, scratch: str) -> Mapping[str, Any]:
        """Return the fields of a BuildDone about the functions that a compiled program calls."""
        program, object_file = step["program"], _object_file(step["program"], scratch)
        source_calls: dict[str, int] = {}
        own_functions: list[str] = []
        try:
            symbols = self._symbols(step, step["compile_object"], object_file, scratch, "not-unoptimised")
            not_called = _groups_without(symbols, step["one_of_each"])
            if not_called:
                with suppress(_UnknownCallsError):
                    source_calls = calls_in(self._preprocessed(step, step["compile_object"], scratch), not_called)
                with suppress(_UnknownCallsError):
                    defined = self._listed(program, object_file, scratch, "--defined-only")
                    own_functions = sorted(not_called.intersection(defined))
            program_symbols = self._program_symbols(step, scratch)
            made, replaced = self._changed_calls(step, set(symbols), program_symbols, scratch)
        except _UnknownCallsError as error:
            # What runs may call anything, whatever the source says.
            return {**NO_CALLS, "unknown_calls": error.why}
        return {
            "symbols": symbols,
            "unknown_calls": None,
            "program_symbols": program_symbols,
            "made_calls": made,
            "replaced_calls": replaced,
            "source_calls": source_calls,
            "own_functions": own_functions,
        }

    def _program_symbols(self, step: BuildStepJson, scratch: str) -> list[str]:
        """List the functions that the program calls and does not define.

        A static program names no functions of the C library: then an object that is compiled in the same way decides.
        """
        program = step["program"]
        listed = self._listed(program, self._folders.executable(program), scratch, "--dynamic", "--undefined-only")
        if DYNAMIC_START in listed:
            return listed
        object_file = os.path.join(scratch, f"{program}.program.o")
        return self._symbols(step, step["compile_program_object"], object_file, scratch, "no-object")

    def _symbols(
        self, step: BuildStepJson, compile_object: Sequence[str], object_file: str, scratch: str, if_not: UnknownCalls
    ) -> list[str]:
        """List the functions that an object calls and does not define.

        Raises:
            _UnknownCallsError: it does not compile, because of `if_not`, or names too many.
        """
        program, sources = step["program"], self._folders.source(step["folder"])
        command = [*compile_object, "-o", object_file]
        report, _ = self._run(f"{program}.symbols", command, scratch, folder=sources)
        if report["ending"] != ENDED_WELL:
            raise _UnknownCallsError(None if self._cut_short else if_not)
        return self._listed(program, object_file, scratch, "--undefined-only")

    def _changed_calls(
        self, step: BuildStepJson, symbols: set[str], program_symbols: Sequence[str], scratch: str
    ) -> tuple[list[str], list[str]]:
        """Return the functions that only the compiler calls, and those whose calls it replaced.

        This is needed only if functions of the rule decide against the program. An object shows them that is compiled
        like the program, but without functions that the compiler knows. A source can detect that, so a function that
        it names counts as called.
        """
        extra, lost = _deciding_names(step, symbols, program_symbols)
        known = self._known_to_compiler(step, sorted(extra | lost), scratch)
        if not known:
            return [], []
        program, command = step["program"], step["compile_program_object"]
        object_file = os.path.join(scratch, f"{program}.literal.o")
        literal = self._symbols(step, [*command, *LITERALLY], object_file, scratch, "not-without-builtins")
        text = self._preprocessed(step, command, scratch)
        called = {*literal, *map(plain_name, literal)}
        named = known if self._hides_lines(step) else uses_in(text, known)
        return sorted(known & extra - called - named), sorted(known & lost & called & named)

    def _known_to_compiler(self, step: BuildStepJson, names: Sequence[str], scratch: str) -> set[str]:
        """Return those of these functions that the compiler knows without a declaration."""
        if not names or not step["compile_program_object"]:
            return set()
        name = f"{step['program']}.known"
        question = self._folders.output(name, "stdin")
        _write(question, "".join(f"__has_builtin({function})\n" for function in names).encode(), 0o600)
        command = [step["compile_program_object"][0], "-E", "-P", "-x", "c", "-"]
        try:
            answer = self._written_by(
                command,
                name,
                scratch,
                SYMBOLS_BYTES,
                "too-many-functions",
                if_fails="not-preprocessed",
                stdin=question,
            )
        except _UnknownCallsError as error:
            if error.why != "not-preprocessed":
                raise
            answer = ""
        finally:
            os.unlink(question)
        # A compiler that cannot say so fails, or prints the question.
        words = answer.split()
        if len(words) != len(names):
            return set()
        return {function for function, word in zip(names, words, strict=True) if word == "1"}

    def _hides_lines(self, step: BuildStepJson) -> bool:
        """Return whether a file that was handed in may take its own text for that of a header of the system."""
        with os.scandir(self._folders.source(step["folder"])) as entries:
            paths = [entry.path for entry in entries if entry.is_file()]
        for path in paths:
            with open(path, "rb") as file:
                if hides_lines(file.read(PREPROCESSED_BYTES)):
                    return True
        return False

    def _preprocessed(self, step: BuildStepJson, command: Sequence[str], scratch: str) -> str:
        """Return the text that this command compiles."""
        name, sources = f"{step['program']}.preprocessed", self._folders.source(step["folder"])
        # A source can have it fail here alone, as it can tell that it is not compiled.
        return self._written_by(
            [*command, "-E"],
            name,
            scratch,
            PREPROCESSED_BYTES,
            "long-text",
            if_fails="not-preprocessed",
            folder=sources,
        )

    def _listed(self, program: str, path: str, scratch: str, *options: str) -> list[str]:
        """List symbols of an object or, with `--dynamic`, of an executable, without their versions."""
        command = ["nm", *options, "--format=posix", "--", path]
        listing = self._written_by(command, f"{program}.symbols", scratch, SYMBOLS_BYTES, "too-many-functions")
        return sorted({line.split()[0].partition("@")[0] for line in listing.splitlines() if line.strip()})

    def _written_by(  # noqa: PLR0913 - a tool's command, and what to expect of it
        self,
        command: Sequence[str],
        name: str,
        scratch: str,
        most_bytes: int,
        too_much: UnknownCalls,
        *,
        if_fails: UnknownCalls | None = None,
        folder: str | None = None,
        stdin: str = os.devnull,
    ) -> str:
        """Return what a tool of ours writes about what was compiled.

        Raises:
            _UnknownCallsError: there was no time for it, or it is `too_much`. Only some of it would be read, and a
                forbidden function could be among the rest. Or the tool failed, and that says something: `if_fails`.
            GuestError: see `_had_time`.
        """
        output = self._folders.output(name, "stdout")
        report, messages = self._run(name, command, scratch, folder, Files(stdin, output))
        if os.path.getsize(output) > most_bytes or report["ending"] in TOOK_TOO_MUCH:
            raise _UnknownCallsError(too_much)
        if if_fails is not None and not self._cut_short and report["ending"] != ENDED_WELL:
            raise _UnknownCallsError(if_fails)
        if not self._had_time(command, report, messages):
            raise _UnknownCallsError(None)
        return head_of(output, most_bytes).decode("utf-8", "replace")


def _write(path: str, data: bytes, mode: int) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode), "wb") as file:
        file.write(data)


def _object_file(program: str, scratch: str) -> str:
    return os.path.join(scratch, f"{program}.o")


def _groups_without(symbols: Sequence[str], groups: Sequence[Sequence[str]]) -> set[str]:
    """Return the functions of all groups of which no function is among the symbols."""
    return {name for group in groups if not set(group).intersection(symbols) for name in group}


def _deciding_names(
    step: BuildStepJson, symbols: set[str], program_symbols: Sequence[str]
) -> tuple[set[str], set[str]]:
    """Return the functions that only the program's own object names, and those that it lacks, if they matter."""
    named = {*program_symbols, *map(plain_name, program_symbols)}
    extra = named.intersection(step["none_of"]) - symbols
    lost = {
        name
        for group in step["one_of_each"]
        if not set(group).intersection(program_symbols)
        for name in symbols.intersection(group)
    }
    if extra or lost:
        # Reports also say what is called instead.
        extra.update(name for name in program_symbols if name not in symbols and name.isidentifier())
    return extra, lost
