/** What npm packs is what the build gives: one file, its types and its hash, and a TypeScript program can use it. */

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
/** @param {string} name */
const read = (name) => readFileSync(join(root, name), "utf8");

/** Compile, and return what the compiler says: nothing if all is well. @param {string[]} given */
const compile = (...given) => spawnSync(process.execPath, [compiler, ...given], { encoding: "utf8", timeout: 300_000 }).stdout;

test("the types are those of sottovoce.js", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "sottovoce-types-"));
  context.after(() => rmSync(folder, { recursive: true }));
  assert.equal(compile("--project", join(root, "tsconfig.types.json"), "--outDir", folder), "");
  const made = readFileSync(join(folder, "sottovoce.d.ts"), "utf8");
  assert.equal(made, read("sottovoce.d.ts"), "sottovoce.d.ts is not current: run npm run build in clients/js");
});

test("README.md names the hash of sottovoce.js, and no other", () => {
  const hash = `sha384-${createHash("sha384").update(readFileSync(join(root, "sottovoce.js"))).digest("base64")}`;
  assert.deepEqual(read("README.md").match(/sha384-[A-Za-z0-9+/=]+/g), [hash], "run npm run build in clients/js");
});

test("the package holds the file, its types and the licence; TypeScript finds them, and sees a wrong call", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "sottovoce-package-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const given = ["pack", "--json", "--offline", "--pack-destination", folder];
  const [packed] = JSON.parse(execFileSync("npm", given, { cwd: root, encoding: "utf8", timeout: 300_000 }));
  const names = packed.files.map((/** @type {{path: string}} */ file) => file.path).sort();
  assert.deepEqual(names, ["LICENSE", "README.md", "package.json", "sottovoce.d.ts", "sottovoce.js"]);
  assert.equal(read("LICENSE"), readFileSync(join(root, "..", "..", "LICENSE"), "utf8"));

  mkdirSync(join(folder, "node_modules", "sottovoce"), { recursive: true });
  execFileSync("tar", ["-xzf", join(folder, packed.filename), "-C", join(folder, "node_modules", "sottovoce"), "--strip-components=1"]);
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  writeFileSync(
    join(folder, "page.ts"),
    `import { Sottovoce, SendError } from "sottovoce";
const client = await Sottovoce.load("https://collector.example/v1/plans/abc", { maxEpsilon: 1 });
const purpose: string = client.plan.purpose;
try {
  const sent: { question: number; code: number } | null = await client.send({ age: 34, region: "north" });
  console.log(purpose, sent?.code);
} catch (error) {
  if (error instanceof SendError) console.log(error.lasting);
}
// @ts-expect-error an address is a text
await Sottovoce.load(34);
`,
  );
  const options = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom,dom.iterable"];
  assert.equal(compile(...options, join(folder, "page.ts")), "");
  const loaded = 'import { Sottovoce } from "sottovoce"; console.log(typeof Sottovoce.load);';
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", loaded], { cwd: folder, encoding: "utf8" });
  assert.equal(said.trim(), "function");
});
