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
  const looked = told.axes.filter(({ groups }) => groups.length > 1);
  const attributes = language.list(looked.map(({ name }) => name));
  const mixed = looked.some((axis) => axis.mixed) || (isApart(told) && (told.alternatives ?? []).some(({ cells }) => cells.length > 1));
  const ways = language.number(plan.perWave);
  return element(
    "div",
    { class: "told" },
    element("p", {}, language.say(sent ? "picked_for_you" : "picked", { ways, attributes })),
    groupList(told, language, sent),
    mixed && element("p", { class: "hint" }, language.say("mixed")),
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

/** Whether every group is spoken for by one code only: the square wave's codes speak for ranges that overlap. @param {Explanation} told */
function isApart({ alternatives }) {
  const cells = (alternatives ?? []).flatMap((one) => one.cells);
  return alternatives !== null && alternatives.length > 1 && new Set(cells).size === cells.length;
}

/** @param {Explanation} told @param {Language} language @param {boolean} sent */
function groupList(told, language, sent) {
  if (told.alternatives !== null && !isApart(told)) return rangeList(told, language, sent);
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

/** Return the true group and the range that was sent, of codes that speak for ranges of one scale. @param {Explanation} told @param {Language} language @param {boolean} sent */
function rangeList({ axes: [{ groups }], own, favoured }, language, sent) {
  const cells = (favoured ?? []).flatMap((marked, cell) => (marked ? [cell] : []));
  const [first, last] = [groups[cells[0]], groups[cells[cells.length - 1]]];
  const line = (/** @type {string} */ kind, /** @type {string} */ key, /** @type {string} */ text) =>
    element("li", { class: `group ${kind}` }, element("p", { class: "badges" }, element("span", { class: `badge ${kind}` }, language.say(key))), element("p", {}, data(text)));
  const range = cells.length ? (first === last ? first : `${first} … ${last}`) : language.say("nobody");
  return element("ul", { class: "groups" }, own === null ? null : line("own", sent ? "your_group" : "true_group", groups[own]), line("sent", sent ? "sent" : "would_be_sent", range));
}

/** Return in words whom a code speaks for: one line for each cell, the true one first, attribute by attribute. @param {Alternative} alternative @param {Explanation} told @param {Language} language */
function parts({ cells }, told, language) {
  if (!cells.length) return [element("p", {}, language.say("nobody"))];
  const ordered = told.own !== null && cells.includes(told.own) ? [told.own, ...cells.filter((cell) => cell !== told.own)] : cells;
  const lines = ordered.slice(0, MOST_PARTS).map((cell, line) => {
    /** @type {string[]} */ const groups = [];
    let rest = cell;
    for (const { groups: names } of [...told.axes].reverse()) {
      groups.unshift(names[rest % names.length]);
      rest = Math.floor(rest / names.length);
    }
    const looked = told.axes.flatMap(({ name, groups: all }, i) => (all.length > 1 ? [{ name, group: groups[i] }] : []));
    const named = looked.map(({ name, group }) => (looked.length > 1
      ? element("span", { class: "part block" }, element("span", { class: "axis" }, data(name)), " ", data(group))
      : data(group)));
    const or = line > 0 && element("span", { class: "or" }, language.say("or"), " ");
    return element("p", {}, or, ...named);
  });
  const hidden = cells.length - lines.length;
  return hidden ? [...lines, element("p", { class: "hint" }, language.say("more_groups", { count: language.number(hidden) }))] : lines;
}

/** @param {Explanation} told @param {Language} language */
function chances(told, language) {
  const { alternatives, truthful } = told;
  const others = (alternatives?.length ?? 0) - 1;
  const own = language.percent(truthful);
  if (!isApart(told)) return element("p", {}, language.say("chances_near", { own, other: language.percent(1 - truthful) }));
  const other = language.percent((1 - truthful) / others);
  return element("p", {}, language.say(others === 1 ? "chances_two" : "chances", { own, other, count: language.number(others) }));
}

/** @param {Explanation} told @param {Language} language */
function verdict(told, language) {
  const hit = told.favoured !== null && told.own !== null && told.favoured[told.own];
  return told.favoured && element("p", { class: "verdict" }, language.say(hit ? "verdict_true" : "verdict_other"));
}
