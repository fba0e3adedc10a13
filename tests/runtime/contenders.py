"""Processes that all want to write to one conversation: `python -m tests.runtime.contenders FOLDER...`.

Each folder holds a conversation `c` and is a round of its own; `notes` is for what the processes say. Each opens it, appends a little where it may and reads along where it may not. Then it closes the conversation, or dies,
or dies and leaves a living child. Each notes what it tried to store and what was stored.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from random import Random

from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from tests.runtime.stored import message, texts_of

AT_ONCE, IN_ALL, EACH = 3, 9, 5


def contend(folder: Path, notes: Path, chance: Random) -> None:
    """Appends up to `EACH` messages, then ends; or dies before that."""
    name = notes.name
    done = 0
    with notes.open("ab", buffering=0) as note:
        while done < EACH:
            store = JsonlStore.open(folder)
            if store.read_only is not None:
                follow(store)
                continue
            for _ in range(chance.randrange(1, 4)):
                note.write(f"tried {name}-{done}\n".encode())
                store.append([message(f"{name}-{done}")])
                note.write(f"stored {name}-{done}\n".encode())
                done += 1
            match chance.choice(["close", "close", "die", "die and leave a child"]):
                case "close":
                    store.close()
                case "die":
                    os.kill(os.getpid(), signal.SIGKILL)
                case _:
                    if os.fork() == 0:
                        time.sleep(0.5)
                        os._exit(0)
                    os.kill(os.getpid(), signal.SIGKILL)


def follow(store: JsonlStore) -> None:
    """A reader sees a beginning of the log, and later a longer one."""
    before = texts_of(store)
    time.sleep(0.002)
    store.refresh()
    assert texts_of(store)[: len(before)] == before
    store.close()


def play(folder: Path) -> None:
    """Lets so many processes in all contend, some of them at the same time. Fails if one of them did."""
    (folder / "notes").mkdir()
    running = 0
    for number in range(IN_ALL):
        if os.fork() == 0:
            contend(folder / "c", folder / "notes" / f"{number}", Random(f"{folder.name} {number}"))
            os._exit(0)
        running += 1
        while running >= (AT_ONCE if number + 1 < IN_ALL else 1):
            status = os.wait()[1]
            running -= 1
            assert status in (0, signal.SIGKILL), status


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        play(Path(argument))
