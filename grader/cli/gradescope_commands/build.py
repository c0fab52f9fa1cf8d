"""`grader gradescope build --lab LAB --out autograder.zip`."""

from __future__ import annotations

from pathlib import Path

import click

from grader.atomic_write import write_atomic
from grader.cache.secret import SECRET_FILE
from grader.cli.common import message_printer
from grader.cli.options import lab_option
from grader.cli.started_as import started_as
from grader.cli.targets import require_target
from grader.errors import UsageError
from grader.gradescope.bundle.autograder import autograder_zip, constraints, secret_of_zip
from grader.gradescope.bundle.carried import carried_lab, needed_tools
from grader.gradescope.bundle.vendor import PYTHONS, Machine, vendored_wheels
from grader.gradescope.bundle.wheel import make_wheel
from grader.grading.reference_run import missing_reference
from grader.lab.find import load_lab
from grader.messages import Notify
from grader.model.counted import listed
from grader.model.spec.lab import Spec
from grader.render.text.escape import one_line


@click.command("build")
@lab_option
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The zip to write.")
@click.option("--vendor", is_flag=True, help="Include the Python packages: about 15 MB instead of 0.3 MB.")
@click.option(
    "--machine",
    "machines",
    type=click.Choice(["x86_64", "aarch64"]),
    multiple=True,
    help="With --vendor, the processor of the packages. Can be repeated.  [default: x86_64, as on Gradescope]",
)
def command(*, lab: str, out: Path, vendor: bool, machines: tuple[Machine, ...]) -> None:
    """Make the zip that you upload to Gradescope, with the grader and the lab's spec.

    Gradescope sets it up once, on Ubuntu 22.04 or Debian, and downloads the grader's Python packages. With --vendor
    they are in the zip, and only gcc, strace, valgrind and python3 are installed, if the image lacks them.

    What the lab draws at random is the same for all students. If OUT exists already, it stays as it is there: then
    the same grader and spec give the same zip.
    """
    if machines and not vendor:
        raise UsageError("--machine can only be used with --vendor")
    spec, files = load_lab(lab)
    missing = missing_reference(spec, files)
    if missing is not None:
        raise UsageError(missing)
    if spec.published is not None:
        raise UsageError(
            f"{lab} is a student's copy; build with the spec that it was made from, which has all checks"
        )
    require_target("--out", out)
    notify, wheel = message_printer(), make_wheel()
    # The same machine may be given twice.
    chosen = tuple(dict.fromkeys(machines)) or ("x86_64",)
    vendored = vendored_wheels(wheel, constraints(), chosen, notify) if vendor else {}
    lab_files = {**carried_lab(files), **needed_tools(spec), SECRET_FILE: secret_of_zip(out).encode("ascii")}
    data = autograder_zip(lab_files, wheel, vendored)
    write_atomic(out, data)
    _conclude(spec, out, len(data), f"CPython {', '.join(PYTHONS)} on {listed(chosen)}" if vendor else None, notify)


def _conclude(spec: Spec, out: Path, size_bytes: int, vendored_for: str | None, notify: Notify) -> None:
    unseen = [item.name for item in spec.rubric if item.visibility != "visible"]
    if unseen:
        checks = f"{'check' if len(unseen) == 1 else 'checks'} {listed(unseen)}"
        notify(f"note: while students cannot see the {checks}, Gradescope hides the total from them as well")
    packages = "are taken from the package index" if vendored_for is None else f"are in it, for {vendored_for}"
    click.echo(one_line(f"{out}: lab {spec.lab}, {size_bytes / 1e6:.1f} MB; the grader's Python packages {packages}"))
    click.echo(one_line(f"try it here, with Docker: {started_as()} gradescope try {out} SUBMISSION"))
    click.echo("then upload it as the autograder of the programming assignment on Gradescope")
