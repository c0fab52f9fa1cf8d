"""Say what is wrong with outputs that have bytes too many, too few or in another order."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet

from grader.diagnose.behaviour.advice import BUFFERS, ENDS, EXAMPLE_BYTES, PIPES, SymptomText, example
from grader.diagnose.behaviour.group import SMALL_READ, Group
from grader.diagnose.behaviour.operand_names import FIRST, SECOND
from grader.diagnose.behaviour.outputs import FF, CopyRun, dropped_bytes
from grader.diagnose.behaviour.words import byte_list, class_of, ordinal, quoted
from grader.model.counted import capital, counted
from grader.model.report import Fact
from grader.model.spelled_bytes import byte_words

POINTER_BYTES = 8


def _extra_after(group: Group) -> SymptomText:
    extras = {copy.actual[len(copy.expected) :] for copy in group.copies()}
    full = [copy for copy in group.copies() if copy.expected]
    # The command shows the first one.
    chosen = next((one for one in group.failures if one.copy is not None), group.first)
    example = b"" if chosen.copy is None else chosen.copy.actual[len(chosen.copy.expected) :]
    again = bool(full) and all(copy.expected.endswith(copy.actual[len(copy.expected) :]) for copy in full)
    if again and len(extras) > 1:
        sentence = f"{group.program} copies everything, and then writes the end of its copy again {group.where()}."
        return SymptomText(sentence, _advice_after(frozenset()))
    more, shown = _too_much(extras, example, "" if chosen is group.first else chosen.case)
    sentence = f"{group.program} copies the whole input, and then writes {more} {group.where()}{shown}."
    if extras and not full:
        sentence = f"{group.program} writes something {group.where()}, although there is nothing to copy{shown}."
    if extras and all(_has_own_text(copy, copy.actual[len(copy.expected) :]) for copy in group.copies()):
        return SymptomText(sentence, _OWN_TEXT)
    # In one of these runs, the byte must not be the last of the input written twice.
    is_new = any(not copy.input_data.endswith(tuple(extras)) for copy in group.copies())
    return SymptomText(sentence, _advice_after(extras if is_new else frozenset(), reads=group.read_bytes == 1))


def _too_much(extras: AbstractSet[bytes], example: bytes, case: str) -> tuple[str, str]:
    """Say how much is written after a copy, and give an example, in `case` if the report does not show another."""
    sizes = {*map(len, extras)}
    more = counted(next(iter(sizes)), "more byte") if len(sizes) == 1 else "more"
    if not extras:
        return more, ""
    of_size = "" if len(sizes) == 1 else f" ({counted(len(example), 'byte')})"
    shown = f"{quoted(example, EXAMPLE_BYTES)}{of_size}"
    return more, f": {shown}" if len(extras) == 1 else f": for instance {shown}{case and f' in the case {case}'}"


def _advice_after(extras: AbstractSet[bytes], *, reads: bool = False) -> str:
    if extras == {b"\xff"} and not reads:
        return "0xFF is what putchar makes of EOF (-1): compare every result of getchar with EOF before that."
    if extras == {b"\n"}:
        return 'Look for a call that writes a newline that the input did not have, as puts and printf("…\\n") do.'
    return "Look at what is written when the input has ended: at the last round of the loop and at what follows it."


_OWN_TEXT = (
    "Search the source for this text to find the call that writes it. What printf writes may wait in a buffer until "
    "the program ends; what write writes does not wait."
)

_TEXT = re.compile(rb"[!-~][ -~]{2,}[!-~]")


def _has_own_text(copy: CopyRun, written: bytes) -> bool:
    """Return whether bytes have a text that is not a part of the input or of its copy."""
    found = _TEXT.search(written)
    return found is not None and found[0] not in copy.input_data and found[0] not in copy.expected


def _extra_before(group: Group) -> SymptomText:
    extras = {copy.actual[: len(copy.actual) - len(copy.expected)] for copy in group.copies()}
    copy = group.first.copy
    first = b"" if copy is None else copy.actual[: len(copy.actual) - len(copy.expected)]
    extra = _extra(extras, first)
    sentence = f"{group.program} first writes {extra}, and then its {group.output}, {group.where()}."
    advice = f"Standard output is for the {group.output} alone: remove this, or write it to standard error."
    if any(kind.id == "extra-after" for kind in group.others):
        advice = (
            f"In other runs it writes something after its {group.output}, perhaps with the same call. {_OWN_TEXT}"
        )
    return SymptomText(sentence, advice)


def _extra(extras: AbstractSet[bytes], example: bytes) -> str:
    """Say what is written before a copy."""
    if not extras:
        return "something else"
    shortest = example or min(extras, key=lambda extra: (len(extra), extra))
    what = f"{quoted(shortest, EXAMPLE_BYTES)} ({counted(len(shortest), 'byte')})"
    return what if len(extras) == 1 else f"something else, for instance {what}"


def _extra_after_each(group: Group) -> SymptomText:
    sentence = f"{group.program} writes {quoted(group.kind.data)} after each byte {group.where()}."
    if group.write_bytes == 1:
        return SymptomText(sentence, "Each write asks for 1 byte, so there are several for each byte that was read.")
    if group.write_bytes == 1 + len(group.kind.data):
        return SymptomText(
            sentence, f"A write asks for {group.write_bytes} bytes, of which the first is the right one."
        )
    return SymptomText(sentence, "Find the call that writes it: look at each putchar and at the formats of printf.")


def _more_after_each(group: Group) -> SymptomText:
    times = int(group.kind.data)
    more = counted(times - 1, "more byte")
    sentence = f"{group.program} writes {more} after each byte {group.where()}, and not the same everywhere."
    if group.write_bytes == times:
        return SymptomText(
            sentence,
            f"A write asks for {times} bytes, of which only the first was read: nbyte has to be 1."
            + (" A pointer has 8 bytes." if times == POINTER_BYTES else ""),
        )
    return SymptomText(sentence, "Find the call that writes them. They may come from memory that was never set.")


def _each_byte_repeated(group: Group) -> SymptomText:
    times = int(group.kind.data)
    often = "twice" if times == 2 else f"{times} times"  # noqa: PLR2004 - English has a word for it
    return SymptomText(
        f"{group.program} writes every byte {often} {group.where()}.{example(group)}",
        "Write a byte once in a round of the loop: look for a second write, or for one inside of another loop.",
    )


def _one_for_each_pair(group: Group) -> SymptomText:
    copy = group.first.copy
    sizes = f", {len(copy.pairs)} for instance" if copy is not None else ""
    return SymptomText(
        f"{group.program} writes as many bytes for each byte of the input as {FIRST} has{sizes}, {group.where()}.",
        f"The write belongs after the loop over {FIRST}, not inside it.",
    )


def _stops_early(group: Group) -> SymptomText:
    if not group.kind.data:
        return _stops_anywhere(group)
    stop = group.kind.data[0]
    sentence = f"{group.program} stops at the first {_byte(stop)} {group.where()}; what it wrote before is right."
    if stop == FF and group.read_bytes == 1:
        return SymptomText(sentence, _IN_A_CHAR)
    return SymptomText(sentence, _stop_advice(stop))


def _byte(byte: int) -> str:
    """Name a byte after an article: `newline`, `byte 0xFF`."""
    name = byte_words(byte)
    return f"byte {name}" if name.startswith(("'", "0x")) else name


_IN_A_CHAR = "read delivers no EOF: compare its result to find the end, and not the byte."

_STOPS = {
    0xFF: "Kept in a char, the byte 0xFF equals EOF (-1): only an int can hold both, so compare an int with EOF.",
    0x00: "NUL is a byte like any other: do not compare a byte with 0, and do not handle the input as a string.",
    0x0A: "A newline is a byte like any other: find the condition that ends the loop.",
}


def _stop_advice(byte: int) -> str:
    common = f"{capital(_byte(byte))} is a byte like any other: find the condition that ends the loop."
    return _STOPS.get(byte, common)


def _stops_after_byte(group: Group) -> SymptomText:
    stop = group.kind.data[0]
    what = f"stops when it has written the first {_byte(stop)} {group.where()}"
    sentence = f"{group.program} {what}; up to there, its copy is right."
    return SymptomText(sentence, _IN_A_CHAR if stop == FF and group.read_bytes == 1 else _stop_advice(stop))


def _stops_anywhere(group: Group) -> SymptomText:
    copies = group.copies()
    missing = {len(copy.expected) - len(copy.actual) for copy in copies}
    if missing == {1} and any(len(copy.expected) > 1 for copy in copies):
        sentence = f"{group.program} loses the last byte {group.where()}; all before it is right."
        advice = "Look at the order in which the last round reads, tests for the end, and writes."
        return SymptomText(sentence, advice, frozenset({"loses-last"}))
    sizes = {len(copy.actual) for copy in copies}
    after = f" after {counted(next(iter(sizes)), 'byte')}" if len(sizes) == 1 and copies else ""
    if not after and copies:
        one = copies[0]
        after = f" too early: after {counted(len(one.actual), 'byte')} of {len(one.expected):,}, for instance"
    sentence = f"{group.program} writes only the beginning {group.where()}: its output is right, but ends"
    if group.only_pipes:
        return SymptomText(f"{sentence}{after}. There its input comes through a pipe, a few bytes at a time.", PIPES)
    if any(kind.id == "writes-nothing" for kind in group.others) and sizes and min(sizes) >= SMALL_READ:
        return SymptomText(
            f"{sentence}{after}.", f"Look at what is still in a buffer when the program ends. {BUFFERS}"
        )
    return SymptomText(f"{sentence}{after or ' too early'}.", ENDS)


def _only_whole_blocks(group: Group) -> SymptomText:
    copies, block = group.copies(), group.write_bytes
    most = max(len(copy.expected) - len(copy.actual) for copy in copies)
    what = f"loses the end of its copy {group.where()}, {counted(most, 'byte')} at most"
    if block is not None and block > most and all(len(copy.actual) % block == 0 for copy in copies):
        what = f"writes only blocks of {block:,} bytes {group.where()}: what follows the last whole one is lost"
    return SymptomText(
        f"{group.program} {what}.",
        "The last block may be shorter: write what is left, too, at the latest after the loop.",
    )


def _drops_bytes(group: Group) -> SymptomText:
    facts, named = set[Fact](), frozenset[int]()
    match group.kind.data:
        case b"from":
            what = f"all bytes that {FIRST} has"
            facts.add("drops-by-operand")
        case b"others":
            what = f"all bytes that {FIRST} does not have"
            facts.add("drops-by-operand")
        case b"written":
            missing = frozenset[int]().union(*(frozenset(copy.expected) - {*copy.actual} for copy in group.copies()))
            kept = frozenset[int]().union(*(copy.actual for copy in group.copies()))
            kind = class_of(missing, kept)
            named = frozenset() if kind else missing
            what = f"{f'bytes that are {kind}' if kind else byte_list(missing)} after translation"
        case _:
            lost = frozenset[int]().union(*(dropped_bytes(copy) for copy in group.copies()))
            what = f"{byte_list(lost)} wherever {'it is' if len(lost) == 1 else 'they are'} in the input"
            kind = class_of(lost, frozenset[int]().union(*(copy.read for copy in group.copies())) - lost)
            named = frozenset() if kind else lost
            if kind:
                what = f"bytes that are {kind}"
            if len(lost) > 1 and bytes(lost).isspace():
                return SymptomText(
                    f"{group.program} leaves out white space ({byte_list(lost)}) {group.where()}.",
                    "scanf skips white space at a blank in its format, and before %d or %s.",
                )
    if 0 in named:
        facts.add("drops-nul")
    return SymptomText(
        f"{group.program} leaves out {what} {group.where()}.",
        "Find the condition that keeps these bytes from being written.",
        frozenset(facts),
    )


def _other_order(group: Group) -> SymptomText:
    is_reversed = all(copy.actual == copy.expected[::-1] for copy in group.copies())
    order = "but from the last to the first," if is_reversed else "but in another order,"
    return SymptomText(
        f"{group.program} writes all the right bytes, {order} {group.where()}.",
        "Write each byte before you read the next one. What stdio writes waits in a buffer; write does not wait.",
    )


def _one_of_many(group: Group) -> SymptomText:
    step = int(group.kind.data)
    every = f"every {ordinal(step)} byte"
    match group.kind.id:
        case "one-of-many-written":
            what, advice = f"writes only {every} of its copy", TAKES
            if group.read_bytes is not None and group.read_bytes == step:
                advice = f"A read asks for {step:,} bytes: each of them has to be looked up and written."
        case "one-of-many-copied":
            what, advice = f"writes only {every} of the input, and unchanged", TAKES
            if group.read_bytes is not None and group.read_bytes == step:
                advice = f"A read asks for {step:,} bytes: ask for 1, into a variable of 1 byte."
        case _:
            what = f"translates only {every}, and copies the others as they are"
            advice = "Look up every byte that a round of the loop reads."
            if group.read_bytes is not None and group.read_bytes == step:
                advice = f"A read asks for {step:,} bytes, of which one is looked up: ask for 1 with each read."
    last = any(_has_more(copy, step) for copy in group.copies())
    more = ", and one more after an odd number of bytes," if last and step == 2 else ""  # noqa: PLR2004
    return SymptomText(f"{group.program} {what}{more} {group.where()}.{example(group)}", advice)


TAKES = "Each getchar or read takes a byte: call only one of them in a round of the loop."


def _has_more(copy: CopyRun, step: int) -> bool:
    return len(copy.actual) < len(copy.expected) and len(copy.actual) > len(copy.expected[step - 1 :: step])


def _extra_between(group: Group) -> SymptomText:
    if not all(map(_repeats_input, group.copies())):
        return _of_sentences(group)
    what = "writes some bytes more than once"
    sentence = f"{group.program} {what} {group.where()}, as it read them or translated.{example(group)}"
    return SymptomText(
        sentence,
        "In a round of the loop that reads, write only once, when the search is over.",
    )


def _repeats_input(copy: CopyRun) -> bool:
    """Return whether an output has, for each byte of the input, only this byte and what it becomes, in any number."""
    if len(copy.input_data) != len(copy.expected):
        return False
    places, steps = {0}, 0
    for before, after in zip(copy.input_data, copy.expected, strict=True):
        ends = set()
        for start in places:
            end, has_right = start, False
            while end < len(copy.actual) and copy.actual[end] in (before, after):
                has_right |= copy.actual[end] == after
                end += 1
                if has_right:
                    ends.add(end)
            steps += end - start + 1
        # In long runs of one byte there are too many ways to match both.
        if steps > MOST_STEPS:
            return False
        places = ends
    return len(copy.actual) in places


MOST_STEPS = 1_000_000
"""Steps in which an output is matched with the input; they take a tenth of a second."""


def _of_sentences(group: Group) -> SymptomText:
    sentence, advice = _SENTENCES[group.kind.id]
    filled = sentence.format(where=group.where(), example=example(group), first=FIRST, second=SECOND)
    return SymptomText(f"{group.program} {filled}", advice)


_SENTENCES = {
    "extra-between": (
        "writes all the right bytes {where}, but others in between or around them.{example}",
        "One byte in, one byte out: find what else a round of the loop writes.",
    ),
    "both-bytes": (
        "writes both bytes of a pair, of {first} and of {second}, {where}.{example}",
        f"If a byte of {FIRST} was found, write only the byte of {SECOND}.",
    ),
    "stops-at-high": (
        "stops at the first byte that is 0x80 or higher, {where}; what it wrote before is right.",
        "Read bytes, not characters as with getwchar, and do not take a negative char for the end of the input.",
    ),
    "stops-at-translated-ff": (
        "stops where a byte becomes 0xFF {where}; what it wrote is right.",
        "Compare with EOF before the byte is translated, in an int.",
    ),
    "stops-after-match": (
        "stops after the first byte that {first} has {where}; what it wrote is right.",
        "A return, break or exit after a match must leave only the search, and not the loop that reads.",
    ),
    "stops-after-line": (
        "stops after the first newline {where}; what it wrote is right.",
        "A newline is a byte like any other: find the condition that ends the loop.",
    ),
    "loses-first-byte": (
        "loses the first byte of the input {where}.",
        "Look for what reads it before the loop, or in its condition, without writing it.",
    ),
    "loses-first-line": (
        "loses the first line of the input {where}.",
        "Look for what reads it before the loop without writing it, such as fgets or scanf.",
    ),
    "loses-empty-lines": (
        "leaves out empty lines {where}.",
        "An empty line is a newline like any other. strtok skips it, and so does a blank in a format of scanf.",
    ),
    "loses-bytes": (
        "leaves out some bytes {where}; those that it writes are right.{example}",
        "Find out which bytes are read but not written: print both to standard error.",
    ),
    "only-whole-lines": (
        "writes only whole lines {where}: what follows the last newline is lost.",
        "The input need not end with a newline: write what follows the last one, too, at the latest after the loop.",
    ),
    "drops-rests-of-lines": (
        "loses the rest of each line from its first NUL on {where}.",
        "A string ends at NUL, but a line of the input need not: copy byte by byte.",
    ),
    "drops-after-match": (
        "leaves out bytes that {first} does not have, from where it has found the first byte of {first}, {where}.",
        "What remembers that a byte was found must be set back for each byte that is read.",
    ),
    "encoded-as-utf-8": (
        "writes two bytes for each byte from 0x80 on, its encoding in UTF-8, {where}.",
        "Wide characters are encoded when they are written. The lab is about bytes: getchar and putchar.",
    ),
}


OF_LENGTHS: Mapping[str, Callable[[Group], SymptomText]] = {
    "extra-after": _extra_after,
    "extra-before": _extra_before,
    "extra-after-each": _extra_after_each,
    "more-after-each": _more_after_each,
    "each-byte-repeated": _each_byte_repeated,
    "one-for-each-pair": _one_for_each_pair,
    "only-whole-blocks": _only_whole_blocks,
    "one-of-many-written": _one_of_many,
    "one-of-many-copied": _one_of_many,
    "one-of-many-translated": _one_of_many,
    **dict.fromkeys(_SENTENCES, _of_sentences),
    "extra-between": _extra_between,
    "stops-early": _stops_early,
    "stops-after-byte": _stops_after_byte,
    "drops-bytes": _drops_bytes,
    "other-order": _other_order,
}
"""What to say of outputs with bytes too many, too few or in another order, by symptom."""
