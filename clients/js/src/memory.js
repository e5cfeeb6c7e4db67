/** Memory: that this person answered, and with which bytes. What is not surely written down is never sent. */

import { StorageError } from "./errors.js";

/** @typedef {Pick<Storage, "getItem" | "setItem">} Memory Local storage, or anything that remembers as well */

/** @typedef {{body: string, acknowledged: boolean}} Entry The exact bytes of a report, and whether they were counted */

/** Return the page's local storage; a page that has none, or may not look at it, cannot answer. @returns {Memory} */
export function localMemory() {
  try {
    const storage = globalThis.localStorage;
    if (storage) return storage;
  } catch {
    // forbidden by the browser's settings: as good as absent
  }
  throw new StorageError("there is no local storage here, so an answer could be given twice: allow it for this page");
}

/** Return what was written down for a collection, or null. @param {Memory} memory @param {string} key @returns {Entry | null} */
export function recall(memory, key) {
  const text = memory.getItem(key);
  if (text === null) return null;
  try {
    const { body, acknowledged } = JSON.parse(text);
    if (typeof body === "string" && typeof acknowledged === "boolean") return { body, acknowledged };
  } catch {
    // not JSON: refused below, like any other entry that cannot be read
  }
  throw new StorageError(`the note of the answer given to this collection (${key}) is damaged: nothing is drawn again`);
}

/** Write the entry, and make sure that it is there. @param {Memory} memory @param {string} key @param {Entry} entry */
export function remember(memory, key, entry) {
  const text = JSON.stringify(entry);
  try {
    memory.setItem(key, text);
  } catch {
    throw new StorageError("local storage is full or forbidden, so the answer cannot be remembered: nothing is sent");
  }
  if (memory.getItem(key) !== text) throw new StorageError("local storage does not keep what is written: nothing is sent");
}
