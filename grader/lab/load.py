"""Read a lab's spec. An error names file, line, key path and the key that was probably meant."""

from __future__ import annotations

from pathlib import Path

from grader.lab.parameters import with_generated_parts
from grader.lab.yaml_document import YamlFile, read_yaml
from grader.model.spec.lab import Spec


def read_spec(path: Path) -> Spec:
    """Read and check a spec.

    Raises:
        SpecError: the file cannot be read, is not YAML, or is not a valid spec.
    """
    return read_spec_file(path).content


def read_spec_file(path: Path) -> YamlFile[Spec]:
    """Read and check a spec, and return it with the lines of its keys; see read_spec."""
    return read_yaml(path, Spec, example="lab: …, programs: …", expand=with_generated_parts)
