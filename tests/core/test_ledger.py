"""Money, titles and receipts: the folds that are not the view."""

from __future__ import annotations

from typing import Any

from hypothesis import given

from smolpaws_jupyter.core import events as ev
from smolpaws_jupyter.core.base import Usage
from smolpaws_jupyter.core.ledger import Ledger, Sum, Totals
from tests.builders import History, call
from tests.core.every_event import every_event
from tests.histories import histories

FULL = Usage(input=100, output=20, cache_read=60, cache_write=5, reasoning=3, cost=0.25)


def test_t_acc_01_each_kind_of_record_is_counted_under_its_usage_id():
    """R-ACC-1, R-ACC-2: successes, failures and summaries, with the HTTP requests that were really sent."""
    history = History().user("go").reply(usage=FULL, http_requests=3).user("more").bind("other")
    history.fails("overflow", usage=Usage(input=7)).intend("provider_context_window").attempt("server").attempt()
    totals = Ledger.of(history.events).totals
    assert {usage_id: t.records for usage_id, t in totals.items()} == {
        "profile:main": 1,
        "profile:other": 1,
        "condenser": 2,
    }
    assert totals["profile:main"] == Totals(
        records=1,
        http_requests=3,
        latency_ms=900,
        input=Sum(100),
        output=Sum(20),
        cache_read=Sum(60),
        cache_write=Sum(5),
        reasoning=Sum(3),
        cost=Sum(0.25),
    )


def test_t_acc_02_zero_is_shown_and_unknown_is_counted():
    """R-ACC-3, R-VOC-19"""
    history = (
        History()
        .user("a")
        .reply(usage=Usage(input=0, cost=0))
        .user("b")
        .reply(usage=Usage(input=5))
        .reply(usage=Usage())
    )
    totals = Ledger.of(history.events).totals["profile:main"]
    assert totals.input == Sum(reported=5, unknown=1)
    assert totals.output == Sum(reported=0, unknown=3)
    assert totals.cost == Sum(reported=0, unknown=2)


def test_t_acc_03_resets_add_nothing_and_end_nothing():
    """R-ACC-4, R-RESET-8"""
    history = History().user("go").reply(usage=FULL).calls(call("condense"), usage=FULL)
    before = Ledger.of(history.events)
    after = Ledger.of(history.reset().pause().resume().bind("other").events)
    assert after.totals == before.totals
    assert after.condensations == {"voluntary": 1, "rescue": 0, "routine": 0, "manual": 0}


def test_t_fork_04_a_fork_counts_its_own_money_and_shows_what_it_inherited():
    """R-FORK-5, R-FORK-1: a fork of a fork inherits both."""
    history = History().user("go").reply(usage=FULL).fork("second").user("more").reply(usage=FULL)
    ledger = Ledger.of(history.events)
    assert ledger.conversation_id == "second"
    assert (ledger.totals["profile:main"].input, ledger.inherited["profile:main"].input) == (Sum(100), Sum(100))
    again = Ledger.of(history.fork("third").events)
    assert again.conversation_id == "third"
    assert again.totals == {}
    assert again.inherited["profile:main"].input == Sum(200)
    assert again.inherited["profile:main"].records == 2


def test_t_ev_07_the_latest_title_is_the_title():
    """R-EV-12"""
    history = History()
    assert Ledger.of(history.events).title is None
    assert Ledger.of(history.title("One").user("x").title("Two").events).title == "Two"


def test_the_first_text_of_the_user_can_stand_for_a_title():
    history = History().remark("not the user").user("one").user("two")
    assert Ledger.of(history.events).first_user_text == "one"
    assert Ledger.of(history.withdraw("u2").events).first_user_text == "one"
    assert Ledger.of(history.withdraw("u1").events).first_user_text is None
    assert Ledger.of(history.user("three").events).first_user_text == "three"


def test_t_ev_06_a_command_is_known_by_its_last_effect():
    """R-STOP-14, R-MAN-7: intent, attempts and fact of one command carry its id."""
    history = History("llm_summarizing").user("go").reply()
    for make in (lambda: history.intend("host"), history.attempt, lambda: history.summarized("So.", ["u1"])):
        make()
        *events, _ = history.commits
        history.commits = [*events, (ev.caused_by("command-9", history.last),)]
    ledger = Ledger.of(history.events)
    assert dict(ledger.receipts) == {"command-u1": "MessageEvent", "command-9": "Condensation"}
    assert "command-8" not in ledger.receipts


def test_condensations_are_counted_by_what_caused_them():
    """R-VOC-15: facts that changed something; requests that failed or came to nothing count for nobody."""
    history = History().user("go").condense().reply().user("big").emergency().reply()
    for trigger in ("size", "tokens", "proactive", "host", "host"):
        history.intend(trigger).summarized("So.", [])
    history.intend("size").failure().intend("host")
    empty = ev.Condensation(id="c", timestamp="t", request_id=history.last.id, forgotten_event_ids=())
    ledger = Ledger.of(history.commit(empty).events)
    assert ledger.condensations == {"voluntary": 1, "rescue": 1, "routine": 3, "manual": 2}
    assert ledger.requested == {}


@given(histories())
def test_a_ledger_adds_up_and_never_changes(history: History):
    seen: list[tuple[Ledger, Any]] = []
    ledger = Ledger()
    for event in history.events:
        ledger = ledger.add(event)
        seen.append((ledger, (dict(ledger.totals), dict(ledger.receipts), dict(ledger.condensations))))
    assert ledger == Ledger.of(history.events)
    for then, parts in seen:
        assert (dict(then.totals), dict(then.receipts), dict(then.condensations)) == parts
    records: list[Any] = [e for e in history.events if isinstance(e, ev.ResponseEvent | ev.UsageEvent)]
    spent = [*ledger.totals.values(), *ledger.inherited.values()]
    assert sum(t.records for t in spent) == len(records)
    assert sum(t.input.reported for t in spent) == sum(r.usage.input or 0 for r in records)
    assert sum(t.input.unknown for t in spent) == sum(r.usage.input is None for r in records)
    commands = {event.command_id for event in history.events if isinstance(event, ev.EventBase)} - {None}
    assert set(ledger.receipts) == commands


def test_every_kind_of_event_can_be_entered():
    ledger = Ledger.of(every_event())
    assert ledger.title == "A title"
    assert ledger.conversation_id == "conversation-2"
