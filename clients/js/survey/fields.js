/** The form's fields: the control that fits what is asked, its hint, and what is wrong with its answer. */

import { element } from "./dom.js";
import { hintOf, labelsOf, NONE, questionOf, readAnswer, SKIPPED } from "./items.js";

/** @typedef {import("./items.js").Item} Item */
/** @typedef {import("./items.js").Given} Given */
/** @typedef {import("./items.js").Values} Values */
/** @typedef {import("./language.js").Language} Language */
/** @typedef {{element: HTMLElement, focus: () => void, read: () => Values | null}} Field A field: `read` shows what is wrong and gives null, or gives the values */

/**
 * Return the field of an item.
 * @param {Item} item @param {number} number its place among all @param {Map<string, Given>} answers what was given; kept up to date
 * @param {Language} language @returns {Field}
 */
export function makeField(item, number, answers, language) {
  const id = `field-${number}`;
  const hint = hintOf(item, language);
  const error = element("p", { class: "error", id: `${id}-error`, hidden: true });
  const described = [hint && `${id}-hint`, error.id].filter(Boolean).join(" ");
  const words = [hint && element("p", { class: "hint", id: `${id}-hint` }, hint), error];
  const question = element("bdi", {}, questionOf(item, language));
  const grouped = item.control === "radio" || item.control === "checkboxes";
  const keep = (/** @type {Given} */ given) => answers.set(item.name, given);
  const inputs = grouped ? options(item, id, answers, language, keep) : [single(item, id, described, answers, language, keep)];
  const box = grouped
    ? element("fieldset", { class: "field", role: item.control === "radio" ? "radiogroup" : null, "aria-describedby": described },
      element("legend", {}, question), ...words, element("div", { class: "choices" }, ...inputs.map(({ parentNode }) => parentNode)))
    : element("div", { class: "field" }, element("label", { for: id }, question), ...words, inputs[0]);
  const marked = item.control === "radio" ? box : grouped ? null : inputs[0];
  const read = () => {
    const unreadable = inputs[0] instanceof HTMLInputElement && inputs[0].validity.badInput;
    const found = unreadable ? { wrong: language.say("not_number") } : readAnswer(item, answers.get(item.name) ?? "", language);
    const text = "wrong" in found ? found.wrong : "";
    error.textContent = text;
    error.hidden = !text;
    box.classList.toggle("wrong", Boolean(text));
    marked?.setAttribute("aria-invalid", String(Boolean(text)));
    return "values" in found ? found.values : null;
  };
  return { element: box, focus: () => inputs[0].focus(), read };
}

/**
 * Return one control: a list to open, a number or a date.
 * @param {Item} item @param {string} id @param {string} described @param {Map<string, Given>} answers @param {Language} language
 * @param {(given: Given) => void} keep @returns {HTMLInputElement | HTMLSelectElement}
 */
function single({ name, control, attributes: [attribute] }, id, described, answers, language, keep) {
  const required = attribute.nullable ? null : "true";
  const listen = (/** @type {Event} */ event) => keep(/** @type {HTMLInputElement | HTMLSelectElement} */ (event.target).value);
  const common = { id, "aria-describedby": described, "aria-required": required, input: listen };
  const given = String(answers.get(name) ?? "");
  if (control === "select") {
    const listed = levelLabels(attribute, language).map((label, level) => element("option", { value: level }, label));
    const skip = attribute.nullable && element("option", { value: SKIPPED }, language.say("prefer_not"));
    const made = element("select", common, element("option", { value: "" }, language.say("please_choose")), ...listed, skip);
    made.value = given;
    return made;
  }
  const { low, high, clip, date } = attribute.document;
  const [least, most] = control === "date" ? [date[0], date.at(-1)] : [low, high];
  const ends = clip ? {} : { min: least, max: most };
  const whole = attribute.document.type === "ordinal";
  const kind = control === "date" ? { type: "date" } : { type: "number", inputmode: whole && low >= 0 ? "numeric" : "decimal", step: whole ? 1 : "any" };
  const made = element("input", { ...common, ...kind, ...ends, autocomplete: "off" });
  made.value = given;
  return made;
}

/**
 * Return the buttons or boxes of a group, each within its label.
 * @param {Item} item @param {string} id @param {Map<string, Given>} answers @param {Language} language
 * @param {(given: Given) => void} keep @returns {HTMLInputElement[]}
 */
function options({ name, control, attributes }, id, answers, language, keep) {
  const many = control === "checkboxes";
  const labels = many ? attributes.map((one) => one.shown(language.code).title) : levelLabels(attributes[0], language);
  /** @type {[string, string, boolean][]} */
  const listed = labels.map((label, level) => [String(level), label, false]);
  if (many) listed.push([NONE, language.say("none_of_these"), true]);
  if (attributes[0].nullable) listed.push([SKIPPED, language.say("prefer_not"), true]);
  const given = [answers.get(name) ?? []].flat();
  /** @type {HTMLInputElement[]} */ const inputs = listed.map(([value, label], place) => {
    const made = element("input", { type: many ? "checkbox" : "radio", name: id, id: `${id}-${place}`, value });
    made.checked = given.includes(value);
    made.addEventListener("input", () => {
      const lonely = (/** @type {number} */ other) => listed[other][2];
      if (many && made.checked) inputs.forEach((other, i) => { if (other !== made && (lonely(place) || lonely(i))) other.checked = false; });
      const chosen = inputs.filter((input) => input.checked).map((input) => input.value);
      keep(many ? chosen : chosen[0] ?? "");
    });
    element("label", { class: "choice" }, made, element("bdi", {}, label));
    return made;
  });
  return inputs;
}

/** @param {import("./items.js").AnyAttribute} attribute @param {Language} language */
function levelLabels(attribute, language) {
  const labels = labelsOf(attribute, language);
  if (labels.length) return labels;
  const { unit } = attribute.shown(language.code);
  const integer = (/** @type {number} */ level) => /** @type {import("../src/attributes.js").Ordinal} */ (attribute).integer(level);
  return Array.from({ length: attribute.valueLevels }, (_, level) => {
    const value = attribute.document.date === "year" ? String(integer(level)) : language.number(integer(level));
    return unit ? language.say("with_unit", { value, unit }) : value;
  });
}
