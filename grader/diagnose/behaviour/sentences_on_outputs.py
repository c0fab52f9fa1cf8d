"""Say what is wrong with the outputs of runs that ended by themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from grader.diagnose.behaviour.advice import COMMON_BYTES, INTO_INT, SymptomText, example
from grader.diagnose.behaviour.group import Group
from grader.diagnose.behaviour.operand_names import FIRST, SECOND
from grader.diagnose.behaviour.outputs import CopyRun
from grader.diagnose.behaviour.sentences_on_bytes import OF_BYTES
from grader.diagnose.behaviour.sentences_on_lengths import OF_LENGTHS
from grader.diagnose.behaviour.words import quoted
from grader.model.counted import capital

MESSAGE_BYTES_MAX = 400
"""A short output that has nothing in common with the right one is quoted."""


def _copies_to_stderr(group: Group) -> SymptomText:
    return SymptomText(
        f"{group.program} writes its copy to standard error {group.where()}.",
        "Standard output is descriptor 1, or stdout.",
    )


def _copies_unchanged(group: Group) -> SymptomText:
    advice = (
        f"Find out whether a byte of {FIRST} is ever found, and whether the variable that you write is the one that "
        f"gets the byte of {SECOND}."
    )
    if group.read_bytes == 1:
        advice = f"{advice} {INTO_INT}"
    sentence = f"{group.program} copies its input unchanged {group.where()}, {group.operands()} for instance."
    return SymptomText(sentence, advice)


def _wrong_output(group: Group) -> SymptomText:
    copy, status = group.first.copy, group.status()
    copies = group.copies()
    if len(copies) > 1 and len({one.actual for one in copies}) == 1 and len({one.input_data for one in copies}) > 1:
        wrote = quoted(copies[0].actual)
        sentence = f"{group.program} writes {wrote} {group.where()}, whatever the input and the operands are."
        return SymptomText(sentence, "Find the part of the program that should read the input and write the copy.")
    if len(copies) > 1 and len(group.other_text) >= COMMON_BYTES:
        first = group.example() or group.first
        text = first.copy.actual if first.copy is not None else b""
        wrote = f" {capital(group.operands(first))}, it writes {quoted(text)}."
        sentence = f"{group.program} writes something other than a copy {group.where()}.{wrote}"
        same = f"Each of these outputs begins with {quoted(group.other_text)}: "
        return SymptomText(sentence, f"{same}find the line that writes this, and the one that should write the copy.")
    if copy is not None and len(copy.actual) <= MESSAGE_BYTES_MAX and not copy.expected.startswith(copy.actual[:1]):
        wrote = f" {capital(group.operands())}, it writes {quoted(copy.actual)} ({status})."
        return SymptomText(f"{group.program} does not write what it should {group.where()}.{wrote}", COMPARE)
    if not copies:
        return SymptomText(f"{group.program} does not write what it should {group.where()}.", COMPARE)
    return SymptomText(f"{group.program} {_compared(copies)} it should {group.where()}.{example(group)}", COMPARE)


def _compared(copies: list[CopyRun]) -> str:
    if all(len(copy.actual) > len(copy.expected) for copy in copies):
        return "writes more than"
    if all(len(copy.actual) < len(copy.expected) for copy in copies):
        return "writes less than"
    return "does not write what"


COMPARE = (
    "Find where the outputs first differ: print to standard error each byte that is read and what is written for it, "
    "up to there."
)


OF_OUTPUTS: Mapping[str, Callable[[Group], SymptomText]] = {
    **OF_LENGTHS,
    **OF_BYTES,
    "copies-to-stderr": _copies_to_stderr,
    "copies-unchanged": _copies_unchanged,
    "wrong-output": _wrong_output,
}
"""What to say of wrong outputs, by symptom."""
