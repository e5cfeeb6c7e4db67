/**
 * Quadratic forms in what products count for, and what working them out needs again and again.
 *
 * Numbers of items are lists of one for each, or of one for all: most are of the second kind, and cost next to nothing.
 */

import type { Known } from "./limits";
import { type Mixture, type Part, type Product, dot } from "./mixture";

/** What single attributes contribute to a variance, and what pairs and triples of them do. */
export type Kind = "single" | "several";

/**
 * Variances of many: of the model's error, and, under the public prior alone, before any report (`prior`) and after
 * (`assumed`), whatever the reports said.
 */
export interface Variances {
  readonly posterior: Float64Array;
  readonly prior: Float64Array;
  readonly assumed: Float64Array;
}

/** Sums of what two products say of one attribute: over functions, band by band and weighed, and over levels. */
export interface Inner {
  /** Which entry stands for an item; null if all items share the first. */
  readonly at: Uint16Array | null;
  readonly bands: readonly Float64Array[];
  readonly centred: Float64Array;
  readonly triple: Float64Array;
  /** What the attribute's own functions contribute, and errors that stand where people stand. */
  readonly own: Variances;
  readonly coherent: Variances;
}

const NOTHING = 1e-18;

/** For each item, the variances of all sums of a few products. */
export class Forms {
  /** Per two products, the first not after the second. */
  private readonly variances: Record<Kind, Variances[]>;
  private readonly drifts: Float64Array[];

  constructor(
    private readonly products: number,
    readonly items: number,
  ) {
    const entries = () => Array.from({ length: products ** 2 }, () => zeros(items));
    this.variances = { single: entries(), several: entries() };
    this.drifts = Array.from({ length: products }, () => new Float64Array(items));
  }

  /** Add to the entry of two products, which stand for so much, what every item's variance would be otherwise. */
  add(
    kind: Kind,
    [one, two]: readonly [number, number],
    left: Float64Array,
    right: Float64Array,
    form: Variances,
  ): void {
    const entry = this.variances[kind][one * this.products + two];
    const twice = one === two ? 1 : 2; // the mirror image is not kept
    const [here, there, own] = [step(left), step(right), step(form.posterior)];
    for (let item = 0; item < this.items; item++) {
      const amount = twice * left[item * here] * right[item * there];
      entry.posterior[item] += amount * form.posterior[item * own];
      entry.prior[item] += amount * form.prior[item * own];
      entry.assumed[item] += amount * form.assumed[item * own];
    }
  }

  /** Add to how far a product lies from the cautious correction. */
  drift(product: number, amounts: Float64Array, moved: Float64Array): void {
    const drift = this.drifts[product];
    const [here, there] = [step(amounts), step(moved)];
    for (let item = 0; item < this.items; item++) drift[item] += amounts[item * here] * moved[item * there];
  }

  /** Return what is known of the errors of every item's products, each times an amount, added up. */
  known(amounts: readonly Float64Array[]): Known {
    const [single, several] = [this.sum("single", amounts), this.sum("several", amounts)];
    const variance = new Float64Array(this.items);
    const evidence = new Float64Array(this.items);
    for (let item = 0; item < this.items; item++) {
      let drift = 0;
      for (let product = 0; product < this.products; product++) {
        const own = amounts[product];
        drift += own[item * step(own)] * this.drifts[product][item];
      }
      variance[item] = Math.max(single.posterior[item] + several.posterior[item] + drift ** 2, 0);
      const least = Math.min(
        gained(single.assumed[item], single.prior[item]),
        gained(several.assumed[item], several.prior[item]),
      );
      evidence[item] = Math.min(Math.max(least, 0), 1);
    }
    return { variance, evidence };
  }

  private sum(kind: Kind, amounts: readonly Float64Array[]): Variances {
    const found = zeros(this.items);
    for (let one = 0; one < this.products; one++) {
      for (let two = one; two < this.products; two++) {
        const [left, right, entry] = [amounts[one], amounts[two], this.variances[kind][one * this.products + two]];
        const [here, there] = [step(left), step(right)];
        for (let item = 0; item < this.items; item++) {
          const amount = left[item * here] * right[item * there];
          found.posterior[item] += amount * entry.posterior[item];
          found.prior[item] += amount * entry.prior[item];
          found.assumed[item] += amount * entry.assumed[item];
        }
      }
    }
    return found;
  }
}

function zeros(items: number): Variances {
  return { posterior: new Float64Array(items), prior: new Float64Array(items), assumed: new Float64Array(items) };
}

/** Return variances, each made in the same way. */
export function variancesOf(make: (name: keyof Variances) => Float64Array): Variances {
  return { posterior: make("posterior"), prior: make("prior"), assumed: make("assumed") };
}

/** Return how much was measured; all of it where there is nothing to know. */
function gained(assumed: number, prior: number): number {
  return prior <= NOTHING ? 1 : 1 - assumed / prior;
}

/** Return how far apart two items' numbers stand: nothing, if there is one for all. */
function step(numbers: Float64Array): 0 | 1 {
  return numbers.length > 1 ? 1 : 0;
}

/** What is computed once for some products: expectations without some attributes, and inner sums. */
export class Work {
  private readonly expectations = new Map<string, Float64Array>();
  private readonly inners = new Map<string, Inner>();

  constructor(
    private readonly mixture: Mixture,
    readonly products: readonly Product[],
    private readonly items: number,
    private readonly sums: (place: number, one: readonly Part[], two: readonly Part[]) => Omit<Inner, "at">,
  ) {}

  /** Return the products that name all of some attributes. */
  naming(places: readonly number[]): number[] {
    return [...this.products.keys()].filter((product) => places.every((place) => this.products[product].has(place)));
  }

  /** Return each item's expectation of a product if it did not name some attributes, given in order. */
  without(product: number, places: readonly number[]): Float64Array {
    const key = `${product}:${places}`;
    const found = this.expectations.get(key) ?? this.mixture.expectation(this.products[product], this.items, places);
    this.expectations.set(key, found);
    return found;
  }

  /** Return what errors of one attribute's functions are multiplied by in a product. */
  factor(product: number, place: number): Float64Array {
    const key = `${product}*${place}`;
    const known = this.expectations.get(key);
    if (known) return known;
    const others = [...this.products[product]].filter(([other]) => other !== place);
    const without = this.without(product, [place]);
    const factor = new Float64Array(others.some(([, { at }]) => at) ? this.items : 1);
    for (let item = 0; item < factor.length; item++) factor[item] = without[item * step(without)];
    for (const [other, { parts, at }] of others) {
      // the mean of a product is measured itself, so an error here leaves it as it is
      const rest = this.without(product, place < other ? [place, other] : [other, place]);
      for (let item = 0; item < factor.length; item++) {
        factor[item] -= parts[at ? at[item] : 0].own * rest[item * step(rest)];
      }
    }
    this.expectations.set(key, factor);
    return factor;
  }

  /** Return the inner sums of two products over an attribute that both name. */
  inner(place: number, one: number, two: number): Inner {
    const key = `${place}:${one},${two}`;
    const known = this.inners.get(key);
    if (known) return known;
    const [left, right] = [one, two].map((product) => this.products[product].get(place)!);
    const found = { ...this.sums(place, left.parts, right.parts), at: left.at ?? right.at };
    this.inners.set(key, found);
    return found;
  }
}

/** One of two sides of a bilinear form: vectors, and which of them stands for an item. */
export interface Side {
  readonly vectors: readonly Float64Array[];
  readonly at: Uint16Array | null;
}

/**
 * Return a bilinear form of two sides' vectors for every item, or one for all.
 *
 * `onto` applies the form's matrix to a vector of one side (0 or 1), which gives one for the other; the side with
 * fewer vectors is taken.
 */
export function bilinear(
  items: number,
  first: Side,
  second: Side,
  onto: (vector: Float64Array, from: number) => Float64Array,
): Float64Array {
  const from = first.vectors.length < second.vectors.length ? 0 : 1;
  const [few, many] = from ? [second, first] : [first, second];
  const met = few.vectors.map((vector) => onto(vector, from));
  if (!few.at && !many.at) return Float64Array.of(dot(met[0], many.vectors[0]));
  const found = new Float64Array(items);
  for (let item = 0; item < items; item++) {
    found[item] = dot(met[few.at ? few.at[item] : 0], many.vectors[many.at ? many.at[item] : 0]);
  }
  return found;
}
