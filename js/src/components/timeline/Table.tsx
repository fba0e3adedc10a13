// The numbers behind the picture. Of thousands the latest are shown, and earlier ones on demand.

import { useState } from "preact/hooks";
import type { Item } from "../../state/timeline";
import { say } from "../../words/say";
import { Button, Link } from "../buttons";
import { amount, limitOf, markWords, outcomeOf } from "./words";

const PAGE = 100;

export function Table({ items, open }: { items: readonly Item[]; open: (position: number) => void }) {
  const [most, setMost] = useState(PAGE);
  const from = Math.max(0, items.length - most);
  return (
    <>
      {from > 0 && (
        <Button title={say("earlier.title", { count: from })} onClick={() => setMost(most + PAGE)}>
          {say("earlier")}
        </Button>
      )}
      <div class="paws-table">
        <table>
          <thead>
            <tr>
              <th scope="col">{say("table.what")}</th>
              <th scope="col" class="paws-right">
                {say("meter.estimated")}
              </th>
              <th scope="col" class="paws-right">
                {say("meter.measured")}
              </th>
              <th scope="col">{say("details.limit")}</th>
              <th scope="col">{say("table.outcome")}</th>
            </tr>
          </thead>
          <tbody>
            {items.slice(from).map((item) => (
              <tr key={item.position}>
                <th scope="row">
                  <Link onClick={() => open(item.position)}>
                    {item.type === "request"
                      ? say("timeline.request", { number: item.request.number })
                      : markWords(item.mark)}
                  </Link>
                </th>
                {item.type === "request" ? (
                  <>
                    <td class="paws-right">{amount(item.request.estimated)}</td>
                    <td class="paws-right">{amount(item.request.measured)}</td>
                    <td>{limitOf(item.request)}</td>
                    <td>{outcomeOf(item.request)}</td>
                  </>
                ) : (
                  <td colSpan={4} />
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
