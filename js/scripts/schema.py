"""Write what the page takes from Python: js/src/wire/schema.json, from the pydantic models, and the practice sentences.

`make types` runs this and then makes the TypeScript types. `FILES` is what the test compares with what is on disk.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from smolpaws_jupyter.core.practice.tasks import SENTENCES
from smolpaws_jupyter.core.wire import Wire

WIRE = Path(__file__).parents[1] / "src/wire"


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
    """Everything that crosses between kernel and page, as JSON Schema."""
    shapes = Wire.model_json_schema(by_alias=True, mode="serialization", schema_generator=FullObjects)
    # Left out means that the agent said nothing (R-TOOL-6).
    shapes["$defs"]["CondenseAction"]["required"].remove("message_to_future_self")
    return json.dumps(shapes, indent=2, sort_keys=True) + "\n"


def sentences() -> str:
    """What the practice model understands, for the page of a new conversation."""
    return json.dumps(SENTENCES, indent=2, ensure_ascii=False) + "\n"


FILES = {WIRE / "schema.json": schema, WIRE / "practice.json": sentences}

if __name__ == "__main__":
    for file, make in FILES.items():
        file.write_text(make(), encoding="utf-8")
        sys.stdout.write(f"wrote {file}\n")
