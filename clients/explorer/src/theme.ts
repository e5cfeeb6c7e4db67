/** Light or dark: as the system has it, until the reader says otherwise; remembered where the browser allows it. */

import { button } from "./dom";

const KEY = "sottovoce-theme";

/** Return the button that changes between light and dark. */
export function themeButton(): HTMLButtonElement {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const made = button(
    "",
    () => {
      said = root.dataset.theme === "dark" ? "light" : "dark";
      remember(said);
      apply();
    },
    { class: "quiet" },
  );
  let said = recall();
  const apply = () => {
    root.dataset.theme = said ?? (system.matches ? "dark" : "light");
    made.textContent = root.dataset.theme === "dark" ? "Light" : "Dark";
  };
  system.addEventListener("change", apply);
  apply();
  return made;
}

function remember(theme: string): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // a page that may not remember still changes
  }
}

function recall(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
