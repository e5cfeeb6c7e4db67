/** Light or dark: as the system has it, until the reader says otherwise; remembered where the browser allows it. */

import { button } from "./dom";

const KEY = "sottovoce-theme";

/** Return the button that changes between light and dark. */
export function themeButton(): HTMLButtonElement {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const made = button(
    "",
    () => {
      root.dataset.theme = dark() ? "light" : "dark";
      remember(root.dataset.theme);
      name();
    },
    { class: "quiet" },
  );
  const name = () => (made.textContent = dark() ? "Light" : "Dark");
  const said = recall();
  if (said) root.dataset.theme = said;
  system.addEventListener("change", name);
  name();
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
