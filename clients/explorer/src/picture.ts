/** Charts as pictures of their own: what the style sheet says is written into them, and words stand beside them. */

import { wrapped } from "./text";

const SVG = "http://www.w3.org/2000/svg";
const DRAWN = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "font-size"];
const WRITTEN = ["font-family", "font-weight", "text-anchor", "dominant-baseline", "opacity", "visibility", "display"];
const PAD = 20;
const SCALE = 2; // pixels of a PNG for one of the page

/** A chart, and what stands above it. */
export interface Plate {
  readonly title: string;
  readonly lines: readonly string[];
  readonly svg: SVGSVGElement;
}

/** Return a chart as a picture of its own, on the page's ground. */
export function pictureOf(svg: SVGSVGElement, words: string): SVGSVGElement {
  const copy = styled(svg);
  const about = document.createElementNS(SVG, "desc");
  about.textContent = words;
  copy.prepend(about, ground(groundOf(svg)));
  return copy;
}

/** Return pictures below a few lines of text, in rows as on the page. */
export function sheet(heads: readonly string[], plates: readonly Plate[]): SVGSVGElement {
  const ink = getComputedStyle(document.body).color;
  const root = document.createElementNS(SVG, "svg");
  const rows = new Map<number, Plate[]>();
  for (const plate of plates) {
    const top = Math.round(plate.svg.closest(".card")?.getBoundingClientRect().top ?? 0);
    rows.set(top, [...(rows.get(top) ?? []), plate]);
  }
  const width = Math.max(...[...rows.values()].map((row) => row.reduce((sum, { svg }) => sum + widthIn(svg), PAD)));
  let top = PAD;
  const write = (words: string, x: number, size: number, weight: number, room: number) => {
    for (const line of wrapped(words, room, size, weight, 4)) {
      const text = document.createElementNS(SVG, "text");
      const look = { x, y: top + size, "font-size": size, "font-weight": weight, fill: ink };
      for (const [name, value] of Object.entries(look)) text.setAttribute(name, String(value));
      text.setAttribute("font-family", getComputedStyle(document.body).fontFamily);
      text.textContent = line;
      root.append(text);
      top += 1.4 * size;
    }
  };
  heads.forEach((words, place) => write(words, PAD, place ? 13 : 18, place ? 400 : 650, width - 2 * PAD));
  for (const [, row] of [...rows].sort(([one], [other]) => one - other)) {
    const begun = top + PAD / 2;
    let most = begun;
    let left = PAD;
    for (const { title, lines, svg } of row) {
      const wide = widthIn(svg) - PAD;
      top = begun;
      write(title, left, 15, 650, wide);
      for (const line of lines.filter(Boolean)) write(line, left, 12, 400, wide);
      const copy = styled(svg);
      copy.setAttribute("x", String(left));
      copy.setAttribute("y", String(top));
      root.append(copy);
      most = Math.max(most, top + Number(svg.getAttribute("height")));
      left += wide + PAD;
    }
    top = most + PAD / 2;
  }
  const height = Math.ceil(top + PAD / 2);
  root.setAttribute("xmlns", SVG);
  root.setAttribute("width", String(Math.ceil(width)));
  root.setAttribute("height", String(height));
  root.prepend(ground(groundOf(plates[0].svg)));
  return root;
}

/** Return a picture as text. */
export function svgText(svg: SVGSVGElement): Blob {
  return new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" });
}

/** Return a picture as pixels. */
export async function png(svg: SVGSVGElement): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = ["width", "height"].map((side) => SCALE * Number(svg.getAttribute(side)));
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) => {
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("The browser made no picture."))), "image/png");
  });
}

/** Return how much of a row a chart takes. */
function widthIn(svg: SVGSVGElement): number {
  return Number(svg.getAttribute("width")) + PAD;
}

/** Return a copy of a chart with its style written into it. */
function styled(svg: SVGSVGElement): SVGSVGElement {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const [shown, written] = [svg, copy].map((root) => [root, ...root.querySelectorAll<SVGElement>("*")]);
  shown.forEach((original, place) => {
    const style = getComputedStyle(original);
    for (const name of [...DRAWN, ...WRITTEN]) written[place].setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "style", "tabindex", "role"]) written[place].removeAttribute(name);
  });
  for (const hidden of copy.querySelectorAll("[display=none]")) hidden.remove();
  copy.setAttribute("xmlns", SVG);
  return copy;
}

/** Return the colour that a chart stands on. */
function groundOf(svg: SVGSVGElement): string {
  return getComputedStyle(svg.closest(".card") ?? document.body).backgroundColor;
}

function ground(colour: string): SVGRectElement {
  const back = document.createElementNS(SVG, "rect");
  back.setAttribute("width", "100%");
  back.setAttribute("height", "100%");
  back.setAttribute("fill", colour);
  return back;
}
