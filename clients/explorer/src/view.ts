/** What is looked at: filters, the pair on the map, the size of the crowd. It fits into a link, and steps can be undone. */

import { domain, levels, valueLevels } from "./attributes";
import type { Exploration, Ordered } from "./exploration";
import { type Filter, type Filters, levelsFilter, rangeFilter } from "./filters";
import { type Known, readShares, shareText } from "./known";

export interface View {
  readonly filters: Filters;
  readonly pair: readonly [number, number];
  readonly population: number;
  /** What was chosen before, to compare with (A); null where nothing is compared. */
  readonly against: Filters | null;
  /** What is known of the crowd besides; by attribute. */
  readonly known: Known;
  /** The place of the card that has the whole width, if one has. */
  readonly zoom: number | null;
}

/** Return the view in which nothing is chosen yet. */
export function firstView(about: Exploration): View {
  const [strongest] = about.pairs;
  return {
    filters: about.attributes.map(() => null),
    pair: strongest?.places ?? [0, 0],
    population: about.population,
    against: null,
    known: about.attributes.map(() => null),
    zoom: null,
  };
}

/** Return the view with one attribute's filter replaced. */
export function withFilter(view: View, place: number, filter: Filter | null): View {
  return { ...view, filters: view.filters.map((old, other) => (other === place ? filter : old)) };
}

/** Return the text that stands behind # in a link to a view: what differs from the first view. */
export function toLink(about: Exploration, view: View): string {
  const parts = new URLSearchParams();
  addFilters(parts, about, view.filters, "");
  if (view.against) {
    parts.append("compare", "1");
    addFilters(parts, about, view.against, "a.");
  }
  const first = firstView(about);
  if (view.pair.join() !== first.pair.join()) {
    parts.append("map", about.attributes[view.pair[0]].name);
    parts.append("map", about.attributes[view.pair[1]].name);
  }
  if (view.population !== first.population) parts.append("people", String(view.population));
  view.known.forEach((shares, place) => {
    const attribute = about.attributes[place];
    for (const share of shares ?? []) parts.append(`known.${attribute.name}`, shareText(attribute, share));
  });
  if (view.zoom !== null) parts.append("zoom", about.attributes[view.zoom].name);
  return parts.toString();
}

/** Add what filters choose to the parts of a link, each under a name that starts with a prefix. */
function addFilters(parts: URLSearchParams, about: Exploration, filters: Filters, prefix: string): void {
  about.attributes.forEach((attribute, place) => {
    const filter = filters[place];
    if (!filter) return;
    const [is, none] = [`${prefix}is.${attribute.name}`, `${prefix}none.${attribute.name}`];
    if ("range" in filter) {
      if (filter.range) parts.append(is, filter.range.join(".."));
      if (filter.missing) parts.append(none, "1");
    } else if (attribute.kind === "categorical") {
      for (const level of filter.levels) {
        if (level < valueLevels(attribute)) parts.append(is, attribute.values[level]);
        else parts.append(none, "1");
      }
    }
  });
}

/** Return the filters that the parts of a link with a prefix describe. */
function readFilters(parts: URLSearchParams, about: Exploration, prefix: string): Filters {
  return about.attributes.map((attribute) => {
    const said = parts.getAll(`${prefix}is.${attribute.name}`);
    const missing = parts.has(`${prefix}none.${attribute.name}`);
    if (attribute.kind === "categorical") {
      const known = said.map((value) => attribute.values.indexOf(value));
      return levelsFilter(attribute, missing && attribute.nullable ? [...known, levels(attribute) - 1] : known);
    }
    const ends = (said[0] ?? "").split("..").map(Number);
    const sound = said.length === 1 && ends.length === 2 && ends.every(Number.isFinite);
    return rangeFilter(attribute, sound ? [ends[0], ends[1]] : null, missing);
  });
}

/** Return the view that a link's text describes; what it does not understand is left as in the first view. */
export function fromLink(about: Exploration, text: string): View {
  const parts = new URLSearchParams(text.replace(/^#/, ""));
  const first = firstView(about);
  const pair = parts.getAll("map").map((name) => about.attributes.findIndex((attribute) => attribute.name === name));
  const people = Number(parts.get("people"));
  const zoom = about.attributes.findIndex((attribute) => attribute.name === parts.get("zoom"));
  return {
    filters: readFilters(parts, about, ""),
    against: parts.has("compare") ? readFilters(parts, about, "a.") : null,
    pair: pair.length === 2 && !pair.includes(-1) && pair[0] !== pair[1] ? [pair[0], pair[1]] : first.pair,
    population: Number.isSafeInteger(people) && people > 0 ? people : first.population,
    known: about.attributes.map((attribute) => readShares(attribute, parts.getAll(`known.${attribute.name}`))),
    zoom: zoom < 0 ? null : zoom,
  };
}

/** Return what a link's text says that this model does not have, or only in part, in words; nothing if all is there. */
export function strangers(about: Exploration, text: string): string[] {
  const found: string[] = [];
  const parts = new URLSearchParams(text.replace(/^#/, ""));
  for (const [key, said] of parts) {
    const named = key === "map" || key === "zoom" ? [key, key, said] : [key, "", key];
    const [, kind, name] = /^(?:a\.)?(is|none|known)\.(.*)$/s.exec(key) ?? named;
    const attribute = about.attributes.find((one) => one.name === name);
    if (kind === "") {
      if (key !== "people" && key !== "compare") found.push(key);
    } else if (!attribute) found.push(name);
    else if (kind === "known") {
      if (!readShares(attribute, parts.getAll(key))) found.push(`known shares of ${name}`);
    } else if (kind === "none" && !attribute.nullable) found.push(`${name}: no answer`);
    else if (kind === "is" && attribute.kind === "categorical") {
      if (!attribute.values.includes(said)) found.push(`${name}: ${said}`);
    } else if (kind === "is" && attribute.kind !== "categorical" && !withinDomain(attribute, said)) {
      found.push(`${name}: ${said}`);
    }
  }
  return [...new Set(found)];
}

/** Return whether a text is a range that an ordered attribute has as a whole. */
function withinDomain(attribute: Ordered, text: string): boolean {
  const ends = text.split("..").map(Number);
  const [least, most] = domain(attribute);
  return ends.length === 2 && ends.every((end) => end >= least && end <= most);
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
