"""`grader check` behind its options: what is asked for, looked at before any work; then once, or at every save."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from grader.cli.common import BrokenPipeConsole, known_labs, load_lab, print_message
from grader.cli.own_report import OwnReports, Targets
from grader.cli.targets import expect_target
from grader.errors import UsageError
from grader.model.report import Isolation
from grader.model.spec.lab import Spec
from grader.render.text.escape import one_line
from grader.render.text.phrases import isolation_words, listed
from grader.sandbox.choose import SandboxChoice
from grader.selfcheck.check_selection import asked_for
from grader.selfcheck.own_work import OwnGrader, find_own, own_sandbox


@dataclass(frozen=True)
class Asked:
    """The command line."""

    folder: Path
    lab: str | None
    quick: bool
    only: tuple[str, ...]
    watch: bool
    sandbox: SandboxChoice
    as_json: bool
    html: Path | None
    junit: Path | None


def check_own_work(asked: Asked) -> int:
    """Check as the command line says; return the exit status.

    Raises:
        UsageError: that cannot be asked for.
        GraderError: there is no sandbox, or a file cannot be written.
    """
    # Beside JSON on its way to a program nothing is to move.
    console = BrokenPipeConsole(stderr=True, force_terminal=False) if asked.as_json else BrokenPipeConsole()
    notify = partial(print_message, BrokenPipeConsole(stderr=True))
    lab = load_lab(asked.lab or _only_lab())
    only = asked_for(lab, asked.only) if asked.only else None
    _expect_targets(lab, {"--html": asked.html, "--junit": asked.junit})
    # Whoever watches may have nothing to check yet.
    found = None if asked.watch and asked.folder.is_dir() else find_own(asked.folder, lab)
    with closing(own_sandbox(asked.sandbox, notify)) as place:
        print_message(console, _beginning(lab, place.isolation))
        grader = OwnGrader(lab, place, notify, quick=asked.quick)
        reports = OwnReports(grader, only, console, notify, Targets(asked.html, asked.junit, as_json=asked.as_json))
        if found is None:
            # Imported here: what watches is needed by nobody else.
            from grader.cli.watching import check_on_saves  # noqa: PLC0415

            check_on_saves(asked.folder, reports, place)
        return reports.show(found, reports.make(found))


def _only_lab() -> str:
    known = known_labs()
    if len(known) != 1:
        raise UsageError(f"say which lab it is: --lab {' or --lab '.join(known)}")
    return known[0]


def _expect_targets(spec: Spec, targets: Mapping[str, Path | None]) -> None:
    """Make sure, before any work, that files can be written where they are wanted, and nothing of value is there."""
    wanted = {option: path for option, path in targets.items() if path is not None}
    for option, path in wanted.items():
        expect_target(option, path)
        if path.name in spec.sources:
            raise UsageError(f"{option} {path}: a source of the lab has this name, and would be lost")
    if len({path.resolve() for path in wanted.values()}) < len(wanted):
        raise UsageError(f"{listed(wanted)} name the same file")


def _beginning(spec: Spec, isolation: Isolation) -> str:
    return one_line(f"{listed(spec.sources)}, {isolation_words(isolation)}")
