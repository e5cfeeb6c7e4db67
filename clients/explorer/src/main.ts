/** Where the page begins: with the model it was written with, or else with the collector that serves it. */

import "./explorer.css";

import { element } from "./dom";
import { Explorer } from "./explorer";
import type { Exploration } from "./exploration";
import { Live } from "./live";
import { themeButton } from "./theme";

const root = document.getElementById("explorer") as HTMLElement;
const written = JSON.parse(
  (document.getElementById("exploration") as HTMLElement).textContent ?? "null",
) as Exploration | null;
const title = element("h1", {}, written?.title ?? "Explorer");
const masthead = element("header", { class: "masthead" }, title, themeButton());
const place = element("div");
let shown: Explorer | null = null;

async function show(exploration: Exploration): Promise<void> {
  title.textContent = document.title = exploration.title;
  const explorer = await Explorer.of(exploration);
  shown?.stop();
  shown = explorer;
  place.replaceChildren(explorer.element);
  explorer.start();
}

root.replaceChildren(masthead, place);
if (written) void show(written);
else masthead.after(new Live(show).element);
