"""The other end of a connection to a guest, written down beforehand."""

from __future__ import annotations


class FakeTransport:
    """A guest that says what was written down for it; an exception among it is raised, its end is the end."""

    def __init__(self, *said: bytes | OSError, words: str = "") -> None:
        self.said = list(said)
        self.sent: list[bytes] = []
        self.words = words
        self.interrupted = 0

    def send(self, data: bytes) -> None:
        self.sent.append(data)

    def receive(self, timeout_s: float) -> bytes:
        assert timeout_s > 0
        said = self.said.pop(0) if self.said else b""
        if isinstance(said, OSError):
            raise said
        return said

    def last_words(self) -> str:
        return self.words

    def interrupt(self) -> None:
        self.interrupted += 1


class GoneTransport(FakeTransport):
    def send(self, data: bytes) -> None:
        raise BrokenPipeError(32, "Broken pipe", data[:0])
