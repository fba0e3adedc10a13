// What works here and what does not, with what to do about it. Asked when somebody wants to know.

import { useState } from "preact/hooks";
import { say } from "../../words/say";
import { NotAnswered, useAnswer } from "../asking";
import { Button } from "../buttons";
import { OutcomeIcon } from "../icons";

const SIGNS = { ok: "done", attention: "unknown", problem: "failed" } as const;

export function Doctor() {
  const [times, setTimes] = useState(0);
  return (
    <>
      <Button onClick={() => setTimes(times + 1)}>{say("doctor.look")}</Button>
      {times > 0 && <Findings times={times} />}
    </>
  );
}

function Findings({ times }: { times: number }) {
  const { answer, problem, again } = useAnswer({ kind: "examine" }, times);
  if (problem !== null) return <NotAnswered problem={problem} again={again} />;
  if (answer === null) return <p class="paws-muted">{say("rest.loading")}</p>;
  return (
    <ul class="paws-list">
      {answer.findings.map(({ topic, state, found, meaning, fix }) => (
        <li key={`${topic} ${found}`}>
          <p>
            <OutcomeIcon outcome={SIGNS[state]} /> <strong>{topic}</strong> ({state}): {found} {meaning} <em>{fix}</em>
          </p>
        </li>
      ))}
    </ul>
  );
}
