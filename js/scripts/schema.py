"""Write js/src/wire/schema.json: what crosses between kernel and page, as JSON Schema, from the pydantic models.

`make types` runs this and then makes the TypeScript types. `schema()` is what the test compares with the file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from smolpaws_jupyter.core.wire import Wire

FILE = Path(__file__).parents[1] / "src/wire/schema.json"


class FullObjects(GenerateJsonSchema):
    """Schemas of objects as they are sent: every field is there, and no field has a title of its own."""

    def field_is_required(self, *_args: Any, **_kwargs: Any) -> bool:
        """Defaults are sent too."""
        return True

    def field_title_should_be_set(self, *_args: Any, **_kwargs: Any) -> bool:
        """Titles would become a named type per field."""
        return False

    def ser_schema(self, *_args: Any, **_kwargs: Any) -> JsonSchemaValue | None:
        """Our own serialisers leave out fields and change none, so the fields of the model are what is sent."""
        return None


def schema() -> str:
    """The text that belongs into the file."""
    shapes = Wire.model_json_schema(by_alias=True, mode="serialization", schema_generator=FullObjects)
    # Left out means that the agent said nothing (R-TOOL-6).
    shapes["$defs"]["CondenseAction"]["required"].remove("message_to_future_self")
    return json.dumps(shapes, indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    FILE.write_text(schema(), encoding="utf-8")
    sys.stdout.write(f"wrote {FILE}\n")
