/** Filters: what is chosen of each attribute, in the user's own values, and where that lies among the levels. */

import { domain, levels, span, valueLevels } from "./attributes";
import type { Attribute, Ordered } from "./exploration";

/** Of an ordered attribute: a range, both ends included, and whether "no answer" is chosen too. */
export interface RangeFilter {
  readonly range: readonly [number, number] | null;
  readonly missing: boolean;
}

/** Of a categorical attribute: the chosen levels, in order; "no answer" is the last. */
export interface LevelsFilter {
  readonly levels: readonly number[];
}

export type Filter = RangeFilter | LevelsFilter;

/** What is chosen of each attribute, by place; null where nothing is. */
export type Filters = readonly (Filter | null)[];

/** Disjoint stretches of the axis of levels, in order. */
export type Region = readonly (readonly [number, number])[];

/** Return the range filter in its standard form; null if it chooses nothing or everything. */
export function rangeFilter(
  attribute: Ordered,
  range: readonly [number, number] | null,
  missing: boolean,
): RangeFilter | null {
  const [least, most] = domain(attribute);
  const silent = missing && attribute.nullable;
  if (range === null) return silent ? { range, missing: true } : null;
  const whole = attribute.kind === "ordinal" ? (value: number) => Math.round(value) : (value: number) => value;
  const ends = range.map((value) => Math.min(Math.max(whole(value), least), most)).sort((a, b) => a - b);
  const [start, stop] = span(attribute, ends[0], ends[1]);
  if (start >= stop) return silent ? { range: null, missing: true } : null;
  if (start <= 0 && stop >= valueLevels(attribute) && (silent || !attribute.nullable)) return null;
  return { range: [ends[0], ends[1]], missing: silent };
}

/** Return the levels filter in its standard form; null if it chooses nothing or everything. */
export function levelsFilter(attribute: Attribute, chosen: Iterable<number>): LevelsFilter | null {
  const size = levels(attribute);
  const known = [...new Set(chosen)].filter((level) => level >= 0 && level < size).sort((a, b) => a - b);
  return known.length && known.length < size ? { levels: known } : null;
}

/** Return the stretches of levels that a filter chooses. */
export function region(attribute: Attribute, filter: Filter): Region {
  if ("levels" in filter) return filter.levels.map((level) => [level, level + 1] as const);
  if (attribute.kind === "categorical") return [];
  const pieces: [number, number][] = filter.range ? [span(attribute, ...filter.range)] : [];
  if (filter.missing) pieces.push([valueLevels(attribute), levels(attribute)]);
  return pieces;
}

/** Return the weight of every level in a region: 1 inside, 0 outside, a fraction where a level is covered in part. */
export function regionWeights(chosen: Region, size: number): Float64Array {
  const weights = new Float64Array(size);
  for (const [start, stop] of chosen) {
    for (let level = Math.floor(start); level < Math.min(stop, size); level++) {
      weights[level] += Math.min(stop, level + 1) - Math.max(start, level);
    }
  }
  return weights;
}
