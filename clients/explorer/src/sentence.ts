/** The sentence on top: what is asked, in words, and its answer; and what can be done with both. */

import type { Estimate } from "./crowd";
import { button, copy, download, element, openDialog } from "./dom";
import { basisOf, evidenceWords } from "./evidence";
import type { Exploration } from "./exploration";
import { type Views, firstView, toLink } from "./view";
import { count, intervalWords, percent, percents, querySql, queryWords } from "./words";

/** Return a difference of fractions in percentage points, with its sign. */
function signed(fraction: number): string {
  return `${fraction < 0 ? "−" : "+"}${Math.abs(100 * fraction).toFixed(1)}`;
}

export class Sentence {
  readonly element: HTMLElement;
  /** What can be done with the query and its answer. */
  readonly tools: HTMLElement;
  private readonly fraction = element("data", { class: "fraction", value: "1" });
  private readonly interval = element("span", { class: "interval" });
  private readonly people = element("span", { class: "people" });
  private readonly basis = element("span", { class: "basis" });
  private readonly words = element("p", { class: "query" });
  private readonly doubt = element("p", { class: "doubt", hidden: true });
  /** A and B side by side, and their difference. */
  private readonly compared = element("p", { class: "compared", hidden: true });
  private readonly keep: HTMLButtonElement;
  private readonly population: HTMLInputElement;
  private readonly spoken = element("p", { class: "spoken", role: "status" });
  private readonly told = element("span", { class: "told", role: "status" });
  private readonly back: HTMLButtonElement;
  private readonly reset: HTMLButtonElement;
  private answer: Estimate = { fraction: 1, low: 1, high: 1, evidence: 1 };

  constructor(
    private readonly about: Exploration,
    private readonly views: () => Views,
    ...more: readonly HTMLButtonElement[]
  ) {
    const change = () => {
      const value = this.population.valueAsNumber;
      const population = Number.isSafeInteger(value) && value > 0 ? value : about.population;
      this.views().show({ ...this.views().current, population });
    };
    this.population = element("input", {
      type: "number",
      min: 1,
      step: 1,
      class: "population",
      "aria-label": "people the crowd stands for",
      change,
    });
    this.back = button("Undo", () => this.views().undo());
    this.reset = button("Reset", () => this.views().show(firstView(about)));
    this.keep = button("Compare", () => {
      const { current } = this.views();
      this.views().show({ ...current, against: current.against ? null : current.filters });
    });
    this.element = element(
      "section",
      { class: "sentence", "aria-label": "Answer" },
      this.words,
      element("p", { class: "answer" }, this.fraction, " ", this.interval, this.people, this.basis),
      this.compared,
      this.doubt,
      this.spoken,
    );
    const certificate = about.certificate.map((text) => element("p", {}, text));
    this.tools = element(
      "div",
      { class: "tools", role: "group", "aria-label": "Tools" },
      this.back,
      this.reset,
      this.keep,
      button("Copy link", () => this.tell(copy(location.href, "link"))),
      button("Copy SQL", () => this.tell(copy(this.sql, "SQL"))),
      button("Save CSV", () => download("answer.csv", new Blob([this.csv], { type: "text/csv" }))),
      ...more,
      button("Privacy certificate", () => openDialog("Privacy certificate", ...certificate)),
      this.told,
      element("label", { class: "crowd" }, "crowd of ", this.population, " people"),
    );
  }

  draw(answer: Estimate, settled: boolean): void {
    this.answer = answer;
    const { filters, population } = this.views().current;
    const words = queryWords(this.about, filters);
    this.words.textContent =
      words === "everybody" ? "Everybody. Drag over a histogram, or click a bar." : `Those with ${words}`;
    this.fraction.value = String(answer.fraction);
    this.fraction.textContent = percent(answer.fraction);
    this.interval.textContent = `(${percents(answer.low, answer.high)})`;
    this.interval.title = `${intervalWords(this.about.intervals.level)}. ${this.about.intervals.includes}`;
    const people = `about ${count(answer.fraction * population)} of ${count(population)} people`;
    const calibrated = this.calibrated && `; calibrated to known shares of ${this.calibrated}`;
    this.people.textContent = `, ${people}; ${count(this.about.reports)} reports${calibrated}`;
    const basis = evidenceWords(this.about.evidence, answer.evidence);
    this.basis.textContent = basis && `; ${basis}`;
    this.basis.title = basis && `Evidence ${answer.evidence.toFixed(2)}: how much was measured rather than assumed`;
    const unsure = answer.low <= 0;
    const assumed = basisOf(this.about.evidence, answer.evidence) === "assumed";
    this.element.classList.toggle("unsure", unsure);
    this.element.classList.toggle("assumed", assumed);
    this.doubt.hidden = !unsure && !assumed;
    this.doubt.textContent = this.doubts(unsure, assumed).join(" ");
    if (document.activeElement !== this.population) this.population.value = String(population);
    if (!settled) return;
    this.back.disabled = !this.views().undoable;
    this.reset.disabled = !toLink(this.about, this.views().current); // a link says all that Reset would change
    this.spoken.textContent = `${words}: ${percent(answer.fraction)}, ${people}${basis && `; ${basis}`}`;
    this.told.textContent = "";
  }

  /** What is asked and its answer, line by line, for a picture. */
  get lines(): string[] {
    const shown = [this.words, this.words.nextElementSibling, this.compared, this.doubt].filter(
      (line): line is HTMLElement => line instanceof HTMLElement && !line.hidden,
    );
    return [document.title, ...shown.map((line) => line.textContent ?? "")];
  }

  /** Show A, what is chosen now (B), and how much they differ; or nothing. */
  compare(first: Estimate | null, apart: Estimate | null): void {
    const { against } = this.views().current;
    this.compared.hidden = !(against && first && apart);
    this.keep.textContent = against ? "Stop comparing" : "Compare";
    this.keep.title = against ? "" : "Keep what is chosen as A, and compare what is chosen next with it";
    if (!against || !first || !apart) return;
    const told = apart.low > 0 || apart.high < 0 ? "told from chance" : "could be chance";
    const basis = evidenceWords(this.about.evidence, apart.evidence);
    const points = [apart.fraction, apart.low, apart.high].map(signed);
    this.compared.textContent =
      `A: ${queryWords(this.about, against)}, ${percent(first.fraction)} (${percents(first.low, first.high)}). ` +
      `B, chosen above, less A: ${points[0]} points (${points[1]} to ${points[2]}); ${told}${basis && `; ${basis}`}. ` +
      "In the charts, A is dotted.";
  }

  private doubts(unsure: boolean, assumed: boolean): string[] {
    const reports = `${count(this.about.reports)} randomised reports`;
    const doubts = [];
    const small = "cannot tell so small a part of the crowd from nobody.";
    if (unsure) doubts.push(`The interval includes zero: ${reports} ${small}`);
    const unmeasured = "hardly measured this: the number is assumed.";
    if (assumed) doubts.push(`${unsure ? "They" : reports} ${unmeasured}`);
    if (doubts.length) doubts.push("Choose a wider range, or fewer attributes.");
    return doubts;
  }

  /** The attributes of which known shares are kept to, in words. */
  private get calibrated(): string {
    const { known } = this.views().current;
    return this.about.attributes.filter((_, place) => known[place]).map(({ name }) => name).join(", ");
  }

  private get sql(): string {
    return querySql(this.about, this.views().current.filters);
  }

  /** One line: the query, its answer, and what both rest on. */
  private get csv(): string {
    const { fraction, low, high, evidence } = this.answer;
    const { population } = this.views().current;
    const row = {
      where: this.sql,
      fraction,
      low,
      high,
      level: this.about.intervals.level,
      evidence,
      basis: evidenceWords(this.about.evidence, evidence),
      population,
      people: fraction * population,
      people_low: low * population,
      people_high: high * population,
      reports: this.about.reports,
      calibrated: this.calibrated,
      collection: this.about.collection,
    };
    const quoted = (value: string | number) => (typeof value === "number" ? value : `"${value.replaceAll('"', '""')}"`);
    return `${Object.keys(row).join(",")}\n${Object.values(row).map(quoted).join(",")}\n`;
  }

  /** Say what was done. */
  async tell(said: Promise<string>): Promise<void> {
    this.told.textContent = await said;
  }
}
