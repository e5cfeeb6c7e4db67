/**
 * The ledger: what this device has answered and spent, over all collections, in the origin's IndexedDB.
 *
 * Privacy is spent at the **draw**. So before a report is drawn, its collection, its cost and a **reservation** of fixed
 * length are on disk, in one transaction that also checks the budget; the report then takes the place of the reservation,
 * and is sent only from there. Whatever fails, a collection that was reserved is never drawn for again: a reservation
 * without a report counts as spent. Once the collector has the report, the ledger forgets it and keeps the mark.
 */

import { costOf, parseLimits } from "./budget.js";
import { BudgetError, StorageError } from "./errors.js";

/** @typedef {import("./budget.js").Cost} Cost */
/** @typedef {import("./budget.js").Limits} Limits */
/** @typedef {import("./budget.js").Spent} Spent */
/** @typedef {{collection: string, epsilon: string, purpose: string, maxEpsilon: string}} Charge What an answer costs */
/**
 * @typedef {object} Kept What is kept of an answer
 * @property {string | null} report the report, until it is acknowledged
 * @property {boolean} wanted whether it is to be sent
 * @property {boolean} acknowledged whether the collector has it
 */
/** @typedef {{device: IDBObjectStore, spent: IDBObjectStore, reports: IDBObjectStore}} Stores */

/**
 * @typedef {object} LedgerOptions
 * @property {number | string} [budget] the epsilon that one person spends in a period; 4 unless said otherwise
 * @property {number} [period] the days for which what was spent counts; 365 unless said otherwise
 * @property {number | string} [deviceBudget] what all profiles spend together; twice the budget unless said otherwise
 * @property {() => Date} [clock] gives the time it is
 */

const [NAME, FORMAT] = ["sottovoce", 1];
/** More than any report's JSON takes, whatever its question and code. */
const REPORT_LENGTH = 256;
/** What a report is: reserved, drawn, drawn and to be sent, acknowledged. Words of one length. */
const [EMPTY, DRAWN, GOING, TAKEN] = ["empty", "drawn", "going", "taken"];

/** What one person on this device answered and spent, and how much they are willing to. Made by `Ledger.open`. */
export class Ledger {
  #database; #clock;

  /** @param {IDBDatabase} database @param {Limits} limits @param {() => Date} clock @param {number} profile */
  constructor(database, limits, clock, profile) {
    this.#database = database;
    this.#clock = clock;
    this.limits = limits;
    this.profile = profile;
  }

  /** Return the ledger of this origin, and take over what an older version kept. @param {LedgerOptions} [options] */
  static async open(options = {}) {
    const limits = parseLimits(options);
    const ledger = new Ledger(await openDatabase(), limits, options.clock ?? (() => new Date()), 1);
    await alone(() => ledger.#takeOver());
    return ledger;
  }

  /** Return what an answer would cost, beside what was spent; nothing if it was answered. @param {Charge} charge @returns {Promise<Cost>} */
  cost(charge) {
    return this.#run("readonly", (stores) => this.#cost(stores, charge));
  }

  /** Return what was answered on this device, by all profiles, in order of days. @returns {Promise<Spent[]>} */
  async entries() {
    const entries = await this.#run("readonly", ({ spent }) => ask(spent.getAll()));
    return entries.sort((left, right) => (left.day < right.day ? -1 : Number(left.day > right.day)));
  }

  /** Return the day it is for this device; a clock that was set back changes nothing. @returns {Promise<string>} */
  today() {
    return this.#run("readonly", (stores) => this.#today(stores));
  }

  /** Return what is kept of this person's answer to a collection, or null. @param {string} collection @param {number} [wave] */
  find(collection, wave = 0) {
    return this.#run("readonly", (stores) => this.#find(stores, collection, wave));
  }

  /**
   * Return what was drawn for a collection; `draw` is called only if nothing was, and the cost is affordable.
   * @param {Charge} charge the collection and its cost, which is paid once, whatever the number of its waves
   * @param {() => string} draw gives the report's JSON; called when the reservation is on disk
   * @param {{wave?: number, length?: number}} [options] which report of the collection it is, and what to reserve for it
   * @returns {Promise<Kept>}
   */
  drawOnce(charge, draw, { wave = 0, length = REPORT_LENGTH } = {}) {
    return alone(async () => {
      const found = await this.#run("readwrite", (stores) => this.#reserve(stores, charge, wave, length));
      if (found) return found;
      const report = draw();
      await this.#run("readwrite", (stores) => this.#write(stores, [charge.collection, wave], DRAWN, report.padEnd(length)));
      return { report, wanted: false, acknowledged: false };
    });
  }

  /** Take note that this person wants the report sent. @param {string} collection @param {number} [wave] */
  want(collection, wave = 0) {
    return this.#run("readwrite", async (stores) => {
      const row = await ask(stores.reports.get([this.profile, collection, wave]));
      if (row?.state === DRAWN) await this.#write(stores, [collection, wave], GOING, row.body);
    });
  }

  /** Take note that the collector has the report, and forget what it said. @param {string} collection @param {number} [wave] */
  acknowledge(collection, wave = 0) {
    return this.#run("readwrite", async (stores) => {
      const row = await ask(stores.reports.get([this.profile, collection, wave]));
      if (row) await this.#write(stores, [collection, wave], TAKEN, "".padEnd(row.body.length));
    });
  }

  /** How many profiles this device has. @returns {Promise<number>} */
  profiles() {
    return this.#run("readonly", async (stores) => (await deviceOf(stores)).profiles);
  }

  /** Return the ledger of one more person on this device, who has no name here: only within that person's own click. */
  async openProfile() {
    const activation = globalThis.navigator?.userActivation;
    if (activation && !activation.isActive) {
      throw new BudgetError("a profile is opened by the person's own act: call openProfile while their click is handled");
    }
    const number = await this.#run("readwrite", async (stores) => {
      const device = await deviceOf(stores);
      await ask(stores.device.put({ ...device, profiles: device.profiles + 1 }, "device"));
      return device.profiles + 1;
    });
    return this.ofProfile(number);
  }

  /** Return the ledger of a profile that was opened, by its number; the first is 1. @param {number} number */
  async ofProfile(number) {
    const profiles = await this.profiles();
    if (!Number.isSafeInteger(number) || number < 1 || number > profiles) {
      throw new BudgetError(`this device has profiles 1 to ${profiles}, got ${number}; openProfile adds one`);
    }
    return new Ledger(this.#database, this.limits, this.#clock, number);
  }

  /** @param {Stores} stores @param {Charge} charge @returns {Promise<Cost>} */
  async #cost(stores, charge) {
    /** @type {Spent[]} */ const entries = await ask(stores.spent.getAll());
    const paid = entries.some((entry) => entry.collection === charge.collection && entry.profile === this.profile);
    const who = { profile: this.profile, day: await this.#today(stores) };
    return costOf(paid ? { ...charge, epsilon: "0" } : charge, entries, this.limits, who);
  }

  /** Return what was drawn before, or reserve and return null. @param {Stores} stores @param {Charge} charge @param {number} wave @param {number} length */
  async #reserve(stores, charge, wave, length) {
    const found = await this.#find(stores, charge.collection, wave);
    const key = [this.profile, charge.collection];
    const paid = await ask(stores.spent.get(key));
    if (paid && paid.epsilon === null) await ask(stores.spent.put({ ...paid, epsilon: charge.epsilon, purpose: charge.purpose }));
    if (found) return found;
    const { refusal } = await this.#cost(stores, charge);
    if (refusal !== null) throw new BudgetError(refusal);
    const day = await this.#today(stores);
    await ask(stores.device.put({ ...(await deviceOf(stores)), latest: day }, "device"));
    if (!paid) {
      const { collection, epsilon, purpose } = charge;
      await ask(stores.spent.put({ profile: this.profile, collection, epsilon, day, purpose }));
    }
    await this.#write(stores, [charge.collection, wave], EMPTY, "".padEnd(length));
    return null;
  }

  /** @param {Stores} stores @param {[string, number]} key @param {string} state @param {string} body */
  #write(stores, [collection, wave], state, body) {
    return ask(stores.reports.put({ profile: this.profile, collection, wave, state, body }));
  }

  /** @param {Stores} stores @param {string} collection @param {number} wave @returns {Promise<Kept | null>} */
  async #find({ reports }, collection, wave) {
    const row = await ask(reports.get([this.profile, collection, wave]));
    if (!row) return null;
    const report = row.state === DRAWN || row.state === GOING ? row.body.trimEnd() : null;
    return { report, wanted: row.state === GOING, acknowledged: row.state === TAKEN };
  }

  /** Return the day it is; a clock that was set back changes nothing. @param {Stores} stores */
  async #today(stores) {
    const { latest } = await deviceOf(stores);
    const day = this.#clock().toISOString().slice(0, 10);
    return day > latest ? day : latest;
  }

  /** Take over what an older version kept in local storage: it says nothing of costs and days. */
  async #takeOver() {
    const older = olderEntries();
    if (!older.length) return;
    await this.#run("readwrite", async (stores) => {
      const day = await this.#today(stores);
      for (const { collection, state, body } of older) {
        if (await ask(stores.spent.get([1, collection]))) continue;
        await ask(stores.spent.put({ profile: 1, collection, epsilon: null, day, purpose: "" }));
        await this.#write(stores, [collection, 0], state, body.padEnd(REPORT_LENGTH));
      }
    });
    for (const { key } of older) localStorage.removeItem(key);
  }

  /**
   * Run `work` in one transaction; return what it gives when all of it is on disk.
   * @template T @param {IDBTransactionMode} mode @param {(stores: Stores) => T | Promise<T>} work @returns {Promise<T>}
   */
  #run(mode, work) {
    return new Promise((resolve, reject) => {
      /** @type {T} */ let result;
      /** @type {unknown} */ let failure;
      const transaction = this.#database.transaction(["device", "spent", "reports"], mode, { durability: "strict" });
      const store = (/** @type {string} */ name) => transaction.objectStore(name);
      transaction.oncomplete = () => resolve(result);
      transaction.onabort = () => reject(failure instanceof BudgetError ? failure : unusable(transaction.error ?? failure));
      const run = async () => work({ device: store("device"), spent: store("spent"), reports: store("reports") });
      run().then(
        (value) => (result = value),
        (error) => {
          failure = error;
          if (!transaction.error) transaction.abort();
        },
      );
    });
  }
}

/** Return what a request gives. @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
function ask(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** @param {Stores} stores @returns {Promise<{latest: string, profiles: number}>} */
const deviceOf = ({ device }) => ask(device.get("device"));

/** @param {unknown} error */
function unusable(error) {
  const reason = error instanceof Error || error instanceof DOMException ? error.message || error.name : String(error);
  return new StorageError(`this browser's storage is full, forbidden or damaged (${reason}): what was not drawn before is not drawn`);
}

/** @returns {Promise<IDBDatabase>} */
async function openDatabase() {
  try {
    const request = globalThis.indexedDB.open(NAME, FORMAT);
    request.onupgradeneeded = () => {
      const database = request.result;
      database.createObjectStore("device").put({ latest: "0001-01-01", profiles: 1 }, "device");
      database.createObjectStore("spent", { keyPath: ["profile", "collection"] });
      database.createObjectStore("reports", { keyPath: ["profile", "collection", "wave"] });
    };
    const database = await ask(request);
    database.onversionchange = () => database.close();
    return database;
  } catch (error) {
    throw unusable(error);
  }
}

/** What an older version wrote down in local storage. */
function olderEntries() {
  /** @type {Storage | undefined} */ let storage;
  try {
    storage = globalThis.localStorage;
  } catch {
    // forbidden by the browser's settings: then no older version could write there either
  }
  return Object.keys(storage ?? {}).filter((key) => /^sottovoce\.[0-9a-f]{64}$/.test(key)).map((key) => {
    const collection = key.slice("sottovoce.".length);
    try {
      const { body, acknowledged } = JSON.parse(/** @type {Storage} */ (storage).getItem(key) ?? "");
      if (acknowledged === true) return { key, collection, state: TAKEN, body: "" };
      if (acknowledged === false && typeof body === "string") return { key, collection, state: DRAWN, body };
    } catch {
      // a note that cannot be read says that this collection was answered: it is spent
    }
    return { key, collection, state: EMPTY, body: "" };
  });
}

/** @type {Promise<unknown>} */ let last = Promise.resolve();

/**
 * Run `work` while no other page of this origin does: whoever finds a reservation without a report then knows that it
 * was left, not that it is being drawn for. @template T @param {() => Promise<T>} work @returns {Promise<T>}
 */
function alone(work) {
  const locks = globalThis.navigator?.locks;
  if (locks) return /** @type {Promise<T>} */ (locks.request("sottovoce.ledger", work));
  const turn = last.then(work);
  last = turn.catch(() => {});
  return turn;
}

