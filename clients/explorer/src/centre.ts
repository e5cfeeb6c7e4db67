/** The mean and the median of an ordered attribute: from its distribution, with limits, and as a line of words. */

import { levelValues, valueAt } from "./attributes";
import { element } from "./dom";
import type { Ordered } from "./exploration";
import type { Limits } from "./limits";
import { roundedWords, valueWords } from "./words";

/** A number, and where the true one lies. */
export interface Limited {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Return the mean over those who answered; NaN if nobody did. */
export function mean(attribute: Ordered, fractions: Float64Array): number {
  let [sum, people] = [0, 0];
  levelValues(attribute).forEach((value, level) => {
    sum += value * fractions[level];
    people += fractions[level];
  });
  return sum / people;
}

/** Return the value below which half of those who answered lie, spread evenly within a level. */
export function median(attribute: Ordered, fractions: Float64Array): number {
  const count = levelValues(attribute).length;
  const half = fractions.subarray(0, count).reduce((sum, fraction) => sum + fraction, 0) / 2;
  let below = 0;
  for (let level = 0; level < count; level++) {
    if (below + fractions[level] >= half && fractions[level] > 0) {
      return valueAt(attribute, level + (half - below) / fractions[level]);
    }
    below += fractions[level];
  }
  return NaN;
}

/** Return the first and the last position at which a rising gap of such limits could be nothing, linear between. */
export function crossing(looked: readonly number[], gaps: readonly Limits[]): [number, number] {
  const last = looked.length - 1;
  if (!gaps.flat().every(Number.isFinite)) return [looked[0], looked[last]];
  const ends = [...looked].reverse();
  return [reaches(looked, (index) => gaps[index][1]), reaches(ends, (index) => -gaps[last - index][0])];
}

/** Return where a height first reaches nothing from below. */
function reaches(looked: readonly number[], height: (index: number) => number): number {
  const found = looked.findIndex((_, index) => height(index) >= 0);
  const index = found < 0 ? looked.length - 1 : found;
  if (index === 0) return looked[0];
  const [below, above] = [height(index - 1), height(index)];
  const part = above > below ? Math.min(Math.max(-below / (above - below), 0), 1) : 1;
  return looked[index - 1] + part * (looked[index] - looked[index - 1]);
}

/** The line on a card that says its mean and median: at once without, and when a change is settled with intervals. */
export class CentreLine {
  readonly element = element("p", { class: "centre" });
  private readonly numbers = ["mean", "median"].map((name) => ({
    name,
    value: element("data", { class: name }),
    interval: element("span", { class: "between" }),
  }));

  constructor(private readonly attribute: Ordered) {
    for (const { name, value, interval } of this.numbers) {
      this.element.append(element("span", {}, `${name} `, value, interval), " ");
    }
  }

  /** Show what follows from a distribution. */
  draw(fractions: Float64Array): void {
    [mean, median].forEach((centre, place) => this.show(place, centre(this.attribute, fractions), ""));
  }

  /** Show both with where they lie; null: nobody is chosen. */
  limit(...both: readonly (Limited | null)[]): void {
    both.forEach((found, place) => {
      if (!found) return this.show(place, NaN, "");
      const { value, low, high } = found;
      this.show(place, value, ` (${this.words(place, low)}–${this.words(place, high)})`);
      Object.assign(this.numbers[place].interval.dataset, { low, high });
    });
  }

  private show(place: number, value: number, interval: string): void {
    const shown = this.numbers[place];
    shown.value.value = String(value);
    shown.value.textContent = Number.isNaN(value) ? "unknown" : this.words(place, value);
    if (shown.interval.textContent !== interval) shown.interval.textContent = interval;
  }

  /** Return a number in words; the median of integers is one of them. */
  private words(place: number, value: number): string {
    const whole = this.attribute.kind === "ordinal" && this.numbers[place].name === "median";
    return whole ? valueWords(this.attribute, value) : roundedWords(this.attribute, value);
  }
}
