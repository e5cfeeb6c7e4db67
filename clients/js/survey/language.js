/** One language of the page: its messages, and how it writes numbers, dates and lists. */

/** @typedef {Record<string, string>} Messages */

/** Speaks one language. */
export class Language {
  /** @param {Messages} messages @param {string} code */
  constructor(messages, code) {
    this.messages = messages;
    this.code = code;
    this.direction = messages.direction;
  }

  /** Return a message, with values in the place of names in braces. @param {string} key @param {Record<string, string | number>} [values] */
  say(key, values = {}) {
    return this.messages[key].replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(values, name) ? String(values[name]) : whole));
  }

  /** @param {number} number */
  number(number) {
    return new Intl.NumberFormat(this.code, { maximumFractionDigits: 6 }).format(number);
  }

  /** Return a probability as whole percents, or with a digit more where that would be none or all. @param {number} fraction */
  percent(fraction) {
    const digits = fraction > 0.005 && fraction < 0.995 ? 0 : 1;
    return new Intl.NumberFormat(this.code, { style: "percent", maximumFractionDigits: digits }).format(fraction);
  }

  /** @param {string} day such as 2030-12-31 @param {Intl.DateTimeFormatOptions} [options] */
  date(day, options = { dateStyle: "long" }) {
    return new Intl.DateTimeFormat(this.code, { ...options, timeZone: "UTC", calendar: "gregory" }).format(new Date(`${day}T00:00:00Z`));
  }

  /** @param {string[]} texts */
  list(texts) {
    return new Intl.ListFormat(this.code, { type: "conjunction" }).format(texts);
  }
}

/**
 * Return the language of those offered that the person's browser asks for first; the first one if it asks for none of them.
 * @param {string[]} offered @param {readonly string[]} wanted
 */
export function chooseLanguage(offered, wanted) {
  const plain = (/** @type {string} */ code) => code.toLowerCase().split("-")[0];
  for (const code of wanted) {
    const found = offered.find((one) => one.toLowerCase() === code.toLowerCase()) ?? offered.find((one) => plain(one) === plain(code));
    if (found !== undefined) return found;
  }
  return offered[0];
}
