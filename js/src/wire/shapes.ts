// Reads the shapes of shapes.json, which are written in few characters because they are part of the bundle:
//
//   s i n b o a 0 *          a string, an integer, a number, a boolean, an object, an array, null, anything
//   'text'  1                this value
//   #Name                    the shape of that name
//   [shape]                  an array of such
//   one|other                one of these
//   {name,other?:shape}      an object with these fields, strings where nothing is said, and perhaps those with a ?
//   ^ ! ~ % = $              what stands under this name
//   <kind:value shape,...>   the shape that this field's value chooses; no space stands between the two

/** A JSON type, the name of a shape after `#`, or one of these: */
export type Shape =
  | string
  | { readonly is: readonly unknown[] } // one of these values
  | { readonly any: readonly Shape[] } // one of these shapes
  | { readonly many: Shape } // an array
  | { readonly by: string; readonly of: Fields } // the shape that this field's value chooses
  | { readonly has: Fields; readonly may?: Fields }; // an object with these fields, and perhaps those

type Fields = Readonly<Record<string, Shape>>;

const TYPES: Readonly<Record<string, string>> = {
  s: "string",
  i: "integer",
  n: "number",
  b: "boolean",
  o: "object",
  a: "array",
  "0": "null",
  "*": "any",
};

export function readShapes(written: Readonly<Record<string, string>>): Readonly<Record<string, Shape>> {
  const read = (text: string) => new Reader(text.replace(/[\^!~%=$]/g, (sign) => written[sign] ?? sign)).shape();
  const named = Object.entries(written).filter(([name]) => /\w/.test(name));
  return Object.fromEntries(named.map(([name, text]) => [name, read(text)]));
}

class Reader {
  readonly #words: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#words = text.match(/'[^']*'|#?\w+\??|./g) ?? [];
  }

  shape(): Shape {
    const any: Shape[] = [];
    do any.push(this.#one());
    while (this.#takes("|"));
    const [first] = any;
    return any.length > 1 || first === undefined ? { any } : first;
  }

  #one(): Shape {
    const word = this.#next();
    if (word === "[") return this.#closed("]", { many: this.shape() });
    if (word === "{") return this.#fields();
    if (word === "<") return this.#tagged();
    if (word[0] === "#") return word;
    if (word[0] === "'") return { is: [word.slice(1, -1)] };
    return TYPES[word] ?? { is: [JSON.parse(word)] };
  }

  #fields(): Shape {
    const has: Record<string, Shape> = {};
    const may: Record<string, Shape> = {};
    while (!this.#takes("}")) {
      const name = this.#next();
      const fields = name.endsWith("?") ? may : has;
      fields[name.replace("?", "")] = this.#takes(":") ? this.shape() : "string";
      this.#takes(",");
    }
    return { has, may };
  }

  #tagged(): Shape {
    const by = this.#next();
    const of: Record<string, Shape> = {};
    while (!this.#takes(">")) {
      this.#next(); // the colon, or a comma
      const value = this.#next();
      of[value] = this.#one();
    }
    return { by, of };
  }

  #closed<S>(bracket: string, shape: S): S {
    this.#takes(bracket);
    return shape;
  }

  #takes(word: string): boolean {
    if (this.#words[this.#at] !== word) return false;
    this.#at += 1;
    return true;
  }

  #next(): string {
    this.#at += 1;
    return this.#words[this.#at - 1] ?? "";
  }
}
