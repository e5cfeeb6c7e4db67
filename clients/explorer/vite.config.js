/** Joins src/ into one program and one style sheet, which the Python package carries and puts into every page. */

import { fileURLToPath } from "node:url";

import { defineConfig } from "vite";

const path = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

export default defineConfig({
  root: path("."),
  logLevel: "warn",
  build: {
    outDir: path("../../src/sottovoce/views/explorer/static"),
    emptyOutDir: true,
    target: "es2022",
    lib: {
      entry: path("src/main.ts"),
      formats: ["iife"],
      name: "sottovoceExplorer",
      fileName: () => "explorer.js",
      cssFileName: "explorer",
    },
  },
});
