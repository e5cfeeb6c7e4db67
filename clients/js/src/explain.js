/** What a report says, in plain words, for the person whose report it is. Everything here follows from the plan. */

import { Categorical, Numeric, Ordinal } from "./attributes.js";
import { LocalHash } from "./channels/local_hash.js";

/** @typedef {import("./attributes.js").AnyAttribute} AnyAttribute */
/** @typedef {import("./channels/index.js").Channel} Channel */
/** @typedef {import("./plan.js").Plan} Plan */
/** @typedef {import("./plan.js").Report} Report */
/** @typedef {import("./tables.js").Table} Table */

const MOST_CELLS = 4096;
/** The most weights that are compared to say what else might have been sent. */
const MOST_WEIGHTS = 2 ** 20;

/**
 * @typedef {object} Explanation
 * @property {string} question the question that chance picked
 * @property {{name: string, groups: string[], mixed: boolean}[]} axes the groups it sorts people into, attribute by
 *   attribute, and whether a group holds several parts of a scale
 * @property {bigint} cells how many groups that makes, all attributes taken together
 * @property {boolean[] | null} favoured for each group whether the code speaks for it, the last attribute varying fastest;
 *   null where there are too many groups to list
 * @property {Alternative[] | null} alternatives what else might have been sent, what was sent among it: chance chose one
 *   of these; null where there are too many
 * @property {number | null} own the group that the record falls into, if one was given
 * @property {number} truthful the probability that a code speaks for the group its sender is in
 * @property {number} ratio how many times likelier the code is for one person than for any other, at the most
 */

/**
 * @typedef {object} Alternative One of the codes that chance chose from
 * @property {number[]} cells the groups that it speaks for
 * @property {boolean} sent whether it is the report's
 * @property {number | null} chance how likely it was, for the record that was given
 */

/**
 * @typedef {object} Words How groups are named
 * @property {string} noAnswer
 * @property {(low: string, high: string) => string} range
 * @property {(low: string, high: string) => string} below from low on, and below high
 * @property {(attribute: AnyAttribute) => string[]} labels a label for each value; none where numbers speak for themselves
 * @property {(attribute: AnyAttribute) => string} title
 * @property {(number: number) => string} number
 */

/** @type {Words} */
const ENGLISH = {
  noAnswer: "no answer",
  range: (low, high) => `${low} to ${high}`,
  below: (low, high) => `${low} to below ${high}`,
  labels: (attribute) => attribute.shown().labels,
  title: (attribute) => attribute.shown().title,
  number: (number) => number.toLocaleString("en"),
};

/**
 * Return what a report of this plan says about its sender.
 * @param {Plan} plan
 * @param {Report} report
 * @param {{record?: Record<string, unknown>, words?: Partial<Words>}} [options] the record that it was drawn for, if it is
 *   to be said where that stands, and how groups are named; in English, and by the plan's own titles, unless said otherwise
 * @returns {Explanation}
 */
export function explain(plan, report, { record, words } = {}) {
  const named = { ...ENGLISH, ...words };
  const question = plan.question(report.question);
  const { attributes, tables, channel } = question;
  const axes = attributes.map((place, i) => {
    const attribute = plan.attributes[place];
    const runs = runsOf(attribute, tables[i]);
    return {
      name: named.title(attribute),
      groups: runs.map((group) => group.map(([first, last]) => rangeName(attribute, first, last, named)).join(", ")),
      mixed: !(attribute instanceof Categorical) && runs.some((group) => group.filter(([first]) => first < attribute.valueLevels).length > 1),
    };
  });
  const listed = new Intl.ListFormat("en").format(axes.map((axis) => axis.name));
  const own = record === undefined ? null : question.cell(plan.levels(record));
  const code = BigInt(report.code);
  return {
    question: `In which of these ${channel.cells} groups are you, by ${listed}?`,
    axes,
    cells: channel.cells,
    favoured: favouredCells(channel, code),
    alternatives: alternativesOf(channel, code, own),
    own: own === null ? null : Number(own),
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

/**
 * Return the codes between which chance chose, once it had drawn what does not look at the record, such as a hash function.
 * @param {Channel} channel @param {bigint} code @param {bigint | null} own @returns {Alternative[] | null}
 */
function alternativesOf(channel, code, own) {
  const hashed = channel instanceof LocalHash;
  const [first, count] = hashed ? [code - (code % channel.prime), channel.prime] : [0n, channel.codes];
  if (channel.cells > MOST_CELLS || count * channel.cells > MOST_WEIGHTS) return null;
  const scale = hashed ? channel.response.scale : channel.scale;
  return Array.from({ length: Number(count) }, (_, number) => {
    const other = first + BigInt(number);
    const favoured = /** @type {boolean[]} */ (favouredCells(channel, other));
    return {
      cells: favoured.flatMap((marked, cell) => (marked ? [cell] : [])),
      sent: other === code,
      chance: own === null ? null : Number(channel.weight(own, other)) / Number(scale),
    };
  });
}

/** Return for every bin of a table the runs of levels that it holds. @param {AnyAttribute} attribute @param {Table} table */
function runsOf(attribute, table) {
  /** @type {[number, number][][]} */
  const runs = Array.from({ length: table.bins }, () => []);
  for (let level = 0; level < attribute.size; level += 1) {
    const group = runs[table.bin(level)];
    const last = group.at(-1);
    if (last && last[1] === level - 1 && level < attribute.valueLevels) last[1] = level;
    else group.push([level, level]);
  }
  return runs;
}

/** Return the name of a run of levels. @param {AnyAttribute} attribute @param {number} first @param {number} last @param {Words} words */
function rangeName(attribute, first, last, words) {
  if (first >= attribute.valueLevels) return words.noAnswer;
  const labels = words.labels(attribute);
  if (attribute instanceof Ordinal) {
    const [low, high] = [first, last].map((level) => labels[level] ?? String(attribute.integer(level)));
    return first === last ? low : labels.length ? words.range(low, high) : `${low}–${high}`;
  }
  if (attribute instanceof Numeric) {
    const [low, high] = [attribute.boundaries[first], attribute.boundaries[last + 1]].map(words.number);
    return last === attribute.valueLevels - 1 ? words.range(low, high) : words.below(low, high);
  }
  return (labels.length ? labels : attribute.values).slice(first, last + 1).join(", ");
}
