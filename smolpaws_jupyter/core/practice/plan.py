"""Which files the open tasks are about, what is known of each, and what comes next."""

from __future__ import annotations

import re

from ..base import Frozen
from .facts import Facts, grow, start
from .known import Known, text_of
from .reading import Listing, listing
from .tasks import TEXT_FILE, Needs, Place, Task

_TABLE = re.compile(r".*\.(csv|tsv)", re.IGNORECASE | re.DOTALL)


class Step(Frozen):
    """The next stretch to read: from `offset` on, in the file that is number `number` of `of`."""

    file: str
    offset: int
    number: int
    of: int


class Plan(Frozen):
    """The work, as far as the listings show it."""

    unlisted: Place | None
    """The first place of which no listing is there."""
    cut_short: Place | None
    """The first place whose listing does not show all files."""
    files: dict[str, tuple[str, ...]]
    """By the words of a task: its files, in the order of the listings."""
    sizes: dict[str, int]
    """Bytes of each file."""
    facts: dict[str, Facts]
    """By file, in the order in which they are read."""
    next: Step | None

    def of(self, task: Task) -> list[Facts]:
        """What is known of the files of a task."""
        return [self.facts[file] for file in self.files[task.words]]


def make_plan(known: Known, tasks: tuple[Task, ...]) -> Plan:
    """The plan for these tasks. Facts of the notes and the pages that are there are put together, file by file."""
    places = dict.fromkeys(place for task in tasks for place in task.places)
    listings = {place: found for place in places if (found := _listed(known, place))}
    reports = {task.report for task in tasks}
    files: dict[str, tuple[str, ...]] = {}
    needs: dict[str, Needs] = {}
    for task in tasks:
        mine = [file for place in task.places if place in listings for file in _wanted(task, place, listings[place])]
        mine = [file for file in mine if file not in reports and not file.startswith(f"{known.notes_folder}/")]
        files[task.words] = tuple(dict.fromkeys(mine))
        for file in files[task.words]:
            needs[file] = needs.get(file, Needs()) + task.needs
    noted = {fact.file: fact for fact in (known.told + known.noted).facts}
    facts: dict[str, Facts] = {}
    step: Step | None = None
    for number, (file, need) in enumerate(needs.items(), 1):
        facts[file], stop = facts_of(known, file, need, noted.get(file))
        if step is None and not facts[file].complete:
            step = Step(file=file, offset=stop, number=number, of=len(needs))
    return Plan(
        unlisted=next((place for place in places if place not in listings), None),
        cut_short=next((place for place, found in listings.items() if found.found > len(found.files)), None),
        files=files,
        sizes={file: size for found in listings.values() for file, size in found.files.items()},
        facts=facts,
        next=step,
    )


def _listed(known: Known, place: Place) -> Listing | None:
    """The latest listing of exactly this place."""
    call = known.last("list_files", place.arguments)
    return listing(call.result or "") if call else None


def _wanted(task: Task, place: Place, found: Listing) -> list[str]:
    """Of a folder the files that a task can be about; of a pattern, or when one file is named, what was asked for."""
    if place.pattern is not None or place.path in found.files:
        return list(found.files)
    suitable = _TABLE if task.needs.table else TEXT_FILE
    return [file for file in found.files if suitable.fullmatch(file)]


def facts_of(known: Known, file: str, need: Needs, noted: Facts | None) -> tuple[Facts, int]:
    """What pages and earlier facts tell of a file, and where the next page has to begin."""
    found = text_of(known.calls, file, noted.offset if noted else 0)
    if noted is None or not noted.answers(need) or found.size not in (None, noted.size):
        noted = None
        found = text_of(known.calls, file, 0)
    facts = noted or start(file, need)
    if facts.complete or found.size is None:
        return facts, facts.offset
    return grow(facts, found.text, found.stop, found.size), found.stop
