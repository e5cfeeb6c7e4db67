/** Signed plans: a detached Ed25519 signature (RFC 8032) of a plan's fingerprint, checked by WebCrypto. */

import { checkMembers, isText } from "./checks.js";
import { PlanError } from "./errors.js";

const FORMAT = "sottovoce-signature-1";
const isDigits = (/** @type {unknown} */ value) => isText(value) && /^([0-9a-f]{2})+$/.test(/** @type {string} */ (value));

/**
 * Throw PlanError unless a signature of a plan is by the key that was published.
 * @param {{fingerprint: string}} plan @param {string} text the signature's JSON @param {string} key 64 hexadecimal digits
 */
export async function checkSignature(plan, text, key) {
  let document;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw new PlanError(`not a signature of a plan: ${/** @type {Error} */ (error).message}`);
  }
  checkMembers(document, "a signature of a plan", { format: (value) => value === FORMAT, key: isDigits, signature: isDigits });
  if (document.key !== key) throw new PlanError(`the plan is signed by ${document.key}, not by the key that was given, ${key}`);
  if (!(await verify(key, document.signature, `sottovoce plan ${plan.fingerprint}`))) {
    throw new PlanError(`the signature is not one of the plan ${plan.fingerprint} by the key ${key}`);
  }
}

/** @param {string} key @param {string} signature @param {string} message */
async function verify(key, signature, message) {
  try {
    const publicKey = await crypto.subtle.importKey("raw", bytes(key), "Ed25519", false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", publicKey, bytes(signature), new TextEncoder().encode(message));
  } catch (error) {
    if (/** @type {Error} */ (error).name !== "NotSupportedError") return false;
    throw new PlanError("this browser cannot check Ed25519 signatures, so the plan is not answered: use a newer one");
  }
}

/** @param {string} digits */
const bytes = (digits) => Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
