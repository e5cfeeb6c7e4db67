/** The dialog in which one says what is publicly known of the crowd, attribute by attribute. */

import { edge, span, valueLevels, valuesOf } from "./attributes";
import { button, element, openDialog } from "./dom";
import type { Attribute } from "./exploration";
import { type Known, type KnownShare, whyNot } from "./known";
import { levelWords, valueWords } from "./words";

const BANDS = 4;

/** What the dialog needs to know of the page. */
export interface Calibrating {
  readonly attributes: readonly Attribute[];
  readonly known: Known;
  /** The shares of all levels of an attribute now. */
  readonly present: (place: number) => Float64Array;
  /** Take what is known; an error says why it cannot be. */
  readonly apply: (known: Known) => void;
}

/** Open the dialog. */
export function openCalibration(page: Calibrating): void {
  const options = page.attributes.map((attribute, place) => element("option", { value: place }, attribute.name));
  const which = element("select", { "aria-label": "Attribute", change: () => draw() }, ...options);
  const place = () => which.selectedIndex;
  const body = element("div", { class: "shares" });
  const said = element("p", { class: "doubt", role: "alert" });
  let form: ShareForm;
  const draw = () => {
    form = new ShareForm(page.attributes[place()], page.known[place()], page.present(place()));
    body.replaceChildren(form.element);
    said.textContent = "";
    forget.hidden = page.known[place()] === null;
  };
  const take = (shares: readonly KnownShare[] | null) => {
    try {
      page.apply(page.known.map((old, other) => (other === place() ? shares : old)));
      dialog.close();
    } catch (error) {
      said.textContent = (error as Error).message;
    }
  };
  const apply = button("Calibrate", () => {
    const shares = form.shares();
    const wrong = shares ? whyNot(page.attributes[place()], shares) : form.wrong;
    said.textContent = wrong;
    if (shares && !wrong) take(shares);
  });
  const forget = button("Forget what is known of it", () => take(null));
  const now = page.attributes.filter((_, other) => page.known[other]).map(({ name }) => name);
  const dialog = openDialog(
    "Calibrate to what is known",
    element(
      "p",
      {},
      "If some kinds of people took part more than others, say what is publicly known of everybody, such as from a " +
        "census. People then count by weights, so that the shares are these. It helps as far as those who took part " +
        "are like those of the same kind who did not.",
    ),
    element("p", {}, now.length ? `Calibrated now to known shares of ${now.join(", ")}.` : "Nothing is calibrated now."),
    element("label", {}, "What is known of ", which),
    body,
    said,
    element("div", { class: "tools" }, apply, forget),
  );
  which.selectedIndex = Math.max(0, page.known.findIndex(Boolean));
  draw();
}

/** The fields of one attribute: a share for every value, or for bands that begin where one says. */
class ShareForm {
  readonly element = element("div");
  wrong = "";
  private readonly rows = element("div", { class: "rows" });
  private readonly sum = element("p", { class: "hint", role: "status" });
  private readonly starts: HTMLInputElement | null = null;
  private cells: { start: number; stop: number }[] = [];
  private fields: HTMLInputElement[] = [];

  constructor(
    private readonly attribute: Attribute,
    known: readonly KnownShare[] | null,
    private readonly present: Float64Array,
  ) {
    const count = valueLevels(attribute);
    if (attribute.kind === "categorical") {
      this.cells = Array.from({ length: count }, (_, level) => ({ start: level, stop: level + 1 }));
    } else {
      this.cells = known?.map(({ start, stop }) => ({ start, stop })) ?? bands(present.subarray(0, count));
      const begins = this.cells.map(({ start }) => valuesOf(attribute, start, start + 1)[0]).join(", ");
      this.starts = element("input", { type: "text", value: begins, change: () => this.cut(), inputmode: "decimal" });
      this.element.append(element("label", { class: "starts" }, "Bands begin at ", this.starts));
    }
    this.element.append(this.rows, this.sum);
    this.draw(known?.map(({ share }) => share) ?? null);
  }

  /** Return what the fields say; null if bands cannot be made of it. */
  shares(): KnownShare[] | null {
    if (this.wrong) return null;
    return this.cells.map((cell, place) => ({ ...cell, share: this.fields[place].valueAsNumber / 100 }));
  }

  /** Make bands of where they are said to begin. */
  private cut(): void {
    const { attribute } = this;
    if (attribute.kind === "categorical" || !this.starts) return;
    const count = valueLevels(attribute);
    const said = this.starts.value.split(/[,;\s]+/).filter(Boolean).map(Number);
    const places = said.map((value) => span(attribute, value, value)[0]);
    const sound = places.every((place, index) => Number.isInteger(place) && (index === 0 || place > places[index - 1]));
    const bounds = Array.from({ length: count }, (_, level) => edge(attribute, level));
    this.wrong = "";
    if (!said.length || !sound || places[0] !== 0 || places[places.length - 1] >= count) {
      const first = valuesOf(attribute, 0, 1)[0];
      const allowed = attribute.kind === "numeric" ? `, each one of ${listed(bounds)}` : "";
      this.wrong = `Bands begin at rising numbers, the first at ${first}${allowed}.`;
      this.sum.textContent = this.wrong;
      return;
    }
    this.cells = places.map((start, index) => ({ start, stop: places[index + 1] ?? count }));
    this.draw(null);
  }

  private draw(shares: readonly number[] | null): void {
    const { attribute } = this;
    const answered = this.present.subarray(0, valueLevels(attribute)).reduce((sum, part) => sum + part, 0);
    const now = this.cells.map(({ start, stop }) => {
      return this.present.subarray(start, stop).reduce((sum, part) => sum + part, 0) / answered;
    });
    const shown = (shares ?? now).map((share) => Number((100 * share).toFixed(shares ? 6 : 1)));
    if (!shares) {
      const rest = 100 - shown.reduce((sum, share) => sum + share, 0);
      const largest = shown.indexOf(Math.max(...shown));
      shown[largest] = Number((shown[largest] + rest).toFixed(1));
    }
    this.fields = shown.map((value) =>
      element("input", { type: "number", min: 0, max: 100, step: "any", value, input: () => this.add() }),
    );
    const names = this.cells.map(({ start, stop }) => {
      if (attribute.kind === "categorical" || stop - start === 1) return levelWords(attribute, start);
      return valuesOf(attribute, start, stop).map((value) => valueWords(attribute, value)).join("–");
    });
    const labels = this.fields.map((field, place) => element("label", {}, element("span", {}, names[place]), field, "%"));
    this.rows.replaceChildren(...labels);
    this.add();
  }

  private add(): void {
    const sum = this.fields.reduce((total, field) => total + (field.valueAsNumber || 0), 0);
    this.sum.textContent = `Together ${Number(sum.toFixed(2))} %, of those who answered; it must be 100 %.`;
  }
}

/** Return bands of about equal share. */
function bands(present: Float64Array): { start: number; stop: number }[] {
  const all = present.reduce((sum, part) => sum + part, 0);
  const starts = [0];
  let below = 0;
  present.forEach((part, level) => {
    if (level && starts.length < BANDS && below >= (starts.length * all) / BANDS) starts.push(level);
    below += part;
  });
  return starts.map((start, index) => ({ start, stop: starts[index + 1] ?? present.length }));
}

function listed(values: readonly number[]): string {
  return values.length > 12 ? `${values.slice(0, 6).join(", ")}, …, ${values[values.length - 1]}` : values.join(", ");
}
