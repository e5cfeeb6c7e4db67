/** Joins the modules of src/ into the one file that pages load; comments stay, so that it can be read and audited. */

const typesInOneFile = {
  name: "types-in-one-file",
  /** Drop what names a type's module: all of them are in this file now. @param {string} code */
  renderChunk: (code) => code.replace(/^\/\*\* @typedef \{import\(.*\n/gm, "").replace(/\bimport\("[^"]*"\)\./g, ""),
};

const banner = "// Sottovoce for browsers, joined from src/ by `npm run build`: edit there. The overview is at the end.";

export default {
  input: "src/sottovoce.js",
  output: { file: "sottovoce.js", format: "es", banner },
  plugins: [typesInOneFile],
};
