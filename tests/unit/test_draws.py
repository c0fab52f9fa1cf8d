"""What a class's secret draws: operands, sizes and bytes."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from grader.cache.secret import SECRET_FILE, VARIABLE, new_secret, own_secret
from grader.judge.repeat import repeat_calls
from grader.lab.find import load_lab
from grader.model.spec.cases import RandomInput, input_bytes
from grader.model.spec.draws import LONGEST_OPERAND, PUBLIC, DrawnOperand, code_of, drawn_size
from grader.model.spec.lab import Spec

from .lab import DOCUMENT

SECRETS = [f"secret {number}" for number in range(200)]
SPECIAL = ["[a-c]", "-d"]
EARLIER = [b"9\xf2-d2\x9bokit\x06\x81>", b"\xc6Q\xd1E\xea,\x83\xde\xf6p\xa4T\x95"]
"""What version 0.1.0 draws."""


def operand(**keys: object) -> DrawnOperand:
    return DrawnOperand.model_validate({"draw": keys})


def drawn(secret: str, first: dict[str, object], *others: dict[str, object]) -> list[bytes]:
    found: list[bytes] = []
    for number, keys in enumerate((first, *others)):
        found.append(operand(**keys).operand(secret, number, found[0] if found else None))
    return found


def test_the_same_secret_draws_the_same() -> None:
    for secret in SECRETS:
        assert drawn(secret, {"length": [1, 40]}) == drawn(secret, {"length": [1, 40]})
    assert len({bytes(drawn(secret, {"length": [1, 40]})[0]) for secret in SECRETS}) > 150


def test_the_numbers_are_the_same_on_every_machine() -> None:
    assert code_of("secret", "what") == "dd5b10931d93e7ee"
    assert drawn("secret", {"alphabet": "abcdef"}) == [b"ceafbd"]
    assert drawn_size(code_of("secret", "size"), 1, 1000) == 23


def test_the_public_draw_takes_the_first_of_everything() -> None:
    assert drawn(PUBLIC, {"alphabet": "xyz"}) == [b"xyz"]
    assert drawn(PUBLIC, {"alphabet": "xyz", "length": [2, 3]}) == [b"xy"]
    assert drawn(PUBLIC, {"alphabet": "xyz", "length": [4, 9], "pieces": SPECIAL}) == [b"[a-c]"]
    assert drawn_size("", 10, 20) == 20


@pytest.mark.parametrize("keys", [{}, {"length": [1, 255]}, {"length": [0, 20], "pieces": SPECIAL}])
def test_a_first_operand_has_no_byte_twice(keys: dict[str, object]) -> None:
    for secret in SECRETS:
        (first,) = drawn(secret, keys)
        assert len(set(first)) == len(first)
        assert 0 not in first


def test_twice_makes_exactly_one_byte_appear_twice() -> None:
    places = set()
    for secret in SECRETS:
        (first,) = drawn(secret, {"length": [2, 255], "twice": True})
        (again,) = (byte for byte in set(first) if first.count(byte) > 1)
        assert len(first) - len(set(first)) == 1
        places.add((first.index(again) > 31, first.rindex(again) - first.index(again) > 1))
    assert len(places) == 4


def test_the_second_operand_is_as_long_as_the_first_or_is_not() -> None:
    for secret in SECRETS:
        first, second = drawn(secret, {"length": [0, 255]}, {"length": "same"})
        assert len(first) == len(second)
        first, second = drawn(secret, {"length": [0, 255]}, {"length": "other"})
        assert len(first) != len(second)


def test_pieces_appear_at_the_beginning_and_elsewhere_and_alone() -> None:
    found = [drawn(secret, {"length": [1, 9], "pieces": SPECIAL})[0] for secret in SECRETS]
    assert all(any(piece.encode() in one for piece in SPECIAL) for one in found)
    assert {b"[a-c]", b"-d"} <= set(found)
    begins = sum(one.startswith((b"[a-c]", b"-d")) for one in found)
    assert len(found) / 3 < begins < len(found)


def test_pieces_that_are_too_long_for_a_second_operand_are_left_out() -> None:
    for secret in SECRETS:
        first, second = drawn(secret, {"length": [2, 3]}, {"length": "same", "pieces": SPECIAL, "alphabet": "ab"})
        assert len(second) == len(first)
        assert b"-d" in second


FORMS = ["\\r", "\\e", "\\q", "[a]", "[b]", "c-d", "h-i", "%g"]


def shares(secret: str, shares: int, *, first: bytes | None = None, **keys: object) -> list[bytes]:
    """Return the operands that share the same pieces."""
    draws = [operand(pieces=FORMS, share=[number, shares], **keys) for number in range(1, shares + 1)]
    return [draw.operand(secret, 0 if first is None else 1, first) for draw in draws]


def pieces_in(operands: list[bytes]) -> list[str]:
    return [form for one in operands for form in FORMS if form.encode() in one]


def test_pieces_are_dealt_to_the_operands_that_share_them() -> None:
    for secret in SECRETS:
        own = shares(secret, 3, length=[12, 20])
        assert all(len(set(one)) == len(one) and 12 <= len(one) <= 20 for one in own)
        # As a backslash may be used once in each, all three are needed.
        assert sorted(pieces_in(own)) == sorted(FORMS)
        assert len({*own}) == 3


def test_a_piece_for_which_there_is_no_place_is_left_out() -> None:
    found = {form for secret in SECRETS for form in pieces_in(shares(secret, 1, length=[12, 12]))}
    assert found == {*FORMS}
    assert all(len(pieces_in(shares(secret, 1, length=[12, 12]))) == 4 for secret in SECRETS)


def test_a_second_operand_may_have_pieces_with_the_same_bytes() -> None:
    for secret in SECRETS:
        (own,) = shares(secret, 1, first=b"x" * 40, length="same")
        assert len(own) == 40
        assert pieces_in([own]) == FORMS


def test_operands_that_share_pieces_begin_differently() -> None:
    for secret in SECRETS:
        own = shares(secret, 2, length=[10, 10], begins=["^", "~"])
        assert {one[:1] for one in own} == {b"^", b"~"}


@pytest.mark.parametrize("keys", [{"length": [40, 255]}, {"length": [2, 9]}, {"alphabet": "abc0123456789"}])
def test_one_of_some_bytes_appears_twice(keys: dict[str, object]) -> None:
    again, near = set(), []
    for secret in SECRETS:
        (first,) = drawn(secret, {**keys, "twice_of": "0123456789"})
        (byte,) = (byte for byte in set(first) if first.count(byte) > 1)
        assert len(first) - len(set(first)) == 1
        again.add(byte)
        near.append(first.rindex(byte) - first.index(byte))
    assert again == {*b"0123456789"}
    assert min(near) < max(near) / 5


def test_a_second_operand_may_be_the_first_or_longer_than_any() -> None:
    for secret in SECRETS:
        first, second = drawn(secret, {"length": [0, 255]}, {"length": "equal"})
        assert first == second
        first, second = drawn(secret, {"length": [0, 255]}, {"length": "same", "extra": 256})
        assert len(second) - len(first) == 256
        assert len(second) % 256 == len(first) % 256


def test_a_second_operand_may_have_no_byte_of_the_first() -> None:
    letters = {"alphabet": "abcdef"}
    for secret in SECRETS[:40]:
        first, second = drawn(secret, {**letters, "length": [1, 3]}, {**letters, "length": "same", "apart": True})
        assert len(first) == len(second)
        assert set(first).isdisjoint(second)
    assert drawn(PUBLIC, {"alphabet": "ab"}, {"alphabet": "ab", "length": "same", "apart": True}) == [b"ab", b"ab"]


def test_keys_that_came_later_change_no_earlier_draw() -> None:
    assert drawn("secret", {"length": [1, 20], "pieces": SPECIAL}, {"length": "same", "seed": "x"}) == EARLIER


@pytest.mark.parametrize("least", [1, 60, 900, 1000])
def test_sizes_are_within_bounds_and_often_small(least: int) -> None:
    sizes = [drawn_size(code_of(secret, "size"), least, 1000) for secret in SECRETS]
    assert least <= min(sizes) <= max(sizes) <= 1000
    assert sorted(sizes)[100] <= (least + 1000) // 2 + 30


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"alphabet": "aa"}, "different"),
        ({"length": [3, 2]}, "smaller number first"),
        ({"length": [1, 2], "twice": True}, "at least 2"),
        ({"length": [0, 256]}, "255"),
        ({"pieces": [{"hex": "00"}]}, "byte 00"),
        ({"alphabet": "a", "length": [2, 2], "twice": True}, "at least 2"),
        ({"length": [1, 9], "twice_of": "a"}, "at least 2"),
        ({"alphabet": "abc", "twice_of": "x"}, "bytes of alphabet"),
        ({"share": [3, 2]}, "how many there are"),
        ({"begins": ["-"]}, "needs share"),
    ],
)
def test_what_cannot_be_drawn(keys: dict[str, object], says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        operand(**keys)


def spec(**changes: Any) -> Spec:  # noqa: ANN401 - whatever a file may hold
    return Spec.model_validate({**DOCUMENT, **changes})


def test_a_length_is_compared_with_that_of_an_earlier_operand() -> None:
    cases = {**DOCUMENT["cases"], "drawn": {"operands": [{"draw": {"length": "same"}}, "a"]}}
    with pytest.raises(ValidationError, match="first operand"):
        spec(cases=cases)


@pytest.fixture(scope="module")
def tr2() -> Spec:
    return load_lab("tr2")[0]


def test_draws_do_not_change_the_digest_of_a_spec(tr2: Spec) -> None:
    own, other = tr2.drawn("one"), tr2.drawn("two")
    assert own.digest() == other.digest() == tr2.digest()
    assert own.draws_digest != other.draws_digest
    assert own.cases["random-5m"] != other.cases["random-5m"]
    assert own.drawn_cases == tr2.drawn_cases


def sizes_of(name: str, tr2: Spec) -> list[int]:
    without_cases = tr2.model_copy(update={"cases": {}})
    inputs = [without_cases.drawn(secret).inputs[name] for secret in SECRETS]
    return [declared.size_bytes for declared in inputs if isinstance(declared, RandomInput)]


def test_a_class_has_its_own_sizes_and_bytes_at_full_size(tr2: Spec) -> None:
    sizes = sizes_of("random-5m", tr2)
    assert 3_000_000 <= min(sizes) <= max(sizes) <= 5_200_000
    assert len({*sizes}) == len(SECRETS)
    assert tr2.drawn(PUBLIC).inputs == tr2.inputs


def test_no_size_is_left_out_and_the_average_does_not_grow(tr2: Spec) -> None:
    full, other = sizes_of("random-5m", tr2), sizes_of("other-size", tr2)
    every = sorted(full + other)
    assert every[0] < 40_000
    assert all(above - below < max(150_000, below // 10) for below, above in pairwise(every) if below > 100_000)
    middle = [any(600_000 < size < 4_400_000 for size in both) for both in zip(full, other, strict=True)]
    assert sum(middle) > len(SECRETS) * 0.7
    # As many bytes as when they were between 4,500,000 and 5,000,000, and between 30,000 and 300,000.
    assert sum(every) / len(SECRETS) < 4_750_000 + 115_000


@pytest.mark.parametrize(
    ("keys", "says"),
    [({"most_bytes": 20}, "needs drawn_percent"), ({"most_bytes": 9, "drawn_percent": 5}, "less than size_bytes")],
)
def test_what_most_bytes_needs(keys: dict[str, int], says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        RandomInput.model_validate({"kind": "random", "seed": "seed", "size_bytes": 10, **keys})


def test_the_operands_of_tr2_are_what_their_cases_expect(tr2: Spec) -> None:
    for secret in SECRETS[:40]:
        own = tr2.drawn(secret)
        for name in own.drawn_cases:
            case = own.cases[name]
            first, second = case.arguments
            is_right = len(first) == len(second) and len(set(first)) == len(first)
            assert is_right == (case.expect != "operand-error"), (secret, name)


def test_a_report_has_the_command_that_makes_a_drawn_input_again(tr2: Spec) -> None:
    own = tr2.drawn("one")
    declared = own.inputs["random-5m"]
    whole = tr2.inputs["random-5m"]
    assert isinstance(whole, RandomInput)
    command = f"grader input --lab tr2 random-5m --draw {own.draw_code('random-5m')} >random-5m\n"
    assert command in repeat_calls(own, "tr2b", "random-5m")
    assert " --draw" not in repeat_calls(tr2, "tr2b", "random-5m")
    assert input_bytes(whole.drawn(own.draw_code("random-5m"))) == input_bytes(declared)


@pytest.mark.parametrize("content", ["bytes", "text", "text-and-bytes"])
def test_a_shorter_input_is_the_beginning_of_a_longer_one(content: str) -> None:
    def made(size_bytes: int) -> bytes:
        keys = {"kind": "random", "seed": "seed", "content": content, "size_bytes": size_bytes}
        return input_bytes(RandomInput.model_validate(keys))

    whole = made(25_000)
    for size_bytes in (1, 2, 9_999, 10_001, 20_000):
        assert made(size_bytes) == whole[:size_bytes]
    looks_like_text = [part.isascii() and 0 not in part for part in (whole[:10_000], whole[10_000:])]
    assert looks_like_text == [content != "bytes", content == "text"]


def test_a_text_has_words_and_lines_and_each_class_its_own(tr2: Spec) -> None:
    texts = [input_bytes(tr2.drawn(secret).inputs["drawn-long-text"]) for secret in SECRETS[:40]]
    assert len({text[:16] for text in texts}) == len(texts)
    for text in texts:
        assert text.count(b"\n") > len(text) // 100
        assert text.count(b" ") > len(text) // 10
        assert max(map(len, text.split())) < 30


def test_a_secret_is_new_for_each_class_unless_the_environment_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert len({new_secret() for _ in range(9)}) == 9
    monkeypatch.setenv(VARIABLE, "given")
    assert new_secret() == "given"


def test_the_secret_of_own_checks_is_kept_where_only_its_user_can_read_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    folder = tmp_path / "cache"
    secret = own_secret(folder)
    assert own_secret(folder) == secret != own_secret(tmp_path / "other")
    path = folder / SECRET_FILE
    assert path.stat().st_mode & 0o077 == 0
    path.chmod(0o666)
    assert own_secret(folder) != secret


def test_without_a_cache_each_check_has_a_secret_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    folder = tmp_path / "cache"
    folder.write_text("a file")
    assert own_secret(folder) != own_secret(folder)


def test_the_longest_duplicate_of_tr2_is_at_the_end(tr2: Spec) -> None:
    first, second = tr2.cases["duplicate-longest"].arguments
    assert len(first) == len(second) == LONGEST_OPERAND
    assert len(set(first)) == LONGEST_OPERAND - 1
    assert first[-1] == first[-2]
