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

/** The most levels of a table of several Walsh functions: all of them may have to be gone through. */
const MAX_WALSH_LEVELS = 2 ** 16;

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
    if (!isList(walsh) || walsh.length < 2 || !walsh.every(isCount)) return null;
    const [size, ...functions] = walsh;
    const bits = walshBits(size);
    if (functions.length > bits || functions.some((index) => index < 1 || index >= 2 ** bits)) return null;
    if (functions.length > 1 && size > MAX_WALSH_LEVELS) return null;
    const reached = cosets(size, bits, functions);
    return {
      bins: reached ? reached.length : 2 ** functions.length,
      fits: (levels) => levels === size,
      bin: (level) => {
        const own = coset(size, bits, functions, level);
        return reached ? reached.indexOf(own) : own;
      },
    };
  },
};

/**
 * Return the signs of Walsh functions at a level as the digits of a number, the first function's the highest, 1 for -1.
 * @param {number} size @param {number} bits @param {number[]} functions @param {number} level
 */
function coset(size, bits, functions, level) {
  const cell = (BigInt(level) << BigInt(bits)) / BigInt(size);
  return functions.reduce((digits, index) => digits * 2 + commonParity(index, Number(cell), bits), 0);
}

/**
 * Return the numbers that some level has, in rising order; null where every number is sure to be among them: independent
 * functions, of different bands, part the cells into groups, and fewer cells than a group has are without a level.
 * @param {number} size @param {number} bits @param {number[]} functions
 */
function cosets(size, bits, functions) {
  const bands = new Set(functions.map((index) => index.toString(2).length));
  if (functions.length === 1) return null;
  if (bands.size === functions.length && 2 ** bits - size < 2 ** (bits - functions.length)) return null;
  const found = new Set();
  for (let level = 0; level < size; level += 1) found.add(coset(size, bits, functions, level));
  return [...found].sort((left, right) => left - right);
}

/** Return the number of bits of the next power of two, at least 1: there are 2^bits Walsh functions. @param {number} levels */
function walshBits(levels) {
  let bits = 1;
  while (2 ** bits < levels) bits += 1;
  return bits;
}

/** Return the parity of the bits that `index` and `cell`, read backwards as `bits` bits, have in common. @param {number} index @param {number} cell @param {number} bits */
function commonParity(index, cell, bits) {
  let parity = 0;
  for (let bit = 0; bit < bits; bit += 1) parity ^= Math.floor(index / 2 ** bit) & Math.floor(cell / 2 ** (bits - 1 - bit)) & 1;
  return parity;
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
