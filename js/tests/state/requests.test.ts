import { expect, test } from "vitest";
import { aroundReset, lastTwo, sentIn } from "../../src/state/requests";
import { everything, failure, firstReset, response, userMessage } from "../samples";

test("the requests of a log are its answers and its failures, in order", () => {
  const said = userMessage("Go.");
  const { requests } = sentIn([said, failure("server"), response(said.id), failure("cancelled")]);
  expect(requests.map(({ reason, position }) => [position, reason])).toEqual([
    [1, "server"],
    [2, ""],
    [3, "cancelled"],
  ]);
});

test("a refusal without a record of usage is known by the rescue that followed, and one with a record is counted once", () => {
  const rescued = (boundary: string) =>
    everything.flatMap((record) =>
      record.kind === "CondensationRequest" && record.details.trigger === "provider_context_window"
        ? [{ ...record, details: { ...record.details, input_event_id: boundary } }]
        : [],
    )[0];
  const [said, rescue] = [userMessage("Go."), rescued("b")];
  if (rescue === undefined) throw new Error("the sample log holds no rescue");
  expect(sentIn([said, rescue]).requests.map(({ reason }) => reason)).toEqual(["overflow"]);
  expect(sentIn([said, { ...response("b") }, rescue]).requests.map(({ reason }) => reason)).toEqual([""]);
});

test("one click chooses the two requests around the last reset", () => {
  const sent = sentIn(firstReset);
  const pair = aroundReset(sent);
  expect(sent.reset).toBeGreaterThan(0);
  expect(pair).not.toBeNull();
  const [older, newer] = pair ?? [0, 0];
  expect(sent.requests[older - 1]?.position).toBeLessThan(sent.reset);
  expect(sent.requests[newer - 1]?.position ?? Number.POSITIVE_INFINITY).toBeGreaterThan(sent.reset);
  expect(aroundReset(sentIn([userMessage("Go.")]))).toBeNull();
});

test.each([
  [0, [1, 1]],
  [1, [1, 2]],
  [2, [1, 2]],
  [9, [8, 9]],
])("of %i requests the last two are %j, the one behind them being the next", (count, pair) => {
  expect(lastTwo(count)).toEqual(pair);
});
