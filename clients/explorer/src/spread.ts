/**
 * How far sums of products may be off, and how much of them was measured: the formulas of
 * sottovoce.mechanisms.spectral.posterior, from the tables that a fit leaves.
 *
 * Errors of products add up before they are squared, so the variance of a sum is a quadratic form in what its products
 * count for. `Spread.of` works out the matrices of these forms, for all items at once; `Forms.known` asks for sums.
 */

import type { Errors, Numbers } from "./exploration";
import { Forms, type Inner, type Side, type Variances, Work, bilinear, variancesOf } from "./forms";
import { AllGaps } from "./gaps";
import { type Mixture, type Named, type Part, type Product, dot, gather } from "./mixture";
import { bandOf, bandsOf, expansion } from "./walsh";

type Sums = Omit<Inner, "at">;
type Coherent = Readonly<Record<keyof Variances, number>>;

export class Spread {
  /** How many bands there are before each attribute's, the constant counted; the last entry is their number. */
  private readonly starts: number[] = [1];
  /** By bands of all attributes, of a coefficient's error, and of errors that stand where people stand. */
  private readonly tables: Variances;
  private readonly besides: Variances;
  private readonly expansions: Float64Array[];
  private readonly gaps: AllGaps;
  /** Per attribute, the factor of each function in the prior of triples. */
  private readonly triples: Float64Array[];
  private readonly coherents = new Map<string, Coherent>();
  private readonly vectors = new WeakMap<readonly Part[], Float64Array[]>();
  private readonly inners = new WeakMap<readonly Part[], WeakMap<readonly Part[], Sums>>();

  constructor(
    private readonly mixture: Mixture,
    private readonly errors: Errors,
    numbers: Numbers,
  ) {
    for (const size of mixture.sizes) this.starts.push(this.starts[this.starts.length - 1] + bandsOf(size));
    const width = this.width;
    const noise = symmetric(numbers.next(errors.noise), width);
    const bias = symmetric(numbers.next(errors.bias), width);
    const measured = symmetric(numbers.next(errors.measured), width);
    this.gaps = new AllGaps(errors, numbers, mixture.sizes);
    const prior = this.publicPrior(numbers);
    const assumed = prior.map((own, index) => {
      const asked = measured[index];
      return asked > 0 ? (own * asked) / (own + asked) : own;
    });
    this.tables = { posterior: bias.map((own, index) => own + noise[index]), prior, assumed };
    this.besides = { posterior: bias, prior, assumed };
    const triples = numbers.next(errors.triple);
    let before = 0;
    this.triples = mixture.sizes.map((size) => {
      const count = (1 << bandsOf(size)) - 1;
      before += count;
      return triples.subarray(before - count, before);
    });
    this.expansions = mixture.sizes.map((size, place) => expansion(size, this.cost(place)));
  }

  /** Return weights of an attribute's levels as weights of its Walsh functions, the constant first. */
  expand(place: number, weights: Float64Array): Float64Array {
    const matrix = this.expansions[place];
    const functions = new Float64Array(matrix.length / weights.length);
    weights.forEach((weight, level) => {
      if (!weight) return;
      const row = level * functions.length;
      for (let number = 0; number < functions.length; number++) functions[number] += weight * matrix[row + number];
    });
    return functions;
  }

  /** Return the forms of sums of some products, each of one or of many items. */
  of(products: readonly Product[], items: number): Forms {
    const forms = new Forms(products.length, items);
    const work = new Work(this.mixture, products, items, (place, one, two) => this.inner(place, one, two));
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
    const gaps = this.gaps.single(place);
    for (const one of work.naming([place])) {
      const factor = work.factor(one, place);
      const others = work.without(one, [place]);
      const { parts, at } = work.products[one].get(place)!;
      const moved = Float64Array.from(parts, ({ functions }) => dot(gaps, functions));
      forms.drift(one, factor, gather(moved, at));
      for (const two of work.naming([place]).filter((product) => product >= one)) {
        const { own, coherent, at: index } = work.inner(place, one, two);
        const each = (form: Variances) => variancesOf((name) => gather(form[name], index));
        forms.add("single", [one, two], factor, work.factor(two, place), each(own));
        forms.add("single", [one, two], others, work.without(two, [place]), each(coherent));
      }
    }
  }

  private addPair(first: number, second: number, forms: Forms, work: Work): void {
    const { items } = forms;
    const naming = work.naming([first, second]);
    const coherent = this.coherent(first, second);
    const gaps = this.gaps.pair(first, second);
    for (const one of naming) {
      const others = work.without(one, [first, second]);
      const [own, other] = [first, second].map((place) => this.side(work.products[one].get(place)!));
      forms.drift(one, others, bilinear(items, own, other, (vector, from) => gaps.meet(vector, from)));
      for (const two of naming.filter((product) => product >= one)) {
        const [left, right] = [first, second].map((place) => work.inner(place, one, two));
        const [sides, across] = [{ vectors: left.bands, at: left.at }, { vectors: right.bands, at: right.at }];
        const form = variancesOf((name) => {
          const table = this.tables[name];
          return bilinear(items, sides, across, (vector, from) =>
            from ? this.onto(table, first, second, vector) : this.onto(table, second, first, vector),
          );
        });
        for (let item = 0; item < form.prior.length; item++) {
          const both = left.centred[left.at ? left.at[item] : 0] * right.centred[right.at ? right.at[item] : 0];
          form.posterior[item] += both * coherent.posterior;
          form.prior[item] += both * coherent.prior;
          form.assumed[item] += both * coherent.assumed;
        }
        forms.add("several", [one, two], others, work.without(two, [first, second]), form);
      }
    }
  }

  /** Add what three attributes do beyond pairs: nobody was asked, so it is the prior's, before and after. */
  private addTriple(places: readonly number[], forms: Forms, work: Work): void {
    const naming = work.naming(places);
    for (const one of naming) {
      for (const two of naming.filter((product) => product >= one)) {
        const inners = places.map((place) => work.inner(place, one, two));
        const amount = new Float64Array(inners.some(({ at }) => at) ? forms.items : 1).fill(1);
        for (const { at, triple } of inners) {
          for (let item = 0; item < amount.length; item++) amount[item] *= triple[at ? at[item] : 0];
        }
        const form = variancesOf(() => amount);
        forms.add("several", [one, two], work.without(one, places), work.without(two, places), form);
      }
    }
  }

  /** Return a named attribute's functions, part by part. */
  private side({ parts, at }: Named): Side {
    const vectors = this.vectors.get(parts) ?? parts.map(({ functions }) => functions);
    this.vectors.set(parts, vectors);
    return { vectors, at };
  }

  private inner(place: number, one: readonly Part[], two: readonly Part[]): Sums {
    const known = this.inners.get(one)?.get(two);
    if (known) return known;
    const found = this.innerSums(place, one, two);
    const against = this.inners.get(one) ?? new WeakMap<readonly Part[], Sums>();
    this.inners.set(one, against.set(two, found));
    return found;
  }

  private innerSums(place: number, one: readonly Part[], two: readonly Part[]): Sums {
    const marginal = this.mixture.marginals[place];
    const count = this.starts[place + 1] - this.starts[place];
    const parts = one.length > two.length ? one : two;
    const bands = parts.map((_, part) => {
      const [left, right] = [one[one.length > 1 ? part : 0].functions, two[two.length > 1 ? part : 0].functions];
      const sums = new Float64Array(count);
      for (let index = 0; index < left.length; index++) sums[bandOf(index + 1)] += left[index] * right[index];
      return sums;
    });
    const centred = Float64Array.from(parts, (_, part) => {
      const [left, right] = [one[one.length > 1 ? part : 0].centred, two[two.length > 1 ? part : 0].centred];
      let sum = 0;
      for (let level = 0; level < marginal.length; level++) sum += marginal[level] * left[level] * right[level];
      return sum;
    });
    const triple = Float64Array.from(parts, (_, part) => {
      const [left, right] = [one[one.length > 1 ? part : 0].functions, two[two.length > 1 ? part : 0].functions];
      let sum = 0;
      for (let index = 0; index < left.length; index++) sum += this.triples[place][index] * left[index] * right[index];
      return sum;
    });
    const weighed = (table: Float64Array) => Float64Array.from(bands, (own) => dot(own, table));
    const doubt = this.coherent(null, place);
    return {
      bands,
      centred,
      triple,
      own: variancesOf((name) => weighed(this.row(this.tables[name], place))),
      coherent: variancesOf((name) => centred.map((one) => one * doubt[name])),
    };
  }

  private get width(): number {
    return this.starts[this.starts.length - 1];
  }

  /** Return the entries of a table for a single attribute. */
  private row(table: Float64Array, place: number): Float64Array {
    return table.subarray(this.starts[place], this.starts[place + 1]);
  }

  /** Return a table's sums over the bands of a second attribute, times what stands in each, for those of a first. */
  private onto(table: Float64Array, first: number, second: number, vector: Float64Array): Float64Array {
    const found = new Float64Array(this.starts[first + 1] - this.starts[first]);
    for (let band = 0; band < found.length; band++) {
      found[band] = dot(vector, table, (this.starts[first] + band) * this.width + this.starts[second]);
    }
    return found;
  }

  /** Return the variances of errors that stand where people stand. */
  private coherent(first: number | null, second: number): Coherent {
    const key = `${first},${second}`;
    const known = this.coherents.get(key);
    if (known) return known;
    const { coherent, coherent_pair, coherent_listed, listed } = this.errors;
    const ofPair = first !== null && (listed.includes(first) || listed.includes(second)) ? coherent_listed : coherent_pair;
    const doubtful = first === null ? coherent : ofPair;
    const found = {
      posterior: doubtful * this.mean(this.besides.posterior, first, second),
      prior: coherent * this.mean(this.besides.prior, first, second),
      assumed: coherent * this.mean(this.besides.assumed, first, second),
    };
    this.coherents.set(key, found);
    return found;
  }

  /** Return the variances of coefficients before any report, by bands. */
  private publicPrior(numbers: Numbers): Float64Array {
    const { width } = this;
    const [single, pair] = [this.errors.single, this.errors.pair].map((packed) => numbers.next(packed));
    return new Float64Array(width ** 2).map((_, index) => {
      const [row, column] = [Math.floor(index / width), index % width];
      if (row && column) return pair[row - 1] * pair[column - 1];
      return row || column ? single[row + column - 1] : 0;
    });
  }

  /** Return the mean of a table over the functions of a single attribute, or over those of two. */
  private mean(table: Float64Array, first: number | null, second: number): number {
    const counts = (place: number) =>
      Float64Array.from({ length: this.starts[place + 1] - this.starts[place] }, (_, band) => 2 ** band);
    const functions = (place: number) => counts(place).reduce((sum, count) => sum + count, 0);
    if (first === null) return dot(counts(second), this.row(table, second)) / functions(second);
    return dot(counts(first), this.onto(table, first, second, counts(second))) / functions(first) / functions(second);
  }

  /** Return what a function of each band costs: its variance, and that of its products with others on average. */
  private cost(place: number): Float64Array {
    const { posterior } = this.tables;
    const [start, stop] = [this.starts[place], this.starts[place + 1]];
    const others = this.width - 1 - (stop - start);
    return new Float64Array(stop - start).map((_, own) => {
      const row = (start + own) * this.width;
      let sum = 0;
      for (let band = 1; band < this.width; band++) if (band < start || band >= stop) sum += posterior[row + band];
      return posterior[row] + (others ? sum / others : 0);
    });
  }
}

/** Return the whole of a symmetric table of which the upper half is given, row by row. */
function symmetric(upper: Float64Array, width: number): Float64Array {
  const table = new Float64Array(width * width);
  let place = 0;
  for (let row = 0; row < width; row++) {
    for (let column = row; column < width; column++, place++) {
      table[row * width + column] = table[column * width + row] = upper[place];
    }
  }
  return table;
}
