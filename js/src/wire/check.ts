// What arrives may be anything: a saved notebook's traits can be forged, and a kernel may be of another version. So each
// value is held against the shapes that the types were generated from before the page believes it.
import type { LogRecord, Traits, Update } from "./names";
import { readShapes, type Shape } from "./shapes";
import shapes from "./shapes.json";

const SHAPES = readShapes(shapes);
/** Nothing of ours is nested deeper. */
const DEPTH = 32;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether `value` has this shape. Fields that the shape does not name are let pass: a newer kernel may send more. */
function fits(value: unknown, shape: Shape, depth = 0): boolean {
  if (depth > DEPTH) return false;
  if (typeof shape === "string") return shape[0] === "#" ? fitsNamed(value, shape.slice(1), depth) : isA(value, shape);
  if ("is" in shape) return shape.is.includes(value);
  if ("any" in shape) return shape.any.some((one) => fits(value, one, depth + 1));
  if ("many" in shape) return Array.isArray(value) && value.every((one) => fits(one, shape.many, depth + 1));
  if (!isObject(value)) return false;
  if ("by" in shape) {
    const name = value[shape.by];
    const chosen = typeof name === "string" && Object.hasOwn(shape.of, name) ? shape.of[name] : undefined;
    return chosen !== undefined && fits(value, chosen, depth + 1);
  }
  const has = (name: string) => Object.hasOwn(value, name);
  return (
    Object.entries(shape.has).every(([name, field]) => has(name) && fits(value[name], field, depth + 1)) &&
    Object.entries(shape.may ?? {}).every(([name, field]) => !has(name) || fits(value[name], field, depth + 1))
  );
}

function fitsNamed(value: unknown, name: string, depth: number): boolean {
  const shape = SHAPES[name];
  return shape !== undefined && fits(value, shape, depth + 1);
}

function isA(value: unknown, type: string): boolean {
  if (type === "any") return true;
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  if (type === "integer") return Number.isSafeInteger(value);
  if (type === "number") return Number.isFinite(value);
  return typeof value === type;
}

/** A record of the log as the page may use it: what it cannot read is shown as unknown. */
function readRecord(value: unknown): LogRecord {
  if (fits(value, "#record")) return value as LogRecord;
  const { id, kind } = isObject(value) ? value : { id: "", kind: "" };
  const name = typeof kind === "string" ? kind.slice(0, 100) : "";
  return { kind: "UnknownRecord", id: typeof id === "string" ? id : "", record_kind: name, reason: "unreadable" };
}

/** An update from the kernel; undefined if it is none that this page knows. */
export function readUpdate(value: unknown): Update | undefined {
  if (!isObject(value)) return undefined;
  const update = Array.isArray(value.events) ? { ...value, events: value.events.map(readRecord) } : value;
  return fits(update, "#update") ? (update as unknown as Update) : undefined;
}

/** The value of a trait, or `otherwise` if it is not what that trait can be. */
export function readTrait<K extends keyof Traits>(name: K, value: unknown, otherwise: Traits[K]): Traits[K] {
  const traits = SHAPES.Traits;
  const shape = typeof traits === "object" && "has" in traits ? traits.has[name] : undefined;
  return shape !== undefined && fits(value, shape) ? (value as Traits[K]) : otherwise;
}
