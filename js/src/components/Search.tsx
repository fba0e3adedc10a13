// Looks for words in the whole transcript, in what is folded and in what is not drawn too. Enter goes to the next place,
// Shift+Enter to the one before, Esc ends it.

import { useEffect, useRef } from "preact/hooks";
import { find } from "../state/search";
import { say } from "../words/say";
import { SignButton } from "./buttons";
import { useView } from "./context";
import { isComposing } from "./keys";

export function Search() {
  const { page } = useView();
  return page.search.value === null ? null : <Bar words={page.search.value} />;
}

function Bar({ words }: { words: string }) {
  const { store, page } = useView();
  const { rows } = store.transcript.value;
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []); // the person asked for it
  const places = find(rows, words);
  const at = places.findIndex((place) => rows[place]?.key === page.found.value);

  const go = (by: 1 | -1) => {
    const next = at < 0 ? (by > 0 ? 0 : places.length - 1) : (at + by + places.length) % places.length;
    const place = places[next];
    const row = place === undefined ? undefined : rows[place];
    if (place === undefined || row === undefined) return;
    page.reveal(place);
    page.found.value = row.key;
    page.wantsFound.value += 1;
  };
  const close = () => {
    page.search.value = null;
    page.found.value = null;
    page.wantsFocus.value += 1;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "Enter") {
      event.preventDefault();
      go(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      event.preventDefault();
      close();
    }
  };
  const count = words.trim() === "" ? "" : say("search.count", { at: at + 1, count: places.length });
  return (
    <search class="paws-search">
      <input
        ref={input}
        type="text"
        class="paws-input"
        dir="auto"
        placeholder={say("search")}
        aria-label={say("search")}
        value={words}
        onInput={(event) => {
          page.search.value = event.currentTarget.value;
          page.found.value = null;
        }}
        onKeyDown={onKeyDown}
      />
      <span class="paws-muted paws-search-count" role="status">
        {places.length === 0 && count !== "" ? say("search.none") : count}
      </span>
      {(["up", "down"] as const).map((way) => (
        <SignButton
          name={way}
          key={way}
          label={say(`search.${way}`)}
          title={say(`search.${way}`)}
          disabled={places.length === 0}
          onClick={() => go(way === "down" ? 1 : -1)}
        />
      ))}
      <SignButton name="close" label={say("search.end")} onClick={close} />
    </search>
  );
}
