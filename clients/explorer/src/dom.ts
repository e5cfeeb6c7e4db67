/** Elements made in one line, files given to the user, and texts put on the clipboard. */

type Attributes = Readonly<Record<string, string | number | boolean | ((event: Event) => void)>>;

/** Return a new element: a function is a listener, true and false set or leave out an attribute. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value !== false) made.setAttribute(key, value === true ? "" : String(value));
  }
  made.append(...children);
  return made;
}

/** Return a button that does something. */
export function button(label: string, does: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return element("button", { type: "button", click: does, ...attributes }, label);
}

/** Let the user save something as a file. */
export function download(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Open a dialog with a title and some content; it is gone when it is closed. */
export function openDialog(title: string, ...content: (Node | string)[]): HTMLDialogElement {
  const dialog = element("dialog", { "aria-labelledby": "dialog-title" });
  dialog.append(
    element("h2", { id: "dialog-title" }, title),
    ...content,
    button("Close", () => dialog.close(), { class: "primary" }),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Put a text on the clipboard; where the browser does not allow it, show it to be copied by hand. */
export async function copy(text: string, what: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return `${what} is on the clipboard`;
  } catch {
    const field = element("textarea", { readonly: true, rows: 4, "aria-label": what }, text);
    openDialog(`Copy the ${what}`, field);
    field.select();
    return "";
  }
}
