/** The page of one model: the sentence, a card for every attribute, the map of a pair, the strongest pairs. */

import { Categories } from "./categories";
import { CentreLine } from "./centre";
import { type Chart, type Choose, type Shown, toPicture } from "./chart";
import { Crowd, type Distribution } from "./crowd";
import { button, download, element, openDialog } from "./dom";
import { distributionWords } from "./evidence";
import { type Attribute, type Exploration, Numbers } from "./exploration";
import type { Filters } from "./filters";
import { HeatMap } from "./heatmap";
import { Histogram } from "./histogram";
import { pairsCard } from "./pairs";
import { Sentence } from "./sentence";
import { valuesTable } from "./values";
import { type View, Views, fromLink, strangers, toLink, withFilter } from "./view";
import { choiceWords, intervalWords, queryWords } from "./words";

const SETTLES = 120; // milliseconds after the last change, when the map and the intervals of means follow

interface Card {
  readonly chart: Chart;
  readonly element: HTMLElement;
  readonly body: HTMLElement;
  readonly choice: HTMLElement;
  readonly clear: HTMLButtonElement;
  readonly basis: HTMLElement;
  /** Mean and median; null where values have no order. */
  readonly centre: CentreLine | null;
}

export class Explorer {
  readonly element: HTMLElement;
  private readonly crowd: Crowd;
  private readonly views: Views;
  private readonly sentence: Sentence;
  private readonly cards: Card[];
  private readonly map: HeatMap | null;
  private readonly overall: Distribution[];
  /** What a shared link names that is not there. */
  private readonly missing = element("p", { class: "strangers", role: "status" });
  private readonly ended = new AbortController();
  private waiting = 0;
  private watching: (filters: Filters) => void = () => {};
  /** What is compared with, and the distribution of every attribute among those. */
  private before: { readonly filters: Filters; readonly all: readonly Distribution[] } | null = null;

  private constructor(
    private readonly about: Exploration,
    numbers: Numbers,
  ) {
    this.crowd = Crowd.of(about, numbers);
    this.overall = about.attributes.map((_, place) => this.crowd.distribution(place, []));
    this.views = new Views(fromLink(about, location.hash), (view, settled) => this.update(view, settled));
    this.sentence = new Sentence(about, () => this.views);
    this.cards = about.attributes.map((attribute, place) => this.card(attribute, place));
    const choosePair = (pair: [number, number]) => this.views.show({ ...this.views.current, pair });
    this.map = about.attributes.length > 1 ? new HeatMap(about.attributes, about.evidence, choosePair) : null;
    const grid = element("div", { class: "cards" }, ...this.cards.map((card) => card.element));
    this.element = element(
      "div",
      { class: "explorer" },
      this.sentence.element,
      this.sentence.tools,
      this.missing,
      ...about.caveats.map((caveat) => element("p", { class: "doubt caveat" }, `${caveat}.`)),
      this.legend(),
      grid,
    );
    if (this.map) this.element.append(this.together(this.map));
    new ResizeObserver(() => this.resize()).observe(this.element);
    this.warn(location.hash);
    const follow = () => {
      this.warn(location.hash);
      this.views.show(fromLink(about, location.hash));
    };
    addEventListener("hashchange", follow, { signal: this.ended.signal });
  }

  /** Return the page of a model. */
  static async of(about: Exploration): Promise<Explorer> {
    return new Explorer(about, await Numbers.of(about));
  }

  /** Show the current view; to be called when the element is in the page. */
  start(): void {
    this.resize();
    this.update(this.views.current, true);
  }

  /** Tell somebody what is chosen, whenever that is settled. */
  watch(watching: (filters: Filters) => void): void {
    this.watching = watching;
  }

  /** Leave the page to another model. */
  stop(): void {
    this.ended.abort();
    clearTimeout(this.waiting);
  }

  private update(view: View, settled: boolean): void {
    this.sentence.draw(this.crowd.answer(view.filters), settled);
    const { against, filters } = view;
    if (against) this.sentence.compare(this.crowd.answer(against), this.crowd.difference(filters, against));
    else this.sentence.compare(null, null);
    this.cards.forEach((card, place) => this.drawCard(card, place, this.drawn(view, place)));
    clearTimeout(this.waiting);
    this.waiting = window.setTimeout(() => this.drawRest(), settled ? 0 : SETTLES);
    if (settled) {
      this.remember(view);
      this.watching(view.filters);
    }
  }

  /** Say what a link names that this model does not have: a view without it is another view. */
  private warn(link: string): void {
    const unknown = strangers(this.about, link);
    this.missing.hidden = unknown.length === 0;
    this.missing.textContent = unknown.length
      ? `The link names what is not here, which was left out or cut to what there is: ${unknown.join("; ")}.`
      : "";
  }

  private drawCard(card: Card, place: number, shown: Shown): void {
    const attribute = this.about.attributes[place];
    card.chart.draw(shown);
    card.choice.textContent = shown.filter ? choiceWords(attribute, shown.filter) : "";
    card.clear.hidden = shown.filter === null;
    const now = shown.among ?? shown.overall;
    card.centre?.draw(now.fractions);
    const words = distributionWords(this.about.evidence, now);
    if (card.basis.textContent !== words) card.basis.textContent = words;
  }

  private shown(view: View, place: number): Shown {
    const alone = view.filters.every((filter, other) => filter === null || other === place);
    const among = alone ? null : this.crowd.distribution(place, view.filters);
    return { overall: this.overall[place], among, filter: view.filters[place] };
  }

  /** Return what a chart draws: as shown, but with A dotted in place of everybody where there is one. */
  private drawn(view: View, place: number): Shown {
    const shown = this.shown(view, place);
    const { against } = view;
    if (!against) return shown;
    if (this.before?.filters !== against) {
      const all = this.about.attributes.map((_, other) => this.crowd.distribution(other, against));
      this.before = { filters: against, all };
    }
    return { ...shown, overall: this.before.all[place], among: shown.among ?? shown.overall };
  }

  private openTable(place: number): void {
    const attribute = this.about.attributes[place];
    const { filters } = this.views.current;
    const others = filters.map((filter, other) => (other === place ? null : filter));
    const among = element(
      "p",
      {},
      `Of those with ${queryWords(this.about, others)}.`.replace("those with everybody", "everybody"),
    );
    const table = valuesTable(attribute, this.shown(this.views.current, place), this.about.evidence);
    openDialog(attribute.name, among, table);
  }

  /** Draw what need not follow every step of a brush: the map, and the intervals of means and medians. */
  private drawRest(): void {
    const { pair, filters } = this.views.current;
    this.cards.forEach(({ centre }, place) => {
      centre?.limit(this.crowd.mean(place, filters), this.crowd.median(place, filters));
    });
    this.map?.draw(pair, this.crowd.pair(pair[0], pair[1], filters));
  }

  private remember(view: View): void {
    const link = toLink(this.about, view);
    const text = link ? `#${link}` : "";
    if (location.hash !== text) history.replaceState(null, "", text || location.pathname + location.search);
  }

  private card(attribute: Attribute, place: number): Card {
    const reading = element("p", { class: "reading", "aria-hidden": "true" });
    const read = (words: string) => (reading.textContent = words);
    const choose: Choose = (filter, settled) => {
      const view = withFilter(this.views.current, place, filter);
      if (settled) this.views.show(view);
      else this.views.preview(view);
    };
    const chart =
      attribute.kind === "categorical"
        ? new Categories(attribute, choose, read, this.about.evidence)
        : new Histogram(attribute, choose, read, this.about.evidence);
    const title = `Distribution of ${attribute.name}`;
    chart.svg.setAttribute("aria-label", title);
    const choice = element("span", { class: "choice" });
    const clear = button("clear", () => choose(null, true), {
      "aria-label": `clear ${attribute.name}`,
      class: "link",
      hidden: true,
    });
    const table = button("Table", () => this.openTable(place), {
      "aria-label": `Table of ${attribute.name}`,
      class: "quiet",
    });
    const save = saveButton(attribute.name, () => this.save(chart.svg, attribute.name));
    const body = element("div", { class: "chart" }, chart.svg);
    const head = element("header", {}, element("h2", {}, attribute.name), choice, clear);
    const basis = element("p", { class: "basis" });
    const centre = attribute.kind === "categorical" ? null : new CentreLine(attribute);
    const made = element("section", { class: "card", "aria-label": attribute.name }, head, basis);
    if (centre) made.append(centre.element);
    made.append(body);
    if (chart.controls) made.append(chart.controls);
    made.append(element("footer", {}, reading, table, save));
    return { chart, element: made, body, choice, clear, basis, centre };
  }

  private legend(): HTMLElement {
    const keys: [string, string][] = [
      ["value", "of those chosen in the other charts"],
      ["range", intervalWords(this.about.intervals.level)],
      ["pale", "the interval includes zero: perhaps nobody"],
      ["everybody", "of everybody"],
      ["partly", this.about.evidence[2][1]],
      ["assumed", this.about.evidence[3][1]],
    ];
    const items = keys.map(([kind, words]) => element("li", {}, element("span", { class: `key ${kind}` }), words));
    return element("ul", { class: "legend", "aria-label": "How to read the charts" }, ...items);
  }

  private together(map: HeatMap): HTMLElement {
    const save = saveButton("the map", () => this.save(map.svg, "map"));
    return element(
      "div",
      { class: "together" },
      element(
        "section",
        { class: "card map", "aria-label": "Two attributes together" },
        element("header", {}, element("h2", {}, "Two together")),
        map.basis,
        map.controls,
        element("div", { class: "chart" }, map.svg),
        element("footer", {}, map.reading, save),
      ),
      pairsCard(this.about, (pair) => this.views.show({ ...this.views.current, pair })),
    );
  }

  private save(svg: SVGSVGElement, name: string): void {
    const background = getComputedStyle(this.cards[0].element).backgroundColor;
    const words = queryWords(this.about, this.views.current.filters);
    const picture = toPicture(svg, background).replace(/(<svg[^>]*>)/, (head) => `${head}<desc></desc>`);
    const parsed = new DOMParser().parseFromString(picture, "image/svg+xml");
    (parsed.querySelector("desc") as Element).textContent = `${name}, among: ${words}`;
    download(`${name}.svg`, "image/svg+xml", new XMLSerializer().serializeToString(parsed));
  }

  private resize(): void {
    for (const { chart, body } of this.cards) if (body.clientWidth) chart.resize(body.clientWidth);
    const frame = this.map?.svg.parentElement;
    if (frame?.clientWidth) this.map?.resize(frame.clientWidth);
  }
}

function saveButton(name: string, save: () => void): HTMLButtonElement {
  return button("SVG", save, { "aria-label": `Save ${name} as SVG`, title: "Save as SVG", class: "quiet" });
}
