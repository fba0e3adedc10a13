// What went into a tool call, where its summary line does not say it all.
import type { Call } from "../state/rows";
import { say } from "../words/say";
import { LeftOutText } from "./LeftOutText";
import { Code } from "./Text";

export function CallInput({ call }: { call: Call }) {
  const { action } = call;
  switch (action?.kind) {
    case "RunPythonAction":
      return <Input text={action.code} field="code" call={call} />;
    case "WriteFileAction":
      return <Input text={action.content} field="content" call={call} />;
    case "EditFileAction":
      return (
        <section>
          <h4>{say("call.old")}</h4>
          <div class="paws-old">
            <Code text={action.old} />
          </div>
          <h4>{say("call.new")}</h4>
          <div class="paws-new">
            <Code text={action.new} />
          </div>
        </section>
      );
    case "NewContextAction":
      return <Input text={action.handoff} field="handoff" call={call} />;
    case "CondenseAction":
      return <Input text={action.message_to_future_self ?? ""} field="message_to_future_self" call={call} />;
    case "HostAction":
    case undefined:
      return <Input text={call.raw} field={null} call={call} />;
    default:
      return null;
  }
}

function Input({ text, field, call }: { text: string; field: string | null; call: Call }) {
  if (text === "") return null;
  return (
    <section>
      <h4>{say("call.input")}</h4>
      <Code text={text} />
      <LeftOutText leftOut={call.leftOut} path={field === null ? ["arguments"] : ["action", field]} />
    </section>
  );
}
