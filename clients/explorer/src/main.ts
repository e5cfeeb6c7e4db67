/** Where the page begins: with the model it was written with, or else with the collector that serves it. */

import "./explorer.css";

import { element } from "./dom";
import { Explorer } from "./explorer";
import type { Exploration } from "./exploration";
import { Live } from "./live";
import { themeButton } from "./theme";
import { Timeline, type WaveExplorations } from "./timeline";

const root = document.getElementById("explorer") as HTMLElement;
const title = element("h1", {}, "Explorer");
const masthead = element("header", { class: "masthead" }, title, themeButton());
const time = element("div");
const place = element("div");
let shown: Explorer | null = null;
let over: Timeline | null = null;

async function show(exploration: Exploration, timeline: Timeline | null = null): Promise<void> {
  title.textContent = document.title = exploration.title;
  const explorer = await Explorer.of(exploration);
  if (timeline) explorer.watch((view) => timeline.follow(view));
  shown?.stop();
  shown = explorer;
  place.replaceChildren(explorer.element);
  explorer.start();
}

/** Show the last of several waves, or the one that was picked, below the card on which another can be. */
async function showWaves(about: WaveExplorations): Promise<void> {
  const timeline = await Timeline.of(about, ({ exploration }) => void show(exploration, timeline).catch(fail));
  const kept = about.waves.findIndex(({ wave }) => wave === over?.kept);
  over = timeline;
  time.replaceChildren(timeline.element);
  timeline.choose(kept < 0 ? about.waves.length - 1 : kept);
}

function showAny(about: Exploration | WaveExplorations): Promise<void> {
  return "waves" in about ? showWaves(about) : show(about);
}

async function begin(): Promise<void> {
  const text = (document.getElementById("exploration") as HTMLElement).textContent ?? "null";
  const written = JSON.parse(text) as Exploration | WaveExplorations | null;
  if (written) await showAny(written);
  else masthead.after(new Live(showAny).element);
}

/** Say what went wrong, where the model would stand. */
function fail(error: Error): void {
  const advice = "Load the page again, in another browser, or from another copy.";
  const words = `The model cannot be shown. ${error.message} ${advice}`;
  place.replaceChildren(element("p", { class: "doubt", role: "alert" }, words));
}

root.replaceChildren(masthead, time, place);
begin().catch(fail);
