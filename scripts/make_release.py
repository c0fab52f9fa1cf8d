"""Build a release into dist/VERSION and tag its commit (`make release`, decision 0112).

The files are the wheel, grader.pyz, grader.cdx.json (a software bill of materials in CycloneDX's format: what
grader.pyz contains) and SHA256SUMS. Their bytes follow from the commit and from the packages at the versions in
constraints.txt, so anybody can build them again and compare. It needs a package index.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from packaging.version import Version

import grader
from grader.errors import GraderError, UsageError
from grader.gradescope.bundle.wheel import NAME, make_wheel
from scripts.make_pyz import MACHINES, gather, pack

CHECKOUT = Path(__file__).parents[1]
SBOM_TOOL = "cyclonedx-bom==7.5.0"
"""Installed in an environment of its own: 30 packages that nothing else needs."""


def main() -> None:
    """Check that this commit is a release, build its files, and tag it."""
    version = grader.__version__
    try:
        tag = free_tag(CHECKOUT, version)
        build(CHECKOUT / "dist" / version)
        if tag:
            # One with a message would need to know who makes it, which a fresh machine does not.
            git(CHECKOUT, "tag", tag)
    except (GraderError, OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"error: {error}")


def free_tag(checkout: Path, version: str) -> str | None:
    """Return the tag that a checkout's commit gets, None if it has it already.

    Raises:
        UsageError: this commit cannot be a release of this version.
    """
    if Version(version).is_devrelease:
        raise UsageError(f"{version} is no version of a release: set it in grader/__init__.py")
    if f"\n## {version}\n" not in (checkout / "CHANGELOG.md").read_text("utf-8"):
        raise UsageError(f"CHANGELOG.md has no section `## {version}`")
    if changed := git(checkout, "status", "--porcelain"):
        raise UsageError(f"these files are not as they were committed:\n{changed}")
    tag = f"v{version}"
    if not git(checkout, "tag", "--list", tag):
        return tag
    if git(checkout, "rev-parse", f"{tag}^{{commit}}") != git(checkout, "rev-parse", "HEAD"):
        raise UsageError(f"the tag {tag} is at another commit: a version is released once")
    return None


def git(checkout: Path, *arguments: str) -> str:
    """Return what git prints.

    Raises:
        subprocess.CalledProcessError: git failed, and said why.
    """
    done = subprocess.run(
        ["git", "-C", str(checkout), *arguments],  # noqa: S607 - wherever git is
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return done.stdout.strip()


def build(folder: Path) -> None:
    """Write the files of a release into a new folder, which is there only when all of them are.

    Raises:
        GraderError: the folder is there already, or a package is not available.
        subprocess.CalledProcessError: a tool failed, and said why.
    """
    if folder.exists():
        raise UsageError(f"{folder} is there already: rename it, and compare what is built now with it")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".release-", dir=folder.parent) as name:
        wheels, new = Path(name) / "wheels", Path(name) / "new"
        gather(wheels, MACHINES)
        new.mkdir()
        wheel = make_wheel(compress=True)
        (new / wheel.name).write_bytes(wheel.data)
        pack(new / "grader.pyz", wheels, MACHINES)
        write_sbom(new / "grader.cdx.json", wheels, Path(name))
        write_sums(new)
        new.rename(folder)


def write_sbom(target: Path, wheels: Path, scratch: Path) -> None:
    """Describe an installation from a folder of wheels, and nothing else, in folders below `scratch`.

    Raises:
        subprocess.CalledProcessError: pip or cyclonedx-py failed, and said why.
    """
    installed, tool = scratch / "installed", scratch / "tool"
    if not tool.exists():
        venv.create(tool)
        pip(tool, SBOM_TOOL)
    venv.create(installed, clear=True)
    pip(installed, "--no-index", "--find-links", str(wheels), NAME)
    described = ["environment", str(installed / "bin" / "python"), "--output-reproducible", "--of", "JSON"]
    # Without a time, which it takes from this variable.
    environment = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    subprocess.run([tool / "bin" / "cyclonedx-py", *described, "--output-file", target], check=True, env=environment)


def pip(environment: Path, *arguments: str) -> None:
    """Install something into a virtual environment."""
    python = ["--python", str(environment / "bin" / "python")]
    subprocess.run(
        [sys.executable, "-m", "pip", *python, "install", "--quiet", "--disable-pip-version-check", *arguments],
        check=True,
    )


def write_sums(folder: Path) -> None:
    """Write SHA256SUMS, for `sha256sum --check`."""
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(folder.iterdir())]
    (folder / "SHA256SUMS").write_text("".join(sums), "ascii")


if __name__ == "__main__":
    main()
