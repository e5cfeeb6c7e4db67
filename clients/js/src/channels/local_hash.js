import { bigEndian, sha256 } from "../digest.js";
import { FRACTION, product, randomBelow, randomWord, SCALE } from "../exact.js";
import { RandomisedResponse } from "./grr.js";

/** The most cells that are placed together; more are placed in parts, one for each attribute. */
export const MAX_TOGETHER = 1n << 20n;

/** A public permutation of the integers below `points`, by which cells are placed. */
class Permutation {
  /** @param {bigint} points @param {[bigint, bigint][]} rounds a multiplier and an addend each */
  constructor(points, rounds) {
    const bits = (points - 1n).toString(2).length;
    this.points = points;
    this.mask = (1n << BigInt(bits)) - 1n;
    this.shift = BigInt((bits + 1) >> 1);
    this.rounds = rounds.map(([multiplier, addend]) => [(multiplier & this.mask) | 1n, addend & this.mask]);
  }

  /** Return the place of a number: walk along the cycle until back among the points. @param {bigint} number */
  place(number) {
    do {
      for (const [multiplier, addend] of this.rounds) {
        number = (number * multiplier + addend) & this.mask;
        number ^= number >> this.shift;
      }
    } while (number >= this.points);
    return number;
  }
}

/** The public placement of a plan: its prime, and a permutation for every number of digits that may occur. */
export class Placement {
  /** @param {bigint} prime @param {Permutation[]} permutations of prime, prime^2, prime^3, ... points */
  constructor(prime, permutations) {
    this.prime = prime;
    this.permutations = permutations;
  }

  /** Return the placement that a public seed gives. @param {import("../exact.js").Epsilon} epsilon @param {string} seed */
  static async make(epsilon, seed) {
    const prime = bestPrime(epsilon);
    const permutations = [];
    for (let points = prime; ; points *= prime) {
      /** @type {[bigint, bigint][]} */ const rounds = [];
      for (let round = 0; round < 4; round += 1) {
        const digest = await sha256(`sottovoce placement ${seed} ${points} ${round}`);
        rounds.push([bigEndian(digest, 0), bigEndian(digest, 8)]);
      }
      permutations.push(new Permutation(points, rounds));
      if (points >= MAX_TOGETHER) return new Placement(prime, permutations);
    }
  }

  /** Return the smallest permutation with a point for each of so many bins. @param {bigint} bins */
  permutation(bins) {
    return /** @type {Permutation} */ (this.permutations.find(({ points }) => points >= bins));
  }
}

/**
 * Local hashing: cells stand on points of F_q^t; the code is a random non-zero vector and the randomised response to
 * its product with the point, in one integer. More than 2^20 cells are placed in parts, each on digits of its own.
 */
export class LocalHash {
  kind = "local_hash";

  /** @param {readonly number[]} shape @param {import("../exact.js").Epsilon} epsilon @param {Placement} placement */
  constructor(shape, epsilon, placement) {
    this.cells = product(shape);
    this.prime = placement.prime;
    this.response = new RandomisedResponse(this.prime, epsilon);
    const bins = this.cells > MAX_TOGETHER ? shape.filter((size) => size > 1).map(BigInt) : [this.cells];
    this.parts = bins.map((size) => ({ size, permutation: placement.permutation(size) }));
    this.vectors = this.parts.reduce((points, { permutation }) => points * permutation.points, 1n) - 1n;
    this.codes = this.vectors * this.prime;
    this.scale = this.vectors * SCALE;
  }

  /** The probability that a code speaks for the cell its sender is in. */
  get truthful() {
    return this.response.truthful;
  }

  /** Return the number of the point on which a cell stands. @param {bigint} cell */
  point(cell) {
    let point = 0n;
    let weight = 1n;
    for (const { size, permutation } of [...this.parts].reverse()) {
      point += permutation.place(cell % size) * weight;
      cell /= size;
      weight *= permutation.points;
    }
    return point;
  }

  /** Return `<vector, point> mod q`, both read as digits in base q. @param {bigint} vector @param {bigint} cell */
  hash(vector, cell) {
    let point = this.point(cell);
    let total = 0n;
    while (vector > 0n) {
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

  /** Return a random code. @param {bigint} cell */
  draw(cell) {
    return this.answer(cell, 1n + randomBelow(this.vectors), randomWord());
  }

  /** Return a code's exact weight, out of `scale`. @param {bigint} cell @param {bigint} code */
  weight(cell, code) {
    return this.response.weight(this.hash(code / this.prime + 1n, cell), code % this.prime);
  }
}

/** Return the prime q that minimises (e^epsilon - 1 + q)^2 / (q - 1). @param {import("../exact.js").Epsilon} epsilon */
export function bestPrime({ growth }) {
  const excess = growth - (1n << FRACTION);
  const ideal = Number(excess >> FRACTION) + 2;
  const [lower, upper] = [primeFrom(ideal, -1), primeFrom(ideal + 1, 1)];
  const spread = (/** @type {bigint} */ prime) => (excess + (prime << FRACTION)) ** 2n;
  return spread(lower) * (upper - 1n) <= spread(upper) * (lower - 1n) ? lower : upper;
}

/** Return the first prime from a number on. @param {number} number @param {number} step up or down */
function primeFrom(number, step) {
  while (!isPrime(number)) number += step;
  return BigInt(number);
}

/** @param {number} number */
function isPrime(number) {
  for (let divisor = 2; divisor * divisor <= number; divisor += 1) if (number % divisor === 0) return false;
  return number >= 2;
}
