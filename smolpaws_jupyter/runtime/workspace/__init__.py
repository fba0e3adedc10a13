"""The files that an agent may reach: regular files inside one folder, whatever the path, link or race."""

from __future__ import annotations

from .listing import FoundFile, Listing
from .paths import PathClass, classify, name_of, parts_of, show
from .workspace import LARGE_FILE, Workspace

__all__ = ["LARGE_FILE", "FoundFile", "Listing", "PathClass", "Workspace", "classify", "name_of", "parts_of", "show"]
