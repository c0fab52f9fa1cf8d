"""Describe a wrong output in full: the first difference alone does not tell a lost byte from a wrong one."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from grader.model.evidence import Captured
from grader.model.lab import is_translation
from grader.model.report import Difference

LONGEST_FACTOR = 3
"""In an output that is more than this many times too long, it is unclear which bytes are the right ones."""

HIGH = 0x80
FF = 0xFF
SPECIAL_BYTES = (0x00, 0x0A, 0xFF)
"""Bytes at which programs often stop: NUL, newline, and what EOF looks like in a char."""

STEPS = (2, 3, 4, 8, 16, 100, 128, 256, 512, 1000, 1024, 2048, 4096, 8192)
"""Of how many bytes programs may handle only one: sizes of variables and buffers."""

LINE_BUFFERS = (16, 32, 64, 80, 100, 128, 200, 255, 256, 500, 512, 1000, 1024, 2048, 4096, 8192)
"""Sizes of arrays into which programs often read lines."""

MOST_HIDDEN_BYTES = 8
"""Lost bytes to look for whose partners the output has all the same, because other bytes become them."""

_ALL = bytes(range(256))
_WITHOUT_HIGHEST_BIT = bytes(byte & 0x7F for byte in range(256))


@dataclass(frozen=True)
class CopyRun:
    """One run that should have copied its input: its operands, what it read, and both outputs, whole."""

    operands: tuple[bytes, ...]
    input_data: bytes
    expected: bytes
    actual: bytes

    @cached_property
    def mapping(self) -> Mapping[int, int] | None:
        """What each byte of the input becomes in a right output; None if that depends on more than the byte."""
        if len(self.expected) != len(self.input_data):
            return None
        mapping = self._becomes(self.expected)
        return mapping if self.translated(mapping) == self.expected else None

    def _becomes(self, output: bytes) -> Mapping[int, int]:
        """Return what each byte of the input becomes in an output of the same length, where it comes first."""
        return {byte: output[self.input_data.index(byte)] for byte in self.read}

    @cached_property
    def _triples(self) -> AbstractSet[tuple[int, int, int]]:
        """Each byte of the input with the right one and the written one, for an output of the right length."""
        if not len(self.input_data) == len(self.expected) == len(self.actual):
            # The program does more than to exchange bytes.
            return frozenset()
        becomes = self._becomes(self.actual)
        if self.mapping is not None and self.translated(becomes) == self.actual:
            return {(byte, self.mapping[byte], written) for byte, written in becomes.items()}
        return set(zip(self.input_data, self.expected, self.actual, strict=True))

    @cached_property
    def wrong(self) -> Mapping[int, frozenset[int]]:
        """For an output of the right length: what each byte of the input became where it is wrong."""
        became: defaultdict[int, set[int]] = defaultdict(set)
        for byte, right, written in self._triples:
            if right != written:
                became[byte].add(written)
        return {byte: frozenset(values) for byte, values in became.items()}

    @cached_property
    def right(self) -> frozenset[int]:
        """For an output of the right length: the bytes of the input that came out right somewhere."""
        return frozenset(byte for byte, right, written in self._triples if right == written)

    @cached_property
    def read(self) -> frozenset[int]:
        """The bytes that the input has."""
        return frozenset(self.input_data)

    @cached_property
    def pairs(self) -> Mapping[int, int]:
        """The bytes that the first operand names, in order, each with its partner in the second.

        There are none unless the right output shows that this is what the operands mean.
        """
        match self.operands:
            case (before, after) if len(before) == len(after):
                pairs = dict(zip(before, after, strict=True))
                return pairs if self.translated(pairs) == self.expected else {}
            case _:
                return {}

    def translated(self, pairs: Mapping[int, int]) -> bytes:
        """Return the input with these bytes exchanged for their partners."""
        return self.input_data.translate(_table(pairs))


class Kind(NamedTuple):
    """What failures have in common: the id of their symptom.

    `data` and `text` tell apart what has the same id: the byte at which an output stops, a number, a case's name.
    """

    id: str
    data: bytes = b""
    text: str = ""


OTHER_ORDER = Kind("other-order")
"""An output that has all the right bytes, some of them at other places."""

WRONG_OUTPUT = Kind("wrong-output")
"""An output of which nothing more is known."""

GENERIC = {
    Kind("stops-early"),
    Kind("not-translated"),
    Kind("depends-on-position"),
    Kind("wrong-bytes"),
    Kind("loses-bytes"),
    Kind("extra-between"),
    WRONG_OUTPUT,
}
"""True of many outputs, and so only worth saying if nothing else is true of some of them."""

EXTRA = {"extra-before", "extra-after", "extra-between", "extra-after-each", "more-after-each", "both-bytes"}
"""Symptoms of outputs that have a right copy in them."""


def _table(pairs: Mapping[int, int]) -> bytes:
    table = bytearray(_ALL)
    for before, after in pairs.items():
        table[before] = after
    return bytes(table)


def is_copy(written: bytes, input_data: bytes, operands: Sequence[bytes]) -> bool:
    """Return whether a program copied although it should have refused its operands, rather than write a message.

    Its copy may be wrong, so half of the bytes that no operand names have to be where they are in the input, counted
    from the beginning or from the end; or each byte of the input always becomes the same one. NUL is in no message,
    except at its end, where it ends a string.
    """
    if not input_data.endswith(b"\0"):
        written = written.removesuffix(b"\0")
    if 0 in written or _is_translated(written, input_data):
        return True
    named = frozenset(b"".join(operands))
    aligned = zip(input_data, written, strict=False), zip(reversed(input_data), reversed(written), strict=False)
    kept = max(sum(before == after and before not in named for before, after in pairs) for pairs in aligned)
    return kept * 2 >= sum(byte not in named for byte in input_data) > 0


def was_copied(written: Captured, input_data: bytes, operands: Sequence[bytes]) -> bool:
    """Return the same of a captured output. One that was not sent is too long for a message, but may be no copy."""
    if written.data is not None:
        return is_copy(written.data, input_data, operands)
    return abs(written.size_bytes - len(input_data)) * 2 <= len(input_data)


def _is_translated(written: bytes, input_data: bytes) -> bool:
    """Return whether an output is the input with each byte exchanged for the same one wherever it is.

    Nothing follows from an input without a repeated byte, or from an output that is one byte again and again.
    """
    tells = len({*input_data}) < len(input_data) and len({*written}) > 1
    return tells and is_translation(input_data, written)


def begins_copy(written: bytes, input_data: bytes, operands: Sequence[bytes]) -> bool:
    """Return whether an output is a part of a copy, from its beginning.

    The operands may name a byte twice: then each of its partners is right.
    """
    if not 0 < len(written) < len(input_data):
        return False
    pairs = zip(*operands, strict=False) if len(operands) == 2 else ()  # noqa: PLR2004 - a pair
    partners: defaultdict[int, set[int]] = defaultdict(set)
    for before, after in pairs:
        partners[before].add(after)
    return all(after in partners.get(before, {before}) for before, after in zip(input_data, written, strict=False))


def output_symptoms(run: CopyRun) -> tuple[Kind, ...]:
    """Return everything that is true of a wrong output as a whole, the most specific first; at least one."""
    return tuple(dict.fromkeys(_symptoms(run)))


def _symptoms(run: CopyRun) -> Iterator[Kind]:
    actual, expected = run.actual, run.expected
    if not actual:
        # Perhaps it stops at the first byte of the input, which only other runs can tell.
        yield Kind("writes-nothing")
        yield from _stops(run)
        # Perhaps it loses all bytes that this input has.
        yield from _of_lost_bytes(run)
    else:
        if run.mapping is not None:
            yield from _of_same_length(run) if len(actual) == len(expected) else ()
        if actual.startswith(expected):
            # If the copy is empty, it is unclear whether this comes before or after it.
            yield Kind("extra-after")
        if actual.endswith(expected):
            yield Kind("extra-before")
        if expected.startswith(actual):
            yield from _stops(run)
        yield from _of_other_length(run)
        if len(actual) == len(expected) and run.mapping is not None:
            yield from _of_single_bytes(run)
        yield WRONG_OUTPUT


def difference_symptom(difference: Difference, input_data: bytes) -> Kind:
    """Describe how an output is wrong that is too large to be available in full."""
    actual_bytes, expected_bytes = difference.actual_size_bytes, difference.expected_size_bytes
    if not actual_bytes:
        return Kind("writes-nothing")
    if difference.offset == actual_bytes:
        return Kind("stops-early", _stop_at(actual_bytes, input_data))
    if difference.offset == expected_bytes:
        return Kind("extra-after")
    return Kind("wrong-bytes") if actual_bytes == expected_bytes else WRONG_OUTPUT


# --- outputs that end too early


def _stops(run: CopyRun) -> Iterator[Kind]:
    offset = len(run.actual)
    stop = _stop_at(offset, run.input_data)
    if stop:
        yield Kind("stops-early", stop)
    if len(run.expected) == len(run.input_data):
        # The program may test the byte before or after it writes it.
        became_ff = run.expected.find(b"\xff")
        if became_ff in (offset, offset - 1) and became_ff >= 0 and run.input_data[became_ff] != FF:
            yield Kind("stops-at-translated-ff")
        last = _stop_at(offset - 1, run.expected) if offset else b""
        if last and last != b"\n":
            yield Kind("stops-after-byte", last)
        if offset and _first_of_pairs(run) == offset - 1:
            yield Kind("stops-after-match")
        if run.input_data[offset] >= HIGH and run.input_data[:offset].isascii():
            yield Kind("stops-at-high")
        if offset == run.input_data.find(b"\n") + 1 > 0:
            yield Kind("stops-after-line")
        if offset == run.input_data.rfind(b"\n") + 1:
            yield Kind("only-whole-lines")
    yield Kind("stops-early")


def _first_of_pairs(run: CopyRun) -> int:
    """Return where the input has a byte of the first operand for the first time; its length if it has none."""
    return next((at for at, byte in enumerate(run.input_data) if byte in run.pairs), len(run.input_data))


def _stop_at(offset: int, data: bytes) -> bytes:
    """Return the byte of an input or output at an offset, if it is its first and programs often stop at it."""
    stop = data[offset : offset + 1]
    return stop if stop and stop[0] in SPECIAL_BYTES and data.find(stop) == offset else b""


# --- outputs of the right length


def _of_same_length(run: CopyRun) -> Iterator[Kind]:
    """Yield what a mistake in the lookup would write, if it is exactly what was written."""
    for symptom, predict in _PREDICTIONS.items():
        if run.actual in predict(run):
            yield symptom


def contradicts(right: CopyRun, symptom: Kind) -> bool:  # noqa: PLR0911 - one return per symptom
    """Return whether a run with the right output shows that a program does not do what a symptom says."""
    predict = _PREDICTIONS.get(symptom)
    if predict is not None:
        predicted = list(predict(right))
        return bool(predicted) and right.expected not in predicted
    match symptom:
        case Kind(id="stops-early", data=stop) if stop:
            return stop in right.input_data
        case Kind(id="stops-after-byte", data=last):
            return last in right.expected[:-1]
        case Kind(id="stops-after-line"):
            return b"\n" in right.input_data[:-1]
        case Kind(id="stops-after-match"):
            return _first_of_pairs(right) < len(right.input_data) - 1
        case Kind(id="only-whole-lines"):
            return not right.input_data.endswith(b"\n")
        case Kind(id="stops-at-high"):
            return not right.input_data.isascii()
        case Kind(id="drops-bytes", data=b"others"):
            return bool(right.pairs) and not right.pairs.keys() >= right.read
        case Kind(id="drops-bytes", data=b"from"):
            return not right.pairs.keys().isdisjoint(right.input_data)
        case _:
            return False


def _without_high(run: CopyRun) -> Iterator[bytes]:
    low = {before: after for before, after in run.pairs.items() if before < HIGH}
    if any(before >= HIGH and before != after for before, after in run.pairs.items()):
        yield run.translated(low)


def _swapped(run: CopyRun) -> Iterator[bytes]:
    for pairs in (list(run.pairs.items()), list(run.pairs.items())[::-1]):
        if run.pairs:
            yield run.translated({after: before for before, after in pairs})


def _twice(run: CopyRun) -> Iterator[bytes]:
    backwards = dict(list(run.pairs.items())[::-1])
    # A char that became negative is not found again.
    below = {before: after for before, after in run.pairs.items() if before < HIGH}
    for pairs in (run.pairs, backwards):
        yield run.translated({byte: _chained(pairs, byte) for byte in pairs})
    # Or a byte from 0x80 on is found only if it came out of a lookup.
    for pairs in (below, run.pairs):
        twice = run.translated({byte: _chained(pairs, byte) for byte in below})
        if twice != run.translated(below):
            yield twice


def _some_pairs(chosen: slice, least: int = 2) -> Callable[[CopyRun], Iterator[bytes]]:
    def predict(run: CopyRun) -> Iterator[bytes]:
        named = [(before, after) for before, after in run.pairs.items() if before != after]
        if len(named) >= least:
            yield run.translated(dict(named[chosen]))

    return predict


def _at_distance(step: int) -> Callable[[CopyRun], Iterator[bytes]]:
    """Predict outputs of programs that take a byte of the second operand that is next to the right one.

    A NUL comes before and after that operand, or it starts again.
    """

    def predict(run: CopyRun) -> Iterator[bytes]:
        after = bytes(run.pairs.values())
        for edges in (b"\0\0", after[-1:] + after[:1]) if after else ():
            partners = edges[:1] + after + edges[1:]
            yield run.translated({byte: partners[place + step] for place, byte in enumerate(run.pairs, start=1)})

    return predict


def _one_for_all(place: int) -> Callable[[CopyRun], Iterator[bytes]]:
    """Predict outputs of programs that always take the same byte of the second operand."""

    def predict(run: CopyRun) -> Iterator[bytes]:
        after = bytes(run.pairs.values())
        if after:
            yield run.translated(dict.fromkeys(run.pairs, after[place]))

    return predict


def _word(run: CopyRun) -> Iterator[bytes]:
    if len(run.pairs) > 1:
        before, after = run.operands
        yield run.input_data.replace(before, after)


def _either_case(run: CopyRun) -> Iterator[bytes]:
    found: dict[int, int] = {}
    for before, after in run.pairs.items():
        for byte in (bytes([before]).lower()[0], bytes([before]).upper()[0]):
            found.setdefault(byte, after)
    yield run.translated(found)


def _by_position(run: CopyRun) -> Iterator[bytes]:
    """Yield what is written if a byte is compared only with the one at the same position of the first operand."""
    data, compared = run.input_data, bytearray(run.input_data)
    for place, (before, after) in enumerate(run.pairs.items()):
        compared[place :: len(run.pairs)] = data[place :: len(run.pairs)].replace(bytes([before]), bytes([after]))
    yield bytes(compared)


def _first_use(run: CopyRun) -> Iterator[bytes]:
    used = bytearray(run.input_data)
    for before, after in run.pairs.items():
        place = run.input_data.find(before)
        if place >= 0:
            used[place] = after
    yield bytes(used)
    # If NUL takes the place of a byte of the first operand, the search ends there too.
    used, place, left = bytearray(run.input_data), 0, list(run.pairs.items())
    while left:
        places = [
            (found, number)
            for number, (byte, _) in enumerate(left)
            if (found := run.input_data.find(byte, place)) >= 0
        ]
        place, number = min(places, default=(-1, 0))
        if place < 0:
            break
        used[place] = left[number][1]
        left = left[:number]
        place += 1
    yield bytes(used)


def _goes_on_searching(run: CopyRun) -> Iterator[bytes]:
    """Yield what is written if each search begins where the last one ended, or one byte later."""
    before, after = bytes(run.pairs), bytes(run.pairs.values())
    for step in (0, 1) if run.pairs else ():
        place, written = 0, bytearray(run.input_data)
        for at, byte in enumerate(run.input_data):
            place = before.find(byte, place)
            if place < 0:
                break
            written[at] = after[place]
            place += step
        yield bytes(written)


def _last_partner(run: CopyRun) -> Iterator[bytes]:
    """Yield what is written if a byte was found once, and the program never forgets that."""
    first = _first_of_pairs(run)
    after, partner = bytearray(run.input_data[first:]), 0
    for at, byte in enumerate(after):
        partner = after[at] = run.pairs.get(byte, partner)
    yield run.input_data[:first] + bytes(after)


def _seven_bits(run: CopyRun) -> Iterator[bytes]:
    yield run.expected.translate(_WITHOUT_HIGHEST_BIT)
    yield run.input_data.translate(_WITHOUT_HIGHEST_BIT).translate(_table(run.pairs))


def _one_of(step: int) -> Callable[[CopyRun], Iterator[bytes]]:
    def predict(run: CopyRun) -> Iterator[bytes]:
        some = bytearray(run.input_data)
        some[::step] = run.expected[::step]
        yield bytes(some)

    return predict


def _one_byte(run: CopyRun) -> Iterator[bytes]:
    yield run.actual[:1] * len(run.input_data)


def _others_alike(run: CopyRun) -> Iterator[bytes]:
    """Yield what is written if all bytes that the first operand does not have become the same one."""
    others = run.read - run.pairs.keys()
    if others:
        same = run.actual[next(at for at, byte in enumerate(run.input_data) if byte in others)]
        yield run.translated({**dict.fromkeys(others, same), **run.pairs})


def _chained(pairs: Mapping[int, int], byte: int) -> int:
    """Return what a byte becomes if each pair of the operands is applied to it, one after the other."""
    for before, after in pairs.items():
        if byte == before:
            byte = after
    return byte


_PREDICTIONS: Mapping[Kind, Callable[[CopyRun], Iterator[bytes]]] = {
    Kind("high-bytes-not-found"): _without_high,
    Kind("copies-unchanged"): lambda run: iter([run.input_data]),
    Kind("operands-swapped"): _swapped,
    Kind("translated-twice"): _twice,
    Kind("other-bytes-become-one"): _others_alike,
    Kind("one-byte-for-all"): _one_byte,
    Kind("only-first-pair"): _some_pairs(slice(None, 1)),
    Kind("only-last-pair"): _some_pairs(slice(-1, None)),
    Kind("not-last-pair"): _some_pairs(slice(None, -1), least=1),
    Kind("every-second-pair"): _some_pairs(slice(None, None, 2)),
    Kind("next-partner"): _at_distance(1),
    Kind("previous-partner"): _at_distance(-1),
    Kind("first-partner-for-all"): _one_for_all(0),
    Kind("last-partner-for-all"): _one_for_all(-1),
    Kind("ignores-case"): _either_case,
    Kind("found-as-a-word"): _word,
    Kind("found-by-position"): _by_position,
    Kind("translated-once"): _first_use,
    Kind("goes-on-searching"): _goes_on_searching,
    Kind("last-partner-for-others"): _last_partner,
    Kind("highest-bit-lost"): _seven_bits,
    **{Kind("one-of-many-translated", str(step).encode()): _one_of(step) for step in STEPS},
}
"""What programs write that make one mistake in the lookup, the likeliest first."""


def _of_single_bytes(run: CopyRun) -> Iterator[Kind]:
    """Yield what the wrong bytes of an output of the right length have in common."""
    wrong, right, pairs = run.wrong, run.right, run.pairs
    if wrong.keys() & right:
        if sorted(run.actual) == sorted(run.expected):
            yield OTHER_ORDER
        yield Kind("depends-on-position")
    else:
        if all(values == {byte} for byte, values in wrong.items()):
            yield Kind("not-translated")
        elif all(byte >= HIGH for byte in wrong) and not any(byte >= HIGH for byte in right) and len(wrong) > 1:
            yield Kind("high-bytes-wrong")
        partners = frozenset(pairs.values())
        # Bytes that stay as they are may be partners of others by chance.
        changed = any(byte not in values for byte, values in wrong.items())
        is_of_pairs = wrong.keys() <= pairs.keys() and all(values <= partners for values in wrong.values())
        if len(wrong) > 1 and changed and is_of_pairs:
            yield Kind("wrong-partners")
        # If each byte is in the input once, an output in another order looks like other bytes.
        if changed and sorted(run.actual) == sorted(run.expected):
            yield OTHER_ORDER
    yield Kind("wrong-bytes")


# --- outputs of another length


def _of_other_length(run: CopyRun) -> Iterator[Kind]:
    actual, expected = run.actual, run.expected
    if len(actual) == len(expected) or not expected:
        return
    if len(actual) < len(expected):
        yield from _of_shorter(run)
    else:
        yield from _of_longer(run)
    if run.mapping is not None and actual == expected.decode("latin-1").encode("utf-8"):
        yield Kind("encoded-as-utf-8")


def _of_shorter(run: CopyRun) -> Iterator[Kind]:
    actual, expected = run.actual, run.expected
    if actual == expected[1:]:
        yield Kind("loses-first-byte")
    line_bytes = run.input_data.find(b"\n") + 1
    if line_bytes and actual and actual == expected[line_bytes:]:
        yield Kind("loses-first-line")
    if actual in _without_empty_lines(expected):
        yield Kind("loses-empty-lines")
    for step in STEPS:
        for name, source in (("one-of-many-written", expected), ("one-of-many-copied", run.input_data)):
            if any(is_every(actual, source, step, first) for first in {0, step - 1}):
                yield Kind(name, str(step).encode())
    yield from _of_lost_bytes(run)
    if len(expected) <= LONGEST_FACTOR * len(actual) and _is_subsequence(actual, expected):
        yield Kind("loses-bytes")


def _of_lost_bytes(run: CopyRun) -> Iterator[Kind]:
    actual, expected = run.actual, run.expected
    if run.mapping is not None:
        for which in (b"others", b"from", b""):
            if dropped_bytes(run, which):
                yield Kind("drops-bytes", which)
        if actual == _without_others_after_match(run):
            yield Kind("drops-after-match")
    if actual in _without_rests_of_lines(expected):
        yield Kind("drops-rests-of-lines")
    if actual == expected.translate(None, bytes(frozenset(expected) - {*actual})):
        yield Kind("drops-bytes", b"written")


def _without_empty_lines(expected: bytes) -> tuple[bytes, ...]:
    """Return an output without its empty lines; the first of them may be kept if it is the first line."""
    once = re.sub(rb"\n{2,}", b"\n", expected)
    return once, once.removeprefix(b"\n")


LEAST_OF_MANY = 3
"""Least number of bytes that are called every second or every eighth byte: two may be there by chance."""


def is_every(actual: bytes, source: bytes, step: int, first: int, least: int = LEAST_OF_MANY) -> bool:
    """Return whether an output has one of every `step` bytes of another: the first of them, or the one at `first`.

    If it is not the first, one more byte may follow for a last group of fewer bytes. There must be `least` of them.
    """
    chosen = source[first::step]
    more = 1 if first and len(source) % step else 0
    return len(chosen) >= least and len(actual) - len(chosen) in (0, more) and actual.startswith(chosen)


def _without_others_after_match(run: CopyRun) -> bytes:
    """Return the right output without the bytes that are not translated, from the first one on that is."""
    first = _first_of_pairs(run)
    rest = run.input_data[first:].translate(None, bytes(frozenset(_ALL) - run.pairs.keys()))
    return run.expected[:first] + rest.translate(_table(run.pairs))


def _without_rests_of_lines(expected: bytes) -> Iterator[bytes]:
    """Yield an output without the rest of each line from its first NUL on: what is left if lines are strings.

    A line that is too long for a buffer is read in several pieces, each with a NUL at its end.
    """
    if 0 not in expected:
        return
    *ended, rest = expected.split(b"\n")
    lines = [*(line + b"\n" for line in ended), rest]
    longest = max(map(len, lines))
    for piece_bytes in (longest, *(size - 1 for size in LINE_BUFFERS if size <= longest)):
        yield b"".join(
            line[start : start + piece_bytes].partition(b"\0")[0]
            for line in lines
            for start in range(0, len(line), piece_bytes)
        )


def _of_longer(run: CopyRun) -> Iterator[Kind]:
    actual, expected = run.actual, run.expected
    times, rest = divmod(len(actual), len(expected))
    if not rest:
        columns = [actual[place::times] for place in range(times)]
        if all(column == expected for column in columns):
            yield Kind("each-byte-repeated", str(times).encode())
        elif columns[0] == expected and all(len(set(column)) == 1 for column in columns[1:]):
            yield Kind("extra-after-each", b"".join(column[:1] for column in columns[1:]))
        if columns[0] == expected and times > 1:
            # Bytes of memory differ from byte to byte and from run to run; their number does not.
            yield Kind("more-after-each", str(times).encode())
        # With a single kind of byte, the number of other bytes may be that of the pairs by chance.
        of_one_kind = len(set(expected)) == 1 and set(actual) != set(expected)
        if run.mapping is not None and times == len(run.pairs) > 1 and not of_one_kind:
            yield Kind("one-for-each-pair")
    if actual in _both_bytes(run):
        yield Kind("both-bytes")
    if len(actual) <= LONGEST_FACTOR * len(expected) and _is_subsequence(expected, actual):
        yield Kind("extra-between")


def _both_bytes(run: CopyRun) -> tuple[bytes, ...]:
    """Return the right output with both bytes of each pair, in either order, if that has the right length."""
    # Without a mapping, each byte would be one that is not translated.
    mapping = run.mapping
    if mapping is None or not mapping.keys() >= {*run.input_data}:
        return ()
    same = bytes(before for before, after in mapping.items() if before == after)
    if len(run.actual) != len(run.expected) + len(run.input_data.translate(None, same)):
        return ()
    pairs = {before: bytes([before, after][before == after :]) for before, after in mapping.items()}
    return tuple(
        b"".join(map(shown.__getitem__, run.input_data))
        for shown in (pairs, {before: both[::-1] for before, both in pairs.items()})
    )


def dropped_bytes(run: CopyRun, which: bytes = b"") -> frozenset[int]:
    """Return the bytes of the input that the output lacks everywhere; none if that does not explain it.

    `which`: b"others" tries those that are not translated, b"from" those that are. Else they are found by matching
    the output with the right one, which may take one byte for another that becomes the same.
    """
    match which:
        case b"others":
            missing = run.read - run.pairs.keys()
        case b"from":
            missing = run.read & run.pairs.keys()
        case _:
            missing = _first_missing(run)
    return missing if missing and lacks(run, missing) else frozenset()


def lacks(run: CopyRun, missing: AbstractSet[int]) -> bool:
    """Return whether an output is the right one without these bytes of the input."""
    if not run.actual:
        return run.read <= missing
    return run.input_data.translate(_table(run.mapping or {}), bytes(missing)) == run.actual


def _first_missing(run: CopyRun) -> frozenset[int]:
    """Match the output with the right one from left to right; return the bytes of the input without a match."""
    if not run.actual:
        return run.read
    table, written = _table(run.mapping or {}), {*run.actual}
    missing = {byte for byte in run.read if table[byte] not in written}
    for _ in range(MOST_HIDDEN_BYTES):
        right = run.input_data.translate(table, bytes(missing))
        if len(right) <= len(run.actual):
            break
        kept = run.input_data.translate(None, bytes(missing))
        missing.add(kept[common_beginning(right, run.actual)])
    return frozenset(missing)


def common_beginning(one: Sequence[object], other: Sequence[object]) -> int:
    """Return how many bytes, or lines, two outputs have in common at their beginnings."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _is_subsequence(part: bytes, whole: bytes) -> bool:
    rest: Iterable[int] = iter(whole)
    # Each search goes on where the one before has ended.
    return all(byte in rest for byte in part)
