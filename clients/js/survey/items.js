/** What is asked: one item for an attribute or a multiple choice, how it is named, and how an answer becomes a value. */

import { Categorical, Numeric, Ordinal } from "../src/attributes.js";
import { randomBelow } from "../src/exact.js";

/** @typedef {import("../src/attributes.js").AnyAttribute} AnyAttribute */
/** @typedef {import("../src/plan.js").Plan} Plan */
/** @typedef {import("./language.js").Language} Language */
/** @typedef {"radio" | "select" | "number" | "date" | "checkboxes"} Control */
/** @typedef {{name: string, control: Control, attributes: AnyAttribute[]}} Item One thing that is asked: several attributes if any number may be chosen */
/** @typedef {string | string[]} Given What a control holds: levels as digits, or what was typed */
/** @typedef {Record<string, unknown>} Values */

/** The most options that stand side by side; more are a list to open. */
const MOST_RADIOS = 7;
/** The answers of a control that name no level. */
export const [SKIPPED, NONE] = ["skipped", "none"];

const WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");
const MONTHS = "January February March April May June July August September October November December".split(" ");
const DAYS = /^(\d{4}-\d\d-\d\d) to (\d{4}-\d\d-\d\d)$/;

/** Return what a plan asks, in order. @param {Plan} plan @returns {Item[]} */
export function itemsOf(plan) {
  /** @type {Item[]} */ const items = [];
  for (const attribute of plan.attributes) {
    const choice = attribute instanceof Categorical ? attribute.choiceOf : undefined;
    const [first] = choice === undefined ? [] : /** @type {Categorical[]} */ (plan.choices.get(choice));
    if (choice === undefined) items.push({ name: attribute.name, control: controlOf(attribute), attributes: [attribute] });
    else if (attribute === first) items.push({ name: choice, control: "checkboxes", attributes: [.../** @type {Categorical[]} */ (plan.choices.get(choice))] });
  }
  return items;
}

/** @param {AnyAttribute} attribute @returns {Control} */
function controlOf(attribute) {
  const { date, labels } = attribute.document;
  if (attribute instanceof Numeric) return "number";
  if (Array.isArray(date)) return "date";
  if (attribute.valueLevels <= MOST_RADIOS) return "radio";
  const listed = attribute instanceof Categorical || labels || attribute.values || (date !== undefined && date !== "year");
  return listed ? "select" : "number";
}

/** Return a label for every value of an attribute; none where numbers speak for themselves. @param {AnyAttribute} attribute @param {Language} language */
export function labelsOf(attribute, language) {
  const { labels } = attribute.shown(language.code);
  const { date } = attribute.document;
  const same = (/** @type {string[]} */ known) => labels.length === known.length && labels.every((label, i) => label === known[i]);
  if (attribute instanceof Categorical && !labels.length) return attribute.yesNo ? [language.say("no"), language.say("yes")] : attribute.values;
  if (date === "hour" && !labels.length) {
    const time = (/** @type {number} */ hour, /** @type {string} */ minute) => `${String(hour).padStart(2, "0")}:${minute}`;
    return Array.from({ length: 24 }, (_, hour) => language.say("hour", { from: time(hour, "00"), to: time(hour, "59") }));
  }
  if (date === "weekday" && same(WEEKDAYS)) return labels.map((_, i) => language.date(`2024-01-0${i + 1}`, { weekday: "long" }));
  if (date === "month" && same(MONTHS)) return labels.map((_, i) => language.date(`2024-${String(i + 1).padStart(2, "0")}-01`, { month: "long" }));
  if (Array.isArray(date)) {
    return labels.map((label) => {
      const [, low, high] = DAYS.exec(label) ?? [];
      return low ? language.say("range", { low: language.date(low), high: language.date(high) }) : label;
    });
  }
  return labels;
}

/** Return what an attribute is called within a sentence. @param {AnyAttribute} attribute @param {Language} language */
export function titleOf(attribute, language) {
  const { title, question } = attribute.shown(language.code);
  const choice = attribute instanceof Categorical ? attribute.choiceOf : undefined;
  return choice === undefined ? title : `${question || choice} – ${title}`;
}

/** Return what a person is asked. @param {Item} item @param {Language} language */
export function questionOf({ name, attributes: [first, ...others] }, language) {
  const { question, title } = first.shown(language.code);
  return question || (others.length ? name : title);
}

/** Return the name of a value that an attribute may have. @param {AnyAttribute} attribute @param {unknown} value @param {Language} language */
function valueName(attribute, value, language) {
  if (value === null || value === undefined) return language.say("no_answer");
  const { unit } = attribute.shown(language.code);
  const shown = () => {
    if (Array.isArray(attribute.document.date) && typeof value === "string") return language.date(value);
    const label = attribute instanceof Numeric ? undefined : labelsOf(attribute, language)[attribute.level(value)];
    if (label !== undefined) return label;
    return attribute.document.date === "year" ? String(value) : language.number(Number(value));
  };
  return unit ? language.say("with_unit", { value: shown(), unit }) : shown();
}

/** Return an item's answer in words. @param {Item} item @param {Values} record @param {Language} language */
export function answerName({ control, attributes }, record, language) {
  if (control !== "checkboxes") return valueName(attributes[0], record[attributes[0].name], language);
  if (attributes.every(({ name }) => record[name] === null)) return language.say("no_answer");
  const chosen = attributes.filter(({ name }) => record[name] === "yes").map((one) => one.shown(language.code).title);
  return chosen.length ? language.list(chosen) : language.say("none_of_these");
}

/** Return the value that stands for a level. @param {AnyAttribute} attribute @param {number} level */
function valueAt(attribute, level) {
  if (attribute instanceof Ordinal) return attribute.integer(level);
  if (attribute instanceof Categorical) return attribute.values[level];
  return (attribute.boundaries[level] + attribute.boundaries[level + 1]) / 2;
}

/** Return the record of somebody made up. @param {Plan} plan @returns {Values} */
export function makeUp(plan) {
  return Object.fromEntries(plan.attributes.map((attribute) =>
    [attribute.name, valueAt(attribute, Number(randomBelow(BigInt(attribute.valueLevels))))]));
}

/** Return what may be answered in a field that is typed into. @param {Item} item @param {Language} language */
export function hintOf({ control, attributes: [attribute] }, language) {
  const { nullable, document } = attribute;
  const { unit } = attribute.shown(language.code);
  const said = [];
  if (control === "number") {
    const { low, high } = document;
    const name = document.date === "year" ? String : (/** @type {number} */ number) => language.number(number);
    const range = language.say("range", { low: name(low), high: name(high) });
    said.push(language.say(attribute instanceof Ordinal ? "whole" : "number", { range: unit ? language.say("with_unit", { value: range, unit }) : range }));
  }
  if (control === "date") {
    said.push(language.say("date_range", { low: language.date(document.date[0]), high: language.date(document.date.at(-1)) }));
  }
  if (control === "checkboxes") return language.say("all_that_apply");
  if (said.length && document.clip) said.push(language.say("beyond"));
  if (said.length && nullable) said.push(language.say("leave_empty"));
  return said.join(" ");
}

/**
 * Return the values that an answer stands for, or what is wrong with it.
 * @param {Item} item @param {Given} given @param {Language} language @returns {{values: Values} | {wrong: string}}
 */
export function readAnswer(item, given, language) {
  const { control, attributes } = item;
  const [attribute] = attributes;
  const wrong = (/** @type {string} */ key) => ({ wrong: language.say(key, { hint: hintOf(item, language) }) });
  const value = (/** @type {unknown} */ one) => ({ values: { [attribute.name]: one } });
  if (control === "checkboxes") {
    if (!given.length) return wrong("missing");
    const chosen = (/** @type {number} */ number) => (given.includes(SKIPPED) ? null : given.includes(String(number)) ? "yes" : "no");
    return { values: Object.fromEntries(attributes.map(({ name }, number) => [name, chosen(number)])) };
  }
  const text = String(given).trim();
  const typed = control === "number" || control === "date";
  if (text === SKIPPED || (typed && text === "" && attribute.nullable)) return value(null);
  if (text === "") return wrong("missing");
  if (!typed) return value(valueAt(attribute, Number(text)));
  const { low, high, clip, date } = attribute.document;
  if (control === "date") return clip || (text >= date[0] && text <= date.at(-1)) ? value(text) : wrong("outside");
  const number = Number(text);
  if (!Number.isFinite(number)) return wrong("not_number");
  if (attribute instanceof Ordinal && !Number.isInteger(number)) return wrong("not_whole");
  return clip || (number >= low && number <= high) ? value(number) : wrong("outside");
}
