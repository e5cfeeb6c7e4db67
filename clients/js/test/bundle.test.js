/** The files that pages load are what the modules give, and need nothing else. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { rollup } from "@rollup/wasm-node";

import configs from "../rollup.config.js";

const path = (/** @type {string} */ name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

for (const { input, output, plugins } of configs) {
  const shipped = readFileSync(path(output.file), "utf8");
  const name = output.file.split("/").at(-1);

  test(`${name} is what the build gives from ${input}`, async () => {
    const bundle = await rollup({ input: path(input), plugins });
    const { output: built } = await bundle.generate(/** @type {import("@rollup/wasm-node").OutputOptions} */ (output));
    assert.equal(built.length, 1);
    assert.equal(built[0].code, shipped, `${name} is not current: run npm run build in clients/js`);
  });

  test(`${name} imports nothing and leaves Math.random alone`, () => {
    assert.doesNotMatch(shipped, /^import\b/m);
    assert.doesNotMatch(shipped, /Math\.random/);
  });
}

test("the survey page's program can stand within a script element, and makes no markup of texts", () => {
  const program = readFileSync(path(configs[1].output.file), "utf8");
  assert.doesNotMatch(program, /<\/script|<!--/i);
  assert.doesNotMatch(program, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/);
});
