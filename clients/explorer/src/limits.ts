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

/**
 * Return limits of a fraction that reach further towards one half: what is normal is rather the arcsine of its root.
 *
 * @param value The fraction.
 * @param limits Its limits if its own error is normal; not yet cut to 0 and 1.
 * @param most How far the expansion is trusted.
 */
export function lopsided(value: number, limits: Limits, most = 1): Limits {
  const [low, high] = limits;
  if (!(value >= 0 && value <= 1 && Number.isFinite(high - low))) return limits;
  const curved = 4 * value * (1 - value);
  const further = (distance: number) => distance * (curved > 0 ? Math.min(distance / curved, most) : most);
  return [
    low - further(value - low) * Math.max(2 * value - 1, 0),
    high + further(high - value) * Math.max(1 - 2 * value, 0),
  ];
}

/** Return the limits of a fraction that reach so many to either side, lopsided and cut to 0 and 1. */
export function normalLimits(value: number, reach: number): Limits {
  if (!Number.isFinite(reach)) return [0, 1];
  const [low, high] = lopsided(value, [value - reach, value + reach]);
  return [Math.max(0, low), Math.min(1, high)];
}

/**
 * Return the limits of a ratio by Fieller's theorem, which hold for small groups too; the bottom is never nothing, so
 * its lower limit is that of an error that is a factor.
 *
 * @param value The ratio.
 * @param variances Of top - value * bottom, and of the bottom, both as parts of the bottom; of the one less the other.
 * @param factor How many standard errors limits of a normal error reach.
 * @param range What the ratio lies between; it is a fraction unless that is given.
 */
export function ratioLimits(
  value: number,
  variances: readonly [number, number, number],
  factor: number,
  range: Limits | null,
): Limits {
  const bounds: Limits = range ?? [0, 1];
  const [own, bottom, apart] = variances;
  if (!Number.isFinite(own + bottom)) return bounds;
  const square = factor ** 2;
  const reach = factor * Math.sqrt(bottom);
  const least = Math.exp(-reach); // of the bottom, as a part of its value
  const leading = least * (2 - least);
  if (!(leading > 0)) return bounds;
  const most = Math.sqrt(own * bottom);
  const covariance = Number.isFinite(apart) ? Math.min(Math.max((own + bottom - apart) / 2, -most), most) : 0;
  const middle = -square * covariance * (reach > 0 ? (1 - least) / reach : 1);
  const product = square * own;
  const root = Math.sqrt(Math.max(middle ** 2 + leading * product, 0));
  // both roots of leading x^2 - 2 middle x - product; that of the other sign by their product, as nothing cancels
  const above = middle < 0 ? product / (root - middle) : (middle + root) / leading;
  const below = middle > 0 ? product / (root + middle) : (root - middle) / leading;
  const limits: Limits = [value - below, value + above];
  const [low, high] = range === null ? lopsided(value, limits) : limits;
  return [Math.max(bounds[0], low), Math.min(bounds[1], high)];
}

/** A fraction, and how far its limits reach to either side before they are lopsided and cut. */
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
  const [ownUncut, itsUncut] = [one, other].map(({ fraction, reach }) =>
    lopsided(fraction, [fraction - reach, fraction + reach]),
  );
  const [down, up] = [one.fraction - ownUncut[0], ownUncut[1] - one.fraction];
  const [itsDown, itsUp] = [other.fraction - itsUncut[0], itsUncut[1] - other.fraction];
  // what the two errors have in common moves both the same way, and cancels as far as it is of the same size
  const common = Math.abs(Math.min(down, up) - Math.min(itsDown, itsUp));
  const shared = Math.abs(correlation);
  const joined = (left: number, right: number) => {
    const together = correlation < 0 ? left + right : common;
    return Math.sqrt((1 - shared) * (left ** 2 + right ** 2) + shared * together ** 2);
  };
  const value = one.fraction - other.fraction;
  return [Math.max(most[0], value - joined(down, itsUp)), Math.min(most[1], value + joined(up, itsDown))];
}
