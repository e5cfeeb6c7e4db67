/** The survey page without a page: what is asked, how answers become values, and what is said of a report. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { makeAttribute } from "../src/attributes.js";
import { explain } from "../src/explain.js";
import { Plan } from "../src/plan.js";
import { answerName, hintOf, itemsOf, labelsOf, makeUp, readAnswer } from "../survey/items.js";
import { chooseLanguage, Language } from "../survey/language.js";

/** @param {string} code */
function language(code) {
  const path = new URL(`../../../src/sottovoce/views/survey_page/messages/${code}.json`, import.meta.url);
  return new Language(JSON.parse(readFileSync(path, "utf8")), code);
}

const [english, german] = [language("en"), language("de")];
/** @type {any[]} */
const vectors = JSON.parse(readFileSync(new URL("../../../vectors/plans.json", import.meta.url), "utf8"));
const load = (/** @type {any} */ { plan, fingerprint }) => Plan.parse(JSON.stringify(plan), fingerprint);

test("the language is the first that the browser asks for and the page has", () => {
  assert.equal(chooseLanguage(["en", "de"], ["fr", "de-AT", "en"]), "de");
  assert.equal(chooseLanguage(["pt-BR", "pt-PT"], ["pt-PT"]), "pt-PT");
  assert.equal(chooseLanguage(["en", "de"], ["fr"]), "en");
  assert.equal(chooseLanguage(["ar", "en"], []), "ar");
});

test("a message holds values as they are, and stays as it is without them", () => {
  assert.equal(english.say("range", { low: "{high}", high: "$&" }), "{high} to $&");
  assert.equal(english.say("range"), "{low} to {high}");
  assert.equal(english.percent(0.4754), "48%");
  assert.equal(english.percent(0.001), "0.1%");
});

for (const vector of vectors) {
  test(`whoever is made up for the plan "${vector.name}" can be asked, and what was sent is told truly`, async () => {
    const plan = await load(vector);
    const record = makeUp(plan);
    assert.equal(plan.levels(record).length, plan.attributes.length);
    for (const item of itemsOf(plan)) assert.ok(answerName(item, record, german));
    const step = Math.ceil(plan.count / 40);
    for (let index = 0; index < plan.count; index += step) {
      const question = plan.question(index);
      const own = question.cell(plan.levels(record));
      const report = { plan: "", id: "", question: index, code: Number(question.channel.draw(own)) };
      const told = explain(plan, report, { record });
      assert.equal(told.own, Number(own));
      if (told.alternatives === null) continue;
      const chances = told.alternatives.map(({ chance }) => Number(chance));
      assert.ok(Math.abs(chances.reduce((sum, chance) => sum + chance, 0) - 1) < 1e-9, "chance sends one of them");
      const [sent, ...more] = told.alternatives.filter((one) => one.sent);
      assert.deepEqual(more, []);
      assert.deepEqual(sent.cells, (told.favoured ?? []).flatMap((marked, cell) => (marked ? [cell] : [])));
      const truthful = told.alternatives.filter(({ cells }) => cells.includes(Number(own)));
      const likely = truthful.reduce((sum, { chance }) => sum + Number(chance), 0);
      assert.ok(Math.abs(likely - told.truthful) < 1e-9, "what speaks for the true group has the chance that is told");
    }
  });
}

/** @param {any[]} attributes */
const asked = (...attributes) => {
  const plan = { attributes: attributes.map((one) => makeAttribute({ nullable: false, ...one })), choices: new Map() };
  return itemsOf(/** @type {any} */ (plan));
};

const ordinal = { type: "ordinal", name: "n", low: 0, high: 99, clip: false };

test("the control fits what is asked", () => {
  const numeric = { type: "numeric", name: "x", low: 0, high: 1, bins: 2, edges: null, clip: false };
  const categorical = (/** @type {number} */ count) => ({ type: "categorical", name: "c", values: Array.from({ length: count }, (_, i) => `v${i}`) });
  const dates = { ...ordinal, low: 1, high: 2, date: ["2020-01-01", "2024-01-01", "2026-12-31"], labels: ["2020-01-01 to 2023-12-31", "2024-01-01 to 2026-12-31"] };
  const items = asked(ordinal, { ...ordinal, high: 6 }, numeric, categorical(7), categorical(8), dates, { ...ordinal, high: 23, date: "hour" });
  assert.deepEqual(items.map(({ control }) => control), ["number", "radio", "number", "radio", "select", "date", "select"]);
  assert.equal(labelsOf(items[5].attributes[0], german)[0], "1. Januar 2020 bis 31. Dezember 2023");
});

test("what was typed becomes a value, or is told to be wrong", () => {
  const [whole, clipped, open] = asked(ordinal, { ...ordinal, clip: true }, { ...ordinal, nullable: true });
  assert.deepEqual(readAnswer(whole, " 34 ", english), { values: { n: 34 } });
  assert.deepEqual(readAnswer(whole, "", english), { wrong: "Please answer this." });
  assert.deepEqual(readAnswer(whole, "3e400", english), { wrong: "Please enter a number." });
  assert.deepEqual(readAnswer(whole, "3.5", english), { wrong: "Please enter a whole number." });
  assert.deepEqual(readAnswer(whole, "100", english), { wrong: "This is not possible here. A whole number, 0 to 99." });
  assert.deepEqual(readAnswer(clipped, "100", english), { values: { n: 100 } });
  assert.deepEqual(readAnswer(open, "", english), { values: { n: null } });
  assert.match(hintOf(open, german), /Lassen Sie es leer/);
});
