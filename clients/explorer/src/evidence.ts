/** How much of a number was measured rather than assumed: in words, and as hatching of what was not. */

import { type Selection, select } from "d3-selection";

import type { Distribution } from "./crowd";
import type { Exploration } from "./exploration";

/** What evidence is called from some number on, the highest first: as Python calls it. */
export type Scale = Exploration["evidence"];

/** How a number is drawn: plain, lightly hatched, or densely. */
export type Basis = "measured" | "partly" | "assumed";

/** The hatchings that a picture holds: what to fill with for a basis. */
export type Hatches = Readonly<Record<Basis, string>>;

const DRAWN: readonly Basis[] = ["measured", "measured", "partly", "assumed"];
const SPACING = { partly: 8, assumed: 4 }; // one a multiple of the other, so that lines go on from cell to cell
let pictures = 0;

/** Return in words, or in a short form of them, how much was measured; nothing where the model cannot tell. */
export function evidenceWords(scale: Scale, evidence: number, short = false): string {
  const words = scale.find(([least]) => evidence >= least)?.[1] ?? "";
  return short ? words.split(":")[0] : words;
}

/** Return how a number of so much evidence is drawn. */
export function basisOf(scale: Scale, evidence: number): Basis {
  for (let place = 0; place < scale.length; place++) if (evidence >= scale[place][0]) return DRAWN[place];
  return "measured"; // the model cannot tell
}

/** Return in words how much of a distribution was measured: on average over the people in it, and by value. */
export function distributionWords(scale: Scale, { fractions, evidence }: Distribution): string {
  let [sum, people, assumed] = [0, 0, 0];
  for (let level = 0; level < fractions.length; level++) {
    sum += fractions[level] * evidence[level];
    people += fractions[level];
    if (basisOf(scale, evidence[level]) === "assumed") assumed++;
  }
  const [words, short] = [false, true].map((brief) => evidenceWords(scale, sum / people, brief));
  if (!words || !assumed || assumed === fractions.length) return words;
  return `${short}; ${assumed} of ${fractions.length} values assumed`;
}

/** Put two hatchings into a picture, and return what to fill with. */
export function addHatches(svg: SVGSVGElement): Hatches {
  const number = pictures++;
  const definitions = select(svg).append("defs") as Selection<SVGDefsElement, unknown, null, undefined>;
  const fills = Object.entries(SPACING).map(([name, spacing]) => {
    const id = `hatch-${number}-${name}`;
    const pattern = definitions
      .append("pattern")
      .attr("id", id)
      .attr("width", spacing)
      .attr("height", spacing)
      .attr("patternUnits", "userSpaceOnUse")
      .attr("patternTransform", "rotate(45)");
    // a light line beside a dark one is seen on any ground
    for (const [kind, x] of [
      ["dark", 0.5],
      ["light", 1.5],
    ] as const)
      pattern.append("line").attr("class", kind).attr("x1", x).attr("x2", x).attr("y2", spacing);
    return [name, `url(#${id})`] as const;
  });
  return { measured: "none", ...(Object.fromEntries(fills) as Record<"partly" | "assumed", string>) };
}
