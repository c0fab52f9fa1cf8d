"""Say what the failures of one symptom have in common, and where to look next.

A sentence states only what is true of every failure of its group. An advice does not claim what the source contains.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from grader.diagnose.failures import FEW_OPERANDS, MANY_OPERANDS, STREAM_NAMES, Failure, Kind
from grader.diagnose.group import NAMED_CASES, Group
from grader.diagnose.outputs import CopyRun, dropped_bytes
from grader.diagnose.words import byte_list, byte_words, ordinal, quoted
from grader.model.counted import counted
from grader.model.evidence import Exited, LimitReached, RunDone, Signalled
from grader.model.report import CallsEvidence, CasesEvidence
from grader.model.signals import signal_words

MESSAGE_BYTES_MAX = 400
"""A short output that has nothing in common with the right one is quoted."""

EXAMPLE_BYTES = 24
"""Most bytes of an output that an example quotes."""

BEFORE_BYTES = 8
"""Bytes of an example before the first wrong one."""

STACK_BYTES = 7_500_000
"""More memory than a small program uses, unless its stack, of 8 MB, is full."""

SIGABRT = 6
"""The signal of abort, which assert and the C library call too."""

ABORTED = (
    "What it wrote to standard error says who called abort. An assert names its line. The C library calls it after a"
    " misuse of memory, whose line -g -fsanitize=address,undefined finds."
)

REPEATED = {"each-byte-repeated", "one-for-each-pair", "extra-after-each"}
"""Symptoms of programs that write several bytes for each byte of the input."""

WAITING_SHARE = 0.1
"""Less computing than this part of the time means that a program was waiting."""

OPERANDS = (
    "Which condition of your program decides this? Run it with these operands, and print to standard error what the "
    "condition compares."
)
SANITIZE = "Compile with -g -fsanitize=address,undefined and run one of these cases: it names the line."
END_OF_INPUT = (
    "At the end of the input, read returns 0 and getchar returns EOF, which is -1 and no byte. Does every loop over "
    "the input end there, also if nothing was read before?"
)
LOOKUP = (
    "Follow the byte of this example by hand, from where it is read to where it is written, or print it to standard "
    "error in between."
)
LOOPS = "Which loop, or function that calls itself, does it stay in? Print to standard error what should end it."
FF_IN_FROM = "There, FROM has the byte 0xFF."
EOF_LOOKED_UP = "In a char, the byte 0xFF equals EOF (-1): is EOF looked up in FROM before the loop ends?"
CALLS = "Run it under strace -e trace=read,write: which calls does it make, and what does each of them return?"
PIPES = (
    "A pipe has no size and no position, and a read may return fewer bytes than it asks for. Only a read that "
    "returns 0 is its end."
)
INTO_INT = "If read fills an int, only one byte of it is set: what is in the others?"
EVERY_CASE = "Does the check look at every case? It has to come before the first byte is copied."
BUFFERS = "stdio writes the rest at fflush, at exit and at a return from main, and not at _exit."
ENDS = "Which condition ends the loop, or which return, break or exit leaves it? Print what it compares."


class Words(NamedTuple):
    """A sentence about a symptom, and an advice."""

    sentence: str
    advice: str = ""


def words_for(group: Group) -> Words:
    """Return the sentence and the advice for the failures of one symptom."""
    words = _WORDS[group.kind.id](group)
    if group.kind.text in _APART:
        words = words._replace(sentence=f"Apart from {_APART[group.kind.text]}: {words.sentence}")
    elif apart := [failure.apart for failure in group.failures if failure.apart]:
        what = " and ".join(_APART[text] for text in dict.fromkeys(apart))
        words = words._replace(
            sentence=f"{words.sentence} In {len(apart)} of these runs, that is so apart from {what}."
        )
    if group.facts and group.facts[0].what in words.sentence:
        words = words._replace(advice=group.facts[0].advice)
    elif group.facts:
        fact = group.facts[0]
        words = Words(f"{words.sentence} Under strace, {_with_subject(fact.what)}.", fact.advice)
    if group.differs and group.copies() and all(isinstance(run.ending, Exited) for run in group.runs()):
        words = words._replace(
            sentence=f"{words.sentence} Two runs of {group.differs} wrote different outputs.",
            advice="The same input gives different outputs: is a variable or an array used before it was set? "
            + words.advice,
        )
    if group.to_refuse and group.kind.id in ("never-ends", "writes-without-end"):
        few = ", ".join(dict.fromkeys(group.to_refuse[:NAMED_CASES]))
        words = words._replace(
            sentence=f"{words.sentence} It should have refused the operands before, in {few} at least."
        )
    if group.kind.id in REPEATED and any(_wrote_too_much(run) for run in group.runs()):
        words = words._replace(
            sentence=f"{words.sentence} With larger inputs it writes far too much, and was stopped."
        )
    more = [f"{one.case}: {one.difference.summary}." for one in group.failures if one.difference and _is_afar(one)]
    if more:
        return words._replace(sentence=" ".join([words.sentence, *more]))
    if group.runs() and len(group.runs()) < sum(bool(one.case) for one in group.failures):
        return words._replace(sentence=f"{words.sentence} Other runs were not waited for.")
    return words


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


def _of_check(group: Group) -> Words:
    return Words(f"{group.program}: {group.first.check.message}", group.first.check.hint)


def _calls(group: Group) -> Words:
    first: dict[str, str] = {}
    for failure in group.failures:
        if failure.stream is not None:
            first.setdefault(STREAM_NAMES[failure.stream.stream], failure.problem)
    problems = "; ".join(f"{stream}: {problem}" for stream, problem in first.items())
    sentence = f"{group.program}, {problems}."
    deviations = {failure.stream.deviation for failure in group.failures if failure.stream is not None}
    # The rubric's hint is about what a call asks for, and how many there are.
    return Words(sentence, group.first.check.hint if deviations & {"nbyte", "count"} else CALLS)


def _other(group: Group) -> Words:
    check = group.first.check
    about_calls = CALLS if isinstance(check.evidence, CallsEvidence) else ""
    return Words(f"{group.program}: {check.message}", check.hint or about_calls)


def _not_run(group: Group) -> Words:
    return Words(f"{group.program}: {group.kind.text}")


def _not_run_without_end(group: Group) -> Words:
    return Words(f"{group.program}: {group.kind.text}", END_OF_INPUT)


def _crashes(group: Group) -> Words:
    signals = dict.fromkeys(run.ending.signal for run in group.runs() if isinstance(run.ending, Signalled))
    sentence = f"{group.program} crashes {group.where()}: {' or '.join(map(signal_words, signals))}."
    if group.kind.text == FEW_OPERANDS:
        wrote = any(run.stderr.size_bytes for run in group.runs())
        ending = "A message does not end a program: exit right after it." if wrote else ""
        if SIGABRT in signals and wrote:
            ending = "Does abort, or an assert, end it here? A program ends with exit(1) after its message."
        if Kind("crashes", text=MANY_OPERANDS) in group.others:
            return Words(f"{sentence} It also crashes with too many operands, where none is missing.", SANITIZE)
        missing = "A missing operand is a null pointer: look at argc before you use argv[1] or argv[2]."
        return Words(sentence, ending or missing)
    if all(run.peak_memory_bytes >= STACK_BYTES for run in group.runs()):
        least = min(run.peak_memory_bytes for run in group.runs()) // 1_000_000
        used = f" It used {least} MB of memory before that, as much as a full stack."
        return Words(f"{sentence}{used}", f"Does a function call itself without end, or for each byte? {SANITIZE}")
    if signals.keys() == {SIGABRT}:
        return Words(sentence, ABORTED)
    return Words(sentence, SANITIZE)


def _cannot_start(group: Group) -> Words:
    return Words(f"{group.program} cannot be started: {group.kind.text}.", "How large are its arrays?")


def _uses_too_much_memory(group: Group) -> Words:
    return Words(
        f"{group.program} uses more memory than it may {group.where()}, and was stopped.",
        "A copy needs the same memory for any input: is some allocated in a loop, or does a function call itself?",
    )


def _writes_without_end(group: Group) -> Words:
    differences = [failure.difference for failure in group.failures if failure.difference]
    ends = {one.actual.data[-1] for one in differences if one.actual.data}
    last = f" The last byte that it wrote is {byte_words(next(iter(ends)))}." if len(ends) == 1 else ""
    looks_up_eof = _looks_up_eof(group)
    if differences and all(one.offset >= one.expected_size_bytes for one in differences):
        sentence = (
            f"{group.program} copies everything and goes on writing {group.where()}, until it was stopped.{last}"
        )
        if looks_up_eof:
            return Words(f"{sentence} {FF_IN_FROM}", EOF_LOOKED_UP)
        if ends == {0xFF} and group.read_bytes != 1:
            return Words(sentence, f"{END_OF_INPUT} In an unsigned char, EOF is 0xFF and never equal to -1.")
        return Words(sentence, END_OF_INPUT)
    if looks_up_eof:
        return Words(
            f"{group.program} writes far too much {group.where()}, and was stopped.{last} {FF_IN_FROM}", EOF_LOOKED_UP
        )
    if all(run.stderr.size_bytes > run.stdout.size_bytes for run in group.runs()):
        sentence = f"{group.program} writes far too much to standard error {group.where()}, and was stopped."
        return Words(sentence, "Which message does it write again and again, or for each byte?")
    return Words(
        f"{group.program} writes far too much {group.where()}, and was stopped.{last}{_first_difference(group)}",
        "What makes it write more than one byte for a byte of input? Print to standard error which byte it has read.",
    )


def _looks_up_eof(group: Group) -> bool:
    """Return whether a program that uses getchar does not end in runs with 0xFF in FROM, and only in those."""
    others = group.copying - {failure.case for failure in group.failures}
    return bool(
        others and group.read_bytes != 1 and all(b"\xff" in b"".join(one.operands[:1]) for one in group.failures)
    )


def _first_difference(group: Group) -> str:
    """Show what comes and what should come where a first output is wrong that is not available in full."""
    failure = next((failure for failure in group.failures if failure.difference), None)
    if failure is None or failure.difference is None:
        return ""
    where = failure.difference
    expected, actual = (
        window.data[max(where.offset - window.offset, 0) :] for window in (where.expected, where.actual)
    )
    if not expected or not actual:
        return ""
    right, came = group.quoted(expected, EXAMPLE_BYTES), group.quoted(actual, EXAMPLE_BYTES)
    operands = _capital(group.operands(failure))
    return f" {operands}, from byte {where.offset + 1:,} on {right} is right, and it writes {came}."


def _never_ends(group: Group) -> Words:
    end = f"does not end {group.where()}"
    if group.runs() and all(_waited(failure) for failure in group.failures if failure.run):
        waits = "It was waiting, not computing."
        asks = "What does it wait for: which descriptor, or which stream, does it read?"
        return Words(f"{group.program} {end}. {waits}", asks)
    match group.kind.text:
        case "all":
            return Words(f"{group.program} copies everything and then {end}.", END_OF_INPUT)
        case "more":
            return Words(f"{group.program} copies everything, goes on writing, and {end}.", END_OF_INPUT)
        case "nothing":
            return Words(f"{group.program} writes nothing and {end}.", LOOPS)
        case _:
            wrote = ""
            failure = group.smallest()
            if failure is not None and failure.copy is not None:
                size_bytes = len(failure.copy.actual)
                wrote = f" It was stopped after {counted(size_bytes, 'byte')} of {len(failure.copy.expected):,}"
                wrote += f", {group.operands(failure)}."
            return Words(
                f"{group.program} {end}{wrote and '.'}{wrote or f', {group.operands()} for instance.'}", LOOPS
            )


def _waited(failure: Failure) -> bool:
    """Return whether a run that was stopped used the processor for a small part of its time only."""
    run = failure.run
    return (
        run is not None
        and run.ending == LimitReached(kind="limit", limit="wall")
        and run.times.user_s + run.times.sys_s < WAITING_SHARE * run.times.real_s
    )


def _refuses_valid_operands(group: Group) -> Words:
    told = f"it writes to standard error: {group.message()} ({group.status()})"
    sentence = f"{group.program} writes a message and no copy {group.where()}, although the operands are valid."
    return Words(f"{sentence} {_capital(group.operands())}, {told}.", OPERANDS)


def _writes_message_instead(group: Group) -> Words:
    wrote = group.quoted((group.first.copy.actual if group.first.copy else b"").strip())
    told = f"{_capital(group.operands())}, it writes {wrote} to standard output and ends with {group.status()}."
    return Words(f"{group.program} does not copy {group.where()}. {told}", OPERANDS)


def _writes_nothing(group: Group) -> Words:
    nothing = "writes nothing to standard output or standard error"
    sentence = f"{group.program} {nothing} {group.where()}; {group.status()}."
    if group.only_pipes:
        return Words(f"{sentence} There its input comes through a pipe, a few bytes at a time.", PIPES)
    if len(group.copies()) > 1 and group.others:
        return Words(sentence, f"{ENDS} {_capital(group.operands())}, does it come to the write at all?")
    return Words(sentence, CALLS)


def _copies_to_stderr(group: Group) -> Words:
    return Words(
        f"{group.program} writes its copy to standard error {group.where()}.",
        "Standard output is descriptor 1, or stdout.",
    )


def _copies_unchanged(group: Group) -> Words:
    advice = "Is a byte of FROM ever found? And is what you write the variable into which its partner was put?"
    if group.read_bytes == 1:
        advice = f"{advice} {INTO_INT}"
    sentence = f"{group.program} copies its input unchanged {group.where()}, {group.operands()} for instance."
    return Words(sentence, advice)


def _extra_after(group: Group) -> Words:
    extras = {copy.actual[len(copy.expected) :] for copy in group.copies()}
    # What follows an empty copy is perhaps a variable that was never set.
    full = [copy for copy in group.copies() if copy.expected]
    example = full[0].actual[len(full[0].expected) :] if full else b""
    again = bool(full) and all(copy.expected.endswith(copy.actual[len(copy.expected) :]) for copy in full)
    if again and len(extras) > 1:
        sentence = f"{group.program} copies everything {group.where()}, and writes the end of its copy twice."
        return Words(sentence, _advice_after(frozenset()))
    sentence = f"{group.program} copies everything {group.where()}, and then writes {_extra(group, extras, example)}."
    # In one of these runs, the byte must not be the last of the input written twice.
    is_new = any(not copy.input_data.endswith(tuple(extras)) for copy in group.copies())
    return Words(sentence, _advice_after(extras if is_new else frozenset(), reads=group.read_bytes == 1))


def _advice_after(extras: AbstractSet[bytes], *, reads: bool = False) -> str:
    if extras == {b"\xff"} and not reads:
        return "0xFF is what putchar makes of EOF (-1): is every result of getchar compared with EOF before that?"
    if extras == {b"\n"}:
        return 'Which call writes a newline that the input did not have, as puts and printf("…\\n") do?'
    return "What is written when the input has ended? Look at the last round of the loop and at what follows it."


def _extra_before(group: Group) -> Words:
    extras = {copy.actual[: len(copy.actual) - len(copy.expected)] for copy in group.copies()}
    return Words(
        f"{group.program} first writes {_extra(group, extras)}, and then its copy, {group.where()}.",
        "Standard output is for the copy alone: is this left over from debugging? Messages go to standard error.",
    )


def _extra(group: Group, extras: AbstractSet[bytes], example: bytes = b"") -> str:
    if not extras:
        return "more"
    shortest = example or min(extras, key=lambda extra: (len(extra), extra))
    what = f"{group.quoted(shortest)} ({counted(len(shortest), 'byte')})"
    return what if len(extras) == 1 else f"more, in one case {what}"


def _extra_after_each(group: Group) -> Words:
    sentence = f"{group.program} writes {quoted(group.kind.data)} after each byte {group.where()}."
    if group.write_bytes == 1:
        return Words(sentence, "Each write asks for 1 byte, so there are several for each byte that was read.")
    if group.write_bytes == 1 + len(group.kind.data):
        return Words(sentence, f"A write asks for {group.write_bytes} bytes, of which the first is the right one.")
    return Words(sentence, "Which call writes it? Look at each putchar and at the formats of printf.")


def _each_byte_repeated(group: Group) -> Words:
    times = int(group.kind.data)
    often = "twice" if times == 2 else f"{times} times"  # noqa: PLR2004 - English has a word for it
    return Words(
        f"{group.program} writes every byte {often} {group.where()}.{_example(group)}",
        "How often is a byte written in a round of the loop? Is there a write inside of another loop?",
    )


def _one_for_each_pair(group: Group) -> Words:
    copy = group.first.copy
    sizes = f", {len(copy.pairs)} for instance" if copy is not None else ""
    return Words(
        f"{group.program} writes as many bytes for each byte of the input as FROM has{sizes}, {group.where()}.",
        "The write belongs after the loop over FROM, not into it.",
    )


def _stops_early(group: Group) -> Words:
    if not group.kind.data:
        return _stops_anywhere(group)
    stop = group.kind.data[0]
    sentence = (
        f"{group.program} stops at the first byte {byte_words(stop)} {group.where()}; what it wrote before is right."
    )
    if stop == 0xFF and group.read_bytes == 1:  # noqa: PLR2004 - the byte that is -1 in a char
        return Words(
            sentence, "read delivers no EOF: its result tells the end, not the byte. What is compared with -1?"
        )
    return Words(sentence, _STOPS[stop])


_STOPS = {
    0xFF: "Kept in a char, the byte 0xFF equals EOF (-1). What type has the variable that is compared with EOF?",
    0x00: "NUL is a byte like any other, and does not end the input. Is the input handled as a string somewhere?",
    0x0A: "A newline is a byte like any other. Which condition ends the loop?",
}


def _stops_anywhere(group: Group) -> Words:
    copies = group.copies()
    missing = {len(copy.expected) - len(copy.actual) for copy in copies}
    if missing == {1} and any(len(copy.expected) > 1 for copy in copies):
        sentence = f"{group.program} loses the last byte {group.where()}; all before it is right."
        return Words(sentence, "In which order does the last round read, test for the end, and write?")
    sizes = {len(copy.actual) for copy in copies}
    after = f" after {counted(next(iter(sizes)), 'byte')}" if len(sizes) == 1 and copies else ""
    if not after and copies:
        one = min(copies, key=lambda copy: len(copy.input_data))
        after = f" too early: after {counted(len(one.actual), 'byte')} of {len(one.expected):,}, for instance"
    sentence = f"{group.program} writes only the beginning {group.where()}: its output is right, but ends"
    if group.only_pipes:
        return Words(f"{sentence}{after}. There its input comes through a pipe, a few bytes at a time.", PIPES)
    if any(kind.id == "writes-nothing" for kind in group.others) and sizes and min(sizes) >= SMALL_READ:
        return Words(f"{sentence}{after}.", f"What is still in a buffer when the program ends? {BUFFERS}")
    return Words(f"{sentence}{after or ' too early'}.", ENDS)


def _only_whole_blocks(group: Group) -> Words:
    copies, block = group.copies(), group.write_bytes
    most = max(len(copy.expected) - len(copy.actual) for copy in copies)
    what = f"loses the end of its copy {group.where()}, {counted(most, 'byte')} at most"
    if block is not None and block > most and all(len(copy.actual) % block == 0 for copy in copies):
        what = f"writes only blocks of {block:,} bytes {group.where()}: what follows the last whole one is lost"
    return Words(f"{group.program} {what}.", "What is still in the buffer when the input ends?")


def _drops_bytes(group: Group) -> Words:
    match group.kind.data:
        case b"from":
            what = "all bytes that FROM has"
        case b"others":
            what = "all bytes that FROM does not have"
        case b"written":
            missing = frozenset[int]().union(*(frozenset(copy.expected) - {*copy.actual} for copy in group.copies()))
            what = f"{byte_list(missing)}, read or translated,"
        case _:
            lost = frozenset[int]().union(*(dropped_bytes(copy) for copy in group.copies()))
            what = f"{byte_list(lost)} wherever {'it is' if len(lost) == 1 else 'they are'} in the input"
            if len(lost) > 1 and bytes(lost).isspace():
                return Words(
                    f"{group.program} leaves out white space ({byte_list(lost)}) {group.where()}.",
                    "Which function reads? scanf skips white space, and so do its relatives.",
                )
    return Words(
        f"{group.program} leaves out {what} {group.where()}.",
        "Which condition keeps these bytes from being written?",
    )


def _one_of_many(group: Group) -> Words:
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
            advice = "How many bytes does a round of the loop read, and how many of them does it look up?"
    last = any(_has_more(copy, step) for copy in group.copies())
    more = " After an odd number of bytes, one more follows." if last and step == 2 else ""  # noqa: PLR2004
    return Words(f"{group.program} {what} {group.where()}.{more}{_example(group)}", advice)


TAKES = "How often does a round of the loop read? Each call of getchar or read takes the next byte."


def _has_more(copy: CopyRun, step: int) -> bool:
    return len(copy.actual) < len(copy.expected) and len(copy.actual) > len(copy.expected[step - 1 :: step])


def _wrong(group: Group, what: str, advice: str) -> Words:
    return Words(f"{group.program} {what} {group.where()}.{_example(group)}", advice)


def _example(group: Group) -> str:
    """Show one wrong byte: `With the operands “ab” “ba”, 'a' becomes 'a', not 'b'.`, or a piece of both outputs."""
    failure = group.smallest()
    copy = failure.copy if failure is not None else None
    if failure is None or copy is None or copy.actual == copy.expected:
        return ""
    same_size = len(copy.actual) == len(copy.input_data) == len(copy.expected)
    pairs = zip(copy.expected, copy.actual, strict=False)
    at = next((i for i, (right, written) in enumerate(pairs) if right != written), None)
    operands = _capital(group.operands(failure))
    if same_size and at is not None:
        became, right = byte_words(copy.actual[at]), byte_words(copy.expected[at])
        return f" {operands}, {byte_words(copy.input_data[at])} becomes {became}, not {right}."
    start = max((min(len(copy.actual), len(copy.expected)) if at is None else at) - BEFORE_BYTES, 0)
    came, right = (group.quoted(data[start:], EXAMPLE_BYTES) for data in (copy.actual, copy.expected))
    if start:
        return f" {operands}, from byte {start + 1:,} on {right} is right, and it writes {came}."
    read = group.quoted(copy.input_data, EXAMPLE_BYTES)
    return f" {operands} and the input {read}, {right} is right, and it writes {came}."


def _not_translated(group: Group) -> Words:
    what = "leaves bytes of FROM unchanged"
    found = _translated_first(group)
    if found:
        what = f"translates only the first {found} bytes of FROM"
        return _wrong(
            group, what, "Which array is too small for the operands, or which loop over them ends too early?"
        )
    partners = {copy.pairs.get(byte) for copy in group.copies() for byte in copy.wrong}
    if partners == {0xFF}:
        advice = "Only bytes that should become 0xFF stay: does -1, or 0xFF, mean that there is no partner?"
        return _wrong(group, what, advice)
    return _wrong(group, what, LOOKUP)


def _translated_first(group: Group) -> int:
    """Return how many bytes of FROM are translated if all after them stay as they are; 0 if others do too."""
    counts = set()
    for copy in group.copies():
        named = [byte for byte, partner in copy.pairs.items() if byte != partner and byte in copy.read]
        count = next((place for place, byte in enumerate(named) if byte in copy.wrong), 0)
        if {*named[count:]} != copy.wrong.keys():
            return 0
        counts.add([*copy.pairs].index(named[count]))
    return counts.pop() if len(counts) == 1 else 0


def _wrong_bytes(group: Group) -> Words:
    if all(values == {bytes([byte]).swapcase()[0]} for copy in group.copies() for byte, values in copy.wrong.items()):
        return _wrong(group, "changes the case of letters", "Is toupper or tolower called? Bytes stay as they are.")
    advice = LOOKUP
    strange = _strange_bytes(group)
    if strange:
        advice = (
            f"{byte_list(strange)} {'is' if len(strange) == 1 else 'are'} in neither TO nor the input. Is it read "
            f"from outside of an array or an operand, or from one that was not set? {LOOKUP}"
        )
    return _wrong(group, "writes some bytes wrong", advice)


def _strange_bytes(group: Group) -> AbstractSet[int]:
    """Return the bytes of outputs that are in neither operand nor the input of any."""
    strange: set[int] = set()
    for copy in group.copies():
        strange |= {*copy.actual} - {*b"".join(copy.operands), *copy.input_data}
    return strange


def _depends_on_position(group: Group) -> Words:
    what = "translates the same byte rightly in one place and wrongly in another"
    if group.read_bytes is not None and group.read_bytes > 1:
        asks = f"A read asks for {group.read_bytes:,} bytes. " if group.read_bytes <= SMALL_READ else ""
        return _wrong(group, what, f"{asks}Is each byte that was read looked up, or only some of them? {LOOKUP}")
    return _wrong(
        group, what, "What remains of the previous byte? Look for a variable that is not reset for each byte."
    )


SMALL_READ = 512
"""A read for more bytes is stdio's, which is right."""


def _one_byte_for_all(group: Group) -> Words:
    written = {copy.actual[0] for copy in group.copies()}
    firsts = {(copy.operands[1][:1] or b"?")[0] for copy in group.copies() if len(copy.operands) > 1}
    copies_first = all(copy.operands[1:] and copy.operands[1][:1] == copy.actual[:1] for copy in group.copies())
    if copies_first and len(firsts) > 1:
        what = "writes the first byte of TO for every byte of the input"
        return _wrong(group, what, "Is a byte assigned where it should be compared (= for ==)?")
    what = f"writes one and the same byte for every byte of the input ({byte_list(written)})"
    # The byte may be translated itself.
    if all(any(copy.pairs.get(byte, byte) == copy.actual[0] for byte in (0, 1)) for copy in group.copies()):
        return _wrong(
            group,
            what,
            "0 and 1 are what a comparison gives, and 1 is what read returns for one byte. In c = getchar() != EOF, "
            "the comparison comes first: it needs parentheses around the assignment.",
        )
    return _wrong(group, what, "Is the byte that was read overwritten, or another variable written?")


def _of_lookups(group: Group) -> Words:
    return _wrong(group, *_LOOKUPS[group.kind.id])


_LOOKUPS = {
    "operands-swapped": (
        "translates bytes of TO into those of FROM",
        "FROM is the first operand, argv[1], and TO is the second, argv[2]: where are they exchanged?",
    ),
    "every-second-pair": (
        "translates only every second byte of FROM",
        "How often is the index of the loop over FROM increased in a round?",
    ),
    "ignores-case": (
        "does not tell capital letters from small ones",
        "Bytes are compared as they are, without tolower, toupper or strcasecmp.",
    ),
    "found-as-a-word": (
        "translates FROM only where all of it is in the input in this order",
        "Each byte of the input is looked up by itself, in all of FROM.",
    ),
    "found-by-position": (
        "compares the first byte of the input with the first of FROM only, the second with the second, and so on",
        "Each byte of the input is compared with all bytes of FROM: is the next byte read in the loop over FROM?",
    ),
    "translated-once": (
        "translates each byte of FROM at most once",
        "What does the program change when it has found a byte? FROM and TO must stay as they are.",
    ),
    "highest-bit-lost": (
        "writes bytes from 0x80 on without their highest bit",
        "A byte has 8 bits: is there an & 0x7F, a % 128, toascii, or an array of 128 entries?",
    ),
    "wrong-partners": (
        "gives bytes of FROM the partner of another one",
        "Is the order of FROM or TO changed before, or are different indices used for both?",
    ),
    "translated-twice": (
        "looks up again what a byte has become, and so translates it twice",
        "When a byte of FROM is found, its search is over: leave the loop, or keep the new byte in another variable.",
    ),
    "other-bytes-become-one": (
        "writes one and the same byte for every byte that FROM does not have",
        "A byte that is not in FROM stays as it is: what does the search leave behind if it finds nothing?",
    ),
    "only-first-pair": (
        "translates only the first byte of FROM",
        "How often does the loop over FROM run? Look at its end and at what leaves it.",
    ),
    "not-last-pair": (
        "does not translate the last byte of FROM",
        "Does the loop over FROM reach its last byte? Compare its condition with the length.",
    ),
    "high-bytes-not-found": (
        "does not translate bytes of FROM from 0x80 on",
        "A char may be signed: 0xE9 is then -23, and 233 as unsigned or from getchar. Compare both as unsigned char.",
    ),
    "high-bytes-wrong": (
        "writes wrong bytes for input bytes from 0x80 on, and only for those",
        "A char may be signed: 0xE9 is then -23, as an index or in a comparison. Which variables have the type char?",
    ),
}


def _of_sentences(group: Group) -> Words:
    sentence, advice = _SENTENCES[group.kind.id]
    filled = sentence.format(where=group.where(), example=_example(group))
    return Words(f"{group.program} {filled}", advice)


_SENTENCES = {
    "extra-between": (
        "writes all the right bytes {where}, but others in between or around them.{example}",
        "One byte of input gives one byte of output: what else is written in a round of the loop?",
    ),
    "both-bytes": (
        "writes both bytes of a pair, of FROM and of TO, {where}.{example}",
        "If a byte of FROM was found, only its partner is written.",
    ),
    "stops-at-high": (
        "stops at the first byte from 0x80 on {where}; what it wrote before is right.",
        "Is such a byte read as a character, with getwchar for instance, or is it negative, as in a char?",
    ),
    "stops-at-translated-ff": (
        "stops where a byte becomes 0xFF {where}; what it wrote is right.",
        "Compare with EOF what was read, before it is translated. What type has the variable?",
    ),
    "stops-after-match": (
        "stops after the first byte that FROM has {where}; what it wrote is right.",
        "A return, break or exit after a match leaves more than the search: does it also leave the loop that reads?",
    ),
    "stops-after-line": (
        "stops after the first newline {where}; what it wrote is right.",
        "A newline is a byte like any other. Which condition ends the loop?",
    ),
    "loses-first-byte": (
        "loses the first byte of the input {where}.",
        "What reads it before the loop, or in its condition, without writing it?",
    ),
    "loses-bytes": (
        "leaves out some bytes {where}; those that it writes are right.{example}",
        "Which bytes are read, and which of them are not written? Print both to standard error.",
    ),
    "only-whole-lines": (
        "writes only whole lines {where}: what follows the last newline is lost.",
        "What is still in the buffer when the input ends without a newline?",
    ),
    "drops-rests-of-lines": (
        "loses the rest of each line from its first NUL on {where}.",
        "A string ends at NUL: fgets with strlen, puts, fputs and %s lose what follows it. Copy byte by byte.",
    ),
    "drops-after-match": (
        "leaves out bytes that FROM does not have, from where it has found the first byte of FROM, {where}.",
        "Which variable remembers that a byte was found? It must be set again for each byte that is read.",
    ),
    "encoded-as-utf-8": (
        "writes two bytes for each byte from 0x80 on, its encoding in UTF-8, {where}.",
        "Wide characters are encoded when they are written. The lab is about bytes: getchar and putchar.",
    ),
}


def _wrong_output(group: Group) -> Words:
    copy, status = group.first.copy, group.status()
    copies = group.copies()
    if len(copies) > 1 and len({one.actual for one in copies}) == 1 and len({one.input_data for one in copies}) > 1:
        wrote = group.quoted(copies[0].actual)
        sentence = f"{group.program} writes {wrote}, whatever its input and operands are, {group.where()}."
        return Words(sentence, "Which part of the program should read the input and write the copy?")
    if len(copies) > 1 and len(group.other_text) >= COMMON_BYTES:
        first = group.smallest() or group.first
        text = first.copy.actual if first.copy is not None else b""
        wrote = f" {_capital(group.operands(first))}, it writes {group.quoted(text)}."
        sentence = f"{group.program} writes something else than a copy {group.where()}.{wrote}"
        same = f"Each of these outputs begins with {group.quoted(group.other_text)}: "
        return Words(sentence, f"{same}which line writes this, and which one should write the copy?")
    if copy is not None and len(copy.actual) <= MESSAGE_BYTES_MAX and not copy.expected.startswith(copy.actual[:1]):
        wrote = f" {_capital(group.operands())}, it writes {group.quoted(copy.actual)} ({status})."
        return Words(f"{group.program} writes something else than it should {group.where()}.{wrote}", COMPARE)
    if not copies:
        return Words(f"{group.program} writes something else than it should {group.where()}.", COMPARE)
    sizes = _sizes(copies)
    return Words(
        f"{group.program} writes something else than it should {group.where()}.{sizes}{_example(group)}", COMPARE
    )


def _sizes(copies: list[CopyRun]) -> str:
    if all(len(copy.actual) > len(copy.expected) for copy in copies):
        return " It writes too much."
    if all(len(copy.actual) < len(copy.expected) for copy in copies):
        return " It writes too little."
    return ""


COMMON_BYTES = 4
"""Least number of equal bytes at the beginning of several wrong outputs that is not taken for chance."""

COMPARE = (
    "Where do both outputs differ first? Print to standard error each byte that is read and what is written for it, "
    "up to there."
)


def _accepts(group: Group) -> Words:
    if any(kind.id == "operands-swapped" for kind in group.others):
        return _refusal(
            group,
            "copies as if they were right",
            "It takes FROM for TO in other runs: is it the first operand, argv[1], that is checked here?",
        )
    if group.refuses and group.only_high_operands():
        return _refusal(
            group,
            "copies as if they were right, though it refuses others",
            "Only operands with bytes from 0x80 are accepted. As an index, such a byte may be outside of a table"
            " that is too small; as a char, it may be negative.",
        )
    return _refusal(group, "copies as if they were right", _advice_on_accepted(group))


def _advice_on_accepted(group: Group) -> str:
    """Say what the operands that a check refuses have in common, if none that it accepts has it."""
    evidence = group.first.check.evidence
    cases = evidence.cases if isinstance(evidence, CasesEvidence) else ()
    accepted = [failure.operands for failure in group.failures]
    refused = [case.operands for case in cases if case.passed and not case.hidden]
    if not refused or any(len(operands) != 2 for operands in (*accepted, *refused)):  # noqa: PLR2004 - FROM and TO
        return EVERY_CASE
    if all(_is_repeating(to) for _, to in refused) and not any(_is_repeating(to) for _, to in accepted):
        return "It refuses operands only if the second one has a byte twice. Does the check look at FROM, argv[1]?"
    longer = {len(before) > len(after) for before, after in refused}
    if longer.isdisjoint(len(before) > len(after) for before, after in accepted):
        return f"It refuses operands only if {'FROM' if longer == {True} else 'TO'} is longer: any difference counts."
    return EVERY_CASE


def _is_repeating(operand: bytes) -> bool:
    return len({*operand}) < len(operand)


def _accepts_silently(group: Group) -> Words:
    return _refusal(
        group,
        f"writes no message and ends with {group.status()}",
        "Is there a check for this, and does it write to standard error and exit with a status that is not 0?",
    )


def _continues_after_message(group: Group) -> Words:
    return _refusal(
        group,
        f"writes a message and copies all the same ({group.status()})",
        "Check before the first byte is copied, and end right after the message: exit(1), or return 1 from main.",
    )


def _message_and_more(group: Group) -> Words:
    wrote = (group.runs()[0].stdout.data or b"").strip()
    advice = "Standard output is for the copy alone: which line writes this, before or after the check?"
    if any(kind.id == "extra-before" for kind in group.others):
        advice = "It writes more than the copy in other runs too. Standard output is for the copy alone."
    return _refusal(
        group, f"writes a message, and {group.quoted(wrote)} to standard output ({group.status()})", advice
    )


def _message_but_status_0(group: Group) -> Words:
    return _refusal(
        group,
        "writes its message and ends with exit status 0, which means success",
        "End with exit(1), or return 1 from main: a caller sees only the exit status.",
    )


def _message_on_stdout(group: Group) -> Words:
    wrote = group.runs()[0].stdout.data or b""
    what = f"writes {group.quoted(wrote.strip())} to standard output and nothing to standard error ({group.status()})"
    if len(group.other_text) >= COMMON_BYTES and wrote.startswith(group.other_text):
        return _refusal(
            group,
            what,
            f"Runs with right operands begin with {group.quoted(group.other_text)} too. Is there a check for "
            "wrong operands, and a message on standard error?",
        )
    status = any(run.ending == Exited(kind="exited", code=0) for run in group.runs())
    exits = " Then end with exit(1): status 0 means success." if status else ""
    return _refusal(
        group,
        what,
        f"Standard output is for the copy: write messages to standard error, as fprintf(stderr, …) does.{exits}",
    )


def _no_message(group: Group) -> Words:
    return _refusal(
        group,
        f"ends with {group.status()} and writes no message",
        "Is there a message for this? If so, does its call name the stream, as in fprintf(stderr, …)?",
    )


def _refusal(group: Group, what: str, advice: str) -> Words:
    sentence = f"{group.program} does not refuse wrong operands as it should {group.where()}."
    return Words(f"{sentence} {_capital(group.operands())}, it {what}.", advice)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


_WORDS: Mapping[str, Callable[[Group], Words]] = {
    "does-not-compile": _of_check,
    "cannot-start": _cannot_start,
    "crashes": _crashes,
    "never-ends": _never_ends,
    "writes-without-end": _writes_without_end,
    "uses-too-much-memory": _uses_too_much_memory,
    "not-run": _not_run,
    "not-run-without-end": _not_run_without_end,
    "refuses-valid-operands": _refuses_valid_operands,
    "writes-message-instead": _writes_message_instead,
    "writes-nothing": _writes_nothing,
    "copies-to-stderr": _copies_to_stderr,
    "copies-unchanged": _copies_unchanged,
    "extra-after": _extra_after,
    "extra-before": _extra_before,
    "extra-after-each": _extra_after_each,
    "each-byte-repeated": _each_byte_repeated,
    "one-for-each-pair": _one_for_each_pair,
    "only-whole-blocks": _only_whole_blocks,
    "one-of-many-written": _one_of_many,
    "one-of-many-copied": _one_of_many,
    "one-of-many-translated": _one_of_many,
    "one-byte-for-all": _one_byte_for_all,
    **dict.fromkeys(_LOOKUPS, _of_lookups),
    **dict.fromkeys(_SENTENCES, _of_sentences),
    "stops-early": _stops_early,
    "drops-bytes": _drops_bytes,
    "not-translated": _not_translated,
    "wrong-bytes": _wrong_bytes,
    "depends-on-position": _depends_on_position,
    "wrong-output": _wrong_output,
    "accepts-wrong-operands": _accepts,
    "neither-copies-nor-refuses": _accepts_silently,
    "continues-after-message": _continues_after_message,
    "message-and-more": _message_and_more,
    "message-but-status-0": _message_but_status_0,
    "message-on-stdout": _message_on_stdout,
    "no-message": _no_message,
    "system-calls": _calls,
    "functions": _of_check,
    "other": _other,
}
