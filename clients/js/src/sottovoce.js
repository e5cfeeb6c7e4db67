/**
 * Sottovoce for browsers: one module, no dependencies.
 *
 *     import { Sottovoce } from "./sottovoce.js";
 *     const client = await Sottovoce.load("https://collector.example/v1/plans/3f1c…");
 *     await client.send({ age: 34, income: 52000, region: "north" });
 *
 * A plan is a public list of questions. The client checks the whole record, draws one question, computes the cell that
 * the record falls into and draws a randomised code. Question and code are all that leaves the page. A report is drawn
 * **once** per collection: room for it is written down before the draw, the report before it is sent; whatever happens
 * after that, the same bytes are sent again, and forgotten when they are counted. A budget limits what all collections
 * together learn. Randomness is WebCrypto's, weights are integers out of 2^64: no float decides a draw.
 *
 * @module
 */

import { load } from "./client.js";

export { Client } from "./client.js";
export { BudgetError, PlanError, RecordError, SendError, SottovoceError, StorageError } from "./errors.js";
export { explain } from "./explain.js";
export { Ledger } from "./ledger.js";
export { Log } from "./log.js";
export { Plan } from "./plan.js";

/** The way in: `await Sottovoce.load(url)`. */
export const Sottovoce = Object.freeze({ load });
export default Sottovoce;
