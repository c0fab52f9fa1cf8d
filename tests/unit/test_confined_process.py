"""However a child ends, its answer says so, and costs no other."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from grader.errors import GraderError
from grader.sandbox import confined_process
from grader.sandbox.confined_process import ANSWER_BYTES_MAX, NOBODY, Answer, LimitReachedError, ask
from tests.waits import ENDS_S

from .children import let_children


def answers_if(first: str, monkeypatch: pytest.MonkeyPatch) -> Answer:
    """Return the answer of a child that does this after its first line; another child must not notice."""
    let_children(monkeypatch, f"yield b'before'\nif question:\n    {first}\nyield b'after'")
    answer, honest = ask("", [1, 0], 1)
    assert honest == Answer("answered", (b"before", b"after"))
    return answer


@pytest.mark.parametrize(
    "act",
    [
        "bytearray(10**9)",
        "answers_again = lambda: answers_again(); answers_again()",
        "raise LimitReachedError",
        # What libraries in C do if they get no memory, or no more of the stack.
        "os.abort()",
        "os.kill(os.getpid(), signal.SIGSEGV)",
        pytest.param(f"yield b'x' * {ANSWER_BYTES_MAX + 100_000}", marks=pytest.mark.long),
        pytest.param("while True: pass", marks=pytest.mark.long),
    ],
)
def test_a_limit_is_known_as_one_and_what_was_found_before_counts(act: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = answers_if(act, monkeypatch)
    assert (answer.ending, answer.lines[:1], answer.fault) == ("limit", (b"before",), "")
    with pytest.raises(LimitReachedError):
        answer.whole("lab.txt")


def test_a_line_that_a_limit_cut_off_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    assert answers_if("os.write(1, b'half'); os.abort()", monkeypatch).lines == (b"before",)


@pytest.mark.slow
@pytest.mark.parametrize("act", ["time.sleep(1000)", "os.close(1); time.sleep(1000)"])
@pytest.mark.long
def test_what_hangs_is_killed(act: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confined_process, "HANG_S", 3)
    answer = answers_if(act, monkeypatch)
    assert (answer.ending, answer.lines) == ("killed", (b"before",))


def test_what_the_machine_kills_has_reached_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = answers_if("os.kill(os.getpid(), signal.SIGKILL)", monkeypatch)
    assert answer.ending == "killed"
    with pytest.raises(GraderError, match="busy"):
        answer.whole("lab.txt")


@pytest.mark.parametrize(("act", "fault"), [("raise KeyError(97)", "KeyError: 97"), ("sys.exit(0)", "no traceback")])
def test_a_bug_has_its_traceback(act: str, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = answers_if(act, monkeypatch)
    assert (answer.ending, answer.lines) == ("bug", (b"before",))
    assert answer.fault.endswith(fault)
    with pytest.raises(RuntimeError, match=fault):
        answer.whole("lab.txt")


@pytest.mark.slow
@pytest.mark.long
def test_the_time_to_start_is_not_the_child_s(monkeypatch: pytest.MonkeyPatch) -> None:
    let_children(monkeypatch, "yield b'x'", prepare="while time.process_time() < 2.5: pass")
    assert ask("", [1], 1) == [Answer("answered", (b"x",))]


def test_questions_that_cannot_be_prepared_for_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    let_children(monkeypatch, "yield b'x'", prepare="raise ValueError('no-such')")
    with pytest.raises(GraderError, match="no-such"):
        ask("", [1], 1)
    let_children(monkeypatch, "yield b'x'", prepare="os.abort()")
    with pytest.raises(GraderError, match="status -6"):
        ask("", [1], 1)


def test_a_process_that_does_not_end_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confined_process, "HANG_S", 0)
    let_children(monkeypatch, "yield b'x'", prepare="time.sleep(1000)")
    with pytest.raises(GraderError, match="busy"):
        ask("", [1], 1)


def test_without_a_question_no_process_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent")
    assert ask("", [], 1) == []
    with pytest.raises(GraderError, match="no process can be started"):
        ask("", [1], 1)


def runs(pid: str) -> bool:
    """Whether a process is there, and not a zombie."""
    try:
        return Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for_end(pid: str) -> None:
    end_s = time.monotonic() + ENDS_S
    while runs(pid):
        assert time.monotonic() < end_s
        time.sleep(0.05)


def test_a_parent_waits_for_more_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    let_children(monkeypatch, "yield str(os.getppid()).encode()")
    (first,), (second, third) = ask("", [1], 1), ask("", [2, 3], 1)
    assert first == second == third
    os.kill(int(first.lines[0]), signal.SIGKILL)
    wait_for_end(first.lines[0].decode())
    (after,) = ask("", [4], 1)
    assert after.ending == "answered"
    assert after != first


def test_questions_at_the_same_time_have_a_parent_each(monkeypatch: pytest.MonkeyPatch) -> None:
    let_children(monkeypatch, "time.sleep(question)\nyield str(os.getppid()).encode()")
    with ThreadPoolExecutor(2) as threads:
        answers = [*threads.map(lambda question: ask("", [question], 1), (0.5, 0.5))]
    assert len({answer.lines for (answer,) in answers}) == 2


@pytest.mark.parametrize("end", ["", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_no_parent_outlives_the_grader(end: str) -> None:
    code = f"""
import os, signal
from grader.sandbox import confined_process
answer = "def answers(question):\\n    yield str(os.getppid()).encode()\\n"
confined_process._START = "import os, sys; sys.path[:] = {{path!r}}\\n"
confined_process._START += "from grader.sandbox.confined_process import serve\\n" + answer + "serve(answers)"
print(confined_process.ask("", [1], 1)[0].lines[0].decode(), flush=True)
{end}
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (-signal.SIGKILL if end else 0, "")
    wait_for_end(done.stdout.strip())


CONFINED = """
import errno, os, resource, socket, sys
from grader.sandbox import confined_process
confined_process.confine(1)
def refused(act):
    try:
        act()
    except OSError as error:
        return errno.errorcode[error.errno]
    return "allowed"
rights = os.geteuid(), os.getegid(), os.getgroups()
print(*rights, refused(lambda: open("/etc/passwd")), refused(socket.socket), refused(os.fork))
print(resource.getrlimit(resource.RLIMIT_CPU))
"""


def test_a_child_opens_nothing_and_has_no_rights() -> None:
    code = f"import sys; sys.path[:] = {[path for path in sys.path if path]!r}\n{CONFINED}"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True, timeout=60)
    rights = f"{NOBODY} {NOBODY} []" if os.geteuid() == 0 else f"{os.geteuid()} {os.getegid()} {os.getgroups()}"
    assert done.stdout == f"{rights} EMFILE EMFILE EAGAIN\n(1, 2)\n"
