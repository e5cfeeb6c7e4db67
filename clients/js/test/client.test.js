/** Plans that cannot be trusted, records that do not fit, and the rule that a report is drawn once. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { canonical, hexadecimal, sha256 } from "../src/digest.js";
import { Client, explain, Plan, PlanError, RecordError, Sottovoce, SottovoceError, StorageError } from "../sottovoce.js";

/** @type {any[]} */
const plans = JSON.parse(readFileSync(new URL("../../../vectors/plans.json", import.meta.url), "utf8"));
const mixed = plans.find((vector) => vector.name === "hdg");
const pair = plans.find((vector) => vector.name === "product family");
const address = (/** @type {string} */ fingerprint) => `https://collector.example/v1/plans/${fingerprint}`;

/** Local storage for a program that has none. */
class Notebook {
  constructor() {
    /** @type {Map<string, string>} */ this.notes = new Map();
  }

  getItem(/** @type {string} */ key) {
    return this.notes.get(key) ?? null;
  }

  setItem(/** @type {string} */ key, /** @type {string} */ value) {
    this.notes.set(key, value);
  }
}

/** @param {any} vector @param {Pick<Storage, "getItem" | "setItem">} storage */
async function makeClient(vector, storage) {
  return new Client(await Plan.parse(JSON.stringify(vector.plan), vector.fingerprint), address(vector.fingerprint), { storage });
}

/** Return a vector for a changed document. @param {any} plan */
const publish = async (plan) => ({ plan, fingerprint: hexadecimal(await sha256(canonical(plan))) });

test("a plan with one digit changed is refused", async () => {
  const text = JSON.stringify(pair.plan).replace('"users":1000', '"users":1001');
  await assert.rejects(Plan.parse(text, pair.fingerprint), { name: "PlanError", message: /altered/ });
  const claiming = JSON.stringify({ ...JSON.parse(text), fingerprint: pair.fingerprint });
  await assert.rejects(Plan.parse(claiming), { name: "PlanError", message: /altered/ });
});

test("a plan that states its own fingerprint is taken, one with nothing to compare with is not", async () => {
  const plan = await Plan.parse(JSON.stringify({ ...pair.plan, fingerprint: pair.fingerprint }));
  assert.equal(plan.fingerprint, pair.fingerprint);
  await assert.rejects(Plan.parse(JSON.stringify(pair.plan)), { name: "PlanError", message: /no fingerprint/ });
});

test("a plan that is another than the page expects is refused even if it is whole", async () => {
  const text = JSON.stringify({ ...pair.plan, fingerprint: pair.fingerprint });
  await assert.rejects(Plan.parse(text, mixed.fingerprint), { name: "PlanError", message: /altered/ });
});

for (const text of ["", "{", "[]", "null", "3", '"plan"', "{}", '{"format":"sottovoce-plan-1"}']) {
  test(`the text ${JSON.stringify(text)} is no plan`, async () => {
    await assert.rejects(Plan.parse(text, pair.fingerprint), PlanError);
  });
}

test("a plan whose codes exceed 2^53 is refused with the reason", async () => {
  const document = structuredClone(pair.plan);
  document.schema.attributes = ["a", "b", "c"].map((name) => ({ ...document.schema.attributes[0], name, low: 0, high: 2 ** 20 - 1 }));
  document.tables = [{ identity: 2 ** 20 }];
  document.families = [{ attributes: [0, 1, 2], tables: [[0], [0], [0]], channel: "local_hash", shares: 2 ** 32 }];
  await assert.rejects(makeClient(await publish(document), new Notebook()), { name: "PlanError", message: /not for browsers/ });
});

test("the collection is the same after shares, version and expiry change, the fingerprint is not", async () => {
  const document = { ...structuredClone(mixed.plan), version: 2, expires: "2040-01-01" };
  document.families[0].shares += 1;
  document.families[1].shares -= 1;
  const { plan } = await makeClient(await publish(document), new Notebook());
  assert.equal(plan.collection, mixed.collection);
  assert.notEqual(plan.fingerprint, mixed.fingerprint);
});

test("a record is checked as a whole before anything is drawn", async () => {
  const storage = new Notebook();
  const client = await makeClient(mixed, storage);
  const whole = mixed.records[0];
  const wrong = [
    { ...whole, age: 120 }, { ...whole, age: "34" }, { ...whole, extra: 1 }, { ...whole, dose: Number.NaN },
    { ...whole, income: undefined }, {}, [], null, "record",
  ];
  for (const record of wrong) await assert.rejects(client.report(/** @type {any} */ (record)), RecordError);
  assert.equal(storage.notes.size, 0);
});

test("a report is drawn once, however often it is asked for and by whichever page; another record is refused", async () => {
  const storage = new Notebook();
  const client = await makeClient(pair, storage);
  assert.equal(client.drawn, null);
  const report = await client.report(pair.records[0]);
  const written = storage.getItem(`sottovoce.${pair.collection}`);
  assert.deepEqual(await client.report({ ...pair.records[0] }), report);
  await assert.rejects(client.report(pair.records[1]), /another record.*client\.draw/);
  assert.deepEqual(await (await makeClient(pair, storage)).report(pair.records[1]), report);
  assert.equal(storage.getItem(`sottovoce.${pair.collection}`), written);
  assert.deepEqual(client.drawn, { report, body: JSON.stringify(report), acknowledged: false });
});

test("a fresh draw is another report each time, and is written down nowhere", async () => {
  const storage = new Notebook();
  const client = await makeClient(pair, storage);
  const ids = new Set(Array.from({ length: 20 }, () => client.draw(pair.records[0]).id));
  assert.equal(ids.size, 20);
  assert.equal(client.drawn, null);
  assert.equal(storage.notes.size, 0);
});

test("a report names the plan, 128 bits, a question and a code, and nothing of the record is written down", async () => {
  const storage = new Notebook();
  const client = await makeClient(mixed, storage);
  const report = await client.report(mixed.records[0]);
  assert.deepEqual(Object.keys(report), ["plan", "id", "question", "code"]);
  assert.equal(report.plan, mixed.fingerprint);
  assert.match(report.id, /^[0-9a-f]{32}$/);
  assert.ok(BigInt(report.code) < client.plan.question(report.question).channel.codes);
  assert.deepEqual([...storage.notes.keys()], [`sottovoce.${mixed.collection}`]);
  assert.deepEqual(Object.keys(JSON.parse([...storage.notes.values()][0])), ["body", "acknowledged"]);
});

test("where nothing can be remembered, nothing is drawn", async () => {
  const full = { getItem: () => null, setItem: () => { throw new Error("quota"); } };
  const forgetful = { getItem: () => null, setItem: () => {} };
  for (const storage of [full, forgetful]) {
    const client = await makeClient(pair, storage);
    await assert.rejects(client.send(pair.records[0]), StorageError);
  }
  assert.throws(() => new Client(/** @type {any} */ (null), "", {}), StorageError);
});

test("a note that cannot be read counts as an answer: nothing is drawn again", async () => {
  for (const note of ["", "yes", "{}", '{"body":3,"acknowledged":true}']) {
    const storage = new Notebook();
    storage.setItem(`sottovoce.${pair.collection}`, note);
    await assert.rejects((await makeClient(pair, storage)).report(pair.records[0]), StorageError);
    assert.equal(storage.getItem(`sottovoce.${pair.collection}`), note);
  }
});

test("an expired plan is not answered", async () => {
  const storage = new Notebook();
  const client = await makeClient(await publish({ ...mixed.plan, expires: "2020-01-01" }), storage);
  await assert.rejects(client.report(mixed.records[0]), { name: "PlanError", message: /ended on 2020-01-01/ });
  assert.equal(storage.notes.size, 0);
});

test("an address where no collector listens gives an error of ours", async () => {
  await assert.rejects(Sottovoce.load("http://127.0.0.1:9/v1/plans/x", { storage: new Notebook() }), SottovoceError);
});

test("an explanation names the groups and shows which of them the code speaks for", async () => {
  const client = await makeClient(mixed, new Notebook());
  for (let index = 0; index < client.plan.count; index += 1) {
    const { channel, shape } = client.plan.question(index);
    const code = Number(channel.codes - 1n);
    const told = explain(client.plan, { plan: mixed.fingerprint, id: "", question: index, code });
    assert.deepEqual(told.axes.map((axis) => axis.groups.length), shape);
    assert.ok(told.favoured);
    const weights = told.favoured.map((_, cell) => channel.weight(BigInt(cell), BigInt(code)));
    const pick = (/** @type {boolean} */ wanted) => weights.filter((_, cell) => told.favoured?.[cell] === wanted);
    assert.ok(pick(true).every((high) => pick(false).every((low) => high > low)));
    assert.equal(new Set(pick(true)).size + new Set(pick(false)).size, new Set(weights).size);
    assert.ok(Math.abs(told.ratio - Math.E) < 1e-12);
  }
  const region = explain(client.plan, { plan: "", id: "", question: 2, code: 0 });
  assert.deepEqual(region.axes, [{ name: "région 🧭", groups: ["north", "südlich", "東", "\u00ff\uffee", "no answer"] }]);
  assert.equal(region.question, "In which of these 5 groups are you, by région 🧭?");
});

for (const name of ["spectral narrow", "spectral pairs", "spectral mixed"]) {
  test(`codes of the plan "${name}" are drawn by their exact weights`, async () => {
    // Pearson's statistic over all codes that are expected at least five times; fails a correct client once in 10^9 runs
    const vector = plans.find((each) => each.name === name);
    const plan = await Plan.parse(JSON.stringify(vector.plan), vector.fingerprint);
    const [levels] = vector.levels;
    const [drawn, freedom] = [2000, { all: 0 }];
    let statistic = 0;
    for (let index = 0; index < plan.count; index += Math.ceil(plan.count / 60)) {
      const { channel, cell } = { channel: plan.question(index).channel, cell: plan.question(index).cell(levels) };
      const counts = new Array(Number(channel.codes)).fill(0);
      for (let i = 0; i < drawn; i += 1) counts[Number(channel.draw(cell))] += 1;
      counts.forEach((count, code) => {
        const expected = (drawn * Number(channel.weight(cell, BigInt(code)))) / Number(channel.scale);
        if (expected < 5) return;
        statistic += (count - expected) ** 2 / expected;
        freedom.all += 1;
      });
    }
    const tail = ((statistic / freedom.all) ** (1 / 3) - (1 - 2 / (9 * freedom.all))) / Math.sqrt(2 / (9 * freedom.all));
    assert.ok(freedom.all > 50 && tail < 6, `${statistic} of ${freedom.all} codes`);
  });
}
