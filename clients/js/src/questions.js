/** Questions: which attributes are looked at, how a record becomes a cell, which channel randomises it, who is asked. */

import { checkMembers, isCount, isList, isText } from "./checks.js";
import { PlanError } from "./errors.js";
import { countUpTo, runningSums } from "./exact.js";

/** @typedef {import("./attributes.js").AnyAttribute} AnyAttribute */
/** @typedef {import("./channels/index.js").Channel} Channel */
/** @typedef {import("./tables.js").Table} Table */

/** The questions that look at the same attributes through every combination of the listed tables. */
export class Family {
  /** @param {any} document @param {Table[]} tables @param {AnyAttribute[]} attributes */
  constructor(document, tables, attributes) {
    checkMembers(document, "a family", {
      attributes: (value) => isList(value) && value.length > 0 && new Set(value).size === value.length
        && value.every((place) => isCount(place) && place < attributes.length),
      tables: (value) => isList(value) && value.length === document.attributes.length
        && value.every((choices) => isList(choices) && choices.length > 0
          && choices.every((/** @type {unknown} */ place) => isCount(place) && /** @type {number} */ (place) < tables.length)),
      channel: isText,
      shares: (value) => isCount(value) || (isList(value) && value.every(isCount)),
    });
    /** @type {number[]} */ this.attributes = document.attributes;
    /** @type {Table[][]} */
    this.tables = document.tables.map((/** @type {number[]} */ choices) => choices.map((place) => tables[place]));
    /** @type {string} */ this.channel = document.channel;
    this.tables.forEach((choices, i) => choices.forEach((table) => {
      const attribute = attributes[this.attributes[i]];
      if (!table.fits(attribute.size)) throw new PlanError(`${attribute.name}: a table does not cover its ${attribute.size} levels`);
    }));
    this.count = this.tables.reduce((count, choices) => count * choices.length, 1);
    /** @type {number | number[]} */ this.shares = document.shares;
    if (isList(this.shares) ? this.shares.length !== this.count : !Number.isSafeInteger(this.count)) {
      throw new PlanError(`a family of ${this.count} questions needs one share each`);
    }
    this.ends = isList(this.shares) ? runningSums(this.shares) : null;
    this.total = this.ends ? this.ends[this.count - 1] : /** @type {number} */ (this.shares);
  }

  /** Return every collection of bin numbers that a question of this family has, sorted, single bins left out. */
  shapes() {
    /** @type {Map<string, number[]>} */
    let shapes = new Map([["", []]]);
    for (const choices of this.tables) {
      const bins = new Set(choices.map((table) => table.bins));
      const grown = [...shapes.values()].flatMap((shape) => [...bins].map((size) =>
        (size === 1 ? shape : [...shape, size].sort((left, right) => left - right))));
      shapes = new Map(grown.map((shape) => [shape.join(), shape]));
    }
    return [...shapes.values()];
  }

  /** Return the question whose stretch of the family's share holds `position`. @param {number} position */
  locate(position) {
    if (this.ends) return countUpTo(this.ends, position);
    const each = Math.floor(this.total / this.count);
    const left = this.total % this.count;
    if (position < left * (each + 1)) return Math.floor(position / (each + 1));
    return left + Math.floor((position - left * (each + 1)) / each);
  }

  /** Return one question's share. @param {number} number */
  share(number) {
    if (isList(this.shares)) return this.shares[number];
    return Math.floor(this.total / this.count) + (number < this.total % this.count ? 1 : 0);
  }

  /** Return one table per attribute; the last attribute's table varies fastest. @param {number} number */
  choice(number) {
    const chosen = [];
    for (const choices of [...this.tables].reverse()) {
      chosen.push(choices[number % choices.length]);
      number = Math.floor(number / choices.length);
    }
    return chosen.reverse();
  }
}

/** One question: the attributes it looks at, a table for each, the channel and its share out of 2^32. */
export class Question {
  /** @param {number} index @param {Family} family @param {number} number @param {(kind: string, shape: number[]) => Channel} channel */
  constructor(index, family, number, channel) {
    this.index = index;
    this.attributes = family.attributes;
    this.tables = family.choice(number);
    this.share = family.share(number);
    this.shape = this.tables.map((table) => table.bins);
    this.channel = channel(family.channel, this.shape);
  }

  /** Return the cell of a record, given its level on every attribute. @param {readonly number[]} levels */
  cell(levels) {
    return this.tables.reduce(
      (cell, table, i) => cell * BigInt(table.bins) + BigInt(table.bin(levels[this.attributes[i]])), 0n,
    );
  }
}
