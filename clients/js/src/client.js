/** The client: one report per person and collection, drawn once, written down, and only then sent. */

import { isText } from "./checks.js";
import { PlanError, RecordError, SendError } from "./errors.js";
import { localMemory, recall, remember } from "./memory.js";
import { Plan } from "./plan.js";

/** @typedef {import("./memory.js").Memory} Memory */
/** @typedef {import("./plan.js").Report} Report */

/**
 * @typedef {object} Options
 * @property {string} [fingerprint] the plan the page expects; by default the one that the address ends in
 * @property {Memory} [storage] where answers are remembered; by default the page's local storage
 * @property {string} [token] sent as a bearer token, where the collector requires one
 * @property {number} [attempts] how often `send` tries before it gives up for now, 4 by default
 */

/** What another page wrote down just before may take a moment to be seen here, though its lock is gone: milliseconds. */
const NOTE_ARRIVES = 100;

/** Answers one plan for the person at this device. */
export class Client {
  #url; #memory; #token; #attempts;
  /** The levels that this client drew for: in memory alone, to tell another record from the same. @type {string | null} */
  #reported = null;

  /** @param {Plan} plan @param {string} url @param {Options} options */
  constructor(plan, url, options) {
    this.plan = plan;
    this.#url = url;
    this.#memory = options.storage ?? localMemory();
    this.#token = options.token;
    this.#attempts = options.attempts ?? 4;
  }

  get #key() {
    return `sottovoce.${this.plan.collection}`;
  }

  /** The report drawn on this device for this collection, and whether it was counted; null before the draw. */
  get drawn() {
    const entry = recall(this.#memory, this.#key);
    return entry && { report: /** @type {Report} */ (JSON.parse(entry.body)), ...entry };
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
    await this.#deliver(drawn.report.plan, drawn.body);
    remember(this.#memory, this.#key, { body: drawn.body, acknowledged: true });
    return drawn.report;
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

  /** @param {string} fingerprint @param {string} body */
  async #deliver(fingerprint, body) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#post(fingerprint, body);
      } catch (error) {
        if (!(error instanceof SendError) || error.lasting || attempt >= this.#attempts) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** attempt));
    }
  }

  /** @param {string} fingerprint @param {string} body */
  async #post(fingerprint, body) {
    const headers = { "content-type": "application/json", ...(this.#token && { authorization: `Bearer ${this.#token}` }) };
    const url = new URL(`${fingerprint}/reports`, this.#url);
    /** @type {Response} */ let response;
    /** @type {any} */ let answer;
    try {
      response = await fetch(url, { ...PRIVATELY, method: "POST", body, headers, keepalive: true });
      answer = await response.json();
    } catch {
      throw new SendError("the collector could not be reached; the report is kept and can be sent again");
    }
    const refused = answer?.refused?.[0]?.reason;
    if (response.ok && refused === undefined && answer?.counted + answer?.duplicate === 1) return;
    const reason = refused ?? answer?.detail ?? `status ${response.status}`;
    const lasting = refused !== undefined || (response.status >= 400 && response.status < 500 && response.status !== 429);
    throw new SendError(`the collector did not count the report: ${isText(reason) ? reason : JSON.stringify(reason)}`, lasting);
  }
}

/** @type {RequestInit} Requests carry no cookie and no address of the page. */
const PRIVATELY = { credentials: "omit", referrerPolicy: "no-referrer" };

/**
 * Fetch a plan, check it against its fingerprint, and return the client that answers it.
 * @param {string | URL} url the plan's address at its collector, `…/v1/plans/{fingerprint}`
 * @param {Options} [options]
 * @returns {Promise<Client>}
 */
export async function load(url, options = {}) {
  const address = new URL(url, globalThis.location?.href);
  const named = /\/([0-9a-f]{64})$/.exec(address.pathname)?.[1];
  let response;
  try {
    response = await fetch(address, PRIVATELY);
  } catch {
    throw new PlanError(`the plan at ${address} could not be fetched: the collector was not reached, or forbids this page`);
  }
  if (!response.ok) throw new PlanError(`the plan at ${address} could not be fetched: status ${response.status}`);
  return new Client(await Plan.parse(await response.text(), options.fingerprint ?? named), address.href, options);
}
