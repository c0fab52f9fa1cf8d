"""The program next to the student's code.

Standard input: the request as one line of JSON, then the files that it names, then commands. Standard output: one
JSON event per step, so that the reader sees progress and keeps what was done if this end breaks. Uses only Python's
standard library.

The order is: toolchain, every build, every run, `done`; then outputs that the grader fetches, and the same for more
plans that it sends, until it sends `end`.
The end of standard input at any time, or a long silence where an engine carries it, means that nobody is listening:
everything ends.
"""

from __future__ import annotations

import base64
import json
import os
import random
import signal
import threading
from collections.abc import Iterator

from .channel import Emitter, GraderInput, end_children, end_on_sigterm
from .folders import Folders
from .oom import NoMemoryError
from .own_time import BusyError
from .plan_json import GuestRequestJson
from .space import NoSpaceError, is_full, no_space
from .work import Worker

CHUNK_BYTES = 1 << 19
MOST_SKIPPED = 1000
"""More process numbers than the runs of a submission take. Skipping one takes 50 microseconds."""


def main() -> int:
    """Answer a request: work through its plan; return the exit status."""
    end_on_sigterm()
    # Ignored, as we may have inherited it, it would make the kernel discard how tools and programs end.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # Students must be able to read what is made for them, whatever the umask of the user who started the grader.
    os.umask(0o022)
    emitter = Emitter()
    try:
        received = GraderInput(0)
        request: GuestRequestJson = json.loads(received.request_line)
        folders = Folders(request["layout"])
        folders.fill(request["files"], received.copy)
        received.listen(request["silence_s"])
        if request["layout"]["in_container"]:
            skip_process_numbers(random.SystemRandom())
        worker = Worker(request, folders, emitter)
        worker.work()
        _serve(received, folders, emitter, worker)
    except Exception as error:  # noqa: BLE001 - whatever broke, the grader must hear of it, in words
        emitter.emit("fault", message=fault_words(error))
        return 1
    return 0


def skip_process_numbers(chance: random.Random) -> None:
    """Use up process numbers, each by a thread: in a container they tell a program how many runs came before."""
    for _ in range(chance.randrange(MOST_SKIPPED)):
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()


def fault_words(error: Exception) -> str:
    """Describe what broke: a lack of the machine in words, anything else with its place in the code."""
    if isinstance(error, (NoSpaceError, NoMemoryError, BusyError)):
        return str(error)
    if isinstance(error, OSError) and is_full(error):
        return no_space(error.filename or "temporary files")
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else "nowhere"
    return f"{type(error).__name__}: {error} ({place})"


def _serve(received: GraderInput, folders: Folders, emitter: Emitter, worker: Worker) -> None:
    """Do what the grader asks for, until `{"end": true}`.

    The answer to `{"fetch": STEP}` is the step's kept standard output, that to `{"plan": PLAN, "files": [FILE, …]}`
    are the events of that plan.
    """
    while "end" not in (command := received.next_command()):
        if "plan" in command:
            folders.add(command["files"])
            worker.work_on(command["plan"])
            continue
        step = command["fetch"]
        for chunk, last in _chunks(folders.kept_output(step)):
            emitter.emit("chunk", step=step, data=base64.b64encode(chunk).decode("ascii"), last=last)


def _chunks(path: str) -> Iterator[tuple[bytes, bool]]:
    """Yield a file in chunks, at least one, and with each whether it is the last."""
    with open(path, "rb") as file:
        block = file.read(CHUNK_BYTES)
        while True:
            following = file.read(CHUNK_BYTES)
            yield block, not following
            if not following:
                return
            block = following


def run() -> None:
    """Run the guest and end the process, after everything that it started."""
    # `end_children` ends our process group. The local sandbox has made it ours, but not every engine does.
    if os.getpgrp() != os.getpid():
        os.setpgid(0, 0)
    try:
        status = main()
    finally:
        end_children()
    # A normal exit would wait for the thread that reads commands.
    os._exit(status)
