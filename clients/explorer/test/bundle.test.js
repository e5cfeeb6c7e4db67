/** What the Python package carries is what the build gives. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { build } from "vite";

const shipped = (/** @type {string} */ name) =>
  readFileSync(new URL(`../../../src/sottovoce/views/explorer/static/${name}`, import.meta.url), "utf8");

test("the shipped program and style are what the build gives from src/", async () => {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const built = await build({ root, build: { write: false } });
  const [{ output }] = /** @type {import("vite").Rollup.RollupOutput[]} */ (built);
  const files = Object.fromEntries(
    output.map((file) => [file.fileName, file.type === "chunk" ? file.code : file.source]),
  );
  assert.deepEqual(Object.keys(files).sort(), ["explorer.css", "explorer.js"]);
  for (const [name, text] of Object.entries(files)) {
    assert.equal(text, shipped(name), `${name} is not current: run npm run build in clients/explorer`);
  }
});

test("the shipped program can stand within a script element", () => {
  assert.doesNotMatch(shipped("explorer.js"), /<\/script|<!--/i);
  assert.doesNotMatch(shipped("explorer.css"), /<\/style|@import|url\((?!data:)/i);
});
