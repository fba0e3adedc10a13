// The conversation as a file, made by the kernel and saved by the browser.

import { useState } from "preact/hooks";
import { NoAnswer } from "../../state/questions";
import { say } from "../../words/say";
import { NotAnswered } from "../asking";
import { Button } from "../buttons";
import { useView } from "../context";
import { save } from "../requests/RawJson";

const FORMATS = ["markdown", "html", "jsonl", "bare"] as const;
const SUFFIXES: { readonly [F in Format]?: string } = { markdown: "md", bare: "bare.jsonl" };
type Format = (typeof FORMATS)[number];

export function Exports() {
  const { store } = useView();
  const [busy, setBusy] = useState<Format | null>(null);
  const [failed, setFailed] = useState<{ format: Format; problem: NoAnswer } | null>(null);
  const make = async (format: Format) => {
    setBusy(format);
    setFailed(null);
    try {
      const { sha256 } = await store.ask({ kind: "export", format });
      const name = `conversation-${store.traits.conversation_id.value}`;
      save(await store.texts.whole(sha256), `${name}.${SUFFIXES[format] ?? format}`);
    } catch (problem) {
      if (!(problem instanceof NoAnswer)) throw problem;
      setFailed({ format, problem });
    } finally {
      setBusy(null);
    }
  };
  return (
    <>
      <div class="paws-choice">
        {FORMATS.map((format) => (
          <Button
            key={format}
            disabled={busy !== null || store.traits.event_count.value === 0}
            onClick={() => make(format)}
          >
            {say(`export.${format}`)}
          </Button>
        ))}
      </div>
      <p class="paws-muted">{say("export.about")}</p>
      {failed !== null && <NotAnswered problem={failed.problem} again={() => make(failed.format)} />}
    </>
  );
}
