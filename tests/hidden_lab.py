"""The lab tr2 with hidden inputs, cases and checks, as an instructor adds them; and all words that may not leak."""

from __future__ import annotations

from pathlib import Path

TR2 = Path(__file__).parents[1] / "specs" / "tr2.yaml"
SEED = "0d3f1b6a94c7e85240fa1c9be6d27358"
POINTS = {"secret-text": {"tr2b": 3, "tr2u": 3}, "secret-noise": {"tr2b": 4, "tr2u": 4}, "secret-later": {"tr2u": 2}}
HIDDEN_CHECKS = sum(map(len, POINTS.values()))
HIDDEN_POINTS = sum(sum(points.values()) for points in POINTS.values())
OPERANDS = ("qzjv", "ZQJV")
"""Long enough that no operand that a class draws has them in it."""
SECRETS = (
    "secret",
    SEED,
    "qzjv",
    "zqzq",
    "7a717a71",
    "Sesame",
    "Kaleidoscope",
    "Thunderbolt",
)
"""Names, the seed, an operand, bytes of an input (in hex too), and words of titles, hints and comments."""

INPUTS = f"""
  # Thunderbolt: a comment tells too
  secret-letters: {{kind: literal, data: "zqzq and qzjv\\n", hidden: true}}
  secret-noise: {{kind: random, seed: {SEED}, size_bytes: 65536, hidden: true}}
"""
CASES = f"""
  secret-operands: {{operands: [{", ".join(OPERANDS)}], input: letters, hidden: true}}
  secret-letters: {{operands: [{", ".join(OPERANDS)}], input: secret-letters, hidden: true}}
  secret-noise: {{operands: [{", ".join(OPERANDS)}], input: secret-noise, engine: filter, hidden: true}}
  # Not hidden, but only hidden checks rest on it.
  secret-helper: {{operands: [secret, "123456"], input: secret-plain, expect: operand-error}}
"""
PLAIN = """
  secret-plain: {kind: literal, data: "plain"}
"""
RUBRIC = """
  - name: secret-text
    kind: cases
    title: Sesame, opened
    visibility: hidden
    points: {tr2b: 3, tr2u: 3}
    cases: [secret-operands, secret-letters, secret-helper]
    hint: Kaleidoscope
  - name: secret-noise
    kind: cases
    title: Sesame, in noise
    visibility: after_published
    points: {tr2b: 4, tr2u: 4}
    cases: [secret-noise]
    hint: Kaleidoscope
  - name: secret-later
    kind: cases
    title: Sesame, later
    visibility: after_due_date
    points: {tr2u: 2}
    cases: [secret-noise]
"""


def with_hidden(text: str) -> str:
    """Return the text of specs/tr2.yaml with what is hidden added to it."""
    for key, added in (("cases", INPUTS + PLAIN), ("rubric", CASES), ("limits", RUBRIC)):
        before, found, after = text.partition(f"\n{key}:")
        assert found
        text = f"{before}{added}{found}{after}"
    return text


def hidden_spec(folder: Path) -> Path:
    """Write the lab with what is hidden into a folder."""
    path = folder / "full.yaml"
    path.write_text(with_hidden(TR2.read_text(encoding="utf-8")), encoding="utf-8")
    return path
