"""Say what is wrong with the text that a program computes: lines, white space, letters, and the first difference."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from grader.diagnose.behaviour.advice import SymptomText
from grader.diagnose.behaviour.group import NAMED_CASES, Group
from grader.diagnose.behaviour.outputs import CopyRun, common_beginning
from grader.diagnose.behaviour.text_outputs import MISPLACED, MISSING, REFUSED, added_text
from grader.diagnose.behaviour.words import quoted
from grader.model.counted import capital, in_cases

SHOWN_BYTES = 40
"""Most bytes of an input or a line that a sentence quotes."""


def _cases(group: Group) -> str:
    return in_cases(NAMED_CASES, dict.fromkeys(failure.case for failure in group.failures))


def _given(group: Group) -> str:
    r"""Say what the first run was given: `with the input “5\n”`."""
    copy = group.first.copy
    operands = [group.operands()] if group.first.operands else []
    inputs = [f"the input {quoted(copy.input_data, SHOWN_BYTES)}"] if copy is not None and copy.input_data else []
    words = " and ".join([*operands, *inputs]) or "without an input"
    return words if operands or not inputs else f"with {words}"


def _first_difference(copy: CopyRun) -> str:
    """Say which line of an output is the first wrong one: `line 1 is “6” instead of “5”`."""
    expected, actual = (data.removesuffix(b"\n").split(b"\n") for data in (copy.expected, copy.actual))
    at = common_beginning(expected, actual)
    right, wrong = (quoted(lines[at], SHOWN_BYTES) if at < len(lines) else "" for lines in (expected, actual))
    if right and wrong:
        return f"line {at + 1} is {wrong} instead of {right}"
    if right or wrong:
        return f"line {at + 1} is missing: {right}" if right else f"line {at + 1}, {wrong}, should not be there"
    return f"the output has too {'many' if len(actual) > len(expected) else 'few'} newlines at its end"


def _with_example(group: Group, what: str, advice: str) -> SymptomText:
    copy = group.first.copy
    example = "" if copy is None else f" {capital(_given(group))}, {_first_difference(copy)}."
    return SymptomText(f"{group.program} {what} {_cases(group)}.{example}", advice)


def _more(group: Group) -> SymptomText:
    texts = {added_text(copy.expected, copy.actual) for copy in group.copies()}
    text = next(iter(texts))
    if len(texts) > 1 or text is None:
        return _with_example(group, "writes more text than it should", REMOVE)
    return _with_example(group, f"writes {quoted(text)} besides the right output", REMOVE)


REMOVE = "Remove what the task does not ask for: prompts and labels are part of the output, too."
_BLANKS = "Write a blank only between two elements: before each one but the first, for instance."
_NEWLINE = r"Write a newline, `\n`, after the last line, too."
_WHITE = "Compare blanks, tabs and newlines with those of the expected output, which the command below shows."
_FOLLOW = "Follow the program by hand with this input, up to where it writes this line."
_END = "Find the condition that ends the loop, and what is still to be written when it ends."


def _message_instead(group: Group) -> SymptomText:
    sentence = (
        f"{group.program} writes a message and no output {_cases(group)}: {group.message()} ({group.status()})."
    )
    return SymptomText(sentence, "Find the condition that decides this, and print what it compares.")


def _wrong_status(group: Group) -> SymptomText:
    wrong = f"{group.kind.text}. Everything else is right there."
    return SymptomText(
        f"{group.program} ends with a wrong exit status {_cases(group)}: {wrong}",
        "Return 0 from main if all went well, and another status after an error.",
    )


OF_TEXTS: Mapping[str, Callable[[Group], SymptomText]] = {
    "text-lacks-last-newline": lambda group: SymptomText(
        f"{group.program} does not end its output with a newline {_cases(group)}; all before it is right.", _NEWLINE
    ),
    "text-has-blanks-at-end": lambda group: _with_example(
        group, "writes a blank at the end of a line that should have none", _BLANKS
    ),
    "text-has-other-white-space": lambda group: _with_example(
        group, "writes other white space than it should", _WHITE
    ),
    "text-has-other-case": lambda group: _with_example(
        group, "writes capital letters for small ones, or the reverse,", "Compare your text with that of the task."
    ),
    "text-has-more": _more,
    "text-ends-early": lambda group: _with_example(group, "writes only the beginning of its output", _END),
    MISSING: lambda group: SymptomText(
        f"{group.program} writes nothing {_cases(group)}; {group.status()}.",
        "Find the line that should write the output, and what keeps the program from reaching it.",
    ),
    REFUSED: _message_instead,
    MISPLACED: lambda group: SymptomText(
        f"{group.program} writes its output to standard error {_cases(group)}.",
        "Write it to standard output, with printf for instance, or with fprintf to stdout.",
    ),
    "wrong-status": _wrong_status,
    "text-wrong": lambda group: _with_example(group, "writes a wrong output", _FOLLOW),
}
"""What to say of these symptoms, by id."""
