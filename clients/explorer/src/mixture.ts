/**
 * The fitted mixture, and products of weights of levels: one product per question, or one for each of many items, such
 * as all levels of an attribute. Its expectation is a sum over components of a weight times what each has inside.
 */

import type { Exploration, Numbers } from "./exploration";

/** Weights of an attribute's levels from one of them on; those of all others are nothing. */
export interface Stretch {
  readonly start: number;
  readonly weights: Float64Array;
}

/** Weights of an attribute's levels, and what follows from them. */
export interface Part {
  readonly id: number;
  readonly levels: Stretch;
  /** Their mean in the model. */
  readonly mean: number;
  /** Their covariances with the functions of the attribute. */
  readonly functions: Float64Array;
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

interface Chosen {
  readonly weights: Float64Array;
  readonly total: number;
}

const REMEMBERED = 1000; // charts ask for the same again and again

/** What a product says of the attributes it names, by place. */
export type Product = ReadonlyMap<number, Named>;

export class Mixture {
  readonly sizes: readonly number[];
  readonly weights: Float64Array;
  /** Per attribute, components by levels. */
  readonly factors: readonly Float64Array[];
  readonly marginals: readonly Float64Array[];
  private readonly chosen = new Map<string, Chosen>();
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
  inside(place: number, { start, weights }: Stretch): Float64Array {
    const [factor, size] = [this.factors[place], this.sizes[place]];
    const inside = new Float64Array(this.weights.length);
    for (let component = 0; component < inside.length; component++) {
      inside[component] = dot(weights, factor, component * size + start);
    }
    return inside;
  }

  /** Return an attribute's marginal if levels counted by weights. */
  tilted(place: number, tilts: ReadonlyMap<number, Float64Array>): Float64Array {
    const amounts = this.weights.slice();
    for (const [other, tilt] of tilts) if (other !== place) multiply(amounts, this.inside(other, stretch(tilt)));
    const marginal = weightedRows(amounts, this.factors[place]);
    const own = tilts.get(place);
    if (own) multiply(marginal, own);
    return normalised(marginal);
  }

  /** Return each item's expected product, or one for all, as if it did not name the attributes left out. */
  expectation(product: Product, items: number, without: readonly number[] = [], squared = false): Float64Array {
    const fixed: Part[] = [];
    const varying: Named[] = [];
    for (const [place, named] of product) {
      if (without.includes(place)) continue;
      if (named.at) varying.push(named);
      else fixed.push(named.parts[0]);
    }
    const { weights, total } = this.inAll(fixed, squared);
    if (!varying.length) return Float64Array.of(total);
    const [one, two] = varying.map(({ parts }) => this.insides(parts)[squared ? 1 : 0]);
    const [at, other] = varying.map((named) => named.at as Uint16Array);
    if (!two) return gather(weightedRows(weights, one), at);
    const found = new Float64Array(items);
    const [columns, rows] = [one.length / weights.length, two.length / weights.length];
    for (let component = 0; component < weights.length; component++) {
      const [amount, across, up] = [weights[component], component * columns, component * rows];
      for (let item = 0; item < items; item++) found[item] += amount * one[across + at[item]] * two[up + other[item]];
    }
    return found;
  }

  /** Return the weight of every component times what it has inside all of some parts, and the sum of these. */
  private inAll(parts: readonly Part[], squared: boolean): Chosen {
    let key = squared ? "squared" : "";
    for (const { id } of parts) key += `,${id}`;
    const known = this.chosen.get(key);
    if (known) return known;
    const weights = this.weights.slice();
    let total = 0;
    for (const part of parts) multiply(weights, squared ? part.squares : part.inside);
    for (let component = 0; component < weights.length; component++) total += weights[component];
    if (this.chosen.size >= REMEMBERED) this.chosen.clear();
    this.chosen.set(key, { weights, total });
    return { weights, total };
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

/** Return weights of all levels as a stretch that leaves out what is nothing at either end. */
export function stretch(weights: Float64Array): Stretch {
  let [start, stop] = [0, weights.length];
  while (start < stop && !weights[start]) start++;
  while (stop > start && !weights[stop - 1]) stop--;
  return { start, weights: weights.subarray(start, stop) };
}

function multiply(amounts: Float64Array, by: Float64Array): void {
  for (let index = 0; index < amounts.length; index++) amounts[index] *= by[index];
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

/** Return the numbers that stand for the items: `numbers[at[item]]` for each, or one for all. */
export function gather(numbers: Float64Array, at: Uint16Array | Uint32Array | null): Float64Array {
  if (!at || at === identity(numbers.length)) return numbers;
  const found = new Float64Array(at.length);
  for (let item = 0; item < found.length; item++) found[item] = numbers[at[item]];
  return found;
}

const identities = new Map<number, Uint16Array>();

/** Return 0, 1, 2 and so on, the same array each time. */
export function identity(count: number): Uint16Array {
  const known = identities.get(count) ?? Uint16Array.from({ length: count }, (_, index) => index);
  identities.set(count, known);
  return known;
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
