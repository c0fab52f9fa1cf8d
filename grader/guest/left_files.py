"""Reading back the files that a program left in its folder.

The program decides what a file is: a link to another user's file, a named pipe that blocks its reader, a folder, or
endless. So nothing there is opened as root: a tool with the student's uid copies what that uid may read, follows no
link, waits for no pipe, and stops at a limit.
"""

from __future__ import annotations

import os
import stat
from typing import Any

from .deadline import Deadline, TimeUpError
from .folders import Folders
from .launch import Files, GuestError, Launcher, tool
from .own_time import with_time
from .plan_json import LimitsJson, RunStepJson
from .streams import captured

BLOCK_BYTES = 1 << 16
COPY_CPU_S = 20
COPY_WALL_S = 60.0
COPY_MEMORY_BYTES = 256 << 20


class LeftFiles:
    """Reads what runs left."""

    def __init__(self, launcher: Launcher, folders: Folders, deadline: Deadline) -> None:
        self._launcher = launcher
        self._deadline = deadline
        self._folders = folders

    def read(self, step: RunStepJson, run_dir: str, least_bytes: int) -> dict[str, dict[str, Any]]:
        """Return the fields of a LeftFile (grader/model/evidence.py) by name; the folder must still be open.

        The first `least_bytes` of each file are kept in any case (see Folders.keep).
        """
        return {
            file["name"]: self._read(step, file["name"], run_dir, least_bytes)
            for file in step["files"]
            if file["read_back"]
        }

    def _read(self, step: RunStepJson, name: str, run_dir: str, least_bytes: int) -> dict[str, Any]:
        path = os.path.join(run_dir, name)
        limit_bytes = step["limits"]["output_bytes"]
        kind = kind_of(path, limit_bytes)
        if kind != "regular":
            return {"kind": kind, "content": None}
        # The grader fetches it by this name (grader.model.evidence.file_id).
        copy = self._folders.output(f"{step['id']}/{name}", "stdout")
        if not self._copied(path, copy, limit_bytes, run_dir):
            os.unlink(copy)
            return {"kind": "unreadable", "content": None}
        content = captured(copy)
        if content["data"] is not None:
            os.unlink(copy)
        elif content["size_bytes"] > limit_bytes:
            # It was grown after its size was looked at.
            os.unlink(copy)
            return {"kind": "too-large", "content": None}
        else:
            self._folders.keep(copy, content["size_bytes"], least_bytes)
        return {"kind": "regular", "content": content}

    def _copied(self, path: str, copy: str, limit_bytes: int, run_dir: str) -> bool:
        """Copy a file as the student; return whether that was possible.

        Raises:
            TimeUpError: the time for all work was up first.
        """
        command = copy_command(path, limit_bytes)

        def run(attempt_s: float) -> dict[str, Any]:
            limits: LimitsJson = {
                "cpu_s": COPY_CPU_S,
                "wall_s": attempt_s,
                "output_bytes": limit_bytes + 2 * BLOCK_BYTES,
                "memory_bytes": COPY_MEMORY_BYTES,
            }
            supervised = self._launcher.tool_command(command, self._deadline.within(limits), writable=run_dir)
            return self._launcher.report_of(supervised, Files(stdout=copy), run_dir, run_dir, is_of_starter=True)

        ending = with_time(run, COPY_WALL_S, self._deadline)["ending"]
        if self._deadline.has_cut(ending):
            raise TimeUpError
        if ending["kind"] != "exited":
            raise GuestError(f"a file that a program left could not be copied: {ending}")
        return bool(ending["code"] == 0)


def copy_command(path: str, limit_bytes: int) -> list[str]:
    """Return the command that copies a regular file to standard output, up to a block above a limit.

    In case the file was replaced since, it fails for links and folders, and copies nothing of a pipe.
    """
    return [
        tool("dd"), f"if={path}", f"bs={BLOCK_BYTES}", f"count={limit_bytes // BLOCK_BYTES + 1}",
        "iflag=nofollow,nonblock,fullblock", "status=none",
    ]  # fmt: skip


def kind_of(path: str, limit_bytes: int) -> str:
    """Return the FileKind of what lies at a path, without opening it."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return "missing"
    if stat.S_ISLNK(found.st_mode):
        return "link"
    if stat.S_ISDIR(found.st_mode):
        return "folder"
    if not stat.S_ISREG(found.st_mode):
        return "other"
    return "too-large" if found.st_size > limit_bytes else "regular"
