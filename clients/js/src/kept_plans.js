/**
 * Plans that a page keeps, in the browser's cache for pages: a plan's address ends in its fingerprint, so what stands there
 * never changes, and a plan that is kept is as good as one that is fetched once its fingerprint is computed anew. The
 * signature of a plan is kept at its own address, and checked anew too.
 */

const NAME = "sottovoce-plans";

/** Return the text that is kept for an address, or null; whether it is the right one is seen when it is checked. @param {URL} address */
export async function findText(address) {
  try {
    const found = await (await globalThis.caches?.open(NAME))?.match(address);
    return found ? await found.text() : null;
  } catch {
    return null; // forbidden by the browser's settings: as good as absent
  }
}

/** Keep a text; where that cannot be, it is fetched again next time, and nothing else is lost. @param {URL} address @param {string} text */
export async function keepText(address, text) {
  try {
    await (await globalThis.caches?.open(NAME))?.put(address, new Response(text, { headers: { "content-type": "application/json" } }));
  } catch {
    // full or forbidden
  }
}
