"""The other end of a connection to a guest, written down beforehand."""

from __future__ import annotations


class FakeTransport:
    """A guest that sends `answers` one after the other; exceptions among them are raised."""

    ends_with_us = False

    def __init__(self, *answers: bytes | OSError, words: str = "") -> None:
        self.answers = list(answers)
        self.sent: list[bytes] = []
        self.words = words
        self.interrupted = 0

    def send(self, data: bytes) -> None:
        self.sent.append(data)

    def receive(self, timeout_s: float) -> bytes:
        assert timeout_s > 0
        answer = self.answers.pop(0) if self.answers else b""
        if isinstance(answer, OSError):
            raise answer
        return answer

    def stderr_text(self) -> str:
        return self.words

    def interrupt(self) -> None:
        self.interrupted += 1


class GoneTransport(FakeTransport):
    def send(self, data: bytes) -> None:
        raise BrokenPipeError(32, "Broken pipe", data[:0])
