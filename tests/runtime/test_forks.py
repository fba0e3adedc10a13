"""Forks of conversations (section 22): what comes along, what is closed, and what stays as it was."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from smolpaws_jupyter.core import wording
from smolpaws_jupyter.core.errors import CommandRefused, RunError, StoreError
from smolpaws_jupyter.core.events import (
    ActionEvent,
    AgentErrorEvent,
    Condensation,
    CondensationFailureEvent,
    CondensationRequest,
    ContextWarningEvent,
    ForkEvent,
    MessageEvent,
    ObservationEvent,
    ToolStartEvent,
)
from smolpaws_jupyter.core.ledger import Ledger
from smolpaws_jupyter.core.records import UnknownEvent
from smolpaws_jupyter.core.settings import AgentSettings
from smolpaws_jupyter.core.view import View
from smolpaws_jupyter.core.wire import Command
from smolpaws_jupyter.runtime.conversation import Conversation
from smolpaws_jupyter.runtime.draft import TEXT_LIMIT
from smolpaws_jupyter.runtime.forking import fork
from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from smolpaws_jupyter.runtime.library import conversations
from smolpaws_jupyter.runtime.log import KEEP_EVERY, EventLog
from smolpaws_jupyter.runtime.memory_store import MemoryStore
from smolpaws_jupyter.runtime.opening import repair
from smolpaws_jupyter.runtime.redaction import Redactor
from smolpaws_jupyter.runtime.store import Store
from smolpaws_jupyter.testing import Gate, ScriptedLLM, call, calls, overflow, reply
from tests.bench.long_log import condensed_log
from tests.builders import History
from tests.histories import histories
from tests.runtime.failing_disk import FailingDisk
from tests.runtime.stored import message
from tests.runtime.talks import WITH_FALLBACK, Echo, Talk, reopened, talk, text_of, until

Stores = Callable[[], Store]


@pytest.fixture(params=["memory", "disk"])
def new_store(request: pytest.FixtureRequest, tmp_path: Path) -> Stores:
    return MemoryStore if request.param == "memory" else lambda: JsonlStore.create(tmp_path / "source")


async def forked(t: Talk, at: str | None = None, **more: Any) -> Talk:
    """A fork, over the same scripted model."""
    conversation = await t.conversation.fork(at, **more)
    return Talk(conversation, t.llm, conversation.log.store, t.summariser)


def stored(history: History, llm: ScriptedLLM | None = None) -> Talk:
    """A conversation over a log that was told in sentences."""
    store = MemoryStore("conversation-1")
    for commit in history.commits:
        store.append(commit)  # type: ignore[arg-type]
    model = llm or ScriptedLLM()
    conversation = Conversation(
        EventLog(store, Redactor()),
        settings=AgentSettings.model_validate(history["start"].settings),
        llm_for=lambda _: model,
        tools=[],
    )
    return Talk(conversation, model, store, model)


def carried(view: View) -> dict[str, Any]:
    """Everything that a view says, but for how many events there are."""
    return {f.name: getattr(view, f.name) for f in fields(view) if f.name not in ("recent", "length")}


# What comes along


@pytest.mark.parametrize("kind", [ObservationEvent, CondensationRequest, Condensation])
async def test_t_fork_01_a_fork_at_any_event_of_the_reset_has_the_whole_reset(kind: type[Any], new_store: Stores):
    """R-FORK-1, R-FORK-2"""
    t = talk([reply("noted"), call("condense"), reply("fresh")], store=new_store())
    await t.ask("one")
    await t.ask("Start afresh.")
    before, view = t.events, t.conversation.view
    reset = next(at for at, e in enumerate(before) if isinstance(e, Condensation))

    fork = await forked(t, t.of(kind)[-1].id, command_id="command-1")

    assert fork.events[:-1] == before[: reset + 1]
    (event,) = fork.of(ForkEvent)
    assert (event.source_conversation_id, event.at_event_id) == (t.conversation.id, t.of(kind)[-1].id)
    assert (event.conversation_id, event.command_id) == (fork.conversation.id, "command-1")
    assert fork.conversation.id == fork.store.conversation_id != t.conversation.id
    assert [e.kind for e in fork.conversation.view.read] == ["CondensationNotice", "ActionEvent", "ObservationEvent"]

    t.llm.extend([reply("in the fork"), reply("in the source")])
    assert await fork.ask("Hello?") == "in the fork"
    assert t.events == before
    assert t.conversation.view is view
    assert await t.ask("And you?") == "in the source"
    assert fork.events[-1] not in t.events
    assert t.events[-1] not in fork.events


async def test_t_fork_01_a_fork_of_all_goes_on_from_where_the_conversation_is(new_store: Stores):
    """R-FORK-1, R-LOG-11: with its large texts, and it can be opened again under its own id."""
    t = talk([reply("y" * (TEXT_LIMIT + 1)), reply("ok")], store=new_store())
    await t.ask("x" * (TEXT_LIMIT + 1))
    fork = await forked(t)
    assert fork.of(ForkEvent)[0].at_event_id == t.events[-1].id
    assert await fork.ask("more") == "ok"
    assert [len(text) for text in (m.text for m in fork.of(MessageEvent))][:2] == [TEXT_LIMIT + 1] * 2
    if isinstance(fork.store, JsonlStore):
        assert isinstance(t.store, JsonlStore)
        await fork.conversation.close()
        again = JsonlStore.open(t.store._folder.path.with_name(fork.conversation.id))
        assert list(again.read()) == [*t.events, *again.read(len(t.events))]
        assert EventLog(again, Redactor()).ledger.conversation_id == fork.conversation.id


async def test_t_fork_02_warnings_that_were_given_are_not_given_again(new_store: Stores):
    """R-FORK-3, R-BUD-10: stage, count and consumed warnings come along."""
    t = talk([reply("a").using(input=310_000), reply("b").using(input=310_000)], store=new_store())
    await t.ask("one")
    await t.ask("two")
    assert len(t.of(ContextWarningEvent)) == 1
    fork = await forked(t)
    assert carried(fork.conversation.view) == carried(t.conversation.view)
    t.llm.extend([reply("c").using(input=310_000)] * 2)
    await fork.ask("three")
    assert len(fork.of(ContextWarningEvent)) == 1
    early = await forked(t, t.of(MessageEvent)[1].id)
    await early.ask("another two")
    assert len(early.of(ContextWarningEvent)) == 1  # which it had not been given yet


async def test_t_fork_02_bound_cuts_pins_and_bindings_come_along_and_nothing_is_paid():
    """R-FORK-3, R-BIND-5"""
    history = History().user("a long text of the user").reply().bind("other").thresholds(0.5)
    history.pin("u1").truncate("u1", "a long text of the user").user("more").emergency("summary").user("unread")
    history.remark("waiting")
    t = stored(history)
    view = (await forked(t)).conversation.view
    assert carried(view) == carried(t.conversation.view)
    assert view.rescue is not None
    assert view.thresholds == (0.5,)
    assert t.llm.requests == []
    early = (await forked(t, "x1")).conversation.view
    assert (early.cuts, early.pins, early.rescue) == (history_view(history, "x1").cuts, {"u1"}, None)
    assert early.cuts


def history_view(history: History, at: str) -> View:
    """The view of a log up to an event."""
    return View.of(history.events[: history.events.index(history[at]) + 1])


@given(histories(), st.data())
def test_t_fork_02_a_fork_at_any_event_says_what_the_source_said_then(history: History, data: st.DataObject):
    """R-FORK-1, R-FORK-3: of every kind of condenser, up to a whole commit."""
    assume(not any(isinstance(e, UnknownEvent) or "\\ud8" in repr(e) for e in history.events))
    t = stored(history)
    at = data.draw(st.integers(0, len(history.commits) - 1))
    copied = [event for commit in history.commits[: at + 1] for event in commit]
    event_id = data.draw(st.sampled_from(history.commits[at])).id

    made = fork(t.conversation.log, event_id, None, "command-1")

    assert list(made.read())[:-1] == copied
    assert carried(made.view) == carried(View.of(copied))
    assert made.ledger.title == Ledger.of(copied).title
    assert t.events == history.events


# What is closed


@pytest.mark.parametrize(
    ("kind", "codes"),
    [
        (ActionEvent, ["not_run", "not_run"]),
        (ToolStartEvent, ["outcome_unknown", "not_run"]),
        (ObservationEvent, ["not_run"]),
    ],
)
async def test_t_fork_03_open_calls_are_closed_as_on_opening_and_run_nowhere_again(
    kind: type[Any], codes: list[str], new_store: Stores
):
    """R-FORK-4, R-REST-3"""
    tool = Echo("act", effects=True)
    t = talk([calls(call("act", text="a"), call("act", text="b")), reply("ok")], tools=[tool], store=new_store())
    await t.ask("Go")
    fork = await forked(t, t.of(kind)[0].id)
    assert [e.code for e in fork.of(AgentErrorEvent)] == codes
    assert fork.conversation.status == "paused"
    t.llm.extend([reply("I see.")])
    fork.conversation.resume()
    assert await fork.conversation.answer() == "I see."
    assert tool.ran == ["a", "b"]
    assert fork.conversation.view.open_calls == ()


async def test_t_fork_03_an_emergency_that_was_under_way_has_failed_and_is_not_paid_again():
    """R-FORK-4, R-REST-5, R-BOUND-1"""
    t = talk([reply("ok"), overflow(), reply("fine")], settings=WITH_FALLBACK, summaries=[reply("summary")])
    await t.ask("one")
    await t.ask("two")
    (intent,) = t.of(CondensationRequest)
    fork = await forked(t, intent.id)
    assert [(e.request_id, e.code) for e in fork.of(CondensationFailureEvent)] == [(intent.id, "interrupted")]
    assert fork.conversation.view.rescue == intent.id
    t.llm.extend([overflow()])
    fork.conversation.resume()
    with pytest.raises(RunError) as error:
        await fork.conversation.answer()
    assert error.value.code == "context_rescue_blocked"
    assert len(t.summariser.requests) == 1


async def test_t_fork_03_a_fork_whose_process_died_at_once_is_closed_when_it_is_opened():
    """R-FORK-4, R-REST-2"""
    t = talk([calls(call("act"), call("act")), reply("ok")], tools=[Echo("act", effects=True)])
    await t.ask("Go")
    store = fork(t.conversation.log, t.of(ToolStartEvent)[0].id, None, "command-1").store
    assert isinstance(store, MemoryStore)
    log = EventLog(store.reopen(), Redactor())
    repair(log)
    closed = [e.code for e in log.read() if isinstance(e, AgentErrorEvent)]
    assert closed == ["outcome_unknown", "not_run"]


async def test_a_fork_of_a_running_conversation_closes_its_calls_and_does_not_disturb_it():
    """R-FORK-2, R-FORK-4"""
    tool = Echo("act", effects=True, gate=Gate())
    t = talk([call("act", text="a"), reply("done")], tools=[tool])
    t.conversation.tell("Go")
    await until(lambda: tool.ran)
    fork = await forked(t)
    assert [e.code for e in fork.of(AgentErrorEvent)] == ["outcome_unknown"]
    assert (fork.conversation.status, t.conversation.status) == ("paused", "running")
    assert tool.gate is not None
    tool.gate.open()
    assert await t.conversation.answer() == "done"
    assert not t.of(ForkEvent)


async def test_a_fork_of_what_another_kernel_wrote_says_that_its_variables_are_gone():
    """R-FORK-4, R-REST-9: also where the source has been told already, and once only."""
    python = [Echo("run_python")]
    t = talk([reply("ok")], tools=python)
    await t.ask("one")
    assert (await forked(t)).conversation.view.asides == ()
    again = reopened(t, tools=python)
    (told,) = again.conversation.view.asides
    assert isinstance(told, MessageEvent)
    assert told.text == wording.NEW_KERNEL
    assert len((await forked(again)).conversation.view.asides) == 1
    early = await forked(again, t_end(again, told))
    assert [a.text for a in early.conversation.view.asides if isinstance(a, MessageEvent)] == [wording.NEW_KERNEL]
    assert len(reopened(early, tools=python, same_kernel=True).conversation.view.asides) == 1


def t_end(t: Talk, told: MessageEvent) -> str:
    """The id of the event before this one."""
    return t.events[t.events.index(told) - 1].id


# Money and identity


async def test_t_fork_04_money_is_counted_once_in_each():
    """R-FORK-5"""
    t = talk([reply("a").using(cost=1.0), reply("b").using(cost=2.0), reply("c").using(cost=4.0)])
    await t.ask("one")
    fork = await forked(t)
    await t.ask("two")
    await fork.ask("three")

    def spent(totals: Any) -> float:
        return sum(one.cost.reported for one in totals.values())

    assert spent(t.conversation.log.ledger.totals) == 3.0
    assert spent(t.conversation.log.ledger.inherited) == 0
    assert spent(fork.conversation.log.ledger.totals) == 4.0
    assert spent(fork.conversation.log.ledger.inherited) == 1.0


async def test_t_fork_05_reopening_is_no_fork_and_there_is_no_way_between_branches():
    """R-FORK-7"""
    t = talk([reply("ok")])
    await t.ask("one")
    fork = await forked(t)
    events = fork.events
    again = reopened(fork, same_kernel=True)
    assert again.conversation.id == fork.conversation.id
    assert again.events == events
    assert carried(again.conversation.view) == carried(fork.conversation.view)
    commands = {member.model_fields["kind"].default for member in get_args(get_args(Command)[0])}
    assert "fork" in commands
    assert not {"branch", "checkout", "switch", "back", "undo"} & commands


async def test_t_hist_05_a_fork_reads_nothing_of_what_the_source_wrote_later():
    """R-HIST-2, R-FORK-2: its own events and the copied ones, and a cursor from elsewhere is an error."""
    t = talk([reply("ok"), reply("ok")])
    await t.ask("an early walrus")
    fork = await forked(t)
    await t.ask("a late walrus")
    early, late = (m.id for m in t.of(MessageEvent) if m.genuine)
    asks = [
        call("conversation_history", command="search", query="walrus"),
        call("conversation_history", command="read", event_id=late),
        call("conversation_history", command="search", query="walrus", before_event_id=late),
    ]
    t.llm.extend([*asks, reply("ok")])
    await fork.ask("which walrus?")
    found, read, cursor = (e.observation for e in fork.of(ObservationEvent))
    own = fork.of(MessageEvent)[-2].id
    assert [match["event_id"] for match in json.loads(text_of(found))["matches"]] == [own, early]
    assert (read.is_error, cursor.is_error) == (True, True)


# Where a fork begins


async def test_a_fork_from_before_a_message_has_all_that_came_before_it():
    """R-FORK-1: a way out where a message is too large (R-EMERG-5)."""
    t = talk([reply("ok"), reply("ok")])
    await t.ask("one")
    await t.ask("two")
    first, second = (m.id for m in t.of(MessageEvent) if m.genuine)
    events = t.events
    at = next(n for n, e in enumerate(events) if e.id == second)
    assert (await forked(t, before=second)).events[:-1] == events[:at]
    assert (await forked(t, before=second)).of(ForkEvent)[0].at_event_id == events[at - 1].id
    blank = await forked(t, before=first)
    assert blank.kinds == ["ConversationStartEvent", "ForkEvent"]
    assert blank.conversation.status == "idle"
    reply_id = t.of(MessageEvent)[1].id
    assert (await forked(t, before=reply_id)).kinds[:-1] == [
        "ConversationStartEvent",
        "MessageEvent",
    ]  # its response is split off
    t.llm.extend([reply("better")])
    assert await blank.ask("another one") == "better"


async def test_a_fork_that_cannot_be_made_is_refused_and_leaves_nothing(tmp_path: Path):
    t = talk([reply("ok")], store=JsonlStore.create(tmp_path / "source"))
    for at in (None, "x"):
        with pytest.raises(CommandRefused) as refused:
            await forked(t, at)
        assert refused.value.code == "nothing_to_fork"
    await t.ask("one")
    for at, before in (("nobody", None), ('"', None), (None, "nobody"), (None, t.events[0].id)):
        with pytest.raises(CommandRefused) as refused:
            await t.conversation.fork(at, before=before)
        assert (refused.value.code, refused.value.status) == ("event_not_found", 404)
    with pytest.raises(CommandRefused) as refused:
        await t.conversation.fork(t.events[0].id, before=t.events[1].id)
    assert refused.value.code == "fork_place"
    assert [path.name for path in sorted(tmp_path.glob("*"))] == ["source"]  # noqa: ASYNC240


async def test_r_fork_6_a_log_that_breaks_a_rule_can_be_forked_from_what_is_sound():
    """R-FORK-6, section 20: the first impossible commit stays behind, with all that follows it."""
    history = History().user("one").reply().user("two")
    sound = len(history.events)
    t = stored(history.commit(history["start"]).user("three"))
    assert t.conversation.read_only is not None
    fork = await forked(t)
    assert fork.conversation.read_only is None
    assert fork.events[:sound] == history.events[:sound]
    assert fork.kinds[sound:] == ["ForkEvent", "RecoveryEvent"]  # a tool is not installed here
    assert fork.of(ForkEvent)[0].at_event_id == "u2"
    assert (await forked(t, "m1")).conversation.read_only is None
    with pytest.raises(CommandRefused, match="R-REPL-1"):
        await forked(t, "u3")


async def test_r_fork_6_a_conversation_that_another_writer_has_can_be_forked():
    """R-FORK-6"""
    t = talk([reply("ok"), reply("mine")])
    await t.ask("one")
    assert isinstance(t.store, MemoryStore)
    reader = Conversation(
        EventLog(t.store.follow(), Redactor()), settings=t.conversation.settings, llm_for=lambda _: t.llm, tools=[]
    )
    assert reader.read_only is not None
    fork = await reader.fork()
    assert await fork.ask("two") == "mine"
    assert t.conversation.read_only is None


@pytest.mark.parametrize("goes_as_far", [True, False])
def test_a_fork_of_a_long_log_opens_from_its_sources_snapshot_where_that_is_of_its_own_bytes(
    tmp_path: Path, goes_as_far: bool
):
    """R-FORK-1, P5"""
    log = EventLog(JsonlStore.open(condensed_log(tmp_path / "source", KEEP_EVERY + 200)), Redactor())
    log.append(message("later"))
    log.close()
    log = EventLog(JsonlStore.open(tmp_path / "source"), Redactor())
    assert log.store.kept_folds is not None
    at = len(log) - 1 if goes_as_far else 500
    event_id = next(iter(log.read(at))).id

    made = fork(log, event_id, None, "command-1")

    assert (made.store.kept_folds is not None) is goes_as_far
    assert made.view == View.of(made.read())
    assert made.ledger == Ledger.of(made.read())
    assert made.ledger.conversation_id == made.store.conversation_id


async def test_a_fork_that_the_disk_does_not_take_is_an_error_and_the_source_goes_on(tmp_path: Path):
    """R-FORK-2"""
    disk = FailingDisk()
    t = talk([reply("ok"), reply("still here")], store=JsonlStore.create(tmp_path / "source", disk=disk))
    await t.ask("one")
    events = t.events
    disk.fail_next("write", errno.ENOSPC)
    with pytest.raises(StoreError, match="No space left"):
        await t.conversation.fork()
    disk.fails = None
    assert [info.id for info in conversations(tmp_path)] == ["source"]
    assert t.events == events
    assert await t.ask("two") == "still here"
