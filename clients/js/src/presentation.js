/** How an attribute is shown to people: title, question, unit, labels of its values, and all of these translated. */

import { checkMembers, isList, isReadable } from "./checks.js";
import { PlanError } from "./errors.js";

const MAX_TEXT = 2000;
const LANGUAGE = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;

/** @typedef {{title: string, question: string, unit: string, labels: string[]}} Shown The words in one language */

/** @param {unknown} value */
const isShown = (value) => isReadable(value) && /** @type {string} */ (value) !== "" && [.../** @type {string} */ (value)].length <= MAX_TEXT;
/** @param {unknown} value */
const isLabels = (value) => isList(value) && value.length > 0 && value.every(isShown) && new Set(value).size === value.length;
/** Whether a value is the code of a language, such as en or pt-BR. @param {unknown} value */
export const isLanguage = (value) => typeof value === "string" && LANGUAGE.test(value);

const TEXTS = { title: isShown, question: isShown, unit: isShown, labels: isLabels };

/** What an attribute may have besides what its kind must have. */
export const PRESENTATION = { ...TEXTS, translations: isTranslations };

/** @param {unknown} value */
function isTranslations(value) {
  if (!isList(value) || !value.length) return false;
  for (const one of value) checkMembers(one, "a translation", { language: isLanguage }, TEXTS);
  return new Set(value.map((one) => one.language)).size === value.length;
}

/** Throw unless there is a label for every value, or none. @param {any} document @param {number} levels */
export function checkLabels(document, levels) {
  for (const one of [document, ...(document.translations ?? [])]) {
    if (one.labels && one.labels.length !== levels) {
      throw new PlanError(`${document.name}: ${one.labels.length} labels for ${levels} values`);
    }
  }
}

/**
 * Return the words for an attribute in a language; what was not translated stays as it is.
 * @param {any} document the attribute as the plan has it
 * @param {string} [language]
 * @returns {Shown}
 */
export function shown(document, language) {
  const own = (document.translations ?? []).find((/** @type {any} */ one) => one.language === language) ?? {};
  /** @param {string} name @param {any} otherwise */
  const text = (name, otherwise) => own[name] ?? document[name] ?? otherwise;
  return { title: text("title", document.name), question: text("question", ""), unit: text("unit", ""), labels: text("labels", []) };
}
