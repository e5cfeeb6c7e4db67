/** What every chart is given and does. */

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
  /** Fit the picture into so many pixels; a tall one is a card's that was given the whole width. */
  resize(width: number, tall: boolean): void;
  draw(shown: Shown): void;
}

/** How a chart says what was chosen: while it is dragged, and when that is settled. */
export type Choose = (filter: Filter | null, settled: boolean) => void;

export const NOT_SURE = "its interval includes zero: perhaps nobody";

/** Return how far up an axis has to go for a level: to the end of its interval, if that is known. */
export function reachOf({ fractions, highs, evidence }: Distribution, level: number): number {
  return Number.isNaN(evidence[level]) ? fractions[level] : Math.max(fractions[level], highs[level]);
}

/** Return one level's fraction in words: among those chosen, and among everybody. */
export function levelReading(name: string, { overall, among }: Shown, level: number, scale: Scale): string {
  const now = among ?? overall;
  const interval = percents(now.lows[level], now.highs[level]);
  const doubt = now.lows[level] > 0 ? "" : `; perhaps nobody`;
  const all = among ? `; overall ${percent(overall.fractions[level])}` : "";
  const basis = evidenceWords(scale, now.evidence[level]);
  return `${name}: ${percent(now.fractions[level])} (${interval})${all}${doubt}${basis && `; ${basis}`}`;
}
