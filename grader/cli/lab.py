"""`grader lab new NAME`, `grader lab test LAB`, `grader lab publish LAB`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import click

from grader.cache.secret import VARIABLE, new_secret
from grader.cli.common import message_printer
from grader.cli.exit_status import FAILED, OK
from grader.cli.options import own_sandbox_option
from grader.cli.publish_words import publish_words
from grader.cli.whole_lab import load_whole_lab
from grader.diagnose.behaviour.restrictions import of_reference
from grader.grading.pipeline import GradingContext
from grader.grading.reference_run import (
    ReferenceBuildError,
    ReferenceCaseError,
    reference_mistakes,
    reference_programs,
    reference_restrictions,
)
from grader.grading.setup import RunConfig, prepare
from grader.lab.find import LabFiles, load_lab
from grader.messages import Notify
from grader.model.counted import counted
from grader.model.spec.draws import PUBLIC
from grader.render.text.escape import one_line, visible_text
from grader.sandbox.base import Sandbox
from grader.sandbox.choose import SandboxChoice
from grader.selfcheck.lab_test import (
    StatedResult,
    build_mistake,
    make_signatures,
    patterns_mistake,
    reference_mistake,
    signatures_mistake,
    stated_results,
    tested_results,
)
from grader.selfcheck.new_lab import new_lab
from grader.selfcheck.own_work import own_sandbox
from grader.selfcheck.publish_lab import publish_lab
from grader.selfcheck.quick_lab import quick_form
from grader.selfcheck.reference_changes import reference_changes, tried_changes


@click.group("lab")
def command() -> None:
    """Make a lab of your own, test it, and make a copy for students."""


@command.command("new", short_help="Make the folder of a new lab.")
@click.argument("folder", metavar="NAME", type=click.Path(path_type=Path))
@click.option("--from", "source", metavar="LAB", help="Copy this lab: its folder, its name, or its spec.")
def new(folder: Path, source: str | None) -> None:
    """Make the folder of a new lab, which grades its own reference with full marks.

    NAME becomes the name of the lab and of its folder, in the current folder or at a path. Without --from, it has one
    program, which does nothing yet.
    """
    new_lab(folder, None if source is None else load_lab(source)[1])
    what = "a lab with one program" if source is None else f"a copy of {source}"
    click.echo(one_line(f"{folder}: {what}; edit lab.yaml, reference/ and template/, then test it:"))
    # A copy has mutants, and another spec than those that were measured.
    options = "" if source is None else " --signatures"
    click.echo(one_line(f"grader lab test {folder}{options}"))


@command.command("test", short_help="Test that reference, template and mutants do what the lab states.")
@click.argument("lab")
@click.option("--quick", is_flag=True, help="Cut large inputs to 64 KiB.")
@click.option(
    "--signatures", is_flag=True, help="Write signatures.json, so that nobody waits until mutants are measured."
)
@click.option(
    "--changes", is_flag=True, help="Also make small changes of the reference, and list those that fail no check."
)
@own_sandbox_option
def test(*, lab: str, quick: bool, signatures: bool, changes: bool, sandbox: SandboxChoice) -> int:
    """Test that a lab is right: LAB is its folder, its name, or its spec.

    The reference must pass every check, the template must have the score that the spec states (`template_score`), and
    each mutant and variant must fail exactly the checks that its mutant.yaml names. If something is drawn for each
    class, the reference must also pass with another draw. Notes name what the grader refuses to the reference, and
    its memory errors.

    With --changes, sources in C get each of some hundred small changes, such as another comparison, and are checked
    as with --quick, which takes minutes. A change that fails no check is harmless, or the lab lacks a case for it.

    Exit status: 0 if everything is as stated, 1 if something is not, 2 if the lab cannot be read, and 3 if something
    could not be graded.
    """
    notify = message_printer()
    spec, files = load_whole_lab(lab)
    stated = stated_results(spec, files)
    click.echo(one_line(f"{files.spec}: lab {spec.lab}, {counted(len(stated), 'submission')} to test"))
    for words in spec.notes:
        click.echo(one_line(f"note: {words}"))
    form = quick_form(spec) if quick else spec
    with closing(own_sandbox(sandbox, notify)) as place:
        # Causes are not looked for: that would take longer than all the rest.
        try:
            grading = replace(prepare(RunConfig(form, files, sandbox), place, notify), known_bugs=None)
        except ReferenceBuildError as error:
            click.echo("WRONG reference")
            click.echo(visible_text(f"{build_mistake(files, error)}\n{error.messages.rstrip()}", keep="\n"))
            click.echo("nothing else can be tested before the reference compiles")
            return FAILED
        except ReferenceCaseError as error:
            click.echo("WRONG reference")
            click.echo(visible_text(str(reference_mistake(files, error)), keep="\n"))
            click.echo("nothing else can be tested before the reference does what its cases expect")
            return FAILED
        own = form, reference_programs(form, files), grading.lab.provided, place, grading.lab.inputs
        notes = [*map(of_reference, reference_restrictions(*own))]
        notes += [f"the reference: {words}" for words in reference_mistakes(*own)]
        for words in notes:
            click.echo(one_line(f"note: {words}"))
        wrong = _print_results(grading, stated)
        wrong += _print_drawn(RunConfig(form, files, sandbox, secret=new_secret()), stated[0], place, notify)
        if signatures and not wrong:
            notes = make_signatures(spec, files, grading)
            click.echo(one_line(f"{files.signatures}: written"))
            for note in notes:
                click.echo(one_line(note))
        if changes:
            short = quick_form(spec)
            if short != form:
                grading = prepare(RunConfig(short, files, sandbox), place, notify)
            _print_changes(grading, files, notify)
        mistakes = (patterns_mistake(spec, files), signatures_mistake(spec, files))
    for mistake in filter(None, mistakes):
        wrong += 1
        click.echo(visible_text(f"WRONG {mistake}", keep="\n"))
    click.echo(f"{counted(wrong, 'result')} not as the lab states" if wrong else "all results are as the lab states")
    return FAILED if wrong else OK


def _print_results(grading: GradingContext, stated: Sequence[StatedResult]) -> int:
    """Print the score of each submission, with its mistake; return how many results are not as stated."""
    wrong = 0
    for result in tested_results(grading, stated):
        wrong += result.mistake is not None
        mark = "ok" if result.mistake is None else "WRONG"
        click.echo(one_line(f"{mark} {result.score:g}/{result.max_score:g} {result.name}"))
        if result.mistake is not None:
            click.echo(visible_text(str(result.mistake), keep="\n"))
    return wrong


def _print_drawn(config: RunConfig, reference: StatedResult, place: Sandbox, notify: Notify) -> int:
    """Print the score of the reference with what is drawn for a class, if anything is; return 1 if it fails, or 0."""
    if config.secret == PUBLIC or not config.spec.drawn_cases:
        return 0
    name = f"reference, drawn with {VARIABLE}={config.secret}"
    try:
        grading = replace(prepare(config, place, notify), known_bugs=None)
    except ReferenceCaseError as error:
        click.echo(one_line(f"WRONG {name}"))
        click.echo(visible_text(str(reference_mistake(config.files, error)), keep="\n"))
        return 1
    return _print_results(grading, [replace(reference, name=name)])


def _print_changes(grading: GradingContext, files: LabFiles, notify: Notify) -> None:
    """Make small changes of the reference, and print how many fail each check, and those that fail none."""
    spec = grading.lab.spec
    changes = [*reference_changes(spec, reference_programs(spec, files))]
    notify(f"checking {counted(len(changes), 'small change')} of the reference")
    tried = []
    for result in tried_changes(grading, changes):
        tried.append(result)
        shown = result.change.shown(files.solution)
        if result.problem:
            click.echo(one_line(f"not judged: {shown}: {result.problem}"))
        elif result.failed is not None and not result.failed:
            click.echo(one_line(f"fails no check: {shown}"))
    for program in spec.programs:
        own = [result for result in tried if result.change.program == program]
        failed = [result.failed for result in own if result.failed is not None]
        some, unjudged = sum(map(bool, failed)), sum(bool(result.problem) for result in own)
        click.echo(
            f"{program}: {counted(len(own), 'small change')}, of which {len(own) - len(failed) - unjudged} do not "
            f"compile, {unjudged} could not be judged, {some} fail a check, and {len(failed) - some} fail none"
        )
        for check, (of, _) in spec.checks().items():
            if of == program:
                click.echo(f"{sum(check in checks for checks in failed):5} fail {check}")


@command.command("publish", short_help="Make the students' copy of a lab.")
@click.argument("lab")
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FOLDER", help="The folder to make.")
def publish(lab: str, out: Path) -> None:
    """Make the students' copy of a lab: LAB is its folder, its name, or its spec.

    The copy has the spec without what is hidden, as `grader spec publish` writes it, and the reference, template,
    mutants, fixtures and provided files that it needs. Students use it with `grader check --lab FOLDER`.
    """
    spec, files = load_lab(lab)
    made = publish_lab(spec, files, out)
    # A name alone could be that of another lab.
    path = out if out.name != str(out) else f"./{out}"
    click.echo(one_line(f"{out}: the students' copy of the lab {spec.lab}; `grader check --lab {path}` uses it"))
    for words in publish_words(spec, made.spec, made.texts):
        click.echo(one_line(words))
    if made.left_out:
        click.echo(one_line(f"files left out: {', '.join(made.left_out)}"))
    click.echo(one_line(f"note: {made.solutions} are in the folder, and they are solutions, which students can read"))
    click.echo("if that matters, let students hand in to a course system, and keep the folder to yourself")
