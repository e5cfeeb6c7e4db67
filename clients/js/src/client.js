/** The client: one report per person and collection, drawn once, written down, and only then sent. */

import { MAX_EPSILON, parseMaxEpsilon, tooLarge } from "./budget.js";
import { BudgetError, PlanError, RecordError, SottovoceError, StorageError } from "./errors.js";
import { findText, keepText } from "./kept_plans.js";
import { Ledger } from "./ledger.js";
import { Log } from "./log.js";
import { Plan } from "./plan.js";
import { deliver, PRIVATELY, sleep } from "./sending.js";
import { checkSignature } from "./signature.js";
import { TURN_LENGTH } from "./waves.js";

/** @typedef {import("./budget.js").Cost} Cost */
/** @typedef {import("./ledger.js").Kept} Kept */
/** @typedef {import("./plan.js").Report} Report */

/**
 * @typedef {object} Options
 * @property {string} [fingerprint] the plan the page expects; by default the one that the address ends in
 * @property {string} [text] the plan's JSON, where the page holds it: it is then not fetched, and checked all the same
 * @property {Ledger} [ledger] what this device has answered and spent; by default `await Ledger.open()`
 * @property {number | string} [maxEpsilon] the largest epsilon that is answered, 2 by default: show people what you raise it to
 * @property {string | URL | Log} [log] a log of plans as somebody else than the collector mirrors it; the plan must be in it
 * @property {string} [signer] the public key, 64 hexadecimal digits, by which the plan must be signed
 * @property {string} [token] sent as a bearer token, where the collector requires one
 * @property {number} [attempts] how often `send` tries before it gives up for now, 4 by default
 * @property {(milliseconds: number) => Promise<unknown>} [wait] what waits between two tries
 */

/** The wave under which a ledger keeps what is drawn at joining: the turn, or the report where there are no waves. */
const JOINING = 0;

/** Answers one plan for the person at this device. */
export class Client {
  #url; #token; #tries; #named; #charge;
  /** What is being sent now. @type {Promise<Report> | null} */
  #sending = null;
  /** The levels that this client drew for: in memory alone, to tell another record from the same. @type {string | null} */
  #reported = null;

  /** @param {Plan} plan @param {string} url @param {Omit<Options, "log"> & {ledger: Ledger, log?: Log}} options */
  constructor(plan, url, options) {
    this.plan = plan;
    this.ledger = options.ledger;
    this.#url = url;
    this.#token = options.token;
    this.#tries = { attempts: options.attempts ?? 4, wait: options.wait ?? sleep };
    const { collection, epsilon, purpose } = plan;
    this.#charge = { collection, epsilon, purpose, maxEpsilon: parseMaxEpsilon(options.maxEpsilon ?? MAX_EPSILON) };
    const refusal = tooLarge(this.#charge);
    if (refusal !== null) throw new BudgetError(refusal);
    if (!(options.ledger instanceof Ledger)) throw new StorageError("a client needs a ledger: ledger: await Ledger.open()");
    if (options.log && !options.log.lists(plan)) {
      throw new PlanError(`the plan ${plan.fingerprint} is not in the log of plans: others may have been given another one, so this one is not answered`);
    }
    this.#named = options.log ? plan.fingerprint : collection;
  }

  /** What answering costs, beside what was spent: show `words` before anything is drawn. @returns {Promise<Cost>} */
  cost() {
    return this.ledger.cost(this.#charge);
  }

  /**
   * What is kept of this person's answer, null before the draw: the report until it is counted, and whether it is.
   * @returns {Promise<{report: Report | null, acknowledged: boolean} | null>}
   */
  async drawn() {
    const kept = await this.#kept();
    return kept && { report: kept.report === null ? null : JSON.parse(kept.report), acknowledged: kept.acknowledged };
  }

  /** Whether a report was drawn on this device for this collection that the collector has not acknowledged. */
  async pending() {
    return Boolean((await this.#kept())?.report);
  }

  /**
   * Return the one wave in which this device reports, of a plan with waves: drawn, written down and paid for when it is
   * first asked, and the same ever after. Ask people in that wave alone, or in all: in any other `send` is silent.
   * @returns {Promise<number>}
   */
  async turn() {
    return this.#waveOf(await this.#turn());
  }

  /** @returns {Promise<number>} the question of this device's turn */
  async #turn() {
    if (this.plan.waves === null) throw new PlanError("this plan has no waves: everybody reports once, at any time");
    if ((await this.ledger.find(this.plan.collection, JOINING)) === null) this.#refuseExpired();
    const draw = () => JSON.stringify({ question: this.plan.drawTurn() });
    return turnOf(await this.ledger.drawOnce(this.#charge, draw, { wave: JOINING, length: TURN_LENGTH }));
  }

  /** @param {number} question */
  #waveOf(question) {
    return Math.floor(question / this.plan.perWave) + 1;
  }

  /** Return what is kept of this device's report; nothing is drawn for it, not even a turn. @returns {Promise<Kept | null>} */
  async #kept() {
    const joined = await this.ledger.find(this.plan.collection, JOINING);
    if (this.plan.waves === null) return joined;
    return joined?.report ? this.ledger.find(this.plan.collection, this.#waveOf(turnOf(joined))) : null;
  }

  /**
   * Return this person's one report. The first call checks the record, draws and writes it down; every later call, in
   * this page or any other of this origin, returns the same report until it is counted. Another record than the one that
   * this client drew for is refused; records are compared in memory, and kept nowhere.
   * @param {Record<string, unknown>} record
   * @returns {Promise<Report>}
   */
  async report(record) {
    return reportOf(await this.#drawOnce(record));
  }

  /**
   * Return a fresh report: **each call spends epsilon again** if the record is the same person's. For simulations; a
   * person's page calls `report` or `send`.
   * @param {Record<string, unknown>} record
   * @returns {Report}
   */
  draw(record) {
    return this.plan.draw(record, this.#named);
  }

  /**
   * Draw this person's one report if that has not been done, and send it until the collector has it. After a failure or
   * a reload, call it again, with or without the record: the same bytes are sent. Of a plan with waves, a report is drawn
   * in the device's own turn alone.
   * @param {Record<string, unknown>} [record]
   * @param {{wave?: number}} [when] which wave it is, where the plan has no dates
   * @returns {Promise<Report | null>} the report, now counted; null if it was counted before, and is not kept, or if it is
   *   not this device's turn
   */
  async send(record, { wave } = {}) {
    const drawn = record !== undefined && (await this.#isTurn(record, wave));
    const kept = drawn ? await this.#drawOnce(/** @type {Record<string, unknown>} */ (record)) : await this.#kept();
    if (!kept && record !== undefined) return null;
    if (!kept) throw new RecordError("there is nothing to send yet: give a record");
    if (kept.acknowledged) return null;
    this.#sending ??= this.#deliver(kept).finally(() => { this.#sending = null; });
    return this.#sending;
  }

  /**
   * Send what `send` was asked to send before and could not, in this page or an earlier one; `load` calls it, and calls it
   * again when the browser is online again. A report that was only drawn is not sent.
   * @returns {Promise<boolean>} whether nothing waits any more
   */
  async resume() {
    try {
      if ((await this.#kept())?.wanted) await this.send();
      return !(await this.pending());
    } catch (error) {
      if (error instanceof SottovoceError) return false;
      throw error;
    }
  }

  /** @param {Kept} kept */
  async #deliver(kept) {
    const report = reportOf(kept);
    const { collection } = this.plan;
    const wave = this.plan.waves === null ? JOINING : await this.turn();
    await this.ledger.want(collection, wave).catch(() => {}); // full: this page sends it nevertheless, the next has to be asked to
    await deliver(new URL(`${report.plan}/reports`, this.#url), /** @type {string} */ (kept.report), this.#token, this.#tries);
    await this.ledger.acknowledge(collection, wave);
    return report;
  }

  /** Return whether it is now that this device reports; the whole record is checked first. @param {Record<string, unknown>} record @param {number} [wave] */
  async #isTurn(record, wave) {
    const { waves } = this.plan;
    this.plan.levels(record);
    if (waves === null) return true;
    const now = wave === undefined ? waves.on(await this.ledger.today()) : waves.check(wave);
    return now === (await this.turn());
  }

  /** @param {Record<string, unknown>} record @returns {Promise<Kept>} */
  async #drawOnce(record) {
    const levels = JSON.stringify(this.plan.levels(record));
    if (this.#reported !== null && this.#reported !== levels) {
      throw new RecordError(
        "this client has reported another record, and a person reports once; client.draw draws anew, and spends epsilon again",
      );
    }
    if ((await this.ledger.find(this.plan.collection, JOINING)) === null) this.#refuseExpired();
    const turn = this.plan.waves === null ? undefined : await this.#turn();
    const draw = () => {
      this.#reported = levels;
      return JSON.stringify(this.plan.draw(record, this.#named, turn));
    };
    return this.ledger.drawOnce(this.#charge, draw, { wave: turn === undefined ? JOINING : this.#waveOf(turn) });
  }

  #refuseExpired() {
    const { expires } = this.plan;
    if (expires !== null && new Date().toISOString().slice(0, 10) > expires) {
      throw new PlanError(`this collection ended on ${expires}: nothing is drawn`);
    }
  }
}

/** Return the question of the turn that a ledger keeps. @param {Kept} kept @returns {number} */
function turnOf({ report }) {
  if (report !== null) return JSON.parse(report).question;
  throw new StorageError(
    "this device joined the collection, but its turn was lost before it was written down: nothing is drawn again, and it is silent in all waves",
  );
}

/** @param {Kept} kept @returns {Report} */
function reportOf({ report, acknowledged }) {
  if (report !== null) return JSON.parse(report);
  throw new StorageError(
    acknowledged
      ? "this collection was answered on this device, and what was sent is not kept: nothing is drawn again"
      : "an answer to this collection was begun on this device and lost before it was written down: its privacy counts as spent, and nothing is drawn again",
  );
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
  if (expected === undefined) {
    throw new PlanError(`the address ${address} does not end in the plan's fingerprint: give it as it was published (fingerprint), a plan's own word proves nothing`);
  }
  const log = options.log === undefined || options.log instanceof Log ? options.log : await fetchLog(options.log, address);
  const plan = options.text === undefined ? await loadPlan(address, expected) : await Plan.parse(options.text, expected);
  if (options.signer !== undefined) await checkSigner(plan, address, options.signer);
  const client = new Client(plan, address.href, { ...options, log, ledger: options.ledger ?? (await Ledger.open()) });
  globalThis.addEventListener?.("online", () => client.resume());
  client.resume();
  return client;
}

/** Check that there is a signature of a plan by a key: kept here, or at its collector. @param {Plan} plan @param {URL} address @param {string} signer */
async function checkSigner(plan, address, signer) {
  const place = new URL(`${plan.fingerprint}/signature`, address);
  const kept = await findText(place);
  if (kept !== null) {
    try {
      return await checkSignature(plan, kept, signer);
    } catch {
      // another key's, or damaged: the collector may have the right one
    }
  }
  const text = await fetchText(place, "signature");
  await checkSignature(plan, text, signer);
  await keepText(place, text);
}

/** @param {URL} address @param {string} expected */
async function loadPlan(address, expected) {
  const kept = await findText(address);
  if (kept !== null) {
    try {
      return await Plan.parse(kept, expected);
    } catch {
      // altered or damaged: fetched again
    }
  }
  const text = await fetchText(address, "plan");
  const plan = await Plan.parse(text, expected);
  await keepText(address, text);
  return plan;
}

/** @param {string | URL} url @param {URL} collector */
async function fetchLog(url, collector) {
  const address = new URL(url, globalThis.location?.href);
  if (address.host === collector.host) {
    throw new PlanError(`the log at ${address} is the collector's own, which proves nothing: give a copy that somebody else keeps`);
  }
  return Log.parse(await fetchText(address, "log"));
}

/** @param {URL} address @param {string} what */
async function fetchText(address, what) {
  let response;
  try {
    response = await fetch(address, PRIVATELY);
  } catch {
    throw new PlanError(`the ${what} at ${address} could not be fetched: it was not reached, or forbids this page`);
  }
  if (!response.ok) throw new PlanError(`the ${what} at ${address} could not be fetched: status ${response.status}`);
  return response.text();
}
