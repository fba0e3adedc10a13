"""What every record is made of: the frozen model, collections, content blocks, usage.

Records are strict: they refuse unknown fields, coerced numbers, NaN and infinity (R-PYD-1).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Protocol, TypedDict, TypeVar

from pydantic import BaseModel, ConfigDict, Field, Strict


class Frozen(BaseModel):
    """A value: frozen, strict, and closed to unknown fields."""

    # Validators are built when a model is first used: all of them at import would cost more than the rest of it.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False, defer_build=True)


T = TypeVar("T")
Many = Annotated[tuple[T, ...], Strict(False)]
"""A tuple that takes a Python list too; its items stay strict."""

JsonObject = dict[str, Any]
"""A JSON object that this package hands on without looking inside."""

NonEmpty = Annotated[str, Field(min_length=1)]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Tokens = Annotated[int, Field(ge=0)]


class Stamp(TypedDict):
    """The two fields of an event that no pure function can make."""

    id: str
    timestamp: str


class Mint(Protocol):
    """Makes the id and the time of a new event; the runtime owns chance and clock."""

    def __call__(self) -> Stamp: ...


class TextBlock(Frozen):
    """A piece of text."""

    type: Literal["text"] = "text"
    text: str


class ImageBlock(Frozen):
    """A bitmap, as base64."""

    type: Literal["image"] = "image"
    media_type: Literal["image/png", "image/jpeg", "image/gif", "image/webp"]
    data: str


ContentBlock = Annotated[TextBlock | ImageBlock, Field(discriminator="type")]


def text_of(content: tuple[TextBlock | ImageBlock, ...]) -> str:
    """The text blocks, joined by line breaks."""
    return "\n".join(block.text for block in content if isinstance(block, TextBlock))


class Usage(Frozen):
    """What one model call used, in tokens and US dollars; null where nobody reported it (R-EV-11).

    `input` is the inclusive prompt count: `cache_read` and `cache_write` are parts of it. `reasoning` is a part of
    `output`.
    """

    input: Tokens | None = None
    output: Tokens | None = None
    cache_read: Tokens | None = None
    cache_write: Tokens | None = None
    reasoning: Tokens | None = None
    cost: float | None = None


class ToolSpec(Frozen):
    """A tool's definition as the model is sent it; `parameters` is a JSON schema."""

    name: NonEmpty
    description: str
    parameters: JsonObject


class Skill(Frozen):
    """A Markdown file of instructions that is listed in the fixed context and read on demand."""

    name: NonEmpty
    description: str
    path: NonEmpty
