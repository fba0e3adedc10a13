import type { Store } from "../state/store";

export function App({ store }: { store: Store }) {
  const { fraction } = store.budget.value;
  return (
    <p role="status">
      {fraction === null ? "context unknown" : `context ${Math.round(fraction * 100)} %`} · {store.status}
    </p>
  );
}
