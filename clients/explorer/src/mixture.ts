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

/** What a product says of the attributes it names, by place. */
export type Product = ReadonlyMap<number, Named>;

export class Mixture {
  readonly sizes: readonly number[];
  readonly weights: Float64Array;
  /** Per attribute, components by levels. */
  readonly factors: readonly Float64Array[];
  readonly marginals: readonly Float64Array[];

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
    const varying: { insides: Float64Array[]; at: Uint16Array }[] = [];
    for (const [place, { parts, at }] of product) {
      if (without.includes(place)) continue;
      const insides = parts.map((part) => (squared ? part.squares : part.inside));
      if (at) varying.push({ insides, at });
      else for (let component = 0; component < fixed.length; component++) fixed[component] *= insides[0][component];
    }
    const found = new Float64Array(items);
    if (!varying.length) return found.fill(fixed.reduce((sum, one) => sum + one, 0));
    const [{ insides, at }, ...others] = varying;
    const scaled = insides.map((inside) => inside.map((one, component) => one * fixed[component]));
    if (!others.length) {
      const sums = scaled.map((one) => one.reduce((sum, amount) => sum + amount, 0));
      return found.map((_, item) => sums[at[item]]);
    }
    const [{ insides: across, at: other }] = others;
    return found.map((_, item) => dot(scaled[at[item]], across[other[item]]));
  }
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
