/**
 * Calibration: what is publicly known of the crowd, and the weights of levels that bring the model to it, as
 * sottovoce.model.calibration has them.
 */

import { levels, span, valueLevels, valuesOf } from "./attributes";
import type { Attribute } from "./exploration";

/** What part of those who answered has one of the levels from `start` up to, not including, `stop`. */
export interface KnownShare {
  readonly start: number;
  readonly stop: number;
  readonly share: number;
}

/** What is known of each attribute, by place; null where nothing is. */
export type Known = readonly (readonly KnownShare[] | null)[];

/** By the place of an attribute, a weight for each of its levels. */
export type Tilts = ReadonlyMap<number, Float64Array>;

/** For every level its cell, and for every cell its share. */
interface Cells {
  readonly cellOf: Uint32Array;
  readonly shares: Float64Array;
}

const [ROUNDS, TOLERANCE, ENOUGH] = [200, 1e-9, 1e-4];
const SUM = 1e-3; // how far from one known shares may add up to

/** Return why shares cannot be what is known of an attribute; nothing if they can. */
export function whyNot(attribute: Attribute, shares: readonly KnownShare[]): string {
  const sum = shares.reduce((total, { share }) => total + share, 0);
  if (shares.some(({ share }) => !(share >= 0))) return "A share is a number from 0 to 100.";
  const together = shares.every(({ start, stop }, place) => start < stop && start === (shares[place - 1]?.stop ?? 0));
  if (!together || shares[shares.length - 1]?.stop !== valueLevels(attribute)) {
    return `The shares must cover all values of ${attribute.name}, each once.`;
  }
  if (!(Math.abs(sum - 1) < SUM)) return `The shares must add up to 100 %; these add up to ${Number((100 * sum).toFixed(2))} %.`;
  return "";
}

/** Return a share as it stands in a link, and what it is of: "0.7~18..40". */
export function shareText(attribute: Attribute, { start, stop, share }: KnownShare): string {
  return `${share}~${attribute.kind === "categorical" ? attribute.values[start] : valuesOf(attribute, start, stop).join("..")}`;
}

/** Return the shares that a link's texts stand for; null if they cannot be what is known of the attribute. */
export function readShares(attribute: Attribute, texts: readonly string[]): readonly KnownShare[] | null {
  const found = texts.map((text) => {
    const [, number, name] = /^([^~]*)~(.*)$/s.exec(text) ?? ["", "", ""];
    const share = number === "" ? NaN : Number(number);
    if (attribute.kind === "categorical") {
      const level = attribute.values.indexOf(name);
      return { start: level, stop: level + 1, share };
    }
    const ends = name.split("..").map(Number);
    const [start, stop] = span(attribute, ends[0], ends[1]);
    return { start, stop, share };
  });
  found.sort((one, other) => one.start - other.start);
  const whole = found.every(({ start, stop }) => Number.isInteger(start) && Number.isInteger(stop));
  return found.length && whole && !whyNot(attribute, found) ? found : null;
}

/** Return the cells of known shares; as many as in the model (`present`) keep giving no answer. */
export function cellsOfKnown(attribute: Attribute, known: readonly KnownShare[], present: Float64Array): Cells {
  const count = valueLevels(attribute);
  const cellOf = new Uint32Array(levels(attribute)).fill(known.length);
  known.forEach(({ start, stop }, cell) => cellOf.fill(cell, start, stop));
  const sum = known.reduce((total, { share }) => total + share, 0);
  const shares = known.map(({ share }) => share / sum);
  if (!attribute.nullable) return { cellOf, shares: Float64Array.from(shares) };
  const silent = present[count];
  return { cellOf, shares: Float64Array.from([...shares.map((share) => share * (1 - silent)), silent]) };
}

/**
 * Return weights per level, by attribute, under which every known cell has its share (iterative proportional fitting).
 *
 * @param marginal An attribute's marginal if levels counted by the weights.
 * @param known For each attribute the cell of every level and the share of every cell.
 */
export function rake(
  marginal: (place: number, weights: Tilts) => Float64Array,
  known: ReadonlyMap<number, Cells>,
): Tilts {
  const weights = new Map([...known].map(([place, { cellOf }]) => [place, new Float64Array(cellOf.length).fill(1)]));
  let worst = 0;
  for (let round = 0; round < ROUNDS; round++) {
    worst = 0;
    for (const [place, { cellOf, shares }] of known) {
      const present = new Float64Array(shares.length);
      marginal(place, weights).forEach((part, level) => (present[cellOf[level]] += part));
      if (shares.some((share, cell) => share > 0 && present[cell] <= 0)) {
        throw new Error("The model sees nobody where a known share is above 0: join it with its neighbours.");
      }
      shares.forEach((share, cell) => (worst = Math.max(worst, Math.abs(present[cell] - share))));
      const own = weights.get(place) as Float64Array;
      weights.set(place, own.map((weight, level) => {
        const cell = cellOf[level];
        return shares[cell] > 0 ? (weight * shares[cell]) / Math.max(present[cell], 1e-300) : 0;
      }));
    }
    if (worst < TOLERANCE) return weights;
  }
  if (worst > ENOUGH) {
    throw new Error(
      `No weights bring all shares to what is known: after ${ROUNDS} rounds one is still off by ` +
        `${worst.toPrecision(2)}. Calibrate to fewer attributes, or to broader bands.`,
    );
  }
  return weights;
}
