/** The plan: what is asked of whom and how every answer is randomised, checked against its fingerprint. */

import { Categorical, makeAttribute } from "./attributes.js";
import { makeChannel } from "./channels/index.js";
import { Placement } from "./channels/local_hash.js";
import { checkMembers, isCount, isList, isObject, isPlain, isPositive, isReadable } from "./checks.js";
import { isDay } from "./dates.js";
import { canonical, hexadecimal, sha256 } from "./digest.js";
import { PlanError, RecordError } from "./errors.js";
import { countUpTo, Epsilon, randomBelow, runningSums } from "./exact.js";
import { isLanguage } from "./presentation.js";
import { Family, Question } from "./questions.js";
import { makeTable } from "./tables.js";
import { Waves } from "./waves.js";

/** @typedef {import("./attributes.js").AnyAttribute} AnyAttribute */
/** @typedef {import("./channels/index.js").Channel} Channel */

const FORMAT = "sottovoce-plan-1";
const SHARES = 2 ** 32;
const MAX_QUESTIONS = 2 ** 22;
const MAX_USERS = 10 ** 12;
const MAX_CODES = 1n << 53n;

/** @typedef {{plan: string, id: string, question: number, code: number}} Report What leaves the page */

/** What is asked of whom, and how every answer is randomised: public, checked and frozen. Made by `Plan.parse`. */
export class Plan {
  /** @param {any} document */
  constructor(document) {
    checkMembers(document, "a plan", {
      format: (value) => value === FORMAT, schema: isObject, epsilon: isEpsilon, mechanism: isReadable,
      users: (value) => isPositive(value) && value <= MAX_USERS, version: isPositive, seed: isReadable,
      options: (value) => isObject(value) && isPlain(value), parameters: (value) => isObject(value) && isPlain(value),
      tables: isList, families: isList, purpose: isReadable, contact: isReadable, expires: (value) => value === null || isDay(value),
      ...(isObject(document) && Object.hasOwn(document, "parent") ? { parent: isCollection } : {}),
      ...(isObject(document) && Object.hasOwn(document, "waves") ? { waves: isObject } : {}),
    });
    checkMembers(document.schema, "a schema", { attributes: (value) => isList(value) && value.length > 0 }, { language: isLanguage });
    this.document = document;
    /** @type {string} */ this.epsilon = document.epsilon;
    /** @type {string} */ this.purpose = document.purpose;
    /** @type {string} */ this.contact = document.contact;
    /** @type {string | null} */ this.expires = document.expires;
    /** @type {AnyAttribute[]} */ this.attributes = document.schema.attributes.map(makeAttribute);
    this.names = this.attributes.map((attribute) => attribute.name);
    if (new Set(this.names).size !== this.names.length) throw new PlanError("two attributes have the same name");
    /** The attributes that are choices of one question each, by its name. @type {Map<string, Categorical[]>} */
    this.choices = new Map();
    for (const attribute of this.attributes) {
      if (!(attribute instanceof Categorical) || attribute.choiceOf === undefined) continue;
      this.choices.set(attribute.choiceOf, [...(this.choices.get(attribute.choiceOf) ?? []), attribute]);
    }
    if (this.names.some((name) => this.choices.has(name))) throw new PlanError("a multiple choice and an attribute have the same name");
    const tables = document.tables.map(makeTable);
    /** @type {Family[]} */
    this.families = document.families.map((/** @type {any} */ family) => new Family(family, tables, this.attributes));
    /** How often people are asked again; null if they are asked once. */
    this.waves = Object.hasOwn(document, "waves") ? new Waves(document.waves) : null;
    this.offsets = [0, ...runningSums(this.families.map((family) => family.count))];
    this.ends = runningSums(this.families.map((family) => family.total));
    if (this.count > MAX_QUESTIONS) throw new PlanError(`a plan asks at most 2^22 questions, this one asks ${this.count}`);
    if (this.ends[this.ends.length - 1] !== SHARES) {
      throw new PlanError(`the shares of all questions must add up to 2^32, got ${this.ends[this.ends.length - 1]}`);
    }
    this.fingerprint = "";
    this.collection = "";
  }

  /** @type {(kind: string, shape: number[]) => Channel} */
  #channel = () => {
    throw new PlanError("a plan is made by Plan.parse");
  };

  /**
   * Return the plan that a JSON text holds, having checked all of it, and that its fingerprint is the expected one.
   * @param {string} text
   * @param {string} [expected] 64 hexadecimal digits; left out, the document must state its own
   */
  static async parse(text, expected) {
    let parsed;
    try {
      parsed = JSON.parse(text);
    } catch (error) {
      throw new PlanError(`not a plan: ${/** @type {Error} */ (error).message}`);
    }
    const { fingerprint: claimed, ...document } = isObject(parsed) ? parsed : { format: null };
    const fingerprint = hexadecimal(await sha256(canonical(document)));
    const wanted = expected ?? claimed;
    if (wanted === undefined) throw new PlanError("the plan states no fingerprint and none was given to compare it with");
    if (wanted !== fingerprint || (claimed !== undefined && claimed !== fingerprint)) {
      throw new PlanError(`the plan was altered: expected fingerprint ${wanted}, but its content gives ${fingerprint}`);
    }
    const plan = new Plan(document);
    plan.fingerprint = fingerprint;
    plan.collection = document.parent ?? hexadecimal(await sha256(canonical(withoutShares(document))));
    await plan.#prepareChannels();
    return plan;
  }

  async #prepareChannels() {
    const epsilon = new Epsilon(this.epsilon);
    const placement = await Placement.make(epsilon, this.document.seed);
    this.#channel = (kind, shape) => makeChannel(kind, shape, epsilon, placement);
    for (const family of this.families) {
      for (const shape of family.shapes()) {
        const { cells, codes } = this.#channel(family.channel, shape);
        if (codes > MAX_CODES) {
          throw new PlanError(
            `a question of ${cells} cells needs ${codes} codes, but a browser holds integers up to 2^53 exactly: ` +
            "this plan is not for browsers, use the Python client or ask fewer attributes together",
          );
        }
      }
    }
  }

  /** How many questions a wave has; all of them where there are no waves. */
  get perWave() {
    return this.offsets[this.offsets.length - 1];
  }

  /** How many questions there are, those of every wave one after the other. */
  get count() {
    return this.perWave * (this.waves?.number ?? 1);
  }

  /** Return one question. @param {number} index */
  question(index) {
    if (!isCount(index) || index >= this.count) throw new PlanError(`there is no question ${index} of ${this.count}`);
    const number = index % this.perWave;
    const place = countUpTo(this.offsets, number) - 1;
    return new Question(index, this.families[place], number - this.offsets[place], this.#channel);
  }

  /** Return the first wave's question whose stretch of the shares holds `position`, from 0 to 2^32 - 1. @param {number} position */
  locate(position) {
    const place = countUpTo(this.ends, position);
    const start = place ? this.ends[place - 1] : 0;
    return this.question(this.offsets[place] + this.families[place].locate(position - start));
  }

  /** Return the question of a turn: each wave as likely, the question by its share. No record is looked at. */
  drawTurn() {
    const wave = this.waves ? Number(randomBelow(BigInt(this.waves.number))) : 0;
    return wave * this.perWave + this.locate(crypto.getRandomValues(new Uint32Array(1))[0]).index;
  }

  /** Return the record's level on every attribute, having checked all of it. @param {Record<string, unknown>} record */
  levels(record) {
    if (!isObject(record)) throw new RecordError(`a record maps attribute names to values, got ${record === null ? null : typeof record}`);
    record = this.#chosen(record);
    const unknown = Object.keys(record).filter((name) => !this.names.includes(name));
    if (unknown.length) {
      throw new RecordError(`unknown attributes ${unknown.join(", ")}; this schema asks for ${this.names.join(", ")}`);
    }
    return this.attributes.map((attribute) =>
      attribute.level(Object.hasOwn(record, attribute.name) ? record[attribute.name] : null));
  }

  /** Return a record with a yes or no for each choice in place of lists of what was chosen. @param {Record<string, unknown>} record */
  #chosen(record) {
    const plain = { ...record };
    for (const [name, members] of this.choices) {
      if (!Object.hasOwn(record, name)) continue;
      const listed = record[name];
      delete plain[name];
      const titles = members.map((member) => member.shown().title);
      if (listed !== null && (!Array.isArray(listed) || !listed.every((one) => titles.includes(one)))) {
        throw new RecordError(`${name}: allowed is a list of any of ${titles.join(", ")}`);
      }
      for (const [i, member] of members.entries()) {
        if (Object.hasOwn(record, member.name)) throw new RecordError(`${name}: given both as a list and as ${member.name}`);
        plain[member.name] = listed === null ? null : listed.includes(titles[i]) ? "yes" : "no";
      }
    }
    return plain;
  }

  /**
   * Return one randomised report; all of the record is checked before a question is drawn.
   * @param {Record<string, unknown>} record
   * @param {string} [named] what the report names: the plan by its fingerprint, or its collection
   * @param {number} [turn] the question of this device's turn, where there are waves; drawn anew if left out
   */
  draw(record, named = this.fingerprint, turn) {
    const levels = this.levels(record);
    const question = this.question(turn ?? this.drawTurn());
    const code = Number(question.channel.draw(question.cell(levels)));
    const id = hexadecimal(crypto.getRandomValues(new Uint8Array(16)));
    return /** @type {Report} */ ({ plan: named, id, question: question.index, code });
  }
}

/** @param {unknown} value */
function isEpsilon(value) {
  if (typeof value !== "string" || !/^(0|[1-9]\d?)(\.\d*[1-9])?$/.test(value)) return false;
  const digits = value.replace(".", "").replace(/^0+/, "");
  const hundredths = BigInt(value.split(".")[0]) * 100n + BigInt((value.split(".")[1] ?? "").padEnd(2, "0").slice(0, 2));
  return digits.length <= 28 && hundredths >= 1n && (hundredths < 2000n || value === "20");
}

/** Whether a value names a collection, as a later round names that of the first. @param {unknown} value */
function isCollection(value) {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

/** Return what a collection is named by: the plan without shares, version and expiry. @param {any} document */
function withoutShares(document) {
  const { version, expires, ...rest } = document;
  return { ...rest, families: document.families.map((/** @type {any} */ { shares, ...family }) => family) };
}
