/** Two attributes together: a map of the fractions in all cells, fine levels joined, with the axes to choose. */

import { axisBottom, axisLeft } from "d3-axis";
import { scaleBand } from "d3-scale";
import { type Selection, select } from "d3-selection";

import { type Cell, cellsOf, valueLevels, valuesOf } from "./attributes";
import type { Distribution } from "./crowd";
import { element } from "./dom";
import { type Basis, type Hatches, type Scale, addHatches, basisOf, evidenceWords } from "./evidence";
import type { Attribute } from "./exploration";
import { fitted, widthOf } from "./text";
import { levelWords, percent, valueWords } from "./words";

const MARGIN = { top: 6, right: 12 };
const HEIGHT = { least: 340, most: 680 };
const LETTERS = { size: 11, line: 14, apart: 8, most: 96 };
const TITLE = 20; // pixels for the name of an axis
const LEAN = { angle: -40, across: Math.cos((40 * Math.PI) / 180), up: Math.sin((40 * Math.PI) / 180) };

/** The labels of an axis: which cells have one, what they say, whether they lean, and how much room they take. */
interface Labels {
  readonly kept: readonly number[];
  readonly words: readonly string[];
  readonly leaning: boolean;
  readonly room: number;
}

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
  private height = HEIGHT.least;
  private shown: { pair: readonly [number, number]; joint: Distribution | null } | null = null;

  constructor(
    private readonly attributes: readonly Attribute[],
    private readonly scale: Scale,
    choose: (pair: [number, number]) => void,
  ) {
    this.root = select(document.createElementNS("http://www.w3.org/2000/svg", "svg"));
    this.svg = this.root.node() as SVGSVGElement;
    this.root.attr("role", "img").attr("class", "heatmap");
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

  /** Fit the map into so many pixels, and about so many up. */
  resize(width: number, height: number): void {
    this.width = width;
    this.height = Math.min(Math.max(height, HEIGHT.least), HEIGHT.most);
    this.root
      .attr("width", width)
      .attr("height", this.height)
      .attr("viewBox", `0 0 ${width} ${this.height}`);
    if (!this.shown) return;
    const { textContent } = this.reading;
    this.draw(this.shown.pair, this.shown.joint);
    this.reading.textContent = textContent; // a cell's words may be what changed the size
  }

  /** Draw the fractions in the cells of a pair, a row after another from below; null: nobody is chosen. */
  draw(pair: readonly [number, number], joint: Distribution | null): void {
    this.shown = { pair, joint };
    this.selects.forEach((field, side) => (field.value = String(pair[side])));
    const [across, up] = pair.map((place) => this.attributes[place]);
    const [columns, rows] = [across, up].map(cellsOf);
    const beside = this.labelsBeside(up, rows);
    const left = beside.room + TITLE;
    const below = labelsBelow(across, columns, left, (this.width - left - MARGIN.right) / columns.length);
    const floor = this.height - below.room - TITLE;
    const x = scaleBand<number>(keys(columns), [left, this.width - MARGIN.right]);
    const y = scaleBand<number>(keys(rows), [floor, MARGIN.top]);
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
    this.axis(".across", axisBottom(x), across, below, `translate(0,${floor})`);
    this.axis(".up", axisLeft(y), up, beside, `translate(${left},0)`);
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

  /** Return the labels of the axis that goes up, cut to at most a third of the width. */
  private labelsBeside(attribute: Attribute, cells: readonly Cell[]): Labels {
    const words = cells.map(({ start }) => tick(attribute, start));
    const widest = Math.max(...words.map((word) => widthOf(word, LETTERS.size)));
    const room = Math.min(widest, this.width / 3);
    const step = Math.ceil((LETTERS.line * cells.length) / (this.height - 2 * LETTERS.line - TITLE - MARGIN.top));
    const short = words.map((word) => fitted(word, room, LETTERS.size));
    return { kept: kept(attribute, cells, step), words: short, leaning: false, room: room + 12 };
  }

  private axis(
    kind: string,
    axis: ReturnType<typeof axisBottom<number>>,
    attribute: Attribute,
    labels: Labels,
    place: string,
  ): void {
    axis
      .tickValues([...labels.kept])
      .tickSizeOuter(0)
      .tickFormat((cell) => labels.words[cell]);
    const group = this.root.select<SVGGElement>(kind).attr("transform", place);
    group.call(axis as never);
    const title = group
      .selectAll(".title")
      .data([attribute.name])
      .join("text")
      .attr("class", "title")
      .text((name) => name);
    if (kind === ".across") {
      const texts = group.selectAll(".tick text");
      if (labels.leaning) {
        texts.attr("transform", `rotate(${LEAN.angle})`).attr("text-anchor", "end").attr("x", -4).attr("y", 6);
      } else texts.attr("transform", null).attr("text-anchor", "middle").attr("x", 0);
      title
        .attr("x", this.width - MARGIN.right)
        .attr("y", labels.room + TITLE - 6)
        .attr("text-anchor", "end");
    } else {
      title
        .attr("transform", "rotate(-90)")
        .attr("x", -MARGIN.top)
        .attr("y", -labels.room - 6)
        .attr("text-anchor", "end");
    }
  }
}

/** Return the labels of the axis that goes across: flat if they have room, leaning where categories are too many. */
function labelsBelow(attribute: Attribute, cells: readonly Cell[], left: number, band: number): Labels {
  const words = cells.map(({ start }) => tick(attribute, start));
  const widest = Math.max(...words.map((word) => widthOf(word, LETTERS.size)));
  const step = Math.ceil((widest + LETTERS.apart) / band);
  if (step === 1 || attribute.kind !== "categorical") {
    return { kept: kept(attribute, cells, step), words, leaning: false, room: 20 };
  }
  const room = Math.min(widest, LETTERS.most, (left + band / 2) / LEAN.across);
  const short = words.map((word) => fitted(word, room, LETTERS.size));
  const leaning = kept(attribute, cells, Math.ceil(LETTERS.line / LEAN.up / band));
  return { kept: leaning, words: short, leaning: true, room: room * LEAN.up + 16 };
}

/** Return every so manieth cell, and "no answer" in any case. */
function kept(attribute: Attribute, cells: readonly Cell[], step: number): number[] {
  const silent = attribute.nullable ? cells.length - 1 : -1;
  return keys(cells).filter((cell) => cell === silent || (cell % step === 0 && (silent < 0 || silent - cell >= step)));
}

function keys(cells: readonly Cell[]): number[] {
  return cells.map((_, place) => place);
}

function tick(attribute: Attribute, level: number): string {
  if (level >= valueLevels(attribute)) return "none";
  if (attribute.kind === "numeric") return valueWords(attribute, attribute.boundaries[level]);
  return levelWords(attribute, level);
}

function cellWords(attribute: Attribute, { start, stop }: Cell): string {
  if (stop - start === 1 || attribute.kind === "categorical") return levelWords(attribute, start);
  const [low, high] = valuesOf(attribute, start, stop);
  return `${valueWords(attribute, low)}–${valueWords(attribute, high)}`;
}
