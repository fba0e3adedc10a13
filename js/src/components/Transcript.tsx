// The conversation, as a log that follows its end until the reader scrolls away. Of a long one the last rows are drawn; older
// ones come on demand. What is still being written stands outside the log, so that a screen reader hears whole messages.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { say } from "../words/say";
import { Activity } from "./Activity";
import { Button } from "./buttons";
import { useView } from "./context";
import { EmptyState } from "./EmptyState";
import { Follower } from "./follow";
import { highlight } from "./highlight";
import { Sign } from "./icons";
import { Outgoing } from "./Outgoing";
import { RowView } from "./RowView";
import { Search } from "./Search";

export function Transcript() {
  const { store, page } = useView();
  const { rows } = store.transcript.value;
  const first = page.first(rows.length);
  const box = useRef<HTMLElement>(null);
  const column = useRef<HTMLDivElement>(null);
  const follower = useRef<Follower | null>(null);
  const heightBefore = useRef(0);

  useLayoutEffect(() => {
    if (box.current === null || column.current === null) return;
    const changed = (follows: boolean) => page.scrolled(follows, store.transcript.peek().rows.length);
    follower.current = new Follower(box.current, column.current, changed);
    return () => follower.current?.stop();
  }, [store, page]);

  const { value: wantsEnd } = page.wantsEnd;
  useLayoutEffect(() => {
    if (wantsEnd > 0) follower.current?.toEnd();
  }, [wantsEnd]);

  const { value: found } = page.found;
  const { value: wantsFound } = page.wantsFound;
  const { value: words } = page.search;
  useEffect(() => {
    const place = column.current;
    if (place === null) return;
    const mark = () => highlight(place, words ?? "");
    mark();
    const later = setTimeout(mark, 100); // what was unfolded is drawn by then
    return () => clearTimeout(later);
  });
  useEffect(() => {
    const place = column.current;
    return () => place !== null && highlight(place, "");
  }, []);
  useLayoutEffect(() => {
    if (found === null || wantsFound === 0) return;
    const row = column.current?.querySelector(`[data-key="${CSS.escape(found)}"]`);
    for (const fold of row?.querySelectorAll("details") ?? []) fold.open = true;
    if (row === undefined || row === null) return;
    follower.current?.leave();
    row.scrollIntoView({ block: "center" });
    if (page.search.peek() === null) box.current?.focus({ preventScroll: true }); // they came from another tab
  }, [found, wantsFound]);

  const earlier = () => {
    heightBefore.current = box.current?.scrollHeight ?? 0;
    page.earlier(rows.length);
  };
  useLayoutEffect(() => {
    if (box.current !== null && heightBefore.current > 0)
      box.current.scrollTop += box.current.scrollHeight - heightBefore.current; // what was in view stays in view
    heightBefore.current = 0;
  }, [first]);

  const empty = rows.length === 0 && store.outbox.sent.value.every(({ command }) => command.kind !== "tell");
  return (
    <div class="paws-middle">
      <Search />
      <section
        class="paws-scroll"
        aria-label={say("conversation")}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        ref={box}
      >
        <div class="paws-column" ref={column}>
          {first > 0 && (
            <Button class="paws-earlier" title={say("earlier.title", { count: first })} onClick={earlier}>
              {say("earlier")}
            </Button>
          )}
          <div role="log" aria-label={say("messages")} aria-busy={!store.whole.value} class="paws-log">
            {rows.slice(first).map((row) => (
              <RowView key={row.key} row={row} found={row.key === found} />
            ))}
          </div>
          {empty && <EmptyState />}
          <Outgoing />
          <Activity />
        </div>
      </section>
      {!page.follows.value && (
        <Button class="paws-latest" onClick={() => follower.current?.toEnd()}>
          <Sign name="down" />
          {say("latest")}
        </Button>
      )}
    </div>
  );
}
