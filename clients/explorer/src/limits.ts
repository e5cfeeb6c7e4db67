/** Where the truth lies: limits of fractions and of ratios, as sottovoce.model.belief has them. */

/** A lower and an upper limit. */
export type Limits = readonly [number, number];

/** What is known of the errors of some numbers. */
export interface Known {
  /** Their variances; infinite where they are not known. */
  readonly variance: Float64Array;
  /** How much was measured rather than assumed, from 0 to 1; NaN where that is not known. */
  readonly evidence: Float64Array;
}

/** Return what is known where nothing is. */
export function unknown(count: number): Known {
  return { variance: new Float64Array(count).fill(Infinity), evidence: new Float64Array(count).fill(NaN) };
}

/** Return the limits of a fraction whose error is normal: so far to either side, cut to 0 and 1. */
export function normalLimits(value: number, reach: number): Limits {
  if (!Number.isFinite(reach)) return [0, 1];
  return [Math.max(0, value - reach), Math.min(1, value + reach)];
}

/**
 * Return the limits of a ratio by Fieller's theorem, which hold for small groups too.
 *
 * @param value The ratio.
 * @param variances Of top - value * bottom, and of the bottom, both as parts of the bottom; of the one less the other.
 * @param factor How many standard errors limits of a normal error reach.
 * @param bounds What the ratio lies between.
 */
export function ratioLimits(
  value: number,
  variances: readonly [number, number, number],
  factor: number,
  bounds: Limits,
): Limits {
  const [own, bottom, apart] = variances;
  const square = factor ** 2;
  const leading = 1 - square * bottom;
  if (!Number.isFinite(own + bottom) || leading <= 0) return bounds;
  const most = Math.sqrt(own * bottom);
  const covariance = Number.isFinite(apart) ? Math.min(Math.max((own + bottom - apart) / 2, -most), most) : 0;
  const middle = -square * covariance;
  const root = Math.sqrt(Math.max(middle ** 2 + leading * square * own, 0));
  const [low, high] = [value + (middle - root) / leading, value + (middle + root) / leading];
  return [Math.max(bounds[0], Math.min(low, value)), Math.min(bounds[1], Math.max(high, value))];
}

/** A fraction whose error is normal, and how far its limits reach to either side before they are cut. */
interface Reaching {
  readonly fraction: number;
  readonly reach: number;
}

/**
 * Return the limits of one fraction less another, by variance recovery, within what the limits of both allow.
 *
 * @param one The one.
 * @param other The other.
 * @param variances Of the one, of the other, and of their difference.
 */
export function differenceLimits(one: Reaching, other: Reaching, variances: readonly [number, number, number]): Limits {
  const [own, its, apart] = variances;
  const both = 2 * Math.sqrt(own * its);
  const sound = both > 0 && Number.isFinite(own + its + apart);
  const correlation = sound ? Math.min(Math.max((own + its - apart) / both, -1), 1) : 0;
  const [left, right] = [one, other].map(({ fraction, reach }) => normalLimits(fraction, reach));
  const most: Limits = [left[0] - right[1], left[1] - right[0]];
  if (!Number.isFinite(one.reach + other.reach)) return most;
  const square = one.reach ** 2 + other.reach ** 2 - 2 * correlation * one.reach * other.reach;
  const [value, reach] = [one.fraction - other.fraction, Math.sqrt(Math.max(square, 0))];
  return [Math.max(most[0], value - reach), Math.min(most[1], value + reach)];
}
