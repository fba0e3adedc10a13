// From anything that names an event to the row of the transcript that shows it.
import { batch } from "@preact/signals";
import { rowOf } from "../state/places";
import { useView } from "./context";

/** Gives the way to the row that shows the record at a position. The focus goes along: what was pressed is not shown any more. */
export function useJump(): (position: number) => void {
  const { store, page } = useView();
  return (position) => {
    const { rows } = store.transcript.peek();
    const place = rowOf(rows, store.records, position);
    const row = rows[place];
    if (row === undefined) return;
    batch(() => page.goTo(place, row.key));
  };
}
