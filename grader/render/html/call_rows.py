"""The rows of a table of calls."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup, escape

from grader.render.text.escape import visible_text
from grader.render.views.syscalls import CallRow


def call_rows(rows: Iterable[CallRow], *, has_reference: bool) -> Markup:
    """Return rows of a table of calls.

    A page has more than a hundred of them, and a template takes a third of the time of the page for them.
    """
    # Nothing but numbers and the escaped names are put in.
    return Markup("\n").join(Markup(_row(row, has_reference=has_reference)) for row in rows)  # noqa: S704


def _row(row: CallRow, *, has_reference: bool) -> str:
    differs = row.reference_calls is not None and row.calls != row.reference_calls
    reference = f'<td class="number reference">{row.reference_calls:,}</td>' if has_reference else ""
    return (
        f'<tr><td class="number{" differs" if differs else ""}">{row.calls:,}</td>'
        f'<td class="number">{f"{row.errors:,}" if row.errors else ""}</td>'
        f'<th scope="row">{escape(visible_text(row.syscall))}</th>{reference}</tr>'
    )
