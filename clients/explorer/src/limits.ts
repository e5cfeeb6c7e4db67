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

/** Return the limits of a fraction whose error is normal: so many standard errors to either side, cut to 0 and 1. */
export function normalLimits(value: number, variance: number, factor: number): Limits {
  const reach = factor * Math.sqrt(variance);
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

/** A fraction and where it lies. */
interface Limited {
  readonly fraction: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Return the limits of one fraction less another, by variance recovery: lopsided limits stay lopsided.
 *
 * @param one The one.
 * @param other The other.
 * @param variances Of the one, of the other, and of their difference.
 */
export function differenceLimits(one: Limited, other: Limited, variances: readonly [number, number, number]): Limits {
  const [own, its, apart] = variances;
  const both = 2 * Math.sqrt(own * its);
  const sound = both > 0 && Number.isFinite(own + its + apart);
  const correlation = sound ? Math.min(Math.max((own + its - apart) / both, -1), 1) : 0;
  const join = (left: number, right: number) =>
    Math.sqrt(Math.max(left ** 2 + right ** 2 - 2 * correlation * left * right, 0));
  const value = one.fraction - other.fraction;
  const below = join(one.fraction - one.low, other.high - other.fraction);
  const above = join(one.high - one.fraction, other.fraction - other.low);
  return [Math.max(-1, value - below), Math.min(1, value + above)];
}
