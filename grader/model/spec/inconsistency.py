"""Errors for parts of a spec that do not fit together, with their key paths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class InconsistencyError(ValueError):
    """Parts of a spec that do not fit together, such as a name that no other part declares.

    `key_path` is the position in the spec. For an undeclared name, `unknown_name` is that name, and `known` are the
    names that are declared.
    """

    def __init__(self, message: str, *, key_path: str, unknown_name: str = "", known: Iterable[str] = ()) -> None:
        self.key_path = key_path
        self.known = tuple(known)
        self.unknown_name = unknown_name
        super().__init__(message)


class GuessableSeedError(InconsistencyError):
    """A hidden input's seed that students can guess; a message can propose another one."""


class InconsistenciesError(ValueError):
    """All inconsistencies of a spec, each with its own key path."""

    def __init__(self, inconsistencies: Sequence[InconsistencyError]) -> None:
        self.inconsistencies = tuple(inconsistencies)
        super().__init__("; ".join(map(str, inconsistencies)))
