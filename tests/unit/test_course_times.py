"""Times and durations: one with no zone, or with two meanings, is never guessed."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course.times import duration_words, export_time, read_duration, read_time, read_zone

LATE = datetime(2026, 5, 4, 21, 59, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    "text",
    ["2026-05-04 23:59 +02:00", "2026-05-04T23:59:00+0200", "2026-05-04 23:59 Europe/Berlin", "2026-05-04 21:59Z"],
)
def test_a_time_has_a_zone(text: str) -> None:
    assert read_time(text) == LATE


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("2026-05-04 23:59", "a time without a zone; write it like "),
        ("2026-05-04", "not a time; write it like "),
        ("tomorrow", "not a time; write it like "),
        ("2026-13-04 23:59 Z", "not a time that a calendar has"),
        ("2026-05-04 23:59 Europe/Berln", "did you mean 'Europe/Berlin'?"),
        ("2026-05-04 23:59 Etc/../../passwd", "not a time"),
        ("2026-10-25 02:30 Europe/Berlin", "the clock is changed at 02:30 on that day; write an offset"),
        ("2026-03-29 02:30 Europe/Berlin", "the clock is changed at 02:30 on that day; write an offset"),
        ("0001-01-01 00:00 +02:00", "not a time that a calendar has"),
        ("2026-05-04 23:59 +99:00", "not an offset that a zone has"),
    ],
)
def test_a_time_that_is_not_clear_is_an_error(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        read_time(text)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        ("2026-05-04 21:59:00.861687000 Z", None, LATE),
        ("2026-05-04 15:59:00 -0600", None, LATE),
        ("2026-05-04 21:59:00 UTC", None, LATE),
        ("Monday, 4 May 2026, 11:59 PM", "Europe/Berlin", LATE),
        # Moodle in the English of the United States, as exports in public repositories have it.
        ("Monday, May 4, 2026, 11:59 PM", "Europe/Berlin", LATE),
        ("Monday, May 4, 2026, 11:59 PM", None, None),
        ("Monday, May 40, 2026, 11:59 PM", "Europe/Berlin", None),
        ("4 May 2026, 23:59", "Europe/Berlin", LATE),
        ("Monday, 4 May 2026, 11:59 PM", None, None),
        ("2026-05-04 23:59:00", None, None),
        ("-", "Europe/Berlin", None),
        ("Montag, 4 Mai 2026, 11:59 PM", "Europe/Berlin", None),
        ("Montag, 4 Foo 2026, 11:59 PM", "Europe/Berlin", None),
    ],
)
def test_a_time_of_an_export_is_known_in_utc_or_not_at_all(
    text: str, zone: str | None, expected: datetime | None
) -> None:
    found = export_time(text, read_zone(zone) if zone else None)
    assert found == expected


@given(st.text(max_size=60))
def test_any_text_of_an_export_is_a_time_or_not_known(text: str) -> None:
    found = export_time(text, timezone.utc)
    assert found is None or found.tzinfo is timezone.utc


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("day", timedelta(days=1)),
        ("15 min", timedelta(minutes=15)),
        ("6 hours", timedelta(hours=6)),
        ("1.5 h", timedelta(minutes=90)),
        ("2 Weeks", timedelta(days=14)),
    ],
)
def test_durations(text: str, expected: timedelta) -> None:
    assert read_duration(text) == expected


@pytest.mark.parametrize("text", ["", "15", "a while", "-1 day", "99999 weeks", "0 day"])
def test_what_is_not_a_duration(text: str) -> None:
    with pytest.raises(ValueError, match="not a duration"):
        read_duration(text)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0 s"), (59, "59 s"), (3600, "1 h"), (97_200, "1 day 3 h"), (200_000, "2 days 7 h")]
)
def test_durations_in_words(seconds: int, words: str) -> None:
    assert duration_words(seconds) == words
