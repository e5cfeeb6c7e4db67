/** The fields below a histogram: what a brush does, for whoever uses the keyboard or wants an exact number. */

import { domain, edge, valueLevels } from "./attributes";
import { element } from "./dom";
import type { Ordered } from "./exploration";
import { type RangeFilter, rangeFilter } from "./filters";

export class RangeFields {
  readonly element: HTMLElement;
  private readonly ends: HTMLInputElement[];
  private readonly silence: HTMLInputElement;
  private shown: RangeFilter | null = null;

  constructor(
    private readonly attribute: Ordered,
    private readonly choose: (filter: RangeFilter | null) => void,
  ) {
    this.ends = ["from", "to"].map((word) => this.field(word));
    this.silence = element("input", { type: "checkbox", change: () => this.chooseSilence(this.silence.checked) });
    const labels = this.ends.map((field) => field.parentElement as Node);
    this.element = element("div", { class: "controls" }, ...labels);
    if (attribute.nullable) this.element.append(element("label", {}, this.silence, " no answer"));
  }

  /** Show what is chosen. */
  show(filter: RangeFilter | null): void {
    this.shown = filter;
    const range = filter?.range ?? domain(this.attribute);
    this.ends.forEach((field, side) => (field.value = String(range[side])));
    this.silence.checked = filter?.missing ?? false;
  }

  /** Choose "no answer" beside the range that is chosen, or no longer. */
  chooseSilence(chosen: boolean): void {
    this.choose(rangeFilter(this.attribute, this.shown?.range ?? null, chosen));
  }

  private chooseRange(): void {
    const ends = domain(this.attribute).map((bound, side) => {
      const value = this.ends[side].valueAsNumber;
      return Number.isNaN(value) ? bound : value;
    });
    this.choose(rangeFilter(this.attribute, [ends[0], ends[1]], this.silence.checked));
  }

  private field(word: string): HTMLInputElement {
    const [least, most] = domain(this.attribute);
    const step = this.attribute.kind === "ordinal" ? 1 : "any";
    const label = `${this.attribute.name} ${word}`;
    const input = element("input", { type: "number", min: least, max: most, step, "aria-label": label });
    input.style.width = `${Math.max(...[least, most].map((value) => String(value).length)) + 5}ch`;
    input.addEventListener("change", () => this.chooseRange());
    if (this.attribute.kind === "numeric") input.addEventListener("keydown", (event) => this.step(event, input));
    element("label", {}, `${word} `, input);
    return input;
  }

  /** Let the arrow keys go from one bin's boundary to the next. */
  private step(event: KeyboardEvent, input: HTMLInputElement): void {
    const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!direction) return;
    event.preventDefault();
    const edges = Array.from({ length: valueLevels(this.attribute) + 1 }, (_, level) => edge(this.attribute, level));
    const beyond = edges.filter((value) => (value - input.valueAsNumber) * direction > 0);
    if (beyond.length) input.value = String(direction > 0 ? beyond[0] : beyond[beyond.length - 1]);
    this.chooseRange();
  }
}
