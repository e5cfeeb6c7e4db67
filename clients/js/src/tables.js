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

/** @type {Record<string, (value: any) => Table | null>} One maker per kind; a new kind of table needs its line here. */
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
  tree: (tree) => {
    if (!isList(tree) || tree.length !== 3 || !tree.every(isCount)) return null;
    const [size, branching, depth] = tree;
    if (size < 2 || branching < 2 || depth > treeHeight(size, branching)) return null;
    const bins = depth < treeHeight(size, branching) ? branching ** depth : size;
    return { bins, fits: (levels) => levels === size, bin: (level) => Math.floor(((level + 1) * bins - 1) / size) };
  },
  walsh: (walsh) => {
    if (!isList(walsh) || walsh.length !== 2 || !walsh.every(isCount)) return null;
    const [size, index] = walsh;
    const bits = walshBits(size);
    if (index < 1 || index >= 2 ** bits) return null;
    return {
      bins: 2,
      fits: (levels) => levels === size,
      bin: (level) => commonParity(BigInt(index), (BigInt(level) << BigInt(bits)) / BigInt(size), bits),
    };
  },
};

/** Return the number of bits of the next power of two, at least 1: there are 2^bits Walsh functions. @param {number} levels */
function walshBits(levels) {
  let bits = 1;
  while (2 ** bits < levels) bits += 1;
  return bits;
}

/** Return the parity of the bits that `index` and `cell`, read backwards as `bits` bits, have in common. @param {bigint} index @param {bigint} cell @param {number} bits */
function commonParity(index, cell, bits) {
  let parity = 0n;
  for (let bit = 0; bit < bits; bit += 1) parity ^= (index >> BigInt(bit)) & (cell >> BigInt(bits - 1 - bit)) & 1n;
  return Number(parity);
}

/** Return the depth of a tree's leaves: log `levels` to base `branching`, rounded, and at least 1. @param {number} levels @param {number} branching */
function treeHeight(levels, branching) {
  let height = 1;
  while (BigInt(branching) ** BigInt(2 * height + 1) < BigInt(levels) ** 2n) height += 1;
  return height;
}

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
