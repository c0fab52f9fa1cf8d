"""The inputs and the cases of a spec."""

from __future__ import annotations

import hashlib
import string
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Discriminator, Field, StringConstraints, Tag, model_validator

from grader.model.base import Model, SpecBytes
from grader.model.spec.draws import PUBLIC, DrawnOperand, Operand, drawn_size
from grader.model.spec.expectations import Expectation, Expected, OutputRule
from grader.model.spec.programs import CallPattern
from grader.model.spec.texts import text
from grader.model.spec.types import Count, FileName, FixturePath, Hidden, InputBytes, Name, VariableName


class LiteralInput(Hidden):
    """Bytes that the spec contains literally."""

    kind: Literal["literal"]
    data: SpecBytes


TEXT_BYTES = 10_000
"""How much text is at the beginning of an input that then has other bytes."""


class _LongInput(Hidden):
    """An input of `size_bytes`.

    With `least_bytes` each submission gets only its beginning, of a size of its own between the two, which is drawn
    from the secret of its class and from its sources. So a program cannot be written for the sizes that are known.
    """

    size_bytes: InputBytes
    least_bytes: InputBytes | None = None

    def own_size_bytes(self, code: str) -> int:
        """Return the size of a submission's own beginning of this input, as drawn by a code."""
        # Both may have been cut (`grader check --quick`).
        return drawn_size(code, min(self.least_bytes or 0, self.size_bytes), self.size_bytes)


class PatternInput(_LongInput):
    """The bytes of `data`, repeated and cut at `size_bytes`."""

    kind: Literal["pattern"]
    data: Annotated[SpecBytes, Field(min_length=1)]


class RandomInput(_LongInput):
    """`size_bytes` bytes of SHAKE-256 over the seed: the same on every machine and Python version.

    `content`: `text` has words and lines, and `text-and-bytes` begins with TEXT_BYTES of that. With `drawn_percent`,
    each class gets others, and up to so many percent fewer, drawn from its secret. With `most_bytes` too, it may also
    get more, up to that.
    """

    kind: Literal["random"]
    seed: Annotated[str, StringConstraints(min_length=1)]
    content: Literal["bytes", "text", "text-and-bytes"] = "bytes"
    drawn_percent: Annotated[int, Field(ge=0, le=99)] | None = None
    most_bytes: InputBytes | None = None

    @model_validator(mode="after")
    def _can_be_more(self) -> RandomInput:
        if self.most_bytes is not None and self.drawn_percent is None:
            raise ValueError("most_bytes needs drawn_percent")
        if self.most_bytes is not None and self.most_bytes < self.size_bytes:
            raise ValueError("most_bytes is less than size_bytes")
        return self

    def drawn(self, code: str) -> RandomInput:
        """Return the input that a code stands for."""
        if self.drawn_percent is None or not code:
            return self
        least_bytes = max(1, self.size_bytes - self.size_bytes * self.drawn_percent // 100)
        size_bytes = drawn_size(code, least_bytes, self.size_bytes if self.most_bytes is None else self.most_bytes)
        return self.model_copy(update={"size_bytes": size_bytes, "seed": f"{self.seed} {code}"})

    def generated(self) -> bytes:
        """Return its bytes."""
        # A shorter input is the beginning of a longer one.
        most_text_bytes = {"bytes": 0, "text": self.size_bytes, "text-and-bytes": TEXT_BYTES}[self.content]
        text_bytes = min(most_text_bytes, self.size_bytes)
        rest = hashlib.shake_256(self.seed.encode("utf-8")).digest(self.size_bytes - text_bytes)
        return text(self.seed, text_bytes) + rest


Input = Annotated[LiteralInput | PatternInput | RandomInput, Field(discriminator="kind")]


def input_bytes(declaration: Input) -> bytes:
    """Return the bytes of an input, which are always the same for the same declaration."""
    if isinstance(declaration, LiteralInput):
        return declaration.data
    if isinstance(declaration, PatternInput):
        repeats = -(-declaration.size_bytes // len(declaration.data))
        return (declaration.data * repeats)[: declaration.size_bytes]
    return declaration.generated()


EMPTY = "empty"
"""The input of cases that name none; it needs no declaration."""


def with_empty_input(spec: object) -> object:
    """Return a spec that is still only keys and values with an empty input, if a case needs it."""
    cases = spec.get("cases") if isinstance(spec, dict) else None
    if not isinstance(spec, dict) or not isinstance(cases, dict):
        return spec
    inputs = spec.get("inputs", {})
    needs_it = any(isinstance(case, dict) and case.get("input", EMPTY) == EMPTY for case in cases.values())
    if not needs_it or not isinstance(inputs, dict) or EMPTY in inputs:
        return spec
    return {**spec, "inputs": {**inputs, EMPTY: {"kind": "literal", "data": ""}}}


class FileSource(Model):
    """Standard input is a file."""

    kind: Literal["file"] = "file"


class PipeSource(Model):
    """Standard input is a pipe that is refilled with `chunk_bytes` only when it is empty, so that reads are short."""

    kind: Literal["pipe"]
    chunk_bytes: Count


class FileOperand(Model):
    """The path of one of the case's files, as the program gets it."""

    file: FileName


def _kind_of_operand(value: object) -> str:
    if isinstance(value, FileOperand) or (isinstance(value, dict) and "file" in value):
        return "file"
    return "draw" if isinstance(value, DrawnOperand) or (isinstance(value, dict) and "draw" in value) else "bytes"


AnyOperand = Annotated[
    Annotated[Operand, Tag("bytes")] | Annotated[FileOperand, Tag("file")] | Annotated[DrawnOperand, Tag("draw")],
    Discriminator(_kind_of_operand),
]


class CaseFile(Model):
    """A file in the program's own folder of the run.

    `input` or `fixture` (a file of the lab's folder `fixtures`) is its content at the start; without them it is not
    there. With `expect` it is compared, after the run, with what the reference leaves. Whether it is `executable`
    must be said of a fixture that looks like a program.
    """

    input: Name | None = None
    fixture: FixturePath | None = None
    executable: bool | None = None
    expect: Literal["reference-output"] | None = None

    def mistakes(self) -> Iterator[str]:
        """Yield what is wrong with it, as the predicates of sentences."""
        if self.input is not None and self.fixture is not None:
            yield "needs either input or fixture, and has both"
        if self.content is None and self.expect is None:
            yield "needs input, fixture or expect"
        if self.content is None and self.executable:
            yield "cannot be executable, as it is not there at the start"

    @property
    def content(self) -> str | None:
        """The name of its content among the lab's inputs, None if the file is not there at the start."""
        return self.input if self.fixture is None else fixture_input(self.fixture)


def fixture_input(path: str) -> str:
    """Return the name of a fixture among the lab's inputs; no input that a spec declares can have such a name."""
    return f"fixtures/{path}"


Sink = Literal["file", "pipe", "terminal"]
MainEngine = Literal["plain", "account", "filter", "none"]
When = Literal["always", "cheap"]
StraceWhen = Literal["never", "always", "when-cheap"]
LimitName = Literal["small", "full"]
EnvironmentValue = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=1000)]


class FileStreams(Model):
    """Files of a case that a program opens by name, whose calls are judged in place of the standard streams'."""

    input: FileName | None = None
    output: FileName | None = None


class CaseCalls(Model):
    """Call patterns of a case, each instead of the program's."""

    stdin: CallPattern | None = None
    stdout: CallPattern | None = None
    terminal: CallPattern | None = None


class Case(Hidden):
    """One way to run each program, or those that `programs` names.

    `engine` says how to do the run without strace: plain, with the kernel's accounting, with tally's filter, or not
    at all. `when: cheap` does this run only if the slice showed that the program makes few calls. `strace` adds a run
    under strace; `when-cheap` is the same condition. `environment` is added to the variables that each program gets.
    With `streams`, the patterns of stdin and stdout are those of files.
    """

    operands: tuple[AnyOperand, ...] = ()
    input: Name = EMPTY
    files: Mapping[FileName, CaseFile] = {}
    environment: Mapping[VariableName, EnvironmentValue] = {}
    source: Annotated[FileSource | PipeSource, Field(discriminator="kind")] = FileSource()
    sink: Sink = "file"
    expect: Expectation = "reference-output"
    engine: MainEngine = "plain"
    when: When = "always"
    strace: StraceWhen = "never"
    limits: LimitName = "small"
    programs: Annotated[tuple[Name, ...], Field(min_length=1)] | None = None
    calls: CaseCalls = CaseCalls()
    streams: FileStreams = FileStreams()

    def runs(self, program: str) -> bool:
        """Return whether a program is run in this case."""
        return self.programs is None or program in self.programs

    @property
    def judges_files(self) -> bool:
        """Whether calls on a file that the program opens are judged instead of those on a standard stream."""
        return self.streams != FileStreams()

    @property
    def judged_input(self) -> str:
        """The name of the input whose reads are judged: that of standard input, or of a file."""
        file = self.files.get(self.streams.input or "")
        return self.input if file is None or file.input is None else file.input

    @property
    def is_counted(self) -> bool:
        """Whether the system calls of the case are counted."""
        return self.engine in ("account", "filter") or self.strace != "never"

    @property
    def arguments(self) -> tuple[bytes, ...]:
        """The operands as the program gets them: a file is in its working folder, so that its path is its name.

        Those that are drawn are the public ones, until the case is drawn.
        """
        return tuple(
            operand.file.encode("ascii") if isinstance(operand, FileOperand) else operand
            for operand in self.drawn(PUBLIC).operands
            if not isinstance(operand, DrawnOperand)
        )

    @property
    def has_drawn_operands(self) -> bool:
        """Whether an operand is to be drawn."""
        return any(isinstance(operand, DrawnOperand) for operand in self.operands)

    def drawn(self, secret: str) -> Case:
        """Return the case with the operands that are drawn from a secret."""
        if not self.has_drawn_operands:
            return self
        operands: list[bytes | FileOperand] = []
        for number, operand in enumerate(self.operands):
            first = operands[0] if operands and isinstance(operands[0], bytes) else None
            if isinstance(operand, DrawnOperand):
                operands.append(operand.operand(secret, number, first))
            else:
                operands.append(operand)
        return self.model_copy(update={"operands": tuple(operands)})

    @property
    def free_letters(self) -> str:
        """The letters and digits that no operand has."""
        used = b"".join(self.arguments)
        return "".join(letter for letter in string.ascii_letters + string.digits if letter.encode() not in used)

    @property
    def stated(self) -> Expected | None:
        """What the case expects in detail, None if it says so in one word."""
        return self.expect if isinstance(self.expect, Expected) else None

    @property
    def searched(self) -> tuple[Literal["stdout", "stderr"], ...]:
        """The outputs in which something is looked for."""
        stated = self.stated or Expected()
        both: tuple[Literal["stdout"], Literal["stderr"]] = ("stdout", "stderr")
        return tuple(stream for stream in both if isinstance(getattr(stated, stream), OutputRule))

    @property
    def copies_reference(self) -> bool:
        """Whether standard output must be that of the reference."""
        stdout = self.expect.stdout if isinstance(self.expect, Expected) else self.expect
        return stdout == "reference-output"

    @property
    def is_refusal(self) -> bool:
        """Whether a program should refuse what it is given, with an error or an exit status other than 0."""
        if not isinstance(self.expect, Expected):
            return self.expect == "operand-error"
        status = self.expect.status
        return status not in ("any", 0) if not isinstance(status, Mapping) else status["not"] == 0

    @property
    def wants_output(self) -> bool:
        """Whether a program should do its work: write what the reference writes, and refuse nothing."""
        return self.copies_reference and not self.is_refusal

    @property
    def wants_work(self) -> bool:
        """Whether a program should do something in particular, and refuse nothing."""
        return self.expect != "either" and not self.is_refusal

    @property
    def expected_files(self) -> tuple[str, ...]:
        """The names of the files that are compared with the reference's after the run."""
        return tuple(name for name, file in self.files.items() if file.expect is not None)

    @property
    def is_stated(self) -> bool:
        """Whether more is judged than standard output, so that a sentence of its own says what is wrong."""
        return self.stated is not None or bool(self.expected_files)

    def inputs(self) -> Iterator[tuple[str, str]]:
        """Yield the key path below the case and the name of each input that the spec declares for it."""
        yield "input", self.input
        for name, file in self.files.items():
            if file.input is not None:
                # Key paths have dots between keys: one within a key would lead nowhere.
                yield "files" if "." in name else f"files.{name}.input", file.input
