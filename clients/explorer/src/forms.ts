/** Quadratic forms in what products count for, and what working them out needs again and again. */

import type { Known } from "./limits";
import { type Mixture, type Part, type Product, dot } from "./mixture";

/** What single attributes contribute to a variance, and what pairs and triples of them do. */
export type Kind = "single" | "several";

/** A variance after and before the reports. */
export interface Variances {
  posterior: number;
  prior: number;
}

/** Sums of what two products say of one attribute: band by band over functions, and over levels. */
export interface Inner {
  /** Which entry stands for an item; null if all items share the first. */
  readonly at: Uint16Array | null;
  readonly bands: readonly Float64Array[];
  readonly centred: Float64Array;
  readonly triple: Float64Array;
}

const NOTHING = 1e-18;

/** For each item, the variances of all sums of a few products. */
export class Forms {
  /** Per pair of products, then per item. */
  private readonly variances: Record<Kind, Record<keyof Variances, Float64Array>>;
  /** Per product, then per item. */
  private readonly drifts: Float64Array;

  constructor(
    private readonly products: number,
    readonly items: number,
  ) {
    const kind = () => ({
      posterior: new Float64Array(products ** 2 * items),
      prior: new Float64Array(products ** 2 * items),
    });
    this.variances = { single: kind(), several: kind() };
    this.drifts = new Float64Array(products * items);
  }

  /** Add to the entry of two products, and to its mirror image, what a function writes for every item. */
  add(kind: Kind, one: number, two: number, write: (item: number, found: Variances) => void): void {
    const { posterior, prior } = this.variances[kind];
    const start = (one * this.products + two) * this.items;
    const found = { posterior: 0, prior: 0 };
    const twice = one === two ? 1 : 2;
    for (let item = 0; item < this.items; item++) {
      write(item, found);
      posterior[start + item] += twice * found.posterior;
      prior[start + item] += twice * found.prior;
    }
  }

  /** Add to how far a product lies from the cautious correction. */
  drift(product: number, of: (item: number) => number): void {
    for (let item = 0; item < this.items; item++) this.drifts[product * this.items + item] += of(item);
  }

  /** Return what is known of the error of an item's products, each times an amount, added up. */
  at(item: number, amounts: readonly number[]): Known {
    const { single, several } = this.variances;
    const before = this.form(single.prior, item, amounts);
    const beforehand = this.form(several.prior, item, amounts);
    let after = this.form(single.posterior, item, amounts);
    let afterwards = this.form(several.posterior, item, amounts);
    let drift = 0;
    for (let product = 0; product < this.products; product++) {
      drift += amounts[product] * this.drifts[product * this.items + item];
    }
    if (beforehand <= 0) after += drift ** 2;
    else afterwards += drift ** 2;
    const evidence = Math.min(gained(after, before), gained(afterwards, beforehand));
    return { variance: Math.max(after + afterwards, 0), evidence: Math.min(Math.max(evidence, 0), 1) };
  }

  private form(entries: Float64Array, item: number, amounts: readonly number[]): number {
    let total = 0;
    for (let one = 0; one < this.products; one++) {
      for (let two = one; two < this.products; two++) {
        total += amounts[one] * amounts[two] * entries[(one * this.products + two) * this.items + item];
      }
    }
    return total;
  }
}

/** Return how much was measured: 1 - posterior / prior; 1 where there is nothing to know. */
function gained(posterior: number, prior: number): number {
  return prior <= NOTHING ? 1 : 1 - posterior / prior;
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
    const factor = this.without(product, [place]).slice();
    for (const [other, { parts, at }] of this.products[product]) {
      if (other === place) continue; // the mean of a product is measured itself, so an error here leaves it as it is
      const rest = this.without(product, place < other ? [place, other] : [other, place]);
      for (let item = 0; item < this.items; item++) factor[item] -= parts[at ? at[item] : 0].own * rest[item];
    }
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
interface Side {
  readonly vectors: readonly Float64Array[];
  readonly at: Uint16Array | null;
}

/**
 * Return a bilinear form of two sides' vectors for every item.
 *
 * `onto` applies the form's matrix to a vector of one side (0 or 1), which gives one for the other; the side with
 * fewer vectors is taken. What it gives may be shorter: entries that are missing are zero.
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
  const found = new Float64Array(items);
  if (!few.at && !many.at) return found.fill(dot(met[0], many.vectors[0]));
  for (let item = 0; item < items; item++) {
    found[item] = dot(met[few.at ? few.at[item] : 0], many.vectors[many.at ? many.at[item] : 0]);
  }
  return found;
}
