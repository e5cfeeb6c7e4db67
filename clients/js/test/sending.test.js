/** The same bytes until they are counted: what is tried again, when, and what is not. A real server answers as it is told. */

import "fake-indexeddb/auto";

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, beforeEach, test } from "node:test";

import { IDBFactory } from "fake-indexeddb";

import { pause, secondsUntil } from "../src/sending.js";
import { Ledger, SendError, Sottovoce, StorageError } from "../sottovoce.js";

/** @type {any[]} */
const plans = JSON.parse(readFileSync(new URL("../../../vectors/plans.json", import.meta.url), "utf8"));
const vector = plans.find((one) => one.name === "product family");
const COUNTED = [200, '{"counted":1,"duplicate":0,"refused":[]}'];

/** @type {string[]} */ let heard = [];
/** @type {any[][]} status, body and headers, one after the other; status 0 hangs up */ let answers = [];
let fetched = 0;

const server = createServer(async (request, response) => {
  if (request.method === "GET") {
    fetched += 1;
    return response.end(JSON.stringify(vector.plan));
  }
  let body = "";
  for await (const part of request) body += part;
  heard.push(body);
  const [status, text, headers] = answers.shift() ?? [500, "", {}];
  if (status === 0) return request.socket.destroy();
  return response.writeHead(status, headers).end(text);
});

let url = "";
before(async () => {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(null)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  url = `http://127.0.0.1:${port}/v1/plans/${vector.fingerprint}`;
});
after(() => server.close());
beforeEach(() => {
  [heard, answers, fetched] = [[], [], 0];
  globalThis.indexedDB = new IDBFactory(); // a device that was never here before
});

/** @param {number[]} waits */
const noting = (waits) => async (/** @type {number} */ milliseconds) => waits.push(milliseconds);

test("what fails is tried again with waits by chance, and not before the collector said", async () => {
  answers = [[0], [503, "{}", { "retry-after": "30" }], [502, "<html>"], [429, "{}"], COUNTED];
  /** @type {number[]} */ const waits = [];
  const client = await Sottovoce.load(url, { attempts: 5, wait: noting(waits) });
  const report = await client.send(vector.records[0]);
  assert.deepEqual(heard, Array.from({ length: 5 }, () => JSON.stringify(report)));
  const [first, told, third, fourth] = waits;
  assert.ok(first <= 1000 && told >= 30_000 && told <= 45_000 && third <= 4000 && fourth <= 8000, `${waits}`);
});

test("no two pages wait alike", () => {
  // of 32 bits: two of twenty waits are equal once in 10^7 runs
  for (const told of [null, 30]) assert.equal(new Set(Array.from({ length: 20 }, () => pause(1, told))).size, 20);
});

test("a collector that asks for a long wait is left alone, and says when", async () => {
  answers = [[503, "{}", { "retry-after": "3600" }], COUNTED];
  const client = await Sottovoce.load(url, { wait: noting([]) });
  await assert.rejects(client.send(vector.records[0]), (error) => error instanceof SendError && !error.lasting && error.retryAfter === 3600);
  assert.equal(heard.length, 1);
  assert.ok(await client.pending());
});

test("a lasting refusal is not tried again", async () => {
  for (const answer of [[410, '{"detail":"over"}'], [200, '{"counted":0,"duplicate":0,"refused":[{"index":0,"reason":"wrong plan"}]}']]) {
    answers = [answer, COUNTED];
    heard = [];
    globalThis.indexedDB = new IDBFactory();
    const client = await Sottovoce.load(url, { wait: noting([]) });
    await assert.rejects(client.send(vector.records[0]), (error) => error instanceof SendError && error.lasting);
    assert.equal(heard.length, 1);
  }
});

test("what could not be sent is sent by the next page, and once", async () => {
  answers = [[503, "{}"]];
  const client = await Sottovoce.load(url, { attempts: 1 });
  await assert.rejects(client.send(vector.records[0]), SendError);
  answers = [COUNTED];
  const next = await Sottovoce.load(url);
  assert.equal(await next.resume(), true); // the one that load began
  assert.equal(heard.length, 2);
  assert.equal(heard[0], heard[1]);
  assert.equal(await (await Sottovoce.load(url)).resume(), true);
  assert.equal(heard.length, 2);
});

test("a report that was only drawn is not sent by itself", async () => {
  const client = await Sottovoce.load(url);
  await client.report(vector.records[0]);
  assert.equal(await (await Sottovoce.load(url)).resume(), false);
  assert.deepEqual(heard, []);
});

test("while a report is being sent, asking again sends no other", async () => {
  const client = await Sottovoce.load(url);
  await client.report(vector.records[0]);
  answers = [COUNTED];
  const reports = await Promise.all([client.send(), client.send(), client.send()]);
  assert.equal(new Set(reports.map((report) => report?.id)).size, 1);
  assert.equal(heard.length, 1);
});

test("a ledger with no room for the wish to send still sends", async () => {
  const ledger = await Ledger.open();
  ledger.want = () => Promise.reject(new StorageError("no room"));
  answers = [COUNTED];
  const client = await Sottovoce.load(url, { ledger });
  await client.send(vector.records[0]);
  assert.equal(await client.pending(), false);
});

test("a time to come back is seconds or a date", () => {
  assert.equal(secondsUntil("30"), 30);
  assert.equal(secondsUntil(new Date(Date.now() - 5000).toUTCString()), 0);
  const soon = /** @type {number} */ (secondsUntil(new Date(Date.now() + 600_000).toUTCString()));
  assert.ok(soon > 0 && soon <= 600);
  for (const text of [null, "", "soon", "-3"]) assert.ok([null, 0].includes(secondsUntil(text)), `${text}`);
});
