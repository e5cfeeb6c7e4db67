/** What remains unknown after a fit, as sottovoce.mechanisms.spectral.doubt has it, and the prior. */

import type { Errors, Numbers, Packed } from "./exploration";
import { type Mixture, type Stretch, dot } from "./mixture";

export class Doubt {
  /** The variance of the mean of a product of two functions; under the public prior, what reports leave of it. */
  readonly posterior: Triangle;
  readonly assumed: Triangle;
  /** The cautious mean of such a product less the model's. */
  readonly gap: Triangle;
  /** Per attribute, how the priors of pairs and of triples fall with its functions. */
  readonly falls: readonly Float64Array[];
  readonly tripleFalls: readonly Float64Array[];
  private readonly functions: readonly Rows[];
  private readonly roots: readonly Rows[];
  private readonly rests: Float64Array;

  constructor(mixture: Mixture, errors: Errors, numbers: Numbers) {
    const rows = (packed: Packed) => new Rows(numbers.next(packed), packed.shape[1]);
    this.functions = errors.functions.map((packed, place) => rows(packed).times(mixture.marginals[place]));
    this.roots = errors.roots.map(rows);
    const starts = [0];
    for (const { width } of this.functions) starts.push(starts[starts.length - 1] + width);
    const triangle = (packed: Packed) => new Triangle(numbers.next(packed), starts);
    this.posterior = triangle(errors.posterior);
    this.gap = triangle(errors.gap);
    const left = triangle(errors.left);
    const falls = numbers.next(errors.falls);
    this.rests = numbers.next(errors.rest);
    const apart = (all: Float64Array) =>
      this.functions.map((_, place) => all.subarray(starts[place], starts[place + 1]));
    this.falls = apart(falls);
    this.tripleFalls = apart(numbers.next(errors.triple_falls));
    this.assumed = left.times(falls, errors.pair_prior);
  }

  /** Return the covariances of weights of levels, which have this mean, with an attribute's functions. */
  covariances(place: number, weights: Stretch, mean: number): Float64Array {
    return this.functions[place].sum(weights, mean);
  }

  /** Return a vector whose square is the variance of the mean of weights of levels, less the mean they have now. */
  rooted(place: number, weights: Stretch, mean: number): Float64Array {
    return this.roots[place].sum(weights, mean);
  }

  /** Return the variance of what two attributes do outside their functions, the first of which stands first. */
  rest(first: number, second: number): number {
    const before = (first * (2 * this.functions.length - first - 1)) / 2;
    return this.rests[before + second - first - 1];
  }
}

/** A row of numbers for every level. */
class Rows {
  /** The sum of all rows. */
  private readonly all: Float64Array;

  constructor(
    private readonly table: Float64Array,
    readonly width: number,
  ) {
    this.all = new Float64Array(width);
    table.forEach((number, index) => (this.all[index % width] += number));
  }

  /** Return the rows, each times the amount of its level. */
  times(amounts: Float64Array): Rows {
    return new Rows(this.table.map((number, index) => number * amounts[Math.floor(index / this.width)]), this.width);
  }

  /** Return the sum of all rows, each times the weight of its level less the mean. */
  sum({ start, weights }: Stretch, mean: number): Float64Array {
    const { table, width } = this;
    const found = this.all.map((sum) => -mean * sum);
    for (let index = 0, place = start * width; index < weights.length; index++, place += width) {
      const weight = weights[index];
      if (weight) for (let column = 0; column < width; column++) found[column] += weight * table[place + column];
    }
    return found;
  }
}

/** A symmetric matrix by functions of all attributes, its upper triangle row by row. */
export class Triangle {
  private readonly size: number;

  /** `starts` says how many functions there are before each attribute's; the last entry is their number. */
  constructor(
    private readonly upper: Float64Array,
    private readonly starts: readonly number[],
  ) {
    this.size = starts[starts.length - 1];
  }

  /** Return the matrix, every entry times those of its row and its column and a factor. */
  times(amounts: Float64Array, factor: number): Triangle {
    const found = new Float64Array(this.upper.length);
    for (let row = 0, place = 0; row < this.size; row++) {
      for (let column = row; column < this.size; column++, place++) {
        found[place] = factor * amounts[row] * amounts[column] * this.upper[place];
      }
    }
    return new Triangle(found, this.starts);
  }

  /**
   * Return the bilinear forms of every vector over a first attribute's functions with every one over a second's, which
   * stands after it: for each of the first, those of the second.
   */
  between(
    first: number,
    second: number,
    lefts: readonly Float64Array[],
    rights: readonly Float64Array[],
  ): Float64Array {
    const found = new Float64Array(lefts.length * rights.length);
    if (lefts.length < rights.length) {
      lefts.forEach((left, row) => {
        const met = this.fromFirst(first, second, left);
        rights.forEach((right, column) => (found[row * rights.length + column] = dot(met, right)));
      });
    } else {
      rights.forEach((right, column) => {
        const met = this.fromSecond(first, second, right);
        lefts.forEach((left, row) => (found[row * rights.length + column] = dot(met, left)));
      });
    }
    return found;
  }

  private fromFirst(first: number, second: number, vector: Float64Array): Float64Array {
    const found = new Float64Array(this.starts[second + 1] - this.starts[second]);
    vector.forEach((amount, row) => {
      const place = this.place(this.starts[first] + row, this.starts[second]);
      for (let column = 0; column < found.length; column++) found[column] += amount * this.upper[place + column];
    });
    return found;
  }

  private fromSecond(first: number, second: number, vector: Float64Array): Float64Array {
    return new Float64Array(this.starts[first + 1] - this.starts[first]).map((_, row) =>
      dot(vector, this.upper, this.place(this.starts[first] + row, this.starts[second])),
    );
  }

  private place(row: number, column: number): number {
    return (row * (2 * this.size - row - 1)) / 2 + column;
  }
}
