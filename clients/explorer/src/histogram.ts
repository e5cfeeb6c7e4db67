/** An ordered attribute: a histogram over its real units, with a brush, and fields that do the same by keyboard. */

import { axisBottom, axisLeft } from "d3-axis";
import { type BrushBehavior, type D3BrushEvent, brushX } from "d3-brush";
import { format } from "d3-format";
import { scaleLinear } from "d3-scale";
import { type Selection, select } from "d3-selection";
import { area, line } from "d3-shape";

import { domain, edge, levels, span, valueLevels, valuesOf } from "./attributes";
import { type Chart, type Choose, type Shown, levelReading, reachOf } from "./chart";
import type { Distribution } from "./crowd";
import { type Hatches, type Scale, addHatches, basisOf } from "./evidence";
import type { Ordered } from "./exploration";
import { RangeFields } from "./fields";
import { type RangeFilter, rangeFilter } from "./filters";
import { widthOf } from "./text";
import { FINGER, letScroll } from "./touch";
import { levelWords, valueWords } from "./words";

const HEIGHT = { usual: 168, tall: 380 };
const MARGIN = { top: 10, right: 16, bottom: 24, left: 48 };
const SILENCE = { gap: 24, width: 24 };
const LETTERS = 11;
const APART = 8; // pixels between two labels of an axis

type Drawn = "overall" | "band" | "sure" | "unsure" | "light" | "partly" | "assumed" | "value";
type Layer<Kind extends SVGElement> = Selection<Kind, unknown, null, undefined>;

export class Histogram implements Chart {
  readonly svg: SVGSVGElement;
  readonly controls: HTMLElement;
  private readonly layers: Record<Drawn, Layer<SVGPathElement>>;
  private readonly hatches: Hatches;
  private readonly veils: Layer<SVGRectElement>[];
  private readonly axes: { x: Layer<SVGGElement>; y: Layer<SVGGElement> };
  private readonly brushed: Layer<SVGGElement>;
  private readonly unit: Layer<SVGTextElement> | null;
  private readonly silence: Layer<SVGGElement> | null;
  private readonly brush: BrushBehavior<unknown>;
  private readonly scrolled: () => boolean;
  private readonly fields: RangeFields;
  private readonly x = scaleLinear();
  private readonly y = scaleLinear();
  private height = HEIGHT.usual;
  /** What stands dotted in the picture. */
  private outlined: Distribution | null = null;
  /** By level, what a fraction is multiplied by to be a height: bins of unequal width are drawn as densities. */
  private readonly heights: Float64Array;
  private readonly edges: Float64Array;
  /** Where each edge is drawn, to a tenth of a pixel. */
  private pixelsOfEdges: number[] = [];
  /** Two corners for every bar: its left and its right end. */
  private readonly corners: number[];
  private shown: Shown | null = null;
  /** The choice as it is drawn; undefined if brush and fields may show something else. */
  private drawnChoice: RangeFilter | null | undefined = undefined;
  private dragging = false;

  constructor(
    private readonly attribute: Ordered,
    private readonly choose: Choose,
    private readonly read: (words: string) => void,
    private readonly scale: Scale,
  ) {
    const count = valueLevels(attribute);
    this.edges = Float64Array.from({ length: count + 1 }, (_, level) => edge(attribute, level));
    const widths = Array.from({ length: count }, (_, level) => this.edges[level + 1] - this.edges[level]);
    const unit = Math.min(...widths);
    const even = widths.every((width) => Math.abs(width - unit) < 1e-9 * Math.abs(unit) * count);
    this.heights = Float64Array.from(widths, (width) => (even ? 1 : unit / width));
    this.corners = Array.from({ length: 2 * count }, (_, corner) => corner);
    const svg = select(document.createElementNS("http://www.w3.org/2000/svg", "svg"));
    this.svg = svg.node() as SVGSVGElement;
    svg.attr("role", "img");
    this.hatches = addHatches(this.svg);
    const path = (kind: string) => svg.append("path").attr("class", kind) as Layer<SVGPathElement>;
    this.layers = {
      sure: path("bars"),
      unsure: path("bars unsure"),
      light: path("bars assumed"),
      partly: path("hatch").attr("fill", this.hatches.partly),
      assumed: path("hatch").attr("fill", this.hatches.assumed),
      band: path("band"),
      overall: path("overall"),
      value: path("value"),
    };
    this.veils = [0, 1].map(() => svg.append("rect").attr("class", "veil") as Layer<SVGRectElement>);
    this.axes = { x: svg.append("g").attr("class", "axis"), y: svg.append("g").attr("class", "axis") };
    this.unit = even
      ? null
      : svg
          .append("text")
          .attr("class", "unit")
          .attr("y", MARGIN.top + 2)
          .text(`per ${valueWords(attribute, unit)}`);
    this.silence = attribute.nullable ? this.drawSilence(svg) : null;
    this.brushed = svg.append("g").attr("class", "brush");
    this.brush = brushX<unknown>().handleSize(matchMedia("(pointer: coarse)").matches ? FINGER : 8);
    this.brush.on("start brush end", (event) => this.onBrush(event));
    this.scrolled = letScroll(this.svg);
    svg.on("pointermove", (event: PointerEvent) => this.onPoint(event)).on("pointerleave", () => this.read(""));
    this.fields = new RangeFields(attribute, (filter) => {
      this.drawnChoice = undefined; // the fields may say what cannot be
      choose(filter, true);
    });
    this.controls = this.fields.element;
  }

  resize(width: number, tall: boolean): void {
    const right = width - MARGIN.right - (this.silence ? SILENCE.gap + SILENCE.width : 0);
    this.height = tall ? HEIGHT.tall : HEIGHT.usual;
    select(this.svg)
      .attr("width", width)
      .attr("height", this.height)
      .attr("viewBox", `0 0 ${width} ${this.height}`);
    this.y.range([this.floor, MARGIN.top]);
    this.x.domain([this.edges[0], this.edges[this.edges.length - 1]]).range([MARGIN.left, right]);
    const words = this.tickWords();
    const ticks = axisBottom<number>(this.x as never)
      .tickValues(this.ticks(width, words))
      .tickFormat(words)
      .tickSizeOuter(0);
    this.axes.x.attr("transform", `translate(0,${this.floor})`).call(ticks as never);
    this.unit?.attr("x", right);
    this.silence?.attr("transform", `translate(${right + SILENCE.gap},0)`);
    this.silence?.select("text").attr("y", this.height - 8);
    this.brush.extent([
      [MARGIN.left, MARGIN.top],
      [right, this.floor],
    ]);
    this.brushed.call(this.brush);
    this.pixelsOfEdges = Array.from(this.edges, (value) => Math.round(10 * this.x(value)) / 10);
    this.y.domain([0, 0]);
    this.drawnChoice = undefined;
    if (this.shown) this.draw(this.shown);
  }

  private get floor(): number {
    return this.height - MARGIN.bottom;
  }

  /** Return what turns a value of the axis into words. */
  private tickWords(): (value: number) => string {
    const wide = Math.max(...domain(this.attribute).map(Math.abs));
    return wide >= 10_000 ? format("~s") : (value) => valueWords(this.attribute, value);
  }

  /** Return as many values for the axis as have room for their labels, beside each other and beside "none". */
  private ticks(width: number, words: (value: number) => string): number[] {
    const half = (value: number) => widthOf(words(value), LETTERS) / 2;
    const right = this.x.range()[1];
    const most = this.silence ? right + SILENCE.gap + SILENCE.width / 2 - widthOf("none", LETTERS) / 2 - APART : width;
    for (let count = Math.max(3, Math.floor(width / 60)); count > 1; count--) {
      const values = this.x.ticks(count).filter((value) => this.attribute.kind === "numeric" || Number.isInteger(value));
      const kept = values.filter((value) => this.x(value) + half(value) <= most);
      const apart = kept.slice(1).every((value, index) => {
        const before = kept[index];
        return this.x(value) - half(value) - this.x(before) - half(before) >= APART;
      });
      if (apart) return kept;
    }
    return [this.x.domain()[0]];
  }

  draw(shown: Shown): void {
    this.shown = shown;
    const now = shown.among ?? shown.overall;
    this.fitHeight(shown);
    this.layers.overall.attr("visibility", shown.among ? "visible" : "hidden");
    this.layers.value.attr("d", this.outline(now.fractions));
    this.layers.band.attr("d", this.band(now));
    this.drawBars(now);
    if (this.drawnChoice !== shown.filter) this.drawChoice(shown.filter as RangeFilter | null);
    if (this.silence) this.fillSilence(shown, shown.filter as RangeFilter | null);
  }

  private fitHeight(shown: Shown): void {
    let most = 0;
    const [overall, now] = [shown.overall, shown.among ?? shown.overall];
    for (let level = 0; level < overall.fractions.length; level++) {
      const height = level < this.heights.length ? this.heights[level] : 1;
      most = Math.max(most, height * overall.fractions[level], height * reachOf(now, level));
    }
    const top = scaleLinear().domain([0, most]).nice(4).domain()[1];
    const same = top === this.y.domain()[1];
    if (same && this.outlined === overall) return;
    this.y.domain([0, top]);
    this.outlined = overall;
    this.layers.overall.attr("d", this.outline(overall.fractions));
    if (same) return;
    const ticks = axisLeft<number>(this.y as never)
      .ticks(4)
      .tickSizeOuter(0)
      .tickSizeInner(-4);
    ticks.tickFormat((value) => `${Number((100 * (value as number)).toPrecision(6))} %`);
    this.axes.y.attr("transform", `translate(${MARGIN.left},0)`).call(ticks as never);
  }

  /** Return the height in the picture at which a level's fraction stands, to a tenth of a pixel. */
  private top(fraction: number, level: number): number {
    const full = this.y.domain()[1];
    const part = full > 0 ? Math.min(1, (this.heights[level] * fraction) / full) : 0;
    return Math.round(10 * (this.floor - part * (this.floor - MARGIN.top))) / 10;
  }

  /** Draw every level's bar, the way its interval and its evidence ask for. */
  private drawBars({ fractions, lows, evidence }: Distribution): void {
    const { floor } = this;
    const paths = { sure: "", unsure: "", light: "", partly: "", assumed: "" };
    for (let level = 0; level < this.heights.length; level++) {
      const [left, right] = [this.pixelsOfEdges[level], this.pixelsOfEdges[level + 1]];
      const bar = `M${left},${floor}V${this.top(fractions[level], level)}H${right}V${floor}Z`;
      const basis = basisOf(this.scale, evidence[level]);
      if (basis === "assumed") paths.light += bar;
      else if (lows[level] > 0) paths.sure += bar;
      else paths.unsure += bar;
      if (basis !== "measured") paths[basis] += bar;
    }
    for (const [kind, path] of Object.entries(paths)) this.layers[kind as keyof typeof paths].attr("d", path);
  }

  private band({ lows, highs }: Distribution): string {
    const across = (corner: number) => this.pixelsOfEdges[(corner + 1) >> 1];
    const below = (corner: number) => this.top(lows[corner >> 1], corner >> 1);
    const above = (corner: number) => this.top(highs[corner >> 1], corner >> 1);
    return area<number>(across, below, above)(this.corners) ?? "";
  }

  private outline(fractions: Float64Array): string {
    const across = (corner: number) => this.pixelsOfEdges[(corner + 1) >> 1];
    return line<number>(across, (corner) => this.top(fractions[corner >> 1], corner >> 1))(this.corners) ?? "";
  }

  private drawChoice(filter: RangeFilter | null): void {
    this.drawnChoice = filter;
    const [left, right] = this.x.range();
    const ends = filter?.range ? this.pixels(filter.range) : null;
    const inside = ends ?? (filter ? [right, right] : [left, right]);
    this.veils.forEach((veil, side) => {
      const [start, stop] = side ? [inside[1], right] : [left, inside[0]];
      veil
        .attr("x", start)
        .attr("width", Math.max(0, stop - start))
        .attr("y", 0)
        .attr("height", this.floor);
    });
    if (!this.dragging) this.brushed.call(this.brush.move, ends);
    this.fields.show(filter);
  }

  private pixels(range: readonly [number, number]): [number, number] {
    const place = (level: number) => {
      const whole = Math.min(Math.floor(level), this.edges.length - 2);
      return this.x(this.edges[whole] + (level - whole) * (this.edges[whole + 1] - this.edges[whole]));
    };
    const [start, stop] = span(this.attribute, ...range);
    return [place(start), place(stop)];
  }

  private onBrush({ sourceEvent, selection, type }: D3BrushEvent<unknown>): void {
    if (!sourceEvent) return;
    this.dragging = type !== "end";
    if (type === "start") return;
    if (type === "end") this.drawnChoice = undefined;
    if (this.scrolled()) return this.shown ? this.draw(this.shown) : undefined;
    const range = selection ? this.snapped(selection as [number, number]) : null;
    this.choose(rangeFilter(this.attribute, range, this.silent), type === "end");
  }

  /** Return the values of the whole levels that a stretch of pixels covers best, at least one. */
  private snapped(pixels: [number, number]): [number, number] {
    const values = pixels.map((pixel) => this.x.invert(pixel));
    const nearest = (value: number) => this.levelAt(value, true);
    const [first, last] = values.map(nearest);
    const middle = this.levelAt((values[0] + values[1]) / 2, false);
    return last > first ? valuesOf(this.attribute, first, last) : valuesOf(this.attribute, middle, middle + 1);
  }

  /** Return the level that holds a value of the axis, or the edge nearest to it. */
  private levelAt(value: number, nearest: boolean): number {
    let level = 0;
    const most = this.heights.length - 1;
    while (level < most && this.edges[level + 1] <= value) level++;
    if (!nearest) return level;
    return value - this.edges[level] > this.edges[level + 1] - value ? level + 1 : level;
  }

  private drawSilence(svg: Layer<SVGSVGElement>): Layer<SVGGElement> {
    const group = svg.append("g").attr("class", "silence");
    for (const kind of ["bars", "hatch", "band", "mark", "overall", "hit"])
      group.append("rect").attr("class", kind).attr("width", SILENCE.width);
    group
      .select(".hit")
      .attr("x", (SILENCE.width - FINGER) / 2)
      .attr("width", FINGER);
    group
      .append("text")
      .attr("x", SILENCE.width / 2)
      .text("none");
    group.on("click", () => this.fields.chooseSilence(!this.silent));
    return group;
  }

  /** Whether "no answer" is chosen. */
  private get silent(): boolean {
    return (this.shown?.filter as RangeFilter | null)?.missing ?? false;
  }

  private fillSilence({ overall, among }: Shown, filter: RangeFilter | null): void {
    const level = this.heights.length;
    const now = among ?? overall;
    const place = (kind: string, low: number, high: number) => {
      const [top, bottom] = [this.y(Math.min(high, this.y.domain()[1])), this.y(low)];
      return this.silence
        ?.select(`.${kind}`)
        .attr("y", top)
        .attr("height", Math.max(0, bottom - top));
    };
    const basis = basisOf(this.scale, now.evidence[level]);
    place("bars", 0, now.fractions[level])
      ?.classed("unsure", now.lows[level] <= 0)
      .classed("assumed", basis === "assumed");
    place("hatch", 0, now.fractions[level])?.attr("fill", this.hatches[basis]);
    place("band", now.lows[level], now.highs[level]);
    place("mark", now.fractions[level], now.fractions[level])?.attr("height", 1.5);
    place("overall", overall.fractions[level], overall.fractions[level])?.attr("height", among ? 1.5 : 0);
    place("hit", 0, this.y.domain()[1]);
    this.silence?.classed("left-out", filter !== null && !filter.missing);
  }

  private onPoint(event: PointerEvent): void {
    if (!this.shown) return;
    const [left] = this.x.range();
    const pixel = event.clientX - this.svg.getBoundingClientRect().left;
    if (pixel < left) return;
    const value = this.x.invert(pixel);
    const silent = pixel > this.x.range()[1] + SILENCE.gap / 2 && this.attribute.nullable;
    const level = silent ? levels(this.attribute) - 1 : this.levelAt(value, false);
    this.read(levelReading(levelWords(this.attribute, level), this.shown, level, this.scale));
  }
}
