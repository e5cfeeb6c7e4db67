import { FRACTION, randomWord, SCALE } from "../exact.js";

/** Generalised randomised response: the true cell with weight `keep`, each other one with weight `other`. */
export class RandomisedResponse {
  kind = "grr";

  /** @param {bigint} cells @param {import("../exact.js").Epsilon} epsilon */
  constructor(cells, epsilon) {
    this.cells = cells;
    this.codes = cells;
    this.scale = SCALE;
    const divisor = epsilon.growth + ((cells - 1n) << FRACTION);
    this.other = (SCALE << FRACTION) / divisor + 1n; // rounded up: e^epsilon is irrational, so nothing divides evenly
    this.keep = SCALE - (cells - 1n) * this.other;
  }

  /** The probability that a code speaks for the cell its sender is in. */
  get truthful() {
    return Number(this.keep) / Number(SCALE);
  }

  /** Return the code that a 64-bit word gives. @param {bigint} cell @param {bigint} word */
  answer(cell, word) {
    if (word < this.keep) return cell;
    const code = (word - this.keep) / this.other;
    return code >= cell ? code + 1n : code;
  }

  /** Return a random code. @param {bigint} cell */
  draw(cell) {
    return this.answer(cell, randomWord());
  }

  /** Return a code's exact weight, out of `scale`. @param {bigint} cell @param {bigint} code */
  weight(cell, code) {
    return cell === code ? this.keep : this.other;
  }
}
