/** The ledger: what was drawn once is drawn for ever, what was spent adds up, and nothing of the answer stays. */

import "fake-indexeddb/auto";

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { IDBFactory, IDBObjectStore } from "fake-indexeddb";

import { BudgetError, Ledger, StorageError } from "../sottovoce.js";

const never = () => assert.fail("it was drawn again");
const twin = (/** @type {number} */ number, epsilon = "1") => ({
  collection: number.toString(16).padStart(64, "0"), epsilon, purpose: "to learn", maxEpsilon: "2",
});

/** Local storage of an older version, for a program that has none. */
class Notebook {
  constructor(/** @type {Record<string, string>} */ notes) {
    Object.assign(this, notes);
  }

  getItem(/** @type {string} */ key) {
    return /** @type {any} */ (this)[key] ?? null;
  }

  removeItem(/** @type {string} */ key) {
    delete /** @type {any} */ (this)[key];
  }
}

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory(); // a device that was never here before
});

test("of many that draw at the same time one draws and all get its report", async () => {
  const ledgers = await Promise.all([Ledger.open(), Ledger.open()]);
  let drawn = 0;
  const draws = Array.from({ length: 40 }, (_, place) => ledgers[place % 2].drawOnce(twin(1), () => `report ${(drawn += 1)}`));
  for (const kept of await Promise.all(draws)) assert.deepEqual(kept, { report: "report 1", wanted: false, acknowledged: false });
});

test("a draw that fails, or cannot be written down, is never made again", async () => {
  const ledger = await Ledger.open();
  await assert.rejects(ledger.drawOnce(twin(1), () => { throw new Error("the power is gone"); }), /power/);
  const put = IDBObjectStore.prototype.put;
  await assert.rejects(
    ledger.drawOnce(twin(2), () => {
      IDBObjectStore.prototype.put = () => { throw new DOMException("no room", "QuotaExceededError"); };
      return "report";
    }),
    { name: "StorageError", message: /no room/ },
  );
  IDBObjectStore.prototype.put = put;
  for (const number of [1, 2]) assert.deepEqual(await (await Ledger.open()).drawOnce(twin(number), never), { report: null, wanted: false, acknowledged: false });
  assert.equal((await ledger.cost(twin(3))).spent, "2");
});

test("where nothing can be written, nothing is drawn", async () => {
  const ledger = await Ledger.open();
  const put = IDBObjectStore.prototype.put;
  IDBObjectStore.prototype.put = () => { throw new DOMException("no room", "QuotaExceededError"); };
  await assert.rejects(ledger.drawOnce(twin(1), never), StorageError);
  IDBObjectStore.prototype.put = put;
  assert.equal(await ledger.find(twin(1).collection), null);
});

test("once it is acknowledged the mark stays, and not the answer", async () => {
  const ledger = await Ledger.open();
  await ledger.drawOnce(twin(1), () => "report");
  await ledger.acknowledge(twin(1).collection);
  assert.deepEqual(await ledger.drawOnce(twin(1), never), { report: null, wanted: false, acknowledged: true });
  assert.deepEqual((await ledger.entries()).map(({ collection, epsilon }) => [collection, epsilon]), [[twin(1).collection, "1"]]);
});

test("a report that is to be sent is known to be, until it is acknowledged", async () => {
  const ledger = await Ledger.open();
  const { collection } = twin(1);
  await ledger.drawOnce(twin(1), () => "report");
  await ledger.want(collection);
  assert.deepEqual(await ledger.find(collection), { report: "report", wanted: true, acknowledged: false });
  await ledger.acknowledge(collection);
  await ledger.want(collection);
  assert.deepEqual(await ledger.find(collection), { report: null, wanted: false, acknowledged: true });
});

test("each wave has its own report, and a collection is paid once", async () => {
  const ledger = await Ledger.open();
  await ledger.drawOnce(twin(1), () => "first");
  assert.deepEqual(await ledger.drawOnce(twin(1), () => "seventh", { wave: 7, length: 500 }), { report: "seventh", wanted: false, acknowledged: false });
  assert.equal((await ledger.find(twin(1).collection))?.report, "first");
  assert.equal((await ledger.cost(twin(2))).spent, "1");
});

test("a clock that is set back gives nothing back, and days that pass do", async () => {
  let now = new Date("2030-01-01T12:00:00Z");
  const ledger = await Ledger.open({ budget: 1, period: 30, clock: () => now });
  await ledger.drawOnce(twin(1), () => "report");
  for (const day of ["2019-01-01", "2030-01-30"]) {
    now = new Date(`${day}T00:00:00Z`);
    await assert.rejects(ledger.drawOnce(twin(2), never), BudgetError);
  }
  now = new Date("2030-01-31T00:00:00Z");
  await ledger.drawOnce(twin(2), () => "report");
  now = new Date("2030-01-01T00:00:00Z");
  assert.equal((await ledger.cost(twin(3))).spent, "1");
  assert.deepEqual((await ledger.entries()).map(({ day }) => day), ["2030-01-01", "2030-01-31"]);
});

test("two people on a device answer and spend apart, and together at most twice a budget", async () => {
  const first = await Ledger.open();
  const second = await first.openProfile();
  await first.drawOnce(twin(1), () => "mine");
  await second.drawOnce(twin(1), () => "yours");
  assert.equal((await (await (await Ledger.open()).ofProfile(2)).find(twin(1).collection))?.report, "yours");
  for (const ledger of [first, second]) for (let number = 2; number < 5; number += 1) await ledger.drawOnce(twin(number), () => "more");
  const third = await first.openProfile();
  await assert.rejects(third.drawOnce(twin(1), never), { name: "BudgetError", message: /all people on this device spent 8 of 8/ });
  for (const number of [0, 4, 1.5]) await assert.rejects(first.ofProfile(number), /profiles 1 to 3/);
});

test("what an older version kept in local storage is taken over, and gone from there", async () => {
  const [sent, waiting, damaged] = [1, 2, 3].map((number) => twin(number).collection);
  const notes = new Notebook({
    [`sottovoce.${sent}`]: JSON.stringify({ body: "4711", acknowledged: true }),
    [`sottovoce.${waiting}`]: JSON.stringify({ body: "4712", acknowledged: false }),
    [`sottovoce.${damaged}`]: "{",
    another: "page",
  });
  Object.defineProperty(globalThis, "localStorage", { value: notes, configurable: true });
  const ledger = await Ledger.open({ budget: 6 });
  assert.deepEqual(await ledger.find(sent), { report: null, wanted: false, acknowledged: true });
  assert.deepEqual(await ledger.find(waiting), { report: "4712", wanted: false, acknowledged: false });
  assert.deepEqual(await ledger.find(damaged), { report: null, wanted: false, acknowledged: false });
  assert.deepEqual(Object.keys(notes), ["another"]);
  assert.equal((await ledger.cost(twin(9))).spent, "6");
  await ledger.drawOnce(twin(1, "0.5"), never);
  assert.equal((await ledger.cost(twin(9))).spent, "4.5");
  Reflect.deleteProperty(globalThis, "localStorage");
});

for (const [name, options] of Object.entries({ budget: { budget: -1 }, deviceBudget: { deviceBudget: "much" }, period: { period: 0 } })) {
  test(`a ${name} that cannot be is refused`, async () => {
    await assert.rejects(Ledger.open(/** @type {any} */ (options)), { name: "BudgetError", message: new RegExp(name) });
  });
}
