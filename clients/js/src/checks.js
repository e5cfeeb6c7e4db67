/** Checks of a plan's JSON: every member is known, there, and of its kind. */

import { PlanError } from "./errors.js";

/** @typedef {Record<string, unknown>} Document A JSON object */

/** @typedef {Record<string, (value: any) => boolean>} Members What each member must be */

/** @param {Document} document @param {string} what @param {Members} members @param {Members} [optional] */
export function checkMembers(document, what, members, optional = {}) {
  if (document === null || typeof document !== "object" || Array.isArray(document)) {
    throw new PlanError(`${what} is a JSON object, got ${JSON.stringify(document)}`);
  }
  for (const name of Object.keys(document)) {
    if (!Object.hasOwn(members, name) && !Object.hasOwn(optional, name)) throw new PlanError(`${what} has an unknown member "${name}": it needs a newer client`);
  }
  for (const [name, fits] of Object.entries({ ...members, ...optional })) {
    const there = Object.hasOwn(document, name);
    if (there ? !fits(document[name]) : Object.hasOwn(members, name)) {
      throw new PlanError(`${what}: "${name}" is missing or cannot be ${JSON.stringify(document[name])}`);
    }
  }
}

/** Characters that act on a terminal or a page instead of being seen: controls, directions, tags, half characters. */
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\p{Surrogate}]/u;

export const isText = (/** @type {unknown} */ value) => typeof value === "string";
/** Whether a value is text that shows all it holds; Python knows the same rule. @param {unknown} value */
export const isReadable = (value) => typeof value === "string" && !UNSEEN.test(value);
/** Whether all texts within are readable, and all numbers the same in every language. @param {unknown} value @returns {boolean} */
export function isPlain(value) {
  if (Array.isArray(value)) return value.every(isPlain);
  if (isObject(value)) return Object.entries(/** @type {Document} */ (value)).flat().every(isPlain);
  if (typeof value === "number") return !Number.isInteger(value) || Number.isSafeInteger(value);
  return typeof value !== "string" || isReadable(value);
}
export const isFlag = (/** @type {unknown} */ value) => typeof value === "boolean";
export const isNumber = Number.isFinite;
export const isList = Array.isArray;
export const isObject = (/** @type {unknown} */ value) => value !== null && typeof value === "object" && !Array.isArray(value);
export const isCount = (/** @type {unknown} */ value) => Number.isSafeInteger(value) && /** @type {number} */ (value) >= 0;
export const isPositive = (/** @type {unknown} */ value) => isCount(value) && value !== 0;
export const isExact = Number.isSafeInteger;
export const isRising = (/** @type {number[]} */ list) => list.every((number, place) => !place || list[place - 1] < number);
