"""Temporary folders that student code writes to."""

from __future__ import annotations

import logging
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

log = logging.getLogger(__name__)


@contextmanager
def temporary_folder(prefix: str, parent: Path | None = None) -> Iterator[Path]:
    """Make a folder and remove it afterwards, whatever was made of it meanwhile."""
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    try:
        yield folder
    finally:
        remove_tree(folder)


def remove_tree(folder: Path) -> None:
    """Remove a folder that may be thousands of folders deep, and closed to its owner.

    By the system's own tools, because shutil.rmtree descends by calling itself. What cannot be removed is told in
    the log: it says nothing about a submission.
    """
    for command in (["rm", "-rf", "--"], ["chmod", "-R", "u+rwx", "--"], ["rm", "-rf", "--"]):
        subprocess.run([*command, folder], capture_output=True, check=False)
        if not folder.exists():
            return
    log.warning("%s could not be removed", folder)
