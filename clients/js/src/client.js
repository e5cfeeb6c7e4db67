/** The client: one report per person and collection, drawn once, written down, and only then sent. */

import { PlanError, RecordError, SottovoceError } from "./errors.js";
import { findPlan, keepPlan } from "./kept_plans.js";
import { localMemory, recall, remember } from "./memory.js";
import { Plan } from "./plan.js";
import { deliver, PRIVATELY, sleep } from "./sending.js";

/** @typedef {import("./memory.js").Memory} Memory */
/** @typedef {import("./plan.js").Report} Report */

/**
 * @typedef {object} Options
 * @property {string} [fingerprint] the plan the page expects; by default the one that the address ends in
 * @property {Memory} [storage] where answers are remembered; by default the page's local storage
 * @property {string} [token] sent as a bearer token, where the collector requires one
 * @property {number} [attempts] how often `send` tries before it gives up for now, 4 by default
 * @property {(milliseconds: number) => Promise<unknown>} [wait] what waits between two tries
 */

/** What another page wrote down just before may take a moment to be seen here, though its lock is gone: milliseconds. */
const NOTE_ARRIVES = 100;

/** Answers one plan for the person at this device. */
export class Client {
  #url; #memory; #token; #tries;
  /** What is being sent now. @type {Promise<Report> | null} */
  #sending = null;
  /** The levels that this client drew for: in memory alone, to tell another record from the same. @type {string | null} */
  #reported = null;

  /** @param {Plan} plan @param {string} url @param {Options} options */
  constructor(plan, url, options) {
    this.plan = plan;
    this.#url = url;
    this.#memory = options.storage ?? localMemory();
    this.#token = options.token;
    this.#tries = { attempts: options.attempts ?? 4, wait: options.wait ?? sleep };
  }

  get #key() {
    return `sottovoce.${this.plan.collection}`;
  }

  /** The report drawn on this device for this collection, and whether it was counted; null before the draw. */
  get drawn() {
    const entry = recall(this.#memory, this.#key);
    return entry && { report: /** @type {Report} */ (JSON.parse(entry.body)), ...entry };
  }

  /** Whether a report was drawn on this device for this collection that the collector has not acknowledged. */
  get pending() {
    return this.drawn?.acknowledged === false;
  }

  /**
   * Return this person's one report. The first call checks the record, draws and writes it down; every later call, in
   * this page or any other of this origin, returns the same report. Another record than the one that this client drew
   * for is refused; records are compared in memory, and kept nowhere.
   * @param {Record<string, unknown>} record
   * @returns {Promise<Report>}
   */
  async report(record) {
    const levels = JSON.stringify(this.plan.levels(record));
    return this.#alone(async (shared) => {
      if (this.#reported !== null && this.#reported !== levels) {
        throw new RecordError(
          "this client has reported another record, and a person reports once; client.draw draws anew, and spends epsilon again",
        );
      }
      if (shared && !this.drawn) await new Promise((resolve) => setTimeout(resolve, NOTE_ARRIVES));
      const before = this.drawn;
      if (before) return before.report;
      this.#refuseExpired();
      const report = this.plan.draw(record);
      remember(this.#memory, this.#key, { body: JSON.stringify(report), acknowledged: false });
      this.#reported = levels;
      return report;
    });
  }

  /**
   * Return a fresh report: **each call spends epsilon again** if the record is the same person's. For simulations; a
   * person's page calls `report` or `send`.
   * @param {Record<string, unknown>} record
   * @returns {Report}
   */
  draw(record) {
    return this.plan.draw(record);
  }

  /**
   * Draw this person's one report if that has not been done, and send it until the collector has it. After a failure or
   * a reload, call it again, with or without the record: the same bytes are sent.
   * @param {Record<string, unknown>} [record]
   * @returns {Promise<Report>} the report, now counted
   */
  async send(record) {
    if (record !== undefined) await this.report(record);
    const drawn = this.drawn;
    if (!drawn) throw new RecordError("there is nothing to send yet: give a record");
    if (drawn.acknowledged) return drawn.report;
    this.#sending ??= this.#deliver(drawn).finally(() => { this.#sending = null; });
    return this.#sending;
  }

  /**
   * Send what `send` was asked to send before and could not, in this page or an earlier one; `load` calls it, and calls it
   * again when the browser is online again. A report that was only drawn is not sent.
   * @returns {Promise<boolean>} whether nothing waits any more
   */
  async resume() {
    try {
      if (this.#memory.getItem(this.#wanted) !== null && this.pending) await this.send();
      return !this.pending;
    } catch (error) {
      if (error instanceof SottovoceError) return false;
      throw error;
    }
  }

  /** Where it is noted that this person wants the report sent. */
  get #wanted() {
    return `sottovoce-wanted.${this.plan.collection}`;
  }

  /** @param {{report: Report, body: string}} drawn */
  async #deliver({ report, body }) {
    try {
      this.#memory.setItem(this.#wanted, "yes"); // of one length, whatever the report is
    } catch {
      // full: this page sends it nevertheless, the next one has to be asked to
    }
    await deliver(new URL(`${report.plan}/reports`, this.#url), body, this.#token, this.#tries);
    remember(this.#memory, this.#key, { body, acknowledged: true });
    return report;
  }

  /**
   * Run `work` while no other page of this origin does the same; it is told whether there can be others.
   * @template T @param {(shared: boolean) => Promise<T>} work @returns {Promise<T>}
   */
  async #alone(work) {
    const locks = globalThis.navigator?.locks;
    return locks ? /** @type {Promise<T>} */ (locks.request(this.#key, () => work(true))) : work(false);
  }

  #refuseExpired() {
    const { expires } = this.plan;
    if (expires !== null && new Date().toISOString().slice(0, 10) > expires) {
      throw new PlanError(`this collection ended on ${expires}: nothing is drawn`);
    }
  }
}

/**
 * Return the client that answers the plan at an address, which is fetched, checked against its fingerprint, and kept: from
 * then on this works offline. What could not be sent before is sent, now and whenever the browser is online again.
 * @param {string | URL} url the plan's address at its collector, `…/v1/plans/{fingerprint}`
 * @param {Options} [options]
 * @returns {Promise<Client>}
 */
export async function load(url, options = {}) {
  const address = new URL(url, globalThis.location?.href);
  const expected = options.fingerprint ?? /\/([0-9a-f]{64})$/.exec(address.pathname)?.[1];
  const client = new Client(await loadPlan(address, expected), address.href, options);
  globalThis.addEventListener?.("online", () => client.resume());
  client.resume();
  return client;
}

/** @param {URL} address @param {string | undefined} expected */
async function loadPlan(address, expected) {
  const kept = expected === undefined ? null : await findPlan(address);
  if (kept !== null) {
    try {
      return await Plan.parse(kept, expected);
    } catch {
      // altered or damaged: fetched again
    }
  }
  const text = await fetchPlan(address);
  const plan = await Plan.parse(text, expected);
  await keepPlan(address, text);
  return plan;
}

/** @param {URL} address */
async function fetchPlan(address) {
  let response;
  try {
    response = await fetch(address, PRIVATELY);
  } catch {
    throw new PlanError(`the plan at ${address} could not be fetched: the collector was not reached, or forbids this page`);
  }
  if (!response.ok) throw new PlanError(`the plan at ${address} could not be fetched: status ${response.status}`);
  return response.text();
}
