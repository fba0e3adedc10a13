"""One or more events of every kind, with every optional field given at least once."""

from __future__ import annotations

from typing import Any, get_args

from smolpaws_jupyter.core import payloads as pay
from smolpaws_jupyter.core.base import Skill, TextBlock, Usage
from smolpaws_jupyter.core.events import Bindings, CondensationFailureEvent, Event, RecoveryEvent
from tests.builders import BINDING, PICTURE, Call, History, call


def _kinds(union: Any) -> frozenset[str]:
    return frozenset(kind.__name__ for kind in get_args(get_args(union)[0]))


KINDS, ACTIONS, OBSERVATIONS = _kinds(Event), _kinds(pay.Action), _kinds(pay.Observation)
"""The names of all kinds of events, and of what tools take and answer."""

CALLS = (
    call("list_files", path="notes", pattern="*.md"),
    call("read_file", path="a", offset=2, limit=5),
    call("write_file", path="a", content="b"),
    call("edit_file", path="a", old="b", new="c", replace_all=True),
    call("search_files", query="x"),
    call("run_python", code="1"),
    call("conversation_history", command="search", query="x"),
    call("condense", message_to_future_self=""),
    call("new_context", handoff="go on"),
    call("host_tool", anything=[1, {"deep": None}]),
    Call("read_file", '{"path": '),
)


def every_event() -> list[Event]:
    """The events of `every_history`."""
    return every_history().events  # type: ignore[return-value]


def every_history() -> History:
    """A lawful log with all kinds of events, actions, observations and details."""
    skill = Skill(name="plots", description="Draws.", path="skills/plots.md")
    fixed = {"memory_snapshot": "Remember.", "runtime_info": "Python 3.13", "skills": (skill,)}
    history = History(bindings=Bindings(main=BINDING, summary=BINDING), **fixed)
    history.title("A title").user("hi", PICTURE).user("no").withdraw("u2").remark().warn().reply()
    usage = Usage(input=5, output=4, cache_read=3, cache_write=2, reasoning=1, cost=0.5)
    history.user("go").remind().calls(*CALLS, thought="hm", reasoning={"thinking_blocks": []}, usage=usage)
    history.approve("run").start().error("interrupted", "Stopped.").approve("covered", covered_by="y1").reject()
    change = pay.FileChange(path="a", before=None, after="a" * 64)
    history.commit(history.observed(pay.ToolObservation(content=(), output="all", output_bytes=3, change=change)))
    history.results()
    failure = {"action_id": "a1", "code": "invalid_commit", "error": "No."}
    history.commit(history.make(CondensationFailureEvent, **failure)).condense("note").user("more").emergency()
    for trigger in ("size", "tokens", "proactive", "host"):
        history.intend(trigger).failure()
    history.pin("c2-summary")
    history.truncate("c2-summary", "What happened so far.").fails("auth", stops=True)
    history.interrupt().pause().resume().thresholds(0.5).bind("other", "openai/gpt", params={"temperature": 0}).fork()
    outside = pay.CondenseObservation(content=(TextBlock(text="No."),), is_error=True)
    cleared = pay.NewContextObservation(content=(), input_event_id="u1")
    history.calls(call("condense"), call("new_context"))
    history.commit(history.observed(outside)).commit(history.observed(cleared))
    return history.commit(history.make(RecoveryEvent, detail="A torn end was cut."))
