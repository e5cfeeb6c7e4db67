/** Joins modules into the files that pages load; comments stay, so that they can be read and audited. */

const typesInOneFile = {
  name: "types-in-one-file",
  /** Drop what names a type's module: all of them are in this file now. @param {string} code */
  renderChunk: (code) => code.replace(/^\/\*\* @typedef \{import\(.*\n/gm, "").replace(/\bimport\("[^"]*"\)\./g, ""),
};

const banner = "// Sottovoce for browsers, joined from src/ by `npm run build`: edit there. The overview is at the end.";
const surveyBanner = "// The survey page of Sottovoce, joined from clients/js by `npm run build`: edit there.";

/** The client, which pages of one's own import, and the survey page's program, which the Python package carries. */
export default [
  { input: "src/sottovoce.js", output: { file: "sottovoce.js", format: "es", banner }, plugins: [typesInOneFile] },
  {
    input: "survey/main.js",
    output: { file: "../../src/sottovoce/views/survey_page/static/survey.js", format: "iife", banner: surveyBanner },
    plugins: [typesInOneFile],
  },
];
