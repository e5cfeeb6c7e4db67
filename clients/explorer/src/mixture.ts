/**
 * The fitted mixture, and products of weights of levels: one product per question, or one for each of many items, such
 * as all levels of an attribute. Its expectation is a sum over components of a weight times what each has inside.
 */

import type { Exploration, Numbers } from "./exploration";

/** Weights of an attribute's levels, and what follows from them. */
export interface Part {
  /** Weights of the Walsh functions, the constant left out. */
  readonly functions: Float64Array;
  /** Weights of the levels less their mean in the model. */
  readonly centred: Float64Array;
  /** That mean less the weight of the constant. */
  readonly own: number;
  /** What every component has inside. */
  readonly inside: Float64Array;
  /** The same of the squares of the weights. */
  readonly squares: Float64Array;
}

/** How a product names an attribute: by the same part in all items, or by part number `at[item]`. */
export interface Named {
  readonly parts: readonly Part[];
  readonly at: Uint16Array | null;
}

/** What components have inside the parts of an attribute: components by parts, plain and of squares. */
type Insides = readonly [Float64Array, Float64Array];

/** What a product says of the attributes it names, by place. */
export type Product = ReadonlyMap<number, Named>;

export class Mixture {
  readonly sizes: readonly number[];
  readonly weights: Float64Array;
  /** Per attribute, components by levels. */
  readonly factors: readonly Float64Array[];
  readonly marginals: readonly Float64Array[];
  private readonly known = new WeakMap<readonly Part[], Insides>();

  constructor(about: Exploration, numbers: Numbers) {
    const { weights, factors } = about.mixture;
    this.weights = normalised(numbers.next(weights));
    this.sizes = factors.map(({ shape }) => shape[1]);
    this.factors = factors.map((factor, place) => normalised(numbers.next(factor), this.sizes[place]));
    this.marginals = this.factors.map((factor, place) => {
      const marginal = new Float64Array(this.sizes[place]);
      for (let index = 0; index < factor.length; index++) {
        marginal[index % marginal.length] += this.weights[Math.floor(index / marginal.length)] * factor[index];
      }
      return marginal;
    });
  }

  /** Return what every component has inside weights of an attribute's levels. */
  inside(place: number, weights: Float64Array): Float64Array {
    const factor = this.factors[place];
    const inside = new Float64Array(this.weights.length);
    for (let component = 0; component < inside.length; component++) {
      inside[component] = dot(weights, factor, component * weights.length);
    }
    return inside;
  }

  /** Return each item's expected product, as if it did not name the attributes left out. */
  expectation(product: Product, items: number, without: readonly number[] = [], squared = false): Float64Array {
    const fixed = this.weights.slice();
    const varying: Named[] = [];
    for (const [place, named] of product) {
      if (without.includes(place)) continue;
      if (named.at) varying.push(named);
      else multiply(fixed, squared ? named.parts[0].squares : named.parts[0].inside);
    }
    const found = new Float64Array(items);
    if (!varying.length) return found.fill(total(fixed));
    const [one, two] = varying.map(({ parts }) => this.insides(parts)[squared ? 1 : 0]);
    const [at, other] = varying.map((named) => named.at as Uint16Array);
    if (!two) {
      const sums = weightedRows(fixed, one);
      for (let item = 0; item < items; item++) found[item] = sums[at[item]];
      return found;
    }
    const [columns, rows] = [one.length / fixed.length, two.length / fixed.length];
    for (let component = 0; component < fixed.length; component++) {
      const [amount, across, up] = [fixed[component], component * columns, component * rows];
      for (let item = 0; item < items; item++) found[item] += amount * one[across + at[item]] * two[up + other[item]];
    }
    return found;
  }

  private insides(parts: readonly Part[]): Insides {
    const known = this.known.get(parts);
    if (known) return known;
    const insides = (["inside", "squares"] as const).map((name) => {
      const table = new Float64Array(this.weights.length * parts.length);
      parts.forEach((part, column) => {
        part[name].forEach((inside, component) => (table[component * parts.length + column] = inside));
      });
      return table;
    }) as unknown as Insides;
    this.known.set(parts, insides);
    return insides;
  }
}

function multiply(amounts: Float64Array, by: Float64Array): void {
  for (let index = 0; index < amounts.length; index++) amounts[index] *= by[index];
}

function total(amounts: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < amounts.length; index++) sum += amounts[index];
  return sum;
}

/** Return the sum of a table's rows, each times its weight. */
function weightedRows(weights: Float64Array, table: Float64Array): Float64Array {
  const sums = new Float64Array(table.length / weights.length);
  for (let row = 0; row < weights.length; row++) {
    const [weight, start] = [weights[row], row * sums.length];
    for (let column = 0; column < sums.length; column++) sums[column] += weight * table[start + column];
  }
  return sums;
}

/** Return the sum of products of two lists of numbers, the second from some place on. */
export function dot(one: Float64Array, two: Float64Array, start = 0): number {
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += one[index] * two[start + index];
  return sum;
}

/** Return rows of numbers brought to add up to one each. */
function normalised(numbers: Float64Array, width = numbers.length): Float64Array {
  const found = numbers.slice();
  for (let start = 0; start < found.length; start += width) {
    const row = found.subarray(start, start + width);
    const sum = row.reduce((total, number) => total + number, 0);
    for (let index = 0; index < width; index++) row[index] /= sum;
  }
  return found;
}
