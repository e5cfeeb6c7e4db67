/** What a report says, for people who are no experts: the true group beside the one that is sent, and the chances of both. */

import { explain } from "../src/explain.js";
import { data, element } from "./dom.js";
import { labelsOf, titleOf } from "./items.js";

/** @typedef {import("../src/explain.js").Alternative} Alternative */
/** @typedef {import("../src/explain.js").Explanation} Explanation */
/** @typedef {import("../src/plan.js").Plan} Plan */
/** @typedef {import("../src/plan.js").Report} Report */
/** @typedef {import("./items.js").Values} Values */
/** @typedef {import("./language.js").Language} Language */

/** The most groups that are all shown, and the most parts of one. */
const [MOST_GROUPS, MOST_PARTS] = [12, 6];

/** @typedef {{report: Report, record: Values | null}} Drawn A report and whom it was drawn for, if that is known */

/**
 * Return what a report says: an example's, or the person's own after it was counted.
 * @param {Plan} plan @param {Drawn} drawn @param {Language} language @param {boolean} sent @returns {HTMLElement}
 */
export function tell(plan, { report, record }, language, sent) {
  const words = {
    noAnswer: language.say("no_answer"),
    range: (/** @type {string} */ low, /** @type {string} */ high) => language.say("range", { low, high }),
    below: (/** @type {string} */ low, /** @type {string} */ high) => language.say("below", { low, high }),
    labels: (/** @type {import("./items.js").AnyAttribute} */ attribute) => labelsOf(attribute, language),
    title: (/** @type {import("./items.js").AnyAttribute} */ attribute) => titleOf(attribute, language),
    number: (/** @type {number} */ number) => language.number(number),
  };
  const told = explain(plan, report, { record: record ?? undefined, words });
  const attributes = language.list(told.axes.map(({ name }) => name));
  const ways = language.number(plan.perWave);
  return element(
    "div",
    { class: "told" },
    element("p", {}, language.say(sent ? "picked_for_you" : "picked", { ways, attributes })),
    groupList(told, language, sent),
    told.axes.some(({ mixed }) => mixed) && element("p", { class: "hint" }, language.say("mixed")),
    chances(told, language),
    sent && record !== null && verdict(told, language),
    element("p", {}, language.say("reveals", { ratio: language.number(Math.ceil(told.ratio * 10) / 10) }), " ", language.say("other_answers")),
    element(
      "details",
      {},
      element("summary", {}, language.say(sent ? "exact_sent" : "exact")),
      element("pre", { dir: "ltr", class: "bytes" }, JSON.stringify(report)),
      element("p", { class: "hint" }, language.say("exact_words")),
    ),
  );
}

/** @param {Alternative} alternative @param {Explanation} told */
const isOwn = ({ cells }, { own }) => own !== null && cells.includes(own);

/** @param {Explanation} told @param {Language} language @param {boolean} sent */
function groupList(told, language, sent) {
  const all = told.alternatives ?? [];
  const shown = all.length <= MOST_GROUPS ? all : all.filter((one) => one.sent || isOwn(one, told)).slice(0, MOST_GROUPS);
  const items = shown.map((one) => {
    const own = isOwn(one, told);
    const badges = [
      own && element("span", { class: "badge own" }, language.say(sent ? "your_group" : "true_group")),
      one.sent && element("span", { class: "badge sent" }, language.say(sent ? "sent" : "would_be_sent")),
      one.chance !== null && element("span", { class: "chance" }, language.say("chance", { percent: language.percent(one.chance) })),
    ];
    return element("li", { class: `group${own ? " own" : ""}${one.sent ? " sent" : ""}` }, element("p", { class: "badges" }, ...badges), ...parts(one, told, language));
  });
  const hidden = all.length - shown.length;
  if (hidden) items.push(element("li", { class: "hint" }, language.say("more_groups", { count: language.number(hidden) })));
  return items.length ? element("ul", { class: "groups" }, ...items) : null;
}

/** Return in words whom a code speaks for: one line for each cell, attribute by attribute. @param {Alternative} alternative @param {Explanation} told @param {Language} language */
function parts({ cells }, told, language) {
  if (!cells.length) return [element("p", {}, language.say("nobody"))];
  const lines = cells.slice(0, MOST_PARTS).map((cell, line) => {
    /** @type {string[]} */ const groups = [];
    let rest = cell;
    for (const { groups: names } of [...told.axes].reverse()) {
      groups.unshift(names[rest % names.length]);
      rest = Math.floor(rest / names.length);
    }
    const named = told.axes.map(({ name }, i) => (told.axes.length > 1
      ? element("span", { class: "part block" }, element("span", { class: "axis" }, data(name)), " ", data(groups[i]))
      : data(groups[i])));
    const or = line > 0 && element("span", { class: "or" }, language.say("or"), " ");
    return element("p", {}, or, ...named);
  });
  const hidden = cells.length - lines.length;
  return hidden ? [...lines, element("p", { class: "hint" }, language.say("more_groups", { count: language.number(hidden) }))] : lines;
}

/** @param {Explanation} told @param {Language} language */
function chances({ alternatives, truthful }, language) {
  const others = (alternatives?.length ?? 0) - 1;
  const apart = alternatives !== null && new Set(alternatives.flatMap(({ cells }) => cells)).size === alternatives.reduce((sum, { cells }) => sum + cells.length, 0);
  const own = language.percent(truthful);
  if (!apart || others < 1) return element("p", {}, language.say("chances_near", { own, other: language.percent(1 - truthful) }));
  const other = language.percent((1 - truthful) / others);
  return element("p", {}, language.say(others === 1 ? "chances_two" : "chances", { own, other, count: language.number(others) }));
}

/** @param {Explanation} told @param {Language} language */
function verdict(told, language) {
  const hit = told.favoured !== null && told.own !== null && told.favoured[told.own];
  return told.favoured && element("p", { class: "verdict" }, language.say(hit ? "verdict_true" : "verdict_other"));
}
