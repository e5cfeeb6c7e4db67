/** The survey page: reads the form, shows what would be sent, and sends it when the person says so. */

import { explain, RecordError, Sottovoce, SottovoceError } from "./sottovoce.js";

/** How the page calls what it asks for. */
const NAMES = { age: "age", income: "monthly income", commute: "minutes to work", travel: "means of travel" };

/** @template {HTMLElement} [T=HTMLElement] @param {string} id */
const find = (id) => /** @type {T} */ (document.getElementById(id));
const form = /** @type {HTMLFormElement} */ (find("survey"));
const sendButton = /** @type {HTMLButtonElement} */ (find("send"));

/** @param {string} text @param {"good" | "bad" | ""} [mood] */
function notify(text, mood = "") {
  const notice = find("notice");
  notice.textContent = text;
  notice.className = `notice ${mood}`;
  notice.hidden = !text;
}

/** Return the record that the form holds: an empty field is no answer, a number is a number. */
function readRecord() {
  const fields = new FormData(form);
  const number = (/** @type {string} */ name) => (fields.get(name) === "" ? null : Number(fields.get(name)));
  return { age: number("age"), income: number("income"), commute: number("commute"), travel: fields.get("travel") };
}

/** Return the table of groups, marked where the code speaks for them. @param {import("./sottovoce.js").Explanation} told */
function fillGroups(told) {
  const [rows, columns] = told.axes.length > 1 ? told.axes : [told.axes[0], null];
  const table = /** @type {HTMLTableElement} */ (find("groups"));
  table.replaceChildren();
  table.createCaption().textContent = columns ? `Down: ${rows.name}. Across: ${columns.name}.` : `Down: ${rows.name}.`;
  if (columns) {
    const head = table.createTHead().insertRow();
    head.append(document.createElement("td"), ...columns.groups.map((group) => header(group, "col")));
    head.cells[0].className = "none";
  }
  const width = columns ? columns.groups.length : 1;
  const body = table.createTBody();
  rows.groups.forEach((group, row) => {
    const line = body.insertRow();
    line.append(header(group, "row"));
    for (let column = 0; column < width; column += 1) {
      const marked = told.favoured?.[row * width + column];
      const cell = line.insertCell();
      cell.className = marked ? "yes" : "no";
      cell.textContent = marked ? "✓" : "";
    }
  });
}

/** @param {import("./sottovoce.js").Explanation} told */
function countGroups({ favoured, cells }) {
  const marked = favoured?.filter(Boolean).length;
  if (marked === 0) return "none of these groups";
  return marked === 1 ? "the one group marked here" : `the ${marked} of ${cells} groups marked here`;
}

/** @param {string} text @param {"row" | "col"} scope */
function header(text, scope) {
  const cell = document.createElement("th");
  cell.scope = scope;
  cell.textContent = text;
  return cell;
}

/** Show the report that was drawn. @param {import("./sottovoce.js").Client} client */
function showReport(client) {
  const drawn = client.drawn;
  if (!drawn) return;
  const { report, body, acknowledged } = drawn;
  const told = explain(client.plan, report, NAMES);
  const percent = Math.round(told.truthful * 100);
  find("preview-title").textContent = acknowledged ? "This is all that was sent" : "This is all that will be sent";
  find("which").textContent = `Question ${report.question + 1} of ${client.plan.count}, picked by chance`;
  find("question").textContent = told.question;
  fillGroups(told);
  find("meaning").textContent =
    `The code ${report.code} speaks for ${countGroups(told)}. A code speaks for the group of the person who sends it with a ` +
    `probability of ${percent}\u00a0%, and for others only with ${100 - percent}\u00a0%. Which of the two happened here is recorded nowhere.`;
  find("reveals").textContent =
    `Anyone might have sent this code: it is at most ${told.ratio.toFixed(1)} times as likely from ` +
    "one person as from any other. Your other answers play no part in it. Only the codes of many people together show something, about all of them.";
  find("bytes").textContent = body;
  find("decide").hidden = acknowledged;
  find("preview").hidden = false;
  form.hidden = true;
}

/** Say who asks, as the plan states it. @param {import("./sottovoce.js").Client} client */
function showPlan({ plan }, /** @type {string} */ address) {
  find("purpose").textContent = plan.purpose || "not stated";
  find("contact").textContent = plan.contact || "not stated";
  find("expires").textContent = plan.expires ?? "not stated";
  find("privacy").textContent = `ε = ${plan.epsilon}, whichever question is drawn`;
  const link = /** @type {HTMLAnchorElement} */ (find("plan"));
  link.href = address;
  link.textContent = plan.fingerprint;
  find("about").hidden = false;
}

/** @param {import("./sottovoce.js").Client} client */
async function send(client) {
  sendButton.disabled = true;
  notify("Sending …");
  try {
    await client.send();
    notify("Thank you: your report was counted. You are done.", "good");
  } catch (error) {
    notify(`${explainError(error)} You can try again: the same report will be sent.`, "bad");
  }
  sendButton.disabled = false;
  showReport(client);
}

/** @param {import("./sottovoce.js").Client} client */
async function draw(client) {
  try {
    await client.report(readRecord());
  } catch (error) {
    notify(error instanceof RecordError ? `Please correct your answers: ${error.message}` : explainError(error), "bad");
    return;
  }
  notify("");
  showReport(client);
  find("preview-title").focus();
}

/** @param {unknown} error */
function explainError(error) {
  if (error instanceof SottovoceError) return `${error.message}.`;
  throw error;
}

/** Return the address of the plan that this page's collector asks. */
async function findPlan() {
  const response = await fetch("/v1/plans");
  const { plans } = await response.json();
  return `/v1/plans/${plans[0].fingerprint}`;
}

async function start() {
  const address = await findPlan();
  const client = await Sottovoce.load(address);
  showPlan(client, address);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    draw(client);
  });
  sendButton.addEventListener("click", () => send(client));
  form.hidden = client.drawn !== null;
  showReport(client);
  if (client.drawn?.acknowledged) notify("You have answered this survey. Thank you.", "good");
}

start().catch((error) => notify(`The survey cannot start: ${error.message}`, "bad"));
