/** Canonical JSON and SHA-256: how a page makes sure that the plan it got is the plan it was promised. */

import { PlanError } from "./errors.js";

/**
 * Return the canonical JSON of a value (RFC 8785): members sorted by UTF-16 units, numbers as JavaScript writes them.
 * @param {unknown} value
 * @returns {string}
 */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}

/** Return the SHA-256 of a text's UTF-8 form. @param {string} text */
export async function sha256(text) {
  if (!globalThis.crypto?.subtle) {
    throw new PlanError("this page has no WebCrypto, so the plan cannot be checked: serve it over https or from localhost");
  }
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

/** @param {Uint8Array} bytes */
export const hexadecimal = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Return eight bytes as an integer, the first the most significant. @param {Uint8Array} bytes @param {number} start */
export const bigEndian = (bytes, start) => new DataView(bytes.buffer).getBigUint64(start);
