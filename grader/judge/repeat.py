"""The shell line that reproduces a failure, in the folder with the program.

It is for bash and uses standard tools; it needs `grader input` only for inputs that these tools cannot generate.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby

from grader.model.evidence import READ_CALLS, WRITE_CALLS, LimitReached, RunDone, Signalled
from grader.model.report import CaseResult, Difference, Stream
from grader.model.spec.cases import Case, Input, PipeSource, input_bytes
from grader.model.spec.lab import Spec
from grader.model.spelled_bytes import escapes_of
from grader.model.visible import readable

TYPED_BYTES = 80
"""Size of the longest input that the line contains literally."""

LONG_WORD = 200
"""Length of an operand, as it is typed, from which runs of bytes in it are counted out instead."""

SHOWN_BYTES = 200
"""Size of the longest output that is shown whole; of longer ones, the bytes around the difference are shown."""

BEFORE_BYTES, AROUND_BYTES = 8, 32
TIMEOUT_S = 5
"""Seconds to wait for a program that may never end; a correct one needs a fraction of this for a short input."""

WRONG_LINES = 20
"""Most calls that are shown of a large input."""

STANDARD_ERROR = "standard error"
STATUS = '; echo "exit status $?"'
MOST_FLOOD_BYTES = 1_000_000
_SPECIAL = {"'": r"\047", "%": r"\045"}


@dataclass(frozen=True)
class ShownCalls:
    """What lines that repeat a case are to show: calls on streams, one by one or, at full size, how many.

    With `is_related`, calls such as pread64 are among them, and so are those in `also`. `right_nbyte`: at full size,
    only calls that ask for another number of bytes. `is_untraced`: what the kernel counts if nothing traces the
    program, because its calls are right under strace, or were not looked at there.
    """

    streams: Collection[Stream] = ("stdin", "stdout")
    is_related: bool = False
    also: Sequence[str] = ()
    right_nbyte: int = 0
    is_untraced: bool = False


def repeat_case(spec: Spec, program: str, result: CaseResult, run: RunDone | None = None) -> str:
    """Return the line for a case that failed, of which this is the run."""
    case = spec.cases[result.case]
    no_input = "" if input_bytes(spec.inputs[case.input]) else " </dev/null"
    feed = f"{_files(spec, case)}{_feed(spec, case)}{_variables(case)}"
    call = f"{_program(spec, program, case)}{no_input}"
    match result.ending:
        case LimitReached(limit="output") if run is not None and (flood_bytes := _flood_bytes(result, run)):
            stream = " 2>&1 >/dev/null" if run.writes_mostly_errors else ""
            return f"{feed}timeout {TIMEOUT_S} {call}{stream} | head -c {flood_bytes} | wc -c"
        case None | LimitReached():
            return f"{feed}timeout {_timeout_s(spec, result, run)} {call} >/dev/null{STATUS}"
        case Signalled():
            return f"{feed}{call} >/dev/null{STATUS}"
        case _:
            return f"{feed}{call}{_shown(case, result)}"


def _timeout_s(spec: Spec, result: CaseResult, run: RunDone | None) -> int:
    """Return the seconds after which a run was stopped: a program that ends later must not seem to end in time."""
    match result.ending:
        case LimitReached(limit="cpu"):
            return spec.limits_for(result.case).cpu_s
        case LimitReached(limit="wall") if run is not None:
            return max(1, math.ceil(min(run.times.real_s, spec.limits_for(result.case).wall_s)))
        case _:
            return TIMEOUT_S


def _flood_bytes(result: CaseResult, run: RunDone) -> int:
    """Return a round number of bytes that a run had written to one stream when it was stopped.

    It is 0 if that does not show too much: it wrote elsewhere.
    """
    wrote_bytes = max(run.stdout.size_bytes, run.stderr.size_bytes)
    unit: int = 10 ** max(len(str(wrote_bytes)) - 2, 0)
    flood_bytes = min(wrote_bytes // unit * unit, MOST_FLOOD_BYTES)
    if run.writes_mostly_errors or result.expect != "reference-output":
        return flood_bytes
    is_more = result.difference is not None and flood_bytes > result.difference.expected_size_bytes
    return flood_bytes if is_more else 0


def _shown(case: Case, result: CaseResult) -> str:
    """Return the end of the line for a run that ended by itself: it shows what is wrong."""
    if result.differs_in in case.files:
        return f" >/dev/null; {_around(result.difference)} <{result.differs_in}"
    if result.differs_in == STANDARD_ERROR:
        return f" 2>&1 >/dev/null | {_around(result.difference)}"
    if result.difference is None and case.is_stated:
        listing = f"; ls -ld {' '.join(case.expected_files)}" if case.expected_files else ""
        return f"{STATUS}{listing}"
    if case.expect != "operand-error":
        return f" | {_around(result.difference)}"
    # od shows bytes that a terminal does not.
    return f" >out{STATUS}; od -c out" if result.stdout else STATUS


def repeat_checked(spec: Spec, program: str, name: str, *, valgrind: bool) -> str:
    """Return the line that runs a case of a program that was compiled with sanitizers, or runs it with valgrind."""
    case = spec.cases[name]
    no_input = "" if input_bytes(spec.inputs[case.input]) else " </dev/null"
    checker = "valgrind -q --track-origins=yes " if valgrind else ""
    feed = f"{_files(spec, case)}{_feed(spec, case)}{_variables(case)}"
    return f"{feed}{checker}{_program(spec, program, case)}{no_input} >/dev/null"


def repeat_calls(spec: Spec, program: str, name: str, shown: ShownCalls = ShownCalls()) -> str:
    """Return the lines that show the system calls of a case: those before the last generate its files and input.

    Of a case at a terminal, only the calls on its output are shown. The last line always has a time limit: what is
    wrong may be that the calls never end.
    """
    case = spec.cases[name]
    feed, source = f"{_input_command(spec, case.input)} >{shlex.quote(case.input)}\n", shlex.quote(case.input)
    if not input_bytes(spec.inputs[case.input]):
        feed, source = "", "/dev/null"
    sink, streams = (" >/dev/null", shown.streams) if case.sink == "file" else ("", ("stdout",))
    # strace knows the last one in newer versions only.
    last = -1 if shown.is_related else 1
    calls = {"stdin": READ_CALLS[:last], "stdout": WRITE_CALLS[:last]}
    traced = ",".join(
        [*(name for stream, names in calls.items() if stream in streams for name in names), *shown.also]
    )
    is_full_size = case.limits == "full"
    timeout = f"timeout {spec.limits.full.cpu_s if is_full_size else TIMEOUT_S} "
    call, variables = _program(spec, program, case), _variables(case)
    if shown.is_untraced and not shown.also and case.sink != "terminal":
        # The kernel adds up the calls of processes that ended in those of the shell that started them.
        last_line = f"({variables}{timeout}{call} <{source}{sink}; head -n 4 /proc/$BASHPID/io)"
    elif is_full_size and shown.right_nbyte and case.sink != "terminal":
        only_wrong = f"grep -v ', {shown.right_nbyte}) ' | head -n {WRONG_LINES}"
        last_line = f"{variables}{timeout}strace -e trace={traced} {call} <{source} 2>&1{sink} | {only_wrong}"
    else:
        options = "-f -c " if is_full_size else "-f " if shown.also else ""
        last_line = f"{variables}{timeout}strace {options}-e trace={traced} {call} <{source}{sink}"
    return f"{_files(spec, case)}{feed}{last_line}"


def shell_word(text: str) -> str:
    """Return a bash word that expands to this text, as which Python has an argument or the path of a file."""
    return shlex.quote(text) if readable(text) == text else quoted(text.encode("utf-8", "surrogateescape"))


def quoted(data: bytes) -> str:
    """Return a bash word that expands to exactly these bytes."""
    if data.isascii() and data.decode("ascii").isprintable():
        return shlex.quote(data.decode("ascii"))
    typed, counted_out = f"$'{_escaped(data)}'", _counted_out(data)
    return counted_out if len(typed) > LONG_WORD and 0 < len(counted_out) < len(typed) else typed


def _counted_out(data: bytes) -> str:
    """Return a bash word that makes the numbers of the bytes first: `{1..255}` is shorter than 255 bytes.

    It is "" for bytes that it cannot make: the shell removes newlines from the end of what a command prints.
    """
    if data.endswith(b"\n"):
        return ""
    # Bytes of a run have the same distance to their places.
    runs = [[*run] for _, run in groupby(enumerate(data), lambda place: place[1] - place[0])]
    numbers = " ".join(f"{{{run[0][1]}..{run[-1][1]}}}" if len(run) > 1 else f"{run[0][1]}" for run in runs)
    return f'"$(printf "$(printf \'\\\\%03o\' {numbers})")"'


def _escaped(data: bytes) -> str:
    """Escape quotes, percent signs, backslashes and unprintable bytes for both `printf` and `$'…'`."""
    return "".join(_SPECIAL.get(escape, escape) for escape in escapes_of(data))


def _program(spec: Spec, program: str, case: Case) -> str:
    return " ".join([f"./{spec.executable(program)}", *map(quoted, case.arguments)])


def _variables(case: Case) -> str:
    """Return the assignments that the shell adds to the environment of the command that follows."""
    return "".join(f"{name}={shlex.quote(value)} " for name, value in case.environment.items())


def _files(spec: Spec, case: Case) -> str:
    """Return the lines that put the files of a case next to the program, and remove what an earlier run left."""
    lines = []
    for name, file in case.files.items():
        declaration = spec.inputs.get(file.input or "")
        if file.content is None:
            lines.append(f"rm -f {name}")
        elif declaration is None:
            lines.append(f"grader input --lab {shell_word(spec.argument)} {file.content} >{name}")
        elif declaration.kind != "literal" or len(declaration.data) > TYPED_BYTES:
            lines.append(f"{_input_command(spec, file.content)} >{name}")
        else:
            lines.append(f"{_typed(declaration.data)} >{name}")
        if file.executable:
            lines.append(f"chmod +x {name}")
    return "".join(f"{line}\n" for line in lines)


def _typed(data: bytes) -> str:
    options_end = "-- " if data.startswith(b"-") else ""
    return f"printf {options_end}'{_escaped(data)}'"


def _feed(spec: Spec, case: Case) -> str:
    """Return the beginning of a pipeline that writes the input."""
    declaration = spec.inputs[case.input]
    if declaration.kind != "literal" or len(declaration.data) > TYPED_BYTES:
        return f"{_input_command(spec, case.input)} | "
    if not declaration.data:
        return ""
    if isinstance(case.source, PipeSource):
        # The pause makes the first read return only the first chunk.
        first, rest = declaration.data[: case.source.chunk_bytes], declaration.data[case.source.chunk_bytes :]
        return f"{{ printf '{_escaped(first)}'; sleep 0.2; printf '{_escaped(rest)}'; }} | "
    return f"{_typed(declaration.data)} | "


def _input_command(spec: Spec, name: str) -> str:
    """Return the command that writes an input that is too long to type."""
    declaration = spec.inputs[name]
    if declaration.kind == "pattern" and len(declaration.data) <= TYPED_BYTES and 0 not in declaration.data:
        line, newlines, rest = declaration.data.partition(b"\n")
        repeated = f"yes -- {quoted(line)}"
        if newlines and not rest:
            return f"{repeated} | head -c {declaration.size_bytes}"
        if not newlines:
            return f"{repeated} | tr -d '\\n' | head -c {declaration.size_bytes}"
    # The command knows the whole input only.
    is_own, code = name in spec.own_size_inputs, spec.draw_code(name)
    is_cut = spec.cut_bytes and (_size_bytes(declaration) == spec.cut_bytes or code)
    cut = f" | head -c {_size_bytes(declaration)}" if is_cut or is_own else ""
    draw = f" --draw {code}" if code else ""
    return f"grader input --lab {shell_word(spec.argument)} {shlex.quote(name)}{draw}{cut}"


def _size_bytes(declaration: Input) -> int:
    return len(declaration.data) if declaration.kind == "literal" else declaration.size_bytes


def _around(difference: Difference | None) -> str:
    if difference is None or max(difference.expected_size_bytes, difference.actual_size_bytes) <= SHOWN_BYTES:
        return "od -c"
    if difference.offset in (difference.expected_size_bytes, difference.actual_size_bytes):
        return "wc -c"
    return f"od -A d -c -j {max(difference.offset - BEFORE_BYTES, 0)} -N {AROUND_BYTES}"
