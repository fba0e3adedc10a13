"""What a person approved is what happens, or nothing does (invariants: policy table, F-52, F-56, F-60)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from smolpaws_jupyter.core.events import AgentErrorEvent, ObservationEvent
from smolpaws_jupyter.runtime.tools.base import Consent
from smolpaws_jupyter.testing import Move, call, reply
from tests.runtime.talks import Talk, reopened, talk, text_of, until


async def asked(t: Talk) -> str:
    await until(lambda: t.conversation.waiting)
    return t.conversation.waiting[0].action_id


def results(t: Talk) -> list[str]:
    return [text_of(e.observation) for e in t.of(ObservationEvent)]


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def run(tmp_path: Path, *moves: Move, approvals: str = "ask") -> Talk:
    t = talk([*moves, reply("ok")], workspace=tmp_path, approvals=approvals)  # type: ignore[arg-type]
    t.conversation.tell("Go")
    return t


def after_consent(t: Talk, name: str, act: Callable[[], object]) -> None:
    """Lets something happen between the consent to a call and the call."""
    tool: Any = t.conversation.toolbox.get(name)
    consent = tool.consent

    def then(action: Any) -> Consent:
        said = consent(action)
        act()
        return said

    tool.consent = then


async def test_an_edit_that_could_not_be_planned_stays_undone_even_if_it_fits_by_the_time_it_runs(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.py").write_text("one\n")
    t = talk([call("edit_file", path="a.py", old="two", new="evil"), reply("ok")], workspace=tmp_path, approvals="ask")
    after_consent(t, "edit_file", lambda: (tmp_path / "a.py").write_text("two\n"))
    await t.ask("Go")
    assert (tmp_path / "a.py").read_text() == "two\n"


async def test_f_52_a_file_that_changed_after_its_diff_was_shown_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("one\n")
    t = await run(tmp_path, call("edit_file", path="a.py", old="one", new="1"))
    action_id = await asked(t)
    assert t.conversation.waiting[0].form == "diff"
    assert "+1" in t.conversation.waiting[0].text
    (tmp_path / "a.py").write_text("one\nsecret\n")
    t.conversation.approve(action_id)
    await t.conversation.settled()
    assert (tmp_path / "a.py").read_text() == "one\nsecret\n"
    assert "changed" in results(t)[0]


async def test_a_hard_link_that_appears_after_the_consent_is_not_read(tmp_path: Path) -> None:
    ws, outside = tmp_path / "ws", tmp_path / "outside.txt"
    ws.mkdir()
    outside.write_text("treasure")
    (ws / "a.txt").write_text("plain")
    t = talk([call("read_file", path="a.txt"), reply("ok")], workspace=ws, approvals="allow")

    def link() -> None:
        (ws / "a.txt").unlink()
        (ws / "a.txt").hardlink_to(outside)

    after_consent(t, "read_file", link)
    await t.ask("Go")
    assert "treasure" not in str(results(t))


async def test_notes_are_written_without_asking_and_their_old_bytes_are_kept(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/plan.md").write_text("old")
    t = await run(tmp_path, call("write_file", path="notes/plan.md", content="new"))
    await t.conversation.settled()
    change = t.of(ObservationEvent)[0].observation.change
    assert t.store.get_blob(change.before) == b"old"
    assert t.store.get_blob(change.after) == b"new"
    assert (tmp_path / "notes/plan.md").read_text() == "new"


@pytest.mark.parametrize("path", [".git/hooks/post-commit", ".smolpaws/x", "../x", "/etc/x", "~/x", "notes/../../x"])
async def test_f_60_o37_forbidden_paths_write_nothing_and_the_loop_goes_on(tmp_path: Path, path: str) -> None:
    t = await run(tmp_path, call("write_file", path=path, content="x"), approvals="allow")
    await t.conversation.settled()
    assert t.conversation.status == "idle"
    assert not files_in(tmp_path)
    assert t.of(AgentErrorEvent) or t.of(ObservationEvent)[0].observation.is_error


@pytest.mark.parametrize("path", ["x.pth", "sitecustomize.py", ".env", "id_rsa", "server.key"])
async def test_f_60_startup_files_and_secrets_are_asked_for_by_name_even_where_all_is_allowed(
    tmp_path: Path, path: str
) -> None:
    t = await run(tmp_path, call("write_file", path=path, content="x"), approvals="allow")
    action_id = await asked(t)
    assert t.conversation.waiting[0].covers is None
    t.conversation.reject(action_id)
    await t.conversation.settled()
    assert not (tmp_path / path).exists()


async def test_t_stop_09_an_approval_for_this_run_covers_writes_of_that_file_only(tmp_path: Path) -> None:
    moves = [call("write_file", path=p, content=c) for p, c in (("a.txt", "1"), ("a.txt", "2"), ("b.txt", "3"))]
    t = await run(tmp_path, *moves)
    t.conversation.approve(await asked(t), "run")
    await until(lambda: t.conversation.waiting and t.conversation.waiting[0].title == "Create b.txt")
    assert (tmp_path / "a.txt").read_text() == "2"
    t.conversation.stop()
    await t.conversation.settled()
    assert not (tmp_path / "b.txt").exists()
    assert t.conversation.granted == ()


async def test_t_msg_07_the_pages_of_a_stored_output_join_to_the_original(tmp_path: Path) -> None:
    from tests.runtime.talks import Echo

    text = "".join(f"line {n}\n" for n in range(30_000))
    echo = Echo()
    t = talk([call("echo", text=text), reply("ok")], workspace=tmp_path, tools=[echo])
    await t.ask("Go")
    action = t.of(ObservationEvent)[0].action_id
    whole, offset = "", 0
    while True:
        t.llm.extend([call("read_file", path=f"output:{action}", offset=offset, limit=25_000), reply("ok")])
        await t.ask("more")
        header, _, page = results(t)[-1].partition("\n")
        whole += page
        if header.endswith("end"):
            break
        offset = int(header.rsplit(" ", 1)[1])
    assert whole == f"echo: {text}"
    t.llm.extend([call("read_file", path="output:nothing"), reply("ok")])
    await t.ask("none")
    assert t.of(ObservationEvent)[-1].observation.is_error


async def test_o12_notes_that_were_edited_by_hand_are_read_as_they_are_now(tmp_path: Path) -> None:
    moves = [call("write_file", path="notes/plan.md", content="step 3 of 5 done"), call("condense"), reply("ok")]
    t = talk(moves, workspace=tmp_path)
    await t.ask("Do five steps")
    before = t.llm.requests[0].messages[0]
    (tmp_path / "notes/plan.md").write_text("step 4 of 5 done")
    again = reopened(
        t, [call("read_file", path="notes/plan.md"), reply("ok")], tools=list(t.conversation.toolbox.tools)
    )
    await again.ask("go on")
    assert "step 4 of 5" in again.sent()[-1]["content"]
    assert again.llm.requests[0].messages[0] == before
