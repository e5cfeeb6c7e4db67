/** The strongest pairs: those that can be told from chance, how sure that is, and how many could not be told. */

import { button, element } from "./dom";
import { evidenceWords } from "./evidence";
import type { Exploration, Pair } from "./exploration";

const LISTED = 10;

/** Return the list of pairs; a pair that is clicked is shown on the map. */
export function pairsCard(about: Exploration, show: (places: Pair["places"]) => void): HTMLElement {
  const told = about.pairs.filter((pair) => pair.told);
  const head = element(
    "tr",
    {},
    element("th", { scope: "col" }, "pair"),
    element("th", { scope: "col", colspan: 2 }, "Cramér's V, and its interval"),
  );
  const rows = told.slice(0, LISTED).map((pair) => pairRow(about, pair, show));
  const table = element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
  return element(
    "section",
    { class: "card pairs", "aria-label": "Strongest pairs" },
    element("header", {}, element("h2", {}, "Strongest pairs")),
    element("p", { class: "untold" }, toldWords(told.length, about.pairs.length)),
    ...(told.length ? [table] : []),
    element(
      "p",
      { class: "hint" },
      "0 is unrelated, 1 is fixed by each other; among everybody. Intervals hold for all pairs together.",
    ),
  );
}

function pairRow(about: Exploration, pair: Pair, show: (places: Pair["places"]) => void): HTMLElement {
  const { places, strength, low, high, evidence } = pair;
  const names = places.map((place) => about.attributes[place].name);
  const basis = evidenceWords(about.evidence, evidence ?? NaN, true);
  const open = button(names.join(" and "), () => show(places), { class: "link" });
  const bar = element("div", { class: "strength" });
  bar.style.width = `${100 * Math.min(strength, 1)}%`;
  const doubt = element("div", { class: "reach" });
  doubt.style.left = `${100 * low}%`;
  doubt.style.width = `${100 * (high - low)}%`;
  const interval = element("span", { class: "basis" }, `${low.toFixed(2)}–${high.toFixed(2)}`);
  return element(
    "tr",
    {},
    element("td", {}, open, element("span", { class: "basis" }, basis)),
    element("td", { class: "wide" }, element("div", { class: "scale" }, bar, doubt)),
    element("td", { class: "number" }, strength.toFixed(2), interval),
  );
}

/** Return in words how many pairs could be told from chance, and how many of them are listed. */
function toldWords(told: number, pairs: number): string {
  const untold = pairs - told;
  const all = pairs === 1 ? "The one pair" : `None of the ${pairs} pairs`;
  if (!told) return `${all} ${pairs === 1 ? "cannot" : "can"} be told from chance by these reports.`;
  const more = told > LISTED ? ` ${told - LISTED} weaker ones are not listed.` : "";
  if (!untold) return `${pairs === 1 ? "It" : `All ${pairs}`} can be told from chance.${more}`;
  const left = untold === 1 ? "is" : "are";
  return `${untold} of ${pairs} pairs could not be told from chance, and ${left} not listed.${more}`;
}
