import { FRACTION, randomWord, SCALE } from "../exact.js";

/**
 * The square wave over ordered cells: cell v stands at place v + reach of cells + 2 reach places; the places within
 * reach of it have weight `near` each (the first `extra` of them one more), all others weight `far`.
 */
export class SquareWave {
  kind = "square_wave";

  /** @param {bigint} cells @param {import("../exact.js").Epsilon} epsilon */
  constructor(cells, epsilon) {
    this.cells = cells;
    this.scale = SCALE;
    this.reach = reach(cells, epsilon);
    this.width = 2n * this.reach + 1n;
    this.codes = cells + 2n * this.reach;
    const { growth } = epsilon;
    this.far = (SCALE << FRACTION) / (growth * this.width + ((cells - 1n) << FRACTION)) + 1n;
    if (((this.nearTotal + this.width - 1n) / this.width) << FRACTION > growth * this.far) this.far += 1n;
    this.near = this.nearTotal / this.width;
    this.extra = this.nearTotal % this.width;
  }

  /** The weight of all near places together: what the far ones leave. */
  get nearTotal() {
    return SCALE - (this.cells - 1n) * this.far;
  }

  /** The probability that a code speaks for the cell its sender is in. */
  get truthful() {
    return Number(this.nearTotal) / Number(SCALE);
  }

  /** Return the code that a 64-bit word gives: near places first, in order, then the far ones. @param {bigint} cell @param {bigint} word */
  answer(cell, word) {
    if (word < this.nearTotal) {
      const heavy = this.extra * (this.near + 1n);
      return cell + (word < heavy ? word / (this.near + 1n) : this.extra + (word - heavy) / this.near);
    }
    const place = (word - this.nearTotal) / this.far;
    return place < cell ? place : place + this.width;
  }

  /** Return a random code. @param {bigint} cell */
  draw(cell) {
    return this.answer(cell, randomWord());
  }

  /** Return a code's exact weight, out of `scale`. @param {bigint} cell @param {bigint} code */
  weight(cell, code) {
    const place = code - cell;
    if (place < 0n || place >= this.width) return this.far;
    return place < this.extra ? this.near + 1n : this.near;
  }
}

/**
 * Return delta times the cells, rounded down, where delta = (e^ε (ε - 1) + 1) / (2 e^ε (e^ε - 1 - ε)).
 * @param {bigint} cells @param {import("../exact.js").Epsilon} epsilon
 */
function reach(cells, { numerator, denominator, growth }) {
  const above = growth * (numerator - denominator) + (denominator << FRACTION);
  const below = 2n * growth * (growth * denominator - ((denominator + numerator) << FRACTION));
  return ((above * cells) << FRACTION) / below;
}
