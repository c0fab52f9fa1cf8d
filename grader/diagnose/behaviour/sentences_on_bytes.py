"""Say what is wrong with outputs that have the right length and wrong bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from grader.diagnose.behaviour.advice import INTO_INT, LOOKUP, SymptomText, wrong
from grader.diagnose.behaviour.group import SMALL_READ, Group
from grader.diagnose.behaviour.operand_names import FIRST, SECOND
from grader.diagnose.behaviour.outputs import HIGH, CopyRun
from grader.diagnose.behaviour.words import byte_list, class_of
from grader.diagnose.c_library import ESCAPES
from grader.model.report import Fact


def _not_translated(group: Group) -> SymptomText:
    what = f"leaves bytes of {FIRST} unchanged"
    found = _translated_first(group)
    if found:
        what = f"translates only the first {found} bytes of {FIRST}"
        if found == HIGH:
            return wrong(
                group, what, "A position from 128 on is negative in a char: keep it, and return it, in an int."
            )
        return wrong(
            group,
            what,
            "Find what cuts the operands: a small array, a copy of only so many bytes, or a loop that ends early.",
        )
    partners = {copy.pairs.get(byte) for copy in group.copies() for byte in copy.wrong}
    if partners == {0xFF}:
        advice = "Only bytes that should become 0xFF stay: -1, or 0xFF, must not mean that a byte was not found."
        what = f"leaves those bytes of {FIRST} unchanged that should become 0xFF"
        return wrong(group, what, advice, "only-ff-stays")
    unchanged = frozenset[int]().union(*(copy.wrong for copy in group.copies()))
    named = frozenset(byte for copy in group.copies() for byte, partner in copy.pairs.items() if byte != partner)
    right = frozenset[int]().union(*(copy.right for copy in group.copies()))
    kind = class_of(unchanged, named & right - unchanged)
    if kind:
        what = f"leaves those bytes of {FIRST} unchanged that are {kind}"
        if not group.called.isdisjoint(("qsort", "bsearch")):
            return wrong(group, what, "Sort bytes in the order in which they are searched: as unsigned char in both.")
        return wrong(group, what, "Look for a test before the lookup: isalpha, isprint, or a comparison of letters.")
    return wrong(group, what, LOOKUP)


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


def _wrong_bytes(group: Group) -> SymptomText:
    changed = [(byte, values) for copy in group.copies() for byte, values in copy.wrong.items()]
    if changed and all(values == {bytes([byte]).swapcase()[0]} for byte, values in changed):
        return wrong(group, "changes the case of letters", "Look for toupper or tolower: bytes stay as they are.")
    escape = _escape_taken(group)
    if escape:
        advice = f"Operands have no escapes: {escape} is two bytes, a backslash and a letter."
        return wrong(group, f"takes {escape} in {FIRST} for one byte", advice)
    advice, facts = LOOKUP, list[Fact]()
    strange = _strange_bytes(group)
    if {byte for copy in group.copies() for byte in copy.wrong} == {0} and not strange:
        facts.append("nul-ends")
        advice = (
            f"NUL ends each string: a search must neither find it at the end of {FIRST} nor take it for an empty"
            " string."
        )
    if strange:
        advice = (
            f"{byte_list(strange)} {'is' if len(strange) == 1 else 'are'} in neither {SECOND} nor the input. Look "
            f"for a read outside of an array or an operand, or of one that was not set. {LOOKUP}"
        )
    return wrong(group, _few_wrong_bytes(group) or "writes some bytes wrong", advice, *facts)


def _escape_taken(group: Group) -> str:
    r"""Return the escape of the first operand (`\n`) whose byte always has the backslash's partner; or ""."""
    for letter, byte in ESCAPES.items():
        if not letter.isalnum():
            continue
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


def _few_wrong_bytes(group: Group) -> str:
    """Name the bytes that come out wrong and what they become, if there are few; empty if there are many."""
    wrong_bytes = {byte for copy in group.copies() for byte in copy.wrong}
    written = {value for copy in group.copies() for values in copy.wrong.values() for value in values}
    controls = bool(wrong_bytes) and max(wrong_bytes) < FIRST_PRINTABLE
    if not (controls or 0 < len(wrong_bytes) <= FEW_WRONG_BYTES):
        return ""
    firsts = {
        _is_first_partner(copy.operands, bytes(sorted(values)))
        for copy in group.copies()
        for values in copy.wrong.values()
    }
    # Of an output that is too large to be available in full, only the first difference is known.
    for failure in (failure for failure in group.failures if failure.copy is None):
        difference = failure.difference
        if difference is None or difference.input_byte not in wrong_bytes:
            return ""
        at = difference.offset - difference.actual.offset
        value = difference.actual.data[at : at + 1]
        written.update(value)
        firsts.add(_is_first_partner(failure.operands, value))
    names = byte_list(wrong_bytes) if len(wrong_bytes) <= FEW_WRONG_BYTES else "control characters such as newline"
    if len(written) == 1:
        return f"writes {byte_list(written)} for {names}"
    return f"writes the first byte of {SECOND} for {names}" if firsts == {True} else f"writes {names} wrong"


def _is_first_partner(operands: Sequence[bytes], written: bytes) -> bool:
    """Return whether what was written is the first byte of the second operand."""
    return len(operands) > 1 and operands[1][:1] == written


FIRST_PRINTABLE = 0x20

FEW_WRONG_BYTES = 4
"""Most bytes that a sentence names one by one."""


def _strange_bytes(group: Group) -> AbstractSet[int]:
    """Return the bytes of outputs that are in neither operand nor the input of any."""
    # A byte that another run reads or has in an operand is not strange, and the sentence is about all runs.
    known = (b"".join((*copy.operands, copy.input_data)) for copy in group.copies())
    return set[int]().union(*(copy.actual for copy in group.copies())).difference(*known)


def _depends_on_position(group: Group) -> SymptomText:
    what = _until(group) or "translates the same byte correctly in one place and incorrectly in another"
    if group.read_bytes is not None and group.read_bytes > 1:
        asks = f"A read asks for {group.read_bytes:,} bytes. " if group.read_bytes <= SMALL_READ else ""
        return wrong(group, what, f"{asks}Look up each byte that was read, not only some of them. {LOOKUP}")
    advice = "Look for a variable that is not reset for each byte: it keeps something of the previous one."
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


def _one_byte_for_all(group: Group) -> SymptomText:
    written = {copy.actual[0] for copy in group.copies()}
    firsts = {(copy.operands[1][:1] or b"?")[0] for copy in group.copies() if len(copy.operands) > 1}
    copies_first = all(copy.operands[1:] and copy.operands[1][:1] == copy.actual[:1] for copy in group.copies())
    if copies_first and len(firsts) > 1:
        what = f"writes the first byte of {SECOND} for every byte of the input"
        return wrong(group, what, "Look for a byte that is assigned where it should be compared (= for ==).")
    what = f"writes one and the same byte for every byte of the input ({byte_list(written)})"
    # The byte may be translated itself.
    if all(any(copy.pairs.get(byte, byte) == copy.actual[0] for byte in (0, 1)) for copy in group.copies()):
        return wrong(
            group,
            what,
            "0 and 1 are what a comparison gives, and 1 is what read returns for one byte. In c = getchar() != EOF, "
            "the comparison comes first: it needs parentheses around the assignment.",
        )
    return wrong(group, what, "Look for what overwrites the byte that was read, or for a write of another variable.")


def _of_lookups(group: Group) -> SymptomText:
    return wrong(group, *_LOOKUPS[group.kind.id])


_SAME_PLACE = f"It has to be the one at the same place as in {FIRST}"

_ITS_PLACE = f"For {SECOND}, use the index of the byte in {FIRST}."

_LOOKUPS = {
    "operands-swapped": (
        f"translates bytes of {SECOND} into those of {FIRST}",
        f"{FIRST} is argv[1], and {SECOND} is argv[2]: find where the program takes one for the other.",
    ),
    "every-second-pair": (
        f"translates only every second byte of {FIRST}",
        f"Increase the index of the loop over {FIRST} only once in a round.",
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
        f"compares each byte of the input with only one byte of {FIRST}, each time with the next one,",
        f"Compare each byte with all of {FIRST}, and read the next one after that loop.",
    ),
    "translated-once": (
        f"translates each byte of {FIRST} at most once",
        f"{FIRST} and {SECOND} must stay as they are: look for what is changed when a byte is found.",
    ),
    "goes-on-searching": (
        f"begins each search of {FIRST} where the search for the previous byte ended",
        "Each search must begin at the first byte: set its index or pointer back before it.",
    ),
    "last-partner-for-others": (
        f"goes on writing the last translated byte for bytes that {FIRST} does not have",
        "If the search finds nothing, write the byte itself: what the search delivers must be set for each byte.",
    ),
    "highest-bit-lost": (
        "writes bytes from 0x80 on without their highest bit",
        "A byte has 8 bits: look for & 0x7F, % 128, toascii, or an array of 128.",
    ),
    "next-partner": (
        f"translates bytes of {FIRST} into the byte of {SECOND} that is one place too far",
        f"{_SAME_PLACE}: look for an index to which 1 is added.",
    ),
    "previous-partner": (
        f"translates bytes of {FIRST} into the byte of {SECOND} that is one place before the right one",
        f"{_SAME_PLACE}: look for an index from which 1 is taken.",
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
        f"translates bytes of {FIRST} into the byte of {SECOND} that belongs to another one",
        f"Do not change the order of {FIRST} or {SECOND}, and use the same index for both.",
    ),
    "translated-twice": (
        "looks up again what a byte has become, and so translates it twice",
        "Look a byte up once: end the search after a match, and do not fill a table from its own entries.",
    ),
    "other-bytes-become-one": (
        f"writes one and the same byte for every byte that {FIRST} does not have",
        f"A byte that is not in {FIRST} stays as it is: write the byte itself if the search finds nothing.",
    ),
    "only-first-pair": (
        f"translates only the first byte of {FIRST}",
        f"Let the loop over {FIRST} run to its end: look at its condition and at what leaves it.",
    ),
    "only-last-pair": (
        f"translates only the last byte of {FIRST}",
        "A round of the search whose byte does not match must not change back what was found.",
    ),
    "not-last-pair": (
        f"does not translate the last byte of {FIRST}",
        f"Let the loop over {FIRST} reach its last byte: look at its condition.",
    ),
    "high-bytes-not-found": (
        f"does not translate bytes of {FIRST} from 0x80 on",
        "A char may be signed: 0xE9 is then -23, and 233 as unsigned or from getchar. Compare both as unsigned char.",
    ),
    "high-bytes-wrong": (
        "writes wrong bytes, but only for input bytes from 0x80 on,",
        "A char may be signed: 0xE9 is then -23, as an index or in a comparison. Use unsigned char for bytes.",
    ),
}


OF_BYTES: Mapping[str, Callable[[Group], SymptomText]] = {
    "one-byte-for-all": _one_byte_for_all,
    **dict.fromkeys(_LOOKUPS, _of_lookups),
    "not-translated": _not_translated,
    "wrong-bytes": _wrong_bytes,
    "depends-on-position": _depends_on_position,
}
"""What to say of outputs of the right length with wrong bytes, by symptom."""
