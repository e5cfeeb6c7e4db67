/**
 * How far sums of products may be off, and how much of them was measured: the formulas of
 * sottovoce.mechanisms.spectral.posterior, from what a fit leaves unknown.
 *
 * Errors of products add up before they are squared, so the variance of a sum is a quadratic form in what its products
 * count for. `Spread.of` works out the matrices of these forms, for all items at once; `Forms.known` asks for sums.
 */

import { Doubt } from "./doubt";
import type { Errors, Numbers } from "./exploration";
import { Forms, type Inner, type Sums, Work, multiplied } from "./forms";
import { type Mixture, type Named, type Part, type Product, type Stretch, dot, gather } from "./mixture";

/** What is known of every two entries of a pair of attributes: for each of the first, of all those of the second. */
interface Table {
  readonly posterior: Float64Array;
  readonly prior: Float64Array;
  readonly assumed: Float64Array;
  readonly outside: Float64Array;
}

export class Spread {
  private readonly doubt: Doubt;
  private readonly sums = new Kept<readonly Part[], Sums>();
  private readonly tables = new Kept<Sums, Table>();
  private readonly gaps = new Kept<readonly Part[], Float64Array>();

  constructor(
    private readonly mixture: Mixture,
    private readonly errors: Errors,
    numbers: Numbers,
  ) {
    this.doubt = new Doubt(mixture, errors, numbers);
  }

  /** Return the covariances of weights of an attribute's levels, which have this mean, with its functions. */
  covariances(place: number, weights: Stretch, mean: number): Float64Array {
    return this.doubt.covariances(place, weights, mean);
  }

  /** Return the forms of sums of some products, each of one or of many items. */
  of(products: readonly Product[], items: number): Forms {
    const forms = new Forms(products.length, items);
    const work = new Work(this.mixture, products, items, (place, one, two) =>
      this.sums.of(one, two, () => this.sumsOf(place, one, two)),
    );
    const places = [...new Set(products.flatMap((product) => [...product.keys()]))].sort((a, b) => a - b);
    places.forEach((first, rank) => {
      this.addSingle(first, forms, work);
      places.slice(rank + 1).forEach((second, next) => {
        this.addPair(first, second, forms, work);
        for (const third of places.slice(rank + next + 2)) this.addTriple([first, second, third], forms, work);
      });
    });
    return forms;
  }

  private addSingle(place: number, forms: Forms, work: Work): void {
    for (const both of work.naming([place])) {
      const { sums, at } = work.inner(place, both);
      const scale = work.scale(both, [place]);
      forms.single.posterior.add(both, scale, gather(sums.posterior, at));
      forms.single.prior.add(both, scale, gather(sums.prior, at));
    }
  }

  private addPair(first: number, second: number, forms: Forms, work: Work): void {
    const places = [first, second];
    const naming = work.naming(places);
    if (!naming.length) return;
    const outside = forms.outside(this.doubt.rest(first, second), this.errors.rest_prior);
    for (const both of naming) {
      const [left, right] = places.map((place) => work.inner(place, both));
      const table = this.tables.of(left.sums, right.sums, () => this.tableOf(first, second, left.sums, right.sums));
      const at = together(left.at, right.at, right.sums.plain.length);
      const scale = work.scale(both, places);
      forms.several.posterior.add(both, scale, gather(table.posterior, at));
      forms.several.prior.add(both, scale, gather(table.prior, at));
      forms.several.assumed.add(both, scale, gather(table.assumed, at));
      outside.add(both, scale, gather(table.outside, at));
    }
    for (const product of work.namingOne(places)) {
      const [own, other] = places.map((place) => work.products[product].get(place) as Named);
      const gaps = this.gaps.of(own.parts, other.parts, () =>
        this.doubt.gap.between(first, second, own.parts.map(functionsOf), other.parts.map(functionsOf)),
      );
      const moved = gather(gaps, together(own.at, other.at, other.parts.length));
      forms.drift(product, work.without(product, places), moved);
    }
  }

  /** Add what three attributes do beyond pairs: nobody was asked, so it is the prior's, before and after. */
  private addTriple(places: readonly number[], forms: Forms, work: Work): void {
    for (const both of work.naming(places)) {
      const inners = places.map((place) => work.inner(place, both));
      const amounts = multiplied(...inners.map(({ sums, at }: Inner) => gather(sums.triple, at)));
      const scale = work.scale(both, places).map((amount) => this.errors.triple * amount);
      for (const form of [forms.several.posterior, forms.several.prior, forms.several.assumed]) {
        form.add(both, scale, amounts);
      }
    }
  }

  /** Return what follows from two attributes' sums. */
  private tableOf(first: number, second: number, left: Sums, right: Sums): Table {
    const between = (one: Float64Array, two: Float64Array, scale = 1) => {
      const found = new Float64Array(one.length * two.length);
      for (let entry = 0; entry < found.length; entry++) {
        found[entry] = scale * one[Math.floor(entry / two.length)] * two[entry % two.length];
      }
      return found;
    };
    const within = between(left.plain, right.plain);
    return {
      posterior: this.doubt.posterior.between(first, second, left.functions, right.functions),
      prior: between(left.falling, right.falling, this.errors.pair_prior),
      assumed: this.doubt.assumed.between(first, second, left.functions, right.functions),
      // all that the weights have in common over people, less what the functions have of it
      outside: between(left.people, right.people).map((people, entry) => people - within[entry]),
    };
  }

  private sumsOf(place: number, one: readonly Part[], two: readonly Part[]): Sums {
    const count = Math.max(one.length, two.length);
    const sides = Array.from({ length: count }, (_, part) => {
      return [one[one.length > 1 ? part : 0], two[two.length > 1 ? part : 0]] as const;
    });
    const people = Float64Array.from(sides, ([left, right]) => this.covariance(place, left, right));
    const functions = sides.map(([left, right]) => left.functions.map((own, index) => own * right.functions[index]));
    const weighed = (amounts: Float64Array) => Float64Array.from(functions, (own) => dot(own, amounts));
    return {
      functions,
      plain: Float64Array.from(functions, (own) => own.reduce((sum, number) => sum + number, 0)),
      falling: weighed(this.doubt.falls[place]),
      triple: weighed(this.doubt.tripleFalls[place]),
      people,
      posterior: this.posteriors(place, one, two),
      prior: people.map((covariance) => this.errors.single_prior * covariance),
    };
  }

  /** Return the covariance of two parts' weights over people. */
  private covariance(place: number, left: Part, right: Part): number {
    const marginal = this.mixture.marginals[place];
    const [one, two] = [left.levels, right.levels];
    const stop = Math.min(one.start + one.weights.length, two.start + two.weights.length);
    let sum = -left.mean * right.mean;
    for (let level = Math.max(one.start, two.start); level < stop; level++) {
      sum += marginal[level] * one.weights[level - one.start] * two.weights[level - two.start];
    }
    return sum;
  }

  /** Return the covariances of errors of the means of parts. */
  private posteriors(place: number, one: readonly Part[], two: readonly Part[]): Float64Array {
    // vectors of many parts may be long, and are not kept
    const rooted = ({ levels, mean }: Part) => this.doubt.rooted(place, levels, mean);
    if (one === two) return Float64Array.from(one, (part) => rooted(part).reduce((sum, own) => sum + own ** 2, 0));
    const [few, many] = one.length < two.length ? [one, two] : [two, one];
    const first = rooted(few[0]);
    return Float64Array.from(many, (part, index) => dot(few.length > 1 ? rooted(few[index]) : first, rooted(part)));
  }
}

/** What was worked out of two things, as long as both are in use. */
class Kept<Key extends object, Value> {
  private readonly values = new WeakMap<Key, WeakMap<Key, Value>>();

  of(one: Key, two: Key, make: () => Value): Value {
    const known = this.values.get(one)?.get(two);
    if (known) return known;
    const found = make();
    const against = this.values.get(one) ?? new WeakMap<Key, Value>();
    this.values.set(one, against.set(two, found));
    return found;
  }
}

function functionsOf(part: Part): Float64Array {
  return part.functions;
}

/** Return which entry of a table stands for an item, given which of its rows and of its columns does. */
function together(
  row: Uint16Array | null,
  column: Uint16Array | null,
  columns: number,
): Uint16Array | Uint32Array | null {
  if (!row || !column) return row ?? column;
  return Uint32Array.from(row, (place, item) => place * columns + column[item]);
}
