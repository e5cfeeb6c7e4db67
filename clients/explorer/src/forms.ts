/** Quadratic forms in what products count for, and what working them out needs again and again. */

import type { Known } from "./limits";
import type { Mixture, Part, Product } from "./mixture";

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
  private readonly variances: Record<Kind, { posterior: Float64Array[]; prior: Float64Array[] }>;
  private readonly drifts: Float64Array[];

  constructor(
    private readonly products: number,
    readonly items: number,
  ) {
    const zeros = (count: number) => Array.from({ length: count }, () => new Float64Array(items));
    const kind = () => ({ posterior: zeros(products ** 2), prior: zeros(products ** 2) });
    this.variances = { single: kind(), several: kind() };
    this.drifts = zeros(products);
  }

  /** Add to the entry of two products, and to its mirror image, what a function writes for every item. */
  add(kind: Kind, one: number, two: number, write: (item: number, found: Variances) => void): void {
    const { posterior, prior } = this.variances[kind];
    const place = one * this.products + two;
    const found = { posterior: 0, prior: 0 };
    const twice = one === two ? 1 : 2;
    for (let item = 0; item < this.items; item++) {
      write(item, found);
      posterior[place][item] += twice * found.posterior;
      prior[place][item] += twice * found.prior;
    }
  }

  /** Add to how far a product lies from the cautious correction. */
  drift(product: number, of: (item: number) => number): void {
    const drift = this.drifts[product];
    for (let item = 0; item < this.items; item++) drift[item] += of(item);
  }

  /** Return what is known of the error of an item's products, each times an amount, added up. */
  at(item: number, amounts: readonly number[]): Known {
    const sum = (entries: readonly Float64Array[]) => {
      let total = 0;
      for (let one = 0; one < this.products; one++) {
        for (let two = one; two < this.products; two++) {
          total += amounts[one] * amounts[two] * entries[one * this.products + two][item];
        }
      }
      return total;
    };
    const { single, several } = this.variances;
    const [before, beforehand] = [sum(single.prior), sum(several.prior)];
    let [after, afterwards] = [sum(single.posterior), sum(several.posterior)];
    const drift = this.drifts.reduce((total, own, product) => total + amounts[product] * own[item], 0);
    if (beforehand <= 0) after += drift ** 2;
    else afterwards += drift ** 2;
    const evidence = Math.min(gained(after, before), gained(afterwards, beforehand));
    return { variance: Math.max(after + afterwards, 0), evidence: Math.min(Math.max(evidence, 0), 1) };
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

/** Return a function of the item, computed once for every combination of parts if these are fewer. */
export function perPart(
  items: number,
  one: Uint16Array | null,
  two: Uint16Array | null,
  of: (one: number, two: number) => number,
): (item: number) => number {
  if (!one && !two) {
    const fixed = of(0, 0);
    return () => fixed;
  }
  const found = new Float64Array(items);
  for (let item = 0; item < items; item++) found[item] = of(one ? one[item] : 0, two ? two[item] : 0);
  return (item) => found[item];
}
