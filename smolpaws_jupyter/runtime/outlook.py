"""What would be sent, and what a reset would leave of it: judged as a step judges it, recorded nowhere."""

from __future__ import annotations

from collections.abc import Callable

from ..core.base import JsonObject
from ..core.budget import Gauge, budget_of
from ..core.instruments.rehearsal import Rehearsal, rehearse, throwaway_mint
from ..core.messages import Renderer, messages_of, tool_definitions
from ..core.policies import Policy
from ..core.view import View
from .llm import LLM, Request


class Outlook:
    """Looks ahead from a view. Any thread may, one at a time: it keeps nothing but a renderer of its own."""

    def __init__(self, policy: Policy, tools: Callable[[View], list[JsonObject]]) -> None:
        """`tools` gives the definitions that a request of a view is sent with."""
        self._policy = policy
        self._tools = tools
        self._renderer = Renderer()

    def gauge(self, view: View, llm: LLM | None, window: int | None) -> Gauge:
        """The budget of the next request, and a way to estimate another."""

        def estimate(other: View) -> int | None:
            if llm is None:
                return None
            renderer = self._renderer if other.read.grew_from(view.read) else Renderer()
            return llm.estimate(renderer.size(other, self._tools(other)))

        return Gauge(budget_of(view, window, estimate), estimate)

    def shown(self, view: View, gauge: Gauge) -> View:
        """What the next main request shows: the view, and the remark that is due now (R-WARN-8)."""
        advice = self._policy.advice(view, gauge, throwaway_mint())
        return view if advice is None else view.with_asides((advice,))

    def request(self, shown: View) -> Request:
        """What a main request that shows this view sends."""
        assert shown.binding is not None
        return Request(self._renderer.messages(shown), self._tools(shown), shown.binding)

    def rehearsed(self, view: View, gauge: Gauge, message: str | None = None) -> Rehearsal:
        """What a reset would do now; see `rehearse`."""
        return rehearse(view, self._policy, gauge, message)


def request_of(shown: View) -> Request:
    """A request of the log as it was sent, with the tools that its conversation was started with.

    The log does not say which tools were not installed any more at that time.
    """
    assert shown.start is not None
    assert shown.binding is not None
    return Request(messages_of(shown), tool_definitions(shown.start.tools), shown.binding)
