"""What the page is told, in which order, and how much at a time; with a conversation but without a kernel."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from smolpaws_jupyter.core.base import JsonObject
from smolpaws_jupyter.core.wire import Ack, Traits
from smolpaws_jupyter.notebook.events_out import BATCH_BYTES, batch
from smolpaws_jupyter.notebook.publisher import WORDS_CHARS, WORDS_SECONDS, Publisher
from smolpaws_jupyter.testing import Gate, call, reply
from tests.runtime.talks import Echo, Talk, talk, until

_place: contextvars.ContextVar[str] = contextvars.ContextVar("place", default="nowhere")


@dataclass
class Door:
    """A way out that keeps what goes through it."""

    sent: list[JsonObject] = field(default_factory=list[JsonObject])
    traits: dict[str, Any] = field(default_factory=dict[str, Any])
    places: set[str] = field(default_factory=set[str])
    times: list[float] = field(default_factory=list[float])
    on_traits: Callable[[], None] = lambda: None

    def send(self, content: JsonObject) -> None:
        self.sent.append(content)
        self.places.add(_place.get())
        self.times.append(asyncio.get_running_loop().time())

    def set_traits(self, traits: JsonObject) -> None:
        self.traits.update(traits)
        self.places.add(_place.get())
        self.times.append(asyncio.get_running_loop().time())
        self.on_traits()

    @property
    def positions(self) -> list[int]:
        """The positions of the events that were sent, in the order in which they were."""
        return [u["start"] + n for u in self.sent if u["kind"] == "events" for n in range(len(u["events"]))]


def published(t: Talk) -> tuple[Publisher, Door]:
    """A publisher of this conversation that a page listens to."""
    talk_ = t.conversation
    publisher = Publisher(lambda: talk_, lambda: Traits(status=talk_.status, event_count=len(talk_.log)))
    talk_.log.subscribe(lambda _, events: publisher.appended(events))
    talk_.on_change(lambda _: publisher.changed())
    talk_.on_words(lambda words: publisher.words(words.about, words.text))
    door = Door()
    context = contextvars.copy_context()
    context.run(_place.set, "the page's message")
    publisher.attach(door, context)
    return publisher, door


async def all_told(t: Talk, door: Door) -> None:
    """Waits until the page knows everything."""
    log = t.conversation.log
    await until(lambda: door.traits.get("event_count") == len(log) and len(set(door.positions)) == len(log))


async def test_events_come_once_and_in_order_in_the_context_of_the_page():
    t = talk([call("echo", text="a"), reply("Done.")], tools=[Echo()])
    _, door = published(t)
    await t.ask("Go.")
    await all_told(t, door)
    assert door.positions == list(range(len(t.conversation.log)))
    assert door.traits["status"] == "idle"
    assert door.places == {"the page's message"}


async def test_a_page_that_lacks_events_gets_them_and_later_ones_once_each():
    t = talk([reply("One."), reply("Two.")])
    publisher, door = published(t)
    await t.ask("Go.")
    await all_told(t, door)
    door.sent.clear()
    publisher.replay(1)
    await t.ask("Go on.")
    await until(lambda: door.positions[-1:] == [len(t.conversation.log) - 1])
    assert door.positions == list(range(1, len(t.conversation.log)))


async def test_messages_keep_their_distance_however_busy_the_agent_is():
    t = talk([call("echo", text=str(n)) for n in range(60)] + [reply("Done.")], tools=[Echo()])
    _, door = published(t)
    await t.ask("Go.")
    await all_told(t, door)
    spread = door.times[-1] - door.times[0]
    assert len(door.times) <= 25 * (spread + 0.2)
    assert door.positions == list(range(len(t.conversation.log)))


async def test_words_never_come_after_the_message_that_holds_them():
    gate = Gate()
    t = talk([reply().streamed("w" * (3 * WORDS_CHARS), "end").held(gate, after=1)])
    _, door = published(t)
    t.conversation.tell("Go.")
    await gate.reached()
    await until(lambda: any(u["kind"] == "delta" for u in door.sent))
    gate.open()
    await t.conversation.settled()
    await all_told(t, door)
    await asyncio.sleep(3 * WORDS_SECONDS)
    kinds = [u["kind"] for u in door.sent]
    assert kinds[-1] == "events"
    assert all(len(u["text"]) <= WORDS_CHARS for u in door.sent if u["kind"] == "delta")


async def test_a_receipt_comes_after_what_its_command_caused():
    t = talk([reply("One.")])
    publisher, door = published(t)
    t.conversation.tell("Go.")
    publisher.answer(Ack(id="told"))
    kinds = [u["kind"] for u in door.sent]
    assert kinds.index("events") < kinds.index("ack")
    assert door.traits["status"] == "running"
    await t.conversation.settled()


async def test_an_approval_for_the_run_that_a_stop_voids_is_taken_from_the_page():
    """R-STOP-15: nobody says that it ended; the page must not offer to take back what is no more."""
    gate = Gate()
    echo = Echo(effects=True, verdict="ask")
    t = talk([call("echo", text="a"), reply("late").held(gate)], tools=[echo], approvals="ask")
    _, door = published(t)
    t.conversation.tell("Go.")
    await until(lambda: bool(t.conversation.waiting))
    t.conversation.approve(t.conversation.waiting[0].action_id, "run")
    await gate.reached()
    told = lambda: [len(u["granted"]) for u in door.sent if u["kind"] == "approvals"]  # noqa: E731
    await until(lambda: bool(told()) and told()[-1] == 1)
    t.conversation.stop()
    await t.conversation.settled()
    await until(lambda: told()[-1] == 0)


async def test_an_observer_that_acts_while_traits_are_told_loses_nothing():
    t = talk([reply("One."), reply("Two.")])
    publisher, door = published(t)
    told: list[str] = []

    def act() -> None:
        if door.traits.get("status") == "idle" and not told:
            told.append("more")
            t.conversation.tell("More.")
            publisher.flush()

    await t.ask("Go.")
    door.on_traits = act
    await all_told(t, door)
    await until(lambda: told and t.conversation.status == "idle")
    await all_told(t, door)
    assert door.positions == list(range(len(t.conversation.log)))


async def test_a_door_that_fails_stops_nobody():
    t = talk([reply("One."), reply("Two.")])
    publisher, door = published(t)

    def fail() -> None:
        raise OSError("the page is gone")

    door.on_traits = fail
    assert await t.ask("Go.") == "One."
    assert await t.ask("Go on.") == "Two."
    publisher.flush()


async def test_another_conversation_gets_none_of_what_waited_for_the_first():
    first, second = talk([reply("One.")]), talk([reply("Two.")])
    shown = [first]
    publisher = Publisher(lambda: shown[0].conversation, lambda: Traits(conversation_id=shown[0].conversation.id))
    door = Door()
    publisher.attach(door, contextvars.copy_context())
    await second.ask("Go.")
    publisher.flush()
    first.conversation.tell("Go.")
    publisher.appended(())
    publisher.words("text", "of the first")
    shown[0] = second
    publisher.forget()
    publisher.flush()
    assert door.traits["conversation_id"] == second.conversation.id
    assert [u["kind"] for u in door.sent if u["kind"] != "approvals"] == []
    publisher.replay(0)
    publisher.flush()
    assert door.positions == list(range(len(second.conversation.log)))


async def test_a_batch_is_about_a_megabyte_and_takes_no_more_than_it_shows():
    t = talk([reply(f"{n}" * 30_000) for n in range(1, 60)])
    for _ in range(59):
        await t.ask("More.")
    taken = 0

    def events() -> Iterator[Any]:
        nonlocal taken
        for event in t.conversation.log.read():
            taken += 1
            yield event

    update = batch("id", 0, events())
    assert taken == len(update["events"]) < len(t.conversation.log)
    assert len(str(update)) < 1.2 * BATCH_BYTES
