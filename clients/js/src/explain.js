/** What a report says, in plain words, for the person who is about to send it. Everything here follows from the plan. */

import { Numeric, Ordinal } from "./attributes.js";

/** @typedef {import("./attributes.js").AnyAttribute} AnyAttribute */
/** @typedef {import("./channels/index.js").Channel} Channel */
/** @typedef {import("./plan.js").Plan} Plan */
/** @typedef {import("./plan.js").Report} Report */
/** @typedef {import("./tables.js").Table} Table */

const MOST_CELLS = 4096;

/**
 * @typedef {object} Explanation
 * @property {string} question the question that chance picked
 * @property {{name: string, groups: string[]}[]} axes the groups it sorts people into, attribute by attribute
 * @property {bigint} cells how many groups that makes, all attributes taken together
 * @property {boolean[] | null} favoured for each group whether the code speaks for it, the last attribute varying fastest;
 *   null where there are too many groups to list
 * @property {number} truthful the probability that a code speaks for the group its sender is in
 * @property {number} ratio how many times likelier the code is for one person than for any other, at the most
 */

/**
 * Return what a report of this plan says about its sender.
 * @param {Plan} plan
 * @param {Report} report
 * @param {Record<string, string>} [names] what to call attributes, where their own names will not do
 * @returns {Explanation}
 */
export function explain(plan, report, names = {}) {
  const { attributes, tables, channel } = plan.question(report.question);
  const axes = attributes.map((place, i) => ({
    name: names[plan.names[place]] ?? plan.names[place],
    groups: groupNames(plan.attributes[place], tables[i]),
  }));
  const listed = new Intl.ListFormat("en").format(axes.map((axis) => axis.name));
  return {
    question: `In which of these ${channel.cells} groups are you, by ${listed}?`,
    axes,
    cells: channel.cells,
    favoured: favouredCells(channel, BigInt(report.code)),
    truthful: channel.truthful,
    ratio: Math.exp(Number(plan.epsilon)),
  };
}

/** Return which cells a code speaks for: those that give it the largest weight, up to rounding. @param {Channel} channel @param {bigint} code */
function favouredCells(channel, code) {
  if (channel.cells > MOST_CELLS) return null;
  const weights = Array.from({ length: Number(channel.cells) }, (_, cell) => channel.weight(BigInt(cell), code));
  const largest = weights.reduce((left, right) => (left > right ? left : right));
  const even = weights.every((weight) => weight + 1n >= largest); // a hash value that no cell has speaks for none
  return weights.map((weight) => !even && weight + 1n >= largest);
}

/** Return a name for every bin of a table. @param {AnyAttribute} attribute @param {Table} table */
function groupNames(attribute, table) {
  /** @type {[number, number][][]} */
  const runs = Array.from({ length: table.bins }, () => []);
  for (let level = 0; level < attribute.size; level += 1) {
    const group = runs[table.bin(level)];
    const last = group.at(-1);
    if (last && last[1] === level - 1 && level < attribute.valueLevels) last[1] = level;
    else group.push([level, level]);
  }
  return runs.map((group) => group.map(([first, last]) => rangeName(attribute, first, last)).join(", "));
}

/** Return the name of a run of levels. @param {AnyAttribute} attribute @param {number} first @param {number} last */
function rangeName(attribute, first, last) {
  if (first >= attribute.valueLevels) return "no answer";
  if (attribute instanceof Ordinal) {
    const { labels } = attribute.shown();
    const [low, high] = [first, last].map((level) => labels[level] ?? String(attribute.integer(level)));
    return first === last ? low : labels.length ? `${low} to ${high}` : `${low}–${high}`;
  }
  if (attribute instanceof Numeric) {
    const [low, high] = [attribute.boundaries[first], attribute.boundaries[last + 1]].map((edge) => edge.toLocaleString("en"));
    return last === attribute.valueLevels - 1 ? `${low} to ${high}` : `${low} to below ${high}`;
  }
  const { labels } = attribute.shown();
  return (labels.length ? labels : attribute.values).slice(first, last + 1).join(", ");
}
