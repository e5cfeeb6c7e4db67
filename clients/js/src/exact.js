/** Exact numbers for privacy draws: integer weights for e^epsilon and WebCrypto's random words. No float decides a draw. */

/** Weights are out of this many. */
export const SCALE = 1n << 64n;

/** The bits behind the point of e^epsilon. */
export const FRACTION = 320n;

/** An epsilon, and what every channel needs of it. */
export class Epsilon {
  /** @param {string} text a plain decimal number */
  constructor(text) {
    const [whole, decimals = ""] = text.split(".");
    this.text = text;
    this.numerator = BigInt(whole + decimals);
    this.denominator = 10n ** BigInt(decimals.length);
    /** e^epsilon times 2^320. */
    this.growth = exponential(this.numerator, this.denominator);
  }
}

/**
 * Return e^(numerator/denominator) times 2^320, less a part in 10^50: rounded down, so that no channel is less private
 * than asked for.
 * @param {bigint} numerator @param {bigint} denominator
 */
function exponential(numerator, denominator) {
  const guard = 64n;
  let term = 1n << (FRACTION + guard);
  let sum = term;
  for (let n = 1n; term > 0n; n += 1n) {
    term = (term * numerator) / (denominator * n);
    sum += term;
  }
  return (sum - sum / 10n ** 50n) >> guard;
}

/** Return a uniform 64-bit word. */
export function randomWord() {
  return crypto.getRandomValues(new BigUint64Array(1))[0];
}

/** Return a uniform integer from 0 to `limit - 1`, by rejection: none is favoured. @param {bigint} limit */
export function randomBelow(limit) {
  const fair = SCALE - (SCALE % limit);
  let word = randomWord();
  while (word >= fair) word = randomWord();
  return word % limit;
}

/** Return how many of the rising numbers are at most `value`. @param {readonly number[]} rising @param {number} value */
export function countUpTo(rising, value) {
  let low = 0;
  let high = rising.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (value < rising[middle]) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Return the running sums. @param {readonly number[]} numbers */
export function runningSums(numbers) {
  let sum = 0;
  return numbers.map((number) => (sum += number));
}

/** Return the product, exactly. @param {readonly number[]} numbers */
export function product(numbers) {
  return numbers.reduce((total, number) => total * BigInt(number), 1n);
}
