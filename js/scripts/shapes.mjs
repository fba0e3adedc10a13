// Writes src/wire/shapes.json (or the file that is named): the part of schema.json that the page checks at run time, namely
// the shapes of updates and traits, without the words. It is a quarter of the size, and it is in the bundle.
import { readFileSync, writeFileSync } from "node:fs";

const schema = JSON.parse(readFileSync("src/wire/schema.json", "utf8"));
const nameOf = (ref) => ref.slice("#/$defs/".length);
const shapes = {};

function slim(node) {
  if (node.$ref !== undefined) {
    keep(nameOf(node.$ref));
    return { $ref: nameOf(node.$ref) };
  }
  if (node.discriminator !== undefined) {
    const { mapping, propertyName } = node.discriminator;
    const kinds = Object.entries(mapping).map(([value, ref]) => [value, nameOf(ref)]);
    for (const [, name] of kinds) keep(name);
    return { by: { field: propertyName, shapes: Object.fromEntries(kinds) } };
  }
  const union = node.anyOf ?? node.oneOf;
  if (union !== undefined) return { anyOf: union.map(slim) };
  const { type, const: only, enum: values, items, properties, required } = node;
  return {
    ...(type !== undefined && { type }),
    ...(only !== undefined && { const: only }),
    ...(values !== undefined && { enum: values }),
    ...(items !== undefined && { items: slim(items) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, slim(field)])),
    }),
    ...(required !== undefined && { required }),
  };
}

function keep(name) {
  if (name in shapes) return;
  shapes[name] = {}; // a shape may contain itself
  shapes[name] = slim(schema.$defs[name]);
}

const { update, event, traits } = schema.properties;
keep("UnknownRecord");
const record = slim(event);
record.by.shapes.UnknownRecord = "UnknownRecord";
Object.assign(shapes, { record, update: slim(update) });
slim(traits);
writeFileSync(process.argv[2] ?? "src/wire/shapes.json", `${JSON.stringify(shapes, null, 1)}\n`);
