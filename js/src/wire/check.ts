// What arrives may be anything: a saved notebook's traits can be forged, and a kernel may be of another version. So each
// value is held against the schema that the types were generated from before the page believes it.
import type { LogRecord, Traits, Update } from "./names";
import shapes from "./shapes.json";

/** The part of JSON Schema that our models use. */
interface Shape {
  readonly $ref?: string;
  readonly anyOf?: readonly Shape[];
  /** Of a union told apart by a field: which shape belongs to which value of it. */
  readonly by?: { readonly field: string; readonly shapes: Readonly<Record<string, string>> };
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
}

const SHAPES = shapes as unknown as Readonly<Record<string, Shape>>;
/** Nothing of ours is nested deeper. */
const DEPTH = 32;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether `value` has this shape. Fields that the shape does not name are let pass: a newer kernel may send more. */
function fits(value: unknown, shape: Shape | undefined, depth = 0): boolean {
  if (shape === undefined || depth > DEPTH) return false;
  if (shape.$ref !== undefined) return fits(value, SHAPES[shape.$ref], depth + 1);
  if (shape.by !== undefined) {
    const { field, shapes } = shape.by;
    const name = isObject(value) ? value[field] : undefined;
    return typeof name === "string" && Object.hasOwn(shapes, name) && fits(value, { $ref: shapes[name] ?? "" }, depth);
  }
  if (shape.anyOf !== undefined) return shape.anyOf.some((one) => fits(value, one, depth + 1));
  if (shape.const !== undefined) return value === shape.const;
  if (shape.enum !== undefined) return shape.enum.includes(value);
  switch (shape.type) {
    case "string":
      return typeof value === "string";
    case "integer":
      return Number.isSafeInteger(value);
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    case "boolean":
      return typeof value === "boolean";
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value) && (shape.items === undefined || value.every((v) => fits(v, shape.items, depth + 1)));
    case "object": {
      if (!isObject(value)) return false;
      if (shape.required?.some((name) => !Object.hasOwn(value, name))) return false;
      return Object.entries(shape.properties ?? {}).every(
        ([name, field]) => !Object.hasOwn(value, name) || fits(value[name], field, depth + 1),
      );
    }
    default:
      return true; // no type: any JSON value
  }
}

/** A record of the log as the page may use it: what it cannot read is shown as unknown. */
function readRecord(value: unknown): LogRecord {
  if (fits(value, { $ref: "record" })) return value as LogRecord;
  const { id, kind } = isObject(value) ? value : {};
  const name = typeof kind === "string" ? kind.slice(0, 100) : "";
  return { kind: "UnknownRecord", id: typeof id === "string" ? id : "", record_kind: name, reason: "unreadable" };
}

/** An update from the kernel; undefined if it is none that this page knows. */
export function readUpdate(value: unknown): Update | undefined {
  if (!isObject(value)) return undefined;
  const update = Array.isArray(value.events) ? { ...value, events: value.events.map(readRecord) } : value;
  return fits(update, { $ref: "update" }) ? (update as unknown as Update) : undefined;
}

/** The value of a trait, or `otherwise` if it is not what that trait can be. */
export function readTrait<K extends keyof Traits>(name: K, value: unknown, otherwise: Traits[K]): Traits[K] {
  return fits(value, SHAPES.Traits?.properties?.[name]) ? (value as Traits[K]) : otherwise;
}
