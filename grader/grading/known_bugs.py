"""What a lab's mutants look like from outside: measured like submissions, once, and kept.

The lab's own signatures come with the grader (`reference/LAB/signatures.json`, made by `make signatures`). For a spec
whose cases, inputs or rubric are others, or for other mutants, they are measured when a submission first fails.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from grader.cache.entries import Cache, load_cached, store_cached
from grader.errors import GraderError
from grader.grading.mutant_runner import MutantRunner
from grader.messages import Notify
from grader.model.mutant import Mutant
from grader.model.signature import Signatures
from grader.model.spec.lab import Spec
from grader.resources import resource

SHIPPED = "signatures.json"
FORMAT = 2
"""Raised when diagnose/traits.py says the same in other words."""


@dataclass(frozen=True)
class KnownBugs:
    """The mutants of a lab, and what they look like."""

    mutants: Sequence[Mutant]
    signatures: Signatures


class LazyKnownBugs:
    """The known bugs of a lab, looked up when they are first needed, by whichever thread that is."""

    def __init__(
        self, measurement: MutantRunner, cache: Cache | None, notify: Notify, lab: Spec | None = None
    ) -> None:
        """Remember where to look; nothing is read.

        `lab`: another form of the spec that is measured, in which the bugs look the same.
        """
        self._measurement = measurement
        self._spec = lab or measurement.spec
        self._cache = cache
        self._notify = notify
        self._lock = threading.Lock()
        self._known: KnownBugs | None = None

    def get(self) -> KnownBugs:
        """Return the known bugs.

        Raises:
            GraderError: the mutants cannot be read or measured.
        """
        # Imported here: nobody whose work is right needs what reads YAML.
        from grader.lab.mutants import read_mutants  # noqa: PLC0415

        with self._lock:
            if self._known is None:
                mutants = read_mutants(self._spec)
                self._known = KnownBugs(mutants, self._signatures(mutants))
            return self._known

    def _signatures(self, mutants: Sequence[Mutant]) -> Signatures:
        key = signatures_key(self._spec, mutants)
        kept = shipped(self._spec, key) or load_cached(self._cache, key, "the kept known bugs", _read, self._notify)
        return kept or self._measured(key, mutants)

    def _measured(self, key: str, mutants: Sequence[Mutant]) -> Signatures:
        programs = sum(len(mutant.sources) for mutant in mutants)
        if programs:
            self._notify(f"running {programs} programs with known bugs (kept for the next time)")
        found = Signatures(key=key, traits=self._measurement.traits(mutants))
        store_cached(self._cache, key, "the known bugs", {SHIPPED: signatures_json(found)}, self._notify)
        return found


def _read(files: Mapping[str, bytes]) -> Signatures:
    return Signatures.model_validate_json(files[SHIPPED])


def signatures_key(spec: Spec, mutants: Sequence[Mutant]) -> str:
    """Return a hash over what traits follow from: the mutants, and the spec without its words and points."""
    hasher = hashlib.sha256(f"signatures {FORMAT} ".encode())
    declared = spec.model_dump(
        mode="json", exclude=dict.fromkeys(("title", "limits", "gradescope", "published"), True)
    )
    for item in declared["rubric"]:
        for words in ("title", "hint", "points", "visibility"):
            item.pop(words)
    for one in (*declared["inputs"].values(), *declared["cases"].values()):
        # What is run is the same, whoever may see it.
        one.pop("hidden")
    hasher.update(json.dumps(declared, sort_keys=True).encode("utf-8"))
    for mutant in mutants:
        fails = {program: sorted(checks) for program, checks in sorted(mutant.fails.items())}
        hasher.update(json.dumps([mutant.name, fails]).encode("utf-8"))
        for program, source in sorted(mutant.sources.items()):
            hasher.update(f"{program} {len(source)} ".encode() + source)
    return "sha256:" + hasher.hexdigest()


def shipped(spec: Spec, key: str) -> Signatures | None:
    """Return the signatures that come with the grader, None where they are of another spec or of other mutants."""
    path = resource("reference") / spec.lab / SHIPPED
    try:
        found = Signatures.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise GraderError(f"{path} is damaged; install the grader again: {error}") from error
    return found if found.key == key else None


def signatures_json(signatures: Signatures) -> bytes:
    """Return the file's content, in an order that does not change from one time to the next."""
    return json.dumps(signatures.model_dump(mode="json"), indent=1, sort_keys=True).encode("utf-8") + b"\n"
