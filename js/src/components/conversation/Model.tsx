// Which model is asked, and which others can be. A page names profiles and models; it never learns a base URL or a key.

import { useState } from "preact/hooks";
import type { UpdateOf } from "../../wire/names";
import { say } from "../../words/say";
import { Button } from "../buttons";
import { useView } from "../context";
import { isComposing } from "../keys";

type Told = UpdateOf<"state">;

export function Model({ told: { profile, saved } }: { told: Told }) {
  const { store } = useView();
  const [name, setName] = useState("");
  const fixed = store.traits.read_only.value !== "" || store.connection.value === "gone";
  const use = (wanted: string) => store.send({ kind: "bind", profile: wanted });
  const others = saved.filter((one) => one.name !== profile.name);
  return (
    <>
      <Line profile={profile} />
      {others.length > 0 && (
        <ul class="paws-list">
          {others.map((one) => (
            <li key={one.name}>
              <Line profile={one} />
              <Button disabled={fixed} onClick={() => use(one.name)}>
                {say("state.use")}
                <span class="paws-hidden"> {one.name}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      <form
        class="paws-choice"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() === "" || fixed) return;
          use(name.trim());
          setName("");
        }}
      >
        <input
          type="text"
          class="paws-input"
          aria-label={say("state.other")}
          placeholder={say("state.other")}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && isComposing(event)) event.preventDefault();
          }}
        />
        <button type="submit" class="paws-button" disabled={fixed || name.trim() === ""}>
          {say("state.use")}
        </button>
      </form>
      <p class="paws-muted">{say("state.bound")}</p>
    </>
  );
}

/** A profile; where it is called like its model, the name stands once. */
function Line({ profile: { name, about } }: { profile: Told["profile"] }) {
  const twice = `${name} · `;
  return (
    <p>
      <strong>{name}</strong> · {about.startsWith(twice) ? about.slice(twice.length) : about}
    </p>
  );
}
