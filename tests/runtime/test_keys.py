"""Keys come from where a reference points, and show themselves nowhere (R-PROF-4, R-PROF-6, R-BIND-8)."""

from __future__ import annotations

import copy
import os
import pickle
import traceback

import pytest

from smolpaws_jupyter.runtime.keys import Keys, MissingKey, Secret
from smolpaws_jupyter.runtime.provider_keys import default_key_ref
from smolpaws_jupyter.runtime.redaction import is_secret_name

CANARY = "canary-0123456789abcdef"


def test_a_key_comes_from_the_environment():
    keys = Keys({"VENDOR_KEY": f" {CANARY}\n"})
    assert keys.resolve("env:VENDOR_KEY", "main")["api_key"].reveal() == CANARY


def test_several_variables_are_resolved_together():
    keys = Keys({"A_KEY": CANARY, "B_REGION": "eu-north-1"})
    found = keys.resolve("env:A_KEY+B_REGION", "main")
    assert {name: s.reveal() for name, s in found.items()} == {"A_KEY": CANARY, "B_REGION": "eu-north-1"}
    assert keys.redactor.redact(f"{CANARY} in eu-north-1") == "[hidden] in eu-north-1"


def test_no_reference_means_no_key():
    assert dict(Keys({}).resolve(None, "main")) == {}


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("env:VENDOR_KEY", "variable VENDOR_KEY is not set"),
        ("env:A+B", "variable A and B is not set"),
        ("prompt", "enter_key('main')"),
        ("vault:x", "env:NAME, keyring:SERVICE/USER or prompt"),
    ],
)
def test_t_bind_04_a_missing_key_names_its_reference_and_the_next_step(reference: str, words: str):
    with pytest.raises(MissingKey, match=words.replace("(", r"\(").replace(")", r"\)")) as caught:
        Keys({"VENDOR_KEY": "  "}).resolve(reference, "main")
    assert caught.value.reference == reference


def test_t_prof_06_a_typed_key_is_kept_in_memory_and_can_be_replaced():
    keys = Keys({})
    keys.enter("main", "first-key-0123")
    keys.enter("main", f"{CANARY}\n")
    assert keys.has_entered("main")
    assert not keys.has_entered("summary")
    assert keys.resolve("prompt", "main")["api_key"].reveal() == CANARY
    assert keys.redactor.redact(CANARY) == "[hidden]"


def test_an_empty_typed_key_is_refused():
    with pytest.raises(ValueError, match="empty"):
        Keys({}).enter("main", "  ")


def test_a_key_comes_from_the_os_keyring(memory_keyring: dict[tuple[str, str], str]):
    memory_keyring["smolpaws", "ann/b"] = CANARY
    keys = Keys({})
    assert keys.resolve("keyring:smolpaws/ann/b", "main")["api_key"].reveal() == CANARY
    with pytest.raises(MissingKey, match="keyring set smolpaws bob"):
        keys.resolve("keyring:smolpaws/bob", "main")


@pytest.fixture
def memory_keyring():
    """The OS keyring replaced by a dictionary, through the keyring package's own switch."""
    keyring = pytest.importorskip("keyring")
    from keyring.backend import KeyringBackend

    stored: dict[tuple[str, str], str] = {}

    class InMemory(KeyringBackend):
        priority = 1  # type: ignore[assignment]

        def get_password(self, service: str, username: str) -> str | None:
            return stored.get((service, username))

        def set_password(self, service: str, username: str, password: str) -> None:
            stored[service, username] = password

        def delete_password(self, service: str, username: str) -> None:
            del stored[service, username]

    before = keyring.get_keyring()
    keyring.set_keyring(InMemory())
    yield stored
    keyring.set_keyring(before)


def test_a_secret_does_not_show_itself():
    secret = Secret(CANARY)
    assert CANARY not in f"{secret!r} {secret} {secret!s} {[secret]} {vars(Keys({}))}"
    for leak in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError):
            leak(secret)
    try:
        raise RuntimeError(secret)
    except RuntimeError:
        assert CANARY not in traceback.format_exc()


def test_the_environments_secrets_are_known_from_the_start():
    assert Keys({"OTHER_TOKEN": CANARY}).redactor.redact(f"print: {CANARY}") == "print: [hidden]"


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("openai/gpt-4o", "env:OPENAI_API_KEY"),
        ("gpt-5", "env:OPENAI_API_KEY"),
        ("o3-mini", "env:OPENAI_API_KEY"),
        ("claude-sonnet-4-5", "env:ANTHROPIC_API_KEY"),
        ("anthropic/claude-sonnet-4-5", "env:ANTHROPIC_API_KEY"),
        ("gemini/gemini-2.5-pro", "env:GEMINI_API_KEY"),
        ("openrouter/qwen/qwen3", "env:OPENROUTER_API_KEY"),
        ("bedrock/anthropic.claude", "env:AWS_ACCESS_KEY_ID+AWS_SECRET_ACCESS_KEY"),
        ("together_ai/x", "env:TOGETHERAI_API_KEY"),
        ("vendor/large", "env:VENDOR_API_KEY"),
        ("ollama_chat/llama3", None),
        ("practice", None),
        ("practice/late", None),
        ("local:/models/x.gguf", None),
        ("some-model", None),
    ],
)
def test_t_prof_05_a_profile_without_a_reference_uses_its_providers_variable(model: str, expected: str | None):
    assert default_key_ref(model) == expected


@pytest.mark.parametrize(
    "provider",
    [
        *(
            "ai21",
            "anthropic",
            "azure",
            "baseten",
            "bedrock",
            "cerebras",
            "cohere",
            "dashscope",
            "deepinfra",
            "deepseek",
        ),
        *("fireworks_ai", "gemini", "groq", "huggingface", "moonshot", "nebius", "novita", "nvidia_nim"),
        *("openai", "openrouter", "perplexity", "replicate", "sagemaker", "together_ai", "vercel_ai_gateway"),
        *("vertex_ai", "volcengine", "xai"),
    ],
)
def test_our_table_of_variables_agrees_with_litellm(litellm, monkeypatch, provider: str):
    """R-PROF-6: "the environment variable that litellm names"."""
    for name in list(os.environ):
        if is_secret_name(name) or name.startswith(("AZURE_", "VERTEX", "AWS_")):
            monkeypatch.delenv(name)
    named = litellm.validate_environment(f"{provider}/some-model")["missing_keys"]
    ours = (default_key_ref(f"{provider}/some-model") or "").removeprefix("env:").split("+")
    assert set(ours) == set(named) or (len(ours) == 1 and ours[0] in named)


def test_t_prof_05_a_server_on_loopback_needs_no_key():
    assert default_key_ref("openai/local", "http://127.0.0.1:8080/v1") is None
    assert default_key_ref("openai/x", "https://models.example.org/v1") == "env:OPENAI_API_KEY"
    assert default_key_ref("azure/x", "https://x.openai.azure.com") == "env:AZURE_API_KEY"
