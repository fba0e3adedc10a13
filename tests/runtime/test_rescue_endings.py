"""How an overflow and its rescue may end badly: lost records, nothing to summarise, nobody to summarise (sections 11, 12)."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from smolpaws_jupyter.core.errors import RunError, SettingsError, StoreError
from smolpaws_jupyter.core.events import (
    Condensation,
    CondensationFailureEvent,
    CondensationRequest,
    Event,
    UsageEvent,
)
from smolpaws_jupyter.core.settings import AgentSettings
from smolpaws_jupyter.core.validation import checked
from smolpaws_jupyter.runtime.memory_store import MemoryStore
from smolpaws_jupyter.testing import Move, failure, overflow, reply
from tests.runtime.talks import WITH_FALLBACK, Echo, Talk, reopened, talk


class Unlucky(MemoryStore):
    """Refuses the first commit that holds an event of this kind, or stores it and says that it did not."""

    def __init__(self, kind: str, *, stores_it: bool = False) -> None:
        super().__init__()
        self.kind: str | None = kind
        self.stores_it = stores_it

    def append(self, events: Sequence[Event]) -> None:
        if self.kind is None or all(event.kind != self.kind for event in events):
            super().append(events)
            return
        self.kind = None
        if self.stores_it:
            super().append(events)
        raise StoreError("The disk did not answer.", detail="Open the conversation again.")


class NoAccounts(MemoryStore):
    """Cannot store what a summary cost."""

    def append(self, events: Sequence[Event]) -> None:
        if any(isinstance(event, UsageEvent) and event.purpose == "summary" for event in events):
            raise StoreError("The disk did not answer.", detail="Open the conversation again.")
        super().append(events)


def unlucky(store: MemoryStore, *summaries: Move) -> Talk:
    return talk(
        [reply("ok"), overflow(), overflow(), overflow()], settings=WITH_FALLBACK, summaries=summaries, store=store
    )


async def broken(t: Talk) -> None:
    """One answered message, then one whose overflow ends in the store's failure."""
    await t.ask("one")
    with pytest.raises(StoreError):
        await t.ask("two")


async def blocked(t: Talk) -> None:
    """The bound is closed: another overflow buys nothing."""
    bought = len(t.summariser.requests)
    with pytest.raises(RunError) as caught:
        await t.ask("three")
    assert caught.value.code == "context_rescue_blocked"
    assert len(t.summariser.requests) == bought


async def test_t_emerg_09_a_failure_record_that_cannot_be_stored_is_written_as_interrupted_on_opening() -> None:
    """R-EMERG-18"""
    t = unlucky(Unlucky("CondensationFailureEvent"), failure("auth"))
    await broken(t)
    assert not t.of(CondensationFailureEvent)
    again = reopened(t, [overflow()])
    assert [e.code for e in again.of(CondensationFailureEvent)] == ["interrupted"]
    assert [e.id for e in again.conversation.view.read] == [e.id for e in t.conversation.view.read]
    await blocked(again)


@pytest.mark.parametrize("restart", [False, True])
async def test_t_emerg_10_a_fact_whose_acknowledgement_was_lost_counts(restart: bool) -> None:
    """R-EMERG-17"""
    t = unlucky(Unlucky("Condensation", stores_it=True), reply("S"))
    await broken(t)
    if restart:
        t = reopened(t, [overflow()])
    await blocked(t)
    assert len(t.of(Condensation)) == 1
    assert not t.of(CondensationFailureEvent)
    assert t.conversation.view.outstanding == ()
    assert [e.kind for e in t.conversation.view.read] == ["CondensationNotice", "CondensationSummaryEvent"]


async def test_t_sum_04_paid_work_whose_record_is_lost_is_not_repeated() -> None:
    """R-ACC-5: the failure is raised, and a restart buys nothing either."""
    t = unlucky(NoAccounts(), reply("S"), reply("S"))
    await broken(t)
    assert len(t.summariser.requests) == 1
    assert not t.of(Condensation)
    again = reopened(t, [overflow()], summaries=[reply("S")])
    await blocked(again)
    assert not again.summariser.requests


async def test_t_emerg_07_no_trace_of_what_a_summariser_or_a_provider_said_is_in_the_log() -> None:
    """R-EMERG-16, R-SEC-1"""
    said = "Incorrect header Authorization: Bearer abcdef0123456789abcdef0123456789"
    t = talk(
        [reply("ok"), failure("overflow", f"prompt is too long. {said}")],
        settings=WITH_FALLBACK,
        summaries=[failure("auth", said)],
    )
    await t.ask("one")
    with pytest.raises(RunError) as caught:
        await t.ask("two")
    assert caught.value.code == "context_rescue_failed"
    stored = json.dumps([e.model_dump(mode="json") for e in t.events])
    assert "Bearer" not in stored
    assert "Incorrect header" not in stored


async def test_t_emerg_14_no_prefix_and_no_tail_is_kept_and_none_can_be_asked_for() -> None:
    for field in ("keep_first", "max_size", "max_tokens", "minimum_progress", "enabled"):
        hard = {**WITH_FALLBACK["hard_condenser"], field: 1}
        with pytest.raises(SettingsError, match=field):
            checked(AgentSettings, {**WITH_FALLBACK, "hard_condenser": hard})
    t = talk([reply(f"{n}") for n in range(9)], settings=WITH_FALLBACK, summaries=[reply("S")])
    for n in range(9):
        await t.ask(f"message {n}")
    everything = [e.id for e in t.conversation.view.read]
    t.llm.extend([overflow(), reply("end")])
    await t.ask("last")
    assert list(t.of(Condensation)[0].forgotten_event_ids) == everything


@pytest.mark.parametrize("settings", [{}, {"condenser": {"condenser_kind": "no_op"}}, {"condenser": None}])
async def test_t_noop_01_without_a_condenser_an_overflow_ends_the_run_and_a_larger_profile_goes_on(settings) -> None:  # type: ignore[no-untyped-def]
    t = talk([reply("ok"), overflow(), reply("fine")], settings=settings)
    await t.ask("one")
    with pytest.raises(RunError) as caught:
        await t.ask("two")
    assert caught.value.code == "context_window_exceeded"
    assert t.conversation.status == "error"
    assert not t.summariser.requests
    assert not t.of(CondensationRequest)
    assert await t.ask("three") == "fine"
    assert t.roles() == ["user", "assistant", "user", "user"]


async def test_t_tool_05_an_agent_made_from_the_tools_of_another_has_one_condense_or_none() -> None:
    """R-TOOL-1, R-TOOL-3"""

    def offered(t: Talk) -> list[str]:
        return [tool["function"]["name"] for tool in t.conversation.next_request().tools]

    first = talk([], tools=[Echo()])
    again = talk([], tools=first.conversation.toolbox.tools)
    other = talk([], tools=again.conversation.toolbox.tools, settings={})
    assert offered(first) == offered(again) == ["echo", "condense", "conversation_history"]
    assert offered(other) == ["echo"]
    assert other.conversation.toolbox.get("condense") is None
