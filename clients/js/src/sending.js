/** Sending: the same bytes until they are counted, with waits by chance, and not before the collector asks to come back. */

import { isText } from "./checks.js";
import { SendError } from "./errors.js";

/**
 * @typedef {object} Tries
 * @property {number} attempts how often a report is posted before it is left for later
 * @property {(milliseconds: number) => Promise<unknown>} wait what waits between
 */

/** The longest first wait, in milliseconds; each following one may be twice as long. */
const FIRST_WAIT = 1_000;

/** A collector that asks for a longer wait, in seconds, is left alone for now: the report is kept. */
const LONGEST_WAIT = 120;

/** Refusals that another try may turn round; all others from 400 to 499 last. */
const LATER = new Set([408, 425, 429]);

/** @type {RequestInit} Requests carry no cookie and no address of the page. */
export const PRIVATELY = { credentials: "omit", referrerPolicy: "no-referrer" };

/** @param {number} milliseconds */
export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Post a report until the collector has counted it, now or before.
 * @param {URL} url the address for reports of its plan
 * @param {string} body
 * @param {string | undefined} token
 * @param {Tries} tries
 */
export async function deliver(url, body, token, { attempts, wait }) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await post(url, body, token);
    } catch (error) {
      if (!(error instanceof SendError) || error.lasting || attempt >= attempts) throw error;
      if ((error.retryAfter ?? 0) > LONGEST_WAIT) throw error;
      await wait(pause(attempt, error.retryAfter));
    }
  }
}

/**
 * Return how many milliseconds to wait after an attempt, from 1 on: by chance, so that pages that failed together do not
 * come back together, and never before the collector said.
 * @param {number} attempt @param {number | null} retryAfter seconds
 */
export function pause(attempt, retryAfter) {
  const chance = crypto.getRandomValues(new Uint32Array(1))[0] / 2 ** 32;
  return retryAfter === null ? chance * FIRST_WAIT * 2 ** (attempt - 1) : 1000 * retryAfter * (1 + chance / 2);
}

/** Return how many seconds a `Retry-After` asks to wait, a number or a date; null if it says neither. @param {string | null} text */
export function secondsUntil(text) {
  if (text === null) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const then = Date.parse(text);
  return Number.isNaN(then) ? null : Math.max(0, (then - Date.now()) / 1000);
}

/** @param {URL} url @param {string} body @param {string | undefined} token */
async function post(url, body, token) {
  const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
  /** @type {Response} */ let response;
  try {
    response = await fetch(url, { ...PRIVATELY, method: "POST", body, headers, keepalive: true });
  } catch {
    throw new SendError("the collector could not be reached; the report is kept and can be sent again");
  }
  /** @type {any} */
  const answer = await response.json().catch(() => null);
  const refused = answer?.refused?.[0]?.reason;
  if (response.ok && refused === undefined && answer?.counted + answer?.duplicate === 1) return;
  const reason = refused ?? answer?.detail ?? `status ${response.status}`;
  const lasting = refused !== undefined || (response.status >= 400 && response.status < 500 && !LATER.has(response.status));
  const after = lasting ? null : secondsUntil(response.headers.get("retry-after"));
  throw new SendError(`the collector did not count the report: ${isText(reason) ? reason : JSON.stringify(reason)}`, lasting, after);
}
