// What Markdown becomes: plain values, which `components/Markdown.tsx` draws. There is no kind for HTML: tags are text.

export type Inline =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "code"; readonly text: string }
  | { readonly type: "break" }
  /** A picture is named, never loaded. */
  | { readonly type: "image"; readonly address: string; readonly text: string }
  | Around;

/** Something around other inline nodes; `raw` is its source, for when it stands too deep to be drawn. */
export type Around =
  | { readonly type: "strong" | "em" | "del"; readonly children: readonly Inline[]; readonly raw: string }
  | {
      readonly type: "link";
      readonly address: string;
      readonly children: readonly Inline[];
      /** The words of the link as they stand in the source. */
      readonly text: string;
      readonly raw: string;
    };

export type Align = "left" | "center" | "right" | null;

export interface Item {
  /** Null where the item is no task. */
  readonly done: boolean | null;
  readonly blocks: readonly Block[];
}

/** Inline source stays a string: it is parsed when it is drawn. */
export type Block =
  | { readonly type: "heading"; readonly level: number; readonly text: string }
  | { readonly type: "paragraph"; readonly text: string }
  | { readonly type: "code"; readonly text: string }
  | { readonly type: "quote"; readonly blocks: readonly Block[] }
  | { readonly type: "rule" }
  | {
      readonly type: "list";
      /** The first number of an ordered list, else null. */
      readonly start: number | null;
      /** Its items stand close, without space between their paragraphs. */
      readonly tight: boolean;
      readonly items: readonly Item[];
    }
  | {
      readonly type: "table";
      readonly align: readonly Align[];
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  /** Nested too deep: shown as it is. */
  | { readonly type: "plain"; readonly text: string };
