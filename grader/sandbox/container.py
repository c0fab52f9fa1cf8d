"""What a submission's container is made with."""

from __future__ import annotations

import tarfile
from collections.abc import Mapping
from typing import Any

from docker.types import LogConfig, Ulimit

from grader.model.plan import SandboxLayout, Student
from grader.sandbox.guest_files import guest_command

GUEST_HOME = "/usr/local/lib/iolab-grader"
"""Where the image has the guest's package."""

# Not one of the local sandbox's: on a host where both are at work, that one ends all that runs under its uid.
STUDENT = Student(uid=60500, gid=60500)
LABEL = "iolab-grader"
MEMORY = "768m"
GUEST_PROCESSES = 32
"""Room in the container's limit for init, the guest, strace and the compiler, beside the student's."""

PLACES = SandboxLayout(
    work_dir="/work",
    scratch_dir="/scratch",
    tally="/usr/local/bin/tally",
    student=STUDENT,
    in_container=True,
    # RLIMIT_NPROC would count the same uid's processes in other containers; the pids cgroup counts ours.
    process_limit="none",
)


def container_settings(processes: int, cpuset: str | None, cpus: int) -> dict[str, Any]:
    """Return the arguments of `containers.create`: each is there for a danger (docs/isolation.md has the list)."""
    return {
        "command": guest_command("python3", GUEST_HOME),
        "stdin_open": True,  # its end is how the guest learns that the grader is gone
        "user": "0:0",
        "working_dir": "/",
        "environment": {},
        "labels": {LABEL: "runner"},
        # An init reaps what students orphan, or their zombies would fill the process limit.
        "init": True,
        # Gone when it ends, even if nobody is left to remove it.
        "auto_remove": True,
        # No way out: no network, no shared memory with others, no device, nothing of the host.
        "network_mode": "none",
        "ipc_mode": "none",
        "log_config": LogConfig(type="none"),
        # No rights beyond what splitting off the student's uid takes.
        "cap_drop": ["ALL"],
        "cap_add": ["SETUID", "SETGID", "KILL"],
        "security_opt": ["no-new-privileges"],
        # Nothing to write to but two folders in memory: one for the guest alone, one for students.
        "read_only": True,
        "tmpfs": {
            "/work": "rw,exec,nosuid,nodev,size=256m,nr_inodes=4096,mode=0755",
            "/scratch": "rw,exec,nosuid,nodev,size=128m,nr_inodes=4096,mode=0755",
        },
        # As much swap as memory, in sum: none. Unset, it would be twice the memory.
        "mem_limit": MEMORY,
        "memswap_limit": MEMORY,
        # If the host runs out of memory all the same, this goes first.
        "oom_score_adj": 500,
        "pids_limit": processes + GUEST_PROCESSES,
        "nano_cpus": min(2, cpus) * 1_000_000_000,
        "cpuset_cpus": cpuset,
        "ulimits": [Ulimit(name="core", soft=0, hard=0), Ulimit(name="nofile", soft=256, hard=256)],
    }


def archive(files: Mapping[str, bytes]) -> bytes:
    """Return a tar of files, root's and readable to all; folders on their way are made by whoever unpacks it."""
    parts = []
    for name, data in files.items():
        entry = tarfile.TarInfo(name)
        entry.size = len(data)
        entry.mode = 0o644
        parts += [entry.tobuf(), data, bytes(-len(data) % tarfile.BLOCKSIZE)]
    return b"".join([*parts, bytes(2 * tarfile.BLOCKSIZE)])
