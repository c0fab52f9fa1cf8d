"""The submissions of a class that are alike, for programs."""

from __future__ import annotations

import json

from grader.similarity.submissions import ClassComparison, ComparedSubmission, SimilarPair

DECIMALS = 4


def similar_json(comparison: ClassComparison) -> bytes:
    """Return what a comparison found, without sources, in ASCII; `similarity` is a share of 1."""
    found = comparison.similarities
    names = [_named(one) for one in comparison.submissions]
    document = {
        "schema_version": 1,
        "lab_title": comparison.lab_title,
        "submissions": comparison.of_class,
        "found": found.found,
        "pairs": [_pair(pair, names) for pair in found.pairs],
        "groups": [[names[number] for number in group] for group in found.groups],
        "too_little": [names[number]["name"] for number in found.too_little],
        "gone": comparison.gone,
        "changed": comparison.changed,
        "unusable": comparison.unusable,
    }
    return json.dumps(document, indent=2).encode("ascii") + b"\n"


def _named(submission: ComparedSubmission) -> dict[str, str]:
    return {"name": submission.name, "term": submission.term}


def _pair(pair: SimilarPair, names: list[dict[str, str]]) -> dict[str, object]:
    programs = [
        {
            "program": one.program,
            "similarity": round(one.match.similarity, DECIMALS),
            "identical": one.identical,
            "shared_tokens": one.match.shared,
        }
        for one in pair.programs
    ]
    return {"left": names[pair.left], "right": names[pair.right], "programs": programs}
