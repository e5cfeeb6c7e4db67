/** The page of one model: the sentence, a card for every attribute, the map of a pair, the strongest pairs. */

import { openCalibration } from "./calibrate";
import { Categories } from "./categories";
import { CentreLine } from "./centre";
import type { Chart, Choose, Shown } from "./chart";
import { Crowd, type Distribution } from "./crowd";
import { button, download, element, openDialog } from "./dom";
import { distributionWords } from "./evidence";
import { type Attribute, type Exploration, Numbers } from "./exploration";
import type { Filters } from "./filters";
import { HeatMap } from "./heatmap";
import { Histogram } from "./histogram";
import type { Known } from "./known";
import { pairsCard } from "./pairs";
import { type Plate, pictureOf, png, sheet, svgText } from "./picture";
import { openSaved } from "./saved";
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
  readonly zoom: HTMLButtonElement;
  readonly basis: HTMLElement;
  /** Mean and median; null where values have no order. */
  readonly centre: CentreLine | null;
}

export class Explorer {
  readonly element: HTMLElement;
  /** The crowd as it reported. */
  private readonly reported: Crowd;
  /** The same, or calibrated to what is known. */
  private crowd: Crowd;
  private known: Known;
  private readonly views: Views;
  private readonly sentence: Sentence;
  private readonly cards: Card[];
  private readonly map: HeatMap | null;
  private overall: Distribution[];
  /** The cards of the map and of the strongest pairs. */
  private beside: readonly HTMLElement[] = [];
  /** What a shared link names that is not there. */
  private readonly missing = element("p", { class: "strangers", role: "status" });
  /** Why the crowd cannot be brought to what a link says is known. */
  private impossible = "";
  private readonly ended = new AbortController();
  private waiting = 0;
  private watching: (view: View) => void = () => {};
  /** What is compared with, and the distribution of every attribute among those. */
  private before: { readonly filters: Filters; readonly all: readonly Distribution[] } | null = null;

  private constructor(
    private readonly about: Exploration,
    numbers: Numbers,
  ) {
    this.reported = this.crowd = Crowd.of(about, numbers);
    this.known = about.attributes.map(() => null);
    this.overall = this.everybody();
    this.views = new Views(this.possible(fromLink(about, location.hash)), (view, settled) => this.update(view, settled));
    this.sentence = new Sentence(
      about,
      () => this.views,
      button("Save PNG", () => this.savePage(), { title: "Save what the page shows as a picture" }),
      button("Print", () => print()),
      button("Saved views", () => openSaved(about.collection, () => toLink(about, this.views.current))),
      button("Calibrate", () => this.calibrate()),
    );
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
    const open = () => {
      const view = this.possible(fromLink(about, location.hash));
      this.warn(location.hash); // before the view is shown, which writes the link anew
      this.views.show(view);
    };
    addEventListener("hashchange", open, { signal: this.ended.signal });
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

  /** Tell somebody what is looked at, whenever that is settled. */
  watch(watching: (view: View) => void): void {
    this.watching = watching;
  }

  /** Leave the page to another model. */
  stop(): void {
    this.ended.abort();
    clearTimeout(this.waiting);
  }

  private everybody(): Distribution[] {
    return this.about.attributes.map((_, place) => this.crowd.distribution(place, []));
  }

  /** Let people count as what is known of them asks for; an error says why that cannot be. */
  private follow(known: Known): void {
    if (JSON.stringify(known) === JSON.stringify(this.known)) return;
    this.crowd = this.reported.calibrated(known);
    this.known = known;
    this.overall = this.everybody();
    this.before = null;
  }

  private calibrate(): void {
    openCalibration({
      attributes: this.about.attributes,
      known: this.views.current.known,
      present: (place) => this.overall[place].fractions,
      apply: (known) => {
        this.reported.calibrated(known); // fails here, before anything is shown
        this.views.show({ ...this.views.current, known });
      },
    });
  }

  private update(view: View, settled: boolean): void {
    this.follow(view.known);
    this.sentence.draw(this.crowd.answer(view.filters), settled);
    const { against, filters } = view;
    if (against) this.sentence.compare(this.crowd.answer(against), this.crowd.difference(filters, against));
    else this.sentence.compare(null, null);
    this.cards.forEach((card, place) => this.drawCard(card, place, this.drawn(view, place)));
    clearTimeout(this.waiting);
    this.waiting = window.setTimeout(() => this.drawRest(), settled ? 0 : SETTLES);
    if (settled) {
      this.enlarge(view.zoom);
      this.remember(view);
      this.watching(view);
    }
  }

  /** Give one card the whole width. */
  private enlarge(zoom: number | null): void {
    const changed = this.cards.filter(({ element: one }, place) => one.classList.contains("zoomed") !== (place === zoom));
    if (!changed.length) return;
    this.cards.forEach((card, place) => {
      card.element.classList.toggle("zoomed", place === zoom);
      card.zoom.setAttribute("aria-pressed", String(place === zoom));
    });
    this.resize();
  }

  /** Say what a link names that this model does not have: a view without it is another view. */
  private warn(link: string): void {
    const unknown = strangers(this.about, link);
    const words = unknown.length
      ? `The link names what is not here, which was left out or cut to what there is: ${unknown.join("; ")}.`
      : "";
    this.missing.textContent = [words, this.impossible].filter(Boolean).join(" ");
    this.missing.hidden = !this.missing.textContent;
  }

  /** Return a view without what is said to be known, if no weights bring the crowd to it. */
  private possible(view: View): View {
    try {
      this.reported.calibrated(view.known);
      this.impossible = "";
      return view;
    } catch (error) {
      this.impossible = (error as Error).message;
      return { ...view, known: this.about.attributes.map(() => null) };
    }
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

  /** Draw what need not follow every step of a brush, one after another: the map, and intervals of means and medians. */
  private drawRest(): void {
    const { pair, filters } = this.views.current;
    const all = [() => this.map?.draw(pair, this.crowd.pair(pair[0], pair[1], filters))];
    this.cards.forEach(({ centre }, place) => {
      if (centre) all.push(() => centre.limit(this.crowd.mean(place, filters), this.crowd.median(place, filters)));
    });
    const next = () => {
      all.shift()?.();
      if (all.length) this.waiting = window.setTimeout(next); // a brush that goes on comes between
    };
    next();
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
    const zoom = button("Zoom", () => this.zoom(place), {
      "aria-label": `Zoom ${attribute.name}`,
      "aria-pressed": "false",
      class: "quiet",
    });
    const saves = this.saveButtons(attribute.name, chart.svg, () => this.plate(place));
    const body = element("div", { class: "chart" }, chart.svg);
    const head = element("header", {}, element("h2", {}, attribute.name), choice, clear);
    const basis = element("p", { class: "basis" });
    const centre = attribute.kind === "categorical" ? null : new CentreLine(attribute);
    const made = element("section", { class: "card", "aria-label": attribute.name }, head, basis);
    if (centre) made.append(centre.element);
    made.append(body);
    if (chart.controls) made.append(chart.controls);
    made.append(element("footer", {}, reading, element("div", { class: "does" }, zoom, table, ...saves)));
    return { chart, element: made, body, choice, clear, zoom, basis, centre };
  }

  private zoom(place: number): void {
    const { current } = this.views;
    this.views.show({ ...current, zoom: current.zoom === place ? null : place });
    this.cards[place].element.scrollIntoView({ block: "nearest" });
  }

  private legend(): HTMLElement {
    const keys: [string, string][] = [
      ["value", "of those chosen in the other charts"],
      ["estimate", "the estimate"],
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
    const saves = this.saveButtons("the map", map.svg, () => this.mapPlate(map));
    this.beside = [
      element(
        "section",
        { class: "card map", "aria-label": "Two attributes together" },
        element("header", {}, element("h2", {}, "Two together")),
        map.basis,
        map.controls,
        element("div", { class: "chart" }, map.svg),
        element("footer", {}, map.reading, element("div", { class: "does" }, ...saves)),
      ),
      pairsCard(this.about, (pair) => this.views.show({ ...this.views.current, pair })),
    ];
    return element("div", { class: "together" }, ...this.beside);
  }

  private saveButtons(name: string, svg: SVGSVGElement, plate: () => Plate): HTMLButtonElement[] {
    const file = name.replace(/^the /, "");
    const among = () => `${name}, among: ${queryWords(this.about, this.views.current.filters)}`;
    const about = (kind: string) => ({ "aria-label": `Save ${name} as ${kind}`, title: `Save as ${kind}`, class: "quiet" });
    return [
      button("SVG", () => download(`${file}.svg`, svgText(pictureOf(svg, among()))), about("SVG")),
      button("PNG", () => this.savePng(file, sheet(this.sentence.lines, [plate()])), about("PNG")),
    ];
  }

  /** Return a card as it stands on a picture. */
  private plate(place: number): Plate {
    const { chart, basis, centre, choice } = this.cards[place];
    const title = [this.about.attributes[place].name, choice.textContent].filter(Boolean).join(": ");
    return { title, lines: [centre?.element.textContent ?? "", basis.textContent ?? ""], svg: chart.svg };
  }

  private mapPlate(map: HeatMap): Plate {
    const names = this.views.current.pair.map((place) => this.about.attributes[place].name);
    return { title: names.join(" and "), lines: [map.basis.textContent ?? ""], svg: map.svg };
  }

  /** Save the sentence and all charts as one picture. */
  private savePage(): void {
    const plates = this.cards.map((_, place) => this.plate(place));
    const shown = this.map ? [...plates, this.mapPlate(this.map)] : plates;
    this.savePng("explorer", sheet(this.sentence.lines, shown));
  }

  private savePng(name: string, picture: SVGSVGElement): void {
    const saved = png(picture).then(
      (pixels) => {
        download(`${name}.png`, pixels);
        return `${name}.png is saved`;
      },
      () => "This browser makes no PNG of it; SVG works.",
    );
    void this.sentence.tell(saved);
  }

  private resize(): void {
    const { zoom } = this.views.current;
    this.cards.forEach(({ chart, body }, place) => {
      if (body.clientWidth) chart.resize(body.clientWidth, place === zoom);
    });
    const frame = this.map?.svg.parentElement;
    if (!frame?.clientWidth) return;
    const [card, pairs] = this.beside.map((one) => one.getBoundingClientRect());
    const room = pairs.height - (card.height - frame.clientHeight); // as high as the list of pairs beside it
    this.map?.resize(frame.clientWidth, pairs.top < card.bottom && pairs.left > card.left ? room : 0);
  }
}
