/** Attributes: levels, and where the user's own values lie among them. Level i is the stretch from i to i + 1. */

import type { Attribute, Ordered } from "./exploration";

const MOST_CELLS = 32;

/** Levels that a map draws as one cell: from `start` up to, not including, `stop`. */
export interface Cell {
  readonly start: number;
  readonly stop: number;
}

/** Return how many levels stand for values, "no answer" not counted. */
export function valueLevels(attribute: Attribute): number {
  if (attribute.kind === "ordinal") return attribute.high - attribute.low + 1;
  return attribute.kind === "numeric" ? attribute.boundaries.length - 1 : attribute.values.length;
}

/** Return how many levels there are, "no answer" included. */
export function levels(attribute: Attribute): number {
  return valueLevels(attribute) + Number(attribute.nullable);
}

/** Return the cells of an attribute on a map, fine levels joined; "no answer" is one of its own. */
export function cellsOf(attribute: Attribute): Cell[] {
  const count = valueLevels(attribute);
  const step = attribute.kind === "categorical" ? 1 : Math.ceil(count / MOST_CELLS);
  const cells = Array.from({ length: Math.ceil(count / step) }, (_, place) => ({
    start: place * step,
    stop: Math.min(count, (place + 1) * step),
  }));
  return attribute.nullable ? [...cells, { start: count, stop: count + 1 }] : cells;
}

/** Return the smallest and the largest value. */
export function domain(attribute: Ordered): readonly [number, number] {
  if (attribute.kind === "ordinal") return [attribute.low, attribute.high];
  return [attribute.boundaries[0], attribute.boundaries[attribute.boundaries.length - 1]];
}

/** Return where level `level` begins on an axis of values; an integer is drawn half a unit to either side. */
export function edge(attribute: Ordered, level: number): number {
  return attribute.kind === "ordinal" ? attribute.low + level - 0.5 : attribute.boundaries[level];
}

/** Return the values, both included, that the levels from `first` up to, not including, `last` hold. */
export function valuesOf(attribute: Ordered, first: number, last: number): [number, number] {
  if (attribute.kind === "ordinal") return [attribute.low + first, attribute.low + last - 1];
  return [attribute.boundaries[first], attribute.boundaries[last]];
}

/** Return where values from low to high, both included, lie on the axis of levels; linear within a numeric bin. */
export function span(attribute: Ordered, low: number, high: number): [number, number] {
  if (attribute.kind === "numeric") return [position(attribute.boundaries, low), position(attribute.boundaries, high)];
  const most = valueLevels(attribute);
  const cut = (place: number) => Math.min(Math.max(place - attribute.low, 0), most);
  return [cut(Math.ceil(low)), cut(Math.floor(high) + 1)];
}

/** Return the value of every level of an ordered attribute, "no answer" left out; a bin's is its middle. */
export function levelValues(attribute: Ordered): Float64Array {
  return Float64Array.from({ length: valueLevels(attribute) }, (_, level) =>
    attribute.kind === "ordinal"
      ? attribute.low + level
      : (attribute.boundaries[level] + attribute.boundaries[level + 1]) / 2,
  );
}

/** Return the value at a position on the axis of levels: an integer, or a point within a numeric bin. */
export function valueAt(attribute: Ordered, position: number): number {
  const last = valueLevels(attribute) - 1;
  if (attribute.kind === "ordinal") {
    return attribute.low + Math.min(Math.max(Math.ceil(position - 1e-9) - 1, 0), last);
  }
  const level = Math.min(Math.max(Math.floor(position), 0), last);
  const [start, stop] = [attribute.boundaries[level], attribute.boundaries[level + 1]];
  return start + (position - level) * (stop - start);
}

function position(boundaries: readonly number[], value: number): number {
  const last = boundaries.length - 1;
  if (value <= boundaries[0]) return 0;
  if (value >= boundaries[last]) return last;
  let place = 0;
  let above = last;
  while (above - place > 1) {
    const middle = (place + above) >> 1;
    if (boundaries[middle] <= value) place = middle;
    else above = middle;
  }
  return place + (value - boundaries[place]) / (boundaries[place + 1] - boundaries[place]);
}
