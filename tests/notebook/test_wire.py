"""What crosses between kernel and page, as the page uses it (design 7; R-STOP-14, T-BIND-03, F-31, F-32, O35)."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from smolpaws_jupyter.core.wire import UPDATE

from .conftest import SETUP
from .kernels import Kernel, kernel
from .pages import page_of

pytestmark = pytest.mark.kernel

CANARY = "sk-CANARY-0123456789abcdefghijklmnop"


@pytest.fixture(scope="module")
def k(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """A kernel with a key in its environment, and a page of settings that names it."""
    with kernel(tmp_path_factory.mktemp("wire"), CANARY_KEY=CANARY) as started:
        started.do(SETUP)
        yield started


def test_a_page_sees_a_whole_conversation_as_numbered_events_and_small_facts(k: Kernel):
    k.do("paws = scripted.play(scripted.code('print(1)'), scripted.reply('Done.').using(input=750))")
    page = page_of(k, "paws")
    assert page.traits["status"] == "idle"
    assert page.traits["event_count"] == 0
    told = page.send("tell", text="Go.")
    assert page.answer(told) == {"kind": "ack", "id": told, "text": ""}
    page.wait_for(status="idle")
    page.wait_for(event_count=k.value("len(paws.events)"))
    assert [r["kind"] for r in page.records] == k.value("scripted.kinds(paws)")
    assert [r["command_id"] for r in page.records if r["kind"] == "MessageEvent"] == [told, None]
    starts = [(u["start"], u["start"] + len(u["events"])) for u in page.updates if u["kind"] == "events"]
    assert all(before[1] == after[0] for before, after in itertools.pairwise(starts))
    assert page.traits["budget"]["limit"] == 400_000
    assert page.traits["profile"].startswith("scripted/")


def test_everything_that_is_sent_has_the_shape_that_the_page_checks(k: Kernel):
    k.do("paws = scripted.play(scripted.code('1/0'), scripted.reply('Done.').streamed('Do', 'ne.'), approvals='ask')")
    page = page_of(k, "paws")
    page.ask("tell", text="Go.")
    (call,) = page.hear(lambda u: u["kind"] == "approvals" and u["waiting"])["waiting"]
    page.ask("approve", action_id=call["action_id"], scope="run", digest=call["digest"])
    page.wait_for(status="idle")
    page.ask("next_request")
    page.ask("fetch", sha256="0" * 64)
    page.hear(lambda u: u["kind"] == "approvals" and u["granted"])
    for update in page.updates:
        UPDATE.validate_json(json.dumps(update))
    assert {u["kind"] for u in page.updates} >= {"events", "approvals", "ack", "refused", "request"}


def test_t_ev_06_a_repeated_command_has_one_effect_and_one_receipt(k: Kernel):
    k.do("paws = scripted.play(scripted.reply('One.'), scripted.reply('Two.'))")
    page = page_of(k, "paws")
    command = {"kind": "tell", "id": "the-same", "text": "Only once."}
    for _ in range(3):
        page.send_raw(command)
    k.pump(lambda: len([u for u in page.updates if u.get("id") == "the-same"]) == 3)
    page.wait_for(status="idle")
    receipts = [u for u in page.updates if u.get("id") == "the-same"]
    assert receipts == [{"kind": "ack", "id": "the-same", "text": ""}] * 3
    assert k.value("[e.text for e in paws.events if e.kind == 'MessageEvent' and e.genuine]") == ["Only once."]


@pytest.mark.parametrize(
    ("content", "places"),
    [
        (None, "kind"),
        ("stop", "kind"),
        ([], "kind"),
        ({}, "kind"),
        ({"kind": "tell"}, "id, text"),
        ({"kind": "tell", "id": "", "text": "x"}, "id"),
        ({"kind": "tell", "id": 7, "text": "x"}, "id"),
        ({"kind": "tell", "id": "a", "text": 5}, "text"),
        ({"kind": "tell", "id": "a", "text": "x", "base_url": "http://evil"}, "base_url"),
        ({"kind": "bind", "id": "a", "profile": "p", "api_key_ref": "env:HOME"}, "api_key_ref"),
        ({"kind": "new", "id": "a", "settings": {"condenser": {}}}, "settings"),
        ({"kind": "approve", "id": "a", "action_id": "x", "scope": "always", "digest": "0" * 64}, "scope"),
        ({"kind": "approve", "id": "a", "action_id": "x", "scope": "once"}, "digest"),
        ({"kind": "replay", "id": "a", "since": -1}, "since"),
        ({"kind": "replay", "id": "a", "since": True}, "since"),
        ({"kind": "fetch", "id": "a", "sha256": "../../etc/passwd"}, "sha256"),
        ({"kind": "set_thresholds", "id": "a", "warning_thresholds": [2.0]}, "warning_thresholds"),
        ({"kind": "format_disk", "id": "a"}, "kind"),
        ({"kind": "tell", "id": "a", "text": {"deep": {"deep": {"deep": []}}}}, "text"),
    ],
)
def test_t_bind_03_f_31_a_malformed_command_is_answered_and_changes_nothing(k: Kernel, content: object, places: str):
    k.do("paws = scripted.play(name='malformed')")
    page = page_of(k, "paws")
    before = len(page.updates)
    page.send_raw(content)
    k.pump(lambda: any(u["kind"] == "refused" for u in page.updates[before:]))
    refused = page.updates[-1]
    assert refused["code"] == "malformed_command"
    assert refused["status"] == 400
    assert places in refused["text"]
    assert refused["id"] == ("a" if isinstance(content, dict) and content.get("id") == "a" else "")
    assert k.value("len(paws.events)") == 0


def test_f_31_a_message_of_ten_megabytes_is_taken_or_refused_and_nothing_breaks(k: Kernel):
    k.do("paws = scripted.play(scripted.reply('Long.'))")
    page = page_of(k, "paws")
    huge = "x" * 10_000_000
    page.send_raw({"kind": huge, "id": huge})
    k.pump(lambda: page.updates[-1]["kind"] == "refused")
    assert len(json.dumps(page.updates[-1])) < 1_000
    page.ask("tell", text=huge[:2_000_000])
    page.wait_for(status="idle")
    batches = [u for u in page.updates if u["kind"] == "events"]
    assert max(len(json.dumps(batch)) for batch in batches) < 1_200_000
    (left,) = [one for batch in batches for one in batch["left_out"]]
    assert left["chars"] == 2_000_000
    chunk = page.ask("fetch", sha256=left["sha256"], offset=1_999_990, length=1_000)
    assert (chunk["text"], chunk["total"]) == ("x" * 10, 2_000_000)


def test_an_unknown_comm_and_an_old_page_do_no_harm(k: Kernel):
    k.do("paws = scripted.play(scripted.reply('Hello.'))")
    k.send_to_widget("no-such-comm", {"kind": "stop", "id": "x"})
    page = page_of(k, "paws")
    assert page.ask("approve", action_id="gone", scope="once", digest="0" * 64)["code"] == "approval_unknown"
    assert page.ask("reject", action_id="gone")["code"] == "approval_unknown"
    assert page.ask("revoke", action_id="gone")["code"] == "approval_unknown"
    assert page.ask("withdraw", message_id="gone")["code"] == "message_already_read"
    assert page.ask("open", conversation_id="../../etc")["code"] == "conversation_not_found"
    assert page.ask("condense")["status"] == 409
    assert page.ask("tell", text=" /condense ")["code"] == "agent_controlled_condensation"
    assert page.ask("stop")["text"] == "Nothing runs."
    assert page.ask("resume")["kind"] == "ack"
    assert k.value("len(paws.events)") == 0


def test_what_a_page_claims_about_traits_is_ignored(k: Kernel):
    k.do("paws = scripted.play(name='claims')")
    page = page_of(k, "paws")
    claims = {"status": "running", "read_only": "no", "_esm": "alert(1)", "event_count": 7}
    k.send_comm(page.comm_id, {"method": "update", "state": claims, "buffer_paths": []})
    page.ask("replay", since=0)
    assert k.value("(paws.status, paws.read_only, paws.event_count)") == ("idle", "", 0)
    assert "alert(1)" not in k.value("str(paws._esm)")


def test_f_32_a_page_that_comes_late_gets_what_it_lacks_in_batches(k: Kernel):
    k.do("""
        moves = [scripted.call("read_file", path=f"missing-{n}") for n in range(150)]
        paws = scripted.play(*moves, scripted.reply("Done."))
        await paws.ask("Go.")
    """)
    count = k.value("len(paws.events)")
    page = page_of(k, "paws")
    page.updates.clear()
    before = len(page.updates)
    page.ask("replay", since=count - 5)
    page.hear(lambda u: u["kind"] == "events" and u["start"] == count - 5 and len(u["events"]) == 5)
    assert sum(len(u["events"]) for u in page.updates[before:] if u["kind"] == "events") == 5
    page.ask("replay", since=0)
    k.pump(lambda: len(page.records) == count)
    assert [r["id"] for r in page.records] == k.value("[e.id for e in paws.events]")
    page.ask("replay", since=10**9)


def test_streamed_words_come_before_the_message_that_holds_them_and_in_few_messages(k: Kernel):
    k.do("""
        words = [f"word{n} " for n in range(2_000)]
        gate = scripted.Gate()
        paws = scripted.play(scripted.reply().streamed(*words).held(gate, after=1_000))
    """)
    page = page_of(k, "paws")
    page.ask("tell", text="Go.")
    page.hear(lambda u: u["kind"] == "delta" and "word999 " in u["text"])
    k.do("gate.open()")
    page.wait_for(status="idle")
    kinds = [u["kind"] for u in page.updates]
    reply = next(i for i, u in enumerate(page.updates) if u["kind"] == "events" and "word1999" in json.dumps(u))
    assert "delta" not in kinds[reply:]
    streamed = "".join(u["text"] for u in page.updates if u["kind"] == "delta")
    assert "".join(k.value("words")).startswith(streamed)
    assert kinds.count("delta") <= 20


def test_t_bind_03_a_page_may_title_tune_and_change_the_model_and_start_anew(k: Kernel):
    k.do("paws = scripted.play(scripted.reply('One.'), scripted.reply('Two.'))")
    page = page_of(k, "paws")
    first = page.traits["conversation_id"]
    page.ask("set_title", title="A title")
    page.ask("set_thresholds", warning_thresholds=[0.5, 0.7])
    page.wait_for(title="A title", thresholds=[0.5, 0.7])
    page.ask("bind", profile="practice")
    page.wait_for(profile="practice")
    assert page.ask("open", conversation_id=first) == page.updates[-1]
    assert page.ask("new", condenser_kind="no_such")["kind"] == "refused"
    assert page.traits["conversation_id"] == first
    page.ask("new")
    k.pump(lambda: page.traits["conversation_id"] != first)
    assert page.traits["event_count"] == 0
    page.ask("open", conversation_id=first)
    page.wait_for(conversation_id=first, title="A title")
    page.ask("replay", since=0)
    k.pump(lambda: len(page.records) == page.traits["event_count"])


def test_r_ev_12_another_stored_conversation_is_renamed_unless_it_is_shown_elsewhere(k: Kernel):
    k.do("one = scripted.play(scripted.reply('One.')); await one.ask('Go.')")
    k.do("two = scripted.play()")
    first, page = k.value("one.conversation_id"), page_of(k, "two")
    refused = page.ask("set_title", title="Mine", conversation_id=first)
    assert (refused["code"], refused["status"]) == ("conversation_open", 409)
    k.do("three = scripted.play(scripted.reply('Three.')); await three.ask('Go.')")
    page, third = page_of(k, "three"), k.value("three.conversation_id")
    page.ask("new")
    k.pump(lambda: page.traits["conversation_id"] != third)
    assert page.ask("set_title", title=" A title ", conversation_id=third)["kind"] == "ack"
    titles = {one["id"]: one["title"] for one in page.ask("conversations", most=10)["conversations"]}
    assert (titles[first], titles[third]) == ("Go.", "A title")
    assert page.traits["title"] == ""
    assert page.ask("set_title", title="x", conversation_id="no-such")["code"] == "conversation_not_found"


def test_f_14_a_conversation_is_never_shown_by_two_widgets(k: Kernel):
    k.do("one = scripted.play(scripted.reply('One.')); await one.ask('Go.')")
    k.do("two = scripted.play()")
    page = page_of(k, "two")
    refused = page.ask("open", conversation_id=k.value("one.conversation_id"))
    assert (refused["code"], refused["status"]) == ("conversation_open", 409)
    assert f'SmolPaws.load("{k.value("one.conversation_id")}")' in refused["text"]
    k.do("again = scripted.Scripted.load(one.conversation_id)")
    assert k.value("again is one")


def test_w_23_the_saved_state_is_small_and_o35_holds_no_message_and_no_key(k: Kernel):
    profile = "{'main': {'model': 'scripted/keyed', 'apiKeyRef': 'env:CANARY_KEY'}}"
    k.do(f"""
        from smolpaws_jupyter.testing import failure
        scripted._models["scripted/keyed"] = scripted.ScriptedLLM([
            scripted.code("import os; print(os.environ['CANARY_KEY'])"),
            scripted.reply("A SECRET PLAN"),
        ])
        paws = scripted.Scripted(profiles={profile}, approvals="allow")
        await paws.ask("MY SECRET WORDS")
    """)
    state = k.value("{name: value for name, value in paws.get_state().items() if name not in ('_esm', '_css')}")
    bundle = sum(len(k.value(f"str(paws.get_state()['{name}'])")) for name in ("_esm", "_css"))
    saved = json.dumps(state, default=str)
    assert len(saved) < 10_000
    assert len(saved) + bundle < 200_000
    shown = json.dumps(k.do("paws").data)
    printed = k.value("[repr(paws), str(paws), repr(paws.last_error), repr(paws.view.start.bindings)]")
    for text in (saved, shown, *printed):
        assert "SECRET" not in text
        assert CANARY not in text
    assert CANARY not in json.dumps([m["content"] for m in k.comm_messages])
    assert CANARY not in json.dumps(k.value("scripted.results(paws)"))
    log = Path(k.folder, ".smolpaws", "conversations", k.value("paws.conversation_id"), "log.jsonl")
    assert "MY SECRET WORDS" in log.read_text()
    assert CANARY not in log.read_text()


def test_the_offer_to_resume_holds_no_words_of_the_conversation(k: Kernel):
    k.do("import os; os.makedirs('elsewhere', exist_ok=True)")
    k.do("there = scripted.play(scripted.reply('One.'), workspace='elsewhere'); await there.ask('MY SECRET WORDS')")
    k.do("from smolpaws_jupyter.notebook import live; live._sessions.clear()")  # as a restarted kernel has it
    k.do("fresh = scripted.play(workspace='elsewhere')")
    offer = k.value("fresh.resumable")
    assert offer["id"] == k.value("there.conversation_id")
    assert (offer["title"], offer["events"]) == ("", k.value("len(there.events)"))


def test_f_61_the_log_is_readable_by_its_owner_alone(k: Kernel):
    k.do("paws = scripted.play(scripted.reply('One.')); await paws.ask('Go.')")
    folder = Path(k.folder, ".smolpaws", "conversations", k.value("paws.conversation_id"))
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "log.jsonl").stat().st_mode & 0o777 == 0o600
