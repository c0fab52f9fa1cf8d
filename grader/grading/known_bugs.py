"""The signatures of a lab's mutants: measured once, like submissions, and cached.

A lab may have them in signatures.json (`make signatures` makes that of the grader's own labs). If it has none, or if
cases, inputs, rubric or mutants have changed since, they are measured when a submission first fails.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from grader.cache.entries import Cache, load_cached, store_cached
from grader.errors import GraderError
from grader.grading.mutant_runner import MutantRunner
from grader.lab.find import LabFiles
from grader.lab.fixtures import read_fixtures
from grader.lab.mutants import mutants_of
from grader.messages import Notify
from grader.model.counted import counted
from grader.model.mutant import KnownBugs, Mutant
from grader.model.signature import Signatures
from grader.model.spec.cases import EMPTY
from grader.model.spec.lab import Spec

SHIPPED = "signatures.json"
FORMAT = 4
"""Version of the traits; increase it when diagnose/bugs/traits.py describes the same behaviour in other words."""


class LazyKnownBugs:
    """The known bugs of a lab, looked up when they are first needed, by any thread.

    `declared` is the spec as it is declared: the runner's may have smaller inputs, and has what was drawn. Known bugs
    look the same in both, so signatures are looked up and cached for the declared one.
    """

    def __init__(
        self,
        runner: MutantRunner,
        files: LabFiles,
        cache: Cache | None,
        notify: Notify,
        declared: Spec,
    ) -> None:
        self._runner = runner
        self._spec = declared
        self._files = files
        self._cache = cache
        self._notify = notify
        self._lock = threading.Lock()
        self._known: KnownBugs | None = None

    def get(self) -> KnownBugs:
        """Return the known bugs.

        Raises:
            GraderError: the mutants cannot be read or measured.
        """
        with self._lock:
            if self._known is None:
                mutants = mutants_of(self._spec, self._files)
                self._known = KnownBugs(mutants, self._signatures(mutants))
            return self._known

    def _signatures(self, mutants: Sequence[Mutant]) -> Signatures:
        fixtures = read_fixtures(self._spec, self._files)
        key = signatures_key(self._spec, mutants, self._runner.lab.provided, fixtures)
        known = shipped(self._files.signatures, key)
        known = known or load_cached(self._cache, key, "the kept known bugs", _read, self._notify)
        return known or self._measure(key, mutants)

    def _measure(self, key: str, mutants: Sequence[Mutant]) -> Signatures:
        programs = sum(len(mutant.sources) + len(mutant.variants) for mutant in mutants)
        if programs:
            self._notify(f"running {counted(programs, 'program')} with known bugs (kept for the next time)")
        signatures = Signatures(key=key, traits=self._runner.traits(mutants))
        store_cached(self._cache, key, "the known bugs", {SHIPPED: signatures_json(signatures)}, self._notify)
        return signatures


def _read(files: Mapping[str, bytes]) -> Signatures:
    return Signatures.model_validate_json(files[SHIPPED])


def signatures_key(
    spec: Spec,
    mutants: Sequence[Mutant],
    provided: Mapping[str, bytes] | None = None,
    fixtures: Mapping[str, bytes] | None = None,
) -> str:
    """Return a hash over everything that affects traits: mutants, files, and the spec without texts and points."""
    hasher = hashlib.sha256(f"signatures {FORMAT} ".encode())
    hasher.update(json.dumps(_what_matters(spec), sort_keys=True).encode("utf-8"))
    _add_files(hasher, provided or {})
    _add_files(hasher, fixtures or {})
    if any(case.is_stated for case in spec.cases.values()):
        # The traits of these cases did not name what is wrong at first; a new FORMAT would also reject those of
        # labs without such cases.
        hasher.update(b"with all that is wrong")
    for mutant in mutants:
        fails, alone = (
            {program: sorted(checks) for program, checks in sorted(by_program.items())}
            for by_program in (mutant.fails, mutant.alone)
        )
        hasher.update(json.dumps([mutant.name, fails, alone]).encode("utf-8"))
        for program, source in sorted(mutant.sources.items()):
            hasher.update(f"{program} {len(source)} ".encode() + source)
            _add_files(hasher, mutant.others.get(program, {}))
        for variant in mutant.variants:
            hasher.update(json.dumps([variant.program, variant.name, sorted(variant.fails)]).encode("utf-8"))
            hasher.update(f" {len(variant.source)} ".encode() + variant.source)
            _add_files(hasher, variant.others)
    return "sha256:" + hasher.hexdigest()


def _what_matters(spec: Spec) -> dict[str, Any]:
    """Return the keys of a spec that affect traits.

    Whatever is not written in the spec is left out, so that a new key with a default changes nothing.
    """
    left_out = (
        "title", "comparisons", "plots", "limits", "notebook", "gradescope", "published", "students_see_fixes",
        "template_score", "operand_names",
    )  # fmt: skip
    declared = spec.model_dump(mode="json", exclude=dict.fromkeys(left_out, True), exclude_defaults=True)
    for item in declared["rubric"]:
        for key in ("title", "hint", "points", "visibility"):
            item.pop(key, None)
    for case in declared["cases"].values():
        # Labs from before these had defaults named them.
        case.setdefault("input", EMPTY)
        case.setdefault("operands", [])
    for declaration in (*declared.get("inputs", {}).values(), *declared["cases"].values()):
        # Hidden inputs and cases run in the same way as others.
        declaration.pop("hidden", None)
    return declared


def _add_files(hasher: hashlib._Hash, files: Mapping[str, bytes]) -> None:
    for name, data in sorted(files.items()):
        hasher.update(f" {name} {len(data)} ".encode() + data)


def shipped(path: Path, key: str) -> Signatures | None:
    """Return the signatures that come with a lab, None if they belong to another spec or other mutants."""
    try:
        signatures = Signatures.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise GraderError(f"{path} is damaged; install the grader again: {error}") from error
    return signatures if signatures.key == key else None


def signatures_json(signatures: Signatures) -> bytes:
    """Return the content of the file, always in the same order."""
    return json.dumps(signatures.model_dump(mode="json"), indent=1, sort_keys=True).encode("utf-8") + b"\n"
