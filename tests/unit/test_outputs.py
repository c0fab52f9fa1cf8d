"""What a wrong output shows as a whole."""

from __future__ import annotations

import pytest

from grader.diagnose.behaviour.outputs import (
    CopyRun,
    Kind,
    contradicts,
    difference_symptom,
    dropped_bytes,
    is_copy,
    output_symptoms,
)
from grader.judge.difference import difference

TEXT = b"cab back\n"
EVERY = bytes(range(1, 255)) * 2


def translated(data: bytes, operands: tuple[bytes, ...]) -> bytes:
    return data.translate(bytes.maketrans(*operands))


def copy(actual: bytes, *operands: bytes, data: bytes = TEXT) -> CopyRun:
    chosen = operands or (b"abc", b"xyz")
    return CopyRun(chosen, data, translated(data, chosen), actual)


RIGHT = translated(TEXT, (b"abc", b"xyz"))
HIGH = (b"a\xe9\xfe", b"xyz")


@pytest.mark.parametrize(
    ("run", "symptom", "data"),
    [
        (copy(b""), "writes-nothing", b""),
        (copy(TEXT), "copies-unchanged", b""),
        (copy(EVERY, b"\xe9\xfe", b"yz", data=EVERY), "high-bytes-not-found", b""),
        (copy(RIGHT + b"\xff"), "extra-after", b""),
        (copy(b"\xff", data=b""), "extra-after", b""),
        (copy(b"FROM is abc\n" + RIGHT), "extra-before", b""),
        (copy(RIGHT[:-1]), "stops-early", b"\n"),
        (copy(RIGHT[:3]), "stops-early", b""),
        (copy(translated(b"a\n", (b"a", b"x")), b"a", b"x", data=b"a\nb\nc"), "stops-after-line", b""),
        (copy(b"x\ny\n", data=b"a\nb\nc"), "only-whole-lines", b""),
        (copy(b"xy", data=b"ab\x80a"), "stops-at-high", b""),
        (copy(b"x", b"ab", b"x\xff", data=b"ab"), "stops-at-translated-ff", b""),
        (copy(b"x-\xff", b"ab", b"x\xff", data=b"a-b-"), "stops-at-translated-ff", b""),
        (copy(b"-\xff", data=b"-\xff-a"), "stops-after-byte", b"\xff"),
        (copy(b"--x", data=b"--a-b"), "stops-after-match", b""),
        (copy(b"x", data=b"a\xff\xff"), "stops-early", b"\xff"),
        (copy(b"xyx", data=b"a\x00\x00b-a"), "drops-bytes", b"others"),
        (copy(b"---", data=b"a--b-"), "drops-bytes", b"from"),
        (copy(b"x-x", data=b"abb-ab"), "drops-bytes", b""),
        (copy(b"--xyz", data=b"--a-b-c-"), "drops-after-match", b""),
        (copy(b"x--y\nx-", data=b"a--b\na\0--b\n-"), "drops-rests-of-lines", b""),
        (copy(b"x" * 99 + b"--x--x", data=b"a" * 99 + b"--a\0-\n--\0\na"), "drops-rests-of-lines", b""),
        (copy(b"xx" + b"x-\n", data=b"aa\0" + b"-" * 96 + b"a-\n"), "drops-rests-of-lines", b""),
        (copy(b"--xxxyyx", data=b"--a--b-a"), "last-partner-for-others", b""),
        (copy(b"x\ny\n", data=b"a\nb"), "extra-after", b""),
        (copy(b"x-y-z-", data=b"abc"), "extra-after-each", b"-"),
        (copy(b"x-y-z", data=b"abc"), "extra-between", b""),
        (copy(b"xxyyzz", data=b"abc"), "each-byte-repeated", b"2"),
        (copy(b"abxabyabz", data=b"abc"), "one-for-each-pair", b""),
        (copy(b"ax-by", data=b"a-b"), "both-bytes", b""),
        (copy(b"xa-yb", data=b"a-b"), "both-bytes", b""),
        (copy("xé".encode(), data=b"a\xe9"), "encoded-as-utf-8", b""),
        (copy(b"x" * 100 + b"y-z", data=b"abc"), "wrong-output", b""),
        (copy(b"z-xy", data=b"ac-ab"), "loses-first-byte", b""),
        (copy(b"x-\nz", data=b"c-b\na-\nc"), "loses-first-line", b""),
        (copy(b"z", data=b"ab\nc"), "loses-first-line", b""),
        (copy(b"x\ny-\n", data=b"a\n\n\nb-\n"), "loses-empty-lines", b""),
        (copy(b"x\ny", data=b"\na\n\nb"), "loses-empty-lines", b""),
        (copy(b"\nx\ny", data=b"\na\n\nb"), "loses-empty-lines", b""),
        (copy(b"x\0", data=b"a\0bc"), "stops-after-byte", b"\0"),
        (copy(b"-\0", b"ab", b"x\0", data=b"-b-"), "stops-after-byte", b"\0"),
        (copy(b"xzb-aac", data=b"acb-aac"), "goes-on-searching", b""),
        (copy(b"xxya", data=b"aaba"), "goes-on-searching", b""),
        (copy(b"xayz", data=b"aabc"), "translated-once", b""),
        (copy(b"xyxyxy", data=b"aabbaabbaabb"), "one-of-many-written", b"2"),
        (copy(b"ab1", data=b"a---b---1---"), "one-of-many-copied", b"4"),
        (copy(b"\n\n", data=b"1234567\n1234567\n"), "drops-bytes", b""),
        (copy(b"aaa a", b"ab", b"ba", data=b"bab b"), "translated-twice", b""),
        (copy(b"aaaa", b"abc", b"bca", data=b"abca"), "translated-twice", b""),
        (copy(b"bbcb", b"abc", b"bca", data=b"acbc"), "translated-twice", b""),
        (copy(b"z\xe9-", b"ab\xe9", b"b\xe9z", data=b"a\xe9-"), "translated-twice", b""),
        (copy(b"\xe9-", b"\xe9a", b"ab", data=b"\xe9-"), "high-bytes-not-found", b""),
        (copy(b"aba", b"ab", b"xy", data=b"xyx"), "operands-swapped", b""),
        (copy(b"\0xy\0\0", data=b"-ab- "), "other-bytes-become-one", b"\0"),
        (copy(b"\x01\x01\x01", data=b"ab-"), "one-byte-for-all", b""),
        (copy(b"xbc xbc", data=b"abc abc"), "only-first-pair", b""),
        (copy(b"xyc xyc", data=b"abc abc"), "not-last-pair", b""),
        (copy(b"abz abz", data=b"abc abc"), "only-last-pair", b""),
        (copy(b"xbz xbz", data=b"abc abc"), "every-second-pair", b""),
        (copy(b"yz\0-", data=b"abc-"), "next-partner", b""),
        (copy(b"yzx-", data=b"abc-"), "next-partner", b""),
        (copy(b"\0xy-", data=b"abc-"), "previous-partner", b""),
        (copy(b"zxy-", data=b"abc-"), "previous-partner", b""),
        (copy(b"xxx-", data=b"abc-"), "first-partner-for-all", b""),
        (copy(b"zzz-", data=b"abc-"), "last-partner-for-all", b""),
        (copy(b"xXx", b"a", b"x", data=b"aXA"), "ignores-case", b""),
        (copy(b"xyz ab", data=b"abc ab"), "found-as-a-word", b""),
        (copy(b"xyaxyaxy", data=b"abaabaab"), "found-by-position", b""),
        (copy(b"yxabz", data=b"baabc"), "translated-once", b""),
        (copy(b"xb-xb", data=b"ab-ab"), "only-first-pair", b""),
        (copy(b"xi~", data=b"a\xe9\xfe"), "highest-bit-lost", b""),
        (copy(b"xbxbxb-b", data=b"ababab-b"), "only-first-pair", b""),
        (copy(b"xayb-c", data=b"aabb-c"), "one-of-many-translated", b"2"),
        (copy(b"ayz ayz", data=b"abc abc"), "not-translated", b""),
        (copy(b"x\xe9\xfe", *HIGH, data=b"a\xe9\xfe"), "high-bytes-not-found", b""),
        (copy(b"x??", *HIGH, data=b"a\xe9\xfe"), "high-bytes-wrong", b""),
        (copy(b"xzy xzy", data=b"abc abc"), "wrong-partners", b""),
        (copy(b"x?z", *HIGH, data=b"a\xe9\xfe"), "wrong-bytes", b""),
        (copy(b"xyQxyz", data=b"abcabc"), "depends-on-position", b""),
        (copy(b"xyxyzz", data=b"abcabc"), "other-order", b""),
        (copy(b"--xyz", data=b"a-b-c"), "other-order", b""),
        (copy(b"qyz qyz", data=b"abc abc"), "wrong-bytes", b""),
    ],
)
def test_an_output_is_described_as_a_whole(run: CopyRun, symptom: str, data: bytes) -> None:
    found = output_symptoms(run)[0]
    assert found.id == symptom
    if symptom != "other-bytes-become-one":
        assert found.data == data


def test_bytes_that_stay_as_they_are_have_no_wrong_partners() -> None:
    unchanged = copy(b"\xe9\xc3a", b"\xe9\xc3a", b"\xc3\xe9a", data=b"\xe9\xc3a")
    assert "wrong-partners" not in {found.id for found in output_symptoms(unchanged)}


def test_a_number_of_bytes_for_one_kind_of_byte_says_nothing_of_the_pairs() -> None:
    numbers = copy(b"255" * 3, data=b"\xff" * 3)
    assert "one-for-each-pair" not in {found.id for found in output_symptoms(numbers)}
    repeated = copy(b"\xff" * 9, data=b"\xff" * 3)
    assert "one-for-each-pair" in {found.id for found in output_symptoms(repeated)}


def test_a_lab_whose_output_is_no_translation_is_described_without_one() -> None:
    doubled = CopyRun((), b"ab", b"aabb", b"abab")
    assert doubled.mapping is None
    assert output_symptoms(doubled)[0].id == "wrong-output"
    reordered = CopyRun((), b"aab", b"aba", b"bbb")
    assert reordered.mapping is None
    assert output_symptoms(reordered)[0].id == "wrong-output"


def test_the_same_byte_may_become_several_without_being_wrong_for_others() -> None:
    run = copy(b"xyz?", data=b"abc-")
    assert (dict(run.wrong), run.right) == ({ord("-"): frozenset({ord("?")})}, frozenset(b"abc"))


@pytest.mark.parametrize(
    ("actual", "symptom", "data"),
    [
        (b"", "writes-nothing", b""),
        (EVERY[:9], "stops-early", b"\n"),
        (EVERY[:70], "stops-early", b""),
        (EVERY + b"\n", "extra-after", b""),
        (EVERY + b"x" * 100, "extra-after", b""),
        (b"?" + EVERY[1:], "wrong-bytes", b""),
        (b"?" + EVERY, "wrong-output", b""),
    ],
)
def test_of_a_full_size_output_the_first_difference_tells_some(actual: bytes, symptom: str, data: bytes) -> None:
    where = difference(EVERY, actual, EVERY)
    assert where is not None
    assert difference_symptom(where, EVERY) == Kind(symptom, data)


def test_lost_bytes_are_found_by_what_the_operands_tell_apart() -> None:
    assert dropped_bytes(copy(b"bb", b"a", b"b", data=b"abba "), b"others") == frozenset(b" b")
    assert dropped_bytes(copy(b"bb ", b"a", b"b", data=b"abba "), b"from") == frozenset(b"a")
    assert dropped_bytes(copy(b"xy", data=b"a\x00b")) == {0}
    assert dropped_bytes(copy(b"yx", data=b"ab")) == frozenset()
    assert dropped_bytes(copy(b"xy", data=b"a\x00b"), b"from") == frozenset()


@pytest.mark.parametrize(
    ("symptom", "refuted", "possible"),
    [
        (Kind("not-last-pair"), b"abc", b"ab-"),
        (Kind("only-first-pair"), b"ab", b"a-a"),
        (Kind("one-of-many-translated", b"2"), b"ab", b"a-"),
        (Kind("stops-early", b"\xff"), b"\xffa", b"a"),
        (Kind("stops-at-high"), b"\x80", b"\x7f"),
        (Kind("stops-after-line"), b"\n\n", b"a\n"),
        (Kind("only-whole-lines"), b"a", b"a\n"),
        (Kind("drops-bytes", b"others"), b"a-", b"a"),
        (Kind("drops-bytes", b"from"), b"a", b"-"),
    ],
)
def test_a_right_output_refutes_what_would_have_made_it_wrong(symptom: Kind, refuted: bytes, possible: bytes) -> None:
    for data, expected in ((refuted, True), (possible, False)):
        right = translated(data, (b"abc", b"xyz"))
        assert contradicts(CopyRun((b"abc", b"xyz"), data, right, right), symptom) is expected


def test_a_copy_is_told_from_a_message() -> None:
    data = b"a cab back at the abbey\n"
    for written in (data, b"x cxb bxck\n", b"Prompt: x cyb byck yt the ybbey\n", data[:14], data[:-1] + b"\0"):
        assert is_copy(written, data, (b"aab", b"xyz")) == (written != b"x cxb bxck\n")
    for written in (b"a byte appears twice\n", b"usage: tr2b from to\n", b"", b"?" * len(data)):
        assert not is_copy(written, data, (b"aab", b"xyz"))


def test_a_copy_in_which_every_byte_is_translated_is_one() -> None:
    """A program that looks for duplicates among the first bytes only was said to report them on standard output."""
    data, every = b"a cab back at the abbey\n", bytes(range(1, 256))
    shifted = data.translate(bytes([*range(1, 256), 0]))
    for written in (data, shifted):
        assert is_copy(written, data, (every, every))
    for written in (b"(a byte appears twice)\n\n", b"?" * len(data), shifted[:-1], b"?" + shifted[1:]):
        assert not is_copy(written, data, (every, every))
    assert not is_copy(b"twice", b"abcde", (every, every))


def test_a_message_may_have_the_nul_that_ends_a_string() -> None:
    assert not is_copy(b"usage: tr2u FROM TO\n\0", b"aabbcc\n", ())
    assert is_copy(b"xx\0\0yy\n", b"aabbcc\n", ())
    assert is_copy(bytes(7), b"aabbcc\n", ())
    assert is_copy(b"aabbcc\n\0", b"aabbcc\n", ())


def test_operands_mean_pairs_only_if_the_right_output_shows_it() -> None:
    assert CopyRun((b"ab", b"xy"), b"a cab", b"x cxy", b"a cab").pairs == {ord("a"): ord("x"), ord("b"): ord("y")}
    # Two names of files, for example.
    assert CopyRun((b"ab", b"xy"), b"a cab", b"a cab", b"a c").pairs == {}
