/** Plans that cannot be trusted, records that do not fit, and the rule that a report is drawn once. */

import "fake-indexeddb/auto";

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { beforeEach, test } from "node:test";

import { IDBFactory } from "fake-indexeddb";

import { canonical, hexadecimal, sha256 } from "../src/digest.js";
import {
  BudgetError, Client, explain, Ledger, Log, Plan, PlanError, RecordError, Sottovoce, SottovoceError, StorageError,
} from "../sottovoce.js";

/** @type {any[]} */
const plans = JSON.parse(readFileSync(new URL("../../../vectors/plans.json", import.meta.url), "utf8"));
const mixed = plans.find((vector) => vector.name === "hdg");
const pair = plans.find((vector) => vector.name === "product family");
const address = (/** @type {string} */ fingerprint) => `https://collector.example/v1/plans/${fingerprint}`;

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory(); // a device that was never here before
});

/** @param {any} vector @param {Record<string, any>} [options] */
async function makeClient(vector, options = {}) {
  const plan = await Plan.parse(JSON.stringify(vector.plan), vector.fingerprint);
  return new Client(plan, address(vector.fingerprint), { ...options, ledger: options.ledger ?? (await Ledger.open()) });
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
  await assert.rejects(makeClient(await publish(document)), { name: "PlanError", message: /not for browsers/ });
});

test("the collection is the same after shares, version and expiry change, the fingerprint is not", async () => {
  const document = { ...structuredClone(mixed.plan), version: 2, expires: "2040-01-01" };
  document.families[0].shares += 1;
  document.families[1].shares -= 1;
  const { plan } = await makeClient(await publish(document));
  assert.equal(plan.collection, mixed.collection);
  assert.notEqual(plan.fingerprint, mixed.fingerprint);
});

test("a record is checked as a whole before anything is drawn", async () => {
  const client = await makeClient(mixed);
  const whole = mixed.records[0];
  const wrong = [
    { ...whole, age: 120 }, { ...whole, age: "34" }, { ...whole, extra: 1 }, { ...whole, dose: Number.NaN },
    { ...whole, income: undefined }, {}, [], null, "record",
  ];
  for (const record of wrong) await assert.rejects(client.report(/** @type {any} */ (record)), RecordError);
  assert.deepEqual(await client.ledger.entries(), []);
});

test("a report is drawn once, however often it is asked for and by whichever page; another record is refused", async () => {
  const client = await makeClient(pair);
  assert.equal(await client.drawn(), null);
  const reports = await Promise.all(Array.from({ length: 20 }, () => client.report({ ...pair.records[0] })));
  for (const report of reports) assert.deepEqual(report, reports[0]);
  await assert.rejects(client.report(pair.records[1]), /another record.*client\.draw/);
  assert.deepEqual(await (await makeClient(pair)).report(pair.records[1]), reports[0]);
  assert.deepEqual(await client.drawn(), { report: reports[0], acknowledged: false });
});

test("a fresh draw is another report each time, and is written down nowhere", async () => {
  const client = await makeClient(pair);
  const ids = new Set(Array.from({ length: 20 }, () => client.draw(pair.records[0]).id));
  assert.equal(ids.size, 20);
  assert.equal(await client.drawn(), null);
  assert.deepEqual(await client.ledger.entries(), []);
});

test("a report names its collection, 128 bits, a question and a code", async () => {
  const client = await makeClient(mixed);
  const report = await client.report(mixed.records[0]);
  assert.deepEqual(Object.keys(report), ["plan", "id", "question", "code"]);
  assert.equal(report.plan, mixed.collection);
  assert.match(report.id, /^[0-9a-f]{32}$/);
  assert.ok(BigInt(report.code) < client.plan.question(report.question).channel.codes);
});

test("a report names its plan only where a log that somebody mirrors lists it, and a plan that is in no such log is refused", async () => {
  const listed = { number: 1, day: "2030-01-01", fingerprint: pair.fingerprint, collection: pair.collection, previous: "0".repeat(64) };
  const log = await Log.parse(JSON.stringify({ format: "sottovoce-log-1", entries: [listed] }));
  const client = await makeClient(pair, { log });
  assert.equal((await client.report(pair.records[0])).plan, pair.fingerprint);
  const ownPlan = await publish({ ...pair.plan, version: 7 }); // the same collection, for one person
  await assert.rejects(makeClient(ownPlan, { log }), { name: "PlanError", message: /not in the log/ });
  await assert.rejects(
    Sottovoce.load("https://collector.example/v1/plans/" + pair.fingerprint, { log: "https://collector.example/v1/log" }),
    { name: "PlanError", message: /the collector's own, which proves nothing/ },
  );
});

test("of twenty twins of a plan a device answers four, and none above the largest epsilon", async () => {
  const ledger = await Ledger.open();
  const answered = [];
  for (let number = 0; number < 20; number += 1) {
    const twin = await makeClient(await publish({ ...pair.plan, purpose: "why" + " ".repeat(number) }), { ledger });
    try {
      answered.push(await twin.report(pair.records[0]));
    } catch (error) {
      assert.ok(error instanceof BudgetError);
      assert.match(error.message, /you spent 4 of 4 in the last 365 days/);
    }
  }
  assert.equal(answered.length, 4);
  const large = await publish({ ...pair.plan, epsilon: "20" });
  await assert.rejects(makeClient(large, { ledger }), { name: "BudgetError", message: /asks for epsilon 20.*at most 2/ });
  const raised = await makeClient(large, { ledger: await Ledger.open({ budget: 30 }), maxEpsilon: 20 });
  assert.match((await raised.cost()).words, /raised the limit of one collection from 2 to 20\. This program raised the budget/);
  await raised.report(pair.records[0]);
});

test("a collection that was answered is not answered again through refreshed shares, version or dates", async () => {
  const report = await (await makeClient(mixed)).report(mixed.records[0]);
  const document = { ...structuredClone(mixed.plan), version: 2, expires: "2040-01-01" };
  document.families[0].shares += 1;
  document.families[1].shares -= 1;
  const client = await makeClient(await publish(document));
  assert.deepEqual(await client.report(mixed.records[0]), report);
  assert.equal((await client.ledger.entries()).length, 1);
});

test("who answered the first round of a collection does not answer the second, nor the other way round", async () => {
  const second = plans.find((vector) => vector.name === "second round");
  const { parent, ...document } = structuredClone(second.plan);
  document.version = 1;
  document.parameters = { g2: document.parameters.g2 };
  document.tables = document.tables.filter((/** @type {any} */ table) => "identity" in table);
  document.families = document.families.slice(0, document.schema.attributes.length);
  for (const family of document.families) family.shares = 2 ** 32 / document.families.length;
  const first = await publish(document);
  for (const [earlier, later] of [[first, second], [second, first]]) {
    globalThis.indexedDB = new IDBFactory();
    const report = await (await makeClient(earlier)).report(second.records[0]);
    const client = await makeClient(later);
    assert.equal(client.plan.collection, parent);
    assert.deepEqual(await client.report(second.records[0]), report);
    assert.equal((await client.ledger.entries()).length, 1);
  }
});

test("what was counted is forgotten, and not answered again", async (context) => {
  const client = await makeClient(pair);
  const bodies = /** @type {string[]} */ ([]);
  context.mock.method(globalThis, "fetch", async (/** @type {URL} */ url, /** @type {RequestInit} */ { body }) => {
    assert.equal(url.pathname, `/v1/plans/${pair.collection}/reports`);
    bodies.push(String(body));
    return new Response('{"counted":1,"duplicate":0,"refused":[]}');
  });
  const report = await client.send(pair.records[0]);
  assert.deepEqual(bodies, [JSON.stringify(report)]);
  assert.deepEqual(await client.drawn(), { report: null, acknowledged: true });
  assert.equal(await client.send(), null);
  assert.equal(await (await makeClient(pair)).send(pair.records[1]), null);
  await assert.rejects(client.report(pair.records[0]), { name: "StorageError", message: /answered on this device/ });
  assert.equal(bodies.length, 1);
});

test("where there is no ledger, there is no client", () => {
  assert.throws(() => new Client(/** @type {any} */ ({ epsilon: "1" }), "", /** @type {any} */ ({})), StorageError);
});

test("an expired plan is not answered", async () => {
  const client = await makeClient(await publish({ ...mixed.plan, expires: "2020-01-01" }));
  await assert.rejects(client.report(mixed.records[0]), { name: "PlanError", message: /ended on 2020-01-01/ });
  assert.deepEqual(await client.ledger.entries(), []);
});

test("an address where no collector listens, and one that names no plan, give errors of ours", async () => {
  await assert.rejects(Sottovoce.load(`http://127.0.0.1:9/v1/plans/${pair.fingerprint}`), SottovoceError);
  await assert.rejects(Sottovoce.load("http://127.0.0.1:9/v1/plans/x"), { name: "PlanError", message: /own word proves nothing/ });
});

test("an explanation names the groups and shows which of them the code speaks for", async () => {
  const client = await makeClient(mixed);
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
  assert.deepEqual(region.axes, [{ name: "région 🧭", groups: ["north", "südlich", "東", "\u00ff\uffee", "no answer"], mixed: false }]);
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

const dated = plans.find((vector) => vector.name === "dated waves");
const undated = plans.find((vector) => vector.name === "waves");

/** Collect what is posted, for the length of a test. @param {import("node:test").TestContext} context */
function collect(context) {
  /** @type {any[]} */
  const posted = [];
  context.mock.method(globalThis, "fetch", async (/** @type {any} */ _url, /** @type {any} */ options) => {
    posted.push(JSON.parse(options.body));
    return Response.json({ counted: 1, duplicate: 0, refused: [] });
  });
  return posted;
}

test("a device reports in the wave that it drew, and in no other", async (context) => {
  const posted = collect(context);
  let day = "2027-01-05";
  const ledger = await Ledger.open({ clock: () => new Date(`${day}T12:00:00Z`) });
  const turn = await (await makeClient(dated, { ledger })).turn();
  for (const [week, when] of ["2027-01-05", "2027-01-12", "2027-01-19"].entries()) {
    day = when;
    for (let page = 0; page < 2; page += 1) {
      const client = await makeClient(dated, { ledger });
      assert.equal(await client.turn(), turn);
      const sent = await client.send(dated.records[0]);
      assert.equal(sent !== null, week + 1 === turn && page === 0);
    }
  }
  assert.equal(posted.length, 1);
  const { perWave } = (await makeClient(dated, { ledger })).plan;
  assert.equal(Math.floor(posted[0].question / perWave) + 1, turn);
  assert.equal((await ledger.entries()).length, 1);
});

test("what was drawn in its turn and not counted is sent later, whichever wave it is then", async (context) => {
  const client = await makeClient(undated, { attempts: 1 });
  const turn = await client.turn();
  const other = turn === 1 ? 2 : 1;
  assert.equal(await client.send(undated.records[0], { wave: other }), null);
  assert.equal(await client.pending(), false);
  context.mock.method(globalThis, "fetch", async () => { throw new TypeError("offline"); });
  await assert.rejects(client.send(undated.records[0], { wave: turn }), SottovoceError);
  assert.equal(await client.pending(), true);
  const drawn = await client.drawn();
  const posted = collect(context);
  assert.deepEqual(await client.send(undated.records[0], { wave: other }), drawn?.report);
  assert.deepEqual(posted, [drawn?.report]);
  assert.equal(await client.send(undated.records[0], { wave: turn }), null);
});

for (const vector of [dated, undated]) {
  test(`turns of the plan "${vector.name}" are drawn by wave and share`, async () => {
    // Pearson's chi-square over all questions of all waves, by Wilson and Hilferty; fails a correct client once in 10^6 runs
    const { plan } = await makeClient(vector);
    const waves = plan.waves?.number ?? 0;
    const [drawn, counts] = [20000, new Array(plan.count).fill(0)];
    for (let i = 0; i < drawn; i += 1) counts[plan.drawTurn()] += 1;
    const shares = vector.plan.families.flatMap((/** @type {any} */ family, /** @type {number} */ place) => {
      const count = plan.offsets[place + 1] - plan.offsets[place];
      if (Array.isArray(family.shares)) return family.shares;
      return Array.from({ length: count }, (_, i) => Math.floor(family.shares / count) + (i < family.shares % count ? 1 : 0));
    });
    assert.equal(shares.length * waves, plan.count);
    assert.equal(shares.reduce((/** @type {number} */ sum, /** @type {number} */ share) => sum + share, 0), 2 ** 32);
    const expected = counts.map((_, index) => (drawn * shares[index % plan.perWave]) / 2 ** 32 / waves);
    assert.ok(expected.every((each) => each >= 20), String(expected));
    const statistic = counts.reduce((sum, count, index) => sum + (count - expected[index]) ** 2 / expected[index], 0);
    const freedom = plan.count - 1;
    const tail = ((statistic / freedom) ** (1 / 3) - (1 - 2 / (9 * freedom))) / Math.sqrt(2 / (9 * freedom));
    assert.ok(tail < 4.75, `${statistic} of ${freedom} degrees of freedom`);
  });
}

test("a wave that is not there is refused", async () => {
  const client = await makeClient(undated);
  await assert.rejects(client.send(undated.records[0]), { name: "PlanError", message: /does not say when/ });
  await assert.rejects(client.send(undated.records[0], { wave: 4 }), { name: "PlanError", message: /from 1 to 3/ });
  await assert.rejects((await makeClient(pair)).turn(), { name: "PlanError", message: /no waves/ });
});
