"""Turn the sentence on a proven change into an instruction: what to write, add, move or remove."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_CODE = re.compile(r"`[^`]*`")
_HIDDEN = re.compile("\0([0-9]+)\0")
_SENTENCE = re.compile(r"(?P<begin>Also w|W|w)(?P<words>ith(?:out)? .+?), (?P<result>the checks? .+)", re.DOTALL)
_PARTS = re.compile(r"(^|, and |, | and )(with(?:out)?) (?=\S)")
_PLACES = re.compile(r"( in lines? [0-9]+(?:(?:, | and )[0-9]+)*) of [^ ,]+")
_SENTENCES = re.compile(r"(?<=\.) (?=Also |With(?:out)? )")

_VERBS = (
    (re.compile(r"\bcast to\b"), "cast"),
    (re.compile(r"\bmoved to\b"), "move"),
    (re.compile(r"\bexchanged\b"), "exchange"),
    (re.compile(r"^(?:braces|parentheses) around\b"), "put"),
    (re.compile(r"\binstead of\b"), "write"),
    (re.compile(r"\bas\b"), "use"),
    (re.compile(r"\b(?:after|before|at the (?:beginning|end))\b"), "add"),
)
"""The verb for a change that its words describe as done; the first that matches."""


def as_instruction(sentence: str) -> str:
    """Return what a sentence such as "With `x` instead of `y` in line 3 of a.c, the check text passes." asks for.

    That is "Write `x` instead of `y` in line 3. Then the check text passes.": the lines are shown with their file. A
    sentence of another form stays.
    """
    codes = _CODE.findall(sentence)
    numbers = iter(range(len(codes)))
    hidden = _CODE.sub(lambda _: f"\0{next(numbers)}\0", sentence)
    sentences = _SENTENCES.split(hidden)
    # Those of two programs name their files.
    has_one_file = all(one.startswith("Also ") for one in sentences[1:])
    instruction = " ".join(_instruction(one, has_one_file=has_one_file) for one in sentences)
    return _HIDDEN.sub(lambda found: codes[int(found[1])], instruction)


def _instruction(sentence: str, *, has_one_file: bool) -> str:
    found = _SENTENCE.fullmatch(sentence)
    if found is None:
        return sentence
    words = f"w{found['words']}"
    if has_one_file and len(_PLACES.findall(words)) == 1:
        words = _PLACES.sub(lambda place: place[1], words)
    starts = [*_PARTS.finditer(words)]
    ends = [*(start.start() for start in starts[1:]), len(words)]
    parts = [(start[1], _verb(start[2], words[start.end() : end])) for start, end in zip(starts, ends, strict=True)]
    done = "".join(_without_repeated(parts))
    also = found["begin"].startswith("Also")
    return f"{'Also ' if also else ''}{done if also else done[:1].upper() + done[1:]}. Then {found['result']}"


def _without_repeated(parts: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield what joins each part to the one before, and the part, without its verb if that is the same one."""
    before = ""
    for joint, words in parts:
        verb, _, rest = words.partition(" ")
        yield f"{joint}{rest if verb == before else words}"
        before = verb


def _verb(kind: str, words: str) -> str:
    if kind == "without":
        return f"remove {words}"
    verb = next((verb for pattern, verb in _VERBS if pattern.search(words)), "write")
    said = re.sub(r" (?:cast|moved) to\b", " to", words, count=1)
    return f"{verb} {re.sub(r' exchanged$| exchanged(?= in )', '', said)}"
