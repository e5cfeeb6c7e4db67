/** A categorical attribute: a bar for every value, with its name above it; the whole row is a checkbox as well. */

import { scaleLinear } from "d3-scale";
import { type Selection, select } from "d3-selection";

import { levels } from "./attributes";
import { type Chart, type Choose, NOT_SURE, type Shown, levelReading, reachOf } from "./chart";
import type { Distribution } from "./crowd";
import { type Hatches, type Scale, addHatches, basisOf, evidenceWords } from "./evidence";
import type { Categorical } from "./exploration";
import { type LevelsFilter, levelsFilter } from "./filters";
import { widthOf, wrapped } from "./text";
import { levelWords, percent } from "./words";

const ROW = { least: 44, most: 72, all: 212 }; // a finger's width, and as high together as a histogram with its fields
const LETTERS = { size: 13, weight: 650, line: 16, lines: 3 };
const EDGE = 6;
const BELOW = 8;

type Row = Selection<SVGGElement, number, SVGSVGElement, unknown>;

export class Categories implements Chart {
  readonly svg: SVGSVGElement;
  readonly controls = null;
  private readonly rows: Row;
  private readonly hatches: Hatches;
  private readonly x = scaleLinear().domain([0, 0]);
  private shown: Shown | null = null;

  constructor(
    private readonly attribute: Categorical,
    private readonly choose: Choose,
    private readonly read: (words: string) => void,
    private readonly scale: Scale,
  ) {
    const count = levels(attribute);
    const svg = select(document.createElementNS("http://www.w3.org/2000/svg", "svg"));
    this.svg = svg.node() as SVGSVGElement;
    svg.attr("role", "group").attr("class", "categories");
    this.hatches = addHatches(this.svg);
    this.rows = svg
      .selectAll<SVGGElement, number>("g")
      .data(Array.from({ length: count }, (_, level) => level))
      .join("g")
      .attr("role", "checkbox")
      .attr("tabindex", 0) as unknown as Row;
    this.rows.append("rect").attr("class", "hit").attr("x", 1).attr("y", 1).attr("rx", 4);
    this.rows.append("text").attr("class", "name");
    for (const kind of ["bars", "hatch", "band", "mark"]) this.rows.append("rect").attr("class", kind);
    this.rows.append("line").attr("class", "overall");
    this.rows.append("text").attr("class", "value").attr("y", LETTERS.line - 3);
    this.rows
      .on("click", (_, level) => this.toggle(level))
      .on("keydown", (event: KeyboardEvent, level) => {
        if (event.key !== " " && event.key !== "Enter") return;
        event.preventDefault();
        this.toggle(level);
      })
      .on(
        "pointermove",
        (_, level) => this.shown && this.read(levelReading(levelWords(attribute, level), this.shown, level, scale)),
      )
      .on("pointerleave", () => this.read(""));
  }

  resize(width: number): void {
    const { size, weight, line, lines } = LETTERS;
    const count = levels(this.attribute);
    const room = width - 3 * EDGE - widthOf(percent(0.888), size);
    const names = Array.from({ length: count }, (_, level) =>
      wrapped(levelWords(this.attribute, level), room, size, weight, lines),
    );
    const more = (Math.max(...names.map((name) => name.length)) - 1) * line;
    const row = Math.min(Math.max(ROW.all / count, ROW.least), ROW.most) + more;
    const top = line + more + 6;
    select(this.svg)
      .attr("width", width)
      .attr("height", count * row)
      .attr("viewBox", `0 0 ${width} ${count * row}`);
    this.rows.attr("transform", (level) => `translate(0,${level * row})`);
    this.rows
      .select(".name")
      .selectAll("tspan")
      .data((level) => names[level as number])
      .join("tspan")
      .attr("x", EDGE)
      .attr("y", (_, index) => line - 3 + index * line)
      .text((name) => name);
    this.x.range([EDGE, width - EDGE]);
    this.rows
      .select(".hit")
      .attr("width", width - 2)
      .attr("height", row - 2);
    this.rows.select(".value").attr("x", width - EDGE);
    this.rows
      .selectAll(".bars, .hatch, .band")
      .attr("y", top)
      .attr("height", row - top - BELOW);
    this.rows
      .select(".mark")
      .attr("y", top - 2)
      .attr("height", row - top - BELOW + 4)
      .attr("width", 2.5);
    this.rows
      .select(".overall")
      .attr("y1", top - 3)
      .attr("y2", row - BELOW + 3);
    if (this.shown) this.draw(this.shown);
  }

  draw(shown: Shown): void {
    this.shown = shown;
    const { overall } = shown;
    const now = shown.among ?? overall;
    const chosen = (shown.filter as LevelsFilter | null)?.levels ?? null;
    const reaches = Array.from(now.fractions, (_, level) => reachOf(now, level));
    this.x.domain([0, Math.max(...overall.fractions, ...reaches)]);
    const most = this.x.domain()[1];
    const place = (kind: string, start: (level: number) => number, stop: (level: number) => number) =>
      this.rows
        .select(`.${kind}`)
        .attr("x", (level) => this.x(start(level as number)))
        .attr("width", (level) =>
          Math.max(0, this.x(Math.min(most, stop(level as number))) - this.x(start(level as number))),
        );
    place(
      "bars",
      () => 0,
      (level) => now.fractions[level],
    );
    place(
      "hatch",
      () => 0,
      (level) => now.fractions[level],
    ).attr("fill", (level) => this.hatches[basisOf(this.scale, now.evidence[level as number])]);
    place(
      "band",
      (level) => now.lows[level],
      (level) => now.highs[level],
    );
    this.rows.select(".mark").attr("x", (level) => this.x(now.fractions[level as number]) - 1.25);
    this.rows
      .select(".overall")
      .attr("visibility", shown.among ? "visible" : "hidden")
      .attr("x1", (level) => this.x(overall.fractions[level as number]))
      .attr("x2", (level) => this.x(overall.fractions[level as number]));
    this.rows.select(".value").text((level) => percent(now.fractions[level as number]));
    this.rows
      .classed("unsure", (level) => now.lows[level] <= 0)
      .classed("assumed", (level) => basisOf(this.scale, now.evidence[level]) === "assumed")
      .classed("left-out", (level) => chosen !== null && !chosen.includes(level))
      .attr("aria-checked", (level) => String(chosen?.includes(level) ?? false))
      .attr("aria-label", (level) => this.label(level, now));
  }

  private label(level: number, { fractions, lows, evidence }: Distribution): string {
    const words = [levelWords(this.attribute, level), percent(fractions[level])];
    if (!(lows[level] > 0)) words.push(NOT_SURE);
    if (basisOf(this.scale, evidence[level]) !== "measured") words.push(evidenceWords(this.scale, evidence[level]));
    return words.join(", ");
  }

  private toggle(level: number): void {
    const chosen = new Set((this.shown?.filter as LevelsFilter | null)?.levels ?? []);
    if (!chosen.delete(level)) chosen.add(level);
    this.choose(levelsFilter(this.attribute, chosen), true);
  }
}
