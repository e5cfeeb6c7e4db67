import { bigEndian, sha256 } from "../digest.js";
import { PlanError } from "../errors.js";
import { exponential, FRACTION, randomBelow, randomWord, SCALE } from "../exact.js";
import { RandomisedResponse } from "./grr.js";

const MAX_CELLS = 1n << 20n;

/**
 * Local hashing: cells stand on points of F_q^t; the code is a random non-zero vector and the randomised response to
 * its product with the point, in one integer.
 */
export class LocalHash {
  /** @param {bigint} cells @param {string} epsilon */
  constructor(cells, epsilon) {
    this.prime = bestPrime(epsilon);
    if (cells > MAX_CELLS || cells <= this.prime) {
      throw new PlanError(`local hashing takes ${this.prime + 1n} to ${MAX_CELLS} cells, got ${cells}`);
    }
    this.cells = cells;
    this.response = new RandomisedResponse(this.prime, epsilon);
    this.digits = 1;
    this.points = this.prime;
    for (; this.points < cells; this.digits += 1) this.points *= this.prime;
    this.vectors = this.points - 1n;
    this.codes = this.vectors * this.prime;
    this.scale = this.vectors * SCALE;
    /** @type {[bigint, bigint][]} */ this.rounds = [];
    const bits = (this.points - 1n).toString(2).length;
    this.mask = (1n << BigInt(bits)) - 1n;
    this.shift = BigInt((bits + 1) >> 1);
  }

  /** Compute the constants of the public permutation that places the cells. @param {string} seed */
  async place(seed) {
    for (let round = 0; round < 4; round += 1) {
      const digest = await sha256(`sottovoce placement ${seed} ${this.points} ${round}`);
      this.rounds.push([(bigEndian(digest, 0) & this.mask) | 1n, bigEndian(digest, 8) & this.mask]);
    }
  }

  /** The probability that a code speaks for the cell its sender is in. */
  get truthful() {
    return this.response.truthful;
  }

  /** Return the number of the point on which a cell stands. @param {bigint} cell */
  point(cell) {
    let point = cell;
    do {
      for (const [multiplier, addend] of this.rounds) {
        point = (point * multiplier + addend) & this.mask;
        point ^= point >> this.shift;
      }
    } while (point >= this.points); // walk along the cycle until back among the points
    return point;
  }

  /** Return `<vector, point> mod q`. @param {bigint} vector @param {bigint} cell */
  hash(vector, cell) {
    let point = this.point(cell);
    let total = 0n;
    for (let digit = 0; digit < this.digits; digit += 1) {
      total += (vector % this.prime) * (point % this.prime);
      vector /= this.prime;
      point /= this.prime;
    }
    return total % this.prime;
  }

  /** Return the code that a vector and a 64-bit word give. @param {bigint} cell @param {bigint} vector @param {bigint} word */
  answer(cell, vector, word) {
    return (vector - 1n) * this.prime + this.response.answer(this.hash(vector, cell), word);
  }

  /** @param {bigint} cell */
  draw(cell) {
    return this.answer(cell, 1n + randomBelow(this.vectors), randomWord());
  }

  /** Return a code's exact weight, out of `scale`. @param {bigint} cell @param {bigint} code */
  weight(cell, code) {
    return this.response.weight(this.hash(code / this.prime + 1n, cell), code % this.prime);
  }
}

/** Return the prime q that minimises (e^epsilon - 1 + q)^2 / (q - 1). @param {string} epsilon */
export function bestPrime(epsilon) {
  const excess = exponential(epsilon) - (1n << FRACTION);
  const ideal = Number(excess >> FRACTION) + 2;
  const [lower, upper] = [primeFrom(ideal, -1), primeFrom(ideal + 1, 1)];
  const spread = (/** @type {bigint} */ prime) => (excess + (prime << FRACTION)) ** 2n;
  return spread(lower) * (upper - 1n) <= spread(upper) * (lower - 1n) ? lower : upper;
}

/** @param {number} number @param {number} step */
function primeFrom(number, step) {
  while (!isPrime(number)) number += step;
  return BigInt(number);
}

/** @param {number} number */
function isPrime(number) {
  for (let divisor = 2; divisor * divisor <= number; divisor += 1) if (number % divisor === 0) return false;
  return number >= 2;
}
