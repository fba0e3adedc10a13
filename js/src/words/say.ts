// Texts by short ids, so that the page can be translated: one flat table per language. Numbers and times follow the language.
import { EN } from "./en";

export type WordId = keyof typeof EN;
type Values = Readonly<Record<string, string | number>>;

const TABLES: Readonly<Record<string, Partial<Record<WordId, string>>>> = { en: EN };

/** The language of the page, else that of the browser; one whose name makes no sense falls back to English. */
export function languageOf(page: string, browser: string): string {
  for (const name of [page, browser]) {
    try {
      if (name !== "") return Intl.getCanonicalLocales(name)[0] ?? "en";
    } catch {} // a page can claim any language
  }
  return "en";
}

const RIGHT_TO_LEFT = /^(?:ar|dv|fa|he|ps|sd|ug|ur|yi)\b/;

/** The direction of a language. */
export function directionOf(name: string): "ltr" | "rtl" {
  return RIGHT_TO_LEFT.test(name) ? "rtl" : "ltr";
}

const language = languageOf(document.documentElement.lang, navigator.language);
const table = TABLES[language.split("-", 1)[0] ?? "en"] ?? EN;
/** The language that the words really are in, which need not be that of the page around. */
export const wordsIn = table === EN ? "en" : language;
const number = new Intl.NumberFormat(language);
const percentage = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 });
const plural = new Intl.PluralRules(language);
const clock = new Intl.DateTimeFormat(language, { hour: "numeric", minute: "2-digit" });
const day = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });

/** The text with this id, its places filled; numbers are formatted. */
export function say(id: WordId, values: Values = {}): string {
  return (table[id] ?? EN[id]).replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name];
    return value === undefined ? place : typeof value === "number" ? number.format(value) : value;
  });
}

/** Texts that come in plural forms. */
type Counted = WordId extends infer Id ? (Id extends `${infer Stem}.other` ? Stem : never) : never;

/** The plural form of a text: `resets` stands for `resets.one`, `resets.other` and so on. */
export function sayCount(id: Counted, count: number): string {
  const form = `${id}.${plural.select(count)}` as WordId;
  return say(form in EN ? form : `${id}.other`, { count });
}

/** An id, as much of it as one compares by eye. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}

export function percent(fraction: number): string {
  return percentage.format(fraction);
}

/** US dollars, as exactly as they mean something. */
export function money(dollars: number): string {
  const digits = dollars !== 0 && dollars < 1 ? 4 : 2;
  const options = { style: "currency", currency: "USD", maximumFractionDigits: digits } as const;
  return new Intl.NumberFormat(language, options).format(dollars);
}

const UNITS = [
  [1, "B"],
  [1_000, "KB"],
  [1_000_000, "MB"],
] as const;

/** A part of so many bytes, as they are usually told: "12 of 840 KB", "12 KB of 3.4 MB". */
export function share(part: number, whole: number): string {
  const [one, all] = [sized(part), sized(whole)];
  return say("share", {
    part: one.unit === all.unit ? one.value : `${one.value} ${one.unit}`,
    whole: `${all.value} ${all.unit}`,
  });
}

function sized(bytes: number): { value: string; unit: string } {
  const [size, unit] = UNITS.findLast(([size]) => bytes >= size) ?? UNITS[0];
  const value = bytes / size;
  const digits = unit === "B" || value >= 10 ? 0 : 1;
  return { value: new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value), unit };
}

/** A duration in milliseconds, as short as it can be read: 0.4 s, 12 s, 3 min 20 s. */
export function duration(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000;
  if (seconds < 10) return `${new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(seconds)} s`;
  if (seconds < 60) return `${number.format(Math.floor(seconds))} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${number.format(minutes)} min ${number.format(Math.floor(seconds % 60))} s`;
  return `${number.format(Math.floor(minutes / 60))} h ${number.format(minutes % 60)} min`;
}

/** The time of day of a timestamp; empty for what is no time. */
export function timeOf(timestamp: string): string {
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? "" : clock.format(time);
}

export function dateOf(timestamp: string): string {
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? timestamp : day.format(time);
}
