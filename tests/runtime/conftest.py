"""Fixtures for clients of providers: litellm is loaded once, and each client closes what it opened."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from smolpaws_jupyter.core.profiles import Binding
from smolpaws_jupyter.runtime import litellm_client
from tests.runtime.llm_client import Client
from tests.runtime.llm_client import binding as make_binding


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever loads litellm is slow: that alone takes seconds, and the inner loop does without."""
    for item in items:
        if "litellm" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def litellm() -> Any:
    """The library, loaded as the client loads it; that takes seconds."""
    return litellm_client._import()


@pytest.fixture
async def client(litellm: Any) -> AsyncIterator[Callable[..., Client]]:
    """Makes clients: `client(server.base_url, model=..., params=..., environ=...)`."""
    made: list[Client] = []

    def make(base_url: str | Binding | None, *, environ: dict[str, str] | None = None, **fields: Any) -> Client:
        to = base_url if isinstance(base_url, Binding) else make_binding(base_url, **fields)
        made.append(Client(to, environ or {}))
        return made[-1]

    yield make
    for one in made:
        await one.llm.aclose()
