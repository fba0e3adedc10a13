"""Security: no text of a model, a file or a tool is ever parsed as HTML or run as code in the page."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest


def guard(root: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = ["node", root / "js/scripts/no-html-strings.mjs", folder]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_i_37_the_page_has_no_door_from_text_to_html(root: Path):
    assert guard(root, root / "js/src").returncode == 0


@pytest.mark.parametrize(
    "line",
    [
        "el.innerHTML = text;",
        "el.outerHTML = text;",
        'el.insertAdjacentHTML("beforeend", text);',
        "document.write(text);",
        "document.writeln(text);",
        "eval(text);",
        "const f = new Function(text);",
        "const node = <div dangerouslySetInnerHTML={{ __html: text }} />;",
        'new DOMParser().parseFromString(text, "text/html");',
        "range.createContextualFragment(text);",
        "frame.srcdoc = text;",
        "el.setHTMLUnsafe(text);",
        'link.href = "javascript:" + text;',
    ],
)
def test_every_known_door_is_seen(root: Path, tmp_path: Path, line: str):
    (tmp_path / "components").mkdir()
    (tmp_path / "components/Row.tsx").write_text(f"// a row\n{line}\n")
    result = guard(root, tmp_path)
    assert result.returncode == 1
    assert f"Row.tsx:2: {line}" in result.stderr
