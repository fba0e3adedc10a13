"""What rides in an action and in an observation: one small model for each tool of ours (R-EV-5).

An action is a tool's input, read and checked; an observation is what came of it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, ModelWrapValidatorHandler, SerializerFunctionWrapHandler, model_serializer, model_validator
from pydantic_core import PydanticCustomError

from .base import ContentBlock, Frozen, JsonObject, Many, NonEmpty, Sha256, TextBlock

MESSAGE_LIMIT = 16_384
"""The longest message to the future self, in UTF-16 code units (R-TOOL-5)."""


def utf16_units(text: str) -> int:
    """The length of `text` in UTF-16 code units: an emoji counts two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


# Actions


class ListFilesAction(Frozen):
    kind: Literal["ListFilesAction"] = "ListFilesAction"
    path: str = "."
    pattern: str | None = None


class ReadFileAction(Frozen):
    kind: Literal["ReadFileAction"] = "ReadFileAction"
    path: NonEmpty
    offset: int = Field(default=0, ge=0)
    limit: int | None = Field(default=None, ge=1)


class WriteFileAction(Frozen):
    kind: Literal["WriteFileAction"] = "WriteFileAction"
    path: NonEmpty
    content: str


class EditFileAction(Frozen):
    kind: Literal["EditFileAction"] = "EditFileAction"
    path: NonEmpty
    old: NonEmpty
    new: str
    replace_all: bool = False


class SearchFilesAction(Frozen):
    kind: Literal["SearchFilesAction"] = "SearchFilesAction"
    query: NonEmpty
    path: str = "."
    pattern: str | None = None


class RunPythonAction(Frozen):
    kind: Literal["RunPythonAction"] = "RunPythonAction"
    code: NonEmpty


class CondenseAction(Frozen):
    """The agent's reset. Omitted, empty and non-empty messages are three inputs (R-TOOL-6)."""

    kind: Literal["CondenseAction"] = "CondenseAction"
    message_to_future_self: str | None = None

    @model_validator(mode="wrap")
    @classmethod
    def _check(cls, data: Any, handler: ModelWrapValidatorHandler[CondenseAction]) -> CondenseAction:
        if isinstance(data, dict) and data.get("message_to_future_self", "") is None:  # pyright: ignore[reportUnknownMemberType]
            raise PydanticCustomError("null_message", "message_to_future_self must be a string, or be left out")
        action = handler(data)
        message = action.message_to_future_self or ""
        if any("\ud800" <= char <= "\udfff" for char in message):
            raise PydanticCustomError("unpaired_surrogate", "message_to_future_self holds half of a surrogate pair")
        if utf16_units(message) > MESSAGE_LIMIT:
            raise PydanticCustomError(
                "message_too_long",
                "message_to_future_self has {units} UTF-16 code units; at most {limit} are allowed",
                {"units": utf16_units(message), "limit": MESSAGE_LIMIT},
            )
        return action

    @model_serializer(mode="wrap")
    def _omit(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields: dict[str, Any] = handler(self)
        if fields["message_to_future_self"] is None:
            del fields["message_to_future_self"]
        return fields


class NewContextAction(Frozen):
    kind: Literal["NewContextAction"] = "NewContextAction"
    handoff: str = ""


class ConversationHistoryAction(Frozen):
    kind: Literal["ConversationHistoryAction"] = "ConversationHistoryAction"
    command: Literal["search", "read"]
    query: str | None = None
    event_id: str | None = None
    before_event_id: str | None = None
    offset: int = Field(default=0, ge=0)


class HostAction(Frozen):
    """The input of a tool that the host brought along."""

    kind: Literal["HostAction"] = "HostAction"
    arguments: JsonObject


Action = Annotated[
    ListFilesAction
    | ReadFileAction
    | WriteFileAction
    | EditFileAction
    | SearchFilesAction
    | RunPythonAction
    | CondenseAction
    | NewContextAction
    | ConversationHistoryAction
    | HostAction,
    Field(discriminator="kind"),
]


# Observations


class FileChange(Frozen):
    """One file before and after a call: blobs of the conversation's store by SHA-256, null for "no file"."""

    path: NonEmpty
    before: Sha256 | None
    after: Sha256 | None


class ToolObservation(Frozen):
    """What an ordinary tool answered. `content` is what the model is shown.

    `output` is the whole text where `content` holds only a part of it (R-MSG-9), and `output_bytes` its size as it
    came, which may be more than what was kept.
    """

    kind: Literal["ToolObservation"] = "ToolObservation"
    content: Many[ContentBlock]
    is_error: bool = False
    output: str | None = None
    output_bytes: int | None = None
    change: FileChange | None = None


class CondenseObservation(Frozen):
    """The result of `condense` (R-TOOL-13)."""

    kind: Literal["CondenseObservation"] = "CondenseObservation"
    content: Many[TextBlock]
    is_error: bool = False
    request_id: str | None = None
    message_to_future_self: str | None = None


class NewContextObservation(Frozen):
    """The result of `new_context` (R-NEW-3)."""

    kind: Literal["NewContextObservation"] = "NewContextObservation"
    content: Many[TextBlock]
    is_error: bool = False
    input_event_id: str | None = None


Observation = Annotated[ToolObservation | CondenseObservation | NewContextObservation, Field(discriminator="kind")]
