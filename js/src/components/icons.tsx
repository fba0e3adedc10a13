// The few signs of the page. A state has a shape of its own, so that colour is never the only difference.
import type { ComponentChildren } from "preact";

function Icon({ children, name }: { children: ComponentChildren; name: string }) {
  return (
    <svg class={`paws-icon paws-icon-${name}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      {children}
    </svg>
  );
}

const STATES: Readonly<Record<string, ComponentChildren>> = {
  idle: <circle cx="8" cy="8" r="4.25" class="paws-line" />,
  running: [
    <circle key="track" cx="8" cy="8" r="5.25" class="paws-line paws-track" />,
    <path key="arc" d="M8 2.75a5.25 5.25 0 0 1 5.25 5.25" class="paws-line paws-spin" />,
  ],
  waiting: <path d="M8 1.75 14.25 8 8 14.25 1.75 8ZM8 5v3.5M8 10.6v.4" class="paws-line" />,
  paused: <path d="M5.75 3.5v9M10.25 3.5v9" class="paws-line paws-thick" />,
  error: <path d="M5.5 2.25h5L13.75 5.5v5L10.5 13.75h-5L2.25 10.5v-5ZM6 6l4 4M10 6l-4 4" class="paws-line" />,
  gone: <path d="M8 3.75a4.25 4.25 0 1 0 .01 0M2.5 13.5l11-11" class="paws-line" />,
};

export function StateIcon({ state }: { state: string }) {
  return <Icon name="state">{STATES[state] ?? STATES.idle}</Icon>;
}

const OUTCOMES: Readonly<Record<string, string>> = {
  done: "M3.5 8.5l3 3 6-7",
  failed: "M4.5 4.5l7 7M11.5 4.5l-7 7",
  rejected: "M8 2.75a5.25 5.25 0 1 0 .01 0M4.4 4.4l7.2 7.2",
  interrupted: "M4.25 4.25h7.5v7.5h-7.5Z",
  not_run: "M4 8h8",
  unknown: "M5.75 6a2.25 2.25 0 1 1 3.2 2c-.7.4-.95.8-.95 1.5M8 11.9v.35",
  asked: "M8 4.5a3.5 3.5 0 1 0 .01 0",
};

export function OutcomeIcon({ outcome }: { outcome: string }) {
  if (outcome === "running" || outcome === "waiting") return <StateIcon state={outcome} />;
  return (
    <Icon name="outcome">
      <path d={OUTCOMES[outcome] ?? OUTCOMES.asked} class="paws-line" />
    </Icon>
  );
}

const SIGNS = {
  chevron: "M6 3.75 10.25 8 6 12.25",
  send: "M8 13V3.5M3.75 7.5 8 3.25l4.25 4.25",
  stop: "M4 4h8v8H4Z",
  pause: "M5.75 4v8M10.25 4v8",
  play: "M5.25 3.25v9.5L12.75 8Z",
  copy: "M5.75 5.75v-3h7.5v7.5h-3M2.75 5.75h7.5v7.5h-7.5Z",
  close: "M4.25 4.25l7.5 7.5M11.75 4.25l-7.5 7.5",
  down: "M8 3v9.5M3.75 8.5 8 12.75l4.25-4.25",
  up: "M8 13V3.5M3.75 7.5 8 3.25l4.25 4.25",
  search: "M7 2.75a4.25 4.25 0 1 0 .01 0M10.25 10.25l3 3",
  retry: "M12.75 8a4.75 4.75 0 1 1-1.5-3.45M11.5 2v3h-3",
  gauge: "M2.75 12a6 6 0 1 1 10.5 0M8 9.25l2.75-3.5",
  reset: "M3.25 8a4.75 4.75 0 1 0 1.5-3.45M4.5 2v3h3",
} as const;

export type SignName = keyof typeof SIGNS;

export function Sign({ name }: { name: SignName }) {
  const solid = name === "stop" || name === "play";
  return (
    <Icon name={name}>
      <path d={SIGNS[name]} class={solid ? "paws-fill" : "paws-line"} />
    </Icon>
  );
}
