/** What the page asks of the model: fractions, distributions and pairs, with intervals and how much was measured. */

import { type Cell, cellsOf, domain, levelValues, valueAt, valueLevels } from "./attributes";
import { type Limited, crossing, median } from "./centre";
import type { Exploration, Numbers, Ordered } from "./exploration";
import { type Filter, type Filters, type Region, region, regionWeights } from "./filters";
import { type Known, type Tilts, cellsOfKnown, rake } from "./known";
import { type Limits, differenceLimits, lopsided, normalLimits, ratioLimits, unknown } from "./limits";
import { Mixture, type Named, type Part, type Product, type Stretch, dot, identity, stretch } from "./mixture";
import { Spread } from "./spread";

/** A fraction of the crowd, where the true one lies, and how much of it was measured (NaN if that is not known). */
export interface Estimate {
  readonly fraction: number;
  readonly low: number;
  readonly high: number;
  readonly evidence: number;
}

/** A part of everybody. */
export interface Share extends Estimate {
  /** How far the interval reaches to either side before it is lopsided, and cut to 0 and 1. */
  readonly reach: number;
}

/** The fractions of all levels of an attribute, or of all cells of two, with their intervals and evidence. */
export interface Distribution {
  readonly fractions: Float64Array;
  readonly lows: Float64Array;
  readonly highs: Float64Array;
  readonly evidence: Float64Array;
}

/** How the mean and the median of an attribute are asked for: its values, who answered, and who lies below somewhere. */
interface Centred {
  readonly values: Named;
  readonly answered: Named;
  readonly below: Named;
}

interface Ordering extends Centred {
  /** The positions on the axis of levels at which limits of the median are looked for. */
  readonly looked: readonly number[];
  /** Whoever did not answer counts as those who did, on average: errors are of these (sottovoce.query.functional). */
  readonly imputed: Centred;
}

const MOST_POSITIONS = 256; // at which limits of a median are looked for
const HALF = 0.5; // of a group lies below its median
const MOST_LOPSIDED = 0.2; // limits of shares below a position, as sottovoce.model.asking has them
let parts = 0;

export class Crowd {
  /** By the place of each calibrated attribute, the weights of its levels. */
  private readonly tilted: Product;
  /** The expectation of those weights: what everybody counts for. */
  private readonly total: number;
  private readonly units: readonly Named[];
  private readonly cells: readonly Named[];
  private readonly orderings = new Map<number, Ordering>();
  private readonly chosen = new WeakMap<Filter, Named>();

  private constructor(
    private readonly about: Exploration,
    private readonly mixture: Mixture,
    private readonly spread: Spread | null,
    private readonly tilts: Tilts,
  ) {
    const whole = ([place, tilt]: readonly [number, Float64Array]) =>
      [place, { parts: [this.partOf(place, stretch(tilt))], at: null }] as const;
    this.tilted = new Map([...tilts].map(whole));
    this.total = this.mixture.expectation(this.tilted, 1)[0];
    const several = (place: number, cells: readonly Cell[]) => ({
      parts: cells.map(({ start, stop }) => {
        const tilt = tilts.get(place)?.subarray(start, stop);
        return this.partOf(place, { start, weights: tilt ?? new Float64Array(stop - start).fill(1) });
      }),
      at: identity(cells.length),
    });
    const { sizes } = this.mixture;
    this.units = sizes.map((size, place) =>
      several(place, Array.from({ length: size }, (_, level) => ({ start: level, stop: level + 1 }))),
    );
    this.cells = about.attributes.map((attribute, place) => several(place, cellsOf(attribute)));
  }

  /** Return the crowd of an exploration, from its numbers. */
  static of(about: Exploration, numbers: Numbers): Crowd {
    const mixture = new Mixture(about, numbers);
    const calibration = Object.entries(about.calibration).map(
      ([place, tilt]) => [Number(place), numbers.next(tilt)] as const,
    );
    const spread = about.errors ? new Spread(mixture, about.errors, numbers) : null;
    return new Crowd(about, mixture, spread, new Map(calibration));
  }

  /** Return the crowd in which people count by weights, so that what is known of it is so. */
  calibrated(known: Known): Crowd {
    const cells = known.flatMap((shares, place) => {
      if (!shares) return [];
      const present = this.distribution(place, []).fractions;
      return [[place, cellsOfKnown(this.about.attributes[place], shares, present)] as const];
    });
    if (!cells.length) return this;
    const both = (weights: Tilts) => {
      const tilts = new Map(this.tilts);
      for (const [place, own] of weights) {
        const before = this.tilts.get(place);
        tilts.set(place, before ? own.map((weight, level) => weight * before[level]) : own);
      }
      return tilts;
    };
    const weights = rake((place, tilts) => this.mixture.tilted(place, both(tilts)), new Map(cells));
    return new Crowd(this.about, this.mixture, this.spread, both(weights));
  }

  /** Return the fraction of the crowd that all filters choose together. */
  answer(filters: Filters): Share {
    if (this.spread && filters.every((filter) => filter === null)) {
      return { fraction: 1, low: 1, high: 1, evidence: 1, reach: 0 };
    }
    const { fractions, lows, highs, evidence, reaches } = this.shares(this.product(filters), 1);
    return { fraction: fractions[0], low: lows[0], high: highs[0], evidence: evidence[0], reach: reaches[0] };
  }

  /**
   * Return how much larger the part that one choice of filters makes is than another's, between -1 and 1. Both come from
   * the same reports, so their errors partly cancel; limits by variance recovery, as sottovoce.difference has them.
   */
  difference(first: Filters, second: Filters): Estimate {
    const [one, other] = [this.answer(first), this.answer(second)];
    const fraction = one.fraction - other.fraction;
    const products = [this.product(first), this.product(second)];
    const forms = this.spread?.of(this.tilted.size > 0 ? [...products, this.tilted] : products, 1);
    const known = (left: number, right: number) => {
      const tilt = -(left * one.fraction + right * other.fraction);
      const amounts = [left, right, tilt].map((amount) => Float64Array.of(amount / this.total));
      return forms?.known(amounts) ?? unknown(1);
    };
    const least = products.map((product) => (this.tilted.size > 0 ? 0 : this.sampling(product, 1)[0]));
    const own = Math.max(known(1, 0).variance[0], least[0]);
    const its = Math.max(known(0, 1).variance[0], least[1]);
    const apart = known(1, -1);
    const [low, high] = differenceLimits(one, other, [own, its, apart.variance[0]]);
    return { fraction, low, high, evidence: apart.evidence[0] };
  }

  /** Return the distribution of an attribute among those whom the filters on other attributes choose. */
  distribution(place: number, filters: Filters): Distribution {
    const size = this.mixture.sizes[place];
    const found = this.among(filters, new Map([[place, this.units[place]]]), size);
    if (found) return found;
    const [fractions, lows] = [new Float64Array(size), new Float64Array(size)];
    return { fractions, lows, highs: lows.map(() => 1), evidence: lows.map(() => NaN) };
  }

  /** Return the mean of an ordered attribute among those whom filters on others choose and who answered; null of nobody. */
  mean(place: number, filters: Filters): Limited | null {
    const ordering = this.ordering(place);
    const others = this.product(filters.map((filter, other) => (other === place ? null : filter)));
    const product = (named: Named) => new Map([...others, [place, named] as const]);
    const bottom = product(ordering.answered);
    const selected = this.mixture.expectation(bottom, 1)[0];
    if (!(selected > 0)) return null;
    const bounds = domain(this.about.attributes[place] as Ordered);
    const grouped = filters.some((filter, other) => other !== place && filter !== null);
    const { values, answered } = grouped ? ordering.imputed : ordering;
    const errors = [product(values), product(answered)] as const;
    const found = this.ratios(product(ordering.values), bottom, selected, 1, bounds, errors);
    return { value: found.fractions[0], low: found.lows[0], high: found.highs[0] };
  }

  /**
   * Return the median of an ordered attribute among those whom filters on others choose and who answered; null of
   * nobody. Its limits are the positions at which the share below could be one half.
   */
  median(place: number, filters: Filters): Limited | null {
    const attribute = this.about.attributes[place] as Ordered;
    const { answered, looked, below, imputed } = this.ordering(place);
    const others = this.product(filters.map((filter, other) => (other === place ? null : filter)));
    const selected = this.mixture.expectation(new Map([...others, [place, answered] as const]), 1)[0];
    if (!(selected > 0)) return null;
    const product = new Map([...others, [place, imputed.below] as const]);
    const [gaps, means] = [below, imputed.below].map((named) =>
      this.mixture.expectation(new Map([...others, [place, named] as const]), looked.length).map((sum) => sum / selected),
    );
    const calibrated = this.tilted.size > 0;
    const forms = this.spread?.of(calibrated ? [product, this.tilted] : [product], looked.length);
    const amounts = [Float64Array.of(1 / selected), means.map((mean) => -mean / this.total)];
    const { variance } = forms?.known(amounts) ?? unknown(looked.length);
    const sampled = calibrated ? null : this.sampling(product, looked.length);
    const limits = [...variance].map((own, index): Limits => {
      const least = sampled ? sampled[index] / selected ** 2 : 0;
      const reach = this.about.intervals.factor * Math.sqrt(Math.max(own, least));
      const share = gaps[index] + HALF;
      const [low, high] = lopsided(share, [share - reach, share + reach], MOST_LOPSIDED);
      return [low - HALF, high - HALF];
    });
    const value = median(attribute, this.distribution(place, filters).fractions);
    const [low, high] = crossing(looked, limits).map((position) => valueAt(attribute, position));
    return { value, low: Math.min(low, value), high: Math.max(high, value) };
  }

  /**
   * Return the fractions in all cells of two attributes, among those whom the filters on others choose: for each cell
   * of the second, those of the first. Null: nobody is chosen.
   */
  pair(first: number, second: number, filters: Filters): Distribution | null {
    const [columns, rows] = [first, second].map((place) => this.cells[place].parts);
    const count = columns.length * rows.length;
    const across = Uint16Array.from({ length: count }, (_, cell) => cell % columns.length);
    const up = Uint16Array.from({ length: count }, (_, cell) => Math.floor(cell / columns.length));
    const named = new Map([
      [first, { parts: columns, at: across }],
      [second, { parts: rows, at: up }],
    ]);
    return this.among(filters, named, count);
  }

  /** Return what fraction each item is of those whom filters on attributes it does not name choose; null of nobody. */
  private among(filters: Filters, named: Product, items: number): Distribution | null {
    const others = filters.map((filter, place) => (named.has(place) ? null : filter));
    const bottom = this.product(others);
    const top = new Map([...bottom, ...named]);
    if (others.every((filter) => filter === null)) return this.shares(top, items);
    const selected = this.mixture.expectation(bottom, 1)[0];
    return selected > 0 ? this.ratios(top, bottom, selected, items) : null;
  }

  /** Return fractions of everybody, with lopsided limits. */
  private shares(product: Product, items: number): Distribution & { readonly reaches: Float64Array } {
    const calibrated = this.tilted.size > 0;
    const fractions = this.mixture.expectation(product, items).map((expected) => cut(expected / this.total));
    const forms = this.spread?.of(calibrated ? [product, this.tilted] : [product], items);
    const amounts = [Float64Array.of(1 / this.total), fractions.map((fraction) => -fraction / this.total)];
    const { variance, evidence } = forms?.known(amounts) ?? unknown(items);
    const least = calibrated ? new Float64Array(items) : this.sampling(product, items);
    const { factor } = this.about.intervals;
    const reaches = variance.map((own, item) => factor * Math.sqrt(Math.max(own, least[item])));
    const limits = (fraction: number, item: number) => normalLimits(fraction, reaches[item]);
    return { ...this.limited(fractions, evidence, limits), reaches };
  }

  /**
   * Return ratios of many products to one: limits by Fieller's theorem, evidence of the error to first order.
   *
   * @param top The numerators, one for each item.
   * @param bottom The denominator.
   * @param selected What the denominator is found to be.
   * @param items How many ratios there are.
   * @param range What they lie between; they are fractions unless that is given.
   * @param errors The products whose errors those of numerators and denominator are: both themselves unless given.
   */
  private ratios(
    top: Product,
    bottom: Product,
    selected: number,
    items: number,
    range: Limits | null = null,
    errors: readonly [Product, Product] = [top, bottom],
  ): Distribution {
    const calibrated = this.tilted.size > 0;
    const fractions = this.mixture.expectation(top, items).map((expected) => cut(expected / selected, range ?? [0, 1]));
    const forms = this.spread?.of(calibrated ? [...errors, this.tilted] : [...errors], items);
    const [tops, [whole]] = [this.mixture.expectation(errors[0], items), this.mixture.expectation(errors[1], 1)];
    const known = (one: number, two: Float64Array) => {
      const tilt = two.map((amount, item) => -(one * tops[item] + amount * whole) / selected / this.total);
      const amounts = [Float64Array.of(one / selected), two.map((amount) => amount / selected), tilt];
      return forms?.known(amounts) ?? unknown(items);
    };
    const least = calibrated ? 0 : this.sampling(errors[1], 1)[0] / selected ** 2;
    const divided = Math.max(known(0, Float64Array.of(1)).variance[0], least);
    const own = known(1, fractions.map((fraction) => -fraction));
    const apart = known(1, fractions.map((fraction) => -fraction - 1)).variance;
    return this.limited(fractions, own.evidence, (fraction, item) =>
      ratioLimits(fraction, [own.variance[item], divided, apart[item]], this.about.intervals.factor, range),
    );
  }

  private limited(
    fractions: Float64Array,
    evidence: Float64Array,
    limits: (fraction: number, item: number) => Limits,
  ): Distribution {
    const [lows, highs] = [new Float64Array(fractions.length), new Float64Array(fractions.length)];
    for (let item = 0; item < fractions.length; item++) [lows[item], highs[item]] = limits(fractions[item], item);
    return { fractions, lows, highs, evidence };
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
    return this.tiltedPart(place, regionWeights(chosen, this.mixture.sizes[place]));
  }

  /** Return the part of weights of levels, each of which counts by its own weight besides. */
  private tiltedPart(place: number, weights: Float64Array): Part {
    const tilt = this.tilts.get(place);
    return this.partOf(place, stretch(tilt ? weights.map((weight, level) => weight * tilt[level]) : weights));
  }

  private ordering(place: number): Ordering {
    const known = this.orderings.get(place);
    if (known) return known;
    const [attribute, size] = [this.about.attributes[place] as Ordered, this.mixture.sizes[place]];
    const answered = regionWeights([[0, valueLevels(attribute)]], size);
    const values = answered.slice();
    levelValues(attribute).forEach((value, level) => (values[level] = value));
    const looked = positions(valueLevels(attribute));
    const half = (position: number) =>
      regionWeights([[0, position]], size).map((weight, level) => weight - answered[level] / 2);
    const one = (weights: Float64Array): Named => ({ parts: [this.tiltedPart(place, weights)], at: null });
    const several = (weights: readonly Float64Array[]): Named => ({
      parts: weights.map((own) => this.tiltedPart(place, own)),
      at: identity(weights.length),
    });
    const plain = { values: one(values), answered: one(answered), below: several(looked.map(half)) };
    const silent = (weights: Float64Array) => this.silent(place, weights);
    const imputed =
      valueLevels(attribute) < size
        ? {
            values: one(silent(values)),
            answered: one(silent(answered)),
            below: several(looked.map((end) => silent(half(end)))),
          }
        : plain;
    const found = { looked, ...plain, imputed };
    this.orderings.set(place, found);
    return found;
  }

  /** Return weights in which "no answer", the last level, counts as those who answered do, on average. */
  private silent(place: number, weights: Float64Array): Float64Array {
    const [everybody, last] = [this.mixture.marginals[place], weights.length - 1];
    const tilt = this.tilts.get(place) ?? new Float64Array(weights.length).fill(1);
    const counted = everybody.map((people, level) => (level < last ? people * tilt[level] : 0));
    const [share, total] = [1 - everybody[last], counted.reduce((sum, own) => sum + own, 0)];
    if (!(share > 0 && tilt[last] > 0 && total > 0)) return weights;
    const less = ((1 - share) * dot(counted, weights)) / total;
    const found = weights.map((own) => own - less);
    found[last] = dot(counted, found) / (share * tilt[last]);
    return found;
  }

  /** Return all that weights of an attribute's levels stand for. */
  private partOf(place: number, levels: Stretch): Part {
    const { start, weights } = levels;
    const inside = this.mixture.inside(place, levels);
    const whole = weights.every((weight) => weight === 0 || weight === 1);
    const squares = whole ? inside : this.mixture.inside(place, { start, weights: weights.map((own) => own ** 2) });
    const mean = dot(weights, this.mixture.marginals[place], start);
    const functions = this.spread?.covariances(place, levels, mean) ?? new Float64Array(0);
    return { id: parts++, levels, mean, functions, inside, squares };
  }
}

function cut(value: number, [least, most]: Limits = [0, 1]): number {
  return Math.min(Math.max(value, least), most);
}

/** Return the ends of levels, every so manieth where there are very many. */
function positions(count: number): number[] {
  const step = Math.ceil((count + 1) / MOST_POSITIONS);
  const found = Array.from({ length: Math.ceil((count + 1) / step) }, (_, index) => index * step);
  return found[found.length - 1] === count ? found : [...found, count];
}
