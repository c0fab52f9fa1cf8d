"""Say what is wrong with the outputs of runs that ended by themselves."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet

from grader.diagnose.advice import (
    BUFFERS,
    COMMON_BYTES,
    ENDS,
    EXAMPLE_BYTES,
    INTO_INT,
    LOOKUP,
    PIPES,
    Words,
    capital,
    example,
    wrong,
)
from grader.diagnose.group import Group
from grader.diagnose.operand_names import FIRST, SECOND
from grader.diagnose.outputs import FF, HIGH, CopyRun, dropped_bytes
from grader.diagnose.words import byte_list, ordinal, quoted
from grader.model.counted import counted
from grader.model.spelled_bytes import byte_words

POINTER_BYTES = 8
MESSAGE_BYTES_MAX = 400
"""A short output that has nothing in common with the right one is quoted."""


def _copies_to_stderr(group: Group) -> Words:
    return Words(
        f"{group.program} writes its copy to standard error {group.where()}.",
        "Standard output is descriptor 1, or stdout.",
    )


def _copies_unchanged(group: Group) -> Words:
    advice = f"Is a byte of {FIRST} ever found? And is what you write the variable into which its partner was put?"
    if group.read_bytes == 1:
        advice = f"{advice} {INTO_INT}"
    sentence = f"{group.program} copies its input unchanged {group.where()}, {group.operands()} for instance."
    return Words(sentence, advice)


def _extra_after(group: Group) -> Words:
    extras = {copy.actual[len(copy.expected) :] for copy in group.copies()}
    # What follows an empty copy is perhaps a variable that was never set.
    full = [copy for copy in group.copies() if copy.expected]
    chosen = next((one for one in group.failures if one.copy in (full or group.copies())), group.first)
    example = b"" if chosen.copy is None else chosen.copy.actual[len(chosen.copy.expected) :]
    again = bool(full) and all(copy.expected.endswith(copy.actual[len(copy.expected) :]) for copy in full)
    if again and len(extras) > 1:
        sentence = f"{group.program} copies everything {group.where()}, and writes the end of its copy twice."
        return Words(sentence, _advice_after(frozenset()))
    what = _extra(extras, example, "" if chosen is group.first else chosen.case)
    sentence = f"{group.program} copies everything {group.where()}, and then writes {what}."
    if extras and not full:
        seen = what if len(extras) == 1 else what.removeprefix("more, ")
        sentence = f"{group.program} writes something {group.where()}, although there is nothing to copy: {seen}."
    if extras and all(_has_own_text(copy, copy.actual[len(copy.expected) :]) for copy in group.copies()):
        return Words(sentence, _OWN_TEXT)
    # In one of these runs, the byte must not be the last of the input written twice.
    is_new = any(not copy.input_data.endswith(tuple(extras)) for copy in group.copies())
    return Words(sentence, _advice_after(extras if is_new else frozenset(), reads=group.read_bytes == 1))


def _advice_after(extras: AbstractSet[bytes], *, reads: bool = False) -> str:
    if extras == {b"\xff"} and not reads:
        return "0xFF is what putchar makes of EOF (-1): is every result of getchar compared with EOF before that?"
    if extras == {b"\n"}:
        return 'Which call writes a newline that the input did not have, as puts and printf("…\\n") do?'
    return "What is written when the input has ended? Look at the last round of the loop and at what follows it."


_OWN_TEXT = (
    "Which call writes this text? Search the source for it. What printf writes may wait in a buffer until the "
    "program ends; what write writes does not wait."
)
_TEXT = re.compile(rb"[!-~][ -~]{2,}[!-~]")


def _has_own_text(copy: CopyRun, written: bytes) -> bool:
    """Return whether bytes have a text that is not a part of the input or of its copy."""
    found = _TEXT.search(written)
    return found is not None and found[0] not in copy.input_data and found[0] not in copy.expected


def _extra_before(group: Group) -> Words:
    extras = {copy.actual[: len(copy.actual) - len(copy.expected)] for copy in group.copies()}
    copy = group.first.copy
    first = b"" if copy is None else copy.actual[: len(copy.actual) - len(copy.expected)]
    extra = _extra(extras, first, noun="something else")
    sentence = f"{group.program} first writes {extra}, and then its copy, {group.where()}."
    advice = "Standard output is for the copy alone: is this left over from debugging? Messages go to standard error."
    if any(kind.id == "extra-after" for kind in group.others):
        advice = f"In other runs it writes something after its copy. Is it the same call? {_OWN_TEXT}"
    return Words(sentence, advice)


def _extra(extras: AbstractSet[bytes], example: bytes = b"", case: str = "", *, noun: str = "more") -> str:
    """Say what is written besides a copy, in `case` if the report does not show the example's."""
    if not extras:
        return noun
    shortest = example or min(extras, key=lambda extra: (len(extra), extra))
    what = f"{quoted(shortest, EXAMPLE_BYTES)} ({counted(len(shortest), 'byte')})"
    return what if len(extras) == 1 else f"{noun}, for instance {what}{case and f' in the case {case}'}"


def _extra_after_each(group: Group) -> Words:
    sentence = f"{group.program} writes {quoted(group.kind.data)} after each byte {group.where()}."
    if group.write_bytes == 1:
        return Words(sentence, "Each write asks for 1 byte, so there are several for each byte that was read.")
    if group.write_bytes == 1 + len(group.kind.data):
        return Words(sentence, f"A write asks for {group.write_bytes} bytes, of which the first is the right one.")
    return Words(sentence, "Which call writes it? Look at each putchar and at the formats of printf.")


def _more_after_each(group: Group) -> Words:
    times = int(group.kind.data)
    more = counted(times - 1, "more byte")
    sentence = f"{group.program} writes {more} after each byte {group.where()}, and not the same everywhere."
    if group.write_bytes == times:
        return Words(
            sentence,
            f"A write asks for {times} bytes, of which only the first was read: nbyte has to be 1."
            + (" A pointer has 8 bytes." if times == POINTER_BYTES else ""),
        )
    return Words(sentence, "Which call writes them? They may come from memory that was never set.")


def _each_byte_repeated(group: Group) -> Words:
    times = int(group.kind.data)
    often = "twice" if times == 2 else f"{times} times"  # noqa: PLR2004 - English has a word for it
    return Words(
        f"{group.program} writes every byte {often} {group.where()}.{example(group)}",
        "How often is a byte written in a round of the loop? Is there a write inside of another loop?",
    )


def _one_for_each_pair(group: Group) -> Words:
    copy = group.first.copy
    sizes = f", {len(copy.pairs)} for instance" if copy is not None else ""
    return Words(
        f"{group.program} writes as many bytes for each byte of the input as {FIRST} has{sizes}, {group.where()}.",
        f"The write belongs after the loop over {FIRST}, not inside it.",
    )


def _stops_early(group: Group) -> Words:
    if not group.kind.data:
        return _stops_anywhere(group)
    stop = group.kind.data[0]
    sentence = f"{group.program} stops at the first {_byte(stop)} {group.where()}; what it wrote before is right."
    if stop == FF and group.read_bytes == 1:
        return Words(sentence, _IN_A_CHAR)
    return Words(sentence, _STOPS[stop])


def _byte(byte: int) -> str:
    """Name a byte after an article: `newline`, `byte 0xFF`."""
    name = byte_words(byte)
    return f"byte {name}" if name.startswith(("'", "0x")) else name


_IN_A_CHAR = "read delivers no EOF: its result tells the end, not the byte. What is compared with -1?"

_STOPS = {
    0xFF: "Kept in a char, the byte 0xFF equals EOF (-1). What type has the variable that is compared with EOF?",
    0x00: "NUL is a byte like any other. Is a byte compared with 0 somewhere, or is the input handled as a string?",
    0x0A: "A newline is a byte like any other. Which condition ends the loop?",
}


def _stops_after_byte(group: Group) -> Words:
    stop = group.kind.data[0]
    what = f"stops when it has written the first {_byte(stop)} {group.where()}"
    sentence = f"{group.program} {what}; up to there, its copy is right."
    return Words(sentence, _IN_A_CHAR if stop == FF and group.read_bytes == 1 else _STOPS[stop])


def _stops_anywhere(group: Group) -> Words:
    copies = group.copies()
    missing = {len(copy.expected) - len(copy.actual) for copy in copies}
    if missing == {1} and any(len(copy.expected) > 1 for copy in copies):
        sentence = f"{group.program} loses the last byte {group.where()}; all before it is right."
        return Words(sentence, "In which order does the last round read, test for the end, and write?")
    sizes = {len(copy.actual) for copy in copies}
    after = f" after {counted(next(iter(sizes)), 'byte')}" if len(sizes) == 1 and copies else ""
    if not after and copies:
        one = copies[0]
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
    return Words(
        f"{group.program} {what}.",
        "The last block may be shorter: write what is left, too, at the latest after the loop.",
    )


def _drops_bytes(group: Group) -> Words:
    match group.kind.data:
        case b"from":
            what = f"all bytes that {FIRST} has"
        case b"others":
            what = f"all bytes that {FIRST} does not have"
        case b"written":
            missing = frozenset[int]().union(*(frozenset(copy.expected) - {*copy.actual} for copy in group.copies()))
            kept = frozenset[int]().union(*(copy.actual for copy in group.copies()))
            kind = _class_of(missing, kept)
            what = f"{f'bytes that are {kind}' if kind else byte_list(missing)} after translation"
        case _:
            lost = frozenset[int]().union(*(dropped_bytes(copy) for copy in group.copies()))
            what = f"{byte_list(lost)} wherever {'it is' if len(lost) == 1 else 'they are'} in the input"
            kind = _class_of(lost, frozenset[int]().union(*(copy.read for copy in group.copies())) - lost)
            if kind:
                what = f"bytes that are {kind}"
            if len(lost) > 1 and bytes(lost).isspace():
                return Words(
                    f"{group.program} leaves out white space ({byte_list(lost)}) {group.where()}.",
                    "scanf skips white space at a blank in its format, and before %d or %s.",
                )
    return Words(
        f"{group.program} leaves out {what} {group.where()}.",
        "Which condition keeps these bytes from being written?",
    )


def _other_order(group: Group) -> Words:
    is_reversed = all(copy.actual == copy.expected[::-1] for copy in group.copies())
    order = "but from the last to the first," if is_reversed else "but in another order,"
    return Words(
        f"{group.program} writes all the right bytes, {order} {group.where()}.",
        "Is the next byte read before this one is written? What stdio writes waits in a buffer; write does not wait.",
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
    return Words(f"{group.program} {what} {group.where()}.{more}{example(group)}", advice)


TAKES = "Each getchar or read takes a byte: how many does a round of the loop call?"


def _has_more(copy: CopyRun, step: int) -> bool:
    return len(copy.actual) < len(copy.expected) and len(copy.actual) > len(copy.expected[step - 1 :: step])


def _not_translated(group: Group) -> Words:
    what = f"leaves bytes of {FIRST} unchanged"
    found = _translated_first(group)
    if found:
        what = f"translates only the first {found} bytes of {FIRST}"
        return wrong(
            group, what, "Which array is too small for the operands, or which loop over them ends too early?"
        )
    partners = {copy.pairs.get(byte) for copy in group.copies() for byte in copy.wrong}
    if partners == {0xFF}:
        advice = "Only bytes that should become 0xFF stay: does -1, or 0xFF, mean that there is no partner?"
        return wrong(group, what, advice)
    unchanged = frozenset[int]().union(*(copy.wrong for copy in group.copies()))
    named = frozenset(byte for copy in group.copies() for byte, partner in copy.pairs.items() if byte != partner)
    right = frozenset[int]().union(*(copy.right for copy in group.copies()))
    kind = _class_of(unchanged, named & right - unchanged)
    if kind:
        what = f"leaves those bytes of {FIRST} unchanged that are {kind}"
        return wrong(group, what, "Which test comes before the lookup: isalpha, isprint, a comparison of letters?")
    return wrong(group, what, LOOKUP)


def _class_of(these: AbstractSet[int], others: AbstractSet[int]) -> str:
    """Say which characters these bytes are or are not, unlike the others: `not letters`; "" if no class fits.

    A few bytes may belong to a class by chance.
    """
    if len(these) < LEAST_OF_CLASS or len(others) < LEAST_OF_CLASS:
        return ""
    for name, members in CLASSES.items():
        if these <= members and members.isdisjoint(others):
            return name
        if others <= members and members.isdisjoint(these):
            return f"not {name}"
    return ""


LEAST_OF_CLASS = 3
_ASCII = [chr(byte) for byte in range(128)]
CLASSES = {
    "letters": frozenset(map(ord, filter(str.isalpha, _ASCII))),
    "letters or digits": frozenset(map(ord, filter(str.isalnum, _ASCII))),
    "digits": frozenset(map(ord, filter(str.isdigit, _ASCII))),
    "small letters": frozenset(map(ord, filter(str.islower, _ASCII))),
    "capital letters": frozenset(map(ord, filter(str.isupper, _ASCII))),
    "letters or white space": frozenset(ord(char) for char in _ASCII if char.isalpha() or char in string.whitespace),
    "printable ASCII": frozenset(map(ord, filter(str.isprintable, _ASCII))),
    "printable ASCII or newline": frozenset(ord(char) for char in _ASCII if char.isprintable() or char == "\n"),
    "printable ASCII or white space": frozenset(map(ord, string.printable)),
    "ASCII": frozenset(range(128)),
}


def _translated_first(group: Group) -> int:
    """Return how many of the first bytes are translated if all after them stay as they are; 0 if others do too."""
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
        return wrong(group, "changes the case of letters", "Is toupper or tolower called? Bytes stay as they are.")
    escape = _escape_taken(group)
    if escape:
        advice = f"Operands have no escapes: {escape} is two bytes, a backslash and a letter."
        return wrong(group, f"takes {escape} in {FIRST} for one byte", advice)
    advice = LOOKUP
    strange = _strange_bytes(group)
    if strange:
        advice = (
            f"{byte_list(strange)} {'is' if len(strange) == 1 else 'are'} in neither {SECOND} nor the input. Is it "
            f"read from outside of an array or an operand, or from one that was not set? {LOOKUP}"
        )
    return wrong(group, _few_wrong_bytes(group) or "writes some bytes wrong", advice)


def _escape_taken(group: Group) -> str:
    r"""Return the escape of the first operand (`\n`) whose byte always has the backslash's partner; or ""."""
    for letter, byte in ESCAPES.items():
        escape = b"\\" + letter.encode("ascii")
        if all(
            copy.operands
            and escape in copy.operands[0]
            and copy.wrong.get(byte) == frozenset({copy.pairs.get(BACKSLASH)})
            and BACKSLASH in copy.wrong
            for copy in group.copies()
        ):
            return f"\\{letter}" if group.copies() else ""
    return ""


BACKSLASH = 0x5C
ESCAPES = {"n": 0x0A, "t": 0x09, "r": 0x0D, "0": 0x00}
"""Byte that each escape sequence of C means, by its letter."""


def _few_wrong_bytes(group: Group) -> str:
    """Name the bytes that come out wrong and what they become, if there are few; empty if there are many."""
    wrong_bytes = {byte for copy in group.copies() for byte in copy.wrong}
    written = {value for copy in group.copies() for values in copy.wrong.values() for value in values}
    controls = bool(wrong_bytes) and max(wrong_bytes) < FIRST_PRINTABLE
    if len(written) != 1 or not (controls or 0 < len(wrong_bytes) <= FEW_WRONG_BYTES):
        return ""
    # Of an output that is too large to be available in full, only the first difference is known.
    for difference in (failure.difference for failure in group.failures if failure.copy is None):
        if difference is None or difference.input_byte not in wrong_bytes:
            return ""
        at = difference.offset - difference.actual.offset
        if not written.issuperset(difference.actual.data[at : at + 1]):
            return ""
    names = byte_list(wrong_bytes) if len(wrong_bytes) <= FEW_WRONG_BYTES else "control characters such as newline"
    return f"writes {byte_list(written)} for {names}"


FIRST_PRINTABLE = 0x20
FEW_WRONG_BYTES = 4
"""Most bytes that a sentence names one by one."""


def _strange_bytes(group: Group) -> AbstractSet[int]:
    """Return the bytes of outputs that are in neither operand nor the input of any."""
    # A byte that another run reads or has in an operand is not strange, and the sentence is about all runs.
    known = (b"".join((*copy.operands, copy.input_data)) for copy in group.copies())
    return set[int]().union(*(copy.actual for copy in group.copies())).difference(*known)


def _depends_on_position(group: Group) -> Words:
    what = _until(group) or "translates the same byte correctly in one place and incorrectly in another"
    if group.read_bytes is not None and group.read_bytes > 1:
        asks = f"A read asks for {group.read_bytes:,} bytes. " if group.read_bytes <= SMALL_READ else ""
        return wrong(group, what, f"{asks}Is each byte that was read looked up, or only some of them? {LOOKUP}")
    advice = "What remains of the previous byte? Look for a variable that is not reset for each byte."
    return wrong(group, what, f"{advice} {INTO_INT}" if group.read_bytes == 1 else advice)


def _until(group: Group) -> str:
    """Say up to where bytes are translated, if all outputs are right up to there, and as the input after that."""
    copies = group.copies()
    ends = [_translated_until(copy) for copy in copies]
    if not copies or not all(ends) or len(copies) < len(group.failures):
        return ""
    if all(map(_ends_with_first_high, copies, ends)):
        return "translates no byte after the first one that becomes 0x80 or higher"
    return "translates bytes only at the beginning of the input, and none after that,"


def _translated_until(copy: CopyRun) -> int:
    """Return the end of the last byte that was translated; 0 if others before it were not."""
    places = zip(copy.input_data, copy.expected, copy.actual, strict=False)
    end = max((at for at, (read, right, came) in enumerate(places, start=1) if read != right == came), default=0)
    missed = sum(read != right for read, right in zip(copy.input_data[end:], copy.expected[end:], strict=False))
    is_all = copy.actual == copy.expected[:end] + copy.input_data[end:]
    return end if is_all and missed >= LEAST_MISSED else 0


LEAST_MISSED = 2
"""Least number of bytes that are not translated after those that are: a single one may have another reason."""


def _ends_with_first_high(copy: CopyRun, end: int) -> bool:
    """Return whether the last byte that was translated is the first one that became one from 0x80 on."""
    pairs = zip(copy.input_data[:end], copy.expected, strict=False)
    return next((at for at, (read, right) in enumerate(pairs, start=1) if read != right >= HIGH), 0) == end


SMALL_READ = 512
"""A read for more bytes is stdio's, which is right."""


def _one_byte_for_all(group: Group) -> Words:
    written = {copy.actual[0] for copy in group.copies()}
    firsts = {(copy.operands[1][:1] or b"?")[0] for copy in group.copies() if len(copy.operands) > 1}
    copies_first = all(copy.operands[1:] and copy.operands[1][:1] == copy.actual[:1] for copy in group.copies())
    if copies_first and len(firsts) > 1:
        what = f"writes the first byte of {SECOND} for every byte of the input"
        return wrong(group, what, "Is a byte assigned where it should be compared (= for ==)?")
    what = f"writes one and the same byte for every byte of the input ({byte_list(written)})"
    # The byte may be translated itself.
    if all(any(copy.pairs.get(byte, byte) == copy.actual[0] for byte in (0, 1)) for copy in group.copies()):
        return wrong(
            group,
            what,
            "0 and 1 are what a comparison gives, and 1 is what read returns for one byte. In c = getchar() != EOF, "
            "the comparison comes first: it needs parentheses around the assignment.",
        )
    return wrong(group, what, "Is the byte that was read overwritten, or another variable written?")


def _of_lookups(group: Group) -> Words:
    return wrong(group, *_LOOKUPS[group.kind.id])


_SAME_PLACE = f"It has to be the one at the same place as in {FIRST}"
_ITS_PLACE = f"Which index is used for {SECOND}? It has to be that of the byte in {FIRST}."

_LOOKUPS = {
    "operands-swapped": (
        f"translates bytes of {SECOND} into those of {FIRST}",
        f"{FIRST} is argv[1], and {SECOND} is argv[2]: where does the program take one for the other?",
    ),
    "every-second-pair": (
        f"translates only every second byte of {FIRST}",
        f"How often is the index of the loop over {FIRST} increased in a round?",
    ),
    "ignores-case": (
        "does not tell capital letters from small ones",
        "Bytes are compared as they are, without tolower, toupper or strcasecmp.",
    ),
    "found-as-a-word": (
        f"translates {FIRST} only where all of it is in the input in this order",
        f"Each byte of the input is looked up by itself, in all of {FIRST}.",
    ),
    "found-by-position": (
        f"compares each byte of the input only with the byte at the same position in {FIRST}",
        f"Compare each byte with all of {FIRST}, and read the next one after that loop.",
    ),
    "translated-once": (
        f"translates each byte of {FIRST} at most once",
        f"What is changed when a byte is found? {FIRST} and {SECOND} must stay as they are.",
    ),
    "goes-on-searching": (
        f"begins to search {FIRST} where the search for the byte before it ended",
        "Each search must begin at the first byte: which index or pointer is not set back before it?",
    ),
    "last-partner-for-others": (
        f"goes on writing the last translated byte for bytes that {FIRST} does not have",
        "What does the search deliver if it finds nothing? It must be set or returned for each byte.",
    ),
    "highest-bit-lost": (
        "writes bytes from 0x80 on without their highest bit",
        "A byte has 8 bits: is there & 0x7F, % 128, toascii, or an array of 128?",
    ),
    "next-partner": (
        f"translates bytes of {FIRST} into the byte of {SECOND} that is one place too far",
        f"{_SAME_PLACE}: is 1 added to an index?",
    ),
    "previous-partner": (
        f"translates bytes of {FIRST} into the byte of {SECOND} that is one place before the right one",
        f"{_SAME_PLACE}: is 1 taken from an index?",
    ),
    "first-partner-for-all": (
        f"translates every byte of {FIRST} into the first byte of {SECOND}",
        _ITS_PLACE,
    ),
    "last-partner-for-all": (
        f"translates every byte of {FIRST} into the last byte of {SECOND}",
        _ITS_PLACE,
    ),
    "wrong-partners": (
        f"gives bytes of {FIRST} the partner of another one",
        f"Is the order of {FIRST} or {SECOND} changed before, or are different indices used for both?",
    ),
    "translated-twice": (
        "looks up again what a byte has become, and so translates it twice",
        "A byte is looked up once: does the search go on after a match, or is a table filled from its own entries?",
    ),
    "other-bytes-become-one": (
        f"writes one and the same byte for every byte that {FIRST} does not have",
        f"A byte that is not in {FIRST} stays as it is: what does the search leave behind if it finds nothing?",
    ),
    "only-first-pair": (
        f"translates only the first byte of {FIRST}",
        f"How often does the loop over {FIRST} run? Look at its end and at what leaves it.",
    ),
    "only-last-pair": (
        f"translates only the last byte of {FIRST}",
        "What does each round of the search do if its byte does not match? It must not change back what was found.",
    ),
    "not-last-pair": (
        f"does not translate the last byte of {FIRST}",
        f"Does the loop over {FIRST} reach its last byte? Look at its condition.",
    ),
    "high-bytes-not-found": (
        f"does not translate bytes of {FIRST} from 0x80 on",
        "A char may be signed: 0xE9 is then -23, and 233 as unsigned or from getchar. Compare both as unsigned char.",
    ),
    "high-bytes-wrong": (
        "writes wrong bytes, but only for input bytes from 0x80 on,",
        "A char may be signed: 0xE9 is then -23, as an index or in a comparison. Which variables have the type char?",
    ),
}


def _extra_between(group: Group) -> Words:
    if not all(map(_repeats_input, group.copies())):
        return _of_sentences(group)
    what = "writes some bytes more than once"
    sentence = f"{group.program} {what} {group.where()}, as it read them or translated.{example(group)}"
    return Words(
        sentence,
        "How often is a byte written in a round of the loop that reads? Write it once, when the search is over.",
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


def _of_sentences(group: Group) -> Words:
    sentence, advice = _SENTENCES[group.kind.id]
    filled = sentence.format(where=group.where(), example=example(group), first=FIRST, second=SECOND)
    return Words(f"{group.program} {filled}", advice)


_SENTENCES = {
    "extra-between": (
        "writes all the right bytes {where}, but others in between or around them.{example}",
        "One byte in, one byte out: what else does a round of the loop write?",
    ),
    "both-bytes": (
        "writes both bytes of a pair, of {first} and of {second}, {where}.{example}",
        f"If a byte of {FIRST} was found, only its partner is written.",
    ),
    "stops-at-high": (
        "stops at the first byte from 0x80 on {where}; what it wrote before is right.",
        "Is such a byte read as a character, with getwchar for instance, or is it negative, as in a char?",
    ),
    "stops-at-translated-ff": (
        "stops where a byte becomes 0xFF {where}; what it wrote is right.",
        "Compare with EOF before the byte is translated. What type has the variable?",
    ),
    "stops-after-match": (
        "stops after the first byte that {first} has {where}; what it wrote is right.",
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
    "loses-first-line": (
        "loses the first line of the input {where}.",
        "What reads it before the loop without writing it, such as fgets or scanf?",
    ),
    "loses-empty-lines": (
        "leaves out empty lines {where}.",
        "An empty line is a newline like any other. strtok skips it, and so does a blank in a format of scanf.",
    ),
    "loses-bytes": (
        "leaves out some bytes {where}; those that it writes are right.{example}",
        "Which bytes are read but not written? Print both to standard error.",
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
        "What remembers that a byte was found? It must be set back for each byte that is read.",
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
        wrote = quoted(copies[0].actual)
        sentence = f"{group.program} writes {wrote}, whatever its input and operands are, {group.where()}."
        return Words(sentence, "Which part of the program should read the input and write the copy?")
    if len(copies) > 1 and len(group.other_text) >= COMMON_BYTES:
        first = group.example() or group.first
        text = first.copy.actual if first.copy is not None else b""
        wrote = f" {capital(group.operands(first))}, it writes {quoted(text)}."
        sentence = f"{group.program} writes something other than a copy {group.where()}.{wrote}"
        same = f"Each of these outputs begins with {quoted(group.other_text)}: "
        return Words(sentence, f"{same}which line writes this, and which one should write the copy?")
    if copy is not None and len(copy.actual) <= MESSAGE_BYTES_MAX and not copy.expected.startswith(copy.actual[:1]):
        wrote = f" {capital(group.operands())}, it writes {quoted(copy.actual)} ({status})."
        return Words(f"{group.program} does not write what it should {group.where()}.{wrote}", COMPARE)
    if not copies:
        return Words(f"{group.program} does not write what it should {group.where()}.", COMPARE)
    return Words(f"{group.program} {_compared(copies)} it should {group.where()}.{example(group)}", COMPARE)


def _compared(copies: list[CopyRun]) -> str:
    if all(len(copy.actual) > len(copy.expected) for copy in copies):
        return "writes more than"
    if all(len(copy.actual) < len(copy.expected) for copy in copies):
        return "writes less than"
    return "does not write what"


COMPARE = (
    "Where do both outputs differ first? Print to standard error each byte that is read and what is written for it, "
    "up to there."
)


OF_OUTPUTS: Mapping[str, Callable[[Group], Words]] = {
    "copies-to-stderr": _copies_to_stderr,
    "copies-unchanged": _copies_unchanged,
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
    "one-byte-for-all": _one_byte_for_all,
    **dict.fromkeys(_LOOKUPS, _of_lookups),
    **dict.fromkeys(_SENTENCES, _of_sentences),
    "extra-between": _extra_between,
    "stops-early": _stops_early,
    "stops-after-byte": _stops_after_byte,
    "drops-bytes": _drops_bytes,
    "not-translated": _not_translated,
    "wrong-bytes": _wrong_bytes,
    "other-order": _other_order,
    "depends-on-position": _depends_on_position,
    "wrong-output": _wrong_output,
}
"""What to say of wrong outputs, by symptom."""
