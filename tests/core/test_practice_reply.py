"""The practice model's moves, each from one request built by hand (design: "The practice model")."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

import smolpaws_jupyter.core.practice as practice
from smolpaws_jupyter.core import wording
from smolpaws_jupyter.core.messages import canonical
from smolpaws_jupyter.core.practice.reply import reply
from smolpaws_jupyter.core.practice.tasks import SENTENCES
from smolpaws_jupyter.core.practice.window import HABITS
from tests.core.practice_desk import NOTES, TASK, Desk, desk, tools


def test_it_imports_nothing_that_could_know_more_than_the_request() -> None:
    allowed = {"__future__", "json", "re", "csv", "io", "decimal"}
    for file in Path(practice.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                assert {name.name for name in node.names} <= allowed, file
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                assert node.module in allowed, file
            elif isinstance(node, ast.ImportFrom):
                assert node.level <= 2, f"{file} reaches outside core"


# Counting


def test_tokens_are_a_quarter_of_the_bytes_of_the_request_rounded_up() -> None:
    request = desk("Grüße! 🐾")
    size = len(canonical({"messages": request.messages, "tools": tools(*request.offered)}).encode())

    assert request.ask().input_tokens == -(-size // 4)


def test_a_request_as_large_as_the_window_is_refused_as_a_llama_cpp_server_does() -> None:
    request = desk()
    used = request.ask().input_tokens

    request.window = used + 1
    assert request.ask().input_tokens == used
    request.window = used
    refused = request.overflow()
    text = f"request ({used} tokens) exceeds the available context size ({used} tokens), try increasing it"
    assert refused.status == 400
    assert json.dumps(refused.body, separators=(",", ":")) == (
        f'{{"error":{{"code":400,"message":"{text}","type":"exceed_context_size_error",'
        f'"n_prompt_tokens":{used},"n_ctx":{used}}}}}'
    )


def test_an_unknown_habit_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="diligent, late, careless, stubborn"):
        reply([], [], "hasty", 8_000)


# Talking


@pytest.mark.parametrize("text", ["Hello!", "Write me a poem.", ""])
def test_to_anything_else_it_says_what_it_is_and_shows_three_sentences(text: str) -> None:
    said = desk(text).ask()

    assert said.tool is None
    assert "practice model: fixed rules, no network" in said.text
    assert all(sentence in said.text for sentence in SENTENCES)


def test_a_task_without_files_is_answered_with_what_is_missing() -> None:
    assert "not from which files" in desk("total wind, please").ask().text


def test_without_any_goal_it_asks_for_the_task() -> None:
    assert "tell me what to do" in Desk().system().ask().text
    assert "tell me what to do" in Desk().system().reset().go().ask().text


# Working


def test_it_lists_reads_writes_the_report_and_answers_with_figures_and_files() -> None:
    request = desk()

    assert (request.ask().tool, request.ask().arguments) == ("list_files", {"path": "data"})
    assert request.go().ask().arguments["path"] == "data/a.csv"
    answer = request.finish()

    assert "The total of wind is 1589.25, from 78 numbers." in answer
    assert "The largest rain is 6, in data/a.csv, row 6." in answer
    assert "data/a.csv and data/b.csv" in answer
    assert "report.md" in answer
    assert "read.me" not in answer
    report = request.files["report.md"]
    assert TASK in report
    assert "| data/b.csv | 789.75 | 4 (row 4) |" in report


def test_every_call_says_what_it_does_and_why() -> None:
    request = desk()
    for _ in range(4):
        assert request.ask().text.endswith(".")
        request.go()


@pytest.mark.parametrize("habit", HABITS)
def test_a_page_is_at_most_a_sixth_of_the_window(habit: str) -> None:
    request = desk("total wind in data/", habit=habit, window=3_000)
    request.files["data/a.csv"] = "day,wind\n" + '1,"2"\n' * 4_000
    request.go()
    for _ in range(3):
        page = request.go().messages[-1]["content"]
        assert len(canonical(page).encode()) / 4 <= 3_000 / 6


def test_a_number_that_is_changed_in_one_result_changes_the_total_by_as_much() -> None:
    def total(result: str) -> str:
        request = desk("total wind in data/a.csv").listed("data/a.csv")
        return request.call("read_file", result, path="data/a.csv").ask().text

    page = "path: data/a.csv · characters 0-24 of 24 · end\nday,wind\n1,10.5\n2,20.25\n"

    assert "The total of wind is 30.75," in total(page)
    assert "The total of wind is 30.76," in total(page.replace("20.25", "20.26"))


def test_what_was_found_in_the_record_is_no_page_and_changes_nothing() -> None:
    """R-SEC-4: it never searches the record itself; another model may have, before it took over."""
    quoted = "path: data/a.csv · characters 0-9 of 9 · end\nday,wind\n1,1000000\n"
    plain = desk().listed().read("data/a.csv").read("data/b.csv")
    beside = desk().listed().read("data/a.csv")
    for result in (json.dumps({"text": quoted}), quoted):
        beside.call("conversation_history", result, command="read", event_id="e", path="data/a.csv")
    beside.read("data/b.csv")

    assert beside.ask().arguments == plain.ask().arguments
    assert beside.finish() == plain.finish()


def test_ids_of_calls_do_not_matter() -> None:
    request = desk().listed().read("data/a.csv").read("data/b.csv")
    said = request.ask()

    for message in request.messages:
        for call in message.get("tool_calls", []):
            call["id"] = "call_9"
        if message["role"] == "tool":
            message["tool_call_id"] = "call_9"

    assert request.ask() == said


def test_records_that_a_page_border_cuts_count_once() -> None:
    whole, cut = desk().listed(), desk().listed()
    whole.read("data/a.csv").read("data/b.csv")
    cut.read("data/a.csv", 0, 21).read("data/a.csv", 21, 24).read("data/a.csv", 24).read("data/b.csv")

    assert cut.ask().arguments == whole.ask().arguments


def test_a_page_that_arrives_shortened_is_not_reckoned_with() -> None:
    """R-MSG-9, R-WIN-16: a cut, or a bounded output, must not give a wrong total."""
    request = desk("total wind in data/a.csv").listed("data/a.csv")
    shortened = (
        "path: data/a.csv · characters 0-999 of 999 · end\nday,wind\n1,\n\n... [truncated: 99 chars removed] ...\n\n"
    )
    for _ in range(2):
        request.call("read_file", shortened, path="data/a.csv", offset=0, limit=999)

    assert "did not arrive whole" in request.ask().text


def test_a_file_that_changes_while_it_is_read_is_read_again() -> None:
    request = desk("total wind in data/a.csv").listed("data/a.csv").read("data/a.csv", 0, 30)
    request.files["data/a.csv"] = "day,wind\n1,1\n2,2\n" + "3,3\n" * 20
    request.read("data/a.csv", 30)

    assert request.ask().arguments["offset"] == 0
    assert "The total of wind is 63," in request.finish()


def test_a_column_that_no_file_has_is_named_with_those_that_are_there() -> None:
    answer = desk("total snow in data/").finish()

    assert "There is no column named snow. The columns are day, wind and rain." in answer


def test_cells_without_numbers_and_files_without_the_column_are_mentioned() -> None:
    request = desk("mean wind and the smallest wind in data/")
    request.files |= {"data/b.csv": "day,wind\n1,n/a\n2,4\n", "data/c.csv": "day\n1\n"}

    answer = request.finish()

    assert "1 cell of wind held no number and was left out." in answer
    assert "No column wind: data/c.csv." in answer


def test_words_are_counted_in_any_text_file() -> None:
    request = desk("How often does the word rain occur in data/ and in story.txt?")
    request.files["story.txt"] = "Rain, rain, go away. Rainy days.\nTrain."

    answer = request.finish()

    assert 'The word "rain" occurs 4 times.' in answer
    assert "data/a.csv, data/b.csv and story.txt" in answer


def test_where_there_are_no_files_of_the_kind_it_says_so() -> None:
    request = desk("total wind in data/")
    request.files = {"data/read.me": "nothing"}

    assert "I found no CSV files in data." in request.finish()


def test_a_listing_that_is_not_whole_gives_no_total() -> None:
    listing = "folder: data · files 1 of 900\ndata/a.csv  9 bytes\nnote: 899 more files match"

    assert "smaller folder" in desk().call("list_files", listing, path="data").ask().text


# Several messages


def test_two_tasks_are_both_answered() -> None:
    answer = desk("total wind in data/a.csv").user("Count the rows of data/b.csv").finish()

    assert "The total of wind is 799.5," in answer
    assert "There are 39 rows." in answer


def test_an_answered_task_is_not_answered_again() -> None:
    request = desk("total wind in data/a.csv")
    request.add("assistant", request.finish()).user("Count the rows of data/b.csv")

    answer = request.finish()

    assert "39 rows" in answer
    assert "wind" not in answer


def test_a_message_in_between_that_is_no_task_is_mentioned_in_the_answer() -> None:
    answer = desk("total wind in data/").go(2).user("Nice weather, is it not?").finish()

    assert "The total of wind is" in answer
    assert 'I did not understand "Nice weather, is it not?".' in answer


def test_continue_takes_the_last_task_up_again() -> None:
    request = desk("total wind in data/a.csv").listed("data/a.csv")
    for _ in range(2):
        request.call("read_file", "'data/a.csv' may not be used: permission denied.", path="data/a.csv", offset=0)
    stopped = request.ask()
    assert "failed twice" in stopped.text

    request.add("assistant", stopped.text).user("Please try again")

    assert request.ask().tool == "read_file"
    assert "The total of wind is 799.5," in request.finish()


# Refusals


def test_a_call_that_failed_twice_is_not_made_a_third_time() -> None:
    request = desk()
    failure = "'data' may not be used: permission denied."
    assert request.call("list_files", failure, path="data").ask().tool == "list_files"

    said = request.call("list_files", failure, path="data").ask()

    assert said.tool is None
    assert f"listing data failed twice. {failure}" in said.text


def test_a_rejected_report_is_not_written_but_the_figures_are_told() -> None:
    request = desk().listed().read("data/a.csv").read("data/b.csv")
    wanted = request.ask()
    assert wanted.tool is not None
    request.call(wanted.tool, wording.rejected("not there"), **wanted.arguments)

    said = request.ask()

    assert said.tool is None
    assert "writing report.md failed" in said.text
    assert "not there" in said.text
    assert "The total of wind is 1589.25" in said.text


def test_rejected_notes_end_the_turn_without_a_reset() -> None:
    request = desk().listed().read("data/a.csv").warned(0.75)
    wanted = request.ask()
    assert wanted.tool is not None
    request.call(wanted.tool, wording.rejected(""), **wanted.arguments).warned(0.75)

    said = request.ask()

    assert said.tool is None
    assert f"writing {NOTES} failed" in said.text
    assert "So far I have covered 1 of 2 files." in said.text


def test_a_call_that_the_person_interrupted_is_made_again() -> None:
    request = desk()
    for _ in range(3):
        request.call("list_files", wording.INTERRUPTED, path="data")

    assert request.ask().tool == "list_files"


def test_a_tool_that_is_not_offered_is_missed_in_words() -> None:
    said = desk(offered=("read_file",)).ask()

    assert (said.tool, "the tool list_files" in said.text) == (None, True)
