import { expect, test } from "vitest";
import { response, userMessage, withdrawal } from "../samples";
import { drawn, page, press, type } from "./page";

test("Enter sends what was typed, and empties the box", async () => {
  const { area, sent } = await page();
  await type(area, "Total the files");
  const event = await press(area, "Enter");
  expect(sent("tell")).toMatchObject([{ text: "Total the files", images: [] }]);
  expect(event.defaultPrevented).toBe(true);
  expect(area.value).toBe("");
});

test("Shift+Enter is a new line", async () => {
  const { area, sent } = await page();
  await type(area, "one");
  const event = await press(area, "Enter", { shiftKey: true });
  expect(sent("tell")).toEqual([]);
  expect(event.defaultPrevented).toBe(false);
});

test("a line break reaches the box even where the notebook would take it away", async () => {
  const { area } = await page();
  area.addEventListener("beforeinput", (event) => event.preventDefault()); // as JupyterLab does
  const breaking = new InputEvent("beforeinput", { inputType: "insertLineBreak", bubbles: true, cancelable: true });
  area.dispatchEvent(breaking);
  expect(breaking.defaultPrevented).toBe(false);
  const typing = new InputEvent("beforeinput", { inputType: "insertText", bubbles: true, cancelable: true });
  area.dispatchEvent(typing);
  expect(typing.defaultPrevented).toBe(true);
});

test("Enter that chooses a word of an input method does not send", async () => {
  const { area, sent } = await page();
  await type(area, "にほん");
  await press(area, "Enter", { isComposing: true });
  await press(area, "Enter", { keyCode: 229 }); // some browsers end the composition before the key
  expect(sent("tell")).toEqual([]);
  await press(area, "Enter");
  expect(sent("tell")).toMatchObject([{ text: "にほん" }]);
});

test("Esc while an input method is open belongs to it", async () => {
  const { area, sent } = await page([], { status: "running" });
  await press(area, "Escape", { isComposing: true });
  expect(sent("stop")).toEqual([]);
});

test("nothing but blanks is not sent; blanks around words are kept", async () => {
  const { area, sent } = await page();
  await type(area, "  \n ");
  await press(area, "Enter");
  expect(sent("tell")).toEqual([]);
  await type(area, "  indented\n");
  await press(area, "Enter");
  expect(sent("tell")).toMatchObject([{ text: "  indented\n" }]);
});

test("R-MAN-1: exactly /condense is a command, anything more is a message", async () => {
  const { area, sent } = await page();
  await type(area, " /condense ");
  await press(area, "Enter");
  expect(sent("condense")).toHaveLength(1);
  expect(sent("tell")).toEqual([]);
  await type(area, "/condense now");
  await press(area, "Enter");
  expect(sent("tell")).toMatchObject([{ text: "/condense now" }]);
});

test.each(["running", "waiting"] as const)("Esc is Stop while the agent is %s", async (status) => {
  const { area, sent } = await page([], { status });
  await press(area, "Escape");
  expect(sent("stop")).toHaveLength(1);
});

test("Esc does nothing when there is nothing to stop", async () => {
  const { area, sent } = await page();
  await press(area, "Escape");
  expect(sent("stop")).toEqual([]);
});

test("a message that is on its way shows at once, and its draft is gone only from the box", async () => {
  const { root, area, kernel } = await page();
  kernel.hear = () => {};
  await type(area, "Hello");
  await press(area, "Enter");
  expect(root.querySelector(".paws-message")?.textContent).toContain("Hello");
  expect(root.querySelector(".paws-message")?.textContent).toContain("Sending…");
});

test("a message sent while the agent works can be withdrawn or edited until it is read", async () => {
  const [first, second] = [userMessage("first"), userMessage("second")];
  const { kernel, root, area, button, sent } = await page([first, second], { status: "running" });
  expect(root.querySelectorAll(".paws-unread")).toHaveLength(1);
  await type(area, "third");
  button("Edit").click();
  await drawn();
  expect(area.value).toBe("third"); // not before the kernel has taken it back
  expect(sent("withdraw")).toMatchObject([{ message_id: second.id }]);
  kernel.append(withdrawal(second.id, sent("withdraw")[0]?.id ?? null));
  await drawn();
  expect(area.value).toBe("third\n\nsecond");
});

test("an edit that comes too late changes nothing, and says why", async () => {
  const [first, second] = [userMessage("first"), userMessage("second")];
  const { kernel, root, area, button, sent } = await page([first, second], { status: "running" });
  kernel.hear = () => {};
  button("Edit").click();
  await drawn();
  kernel.tell({
    kind: "refused",
    id: sent("withdraw")[0]?.id ?? "",
    code: "already_read",
    text: "It was read.",
    status: 409,
  });
  kernel.append(response(second.id));
  await drawn();
  expect(area.value).toBe("");
  expect(root.querySelector(".paws-banners")?.textContent).toContain("It was read.");
  expect(root.querySelectorAll(".paws-unread")).toHaveLength(0);
});

test("a message that is taken back in one view is no edit of another", async () => {
  const [first, second] = [userMessage("first"), userMessage("second")];
  const { kernel, area } = await page([first, second], { status: "running" });
  kernel.append(withdrawal(second.id, "of-another-view"));
  await drawn();
  expect(area.value).toBe("");
});

test("Esc stops from anywhere in the page, but first ends what it stands in", async () => {
  const { root, button, sent } = await page([userMessage("x")], { status: "running" });
  button("Search the transcript").click();
  await drawn();
  const box = root.querySelector<HTMLInputElement>(".paws-search input");
  if (box === null) throw new Error("there is no search");
  await press(box, "Escape");
  expect(sent("stop")).toEqual([]);
  expect(root.querySelector(".paws-search")).toBeNull();
  await press(button("Details"), "Escape");
  expect(sent("stop")).toHaveLength(1);
});

test("Stop is acknowledged at once, and is not sent twice", async () => {
  const { kernel, area, button, sent } = await page([userMessage("x")], { status: "running" });
  kernel.hear = () => {};
  await press(area, "Escape");
  await press(area, "Escape");
  expect(sent("stop")).toHaveLength(1);
  expect(button("Stopping…").disabled).toBe(true);
});

test("a read-only conversation cannot be written to", async () => {
  const { area, button, sent } = await page([userMessage("x")], { read_only: "open elsewhere" });
  expect(area.disabled).toBe(true);
  button("Take over").click();
  expect(sent("take_over")).toHaveLength(1);
});

test("two views share the agent but not the draft", async () => {
  const { kernel, area } = await page();
  const { mount } = await import("./page");
  const other = mount(kernel);
  await type(area, "mine");
  expect(other.querySelector("textarea")?.value).toBe("");
  await press(area, "Enter");
  kernel.append(userMessage("mine"));
  await drawn();
  expect(other.querySelector(".paws-message")?.textContent).toContain("mine");
});
