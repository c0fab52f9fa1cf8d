"""Charts over a parameter: lines and marks, what is left out, and the table with the numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable

from grader.model.report import PlotFigures, PlottedRun, Report
from grader.render.html.chart import LEFT, RIGHT
from grader.render.html.pages import report_html
from grader.render.html.parameter_chart import ParameterChart, parameter_charts
from grader.render.views.parameter_plots import ParameterPlot, parameter_plots

from . import factory

SIZES = (1, 512, 65_536)


def runs(program: str, calls: Iterable[int | None], **changes: object) -> tuple[PlottedRun, ...]:
    values: dict[str, object] = {"real_s": 0.25, "correct": True}
    return tuple(
        PlottedRun.model_validate(
            {"program": program, "case": f"copy-{size}", "value": size, "calls": one, **values, **changes}
        )
        for size, one in zip(SIZES, calls, strict=True)
    )


ONE, TWO = runs("one", (1_000_001, 1_955, 17)), runs("two", (247, 247, 26))


def report(*own: PlottedRun, reference: tuple[PlottedRun, ...] = (*ONE, *TWO)) -> Report:
    return factory.report(plots=(PlotFigures(title="By SIZE", parameter="SIZE", runs=own, reference=reference),))


def plot(*own: PlottedRun) -> ParameterPlot:
    (found,) = parameter_plots(report(*own))
    return found


def charts(*own: PlottedRun) -> tuple[ParameterChart, ...]:
    (drawn,) = parameter_charts(report(*own))
    return drawn.charts


def places(path: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"[ML]([\d.]+) ([\d.]+)", path)]


def test_each_program_has_a_line_and_one_for_its_reference() -> None:
    found = plot(*ONE, *TWO)
    labels = ["reference one", "reference two", "your one", "your two"]
    assert [line.label for line in found.calls] == [line.label for line in found.seconds] == labels
    assert [(point.value, point.figure) for point in found.calls[2].points] == [
        (1, 1_000_001),
        (512, 1_955),
        (65_536, 17),
    ]
    assert found.left_out == ()


def test_both_axes_are_logarithmic() -> None:
    calls, seconds = charts(*ONE, *TWO)
    assert [tick.text for tick in calls.ticks] == ["1", "512", "65,536"]
    first, second, third = (tick.at for tick in calls.ticks)
    assert abs((second - first) / (third - first) - 9 / 16) < 0.01, "2 ** 9 of 2 ** 16"
    (one,) = (line for line in calls.lines if line.line.label == "your one")
    heights = [y for _, y in places(one.path)]
    assert heights == sorted(heights), "fewer calls are further down"
    assert places(one.path) == places(one.marks)
    assert all(LEFT <= x <= RIGHT for line in (*calls.lines, *seconds.lines) for x, _ in places(line.path))


def test_programs_with_the_same_figures_do_not_hide_each_other() -> None:
    same = runs("two", (1_000_001, 1_955, 17))
    calls, _ = charts(*ONE, *same)
    own = [places(line.path) for line in calls.lines if not line.line.is_reference]
    assert own[0] != own[1]


def test_labels_of_values_that_are_close_are_left_out() -> None:
    close = tuple(one.model_copy(update={"value": 1000 ** (number > 0) + number}) for number, one in enumerate(ONE))
    (drawn,) = parameter_charts(report(*close, reference=()))
    assert sum(bool(tick.text) for tick in drawn.charts[0].ticks) == 2


def test_wrong_runs_are_not_drawn_and_the_page_says_so() -> None:
    wrong = (ONE[0].model_copy(update={"correct": False}), *ONE[1:])
    found = plot(*wrong, *TWO)
    (line,) = (line for line in found.calls if line.label == "your one")
    assert [point.value for point in line.points] == [512, 65_536]
    assert found.left_out == ("one is not drawn where SIZE is 1: it did not do there what the case expects.",)
    assert found.rows[0].program == "one (wrong)"


def test_what_was_not_measured_is_named() -> None:
    missing = tuple(one.model_copy(update={"calls": None, "real_s": None, "correct": False}) for one in ONE)
    found = plot(*missing, *TWO)
    assert found.left_out == ("one was not measured where SIZE is 1, 512, 65,536.",)
    assert (found.rows[0].program, found.rows[0].calls, found.rows[0].seconds) == (
        "one",
        "not measured",
        "not measured",
    )
    untimed = runs("one", (3, 2, 1), real_s=None)
    assert [chart.unit for chart in charts(*untimed)] == ["reads and writes", "seconds"], "the reference has times"
    assert plot(*untimed).rows[0].seconds == "not measured"


def test_nothing_is_drawn_of_the_reference_alone() -> None:
    wrong = tuple(one.model_copy(update={"correct": False}) for one in ONE)
    assert parameter_plots(report(*wrong)) == ()
    assert parameter_plots(factory.report()) == ()


def test_the_page_has_the_pictures_and_the_numbers() -> None:
    page = report_html(report(*ONE, *TWO)).decode("utf-8")
    section = page[page.index('<section aria-labelledby="plot-1">') :]
    section = section[: section.index("</section>")]
    assert section.count('role="img"') == 2
    assert "your one: 1,000,001 where SIZE is 1, 17 where SIZE is 65,536" in section
    rows = re.findall(r"<tr><td>(.*?)</td><th scope=\"row\">(.*?)</th><td>(.*?)</td>", section)
    assert rows[:3] == [("1", "one", "1,000,001"), ("1", "two", "247"), ("512", "one", "1,955")]
    ids = re.findall(r'id="([^"]+)"', page)
    assert len(ids) == len({*ids})
    assert 'id="plot-1"' not in report_html(factory.report()).decode("utf-8")
