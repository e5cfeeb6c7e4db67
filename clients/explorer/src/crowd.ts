/**
 * The model's own arithmetic, as sottovoce.mechanisms.mixture and sottovoce.asking have it.
 *
 * All fits stand in one bank of components: the model's first, then those of its repeated fits, one group per fit. An
 * answer is, for every group, a sum over its components of a weight times, for each attribute, what the component has
 * inside; running totals over levels make that a difference. The spread of the groups gives the interval.
 */

import { type Cell, cellsOf, levels } from "./attributes";
import type { Exploration, Intervals, Numbers } from "./exploration";
import { type Filter, type Filters, largestWeight, region } from "./filters";

/** A fraction of the crowd, and where the true one lies. */
export interface Estimate {
  readonly fraction: number;
  readonly low: number;
  readonly high: number;
}

/** The fractions of all levels of an attribute, with their intervals. */
export interface Distribution {
  readonly fractions: Float64Array;
  readonly lows: Float64Array;
  readonly highs: Float64Array;
}

export class Crowd {
  private readonly sizes: number[];
  private readonly weights: Float64Array;
  /** Where each group of components begins; the last entry is their number. */
  private readonly starts: number[] = [0];
  /** Per attribute, running totals: component by level. */
  private readonly totals: Float64Array[];
  private readonly wholes: Float64Array[];
  private readonly calibrated: boolean;
  private readonly rule: Intervals;
  private readonly insides = new WeakMap<Filter, Float64Array>();

  constructor(
    private readonly about: Exploration,
    numbers: Numbers,
  ) {
    this.sizes = about.attributes.map(levels);
    this.rule = about.intervals;
    const fits = about.fits.map((fit) => ({
      weights: normalised(numbers.next(fit.weights)),
      factors: fit.factors.map((factor) => numbers.next(factor)),
    }));
    const tilts = new Map(
      Object.entries(about.calibration).map(([place, tilt]) => [Number(place), numbers.next(tilt)]),
    );
    for (const { weights } of fits) this.starts.push(this.starts[this.starts.length - 1] + weights.length);
    this.weights = Float64Array.from(fits.flatMap(({ weights }) => [...weights]));
    this.calibrated = tilts.size > 0;
    this.totals = this.sizes.map((size, place) => {
      return runningTotals(
        fits.map(({ factors }) => factors[place]),
        size,
        tilts.get(place) ?? null,
      );
    });
    this.wholes = this.totals.map((totals, place) => at(totals, this.sizes[place], this.sizes[place]));
  }

  /** Return the fraction of the crowd that all filters choose together. */
  answer(filters: Filters): Estimate {
    const groups = this.groupSums(this.products(filters));
    const everybody = this.groupSums(this.products([]));
    const fraction = groups[0] / everybody[0];
    if (this.calibrated) {
      const off = groups.map((sum, group) => (sum - fraction * everybody[group]) / everybody[0]);
      const own = variance(off);
      return this.estimate(fraction, this.joined(own, own));
    }
    const own = variance(groups);
    return this.estimate(fraction, this.joined(own, ...this.generalVariance(fraction, filters)));
  }

  /** Return the distribution of an attribute among those whom the filters on other attributes choose. */
  distribution(place: number, filters: Filters): Distribution {
    const others = filters.map((filter, other) => (other === place ? null : filter));
    const alone = !this.calibrated && others.every((filter) => filter === null);
    const size = this.sizes[place];
    const tops = this.levelSums(place, this.products(others, place));
    const bottoms = tops.map((sums) => sums[size]);
    const found = {
      fractions: new Float64Array(size),
      lows: new Float64Array(size),
      highs: new Float64Array(size).fill(1),
    };
    if (!(bottoms[0] > 0)) return found; // of nobody, nothing is known
    const off = new Array<number>(tops.length);
    for (let level = 0; level < size; level++) {
      const fraction = (tops[0][level + 1] - tops[0][level]) / bottoms[0];
      for (let group = 0; group < tops.length; group++) {
        const top = tops[group][level + 1] - tops[group][level];
        off[group] = (alone ? top : top - fraction * bottoms[group]) / bottoms[0];
      }
      const own = variance(off);
      const joined = alone
        ? this.joined(own, this.varianceOfSize(fraction, 1), this.leastVariance(1))
        : this.joined(own, own);
      const one = this.estimate(fraction, joined);
      found.fractions[level] = one.fraction;
      found.lows[level] = one.low;
      found.highs[level] = one.high;
    }
    return found;
  }

  /**
   * Return the fractions in all cells of two attributes, among those whom the filters on others choose: for each cell
   * of the second, those of the first. Null: nobody is chosen.
   */
  pair(first: number, second: number, filters: Filters): Float64Array | null {
    const others = filters.map((filter, other) => (other === first || other === second ? null : filter));
    const products = this.products(others, first, second);
    const [columns, rows] = [first, second].map((place) => cellsOf(this.about.attributes[place]));
    const joint = new Float64Array(columns.length * rows.length);
    for (let component = 0; component < this.starts[1]; component++) {
      const across = this.insideCells(first, columns, component);
      const up = this.insideCells(second, rows, component);
      for (let row = 0; row < rows.length; row++) {
        const inside = products[component] * up[row];
        for (let column = 0; column < columns.length; column++) {
          joint[row * columns.length + column] += inside * across[column];
        }
      }
    }
    const sum = joint.reduce((total, cell) => total + cell, 0);
    return sum > 0 ? joint.map((cell) => cell / sum) : null;
  }

  /** Return, for every component, its weight times what it has inside the filters; some attributes are left out. */
  private products(filters: Filters, ...without: number[]): Float64Array {
    const products = this.weights.slice();
    for (let place = 0; place < this.sizes.length; place++) {
      if (without.includes(place)) continue;
      const filter = filters[place] ?? null;
      if (filter === null && !this.calibrated) continue;
      const inside = filter === null ? this.wholes[place] : this.inside(place, filter);
      for (let component = 0; component < products.length; component++) products[component] *= inside[component];
    }
    return products;
  }

  private inside(place: number, filter: Filter): Float64Array {
    const known = this.insides.get(filter);
    if (known) return known;
    const inside = new Float64Array(this.weights.length);
    for (const [start, stop] of region(this.about.attributes[place], filter)) {
      const above = at(this.totals[place], this.sizes[place], stop);
      const below = at(this.totals[place], this.sizes[place], start);
      for (let component = 0; component < inside.length; component++) {
        inside[component] += above[component] - below[component];
      }
    }
    this.insides.set(filter, inside);
    return inside;
  }

  /** Return what one component has inside each cell of an attribute. */
  private insideCells(place: number, cells: readonly Cell[], component: number): number[] {
    const totals = this.totals[place];
    const row = component * (this.sizes[place] + 1);
    return cells.map(({ start, stop }) => totals[row + stop] - totals[row + start]);
  }

  private groupSums(products: Float64Array): number[] {
    return this.about.fits.map((_, group) => {
      let sum = 0;
      for (let component = this.starts[group]; component < this.starts[group + 1]; component++) {
        sum += products[component];
      }
      return sum;
    });
  }

  /** Return, for every group, the running totals of an attribute's levels under the products. */
  private levelSums(place: number, products: Float64Array): Float64Array[] {
    const width = this.sizes[place] + 1;
    const totals = this.totals[place];
    return this.about.fits.map((_, group) => {
      const sums = new Float64Array(width);
      for (let component = this.starts[group]; component < this.starts[group + 1]; component++) {
        const product = products[component];
        const row = component * width;
        for (let level = 1; level < width; level++) sums[level] += product * totals[row + level];
      }
      return sums;
    });
  }

  /** Return the variance that answers like this one have in general, and the least there is. */
  private generalVariance(fraction: number, filters: Filters): [number, number] {
    let scale = 1;
    let dimensions = 0;
    filters.forEach((filter, place) => {
      if (filter === null) return;
      scale *= largestWeight(region(this.about.attributes[place], filter));
      dimensions++;
    });
    if (!(scale > 0)) return [0, 0];
    return [scale ** 2 * this.varianceOfSize(fraction / scale, dimensions), scale ** 2 * this.leastVariance(dimensions)];
  }

  /** Return the variance that answers of a size on so many attributes have in general. */
  private varianceOfSize(share: number, dimensions: number): number {
    const { rates } = this.rule;
    if (!dimensions || !rates.length) return 0;
    const rate = rates[Math.min(dimensions, rates.length) - 1];
    return rate ** 2 * Math.max(share * (1 - share), 0);
  }

  /** Return the least variance of an answer on so many attributes. */
  private leastVariance(dimensions: number): number {
    return dimensions && this.rule.rates.length ? this.rule.least ** 2 : 0;
  }

  /** Return the variance of an answer, from its own over repeated fits and that of its size in general. */
  private joined(own: number, general: number, least = 0): number {
    return this.rule.own * own + this.rule.general * Math.max(Math.min(general, this.rule.most * own), least);
  }

  private estimate(value: number, spread: number): Estimate {
    const fraction = Math.min(Math.max(value, 0), 1);
    const reach = this.rule.factor * Math.sqrt(spread);
    if (!Number.isFinite(reach)) return { fraction, low: 0, high: 1 };
    return { fraction, low: Math.max(0, fraction - reach), high: Math.min(1, fraction + reach) };
  }
}

/** Return the sample variance over all groups but the first; not finite if the fit was not repeated. */
function variance(groups: ArrayLike<number>): number {
  const count = groups.length - 1;
  if (count < 2) return Infinity;
  let mean = 0;
  for (let group = 1; group <= count; group++) mean += groups[group] / count;
  let sum = 0;
  for (let group = 1; group <= count; group++) sum += (groups[group] - mean) ** 2;
  return sum / (count - 1);
}

function normalised(numbers: Float64Array): Float64Array {
  const sum = numbers.reduce((total, number) => total + number, 0);
  return numbers.map((number) => number / sum);
}

/** Return the running totals of every component's levels; rows are brought to add up to one, then tilted. */
function runningTotals(factors: Float64Array[], size: number, tilt: Float64Array | null): Float64Array {
  const components = factors.reduce((count, factor) => count + factor.length / size, 0);
  const totals = new Float64Array(components * (size + 1));
  let place = 0;
  for (const factor of factors) {
    for (let start = 0; start < factor.length; start += size) {
      const row = normalised(factor.subarray(start, start + size));
      for (let level = 0; level < size; level++, place++) {
        totals[place + 1] = totals[place] + row[level] * (tilt ? tilt[level] : 1);
      }
      place++;
    }
  }
  return totals;
}

/** Return every component's running total at a position on the axis of levels, linear within a level. */
function at(totals: Float64Array, size: number, position: number): Float64Array {
  const whole = Math.min(Math.floor(position), size - 1);
  const part = position - whole;
  const width = size + 1;
  return Float64Array.from({ length: totals.length / width }, (_, component) => {
    const start = component * width + whole;
    return totals[start] + part * (totals[start + 1] - totals[start]);
  });
}
