"""Proven, certain and likely causes look different everywhere, and fixed lines are shown only where they may be."""

from __future__ import annotations

import re

import pytest

from grader.model.report import BuildResult, CauseLine, Proof, RelatedLine, Report, Symptom
from grader.render.html.pages import report_html
from grader.render.terminal.report import in_full
from grader.render.views.failures import explained, observed, remaining_warnings
from grader.render.views.visible_checks import part

from . import factory
from .gradescope import outputs, results, spec_of
from .test_terminal import shown

SENTENCE = "With `int` instead of `char` in line 7 of tr2b.c, the checks byte-ff and random-5m pass."
INSTRUCTION = "Write `int` instead of `char` in line 7. Then the checks byte-ff and random-5m pass."
CHECKS = ("tr2b.byte-ff", "tr2b.random-5m")
LABELS = {"proven": "Proven (tr2b)", "certain": "Certain (tr2b)", "likely": "Perhaps (tr2b)"}
FIXED = "int fixed_line;"


def proof_of(fixed: tuple[CauseLine, ...] = ()) -> Proof:
    passes = "the checks byte-ff and random-5m pass"
    made = factory.proof("`int` instead of `char`", *CHECKS, lines=(7,), passes=passes, fixed=fixed)
    assert made.sentence == SENTENCE
    return made


def report(certainty: str, *, shows_fixes: bool = False, hostile: str = "") -> Report:
    fixed = (CauseLine(file="tr2b.c", number=7, text=f"    {FIXED}{hostile}"),)
    proof = proof_of(fixed) if certainty == "proven" else None
    line = CauseLine(file="tr2b.c", number=7, text=f"    char c;{hostile}")
    lines = () if certainty == "likely" else (line,)
    cause = factory.cause("char-for-getchar", *CHECKS, certainty=certainty, lines=lines, proof=proof)
    return factory.diagnosed(causes=(cause,), shows_fixes=shows_fixes)


def everywhere(of: Report) -> dict[str, str]:
    gradescope = "\n".join(outputs(results(of))).replace("\\", "").replace("\N{NO-BREAK SPACE}", " ")
    return {
        "terminal": shown(in_full(of), 200),
        "page": re.sub(r"</?span[^>]*>", "", report_html(of).decode("utf-8")),
        "gradescope": gradescope,
    }


@pytest.mark.parametrize("certainty", LABELS)
def test_the_first_word_says_how_certain_a_cause_is(certainty: str) -> None:
    for place, text in everywhere(report(certainty)).items():
        labels = {name for name, label in LABELS.items() if label.strip() in text}
        assert labels == {certainty}, place


def test_what_a_small_change_repairs_is_proven_too() -> None:
    line = RelatedLine(file="tr2b.c", number=7, text="    char c;", does="is changed")
    symptom = Symptom(
        id="stops-early",
        program="tr2b",
        checks=CHECKS,
        sentence="tr2b stops.",
        advice=SENTENCE,
        lines=(line,),
        proof=proof_of(),
    )
    repaired = factory.diagnosed(causes=()).model_copy(update={"symptoms": (symptom,)})
    for place, text in everywhere(repaired).items():
        plain = text.replace("<code>", "`").replace("</code>", "`").replace("**", "")
        assert "Proven: tr2b stops." in plain, place
        assert INSTRUCTION in plain, place
        assert SENTENCE not in plain, place
        assert "tr2b.c:7  " in plain, place
        assert "Begin here" not in plain, place


def test_styles_differ_as_well() -> None:
    pages = {certainty: report_html(report(certainty)).decode("utf-8") for certainty in LABELS}
    for certainty, page in pages.items():
        assert f'class="cause is-{certainty}"' in page
        assert f'class="label {certainty}"' in page


def test_the_sentence_and_the_line_are_shown() -> None:
    for place, text in everywhere(report("proven")).items():
        plain = text.replace("<code>", "`").replace("</code>", "`")
        assert INSTRUCTION in plain, place
        assert SENTENCE not in plain, place
        assert "tr2b.c:7" in text, place
        assert "char c;" in text, place


@pytest.mark.parametrize("shows", [False, True])
def test_the_fixed_line_is_shown_only_if_the_spec_allows_it(*, shows: bool) -> None:
    for place, text in everywhere(report("proven", shows_fixes=shows)).items():
        assert (FIXED in text) == shows, place


def test_lines_are_shown_as_text() -> None:
    texts = everywhere(report("proven", shows_fixes=True, hostile="<b>\x1b[31m"))
    assert "\x1b" not in "".join(texts.values())
    assert "char c;&lt;b&gt;" in texts["page"]
    assert f"{FIXED}&lt;b&gt;" in texts["page"]


def test_a_proof_about_checks_that_a_reader_does_not_see_is_left_out() -> None:
    whole = report("proven")
    spec = spec_of(whole)
    hidden = [
        item if item.name != "random-5m" else item.model_copy(update={"visibility": "hidden"}) for item in spec.rubric
    ]
    (cause,) = part(whole, spec.model_copy(update={"rubric": tuple(hidden)}), {"visible"}).causes
    assert (cause.certainty, cause.proof, cause.checks) == ("certain", None, ("tr2b.byte-ff",))
    (seen,) = part(whole, spec, {"visible"}).causes
    assert (seen.certainty, seen.proof) == ("proven", whole.causes[0].proof)


def warned(option: str, symptom: str = "") -> Report:
    message = f"tr2b.c:7:23: warning: something is odd [-W{option}]\n    7 | x\n"
    builds = (BuildResult(program="tr2b", ok=True, command="gcc", messages=message),)
    symptoms = (Symptom(id=symptom, program="tr2b", checks=CHECKS, sentence="It is wrong."),) if symptom else ()
    return factory.diagnosed(
        builds=builds, causes=() if symptom else (report("certain").causes[0],), symptoms=symptoms
    )


@pytest.mark.parametrize(
    ("option", "symptom", "concerns"),
    [
        ("type-limits", "", True),
        ("unused-variable", "", False),
        ("char-subscripts", "", False),
        ("maybe-uninitialized", "crashes", True),
        ("char-subscripts", "high-bytes-wrong", True),
        ("char-subscripts", "system-calls", False),
        ("parentheses", "accepts-wrong-operands", True),
        ("format=", "crashes", True),
        ("stringop-overflow=", "crashes", True),
        ("error=unused-result", "stops-early", True),
        ("made-up", "crashes", False),
    ],
)
def test_a_warning_is_shown_with_what_it_concerns_and_else_apart(
    option: str, symptom: str, *, concerns: bool
) -> None:
    of = warned(option, symptom)
    near = (observed(of) if symptom else explained(of))[0].warnings
    assert len(near) == concerns
    assert len(remaining_warnings(of)) == (not concerns)
    text = shown(in_full(of), 200)
    heading = "A char holds" if not symptom else "It is wrong."
    assert (text.index("something is odd") > text.index("System calls, ")) == (not concerns)
    assert text.index("something is odd") > text.index(heading)
    page = report_html(of).decode("utf-8")
    assert page.count("something is odd") == 2
    assert ('<details class="others">' in page) == (not concerns)
