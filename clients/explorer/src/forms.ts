/**
 * Quadratic forms in what products count for, and what working them out needs again and again.
 *
 * Numbers of items are lists of one for each, or of one for all: most are of the second kind, and cost next to nothing.
 */

import type { Known } from "./limits";
import type { Mixture, Part, Product } from "./mixture";

/** What single attributes contribute to a variance: of the model's error, and before any report. */
export interface Single {
  readonly posterior: Form;
  readonly prior: Form;
}

/** What pairs and triples do, and besides, under the public prior alone, what reports leave of that. */
export interface Several extends Single {
  readonly assumed: Form;
}

/** What a pair does outside its functions: how much of it there is, and its variance after and before any report. */
interface Outside {
  readonly amount: Form;
  readonly posterior: number;
  readonly prior: number;
}

const NOTHING = 1e-18;

/** For each item, a quadratic form in what a few products count for. */
export class Form {
  /** Per two products, the first not after the second; the mirror image is not kept. */
  private readonly entries: Float64Array[];

  constructor(private readonly products: number) {
    this.entries = Array.from({ length: products ** 2 }, () => new Float64Array(1));
  }

  /** Add to the entry of two products. */
  add([one, two]: readonly [number, number], scale: Float64Array, numbers: Float64Array): void {
    const place = one * this.products + two;
    const items = Math.max(scale.length, numbers.length);
    const old = this.entries[place];
    const entry = old.length < items ? new Float64Array(items).fill(old[0]) : old;
    const [here, there] = [step(scale), step(numbers)];
    for (let item = 0; item < entry.length; item++) entry[item] += scale[item * here] * numbers[item * there];
    this.entries[place] = entry;
  }

  /** Return every item's form, given what every two products count for together. */
  of(both: readonly Float64Array[], items: number): Float64Array {
    const found = new Float64Array(items);
    this.entries.forEach((entry, place) => {
      const amounts = both[place];
      if (entry.length === 1 && entry[0] === 0) return;
      const [here, there] = [step(entry), step(amounts)];
      for (let item = 0; item < items; item++) found[item] += entry[item * here] * amounts[item * there];
    });
    return found;
  }
}

/** For each item, the variances of all sums of a few products. */
export class Forms {
  readonly single: Single;
  readonly several: Several;
  private readonly outsides: Outside[] = [];
  private readonly drifts: Float64Array[];

  constructor(
    private readonly products: number,
    private readonly items: number,
  ) {
    this.single = { posterior: this.form(), prior: this.form() };
    this.several = { posterior: this.form(), prior: this.form(), assumed: this.form() };
    this.drifts = Array.from({ length: products }, () => new Float64Array(items));
  }

  /** Return the form of what one more pair does outside its functions, given its variances, to be added to. */
  outside(posterior: number, prior: number): Form {
    const amount = this.form();
    this.outsides.push({ amount, posterior, prior });
    return amount;
  }

  /** Add to how far a product lies from the cautious answer. */
  drift(product: number, amounts: Float64Array, moved: Float64Array): void {
    const drift = this.drifts[product];
    const [here, there] = [step(amounts), step(moved)];
    for (let item = 0; item < this.items; item++) drift[item] += amounts[item * here] * moved[item * there];
  }

  /** Return what is known of the errors of every item's products, each times an amount, added up. */
  known(amounts: readonly Float64Array[]): Known {
    const { items, several } = this;
    const both = this.together(amounts);
    const single = this.single.posterior.of(both, items);
    const singlePrior = this.single.prior.of(both, items);
    const [posterior, prior, assumed] = [several.posterior, several.prior, several.assumed].map((form) =>
      form.of(both, items),
    );
    for (const outside of this.outsides) {
      const found = outside.amount.of(both, items);
      for (let item = 0; item < items; item++) {
        const amount = Math.max(found[item], 0);
        posterior[item] += outside.posterior * amount;
        prior[item] += outside.prior * amount;
        assumed[item] += outside.prior * amount;
      }
    }
    const [variance, evidence] = [new Float64Array(items), new Float64Array(items)];
    for (let item = 0; item < items; item++) {
      let drift = 0;
      for (let product = 0; product < this.products; product++) {
        const own = amounts[product];
        drift += own[item * step(own)] * this.drifts[product][item];
      }
      variance[item] = Math.max(single[item] + posterior[item] + drift ** 2, 0);
      const least = Math.min(gained(single[item], singlePrior[item]), gained(assumed[item], prior[item]));
      evidence[item] = Math.min(Math.max(least, 0), 1);
    }
    return { variance, evidence };
  }

  /** Return what every two products count for together, the second not before the first. */
  private together(amounts: readonly Float64Array[]): Float64Array[] {
    const found: Float64Array[] = [];
    for (let one = 0; one < this.products; one++) {
      for (let two = one; two < this.products; two++) {
        const both = multiplied(amounts[one], amounts[two]);
        found[one * this.products + two] = one === two ? both : both.map((amount) => 2 * amount);
      }
    }
    return found;
  }

  private form(): Form {
    return new Form(this.products);
  }
}

/** Return products of lists of numbers, each of one for each item or of one for all. */
export function multiplied(...lists: readonly Float64Array[]): Float64Array {
  const found = new Float64Array(Math.max(...lists.map(({ length }) => length))).fill(1);
  for (const numbers of lists) {
    const apart = step(numbers);
    for (let item = 0; item < found.length; item++) found[item] *= numbers[item * apart];
  }
  return found;
}

/** Return how much was measured; all of it where there is nothing to know. */
function gained(assumed: number, prior: number): number {
  return prior <= NOTHING ? 1 : 1 - assumed / prior;
}

/** Return how far apart two items' numbers stand: nothing, if there is one for all. */
function step(numbers: Float64Array): 0 | 1 {
  return numbers.length > 1 ? 1 : 0;
}

/** Sums of what two products say of one attribute, part by part. */
export interface Sums {
  /** The products of the weights of each function. */
  readonly functions: readonly Float64Array[];
  /** Their sums: plain, and as the priors of pairs and of triples fall. */
  readonly plain: Float64Array;
  readonly falling: Float64Array;
  readonly triple: Float64Array;
  /** Covariances over people. */
  readonly people: Float64Array;
  /** Covariances of errors of means, and what they were before any report. */
  readonly posterior: Float64Array;
  readonly prior: Float64Array;
}

/** Sums, and which of them stands for an item; null if all items share the first. */
export interface Inner {
  readonly sums: Sums;
  readonly at: Uint16Array | null;
}

/** What is computed once for some products: expectations without some attributes, and inner sums. */
export class Work {
  private readonly expectations = new Map<string, Float64Array>();
  private readonly inners = new Map<string, Inner>();

  constructor(
    private readonly mixture: Mixture,
    readonly products: readonly Product[],
    private readonly items: number,
    private readonly sums: (place: number, one: readonly Part[], two: readonly Part[]) => Sums,
  ) {}

  /** Return every two products that name all of some attributes, the second not before the first. */
  naming(places: readonly number[]): [number, number][] {
    const found = this.namingOne(places);
    return found.flatMap((one, rank) => found.slice(rank).map((two): [number, number] => [one, two]));
  }

  /** Return the products that name all of some attributes. */
  namingOne(places: readonly number[]): number[] {
    return [...this.products.keys()].filter((product) => places.every((place) => this.products[product].has(place)));
  }

  /** Return what two products stand for together if they did not name some attributes, given in order. */
  scale([one, two]: readonly [number, number], places: readonly number[]): Float64Array {
    return multiplied(this.without(one, places), this.without(two, places));
  }

  /** Return each item's expectation of a product if it did not name some attributes, given in order. */
  without(product: number, places: readonly number[]): Float64Array {
    const key = `${product}:${places}`;
    const found = this.expectations.get(key) ?? this.mixture.expectation(this.products[product], this.items, places);
    this.expectations.set(key, found);
    return found;
  }

  /** Return the inner sums of two products over an attribute that both name. */
  inner(place: number, [one, two]: readonly [number, number]): Inner {
    const key = `${place}:${one},${two}`;
    const known = this.inners.get(key);
    if (known) return known;
    const [left, right] = [one, two].map((product) => this.products[product].get(place)!);
    const found = { sums: this.sums(place, left.parts, right.parts), at: left.at ?? right.at };
    this.inners.set(key, found);
    return found;
  }
}
