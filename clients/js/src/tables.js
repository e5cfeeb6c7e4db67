/** Tables: the public maps from an attribute's levels to bins that questions are made of; one maker per kind. */

import { isCount, isList, isObject, isRising } from "./checks.js";
import { PlanError } from "./errors.js";
import { countUpTo } from "./exact.js";

/**
 * @typedef {object} Table
 * @property {number} bins
 * @property {(levels: number) => boolean} fits whether it maps exactly that many levels
 * @property {(level: number) => number} bin
 */

/** @type {Record<string, (value: any) => Table | null>} One maker per kind; null for a value it cannot take. */
const TABLES = {
  identity: (size) =>
    isCount(size) ? { bins: size, fits: (levels) => levels === size, bin: (level) => level } : null,
  edges: (edges) =>
    isList(edges) && edges.length >= 2 && edges.every(isCount) && isRising(edges)
      ? {
          bins: edges.length - 1,
          fits: (levels) => edges[0] === 0 && edges[edges.length - 1] === levels,
          bin: (level) => countUpTo(edges, level) - 1,
        }
      : null,
};

/** Return the table that a plan describes. @param {any} document @returns {Table} */
export function makeTable(document) {
  const [kind, ...more] = isObject(document) ? Object.keys(document) : [];
  if (kind === undefined || more.length || !Object.hasOwn(TABLES, kind)) {
    throw new PlanError(`unknown table ${JSON.stringify(document)}: this plan needs a newer client`);
  }
  const table = TABLES[kind](document[kind]);
  if (!table) throw new PlanError(`table ${JSON.stringify(document)} cannot be`);
  return table;
}
