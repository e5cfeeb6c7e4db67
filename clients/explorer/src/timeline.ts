/** The card of a collection with waves: pick a wave, and see what is chosen wave by wave, each with its interval. */

import { axisBottom, axisLeft } from "d3-axis";
import { format } from "d3-format";
import { scaleLinear, scalePoint } from "d3-scale";
import { type Selection, select } from "d3-selection";
import { area, line } from "d3-shape";

import { Crowd, type Share } from "./crowd";
import { element } from "./dom";
import { type Exploration, Numbers } from "./exploration";
import type { View } from "./view";
import { differenceLimits } from "./limits";
import { FINGER } from "./touch";
import { intervalWords, percent, percents, queryWords } from "./words";

/** What a page of several waves is given: written by sottovoce.views.explorer.waves. */
export interface WaveExplorations {
  readonly format: "sottovoce-exploration-waves-1";
  readonly title: string;
  /** How many waves there are in all; of those without reports there is no model. */
  readonly number: number;
  readonly waves: readonly Wave[];
}

export interface Wave {
  readonly wave: number;
  /** The first day of the wave, if the plan says it. */
  readonly day: string | null;
  readonly exploration: Exploration;
}

const HEIGHT = 190;
const MARGIN = { top: 12, right: 16, bottom: 26, left: 46 };
const MINUS = "\u2212";

export class Timeline {
  readonly element: HTMLElement;
  private readonly svg: Selection<SVGSVGElement, unknown, null, undefined>;
  private readonly chooser: HTMLSelectElement;
  private readonly words = element("p", { class: "basis", role: "status" });
  private readonly reading = element("p", { class: "reading" });
  private view: View | null = null;
  /** The crowds of all waves, calibrated to what is known. */
  private calibrated: { readonly known: View["known"]; readonly crowds: readonly Crowd[]; readonly why: string } | null =
    null;

  private constructor(
    private readonly waves: readonly Wave[],
    private readonly crowds: readonly Crowd[],
    private readonly pick: (wave: Wave) => void,
  ) {
    const options = waves.map((wave, place) => element("option", { value: place }, waveWords(wave)));
    this.chooser = element("select", { id: "wave", change: () => this.choose(this.chooser.selectedIndex) }, ...options);
    this.svg = select(document.createElementNS("http://www.w3.org/2000/svg", "svg")) as typeof this.svg;
    this.svg.attr("height", HEIGHT).attr("role", "img").attr("aria-label", "The part that is chosen, wave by wave");
    const label = element("label", { for: "wave" }, "The charts below show");
    this.element = element(
      "section",
      { class: "card timeline", "aria-label": "Waves" },
      element("header", {}, element("h2", {}, "Over time")),
      this.words,
      element("div", { class: "chart" }, this.svg.node() as SVGSVGElement),
      element("footer", {}, this.reading, label, this.chooser),
    );
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** Return the card; ``pick`` is told which wave is to be shown. */
  static async of(about: WaveExplorations, pick: (wave: Wave) => void): Promise<Timeline> {
    const made = about.waves.map(async ({ exploration }) => Crowd.of(exploration, await Numbers.of(exploration)));
    return new Timeline(about.waves, await Promise.all(made), pick);
  }

  /** The wave that is shown, unless it is the last there is, which a later one follows. */
  get kept(): number | null {
    const place = this.chooser.selectedIndex;
    return place === this.waves.length - 1 ? null : this.waves[place].wave;
  }

  /** Show a wave. */
  choose(place: number): void {
    this.chooser.selectedIndex = place;
    this.pick(this.waves[place]);
    this.draw();
  }

  /** Follow what is chosen in the charts, and what the crowd is calibrated to. */
  follow(view: View): void {
    this.view = view;
    this.draw();
  }

  /** Return the crowds as people count in a view: of all waves as they reported, if one cannot be calibrated. */
  private counted({ known }: View): readonly Crowd[] {
    if (this.calibrated?.known === known) return this.calibrated.crowds;
    let [crowds, why] = [this.crowds, ""];
    try {
      crowds = this.crowds.map((crowd) => crowd.calibrated(known));
    } catch (error) {
      why = ` All waves are shown here as people reported. ${(error as Error).message}`;
    }
    this.calibrated = { known, crowds, why };
    return crowds;
  }

  private draw(): void {
    const width = (this.svg.node()?.parentElement as HTMLElement).clientWidth;
    if (!this.view || !width) return;
    const { filters } = this.view;
    const about = this.waves[0].exploration;
    const trend = this.counted(this.view).map((crowd) => crowd.answer(filters));
    const everybody = filters.every((filter) => filter === null);
    const interval = intervalWords(about.intervals.level);
    this.words.textContent = everybody
      ? "Choose something in the charts to see how the part of the crowd with it changes."
      : `The part of the crowd with ${queryWords(about, filters)}, wave by wave, with its ${interval}.`;
    this.words.textContent += this.calibrated?.why ?? "";
    this.reading.textContent = everybody ? "" : this.changeWords(trend);
    this.drawTrend(trend, width);
  }

  private drawTrend(trend: readonly Share[], width: number): void {
    const places = trend.map((_, place) => place);
    const x = scalePoint<number>(places, [MARGIN.left, width - MARGIN.right]).padding(0.5);
    const across = (place: number) => x(place) as number;
    const most = Math.max(...trend.map(({ high }) => high));
    const y = scaleLinear([0, most], [HEIGHT - MARGIN.bottom, MARGIN.top]).nice(4);
    const least = Math.ceil(places.length / Math.max(2, Math.floor(width / 60)));
    const ticks = axisBottom<number>(x)
      .tickValues(places.filter((place) => place % least === 0))
      .tickFormat((place) => String(this.waves[place].wave));
    const band = area<number>(across, (place) => y(trend[place].low), (place) => y(trend[place].high));
    const value = line<number>(across, (place) => y(trend[place].fraction));
    const shares = axisLeft(y)
      .ticks(4)
      .tickFormat((share) => `${format(".3~")(100 * Number(share))}\u00a0%`);
    this.svg.attr("width", width).attr("viewBox", `0 0 ${width} ${HEIGHT}`).selectAll("*").remove();
    this.svg.append("path").attr("class", "spread").attr("d", band(places));
    this.svg.append("g").attr("class", "axis").attr("transform", `translate(0,${HEIGHT - MARGIN.bottom})`).call(ticks);
    this.svg.append("g").attr("class", "axis").attr("transform", `translate(${MARGIN.left},0)`).call(shares);
    this.svg.append("path").attr("class", "value").attr("d", value(places));
    const step = Math.max(x.step(), 1);
    this.svg
      .selectAll(".hit")
      .data(places)
      .join("rect")
      .attr("class", "hit")
      .attr("x", (place) => across(place) - Math.max(step, FINGER) / 2)
      .attr("width", Math.max(step, FINGER))
      .attr("height", HEIGHT)
      .on("click", (_, place) => this.choose(place));
    const dots = this.svg
      .selectAll("circle")
      .data(places)
      .join("circle")
      .attr("class", (place) => (place === this.chooser.selectedIndex ? "wave shown" : "wave"))
      .attr("cx", across)
      .attr("cy", (place) => y(trend[place].fraction))
      .attr("r", (place) => (place === this.chooser.selectedIndex ? 6 : 4))
      .on("click", (_, place) => this.choose(place));
    dots.append("title").text((place) => {
      const { fraction, low, high } = trend[place];
      return `${waveWords(this.waves[place])}: ${percent(fraction)} (${percents(low, high)})`;
    });
  }

  /** Return how much it changed from the first to the last wave, and whether that could be chance. */
  private changeWords(trend: readonly Share[]): string {
    const last = trend.length - 1;
    if (last < 1) return "";
    const [low, high] = differenceLimits(trend[last], trend[0], [0, 0, 0]); // of different people: no error is shared
    const [first, final] = [this.waves[0].wave, this.waves[last].wave];
    const verdict = low <= 0 && high >= 0 ? "this could be chance" : "more than chance";
    const change = points(trend[last].fraction - trend[0].fraction);
    return `From wave ${first} to wave ${final}: ${change} points (${points(low)} to ${points(high)}): ${verdict}.`;
  }
}

/** Return a difference in points, with its sign. */
function points(value: number): string {
  return `${value < 0 ? MINUS : "+"}${Math.abs(100 * value).toFixed(1)}`;
}

function waveWords({ wave, day }: Wave): string {
  return day ? `wave ${wave}, from ${day}` : `wave ${wave}`;
}
