"""The two programs of a pair next to each other."""

from __future__ import annotations

from dataclasses import replace

from grader.render.html.similar import MAX_SHOWN, similar_html
from grader.render.views.similar import MAX_SOURCE_CHARS, side_by_side
from grader.similarity.c_tokens import tokens
from grader.similarity.submissions import (
    MAX_PAIRS,
    ClassComparison,
    ComparedSubmission,
    TokenizedProgram,
    similarities,
)

LOOP = 2 * b"for (int i = 0; i < n; i++) { if (a[i] == b[i]) { a[i] = b[i] * 2 + c[i]; putchar(a[i]); } } "
LEFT = b"void f(void) { " + LOOP + b"}\nint left(int x) { return x; }\n"
RIGHT = b"/* caf\xc3\xa9 \xff */ void g(void) { " + LOOP.replace(b"i", b"k").replace(b"knt", b"int") + b"}\n"


def comparison(*sources: bytes) -> ClassComparison:
    submissions = [
        ComparedSubmission(f"s{at}", {"p": TokenizedProgram(source, tuple(tokens(source)))})
        for at, source in enumerate(sources)
    ]
    return ClassComparison("Lab", tuple(submissions), similarities(submissions, {}))


def alike() -> ClassComparison:
    """A comparison with everything that a page can show, and hostile names."""
    found = comparison(
        LEFT, RIGHT, RIGHT.replace(b"k", b"<b>"), b"int x;", LEFT + b"/* <script>alert(1)</script> \x1b */"
    )
    named = [
        replace(one, name=f"{one.name}<i>\u202e", term="2024" * (at == 1)) for at, one in enumerate(found.submissions)
    ]
    return replace(found, submissions=tuple(named), gone=("gone<b>",), changed=("changed",), unusable=("huge: p",))


def test_a_page_has_no_markup_of_students() -> None:
    page = similar_html(alike()).decode()
    assert "<script" not in page
    assert "<b>" not in page
    assert "<i>" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "gone&lt;b&gt;" in page


def test_the_segments_are_the_source_and_mark_what_both_have() -> None:
    compared = comparison(LEFT, RIGHT)
    (shown,) = side_by_side(compared, compared.similarities.pairs[0])
    assert "".join(one.text for one in shown.left.segments) == LEFT.decode()
    assert "".join(one.text for one in shown.right.segments) == RIGHT.decode("utf-8", "replace")
    left = "".join(one.text for one in shown.left.segments if one.number)
    right = "".join(one.text for one in shown.right.segments if one.number)
    assert left.count("putchar(a[i]") == right.count("putchar(a[k]") == 2
    assert "left" not in left


def test_a_long_program_is_cut() -> None:
    compared = comparison(LEFT + b"/*" + b" " * MAX_SOURCE_CHARS + b"*/", RIGHT)
    (shown,) = side_by_side(compared, compared.similarities.pairs[0])
    assert shown.left.cut
    assert not shown.right.cut
    assert sum(len(one.text) for one in shown.left.segments) == MAX_SOURCE_CHARS


def test_a_class_of_copies_has_a_page_of_bounded_size() -> None:
    compared = comparison(*[LEFT] * 300)
    page = similar_html(compared)
    assert len(compared.similarities.pairs) == MAX_PAIRS
    assert page.count(b"<pre") == 2 * MAX_SHOWN
    assert len(page) < 500_000
    assert b"299</strong>" in page
