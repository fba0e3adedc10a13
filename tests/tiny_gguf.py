"""Writes a tiny model file that a real llama.cpp loads: random weights, and one token for each UTF-8 byte.

So nothing has to be downloaded, and counts can be checked by hand. What the model says is noise.
"""

from __future__ import annotations

import array
import random
import struct
import sys
from pathlib import Path
from typing import Any

WIDTH, HEADS, BLOCKS, FEED_FORWARD, LONGEST = 32, 2, 1, 64, 32_768
CONTROL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<pad>"]
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content or '' }}"
    '{% if m.tool_calls %}{% for t in m.tool_calls %}<tool_call>\n{"name": "{{ t.function.name }}", '
    '"arguments": {{ t.function.arguments | tojson }}}\n</tool_call>{% endfor %}{% endif %}<|im_end|>\n{% endfor %}'
    "{% if tools %}<tools>{{ tools | tojson }}</tools>\n{% endif %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
U32, I32, F32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
ALIGNMENT = 32


def write_model(path: Path, seed: int = 7) -> Path:
    """Writes the file, about 110 kB, and gives its path. The same seed gives the same file."""
    tensors, data = _weights(random.Random(seed))
    fields = _fields()
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(fields)) + b"".join(fields) + b"".join(tensors)
    path.write_bytes(head + b"\0" * (-len(head) % ALIGNMENT) + data)
    return path


def _vocabulary() -> list[str]:
    """Control tokens, then every byte under the printable name that GPT-2's tokenizer gives it."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    names = {byte: chr(byte) for byte in printable}
    hidden = [byte for byte in range(256) if byte not in names]
    names |= {byte: chr(256 + n) for n, byte in enumerate(hidden)}
    return CONTROL + [names[byte] for byte in range(256)]


def _fields() -> list[bytes]:
    tokens = _vocabulary()
    return [
        _field("general.architecture", STRING, "llama"),
        _field("general.name", STRING, "tiny-random"),
        _field("general.file_type", U32, 0),
        _field("llama.context_length", U32, LONGEST),
        _field("llama.embedding_length", U32, WIDTH),
        _field("llama.block_count", U32, BLOCKS),
        _field("llama.feed_forward_length", U32, FEED_FORWARD),
        _field("llama.attention.head_count", U32, HEADS),
        _field("llama.attention.head_count_kv", U32, HEADS),
        _field("llama.attention.layer_norm_rms_epsilon", F32, 1e-5),
        _field("llama.rope.dimension_count", U32, WIDTH // HEADS),
        _field("llama.vocab_size", U32, len(tokens)),
        _field("tokenizer.ggml.model", STRING, "gpt2"),
        _field("tokenizer.ggml.pre", STRING, "gpt-2"),
        _field("tokenizer.ggml.tokens", ARRAY, (STRING, tokens)),
        _field("tokenizer.ggml.token_type", ARRAY, (I32, [3] * len(CONTROL) + [1] * 256)),
        _field("tokenizer.ggml.merges", ARRAY, (STRING, [])),
        _field("tokenizer.ggml.bos_token_id", U32, 0),
        _field("tokenizer.ggml.eos_token_id", U32, 2),
        _field("tokenizer.ggml.padding_token_id", U32, 3),
        _field("tokenizer.ggml.add_bos_token", BOOL, False),
        _field("tokenizer.chat_template", STRING, TEMPLATE),
    ]


def _field(key: str, kind: int, value: Any) -> bytes:
    return _text(key) + struct.pack("<I", kind) + _value(kind, value)


def _value(kind: int, value: Any) -> bytes:
    if kind == STRING:
        return _text(value)
    if kind == ARRAY:
        item_kind, items = value
        return struct.pack("<IQ", item_kind, len(items)) + b"".join(_value(item_kind, item) for item in items)
    return struct.pack({U32: "<I", I32: "<i", F32: "<f", BOOL: "<?"}[kind], value)


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _weights(rng: random.Random) -> tuple[list[bytes], bytes]:
    size = len(_vocabulary())
    shapes: dict[str, list[int]] = {"token_embd": [WIDTH, size], "output_norm": [WIDTH], "output": [WIDTH, size]}
    for block in range(BLOCKS):
        square = [WIDTH, WIDTH]
        shapes |= {f"blk.{block}.{name}": [WIDTH] for name in ("attn_norm", "ffn_norm")}
        shapes |= {f"blk.{block}.{name}": square for name in ("attn_q", "attn_k", "attn_v", "attn_output")}
        shapes |= {f"blk.{block}.{name}": [WIDTH, FEED_FORWARD] for name in ("ffn_gate", "ffn_up")}
        shapes[f"blk.{block}.ffn_down"] = [FEED_FORWARD, WIDTH]
    infos: list[bytes] = []
    data = b""
    for name, shape in shapes.items():
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        numbers = array.array("f", [1.0] * count if "norm" in name else [rng.gauss(0, 0.25) for _ in range(count)])
        if sys.byteorder == "big":
            numbers.byteswap()
        dimensions = b"".join(struct.pack("<Q", d) for d in shape)
        infos.append(
            _text(f"{name}.weight") + struct.pack("<I", len(shape)) + dimensions + struct.pack("<IQ", 0, len(data))
        )
        raw = numbers.tobytes()
        data += raw + b"\0" * (-len(raw) % ALIGNMENT)
    return infos, data
