/** The one file that pages load is what the modules give, and needs nothing else. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { rollup } from "@rollup/wasm-node";

import config from "../rollup.config.js";

const shipped = readFileSync(new URL("../sottovoce.js", import.meta.url), "utf8");

test("sottovoce.js is what the build gives from src/", async () => {
  const input = fileURLToPath(new URL("../src/sottovoce.js", import.meta.url));
  const bundle = await rollup({ input, plugins: config.plugins });
  const { output } = await bundle.generate({ format: "es", banner: config.output.banner });
  assert.equal(output.length, 1);
  assert.equal(output[0].code, shipped, "sottovoce.js is not current: run npm run build in clients/js");
});

test("sottovoce.js imports nothing and leaves Math.random alone", () => {
  assert.doesNotMatch(shipped, /^import\b/m);
  assert.doesNotMatch(shipped, /Math\.random/);
});
