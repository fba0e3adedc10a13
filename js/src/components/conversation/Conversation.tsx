// The conversation itself: its model, how it keeps its context, the stored ones, exports, and what works here.
import { say } from "../../words/say";
import { NotAnswered, useAnswer } from "../asking";
import { useView } from "../context";
import { Doctor } from "./Doctor";
import { Exports } from "./Exports";
import { Model } from "./Model";
import { kindWords, NewConversation } from "./NewConversation";
import { Stored } from "./Stored";

export function Conversation() {
  const { store } = useView();
  const { event_count, profile, thresholds, budget } = store.traits;
  const when = `${event_count.value} ${profile.value} ${thresholds.value} ${budget.value.limit}`;
  const { answer, problem, again } = useAnswer({ kind: "state" }, when);
  return (
    <section class="paws-instrument" aria-label={say("tab.state")}>
      {problem !== null && <NotAnswered problem={problem} again={again} />}
      {answer !== null && (
        <>
          <h3>{say("state.context")}</h3>
          <p>
            <strong>{kindWords(answer.condenser)}</strong> · {answer.outlook}
          </p>
          <h3>{say("state.model")}</h3>
          <Model told={answer} />
        </>
      )}
      <h3>{say("state.stored")}</h3>
      <Stored />
      {answer !== null && <NewConversation kinds={answer.kinds} />}
      <h3>{say("state.export")}</h3>
      <Exports />
      <h3>{say("state.doctor")}</h3>
      <Doctor />
    </section>
  );
}
