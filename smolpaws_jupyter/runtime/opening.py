"""What opening a stored conversation repairs, in one commit, before anything else (contract, section 21)."""

from __future__ import annotations

from collections.abc import Collection

from ..core import wording
from ..core.base import TextBlock
from ..core.errors import StoreError
from ..core.events import CondensationFailureEvent, Event, MessageEvent, RecoveryEvent, VoluntaryDetails
from ..core.view import View
from .log import EventLog, mint
from .runner import closures
from .writers import kernel_of


def repair(log: EventLog, installed: Collection[str] | None = None) -> None:
    """Closes what was cut off and says what is new. Appends at most one commit; a second opening appends nothing.

    `installed` are the names of the tools that there are now; None where nobody knows. Where the disk takes no commit,
    the conversation can be read, and repaired when it is opened again.
    """
    events = repairs(log, installed)
    if events:
        try:
            log.append(*events)
        except StoreError as error:
            log.store.give_up(f"What opening has to record could not be stored. {error}")


def repairs(log: EventLog, installed: Collection[str] | None = None) -> list[Event]:
    """The events of the repair commit; none where nothing was cut off and nothing is new (R-REST-2 to 9)."""
    view, store = log.view, log.store
    noticed = [*store.recovered, *_tools_left_out(log, installed)]
    events: list[Event] = [RecoveryEvent(**mint(), detail=text) for text in noticed]
    events += closures(view)
    for request in view.outstanding:
        events.append(
            CondensationFailureEvent(
                **mint(),
                request_id=request.id,
                command_id=request.command_id,
                code="interrupted",
                error="The process ended before this was done. Nothing was cleared, and it is not repeated.",
            )
        )
    if any(isinstance(r.details, VoluntaryDetails) for r in view.outstanding):
        events.append(_remark(wording.RESET_NOT_DONE))
    if _kernel_is_new(log) and _offers_python(view) and not _said(view, wording.NEW_KERNEL):
        events.append(_remark(wording.NEW_KERNEL))
    return events


def _kernel_is_new(log: EventLog) -> bool:
    last = log.store.last_writer_id
    return last is not None and kernel_of(last) != kernel_of(log.store.writer_id)


def _tools_left_out(log: EventLog, installed: Collection[str] | None) -> list[str]:
    """A sentence for each stored tool that is not installed, unless the log says so already (R-MSG-1)."""
    start = log.view.start
    if installed is None or start is None:
        return []
    missing = [tool.name for tool in start.tools if tool.name not in installed]
    sentences = [f"The tool {name!r} is not installed any more. The model is not offered it." for name in missing]
    told = {event.detail for event in log.read() if isinstance(event, RecoveryEvent)} if sentences else set[str]()
    return [sentence for sentence in sentences if sentence not in told]


def _offers_python(view: View) -> bool:
    return view.start is not None and any(tool.name == "run_python" for tool in view.start.tools)


def _said(view: View, text: str) -> bool:
    """Whether this remark waits to be shown already (R-REST-9)."""
    return any(isinstance(a, MessageEvent) and a.text == text for a in view.asides)


def _remark(text: str) -> MessageEvent:
    return MessageEvent(**mint(), source="environment", role="user", content=(TextBlock(text=text),))
