/** Prints the hash by which browsers check sottovoce.js, and writes it into README.md where the last one stands. */

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

/** @param {string} name */
const beside = (name) => new URL(name, import.meta.url);

const integrity = `sha384-${createHash("sha384").update(readFileSync(beside("sottovoce.js"))).digest("base64")}`;
const readme = readFileSync(beside("README.md"), "utf8");
writeFileSync(beside("README.md"), readme.replace(/sha384-[A-Za-z0-9+/]{64}/g, integrity));
console.log(integrity);
