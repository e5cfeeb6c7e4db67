/** Views that the reader gave a name: kept by the browser for this page alone, and each of them a link. */

import { button, copy, element, openDialog } from "./dom";

const KEY = "sottovoce-views";
const NOTHING_KEPT = "This browser keeps nothing for this page. Copy the link instead: it is the view.";

/** By collection and name, the text that stands behind # in a view's link. */
type Kept = Record<string, Record<string, string>>;

/** Open the dialog with the saved views of a collection. */
export function openSaved(collection: string, current: () => string): void {
  const name = element("input", { type: "text", required: true, maxlength: 80, "aria-label": "Name of this view" });
  const said = element("p", { class: "hint", role: "status" });
  const list = element("ul", { class: "saved" });
  const change = (after: (views: Record<string, string>) => void, words: string) => {
    const kept = recall();
    const views = { ...kept?.[collection] };
    after(views);
    said.textContent = kept && remember({ ...kept, [collection]: views }) ? words : NOTHING_KEPT;
    draw();
  };
  const draw = () => {
    const views = Object.entries(recall()?.[collection] ?? {});
    const rows = views.map(([title, link]) => {
      const open = element("a", { href: `#${link}`, click: () => dialog.close() }, title);
      const address = `${location.href.replace(/#.*$/s, "")}#${link}`;
      const share = button("Copy link", () => void copy(address, "link").then((words) => (said.textContent = words)), {
        "aria-label": `Copy link of ${title}`,
      });
      const remove = button("Delete", () => change((all) => delete all[title], `${title} is deleted`), {
        "aria-label": `Delete ${title}`,
      });
      return element("li", {}, open, share, remove);
    });
    list.replaceChildren(...rows);
  };
  const form = element("form", { class: "tools" }, name, element("button", { class: "primary" }, "Save this view"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const title = name.value.trim();
    if (!title) return;
    change((views) => (views[title] = current()), `${title} is saved`);
    name.value = "";
  });
  const dialog = openDialog(
    "Saved views",
    element("p", {}, "They stay in this browser. A link shows the same to whoever has the page."),
    form,
    said,
    list,
  );
  if (!recall()) said.textContent = NOTHING_KEPT;
  draw();
}

/** Return all that is kept; null where the browser allows none. */
function recall(): Kept | null {
  let text: string | null;
  try {
    text = localStorage.getItem(KEY);
  } catch {
    return null;
  }
  try {
    const kept: unknown = JSON.parse(text ?? "{}");
    return kept && typeof kept === "object" ? (kept as Kept) : {};
  } catch {
    return {}; // something else wrote there
  }
}

function remember(kept: Kept): boolean {
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
    return true;
  } catch {
    return false;
  }
}
