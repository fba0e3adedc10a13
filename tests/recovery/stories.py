"""Conversations in which every kind of commit occurs that this version writes (R-LOG-8): the material of the crash tests."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from smolpaws_jupyter.core.base import TextBlock
from smolpaws_jupyter.core.events import ContextWarningEvent
from smolpaws_jupyter.core.payloads import ToolObservation
from smolpaws_jupyter.runtime.tools.base import Interrupted
from smolpaws_jupyter.testing import Gate, call, calls, failure, overflow, raw_call, reply
from tests.recovery.stories_in_kinds import OTHER_KINDS, the_agent_hands_over, the_window_slides
from tests.recovery.world import Life
from tests.runtime.talks import AGENT_RESET, binding

Story = Callable[[Life], Coroutine[Any, Any, None]]


async def a_person_talks_and_changes_their_mind(life: Life) -> None:
    answering = Gate()
    t = life.begin([reply("Hello."), reply("Yes.").held(answering), reply("Both."), reply("On.")], settings=AGENT_RESET)
    t.conversation.set_title("Work")
    await life.ask("Hi")
    t.conversation.set_thresholds((0.5, 0.9))
    t.conversation.bind(binding(2000, name="other"))
    life.tell("One")
    await life.reaches(answering)
    life.tell("Late")
    t.conversation.withdraw(life.tell("Not this"))
    answering.open()
    await t.conversation.settled()
    t.conversation.pause()
    life.tell("Wait")
    t.conversation.resume()
    await t.conversation.settled()


async def tools_run_with_consent(life: Life) -> None:
    running = Gate()
    life.tools["note"].gate = running
    batch = calls(call("look", text="l"), call("run_python", text="once"), call("note", text="n"))
    moves = [batch.saying("I look."), call("run_python", text="run"), call("run_python", text="covered")]
    moves += [call("run_python", text="never"), reply("Done.")]
    t = life.begin(moves, settings=AGENT_RESET)
    life.tell("Work")
    t.conversation.approve(await life.asks_for_consent(), "once")
    await life.reaches(running)
    life.tell("While it runs")
    running.open()
    first = await life.asks_for_consent()
    t.conversation.approve(first, "run")
    await life.reaches(lambda: "covered" in life.world.effects)
    t.conversation.revoke(first)
    t.conversation.reject(await life.asks_for_consent(), "Enough.")
    await t.conversation.settled()


async def the_agent_is_warned_and_starts_afresh(life: Life) -> None:
    resetting = Gate()
    saving = call("note", text="plan").using(input=870)
    reset = call("condense", message_to_future_self="Read the plan.").using(input=910).held(resetting)
    after = [call("look", text="plan").using(input=100), call("condense"), reply("Done.").using(input=50)]
    t = life.begin([reply("Hm.").using(input=750), saving, reset, *after])
    await life.ask("The task")
    life.tell("Go on")
    await life.reaches(resetting)
    life.tell("One more thing")
    resetting.open()
    await t.conversation.settled()
    assert [warning.threshold for warning in t.of(ContextWarningEvent)][:2] == [0.75, 0.85]


async def a_reset_is_refused(life: Life) -> None:
    """Not alone, twice, with bad input, cut off; and a plan that does not pass validation (R-RESET-13)."""
    beside = calls(call("condense"), call("note", text="beside"))
    moves = [beside, raw_call("condense", '{"message_to_future_self": 3}'), call("condense").finishing("length")]
    t = life.begin([*moves, call("condense"), call("condense"), reply("Done.")])
    plan: Any = t.conversation.policy.settle
    broken = iter([True])

    def settle(batch: Any, view: Any, gauge: Any, mint: Any) -> Any:
        commits = plan(batch, view, gauge, mint)
        if len(batch) > 1 or not commits or not next(broken, False):
            return commits
        *others, fact = commits[0]
        return [(*others, fact.model_copy(update={"forgotten_event_ids": ()}))]

    t.conversation.policy.settle = settle  # type: ignore[method-assign]
    await life.ask("Start afresh")


async def the_model_falls_short(life: Life) -> None:
    nothing = [reply(""), failure("content_policy"), failure("server"), reply("Better.")]
    t = life.begin([*nothing, failure("missing_key").requesting(0)], settings=AGENT_RESET)
    await life.ask("Say something")
    t.conversation.resume()
    await t.conversation.settled()
    await life.ask("And more")


async def an_overflow_is_rescued(life: Life) -> None:
    requesting, summarising = Gate(), Gate()
    moves = [call("note", text="n"), reply("Hm."), overflow().held(requesting), reply("Done.")]
    t = life.begin(moves, [failure("server"), reply("The note was made.").held(summarising)])
    await life.ask("Work")
    life.tell("Too much")
    await life.reaches(requesting)
    life.tell("During the request")
    taken_back = life.tell("Not this")
    requesting.open()
    await life.reaches(summarising)
    life.tell("During the summary")
    t.conversation.withdraw(taken_back)
    summarising.open()
    await t.conversation.settled()


async def a_rescue_fails_and_later_one_works(life: Life) -> None:
    moves = [reply("Hm."), overflow(), overflow(), reply("Better."), overflow(), reply("Done.")]
    life.begin(moves, [reply(" "), reply("A summary.")])
    for text in ("One", "Too much", "Still too much", "Less", "Too much again"):
        await life.ask(text)


async def a_summary_is_tried_five_times(life: Life) -> None:
    life.begin([reply("Hm."), overflow(), reply("Better.")], [failure("server")] * 5)
    for text in ("One", "Too much", "Less"):
        await life.ask(text)


async def a_person_stops(life: Life) -> None:
    """During a request, before an approval, in a tool, in a summary; a kernel interrupt; and the end of the widget."""
    requesting, running, summarising, closing = Gate(), Gate(), Gate(), Gate()
    life.tools["note"].gate = running
    batch = calls(call("note", text="slow"), call("run_python", text="never"), call("condense"))
    half = call("note", text="half")
    moves = [reply("Never.").held(requesting), call("run_python", text="unasked"), batch, half, overflow()]
    t = life.begin([*moves, reply("Never.").held(closing)], [reply("Never.").held(summarising)])
    life.tell("Go")
    for stands_still in (requesting, lambda: t.conversation.waiting, running):
        await life.reaches(stands_still)
        t.conversation.stop()
        await t.conversation.settled()
        life.tell("Go on")
    partial = ToolObservation(content=(TextBlock(text="half"),), is_error=True)
    life.tools["note"].gate, life.tools["note"].raises = None, Interrupted(partial)
    await t.conversation.settled()
    life.tell("Too much")
    await life.reaches(summarising)
    t.conversation.stop()
    await t.conversation.settled()
    life.tell("Once more")
    await life.reaches(closing)
    await t.conversation.close()


async def texts_are_large(life: Life) -> None:
    """Over 64 KiB, so that they lie in blobs beside the log (R-LOG-11)."""
    large = "x" * 70_000
    life.begin([call("look", text=large), reply("Done.")], settings=AGENT_RESET)
    await life.ask(f"large {large}")


STORIES: list[Story] = [
    a_person_talks_and_changes_their_mind,
    tools_run_with_consent,
    the_agent_is_warned_and_starts_afresh,
    a_reset_is_refused,
    the_model_falls_short,
    an_overflow_is_rescued,
    a_rescue_fails_and_later_one_works,
    a_summary_is_tried_five_times,
    a_person_stops,
    *OTHER_KINDS,
    texts_are_large,
]
WITH_SNAPSHOTS: list[Story] = [the_agent_is_warned_and_starts_afresh, the_agent_hands_over, the_window_slides]
"""Stories in which a log gets several snapshots."""

EVERY_COMMIT = {
    "start": "start",
    "input": "user",
    "advice: a warning": "warning",
    "advice: a nudge": "remark",
    "success with words": "response reply",
    "success with calls": "response( call)+",
    "success with an empty reply": "response remark",
    "failed main request, or an attempt at a summary": "usage",
    "failed main request that ends the run": "usage error",
    "end of a run without a request": "error",
    "a tool begins": "started",
    "a tool begins with an approval": "approval started",
    "a result": "result",
    "an error result": "closed",
    "a rejection": "rejected",
    "voluntary reset": "result request condensation",
    "a new context, by one call or several": "result( result)* request condensation",
    "a handoff that does not fit": "result( result)* failure",
    "advice: a reminder": "reminder",
    "paid summary, intent": "request",
    "paid summary, intent with pins": "pin request",
    "paid summary, failure of a routine one or one by hand": "failure",
    "texts are cut": "cut",
    "stop during a summary by hand": "usage failure",
    "paid summary, fact": "condensation",
    "paid summary, failure": "failure error",
    "stop during a request": "usage interrupt",
    "stop during tools": "(closed )+interrupt",
    "stop during a summary": "usage failure interrupt",
    "an interrupt after the last result": "interrupt",
    "opening, with open calls": "(recovery )*(closed )+remark",
    "opening, with an outstanding request": "(recovery )*failure remark",
    "opening, after a torn write": "recovery remark",
    "a revocation": "approval",
    **{kind: kind for kind in ("bound", "thresholds", "withdrawn", "pause", "resume", "title")},
}
"""The table of R-LOG-8, as far as this version writes it. The remark of an opening says that the kernel is new."""
