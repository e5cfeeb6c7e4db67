/** What every chart is given and does; how a chart is saved as a picture. */

import type { Distribution } from "./crowd";
import { type Scale, evidenceWords } from "./evidence";
import type { Filter } from "./filters";
import { percent, percents } from "./words";

/** One attribute as it is to be shown. */
export interface Shown {
  /** Among everybody. */
  readonly overall: Distribution;
  /** Among those whom the filters on other attributes choose; null if there are none. */
  readonly among: Distribution | null;
  /** What is chosen of the attribute itself. */
  readonly filter: Filter | null;
}

export interface Chart {
  readonly svg: SVGSVGElement;
  /** What stands below the picture: fields for whoever does not drag. */
  readonly controls: HTMLElement | null;
  resize(width: number): void;
  draw(shown: Shown): void;
}

/** How a chart says what was chosen: while it is dragged, and when that is settled. */
export type Choose = (filter: Filter | null, settled: boolean) => void;

export const NOT_SURE = "its interval includes zero: perhaps nobody";

/** Return one level's fraction in words: among those chosen, and among everybody. */
export function levelReading(name: string, { overall, among }: Shown, level: number, scale: Scale): string {
  const now = among ?? overall;
  const interval = percents(now.lows[level], now.highs[level]);
  const doubt = now.lows[level] > 0 ? "" : `; perhaps nobody`;
  const all = among ? `; overall ${percent(overall.fractions[level])}` : "";
  const basis = evidenceWords(scale, now.evidence[level]);
  return `${name}: ${percent(now.fractions[level])} (${interval})${all}${doubt}${basis && `; ${basis}`}`;
}

const DRAWN = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "font-size"];
const WRITTEN = ["font-family", "font-weight", "text-anchor", "dominant-baseline", "opacity", "visibility", "display"];

/** Return a chart as a picture of its own: what the style sheet says is written into it. */
export function toPicture(svg: SVGSVGElement, background: string): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const [shown, written] = [svg, copy].map((root) => [root, ...root.querySelectorAll<SVGElement>("*")]);
  shown.forEach((original, place) => {
    const style = getComputedStyle(original);
    for (const name of [...DRAWN, ...WRITTEN]) written[place].setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "style", "tabindex", "role"]) written[place].removeAttribute(name);
  });
  for (const hidden of copy.querySelectorAll("[display=none]")) hidden.remove();
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const back = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  back.setAttribute("width", "100%");
  back.setAttribute("height", "100%");
  back.setAttribute("fill", background);
  copy.prepend(back);
  return new XMLSerializer().serializeToString(copy);
}
