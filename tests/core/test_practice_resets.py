"""When the practice model saves and starts afresh, what it knows afterwards, and how its habits differ."""

from __future__ import annotations

import pytest

from smolpaws_jupyter.core import wording
from smolpaws_jupyter.core.practice import notes
from smolpaws_jupyter.core.practice.reply import Reply, reply
from smolpaws_jupyter.core.summary import summary_request
from tests.core.practice_desk import FILES, NOTES, TASK, Desk, desk


def test_a_warning_makes_it_save_and_only_then_reset() -> None:
    request = desk().listed().read("data/a.csv").warned(0.75)

    saving = request.ask()
    assert (saving.tool, saving.arguments["path"]) == ("write_file", NOTES)
    assert "warned at 75%" in saving.text
    written = notes.read(saving.arguments["content"])
    assert written.goals == (TASK,)
    assert [(fact.file, fact.complete) for fact in written.facts] == [("data/a.csv", True)]
    assert "TODO read data/b.csv\nTODO write report.md" in saving.arguments["content"]

    del request.messages[-1]  # the warning was consumed
    resetting = request.wrote(NOTES, saving.arguments["content"]).ask()
    assert resetting.tool == "condense"
    assert notes.read(resetting.arguments["message_to_future_self"]).goals == (TASK,)


def test_a_failed_save_is_tried_again_before_any_reset() -> None:
    request = desk().listed().read("data/a.csv").warned(0.75)
    wanted = request.ask()
    request.call("write_file", "'notes' may not be written: the disk is read-only.", **wanted.arguments).warned(0.8)

    assert request.ask().tool == "write_file"


def test_with_nothing_new_to_save_a_warning_changes_nothing() -> None:
    assert desk().warned(0.9).ask().tool == "list_files"
    assert desk().listed().warned(0.9).ask().tool == "read_file"


def test_a_line_that_is_longer_than_the_window_is_given_up_instead_of_resetting_for_ever() -> None:
    request = desk("total wind in data/", window=3_000)
    request.files = {"data/a.csv": "wind\n1\n" + "x" * 30_000 + "\n2\n"}
    request.go(3).warned(0.75).go()
    request.reset(request.ask().arguments["message_to_future_self"])

    answer = request.finish()

    assert "a whole line of data/a.csv" in answer
    assert "So far I have covered 0 of 1 files." in answer


def test_after_a_reset_it_reads_its_notes_and_goes_on_from_them() -> None:
    whole = desk()
    answer = whole.finish()
    request = desk().listed().read("data/a.csv").read("data/b.csv", 0, 100).warned(0.75).go()
    message = request.ask().arguments["message_to_future_self"]

    request.reset(message)

    assert request.ask().arguments == {"path": "notes"}
    assert request.go().ask().arguments == {"path": NOTES}
    assert request.go().ask().arguments == {"path": "data"}
    reading = request.go().ask().arguments
    assert reading["path"] == "data/b.csv"
    assert 80 < reading["offset"] <= 100
    assert request.finish() == answer
    assert request.files["report.md"] == whole.files["report.md"]


def test_notes_that_were_wiped_are_not_known() -> None:
    request = desk().listed().read("data/a.csv").warned(0.75).go()
    message = request.ask().arguments["message_to_future_self"]
    del request.files[NOTES]

    request.reset(message).go()

    assert request.ask().arguments == {"path": "data"}
    assert request.go().ask().arguments["path"] == "data/a.csv"
    assert request.ask().arguments["offset"] == 0


def test_without_a_message_the_notes_alone_hold_the_goal() -> None:
    request = desk().listed().read("data/a.csv").warned(0.75).go().reset().go(2)

    assert request.ask().arguments == {"path": "data"}
    assert request.go().ask().arguments["path"] == "data/b.csv"


def test_notes_about_another_goal_are_not_taken_for_its_own() -> None:
    request = desk()
    other = "total rain in data/"
    request.files[NOTES] = (
        f"GOAL {other}\nDONE data/a.csv 5 of 5\nFACT data/a.csv | rows 1 | total wind: 1 of 1 | end\n"
    )

    request.reset(f"GOAL {TASK}\n").go(3)

    assert request.ask().arguments["path"] == "data/a.csv"
    assert request.ask().arguments["offset"] == 0


def test_notes_lie_where_the_system_prompt_says() -> None:
    request = Desk(files=dict(FILES)).system("my notes").user(TASK).listed().read("data/a.csv").warned(0.75)

    assert request.ask().arguments["path"] == "my notes/practice.md"


def test_a_task_that_arrives_after_a_reset_is_worked_on_beside_the_old_one() -> None:
    request = desk().listed().read("data/a.csv").warned(0.75).go()
    message = request.ask().arguments["message_to_future_self"]

    answer = request.reset(message).user("Count the rows of data/b.csv").finish()

    assert "The total of wind is 1589.25" in answer
    assert "There are 39 rows." in answer


def test_after_an_emergency_it_goes_on_from_summary_and_notes() -> None:
    summary = f"GOAL {TASK}\nDONE data/a.csv {len(FILES['data/a.csv'])} of {len(FILES['data/a.csv'])}\n"
    request = desk().listed().read("data/a.csv").warned(0.75).go()
    request.messages = request.messages[:1]
    request.user(wording.EMERGENCY_NOTICE).user(summary)

    assert request.ask().arguments == {"path": "notes"}
    assert request.go(3).ask().arguments["path"] == "data/b.csv"


# Habits


@pytest.mark.parametrize(
    ("habit", "stage", "tool"),
    [
        ("diligent", 0.07, "write_file"),
        ("diligent", 0.75, "write_file"),
        ("late", 0.75, "read_file"),
        ("late", 0.85, "read_file"),
        ("late", 0.9, "write_file"),
        ("late", 0.955, "write_file"),
        ("careless", 0.75, "condense"),
        ("stubborn", 0.9, "read_file"),
    ],
)
def test_each_habit_heeds_its_own_warnings(habit: str, stage: float, tool: str) -> None:
    assert desk(habit=habit).listed().read("data/a.csv").warned(stage).ask().tool == tool


def test_the_careless_one_begins_again_and_at_the_third_attempt_says_that_it_lost_its_findings() -> None:
    request = desk(habit="careless").listed().read("data/a.csv").warned(0.75)
    message = request.ask().arguments["message_to_future_self"]
    assert notes.read(message).attempt == 2

    request.reset(message)
    assert request.ask().arguments == {"path": "data"}
    request.go(2).warned(0.8)
    message = request.ask().arguments["message_to_future_self"]
    assert notes.read(message).attempt == 3

    said = request.reset(message).ask()
    assert said.tool is None
    assert "I lost my findings" in said.text
    assert TASK in said.text


def test_without_a_tool_to_start_afresh_it_just_reads_on() -> None:
    offered = ("list_files", "read_file", "write_file")

    assert desk(offered=offered).listed().read("data/a.csv").warned(0.9).ask().tool == "read_file"


def test_under_new_context_the_notes_are_the_handoff() -> None:
    request = desk(offered=("list_files", "read_file", "write_file", "new_context"))
    request.listed().read("data/a.csv").warned(0.75)

    said = request.ask()
    handoff = said.arguments["handoff"]
    assert said.tool == "new_context"
    assert [fact.file for fact in notes.read(handoff).facts] == ["data/a.csv"]

    request.messages = request.messages[:1]
    request.call("new_context", "A new context begins.", handoff=handoff)
    assert request.ask().arguments == {"path": "data"}
    assert request.go().ask().arguments["path"] == "data/b.csv"


# Summaries


def summary_of(request: Desk, part: int | None = 300) -> str:
    """What it answers when asked to summarise this history, each part clipped as in a late attempt; None: in full."""
    previews: list[str] = []
    tool = ""
    for message in request.messages[1:]:
        text = message["content"] or ""
        for call in message.get("tool_calls", []):
            tool = call["function"]["name"]
            thought = f"assistant: {text}\n" if text else ""
            previews.append(f"{thought}call of {call['function']['name']}: {call['function']['arguments'][:part]}")
        if message["role"] == "tool":
            previews.append(f"result of {tool}: {text[:part]}")
        elif text.startswith("GOAL "):
            previews.append(text)  # an earlier summary
        elif "tool_calls" not in message:
            previews.append(f"{message['role']}: {text[:part]}")
    said = reply(summary_request(previews), [], "diligent", 8_000)
    assert isinstance(said, Reply)
    assert said.tool is None
    return said.text


def test_a_summary_holds_the_goal_and_the_facts_of_the_notes() -> None:
    """R-SUM-9, R-SUM-10: previews are data; pages in them are clipped and give no figures."""
    request = desk().listed().read("data/a.csv").warned(0.75).go()

    found = notes.read(summary_of(request))

    assert found.goals == (TASK,)
    assert [(fact.file, fact.complete) for fact in found.facts] == [("data/a.csv", True)]


def test_a_summary_of_pages_alone_holds_the_goal_and_counts_the_attempt() -> None:
    found = notes.read(summary_of(desk().listed().read("data/a.csv")))

    assert (found.goals, found.facts, found.attempt) == ((TASK,), (), 2)


def test_a_summary_of_pages_that_are_shown_in_full_holds_their_facts() -> None:
    found = notes.read(summary_of(desk().listed().read("data/a.csv"), part=None))

    assert (found.goals, found.attempt) == ((TASK,), 0)
    assert [(fact.file, fact.complete) for fact in found.facts] == [("data/a.csv", True)]


def test_a_summary_beside_which_the_task_stays_counts_the_attempt_and_the_task_is_heard_once() -> None:
    """R-ORD-3, R-NEW-19: the user's words are kept, only the work is summarised."""
    work = desk().listed().read("data/a.csv")
    task, *rest = work.messages[1:]
    text = summary_of(Desk(messages=[work.messages[0], *rest]))
    assert notes.read(text).attempt == 2
    assert notes.read(text).goals == ()

    work.messages = [work.messages[0], task]
    assert work.user(text).ask().arguments == {"path": "data"}


def test_a_summary_of_work_that_is_done_is_no_question() -> None:
    request = desk("total wind in data/").add("assistant", "The total of wind is 7, in data/a.csv.")
    text = summary_of(request)
    request.messages = [request.messages[0]]

    assert request.user(text).user(TASK).ask().arguments == {"path": "data"}
    assert "did not understand" not in request.ask().text


def test_a_reminder_is_a_warning_at_80_percent() -> None:
    offered = ("list_files", "read_file", "write_file", "new_context")
    request = desk(offered=offered).listed().read("data/a.csv").user(wording.reminder(6_500, 8_000))

    assert request.ask().tool == "new_context"
    request.habit = "late"
    assert request.ask().tool == "read_file"


def test_an_answered_task_is_in_no_summary() -> None:
    request = desk("total wind in data/").add("assistant", "The total of wind is 7, in data/a.csv.")

    assert "total wind" not in summary_of(request)
    assert notes.read(summary_of(request.user(TASK))).goals == (TASK,)


def test_the_stubborn_one_gives_up_after_two_emergencies() -> None:
    request = desk(habit="stubborn").listed().read("data/a.csv")
    for attempt in (2, 3):
        text = summary_of(request)
        assert notes.read(text).attempt == attempt
        request.messages = [request.messages[0]]
        request.user(wording.EMERGENCY_NOTICE).user(text)
        if attempt == 2:
            assert request.ask().arguments == {"path": "data"}
            request.go(2)

    assert "I lost my findings" in request.ask().text
