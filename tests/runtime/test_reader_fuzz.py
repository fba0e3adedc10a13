"""T5: whatever stands in a log, opening it ends, and gives all that is sound and a reason for the rest.

Real logs are changed by `log_mutator`, twenty thousand times. What opens must be the truth; what does not must say why.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smolpaws_jupyter.core.messages import messages_of
from smolpaws_jupyter.runtime.draft import draft
from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from smolpaws_jupyter.runtime.library import conversations
from smolpaws_jupyter.runtime.log import EventLog
from smolpaws_jupyter.runtime.opening import repair
from smolpaws_jupyter.runtime.redaction import Redactor
from tests.builders import PICTURE, History, call
from tests.conftest import LANE
from tests.fixtures.golden_logs import golden_logs
from tests.runtime.log_mutator import Mutator
from tests.runtime.simulated_disk import File, SimulatedDisk
from tests.runtime.stored import NOON, Commit, message, put_log
from tests.wire_rules import broken_rules

FOLDER = Path("/work/c")
LOG = FOLDER / "log.jsonl"
INPUTS = {"check": 400, "test": 20_000, "all": 60_000}[LANE]
SECONDS = 5
"""For one log of a few kilobytes that opens in milliseconds."""
MOST_BYTES = 3_000
REASON = re.compile(
    r"Line [1-9]\d* of the log is damaged: .+\. What stands before it can be read.*"
    r"|This log was written by a later version \(format \d+;.*"
    r"|The record breaks R-[A-Z]+-\d+ at event .*: .+\. It is left as it is.*",
    re.DOTALL,
)


@dataclass(frozen=True)
class Origin:
    """A sound log, and what each beginning of it holds."""

    name: str
    log: bytes
    blobs: dict[str, bytes]

    @property
    def lines(self) -> list[bytes]:
        return self.log.splitlines(keepends=True)

    @cache  # noqa: B019 - there are a dozen, for the whole run
    def commits(self, lines: int) -> list[Commit]:
        """What the first lines hold."""
        return list(JsonlStore.open(FOLDER, disk=self.disk(b"".join(self.lines[:lines]))).commits())

    def disk(self, log: bytes) -> SimulatedDisk:
        """A disk with this log instead, and the blobs of the sound one."""
        disk = SimulatedDisk()
        disk.make_folder(FOLDER / "blobs")
        files = {LOG: log, **{FOLDER / "blobs" / name: data for name, data in self.blobs.items()}}
        disk.files |= {path: File(data, data) for path, data in files.items()}
        return disk

    def __hash__(self) -> int:
        return hash(self.name)


def beginnings() -> Iterator[Origin]:
    """A few kilobytes of each golden log: real lines, read fast."""
    for folder in golden_logs():
        size, kept = 0, list[bytes]()
        for line in (folder / "log.jsonl").read_bytes().splitlines(keepends=True):
            size += len(line)
            if size > MOST_BYTES and len(kept) > 1:
                break
            kept.append(line)
        blobs = {blob.name: blob.read_bytes() for blob in folder.glob("blobs/*")}
        yield Origin(folder.name, b"".join(kept), {n: b for n, b in blobs.items() if b"".join(kept).count(n.encode())})


def short_histories() -> Iterator[Origin]:
    """Whole conversations in few words, which get as far as resets, rescues and what only other versions write."""
    told = {
        "tools": History()
        .user("hi", PICTURE)
        .calls(call("run_python", code="1"), call("read_file", path="a"), call("x"), thought="hm")
        .approve("run")
        .start()
        .result("1")
        .error()
        .reject()
        .reply(),
        "a reset": History()
        .user("hi")
        .call("read_file", path="a")
        .user("go")
        .warn()
        .condense("note")
        .user("on")
        .reply(),
        "a rescue": History().user("hi").reply().user("go").fails("overflow").emergency().reply(),
        "a person": History()
        .title("T")
        .user("hi")
        .user("no")
        .withdraw("u2")
        .thresholds(0.5)
        .bind("other")
        .fails("auth", stops=True)
        .interrupt()
        .pause()
        .resume()
        .fork(),
        "a new context": History("new_context")
        .user("hi")
        .remind()
        .new_context(call("x"), handoff="on")
        .reply()
        .pin("u1"),
    }
    for name, history in told.items():
        drafts = [draft(n, "k0-o0", NOON, commit) for n, commit in enumerate(history.commits)]  # type: ignore[arg-type]
        blobs = {sha256: data for one in drafts for sha256, data in one.blobs.items()}
        yield Origin(name, b"".join(one.line for one in drafts), blobs)


ORIGINS = [*beginnings(), *short_histories()]
LOGS = [origin.log for origin in ORIGINS]


def judge(origin: Origin, log: bytes) -> str:
    """Opens a changed log, checks all that must hold, and says what came of it."""
    disk = origin.disk(log)
    store = JsonlStore.open(FOLDER, disk=disk)
    commits = list(store.commits())

    same = sum(
        1
        for _ in takewhile(
            lambda pair: pair[0] == pair[1], zip(log.splitlines(keepends=True), origin.lines, strict=False)
        )
    )
    sound = origin.commits(same)
    assert commits[: len(sound)] == sound, "what stands before the change is read as before"

    torn = b"".join(file.cache for path, file in disk.files.items() if path.name.startswith("log.torn-"))
    if store.read_only is None:
        assert disk.files[LOG].cache + torn in (log, log + b"\n"), "nothing is lost"
        assert bool(torn) <= bool(store.recovered), "what was cut is told of"
    else:
        assert (disk.files[LOG].cache, torn) == (log, b""), "what is damaged is left as it is"

    opened = EventLog(store, Redactor())
    # Only a forger who knows the checksum repeats ids, and a provider refuses them.
    broken = [rule for rule in broken_rules(messages_of(opened.view)) if not rule.startswith("INV4")]
    assert not broken, "a view can always be sent"
    if opened.read_only is not None:
        assert REASON.fullmatch(opened.read_only), opened.read_only
        return "damaged" if store.read_only is not None else "unlawful"
    return goes_on(disk, opened) if opened.view.start is not None else "empty"


def goes_on(disk: SimulatedDisk, log: EventLog) -> str:
    """What opened can be repaired, and continued, and opened again."""
    repair(log)
    log.append(message("And now?"))
    log.store.close()
    again = EventLog(JsonlStore.open(FOLDER, disk=disk), Redactor())
    assert again.view == log.view
    assert again.read_only is None
    assert again.store.recovered == ()
    return "cut" if log.store.recovered else "open"


def test_the_logs_open_before_anybody_changes_them() -> None:
    with_reasons = [origin.name for origin in ORIGINS if judge(origin, origin.log) not in ("open", "cut")]
    assert with_reasons == ["another_format", "impossible_fields"]


@pytest.mark.timeout(1_200)
def test_t5_every_changed_log_opens_or_says_why_not(count: Callable[[str, int], None]) -> None:
    """T5, I-40, I-4, I-5, F-3 to F-6, F-18, R-LOG-5, R-LOG-6: no crash, no hang, the sound beginning readable."""
    random = Random(4_711)
    mutator = Mutator(random, LOGS)
    outcomes: Counter[str] = Counter()
    for number in range(INPUTS):
        origin = ORIGINS[number % len(ORIGINS)]
        log = mutator.mutated(origin.log)
        start = time.monotonic()
        try:
            outcomes[judge(origin, log)] += 1
        except BaseException as error:
            error.add_note(f"input {number}, made of {origin.name}:\n{log!r}")
            raise
        assert time.monotonic() - start < SECONDS, log
    for outcome, number in outcomes.items():
        count(f"changed logs: {outcome}", number)
    assert set(outcomes) == {"open", "cut", "damaged", "unlawful", "empty"}


@given(st.sampled_from(ORIGINS), st.randoms(use_true_random=False))
def test_t5_every_changed_log_that_hypothesis_thinks_of_opens_or_says_why_not(origin: Origin, random: Random) -> None:
    """T5, I-40: the same, and a failure is made small."""
    judge(origin, Mutator(random, LOGS).mutated(origin.log))


@given(st.binary(max_size=300) | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_t5_bytes_of_no_log_are_cut_and_kept_aside(log: bytes) -> None:
    """T5, I-40, F-4"""
    assert judge(ORIGINS[0], log) in ("empty", "damaged")


def test_t5_a_list_of_conversations_survives_every_changed_log(tmp_path: Path) -> None:
    """T5, I-40: the list reads beginnings and ends of logs on a real disk, before anybody opens one."""
    random = Random(13)
    mutator = Mutator(random, LOGS)
    for number in range(100):
        put_log(tmp_path / f"{number}", mutator.mutated(random.choice(LOGS)))

    assert len(conversations(tmp_path)) <= 100
