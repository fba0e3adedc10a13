"""Writes a real model file with nothing to download: a random llama of 100 KB whose tokens are single bytes.

One token is one UTF-8 byte, so counts can be checked by hand. Its weights are noise: what it says has to be forced.
"""

from __future__ import annotations

import array
import random
import struct
import sys
from pathlib import Path

WIDTH, HEADS, BLOCKS, FEED_FORWARD, LONGEST = 32, 2, 1, 64, 32_768
CONTROL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<pad>"]
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content or '' }}"
    "{% if m.tool_calls %}{% for t in m.tool_calls %}<tool_call>\n"
    '{"name": "{{ t.function.name }}", "arguments": {{ t.function.arguments | tojson }}}\n</tool_call>'
    "{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if tools %}<tools>{{ tools | tojson }}</tools>\n{% endif %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
U32, F32, BOOL, STRING, ARRAY = 4, 6, 7, 8, 9
I32 = 5
ALIGNMENT = 32


def write_tiny_model(path: Path, seed: int = 7) -> Path:
    """A GGUF file at `path`; the same seed gives the same bytes."""
    tokens = CONTROL + _byte_letters()
    kinds = [3] * len(CONTROL) + [1] * 256  # 3 is a control token, 1 an ordinary one
    fields = [
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
        _list("tokenizer.ggml.tokens", STRING, tokens),
        _list("tokenizer.ggml.token_type", I32, kinds),
        _list("tokenizer.ggml.merges", STRING, []),
        _field("tokenizer.ggml.bos_token_id", U32, 0),
        _field("tokenizer.ggml.eos_token_id", U32, 2),
        _field("tokenizer.ggml.padding_token_id", U32, 3),
        _field("tokenizer.ggml.add_bos_token", BOOL, False),
        _field("tokenizer.chat_template", STRING, TEMPLATE),
    ]
    infos, blobs = _weights(random.Random(seed), len(tokens))
    head = b"GGUF" + struct.pack("<IQQ", 3, len(infos), len(fields)) + b"".join(fields) + b"".join(infos)
    path.write_bytes(_padded(head) + b"".join(blobs))
    return path


def _byte_letters() -> list[str]:
    """The letters that stand for the 256 bytes in a GPT-2 vocabulary, in the order of the letters' bytes."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = dict(zip(printable, map(chr, printable), strict=True))
    others = (byte for byte in range(256) if byte not in letters)
    letters |= {byte: chr(256 + number) for number, byte in enumerate(others)}
    return [letters[byte] for byte in range(256)]


def _weights(noise: random.Random, vocabulary: int) -> tuple[list[bytes], list[bytes]]:
    shapes = {"token_embd": [WIDTH, vocabulary], "output_norm": [WIDTH], "output": [WIDTH, vocabulary]}
    for block in range(BLOCKS):
        shapes |= {f"blk.{block}.{name}": [WIDTH] for name in ("attn_norm", "ffn_norm")}
        shapes |= {f"blk.{block}.attn_{name}": [WIDTH, WIDTH] for name in ("q", "k", "v", "output")}
        shapes |= {f"blk.{block}.ffn_{name}": [WIDTH, FEED_FORWARD] for name in ("gate", "up")}
        shapes |= {f"blk.{block}.ffn_down": [FEED_FORWARD, WIDTH]}
    infos: list[bytes] = []
    blobs: list[bytes] = []
    offset = 0
    for name, shape in shapes.items():
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        numbers = array.array("f", [1.0] * count if "norm" in name else [noise.gauss(0, 0.25) for _ in range(count)])
        if sys.byteorder == "big":
            numbers.byteswap()
        blob = _padded(numbers.tobytes())
        sizes = struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
        infos.append(_text(f"{name}.weight") + sizes + struct.pack("<IQ", 0, offset))
        blobs.append(blob)
        offset += len(blob)
    return infos, blobs


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % ALIGNMENT)


def _text(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def _field(key: str, kind: int, value: object) -> bytes:
    packed = _text(str(value)) if kind == STRING else struct.pack({U32: "<I", F32: "<f", BOOL: "<?"}[kind], value)
    return _text(key) + struct.pack("<I", kind) + packed


def _list(key: str, kind: int, values: list[str] | list[int]) -> bytes:
    packed = (_text(str(v)) if kind == STRING else struct.pack("<i", v) for v in values)
    return _text(key) + struct.pack("<IIQ", ARRAY, kind, len(values)) + b"".join(packed)
