"""Which environment variable holds the key of a provider, as litellm names it (R-PROF-6).

A table of our own: binding a profile neither loads litellm nor, as some of its look-ups do, sends anything (R-BIND-4).
"""

from __future__ import annotations

import re

from ..core.profiles import needs_no_key, provider_of

_AWS = "AWS_ACCESS_KEY_ID+AWS_SECRET_ACCESS_KEY"

# Only those that differ from the rule PROVIDER_API_KEY.
_VARIABLES = {
    "azure": "AZURE_API_BASE+AZURE_API_VERSION+AZURE_API_KEY",
    "azure_text": "AZURE_API_BASE+AZURE_API_VERSION+AZURE_API_KEY",
    "bedrock": _AWS,
    "bedrock_converse": _AWS,
    "chat_completions": "OPENAI_API_KEY",
    "cohere_chat": "COHERE_API_KEY",
    "custom_openai": "OPENAI_API_KEY",
    "fireworks_ai": "FIREWORKS_AI_API_KEY",
    "meta_llama": "LLAMA_API_KEY",
    "perplexity": "PERPLEXITYAI_API_KEY",
    "responses": "OPENAI_API_KEY",
    "sagemaker": _AWS,
    "sagemaker_chat": _AWS,
    "text-completion-openai": "OPENAI_API_KEY",
    "together_ai": "TOGETHERAI_API_KEY",
    "vertex_ai": "VERTEXAI_PROJECT+VERTEXAI_LOCATION",
    "vertex_ai_beta": "VERTEXAI_PROJECT+VERTEXAI_LOCATION",
}

_WITHOUT_KEY = frozenset(
    {"ollama", "ollama_chat", "lm_studio", "llamafile", "hosted_vllm", "vllm", "docker_model_runner", "oobabooga"}
    | {"xinference", "petals", "lemonade", "github_copilot", "chatgpt"}
)
"""Servers of one's own, and providers that litellm signs in to by itself."""

_BARE_NAMES = (
    (r"(?:gpt|chatgpt|codex)-|o\d", "OPENAI_API_KEY"),
    (r"claude-", "ANTHROPIC_API_KEY"),
    (r"command-", "COHERE_API_KEY"),
    (r"gemini-", "VERTEXAI_PROJECT+VERTEXAI_LOCATION"),
)


def default_key_ref(model: str, base_url: str | None = None) -> str | None:
    """The reference of a profile that names none: `env:NAME`, `env:A+B`, or None where no key is needed or known.

    Reads nothing, sends nothing.
    """
    if needs_no_key(model, base_url):
        return None
    provider = provider_of(model)
    if not provider:
        variables = next((name for pattern, name in _BARE_NAMES if re.match(pattern, model)), None)
    elif provider in _WITHOUT_KEY:
        variables = None
    elif provider.startswith("azure") and base_url is not None:
        variables = "AZURE_AI_API_KEY" if provider == "azure_ai" else "AZURE_API_KEY"
    else:
        variables = _VARIABLES.get(provider) or re.sub(r"\W", "_", provider).upper() + "_API_KEY"
    return f"env:{variables}" if variables else None
