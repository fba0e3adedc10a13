// A request as canonical JSON, exactly as Python and the provider have it: to copy or to keep.

import { useState } from "preact/hooks";
import { NoAnswer } from "../../state/questions";
import { say } from "../../words/say";
import { NotAnswered } from "../asking";
import { Button } from "../buttons";
import { useView } from "../context";
import { copyText } from "../Text";

export function RawJson({ request, name }: { request: string; name: string }) {
  const { store } = useView();
  const [state, setState] = useState<"copied" | "json.uncopied" | NoAnswer | null>(null);
  const withText = async (use: (text: string) => Promise<"copied" | "json.uncopied" | null>) => {
    try {
      setState(await use(await store.textOf(request, null)));
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      setState(error);
    }
  };
  const onCopy = () => withText(async (text) => ((await copyText(text)) ? "copied" : "json.uncopied"));
  const onSave = () =>
    withText(async (text) => {
      save(text, `${name}.json`);
      return null;
    });
  return (
    <div class="paws-choice">
      <Button onClick={onCopy}>{say("json.copy")}</Button>
      <Button onClick={onSave}>{say("json.save")}</Button>
      <span role="status">{typeof state === "string" && say(state)}</span>
      {state instanceof NoAnswer && <NotAnswered problem={state} again={onCopy} />}
    </div>
  );
}

/** Lets the browser keep a text as a file. */
export function save(text: string, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
