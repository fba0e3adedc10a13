import { dateOf, timeOf } from "../words/say";

/** The time of day of a timestamp; its title has the date. */
export function Time({ of }: { of: string }) {
  return (
    <time class="paws-time" title={dateOf(of)}>
      {timeOf(of)}
    </time>
  );
}
