"""How much of what a program wrote is shown: as much as a page may hold."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Detail:
    """Lengths that texts are cut to; `cases` of each failed check are shown in full, the others in a line."""

    text_chars: int
    output_bytes: int
    log_chars: int
    cases: int
    listed: int


LEVELS = (
    Detail(text_chars=4000, output_bytes=2000, log_chars=16_000, cases=10, listed=50),
    Detail(text_chars=1000, output_bytes=400, log_chars=4000, cases=2, listed=20),
    Detail(text_chars=300, output_bytes=80, log_chars=800, cases=1, listed=5),
    Detail(text_chars=80, output_bytes=16, log_chars=200, cases=1, listed=1),
)
"""From all that one can read to what is left where every program wrote as much as it could."""
