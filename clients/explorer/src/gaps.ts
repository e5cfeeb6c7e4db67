/** How far the model lies from the cautious correction, coefficient by coefficient: an error that is known. */

import type { Errors, Numbers } from "./exploration";
import { bandsOf } from "./walsh";

const CONSTANT = -1;

/** The gaps of one attribute's functions, or of products of two attributes'; functions are numbered from 0. */
export class Gaps {
  private readonly ones: number[] = [];
  private readonly twos: number[] = [];
  private readonly values: number[] = [];
  /** How many functions of either attribute there may be a gap of. */
  private readonly reach: [number, number] = [0, 0];

  add(one: number, two: number, value: number): void {
    this.ones.push(one);
    this.twos.push(two);
    this.values.push(value);
    this.reach[0] = Math.max(this.reach[0], one + 1);
    this.reach[1] = Math.max(this.reach[1], two + 1);
  }

  /** Return the sums over one attribute's functions (0: the first's) of a vector times gaps, for the other's. */
  meet(vector: Float64Array, from: number): Float64Array {
    const found = new Float64Array(this.reach[1 - from]);
    const [here, there] = from ? [this.ones, this.twos] : [this.twos, this.ones];
    for (let index = 0; index < this.values.length; index++) {
      found[here[index]] += this.values[index] * vector[there[index]];
    }
    return found;
  }
}

/** All gaps of a model. */
export class AllGaps {
  private readonly known = new Map<string, Gaps>();
  private readonly none = new Gaps();

  constructor(errors: Errors, numbers: Numbers, sizes: readonly number[]) {
    const owners: [number, number][] = [[CONSTANT, 0]];
    sizes.forEach((size, place) => {
      for (let number = 1; number < 1 << bandsOf(size); number++) owners.push([place, number - 1]);
    });
    const [rows, columns, values] = [errors.rows, errors.columns, errors.gap].map((packed) => numbers.next(packed));
    values.forEach((value, index) => {
      const [[first, one], [second, two]] = [owners[rows[index]], owners[columns[index]]];
      const key = `${first},${second}`;
      const gaps = this.known.get(key) ?? new Gaps();
      gaps.add(one, two, value);
      this.known.set(key, gaps);
    });
  }

  /** Return the gaps of an attribute's own functions, as a vector. */
  single(place: number): Float64Array {
    return this.pair(CONSTANT, place).meet(Float64Array.of(1), 0);
  }

  /** Return the gaps of two attributes, the first of which stands before the second. */
  pair(first: number, second: number): Gaps {
    return this.known.get(`${first},${second}`) ?? this.none;
  }
}
