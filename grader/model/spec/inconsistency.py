"""Parts of a file that do not fit together: each is told with its place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class InconsistencyError(ValueError):
    """Parts of a spec that do not fit together, as a name that no other part declares.

    `key_path` is the place; for a name, `wanted` is what stands there and `known` what might.
    """

    def __init__(self, message: str, *, key_path: str, wanted: str = "", known: Iterable[str] = ()) -> None:
        """Keep the place, so that the file's line can be found for it."""
        self.key_path = key_path
        self.known = tuple(known)
        self.wanted = wanted
        super().__init__(message)


class InconsistenciesError(ValueError):
    """All that was found not to fit together."""

    def __init__(self, inconsistencies: Sequence[InconsistencyError]) -> None:
        """Keep each, so that each can be told with its line."""
        self.inconsistencies = tuple(inconsistencies)
        super().__init__("; ".join(map(str, inconsistencies)))
