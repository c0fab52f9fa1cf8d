from __future__ import annotations

import pytest

from grader.gradescope.results.cause_page import page_blocks, prose_of
from grader.gradescope.results.markdown import LEFT_OUT, bold, code, code_block, document, paragraph, plain, table
from grader.gradescope.schema import OUTPUT_CHARS
from grader.resources import resource

from .factory import PAGE
from .gradescope import HOSTILE, is_plain, shown, tokens

PAGES = {path.parent.name: path.read_text("utf-8") for path in resource("reference").glob("*/mutants/*/page.md")}
PIECES = [
    "```",
    "<b>",
    "![](x)",
    "[x](javascript:y)",
    "|a|b|",
    "# x",
    "1. x",
    "- x",
    "+ x",
    "* x",
    "> x",
    "===",
    "---",
]
PIECES += [
    "`",
    "``",
    "a` `` b",
    "\\",
    "&lt;",
    "__x__",
    "~~x~~",
    "    x",
    "<!-- x -->",
    "\x1b[0m",
    "\u202e",
    "\x00",
    "\ud800",
]


@pytest.mark.parametrize("text", [*PIECES, HOSTILE])
@pytest.mark.parametrize("made", [plain, code, bold])
def test_what_others_wrote_is_text_on_a_line(made: object, text: str) -> None:
    assert callable(made)
    for written in (made(text), f"{made(text)} {made(text)}", f"before {made(text)}", paragraph("a", made(text))):
        is_plain(written)
        words = plain(text)[:150].replace("\\", "")
        assert words in shown(written).replace("\\", "")


@pytest.mark.parametrize("text", [*PIECES, HOSTILE])
def test_what_others_wrote_is_text_in_code(text: str) -> None:
    is_plain(code_block(text))
    (block,) = tokens(code_block(text))
    assert block.type == "code_block"
    assert block.content.rstrip("\n").split("\n")[0].strip() in shown(code_block(text))
    assert "alert(1)" in block.content or text != HOSTILE


def test_what_other_dialects_act_on_is_escaped_too() -> None:
    assert plain("|![<x>](y) ~~z~~ http://a.b") == (r"\|\!\[\<x\>\]\(y\) \~\~z\~\~ http\://a\.b")


def test_a_code_span_keeps_its_backticks() -> None:
    assert code("a`b") == "``a`b``"
    assert code("``") == "``` `` ```"
    assert code("") == ""


def test_blank_lines_stay_in_code_and_end_nothing() -> None:
    (block,) = tokens(code_block("\n\na\n\n   \n<b>\n\n"))
    assert block.content == "a\n\n\n<b>\n"
    assert code_block(" \n\t\n") == ""
    (block,) = tokens(code_block(" " * 1_000_000 + "x"))
    assert block.content.endswith("…\n[cut here; it has 1,000,001 characters in all]\n")


@pytest.mark.parametrize("text", ["x" * 1_000_000, "x\n" * 500_000, "`" * 1_000_000, "\u202e" * 1_000_000])
def test_a_million_characters_are_cut_and_the_cut_is_told(text: str) -> None:
    for made in (code_block(text), code_block(text, limit_lines=5)):
        is_plain(made)
        assert len(made) < 2500
        assert "cut here; it has 1,000,00" in made
    for made in (plain(text), code(text), bold(text)):
        is_plain(made)
        assert len(made) < 5000


def test_a_short_text_is_not_said_to_be_cut() -> None:
    assert code_block("a\nb") == "    a\n    b"


def test_a_table_has_its_numbers_to_the_right() -> None:
    assert table(("calls", ""), [("12,345", "reads"), ("1", "writes")]) == (
        "     calls\n    12,345  reads\n         1  writes"
    )


def test_a_document_leaves_out_what_finds_no_room_and_says_so() -> None:
    block = code_block("x" * 1990)
    text = document([block] * 30)
    is_plain(text)
    assert text.count(block) == (OUTPUT_CHARS - len(LEFT_OUT)) // (len(block) + 2)
    assert text.endswith(LEFT_OUT)
    assert document(["a", "", "b"]) == "a\n\nb"


@pytest.mark.parametrize("name", PAGES)
def test_every_page_of_a_mutant_is_shown_whole(name: str) -> None:
    text = document(page_blocks(PAGES[name]))
    is_plain(text)
    assert "cut here" not in text
    assert "…" not in text
    words = "".join(PAGES[name].replace("##", "").replace("```sh", "").split())
    marks = str.maketrans("", "", "`*")
    assert "".join(shown(text).split()).translate(marks) == words.translate(marks)


def test_the_prose_of_a_page_keeps_its_code_spans() -> None:
    assert prose_of(PAGE, "What happens") == (
        "`getchar` can return 257 different values, and a `char` has room for 256\\."
    )
    assert prose_of(PAGE, "No such part") == ""
    assert prose_of("## What happens\n\na *b* c `d`e\nf\n\n## More\n\ng", "What happens") == "a b c `d`e f"


def test_a_page_cannot_take_all_the_room() -> None:
    assert len(document(page_blocks((PAGE + "word " * 1000) * 50))) < OUTPUT_CHARS // 2
