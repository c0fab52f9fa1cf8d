"""Say what the failures of one symptom have in common, and where to look next.

A sentence states only what is true of every failure of its group. Advice does not claim what the source contains.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from grader.diagnose.behaviour.advice import (
    CALLS,
    OWN_MESSAGES,
    SymptomText,
    end_of_input,
)
from grader.diagnose.behaviour.calls import CallFact
from grader.diagnose.behaviour.failures import Failure
from grader.diagnose.behaviour.group import NAMED_CASES, Group
from grader.diagnose.behaviour.operand_names import named
from grader.diagnose.behaviour.sentences_on_endings import OF_ENDINGS
from grader.diagnose.behaviour.sentences_on_operands import OF_OPERANDS
from grader.diagnose.behaviour.sentences_on_outputs import OF_OUTPUTS
from grader.diagnose.behaviour.sentences_on_texts import OF_TEXTS
from grader.model.evidence import Exited, LimitReached, RunDone
from grader.model.report import AdvicePart, CallsEvidence

REPEATED = {"each-byte-repeated", "one-for-each-pair", "extra-after-each", "more-after-each"}
"""Symptoms of programs that write several bytes for each byte of the input."""


def words_for(group: Group) -> SymptomText:
    """Return the sentence and the advice for the failures of one symptom, with the operands named as in the spec."""
    words = _words_for(group)
    sentence, advice = (named(text, group.operand_names) for text in (words.sentence, words.advice))
    return words._replace(sentence=sentence, advice=advice)


def writes_two_outputs(group: Group) -> bool:
    """Return whether the outputs of a symptom differ from run to run, as far as that is known."""
    return bool(group.differs and group.copies()) and all(isinstance(run.ending, Exited) for run in group.runs())


def _words_for(group: Group) -> SymptomText:
    words = _WORDS[group.kind.id](group)
    if group.kind.text in _APART:
        words = words._replace(sentence=f"Apart from {_APART[group.kind.text]}: {words.sentence}")
    elif apart := [failure.apart for failure in group.failures if failure.apart]:
        what = " and ".join(_APART[text] for text in dict.fromkeys(apart))
        words = words._replace(
            sentence=f"{words.sentence.removesuffix('.')}, in {len(apart)} of these runs apart from {what}."
        )
    words = _with_facts(words, group)
    if writes_two_outputs(group):
        how = "" if group.differs_in_size else " of the same size"
        words = words._replace(sentence=f"{words.sentence} Two runs of {group.differs} wrote different outputs{how}.")
    if group.to_refuse and group.kind.id in ("never-ends", "writes-without-end"):
        few = ", ".join(dict.fromkeys(group.to_refuse[:NAMED_CASES]))
        words = words._replace(
            sentence=f"{words.sentence} It should have refused the operands before, in {few} at least."
        )
    if group.kind.id in REPEATED and any(_wrote_too_much(run) for run in group.runs()):
        words = words._replace(
            sentence=f"{words.sentence} With larger inputs it was stopped {group.stopped_after()}."
        )
    more = [f"{one.case}: {one.difference.summary}." for one in group.failures if one.difference and _is_afar(one)]
    if more:
        return words._replace(sentence=" ".join([words.sentence, *more]))
    is_partly_run = group.runs() and len(group.runs()) < sum(bool(one.case) for one in group.failures)
    if is_partly_run and "no-more-runs" not in words.facts:
        return words._replace(sentence=f"{words.sentence} Other runs were not waited for.")
    return words


def _with_facts(words: SymptomText, group: Group) -> SymptomText:
    """Add what the log of the traced run shows, and what the source calls."""
    if group.facts:
        fact = group.facts[0]
        words = words.advising(fact.advice)
        if fact.about == "pipe":
            words = words._replace(facts=words.facts | {"pipe-calls"})
        if not _is_said(fact, group):
            words = words._replace(sentence=f"{words.sentence} Under strace, {_with_subject(fact.what)}.")
    if group.kind.id == "writes-nothing" and group.called and group.called.isdisjoint(_WRITERS):
        words = words.advising(_NO_WRITER)
    return words


def _is_said(fact: CallFact, group: Group) -> bool:
    """Return whether the judge says it, too: that bytes are moved by another call than read or write."""
    return fact.about == "name" and any(
        failure.stream is not None and failure.stream.instead == (fact.call,) for failure in group.failures
    )


_WRITERS = {
    *("write", "writev", "pwrite", "putchar", "putc", "fputc", "puts", "fputs", "printf", "vprintf", "dprintf"),
    *("fwrite", "putw", "sendfile", "splice", "syscall", "putchar_unlocked", "putc_unlocked", "fputc_unlocked"),
}
"""Functions that can write to standard output. A message is written with fprintf or perror."""

_NO_WRITER = "The source calls neither write nor putchar: write each byte in the loop that reads, after its lookup."

TWO_OUTPUTS = AdvicePart(
    kind="two-outputs",
    text=(
        "The same input gives different outputs: look for memory that is used before it is set, outside of its array,"
        " or after free."
    ),
)

_APART = {
    "first": "what it writes first",
    "last": "what it writes last",
    "wrong": "bytes that are wrong as in other cases",
}


def _with_subject(what: str) -> str:
    """Add a subject to the predicate of a fact that has none."""
    return what if what[0].isdigit() or what.startswith(("its ", "all ")) else f"it {what}"


def _wrote_too_much(run: RunDone) -> bool:
    return run.ending == LimitReached(kind="limit", limit="output")


def _is_afar(failure: Failure) -> bool:
    """Return whether only the first difference of an output is known, because it is too large."""
    return failure.copy is None and failure.run is not None and isinstance(failure.run.ending, Exited)


def about(program: str, message: str) -> str:
    """Return a message of a check as a sentence about the program, which the message may call `it`."""
    if message.startswith("its "):
        return f"{program}'s {message.removeprefix('its ')}"
    return f"{program} {message.removeprefix('it ')}" if message.startswith("it ") else f"{program}: {message}"


def _of_check(group: Group) -> SymptomText:
    return SymptomText(about(group.program, group.first.check.message), group.first.check.hint)


def _calls(group: Group) -> SymptomText:
    first: dict[str, str] = {}
    for failure in group.failures:
        if failure.stream is not None:
            # A number of calls is that of one run; others may have another.
            run = f" ({failure.stream.words})" if failure.stream.deviation == "count" else ""
            words = f"{failure.stream.place}{run}: {failure.problem}"
            # A problem of the program names the stream itself.
            first.setdefault(failure.stream.place, failure.problem if failure.problem.startswith("it ") else words)
    problems = "; ".join(first.values())
    sentence = f"{about(group.program, problems)}." if problems.startswith("it ") else f"{group.program}, {problems}."
    # The nbyte of a write of nothing is the length of a string that begins with a NUL.
    if any(failure.stream is not None and failure.stream.nbyte == 0 for failure in group.failures):
        advice = "A write of 0 bytes writes nothing: ask for 1 byte, whatever its value is."
        return SymptomText(sentence, advice, frozenset({"writes-of-nothing"}))
    # The rubric's hint is about what a call asks for, and how many there are.
    return SymptomText(sentence, group.first.check.hint or CALLS)


def _other(group: Group) -> SymptomText:
    check, about_calls = group.first.check, ""
    if isinstance(check.evidence, CallsEvidence):
        about_calls = OWN_MESSAGES if check.evidence.also_to_errors else CALLS
    return SymptomText(about(group.program, check.message), check.hint or about_calls)


def _not_run(group: Group) -> SymptomText:
    return SymptomText(about(group.program, group.kind.text))


def _not_run_without_end(group: Group) -> SymptomText:
    return SymptomText(about(group.program, group.kind.text), end_of_input(group.called))


_WORDS: Mapping[str, Callable[[Group], SymptomText]] = {
    **OF_TEXTS,
    **OF_ENDINGS,
    **OF_OPERANDS,
    **OF_OUTPUTS,
    "does-not-compile": _of_check,
    "not-run": _not_run,
    "not-run-without-end": _not_run_without_end,
    "system-calls": _calls,
    "functions": _of_check,
    "other": _other,
}
