/**
 * Attributes: what one answer may be, and how it becomes a **level**, an integer from 0 to `size - 1`. A nullable
 * attribute keeps its last level for "no answer".
 */

import { checkMembers, isCount, isExact, isFlag, isList, isNumber, isReadable, isRising, isText } from "./checks.js";
import { dateNumber, fitsDate } from "./dates.js";
import { PlanError, RecordError } from "./errors.js";
import { countUpTo } from "./exact.js";
import { checkLabels, PRESENTATION, shown } from "./presentation.js";

const MAX_LEVELS = 2 ** 20;

/** What all attributes share. */
class Attribute {
  /** @param {any} document @param {number} valueLevels @param {string} domain */
  constructor(document, valueLevels, domain) {
    /** @type {string} */ this.name = document.name;
    /** @type {boolean} */ this.nullable = document.nullable;
    this.document = document;
    this.valueLevels = valueLevels;
    this.size = valueLevels + (this.nullable ? 1 : 0);
    this.domain = domain;
    if (this.name.length < 1 || [...this.name].length > 200) throw new PlanError("an attribute's name has 1 to 200 characters");
    if (valueLevels < 2 || valueLevels > MAX_LEVELS) {
      throw new PlanError(`${this.name}: ${valueLevels} levels; 2 to ${MAX_LEVELS} are allowed`);
    }
    checkLabels(document, valueLevels);
  }

  /** Return the title, question, unit and labels in a language, or as they are. @param {string} [language] */
  shown(language) {
    return shown(this.document, language);
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
    throw this.refusal();
  }

  /** What was given is not repeated: it may be somebody's answer, and pages send errors away. */
  refusal() {
    return new RecordError(`${this.name}: allowed are ${this.domain}`);
  }

  /** @param {unknown} value @returns {number} */
  number(value) {
    if (typeof value !== "number" || Number.isNaN(value)) throw this.refusal();
    return value;
  }
}

/** Integers from low to high, both included, one level each. */
export class Ordinal extends Attribute {
  /** @param {any} document */
  constructor(document) {
    checkMembers(document, "an ordinal attribute", {
      type: isText, name: isReadable, low: isExact, high: isExact, nullable: isFlag, clip: isFlag,
    }, {
      values: (value) => isList(value) && value.every(isExact) && isRising(value), date: (value) => isText(value) || isList(value), ...PRESENTATION,
    });
    const { low, high, values, labels, date } = document;
    super(document, values?.length ?? high - low + 1, `the integers ${values?.join(", ") ?? `${low} to ${high}`}${labels ? `, or ${labels.join(", ")}` : ""}`);
    /** @type {number} */ this.low = low;
    /** @type {number} */ this.high = high;
    /** @type {boolean} */ this.clip = document.clip;
    /** @type {number[] | undefined} */ this.values = values;
    const wrongEnds = values && (values[0] !== low || values.at(-1) !== high);
    if (high <= low || wrongEnds || (date !== undefined && (values || !fitsDate(date, low, high)))) {
      throw new PlanError(`${this.name}: low, high, values and date do not go together`);
    }
  }

  /** Return the integer of a level. @param {number} level @returns {number} */
  integer(level) {
    return this.values?.[level] ?? this.low + level;
  }

  /** Return the number that a value is, or that its label or its date stands for. @param {unknown} value @returns {number} */
  meant(value) {
    if (typeof value !== "string") return this.number(value);
    const label = (this.document.labels ?? []).indexOf(value);
    if (label >= 0) return this.integer(label);
    return this.number(this.document.date === undefined ? value : dateNumber(this.document.date, value) ?? value);
  }

  /** @override @param {unknown} value */
  valueLevel(value) {
    const number = this.meant(value);
    if (number !== Math.floor(number)) throw this.refusal();
    if (!this.clip && (number < this.low || number > this.high)) throw this.refusal();
    const near = Math.min(Math.max(number, this.low), this.high);
    const level = this.values ? this.values.indexOf(near) : near - this.low;
    if (level < 0) throw this.refusal();
    return level;
  }
}

/** Real numbers in bins; a bin holds its lower edge, the last one its upper edge too. */
export class Numeric extends Attribute {
  /** @param {any} document */
  constructor(document) {
    checkMembers(document, "a numeric attribute", {
      type: isText, name: isReadable, low: isNumber, high: isNumber, bins: isCount, nullable: isFlag, clip: isFlag,
      edges: (value) => value === null || (isList(value) && value.every(isNumber)),
    }, PRESENTATION);
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
    if (!this.clip && (number < boundaries[0] || number > boundaries[valueLevels])) throw this.refusal();
    return Math.min(Math.max(countUpTo(boundaries, number) - 1, 0), valueLevels - 1);
  }
}

/** One of a list of strings; an integer stands for its digits, true and false for yes and no where these are the values. */
export class Categorical extends Attribute {
  /** @param {any} document */
  constructor(document) {
    checkMembers(document, "a categorical attribute", {
      type: isText, name: isReadable, nullable: isFlag, values: (value) => isList(value) && value.every(isReadable),
    }, { choice_of: isReadable, other: isText, ...PRESENTATION });
    /** @type {string[]} */
    const values = document.values;
    const shown = values.slice(0, 8).map((value) => JSON.stringify(value)).join(", ");
    super(document, values.length, values.length > 8 ? `${shown}, … (${values.length} values)` : shown);
    this.values = values;
    this.positions = new Map(values.map((value, place) => [value, place]));
    if (this.positions.size !== values.length) throw new PlanError(`${this.name}: a value is listed twice`);
    this.yesNo = values.length === 2 && values[0] === "no" && values[1] === "yes";
    /** @type {string | undefined} */ this.other = document.other;
    if (this.other !== undefined && !this.positions.has(this.other)) throw new PlanError(`${this.name}: other is one of values`);
    /** @type {string | undefined} */ this.choiceOf = document.choice_of;
    const named = this.choiceOf === undefined || ([...this.choiceOf].length >= 1 && [...this.choiceOf].length <= 200);
    if (!named || (this.choiceOf !== undefined && (!this.yesNo || document.title === undefined))) {
      throw new PlanError(`${this.name}: one choice of several has a name of its own, a title, and the values no and yes`);
    }
  }

  /** @override @param {unknown} value */
  valueLevel(value) {
    let text = value;
    if (typeof value === "boolean" && this.yesNo) text = value ? "yes" : "no";
    if (Number.isSafeInteger(value)) text = String(value);
    let level = this.positions.get(/** @type {string} */ (text));
    if (level === undefined && this.other !== undefined && typeof value === "string") level = this.positions.get(this.other);
    if (level === undefined) throw this.refusal();
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
