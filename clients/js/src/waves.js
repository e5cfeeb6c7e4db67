/** Waves: the same people asked again and again, each of them answering once, in a turn that their device draws. */

import { checkMembers, isPositive } from "./checks.js";
import { isDay } from "./dates.js";
import { PlanError } from "./errors.js";

const MAX_WAVES = 1000;
const MAX_DAYS = 3660;
const DAY = 24 * 60 * 60 * 1000;

/** The bytes that a device keeps for its turn, whatever it is. */
export const TURN_LENGTH = 64;

/** How often people are asked again, and when. */
export class Waves {
  /** @param {any} document */
  constructor(document) {
    checkMembers(document, "waves", {
      number: (value) => isPositive(value) && value >= 2 && value <= MAX_WAVES,
      first: (value) => value === null || isDay(value),
      days: (value) => (document.first === null ? value === null : isPositive(value) && value <= MAX_DAYS),
    });
    /** @type {number} */ this.number = document.number;
    /** @type {string | null} */ this.first = document.first;
    /** @type {number | null} */ this.days = document.days;
  }

  /** Return a wave's number, the first being 1, if there is such a wave. @param {unknown} wave @returns {number} */
  check(wave) {
    if (!isPositive(wave) || /** @type {number} */ (wave) > this.number) {
      throw new PlanError(`wave is an integer from 1 to ${this.number}, got ${wave}`);
    }
    return /** @type {number} */ (wave);
  }

  /** Return which wave it is on a day, null before the first and after the last. @param {string} day such as 2027-01-04 */
  on(day) {
    if (this.first === null || this.days === null) {
      throw new PlanError("this plan does not say when its waves are; say which wave it is");
    }
    const passed = Math.round((Date.parse(`${day}T00:00:00Z`) - Date.parse(`${this.first}T00:00:00Z`)) / DAY);
    const wave = Math.floor(passed / this.days) + 1;
    return wave >= 1 && wave <= this.number ? wave : null;
  }
}
