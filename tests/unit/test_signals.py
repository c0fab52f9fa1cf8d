from __future__ import annotations

import signal

from grader.model.signals import signal_words


def test_they_have_the_names_that_linux_gives_them() -> None:
    named = {number: signal_words(number).split()[0] for number in range(1, 32)}
    assert all(name == signal.Signals(number).name for number, name in named.items() if name != "signal")


def test_a_number_without_a_name_stays_a_number() -> None:
    assert signal_words(64) == "signal 64"
