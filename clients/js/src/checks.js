/** Checks of a plan's JSON: every member is known, there, and of its kind. */

import { PlanError } from "./errors.js";

/** @typedef {Record<string, unknown>} Document A JSON object */

/** @param {Document} document @param {string} what @param {Record<string, (value: any) => boolean>} members */
export function checkMembers(document, what, members) {
  if (document === null || typeof document !== "object" || Array.isArray(document)) {
    throw new PlanError(`${what} is a JSON object, got ${JSON.stringify(document)}`);
  }
  for (const name of Object.keys(document)) {
    if (!Object.hasOwn(members, name)) throw new PlanError(`${what} has an unknown member "${name}": it needs a newer client`);
  }
  for (const [name, fits] of Object.entries(members)) {
    if (!Object.hasOwn(document, name) || !fits(document[name])) {
      throw new PlanError(`${what}: "${name}" is missing or cannot be ${JSON.stringify(document[name])}`);
    }
  }
}

export const isText = (/** @type {unknown} */ value) => typeof value === "string";
export const isFlag = (/** @type {unknown} */ value) => typeof value === "boolean";
export const isNumber = Number.isFinite;
export const isList = Array.isArray;
export const isObject = (/** @type {unknown} */ value) => value !== null && typeof value === "object" && !Array.isArray(value);
export const isCount = (/** @type {unknown} */ value) => Number.isSafeInteger(value) && /** @type {number} */ (value) >= 0;
export const isExact = Number.isSafeInteger;
export const isRising = (/** @type {number[]} */ list) => list.every((number, place) => !place || list[place - 1] < number);
