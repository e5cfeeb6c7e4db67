/** A categorical attribute: a bar for every value, which is a checkbox as well. */

import { scaleLinear } from "d3-scale";
import { type Selection, select } from "d3-selection";

import { levels } from "./attributes";
import { type Chart, type Choose, NOT_SURE, type Shown, levelReading } from "./chart";
import type { Distribution } from "./crowd";
import { type Hatches, type Scale, addHatches, basisOf, evidenceWords } from "./evidence";
import type { Categorical } from "./exploration";
import { type LevelsFilter, levelsFilter } from "./filters";
import { levelWords, percent, shortened } from "./words";

const ROW = 30;
const BAR = 16;
const CHARACTER = 7.6;

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
    svg
      .attr("height", count * ROW + 8)
      .attr("role", "group")
      .attr("class", "categories");
    this.hatches = addHatches(this.svg);
    this.rows = svg
      .selectAll<SVGGElement, number>("g")
      .data(Array.from({ length: count }, (_, level) => level))
      .join("g")
      .attr("role", "checkbox")
      .attr("tabindex", 0)
      .attr("transform", (level) => `translate(0,${level * ROW + 4})`) as unknown as Row;
    this.rows
      .append("rect")
      .attr("class", "hit")
      .attr("height", ROW - 2)
      .attr("y", -3)
      .attr("rx", 4);
    this.rows
      .append("text")
      .attr("class", "name")
      .attr("x", 6)
      .attr("y", BAR / 2 + 3);
    for (const kind of ["bars", "hatch", "band", "overall"])
      this.rows.append("rect").attr("class", kind).attr("y", 3).attr("height", BAR);
    this.rows
      .append("text")
      .attr("class", "value")
      .attr("y", BAR / 2 + 3);
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
    this.svg.setAttribute("width", String(width));
    const names = Array.from({ length: levels(this.attribute) }, (_, level) => levelWords(this.attribute, level));
    const left = Math.min(18 + CHARACTER * Math.max(...names.map((name) => name.length)), width * 0.45);
    const room = Math.floor((left - 18) / CHARACTER);
    this.rows.select(".name").text((level) => shortened(names[level as number], room));
    this.x.range([left, width - 62]);
    this.rows.select(".hit").attr("width", width);
    this.rows.select(".value").attr("x", width - 4);
    if (this.shown) this.draw(this.shown);
  }

  draw(shown: Shown): void {
    this.shown = shown;
    const { overall } = shown;
    const now = shown.among ?? overall;
    const chosen = (shown.filter as LevelsFilter | null)?.levels ?? null;
    this.x.domain([0, Math.max(...overall.fractions, ...now.fractions) * 1.12]);
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
    place(
      "overall",
      (level) => overall.fractions[level],
      () => 0,
    ).attr("width", shown.among ? 2 : 0);
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
