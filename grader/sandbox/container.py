"""The settings of a submission's container."""

from __future__ import annotations

from typing import Any

from docker.types import LogConfig, Ulimit

from grader.model.plan import SandboxLayout, StudentUser
from grader.sandbox.guest_files import guest_command

GUEST_HOME = "/usr/local/lib/iolab-grader"
"""Folder of the guest's package in the image."""

# Not a uid of the local sandbox: if both run on a host, that one ends everything under its uid.
STUDENT = StudentUser(uid=60500, gid=60500)
LABEL = "iolab-grader"
MEMORY = "768m"
GUEST_PROCESSES = 32
"""Processes that the container's limit allows in addition to the student's: init, the guest, strace, the compiler."""

LAYOUT = SandboxLayout(
    work_dir="/work",
    scratch_dir="/scratch",
    tally="/usr/local/bin/tally",
    student=STUDENT,
    in_container=True,
    # RLIMIT_NPROC would count the same uid's processes in other containers; the pids cgroup counts ours.
    process_limit="none",
)


def container_settings(processes: int, cpuset: str | None, cpus: int) -> dict[str, Any]:
    """Return the arguments of `containers.create`; docs/isolation.md lists the danger that each is there for."""
    return {
        "command": guest_command("python3", GUEST_HOME),
        "stdin_open": True,  # when it ends, the guest knows that the grader is gone
        "user": "0:0",
        "working_dir": "/",
        "environment": {},
        "labels": {LABEL: "runner"},
        # An init reaps processes that students' programs orphan, or zombies would fill the process limit.
        "init": True,
        # It is removed when it ends, even if the grader was killed.
        "auto_remove": True,
        # No way out: no network, no shared memory with others, no device, nothing of the host.
        "network_mode": "none",
        "ipc_mode": "none",
        "log_config": LogConfig(type="none"),
        # No rights beyond those needed for giving student code its own uid.
        "cap_drop": ["ALL"],
        "cap_add": ["SETUID", "SETGID", "KILL"],
        "security_opt": ["no-new-privileges"],
        # Nothing to write to but two folders in memory: one for the guest alone, one for students.
        "read_only": True,
        "tmpfs": {
            "/work": "rw,exec,nosuid,nodev,size=256m,nr_inodes=4096,mode=0755",
            # Nobody but the guest can list it: what lies next to a run's folder would tell which run it is.
            "/scratch": "rw,exec,nosuid,nodev,size=128m,nr_inodes=4096,mode=0711",
        },
        # Memory and swap together are as large as memory, so there is no swap. Unset, it would be twice the memory.
        "mem_limit": MEMORY,
        "memswap_limit": MEMORY,
        # If the host runs out of memory anyway, the kernel kills this first.
        "oom_score_adj": 500,
        "pids_limit": processes + GUEST_PROCESSES,
        "nano_cpus": min(2, cpus) * 1_000_000_000,
        "cpuset_cpus": cpuset,
        "ulimits": [Ulimit(name="core", soft=0, hard=0), Ulimit(name="nofile", soft=256, hard=256)],
    }
