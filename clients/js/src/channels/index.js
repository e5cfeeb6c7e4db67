/** Channels: a cell becomes a code, at random, by exactly known weights. */

import { PlanError } from "../errors.js";
import { FRACTION, product } from "../exact.js";
import { RandomisedResponse } from "./grr.js";
import { LocalHash, MAX_TOGETHER } from "./local_hash.js";
import { Parity } from "./parity.js";
import { SquareWave } from "./square_wave.js";

/** @typedef {RandomisedResponse | LocalHash | SquareWave | Parity} Channel */

const KINDS = ["grr", "local_hash", "adaptive", "square_wave", "parity", "xor"];

/**
 * Return the channel that a plan names; "adaptive" is the better of randomised response and local hashing.
 * @param {string} kind
 * @param {readonly number[]} shape the bins of each attribute
 * @param {import("../exact.js").Epsilon} epsilon
 * @param {import("./local_hash.js").Placement} placement
 * @returns {Channel}
 */
export function makeChannel(kind, shape, epsilon, placement) {
  const cells = product(shape);
  if (!KINDS.includes(kind)) throw new PlanError(`unknown channel ${JSON.stringify(kind)}: this plan needs a newer client`);
  if (cells < 2n) throw new PlanError(`a channel needs at least two cells, got ${cells}`);
  const hashed = kind === "local_hash" || (kind === "adaptive" && (cells - 2n) << FRACTION >= 3n * epsilon.growth);
  if (hashed && cells > placement.prime) return new LocalHash(shape, epsilon, placement);
  if (cells > MAX_TOGETHER && !hashed) throw new PlanError(`${kind} takes at most ${MAX_TOGETHER} cells, got ${cells}`);
  if (kind === "parity") return new Parity(cells, 2n, epsilon);
  if (kind === "xor") return Parity.ofShape(shape, epsilon);
  return kind === "square_wave" ? new SquareWave(cells, epsilon) : new RandomisedResponse(cells, epsilon);
}
