"""Text never becomes markup, script, style or a request: in a page that forbids all of it, and in JupyterLab."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Route, expect

from smolpaws_jupyter.core.records import decode
from smolpaws_jupyter.core.wire import Traits
from smolpaws_jupyter.notebook.exporting import export
from tests.e2e.desk import SECONDS, Desk
from tests.e2e.hostile import HOSTILE

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(400)]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
SHELL = '<!doctype html><link rel="stylesheet" href="/widget.css"><main></main><script type="module" src="/try.js"></script>'
# A kernel that stands still: each page asks for its log and for what its tabs show, and gets it, every text of it hostile.
TRY = """
import widget from "/widget.js";
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => violations.push(`${event.violatedDirective} ${event.sample}`));
const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
// Until nothing more is drawn: the answers to what is shown are here.
const calm = async (panel) => {
    let before;
    do {
        before = panel.textContent;
        await frame();
        await frame();
    } while (panel.textContent !== before);
};
const strangeIn = (el) => [...el.querySelectorAll("*")].flatMap((one) => [
    ...(/^(script|style|link|meta|base|iframe|object|embed|video|audio|math|template)$/i.test(one.tagName) ? [one.tagName] : []),
    ...[...one.attributes].filter(({ name, value }) =>
        /^on|^(srcdoc|formaction|action|xlink:href|srcset|background|ping)$/i.test(name) ||
        (name === "name" && value !== "paws-kind") ||
        (name === "id" && !/^(P\\d|[0-9a-f-]{32})/.test(value)) ||
        (name === "href" && !/^(https?:|mailto:)/.test(value)) ||
        (name === "src" && !/^data:image\\/(png|jpeg|gif|webp);base64,/.test(value)),
    ).map(({ name, value }) => `${one.tagName}[${name}=${value}]`),
]);
window.draw = async (traits, updates, events, answers, tabs) => {
    const listeners = new Map();
    const hear = (update) => listeners.get("msg:custom")?.(update);
    const model = {
        get: (name) => traits[name],
        on: (name, callback) => listeners.set(name, callback),
        off: (name) => listeners.delete(name),
        send: ({ kind, id }) => {
            if (kind === "replay")
                hear({ kind: "events", conversation_id: traits.conversation_id, start: 0, events, left_out: [] });
            else if (kind in answers) setTimeout(() => hear({ ...answers[kind], id }));
        },
    };
    const el = document.createElement("div");
    document.querySelector("main").replaceChildren(el);
    const stop = widget.initialize({ model });
    const undo = widget.render({ model, el });
    for (const update of updates) hear(update);
    await frame();
    const seen = [];
    for (const name of tabs) {
        const tab = [...el.querySelectorAll("[role=tab]")].find((one) => one.textContent === name);
        const panel = document.getElementById(tab.getAttribute("aria-controls"));
        tab.click();
        await calm(panel);
        for (const button of panel.querySelectorAll("button"))
            if (button.ariaPressed === "false" || button.textContent === "Look") button.click();
        await calm(panel);
        for (const fold of el.querySelectorAll("details")) fold.open = true;
        await calm(panel);
        seen.push({ strange: strangeIn(el), text: tabs.length > 1 ? panel.textContent : el.textContent, ran: window.__p ?? null });
    }
    undo();
    stop();
    return seen;
};
window.ready = true;
"""
TABS = ["Transcript", "Next request", "Changes", "Timeline", "Weight", "Notes", "Conversation"]
ANSWERS = {
    "fetch": "chunk",
    "next_request": "request",
    "compare": "comparison",
    "show": "shown",
    "timeline": "timeline",
    "weight": "weight",
    "notes": "notes",
    "state": "state",
    "conversations": "conversations",
    "export": "shown",
    "examine": "examined",
}
"""The kind of the answer to each kind of question."""


class Filled:
    """Values that have the shape of a schema, with the next of these texts wherever any text may stand."""

    def __init__(self, schema: dict[str, Any], texts: Iterable[str]) -> None:
        self._schema = schema
        self._texts = cycle(texts)

    def answers(self) -> dict[str, Any]:
        """An answer to each kind of question."""
        shapes = self._schema["properties"]["update"]["discriminator"]["mapping"]
        return {asked: self.value({"$ref": shapes[kind]}) for asked, kind in ANSWERS.items()}

    def value(self, node: dict[str, Any]) -> Any:
        """The first of what can stand here that is not null; of what is listed, one for each word of a closed set."""
        if "$ref" in node:
            return self.value(self._named(node))
        if "const" in node or "enum" in node:
            return node.get("const", node.get("enum", [""])[0])
        if "anyOf" in node or "oneOf" in node:
            return self.value((node.get("anyOf") or node["oneOf"])[0])
        match node.get("type"):
            case "string":
                return next(self._texts)
            case "array":
                return self._many(node["items"])
            case "object":
                return {
                    name: self.value(field) for name, field in node.get("properties", {next(self._texts): node}).items()
                }
            case kind:
                return {"boolean": True, "integer": 1, "number": 0.5}.get(kind or "")

    def _many(self, node: dict[str, Any]) -> list[Any]:
        fields = self._named(node).get("properties", {}) if "$ref" in node else {}
        sets = {name: [*field.get("anyOf", []), field] for name, field in fields.items()}
        closed = {name: [word for one in of for word in one.get("enum", [])] for name, of in sets.items()}
        words = {name: of for name, of in closed.items() if of}
        most = max(map(len, words.values()), default=1)
        return [
            self.value(node) | {name: of[i % len(of)] for name, of in words.items()} if words else self.value(node)
            for i in range(most)
        ]

    def _named(self, node: dict[str, Any]) -> dict[str, Any]:
        return self._schema["$defs"][node["$ref"].removeprefix("#/$defs/")]


@pytest.fixture(scope="module")
def records(root: Path) -> list[dict[str, Any]]:
    """One event of every kind, with every kind of action and observation."""
    log = json.loads((root / "tests/fixtures/logs/everything.json").read_text())
    inner = {"action", "observation", "details"}
    kinds = [(r["kind"], *((r.get(name) or {}).get("kind") for name in inner)) for r in log]
    return [record for place, record in enumerate(log) if kinds[place] not in kinds[:place]]


FIXED = {"kind", "id", "source", "role", "type", "media_type", "trigger", "decision", "counted", "reason", "data"}


def poisoned(value: Any, text: str, name: str = "") -> Any:
    """The value with every free text in it replaced."""
    if isinstance(value, dict):
        return {key: poisoned(inner, text, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [poisoned(inner, text, name) for inner in value]
    free = isinstance(value, str) and name not in FIXED and not name.endswith(("_id", "_ids", "timestamp"))
    return text if free else value


def updates(text: str) -> list[dict[str, Any]]:
    """Everything that can be told beside the log, in this text."""
    card = {"action_id": "a", "tool_name": text, "title": text, "reason": text, "text": text, "covers": text}
    return [
        {"kind": "approvals", "waiting": [{**card, "form": "diff", "digest": "0" * 64}], "granted": [
            {"action_id": "g", "covers": text},
        ]},
        {"kind": "problem", "code": text, "text": text},
        {"kind": "delta", "what": "text", "text": text},
        {"kind": "delta", "what": "reasoning", "text": text},
    ]  # fmt: skip


def test_hostile_text_in_every_field_stays_text_under_trusted_types(
    browser: Browser, root: Path, records: list[dict[str, Any]]
):
    """T9, T-SEC-02, F-58, O36, R-SEC-3: no element, no script, no request, and no attempt that the policy had to stop."""
    static = root / "smolpaws_jupyter/static"
    files = {
        "/": (SHELL, "text/html"),
        "/try.js": (TRY, "text/javascript"),
        "/widget.js": ((static / "widget.js").read_text(), "text/javascript"),
        "/widget.css": ((static / "widget.css").read_text(), "text/css"),
    }
    context = browser.new_context()
    page = context.new_page()
    asked: list[str] = []

    def serve(route: Route) -> None:
        path = route.request.url.removeprefix("http://page.test")
        asked.append(route.request.url)
        body, kind = files.get(path, ("", "text/plain"))
        headers = {"Content-Security-Policy": POLICY, "Content-Type": kind}
        route.fulfill(status=200 if path in files else 404, body=body, headers=headers)

    page.route("**/*", serve)
    page.goto("http://page.test/")
    page.wait_for_function("() => window.ready === true")
    expected = sorted(["http://page.test" + path for path in files])
    schema = json.loads((root / "js/src/wire/schema.json").read_text())
    traits = Traits(conversation_id="c").model_dump(mode="json")
    for text in HOSTILE:
        for status, log in (("waiting", poisoned(records, text)), ("running", [])):
            told = {**traits, "status": status, "title": text, "profile": text, "read_only": text, "waiting_for": text}
            (drawn,) = page.evaluate("(all) => draw(...all)", [told, updates(text), log, {}, ["Transcript"]])
            if text.isprintable():
                assert drawn["text"].count(text) > (20 if log else 2), text  # it is there to be read
            assert drawn["ran"] is None, text
            assert drawn["strange"] == [], text
    for start in range(0, len(HOSTILE), 13):  # in the tabs there are more places than texts
        answers = Filled(schema, HOSTILE[start:] + HOSTILE[:start]).answers()
        drawn = page.evaluate("(all) => draw(...all)", [traits, [], records, answers, TABS[1:]])
        for tab, one in zip(TABS[1:], drawn, strict=True):
            assert any(text in one["text"] for text in HOSTILE), tab
            assert one["ran"] is None, tab
            assert one["strange"] == [], tab
    assert page.evaluate("() => window.violations") == []
    assert sorted(set(asked)) == expected
    context.close()


def test_hostile_text_in_an_exported_page_stays_text(browser: Browser, records: list[dict[str, Any]]):
    """F-58: no policy protects a file that a person saved and opens; nothing in it runs or asks for anything."""
    told = [decode(record)[0] for text in HOSTILE for record in poisoned(records, text)]
    context = browser.new_context()
    page = context.new_page()
    asked: list[str] = []

    def serve(route: Route) -> None:
        asked.append(route.request.url)
        route.fulfill(body=export(told, "html"), content_type="text/html")

    page.route("**/*", serve)
    page.goto("http://page.test/")
    assert page.evaluate("() => window.__p ?? null") is None
    assert page.locator("script, iframe, object, embed, link, base, form, svg, math, video, audio").count() == 0
    assert page.locator("img:not([src^='data:image/'])").count() == 0
    assert HOSTILE[0] in page.inner_text("body")
    assert asked == ["http://page.test/"]
    context.close()


def test_o36_html_of_a_model_and_of_a_tool_stays_text_in_jupyterlab(desk: Desk, root: Path):
    """O36: message, reply, arguments, result, error, title, note, model and tool; Markdown works; code shows the characters."""
    cases = json.loads((root / "tests/fixtures/cases/data/open_texts.json").read_text())["O36-html"]
    text, image = "\n\n".join(cases), "<img src=x onerror=window.__p=1>"
    desk.show(f"""
text, image = {text!r}, {image!r}
paws = play(
    code(f"print({{text!r}})"), code(f"raise ValueError({{text!r}})"), call(image, path=image),
    call("write_file", path=f"notes/{{image}}.md", content=text), call("condense", message_to_future_self=text),
    reply(text), name=f"scripted/{{image}}", approvals="allow", conversation="new",
)
paws.rename(image)
paws
""")
    desk.say(text)
    expect(desk.agent.locator(".paws-reply strong")).to_have_text("bold", timeout=30 * SECONDS)
    for call in desk.agent.locator(".paws-call summary").all():
        call.click()
    expect(desk.agent.locator(".paws-reply")).to_contain_text("<script>window.__p=1</script>")
    expect(desk.agent.locator(".paws-reply code")).to_have_text("<div>")
    expect(desk.agent.locator(".paws-reply a")).to_have_attribute("rel", "noopener noreferrer")
    assert desk.agent.locator(".paws-details").first.inner_text().count("<svg/onload=window.__p=1>") >= 2
    expect(desk.agent.locator(".paws-title")).to_have_text(image)
    for tab in TABS:
        panel = desk.tab(tab)
        expect(panel).to_contain_text("6 requests" if tab == "Timeline" else "window.__p=1", timeout=20 * SECONDS)
        assert desk.agent.locator("script, img, svg[onload], b").count() == 0, tab
    assert desk.evaluate("() => window.__p ?? null") is None
    desk.lab.screenshot("hostile-text-light")
    assert desk.lab.errors == []
