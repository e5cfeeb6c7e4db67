/** How wide words are in the page's own letters, so that labels fit where they stand. */

const FAMILY = 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
const widths = new Map<string, number>();
let ruler: CanvasRenderingContext2D | null = null;

/** Return the width of words in pixels. */
export function widthOf(words: string, size: number, weight = 400): number {
  const font = `${weight} ${size}px ${FAMILY}`;
  const key = `${font}|${words}`;
  const known = widths.get(key);
  if (known !== undefined) return known;
  ruler ??= document.createElement("canvas").getContext("2d") as CanvasRenderingContext2D;
  ruler.font = font;
  const width = ruler.measureText(words).width;
  widths.set(key, width);
  return width;
}

/** Return words cut so that they fit. */
export function fitted(words: string, room: number, size: number, weight = 400): string {
  if (widthOf(words, size, weight) <= room) return words;
  const letters = [...words];
  while (letters.length > 1 && widthOf(`${letters.join("")}…`, size, weight) > room) letters.pop();
  return `${letters.join("").trimEnd()}…`;
}

/** Return words in lines that fit, broken between words where that can be; the last of `most` lines is cut. */
export function wrapped(words: string, room: number, size: number, weight: number, most: number): string[] {
  const lines: string[] = [];
  let rest = words;
  while (lines.length + 1 < most && widthOf(rest, size, weight) > room) {
    const letters = [...rest];
    let count = letters.length;
    while (count > 1 && widthOf(letters.slice(0, count).join(""), size, weight) > room) count--;
    const space = letters.slice(0, count + 1).lastIndexOf(" ");
    const stop = space > 0 ? space : count;
    lines.push(letters.slice(0, stop).join(""));
    rest = letters.slice(stop).join("").trimStart();
  }
  return [...lines, fitted(rest, room, size, weight)];
}
