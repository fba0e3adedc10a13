"""Our `summarizing_window` beside strands-agents 1.62.0, which it was made after: the same provider, the same words.

Both talk over HTTP to one scripted server with a window of so many characters. Where the contract says that they behave
alike, calls and messages are compared; where they differ on purpose, `DIFFERENT` says why, and both sides are shown.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from smolpaws_jupyter.core.base import JsonObject
from smolpaws_jupyter.core.errors import RunError
from smolpaws_jupyter.core.profiles import LLMProfile, bind
from smolpaws_jupyter.runtime.keys import Keys
from smolpaws_jupyter.runtime.litellm_client import LitellmLLM
from smolpaws_jupyter.testing import Answer, Move, ScriptedServer, refuse, reply
from tests.environments import NoEnvironment, environment
from tests.runtime.llm_client import LITELLM_WARNS
from tests.runtime.talks import Talk, reopened, talk

pytestmark = [pytest.mark.exhaustive, pytest.mark.timeout(1_800), *LITELLM_WARNS]

PATIENCE = 40
"""After so many requests the provider closes the account, since a loop would not end by itself."""
SUMMARY, MAIN, REFUSED = "summary", "main", "main, too large"

Messages = list[tuple[str, str]]
Count = Callable[[str, int], None]


@dataclass
class Provider:
    """A server's rule: it refuses what is longer than its window. `calls` says in order what it was asked for."""

    window: int
    throttles: bool = False
    calls: list[str] = field(default_factory=list[str])

    def __call__(self, request: JsonObject) -> Move | Answer:
        said = [words(message["content"]) for message in request["messages"] if message["role"] != "system"]
        summary = "<history>" in said[-1] or "summarize" in said[-1][:400].lower()
        fits = sum(map(len, said)) <= self.window
        self.calls.append(SUMMARY if summary else MAIN if fits else REFUSED)
        if len(self.calls) > PATIENCE:
            return refuse(401, "the account is closed")
        if summary and self.throttles:
            return refuse(429, "rate limit reached", code="rate_limit_exceeded")
        if not fits:
            return refuse(400, "maximum context length exceeded", code="context_length_exceeded")
        return reply(f"{self.calls[-1]} {len(self.calls)}")


def words(content: str | list[JsonObject]) -> str:
    """The text of a message, which comes in parts there."""
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


@dataclass(frozen=True)
class Script:
    """What is set, what a person says, and what the provider is like."""

    settings: JsonObject
    says: Sequence[str]
    window: int
    throttles: bool = False


@dataclass(frozen=True)
class Course:
    """How each turn ended ("" where it was answered), what would be sent now and after a restore, and every call."""

    ends: list[str]
    shown: Messages
    restored: Messages
    calls: list[str]

    def bought(self) -> int:
        return self.calls.count(SUMMARY)


@pytest.fixture(scope="module")
def python() -> Path:
    """An interpreter that has strands-agents."""
    try:
        return environment("strands-agents[openai]==1.62.0")
    except NoEnvironment as error:
        pytest.skip(f"no comparison with strands-agents: {error}")


def theirs(script: Script, python: Path) -> Course:
    provider = Provider(script.window, script.throttles)
    with ScriptedServer(provider) as server:
        asked = {"base_url": server.base_url, "settings": script.settings, "says": script.says}
        program = Path(__file__).with_name("strands_talk.py")
        done = subprocess.run(
            [python, program], input=json.dumps(asked), capture_output=True, text=True, timeout=300, check=False
        )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    shown, restored = ([(role, text) for role, text in told[name]] for name in ("shown", "restored"))
    return Course(told["ends"], shown, restored, provider.calls)


async def ours(script: Script) -> Course:
    provider = Provider(script.window, script.throttles)
    settings = {"condenser": {"condenser_kind": "summarizing_window", **script.settings}}
    ends: list[str] = []
    with ScriptedServer(provider) as server:
        bound = bind("main", LLMProfile(model="openai/scripted", base_url=server.base_url))
        client = LitellmLLM(bound, Keys({}), first_pause=0.01)
        t = talk(settings=settings, client_for=lambda _: client)
        t.conversation.bind(bound)
        for text in script.says:
            try:
                await t.ask(text)
            except RunError as error:
                ends.append(error.code)
            else:
                ends.append("")
        await client.aclose()
    return Course(ends, shown(t), shown(reopened(t, same_kernel=True)), provider.calls)


def shown(t: Talk) -> Messages:
    return [(message["role"], message["content"]) for message in t.conversation.next_request().messages[1:]]


def long(number: int, length: int) -> list[str]:
    return [f"message {n} {'x' * length}" for n in range(number)]


HALF = {"summary_ratio": 0.5, "preserve_recent_messages": 2}
ALIKE = {
    "R-WIN-1, R-WIN-7: the oldest half becomes one summary, once": Script(HALF, long(6, 1_000), 5_000),
    "R-WIN-1: the ratio counts, and what came last stays": Script(
        {"summary_ratio": 0.3, "preserve_recent_messages": 4}, long(9, 1_000), 7_500
    ),
    "R-WIN-3: what is pinned stays before the summary": Script({**HALF, "pin_first": 1}, long(6, 1_000), 5_000),
    "R-WIN-1: with too few messages no summary is bought": Script(
        HALF | {"preserve_recent_messages": 9}, ["hi", "y" * 500], 400
    ),
}


@dataclass(frozen=True)
class Different:
    """Something that we do otherwise: by which rule, why, and how one sees it on either side."""

    rule: str
    why: str
    script: Script
    there: Callable[[Course], bool]
    here: Callable[[Course], bool]


def never_ends(course: Course) -> bool:
    """It went on until the provider had enough."""
    return len(course.calls) > PATIENCE


def every_turn_is_answered(course: Course) -> bool:
    return not any(course.ends)


DIFFERENT = [
    Different(
        "R-WIN-14",
        "A giant paste is cut once nothing else helps; there every later turn fails, since it is recent and stays.",
        Script({"summary_ratio": 0.5, "preserve_recent_messages": 10}, ["hi", "p" * 50_000, "and now?"], 20_000),
        lambda course: course.ends[1:] == ["ContextWindowOverflowException"] * 2 and course.bought() == 0,
        lambda course: every_turn_is_answered(course) and course.bought() == 0,
    ),
    Different(
        "R-WIN-5",
        "A summary of nothing but a summary is no progress, so none is bought; there it is bought again and again.",
        Script(HALF, ["hi", "p" * 50_000], 20_000),
        lambda course: never_ends(course) and course.bought() >= 15,
        lambda course: every_turn_is_answered(course) and course.bought() == 1,
    ),
    Different(
        "R-WIN-7",
        "Nothing is noted as summarised before it is; there a throttled summary moves the count, and a restore loses messages.",
        Script(HALF, long(6, 1_000), 5_000, throttles=True),
        lambda course: course.ends[-1] == "ModelThrottledException" and len(course.restored) < len(course.shown),
        lambda course: course.ends[-1] == "rate_limit" and course.restored == course.shown,
    ),
    Different(
        "R-WIN-10",
        "Each turn ends, answered or with a clear stop, and summaries are bounded; there the first that helps is repeated.",
        Script({"summary_ratio": 0.3, "preserve_recent_messages": 10}, long(12, 9_000), 20_000),
        lambda course: never_ends(course) and any(course.ends),
        lambda course: (
            not never_ends(course) and course.bought() < 24 and set(course.ends) == {"", "context_window_exceeded"}
        ),
    ),
    Different(
        "R-WIN-13",
        "Pins are kept by id; there a restore counts from the beginning and drops what was pinned.",
        Script({**HALF, "pin_first": 1}, long(8, 1_000), 5_000),
        lambda course: course.shown[0][1].startswith("message 0") and course.restored != course.shown,
        lambda course: course.shown[0][1].startswith("message 0") and course.restored == course.shown,
    ),
]


@pytest.mark.parametrize("script", ALIKE.values(), ids=list(ALIKE))
async def test_the_same_calls_in_the_same_order_leave_the_same_messages(
    script: Script, python: Path, count: Count
) -> None:
    """R-WIN-1, R-WIN-3, R-WIN-7, R-WIN-8"""
    there, here = theirs(script, python), await ours(script)
    assert here.calls == there.calls
    assert here.shown == there.shown
    assert [end == "" for end in here.ends] == [end == "" for end in there.ends]
    count("conversations beside strands-agents", 1)


@pytest.mark.parametrize("difference", DIFFERENT, ids=lambda difference: difference.rule)
async def test_where_they_differ_it_is_on_purpose(difference: Different, python: Path, count: Count) -> None:
    """R-WIN-5, R-WIN-7, R-WIN-10, R-WIN-13, R-WIN-14: if one of these stops to be a difference, the list is to be mended."""
    there, here = theirs(difference.script, python), await ours(difference.script)
    assert difference.there(there), there
    assert difference.here(here), here
    count("conversations beside strands-agents", 1)
