"""Every command of the documentation is run, as a reader would, and prints what the page shows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from .blocks import REASONS, Block, Command, blocks, commands, indented, pages
from .playground import FULL_BYTES, SMALL_BYTES, Done, differs, environment, furnish, run

BLOCKS = blocks()
RUN = [block for block in BLOCKS if block.not_run is None]
NOT_RUN = [block for block in BLOCKS if block.not_run is not None]

CONTAINERS = ("grader grade ", "grader image build", "grader gradescope try")
"""What asks for an engine unless it says `--sandbox local`."""

CommandResult = dict[tuple[str, tuple[str, ...]], list[Done]]


@pytest.fixture(scope="session")
def playground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("playground")
    furnish(root)
    return root


@pytest.fixture(scope="session")
def ran() -> CommandResult:
    """What was run already: pages repeat each other, and readers type a command once."""
    return {}


@pytest.mark.slow
@pytest.mark.parametrize("block", RUN, ids=lambda block: block.name)
def test_commands_do_what_the_page_says(
    block: Block, playground: Path, cache_home: Path, ran: CommandResult, request: pytest.FixtureRequest
) -> None:
    typed = tuple(command.typed for command in block.commands)
    if any(wants_an_engine(command) for command in typed):
        request.getfixturevalue("docker_sandbox")
    if (block.folder, typed) not in ran:
        ran[block.folder, typed] = run(typed, playground / block.folder, environment(playground, cache_home))
    ended = ran[block.folder, typed]
    assert len(ended) == len(typed), f"the shell ended early: {ended}"
    for command, done, status in zip(block.commands, ended, statuses(block), strict=True):
        assert done.status == status, f"$ {command.typed}\n{done.output}"
        shown = [line.replace(FULL_BYTES, SMALL_BYTES) for line in command.shown]
        assert differs(shown, done.output) == "", f"$ {command.typed}"


def statuses(block: Block) -> list[int]:
    """All but the last command of a block are to end well."""
    return [0] * (len(block.commands) - 1) + [block.status]


def wants_an_engine(typed: str) -> bool:
    asks = any(start in f"{typed} " for start in CONTAINERS) and "--sandbox local" not in typed
    return asks or "--sandbox docker" in typed


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.name)
def test_a_block_is_of_commands_with_prompts(block: Block) -> None:
    assert block.language == "console", f"{block.name}: fence commands as ```console, with `$ ` before each"
    assert block.commands


def test_what_is_not_run_has_a_reason_and_is_not_much() -> None:
    reasons = Counter(block.not_run for block in NOT_RUN for _ in block.commands)
    listed = [f"{block.name}: {block.not_run}: {command.typed}" for block in NOT_RUN for command in block.commands]
    print("not run:", *listed, sep="\n  ")  # noqa: T201 - pytest shows it: pytest -rP
    assert reasons.keys() == REASONS.keys(), "a reason that is unknown, or that nothing has any more"
    assert [reason for reason, most in REASONS.items() if reasons[reason] > most] == [], "\n".join(listed)


@pytest.mark.parametrize("page", pages(), ids=str)
def test_no_command_hides_in_an_indented_block(page: Path) -> None:
    """Only fenced ones are run."""
    first = [
        words[0]
        for block in indented(page.read_text("utf-8"))
        for words in map(str.split, block.splitlines())
        if words
    ]
    known = {
        "grader",
        ".venv/bin/grader",
        "make",
        "pip",
        "pipx",
        "python3",
        "cp",
        "cd",
        "docker",
        "dask",
        "sudo",
        "bash",
        "$",
    }
    assert known.isdisjoint(first)


def test_differences_are_found() -> None:
    output = "one\ntwo  2.5 s\nthree\n"
    assert differs(["one", "two  ... s"], output) == ""
    assert differs(["...", "three"], output) == ""
    assert differs(["one", "...", "three"], output) == ""
    assert "three" in differs(["one", "three"], output)
    assert "four" in differs(["four"], output)


def test_a_shell_keeps_its_folder_and_tells_each_ending(tmp_path: Path) -> None:
    ended = run(["mkdir a && cd a", "pwd", "false", "(exit 3)"], tmp_path, environment(tmp_path, tmp_path))
    assert [done.status for done in ended] == [0, 0, 1, 3]
    assert ended[1].output.strip() == str(tmp_path / "a")


def test_a_command_goes_on_over_lines() -> None:
    assert list(commands("$ one \\\n> two\nsaid\n$ three\n")) == [Command("one \\\ntwo", ("said",)), Command("three")]
