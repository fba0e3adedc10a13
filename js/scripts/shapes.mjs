// Writes src/wire/shapes.json (or the file that is named): what the page checks at run time, taken from schema.json. It is in
// the bundle, so it holds the shapes of updates and traits only, in few characters; src/wire/shapes.ts says how to read them.
import { readFileSync, writeFileSync } from "node:fs";

const schema = JSON.parse(readFileSync("src/wire/schema.json", "utf8"));
const shapes = {};
/** What is only reached by the value of one of its fields need not check that field again. */
const told = new Map();

/** The name behind a reference; its shape is kept too. */
function named(ref) {
  const name = ref.slice("#/$defs/".length);
  if (!(name in shapes)) {
    shapes[name] = ""; // a shape may contain itself
    shapes[name] = shapeOf(schema.$defs[name]);
  }
  return name;
}

function shapeOf(node) {
  if (node.$ref !== undefined) return `#${named(node.$ref)}`;
  if (node.discriminator !== undefined) {
    const { mapping, propertyName } = node.discriminator;
    const of = Object.entries(mapping).map(([value, ref]) => [value, shapeOf({ $ref: ref })]);
    for (const [, shape] of of) told.set(shape.slice(1), propertyName);
    return { by: propertyName, of: Object.fromEntries(of) };
  }
  const union = node.anyOf ?? node.oneOf;
  if (union !== undefined) return { any: union.map(shapeOf) };
  if (node.const !== undefined) return { is: [node.const] };
  if (node.enum !== undefined) return { is: node.enum };
  if (node.items !== undefined) return { many: shapeOf(node.items) };
  if (node.properties === undefined) return node.type ?? "any";
  const fields = Object.entries(node.properties).map(([name, field]) => [name, shapeOf(field)]);
  const required = new Set(node.required);
  const may = fields.filter(([name]) => !required.has(name));
  return {
    has: Object.fromEntries(fields.filter(([name]) => required.has(name))),
    ...(may.length > 0 && { may: Object.fromEntries(may) }),
  };
}

const { update, traits } = schema.properties;
shapes.update = shapeOf(update);
shapeOf(traits);
// A record of a batch is checked one by one, so that a single bad one does not spoil the rest.
const [event, unknown] = shapes.Events.has.events.many.any;
shapes.record = { by: event.by, of: { ...event.of, UnknownRecord: unknown } };
shapes.Events.has.events = { many: "#record" };

for (const [name, field] of told) delete shapes[name].has[field];

/** How often each name is named. */
const uses = new Map();
JSON.stringify(shapes, (_, value) => {
  if (typeof value === "string" && value[0] === "#") uses.set(value, (uses.get(value) ?? 0) + 1);
  return value;
});

/** A shape that only one other names stands in that one. */
function withoutNames(shape) {
  if (typeof shape === "string") {
    const name = shape.slice(1);
    if (shape[0] !== "#" || uses.get(shape) > 1 || name === "record") return shape;
    const inner = withoutNames(shapes[name]);
    delete shapes[name];
    return inner;
  }
  const fields = (has) => Object.fromEntries(Object.entries(has).map(([name, field]) => [name, withoutNames(field)]));
  if (shape.any !== undefined) return { any: shape.any.map(withoutNames) };
  if (shape.many !== undefined) return { many: withoutNames(shape.many) };
  if (shape.by !== undefined) return { by: shape.by, of: fields(shape.of) };
  return shape.has === undefined ? shape : { has: fields(shape.has), may: fields(shape.may ?? {}) };
}

for (const name of Object.keys(shapes)) if (name in shapes) shapes[name] = withoutNames(shapes[name]);

/** Fields of every record: they stand first. */
const COMMON = ["command_id", "id", "timestamp"];
/** What is written often has a sign. */
const SIGNS = {
  "^": "command_id:s|0,id,timestamp",
  "!": "source:'environment'",
  "~": "source:'user'",
  "%": "tool_call_id,tool_name",
  "=": "input_event_id:s|0",
  $: ":s|0",
};

const LETTERS = { integer: "i", number: "n", boolean: "b", object: "o", array: "a", null: "0", any: "*" };

function written(shape) {
  if (typeof shape === "string") return shape[0] === "#" || shape === "string" ? shape : LETTERS[shape];
  if (shape.is !== undefined) return shape.is.map((value) => JSON.stringify(value).replaceAll('"', "'")).join("|");
  if (shape.any !== undefined) return shape.any.map(plain).join("|");
  if (shape.many !== undefined) return `[${plain(shape.many)}]`;
  if (shape.by !== undefined) {
    return `<${shape.by}:${Object.entries(shape.of)
      .map(([value, one]) => value + plain(one))
      .join(",")}>`;
  }
  const fields = [
    ...Object.entries(shape.has),
    ...Object.entries(shape.may ?? {}).map(([name, field]) => [`${name}?`, field]),
  ];
  fields.sort(([one], [other]) => COMMON.includes(other) - COMMON.includes(one));
  return `{${fields.map(([name, field]) => (field === "string" ? name : `${name}:${plain(field)}`)).join(",")}}`;
}

function plain(shape) {
  return shape === "string" ? "s" : written(shape);
}

/** The text with the signs in it. */
function signed(text) {
  const taken = Object.keys(SIGNS).find((sign) => text.includes(sign));
  if (taken !== undefined) throw new Error(`a name or a value contains "${taken}": choose another sign`);
  return Object.entries(SIGNS).reduce((all, [sign, often]) => all.replaceAll(often, () => sign), text);
}

const texts = {
  ...Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, signed(plain(shape))])),
  ...SIGNS,
};
writeFileSync(process.argv[2] ?? "src/wire/shapes.json", `${JSON.stringify(texts, null, 2)}\n`);
