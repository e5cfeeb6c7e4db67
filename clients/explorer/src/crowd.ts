/** What the page asks of the model: fractions, distributions and pairs, with intervals and how much was measured. */

import { type Cell, cellsOf } from "./attributes";
import type { Exploration, Numbers } from "./exploration";
import { type Filter, type Filters, type Region, region, regionWeights } from "./filters";
import type { Forms } from "./forms";
import { type Known, UNKNOWN, normalLimits, ratioLimits } from "./limits";
import { Mixture, type Named, type Part, type Product, dot } from "./mixture";
import { Spread } from "./spread";

/** A fraction of the crowd, where the true one lies, and how much of it was measured (NaN if that is not known). */
export interface Estimate {
  readonly fraction: number;
  readonly low: number;
  readonly high: number;
  readonly evidence: number;
}

/** The fractions of all levels of an attribute, with their intervals and evidence. */
export interface Distribution {
  readonly fractions: Float64Array;
  readonly lows: Float64Array;
  readonly highs: Float64Array;
  readonly evidence: Float64Array;
}

/** The fractions in all cells of two attributes: for each cell of the second, those of the first. */
export interface Joint {
  readonly fractions: Float64Array;
  readonly evidence: Float64Array;
}

export class Crowd {
  private readonly mixture: Mixture;
  private readonly spread: Spread | null;
  private readonly tilts: ReadonlyMap<number, Float64Array>;
  /** By the place of each calibrated attribute, the weights of its levels. */
  private readonly tilted: Product;
  /** The expectation of those weights: what everybody counts for. */
  private readonly total: number;
  private readonly units: readonly Named[];
  private readonly cells: readonly Named[];
  private readonly chosen = new WeakMap<Filter, Named>();

  constructor(
    private readonly about: Exploration,
    numbers: Numbers,
  ) {
    this.mixture = new Mixture(about, numbers);
    const calibration = Object.entries(about.calibration).map(([place, tilt]) => [Number(place), numbers.next(tilt)] as const);
    this.tilts = new Map(calibration);
    this.spread = about.errors ? new Spread(this.mixture, about.errors, numbers) : null;
    const whole = ([place, tilt]: readonly [number, Float64Array]) =>
      [place, { parts: [this.partOf(place, tilt)], at: null }] as const;
    this.tilted = new Map(calibration.map(whole));
    this.total = this.mixture.expectation(this.tilted, 1)[0];
    const several = (place: number, cells: readonly Cell[]) => ({
      parts: cells.map(({ start, stop }) => this.part(place, [[start, stop]])),
      at: Uint16Array.from(cells.keys()),
    });
    const { sizes } = this.mixture;
    this.units = sizes.map((size, place) =>
      several(place, Array.from({ length: size }, (_, level) => ({ start: level, stop: level + 1 }))),
    );
    this.cells = about.attributes.map((attribute, place) => several(place, cellsOf(attribute)));
  }

  /** Return the fraction of the crowd that all filters choose together. */
  answer(filters: Filters): Estimate {
    const product = this.product(filters);
    const fraction = this.mixture.expectation(product, 1)[0] / this.total;
    if (this.spread && filters.every((filter) => filter === null)) return { fraction: 1, low: 1, high: 1, evidence: 1 };
    return this.fractionOf(fraction, this.fractionErrors(product, [fraction])[0]);
  }

  /** Return the distribution of an attribute among those whom the filters on other attributes choose. */
  distribution(place: number, filters: Filters): Distribution {
    const size = this.mixture.sizes[place];
    const found = {
      fractions: new Float64Array(size),
      lows: new Float64Array(size),
      highs: new Float64Array(size).fill(1),
      evidence: new Float64Array(size).fill(NaN),
    };
    const estimates = this.among(filters, new Map([[place, this.units[place]]]), size);
    estimates?.forEach(({ fraction, low, high, evidence }, level) => {
      found.fractions[level] = fraction;
      found.lows[level] = low;
      found.highs[level] = high;
      found.evidence[level] = evidence;
    });
    return found;
  }

  /** Return the fractions in all cells of two attributes, among those whom the filters on others choose, or null. */
  pair(first: number, second: number, filters: Filters): Joint | null {
    const [columns, rows] = [first, second].map((place) => this.cells[place].parts);
    const count = columns.length * rows.length;
    const across = Uint16Array.from({ length: count }, (_, cell) => cell % columns.length);
    const up = Uint16Array.from({ length: count }, (_, cell) => Math.floor(cell / columns.length));
    const named = new Map([
      [first, { parts: columns, at: across }],
      [second, { parts: rows, at: up }],
    ]);
    const estimates = this.among(filters, named, count);
    if (!estimates) return null;
    return {
      fractions: Float64Array.from(estimates, ({ fraction }) => fraction),
      evidence: Float64Array.from(estimates, ({ evidence }) => evidence),
    };
  }

  /** Return what fraction each item is of those whom filters on attributes it does not name choose; null of nobody. */
  private among(filters: Filters, named: Product, items: number): Estimate[] | null {
    const others = filters.map((filter, place) => (named.has(place) ? null : filter));
    const bottom = this.product(others);
    const top = new Map([...bottom, ...named]);
    const selected = this.mixture.expectation(bottom, 1)[0];
    if (!(selected > 0)) return null;
    const fractions = this.mixture.expectation(top, items).map((expected) => expected / selected);
    if (others.every((filter) => filter === null)) {
      const errors = this.fractionErrors(top, fractions);
      return Array.from(fractions, (fraction, item) => this.fractionOf(fraction, errors[item]));
    }
    return this.ratios(top, bottom, selected, fractions);
  }

  /** Return ratios of many products to one: limits by Fieller's theorem, evidence of the error to first order. */
  private ratios(top: Product, bottom: Product, selected: number, fractions: Float64Array): Estimate[] {
    const calibrated = this.tilted.size > 0;
    const forms = this.spread?.of(calibrated ? [top, bottom, this.tilted] : [top, bottom], fractions.length) ?? null;
    const known = (item: number, one: number, two: number, three: number) =>
      forms?.at(item, [one / selected, two / selected, three / this.total]) ?? UNKNOWN;
    const least = calibrated ? 0 : this.sampling(bottom, 1)[0] / selected ** 2;
    const whole = Math.max(known(0, 0, 1, -1).variance, least);
    return Array.from(fractions, (value, item) => {
      const fraction = Math.min(Math.max(value, 0), 1);
      const own = known(item, 1, -fraction, 0);
      const apart = known(item, 1, -fraction - 1, 1).variance;
      const [low, high] = ratioLimits(fraction, own.variance, whole, apart, this.about.intervals.factor);
      return { fraction, low, high, evidence: own.evidence };
    });
  }

  /** Return what is known of the errors of fractions of everybody. */
  private fractionErrors(product: Product, fractions: ArrayLike<number>): Known[] {
    const items = fractions.length;
    const calibrated = this.tilted.size > 0;
    const forms: Forms | null = this.spread?.of(calibrated ? [product, this.tilted] : [product], items) ?? null;
    const least = calibrated ? new Float64Array(items) : this.sampling(product, items);
    return Array.from(least, (sampling, item) => {
      const known = forms?.at(item, [1 / this.total, -fractions[item] / this.total]) ?? UNKNOWN;
      return { ...known, variance: Math.max(known.variance, sampling) };
    });
  }

  private fractionOf(value: number, { variance, evidence }: Known): Estimate {
    const fraction = Math.min(Math.max(value, 0), 1);
    const [low, high] = normalLimits(fraction, variance, this.about.intervals.factor);
    return { fraction, low, high, evidence };
  }

  /** Return the variance that each item would have if everybody had answered openly: nobody knows it better. */
  private sampling(product: Product, items: number): Float64Array {
    const squares = this.mixture.expectation(product, items, [], true);
    const means = this.mixture.expectation(product, items);
    return squares.map((square, item) => Math.max(square - means[item] ** 2, 0) / Math.max(1, this.about.reports));
  }

  /** Return the product that filters stand for; in a calibrated model every level counts by its weight. */
  private product(filters: Filters): Product {
    const product = new Map(this.tilted);
    filters.forEach((filter, place) => {
      if (filter === null) return;
      const known = this.chosen.get(filter);
      const named = known ?? { parts: [this.part(place, region(this.about.attributes[place], filter))], at: null };
      if (!known) this.chosen.set(filter, named);
      product.set(place, named);
    });
    return product;
  }

  private part(place: number, chosen: Region): Part {
    const tilt = this.tilts.get(place);
    const weights = regionWeights(chosen, this.mixture.sizes[place]);
    return this.partOf(place, tilt ? weights.map((weight, level) => weight * tilt[level]) : weights);
  }

  /** Return all that weights of an attribute's levels stand for. */
  private partOf(place: number, weights: Float64Array): Part {
    const inside = this.mixture.inside(place, weights);
    const whole = weights.every((weight) => weight === 0 || weight === 1);
    const squares = whole ? inside : this.mixture.inside(place, weights.map((weight) => weight ** 2));
    const mean = dot(weights, this.mixture.marginals[place]);
    const [constant, ...functions] = this.spread?.expand(place, weights) ?? [0];
    return {
      functions: Float64Array.from(functions),
      centred: weights.map((weight) => weight - mean),
      own: mean - constant,
      inside,
      squares,
    };
  }
}
