"""English sentences about files, and the tasks that they ask for.

A task names files (a folder, a pattern, one file), figures, and perhaps a file for the report.
"""

from __future__ import annotations

import re

from ..base import Frozen, JsonObject

SENTENCES = (
    "In data/, total precipitation over all files and find the largest temp_max; write the report to report.md",
    "Count the rows and list the columns of data/*.csv",
    "How often does the word rain occur in notes.txt?",
)
"""Three sentences that `understand` understands, to show what it can be asked."""

LONGEST = 1_000
"""The longest message, in characters, that is taken for a task."""

_KINDS = {
    "total": r"total|sums?|add(?:\s+up)?",
    "mean": r"mean|average|avg",
    "smallest": r"smallest|lowest|minimum|least|min",
    "largest": r"largest|highest|biggest|greatest|maximum|max",
}
_KIND = rf"(?:{'|'.join(_KINDS.values())})\b"
_FILLER = r"(?:(?:a|all|an|column|columns|each|every|for|of|the|up|value|values)\s+)*"
_NO_NAME = rf"""(?!(?:{_KIND}|across|all|also|an|and|are|as|at|by|calculate|column|columns|compute|count|each|every|
    file|files|find|folder|for|from|give|how|i|in|into|is|it|its|list|me|name|number|of|on|or|over|per|please|print|put|record|
    records|report|row|rows|save|show|store|tell|that|the|then|there|to|too|under|up|value|values|what|where|which|with|
    within|word|words|write)\b)"""
_QUOTED = r"""(?:"[^"]+"|'[^']+'|`[^`]+`|“[^”]+”)"""
_NAME = rf"""(?:{_QUOTED}|(?:(?<!\w){_NO_NAME}\w[\w%°$-]*(?:\.\w[\w%°$-]*)*))"""
_NEXT = r"(?:\s*,\s*(?:(?:and|or)\s+)?|\s+(?:and|or)\s+)"
_NAMES = rf"{_NAME}(?:{_NEXT}{_FILLER}{_NAME})*"
_FLAGS = re.IGNORECASE | re.VERBOSE

_FIGURES = re.compile(rf"\b({_KIND}(?:{_NEXT}{_FILLER}{_KIND})*)\s+{_FILLER}({_NAMES})", _FLAGS)
_WORD = [
    re.compile(rf"\bwords?\s+({_NAMES})", _FLAGS),
    re.compile(rf"\bhow\s+(?:often|many\s+times)\s+(?:do|does|is)\s+({_NAMES})", _FLAGS),
    re.compile(rf"\b(?:occurrences|mentions)\s+of\s+({_NAMES})", _FLAGS),
    re.compile(rf"\bcount\s+({_QUOTED})", _FLAGS),
]
_ROWS = re.compile(r"\b(?:rows|records|observations)\b", _FLAGS)
_COLUMNS = re.compile(
    r"\b(?:which|what|list|show|name|count|number\s+of|how\s+many|rows\s+and)\s+(?:(?:all|are|of|the)\s+)*columns\b",
    _FLAGS,
)

_PATH = rf"""(?:{_QUOTED}|[^\s"'`“”,;:!?()]+)"""
_REPORT = re.compile(
    rf"""\b(?:(?:write|save|put|store)\s+(?:(?:a|an|the|your|my|short)\s+)*
    (?:report|results?|answers?|summary|findings|figures|it|them|this|that|all|everything)|report(?:\s+(?:it|them))?)
    \s+(?:to|into|in|as)\s+(?:the\s+)?(?:file\s+)?({_PATH})""",
    _FLAGS,
)
_FOLDER = re.compile(
    rf"\b(?:folder|directory)\s+({_PATH})|\b(?:the|in|of|from|under)\s+([\w.-]+)\s+(?:folder|directory)\b", _FLAGS
)
TEXT_FILE = re.compile(
    r".*\.(?:csv|tsv|txt|md|rst|log|json|jsonl|ya?ml|toml|ini|py|r|sql|tex|xml|html?)", re.IGNORECASE
)
"""Names of files that are surely text."""
_PATTERN = re.compile(r".*[*].*|.*/|\.*/.*")
_INNER = re.compile(r"\b(?:across|from|in|inside|of|over|under)\s+([\w.-]+(?:/[\w.-]+)+)(?![\w/*?\[-])", _FLAGS)
_GO_ON = re.compile(r"(?:please\s+)?(?:go\s+on|continue|carry\s+on|proceed|try\s+(?:it\s+)?again)\b.{0,40}", _FLAGS)


class Figure(Frozen):
    """One thing to find out: `rows`, `columns`; `total`, `mean`, `smallest`, `largest` of a column; or `word`."""

    kind: str
    name: str = ""

    @property
    def of_numbers(self) -> bool:
        return self.kind in _KINDS


class Place(Frozen):
    """Files as `list_files` takes them."""

    path: str
    pattern: str | None = None

    @property
    def arguments(self) -> JsonObject:
        """The arguments of the call that lists them."""
        return {"path": self.path} if self.pattern is None else {"path": self.path, "pattern": self.pattern}

    def __str__(self) -> str:
        return "/".join(part for part in (self.path, self.pattern) if part and (part != "." or not self.pattern))


class Needs(Frozen):
    """What has to be found out in a file, for all tasks together."""

    figures: tuple[Figure, ...] = ()

    def __add__(self, other: Needs) -> Needs:
        return Needs(figures=tuple(dict.fromkeys(self.figures + other.figures)))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns whose numbers are needed, as the person wrote them."""
        return tuple(dict.fromkeys(figure.name for figure in self.figures if figure.of_numbers))

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(figure.name for figure in self.figures if figure.kind == "word")

    @property
    def table(self) -> bool:
        """Whether rows and columns are needed, and not only words."""
        return any(figure.kind != "word" for figure in self.figures)


class Task(Frozen):
    """What a person asked for. `words` are their own, on one line."""

    words: str
    places: tuple[Place, ...] = ()
    figures: tuple[Figure, ...] = ()
    report: str | None = None

    @property
    def needs(self) -> Needs:
        return Needs(figures=self.figures)


def understand(text: str) -> Task | str:
    """The task in a message; or, in a sentence, what it lacks; "" where it is about something else altogether."""
    words = " ".join(text.split())
    if len(words) > LONGEST:
        return ""
    report = _REPORT.search(words)
    rest = words[: report.start()] + words[report.end() :] if report else words
    figures, places = _figures(rest), _places(rest)
    if not figures and not (places and report):
        return ""
    if not figures:
        return "I see which files you mean, but not which figures I should find in them."
    if not places:
        return "I see which figures you want, but not from which files. Name a folder such as data/, or data/*.csv."
    target = _bare(report[1]) if report else None
    if target is not None and not target.endswith((".md", ".txt")):
        return f"I write reports as .md or .txt files only, not as {target}."
    return Task(words=words, places=places, figures=figures, report=target)


def goes_on(text: str) -> bool:
    """Whether a message only asks to take up the last task again."""
    return _GO_ON.fullmatch(text.strip()) is not None


def _figures(text: str) -> tuple[Figure, ...]:
    found: list[tuple[int, Figure]] = []
    for match in _FIGURES.finditer(text):
        kinds = [_kind(word) for word in re.findall(_KIND, match[1], _FLAGS)]
        found += [(match.start(), Figure(kind=kind, name=name)) for name in _split(match[2]) for kind in kinds]
    for pattern in _WORD:
        for match in pattern.finditer(text):
            found += [(match.start(), Figure(kind="word", name=name)) for name in _split(match[1])]
    found += [(m.start(), Figure(kind="rows")) for m in _ROWS.finditer(text)]
    found += [(m.start(), Figure(kind="columns")) for m in _COLUMNS.finditer(text)]
    in_order = [figure for _, figure in sorted(found, key=lambda pair: pair[0])]
    return tuple(dict.fromkeys(f for f in in_order if f.kind != "word" or re.fullmatch(r"\S+", f.name)))


def _kind(word: str) -> str:
    return next(kind for kind, words in _KINDS.items() if re.fullmatch(words, word, _FLAGS))


def _split(names: str) -> list[str]:
    return [_bare(name) for name in re.findall(_NAME, names, _FLAGS)]


def _places(text: str) -> tuple[Place, ...]:
    named = [_bare(m[1] or m[2]) for m in _FOLDER.finditer(text)] + [_bare(m[1]) for m in _INNER.finditer(text)]
    tokens = [_bare(token) for token in re.findall(_PATH, text) if "://" not in token]
    paths = [token for token in tokens if _PATTERN.fullmatch(token) or TEXT_FILE.fullmatch(token)]
    return tuple(dict.fromkeys(map(_place, named + paths)))


def _place(path: str) -> Place:
    parts = path.split("/")
    fixed = next((i for i, part in enumerate(parts) if re.search(r"[*?\[]", part)), None)
    if fixed is None:
        return Place(path=path.rstrip("/") or ".")
    return Place(path="/".join(parts[:fixed]) or ".", pattern="/".join(parts[fixed:]))


def _bare(token: str) -> str:
    quoted = re.fullmatch(r"""["'`“](.+)["'`”]""", token)
    return quoted[1] if quoted else token.rstrip(".")
