import { PlanError } from "../errors.js";
import { RandomisedResponse } from "./grr.js";

/** Randomised response on the exclusive or of a cell's digits, each of them one of as many bins. */
export class Parity {
  /** @param {bigint} cells @param {bigint} bins @param {import("../exact.js").Epsilon} epsilon */
  constructor(cells, bins, epsilon) {
    if (bins === 2n && (cells < 2n || cells & (cells - 1n))) {
      throw new PlanError(`parity takes a power of two cells, got ${cells}: every attribute of its question has two bins`);
    }
    this.cells = cells;
    this.response = new RandomisedResponse(bins, epsilon);
    this.codes = bins;
    this.kind = bins === 2n ? "parity" : "xor";
    this.scale = this.response.scale;
    this.keep = this.response.keep;
    this.other = this.response.other;
  }

  /**
   * Return the channel for attributes of so many bins each.
   * @param {readonly number[]} shape @param {import("../exact.js").Epsilon} epsilon
   */
  static ofShape(shape, epsilon) {
    const sizes = shape.filter((bins) => bins > 1).map(BigInt);
    const [bins] = sizes;
    if (bins & (bins - 1n) || sizes.some((size) => size !== bins)) {
      throw new PlanError(`xor takes attributes of equally many bins, a power of two, got ${shape.join(", ")}`);
    }
    return new Parity(bins ** BigInt(sizes.length), bins, epsilon);
  }

  /** The probability that a code speaks for the cell its sender is in. */
  get truthful() {
    return this.response.truthful;
  }

  /** Return the exclusive or of a cell's digits. @param {bigint} cell */
  parity(cell) {
    const digit = BigInt(this.codes.toString(2).length - 1);
    let value = 0n;
    for (let rest = cell; rest; rest >>= digit) value ^= rest & (this.codes - 1n);
    return value;
  }

  /** Return the code that a 64-bit word gives. @param {bigint} cell @param {bigint} word */
  answer(cell, word) {
    return this.response.answer(this.parity(cell), word);
  }

  /** Return a random code. @param {bigint} cell */
  draw(cell) {
    return this.response.draw(this.parity(cell));
  }

  /** Return a code's exact weight, out of `scale`. @param {bigint} cell @param {bigint} code */
  weight(cell, code) {
    return this.response.weight(this.parity(cell), code);
  }
}
