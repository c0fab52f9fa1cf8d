"""The answer to the question of each plot of a class: one sentence that is true of any number of submissions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grader.model.counted import counted, listed
from grader.render.html.class_page.frequency import CauseCount, CheckLine, SymptomCount
from grader.render.html.class_page.plots import DotPlot, Series
from grader.render.html.class_page.scores import Scores
from grader.render.text.phrases import points_words

MAX_TIED = 3
"""Most things that are named if they are equally common."""


def of_scores(scores: Scores) -> str:
    """Say where most scores lie, and how many have all points."""
    most = points_words(scores.max_score)
    if scores.count == 1:
        return f"The only score is {points_words(scores.median)} of {most} points."
    if scores.lowest == scores.highest:
        return f"{_all(scores.count)} scores are {points_words(scores.median)} of {most} points."
    verb = "has" if scores.full <= 1 else "have"
    full = f"{scores.full or 'none'} of {scores.count:,} submissions {verb} all of them"
    if scores.middle is None:
        ends = f"from {points_words(scores.lowest)} to {points_words(scores.highest)}"
        return f"The scores go {ends} of {most} points; {full}."
    low, high = map(points_words, scores.middle)
    middle = f"is {low}" if low == high else f"lies between {low} and {high}"
    return f"The middle half of the scores {middle} of {most} points; {full}."


def of_causes(causes: Sequence[CauseCount], graded: int) -> str:
    """Say how many submissions behave as if they had a known bug, and name the most common one."""
    names = {row.name for cause in causes for row in cause.rows}
    common = _most_common([(f"“{cause.title}”", len(cause.rows)) for cause in causes])
    return f"{_part(len(names), graded)} {'shows' if len(names) == 1 else 'show'} a known bug{common}."


def of_symptoms(symptoms: Sequence[SymptomCount], graded: int) -> str:
    """Say how many submissions fail in a way that no known bug explains, and name the most common way."""
    names = {row.name for symptom in symptoms for row, _ in symptom.rows}
    common = _most_common([(f"“{symptom.title}”", len(symptom.rows)) for symptom in symptoms])
    verb = "fails" if len(names) == 1 else "fail"
    return f"{_part(len(names), graded)} {verb} in a way that no known bug explains{common}."


def of_checks(checks: Iterable[CheckLine], graded: int) -> str:
    """Name the check that fails most often."""
    failed = [(one.check.id, one.failed) for line in checks for one in line.counts if one is not None and one.failed]
    if not failed:
        return "No check failed."
    if graded == 1:
        return f"The only graded submission fails {counted(len(failed), 'check')}."
    most, first = _highest(failed)
    names = listed(first) if len(first) <= MAX_TIED else f"{len(first)} checks"
    verb, each = ("fails", "") if len(first) == 1 else ("fail", "each ")
    return f"{names} {verb} most often: {each}in {most:,} of {graded:,} graded submissions."


def of_plot(plot: DotPlot) -> str:
    """Give the median of each series with the number of runs and their spread, and how many runs are left out."""
    sentences = [f"{'; '.join(_series(plot, series) for series in plot.series)}."]
    if plot.wrong:
        sentences.append(f"Not shown: {counted(plot.wrong, 'run')} that did not copy correctly.")
    if plot.unknown:
        sentences.append(f"Not shown: {counted(plot.unknown, 'run')} whose output was not compared.")
    return " ".join(sentences)


def _series(plot: DotPlot, series: Series) -> str:
    shown, number = plot.format_value, len(series.points)
    median, lowest, highest = map(shown, (series.median, series.lowest.value, series.highest.value))
    if number == 1:
        return f"{series.label}: {median} in 1 run"
    if lowest == highest:
        return f"{series.label}: {median} in each of {number:,} runs"
    if series.middle is None:
        return f"{series.label}: {lowest} to {highest} in {number:,} runs"
    low, high = map(shown, series.middle)
    if low == high:
        return f"{series.label}: {median} in at least half of {number:,} runs"
    return f"{series.label}: {median} is the median of {number:,} runs, the middle half between {low} and {high}"


def _part(number: int, graded: int) -> str:
    if graded == 1:
        return "The only graded submission"
    if number == graded:
        return f"{_all(graded)} graded submissions"
    return f"{number:,} of {graded:,} graded submissions"


def _all(number: int) -> str:
    return "Both" if number == 2 else f"All {number:,}"  # noqa: PLR2004 - two are both


def _most_common(counts: Sequence[tuple[str, int]]) -> str:
    """Return what is most common, as the end of a sentence: `: “a”`, `, most often “a” (9)`."""
    most, first = _highest(counts)
    if len(counts) == 1:
        return f": {first[0]}"
    if len(first) > MAX_TIED:
        return ""
    return f", most often {listed(first)} ({most:,}{' each' if len(first) > 1 else ''})"


def _highest(counts: Sequence[tuple[str, int]]) -> tuple[int, list[str]]:
    """Return the highest number, and what has it."""
    most = max(number for _, number in counts)
    return most, [name for name, number in counts if number == most]
