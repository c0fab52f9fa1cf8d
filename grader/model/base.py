"""The base of all models of data that enters or leaves the grader."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer, WithJsonSchema
from pydantic_core import PydanticSerializationError, to_json

from grader.model.visible import readable


class Model(BaseModel):
    """A frozen model that forbids unknown keys: a misspelt key is an error, never a silent default."""

    # Build a validator when it is first used: most models are only parts of others, and never need their own.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def model_dump_json(self, *, indent: int | None = None, **options: Any) -> str:  # noqa: ANN401 - those of pydantic
        """Return the model as JSON, in which bytes of a path that are no text are readable.

        So what a folder is called can make nobody lose a report.
        """
        try:
            return super().model_dump_json(indent=indent, **options)
        except PydanticSerializationError:
            return to_json(_readable(self.model_dump(mode="json", **options)), indent=indent).decode("utf-8")


def _readable(value: Any) -> Any:  # noqa: ANN401 - whatever JSON has
    if isinstance(value, dict):
        return {_readable(key): _readable(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [*map(_readable, value)]
    return readable(value) if isinstance(value, str) else value


def _from_path(value: object) -> object:
    if isinstance(value, dict) and set(value) == {"hex"} and isinstance(value["hex"], str):
        return bytes.fromhex(value["hex"]).decode("utf-8", "surrogateescape")
    return value


def _to_path(path: str) -> str | dict[str, str]:
    return path if readable(path) == path else {"hex": path.encode("utf-8", "surrogateescape").hex()}


PathText = Annotated[str, BeforeValidator(_from_path), PlainSerializer(_to_path, when_used="json")]
"""A path that is read again from JSON. If its bytes are no text, it is `{hex: …}` there."""


def _from_base64(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return base64.b64decode(value, validate=True)
    except binascii.Error as error:
        raise ValueError(f"not base64: {error}") from error


Base64Bytes = Annotated[
    bytes,
    BeforeValidator(_from_base64),
    PlainSerializer(lambda data: base64.b64encode(data).decode("ascii"), when_used="json"),
    WithJsonSchema({"type": "string", "contentEncoding": "base64"}),
]
"""Bytes that are base64 in JSON."""


def _from_text_or_hex(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8")
    if isinstance(value, dict) and set(value) == {"hex"} and isinstance(value["hex"], str):
        return bytes.fromhex(value["hex"])
    if isinstance(value, bytes):
        return value
    raise ValueError('expected text in quotes, or bytes as {hex: "00 ff"}')


def _to_text_or_hex(data: bytes) -> str | dict[str, str]:
    # JSON may have the byte 7F in a text, and YAML may not.
    return data.decode("ascii") if data.isascii() and b"\x7f" not in data else {"hex": data.hex()}


SpecBytes = Annotated[
    bytes,
    BeforeValidator(_from_text_or_hex),
    PlainSerializer(_to_text_or_hex, when_used="json"),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {
                    "type": "object",
                    "properties": {"hex": {"type": "string"}},
                    "required": ["hex"],
                    "additionalProperties": False,
                },
            ]
        }
    ),
]
"""Bytes as people write them in a spec: text, or `{hex: "00 ff"}` if text cannot express them."""
