/**
 * Attributes: what one answer may be, and how it becomes a **level**, an integer from 0 to `size - 1`. A nullable
 * attribute keeps its last level for "no answer".
 */

import { checkMembers, isCount, isExact, isFlag, isList, isNumber, isReadable, isRising, isText } from "./checks.js";
import { PlanError, RecordError } from "./errors.js";
import { countUpTo } from "./exact.js";

const MAX_LEVELS = 2 ** 20;

/** What all attributes share. */
class Attribute {
  /** @param {any} document @param {number} valueLevels @param {string} domain */
  constructor(document, valueLevels, domain) {
    /** @type {string} */ this.name = document.name;
    /** @type {boolean} */ this.nullable = document.nullable;
    this.valueLevels = valueLevels;
    this.size = valueLevels + (this.nullable ? 1 : 0);
    this.domain = domain;
    if (this.name.length < 1 || [...this.name].length > 200) throw new PlanError("an attribute's name has 1 to 200 characters");
    if (valueLevels < 2 || valueLevels > MAX_LEVELS) {
      throw new PlanError(`${this.name}: ${valueLevels} levels; 2 to ${MAX_LEVELS} are allowed`);
    }
  }

  /** Return the level of one value; null, undefined and NaN are "no answer". @param {unknown} value @returns {number} */
  level(value) {
    const absent = value === null || value === undefined;
    if (this.nullable && (absent || Number.isNaN(value))) return this.valueLevels;
    if (!absent) return this.valueLevel(value);
    throw new RecordError(`${this.name}: no answer was given, and this attribute requires one`);
  }

  /** @param {unknown} value @returns {number} */
  valueLevel(value) {
    throw this.refusal(value);
  }

  /** @param {unknown} value */
  refusal(value) {
    const shown = typeof value === "string" ? JSON.stringify(value) : String(value);
    return new RecordError(`${this.name}: got ${shown}; allowed are ${this.domain}`);
  }

  /** @param {unknown} value @returns {number} */
  number(value) {
    if (typeof value !== "number" || Number.isNaN(value)) throw this.refusal(value);
    return value;
  }
}

/** Integers from low to high, both included, one level each. */
export class Ordinal extends Attribute {
  /** @param {any} document */
  constructor(document) {
    checkMembers(document, "an ordinal attribute", {
      type: isText, name: isReadable, low: isExact, high: isExact, nullable: isFlag, clip: isFlag,
    });
    super(document, document.high - document.low + 1, `the integers ${document.low} to ${document.high}`);
    /** @type {number} */ this.low = document.low;
    /** @type {number} */ this.high = document.high;
    /** @type {boolean} */ this.clip = document.clip;
  }

  /** @override @param {unknown} value */
  valueLevel(value) {
    const number = this.number(value);
    if (number !== Math.floor(number)) throw this.refusal(value);
    if (!this.clip && (number < this.low || number > this.high)) throw this.refusal(value);
    return Math.min(Math.max(number, this.low), this.high) - this.low;
  }
}

/** Real numbers in bins; a bin holds its lower edge, the last one its upper edge too. */
export class Numeric extends Attribute {
  /** @param {any} document */
  constructor(document) {
    checkMembers(document, "a numeric attribute", {
      type: isText, name: isReadable, low: isNumber, high: isNumber, bins: isCount, nullable: isFlag, clip: isFlag,
      edges: (value) => value === null || (isList(value) && value.every(isNumber)),
    });
    const { low, high, bins, edges } = document;
    super(document, bins, `numbers from ${low} to ${high}`);
    /** @type {number[]} */
    this.boundaries = edges ?? [...Array.from({ length: bins }, (_, i) => low + ((high - low) * i) / bins), high];
    /** @type {boolean} */ this.clip = document.clip;
    const agree = this.boundaries.length === bins + 1 && this.boundaries[0] === low && this.boundaries[bins] === high;
    if (!agree || !isRising(this.boundaries)) {
      throw new PlanError(`${this.name}: the bin boundaries are not ${bins + 1} rising numbers from ${low} to ${high}`);
    }
  }

  /** @override @param {unknown} value */
  valueLevel(value) {
    const number = this.number(value);
    const { boundaries, valueLevels } = this;
    if (!this.clip && (number < boundaries[0] || number > boundaries[valueLevels])) throw this.refusal(value);
    return Math.min(Math.max(countUpTo(boundaries, number) - 1, 0), valueLevels - 1);
  }
}

/** One of a list of strings. */
export class Categorical extends Attribute {
  /** @param {any} document */
  constructor(document) {
    checkMembers(document, "a categorical attribute", {
      type: isText, name: isReadable, nullable: isFlag, values: (value) => isList(value) && value.every(isReadable),
    });
    /** @type {string[]} */
    const values = document.values;
    const shown = values.slice(0, 8).map((value) => JSON.stringify(value)).join(", ");
    super(document, values.length, values.length > 8 ? `${shown}, … (${values.length} values)` : shown);
    this.values = values;
    this.positions = new Map(values.map((value, place) => [value, place]));
    if (this.positions.size !== values.length) throw new PlanError(`${this.name}: a value is listed twice`);
  }

  /** @override @param {unknown} value */
  valueLevel(value) {
    const level = this.positions.get(/** @type {string} */ (value));
    if (level === undefined) throw this.refusal(value);
    return level;
  }
}

const ATTRIBUTES = { ordinal: Ordinal, numeric: Numeric, categorical: Categorical };

/** @typedef {Ordinal | Numeric | Categorical} AnyAttribute */

/** Return the attribute that a plan describes. @param {any} document @returns {AnyAttribute} */
export function makeAttribute(document) {
  const kind = /** @type {keyof typeof ATTRIBUTES} */ (document?.type);
  if (!Object.hasOwn(ATTRIBUTES, kind)) {
    throw new PlanError(`unknown attribute type ${JSON.stringify(kind)}: this plan needs a newer client`);
  }
  return new ATTRIBUTES[kind](document);
}
