/** Numbers and filters as people read them, and as SQL that `model.answer` takes. */

import { domain, valueLevels } from "./attributes";
import type { Attribute, Exploration, Ordered } from "./exploration";
import type { Filter, Filters } from "./filters";

const SPACE = "\u00a0";
const GROUPED = new Intl.NumberFormat("en", { maximumFractionDigits: 20 });
const PLAIN = new Intl.NumberFormat("en", { maximumFractionDigits: 20, useGrouping: false });

/** Return a value of an attribute; thousands are grouped where values have five digits, and not in years. */
export function valueWords(attribute: Ordered, value: number): string {
  const large = Math.max(...domain(attribute).map(Math.abs)) >= 10_000;
  const rounded = Math.abs(value) < 1 ? Number(value.toPrecision(6)) : Math.round(value * 1e6) / 1e6;
  return (large ? GROUPED : PLAIN).format(rounded);
}

/** Return a number about an attribute, such as its mean, to about three digits of the range of its values. */
export function roundedWords(attribute: Ordered, value: number): string {
  const [least, most] = domain(attribute);
  const digits = Math.min(Math.max(0, 2 - Math.floor(Math.log10(most - least))), 20);
  const grouped = Math.max(Math.abs(least), Math.abs(most)) >= 10_000;
  const form = { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: grouped };
  return value.toLocaleString("en", form);
}

/** Return a whole number of people or reports. */
export function count(value: number): string {
  return GROUPED.format(Math.round(value));
}

/** Return a fraction in percent, with more digits where it is small. */
export function percent(fraction: number): string {
  return `${digits(fraction)}${SPACE}%`;
}

/** Return an interval in percent. */
export function percents(low: number, high: number): string {
  return `${digits(low)}–${digits(high)}${SPACE}%`;
}

/** Return what an interval of a level is called; 100 * 0.58 is not quite 58. */
export function intervalWords(level: number): string {
  return `${Number((100 * level).toPrecision(6))}${SPACE}% interval`;
}

function digits(fraction: number): string {
  return (100 * fraction).toFixed(fraction > 0 && fraction < 0.01 ? 2 : 1);
}

/** Return what a level stands for. */
export function levelWords(attribute: Attribute, level: number): string {
  if (level >= valueLevels(attribute)) return "no answer";
  if (attribute.kind === "categorical") return attribute.values[level];
  if (attribute.kind === "ordinal") return valueWords(attribute, attribute.low + level);
  return `${valueWords(attribute, attribute.boundaries[level])}–${valueWords(attribute, attribute.boundaries[level + 1])}`;
}

/** Return what a filter chooses of its attribute, such as "30 to 50". */
export function choiceWords(attribute: Attribute, filter: Filter): string {
  if ("levels" in filter || attribute.kind === "categorical") {
    const chosen = "levels" in filter ? filter.levels : [];
    return listed(
      chosen.map((level) => levelWords(attribute, level)),
      "or",
    );
  }
  if (filter.range === null) return "no answer";
  const [low, high] = filter.range;
  const [least, most] = domain(attribute);
  const number = (value: number) => valueWords(attribute, value);
  const or = filter.missing ? " or no answer" : "";
  if (low <= least && high >= most) return `any${or}`;
  if (low === high) return `${number(low)}${or}`;
  if (low <= least) return `up to ${number(high)}${or}`;
  return high >= most ? `${number(low)} or more${or}` : `${number(low)} to ${number(high)}${or}`;
}

/** Return the whole query in words. */
export function queryWords(about: Exploration, filters: Filters): string {
  const parts = chosen(about, filters).map(
    ([attribute, filter]) => `${attribute.name} ${choiceWords(attribute, filter)}`,
  );
  return parts.length ? listed(parts, "and") : "everybody";
}

/** Return the whole query as SQL, as it would stand behind WHERE. */
export function querySql(about: Exploration, filters: Filters): string {
  const parts = chosen(about, filters).map(([attribute, filter]) => filterSql(attribute, filter));
  if (parts.length === 1) return parts[0].replace(/^\((.*)\)$/s, "$1");
  return parts.join(" AND ") || "TRUE";
}

function filterSql(attribute: Attribute, filter: Filter): string {
  const silence = `${attribute.sql} IS NULL`;
  if (attribute.kind === "categorical") {
    const chosenLevels = "levels" in filter ? filter.levels : [];
    const values = chosenLevels
      .filter((level) => level < attribute.values.length)
      .map((level) => attribute.values[level]);
    const list = `${attribute.sql} IN (${values.map((value) => `'${value.replaceAll("'", "''")}'`).join(", ")})`;
    if (values.length === chosenLevels.length) return list;
    return values.length ? `(${list} OR ${silence})` : silence;
  }
  const range = "range" in filter ? filter.range : null;
  if (range === null) return silence;
  const between = `${attribute.sql} BETWEEN ${range[0]} AND ${range[1]}`;
  return "missing" in filter && filter.missing ? `(${between} OR ${silence})` : between;
}

function chosen(about: Exploration, filters: Filters): [Attribute, Filter][] {
  return about.attributes.flatMap((attribute, place) => {
    const filter = filters[place] ?? null;
    return filter === null ? [] : [[attribute, filter] as [Attribute, Filter]];
  });
}

function listed(words: readonly string[], last: string): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} ${last} ${words[words.length - 1]}`;
}
