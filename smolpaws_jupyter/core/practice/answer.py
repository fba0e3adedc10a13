"""What was found, in plain English: as an answer and as a report."""

from __future__ import annotations

from .arithmetic import Column, plain
from .facts import Facts
from .tables import find_column
from .tasks import SENTENCES, Figure, Task

WHAT_I_AM = "Practice model: fixed rules, no network. It knows only what stands in this request."
"""For the screen, wherever this model is chosen."""

_NAMED = 10
"""How many files are named one by one."""


def introduction(hint: str = "") -> str:
    """What this model is, and three sentences that it understands."""
    sentences = "\n".join(f"- {sentence}" for sentence in SENTENCES)
    return (
        f"{hint or 'I do not understand that.'} I am the practice model: fixed rules, no network, and I know only what "
        f"stands in this request. I find figures in files. Three sentences that I understand:\n\n{sentences}"
    )


def answer(task: Task, facts: list[Facts]) -> str:
    """The figures and the files that they come from, in a few sentences."""
    if not facts:
        return nothing_found(task)
    written = [f"The report is in {task.report}."] if task.report else []
    return " ".join([*findings(task, facts), *written, f"I read {_files([fact.file for fact in facts])}."])


def nothing_found(task: Task) -> str:
    """There is no file that the task could be about."""
    kind = "CSV" if task.needs.table else "text"
    return f"I found no {kind} files in {_listed([str(place) for place in task.places])}."


def report(task: Task, facts: list[Facts]) -> str:
    """A report in Markdown: the task, the findings, and the figures of each file."""
    figures = [figure for figure in task.figures if figure.kind != "columns"]
    head = ["file", *(figure.kind if figure.kind == "rows" else f"{figure.kind} {figure.name}" for figure in figures)]
    lines = [
        _row(head),
        _row(["---"] * len(head)),
        *(_row([fact.file, *(_cell(figure, fact) for figure in figures)]) for fact in facts),
    ]
    found = "\n".join(f"- {sentence}" for sentence in findings(task, facts))
    return f"# Report\n\n{task.words}\n\n{found}\n\n" + "\n".join(lines) + "\n"


def findings(task: Task, facts: list[Facts]) -> list[str]:
    """One sentence for each figure, then one for each thing that could not be counted in."""
    return [*(_finding(figure, facts) for figure in task.figures), *_reservations(task, facts)]


def _finding(figure: Figure, facts: list[Facts]) -> str:
    match figure.kind:
        case "rows":
            return f"There are {sum(fact.rows for fact in facts):,} rows."
        case "columns":
            return _columns(facts)
        case "word":
            return f'The word "{figure.name}" occurs {_times(sum(fact.words[figure.name] for fact in facts))}.'
        case _:
            return _of_numbers(figure, sum((fact.columns[figure.name] or Column() for fact in facts), Column()), facts)


def _of_numbers(figure: Figure, column: Column, facts: list[Facts]) -> str:
    name = figure.name
    if column.mean is None:
        if any(fact.columns[name] is not None for fact in facts):
            return f"The column {name} holds no numbers."
        return f"There is no column named {name}. {_columns(facts)}"
    match figure.kind:
        case "total":
            return f"The total of {name} is {plain(column.total)}, from {_count(column.count, 'number')}."
        case "mean":
            return f"The mean of {name} is {plain(column.mean)}, from {_count(column.count, 'number')}."
        case _:
            spot = column.smallest if figure.kind == "smallest" else column.largest
            return f"The {figure.kind} {name} is {plain(spot.value)}, in {spot.file}, row {spot.row}." if spot else ""


def _columns(facts: list[Facts]) -> str:
    headers = dict.fromkeys(fact.header for fact in facts)
    if len(headers) == 1:
        return f"The columns are {_listed(list(facts[0].header)) or 'none'}."
    each = [f"{_listed([f.file for f in facts if f.header == header])}: {_listed(list(header))}" for header in headers]
    return f"The columns differ. {'; '.join(each)}."


def _reservations(task: Task, facts: list[Facts]) -> list[str]:
    said = [f"{fact.file} {fact.problem}." for fact in facts if fact.problem]
    for name in task.needs.columns:
        left_out = sum(column.left_out for fact in facts if (column := fact.columns[name]))
        if left_out:
            said.append(f"{_count(left_out, 'cell')} of {name} held no number and {_were(left_out)} left out.")
        without = [fact.file for fact in facts if fact.header and find_column(fact.header, name) is None]
        if without and len(without) < len(facts):
            said.append(f"No column {name}: {_listed(without)}.")
    return said


def _cell(figure: Figure, fact: Facts) -> str:
    if figure.kind == "rows":
        return str(fact.rows)
    if figure.kind == "word":
        return str(fact.words[figure.name])
    column = fact.columns[figure.name]
    if column is None or column.mean is None:
        return ""
    if figure.kind in ("total", "mean"):
        return plain(column.total if figure.kind == "total" else column.mean)
    spot = column.smallest if figure.kind == "smallest" else column.largest
    return f"{plain(spot.value)} (row {spot.row})" if spot else ""


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _files(files: list[str]) -> str:
    return f"{_count(len(files), 'file')}: {_listed(files)}"


def _listed(names: list[str]) -> str:
    """The names as a phrase: a, b and c; of many only the first ones."""
    shown = names if len(names) <= _NAMED else [*names[: _NAMED - 1], f"{len(names) - _NAMED + 1} more"]
    return " and ".join([", ".join(shown[:-1]), *shown[-1:]]) if len(shown) > 1 else "".join(shown)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _were(number: int) -> str:
    return "was" if number == 1 else "were"
