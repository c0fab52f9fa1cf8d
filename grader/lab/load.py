"""Read a lab's spec. An error names file, line, key path and the key that was probably meant."""

from __future__ import annotations

from pathlib import Path

from grader.lab.yaml_document import read_yaml
from grader.model.spec.lab import Spec


def read_spec(path: Path) -> Spec:
    """Read and check a spec.

    Raises:
        SpecError: the file cannot be read, is not YAML, or is not a valid spec.
    """
    return read_yaml(path, Spec, example="lab: …, programs: …").content
