/** Channels: a cell becomes a code, at random, by exactly known weights. */

import { PlanError } from "../errors.js";
import { RandomisedResponse } from "./grr.js";
import { LocalHash } from "./local_hash.js";

/** @typedef {RandomisedResponse | LocalHash} Channel */

/** Return the channel that a plan names. @param {string} kind @param {bigint} cells @param {string} epsilon @param {string} seed @returns {Promise<Channel>} */
export async function makeChannel(kind, cells, epsilon, seed) {
  if (kind === "grr") return new RandomisedResponse(cells, epsilon);
  if (kind !== "local_hash") throw new PlanError(`unknown channel ${JSON.stringify(kind)}: this plan needs a newer client`);
  const channel = new LocalHash(cells, epsilon);
  await channel.place(seed);
  return channel;
}
