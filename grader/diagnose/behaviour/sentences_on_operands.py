"""Say what happened to operands: wrong ones that are not refused, and valid ones that are."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from grader.diagnose.behaviour.advice import (
    BEFORE_OUTPUT,
    COMMON_BYTES,
    EVERY_CASE,
    OPERANDS,
    SymptomText,
)
from grader.diagnose.behaviour.group import Group
from grader.diagnose.behaviour.operand_names import FIRST, SECOND
from grader.diagnose.behaviour.words import quoted
from grader.model.counted import capital
from grader.model.evidence import Exited
from grader.model.report import AdviceKind, CasesEvidence

TWICE_IN_SECOND = f"{SECOND} may have a byte twice."


def _refuses_valid_operands(group: Group) -> SymptomText:
    told = f"it writes to standard error: {group.message()} ({group.status()})"
    sentence = f"{group.program} writes a message and no copy {group.where()}, although the operands are valid."
    pairs = [failure.operands for failure in group.failures]
    if all(len(one) == 2 and _is_repeating(one[1]) for one in pairs):  # noqa: PLR2004 - a pair
        return SymptomText(f"{sentence} {capital(group.operands())}, {told}.", f"{TWICE_IN_SECOND} {OPERANDS}")
    return SymptomText(f"{sentence} {capital(group.operands())}, {told}.", OPERANDS)


def _writes_message_instead(group: Group) -> SymptomText:
    wrote = quoted((group.first.copy.actual if group.first.copy else b"").strip())
    told = f"{capital(group.operands())}, it writes {wrote} to standard output and ends with {group.status()}."
    return SymptomText(f"{group.program} does not copy {group.where()}. {told}", OPERANDS)


def _accepts(group: Group) -> SymptomText:
    did = _did(group)
    if any(kind.id == "operands-swapped" for kind in group.others):
        return _refusal(
            group,
            _NOT_REFUSED,
            did,
            f"It takes {FIRST} for {SECOND} in other runs: the check has to look at argv[1].",
        )
    if group.refuses and group.only_high_operands():
        return _refusal(
            group,
            _NOT_REFUSED,
            f"{did}, though it refuses others",
            "Only operands with bytes from 0x80 are accepted. As an index, such a byte may be outside of a table"
            " that is too small; as a char, it may be negative.",
        )
    return _refusal(group, _NOT_REFUSED, did, _advice_on_accepted(group))


def _did(group: Group) -> str:
    """Say what a program did in the first case whose operands it accepted."""
    run = group.first.run
    if run is None or group.first.was_copied:
        return "copies as if they were right"
    wrote, told = (data.data or b"" for data in (run.stdout, run.stderr))
    errors = quoted(told.strip()) if run.stderr.size_bytes else "nothing"
    return f"writes {quoted(wrote)} to standard output and {errors} to standard error ({group.status()})"


def _advice_on_accepted(group: Group) -> str:
    """Say what the operands that a check refuses have in common, if none that it accepts has it."""
    evidence = group.first.check.evidence
    cases = evidence.cases if isinstance(evidence, CasesEvidence) else ()
    accepted = [failure.operands for failure in group.failures]
    refused = [case.operands for case in cases if case.passed and not case.hidden]
    if not group.translates:
        return BEFORE_OUTPUT
    if not refused or any(len(operands) != 2 for operands in (*accepted, *refused)):  # noqa: PLR2004 - a pair
        return EVERY_CASE
    if all(_is_repeating(to) for _, to in refused) and not any(_is_repeating(to) for _, to in accepted):
        return f"It refuses operands only if {SECOND} has a byte twice: the check has to look at {FIRST}, argv[1]."
    longer = {len(before) > len(after) for before, after in refused}
    is_about_lengths = all(len(before) != len(after) for before, after in accepted)
    if is_about_lengths and longer.isdisjoint(len(before) > len(after) for before, after in accepted):
        return (
            f"It refuses operands only if {FIRST if longer == {True} else SECOND} is longer: any difference counts."
        )
    return EVERY_CASE


def _is_repeating(operand: bytes) -> bool:
    return len({*operand}) < len(operand)


def _accepts_silently(group: Group) -> SymptomText:
    return _refusal(
        group,
        f"neither {'copies' if group.translates else 'writes an output'} nor reports {{rule}}",
        f"writes no message and ends with {group.status()}",
        "Check this, write a message to standard error, and exit with a status that is not 0.",
    )


def _continues_after_message(group: Group) -> SymptomText:
    return _refusal(
        group,
        "reports {rule}, but goes on and copies the input,",
        f"writes a message and its copy ({group.status()})",
        "End right after the message, before anything is copied: exit(1), or return 1 from main.",
    )


def _message_and_more(group: Group) -> SymptomText:
    wrote = (group.runs()[0].stdout.data or b"").strip()
    alone = f"Standard output is for the {group.output} alone"
    advice = f"{alone}: find the line that writes this, before or after the check."
    if any(kind.id == "extra-before" for kind in group.others):
        advice = f"It writes more than the {group.output} in other runs too. {alone}."
    return _refusal(
        group,
        "reports {rule}, but also writes to standard output,",
        f"writes a message, and {quoted(wrote)} to standard output ({group.status()})",
        advice,
    )


def _refused_while_copying(group: Group) -> SymptomText:
    runs = [(failure, failure.run) for failure in group.failures if failure.run is not None]
    late, run = next((failure, run) for failure, run in runs if run.stderr.size_bytes)
    wrote = quoted(run.stdout.data or b"")
    sentence = (
        f"{group.program} does not refuse {_rule(group)} before it copies {group.where()}. "
        f"{capital(group.operands(late))}, it writes {wrote} first, and then a message."
    )
    if not all(run.stderr.size_bytes for _, run in runs):
        sentence = f"{sentence} If the byte is not in the input, there is no message."
    return SymptomText(
        sentence,
        "Check the operands before the first byte is read: the input does not decide whether they are right.",
    )


def _message_but_status_0(group: Group) -> SymptomText:
    return _refusal(
        group,
        "writes a message about {rule}, but ends with exit status 0,",
        f"writes to standard error: {group.message()}, and ends with status 0, which means success",
        "End with exit(1), or return 1 from main: a caller sees only the exit status.",
    )


def _message_on_stdout(group: Group) -> SymptomText:
    wrote = group.runs()[0].stdout.data or b""
    what = f"writes {quoted(wrote.strip())} to standard output and nothing to standard error ({group.status()})"
    if len(group.other_text) >= COMMON_BYTES and wrote.startswith(group.other_text):
        return _refusal(
            group,
            "does not report {rule}",
            what,
            f"Runs with right operands begin with {quoted(group.other_text)} too: write "
            "another message for wrong operands, to standard error.",
        )
    status = any(run.ending == Exited(kind="exited", code=0) for run in group.runs())
    exits = " Then end with exit(1): status 0 means success." if status else ""
    return _refusal(
        group,
        "reports {rule} on standard output, not on standard error,",
        what,
        f"Standard output is for the {group.output}: write messages to standard error, as fprintf(stderr, …) does."
        f"{exits}",
    )


def _no_message(group: Group) -> SymptomText:
    return _refusal(
        group,
        "refuses {rule} without a message",
        f"ends with {group.status()}",
        "Write a message for this. The call has to name the stream, as in fprintf(stderr, …).",
    )


def _rule(group: Group) -> str:
    """Name the rule that all these operands break, if it is one and the same."""
    operands = [failure.operands for failure in group.failures]
    if all(len(one) < group.needed_operands for one in operands):
        return "a missing operand"
    pairs = [(one[0], one[1]) for one in operands if len(one) == 2 and group.translates]  # noqa: PLR2004 - a pair
    if len(pairs) == len(operands):
        if all(len(before) != len(after) for before, after in pairs):
            return "operands of different lengths"
        if all(_is_repeating(before) and len(before) == len(after) for before, after in pairs):
            return f"a byte that appears twice in {FIRST}"
    return "wrong operands"


_NOT_REFUSED = "does not refuse {rule}"


def _refusal(group: Group, happens: str, example: str, advice: str) -> SymptomText:
    """Return what happens with operands that break a `{rule}`, and what the program does in the first case.

    A title has no room for more than the first sentence, so that one has to say what is wrong.
    """
    sentence = f"{group.program} {happens.format(rule=_rule(group))} {group.where()}."
    about: AdviceKind = "every-case" if advice is EVERY_CASE or advice is BEFORE_OUTPUT else ""
    return SymptomText(f"{sentence} {capital(group.operands())}, it {example}.", advice, about=about)


OF_OPERANDS: Mapping[str, Callable[[Group], SymptomText]] = {
    "refuses-valid-operands": _refuses_valid_operands,
    "writes-message-instead": _writes_message_instead,
    "accepts-wrong-operands": _accepts,
    "neither-copies-nor-refuses": _accepts_silently,
    "continues-after-message": _continues_after_message,
    "message-and-more": _message_and_more,
    "refused-while-copying": _refused_while_copying,
    "message-but-status-0": _message_but_status_0,
    "message-on-stdout": _message_on_stdout,
    "no-message": _no_message,
}
"""What to say of operands, by symptom."""
