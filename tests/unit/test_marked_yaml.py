from __future__ import annotations

import math
from pathlib import Path

import pytest
import yaml

from grader.lab.marked_yaml import MAX_DEPTH, MAX_VALUES, MarkedDict, MarkedList, load_marked
from grader.resources import resource


@pytest.fixture(params=["libyaml", "python"], autouse=True)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "python":
        monkeypatch.delattr(yaml, "CSafeLoader")


def problem(text: str) -> tuple[str, int]:
    with pytest.raises(yaml.MarkedYAMLError) as caught:
        load_marked(text)
    assert caught.value.problem is not None
    assert caught.value.problem_mark is not None
    return caught.value.problem, caught.value.problem_mark.line + 1


@pytest.mark.parametrize(
    ("text", "means"),
    [
        *((text, text) for text in ("yes", "No", "on", "OFF", "y", "1:30", "190:20:30", "2001-01-01", "0O17", "=")),
        *(
            (text, text)
            for text in ("nUll", "tRUE", "0b11", "0x", "1_", "_1", "1__0", ".", "+", "1e", "5.5.5", "+.nan")
        ),
        ("017", 17),
        ("09", 9),
        ("0o17", 15),
        ("0x1F", 31),
        ("-0x1f", -31),
        ("+12", 12),
        ("5_000_000", 5_000_000),
        pytest.param("9" * 100, int("9" * 100), id="100 digits"),
        pytest.param("9" * 5000, "9" * 5000, id="5000 digits"),
        ("1e3", 1000.0),
        ("-.5", -0.5),
        ("1.", 1.0),
        ("1.5E-2", 0.015),
        ("-.inf", -math.inf),
        ("true", True),
        ("FALSE", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("'1'", "1"),
        ('"true"', "true"),
        ("!!str 1", "1"),
        ("|-\n  1", "1"),
    ],
)
def test_scalars_mean_what_yaml_1_2_says(text: str, means: object) -> None:
    found = load_marked(f"key: {text}")["key"]
    assert (type(found), found) == (type(means), means)


def test_not_a_number() -> None:
    assert math.isnan(load_marked(".nan"))


@pytest.mark.parametrize("text", ["", "# only a comment\n", "---\n...\n"])
def test_nothing_in_it(text: str) -> None:
    assert load_marked(text) is None


def test_each_key_and_each_item_knows_where_it_is() -> None:
    document = load_marked("# heading\na: {b: 1,\n  c: [x,\n y]}\nd:\n- 1\n-  e: 2\n")
    assert isinstance(document, MarkedDict)
    assert document.positions == {"a": (1, 0), "d": (4, 0)}
    assert document["a"].positions == {"b": (1, 4), "c": (2, 2)}
    assert document["a"]["c"].positions == {0: (2, 6), 1: (3, 1)}
    assert isinstance(document["d"], MarkedList)
    assert document["d"].positions == {0: (5, 2), 1: (6, 3)}
    assert document["d"][1].positions == {"e": (6, 3)}


def test_an_alias_is_what_its_anchor_is_and_has_a_position_of_its_own() -> None:
    document = load_marked("a: &x {k: 1}\nb: *x\nc: &x 2\nd: [*x]\n")
    assert document == {"a": {"k": 1}, "b": {"k": 1}, "c": 2, "d": [2]}
    assert document.positions["b"] == (1, 0)
    assert document["b"].positions == {"k": (0, 7)}


def test_mappings_are_merged_and_a_key_of_one_s_own_wins() -> None:
    document = load_marked("a: &a {k: 1, l: 1}\nb: &b {l: 2, m: 2}\nc: {m: 3, <<: [*a, *b], n: 3}\nd:\n  <<: *b\n")
    assert document["c"] == {"k": 1, "l": 1, "m": 3, "n": 3}
    assert document["c"].positions["k"] == (0, 7)
    assert document["d"] == {"l": 2, "m": 2}
    assert load_marked("{'<<': 1}") == {"<<": 1}


@pytest.mark.parametrize(
    ("text", "says", "line"),
    [
        ("a: 1\nb: 2\na: 3\n", "found duplicate key 'a', which is in line 1 as well", 3),
        ("a: {b: 1,\n 'b': 2}", "found duplicate key", 2),
        ("a: 1\nb: *x", "found undefined alias", 2),
        ("a: &x [*x]", "found undefined alias", 1),
        ("a: &x {b: *x}", "found undefined alias", 1),
        ("a: 1\n? [b]\n: 2", "found unhashable key", 2),
        ("a: !!int '1'", "could not determine a constructor for the tag 'tag:yaml.org,2002:int'", 1),
        ("\na: !thing {b: 1}", "could not determine a constructor for the tag '!thing'", 2),
        ("a: !!python/object:os.system [ls]", "could not determine a constructor", 1),
        ("a: 1\n---\nb: 2", "but found another document", 2),
        ("a:\n  <<: 1", "expected a mapping or list of mappings for merging", 2),
        ("a:\n  <<: [{b: 1}, 1]", "expected a mapping or list of mappings for merging", 2),
    ],
)
def test_what_a_document_must_not_have(text: str, says: str, line: int) -> None:
    found, at = problem(text)
    assert found.startswith(says)
    assert at == line


@pytest.mark.parametrize(
    "text", ["a: [", "a: 'b", "a: b: c", "a: @b", "- a\nb: 1", "a: \x01", "%YAML 3.0\n---\na: 1"]
)
def test_what_is_not_yaml(text: str) -> None:
    with pytest.raises(yaml.YAMLError):
        load_marked(text)


def test_a_billion_laughs_end_soon() -> None:
    lines = ["a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha, ha]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    says, line = problem("\n".join(lines))
    assert says == f"more than {MAX_VALUES:,} values"
    assert line == 5, "where the hundred thousandth would be"


def test_merged_mappings_are_counted_too() -> None:
    lines = [f"a0: &a0 {{{', '.join(f'k{n}: 1' for n in range(100))}}}"]
    lines += [f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}]}}" for n in range(1, 10)]
    assert problem("\n".join(lines))[0] == f"more than {MAX_VALUES:,} values"


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? "])
def test_what_is_nested_too_deeply_is_not_followed(opening: str) -> None:
    assert problem(opening * 900)[0] == f"more than {MAX_DEPTH} levels"


def test_levels_behind_aliases_count_too() -> None:
    """Each line is shallow, but its alias stands for all lines above it."""
    lines = [f"a{n}: &a{n} {'[' * 45}{f'*a{n - 1}' if n else ''}{']' * 45}" for n in range(60)]
    says, line = problem("\n".join(lines))
    assert says == f"more than {MAX_DEPTH} levels"
    assert line == 2


def test_an_alias_may_stand_where_its_value_might() -> None:
    nested = "[" * (MAX_DEPTH - 3) + "]" * (MAX_DEPTH - 3)
    mapping = load_marked(f"a: &a {nested}\nb: [*a]\n")
    assert mapping["b"] == [mapping["a"]]


def test_a_spec_is_far_from_the_limits() -> None:
    path: Path = resource("specs", "tr2.yaml")
    assert count(load_marked(path.read_text(encoding="utf-8"))) * 30 < MAX_VALUES


def count(value: object) -> int:
    if isinstance(value, dict):
        return 1 + sum(1 + count(one) for one in value.values())
    return 1 + sum(map(count, value)) if isinstance(value, list) else 1
