"""Text never becomes markup, script, style or a request: in a page that forbids all of it, and in JupyterLab."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Route, expect

from smolpaws_jupyter.core.wire import Traits
from tests.e2e.desk import SECONDS, Desk
from tests.e2e.hostile import HOSTILE

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(400)]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
SHELL = '<!doctype html><link rel="stylesheet" href="/widget.css"><main></main><script type="module" src="/try.js"></script>'
# A kernel that stands still: the page asks for its log and gets it, every text of it hostile.
TRY = """
import widget from "/widget.js";
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => violations.push(`${event.violatedDirective} ${event.sample}`));
window.draw = async (traits, updates, events) => {
    const listeners = new Map();
    const hear = (update) => listeners.get("msg:custom")?.(update);
    const model = {
        get: (name) => traits[name],
        on: (name, callback) => listeners.set(name, callback),
        off: (name) => listeners.delete(name),
        send: ({ kind }) => kind === "replay" &&
            hear({ kind: "events", conversation_id: traits.conversation_id, start: 0, events, left_out: [] }),
    };
    const el = document.createElement("div");
    document.querySelector("main").replaceChildren(el);
    const stop = widget.initialize({ model });
    const undo = widget.render({ model, el });
    for (const update of updates) hear(update);
    const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    await frame();
    for (const fold of el.querySelectorAll("details")) fold.open = true;
    await frame();
    await frame();
    const strange = [...el.querySelectorAll("*")].flatMap((one) => [
        ...(/^(script|style|link|meta|base|iframe|object|embed|video|audio|math|template)$/i.test(one.tagName) ? [one.tagName] : []),
        ...[...one.attributes].filter(({ name, value }) =>
            /^on|^(srcdoc|formaction|action|xlink:href|srcset|name|background|ping)$/i.test(name) ||
            (name === "id" && !/^(P\\d|[0-9a-f-]{32})/.test(value)) ||
            (name === "href" && !/^(https?:|mailto:)/.test(value)) ||
            (name === "src" && !/^data:image\\/(png|jpeg|gif|webp);base64,/.test(value)),
        ).map(({ name, value }) => `${one.tagName}[${name}=${value}]`),
    ]);
    const text = el.textContent;
    undo();
    stop();
    return { strange, text, ran: window.__p ?? null };
};
window.ready = true;
"""


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
    for text in HOSTILE:
        traits = Traits(conversation_id="c").model_dump(mode="json")
        for status, log in (("waiting", poisoned(records, text)), ("running", [])):
            told = {**traits, "status": status, "title": text, "profile": text, "read_only": text, "waiting_for": text}
            drawn = page.evaluate("(all) => window.draw(...all)", [told, updates(text), log])
            if text.isprintable():
                assert drawn["text"].count(text) > (20 if log else 2), text  # it is there to be read
            assert drawn["ran"] is None, text
            assert drawn["strange"] == [], text
    assert page.evaluate("() => window.violations") == []
    assert sorted(set(asked)) == expected
    context.close()


def test_o36_html_of_a_model_and_of_a_tool_stays_text_in_jupyterlab(desk: Desk, root: Path):
    """O36: message, reply, arguments, result, error; Markdown still works; code shows the characters."""
    cases = json.loads((root / "tests/fixtures/cases/data/open_texts.json").read_text())["O36-html"]
    text = "\n\n".join(cases)
    desk.show(f"""
text = {text!r}
paws = play(code(f"print({{text!r}})"), code(f"raise ValueError({{text!r}})"), reply(text), approvals="ask")
paws
""")
    desk.say(text)
    desk.button("Approve for this run").click(timeout=20 * SECONDS)
    expect(desk.agent.locator(".paws-reply strong")).to_have_text("bold", timeout=20 * SECONDS)
    for call in desk.agent.locator(".paws-call summary").all():
        call.click()
    expect(desk.agent.locator(".paws-reply")).to_contain_text("<script>window.__p=1</script>")
    expect(desk.agent.locator(".paws-reply code")).to_have_text("<div>")
    expect(desk.agent.locator(".paws-reply a")).to_have_attribute("rel", "noopener noreferrer")
    assert desk.agent.locator(".paws-details").first.inner_text().count("<svg/onload=window.__p=1>") >= 2
    assert desk.evaluate("() => window.__p ?? null") is None
    assert desk.agent.locator("script, img, svg[onload], b").count() == 0
    desk.lab.screenshot("hostile-text-light")
    assert desk.lab.errors == []
