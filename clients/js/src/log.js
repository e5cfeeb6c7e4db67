/**
 * The log of plans: an append-only hash chain of every plan that a collector has served. A collector's own word proves
 * nothing, as it can show each person another chain: what counts is a copy that somebody else keeps.
 */

import { checkMembers, isList, isPositive, isText } from "./checks.js";
import { canonical, hexadecimal, sha256 } from "./digest.js";
import { PlanError } from "./errors.js";

const FORMAT = "sottovoce-log-1";
const FIRST = "0".repeat(64);

/** A copy of a log, its chain checked. Made by `Log.parse`. */
export class Log {
  #plans;

  /** @param {Set<string>} plans @param {string} head */
  constructor(plans, head) {
    this.#plans = plans;
    this.head = head;
  }

  /** Return the log that a JSON text holds; one whose chain is broken is refused. @param {string} text */
  static async parse(text) {
    let document;
    try {
      document = JSON.parse(text);
    } catch (error) {
      throw new PlanError(`not a log of plans: ${/** @type {Error} */ (error).message}`);
    }
    checkMembers(document, "a log of plans", { format: (value) => value === FORMAT, entries: isList });
    const plans = new Set();
    let [before, day] = [FIRST, ""];
    for (const [place, entry] of document.entries.entries()) {
      checkMembers(entry, "an entry of a log", { number: isPositive, day: isText, fingerprint: isText, collection: isText, previous: isText });
      if (entry.number !== place + 1 || entry.previous !== before || entry.day < day) {
        throw new PlanError(`the log of plans was altered: entry ${place + 1} does not follow the one before it`);
      }
      before = hexadecimal(await sha256(canonical(entry)));
      day = entry.day;
      plans.add(entry.fingerprint);
    }
    return new Log(plans, before);
  }

  /** Whether a plan is in the log. @param {{fingerprint: string}} plan */
  lists(plan) {
    return this.#plans.has(plan.fingerprint);
  }
}
