/** The survey page, made by `sottovoce survey`: everything that it shows stands in its data, and nothing is fetched. */

import { Page } from "./page.js";

const page = new Page(JSON.parse(/** @type {string} */ (document.getElementById("data")?.textContent)));
page.start().catch((error) => page.fail(error));
