/** What is looked at: filters, the pair on the map, the size of the crowd. It fits into a link, and steps can be undone. */

import { levels, valueLevels } from "./attributes";
import type { Exploration } from "./exploration";
import { type Filter, type Filters, levelsFilter, rangeFilter } from "./filters";

export interface View {
  readonly filters: Filters;
  readonly pair: readonly [number, number];
  readonly population: number;
}

/** Return the view in which nothing is chosen yet. */
export function firstView(about: Exploration): View {
  const [strongest] = about.pairs;
  return {
    filters: about.attributes.map(() => null),
    pair: strongest?.places ?? [0, 0],
    population: about.population,
  };
}

/** Return the view with one attribute's filter replaced. */
export function withFilter(view: View, place: number, filter: Filter | null): View {
  return { ...view, filters: view.filters.map((old, other) => (other === place ? filter : old)) };
}

/** Return the text that stands behind # in a link to a view: what differs from the first view. */
export function toLink(about: Exploration, view: View): string {
  const parts = new URLSearchParams();
  about.attributes.forEach((attribute, place) => {
    const filter = view.filters[place];
    if (!filter) return;
    if ("range" in filter) {
      if (filter.range) parts.append(`is.${attribute.name}`, filter.range.join(".."));
      if (filter.missing) parts.append(`none.${attribute.name}`, "1");
    } else if (attribute.kind === "categorical") {
      for (const level of filter.levels) {
        if (level < valueLevels(attribute)) parts.append(`is.${attribute.name}`, attribute.values[level]);
        else parts.append(`none.${attribute.name}`, "1");
      }
    }
  });
  const first = firstView(about);
  if (view.pair.join() !== first.pair.join()) {
    parts.append("map", about.attributes[view.pair[0]].name);
    parts.append("map", about.attributes[view.pair[1]].name);
  }
  if (view.population !== first.population) parts.append("people", String(view.population));
  return parts.toString();
}

/** Return the view that a link's text describes; what it does not understand is left as in the first view. */
export function fromLink(about: Exploration, text: string): View {
  const parts = new URLSearchParams(text.replace(/^#/, ""));
  const first = firstView(about);
  const filters = about.attributes.map((attribute) => {
    const said = parts.getAll(`is.${attribute.name}`);
    const missing = parts.has(`none.${attribute.name}`);
    if (attribute.kind === "categorical") {
      const known = said.map((value) => attribute.values.indexOf(value));
      return levelsFilter(attribute, missing && attribute.nullable ? [...known, levels(attribute) - 1] : known);
    }
    const ends = (said[0] ?? "").split("..").map(Number);
    const sound = said.length === 1 && ends.length === 2 && ends.every(Number.isFinite);
    return rangeFilter(attribute, sound ? [ends[0], ends[1]] : null, missing);
  });
  const pair = parts.getAll("map").map((name) => about.attributes.findIndex((attribute) => attribute.name === name));
  const people = Number(parts.get("people"));
  return {
    filters,
    pair: pair.length === 2 && !pair.includes(-1) && pair[0] !== pair[1] ? [pair[0], pair[1]] : first.pair,
    population: Number.isSafeInteger(people) && people > 0 ? people : first.population,
  };
}

/** The current view and those before it. Whoever listens is told whether a change is settled or still being dragged. */
export class Views {
  private readonly past: View[] = [];
  private settled: View;

  constructor(
    public current: View,
    private readonly changed: (view: View, settled: boolean) => void,
  ) {
    this.settled = current;
  }

  /** Show a view while it is being dragged. */
  preview(view: View): void {
    this.current = view;
    this.changed(view, false);
  }

  /** Show a view that can be undone. */
  show(view: View): void {
    if (JSON.stringify(view) !== JSON.stringify(this.settled)) this.past.push(this.settled);
    this.settled = this.current = view;
    this.changed(view, true);
  }

  undo(): void {
    const before = this.past.pop();
    if (!before) return;
    this.settled = this.current = before;
    this.changed(before, true);
  }

  get undoable(): boolean {
    return this.past.length > 0;
  }
}
