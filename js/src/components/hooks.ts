// Small hooks that several components use.
import { useEffect, useRef, useState } from "preact/hooks";

/** The time in milliseconds, renewed each second while `runs`. */
export function useClock(runs: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!runs) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [runs]);
  return now;
}

/** The value, but at most once per `ms`: the newest always arrives, if late. */
export function useThrottled<T>(value: T, ms: number): T {
  const [shown, setShown] = useState(value);
  const latest = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  latest.current = value;
  useEffect(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      setShown(latest.current);
    }, ms);
  }, [value, ms]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return shown;
}
