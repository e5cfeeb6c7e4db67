import { PlanError } from "../errors.js";
import { RandomisedResponse } from "./grr.js";

/** Randomised response on one bit: whether a cell's binary digits have an odd number of ones. */
export class Parity {
  kind = "parity";
  codes = 2n;

  /** @param {bigint} cells @param {import("../exact.js").Epsilon} epsilon */
  constructor(cells, epsilon) {
    if (cells < 2n || cells & (cells - 1n)) {
      throw new PlanError(`parity takes a power of two cells, got ${cells}: every attribute of its question has two bins`);
    }
    this.cells = cells;
    this.response = new RandomisedResponse(2n, epsilon);
    this.scale = this.response.scale;
    this.keep = this.response.keep;
    this.other = this.response.other;
  }

  /** The probability that a code speaks for the cell its sender is in. */
  get truthful() {
    return this.response.truthful;
  }

  /** Return the code that a 64-bit word gives. @param {bigint} cell @param {bigint} word */
  answer(cell, word) {
    return this.response.answer(parity(cell), word);
  }

  /** Return a random code. @param {bigint} cell */
  draw(cell) {
    return this.response.draw(parity(cell));
  }

  /** Return a code's exact weight, out of `scale`. @param {bigint} cell @param {bigint} code */
  weight(cell, code) {
    return this.response.weight(parity(cell), code);
  }
}

/** @param {bigint} cell */
function parity(cell) {
  let odd = 0n;
  for (let rest = cell; rest; rest >>= 1n) odd ^= rest & 1n;
  return odd;
}
