"""Work that Ctrl-C ends within seconds, whatever it is doing."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Generic, TypeVar

Result = TypeVar("Result")

END_AGAIN_S = 0.2
GIVE_UP_S = 2.0
"""How long Ctrl-C waits for the work to end; what still runs then ends with the process."""


class Interruptible(Generic[Result]):
    """Work in a thread of its own. After a KeyboardInterrupt, `future` may be done all the same."""

    def __init__(self, work: Callable[[], Result], end: Callable[[], None]) -> None:
        """Prepare the work. `end`, which makes it end soon, may be called repeatedly and from another thread."""
        self._end = end
        self.future: Future[Result] = Future()

        def run() -> None:
            try:
                self.future.set_result(work())
            except BaseException as error:  # noqa: BLE001 - raised again by `result`
                self.future.set_exception(error)

        self._thread = threading.Thread(target=run, daemon=True)

    def result(self) -> Result:
        """Start the work, and return or raise what comes of it.

        Raises:
            KeyboardInterrupt: an ending signal came.
        """
        try:
            self._thread.start()
            return self.future.result()
        except KeyboardInterrupt:
            # Repeatedly, because the work may be about to start another guest.
            for _ in range(round(GIVE_UP_S / END_AGAIN_S)):
                self._end()
                if wait([self.future], END_AGAIN_S).done:
                    break
            raise
