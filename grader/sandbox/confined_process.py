"""Work on a student's bytes in a process that can be ended and has no rights.

Regular expressions hold Python's lock while they search, tree-sitter is written in C, and a file may be made to harm
both. So each question about a file has a child of its own, which gives up what it does not need before it begins:
root's rights, new files and processes, and more processor time and memory than honest files take. Its parent only
prepares for questions, and waits for more: to start Python and to read patterns takes longer than most answers.
"""

from __future__ import annotations

import atexit
import base64
import os
import pickle
import resource
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from threading import Event, Lock, Timer
from typing import Any, Literal, NamedTuple, NoReturn

from grader.errors import GraderError

MAX_SOURCE_BYTES = 65_536
"""A larger source is not parsed. Those of students have a few thousand bytes."""

HANG_S = 300
"""Seconds after which a child hangs. It may use a few seconds of processor time, and wait long for them."""

ANSWER_BYTES_MAX = 32_000_000

NOBODY = 65534
LIMITS = {
    resource.RLIMIT_AS: (400_000_000, 400_000_000),
    resource.RLIMIT_FSIZE: (0, 0),
    resource.RLIMIT_CORE: (0, 0),
    resource.RLIMIT_NPROC: (0, 0),
    # Standard input, output and error only.
    resource.RLIMIT_NOFILE: (3, 3),
}

BUSY = "the machine is too busy, or lacks memory"

_LIMIT_SIGNALS = {signal.SIGXCPU, signal.SIGPIPE, signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS}
"""They end a child that takes too much time or memory, or writes too much. For other signals it is not the reason."""

# The process sees the same packages, wherever these were found.
_START = "import sys; sys.path[:] = {path!r}; from {module} import main; main()"


class LimitReachedError(GraderError):
    """A question takes more than its child may use."""


class Answer(NamedTuple):
    """How a child ended, the lines that it had finished by then, and its traceback if it has a bug.

    It was killed if it hung, or because the machine lacks memory.
    """

    ending: Literal["answered", "limit", "killed", "bug"]
    lines: tuple[bytes, ...]
    fault: str = ""

    def whole(self, file: str) -> bytes:
        """Return a complete answer about a file.

        Raises:
            LimitReachedError: it takes too much.
            GraderError: the machine is too busy, or lacks memory.
            RuntimeError: what answers has a bug.
        """
        match self.ending:
            case "limit":
                raise LimitReachedError(f"{file} takes too much time or memory to read")
            case "killed":
                raise GraderError(f"{file} could not be read: {BUSY}")
            case "bug":
                raise RuntimeError(self.fault)
        return b"".join(self.lines)


def ask(module: str, questions: Sequence[object], cpu_s: int) -> list[Answer]:
    """Return the answer to each question, from children of the module's `main`, which calls `serve`.

    Raises:
        GraderError: no process can be started, or it cannot prepare for the questions.
    """
    if not questions:
        return []
    start = _START.format(path=[path for path in sys.path if path], module=module)
    parent = _waiting_parent(start) or _Parent(start)
    lines = parent.lines(questions, cpu_s)
    with _lock:
        _waiting.setdefault(start, []).append(parent)
    return list(map(_answer, lines))


class _Parent:
    """A process that answers questions until it is ended."""

    def __init__(self, start: str) -> None:
        try:
            # In a session of its own it does not end at Ctrl-C before the question does that is asked now.
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-c", start],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={},
                start_new_session=True,
            )
        except OSError as error:
            raise GraderError(f"no process can be started: {error}") from error

    @property
    def is_waiting(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def lines(self, questions: Sequence[object], cpu_s: int) -> list[bytes]:
        """Return a line for each question; after an error the process has ended."""
        process, hangs = self._process, Event()
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise AssertionError("the process was started with pipes")

        def give_up() -> None:
            hangs.set()
            process.kill()

        limit = Timer(HANG_S * (len(questions) + 1), give_up)
        limit.start()
        try:
            with suppress(BrokenPipeError):
                process.stdin.write(pickle.dumps((cpu_s, HANG_S, [*questions])))
                process.stdin.flush()
            lines = [line for _ in questions if (line := process.stdout.readline())]
            if len(lines) == len(questions):
                return lines
            said = process.stderr.read().decode("utf-8", "replace").strip().splitlines()
        except BaseException:
            self.end()
            raise
        finally:
            limit.cancel()
        self.end()
        if hangs.is_set():
            raise GraderError(BUSY)
        raise GraderError(said[-1] if said else f"a process ended with the status {process.returncode}")

    def end(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        # The rest of a question that could not be written is lost as well.
        with suppress(BrokenPipeError), self._process:
            pass


_lock = Lock()
_waiting: dict[str, list[_Parent]] = {}


def _waiting_parent(start: str) -> _Parent | None:
    with _lock:
        while _waiting.get(start):
            parent = _waiting[start].pop()
            if parent.is_waiting:
                return parent
            parent.end()
    return None


def _end_all() -> None:
    for parents in _waiting.values():
        for parent in parents:
            parent.end()
    _waiting.clear()


atexit.register(_end_all)
# A copy of this process must not ask the same ones.
os.register_at_fork(after_in_child=_waiting.clear)


def _answer(line: bytes) -> Answer:
    number, written = line.split(b" ")
    status = int(number)
    found, _, fault = base64.b64decode(written).partition(b"\0")
    # A limit may cut off a line in the middle.
    lines = tuple(found.split(b"\n")[:-1])
    if os.WIFSIGNALED(status):
        return Answer("limit" if os.WTERMSIG(status) in _LIMIT_SIGNALS else "killed", lines)
    if status:
        return Answer("bug", lines, fault.decode("utf-8", "replace").strip() or "no traceback")
    return Answer("answered", lines)


def serve(answers: Callable[[Any], Iterable[bytes]], prepare: Callable[[Any], object] = len) -> None:
    """Answer the questions on standard input, each in a child; `prepare` is called with those of one `ask` before.

    The lines of an answer count even if the child cannot find the next one.
    """
    while True:
        try:
            cpu_s, hang_s, questions = pickle.load(sys.stdin.buffer)  # noqa: S301 - written by `ask`
        except EOFError:
            return
        prepare(questions)
        for question in questions:
            ours, theirs = os.pipe()
            child = os.fork()
            if not child:
                nowhere = os.open(os.devnull, os.O_RDWR)
                for descriptor, to in ((nowhere, 0), (theirs, 1), (nowhere, 2)):
                    os.dup2(descriptor, to)
                os.closerange(3, nowhere + 1)
                _work(answers, question, cpu_s)
            os.close(theirs)
            status, written = _outcome(child, ours, hang_s)
            # Nothing may be left in the buffer when the next child is made.
            sys.stdout.write(f"{status} {base64.b64encode(written).decode('ascii')}\n")
            sys.stdout.flush()


def _outcome(child: int, pipe: int, hang_s: int) -> tuple[int, bytes]:
    """Return how a child ends, and what it has written."""
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.alarm(hang_s)
    with os.fdopen(pipe, "rb") as lines:
        written = lines.read(ANSWER_BYTES_MAX)
    _, status = os.waitpid(child, 0)
    signal.alarm(0)
    return status, written


def _work(answers: Callable[[Any], Iterable[bytes]], question: object, cpu_s: int) -> NoReturn:
    """Give up all rights, and write an answer."""
    status = 1
    try:
        confine(cpu_s)
        for line in answers(question):
            # At once: what is found counts even if the next step ends this process.
            _write(line + b"\n")
        status = 0
    except (LimitReachedError, MemoryError, RecursionError):
        signal.raise_signal(signal.SIGXCPU)
    except Exception:
        _write(b"\0" + traceback.format_exc().encode("utf-8", "replace"))
        raise
    finally:
        # To leave Python as usual takes much longer than to parse a source.
        os._exit(status)


def _write(written: bytes) -> None:
    sys.stdout.buffer.write(written)
    sys.stdout.flush()


def confine(cpu_s: int) -> None:
    """Give up rights, and set limits that nobody can raise again."""
    os.chdir("/")
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    # A child that writes too much is ended too.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    # At the first limit of time, the signal says that this was the reason. A second later, it cannot be ignored.
    for kind, limits in {**LIMITS, resource.RLIMIT_CPU: (cpu_s, cpu_s + 1)}.items():
        _, known = resource.getrlimit(kind)
        soft, hard = (limit if known == resource.RLIM_INFINITY else min(limit, known) for limit in limits)
        resource.setrlimit(kind, (soft, hard))
