/**
 * The survey page: shows a made-up example, reads the form, and on the person's word draws and sends at once. A code is
 * shown only after it was counted: whoever could look first and then decide would speak by their silence.
 */

import { explain, Ledger, RecordError, Sottovoce, SottovoceError } from "./sottovoce.js";

/** How the page calls what it asks for. */
const NAMES = { age: "age", income: "monthly income", commute: "minutes to work", travel: "means of travel" };

/** @template {HTMLElement} [T=HTMLElement] @param {string} id */
const find = (id) => /** @type {T} */ (document.getElementById(id));
const form = /** @type {HTMLFormElement} */ (find("survey"));

/** Nobody: the person of the example. */
const MADE_UP = { age: 41, income: 3200, commute: 35, travel: "bus or train" };

/** @typedef {import("./sottovoce.js").Client} Client */
/** @typedef {import("./sottovoce.js").Report} Report */

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

/** Show what a report says: one that was counted, or an example. @param {Client} client @param {Report} report @param {boolean} sent */
function showReport({ plan }, report, sent) {
  const told = explain(plan, report, NAMES);
  const percent = Math.round(told.truthful * 100);
  find("shown-title").textContent = sent ? "This is all that was sent" : "An example of what is sent";
  find("whose").textContent = sent
    ? "It is shown this once: neither this page nor this device keeps it."
    : "Drawn for a made-up person, 41 years old, who goes by bus. It says nothing about you, and is not sent.";
  find("which").textContent = `Question ${report.question + 1} of ${plan.count}, picked by chance`;
  find("question").textContent = told.question;
  fillGroups(told);
  find("meaning").textContent =
    `The code ${report.code} speaks for ${countGroups(told)}. A code speaks for the group of the person who sends it with a ` +
    `probability of ${percent}\u00a0%, and for others only with ${100 - percent}\u00a0%. Which of the two happened here is recorded nowhere.`;
  find("reveals").textContent =
    `Anyone might have sent this code: it is at most ${told.ratio.toFixed(1)} times as likely from ` +
    "one person as from any other. Your other answers play no part in it. Only the codes of many people together show something, about all of them.";
  find("bytes").textContent = JSON.stringify(report);
  find("another").hidden = sent;
  find("shown").hidden = false;
}

/** Say who asks, as the plan states it. @param {Client} client @param {{address: string, pinned: boolean}} found */
function showPlan({ plan }, { address, pinned }) {
  find("purpose").textContent = plan.purpose || "not stated";
  find("contact").textContent = plan.contact || "not stated";
  find("expires").textContent = plan.expires ?? "not stated";
  find("privacy").textContent = `ε = ${plan.epsilon}, whichever question is drawn`;
  const link = /** @type {HTMLAnchorElement} */ (find("plan"));
  link.href = address;
  link.textContent = plan.fingerprint;
  find("pinned").textContent = pinned
    ? "The plan that your link names."
    : "This is the collector's own word: compare it with what was published elsewhere, others might be given another plan.";
  find("about").hidden = false;
}

/** Return why nobody is asked now, of a plan with waves; nothing if the person is. @param {Client} client */
async function waitingWords(client) {
  const { waves, collection } = client.plan;
  if (waves === null) return "";
  const now = waves.on(await client.ledger.today());
  const turn = (await client.ledger.find(collection)) === null ? now : await client.turn();
  if (turn === now) return now === null ? "Nobody is asked today." : "";
  if (now !== null && turn !== null && turn > now) {
    return `You take part. Your device drew wave ${turn} of ${waves.number} for you: please come back then. Nothing was sent before, as for most people, so that says nothing about you.`;
  }
  return "Your device drew a wave that is over. You are not asked again, and nothing was sent.";
}

/** Show where this person stands: to be asked, to try again, done, or not asked. @param {Client} client */
async function showState(client) {
  const [drawn, cost, waiting] = await Promise.all([client.drawn(), client.cost(), waitingWords(client)]);
  form.hidden = drawn !== null || cost.refusal !== null || waiting !== "";
  find("again").hidden = !drawn?.report;
  find("somebody").hidden = drawn === null;
  find("shown").hidden = drawn !== null;
  find("cost").textContent = cost.words;
  if (drawn?.acknowledged) notify("You have answered this survey. Thank you. What you sent is not kept here.", "good");
  else if (drawn?.report) notify("Your blurred answer was not counted yet.");
  else if (drawn) notify("An answer was begun on this device and lost. You are not asked again, so that nobody learns more.", "bad");
  else notify(cost.refusal ? `You are not asked: ${cost.refusal}.` : waiting, cost.refusal ? "bad" : "");
  if (!drawn) showReport(client, client.plan.draw(MADE_UP), false);
}

/** Send, and show what was sent; draw before if there is a record. @param {Client} client @param {Record<string, unknown>} [record] */
async function send(client, record) {
  const buttons = /** @type {HTMLButtonElement[]} */ ([find("agree"), find("retry")]);
  for (const button of buttons) button.disabled = true;
  notify("Sending …");
  try {
    const report = await client.send(record);
    form.reset();
    await showState(client);
    if (report || client.plan.waves === null) notify("Thank you: your report was counted. You are done.", "good");
    if (report) {
      showReport(client, report, true);
      find("shown-title").focus();
    }
  } catch (error) {
    if (!(error instanceof SottovoceError)) throw error;
    if (!(error instanceof RecordError)) await showState(client);
    notify(error instanceof RecordError ? `Please correct your answers: ${error.message}` : `${error.message}.`, "bad");
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

/** Return the address of the plan: the one that the link names (#fingerprint), or else the one that the collector asks. */
async function findPlan() {
  const named = /^#([0-9a-f]{64})$/.exec(location.hash)?.[1];
  if (named) return { address: `/v1/plans/${named}`, pinned: true };
  const response = await fetch("/v1/plans");
  const { plans } = await response.json();
  return { address: `/v1/plans/${plans[0].fingerprint}`, pinned: false };
}

async function start() {
  const found = await findPlan();
  let client = await Sottovoce.load(found.address, { ledger: await Ledger.open() });
  showPlan(client, found);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(client, readRecord());
  });
  find("retry").addEventListener("click", () => send(client));
  find("another").addEventListener("click", () => showReport(client, client.plan.draw(MADE_UP), false));
  find("other").addEventListener("click", async () => {
    client = await Sottovoce.load(found.address, { ledger: await client.ledger.openProfile() });
    await showState(client);
  });
  await showState(client);
  if (await client.pending()) await send(client); // agreed to before, and not counted yet
}

start().catch((error) => notify(`The survey cannot start: ${error.message}`, "bad"));
