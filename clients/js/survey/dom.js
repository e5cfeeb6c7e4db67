/** Elements made of parts: what comes from a plan or an organisation is only ever text or the value of an attribute. */

/** @typedef {Node | string | null | undefined | false} Part */
/** @typedef {Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>} Attributes */

/**
 * Return a new element. A function is a listener for the event of that name; true is an attribute without a value;
 * null, undefined and false leave an attribute out.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {Attributes} [attributes] @param {Part[]} parts @returns {HTMLElementTagNameMap[T]}
 */
export function element(tag, attributes = {}, ...parts) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...parts.filter((part) => part instanceof Node || (typeof part === "string" && part !== "")).map((part) => /** @type {Node | string} */ (part)));
  return made;
}

/** Return words of the plan or the organisation, apart from those around them in direction. @param {string} text */
export const data = (text) => element("bdi", {}, text);

/** @param {string} text @param {() => void} act @param {Attributes} [attributes] */
export function button(text, act, attributes = {}) {
  return element("button", { type: "button", click: act, ...attributes }, text);
}
