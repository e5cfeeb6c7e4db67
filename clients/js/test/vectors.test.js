/** The vectors pin down what this client and the Python one must both compute. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { makeAttribute } from "../src/attributes.js";
import { costOf } from "../src/budget.js";
import { makeChannel } from "../src/channels/index.js";
import { bestPrime, Placement } from "../src/channels/local_hash.js";
import { canonical, hexadecimal, sha256 } from "../src/digest.js";
import { PlanError, RecordError } from "../src/errors.js";
import { Epsilon } from "../src/exact.js";
import { Log } from "../src/log.js";
import { Plan } from "../src/plan.js";
import { checkSignature } from "../src/signature.js";
import { makeTable } from "../src/tables.js";

/** @param {string} name @returns {any[]} */
const vectors = (name) => JSON.parse(readFileSync(new URL(`../../../vectors/${name}.json`, import.meta.url), "utf8"));

/** @param {any} value */
const readValue = (value) => (value !== null && typeof value === "object" && "number" in value ? Number(value.number) : value);

for (const { attribute: document, size, values, levels } of vectors("attributes")) {
  test(`every value of ${JSON.stringify(document)} has its level or is refused`, () => {
    const attribute = makeAttribute(document);
    assert.equal(attribute.size, size);
    values.forEach((/** @type {any} */ value, /** @type {number} */ i) => {
      if (levels[i] === null) assert.throws(() => attribute.level(readValue(value)), RecordError, JSON.stringify(value));
      else assert.equal(attribute.level(readValue(value)), levels[i], JSON.stringify(value));
    });
  });
}

for (const { table: document, levels, bins, bin } of vectors("tables")) {
  test(`table ${JSON.stringify(document)} puts every level into its bin`, () => {
    const table = makeTable(document);
    assert.ok(table.fits(levels) && !table.fits(levels + 1));
    assert.equal(table.bins, bins);
    assert.deepEqual(Array.from({ length: levels }, (_, level) => table.bin(level)), bin);
  });
}

for (const vector of vectors("channels")) {
  test(`${vector.kind} over ${vector.parts} cells at epsilon ${vector.epsilon} has the same integers`, async () => {
    const epsilon = new Epsilon(vector.epsilon);
    const placement = await Placement.make(epsilon, vector.seed);
    const channel = /** @type {any} */ (makeChannel(vector.kind, vector.parts, epsilon, placement));
    assert.equal(channel.kind, vector.becomes);
    const whole = { ...channel, keep: channel.response?.keep ?? channel.keep, other: channel.response?.other ?? channel.other };
    for (const [name, number] of Object.entries(vector.integers)) assert.equal(whole[name], BigInt(number), name);
    /** @type {[string, string][]} */
    const calls = [["points", "point"], ["hashes", "hash"], ["answers", "answer"]];
    for (const [list, method] of calls) {
      for (const numbers of vector[list] ?? []) {
        const given = numbers.map(BigInt);
        assert.equal(channel[method](...given.slice(0, -1)), given.at(-1), `${method} ${numbers}`);
      }
    }
    vector.weights?.forEach((/** @type {string[]} */ row, /** @type {number} */ cell) => row.forEach((weight, code) =>
      assert.equal(channel.weight(BigInt(cell), BigInt(code)), BigInt(weight), `cell ${cell}, code ${code}`)));
  });
}

test("local hashing takes the same prime at every epsilon", () => {
  for (const [epsilon, prime] of vectors("primes")) assert.equal(bestPrime(new Epsilon(epsilon)), BigInt(prime), epsilon);
});

for (const vector of vectors("plans")) {
  test(`the plan "${vector.name}" has the same fingerprint, questions, levels and cells`, async () => {
    assert.equal(canonical(vector.plan), vector.canonical);
    const plan = await Plan.parse(JSON.stringify(vector.plan), vector.fingerprint);
    assert.equal(plan.collection, vector.collection);
    assert.equal(plan.count, vector.questions.length);
    assert.deepEqual(vector.records.map((/** @type {any} */ record) => plan.levels(record)), vector.levels);
    vector.questions.forEach((/** @type {any} */ expected, /** @type {number} */ index) => {
      const question = plan.question(index);
      assert.deepEqual(
        { attributes: question.attributes, shape: question.shape, channel: question.channel.kind, share: question.share },
        { attributes: expected.attributes, shape: expected.shape, channel: expected.channel, share: expected.share },
      );
      assert.equal(question.channel.codes, BigInt(expected.codes));
      assert.deepEqual(vector.levels.map((/** @type {number[]} */ levels) => String(question.cell(levels))), expected.cells);
    });
    for (const [position, index] of vector.positions) assert.equal(plan.locate(position).index, index, String(position));
    assert.equal(plan.waves === null, vector.days === undefined);
    for (const [day, wave] of vector.days ?? []) {
      if (wave === "unknown") assert.throws(() => plan.waves?.on(day), PlanError);
      else assert.equal(plan.waves?.on(day), wave, day);
    }
  });
}

for (const { why, plan } of vectors("refused_plans")) {
  test(`a plan with ${why} is refused although its fingerprint is right`, async () => {
    const fingerprint = hexadecimal(await sha256(canonical(plan)));
    await assert.rejects(Plan.parse(JSON.stringify(plan), fingerprint), PlanError);
  });
}

vectors("budgets").forEach((vector, place) => {
  test(`a device spends the same and says the same in both languages (${place})`, () => {
    const { entries, limits, ...expected } = vector;
    const [budget, period, deviceBudget] = limits;
    const cost = costOf(vector, entries, { budget, period, deviceBudget }, vector);
    for (const name of ["spent", "deviceSpent", "refusal", "words"]) {
      assert.equal(/** @type {any} */ (cost)[name], expected[name], name);
    }
  });
});

vectors("logs").forEach(({ log, head }, place) => {
  test(`a log of plans has the same head, or is refused (${place})`, async () => {
    if (head === null) await assert.rejects(Log.parse(log), PlanError);
    else assert.equal((await Log.parse(log)).head, head);
  });
});

vectors("signatures").forEach(({ fingerprint, signature, key, good }, place) => {
  test(`a signature of a plan is good, or refused (${place})`, async () => {
    if (good) await checkSignature({ fingerprint }, signature, key);
    else await assert.rejects(checkSignature({ fingerprint }, signature, key), PlanError);
  });
});
