// The conversation, as a log that follows its end until the reader scrolls away. Of a long one the last rows are drawn; older
// ones come on demand. What is still being written stands outside the log, so that a screen reader hears whole messages.
import { useLayoutEffect, useRef } from "preact/hooks";
import { say } from "../words/say";
import { Activity } from "./Activity";
import { useView } from "./context";
import { EmptyState } from "./EmptyState";
import { Sign } from "./icons";
import { Outgoing } from "./Outgoing";
import { RowView } from "./RowView";

/** This near to the end counts as being there, in pixels. */
const NEAR = 32;

export function Transcript() {
  const { store, page } = useView();
  const { rows } = store.transcript.value;
  const first = page.first(rows.length);
  const scroller = useRef<HTMLElement>(null);
  const height = useRef(0);
  const top = useRef(0);

  const atEnd = () => {
    const box = scroller.current;
    return box === null || box.scrollHeight - box.scrollTop - box.clientHeight < NEAR;
  };
  const toEnd = () => scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  const look = () => page.scrolled(atEnd(), rows.length);
  const onScroll = () => {
    const at = scroller.current?.scrollTop ?? 0;
    if (at < top.current || atEnd()) look(); // what grows below a reader is no reason to stop following, scrolling up is
    top.current = at;
  };
  const earlier = () => {
    height.current = scroller.current?.scrollHeight ?? 0;
    page.earlier(rows.length);
  };

  useLayoutEffect(() => {
    const box = scroller.current;
    if (box !== null && height.current > 0) box.scrollTop += box.scrollHeight - height.current; // rows came above
    height.current = 0;
  }, [first]);
  useFollowing(scroller, look, toEnd);

  const empty = rows.length === 0 && store.outbox.sent.value.every(({ command }) => command.kind !== "tell");
  return (
    <div class="paws-middle">
      <section
        class="paws-scroll"
        aria-label={say("conversation")}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        ref={scroller}
        onScroll={onScroll}
      >
        <div class="paws-column">
          {first > 0 && (
            <button
              type="button"
              class="paws-button paws-earlier"
              title={say("earlier.title", { count: first })}
              onClick={earlier}
            >
              {say("earlier")}
            </button>
          )}
          <div role="log" aria-label={say("messages")} aria-busy={!store.whole.value} class="paws-log">
            {rows.slice(first).map((row) => (
              <RowView key={row.key} row={row} />
            ))}
          </div>
          {empty && <EmptyState />}
          <Outgoing />
          <Activity />
        </div>
      </section>
      {!page.follows.value && (
        <button
          type="button"
          class="paws-button paws-latest"
          onClick={() => {
            page.scrolled(true, rows.length);
            toEnd();
          }}
        >
          <Sign name="down" />
          {say("latest")}
        </button>
      )}
    </div>
  );
}

/** Keeps the end in view while it is followed: as rows, words and pictures come, and as the box itself grows or shrinks. */
function useFollowing(scroller: { readonly current: HTMLElement | null }, look: () => void, toEnd: () => void): void {
  const { store, page } = useView();
  const { transcript, streaming, tails, outbox, traits } = store;
  const latest = useRef(look);
  latest.current = look;
  useLayoutEffect(() => {
    if (page.follows.value) toEnd();
  }, [transcript.value, streaming.value, tails.value, outbox.sent.value, traits.status.value]);
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box === null) return;
    const follow = () => page.follows.peek() && toEnd();
    const unfold = () => latest.current(); // what a reader unfolds is what they want to see, not the end
    const observer = new ResizeObserver(follow);
    observer.observe(box);
    box.addEventListener("load", follow, true);
    box.addEventListener("toggle", unfold, true);
    return () => {
      observer.disconnect();
      box.removeEventListener("load", follow, true);
      box.removeEventListener("toggle", unfold, true);
    };
  }, []);
}
