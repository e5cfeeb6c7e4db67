/** Two attributes together: a map of the fractions in all cells, fine levels joined, with the axes to choose. */

import { axisBottom, axisLeft } from "d3-axis";
import { scaleBand } from "d3-scale";
import { type Selection, select } from "d3-selection";

import { type Cell, cellsOf, valueLevels, valuesOf } from "./attributes";
import type { Distribution } from "./crowd";
import { element } from "./dom";
import { type Basis, type Hatches, type Scale, addHatches, basisOf, evidenceWords } from "./evidence";
import type { Attribute } from "./exploration";
import { levelWords, percent, shortened, valueWords } from "./words";

const MARGIN = { top: 6, right: 8, bottom: 40, left: 76 };
const HEIGHT = 340;

export class HeatMap {
  readonly svg: SVGSVGElement;
  readonly controls: HTMLElement;
  readonly reading = element("p", { class: "reading" });
  private readonly selects: HTMLSelectElement[];
  private readonly root: Selection<SVGSVGElement, unknown, null, undefined>;
  private readonly hatches: Hatches;
  /** How much of the map was measured, in words. */
  readonly basis = element("p", { class: "basis" });
  private width = 400;
  private shown: { pair: readonly [number, number]; joint: Distribution | null } | null = null;

  constructor(
    private readonly attributes: readonly Attribute[],
    private readonly scale: Scale,
    choose: (pair: [number, number]) => void,
  ) {
    this.root = select(document.createElementNS("http://www.w3.org/2000/svg", "svg"));
    this.svg = this.root.node() as SVGSVGElement;
    this.root.attr("height", HEIGHT).attr("role", "img").attr("class", "heatmap");
    this.hatches = addHatches(this.svg);
    this.root.append("g").attr("class", "cells");
    for (const basis of ["partly", "assumed"] as const) {
      this.root.append("path").attr("class", `hatch ${basis}`).attr("fill", this.hatches[basis]);
    }
    this.root.append("g").attr("class", "axis across");
    this.root.append("g").attr("class", "axis up");
    this.selects = ["Across", "Up"].map((word) => {
      const options = attributes.map((attribute, place) => element("option", { value: place }, attribute.name));
      return element("select", { "aria-label": word }, ...options);
    });
    this.selects.forEach((field, side) =>
      field.addEventListener("change", () => {
        const pair = this.selects.map((one) => Number(one.value)) as [number, number];
        const before = this.shown?.pair ?? pair;
        if (pair[0] === pair[1]) pair[1 - side] = before[side];
        choose(pair);
      }),
    );
    this.controls = element(
      "div",
      { class: "controls" },
      element("label", {}, "across ", this.selects[0]),
      element("label", {}, "up ", this.selects[1]),
    );
  }

  resize(width: number): void {
    this.width = width;
    this.root.attr("width", width);
    if (this.shown) this.draw(this.shown.pair, this.shown.joint);
  }

  /** Draw the fractions in the cells of a pair, a row after another from below; null: nobody is chosen. */
  draw(pair: readonly [number, number], joint: Distribution | null): void {
    this.shown = { pair, joint };
    this.selects.forEach((field, side) => (field.value = String(pair[side])));
    const [across, up] = pair.map((place) => this.attributes[place]);
    const [columns, rows] = [across, up].map(cellsOf);
    const x = scaleBand<number>(keys(columns), [MARGIN.left, this.width - MARGIN.right]);
    const y = scaleBand<number>(keys(rows), [HEIGHT - MARGIN.bottom, MARGIN.top]);
    const fractions = joint?.fractions ?? new Float64Array(columns.length * rows.length);
    const evidence = joint?.evidence ?? new Float64Array(fractions.length).fill(NaN);
    const most = Math.max(...fractions);
    const words = (cell: number) => {
      const [one, two] = [columns[cell % columns.length], rows[Math.floor(cell / columns.length)]];
      const basis = evidenceWords(this.scale, evidence[cell]);
      const name = `${across.name} ${cellWords(across, one)}, ${up.name} ${cellWords(up, two)}`;
      return `${name}: ${percent(fractions[cell])}${basis && `; ${basis}`}`;
    };
    this.root
      .select(".cells")
      .selectAll<SVGRectElement, number>("rect")
      .data(fractions.keys())
      .join("rect")
      .attr("x", (cell) => x(cell % columns.length) as number)
      .attr("y", (cell) => y(Math.floor(cell / columns.length)) as number)
      .attr("width", x.bandwidth())
      .attr("height", y.bandwidth())
      .attr("fill-opacity", (cell) => (most > 0 ? Math.sqrt(fractions[cell] / most).toFixed(3) : 0))
      .attr("data-evidence", (cell) => evidence[cell])
      .on("pointermove", (_, cell) => (this.reading.textContent = words(cell)));
    const bases = Array.from(evidence, (one) => basisOf(this.scale, one));
    const [wide, high] = [x.bandwidth(), y.bandwidth()];
    const square = (cell: number) =>
      `M${x(cell % columns.length)},${y(Math.floor(cell / columns.length))}h${wide}v${high}h${-wide}Z`;
    for (const basis of ["partly", "assumed"] as const) {
      const hatched = [...bases.keys()].filter((cell) => bases[cell] === basis);
      this.root.select(`.hatch.${basis}`).attr("d", hatched.map(square).join(""));
    }
    this.basis.textContent = joint ? this.basisWords(joint, bases) : "";
    this.axis(
      ".across",
      axisBottom(x),
      across,
      columns,
      `translate(0,${HEIGHT - MARGIN.bottom})`,
      Math.floor(this.width / 70),
    );
    this.axis(".up", axisLeft(y), up, rows, `translate(${MARGIN.left},0)`, 10);
    const fullest = joint ? `Fullest cell: ${words(fractions.indexOf(most))}` : "Nobody is chosen";
    this.root.attr("aria-label", `Map of ${across.name} and ${up.name}. ${fullest}. ${this.basis.textContent}`);
    this.reading.textContent = fullest;
  }

  /** Return in words how much of the map was measured: on average over the people in it, and by cell. */
  private basisWords({ fractions, evidence }: Distribution, bases: readonly Basis[]): string {
    const mean = fractions.reduce((sum, fraction, cell) => sum + fraction * evidence[cell], 0);
    const words = evidenceWords(this.scale, mean, true);
    if (!words) return "";
    const assumed = bases.filter((basis) => basis === "assumed").length;
    return `${words}; ${assumed ? `${assumed} of ${bases.length}` : "no"} cells assumed`;
  }

  private axis(
    kind: string,
    axis: ReturnType<typeof axisBottom<number>>,
    attribute: Attribute,
    cells: readonly Cell[],
    place: string,
    ticks: number,
  ): void {
    const step = attribute.kind === "categorical" ? 1 : Math.ceil(cells.length / ticks);
    const silent = attribute.nullable ? cells.length - 1 : -1;
    const kept = keys(cells).filter(
      (cell) => cell === silent || (cell % step === 0 && (silent < 0 || silent - cell >= step)),
    );
    axis
      .tickValues(kept)
      .tickSizeOuter(0)
      .tickFormat((cell) => tick(attribute, cells[cell].start));
    const group = this.root.select<SVGGElement>(kind).attr("transform", place);
    group.call(axis as never);
    const title = group
      .selectAll(".title")
      .data([attribute.name])
      .join("text")
      .attr("class", "title")
      .text((name) => name);
    if (kind === ".across")
      title
        .attr("x", this.width - MARGIN.right)
        .attr("y", 34)
        .attr("text-anchor", "end");
    else title.attr("transform", "rotate(-90)").attr("x", -MARGIN.top).attr("y", -62).attr("text-anchor", "end");
  }
}

function keys(cells: readonly Cell[]): number[] {
  return cells.map((_, place) => place);
}

function tick(attribute: Attribute, level: number): string {
  if (level >= valueLevels(attribute)) return "none";
  if (attribute.kind === "numeric") return valueWords(attribute, attribute.boundaries[level]);
  return shortened(levelWords(attribute, level), 11);
}

function cellWords(attribute: Attribute, { start, stop }: Cell): string {
  if (stop - start === 1 || attribute.kind === "categorical") return levelWords(attribute, start);
  const [low, high] = valuesOf(attribute, start, stop);
  return `${valueWords(attribute, low)}–${valueWords(attribute, high)}`;
}
