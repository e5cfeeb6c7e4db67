// The survey page of Sottovoce, joined from clients/js by `npm run build`: edit there.
(function () {
  'use strict';

  /** Errors: one tree; a message says what was given, what is allowed and what to do. */

  /** Base of every error thrown on purpose. */
  class SottovoceError extends Error {
    constructor(/** @type {string} */ message) {
      super(message);
      this.name = new.target.name;
    }
  }

  /** A plan that cannot be read, trusted or answered in a browser. */
  class PlanError extends SottovoceError {}

  /** A record that does not fit the plan's schema. */
  class RecordError extends SottovoceError {}

  /** A collection that would cost more privacy than this device is willing to spend: nothing is drawn. */
  class BudgetError extends SottovoceError {}

  /** The device cannot remember that it answered, so nothing is drawn. */
  class StorageError extends SottovoceError {}

  /** The report was drawn and is kept, but the collector has not counted it. */
  class SendError extends SottovoceError {
    /**
     * @param {string} message
     * @param {boolean} lasting whether sending the same report again cannot help
     * @param {number | null} retryAfter in how many seconds the collector asked to be tried again, if it did
     */
    constructor(message, lasting = false, retryAfter = null) {
      super(message);
      this.lasting = lasting;
      this.retryAfter = retryAfter;
    }
  }

  /**
   * The budget: how much privacy a device is willing to spend, and what of it is spent. Exact sums of decimal numbers.
   *
   * Epsilons of different collections add up, whoever asks. So a device adds up what it answered in the last days of a
   * period, refuses what would pass its budget, and refuses any one collection above a largest epsilon. All profiles of a
   * device together keep a budget as well, as nothing proves that they are several people. The Python client knows the
   * same rules and says the same words: vectors/budgets.json.
   */


  /** The largest epsilon of one collection that a device answers unless its page says otherwise. */
  const MAX_EPSILON = "2";

  /** What one person spends in a period of so many days, unless the page says otherwise. */
  const [BUDGET, PERIOD] = ["4", 365];

  const MOST = 1000;
  const DECIMALS = 40;
  const DAY$1 = 86_400_000;

  /**
   * @typedef {object} Spent One collection that was answered
   * @property {string} collection its name
   * @property {string | null} epsilon what it cost; null if it was answered before costs were written down: it counts as 2
   * @property {string} day when, ISO 8601
   * @property {number} profile whose answer it was
   * @property {string} purpose what it was for, as its plan said
   */

  /** @typedef {{budget: string, period: number, deviceBudget: string}} Limits How much may be spent, in so many days */

  /**
   * @typedef {object} Cost What an answer would cost, to be shown before anything is drawn
   * @property {string} epsilon what this collection costs
   * @property {string} maxEpsilon the largest that this device answers
   * @property {string} spent what this person spent in the period
   * @property {string} deviceSpent what all profiles spent in the period
   * @property {Limits} limits how much may be spent
   * @property {string | null} refusal why it is not answered, in words; null if it may be
   * @property {string} words what to show to the person
   */

  /** @typedef {{budget?: number | string, period?: number, deviceBudget?: number | string}} LimitOptions */

  /** Return the limits that a page asks for. @param {LimitOptions} options @returns {Limits} */
  function parseLimits({ budget = BUDGET, period = PERIOD, deviceBudget }) {
    if (!Number.isSafeInteger(period) || period < 1 || period > 100_000) {
      throw new BudgetError(`period, in days, is an integer from 1 to 100000, got ${period}`);
    }
    const own = amount("budget", budget);
    return { budget: plain(own), period, deviceBudget: plain(deviceBudget === undefined ? 2n * own : amount("deviceBudget", deviceBudget)) };
  }

  /** Return the largest epsilon that a page lets the device answer. @param {number | string} value */
  function parseMaxEpsilon(value) {
    const found = amount("maxEpsilon", value);
    if (found < scaled("0.01") || found > scaled("20")) throw new BudgetError(`maxEpsilon is a number from 0.01 to 20, got ${value}`);
    return plain(found);
  }

  /**
   * Return what an answer would cost one person on one day.
   * @param {{epsilon: string, maxEpsilon: string}} charged what is asked for, and the largest that the device answers
   * @param {Spent[]} entries everything that was answered on the device
   * @param {Limits} limits
   * @param {{profile: number, day: string}} who
   * @returns {Cost}
   */
  function costOf({ epsilon, maxEpsilon }, entries, limits, { profile, day }) {
    const first = firstDay(day, limits.period);
    const counting = entries.filter((entry) => entry.day >= first);
    const spent = spentBy(counting.filter((entry) => entry.profile === profile));
    const cost = { epsilon, maxEpsilon, spent: plain(spent), deviceSpent: plain(spentBy(counting)), limits };
    return { ...cost, refusal: refusalOf(cost), words: wordsOf(cost) };
  }

  /** Return why a collection is not answered whatever was spent, in words, or null. @param {{epsilon: string, maxEpsilon: string}} charged */
  function tooLarge({ epsilon, maxEpsilon }) {
    if (scaled(epsilon) <= scaled(maxEpsilon)) return null;
    return (
      `this collection asks for epsilon ${epsilon}, and this device answers at most ${maxEpsilon}: nothing is drawn; ` +
      "a program that wants more must say so to the person"
    );
  }

  /** @typedef {Omit<Cost, "refusal" | "words">} Figures */

  /** @param {Figures} cost */
  function refusalOf({ epsilon, maxEpsilon, spent, deviceSpent, limits }) {
    const tooMuch = tooLarge({ epsilon, maxEpsilon });
    if (tooMuch !== null) return tooMuch;
    /** @type {[string, string, string][]} */
    const accounts = [[spent, limits.budget, "you"], [deviceSpent, limits.deviceBudget, "all people on this device"]];
    for (const [used, budget, who] of accounts) {
      if (scaled(used) + scaled(epsilon) > scaled(budget)) {
        return `this collection costs epsilon ${epsilon}, and ${who} spent ${used} of ${budget} in the last ${limits.period} days: nothing is drawn`;
      }
    }
    return null;
  }

  /** @param {Figures} cost */
  function wordsOf({ epsilon, maxEpsilon, spent, limits: { budget, period, deviceBudget } }) {
    const said = [`This collection costs epsilon ${epsilon}.`, `In the last ${period} days you spent ${spent} of ${budget}.`];
    if (scaled(maxEpsilon) > scaled(MAX_EPSILON)) {
      said.push(`This program raised the limit of one collection from 2 to ${maxEpsilon}.`);
    }
    if (scaled(budget) > scaled(BUDGET) || period < PERIOD || scaled(deviceBudget) > 2n * scaled(BUDGET)) {
      said.push(`This program raised the budget from 4 in 365 days to ${budget} in ${period} days, ${deviceBudget} for all people on this device.`);
    }
    return said.join(" ");
  }

  /** Return the first day that still counts. @param {string} day @param {number} period */
  function firstDay(day, period) {
    const first = new Date(Date.parse(`${day}T00:00:00Z`) - (period - 1) * DAY$1).toISOString();
    return first.length === 24 && first >= "0001" ? first.slice(0, 10) : "0001-01-01";
  }

  /** @param {Spent[]} entries */
  const spentBy = (entries) => entries.reduce((sum, entry) => sum + scaled(entry.epsilon ?? MAX_EPSILON), 0n);

  /** Return a plain decimal number times 10^40, exactly. @param {string} text */
  function scaled(text) {
    const [whole, decimals = ""] = text.split(".");
    return BigInt(whole + decimals.padEnd(DECIMALS, "0"));
  }

  /** Return a number without exponent or needless zeros. @param {bigint} value */
  function plain(value) {
    const digits = value.toString().padStart(DECIMALS + 1, "0");
    const decimals = digits.slice(-DECIMALS).replace(/0+$/, "");
    return digits.slice(0, -DECIMALS) + (decimals && `.${decimals}`);
  }

  /** @param {string} name @param {unknown} value */
  function amount(name, value) {
    const text = typeof value === "number" || typeof value === "string" ? String(value) : "";
    if (/^\d{1,28}(\.\d{1,28})?$/.test(text) && scaled(text) <= scaled(String(MOST))) return scaled(text);
    throw new BudgetError(`${name} is a number from 0 to ${MOST}, got ${value}; the default is 4 in 365 days`);
  }

  /**
   * Plans that a page keeps, in the browser's cache for pages: a plan's address ends in its fingerprint, so what stands there
   * never changes, and a plan that is kept is as good as one that is fetched once its fingerprint is computed anew. The
   * signature of a plan is kept at its own address, and checked anew too.
   */

  const NAME$1 = "sottovoce-plans";

  /** Return the text that is kept for an address, or null; whether it is the right one is seen when it is checked. @param {URL} address */
  async function findText(address) {
    try {
      const found = await (await globalThis.caches?.open(NAME$1))?.match(address);
      return found ? await found.text() : null;
    } catch {
      return null; // forbidden by the browser's settings: as good as absent
    }
  }

  /** Keep a text; where that cannot be, it is fetched again next time, and nothing else is lost. @param {URL} address @param {string} text */
  async function keepText(address, text) {
    try {
      await (await globalThis.caches?.open(NAME$1))?.put(address, new Response(text, { headers: { "content-type": "application/json" } }));
    } catch {
      // full or forbidden
    }
  }

  /**
   * The ledger: what this device has answered and spent, over all collections, in the origin's IndexedDB.
   *
   * Privacy is spent at the **draw**. So before a report is drawn, its collection, its cost and a **reservation** of fixed
   * length are on disk, in one transaction that also checks the budget; the report then takes the place of the reservation,
   * and is sent only from there. Whatever fails, a collection that was reserved is never drawn for again: a reservation
   * without a report counts as spent. Once the collector has the report, the ledger forgets it and keeps the mark.
   */


  /** @typedef {Cost} Cost */
  /** @typedef {Limits} Limits */
  /** @typedef {Spent} Spent */
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

  const [NAME, FORMAT$3] = ["sottovoce", 1];
  /** More than any report's JSON takes, whatever its question and code. */
  const REPORT_LENGTH = 256;
  /** What a report is: reserved, drawn, drawn and to be sent, acknowledged. Words of one length. */
  const [EMPTY, DRAWN, GOING, TAKEN] = ["empty", "drawn", "going", "taken"];

  /** What one person on this device answered and spent, and how much they are willing to. Made by `Ledger.open`. */
  class Ledger {
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
      const request = globalThis.indexedDB.open(NAME, FORMAT$3);
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

  /** Checks of a plan's JSON: every member is known, there, and of its kind. */


  /** @typedef {Record<string, unknown>} Document A JSON object */

  /** @typedef {Record<string, (value: any) => boolean>} Members What each member must be */

  /** @param {Document} document @param {string} what @param {Members} members @param {Members} [optional] */
  function checkMembers(document, what, members, optional = {}) {
    if (document === null || typeof document !== "object" || Array.isArray(document)) {
      throw new PlanError(`${what} is a JSON object, got ${JSON.stringify(document)}`);
    }
    for (const name of Object.keys(document)) {
      if (!Object.hasOwn(members, name) && !Object.hasOwn(optional, name)) throw new PlanError(`${what} has an unknown member "${name}": it needs a newer client`);
    }
    for (const [name, fits] of Object.entries({ ...members, ...optional })) {
      const there = Object.hasOwn(document, name);
      if (there ? !fits(document[name]) : Object.hasOwn(members, name)) {
        throw new PlanError(`${what}: "${name}" is missing or cannot be ${JSON.stringify(document[name])}`);
      }
    }
  }

  /** Characters that act on a terminal or a page instead of being seen: controls, directions, tags, half characters. */
  const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\p{Surrogate}]/u;

  const isText = (/** @type {unknown} */ value) => typeof value === "string";
  /** Whether a value is text that shows all it holds; Python knows the same rule. @param {unknown} value */
  const isReadable = (value) => typeof value === "string" && !UNSEEN.test(value);
  /** Whether all texts within are readable, and all numbers the same in every language. @param {unknown} value @returns {boolean} */
  function isPlain(value) {
    if (Array.isArray(value)) return value.every(isPlain);
    if (isObject(value)) return Object.entries(/** @type {Document} */ (value)).flat().every(isPlain);
    if (typeof value === "number") return !Number.isInteger(value) || Number.isSafeInteger(value);
    return typeof value !== "string" || isReadable(value);
  }
  const isFlag = (/** @type {unknown} */ value) => typeof value === "boolean";
  const isNumber = Number.isFinite;
  const isList = Array.isArray;
  const isObject = (/** @type {unknown} */ value) => value !== null && typeof value === "object" && !Array.isArray(value);
  const isCount = (/** @type {unknown} */ value) => Number.isSafeInteger(value) && /** @type {number} */ (value) >= 0;
  const isPositive = (/** @type {unknown} */ value) => isCount(value) && value !== 0;
  const isExact = Number.isSafeInteger;
  const isRising = (/** @type {number[]} */ list) => list.every((number, place) => !place || list[place - 1] < number);

  /** Canonical JSON and SHA-256: how a page makes sure that the plan it got is the plan it was promised. */


  /**
   * Return the canonical JSON of a value (RFC 8785): members sorted by UTF-16 units, numbers as JavaScript writes them.
   * @param {unknown} value
   * @returns {string}
   */
  function canonical(value) {
    if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
    if (value === null || typeof value !== "object") return JSON.stringify(value);
    const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
  }

  /** Return the SHA-256 of a text's UTF-8 form. @param {string} text */
  async function sha256(text) {
    if (!globalThis.crypto?.subtle) {
      throw new PlanError("this page has no WebCrypto, so the plan cannot be checked: serve it over https or from localhost");
    }
    return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  }

  /** @param {Uint8Array} bytes */
  const hexadecimal = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

  /** Return eight bytes as an integer, the first the most significant. @param {Uint8Array} bytes @param {number} start */
  const bigEndian = (bytes, start) => new DataView(bytes.buffer).getBigUint64(start);

  /**
   * The log of plans: an append-only hash chain of every plan that a collector has served. A collector's own word proves
   * nothing, as it can show each person another chain: what counts is a copy that somebody else keeps.
   */


  const FORMAT$2 = "sottovoce-log-1";
  const FIRST = "0".repeat(64);

  /** A copy of a log, its chain checked. Made by `Log.parse`. */
  class Log {
    #plans;

    /** @param {Set<string>} plans @param {string} head */
    constructor(plans, head) {
      this.#plans = plans;
      this.head = head;
    }

    /** Return the log that a JSON text holds; one whose chain is broken is refused. @param {string} text */
    static async parse(text) {
      let document;
      try {
        document = JSON.parse(text);
      } catch (error) {
        throw new PlanError(`not a log of plans: ${/** @type {Error} */ (error).message}`);
      }
      checkMembers(document, "a log of plans", { format: (value) => value === FORMAT$2, entries: isList });
      const plans = new Set();
      let [before, day] = [FIRST, ""];
      for (const [place, entry] of document.entries.entries()) {
        checkMembers(entry, "an entry of a log", { number: isPositive, day: isText, fingerprint: isText, collection: isText, previous: isText });
        if (entry.number !== place + 1 || entry.previous !== before || entry.day < day) {
          throw new PlanError(`the log of plans was altered: entry ${place + 1} does not follow the one before it`);
        }
        before = hexadecimal(await sha256(canonical(entry)));
        day = entry.day;
        plans.add(entry.fingerprint);
      }
      return new Log(plans, before);
    }

    /** Whether a plan is in the log. @param {{fingerprint: string}} plan */
    lists(plan) {
      return this.#plans.has(plan.fingerprint);
    }
  }

  /** Dates as they come: the weekday, month, hour or year of one, or the range of days it falls into; as Python reads them. */


  /** @type {Record<string, [number, number]>} */
  const PARTS = { weekday: [1, 7], month: [1, 12], hour: [0, 23], year: [1, 9999] };
  const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ]([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;
  const TIME = /^([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?$/;

  /** Whether a text is a day of the calendar, such as 2030-12-31. @param {unknown} value */
  function isDay(value) {
    if (typeof value !== "string" || !/^\d{4}-\d\d-\d\d$/.test(value) || value < "0001") return false;
    const date = new Date(`${value}T00:00:00Z`);
    return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
  }

  /** Whether integers from low to high can be this part of a date. @param {unknown} part @param {number} low @param {number} high */
  function fitsDate(part, low, high) {
    if (typeof part === "string") {
      if (!Object.hasOwn(PARTS, part)) return false;
      const [least, most] = PARTS[part];
      return (low === least && high === most) || (part === "year" && least <= low && high <= most);
    }
    if (!isList(part) || !part.every(isDay)) return false;
    return part.every((day, i) => !i || part[i - 1] < day) && low === 1 && high === part.length - 1;
  }

  /** Return a part of a date as its number; null for what is no date or lacks that part. @param {string | string[]} part @param {unknown} value */
  function dateNumber(part, value) {
    if (typeof value !== "string") return null;
    const time = TIME.exec(value);
    if (time) return part === "hour" ? Number(time[1]) : null;
    const [, day, hour] = ISO.exec(value) ?? [];
    if (!isDay(day)) return null;
    if (part === "hour") return hour === undefined ? null : Number(hour);
    if (part === "weekday") return new Date(`${day}T00:00:00Z`).getUTCDay() || 7;
    if (part === "month") return Number(day.slice(5, 7));
    if (part === "year") return Number(day.slice(0, 4));
    const ranges = part.length - 1;
    return day === part[ranges] ? ranges : /** @type {string[]} */ (part).filter((edge) => edge <= day).length;
  }

  /** Exact numbers for privacy draws: integer weights for e^epsilon and WebCrypto's random words. No float decides a draw. */

  /** Weights are out of this many. */
  const SCALE = 1n << 64n;

  /** The bits behind the point of e^epsilon. */
  const FRACTION = 320n;

  /** An epsilon, and what every channel needs of it. */
  class Epsilon {
    /** @param {string} text a plain decimal number */
    constructor(text) {
      const [whole, decimals = ""] = text.split(".");
      this.text = text;
      this.numerator = BigInt(whole + decimals);
      this.denominator = 10n ** BigInt(decimals.length);
      /** e^epsilon times 2^320. */
      this.growth = exponential(this.numerator, this.denominator);
    }
  }

  /**
   * Return e^(numerator/denominator) times 2^320, less a part in 10^50: rounded down, so that no channel is less private
   * than asked for.
   * @param {bigint} numerator @param {bigint} denominator
   */
  function exponential(numerator, denominator) {
    const guard = 64n;
    let term = 1n << (FRACTION + guard);
    let sum = term;
    for (let n = 1n; term > 0n; n += 1n) {
      term = (term * numerator) / (denominator * n);
      sum += term;
    }
    return (sum - sum / 10n ** 50n) >> guard;
  }

  /** Return a uniform 64-bit word. */
  function randomWord() {
    return crypto.getRandomValues(new BigUint64Array(1))[0];
  }

  /** Return a uniform integer from 0 to `limit - 1`, by rejection: none is favoured. @param {bigint} limit */
  function randomBelow(limit) {
    const fair = SCALE - (SCALE % limit);
    let word = randomWord();
    while (word >= fair) word = randomWord();
    return word % limit;
  }

  /** Return how many of the rising numbers are at most `value`. @param {readonly number[]} rising @param {number} value */
  function countUpTo(rising, value) {
    let low = 0;
    let high = rising.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (value < rising[middle]) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Return the running sums. @param {readonly number[]} numbers */
  function runningSums(numbers) {
    let sum = 0;
    return numbers.map((number) => (sum += number));
  }

  /** Return the product, exactly. @param {readonly number[]} numbers */
  function product(numbers) {
    return numbers.reduce((total, number) => total * BigInt(number), 1n);
  }

  /** How an attribute is shown to people: title, question, unit, labels of its values, and all of these translated. */


  const MAX_TEXT = 2000;
  const LANGUAGE = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;

  /** @typedef {{title: string, question: string, unit: string, labels: string[]}} Shown The words in one language */

  /** @param {unknown} value */
  const isShown = (value) => isReadable(value) && /** @type {string} */ (value) !== "" && [.../** @type {string} */ (value)].length <= MAX_TEXT;
  /** @param {unknown} value */
  const isLabels = (value) => isList(value) && value.length > 0 && value.every(isShown) && new Set(value).size === value.length;
  /** Whether a value is the code of a language, such as en or pt-BR. @param {unknown} value */
  const isLanguage = (value) => typeof value === "string" && LANGUAGE.test(value);

  const TEXTS = { title: isShown, question: isShown, unit: isShown, labels: isLabels };

  /** What an attribute may have besides what its kind must have. */
  const PRESENTATION = { ...TEXTS, translations: isTranslations };

  /** @param {unknown} value */
  function isTranslations(value) {
    if (!isList(value) || !value.length) return false;
    for (const one of value) checkMembers(one, "a translation", { language: isLanguage }, TEXTS);
    return new Set(value.map((one) => one.language)).size === value.length;
  }

  /** Throw unless there is a label for every value, or none. @param {any} document @param {number} levels */
  function checkLabels(document, levels) {
    for (const one of [document, ...(document.translations ?? [])]) {
      if (one.labels && one.labels.length !== levels) {
        throw new PlanError(`${document.name}: ${one.labels.length} labels for ${levels} values`);
      }
    }
  }

  /**
   * Return the words for an attribute in a language; what was not translated stays as it is.
   * @param {any} document the attribute as the plan has it
   * @param {string} [language]
   * @returns {Shown}
   */
  function shown(document, language) {
    const own = (document.translations ?? []).find((/** @type {any} */ one) => one.language === language) ?? {};
    /** @param {string} name @param {any} otherwise */
    const text = (name, otherwise) => own[name] ?? document[name] ?? otherwise;
    return { title: text("title", document.name), question: text("question", ""), unit: text("unit", ""), labels: text("labels", []) };
  }

  /**
   * Attributes: what one answer may be, and how it becomes a **level**, an integer from 0 to `size - 1`. A nullable
   * attribute keeps its last level for "no answer".
   */


  const MAX_LEVELS = 2 ** 20;

  /** What all attributes share. */
  class Attribute {
    /** @param {any} document @param {number} valueLevels @param {string} domain */
    constructor(document, valueLevels, domain) {
      /** @type {string} */ this.name = document.name;
      /** @type {boolean} */ this.nullable = document.nullable;
      this.document = document;
      this.valueLevels = valueLevels;
      this.size = valueLevels + (this.nullable ? 1 : 0);
      this.domain = domain;
      if (this.name.length < 1 || [...this.name].length > 200) throw new PlanError("an attribute's name has 1 to 200 characters");
      if (valueLevels < 2 || valueLevels > MAX_LEVELS) {
        throw new PlanError(`${this.name}: ${valueLevels} levels; 2 to ${MAX_LEVELS} are allowed`);
      }
      checkLabels(document, valueLevels);
    }

    /** Return the title, question, unit and labels in a language, or as they are. @param {string} [language] */
    shown(language) {
      return shown(this.document, language);
    }

    /** Return the level of one value; null, undefined and NaN are "no answer". @param {unknown} value @returns {number} */
    level(value) {
      const absent = value === null || value === undefined;
      if (this.nullable && (absent || Number.isNaN(value))) return this.valueLevels;
      if (!absent) return this.valueLevel(value);
      throw new RecordError(`${this.name}: no answer was given, and this attribute requires one`);
    }

    /** @param {unknown} value @returns {number} */
    valueLevel(value) {
      throw this.refusal();
    }

    /** What was given is not repeated: it may be somebody's answer, and pages send errors away. */
    refusal() {
      return new RecordError(`${this.name}: allowed are ${this.domain}`);
    }

    /** @param {unknown} value @returns {number} */
    number(value) {
      if (typeof value !== "number" || Number.isNaN(value)) throw this.refusal();
      return value;
    }
  }

  /** Integers from low to high, both included, one level each. */
  class Ordinal extends Attribute {
    /** @param {any} document */
    constructor(document) {
      checkMembers(document, "an ordinal attribute", {
        type: isText, name: isReadable, low: isExact, high: isExact, nullable: isFlag, clip: isFlag,
      }, {
        values: (value) => isList(value) && value.every(isExact) && isRising(value), date: (value) => isText(value) || isList(value), ...PRESENTATION,
      });
      const { low, high, values, labels, date } = document;
      super(document, values?.length ?? high - low + 1, `the integers ${values?.join(", ") ?? `${low} to ${high}`}${labels ? `, or ${labels.join(", ")}` : ""}`);
      /** @type {number} */ this.low = low;
      /** @type {number} */ this.high = high;
      /** @type {boolean} */ this.clip = document.clip;
      /** @type {number[] | undefined} */ this.values = values;
      const wrongEnds = values && (values[0] !== low || values.at(-1) !== high);
      if (high <= low || wrongEnds || (date !== undefined && (values || !fitsDate(date, low, high)))) {
        throw new PlanError(`${this.name}: low, high, values and date do not go together`);
      }
    }

    /** Return the integer of a level. @param {number} level @returns {number} */
    integer(level) {
      return this.values?.[level] ?? this.low + level;
    }

    /** Return the number that a value is, or that its label or its date stands for. @param {unknown} value @returns {number} */
    meant(value) {
      if (typeof value !== "string") return this.number(value);
      const label = (this.document.labels ?? []).indexOf(value);
      if (label >= 0) return this.integer(label);
      return this.number(this.document.date === undefined ? value : dateNumber(this.document.date, value) ?? value);
    }

    /** @override @param {unknown} value */
    valueLevel(value) {
      const number = this.meant(value);
      if (number !== Math.floor(number)) throw this.refusal();
      if (!this.clip && (number < this.low || number > this.high)) throw this.refusal();
      const near = Math.min(Math.max(number, this.low), this.high);
      const level = this.values ? this.values.indexOf(near) : near - this.low;
      if (level < 0) throw this.refusal();
      return level;
    }
  }

  /** Real numbers in bins; a bin holds its lower edge, the last one its upper edge too. */
  class Numeric extends Attribute {
    /** @param {any} document */
    constructor(document) {
      checkMembers(document, "a numeric attribute", {
        type: isText, name: isReadable, low: isNumber, high: isNumber, bins: isCount, nullable: isFlag, clip: isFlag,
        edges: (value) => value === null || (isList(value) && value.every(isNumber)),
      }, PRESENTATION);
      const { low, high, bins, edges } = document;
      super(document, bins, `numbers from ${low} to ${high}`);
      /** @type {number[]} */
      this.boundaries = edges ?? [...Array.from({ length: bins }, (_, i) => low + ((high - low) * i) / bins), high];
      /** @type {boolean} */ this.clip = document.clip;
      const agree = this.boundaries.length === bins + 1 && this.boundaries[0] === low && this.boundaries[bins] === high;
      if (!agree || !isRising(this.boundaries)) {
        throw new PlanError(`${this.name}: the bin boundaries are not ${bins + 1} rising numbers from ${low} to ${high}`);
      }
    }

    /** @override @param {unknown} value */
    valueLevel(value) {
      const number = this.number(value);
      const { boundaries, valueLevels } = this;
      if (!this.clip && (number < boundaries[0] || number > boundaries[valueLevels])) throw this.refusal();
      return Math.min(Math.max(countUpTo(boundaries, number) - 1, 0), valueLevels - 1);
    }
  }

  /** One of a list of strings; an integer stands for its digits, true and false for yes and no where these are the values. */
  class Categorical extends Attribute {
    /** @param {any} document */
    constructor(document) {
      checkMembers(document, "a categorical attribute", {
        type: isText, name: isReadable, nullable: isFlag, values: (value) => isList(value) && value.every(isReadable),
      }, { choice_of: isReadable, other: isText, ...PRESENTATION });
      /** @type {string[]} */
      const values = document.values;
      const shown = values.slice(0, 8).map((value) => JSON.stringify(value)).join(", ");
      super(document, values.length, values.length > 8 ? `${shown}, … (${values.length} values)` : shown);
      this.values = values;
      this.positions = new Map(values.map((value, place) => [value, place]));
      if (this.positions.size !== values.length) throw new PlanError(`${this.name}: a value is listed twice`);
      this.yesNo = values.length === 2 && values[0] === "no" && values[1] === "yes";
      /** @type {string | undefined} */ this.other = document.other;
      if (this.other !== undefined && !this.positions.has(this.other)) throw new PlanError(`${this.name}: other is one of values`);
      /** @type {string | undefined} */ this.choiceOf = document.choice_of;
      const named = this.choiceOf === undefined || ([...this.choiceOf].length >= 1 && [...this.choiceOf].length <= 200);
      if (!named || (this.choiceOf !== undefined && (!this.yesNo || document.title === undefined))) {
        throw new PlanError(`${this.name}: one choice of several has a name of its own, a title, and the values no and yes`);
      }
    }

    /** @override @param {unknown} value */
    valueLevel(value) {
      let text = value;
      if (typeof value === "boolean" && this.yesNo) text = value ? "yes" : "no";
      if (Number.isSafeInteger(value)) text = String(value);
      let level = this.positions.get(/** @type {string} */ (text));
      if (level === undefined && this.other !== undefined && typeof value === "string") level = this.positions.get(this.other);
      if (level === undefined) throw this.refusal();
      return level;
    }
  }

  const ATTRIBUTES = { ordinal: Ordinal, numeric: Numeric, categorical: Categorical };

  /** @typedef {Ordinal | Numeric | Categorical} AnyAttribute */

  /** Return the attribute that a plan describes. @param {any} document @returns {AnyAttribute} */
  function makeAttribute(document) {
    const kind = /** @type {keyof typeof ATTRIBUTES} */ (document?.type);
    if (!Object.hasOwn(ATTRIBUTES, kind)) {
      throw new PlanError(`unknown attribute type ${JSON.stringify(kind)}: this plan needs a newer client`);
    }
    return new ATTRIBUTES[kind](document);
  }

  /** Generalised randomised response: the true cell with weight `keep`, each other one with weight `other`. */
  class RandomisedResponse {
    kind = "grr";

    /** @param {bigint} cells @param {Epsilon} epsilon */
    constructor(cells, epsilon) {
      this.cells = cells;
      this.codes = cells;
      this.scale = SCALE;
      const divisor = epsilon.growth + ((cells - 1n) << FRACTION);
      this.other = (SCALE << FRACTION) / divisor + 1n; // rounded up: e^epsilon is irrational, so nothing divides evenly
      this.keep = SCALE - (cells - 1n) * this.other;
    }

    /** The probability that a code speaks for the cell its sender is in. */
    get truthful() {
      return Number(this.keep) / Number(SCALE);
    }

    /** Return the code that a 64-bit word gives. @param {bigint} cell @param {bigint} word */
    answer(cell, word) {
      if (word < this.keep) return cell;
      const code = (word - this.keep) / this.other;
      return code >= cell ? code + 1n : code;
    }

    /** Return a random code. @param {bigint} cell */
    draw(cell) {
      return this.answer(cell, randomWord());
    }

    /** Return a code's exact weight, out of `scale`. @param {bigint} cell @param {bigint} code */
    weight(cell, code) {
      return cell === code ? this.keep : this.other;
    }
  }

  /** The most cells that are placed together; more are placed in parts, one for each attribute. */
  const MAX_TOGETHER = 1n << 20n;

  /** A public permutation of the integers below `points`, by which cells are placed. */
  class Permutation {
    /** @param {bigint} points @param {[bigint, bigint][]} rounds a multiplier and an addend each */
    constructor(points, rounds) {
      const bits = (points - 1n).toString(2).length;
      this.points = points;
      this.mask = (1n << BigInt(bits)) - 1n;
      this.shift = BigInt((bits + 1) >> 1);
      this.rounds = rounds.map(([multiplier, addend]) => [(multiplier & this.mask) | 1n, addend & this.mask]);
    }

    /** Return the place of a number: walk along the cycle until back among the points. @param {bigint} number */
    place(number) {
      do {
        for (const [multiplier, addend] of this.rounds) {
          number = (number * multiplier + addend) & this.mask;
          number ^= number >> this.shift;
        }
      } while (number >= this.points);
      return number;
    }
  }

  /** The public placement of a plan: its prime, and a permutation for every number of digits that may occur. */
  class Placement {
    /** @param {bigint} prime @param {Permutation[]} permutations of prime, prime^2, prime^3, ... points */
    constructor(prime, permutations) {
      this.prime = prime;
      this.permutations = permutations;
    }

    /** Return the placement that a public seed gives. @param {Epsilon} epsilon @param {string} seed */
    static async make(epsilon, seed) {
      const prime = bestPrime(epsilon);
      const permutations = [];
      for (let points = prime; ; points *= prime) {
        /** @type {[bigint, bigint][]} */ const rounds = [];
        for (let round = 0; round < 4; round += 1) {
          const digest = await sha256(`sottovoce placement ${seed} ${points} ${round}`);
          rounds.push([bigEndian(digest, 0), bigEndian(digest, 8)]);
        }
        permutations.push(new Permutation(points, rounds));
        if (points >= MAX_TOGETHER) return new Placement(prime, permutations);
      }
    }

    /** Return the smallest permutation with a point for each of so many bins. @param {bigint} bins */
    permutation(bins) {
      return /** @type {Permutation} */ (this.permutations.find(({ points }) => points >= bins));
    }
  }

  /**
   * Local hashing: cells stand on points of F_q^t; the code is a random non-zero vector and the randomised response to
   * its product with the point, in one integer. More than 2^20 cells are placed in parts, each on digits of its own.
   */
  class LocalHash {
    kind = "local_hash";

    /** @param {readonly number[]} shape @param {Epsilon} epsilon @param {Placement} placement */
    constructor(shape, epsilon, placement) {
      this.cells = product(shape);
      this.prime = placement.prime;
      this.response = new RandomisedResponse(this.prime, epsilon);
      const bins = this.cells > MAX_TOGETHER ? shape.filter((size) => size > 1).map(BigInt) : [this.cells];
      this.parts = bins.map((size) => ({ size, permutation: placement.permutation(size) }));
      this.vectors = this.parts.reduce((points, { permutation }) => points * permutation.points, 1n) - 1n;
      this.codes = this.vectors * this.prime;
      this.scale = this.vectors * SCALE;
    }

    /** The probability that a code speaks for the cell its sender is in. */
    get truthful() {
      return this.response.truthful;
    }

    /** Return the number of the point on which a cell stands. @param {bigint} cell */
    point(cell) {
      let point = 0n;
      let weight = 1n;
      for (const { size, permutation } of [...this.parts].reverse()) {
        point += permutation.place(cell % size) * weight;
        cell /= size;
        weight *= permutation.points;
      }
      return point;
    }

    /** Return `<vector, point> mod q`, both read as digits in base q. @param {bigint} vector @param {bigint} cell */
    hash(vector, cell) {
      let point = this.point(cell);
      let total = 0n;
      while (vector > 0n) {
        total += (vector % this.prime) * (point % this.prime);
        vector /= this.prime;
        point /= this.prime;
      }
      return total % this.prime;
    }

    /** Return the code that a vector and a 64-bit word give. @param {bigint} cell @param {bigint} vector @param {bigint} word */
    answer(cell, vector, word) {
      return (vector - 1n) * this.prime + this.response.answer(this.hash(vector, cell), word);
    }

    /** Return a random code. @param {bigint} cell */
    draw(cell) {
      return this.answer(cell, 1n + randomBelow(this.vectors), randomWord());
    }

    /** Return a code's exact weight, out of `scale`. @param {bigint} cell @param {bigint} code */
    weight(cell, code) {
      return this.response.weight(this.hash(code / this.prime + 1n, cell), code % this.prime);
    }
  }

  /** Return the prime q that minimises (e^epsilon - 1 + q)^2 / (q - 1). @param {Epsilon} epsilon */
  function bestPrime({ growth }) {
    const excess = growth - (1n << FRACTION);
    const ideal = Number(excess >> FRACTION) + 2;
    const [lower, upper] = [primeFrom(ideal, -1), primeFrom(ideal + 1, 1)];
    const spread = (/** @type {bigint} */ prime) => (excess + (prime << FRACTION)) ** 2n;
    return spread(lower) * (upper - 1n) <= spread(upper) * (lower - 1n) ? lower : upper;
  }

  /** Return the first prime from a number on. @param {number} number @param {number} step up or down */
  function primeFrom(number, step) {
    while (!isPrime(number)) number += step;
    return BigInt(number);
  }

  /** @param {number} number */
  function isPrime(number) {
    for (let divisor = 2; divisor * divisor <= number; divisor += 1) if (number % divisor === 0) return false;
    return number >= 2;
  }

  /** Randomised response on the exclusive or of a cell's digits, each of them one of as many bins. */
  class Parity {
    /** @param {bigint} cells @param {bigint} bins @param {Epsilon} epsilon */
    constructor(cells, bins, epsilon) {
      if (bins === 2n && (cells < 2n || cells & (cells - 1n))) {
        throw new PlanError(`parity takes a power of two cells, got ${cells}: every attribute of its question has two bins`);
      }
      this.cells = cells;
      this.response = new RandomisedResponse(bins, epsilon);
      this.codes = bins;
      this.kind = bins === 2n ? "parity" : "xor";
      this.scale = this.response.scale;
      this.keep = this.response.keep;
      this.other = this.response.other;
    }

    /**
     * Return the channel for attributes of so many bins each.
     * @param {readonly number[]} shape @param {Epsilon} epsilon
     */
    static ofShape(shape, epsilon) {
      const sizes = shape.filter((bins) => bins > 1).map(BigInt);
      const [bins] = sizes;
      if (bins & (bins - 1n) || sizes.some((size) => size !== bins)) {
        throw new PlanError(`xor takes attributes of equally many bins, a power of two, got ${shape.join(", ")}`);
      }
      return new Parity(bins ** BigInt(sizes.length), bins, epsilon);
    }

    /** The probability that a code speaks for the cell its sender is in. */
    get truthful() {
      return this.response.truthful;
    }

    /** Return the exclusive or of a cell's digits. @param {bigint} cell */
    parity(cell) {
      const digit = BigInt(this.codes.toString(2).length - 1);
      let value = 0n;
      for (let rest = cell; rest; rest >>= digit) value ^= rest & (this.codes - 1n);
      return value;
    }

    /** Return the code that a 64-bit word gives. @param {bigint} cell @param {bigint} word */
    answer(cell, word) {
      return this.response.answer(this.parity(cell), word);
    }

    /** Return a random code. @param {bigint} cell */
    draw(cell) {
      return this.response.draw(this.parity(cell));
    }

    /** Return a code's exact weight, out of `scale`. @param {bigint} cell @param {bigint} code */
    weight(cell, code) {
      return this.response.weight(this.parity(cell), code);
    }
  }

  /**
   * The square wave over ordered cells: cell v stands at place v + reach of cells + 2 reach places; the places within
   * reach of it have weight `near` each (the first `extra` of them one more), all others weight `far`.
   */
  class SquareWave {
    kind = "square_wave";

    /** @param {bigint} cells @param {Epsilon} epsilon */
    constructor(cells, epsilon) {
      this.cells = cells;
      this.scale = SCALE;
      this.reach = reach(cells, epsilon);
      this.width = 2n * this.reach + 1n;
      this.codes = cells + 2n * this.reach;
      const { growth } = epsilon;
      this.far = (SCALE << FRACTION) / (growth * this.width + ((cells - 1n) << FRACTION)) + 1n;
      if (((this.nearTotal + this.width - 1n) / this.width) << FRACTION > growth * this.far) this.far += 1n;
      this.near = this.nearTotal / this.width;
      this.extra = this.nearTotal % this.width;
    }

    /** The weight of all near places together: what the far ones leave. */
    get nearTotal() {
      return SCALE - (this.cells - 1n) * this.far;
    }

    /** The probability that a code speaks for the cell its sender is in. */
    get truthful() {
      return Number(this.nearTotal) / Number(SCALE);
    }

    /** Return the code that a 64-bit word gives: near places first, in order, then the far ones. @param {bigint} cell @param {bigint} word */
    answer(cell, word) {
      if (word < this.nearTotal) {
        const heavy = this.extra * (this.near + 1n);
        return cell + (word < heavy ? word / (this.near + 1n) : this.extra + (word - heavy) / this.near);
      }
      const place = (word - this.nearTotal) / this.far;
      return place < cell ? place : place + this.width;
    }

    /** Return a random code. @param {bigint} cell */
    draw(cell) {
      return this.answer(cell, randomWord());
    }

    /** Return a code's exact weight, out of `scale`. @param {bigint} cell @param {bigint} code */
    weight(cell, code) {
      const place = code - cell;
      if (place < 0n || place >= this.width) return this.far;
      return place < this.extra ? this.near + 1n : this.near;
    }
  }

  /**
   * Return delta times the cells, rounded down, where delta = (e^ε (ε - 1) + 1) / (2 e^ε (e^ε - 1 - ε)).
   * @param {bigint} cells @param {Epsilon} epsilon
   */
  function reach(cells, { numerator, denominator, growth }) {
    const above = growth * (numerator - denominator) + (denominator << FRACTION);
    const below = 2n * growth * (growth * denominator - ((denominator + numerator) << FRACTION));
    return ((above * cells) << FRACTION) / below;
  }

  /** Channels: a cell becomes a code, at random, by exactly known weights. */


  /** @typedef {RandomisedResponse | LocalHash | SquareWave | Parity} Channel */

  const KINDS = ["grr", "local_hash", "adaptive", "square_wave", "parity", "xor"];

  /**
   * Return the channel that a plan names; "adaptive" is the better of randomised response and local hashing.
   * @param {string} kind
   * @param {readonly number[]} shape the bins of each attribute
   * @param {Epsilon} epsilon
   * @param {Placement} placement
   * @returns {Channel}
   */
  function makeChannel(kind, shape, epsilon, placement) {
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

  /** Questions: which attributes are looked at, how a record becomes a cell, which channel randomises it, who is asked. */


  /** @typedef {AnyAttribute} AnyAttribute */
  /** @typedef {Channel} Channel */
  /** @typedef {Table} Table */

  /** The questions that look at the same attributes through every combination of the listed tables. */
  class Family {
    /** @param {any} document @param {Table[]} tables @param {AnyAttribute[]} attributes */
    constructor(document, tables, attributes) {
      checkMembers(document, "a family", {
        attributes: (value) => isList(value) && value.length > 0 && new Set(value).size === value.length
          && value.every((place) => isCount(place) && place < attributes.length),
        tables: (value) => isList(value) && value.length === document.attributes.length
          && value.every((choices) => isList(choices) && choices.length > 0
            && choices.every((/** @type {unknown} */ place) => isCount(place) && /** @type {number} */ (place) < tables.length)),
        channel: isText,
        shares: (value) => isCount(value) || (isList(value) && value.every(isCount)),
      });
      /** @type {number[]} */ this.attributes = document.attributes;
      /** @type {Table[][]} */
      this.tables = document.tables.map((/** @type {number[]} */ choices) => choices.map((place) => tables[place]));
      /** @type {string} */ this.channel = document.channel;
      this.tables.forEach((choices, i) => choices.forEach((table) => {
        const attribute = attributes[this.attributes[i]];
        if (!table.fits(attribute.size)) throw new PlanError(`${attribute.name}: a table does not cover its ${attribute.size} levels`);
      }));
      this.count = this.tables.reduce((count, choices) => count * choices.length, 1);
      /** @type {number | number[]} */ this.shares = document.shares;
      if (isList(this.shares) ? this.shares.length !== this.count : !Number.isSafeInteger(this.count)) {
        throw new PlanError(`a family of ${this.count} questions needs one share each`);
      }
      this.ends = isList(this.shares) ? runningSums(this.shares) : null;
      this.total = this.ends ? this.ends[this.count - 1] : /** @type {number} */ (this.shares);
    }

    /** Return every collection of bin numbers that a question of this family has, sorted, single bins left out. */
    shapes() {
      /** @type {Map<string, number[]>} */
      let shapes = new Map([["", []]]);
      for (const choices of this.tables) {
        const bins = new Set(choices.map((table) => table.bins));
        const grown = [...shapes.values()].flatMap((shape) => [...bins].map((size) =>
          (size === 1 ? shape : [...shape, size].sort((left, right) => left - right))));
        shapes = new Map(grown.map((shape) => [shape.join(), shape]));
      }
      return [...shapes.values()];
    }

    /** Return the question whose stretch of the family's share holds `position`. @param {number} position */
    locate(position) {
      if (this.ends) return countUpTo(this.ends, position);
      const each = Math.floor(this.total / this.count);
      const left = this.total % this.count;
      if (position < left * (each + 1)) return Math.floor(position / (each + 1));
      return left + Math.floor((position - left * (each + 1)) / each);
    }

    /** Return one question's share. @param {number} number */
    share(number) {
      if (isList(this.shares)) return this.shares[number];
      return Math.floor(this.total / this.count) + (number < this.total % this.count ? 1 : 0);
    }

    /** Return one table per attribute; the last attribute's table varies fastest. @param {number} number */
    choice(number) {
      const chosen = [];
      for (const choices of [...this.tables].reverse()) {
        chosen.push(choices[number % choices.length]);
        number = Math.floor(number / choices.length);
      }
      return chosen.reverse();
    }
  }

  /** One question: the attributes it looks at, a table for each, the channel and its share out of 2^32. */
  class Question {
    /** @param {number} index @param {Family} family @param {number} number @param {(kind: string, shape: number[]) => Channel} channel */
    constructor(index, family, number, channel) {
      this.index = index;
      this.attributes = family.attributes;
      this.tables = family.choice(number);
      this.share = family.share(number);
      this.shape = this.tables.map((table) => table.bins);
      this.channel = channel(family.channel, this.shape);
    }

    /** Return the cell of a record, given its level on every attribute. @param {readonly number[]} levels */
    cell(levels) {
      return this.tables.reduce(
        (cell, table, i) => cell * BigInt(table.bins) + BigInt(table.bin(levels[this.attributes[i]])), 0n,
      );
    }
  }

  /** Tables: the public maps from an attribute's levels to bins that questions are made of; one maker per kind. */


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
  function makeTable(document) {
    const [kind, ...more] = isObject(document) ? Object.keys(document) : [];
    if (kind === undefined || more.length || !Object.hasOwn(TABLES, kind)) {
      throw new PlanError(`unknown table ${JSON.stringify(document)}: this plan needs a newer client`);
    }
    const table = TABLES[kind](document[kind]);
    if (!table) throw new PlanError(`table ${JSON.stringify(document)} cannot be`);
    return table;
  }

  /** Waves: the same people asked again and again, each of them answering once, in a turn that their device draws. */


  const MAX_WAVES = 1000;
  const MAX_DAYS = 3660;
  const DAY = 24 * 60 * 60 * 1000;

  /** The bytes that a device keeps for its turn, whatever it is. */
  const TURN_LENGTH = 64;

  /** How often people are asked again, and when. */
  class Waves {
    /** @param {any} document */
    constructor(document) {
      checkMembers(document, "waves", {
        number: (value) => isPositive(value) && value >= 2 && value <= MAX_WAVES,
        first: (value) => value === null || isDay(value),
        days: (value) => (document.first === null ? value === null : isPositive(value) && value <= MAX_DAYS),
      });
      /** @type {number} */ this.number = document.number;
      /** @type {string | null} */ this.first = document.first;
      /** @type {number | null} */ this.days = document.days;
    }

    /** Return a wave's number, the first being 1, if there is such a wave. @param {unknown} wave @returns {number} */
    check(wave) {
      if (!isPositive(wave) || /** @type {number} */ (wave) > this.number) {
        throw new PlanError(`wave is an integer from 1 to ${this.number}, got ${wave}`);
      }
      return /** @type {number} */ (wave);
    }

    /** Return which wave it is on a day, null before the first and after the last. @param {string} day such as 2027-01-04 */
    on(day) {
      if (this.first === null || this.days === null) {
        throw new PlanError("this plan does not say when its waves are; say which wave it is");
      }
      const passed = Math.round((Date.parse(`${day}T00:00:00Z`) - Date.parse(`${this.first}T00:00:00Z`)) / DAY);
      const wave = Math.floor(passed / this.days) + 1;
      return wave >= 1 && wave <= this.number ? wave : null;
    }
  }

  /** The plan: what is asked of whom and how every answer is randomised, checked against its fingerprint. */


  /** @typedef {AnyAttribute} AnyAttribute */
  /** @typedef {Channel} Channel */

  const FORMAT$1 = "sottovoce-plan-1";
  const SHARES = 2 ** 32;
  const MAX_QUESTIONS = 2 ** 22;
  const MAX_USERS = 10 ** 12;
  const MAX_CODES = 1n << 53n;

  /** @typedef {{plan: string, id: string, question: number, code: number}} Report What leaves the page */

  /** What is asked of whom, and how every answer is randomised: public, checked and frozen. Made by `Plan.parse`. */
  class Plan {
    /** @param {any} document */
    constructor(document) {
      checkMembers(document, "a plan", {
        format: (value) => value === FORMAT$1, schema: isObject, epsilon: isEpsilon, mechanism: isReadable,
        users: (value) => isPositive(value) && value <= MAX_USERS, version: isPositive, seed: isReadable,
        options: (value) => isObject(value) && isPlain(value), parameters: (value) => isObject(value) && isPlain(value),
        tables: isList, families: isList, purpose: isReadable, contact: isReadable, expires: (value) => value === null || isDay(value),
        ...(isObject(document) && Object.hasOwn(document, "parent") ? { parent: isCollection } : {}),
        ...(isObject(document) && Object.hasOwn(document, "waves") ? { waves: isObject } : {}),
      });
      checkMembers(document.schema, "a schema", { attributes: (value) => isList(value) && value.length > 0 }, { language: isLanguage });
      this.document = document;
      /** @type {string} */ this.epsilon = document.epsilon;
      /** @type {string} */ this.purpose = document.purpose;
      /** @type {string} */ this.contact = document.contact;
      /** @type {string | null} */ this.expires = document.expires;
      /** @type {AnyAttribute[]} */ this.attributes = document.schema.attributes.map(makeAttribute);
      this.names = this.attributes.map((attribute) => attribute.name);
      if (new Set(this.names).size !== this.names.length) throw new PlanError("two attributes have the same name");
      /** The attributes that are choices of one question each, by its name. @type {Map<string, Categorical[]>} */
      this.choices = new Map();
      for (const attribute of this.attributes) {
        if (!(attribute instanceof Categorical) || attribute.choiceOf === undefined) continue;
        this.choices.set(attribute.choiceOf, [...(this.choices.get(attribute.choiceOf) ?? []), attribute]);
      }
      if (this.names.some((name) => this.choices.has(name))) throw new PlanError("a multiple choice and an attribute have the same name");
      const tables = document.tables.map(makeTable);
      /** @type {Family[]} */
      this.families = document.families.map((/** @type {any} */ family) => new Family(family, tables, this.attributes));
      /** How often people are asked again; null if they are asked once. */
      this.waves = Object.hasOwn(document, "waves") ? new Waves(document.waves) : null;
      this.offsets = [0, ...runningSums(this.families.map((family) => family.count))];
      this.ends = runningSums(this.families.map((family) => family.total));
      if (this.count > MAX_QUESTIONS) throw new PlanError(`a plan asks at most 2^22 questions, this one asks ${this.count}`);
      if (this.ends[this.ends.length - 1] !== SHARES) {
        throw new PlanError(`the shares of all questions must add up to 2^32, got ${this.ends[this.ends.length - 1]}`);
      }
      this.fingerprint = "";
      this.collection = "";
    }

    /** @type {(kind: string, shape: number[]) => Channel} */
    #channel = () => {
      throw new PlanError("a plan is made by Plan.parse");
    };

    /**
     * Return the plan that a JSON text holds, having checked all of it, and that its fingerprint is the expected one.
     * @param {string} text
     * @param {string} [expected] 64 hexadecimal digits; left out, the document must state its own
     */
    static async parse(text, expected) {
      let parsed;
      try {
        parsed = JSON.parse(text);
      } catch (error) {
        throw new PlanError(`not a plan: ${/** @type {Error} */ (error).message}`);
      }
      const { fingerprint: claimed, ...document } = isObject(parsed) ? parsed : { format: null };
      const fingerprint = hexadecimal(await sha256(canonical(document)));
      const wanted = expected ?? claimed;
      if (wanted === undefined) throw new PlanError("the plan states no fingerprint and none was given to compare it with");
      if (wanted !== fingerprint || (claimed !== undefined && claimed !== fingerprint)) {
        throw new PlanError(`the plan was altered: expected fingerprint ${wanted}, but its content gives ${fingerprint}`);
      }
      const plan = new Plan(document);
      plan.fingerprint = fingerprint;
      plan.collection = document.parent ?? hexadecimal(await sha256(canonical(withoutShares(document))));
      await plan.#prepareChannels();
      return plan;
    }

    async #prepareChannels() {
      const epsilon = new Epsilon(this.epsilon);
      const placement = await Placement.make(epsilon, this.document.seed);
      this.#channel = (kind, shape) => makeChannel(kind, shape, epsilon, placement);
      for (const family of this.families) {
        for (const shape of family.shapes()) {
          const { cells, codes } = this.#channel(family.channel, shape);
          if (codes > MAX_CODES) {
            throw new PlanError(
              `a question of ${cells} cells needs ${codes} codes, but a browser holds integers up to 2^53 exactly: ` +
              "this plan is not for browsers, use the Python client or ask fewer attributes together",
            );
          }
        }
      }
    }

    /** How many questions a wave has; all of them where there are no waves. */
    get perWave() {
      return this.offsets[this.offsets.length - 1];
    }

    /** How many questions there are, those of every wave one after the other. */
    get count() {
      return this.perWave * (this.waves?.number ?? 1);
    }

    /** Return one question. @param {number} index */
    question(index) {
      if (!isCount(index) || index >= this.count) throw new PlanError(`there is no question ${index} of ${this.count}`);
      const number = index % this.perWave;
      const place = countUpTo(this.offsets, number) - 1;
      return new Question(index, this.families[place], number - this.offsets[place], this.#channel);
    }

    /** Return the first wave's question whose stretch of the shares holds `position`, from 0 to 2^32 - 1. @param {number} position */
    locate(position) {
      const place = countUpTo(this.ends, position);
      const start = place ? this.ends[place - 1] : 0;
      return this.question(this.offsets[place] + this.families[place].locate(position - start));
    }

    /** Return the question of a turn: each wave as likely, the question by its share. No record is looked at. */
    drawTurn() {
      const wave = this.waves ? Number(randomBelow(BigInt(this.waves.number))) : 0;
      return wave * this.perWave + this.locate(crypto.getRandomValues(new Uint32Array(1))[0]).index;
    }

    /** Return the record's level on every attribute, having checked all of it. @param {Record<string, unknown>} record */
    levels(record) {
      if (!isObject(record)) throw new RecordError(`a record maps attribute names to values, got ${record === null ? null : typeof record}`);
      record = this.#chosen(record);
      const unknown = Object.keys(record).filter((name) => !this.names.includes(name));
      if (unknown.length) {
        throw new RecordError(`unknown attributes ${unknown.join(", ")}; this schema asks for ${this.names.join(", ")}`);
      }
      return this.attributes.map((attribute) =>
        attribute.level(Object.hasOwn(record, attribute.name) ? record[attribute.name] : null));
    }

    /** Return a record with a yes or no for each choice in place of lists of what was chosen. @param {Record<string, unknown>} record */
    #chosen(record) {
      const plain = { ...record };
      for (const [name, members] of this.choices) {
        if (!Object.hasOwn(record, name)) continue;
        const listed = record[name];
        delete plain[name];
        const titles = members.map((member) => member.shown().title);
        if (listed !== null && (!Array.isArray(listed) || !listed.every((one) => titles.includes(one)))) {
          throw new RecordError(`${name}: allowed is a list of any of ${titles.join(", ")}`);
        }
        for (const [i, member] of members.entries()) {
          if (Object.hasOwn(record, member.name)) throw new RecordError(`${name}: given both as a list and as ${member.name}`);
          plain[member.name] = listed === null ? null : listed.includes(titles[i]) ? "yes" : "no";
        }
      }
      return plain;
    }

    /**
     * Return one randomised report; all of the record is checked before a question is drawn.
     * @param {Record<string, unknown>} record
     * @param {string} [named] what the report names: the plan by its fingerprint, or its collection
     * @param {number} [turn] the question of this device's turn, where there are waves; drawn anew if left out
     */
    draw(record, named = this.fingerprint, turn) {
      const levels = this.levels(record);
      const question = this.question(turn ?? this.drawTurn());
      const code = Number(question.channel.draw(question.cell(levels)));
      const id = hexadecimal(crypto.getRandomValues(new Uint8Array(16)));
      return /** @type {Report} */ ({ plan: named, id, question: question.index, code });
    }
  }

  /** @param {unknown} value */
  function isEpsilon(value) {
    if (typeof value !== "string" || !/^(0|[1-9]\d?)(\.\d*[1-9])?$/.test(value)) return false;
    const digits = value.replace(".", "").replace(/^0+/, "");
    const hundredths = BigInt(value.split(".")[0]) * 100n + BigInt((value.split(".")[1] ?? "").padEnd(2, "0").slice(0, 2));
    return digits.length <= 28 && hundredths >= 1n && (hundredths < 2000n || value === "20");
  }

  /** Whether a value names a collection, as a later round names that of the first. @param {unknown} value */
  function isCollection(value) {
    return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
  }

  /** Return what a collection is named by: the plan without shares, version and expiry. @param {any} document */
  function withoutShares(document) {
    const { version, expires, ...rest } = document;
    return { ...rest, families: document.families.map((/** @type {any} */ { shares, ...family }) => family) };
  }

  /** Sending: the same bytes until they are counted, with waits by chance, and not before the collector asks to come back. */


  /**
   * @typedef {object} Tries
   * @property {number} attempts how often a report is posted before it is left for later
   * @property {(milliseconds: number) => Promise<unknown>} wait what waits between
   */

  /** The longest first wait, in milliseconds; each following one may be twice as long. */
  const FIRST_WAIT = 1_000;

  /** A collector that asks for a longer wait, in seconds, is left alone for now: the report is kept. */
  const LONGEST_WAIT = 120;

  /** Refusals that another try may turn round; all others from 400 to 499 last. */
  const LATER = new Set([408, 425, 429]);

  /** @type {RequestInit} Requests carry no cookie and no address of the page. */
  const PRIVATELY = { credentials: "omit", referrerPolicy: "no-referrer" };

  /** @param {number} milliseconds */
  const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

  /**
   * Post a report until the collector has counted it, now or before.
   * @param {URL} url the address for reports of its plan
   * @param {string} body
   * @param {string | undefined} token
   * @param {Tries} tries
   */
  async function deliver(url, body, token, { attempts, wait }) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await post(url, body, token);
      } catch (error) {
        if (!(error instanceof SendError) || error.lasting || attempt >= attempts) throw error;
        if ((error.retryAfter ?? 0) > LONGEST_WAIT) throw error;
        await wait(pause(attempt, error.retryAfter));
      }
    }
  }

  /**
   * Return how many milliseconds to wait after an attempt, from 1 on: by chance, so that pages that failed together do not
   * come back together, and never before the collector said.
   * @param {number} attempt @param {number | null} retryAfter seconds
   */
  function pause(attempt, retryAfter) {
    const chance = crypto.getRandomValues(new Uint32Array(1))[0] / 2 ** 32;
    return retryAfter === null ? chance * FIRST_WAIT * 2 ** (attempt - 1) : 1000 * retryAfter * (1 + chance / 2);
  }

  /** Return how many seconds a `Retry-After` asks to wait, a number or a date; null if it says neither. @param {string | null} text */
  function secondsUntil(text) {
    if (text === null) return null;
    if (/^\d{1,9}$/.test(text)) return Number(text);
    const then = Date.parse(text);
    return Number.isNaN(then) ? null : Math.max(0, (then - Date.now()) / 1000);
  }

  /** @param {URL} url @param {string} body @param {string | undefined} token */
  async function post(url, body, token) {
    const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
    /** @type {Response} */ let response;
    try {
      response = await fetch(url, { ...PRIVATELY, method: "POST", body, headers, keepalive: true });
    } catch {
      throw new SendError("the collector could not be reached; the report is kept and can be sent again");
    }
    /** @type {any} */
    const answer = await response.json().catch(() => null);
    const refused = answer?.refused?.[0]?.reason;
    if (response.ok && refused === undefined && answer?.counted + answer?.duplicate === 1) return;
    const reason = refused ?? answer?.detail ?? `status ${response.status}`;
    const lasting = refused !== undefined || (response.status >= 400 && response.status < 500 && !LATER.has(response.status));
    const after = lasting ? null : secondsUntil(response.headers.get("retry-after"));
    throw new SendError(`the collector did not count the report: ${isText(reason) ? reason : JSON.stringify(reason)}`, lasting, after);
  }

  /** Signed plans: a detached Ed25519 signature (RFC 8032) of a plan's fingerprint, checked by WebCrypto. */


  const FORMAT = "sottovoce-signature-1";
  const isDigits = (/** @type {unknown} */ value) => isText(value) && /^([0-9a-f]{2})+$/.test(/** @type {string} */ (value));

  /**
   * Throw PlanError unless a signature of a plan is by the key that was published.
   * @param {{fingerprint: string}} plan @param {string} text the signature's JSON @param {string} key 64 hexadecimal digits
   */
  async function checkSignature(plan, text, key) {
    let document;
    try {
      document = JSON.parse(text);
    } catch (error) {
      throw new PlanError(`not a signature of a plan: ${/** @type {Error} */ (error).message}`);
    }
    checkMembers(document, "a signature of a plan", { format: (value) => value === FORMAT, key: isDigits, signature: isDigits });
    if (document.key !== key) throw new PlanError(`the plan is signed by ${document.key}, not by the key that was given, ${key}`);
    if (!(await verify(key, document.signature, `sottovoce plan ${plan.fingerprint}`))) {
      throw new PlanError(`the signature is not one of the plan ${plan.fingerprint} by the key ${key}`);
    }
  }

  /** @param {string} key @param {string} signature @param {string} message */
  async function verify(key, signature, message) {
    try {
      const publicKey = await crypto.subtle.importKey("raw", bytes(key), "Ed25519", false, ["verify"]);
      return await crypto.subtle.verify("Ed25519", publicKey, bytes(signature), new TextEncoder().encode(message));
    } catch (error) {
      if (/** @type {Error} */ (error).name !== "NotSupportedError") return false;
      throw new PlanError("this browser cannot check Ed25519 signatures, so the plan is not answered: use a newer one");
    }
  }

  /** @param {string} digits */
  const bytes = (digits) => Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

  /** The client: one report per person and collection, drawn once, written down, and only then sent. */


  /** @typedef {Cost} Cost */
  /** @typedef {Kept} Kept */
  /** @typedef {Report} Report */

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
  class Client {
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
  async function load(url, options = {}) {
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

  /** Elements made of parts: what comes from a plan or an organisation is only ever text or the value of an attribute. */

  /** @typedef {Node | string | null | undefined | false} Part */
  /** @typedef {Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>} Attributes */

  /**
   * Return a new element. A function is a listener for the event of that name; true is an attribute without a value;
   * null, undefined and false leave an attribute out.
   * @template {keyof HTMLElementTagNameMap} T
   * @param {T} tag @param {Attributes} [attributes] @param {Part[]} parts @returns {HTMLElementTagNameMap[T]}
   */
  function element(tag, attributes = {}, ...parts) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === "function") made.addEventListener(name, value);
      else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : String(value));
    }
    made.append(...parts.filter((part) => part instanceof Node || (typeof part === "string" && part !== "")).map((part) => /** @type {Node | string} */ (part)));
    return made;
  }

  /** Return words of the plan or the organisation, apart from those around them in direction. @param {string} text */
  const data = (text) => element("bdi", {}, text);

  /** @param {string} text @param {() => void} act @param {Attributes} [attributes] */
  function button(text, act, attributes = {}) {
    return element("button", { type: "button", click: act, ...attributes }, text);
  }

  /** One language of the page: its messages, and how it writes numbers, dates and lists. */

  /** @typedef {Record<string, string>} Messages */

  /** Speaks one language. */
  class Language {
    /** @param {Messages} messages @param {string} code */
    constructor(messages, code) {
      this.messages = messages;
      this.code = code;
      this.direction = messages.direction;
    }

    /** Return a message, with values in the place of names in braces. @param {string} key @param {Record<string, string | number>} [values] */
    say(key, values = {}) {
      return this.messages[key].replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(values, name) ? String(values[name]) : whole));
    }

    /** @param {number} number */
    number(number) {
      return new Intl.NumberFormat(this.code, { maximumFractionDigits: 6 }).format(number);
    }

    /** Return a probability as whole percents, or with a digit more where that would be none or all. @param {number} fraction */
    percent(fraction) {
      const digits = fraction > 0.005 && fraction < 0.995 ? 0 : 1;
      return new Intl.NumberFormat(this.code, { style: "percent", maximumFractionDigits: digits }).format(fraction);
    }

    /** @param {string} day such as 2030-12-31 @param {Intl.DateTimeFormatOptions} [options] */
    date(day, options = { dateStyle: "long" }) {
      return new Intl.DateTimeFormat(this.code, { ...options, timeZone: "UTC", calendar: "gregory" }).format(new Date(`${day}T00:00:00Z`));
    }

    /** @param {string[]} texts */
    list(texts) {
      return new Intl.ListFormat(this.code, { type: "conjunction" }).format(texts);
    }
  }

  /**
   * Return the language of those offered that the person's browser asks for first; the first one if it asks for none of them.
   * @param {string[]} offered @param {readonly string[]} wanted
   */
  function chooseLanguage(offered, wanted) {
    const plain = (/** @type {string} */ code) => code.toLowerCase().split("-")[0];
    for (const code of wanted) {
      const found = offered.find((one) => one.toLowerCase() === code.toLowerCase()) ?? offered.find((one) => plain(one) === plain(code));
      if (found !== undefined) return found;
    }
    return offered[0];
  }

  /** What is asked: one item for an attribute or a multiple choice, how it is named, and how an answer becomes a value. */


  /** @typedef {AnyAttribute} AnyAttribute */
  /** @typedef {Plan} Plan */
  /** @typedef {Language} Language */
  /** @typedef {"radio" | "select" | "number" | "date" | "checkboxes"} Control */
  /** @typedef {{name: string, control: Control, attributes: AnyAttribute[]}} Item One thing that is asked: several attributes if any number may be chosen */
  /** @typedef {string | string[]} Given What a control holds: levels as digits, or what was typed */
  /** @typedef {Record<string, unknown>} Values */

  /** The most options that stand side by side; more are a list to open. */
  const MOST_RADIOS = 7;
  /** The answers of a control that name no level. */
  const [SKIPPED, NONE] = ["skipped", "none"];

  const WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");
  const MONTHS = "January February March April May June July August September October November December".split(" ");
  const DAYS = /^(\d{4}-\d\d-\d\d) to (\d{4}-\d\d-\d\d)$/;

  /** Return what a plan asks, in order. @param {Plan} plan @returns {Item[]} */
  function itemsOf(plan) {
    /** @type {Item[]} */ const items = [];
    for (const attribute of plan.attributes) {
      const choice = attribute instanceof Categorical ? attribute.choiceOf : undefined;
      const [first] = choice === undefined ? [] : /** @type {Categorical[]} */ (plan.choices.get(choice));
      if (choice === undefined) items.push({ name: attribute.name, control: controlOf(attribute), attributes: [attribute] });
      else if (attribute === first) items.push({ name: choice, control: "checkboxes", attributes: [.../** @type {Categorical[]} */ (plan.choices.get(choice))] });
    }
    return items;
  }

  /** @param {AnyAttribute} attribute @returns {Control} */
  function controlOf(attribute) {
    const { date, labels } = attribute.document;
    if (attribute instanceof Numeric) return "number";
    if (Array.isArray(date)) return "date";
    if (attribute.valueLevels <= MOST_RADIOS) return "radio";
    const listed = attribute instanceof Categorical || labels || attribute.values || (date !== undefined && date !== "year");
    return listed ? "select" : "number";
  }

  /** Return a label for every value of an attribute; none where numbers speak for themselves. @param {AnyAttribute} attribute @param {Language} language */
  function labelsOf(attribute, language) {
    const { labels } = attribute.shown(language.code);
    const { date } = attribute.document;
    const same = (/** @type {string[]} */ known) => labels.length === known.length && labels.every((label, i) => label === known[i]);
    if (attribute instanceof Categorical && !labels.length) return attribute.yesNo ? [language.say("no"), language.say("yes")] : attribute.values;
    if (date === "hour" && !labels.length) {
      const time = (/** @type {number} */ hour, /** @type {string} */ minute) => `${String(hour).padStart(2, "0")}:${minute}`;
      return Array.from({ length: 24 }, (_, hour) => language.say("hour", { from: time(hour, "00"), to: time(hour, "59") }));
    }
    if (date === "weekday" && same(WEEKDAYS)) return labels.map((_, i) => language.date(`2024-01-0${i + 1}`, { weekday: "long" }));
    if (date === "month" && same(MONTHS)) return labels.map((_, i) => language.date(`2024-${String(i + 1).padStart(2, "0")}-01`, { month: "long" }));
    if (Array.isArray(date)) {
      return labels.map((label) => {
        const [, low, high] = DAYS.exec(label) ?? [];
        return low ? language.say("range", { low: language.date(low), high: language.date(high) }) : label;
      });
    }
    return labels;
  }

  /** Return what an attribute is called within a sentence. @param {AnyAttribute} attribute @param {Language} language */
  function titleOf(attribute, language) {
    const { title, question } = attribute.shown(language.code);
    const choice = attribute instanceof Categorical ? attribute.choiceOf : undefined;
    return choice === undefined ? title : `${question || choice} – ${title}`;
  }

  /** Return what a person is asked. @param {Item} item @param {Language} language */
  function questionOf({ name, attributes: [first, ...others] }, language) {
    const { question, title } = first.shown(language.code);
    return question || (others.length ? name : title);
  }

  /** Return the name of a value that an attribute may have. @param {AnyAttribute} attribute @param {unknown} value @param {Language} language */
  function valueName(attribute, value, language) {
    if (value === null || value === undefined) return language.say("no_answer");
    const { unit } = attribute.shown(language.code);
    const shown = () => {
      if (Array.isArray(attribute.document.date) && typeof value === "string") return language.date(value);
      const label = attribute instanceof Numeric ? undefined : labelsOf(attribute, language)[attribute.level(value)];
      if (label !== undefined) return label;
      return attribute.document.date === "year" ? String(value) : language.number(Number(value));
    };
    return unit ? language.say("with_unit", { value: shown(), unit }) : shown();
  }

  /** Return an item's answer in words. @param {Item} item @param {Values} record @param {Language} language */
  function answerName({ control, attributes }, record, language) {
    if (control !== "checkboxes") return valueName(attributes[0], record[attributes[0].name], language);
    if (attributes.every(({ name }) => record[name] === null)) return language.say("no_answer");
    const chosen = attributes.filter(({ name }) => record[name] === "yes").map((one) => one.shown(language.code).title);
    return chosen.length ? language.list(chosen) : language.say("none_of_these");
  }

  /** Return the value that stands for a level. @param {AnyAttribute} attribute @param {number} level */
  function valueAt(attribute, level) {
    if (attribute instanceof Ordinal) return attribute.integer(level);
    if (attribute instanceof Categorical) return attribute.values[level];
    return (attribute.boundaries[level] + attribute.boundaries[level + 1]) / 2;
  }

  /** Return the record of somebody made up. @param {Plan} plan @returns {Values} */
  function makeUp(plan) {
    return Object.fromEntries(plan.attributes.map((attribute) =>
      [attribute.name, valueAt(attribute, Number(randomBelow(BigInt(attribute.valueLevels))))]));
  }

  /** Return what may be answered in a field that is typed into. @param {Item} item @param {Language} language */
  function hintOf({ control, attributes: [attribute] }, language) {
    const { nullable, document } = attribute;
    const { unit } = attribute.shown(language.code);
    const said = [];
    if (control === "number") {
      const { low, high } = document;
      const name = document.date === "year" ? String : (/** @type {number} */ number) => language.number(number);
      const range = language.say("range", { low: name(low), high: name(high) });
      said.push(language.say(attribute instanceof Ordinal ? "whole" : "number", { range: unit ? language.say("with_unit", { value: range, unit }) : range }));
    }
    if (control === "date") {
      said.push(language.say("date_range", { low: language.date(document.date[0]), high: language.date(document.date.at(-1)) }));
    }
    if (control === "checkboxes") return language.say("all_that_apply");
    if (said.length && document.clip) said.push(language.say("beyond"));
    if (said.length && nullable) said.push(language.say("leave_empty"));
    return said.join(" ");
  }

  /**
   * Return the values that an answer stands for, or what is wrong with it.
   * @param {Item} item @param {Given} given @param {Language} language @returns {{values: Values} | {wrong: string}}
   */
  function readAnswer(item, given, language) {
    const { control, attributes } = item;
    const [attribute] = attributes;
    const wrong = (/** @type {string} */ key) => ({ wrong: language.say(key, { hint: hintOf(item, language) }) });
    const value = (/** @type {unknown} */ one) => ({ values: { [attribute.name]: one } });
    if (control === "checkboxes") {
      if (!given.length) return wrong("missing");
      const chosen = (/** @type {number} */ number) => (given.includes(SKIPPED) ? null : given.includes(String(number)) ? "yes" : "no");
      return { values: Object.fromEntries(attributes.map(({ name }, number) => [name, chosen(number)])) };
    }
    const text = String(given).trim();
    const typed = control === "number" || control === "date";
    if (text === SKIPPED || (typed && text === "" && attribute.nullable)) return value(null);
    if (text === "") return wrong("missing");
    if (!typed) return value(valueAt(attribute, Number(text)));
    const { low, high, clip, date } = attribute.document;
    if (control === "date") return clip || (text >= date[0] && text <= date.at(-1)) ? value(text) : wrong("outside");
    const number = Number(text);
    if (!Number.isFinite(number)) return wrong("not_number");
    if (attribute instanceof Ordinal && !Number.isInteger(number)) return wrong("not_whole");
    return clip || (number >= low && number <= high) ? value(number) : wrong("outside");
  }

  /** The form's fields: the control that fits what is asked, its hint, and what is wrong with its answer. */


  /** @typedef {Item} Item */
  /** @typedef {Given} Given */
  /** @typedef {Values} Values */
  /** @typedef {Language} Language */
  /** @typedef {{element: HTMLElement, focus: () => void, read: () => Values | null}} Field A field: `read` shows what is wrong and gives null, or gives the values */

  /**
   * Return the field of an item.
   * @param {Item} item @param {number} number its place among all @param {Map<string, Given>} answers what was given; kept up to date
   * @param {Language} language @returns {Field}
   */
  function makeField(item, number, answers, language) {
    const id = `field-${number}`;
    const hint = hintOf(item, language);
    const error = element("p", { class: "error", id: `${id}-error`, hidden: true });
    const described = [hint && `${id}-hint`, error.id].filter(Boolean).join(" ");
    const words = [hint && element("p", { class: "hint", id: `${id}-hint` }, hint), error];
    const question = element("bdi", {}, questionOf(item, language));
    const grouped = item.control === "radio" || item.control === "checkboxes";
    const keep = (/** @type {Given} */ given) => answers.set(item.name, given);
    const inputs = grouped ? options(item, id, answers, language, keep) : [single(item, id, described, answers, language, keep)];
    const box = grouped
      ? element("fieldset", { class: "field", role: item.control === "radio" ? "radiogroup" : null, "aria-describedby": described },
        element("legend", {}, question), ...words, element("div", { class: "choices" }, ...inputs.map(({ parentNode }) => parentNode)))
      : element("div", { class: "field" }, element("label", { for: id }, question), ...words, inputs[0]);
    const marked = item.control === "radio" ? box : grouped ? null : inputs[0];
    const read = () => {
      const unreadable = inputs[0] instanceof HTMLInputElement && inputs[0].validity.badInput;
      const found = unreadable ? { wrong: language.say("not_number") } : readAnswer(item, answers.get(item.name) ?? "", language);
      const text = "wrong" in found ? found.wrong : "";
      error.textContent = text;
      error.hidden = !text;
      box.classList.toggle("wrong", Boolean(text));
      marked?.setAttribute("aria-invalid", String(Boolean(text)));
      return "values" in found ? found.values : null;
    };
    return { element: box, focus: () => inputs[0].focus(), read };
  }

  /**
   * Return one control: a list to open, a number or a date.
   * @param {Item} item @param {string} id @param {string} described @param {Map<string, Given>} answers @param {Language} language
   * @param {(given: Given) => void} keep @returns {HTMLInputElement | HTMLSelectElement}
   */
  function single({ name, control, attributes: [attribute] }, id, described, answers, language, keep) {
    const required = attribute.nullable ? null : "true";
    const listen = (/** @type {Event} */ event) => keep(/** @type {HTMLInputElement | HTMLSelectElement} */ (event.target).value);
    const common = { id, "aria-describedby": described, "aria-required": required, input: listen };
    const given = String(answers.get(name) ?? "");
    if (control === "select") {
      const listed = levelLabels(attribute, language).map((label, level) => element("option", { value: level }, label));
      const skip = attribute.nullable && element("option", { value: SKIPPED }, language.say("prefer_not"));
      const made = element("select", common, element("option", { value: "" }, language.say("please_choose")), ...listed, skip);
      made.value = given;
      return made;
    }
    const { low, high, clip, date } = attribute.document;
    const [least, most] = control === "date" ? [date[0], date.at(-1)] : [low, high];
    const ends = clip ? {} : { min: least, max: most };
    const whole = attribute.document.type === "ordinal";
    const kind = control === "date" ? { type: "date" } : { type: "number", inputmode: whole && low >= 0 ? "numeric" : "decimal", step: whole ? 1 : "any" };
    const made = element("input", { ...common, ...kind, ...ends, autocomplete: "off" });
    made.value = given;
    return made;
  }

  /**
   * Return the buttons or boxes of a group, each within its label.
   * @param {Item} item @param {string} id @param {Map<string, Given>} answers @param {Language} language
   * @param {(given: Given) => void} keep @returns {HTMLInputElement[]}
   */
  function options({ name, control, attributes }, id, answers, language, keep) {
    const many = control === "checkboxes";
    const labels = many ? attributes.map((one) => one.shown(language.code).title) : levelLabels(attributes[0], language);
    /** @type {[string, string, boolean][]} */
    const listed = labels.map((label, level) => [String(level), label, false]);
    if (many) listed.push([NONE, language.say("none_of_these"), true]);
    if (attributes[0].nullable) listed.push([SKIPPED, language.say("prefer_not"), true]);
    const given = [answers.get(name) ?? []].flat();
    /** @type {HTMLInputElement[]} */ const inputs = listed.map(([value, label], place) => {
      const made = element("input", { type: many ? "checkbox" : "radio", name: id, id: `${id}-${place}`, value });
      made.checked = given.includes(value);
      made.addEventListener("input", () => {
        const lonely = (/** @type {number} */ other) => listed[other][2];
        if (many && made.checked) inputs.forEach((other, i) => { if (other !== made && (lonely(place) || lonely(i))) other.checked = false; });
        const chosen = inputs.filter((input) => input.checked).map((input) => input.value);
        keep(many ? chosen : chosen[0] ?? "");
      });
      element("label", { class: "choice" }, made, element("bdi", {}, label));
      return made;
    });
    return inputs;
  }

  /** @param {AnyAttribute} attribute @param {Language} language */
  function levelLabels(attribute, language) {
    const labels = labelsOf(attribute, language);
    if (labels.length) return labels;
    const { unit } = attribute.shown(language.code);
    const integer = (/** @type {number} */ level) => /** @type {Ordinal} */ (attribute).integer(level);
    return Array.from({ length: attribute.valueLevels }, (_, level) => {
      const value = attribute.document.date === "year" ? String(integer(level)) : language.number(integer(level));
      return unit ? language.say("with_unit", { value, unit }) : value;
    });
  }

  /** What a report says, in plain words, for the person whose report it is. Everything here follows from the plan. */


  /** @typedef {AnyAttribute} AnyAttribute */
  /** @typedef {Channel} Channel */
  /** @typedef {Plan} Plan */
  /** @typedef {Report} Report */
  /** @typedef {Table} Table */

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
  function explain(plan, report, { record, words } = {}) {
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

  /** What a report says, for people who are no experts: the true group beside the one that is sent, and the chances of both. */


  /** @typedef {Alternative} Alternative */
  /** @typedef {Explanation} Explanation */
  /** @typedef {Plan} Plan */
  /** @typedef {Report} Report */
  /** @typedef {Values} Values */
  /** @typedef {Language} Language */

  /** The most groups that are all shown, and the most parts of one. */
  const [MOST_GROUPS, MOST_PARTS] = [12, 6];

  /** @typedef {{report: Report, record: Values | null}} Drawn A report and whom it was drawn for, if that is known */

  /**
   * Return what a report says: an example's, or the person's own after it was counted.
   * @param {Plan} plan @param {Drawn} drawn @param {Language} language @param {boolean} sent @returns {HTMLElement}
   */
  function tell(plan, { report, record }, language, sent) {
    const words = {
      noAnswer: language.say("no_answer"),
      range: (/** @type {string} */ low, /** @type {string} */ high) => language.say("range", { low, high }),
      below: (/** @type {string} */ low, /** @type {string} */ high) => language.say("below", { low, high }),
      labels: (/** @type {AnyAttribute} */ attribute) => labelsOf(attribute, language),
      title: (/** @type {AnyAttribute} */ attribute) => titleOf(attribute, language),
      number: (/** @type {number} */ number) => language.number(number),
    };
    const told = explain(plan, report, { record: record ?? undefined, words });
    const looked = told.axes.filter(({ groups }) => groups.length > 1);
    const attributes = language.list(looked.map(({ name }) => name));
    const mixed = looked.some((axis) => axis.mixed) || (isApart(told) && (told.alternatives ?? []).some(({ cells }) => cells.length > 1));
    const ways = language.number(plan.perWave);
    return element(
      "div",
      { class: "told" },
      element("p", {}, language.say(sent ? "picked_for_you" : "picked", { ways, attributes })),
      groupList(told, language, sent),
      mixed && element("p", { class: "hint" }, language.say("mixed")),
      chances(told, language),
      sent && record !== null && verdict(told, language),
      element("p", {}, language.say("reveals", { ratio: language.number(Math.ceil(told.ratio * 10) / 10) }), " ", language.say("other_answers")),
      element(
        "details",
        {},
        element("summary", {}, language.say(sent ? "exact_sent" : "exact")),
        element("pre", { dir: "ltr", class: "bytes" }, JSON.stringify(report)),
        element("p", { class: "hint" }, language.say("exact_words")),
      ),
    );
  }

  /** @param {Alternative} alternative @param {Explanation} told */
  const isOwn = ({ cells }, { own }) => own !== null && cells.includes(own);

  /** Whether every group is spoken for by one code only: the square wave's codes speak for ranges that overlap. @param {Explanation} told */
  function isApart({ alternatives }) {
    const cells = (alternatives ?? []).flatMap((one) => one.cells);
    return alternatives !== null && alternatives.length > 1 && new Set(cells).size === cells.length;
  }

  /** @param {Explanation} told @param {Language} language @param {boolean} sent */
  function groupList(told, language, sent) {
    if (told.alternatives !== null && !isApart(told)) return rangeList(told, language, sent);
    const all = told.alternatives ?? [];
    const shown = all.length <= MOST_GROUPS ? all : all.filter((one) => one.sent || isOwn(one, told)).slice(0, MOST_GROUPS);
    const items = shown.map((one) => {
      const own = isOwn(one, told);
      const badges = [
        own && element("span", { class: "badge own" }, language.say(sent ? "your_group" : "true_group")),
        one.sent && element("span", { class: "badge sent" }, language.say(sent ? "sent" : "would_be_sent")),
        one.chance !== null && element("span", { class: "chance" }, language.say("chance", { percent: language.percent(one.chance) })),
      ];
      return element("li", { class: `group${own ? " own" : ""}${one.sent ? " sent" : ""}` }, element("p", { class: "badges" }, ...badges), ...parts(one, told, language));
    });
    const hidden = all.length - shown.length;
    if (hidden) items.push(element("li", { class: "hint" }, language.say("more_groups", { count: language.number(hidden) })));
    return items.length ? element("ul", { class: "groups" }, ...items) : null;
  }

  /** Return the true group and the range that was sent, of codes that speak for ranges of one scale. @param {Explanation} told @param {Language} language @param {boolean} sent */
  function rangeList({ axes: [{ groups }], own, favoured }, language, sent) {
    const cells = (favoured ?? []).flatMap((marked, cell) => (marked ? [cell] : []));
    const [first, last] = [groups[cells[0]], groups[cells[cells.length - 1]]];
    const line = (/** @type {string} */ kind, /** @type {string} */ key, /** @type {string} */ text) =>
      element("li", { class: `group ${kind}` }, element("p", { class: "badges" }, element("span", { class: `badge ${kind}` }, language.say(key))), element("p", {}, data(text)));
    const range = cells.length ? (first === last ? first : `${first} … ${last}`) : language.say("nobody");
    return element("ul", { class: "groups" }, own === null ? null : line("own", sent ? "your_group" : "true_group", groups[own]), line("sent", sent ? "sent" : "would_be_sent", range));
  }

  /** Return in words whom a code speaks for: one line for each cell, the true one first, attribute by attribute. @param {Alternative} alternative @param {Explanation} told @param {Language} language */
  function parts({ cells }, told, language) {
    if (!cells.length) return [element("p", {}, language.say("nobody"))];
    const ordered = told.own !== null && cells.includes(told.own) ? [told.own, ...cells.filter((cell) => cell !== told.own)] : cells;
    const lines = ordered.slice(0, MOST_PARTS).map((cell, line) => {
      /** @type {string[]} */ const groups = [];
      let rest = cell;
      for (const { groups: names } of [...told.axes].reverse()) {
        groups.unshift(names[rest % names.length]);
        rest = Math.floor(rest / names.length);
      }
      const looked = told.axes.flatMap(({ name, groups: all }, i) => (all.length > 1 ? [{ name, group: groups[i] }] : []));
      const named = looked.map(({ name, group }) => (looked.length > 1
        ? element("span", { class: "part block" }, element("span", { class: "axis" }, data(name)), " ", data(group))
        : data(group)));
      const or = line > 0 && element("span", { class: "or" }, language.say("or"), " ");
      return element("p", {}, or, ...named);
    });
    const hidden = cells.length - lines.length;
    return hidden ? [...lines, element("p", { class: "hint" }, language.say("more_groups", { count: language.number(hidden) }))] : lines;
  }

  /** @param {Explanation} told @param {Language} language */
  function chances(told, language) {
    const { alternatives, truthful } = told;
    const others = (alternatives?.length ?? 0) - 1;
    const own = language.percent(truthful);
    if (!isApart(told)) return element("p", {}, language.say("chances_near", { own, other: language.percent(1 - truthful) }));
    const other = language.percent((1 - truthful) / others);
    return element("p", {}, language.say(others === 1 ? "chances_two" : "chances", { own, other, count: language.number(others) }));
  }

  /** @param {Explanation} told @param {Language} language */
  function verdict(told, language) {
    const hit = told.favoured !== null && told.own !== null && told.favoured[told.own];
    return told.favoured && element("p", { class: "verdict" }, language.say(hit ? "verdict_true" : "verdict_other"));
  }

  /** The steps that a person takes: what they are told, the form, the check before anything is sent, and what was sent. */


  /** @typedef {Page} Page */

  const [FORM, COUNT] = [1, 3];

  /** @param {Page} page @param {string} key @param {number} [number] which step of the way it is */
  function heading(page, key, number) {
    const { language } = page;
    return element(
      "div",
      {},
      number !== undefined && element("p", { class: "eyebrow" }, language.say("step", { number: language.number(number), count: language.number(COUNT) })),
      element("h2", { tabindex: "-1" }, language.say(key)),
    );
  }

  /** @param {Page} page */
  function welcome(page) {
    const { language } = page;
    return element(
      "div",
      {},
      element("p", { class: "lead" }, language.say("lead")),
      element("div", { class: "actions" }, button(language.say("start"), () => page.go("questions"))),
      about(page),
      example(page),
      element("div", { class: "actions" }, button(language.say("start"), () => page.go("questions"), { class: "quiet" })),
    );
  }

  /** Return who asks, as the plan and the page state it. @param {Page} page */
  function about(page) {
    const { language, config, plan } = page;
    const stated = (/** @type {string | null} */ text) => (text ? data(text) : language.say("not_stated"));
    const likely = 1 / (1 + Math.exp(-Number(plan.epsilon)));
    const safe = page.pinned ? "pinned" : "not_pinned";
    /** @type {[string, Part[]][]} */
    const rows = [
      ["asked_by", config.organisation ? [data(config.organisation)] : []],
      ["purpose_label", [stated(language.say("purpose") || plan.purpose)]],
      ["contact", [contact(config.contact, language.say("not_stated"))]],
      ["ends", [plan.expires ? language.date(plan.expires) : language.say("not_stated")]],
      ["notice", config.notice ? [link(config.notice, language.say("read_notice"))] : []],
      ["privacy", [language.say("privacy_words", { percent: language.percent(Math.ceil(likely * 100) / 100), epsilon: plan.epsilon })]],
      ["plan", [link(page.address, plan.fingerprint, "code"), element("span", { class: "hint block", id: "pinned" }, language.say(safe))]],
    ];
    const shown = rows.filter(([, parts]) => parts.length);
    return element(
      "section",
      { "aria-labelledby": "about-title" },
      element("h2", { id: "about-title" }, language.say("about")),
      element("dl", {}, ...shown.map(([key, parts]) => element("div", {}, element("dt", {}, language.say(key)), element("dd", { class: `about-${key}` }, ...parts)))),
    );
  }

  /** @param {string} text @param {string} otherwise */
  function contact(text, otherwise) {
    if (!text) return otherwise;
    return /^[^\s@<>"'?&]+@[^\s@<>"'?&]+$/.test(text) ? element("a", { href: `mailto:${text}` }, data(text)) : data(text);
  }

  /** @param {string} address @param {string} text @param {string} [kind] */
  const link = (address, text, kind) => element("a", { href: address, rel: "noreferrer noopener", target: "_blank", class: kind, dir: kind && "ltr" }, text);

  /** Return an example of somebody made up. @param {Page} page */
  function example(page) {
    const { language, plan } = page;
    page.example ??= drawExample(page);
    const { record } = page.example;
    const lines = itemsOf(plan).map((item) => element("div", {}, element("dt", {}, data(questionOf(item, language))), element("dd", {}, data(answerName(item, record ?? {}, language)))));
    return element(
      "section",
      { "aria-labelledby": "example-title", id: "example" },
      element("h2", { id: "example-title", tabindex: "-1" }, language.say("example")),
      element("p", { class: "hint" }, language.say("example_words")),
      element("dl", { class: "person" }, ...lines),
      tell(plan, page.example, language, false),
      button(language.say("another_example"), () => {
        page.example = drawExample(page);
        const made = example(page);
        document.getElementById("example")?.replaceWith(made);
        made.querySelector("h2")?.focus();
      }, { class: "quiet" }),
    );
  }

  /** @param {Page} page */
  function drawExample({ plan }) {
    const record = makeUp(plan);
    return { record, report: plan.draw(record, plan.collection) };
  }

  /** Return the form. @param {Page} page */
  function questions(page) {
    const { language, plan } = page;
    const fields = itemsOf(plan).map((item, number) => makeField(item, number, page.answers, language));
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      const read = fields.map((field) => field.read());
      const wrong = read.filter((values) => values === null).length;
      if (wrong) {
        page.notify(language.say("check_answers", { count: language.number(wrong) }), "bad");
        fields[read.indexOf(null)].focus();
        return;
      }
      page.record = Object.assign({}, ...read);
      page.go("review");
    };
    page.focusField = (number) => fields[number].focus();
    return element(
      "form",
      { novalidate: true, submit, input: () => { page.record = null; }, id: "questions" }, // changed: to be checked again
      heading(page, "questions", FORM),
      element("p", { class: "hint" }, language.say("questions_words")),
      ...fields.map((field) => field.element),
      element("div", { class: "actions" }, element("button", { type: "submit" }, language.say("to_review")), button(language.say("back"), () => page.go("welcome"), { class: "quiet" })),
    );
  }

  /** Return what was answered, to be checked, and what is agreed to. @param {Page} page */
  function review(page) {
    const { language, plan, config } = page;
    const record = page.record ?? {};
    const lines = itemsOf(plan).map((item, number) => {
      const question = questionOf(item, language);
      const change = button(language.say("change"), () => page.go("questions", number), { class: "small", "aria-label": language.say("change_what", { question }) });
      return element("div", {}, element("dt", {}, data(question)), element("dd", {}, data(answerName(item, record, language)), change));
    });
    const error = element("p", { class: "error", id: "consent-error", hidden: true }, language.say("consent_missing"));
    const box = element("input", { type: "checkbox", id: "agree", "aria-describedby": "consent-error", "aria-required": "true" });
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      error.hidden = box.checked;
      box.setAttribute("aria-invalid", String(!box.checked));
      if (box.checked) page.send(record);
      else box.focus();
    };
    return element(
      "form",
      { novalidate: true, submit, id: "review" },
      heading(page, "review", FORM + 1),
      element("section", {}, element("p", { class: "hint" }, language.say("review_words")), element("dl", { class: "answers" }, ...lines)),
      element(
        "section",
        { "aria-labelledby": "consent-title" },
        element("h3", { id: "consent-title" }, language.say("consent")),
        element("p", {}, language.say("consent_words")),
        config.notice ? element("p", {}, link(config.notice, language.say("read_notice"))) : null,
        element("label", { class: "choice" }, box, element("span", {}, language.say("consent_box"))),
        error,
        element("p", { class: "hint", id: "cost" }, language.say("cost", page.figures())),
      ),
      element("div", { class: "actions" }, element("button", { type: "submit", id: "send" }, language.say("send")), button(language.say("back"), () => page.go("questions"), { class: "quiet" })),
    );
  }

  /** Return what was sent, if it is known: it is shown once. @param {Page} page */
  function done(page) {
    const { language, plan, drawn } = page;
    if (!drawn) return element("div", {}, heading(page, "done"), element("p", {}, language.say("answered")), others(page));
    return element(
      "div",
      {},
      element(
        "section",
        { id: "sent" },
        element("p", { class: "eyebrow" }, language.say("step", { number: language.number(COUNT), count: language.number(COUNT) })),
        element("h2", { tabindex: "-1" }, language.say("sent_title")),
        element("p", { class: "hint" }, language.say(drawn.record ? "sent_words" : "sent_before")),
        tell(plan, drawn, language, true),
        button(language.say("print"), () => print(), { class: "quiet" }),
      ),
      others(page),
    );
  }

  /** Return what is said while a report waits. @param {Page} page */
  function waiting(page) {
    const { language } = page;
    return element(
      "section",
      {},
      heading(page, "waiting"),
      element("p", {}, language.say("waiting_words")),
      page.reason ? element("p", { class: "hint" }, language.say("refused_words", { reason: page.reason })) : null,
      element("div", { class: "actions" }, button(language.say("try_again"), () => page.send(), { id: "retry" })),
      others(page),
    );
  }

  /** Return why somebody is not asked. @param {Page} page */
  function closed(page) {
    const { language, why } = page;
    const values = { ...page.figures(), ...why.values };
    return element("section", {}, heading(page, why.title ?? "not_asked"), element("p", { id: "why" }, language.say(why.key, values)), why.title ? null : others(page));
  }

  /** Return the people of this device, to choose from by their own act. @param {Page} page */
  function people(page) {
    const { language } = page;
    const known = page.clients.map((client, place) => {
      const state = page.states[place];
      const words = `${language.say("person", { number: language.number(place + 1) })}: ${language.say(state)}`;
      return element("li", {}, button(words, () => page.enter(client), { class: "quiet" }));
    });
    return element("section", {}, heading(page, "people"), element("p", { class: "hint" }, language.say("people_words")), element("ul", { class: "people" }, ...known), others(page));
  }

  /** @param {Page} page */
  function others(page) {
    return element("div", { class: "actions others" }, button(page.language.say("somebody_else"), () => page.openProfile(), { class: "quiet" }));
  }

  var steps = /*#__PURE__*/Object.freeze({
    __proto__: null,
    closed: closed,
    done: done,
    people: people,
    questions: questions,
    review: review,
    waiting: waiting,
    welcome: welcome
  });

  /** The page: who answers, where they are on the way, and what is kept in memory of it until the page is left. */


  /** @typedef {Client} Client */
  /** @typedef {Given} Given */
  /** @typedef {Values} Values */
  /** @typedef {keyof typeof steps} Step */

  /**
   * @typedef {object} Config What the page was made with
   * @property {any} plan
   * @property {string} fingerprint
   * @property {string} collector where reports are sent; empty for whoever serves the page
   * @property {string} organisation
   * @property {string} contact
   * @property {string} notice the address of the privacy notice
   * @property {string[]} languages
   * @property {Record<string, Messages>} messages
   */

  /** The steps between which a person goes back and forth before anything is drawn. */
  const OPEN = ["welcome", "questions", "review"];

  /** Where everything is that the steps show. */
  class Page {
    /** @type {Step} */ step = "welcome";
    /** What the form holds. @type {Map<string, Given>} */ answers = new Map();
    /** @type {Values | null} */ record = null;
    /** What was counted, and for whom it was drawn: shown once, kept nowhere. @type {Drawn | null} */ drawn = null;
    /** @type {Drawn | null} */ example = null;
    /** @type {{key: string, title?: string, values?: Record<string, string>}} */ why = { key: "lost" };
    /** Why the collector refuses, in its own words. */ reason = "";
    /** @type {(number: number) => void} */ focusField = () => {};
    /** One for each profile of this device. @type {Client[]} */ clients = [];
    /** @type {string[]} */ states = [];
    /** @type {Cost | null} */ cost = null;
    #busy = false;

    /** @param {Config} config */
    constructor(config) {
      this.config = config;
      this.language = this.#speak(chooseLanguage(config.languages, navigator.languages));
      this.pinned = location.hash.length > 1;
      this.address = `${config.collector || ""}/v1/plans/${config.fingerprint}`;
    }

    /** The person who answers now. @type {Client | undefined} */ #client;

    get client() {
      return /** @type {Client} */ (this.#client);
    }

    get plan() {
      return this.client.plan;
    }

    /** @param {string} code */
    #speak(code) {
      const language = new Language(this.config.messages[code], code);
      Object.assign(document.documentElement, { lang: code, dir: language.direction });
      const title = language.say("title");
      const heading = document.getElementById("title");
      if (heading && title) heading.textContent = title;
      if (title) document.title = title;
      return language;
    }

    /** Start: whoever answered before is told so, whatever waits is sent. */
    async start() {
      this.#chooser();
      addEventListener("popstate", ({ state }) => {
        if (OPEN.includes(this.step) && OPEN.includes(state?.step ?? "welcome")) this.#show(state?.step ?? "welcome");
      });
      addEventListener("online", () => this.step === "waiting" && this.send());
      if (!isSecureContext) return this.#close({ key: "insecure", title: "failed" });
      if (this.pinned && location.hash.slice(1) !== this.config.fingerprint) return this.#close({ key: "other_plan", title: "failed" });
      const ledger = await Ledger.open();
      const profiles = await ledger.profiles();
      for (let number = 1; number <= profiles; number += 1) this.clients.push(await this.#load(await ledger.ofProfile(number)));
      [this.#client] = this.clients;
      if (profiles === 1) return this.enter(this.clients[0]);
      this.states = await Promise.all(this.clients.map(stateOf));
      this.#show("people");
    }

    /** @param {Ledger} ledger */
    #load(ledger) {
      return load(this.address, { text: JSON.stringify(this.config.plan), ledger });
    }

    /** Let one more person of this device answer. */
    async openProfile() {
      const client = await this.#load(await this.client.ledger.openProfile());
      this.clients.push(client);
      await this.enter(client);
    }

    /** Go where a person stands: to be asked, waiting, done, or not asked. @param {Client} client */
    async enter(client) {
      this.#client = client;
      this.answers.clear();
      [this.record, this.drawn, this.example, this.reason] = [null, null, null, ""];
      this.notify("");
      await this.#stand();
    }

    async #stand() {
      const { plan, ledger } = this.client;
      const [drawn, cost, today, wave] = await Promise.all([this.client.drawn(), this.client.cost(), ledger.today(), waveWords(this.client)]);
      this.cost = cost;
      if (drawn?.acknowledged) this.#show("done");
      else if (drawn?.report) await this.send(); // agreed to before, and not counted yet
      else if (drawn) this.#close({ key: "lost" });
      else if (cost.refusal !== null) this.#close({ key: "budget" });
      else if (wave) this.#close(wave);
      else if (plan.expires !== null && today > plan.expires) this.#close({ key: "ended" });
      else this.#show("welcome");
    }

    /** Send, and show what was sent once it was counted; draw before if there is a record. @param {Values} [record] */
    async send(record) {
      if (this.#busy) return;
      this.#busy = true;
      if (this.step === "review") for (const made of document.querySelectorAll("main button")) made.setAttribute("disabled", "");
      this.notify(this.language.say("sending"));
      try {
        const report = await this.client.send(record);
        this.answers.clear();
        if (report) this.drawn = { report, record: record ?? this.record };
        if (report || this.plan.waves === null) {
          this.#show("done");
          this.notify(this.language.say("counted"), "good");
        } else {
          this.notify("");
          await this.#stand();
        }
        this.record = null;
      } catch (error) {
        this.#failed(error);
      } finally {
        this.#busy = false;
      }
    }

    /** @param {unknown} error */
    #failed(error) {
      if (!(error instanceof SottovoceError)) throw error;
      this.notify("");
      if (error instanceof SendError) {
        this.reason = error.lasting ? error.message : "";
        this.#show("waiting");
      } else if (error instanceof RecordError) {
        this.#show("questions");
        this.notify(error.message, "bad");
      } else if (error instanceof StorageError) this.#close({ key: "no_storage" });
      else if (error instanceof BudgetError) this.#close({ key: "budget" });
      else this.fail(error);
    }

    /** Say that nothing can be done here. @param {Error} error */
    fail(error) {
      if (error instanceof StorageError) this.#close({ key: "no_storage", title: "failed" });
      else this.notify(`${this.language.say("failed")}: ${error.message}`, "bad");
    }

    /** The figures that messages about privacy name. @returns {Record<string, string>} */
    figures() {
      if (this.cost === null) return {};
      const { expires } = this.plan;
      const { epsilon, spent, deviceSpent, limits } = this.cost;
      return { date: expires === null ? "" : this.language.date(expires), epsilon, spent, device: deviceSpent, budget: limits.budget, device_budget: limits.deviceBudget, period: String(limits.period) };
    }

    /** Go to a step before the draw, and to one of its fields. @param {Step} step @param {number} [field] */
    go(step, field) {
      history.pushState({ step }, "");
      this.#show(step);
      if (field !== undefined) this.focusField(field);
    }

    /** @param {{key: string, title?: string, values?: Record<string, string>}} why */
    #close(why) {
      this.why = why;
      this.#show("closed");
    }

    /** @param {Step} step */
    #show(step) {
      const moved = step !== this.step || step === "waiting";
      this.step = step === "review" && this.record === null ? "questions" : step;
      this.#render();
      if (!moved) return;
      this.notify("");
      const heading = /** @type {HTMLElement | null} */ (document.querySelector("#step h2"));
      scrollTo(0, 0);
      heading?.focus({ preventScroll: true });
    }

    #render() {
      document.body.dataset.step = this.step;
      document.getElementById("step")?.replaceChildren(steps[this.step](this));
    }

    /** Say how things are, also to those who do not see it. @param {string} text @param {"good" | "bad" | ""} [mood] */
    notify(text, mood = "") {
      const notice = /** @type {HTMLElement} */ (document.getElementById("notice"));
      notice.textContent = text;
      notice.className = `notice ${mood}`;
    }

    /** Offer the other languages. */
    #chooser() {
      const { languages, messages } = this.config;
      const place = /** @type {HTMLElement} */ (document.getElementById("language"));
      if (languages.length < 2) return;
      const label = element("label", { for: "languages" }, this.language.say("choose_language"));
      const options = languages.map((code) => element("option", { value: code, lang: code }, messages[code].name));
      const select = element("select", { id: "languages" }, ...options);
      select.value = this.language.code;
      select.addEventListener("input", () => {
        this.language = this.#speak(select.value);
        label.textContent = this.language.say("choose_language");
        this.notify("");
        if (this.#client || this.step === "closed") this.#render();
      });
      place.replaceChildren(label, select);
    }
  }

  /** Return the words for where a person stands. @param {Client} client */
  async function stateOf(client) {
    const drawn = await client.drawn();
    if (!drawn) return "person_open";
    return drawn.report ? "person_waiting" : "person_answered";
  }

  /** Return why nobody is asked now, of a plan with waves; null if the person is. @param {Client} client */
  async function waveWords(client) {
    const { waves, collection } = client.plan;
    if (waves === null) return null;
    const now = waves.on(await client.ledger.today());
    const turn = (await client.ledger.find(collection)) === null ? now : await client.turn();
    if (turn === now) return now === null ? { key: "wave_none" } : null;
    if (now === null || turn === null || turn < now) return { key: "wave_over" };
    return { key: "wave_later", values: { turn: String(turn), count: String(waves.number) } };
  }

  /** The survey page, made by `sottovoce survey`: everything that it shows stands in its data, and nothing is fetched. */


  const page = new Page(JSON.parse(/** @type {string} */ (document.getElementById("data")?.textContent)));
  page.start().catch((error) => page.fail(error));

})();
