"""The file tools as the agent has them: definitions, consent, and running (R-STR-10)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from ...core.base import JsonObject, ToolSpec
from ...core.errors import WorkspaceError
from ...core.payloads import (
    Action,
    EditFileAction,
    FileChange,
    ListFilesAction,
    ReadFileAction,
    SearchFilesAction,
    ToolObservation,
    WriteFileAction,
)
from ..text import reveal
from ..workspace import Workspace, classify
from .base import Consent, Shown, Tool, ToolContext, said
from .files import (
    MAX_PAGE,
    PAGE,
    FileWrite,
    apply_write,
    list_files,
    plan_edit,
    plan_write,
    read_file,
)
from .search import search_files
from .text_files import page_of

T = TypeVar("T")
OUTPUT = "output:"
PATH = {"type": "string", "description": "A path relative to the workspace."}
FOLDER = {"type": "string", "description": "A folder, relative to the workspace; the whole workspace if left out."}
PATTERN = {"type": "string", "description": "A pattern such as *.csv or data/**/*.py."}


def file_tools(workspace: Workspace, notes: str = "notes") -> list[Tool]:
    """The five file tools of a workspace. `notes` is the folder whose text files the agent may write without asking."""
    return [
        ListFiles(workspace),
        ReadFile(workspace),
        WriteFile(workspace, notes),
        EditFile(workspace, notes),
        SearchFiles(workspace),
    ]


def _schema(required: list[str], **properties: JsonObject) -> JsonObject:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


class FileTool:
    """What the file tools share: a workspace, and errors that the model is told."""

    spec: ToolSpec
    effects = False
    action: type[Any]

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    def parse(self, arguments: JsonObject) -> Action:
        return self.action.model_validate(arguments)

    def consent(self, action: Any) -> Consent:
        return Consent("allow")

    async def run(self, action: Any, context: ToolContext) -> ToolObservation:
        try:
            return await self.act(action, context)
        except WorkspaceError as error:
            return said(str(error), is_error=True)

    async def act(self, action: Any, context: ToolContext) -> ToolObservation:
        raise NotImplementedError


async def in_thread(work: Callable[[], T]) -> T:
    """Runs blocking work beside the event loop.

    Work that was begun is waited for, so that what is said of it is true.
    """
    running = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        return await running


class ListFiles(FileTool):
    action = ListFilesAction
    spec = ToolSpec(
        name="list_files",
        description="List the files of the workspace with their sizes, all folders below included.",
        parameters=_schema([], path=FOLDER, pattern=PATTERN),
    )

    async def act(self, action: ListFilesAction, context: ToolContext) -> ToolObservation:
        found = await in_thread(lambda: list_files(self.workspace, action.path, action.pattern))
        return said(found.text)


class ReadFile(FileTool):
    action = ReadFileAction
    spec = ToolSpec(
        name="read_file",
        description=(
            f"Read a text file, {PAGE:,} characters at a time unless limit says otherwise. The first line of the "
            "result says where the next page begins. The path output:<action id> reads the whole output of a call."
        ),
        parameters=_schema(
            ["path"],
            path=PATH,
            offset={"type": "integer", "minimum": 0, "description": "The first character to show."},
            limit={
                "type": "integer",
                "minimum": 1,
                "description": f"How many characters to show, at most {MAX_PAGE:,}.",
            },
        ),
    )

    def consent(self, action: ReadFileAction) -> Consent:
        if action.path.startswith(OUTPUT):
            return Consent("allow")
        try:
            concerns = self.workspace.concerns(action.path)
        except WorkspaceError:
            return Consent("allow")  # reading it says what is wrong
        if not concerns:
            return Consent("allow")
        shown = Shown(f"Read {action.path}", "text", reveal(action.path))
        return Consent("ask", " ".join(concerns), shown, by_name=True)

    async def act(self, action: ReadFileAction, context: ToolContext) -> ToolObservation:
        if action.path.startswith(OUTPUT):
            return self._stored(action, context)
        found = await in_thread(
            lambda: read_file(self.workspace, action.path, action.offset, action.limit, approved=context.approved)
        )
        return said(found.text)

    def _stored(self, action: ReadFileAction, context: ToolContext) -> ToolObservation:
        text = context.output_of(action.path.removeprefix(OUTPUT))
        if text is None:
            return said(
                f"There is no stored output {action.path!r}. The mark in a result names the right id.", is_error=True
            )
        page = page_of(text, action.path, action.offset, min(action.limit or PAGE, MAX_PAGE))
        return said(page.headed(action.path))


class ChangeFile(FileTool):
    """Creating and changing a file. The plan that a person saw is the one that is carried out, or nothing is."""

    effects = True

    def __init__(self, workspace: Workspace, notes: str) -> None:
        super().__init__(workspace)
        self.notes = notes

    def plan(self, action: Any) -> FileWrite:
        raise NotImplementedError

    def consent(self, action: Any) -> Consent:
        try:
            change = self.plan(action)
        except WorkspaceError as error:
            return Consent("allow", plan=error)  # nothing can happen; the call says what is wrong
        kind = classify(change.path, notes=self.notes)
        if kind.kind == "forbidden":
            return Consent("refuse", kind.reason)
        if kind.kind == "notes" and not change.replaces_binary:
            return Consent("allow", plan=change)
        verb = "Create" if change.before is None else "Change"
        shown = Shown(f"{verb} {change.path}", "diff", reveal(change.diff()))
        by_name = kind.kind in ("protected", "startup")
        covers = None if by_name else f"{self.spec.name} on {change.path}"
        return Consent("ask", kind.reason, shown, covers, by_name, change)

    async def act(self, action: Any, context: ToolContext) -> ToolObservation:
        change = context.plan
        if isinstance(change, WorkspaceError):
            raise change
        assert isinstance(change, FileWrite)
        before = None if change.before is None else context.keep(change.before)
        made = await in_thread(lambda: apply_write(self.workspace, change))
        kept = FileChange(path=made.path, before=before, after=context.keep(made.after))
        return said(made.text).model_copy(update={"change": kept})


class WriteFile(ChangeFile):
    action = WriteFileAction
    spec = ToolSpec(
        name="write_file",
        description="Create a text file, or replace one whole. Missing folders are made.",
        parameters=_schema(["path", "content"], path=PATH, content={"type": "string"}),
    )

    def plan(self, action: WriteFileAction) -> FileWrite:
        return plan_write(self.workspace, action.path, action.content)


class EditFile(ChangeFile):
    action = EditFileAction
    spec = ToolSpec(
        name="edit_file",
        description=(
            "Replace a piece of a text file. `old` must stand in the file exactly once, white space included, unless "
            "replace_all is true."
        ),
        parameters=_schema(
            ["path", "old", "new"],
            path=PATH,
            old={"type": "string", "description": "The text to replace, exactly as it stands in the file."},
            new={"type": "string"},
            replace_all={"type": "boolean"},
        ),
    )

    def plan(self, action: EditFileAction) -> FileWrite:
        return plan_edit(self.workspace, action.path, action.old, action.new, replace_all=action.replace_all)


class SearchFiles(FileTool):
    action = SearchFilesAction
    spec = ToolSpec(
        name="search_files",
        description="Find the lines of text files that contain a text, in any case.",
        parameters=_schema(["query"], query={"type": "string"}, path=FOLDER, pattern=PATTERN),
    )

    async def act(self, action: SearchFilesAction, context: ToolContext) -> ToolObservation:
        found = await in_thread(lambda: search_files(self.workspace, action.query, action.path, action.pattern))
        return said(found.text)
