"""The base of all models of data that enters or leaves the grader."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer, WithJsonSchema


class Model(BaseModel):
    """A frozen model that forbids unknown keys: a misspelt key is an error, never a silent default."""

    # Build a validator when it is first used: most models are only parts of others, and never need their own.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


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
