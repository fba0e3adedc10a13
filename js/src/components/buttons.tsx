import type { ComponentProps } from "preact";
import { Sign, type SignName } from "./icons";

type Attributes = ComponentProps<"button">;

/** A button with a border. */
export function Button({ class: more, ...rest }: Attributes & { class?: string }) {
  return <button type="button" class={more === undefined ? "paws-button" : `paws-button ${more}`} {...rest} />;
}

/** A button that looks like a link. */
export function Link(attributes: Attributes) {
  return <button type="button" class="paws-link" {...attributes} />;
}

/** A button with a sign instead of words. */
export function SignButton({ name, label, ...rest }: Attributes & { name: SignName; label: string }) {
  return (
    <button type="button" class="paws-icon-button" aria-label={label} title={label} {...rest}>
      <Sign name={name} />
    </button>
  );
}
