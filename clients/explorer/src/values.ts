/** An attribute's numbers as a table: for whoever does not see the chart, or wants to copy them. */

import { levels } from "./attributes";
import type { Shown } from "./chart";
import { element } from "./dom";
import { type Scale, evidenceWords } from "./evidence";
import type { Attribute } from "./exploration";
import { levelWords, percent, percents } from "./words";

/** Return the table of all levels: their fractions with intervals among those chosen, and among everybody. */
export function valuesTable(attribute: Attribute, { overall, among }: Shown, scale: Scale): HTMLElement {
  const now = among ?? overall;
  const heads = [attribute.name, "fraction", "interval", ...(among ? ["everybody"] : []), "basis"];
  const rows = Array.from({ length: levels(attribute) }, (_, level) => {
    const cells = [
      element("data", { value: now.fractions[level] }, percent(now.fractions[level])),
      element(
        "span",
        { "data-low": now.lows[level], "data-high": now.highs[level] },
        percents(now.lows[level], now.highs[level]),
      ),
    ];
    if (among) cells.push(element("span", {}, percent(overall.fractions[level])));
    cells.push(
      element("span", { "data-evidence": now.evidence[level] }, evidenceWords(scale, now.evidence[level], true)),
    );
    const doubtful = { class: now.lows[level] > 0 ? "" : "unsure" };
    const name = element("th", { scope: "row" }, levelWords(attribute, level));
    return element("tr", doubtful, name, ...cells.map((cell) => element("td", { class: "number" }, cell)));
  });
  const head = element("tr", {}, ...heads.map((name) => element("th", { scope: "col" }, name)));
  const table = element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
  return element(
    "div",
    { class: "values", tabindex: 0, role: "region", "aria-label": `Values of ${attribute.name}` },
    table,
  );
}
