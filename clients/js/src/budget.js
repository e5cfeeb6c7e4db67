/**
 * The budget: how much privacy a device is willing to spend, and what of it is spent. Exact sums of decimal numbers.
 *
 * Epsilons of different collections add up, whoever asks. So a device adds up what it answered in the last days of a
 * period, refuses what would pass its budget, and refuses any one collection above a largest epsilon. All profiles of a
 * device together keep a budget as well, as nothing proves that they are several people. The Python client knows the
 * same rules and says the same words: vectors/budgets.json.
 */

import { BudgetError } from "./errors.js";

/** The largest epsilon of one collection that a device answers unless its page says otherwise. */
export const MAX_EPSILON = "2";

/** What one person spends in a period of so many days, unless the page says otherwise. */
const [BUDGET, PERIOD] = ["4", 365];

const MOST = 1000;
const DECIMALS = 40;
const DAY = 86_400_000;

/**
 * @typedef {object} Spent One collection that was answered
 * @property {string} collection its name
 * @property {string | null} epsilon what it cost; null if it was answered before costs were written down: it counts as 2
 * @property {string} day when, ISO 8601
 * @property {number} profile whose answer it was
 * @property {string} purpose what it was for, as its plan said
 */

/** @typedef {{budget: string, period: number, deviceBudget: string}} Limits How much may be spent, in so many days */

/**
 * @typedef {object} Cost What an answer would cost, to be shown before anything is drawn
 * @property {string} epsilon what this collection costs
 * @property {string} maxEpsilon the largest that this device answers
 * @property {string} spent what this person spent in the period
 * @property {string} deviceSpent what all profiles spent in the period
 * @property {Limits} limits how much may be spent
 * @property {string | null} refusal why it is not answered, in words; null if it may be
 * @property {string} words what to show to the person
 */

/** @typedef {{budget?: number | string, period?: number, deviceBudget?: number | string}} LimitOptions */

/** Return the limits that a page asks for. @param {LimitOptions} options @returns {Limits} */
export function parseLimits({ budget = BUDGET, period = PERIOD, deviceBudget }) {
  if (!Number.isSafeInteger(period) || period < 1 || period > 100_000) {
    throw new BudgetError(`period, in days, is an integer from 1 to 100000, got ${period}`);
  }
  const own = amount("budget", budget);
  return { budget: plain(own), period, deviceBudget: plain(deviceBudget === undefined ? 2n * own : amount("deviceBudget", deviceBudget)) };
}

/** Return the largest epsilon that a page lets the device answer. @param {number | string} value */
export function parseMaxEpsilon(value) {
  const found = amount("maxEpsilon", value);
  if (found < scaled("0.01") || found > scaled("20")) throw new BudgetError(`maxEpsilon is a number from 0.01 to 20, got ${value}`);
  return plain(found);
}

/**
 * Return what an answer would cost one person on one day.
 * @param {{epsilon: string, maxEpsilon: string}} charged what is asked for, and the largest that the device answers
 * @param {Spent[]} entries everything that was answered on the device
 * @param {Limits} limits
 * @param {{profile: number, day: string}} who
 * @returns {Cost}
 */
export function costOf({ epsilon, maxEpsilon }, entries, limits, { profile, day }) {
  const first = firstDay(day, limits.period);
  const counting = entries.filter((entry) => entry.day >= first);
  const spent = spentBy(counting.filter((entry) => entry.profile === profile));
  const cost = { epsilon, maxEpsilon, spent: plain(spent), deviceSpent: plain(spentBy(counting)), limits };
  return { ...cost, refusal: refusalOf(cost), words: wordsOf(cost) };
}

/** Return why a collection is not answered whatever was spent, in words, or null. @param {{epsilon: string, maxEpsilon: string}} charged */
export function tooLarge({ epsilon, maxEpsilon }) {
  if (scaled(epsilon) <= scaled(maxEpsilon)) return null;
  return (
    `this collection asks for epsilon ${epsilon}, and this device answers at most ${maxEpsilon}: nothing is drawn; ` +
    "a program that wants more must say so to the person"
  );
}

/** @typedef {Omit<Cost, "refusal" | "words">} Figures */

/** @param {Figures} cost */
function refusalOf({ epsilon, maxEpsilon, spent, deviceSpent, limits }) {
  const tooMuch = tooLarge({ epsilon, maxEpsilon });
  if (tooMuch !== null) return tooMuch;
  /** @type {[string, string, string][]} */
  const accounts = [[spent, limits.budget, "you"], [deviceSpent, limits.deviceBudget, "all people on this device"]];
  for (const [used, budget, who] of accounts) {
    if (scaled(used) + scaled(epsilon) > scaled(budget)) {
      return `this collection costs epsilon ${epsilon}, and ${who} spent ${used} of ${budget} in the last ${limits.period} days: nothing is drawn`;
    }
  }
  return null;
}

/** @param {Figures} cost */
function wordsOf({ epsilon, maxEpsilon, spent, limits: { budget, period, deviceBudget } }) {
  const said = [`This collection costs epsilon ${epsilon}.`, `In the last ${period} days you spent ${spent} of ${budget}.`];
  if (scaled(maxEpsilon) > scaled(MAX_EPSILON)) {
    said.push(`This program raised the limit of one collection from 2 to ${maxEpsilon}.`);
  }
  if (scaled(budget) > scaled(BUDGET) || period < PERIOD || scaled(deviceBudget) > 2n * scaled(BUDGET)) {
    said.push(`This program raised the budget from 4 in 365 days to ${budget} in ${period} days, ${deviceBudget} for all people on this device.`);
  }
  return said.join(" ");
}

/** Return the first day that still counts. @param {string} day @param {number} period */
function firstDay(day, period) {
  const first = new Date(Date.parse(`${day}T00:00:00Z`) - (period - 1) * DAY).toISOString();
  return first.length === 24 && first >= "0001" ? first.slice(0, 10) : "0001-01-01";
}

/** @param {Spent[]} entries */
const spentBy = (entries) => entries.reduce((sum, entry) => sum + scaled(entry.epsilon ?? MAX_EPSILON), 0n);

/** Return a plain decimal number times 10^40, exactly. @param {string} text */
function scaled(text) {
  const [whole, decimals = ""] = text.split(".");
  return BigInt(whole + decimals.padEnd(DECIMALS, "0"));
}

/** Return a number without exponent or needless zeros. @param {bigint} value */
function plain(value) {
  const digits = value.toString().padStart(DECIMALS + 1, "0");
  const decimals = digits.slice(-DECIMALS).replace(/0+$/, "");
  return digits.slice(0, -DECIMALS) + (decimals && `.${decimals}`);
}

/** @param {string} name @param {unknown} value */
function amount(name, value) {
  const text = typeof value === "number" || typeof value === "string" ? String(value) : "";
  if (/^\d{1,28}(\.\d{1,28})?$/.test(text) && scaled(text) <= scaled(String(MOST))) return scaled(text);
  throw new BudgetError(`${name} is a number from 0 to ${MOST}, got ${value}; the default is 4 in 365 days`);
}
